//! Calls of C that must not be reached, such as `reach_error()`.

use super::{Class, Property, PropertyClass, copies};
use crate::task::Model;

pub(super) const ROW: PropertyClass = PropertyClass { class: Class::ERROR_CALL, find };

fn find(model: &Model) -> Vec<Property> {
    match model {
        Model::C(model) => copies::find(model, Class::ERROR_CALL),
        Model::Program(_) | Model::Net(_) => vec![],
    }
}
