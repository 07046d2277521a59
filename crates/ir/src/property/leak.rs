//! Leaks of C programs, as one property of the whole program.

use super::{Class, ClassRow, Property, PropertyClass, Site, rules};
use crate::task::Model;

/// No allocation of a C program is lost, or left at its end where that is asked. What is named says where it
/// was made and what became of it.
pub const LEAK: Class = Class(&ClassRow {
    word: "leak",
    sv_comp: Some("valid-memtrack"),
    sentence: "memory {name}",
    rules: &[rules::LEAK],
});

pub(super) const ROW: PropertyClass = PropertyClass { class: LEAK, find };

fn find(model: &Model) -> Vec<Property> {
    let text = "no memory leak".to_string();
    match model {
        Model::C(model) if model.machine.leaks.matter() => {
            vec![Property { class: LEAK, span: None, text, site: Site::Leak }]
        }
        _ => vec![],
    }
}
