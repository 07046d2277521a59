//! The steps of one thread on sets: images of S × L under the commands, split into products again (Basler et
//! al., CAV 2009, section 6.2; the split is the corrected one).
//!
//! An invisible transition is merged with the one before it. On the way the set may relate shared and local
//! variables as it likes; only where the step ends it is split, so that no such set is ever stored. A thread
//! that is blocked on the way, inside its atomic section, leads nowhere: what fails there must be stored
//! before, be it the thread itself or the child that it has created.

mod products;

use super::group::{Control, ThreadGroup};
use crate::command::{Commands, Section};
use crate::encoding::{Encoding, EncodingPlan, Step};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, Program};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Product};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of thread states, shared variables included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joint {
    /// All pairs of a shared valuation and a local state.
    Product(Product),
    /// Any relation between the two.
    Mixed(Bdd),
}

/// What a step of a thread may lead to; a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SymbolicOutcome {
    /// The shared valuations.
    pub shared: Bdd,
    /// The thread, unless it ended.
    pub local: Option<(Control, Bdd)>,
    /// The thread that it created.
    pub child: Option<(Control, Bdd)>,
}

/// The outcomes of a thread, those of broadcasts and of conditions over passive threads aside.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The outcomes.
    pub list: Rc<[SymbolicOutcome]>,
    /// Whether the bound refused a thread.
    pub refused: bool,
}

/// A set on the way through invisible transitions; those with a lower rank are left first.
pub type Pending = BTreeMap<(u32, Control), Joint>;

/// The memory of the steps computed so far.
#[derive(Debug)]
pub struct SymbolicThreads<'p> {
    /// The encoded program.
    pub encoding: Encoding<'p>,
    /// Images computed, images looked up, images split, their products.
    pub counts: [u64; 4],
    /// Collect garbage at every occasion, not only where that pays: to find functions that nobody holds.
    pub collects_always: bool,
    /// For each location with an invisible transition its rank in an order that follows control, the last
    /// rank for all others.
    ranks: Vec<u32>,
    memory: FxHashMap<(Bdd, Control, Bdd, bool), Outcomes>,
}

/// The rank of a location whose transitions are not merged.
const STOPS: u32 = u32::MAX;

impl<'p> SymbolicThreads<'p> {
    /// Encodes a program. With `merging` invisible transitions are merged with those before them.
    pub fn new(
        program: &'p Program,
        commands: Commands,
        plan: EncodingPlan,
        merging: bool,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let ranks = ranks(program, |loc| merging && crate::threads::is_merged(program, &commands, loc));
        let encoding = Encoding::new(program, commands, plan, budget)?;
        let memory = FxHashMap::default();
        Ok(Self { encoding, counts: [0; 4], collects_always: false, ranks, memory })
    }

    /// Whether the transitions from the location are merged with those that lead there.
    pub fn is_merged(&self, loc: Loc) -> bool {
        self.ranks[loc.index()] != STOPS
    }

    /// Forgets all steps computed so far.
    pub fn forget(&mut self) {
        self.memory.clear();
        self.encoding.forget();
    }

    /// Collects garbage where that pays, and says whether it did. The roots are all functions that are still
    /// needed.
    pub fn collect<R: Iterator<Item = Bdd>>(&mut self, roots: impl FnOnce() -> R) -> bool {
        let wanted = self.collects_always || self.encoding.manager.wants_collection();
        if wanted {
            self.forget();
            self.encoding.manager.collect(roots());
        }
        wanted
    }

    /// What a thread may do; at the bound (`full`) it creates no other.
    pub fn outcomes(
        &mut self,
        shared: Bdd,
        group: &ThreadGroup,
        full: bool,
        budget: &Budget,
    ) -> Result<Outcomes, Stop> {
        let ThreadGroup { at, set: local, .. } = *group;
        let key = (shared, at, local, full);
        if let Some(known) = self.memory.get(&key) {
            self.counts[1] += 1;
            return Ok(known.clone());
        }
        let start = Joint::Product(Product { shared, local });
        let (mut list, mut pending, mut refused) = (vec![], Pending::new(), false);
        for step in self.encoding.steps(at.loc()).to_vec() {
            if step.is_passive {
                continue;
            }
            let child = step.child.filter(|_| !full);
            let after = match child {
                Some(child) => self.image_by(&step, child.relation, start, budget)?,
                None => self.image(&step, start, budget)?,
            };
            refused |= step.child.is_some() && full && !after.is_empty();
            match (step.to, child) {
                (None, _) => self.finish(after, None, None, budget, &mut list)?,
                (Some(_), Some(child)) => {
                    let mut own = Pending::new();
                    self.arrive(&step, at, after, &mut own, budget)?;
                    self.run(own, Some(Control::new(child.at, false)), budget, &mut list)?;
                }
                (Some(_), None) => self.arrive(&step, at, after, &mut pending, budget)?,
            }
        }
        self.run(pending, None, budget, &mut list)?;
        let outcomes = Outcomes { list: list.into(), refused };
        self.memory.insert(key, outcomes.clone());
        Ok(outcomes)
    }

    /// The set after one command.
    pub fn image(&mut self, step: &Step, before: Joint, budget: &Budget) -> Result<Joint, Stop> {
        self.counts[0] += 1;
        match before {
            Joint::Product(product) if !step.touches_shared && step.to.is_some() => {
                let local = self.encoding.image(step, product.local, budget)?;
                Ok(Joint::Product(Product { local, ..product }))
            }
            before => self.image_by(step, step.relation, before, budget),
        }
    }

