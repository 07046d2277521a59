//! What a file holds once it is read.

use crate::c::Refused;
use crate::options::CProperty;
use base::FileId;
use ir::{Model, Net, Program, Property, Scope, Task};
use std::sync::Arc;

/// What was read. Engines take a [`Model`]; some sources are one, others are made into models on the way to an answer, perhaps in several
/// ways. So this enum is above `Model`, and a new language becomes a variant here, not there.
#[derive(Clone, Debug)]
pub enum Source {
    /// A Boolean program.
    Program(Arc<Program>),
    /// A net.
    Net(Arc<Net>),
    /// A C program.
    C(Arc<CProgram>),
}

/// A C program in its normalised form.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// The program.
    pub program: ir::c::Program,
    /// What C leaves open; the bound on threads belongs to the question.
    pub machine: ir::c::Options,
    /// What is looked for.
    pub property: CProperty,
    /// The same with nothing dropped and undefined behaviour as an error, where that is looked for apart from assertions. A dropped step may be
    /// undefined.
    pub literal: Option<Arc<CProgram>>,
    /// What is taken for granted, in words; sorted.
    pub assumptions: Vec<String>,
    /// What could not be translated and may be reached.
    pub refused: Vec<Refused>,
    /// The file that was asked about.
    pub file: FileId,
}

impl CProgram {
    /// What C leaves open, with at most so many threads.
    pub fn options(&self, threads: Option<u32>) -> ir::c::Options {
        ir::c::Options { threads, ..self.machine }
    }
}

impl Source {
    /// The model that the source is; `None` for a source that engines take only after it was translated.
    pub fn model(&self) -> Option<Model> {
        match self {
            Source::Program(program) => Some(Model::Program(Arc::clone(program))),
            Source::Net(net) => Some(Model::Net(Arc::clone(net))),
            Source::C(_) => None,
        }
    }

    /// The question whether an error of the model is reachable within a scope. Whoever looks for errors or checks evidence asks this one.
    pub fn task(&self, scope: Scope) -> Option<Task> {
        Some(Task { model: self.model()?, property: Property::NoError, scope })
    }
}
