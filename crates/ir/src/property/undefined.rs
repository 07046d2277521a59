//! Undefined behaviour of C programs, as properties of the whole program: what a list asks about, accesses
//! and `free` apart from everything else; or all of it, looked for beside assertions.

use super::{Class, ClassRow, Property, PropertyClass, Site, rules};
use crate::c::Sought;
use crate::task::Model;
use ::c::Faults;

/// No access and no `free` of a C program goes wrong.
pub const MEMORY: Class = Class(&ClassRow {
    word: "memory",
    sv_comp: Some("valid-memsafety"),
    sentence: "undefined behaviour ({name}){place}",
    rules: &[rules::DEREF, rules::FREE],
});

/// No run of a C program comes to undefined behaviour: of other kinds than those of [`MEMORY`] where a list
/// asks about it, of any kind that somebody has looked for otherwise.
pub const UNDEFINED: Class = Class(&ClassRow {
    word: "undefined",
    sv_comp: None,
    sentence: "undefined behaviour ({name}){place}",
    rules: &[rules::UNDEFINED, rules::DEREF, rules::FREE],
});

pub(super) const MEMORY_ROW: PropertyClass = PropertyClass { class: MEMORY, find: |it| find(it, MEMORY) };

pub(super) const ROW: PropertyClass = PropertyClass { class: UNDEFINED, find: |it| find(it, UNDEFINED) };

fn find(model: &Model, class: Class) -> Vec<Property> {
    let Model::C(model) = model else { return vec![] };
    let requested = model.machine.faults;
    let (faults, text) = match (model.property, class == MEMORY) {
        (Sought::List(_), true) => {
            (Faults { memory: requested.memory, other: false }, "no invalid access or free")
        }
        (Sought::List(_), false) => (
            Faults { memory: false, other: requested.other },
            "no undefined behaviour beside accesses and free",
        ),
        (_, true) => (Faults::NONE, ""),
        (_, false) => (requested, "no undefined behaviour"),
    };
    let property = Property { class, span: None, text: text.to_string(), site: Site::Undefined(faults) };
    faults.any().then_some(property).into_iter().collect()
}
