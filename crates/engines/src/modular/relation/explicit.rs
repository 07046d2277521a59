//! Sets of thread states one by one: pairs of an interned shared valuation and an interned local state.
//!
//! A change is listed by the shared valuation that it starts from, so that only thread states with the same
//! valuation are looked at.

use super::control::{CommandVariant, ThreadControl};
use super::saturate::{Sets, Stepped, ThreadStates};
use super::{Counters, Options};
use crate::bits;
use crate::command::Commands;
use crate::explore::NONE;
use crate::threads::micro::{Micro, Semantics};
use crate::threads::valuations::valuations;
use base::{Budget, Id, Stop};
use ir::bp::{ProcId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A shared valuation and a local state.
pub type ThreadStateNo = (u32, u32);

/// The thread states of a flat program.
pub struct ExplicitSets<'p> {
    /// How single steps are computed.
    pub semantics: Semantics<'p>,
    owner: bool,
    /// The bits of the owner bits among the locals.
    owners: Vec<u32>,
    /// The steps of thread states met so far.
    steps: FxHashMap<ThreadStateNo, Rc<[Micro]>>,
}

/// A step of some thread as the others see it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VisibleStep {
    from: u32,
    to: u32,
    /// The locks that the active thread holds before or after.
    busy: Vec<u32>,
    /// Where the step does something to passive threads: the thread state and the number of the step.
    passive: Option<(ThreadStateNo, usize)>,
}

impl<'p> ExplicitSets<'p> {
    /// Nothing known yet.
    pub fn new(program: &'p Program, commands: Commands, options: Options) -> Self {
        let mut owners = vec![0; bits::words(program.locals().len())];
        program.locks().iter().for_each(|lock| bits::set(&mut owners, lock.owner.index(), true));
        let semantics = Semantics::new(program, commands);
        Self { semantics, owner: options.owner, owners, steps: FxHashMap::default() }
    }

    fn steps(&mut self, state: ThreadStateNo, budget: &Budget) -> Result<Rc<[Micro]>, Stop> {
        if let Some(known) = self.steps.get(&state) {
            return Ok(known.clone());
        }
        let steps: Rc<[Micro]> = self.semantics.steps(state.0, state.1, budget)?.into();
        self.steps.insert(state, steps.clone());
        Ok(steps)
    }

    /// Whether a step is made in this way.
    fn fits(&self, micro: &Micro, way: CommandVariant) -> bool {
        let atomic = self.semantics.program.atomic_variable().zip(way.atomic);
        let side = atomic.is_none_or(|(variable, value)| {
            bits::get(self.semantics.shared.get(micro.shared), variable.index()) == value
        });
        micro.command == way.command && side && micro.passive.as_ref().is_none_or(|it| it.unconstrained)
    }

    fn locks_of(&self, local: u32) -> impl Iterator<Item = u32> {
        let values = if local == NONE { &[][..] } else { self.semantics.values(local) };
        values.iter().zip(&self.owners).map(|(value, owner)| value & owner)
    }
}

impl Sets for ExplicitSets<'_> {
    type Set = BTreeSet<ThreadStateNo>;
    type EnvironmentStep = BTreeSet<VisibleStep>;

    fn program(&self) -> &Program {
        self.semantics.program
    }

    fn commands(&self) -> &Commands {
        &self.semantics.commands
    }

    fn begin(
        &mut self,
        procedure: ProcId,
        shared: Option<&Self::Set>,
        budget: &Budget,
    ) -> Result<Self::Set, Stop> {
        let mut first = vec![];
        match shared {
            Some(set) => {
                for &(valuation, _) in set {
                    first.push(self.semantics.initialised(valuation)?);
                }
            }
            None => valuations(&mut self.semantics, budget, &mut |_, valuation| {
                first.push(valuation);
                Ok(())
            })?,
        }
        let fresh = self.semantics.fresh(procedure, budget)?;
        budget.spend((first.len() * fresh.len()) as u64)?;
        Ok(first.iter().flat_map(|&shared| fresh.iter().map(move |it| (shared, it.0))).collect())
    }

    fn step(
        &mut self,
        from: ThreadStates<'_, Self::Set>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<Stepped<Self::Set>>, Stop> {
        let (mut after, mut children) = (BTreeSet::new(), BTreeSet::new());
        for &state in from.set {
            budget.spend(1)?;
            for micro in self.steps(state, budget)?.iter().filter(|micro| self.fits(micro, way)) {
                after.insert((micro.shared, micro.local));
                children.extend(micro.child.iter().map(|child| (micro.shared, child.0)));
            }
        }
        let command = &self.semantics.commands.at(from.control.loc)[way.command];
        let child = command.child.as_ref().map(|child| (child.at, children));
        Ok((!after.is_empty()).then_some(Stepped { after, child }))
    }

    fn effect(
        &mut self,
        active: ThreadStates<'_, Self::Set>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<Self::EnvironmentStep>, Stop> {
        let mut changes = BTreeSet::new();
        for &state in active.set {
            budget.spend(1)?;
            for (number, micro) in self.steps(state, budget)?.iter().enumerate() {
                if self.fits(micro, way) {
                    let mut busy: Vec<u32> = self.locks_of(state.1).collect();
                    self.locks_of(micro.local).zip(&mut busy).for_each(|(more, busy)| *busy |= more);
                    let passive = micro.passive.as_ref().map(|_| (state, number));
                    changes.insert(VisibleStep { from: state.0, to: micro.shared, busy, passive });
                }
            }
        }
        Ok((!changes.is_empty()).then_some(changes))
    }

    fn react(
        &mut self,
        passive: ThreadStates<'_, Self::Set>,
        effect: &Self::EnvironmentStep,
        _stays: bool,
        budget: &Budget,
    ) -> Result<Option<Self::Set>, Stop> {
        let mut after = BTreeSet::new();
        for change in effect {
            for &(_, local) in passive.set.range((change.from, 0)..=(change.from, NONE)) {
                budget.spend(1)?;
                // Condition (2d): two threads never hold the same lock.
                if self.owner && self.locks_of(local).zip(&change.busy).any(|(held, busy)| held & busy != 0) {
                    continue;
                }
                let Some((state, number)) = change.passive else {
                    after.insert((change.to, local));
                    continue;
                };
                let step = self.steps(state, budget)?[number].passive.clone();
                let step = step.expect("the change does something to passive threads");
                let options = self.semantics.reaction(&step, local, budget)?.options;
                after.extend(options.into_iter().map(|it| (change.to, it.0)));
            }
        }
        Ok((!after.is_empty()).then_some(after))
    }

    fn unite(
        &mut self,
        _control: ThreadControl,
        old: Option<&Self::Set>,
        new: Self::Set,
        budget: &Budget,
    ) -> Result<Option<Self::Set>, Stop> {
        budget.spend(new.len() as u64)?;
        Ok(match old {
            None => (!new.is_empty()).then_some(new),
            Some(old) if new.is_subset(old) => None,
            Some(old) => Some(old.union(&new).copied().collect()),
        })
    }

    fn fails(&mut self, control: ThreadControl, set: &Self::Set, budget: &Budget) -> Result<bool, Stop> {
        budget.spend(set.len() as u64)?;
        let label = self.semantics.program.at(control.loc).error;
        Ok(label || set.iter().any(|&(shared, local)| self.semantics.fails(shared, local)))
    }

    fn count(&self, counters: &mut Counters) {
        counters.push(("thread states that step", self.steps.len() as u64));
    }
}
