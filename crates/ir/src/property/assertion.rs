//! Conditions that must hold.

use super::{Class, Property, PropertyClass, Site, copies};
use crate::bp::{Op, Program};
use crate::task::Model;

pub(super) const ROW: PropertyClass = PropertyClass { class: Class::ASSERTION, find };

fn find(model: &Model) -> Vec<Property> {
    match model {
        Model::Program(program) => of_program(program),
        Model::Net(_) => vec![],
        Model::C(model) => copies::find(model, Class::ASSERTION),
    }
}

fn of_program(program: &Program) -> Vec<Property> {
    let assertions = program.locations().enumerate().filter(|(_, it)| matches!(it.op, Op::Assert(_)));
    let one = assertions.map(|(at, location)| Property {
        class: Class::ASSERTION,
        span: location.span,
        text: String::new(),
        site: Site::Assertion(at),
    });
    one.collect()
}
