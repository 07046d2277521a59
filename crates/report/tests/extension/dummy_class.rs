//! A class of properties: labels that begin with `DUMMY` are never reached.

use base::class::ASSERT_RULE;
use ir::Model;
use ir::property::{Class, ClassRow, Property, PropertyClass, Site};

const DUMMY: Class = Class(&ClassRow {
    word: "dummy",
    sv_comp: None,
    sentence: "the dummy {name}{place} is met",
    rules: &[ASSERT_RULE],
});

/// The row of the class.
pub const ROW: PropertyClass = PropertyClass { class: DUMMY, find };

fn find(model: &Model) -> Vec<Property> {
    let Model::Program(program) = model else { return vec![] };
    let mut found = vec![];
    for (at, location) in program.locations().enumerate().filter(|(_, it)| it.error) {
        for label in location.labels.iter().filter(|it| it.starts_with("DUMMY")) {
            let (span, text) = (location.span, label.clone());
            found.push(Property { class: DUMMY, span, text, site: Site::Label(at) });
        }
    }
    found
}
