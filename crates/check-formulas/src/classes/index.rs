//! The classes and tuples of a certificate: looks them over once, and finds them again.

use super::population::Population;
use crate::symbolic::cnf::Lit;
use crate::symbolic::exchange;
use crate::symbolic::stage::Stage;
use crate::symbolic::state::SymbolicState;
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
    /// The most values kept at a point.
    pub kept: usize,
    /// For each point its class.
    class_of: Vec<Option<usize>>,
    /// For each class points that stand for all others where a thread is passive.
    passive: Vec<Vec<usize>>,
    formulas: HashMap<Name<'c>, NodeId>,
}

impl<'c> ClassIndex<'c> {
    /// Reads a certificate; an ill-formed one is rejected.
    pub fn new(program: &'c Program, closure: &'c ClassClosure, budget: &'c Budget) -> Result<Self, Refused> {
        if !(1..=MOST_WIDTH).contains(&closure.width) {
            return Ok(reject(format!("the width is not between 1 and {MOST_WIDTH}"))?);
        }
        let view_index = ViewIndex::new(program, &closure.view, budget)?;
        let kept = closure.view.points.iter().map(|point| point.kept.len()).max().unwrap_or(0);
        let class_of = vec![None; closure.view.points.len()];
        let (passive, formulas) = (vec![], HashMap::new());
        let mut certificate =
            ClassIndex { program, closure, view_index, budget, kept, class_of, passive, formulas };
        for (index, class) in closure.classes.iter().enumerate() {
            budget.spend(1 + class.len() as u64)?;
            certificate.read_class(index, class).map_err(|why| Rejected(format!("class {index}: {why}")))?;
        }
        for (index, element) in closure.blocked.iter().enumerate() {
            let read = certificate.read_tuple(element, 0..=MOST_THREADS)?;
            read.map_err(|why| Rejected(format!("element {index}: {why}")))?;
        }
        for (index, tuple) in closure.tuples.iter().enumerate() {
            let read = certificate.read_tuple(tuple, 1..=u64::from(closure.width))?;
            read.map_err(|why| Rejected(format!("tuple {index}: {why}")))?;
            let name = (tuple.initialising, tuple.busy, &tuple.classes[..]);
            if certificate.formulas.insert(name, tuple.formula).is_some() {
                return Ok(reject(format!("tuple {index}: the same classes twice"))?);
            }
        }
        Ok(certificate)
    }

    fn read_class(&mut self, index: usize, class: &[usize]) -> Result<(), Rejected> {
        let points = &self.closure.view.points;
        let Some(first) = class.first().and_then(|&first| points.get(first)) else {
            return reject("no points, or no such point");
        };
        for &at in class {
            let Some(point) = points.get(at) else { return reject(format!("there is no point {at}")) };
            if point.inside != first.inside || point.kept.len() != first.kept.len() {
                return reject("its points differ in the section or in how many values they keep");
            }
            if self.class_of[at].replace(index).is_some() {
                return reject(format!("point {at} is in two classes"));
            }
        }
        // A thread that is passive is asked and updated by what it has in scope, what is dead there, and what is kept.
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
        let stack = self.closure.view.points[at].stack.iter().map(location);
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
        let formula = (&self.closure.graph, tuple.formula);
        self.places(tuple, || ()).reads(formula, self.kept, self.budget)
    }

    /// The threads of a tuple, whatever its formula says, with these values; numbers of classes in the place of points.
    pub fn places<V>(&self, tuple: &ClassTuple, mut value: impl FnMut() -> V) -> SymbolicState<V> {
        let shared = self.closure.view.shared.iter().map(|_| value()).collect();
        let classes = tuple.classes.iter().flat_map(|&(class, n)| (0..n).map(move |_| class));
        let threads = classes.map(|class| (class, (0..self.kept_in(class)).map(|_| value()).collect()));
        SymbolicState { initialising: tuple.initialising, shared, threads: threads.collect() }
    }

    /// How many values are kept of a thread in a class.
    pub fn kept_in(&self, class: usize) -> usize {
        self.closure.view.points[self.closure.classes[class][0]].kept.len()
    }

    /// Whether threads of a class are inside an atomic section.
    pub fn is_inside(&self, class: usize) -> bool {
        self.closure.view.points[self.closure.classes[class][0]].inside
    }

    /// The class of a point.
    pub fn class_of(&self, point: usize) -> Option<usize> {
        self.class_of[point]
    }

    /// All choices of where the threads of a population stand, as far as that makes a difference to what they are told; one where they are
    /// not told anything.
    pub fn viewpoints(&self, others: &Population, told: bool) -> Choices {
        let size = |class: usize| if told { self.passive[class].len() } else { 1 };
        Choices::new(others.places.threads.iter().map(|it| size(it.0)).collect())
    }

    /// The threads of a population at the points of such a choice.
    pub fn placed<'a>(&self, others: &'a Population, chosen: &[usize]) -> Vec<(usize, &'a [Lit])> {
        let threads = others.places.threads.iter().zip(chosen);
        threads.map(|((class, values), &at)| (self.passive[*class][at], &values[..])).collect()
    }

    /// A solver for a question.
    pub fn stage(&self) -> Stage<'c, '_> {
        Stage::new(self.program, &self.view_index, self.budget)
    }

    /// Whether the threads in a place of a tuple and the one before can be exchanged; `None` if that is too hard to see.
    pub fn exchangeable(&self, formula: NodeId, place: usize) -> Result<Option<bool>, Stop> {
        let (shared, kept) = (self.closure.view.shared.len(), self.kept);
        let partner = |number: u32| {
            let Some(index) = (number as usize).checked_sub(shared) else { return number };
            // An input of a formula that was looked over is one of a place, so that places keep something.
            match index / kept {
                it if it + 1 == place => number + kept as u32,
                it if it == place => number - kept as u32,
                _ => number,
            }
        };
        let limit = self.budget.part(LIMIT);
        let found = exchange::keeps((&self.closure.graph, formula), partner, &limit)?;
        // If it is the whole budget that has ended, this says so.
        self.budget.spend(0)?;
        Ok(found)
    }

    /// What the certificate says of threads in these classes; false if it does not list them.
    pub fn formula(&self, initialising: bool, busy: bool, classes: &[(usize, u32)]) -> NodeId {
        self.formulas.get(&(initialising, busy, classes)).copied().unwrap_or(NodeId::FALSE)
    }
}

/// What a point has in scope at each depth, what is dead there, and what is kept.
type Looks<'a> = (Vec<(ProcId, &'a [ProcId])>, &'a [LocalId], &'a [usize]);
