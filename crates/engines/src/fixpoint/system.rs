//! Relations, rules, and least fixed points by differences.

use super::calculus::Calculus;
use super::columns::LevelPairs;
use base::{Arena, Stop, define_id};
use solve::bdd::{Bdd, Level, LevelMap, VarSet};
use std::collections::{BTreeSet, VecDeque};

define_id!(
    /// A relation of a system.
    pub struct RelationId = "r"
);
define_id!(
    /// A rule of a system.
    pub struct RuleId = "u"
);

/// A relation in the body of a rule, some of its columns renamed.
#[derive(Clone, Debug)]
pub struct Atom {
    /// Which.
    pub relation: RelationId,
    /// What its levels are called in the rule; those not listed keep their place.
    pub renamed: LevelPairs,
}

/// `head ← body ∧ with`; what the head lacks is existential.
#[derive(Clone, Debug)]
pub struct HornRule {
    /// What is derived.
    pub head: RelationId,
    /// What it is derived from.
    pub body: Vec<Atom>,
    /// What must hold besides.
    pub with: Bdd,
}

/// One body atom, prepared: forget what nobody else mentions, then rename.
#[derive(Clone)]
struct PreparedAtom {
    relation: RelationId,
    alone: VarSet,
    map: LevelMap,
}

/// The order in which the bodies are joined, with what dies after each.
type JoinOrder = Vec<(usize, VarSet)>;

pub(super) struct Prepared {
    pub(super) rule: HornRule,
    parts: Vec<PreparedAtom>,
    /// One plan for each body that may be new.
    plans: Vec<JoinOrder>,
}

pub(super) struct Relation {
    pub(super) levels: Vec<Level>,
    /// Relations with less urgency wait for the others.
    urgency: u32,
    pub(super) total: Bdd,
    fresh: Bdd,
    /// The total after each addition, with its time.
    pub(super) history: Vec<(u64, Bdd)>,
    used_by: Vec<(RuleId, usize)>,
    pub(super) rules: Vec<RuleId>,
}

/// Relations and the rules that define them.
pub struct System<'b> {
    /// The operations.
    pub calculus: Calculus<'b>,
    pub(super) relations: Arena<RelationId, Relation>,
    pub(super) rules: Arena<RuleId, Prepared>,
    /// Rules that have not been evaluated at all yet.
    unused: VecDeque<RuleId>,
    pending: BTreeSet<(u32, RelationId)>,
    time: u64,
}

impl<'b> System<'b> {
    /// No relations yet.
    pub fn new(calculus: Calculus<'b>) -> Self {
        let (relations, rules) = (Arena::new(), Arena::new());
        Self { calculus, relations, rules, unused: VecDeque::new(), pending: BTreeSet::new(), time: 0 }
    }

    /// Adds an empty relation over these levels. Among relations with something new, those of less `urgency`
    /// number come first.
    pub fn relation(&mut self, levels: Vec<Level>, urgency: u32) -> RelationId {
        self.relations.push(Relation {
            levels,
            urgency,
            total: Bdd::FALSE,
            fresh: Bdd::FALSE,
            history: vec![],
            used_by: vec![],
            rules: vec![],
        })
    }

    /// Adds a rule.
    pub fn rule(&mut self, rule: HornRule) -> Result<RuleId, Stop> {
        self.calculus.manager.protect(rule.with);
        let prepared = self.prepare(rule)?;
        let (head, body) = (prepared.rule.head, prepared.rule.body.clone());
        let id = self.rules.push(prepared);
        self.relations[head].rules.push(id);
        for (at, atom) in body.iter().enumerate() {
            self.relations[atom.relation].used_by.push((id, at));
        }
        self.unused.push_back(id);
        Ok(id)
    }

    /// Everything in the relation so far.
    pub fn total(&self, relation: RelationId) -> Bdd {
        self.relations[relation].total
    }

    /// The number of tuples in the relation so far, as exactly as a float can be.
    pub fn count(&self, relation: RelationId) -> f64 {
        let it = &self.relations[relation];
        let levels = u32::try_from(it.levels.len()).expect("levels are numbers below 2^32");
        self.calculus.manager.sat_count(it.total, levels)
    }

    /// The number of relations and of rules.
    pub fn size(&self) -> (usize, usize) {
        (self.relations.len(), self.rules.len())
    }

