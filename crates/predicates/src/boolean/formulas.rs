//! The formulas of a command over the state before it: its guard cut into conjuncts, and every predicate
//! before and after, as the active thread, a passive one and the child see it.

use super::predicates::Predicates;
use super::samples::{Neighbourhood, Samples};
use crate::terms::circuits::{Circuits, Reading, View, Who, compare, of_thread};
use base::{Budget, Stop};
use c::{Binary, ExprId, LocalId, Node, TRUTH};
use relation::proof::PairPredicate;
use relation::{Command, Creation, Home, Relation};
use rustc_hash::{FxHashMap, FxHashSet};
use solve::aig::{Aig, Input, Lit};
use solve::bv::{self, Word};
use std::rc::Rc;

const ACTIVE: Who = 0;
const PASSIVE: Who = 1;
const CHILD: Who = 3;

/// A command as formulas.
pub struct Formed {
    /// The conjuncts of the guard.
    pub guard: Vec<Lit>,
    /// What the command asks of the passive thread.
    pub others: Vec<Lit>,
    /// Each predicate after the command, as the active thread sees it.
    pub active: Vec<Lit>,
    /// The same for the passive thread.
    pub passive: Vec<Lit>,
    /// The same for the thread that is created, if there is one.
    pub child: Vec<Lit>,
}

/// Makes formulas.
pub struct Formulas<'a> {
    relation: &'a Relation,
    predicates: &'a Predicates,
    budget: &'a Budget,
    circuits: Circuits,
    views: [View; 2],
    /// Each predicate before the command, as the active thread sees it.
    pub active: Vec<Lit>,
    /// The same for the passive thread.
    pub passive: Vec<Lit>,
    supports: FxHashMap<Lit, Rc<[Input]>>,
    samples: Samples,
}

impl<'a> Formulas<'a> {
    /// The formulas of the state before.
    pub fn new(relation: &'a Relation, predicates: &'a Predicates, budget: &'a Budget) -> Result<Self, Stop> {
        let views = [View::before(ACTIVE), View::before(PASSIVE)];
        let supports = FxHashMap::default();
        let circuits = Circuits::new();
        let mut formulas = Formulas {
            relation,
            predicates,
            budget,
            circuits,
            views,
            active: vec![],
            passive: vec![],
            supports,
            samples: Samples::new(&predicates.exprs),
        };
        let mut views = formulas.views.clone();
        formulas.active = formulas.truths(&mut views[0])?;
        formulas.passive = formulas.truths(&mut views[1])?;
        formulas.views = views;
        Ok(formulas)
    }

    /// The graph.
    pub fn aig(&self) -> &Aig {
        &self.circuits.aig
    }

    /// All formulas in states at random.
    pub fn samples(&mut self) -> &Samples {
        self.samples.extend(&self.circuits);
        &self.samples
    }

