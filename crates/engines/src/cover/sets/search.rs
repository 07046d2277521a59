//! The search backward from the errors, on sets of elements. What is new with the fewest threads is popped
//! first; its minimal predecessors lose what the closure rules out and what lies above elements that are
//! there already.

use super::elements::{BackwardStep, Elements, Name, Stage};
use super::start::SetStart;
use crate::closure::diagrams::sets::{class_of, is_inside};
use crate::closure::diagrams::transitions::{Transition, Transitions};
use crate::closure::diagrams::{Closed, TupleKey};
use crate::closure::tuples::Tuple;
use crate::encoding::Slot;
use base::{Event, Events, Progress, Stop};
use ir::bp::Op;
use solve::bdd::Bdd;
use std::rc::Rc;

/// How a search ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// No start lies above an element.
    Closed,
    /// A start lies above an element of this part.
    Start(u32),
    /// An element has more threads than the capacity.
    Full,
}

/// What is the same for all threads of an element.
#[derive(Clone, Copy)]
pub(super) struct ElementFlags {
    /// Whether `init` runs.
    pub initialising: bool,
    /// Whether somebody is inside an atomic section.
    pub busy: bool,
}

impl ElementFlags {
    /// The threads at these controls, as the closure names them.
    fn key(self, controls: &[u32]) -> TupleKey {
        let tuple: Tuple = controls.iter().copied().collect();
        TupleKey { initialising: self.initialising, busy: self.busy, tuple }
    }
}

/// A thread of an element that is not in order yet: its control, and where its locals are.
pub(super) type SetMember = (u32, usize);

/// What the search works with.
pub struct SetSearch<'a, 'p> {
    /// The program and its decision diagrams.
    pub stage: Stage<'a, 'p>,
    /// What is reachable at most.
    pub closed: &'a Closed,
    /// How the program starts.
    pub start: SetStart,
    /// The steps of threads.
    pub transitions: Transitions,
    /// The elements from which an error can be reached.
    pub elements: Elements,
    /// What it took.
    pub counters: Counters,
    /// The most threads of an element.
    pub most: usize,
    /// The width of the closure.
    pub width: usize,
    pub(super) end: Option<End>,
    /// For each class the classes that control comes from.
    pub(super) into: Vec<Vec<u32>>,
    /// For each class those in which threads are created that begin there.
    pub(super) creators: Vec<Vec<u32>>,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Pre-images computed.
    pub preimages: u64,
    /// Sets that the closure ruled out as a whole.
    pub pruned: u64,
    /// The most threads of an element met.
    pub threads: u64,
}

impl<'a, 'p> SetSearch<'a, 'p> {
    /// A search for elements of at most this many threads, with a closure; the program was encoded for as
    /// many.
    pub fn new(mut stage: Stage<'a, 'p>, closed: &'a Closed, most: usize) -> Result<Self, Stop> {
        let start = SetStart::new(&mut stage, &closed.classes)?;
        let program = stage.encoding.program;
        let mut into = vec![vec![]; closed.classes.len()];
        let mut creators = into.clone();
        for loc in program.locations().ids() {
            let class = closed.classes.of(loc);
            for step in stage.encoding.steps(loc) {
                let lists = [(&mut into, step.to), (&mut creators, step.child.map(|child| child.at))];
                for (lists, at) in lists {
                    let Some(at) = at else { continue };
                    let list = &mut lists[closed.classes.of(at) as usize];
                    if list.last() != Some(&class) {
                        list.push(class);
                    }
                }
            }
        }
        let (transitions, elements, counters) =
            (Transitions::new(most), Elements::default(), Counters::default());
        Ok(Self {
            stage,
            closed,
            start,
            transitions,
            elements,
            counters,
            most,
            width: closed.width,
            end: None,
            into,
            creators,
        })
    }

    /// Searches until nothing new comes, or a start is found.
    pub fn run(&mut self, events: &mut dyn Events) -> Result<End, Stop> {
        self.errors()?;
        while self.end.is_none() {
            self.collect(&[]);
            let Some(layer) = self.elements.take(&mut self.stage)? else { return Ok(End::Closed) };
            self.expand(layer)?;
            if (layer + 1).is_multiple_of(1 << 8) {
                let [sets, _, popped, waiting] = self.elements.sizes();
                events.emit(Event::Progress(Progress::ElementSets { sets, popped, waiting }));
            }
        }
        Ok(self.end.expect("the loop ends with it"))
    }

    /// The sets with an element that lies above no smaller one, in the order of discovery.
    pub fn basis(&mut self) -> Result<Vec<(Name, Bdd)>, Stop> {
        let all: Vec<(Name, Bdd)> = self.elements.iter().map(|(name, set)| (name.clone(), set)).collect();
        let mut kept = vec![];
        for (name, set) in all {
            if !self.elements.uncovered(&mut self.stage, &name, set, true)?.is_false() {
                kept.push((name, set));
            }
        }
        Ok(kept)
    }

    /// Collects garbage where that pays; `held` are further functions that are still needed.
    pub(super) fn collect(&mut self, held: &[Bdd]) {
        if self.stage.encoding.manager.wants_collection() {
            self.stage.encoding.forget();
            let closed = self.closed.sets.roots().chain(self.transitions.roots());
            let own = self.elements.roots().chain(self.start.roots()).chain(held.iter().copied());
            self.stage.encoding.manager.collect(closed.chain(own));
        }
    }

