//! What must not go wrong in a model, one by one. Each class of properties has a row in [`CLASSES`] and a
//! file beside this one (`docs/first-property.md`).

mod assertion;
mod copies;
mod deadlock;
mod error_call;
mod error_label;
mod leak;
mod meaning;
mod overflow;
mod race;
pub mod rules;
mod set;
mod spec;
mod target;
mod undefined;

pub use base::class::{Class, ClassRow};
pub use copies::Copies;
pub use deadlock::DEADLOCK;
pub use leak::LEAK;
pub use meaning::meaning;
pub use overflow::{ABORT, OVERFLOW};
pub use race::RACE;
pub use set::{PropertySet, SETTINGS};
pub use undefined::{MEMORY, UNDEFINED};

use crate::bp;
use crate::task::Model;
use crate::trace::Trace;
use base::Span;

/// A class of properties, and how its properties are found in a model.
#[derive(Clone, Copy, Debug)]
pub struct PropertyClass {
    /// The class.
    pub class: Class,
    /// The properties of this class in a model, in any order.
    pub find: fn(&Model) -> Vec<Property>,
}

/// All classes of properties. Where two properties stand at one place, the class that comes first is listed
/// first.
pub const CLASSES: &[PropertyClass] = &[
    error_label::ROW,
    assertion::ROW,
    error_call::ROW,
    target::ROW,
    race::ROW,
    deadlock::ROW,
    leak::ROW,
    overflow::ROW,
    overflow::ABORT_ROW,
    undefined::MEMORY_ROW,
    undefined::ROW,
];

/// A property of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its class.
    pub class: Class,
    /// Where it stands, if it stands somewhere.
    pub span: Option<Span>,
    /// Its name or its text; empty where the source says it.
    pub text: String,
    /// What it is in the model.
    pub site: Site,
}

/// What a property is in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Site {
    /// An assertion of a Boolean program.
    Assertion(bp::Loc),
    /// An error label of a Boolean program.
    Label(bp::Loc),
    /// A target of a net.
    Target(usize),
    /// An assertion or error call of C: all copies of it, since procedures may be inlined.
    C(Copies),
    /// No undefined behaviour of some kinds, wherever it is.
    Undefined(c::Faults),
    /// No data race, wherever it is.
    Race,
    /// No deadlock, wherever it is.
    Deadlock,
    /// No leak, wherever it is.
    Leak,
}

impl Property {
    /// Whether it is a condition: a run may come to it without failing.
    pub fn is_condition(&self) -> bool {
        match &self.site {
            Site::Assertion(_) => true,
            Site::C(copies) => !copies.decisions.is_empty(),
            Site::Label(_)
            | Site::Target(_)
            | Site::Undefined(_)
            | Site::Race
            | Site::Deadlock
            | Site::Leak => false,
        }
    }

    /// Whether a run ends in it.
    pub fn is_violated_by(&self, trace: &Trace) -> bool {
        match (&self.site, trace) {
            (Site::Assertion(at), Trace::Program(trace)) => {
                trace.failure.kind == bp::FailureKind::Assertion && trace.failure.at == *at
            }
            (Site::Label(at), Trace::Program(trace)) => {
                trace.failure.kind == bp::FailureKind::Label && trace.failure.at == *at
            }
            (Site::C(copies), Trace::C(trace)) => {
                matches!(&trace.failure.kind, c::FailureKind::Property(id) if copies.ids.contains(id))
            }
            (Site::Undefined(faults), Trace::C(trace)) => {
                matches!(&trace.failure.kind, c::FailureKind::Undefined(fault) if faults.has(fault))
            }
            (Site::Race, Trace::C(trace)) => matches!(&trace.failure.kind, c::FailureKind::Race(_)),
            (Site::Deadlock, Trace::C(trace)) => matches!(&trace.failure.kind, c::FailureKind::Deadlock(_)),
            (Site::Leak, Trace::C(trace)) => matches!(&trace.failure.kind, c::FailureKind::Leak(_)),
            _ => false,
        }
    }
}

/// The properties of these classes in a model, in the order of their places.
pub fn properties(model: &Model, classes: &[PropertyClass]) -> Vec<Property> {
    let mut all: Vec<Property> = classes.iter().flat_map(|row| (row.find)(model)).collect();
    all.sort_by_key(|it| (it.span.is_none(), it.span));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_classes_have_one_word() {
        let words: BTreeSet<&str> = CLASSES.iter().map(|row| row.class.word()).collect();
        assert_eq!(words.len(), CLASSES.len());
    }
}
