//! Predicates that the user names: C conditions, and where each was written.

use base::{Budget, Stop};
use engines::Condition;
use ir::c::Model;
use predicates::boolean::{self, Misread, Predicated, ProgramNames, Written, of_conditions};
use relation::Relation;

/// The predicates that these conditions stand for, if there are any, or what is wrong with one.
pub(super) fn read(
    source: &Model,
    conditions: &[Condition],
    relation: &Relation,
    budget: &Budget,
) -> Result<Result<Option<Predicated>, String>, Stop> {
    if conditions.is_empty() {
        return Ok(Ok(None));
    }
    let texts = texts(conditions);
    let names = ProgramNames::new(&source.program);
    let read = of_conditions(relation, &Written { texts: &texts, names: &names }, budget)?;
    Ok(read.map(Some).map_err(|why| placed(conditions, &why)))
}

/// What is wrong with one of these conditions, if that can be told.
pub fn misread(source: &Model, conditions: &[Condition], budget: &Budget) -> Option<String> {
    let relation = source.relation(budget).ok()?;
    let texts = texts(conditions);
    let names = ProgramNames::new(&source.program);
    let wrong = boolean::misread(&relation, &Written { texts: &texts, names: &names }, budget).ok()??;
    Some(placed(conditions, &wrong))
}

fn texts(conditions: &[Condition]) -> Vec<String> {
    conditions.iter().map(|it| it.text.clone()).collect()
}

fn placed(conditions: &[Condition], wrong: &Misread) -> String {
    match conditions.get(wrong.condition) {
        Some(condition) => format!("{}: {}", condition.place, wrong.message),
        None => wrong.message.clone(),
    }
}
