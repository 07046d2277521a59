//! Signed overflow and abnormal ends of C programs: assertions that the reader writes where they are asked
//! about.

use super::{Class, ClassRow, Property, PropertyClass, copies, rules};
use crate::task::Model;

/// An operator on signed numbers gives what fits its type.
pub const OVERFLOW: Class = Class(&ClassRow {
    word: "overflow",
    sv_comp: Some("no-overflow"),
    sentence: "signed overflow of `{name}`{place}",
    rules: &[rules::OVERFLOW],
});

/// The program does not end by `abort`, `exit` with a code other than 0 or `__builtin_trap`.
pub const ABORT: Class = Class(&ClassRow {
    word: "abort",
    sv_comp: None,
    sentence: "`{name}`{place} ends the program",
    rules: &[rules::ABORT],
});

pub(super) const ROW: PropertyClass = PropertyClass { class: OVERFLOW, find: |it| find(it, OVERFLOW) };

pub(super) const ABORT_ROW: PropertyClass = PropertyClass { class: ABORT, find: |it| find(it, ABORT) };

fn find(model: &Model, class: Class) -> Vec<Property> {
    match model {
        Model::C(model) => copies::find(model, class),
        Model::Program(_) | Model::Net(_) => vec![],
    }
}
