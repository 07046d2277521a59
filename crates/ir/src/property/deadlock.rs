//! Deadlocks of C programs, as one property of the whole program.

use super::{Class, ClassRow, Property, PropertyClass, Site, rules};
use crate::task::Model;

/// No threads of a C program wait for each other for ever. What is named says who waits for what.
pub const DEADLOCK: Class = Class(&ClassRow {
    word: "deadlock",
    sv_comp: Some("no-deadlock"),
    sentence: "deadlock of {name}",
    rules: &[rules::DEADLOCK],
});

pub(super) const ROW: PropertyClass = PropertyClass { class: DEADLOCK, find };

fn find(model: &Model) -> Vec<Property> {
    let text = "no deadlock".to_string();
    match model {
        Model::C(model) if model.machine.deadlocks.matter() => {
            vec![Property { class: DEADLOCK, span: None, text, site: Site::Deadlock }]
        }
        _ => vec![],
    }
}
