//! Violation witnesses as they are read, whatever they are written in.

use super::condition::Condition;
use super::{property, read_graphml, read_yaml};
use ir::property::PropertySet;

/// A violation witness: what is violated, and what a run that violates it comes by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViolationWitness {
    /// The property, as a formula or lines of a property file.
    pub specification: String,
    /// What the run comes by, in order.
    pub(super) segments: Vec<Segment>,
}

/// What is come by next.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// What must not be come by before.
    pub avoid: Vec<Passage>,
    /// What is come by: one waypoint, or of the last segment all targets.
    pub follow: Vec<Passage>,
}

/// A waypoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    /// What happens there.
    pub kind: PassageKind,
    /// The thread: 0 is main, k begins at the k-th waypoint that creates one.
    pub thread: u32,
    /// Where.
    pub place: Place,
}

/// What happens at a waypoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PassageKind {
    /// The condition holds before the statement.
    Assumption(Condition),
    /// The condition holds behind the statement.
    Behind(Condition),
    /// The condition of the statement comes out as this; anything, if nothing is said.
    Branching(Option<bool>),
    /// A function is called.
    Enter,
    /// A call returns what fits the condition.
    Return(Condition),
    /// The error.
    Target,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file; the program's, if it is not named.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
}

impl ViolationWitness {
    /// What its specification asks.
    pub fn property(&self) -> Result<PropertySet, String> {
        property::requested(&self.specification)
    }

    /// The numbers that its conditions name.
    pub(super) fn numbers(&self) -> Vec<i128> {
        let passages = self.segments.iter().flat_map(|it| it.avoid.iter().chain(&it.follow));
        let conditions = passages.filter_map(|it| match &it.kind {
            PassageKind::Assumption(it) | PassageKind::Behind(it) | PassageKind::Return(it) => Some(it),
            _ => None,
        });
        conditions.flat_map(Condition::numbers).collect()
    }
}

/// Whether a text looks like a witness.
pub fn is_witness(text: &str) -> bool {
    let text = text.trim_start();
    text.contains("entry_type") && !text.starts_with('{') || text.contains("<graphml")
}

/// Reads a violation witness, or says why the text is not one.
pub fn read(text: &str) -> Result<ViolationWitness, String> {
    let witness = match text.contains("<graphml") {
        true => read_graphml::read(text)?,
        false => read_yaml::read(text)?,
    };
    let Some((last, others)) = witness.segments.split_last() else {
        return Err("it has no waypoints".to_string());
    };
    if !last.follow.iter().all(|it| it.kind == PassageKind::Target) || last.follow.is_empty() {
        return Err("its last segment does not end in a target".to_string());
    }
    for segment in others {
        match &segment.follow[..] {
            [only] if only.kind != PassageKind::Target => {}
            _ => return Err("a segment before the last one has not one waypoint to follow".to_string()),
        }
    }
    Ok(witness)
}
