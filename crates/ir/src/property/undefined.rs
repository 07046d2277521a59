//! Undefined behaviour of C programs, as one property of the whole program: asked for as memory safety, or
//! looked for beside assertions.

use super::{Class, ClassRow, Property, PropertyClass, Site};
use crate::task::Model;

/// A C program has no undefined behaviour.
pub const MEMORY: Class = Class(&ClassRow {
    word: "memory",
    sv_comp: Some("valid-memsafety"),
    sentence: "undefined behaviour ({name}){place}",
});

/// No run of a C program comes to undefined behaviour that somebody has looked for.
pub const UNDEFINED: Class =
    Class(&ClassRow { word: "undefined", sv_comp: None, sentence: "undefined behaviour ({name}){place}" });

pub(super) const MEMORY_ROW: PropertyClass = PropertyClass { class: MEMORY, find: |it| find(it, MEMORY) };

pub(super) const ROW: PropertyClass = PropertyClass { class: UNDEFINED, find: |it| find(it, UNDEFINED) };

fn find(model: &Model, class: Class) -> Vec<Property> {
    let text = "no undefined behaviour".to_string();
    match model {
        Model::C(model) if model.machine.memory && model.undefined_class() == class => {
            vec![Property { class, span: None, text, site: Site::Undefined }]
        }
        _ => vec![],
    }
}
