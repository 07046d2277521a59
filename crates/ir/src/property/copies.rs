//! The assertions, error calls and error labels of C. Each may have several copies in a program, since
//! procedures may be inlined.

use super::{Class, Property, Site};
use base::Span;
use std::collections::BTreeMap;

/// The copies of an assertion, error call or error label of C.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copies {
    /// What the program calls them.
    pub ids: Vec<c::PropertyId>,
    /// The steps that decide whether the assertion holds; none for a call that is an error wherever it is
    /// reached.
    pub decisions: Vec<c::Loc>,
}

/// Those of one class.
pub(super) fn find(model: &crate::c::Model, class: Class) -> Vec<Property> {
    let program = &model.program;
    let decisions = decisions(program);
    let mut copies: BTreeMap<(Option<Span>, &str), Copies> = BTreeMap::new();
    for (at, location) in program.locations().enumerate() {
        let (c::Op::Assert { property, .. } | c::Op::Error(property)) = location.op else { continue };
        let site = &program.properties()[property];
        if site.class == class {
            let copy = copies.entry((site.span, &site.text)).or_default();
            copy.ids.push(property);
            copy.decisions.extend(decisions.get(&at).into_iter().flatten());
        }
    }
    let one = |((span, text), copies): ((Option<Span>, &str), Copies)| Property {
        class,
        span,
        text: text.to_string(),
        site: Site::C(copies),
    };
    copies.into_iter().map(one).collect()
}

/// For each assertion the steps that decide whether it holds: it itself, or the branches in front of the call
/// that the macro ends in.
fn decisions(program: &c::Program) -> BTreeMap<c::Loc, Vec<c::Loc>> {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, location) in program.locations().enumerate() {
        if matches!(location.op, c::Op::Assert { .. }) {
            found.entry(at).or_default().push(at);
        }
        if !matches!(location.op, c::Op::Branch { .. }) {
            continue;
        }
        for after in program.successors(at) {
            if let c::Op::Error(property) = program.at(after).op
                && program.properties()[property].class == Class::ASSERTION
            {
                found.entry(after).or_default().push(at);
            }
        }
    }
    found
}
