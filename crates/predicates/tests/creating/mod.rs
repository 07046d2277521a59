//! Random relations in which threads are created and one command fails.

use crate::random::Maker;
use base::Id;
use c::{ExprId, PropertyId, TRUTH};
use relation::{Command, ControlId, Creation, Outcome, Relation};

/// A random relation with two more commands: one creates threads, one fails under the guard.
pub fn relation(maker: &mut Maker, guard: impl FnOnce(&mut Maker) -> ExprId) -> Relation {
    let mut relation = maker.relation();
    let always = maker.exprs.number(TRUTH, 1);
    let [entry, from, to] = [0; 3].map(|_| ControlId::from_index(maker.random.below(3)));
    let guard = guard(maker);
    let plain = Command {
        from: relation.start,
        guard: always,
        others: None,
        choices: vec![],
        updates: vec![],
        creates: None,
        outcome: Outcome::Go(to),
        steps: vec![],
    };
    relation.commands.retain(|it| !matches!(it.outcome, Outcome::Fail(_)));
    let creates = Some(Creation { entry, values: vec![] });
    relation.commands.push(Command { creates, ..plain.clone() });
    let outcome = Outcome::Fail(PropertyId::from_index(0));
    relation.commands.push(Command { from, guard, outcome, ..plain });
    relation.commands.sort_by_key(|it| it.from);
    relation.exprs = maker.exprs.clone();
    relation
}
