//! The classes and tuples of a certificate: looks them over once, and finds them again.

use super::population::Population;
use crate::proof::Lit;
use crate::symbolic::exchange;
use crate::symbolic::stage::Stage;
use crate::symbolic::state::{Formula, SymbolicState};
use base::{Budget, Stop};
use check::enumerate::Choices;
use check::view_index::ViewIndex;
use check::{Refused, Rejected, reject};
use ir::bp::{LocalId, ProcId, Program};
use ir::certificate::graph::NodeId;
use ir::certificate::{ClassClosure, ClassTuple};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The widest closure that is looked at: a step is asked about once for each part of a tuple.
const MOST_WIDTH: u32 = 8;

/// The largest element that is looked at: each part of it that is no wider than the closure is asked about.
const MOST_THREADS: u64 = 32;

/// What finding out whether two threads can be exchanged may cost.
const LIMIT: u64 = 1_000_000;

/// Whether `init` runs, whether somebody is inside, and the classes of the threads.
type Name<'c> = (bool, bool, &'c [(usize, u32)]);

/// A certificate that is well formed.
pub struct ClassIndex<'c> {
    pub program: &'c Program,
    pub closure: &'c ClassClosure,
    pub view_index: ViewIndex<'c>,
    pub budget: &'c Budget,
    /// The most values kept at a control location.
    pub kept: usize,
    /// For each control location its class.
    class_of: Vec<Option<usize>>,
    /// For each class control locations that stand for all others where it is passive.
    passive: Vec<Vec<usize>>,
    formulas: HashMap<Name<'c>, NodeId>,
}

impl<'c> ClassIndex<'c> {
    /// Reads a certificate; an ill-formed one is rejected.
    pub fn new(
        view_index: ViewIndex<'c>,
        closure: &'c ClassClosure,
        budget: &'c Budget,
    ) -> Result<Self, Refused> {
        if !(1..=MOST_WIDTH).contains(&closure.width) {
            return Ok(reject(format!("the width is not between 1 and {MOST_WIDTH}"))?);
        }
        let (program, view) = (view_index.program, view_index.view);
        let (kept, class_of) = (view.most_kept(), vec![None; view.controls.len()]);
        let (passive, formulas) = (vec![], HashMap::new());
        let mut certificate =
            ClassIndex { program, closure, view_index, budget, kept, class_of, passive, formulas };
        for (index, class) in closure.classes.iter().enumerate() {
            budget.spend(1 + class.len() as u64)?;
            certificate
                .read_class(index, class)
                .map_err(|why| Rejected::new(format!("class {index}: {why}")))?;
        }
        for (index, element) in closure.basis.iter().enumerate() {
            let read = certificate.read_tuple(element, 0..=MOST_THREADS)?;
            read.map_err(|why| Rejected::new(format!("element {index}: {why}")))?;
        }
        for (index, tuple) in closure.tuples.iter().enumerate() {
            let read = certificate.read_tuple(tuple, 1..=u64::from(closure.width))?;
            read.map_err(|why| Rejected::new(format!("tuple {index}: {why}")))?;
            let name = (tuple.initialising, tuple.busy, &tuple.classes[..]);
            if certificate.formulas.insert(name, tuple.formula).is_some() {
                return Ok(reject(format!("tuple {index}: the same classes twice"))?);
            }
        }
        Ok(certificate)
    }

    fn read_class(&mut self, index: usize, class: &[usize]) -> Result<(), Rejected> {
        let controls = &self.view_index.view.controls;
        let Some(first) = class.first().and_then(|&first| controls.get(first)) else {
            return reject("no control locations, or no such control location");
        };
        for &at in class {
            let Some(control) = controls.get(at) else {
                return reject(format!("there is no control location {at}"));
            };
            if control.inside != first.inside || control.kept.len() != first.kept.len() {
                return reject("its control locations differ in the section or in how many values they keep");
            }
            if self.class_of[at].replace(index).is_some() {
                return reject(format!("control location {at} is in two classes"));
            }
        }
        // A passive thread is asked and updated by what it has in scope, what is dead there, and what is
        // kept.
        let mut seen: Vec<Looks<'_>> = vec![];
        let mut chosen = vec![];
        for &at in class {
            let looks = self.looks(at);
            if !seen.contains(&looks) {
                seen.push(looks);
                chosen.push(at);
            }
        }
        self.passive.push(chosen);
        Ok(())
    }