    fn image_by(
        &mut self,
        step: &Step,
        relation: Bdd,
        before: Joint,
        budget: &Budget,
    ) -> Result<Joint, Stop> {
        let before = self.mixed(before, budget)?;
        Ok(Joint::Mixed(self.encoding.image_by(step, relation, before, budget)?))
    }

    /// The set as one function.
    pub fn mixed(&mut self, joint: Joint, budget: &Budget) -> Result<Bdd, Stop> {
        match joint {
            Joint::Product(product) => self.encoding.manager.and(product.shared, product.local, budget),
            Joint::Mixed(set) => Ok(set),
        }
    }

    /// Adds a set to those where its thread arrives, on the right side of the atomic section.
    pub fn arrive(
        &mut self,
        step: &Step,
        from: Control,
        set: Joint,
        pending: &mut Pending,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let to = step.to.expect("only steps that go on arrive");
        for (inside, set) in self.sides(step.section, from.inside(), set, budget)? {
            self.put(pending, Control::new(to, inside), set, budget)?;
        }
        Ok(())
    }

    fn sides(
        &mut self,
        section: Section,
        inside: bool,
        set: Joint,
        budget: &Budget,
    ) -> Result<Vec<(bool, Joint)>, Stop> {
        if let Some(inside) = section.side(inside) {
            return Ok(vec![(inside, set)]);
        }
        let mixed = self.mixed(set, budget)?;
        let sides = self.encoding.sides(section, inside, mixed, budget)?;
        Ok(sides.into_iter().map(|(inside, set)| (inside, Joint::Mixed(set))).collect())
    }

    fn put(&mut self, pending: &mut Pending, at: Control, set: Joint, budget: &Budget) -> Result<(), Stop> {
        if set.is_empty() {
            return Ok(());
        }
        let key = (self.ranks[at.loc().index()], at);
        let joined = match (pending.get(&key).copied(), set) {
            (None, set) => set,
            (Some(Joint::Product(a)), Joint::Product(b)) if a.shared == b.shared => {
                let local = self.encoding.manager.or(a.local, b.local, budget)?;
                Joint::Product(Product { local, ..a })
            }
            (Some(a), b) => {
                let (a, b) = (self.mixed(a, budget)?, self.mixed(b, budget)?);
                Joint::Mixed(self.encoding.manager.or(a, b, budget)?)
            }
        };
        pending.insert(key, joined);
        Ok(())
    }

    /// Follows invisible transitions and adds the outcomes. `child` says where the thread begins whose locals
    /// are in the sets.
    pub fn run(
        &mut self,
        mut pending: Pending,
        child: Option<Control>,
        budget: &Budget,
        list: &mut Vec<SymbolicOutcome>,
    ) -> Result<(), Stop> {
        // A child that is born at an error label fails at once, whether or not its creator gets through to
        // where it would stop.
        let born_in_error = child.is_some_and(|child| self.encoding.program.at(child.loc()).error);
        while let Some(((rank, at), set)) = pending.pop_first() {
            if rank == STOPS || born_in_error || self.encoding.program.at(at.loc()).error {
                self.finish(set, Some(at), child, budget, list)?;
                continue;
            }
            let (failing, rest) = self.failing(at, set, budget)?;
            self.finish(failing, Some(at), child, budget, list)?;
            self.advance(at, rest, &mut pending, budget)?;
        }
        Ok(())
    }

    /// The part of a set in which the thread violates its assertion, and the rest.
    pub fn failing(&mut self, at: Control, set: Joint, budget: &Budget) -> Result<(Joint, Joint), Stop> {
        let fails = self.encoding.failing(at.loc());
        if fails.is_false() {
            return Ok((Joint::Mixed(Bdd::FALSE), set));
        }
        let all = self.mixed(set, budget)?;
        let failing = self.encoding.manager.and(all, fails, budget)?;
        let rest = if failing.is_false() {
            set
        } else {
            Joint::Mixed(self.encoding.manager.diff(all, fails, budget)?)
        };
        Ok((Joint::Mixed(failing), rest))
    }

    /// Follows one invisible transition.
    pub fn advance(
        &mut self,
        at: Control,
        set: Joint,
        pending: &mut Pending,
        budget: &Budget,
    ) -> Result<(), Stop> {
        for step in self.encoding.steps(at.loc()).to_vec() {
            let after = self.image(&step, set, budget)?;
            self.arrive(&step, at, after, pending, budget)?;
        }
        Ok(())
    }
}

impl Joint {
    /// Whether there is nothing in the set; both parts of a product are empty together.
    pub fn is_empty(&self) -> bool {
        match self {
            Joint::Product(product) => product.shared.is_false() || product.local.is_false(),
            Joint::Mixed(set) => set.is_false(),
        }
    }
}

/// The ranks of the locations whose transitions are merged, in an order that follows control.
fn ranks(program: &Program, is_merged: impl Fn(Loc) -> bool) -> Vec<u32> {
    let count = program.locations().len();
    let (mut ranks, mut seen, mut finished) = (vec![STOPS; count], vec![false; count], vec![]);
    for root in program.locations().ids().filter(|&loc| is_merged(loc)) {
        let mut stack = vec![(root, false)];
        while let Some((loc, done)) = stack.pop() {
            if done {
                finished.push(loc);
            } else if !std::mem::replace(&mut seen[loc.index()], true) {
                stack.push((loc, true));
                stack.extend(
                    program.successors(loc).into_iter().filter(|&to| is_merged(to)).map(|to| (to, false)),
                );
            }
        }
    }
    for (rank, loc) in (0..).zip(finished.into_iter().rev()) {
        ranks[loc.index()] = rank;
    }
    ranks
}
