//! Labelled statements that must not be reached.

use super::{Class, Property, PropertyClass, Site, copies};
use crate::bp::Program;
use crate::task::Model;

pub(super) const ROW: PropertyClass = PropertyClass { class: Class::ERROR_LABEL, find };

fn find(model: &Model) -> Vec<Property> {
    match model {
        Model::Program(program) => of_program(program),
        Model::Net(_) => vec![],
        Model::C(model) => copies::find(model, Class::ERROR_LABEL),
    }
}

fn of_program(program: &Program) -> Vec<Property> {
    let labelled = program.locations().enumerate().filter(|(_, location)| location.error);
    let one = labelled.map(|(at, location)| Property {
        class: Class::ERROR_LABEL,
        span: location.span,
        text: location.labels.last().cloned().unwrap_or_default(),
        site: Site::Label(at),
    });
    one.collect()
}
