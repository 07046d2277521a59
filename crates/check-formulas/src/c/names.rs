//! Places and assertions in messages: by the user's file and line where they are known, else by numbers.

use base::{Id, SourceMap, Span};
use ir::c::relation::{ControlId, Relation};
use ir::c::{Loc, Program, PropertyId};

/// What is known for messages.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub relation: &'a Relation,
    pub program: Option<&'a Program>,
    pub sources: Option<&'a SourceMap>,
}

impl Names<'_> {
    /// A control location.
    pub fn control(&self, control: ControlId) -> String {
        match self.relation.controls.get(control) {
            Some(found) => format!("control location {} ({})", control.index(), self.location(found.loc)),
            None => format!("control location {}", control.index()),
        }
    }

    /// An assertion or error call.
    pub fn property(&self, property: PropertyId) -> String {
        let site = self.program.and_then(|program| program.properties().get(property));
        match site {
            Some(site) => match self.span(site.span) {
                Some(place) => format!("`{}` at {place}", site.text),
                None => format!("`{}`", site.text),
            },
            None => format!("assertion {}", property.index()),
        }
    }

    fn location(&self, loc: Loc) -> String {
        let location = self.program.and_then(|program| program.locations().get(loc));
        let place = location.and_then(|location| self.span(location.span));
        place.unwrap_or_else(|| format!("location {}", loc.index()))
    }

    fn span(&self, span: Option<Span>) -> Option<String> {
        Some(self.sources?.describe(span?))
    }
}