    /// The formulas around states.
    pub fn around<'b>(&'b self, facts: Lit, given: &'b [Lit], after: &'b [Lit]) -> Neighbourhood<'b> {
        Neighbourhood::new(&self.circuits, self.samples.numbers(), facts, given, after)
    }

    /// The conjunction of formulas.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        self.circuits.aig.and_all(lits.iter().copied())
    }

    /// That two formulas differ.
    pub fn differ(&mut self, a: Lit, b: Lit) -> Lit {
        self.circuits.aig.xor(a, b)
    }

    /// A relation between the active and the passive thread before the command.
    pub fn between(&mut self, pair: &PairPredicate, active_first: bool) -> Result<Lit, Stop> {
        let [left, right] = if active_first { [ACTIVE, PASSIVE] } else { [PASSIVE, ACTIVE] };
        let left = self.before(pair.left, left)?;
        let right = self.before(pair.right, right)?;
        Ok(compare(&mut self.circuits.aig, pair.compare, &left, &right))
    }

    /// That some formulas hold where another does.
    pub fn implied(&mut self, where_holds: Lit, lits: &[Lit]) -> Lit {
        let all = self.all(lits);
        self.circuits.aig.implies(where_holds, all)
    }

    /// The predicates at the start, where variables without an initial value have any.
    pub fn start(&mut self) -> Result<Vec<Lit>, Stop> {
        let bits = self.relation.exprs.pointer_bits();
        let values = self.relation.variables.enumerate().filter_map(|(variable, about)| {
            Some((variable, bv::constant(about.initial?, usize::from(about.ty.bits(bits)))))
        });
        self.truths(&mut View::with(ACTIVE, values.collect()))
    }

    /// The formulas of a command.
    pub fn command(&mut self, command: &Command) -> Result<Formed, Stop> {
        let guard = self.conjuncts(command.guard, ACTIVE)?;
        let others = match command.others {
            Some(condition) => self.conjuncts(condition, PASSIVE)?,
            None => vec![],
        };
        let (mut own, mut all) = (FxHashMap::default(), FxHashMap::default());
        for update in &command.updates {
            let word = self.value(update.value)?;
            if self.relation.variables[update.variable].home == Home::Shared {
                all.insert(update.variable, word.clone());
            }
            own.insert(update.variable, word);
        }
        let child = match &command.creates {
            Some(creation) => {
                let values = self.child(creation, all.clone())?;
                self.truths(&mut View::with(CHILD, values))?
            }
            None => vec![],
        };
        let active = self.truths(&mut View::with(ACTIVE, own))?;
        let passive = self.truths(&mut View::with(PASSIVE, all))?;
        Ok(Formed { guard, others, active, passive, child })
    }

    fn child(
        &mut self,
        creation: &Creation,
        mut values: FxHashMap<LocalId, Word>,
    ) -> Result<FxHashMap<LocalId, Word>, Stop> {
        for update in &creation.values {
            let word = self.value(update.value)?;
            values.insert(update.variable, word);
        }
        for (variable, about) in self.relation.variables.enumerate() {
            self.budget.spend(1)?;
            // Without an initial value it is an input that nobody else reads.
            if of_thread(self.relation, variable)
                && let Some(value) = about.initial
            {
                let bits = about.ty.bits(self.relation.exprs.pointer_bits());
                values.entry(variable).or_insert_with(|| bv::constant(value, usize::from(bits)));
            }
        }
        Ok(values)
    }

    /// Those of the formulas that are connected with the root by common inputs, directly or through others of
    /// them.
    pub fn connected(&mut self, root: Lit, lits: &[Lit]) -> Vec<bool> {
        let mut inputs: FxHashSet<Input> = self.support(root).iter().copied().collect();
        let mut connected = vec![false; lits.len()];
        loop {
            let mut grown = false;
            for (at, &lit) in lits.iter().enumerate() {
                let support = self.support(lit);
                if !connected[at] && support.iter().any(|it| inputs.contains(it)) {
                    connected[at] = true;
                    grown = true;
                    inputs.extend(support.iter().copied());
                }
            }
            if !grown {
                return connected;
            }
        }
    }

    /// Those of the formulas that have an input in common with one of the roots.
    pub fn near(&mut self, roots: &[Lit], lits: &[Lit]) -> Vec<bool> {
        let mut inputs: FxHashSet<Input> = FxHashSet::default();
        for &root in roots {
            inputs.extend(self.support(root).iter().copied());
        }
        lits.iter().map(|&lit| self.support(lit).iter().any(|it| inputs.contains(it))).collect()
    }

    fn support(&mut self, lit: Lit) -> Rc<[Input]> {
        let positive = lit.negate_if(lit.is_negated());
        let aig = &self.circuits.aig;
        Rc::clone(self.supports.entry(positive).or_insert_with(|| Rc::from(aig.support([positive]))))
    }

    fn value(&mut self, id: ExprId) -> Result<Word, Stop> {
        self.before(id, ACTIVE)
    }

    /// An expression in the state before.
    fn before(&mut self, id: ExprId, who: Who) -> Result<Word, Stop> {
        let mut view = std::mem::take(&mut self.views[usize::from(who)]);
        let word = self.word(&mut view, id);
        self.views[usize::from(who)] = view;
        word
    }

    fn word(&mut self, view: &mut View, id: ExprId) -> Result<Word, Stop> {
        let (relation, exprs, budget) = (self.relation, &self.predicates.exprs, self.budget);
        self.circuits.word(&mut Reading { relation, exprs, view, budget }, id)
    }

    fn truths(&mut self, view: &mut View) -> Result<Vec<Lit>, Stop> {
        let conditions = self.predicates.list.iter().map(|it| it.condition);
        let mut lits = vec![];
        for condition in conditions {
            lits.push(self.word(view, condition)?.first().copied().unwrap_or(Lit::FALSE));
        }
        Ok(lits)
    }

    /// A condition cut at its conjunctions, but not inside comparisons.
    fn conjuncts(&mut self, id: ExprId, who: Who) -> Result<Vec<Lit>, Stop> {
        let (mut found, mut stack) = (vec![], vec![id]);
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        while let Some(id) = stack.pop() {
            self.budget.spend(1)?;
            if !seen.insert(id) {
                continue;
            }
            if let Node::Binary(Binary::And, a, b) = self.predicates.exprs.node(id)
                && self.predicates.exprs.ty(id) == TRUTH
            {
                stack.extend([a, b]);
                continue;
            }
            let truth = self.before(id, who)?.first().copied().unwrap_or(Lit::FALSE);
            if truth != Lit::TRUE && !found.contains(&truth) {
                found.push(truth);
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}
