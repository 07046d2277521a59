//! The question: what is asked of which model, and how far.

use crate::bp::Program;
use crate::net::Net;
use crate::property::{CLASSES, Property, PropertyClass, properties};
use std::fmt;
use std::sync::Arc;

/// A bound on something that is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// At most this many.
    AtMost(u32),
    /// Any number.
    Any,
}

impl Bound {
    /// Whether everything under `other` is under this bound too.
    pub fn covers(self, other: Bound) -> bool {
        match (self, other) {
            (Bound::Any, _) => true,
            (Bound::AtMost(_), Bound::Any) => false,
            (Bound::AtMost(mine), Bound::AtMost(theirs)) => mine >= theirs,
        }
    }

    /// The number, if there is one.
    pub fn limit(self) -> Option<u32> {
        match self {
            Bound::AtMost(n) => Some(n),
            Bound::Any => None,
        }
    }
}

/// How far a claim reaches; partially ordered by [`Scope::covers`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    /// Threads alive at once. Rounds and steps are no part of it: nobody can ask for them, and no proof is
    /// about so many of them.
    pub threads: Bound,
}

impl Scope {
    /// Everything.
    pub const ANY: Scope = Scope { threads: Bound::Any };

    /// Everything with at most `n` threads.
    pub fn threads(n: u32) -> Scope {
        Scope { threads: Bound::AtMost(n) }
    }

    /// Whether a claim for this scope answers a question for `asked`.
    pub fn covers(self, requested: Scope) -> bool {
        self.threads.covers(requested.threads)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.threads {
            Bound::Any => f.write_str("any number of threads"),
            Bound::AtMost(1) => f.write_str("one thread"),
            Bound::AtMost(n) => write!(f, "up to {n} threads"),
        }
    }
}

/// What is verified.
#[derive(Clone, Debug)]
pub enum Model {
    /// A Boolean program.
    Program(Arc<Program>),
    /// A net.
    Net(Arc<Net>),
    /// A C program.
    C(Arc<crate::c::Model>),
}

impl Model {
    /// Whether adding threads never disables a step.
    pub fn monotone(&self) -> bool {
        match self {
            Model::Program(program) => program.monotone(),
            Model::Net(net) => net.monotone(),
            Model::C(_) => false,
        }
    }
}

/// A model, what must not go wrong in it, and how far that is asked.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is verified.
    pub model: Model,
    /// What must not go wrong.
    pub properties: Vec<Property>,
    /// How far.
    pub scope: Scope,
    /// The classes that the properties are of.
    pub classes: &'static [PropertyClass],
}

impl Task {
    /// The question whether an error of the model is reachable within a scope. Engines and checkers ask this
    /// one.
    pub fn new(model: Model, scope: Scope) -> Task {
        Task::of_classes(model, scope, CLASSES)
    }

    /// The same about the properties of some classes.
    pub fn of_classes(model: Model, scope: Scope, classes: &'static [PropertyClass]) -> Task {
        let properties = properties(&model, classes);
        Task { model, properties, scope, classes }
    }
}
