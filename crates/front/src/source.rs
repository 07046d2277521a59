//! What a file holds once it is read.

pub use ir::c::Model as CProgram;
use ir::{Model, Net, Program, Scope, Task};
use std::sync::Arc;

/// What was read: the model of a language.
#[derive(Clone, Debug)]
pub enum Source {
    /// A Boolean program.
    Program(Arc<Program>),
    /// A net.
    Net(Arc<Net>),
    /// A C program.
    C(Arc<CProgram>),
}

impl Source {
    /// The source that a C program is.
    pub fn of_c(model: Arc<CProgram>) -> Source {
        Source::C(model)
    }

    /// The model that the source is.
    pub fn model(&self) -> Model {
        match self {
            Source::Program(program) => Model::Program(Arc::clone(program)),
            Source::Net(net) => Model::Net(Arc::clone(net)),
            Source::C(model) => Model::C(Arc::clone(model)),
        }
    }

    /// The question whether an error of the model is reachable within a scope.
    pub fn task(&self, scope: Scope) -> Task {
        Task::new(self.model(), scope)
    }
}
