//! Stand-in for the reader of Boolean programs.
use base::{Diagnostic, FileId, SourceMap};
use ir::Program;

#[derive(Clone, Default)]
pub struct ReadOptions {
    pub dialect: Option<Dialect>,
    pub init: InitReading,
    pub error_labels: Vec<String>,
    pub entry: Option<String>,
}
#[derive(Clone, Copy)]
pub enum Dialect {
    Any,
}
#[derive(Clone, Copy, Default)]
pub enum InitReading {
    #[default]
    Nondet,
    Zero,
}
impl Dialect {
    pub const ALL: [(&'static str, Dialect); 6] = [
        ("satabs", Dialect::Any),
        ("slam", Dialect::Any),
        ("bopp", Dialect::Any),
        ("boom", Dialect::Any),
        ("getafix", Dialect::Any),
        ("broadcast", Dialect::Any),
    ];
}
type Read<T> = Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>;
pub fn read_program(_: &SourceMap, _: FileId, o: &ReadOptions) -> Read<Program> {
    Err(vec![Diagnostic::error("E0000", None, format!("no reader yet{:?}{:?}", o.error_labels, o.entry))])
}
