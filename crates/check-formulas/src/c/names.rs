//! Places and assertions in messages.

use ::c::{Loc, Program, PropertyId};
use base::{Id, Span};
use relation::{ControlId, Relation};

/// What is known for messages.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub relation: &'a Relation,
    pub program: Option<&'a Program>,
}

impl Names<'_> {
    /// A control location.
    pub fn control(&self, control: ControlId) -> String {
        match self.relation.controls.get(control) {
            Some(found) => format!("control location {} ({})", control.index(), location(found.loc)),
            None => format!("control location {}", control.index()),
        }
    }

    /// An assertion or error call.
    pub fn property(&self, property: PropertyId) -> String {
        let site = self.program.and_then(|program| program.properties().get(property));
        site.map_or_else(|| format!("assertion {}", property.index()), |site| format!("`{}`", site.text))
    }

    /// Where a control location is in the source.
    pub fn span(&self, control: ControlId) -> Option<Span> {
        let loc = self.relation.controls.get(control)?.loc;
        self.program?.locations().get(loc)?.span
    }
}

fn location(loc: Loc) -> String {
    format!("location {}", loc.index())
}
