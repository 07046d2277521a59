//! What a file holds once it is read.

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
}

impl Source {
    /// The model that the source is; `None` for a source that engines take only after it was translated.
    pub fn model(&self) -> Option<Model> {
        match self {
            Source::Program(program) => Some(Model::Program(Arc::clone(program))),
            Source::Net(net) => Some(Model::Net(Arc::clone(net))),
        }
    }

    /// The question whether an error of the model is reachable within a scope. Whoever looks for errors or checks evidence asks this one.
    pub fn task(&self, scope: Scope) -> Option<Task> {
        Some(Task { model: self.model()?, property: Property::NoError, scope })
    }
}