    fn looks(&self, at: usize) -> Looks<'_> {
        let location = |&loc| self.program.at(loc);
        let stack = self.view_index.view.controls[at].stack.iter().map(location);
        let scopes = stack.map(|it| (it.procedure, &it.active[..])).collect();
        let dead = &self.program.at(self.view_index.loc(at)).dead;
        (scopes, dead, self.view_index.slots(at).unwrap_or_default())
    }

    fn read_tuple(
        &self,
        tuple: &ClassTuple,
        threads: RangeInclusive<u64>,
    ) -> Result<Result<(), Rejected>, Stop> {
        self.budget.spend(1 + tuple.classes.len() as u64)?;
        if !tuple.classes.is_sorted_by(|a, b| a.0 < b.0) {
            return Ok(reject("the classes are not in order"));
        }
        if !tuple.classes.iter().all(|&(class, n)| class < self.closure.classes.len() && n > 0) {
            return Ok(reject("no such class, or no thread in it"));
        }
        if !threads.contains(&tuple.classes.iter().map(|it| u64::from(it.1)).sum()) {
            return Ok(reject("too few or too many threads"));
        }
        let formula = self.formula(tuple.formula);
        self.state_of(tuple, || ()).reads(formula, self.kept, self.budget)
    }

    /// The threads of a tuple, whatever its formula says, with these values; numbers of classes where it has
    /// control locations.
    pub fn state_of<V>(&self, tuple: &ClassTuple, mut value: impl FnMut() -> V) -> SymbolicState<V> {
        let shared = self.view_index.view.shared.iter().map(|_| value()).collect();
        let classes = tuple.classes.iter().flat_map(|&(class, n)| (0..n).map(move |_| class));
        let threads = classes.map(|class| (class, (0..self.kept_in(class)).map(|_| value()).collect()));
        SymbolicState { initialising: tuple.initialising, shared, threads: threads.collect() }
    }

    /// How many values are kept of a thread in a class.
    pub fn kept_in(&self, class: usize) -> usize {
        self.view_index.view.controls[self.closure.classes[class][0]].kept.len()
    }

    /// Whether threads of a class are inside an atomic section.
    pub fn is_inside(&self, class: usize) -> bool {
        self.view_index.view.controls[self.closure.classes[class][0]].inside
    }

    /// The class of a control location.
    pub fn class_of(&self, control: usize) -> Option<usize> {
        self.class_of[control]
    }

    /// All choices of where the threads of a population stand, as far as that makes a difference to how they
    /// react; one where they do not.
    pub fn placements(&self, others: &Population, notified: bool) -> Choices {
        let size = |class: usize| if notified { self.passive[class].len() } else { 1 };
        Choices::new(others.state.threads.iter().map(|it| size(it.0)).collect())
    }

    /// The threads of a population at the control locations of such a choice.
    pub fn placed<'a>(&self, others: &'a Population, chosen: &[usize]) -> Vec<(usize, &'a [Lit])> {
        let threads = others.state.threads.iter().zip(chosen);
        threads.map(|((class, values), &at)| (self.passive[*class][at], &values[..])).collect()
    }

    /// A solver for a question.
    pub fn stage(&self) -> Stage<'c, '_> {
        Stage::new(self.program, &self.view_index, self.budget)
    }

    /// Whether the threads in a position of a tuple and the one before can be exchanged; `None` if that is
    /// too hard to see.
    pub fn exchangeable(&self, formula: NodeId, position: usize) -> Result<Option<bool>, Stop> {
        let (shared, kept) = (self.view_index.view.shared.len(), self.kept);
        let partner = |number: u32| {
            let Some(index) = (number as usize).checked_sub(shared) else { return number };
            // An input of a formula that was looked over is one of a position, so that positions keep
            // something.
            match index / kept {
                it if it + 1 == position => number + kept as u32,
                it if it == position => number - kept as u32,
                _ => number,
            }
        };
        let limit = self.budget.part(LIMIT);
        let found = exchange::keeps(self.formula(formula), partner, &limit)?;
        // If it is the whole budget that has ended, this says so.
        self.budget.spend(0)?;
        Ok(found)
    }

    /// A formula of the certificate.
    pub fn formula(&self, root: NodeId) -> Formula<'c> {
        Formula { graph: &self.closure.graph, root }
    }

    /// What the certificate says of threads in these classes; false if it does not list them.
    pub fn formula_of(&self, initialising: bool, busy: bool, classes: &[(usize, u32)]) -> Formula<'c> {
        let listed = self.formulas.get(&(initialising, busy, classes)).copied();
        self.formula(listed.unwrap_or(NodeId::FALSE))
    }
}

/// What a control location has in scope at each depth, what is dead there, and what is kept.
type Looks<'a> = (Vec<(ProcId, &'a [ProcId])>, &'a [LocalId], &'a [usize]);