    /// The errors of the closure: single threads at an error label, or at an assertion that they may violate.
    fn errors(&mut self) -> Result<(), Stop> {
        for (key, set) in self.closed.sets.iter() {
            let [at] = *key.tuple.as_slice() else { continue };
            let loc = self.closed.classes.members(class_of(at))[0];
            let location = self.stage.encoding.program.at(loc);
            let (label, asserts) = (location.error, matches!(location.op, Op::Assert(_)));
            let mut failing = Bdd::constant(label);
            if !label && asserts && key.may_step(at) {
                let encoding = &mut *self.stage.encoding;
                let map = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Member(0));
                failing = encoding.manager.rename(encoding.failing(loc), map, self.stage.budget)?;
            }
            let name = Name { initialising: key.initialising, busy: key.busy, controls: vec![at] };
            if !self.stage.encoding.manager.disjoint(failing, set, self.stage.budget)? {
                self.add(&name, failing, None)?;
            }
        }
        Ok(())
    }

    pub(super) fn transitions_of(&mut self, (at, slot): SetMember) -> Result<Rc<[Transition]>, Stop> {
        self.transitions.of(self.stage.encoding, &self.closed.classes, class_of(at), slot, self.stage.budget)
    }

    /// Whether as many of the threads as the closure is wide are somewhere in it together, whichever they
    /// are.
    pub(super) fn may_meet(&self, flags: ElementFlags, threads: &[SetMember]) -> bool {
        let controls: Vec<u32> = threads.iter().map(|it| it.0).collect();
        let mut chosen = (0..controls.len().min(self.width)).collect::<Vec<usize>>();
        loop {
            let part: Vec<u32> = chosen.iter().map(|&at| controls[at]).collect();
            if self.closed.sets.find(&flags.key(&part)).is_none() {
                return false;
            }
            if !next_choice(&mut chosen, controls.len()) {
                return true;
            }
        }
    }

    /// Adds the elements that may be reachable and lie above none that is there. The thread at a position has
    /// moved; the others are interchangeable already.
    pub(super) fn meet(
        &mut self,
        flags: ElementFlags,
        threads: &[SetMember],
        active: usize,
        set: Bdd,
        via: BackwardStep,
    ) -> Result<(), Stop> {
        if set.is_false() || self.end.is_some() {
            return Ok(());
        }
        let moved = threads[active];
        let mut sorted = threads.to_vec();
        sorted.sort_unstable_by_key(|&thread| (thread.0, thread == moved, thread.1));
        let ElementFlags { initialising, busy } = flags;
        let name = Name { initialising, busy, controls: sorted.iter().map(|it| it.0).collect() };
        let set = self.stage.slots.sorted(self.stage.encoding, set, &sorted, self.stage.budget)?;
        let possible = self.possible(&name, set)?;
        if possible.is_false() {
            self.counters.pruned += 1;
            return Ok(());
        }
        let new = self.elements.uncovered(&mut self.stage, &name, possible, false)?;
        if new.is_false() {
            return Ok(());
        }
        let set = self.stage.simpler(set, new);
        if threads.len() > self.most {
            self.end = Some(End::Full);
            return Ok(());
        }
        let last = sorted.iter().position(|&it| it == moved).expect("it is one of them");
        let first = name.controls.partition_point(|&at| at < moved.0);
        let Stage { encoding, slots, budget } = &mut self.stage;
        let set = slots.exchanged(encoding, set, last, first..last, budget)?;
        self.add(&name, set, Some(via))
    }

    fn add(&mut self, name: &Name, set: Bdd, via: Option<BackwardStep>) -> Result<(), Stop> {
        if set.is_false() {
            return Ok(());
        }
        self.counters.threads = self.counters.threads.max(name.controls.len() as u64);
        let part = self.elements.add(&mut self.stage, name, set, via)?;
        if self.end.is_none() && !self.start.among(&mut self.stage, name, set)?.is_false() {
            self.end = Some(End::Start(part));
        }
        Ok(())
    }

    /// The elements of which the closure has as many threads together as it is wide, whichever they are.
    fn possible(&mut self, name: &Name, mut set: Bdd) -> Result<Bdd, Stop> {
        let mut chosen = (0..name.controls.len().min(self.width)).collect::<Vec<usize>>();
        while !set.is_false() {
            let part: Vec<u32> = chosen.iter().map(|&at| name.controls[at]).collect();
            let part = ElementFlags { initialising: name.initialising, busy: name.busy }.key(&part);
            let Some(number) = self.closed.sets.find(&part) else { return Ok(Bdd::FALSE) };
            let moves: Vec<(usize, usize)> = (0..).zip(chosen.iter().copied()).collect();
            let Stage { encoding, slots, budget } = &mut self.stage;
            let all = slots.arrange(encoding, self.closed.sets.all(number), &moves, budget)?;
            set = encoding.manager.and(set, all, budget)?;
            if !next_choice(&mut chosen, name.controls.len()) {
                break;
            }
        }
        Ok(set)
    }

    /// The controls at which the closure has single threads, in an element with these flags, at one side of
    /// the section.
    pub(super) fn singles(&self, flags: ElementFlags) -> Vec<u32> {
        let all = self.closed.sets.singles(&flags.key(&[])).iter().copied();
        all.filter(|&at| is_inside(at) == flags.busy).collect()
    }
}

/// The next choice of as many of `count` things, in order; false after the last.
fn next_choice(chosen: &mut [usize], count: usize) -> bool {
    let len = chosen.len();
    let Some(at) = (0..len).rev().find(|&at| chosen[at] + len < count + at) else { return false };
    let next = chosen[at] + 1;
    for (control, later) in chosen[at..].iter_mut().enumerate() {
        *later = next + control;
    }
    true
}
