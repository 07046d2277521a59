//! Where a tuple came from. Each addition to a relation has a time, and was computed from what was there
//! before: so a tuple that was first seen at time t has a derivation from tuples seen earlier, and following
//! derivations ends at facts.

use super::system::{RelationId, RuleId, System};
use base::Stop;
use solve::bdd::{Bdd, Level};
use std::collections::BTreeMap;

/// An element of a relation, all its bits given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationElement {
    /// Of which relation.
    pub relation: RelationId,
    /// The bits.
    pub values: BTreeMap<Level, bool>,
}

/// How a tuple follows from earlier ones.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// By which rule.
    pub rule: RuleId,
    /// From which tuples, one for each body of the rule.
    pub body: Vec<RelationElement>,
}

impl System<'_> {
    /// Some element of the relation, the first in the order of variables; `None` if it is empty.
    pub fn pick(&self, relation: RelationId) -> Option<RelationElement> {
        let it = &self.relations[relation];
        let first = it.history.first()?.1;
        let values = self.calculus.manager.pick_assignment(first, &it.levels)?;
        Some(RelationElement { relation, values: it.levels.iter().copied().zip(values).collect() })
    }

    /// How the tuple was first derived, from tuples that are strictly older.
    pub fn derive(&mut self, tuple: &RelationElement) -> Result<Derivation, Stop> {
        let time = self.first_seen(tuple);
        let fixed: Vec<(Level, bool)> = tuple.values.iter().map(|(&level, &value)| (level, value)).collect();
        for rule in self.relations[tuple.relation].rules.clone() {
            if let Some(derivation) = self.derive_by(rule, &fixed, time)? {
                return Ok(derivation);
            }
        }
        unreachable!("every tuple was added by one of its relation's rules from what was there before")
    }

    fn first_seen(&self, tuple: &RelationElement) -> u64 {
        let history = &self.relations[tuple.relation].history;
        let value = |level: Level| tuple.values.get(&level).copied().unwrap_or(false);
        let at = history.partition_point(|&(_, total)| !self.calculus.manager.eval(total, value));
        history.get(at).expect("only tuples of the relation are derived").0
    }

    /// What was in the relation before `time`.
    fn before(&self, relation: RelationId, time: u64) -> Bdd {
        let history = &self.relations[relation].history;
        match history.partition_point(|&(added, _)| added < time) {
            0 => Bdd::FALSE,
            additions => history[additions - 1].1,
        }
    }

    fn derive_by(
        &mut self,
        rule: RuleId,
        fixed: &[(Level, bool)],
        time: u64,
    ) -> Result<Option<Derivation>, Stop> {
        let body = self.rules[rule].rule.body.clone();
        let budget = self.calculus.budget;
        let mut found = self.calculus.manager.cofactor(self.rules[rule].rule.with, fixed, budget)?;
        for atom in &body {
            let known = self.before(atom.relation, time);
            let known = self.calculus.rename(known, &atom.renamed)?;
            let known = self.calculus.manager.cofactor(known, fixed, budget)?;
            found = self.calculus.and(found, known)?;
            if found.is_false() {
                return Ok(None);
            }
        }
        let Some(cube) = self.calculus.manager.pick_cube(found) else { return Ok(None) };
        let values: BTreeMap<Level, bool> = cube.into_iter().chain(fixed.iter().copied()).collect();
        let tuple = |atom: &super::system::Atom| {
            let value = |level: &Level| values.get(level).copied().unwrap_or(false);
            let called = self.called(atom);
            let levels = self.relations[atom.relation].levels.iter().copied();
            RelationElement {
                relation: atom.relation,
                values: levels.zip(called.iter().map(value)).collect(),
            }
        };
        let body = body.iter().map(tuple).collect();
        Ok(Some(Derivation { rule, body }))
    }
}