    /// Runs to the least fixed point, or until `goal` has a tuple; says whether it has one.
    pub fn run(&mut self, goal: RelationId) -> Result<bool, Stop> {
        while self.relations[goal].total.is_false() {
            self.calculus.budget.spend(1)?;
            if self.calculus.manager.wants_collection() {
                self.collect(&[]);
            }
            if let Some(rule) = self.unused.pop_front() {
                self.apply(rule, None)?;
            } else if let Some((_, relation)) = self.pending.pop_first() {
                self.propagate(relation)?;
            } else {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Frees all diagrams but those of the system and `others`.
    pub fn collect(&mut self, others: &[Bdd]) {
        let of = |it: &Relation| {
            it.history.iter().map(|entry| entry.1).chain([it.total, it.fresh]).collect::<Vec<_>>()
        };
        let roots: Vec<Bdd> = self.relations.iter().flat_map(of).chain(others.iter().copied()).collect();
        self.calculus.manager.collect(roots);
    }

    fn propagate(&mut self, relation: RelationId) -> Result<(), Stop> {
        let fresh = std::mem::replace(&mut self.relations[relation].fresh, Bdd::FALSE);
        for (rule, at) in self.relations[relation].used_by.clone() {
            self.apply(rule, Some((at, fresh)))?;
        }
        Ok(())
    }

    /// Adds what the rule gives, from everything or from what is new in one body.
    fn apply(&mut self, rule: RuleId, fresh: Option<(usize, Bdd)>) -> Result<(), Stop> {
        let found = self.evaluate(rule, fresh)?;
        let head = self.rules[rule].rule.head;
        let relation = &mut self.relations[head];
        let new = self.calculus.and(found, !relation.total)?;
        if new.is_false() {
            return Ok(());
        }
        relation.total = self.calculus.or(relation.total, new)?;
        relation.fresh = self.calculus.or(relation.fresh, new)?;
        self.time += 1;
        relation.history.push((self.time, relation.total));
        self.pending.insert((relation.urgency, head));
        Ok(())
    }

    fn evaluate(&mut self, rule: RuleId, fresh: Option<(usize, Bdd)>) -> Result<Bdd, Stop> {
        let Self { calculus, relations, rules, .. } = self;
        let prepared = &rules[rule];
        let mut found = prepared.rule.with;
        let Some(plan) = prepared.plans.get(fresh.map_or(0, |(at, _)| at)) else { return Ok(found) };
        for &(at, hidden) in plan {
            let part = &prepared.parts[at];
            let all = match fresh {
                Some((new, tuples)) if new == at => tuples,
                _ => relations[part.relation].total,
            };
            let known = calculus.manager.exists(all, part.alone, calculus.budget)?;
            let known = calculus.manager.rename(known, part.map, calculus.budget)?;
            found = calculus.manager.and_exists(found, known, hidden, calculus.budget)?;
            if found.is_false() {
                break;
            }
        }
        Ok(found)
    }

    fn prepare(&mut self, rule: HornRule) -> Result<Prepared, Stop> {
        let head: BTreeSet<Level> = self.relations[rule.head].levels.iter().copied().collect();
        let with: BTreeSet<Level> = self.calculus.manager.support(rule.with).into_iter().collect();
        let called: Vec<Vec<Level>> = rule.body.iter().map(|atom| self.called(atom)).collect();
        let mut parts = vec![];
        for (at, atom) in rule.body.iter().enumerate() {
            let elsewhere = |level: &Level| {
                let others = called.iter().enumerate().filter(|(other, _)| *other != at);
                head.contains(level)
                    || with.contains(level)
                    || others.into_iter().any(|(_, it)| it.contains(level))
            };
            let own = self.relations[atom.relation].levels.iter().zip(&called[at]);
            let alone: Vec<Level> =
                own.filter(|(_, level)| !elsewhere(level)).map(|(&original, _)| original).collect();
            let manager = &mut self.calculus.manager;
            let (alone, map) = (manager.var_set(&alone)?, manager.level_map(&atom.renamed));
            parts.push(PreparedAtom { relation: atom.relation, alone, map });
        }
        let plans = (0..called.len())
            .map(|first| self.plan(first, &head, &with, &called))
            .collect::<Result<_, _>>()?;
        Ok(Prepared { rule, parts, plans })
    }

    /// The levels of an atom as the rule calls them.
    pub(super) fn called(&self, atom: &Atom) -> Vec<Level> {
        let name =
            |level: &Level| atom.renamed.iter().find(|pair| pair.0 == *level).map_or(*level, |pair| pair.1);
        self.relations[atom.relation].levels.iter().map(name).collect()
    }

    fn plan(
        &mut self,
        first: usize,
        head: &BTreeSet<Level>,
        with: &BTreeSet<Level>,
        called: &[Vec<Level>],
    ) -> Result<JoinOrder, Stop> {
        let order: Vec<usize> =
            std::iter::once(first).chain((0..called.len()).filter(|&at| at != first)).collect();
        let mut seen = with.clone();
        let mut plan = vec![];
        for (done, &at) in order.iter().enumerate() {
            seen.extend(&called[at]);
            let later: BTreeSet<Level> =
                order[done + 1..].iter().flat_map(|&at| called[at].iter().copied()).collect();
            let dying: Vec<Level> = seen
                .iter()
                .copied()
                .filter(|level| !head.contains(level) && !later.contains(level))
                .collect();
            seen.retain(|level| !dying.contains(level));
            plan.push((at, self.calculus.manager.var_set(&dying)?));
        }
        Ok(plan)
    }
}
