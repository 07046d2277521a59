//! Stand-ins for the crates that are not there yet.
use base::{Diagnostic, Events, FileId, Settings, SourceMap};
use ir::{Certificate, Program, Reason};

pub mod front {
    use super::*;
    #[derive(Clone, Default)]
    pub struct ReadOptions {
        pub dialect: Option<Dialect>,
        pub zero: bool,
        pub error_labels: Vec<String>,
        pub entry: Option<String>,
    }
    #[derive(Clone, Copy)]
    pub enum Dialect {
        Any,
    }
    type Read<T> = Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>;
    pub fn read_program(_: &SourceMap, _: FileId, _: &ReadOptions) -> Read<Program> {
        Err(vec![Diagnostic::error("E0000", None, "no reader yet")])
    }
}

pub mod passes {
    use super::*;
    pub struct Lifts;
    impl Lifts {
        pub fn trace(&self, t: ir::trace::ProgramTrace) -> Result<ir::trace::ProgramTrace, String> {
            Ok(t)
        }
        pub fn certificate(&self, c: Certificate) -> Option<Certificate> {
            Some(c)
        }
    }
    pub const SETTINGS: &[base::Setting] = &[];
    pub fn prepare(p: &Program, _: &Settings, _: &mut dyn Events) -> Result<(Program, Lifts), Reason> {
        Ok((p.clone(), Lifts))
    }
}
