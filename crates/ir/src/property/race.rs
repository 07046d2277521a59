//! Data races of C programs, as one property of the whole program.

use super::{Class, ClassRow, Property, PropertyClass, Site, rules};
use crate::task::Model;

/// A C program has no data race. What is named says where both accesses are.
pub const RACE: Class = Class(&ClassRow {
    word: "race",
    sv_comp: Some("no-data-race"),
    sentence: "data race on {name}",
    rules: &[rules::RACE],
});

pub(super) const ROW: PropertyClass = PropertyClass { class: RACE, find };

fn find(model: &Model) -> Vec<Property> {
    let text = "no data race".to_string();
    match model {
        Model::C(model) if model.machine.races.matter() => {
            vec![Property { class: RACE, span: None, text, site: Site::Race }]
        }
        _ => vec![],
    }
}
