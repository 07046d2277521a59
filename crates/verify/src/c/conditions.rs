//! Predicates that the user names: C conditions, and where each was written.

use base::{Budget, Stop};
use cegar::boolean::{Predicated, ProgramNames, Written, of_conditions};
use front::CProgram;
use ir::c::relation::Relation;

/// A condition as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The condition.
    pub text: String,
    /// Where it was written, for messages.
    pub place: String,
}

/// The predicates that these conditions stand for, if there are any, or what is wrong with one.
pub(super) fn read(
    source: &CProgram,
    conditions: &[Condition],
    relation: &Relation,
    budget: &Budget,
) -> Result<Result<Option<Predicated>, String>, Stop> {
    if conditions.is_empty() {
        return Ok(Ok(None));
    }
    let texts: Vec<String> = conditions.iter().map(|it| it.text.clone()).collect();
    let names = ProgramNames::new(&source.program);
    let read = of_conditions(relation, &Written { texts: &texts, names: &names }, budget)?;
    Ok(read.map(Some).map_err(|why| placed(conditions, why)))
}

/// What is wrong with one of these conditions, if that can be told.
pub fn misread(source: &CProgram, conditions: &[Condition], budget: &Budget) -> Option<String> {
    let relation = Relation::of(&source.program, &source.machine, budget).ok()?;
    read(source, conditions, &relation, budget).ok()?.err()
}

/// The message begins with the condition.
fn placed(conditions: &[Condition], why: String) -> String {
    let about = |it: &&Condition| why.strip_prefix('`').is_some_and(|rest| rest.starts_with(&it.text));
    match conditions.iter().find(about) {
        Some(condition) => format!("{}: {why}", condition.place),
        None => why,
    }
}
