//! Flat programs as systems. The shared state is the valuation of the shared variables with one more bit:
//! somebody is inside an atomic section. A thread may step if the bit is 0 or the thread itself is inside.

use super::system::{Group, Pool, Rules, Start};
use crate::command::Commands;
use crate::explore::NONE;
use crate::facts::Words;
use crate::threads::{INSIDE, Threads, valuations};
use base::{Budget, Stop};
use ir::bp::{Count, ProcId, Program};

/// A program and the thread states met.
#[derive(Debug)]
pub struct Programs<'p> {
    /// The steps of its threads.
    pub threads: Threads<'p>,
}

/// The number of a shared state: a valuation, and whether somebody is inside.
pub fn shared_state(valuation: u32, inside: bool) -> u32 {
    valuation << 1 | u32::from(inside)
}

/// The valuation of a shared state.
pub fn valuation(shared: u32) -> u32 {
    shared >> 1
}

/// Whether somebody is inside.
pub fn is_inside(shared: u32) -> bool {
    shared & 1 == 1
}

impl<'p> Programs<'p> {
    /// A flat program. With `merging` invisible transitions are merged with those before them.
    pub fn new(program: &'p Program, commands: Commands, merging: bool) -> Self {
        Self { threads: Threads::new(program, commands, merging) }
    }

    /// How the program starts.
    pub fn start(&mut self, budget: &Budget) -> Result<Start, Stop> {
        let mut shared = vec![];
        valuations::valuations(&mut self.threads.semantics, budget, &mut |_, valuation| {
            shared.push(shared_state(valuation, false));
            Ok(())
        })?;
        let program = self.threads.semantics.program;
        let mut later = vec![];
        for (procedure, least, most) in counts(program) {
            later.push(Pool { locals: self.fresh(procedure, budget)?, least, most });
        }
        Ok(match program.start().init {
            None => Start { shared, first: later, later: vec![] },
            Some(init) => {
                let locals = self.fresh(init, budget)?;
                Start { shared, first: vec![Pool { locals, least: 1, most: Some(1) }], later }
            }
        })
    }

    fn fresh(&mut self, procedure: ProcId, budget: &Budget) -> Result<Vec<u32>, Stop> {
        let fresh = self.threads.semantics.fresh(procedure, budget)?;
        let mut locals: Vec<u32> = fresh.iter().map(|it| it.0).collect();
        locals.sort_unstable();
        locals.dedup();
        Ok(locals)
    }

    /// A shared state in words: whether somebody is inside, then the valuation.
    pub fn shared_words(&self, shared: u32) -> Words {
        let values = self.threads.semantics.shared.get(valuation(shared));
        std::iter::once(u32::from(is_inside(shared))).chain(values.iter().copied()).collect()
    }

    /// The shared state with these words.
    pub fn shared_of(&mut self, words: &Words) -> Result<u32, Stop> {
        let valuation = self.threads.semantics.shared.insert(&words[1..])?.0;
        Ok(shared_state(valuation, words[0] == 1))
    }

    /// Adds the steps of a thread.
    pub fn rules(&mut self, shared: u32, local: u32, budget: &Budget, rules: &mut Rules) -> Result<(), Stop> {
        if !self.may_step(shared, local) {
            return Ok(());
        }
        let entry = self.threads.entry(valuation(shared), local, budget)?;
        let initialising = self.threads.semantics.initialising(valuation(shared));
        for number in entry.outcomes() {
            let outcome = self.threads.outcome(number);
            if outcome.passive != NONE && !self.threads.passive(outcome.passive).unconstrained {
                continue;
            }
            let starts = initialising && outcome.local == NONE;
            let valuation = match starts {
                true => self.threads.semantics.initialised(outcome.shared)?,
                false => outcome.shared,
            };
            let inside = outcome.local != NONE && self.threads.mark(outcome.local) & INSIDE != 0;
            let mut rule = Rules::plain(shared, shared_state(valuation, inside), number as u32);
            (rule.passive, rule.starts) = (outcome.passive, starts);
            rules.push(rule, &[(local, 1)], made(outcome.local, outcome.child).as_slice());
        }
        Ok(())
    }

    fn may_step(&mut self, shared: u32, local: u32) -> bool {
        !is_inside(shared) || self.threads.mark(local) & INSIDE != 0
    }

    /// What a passive thread may become.
    pub fn react(&mut self, passive: u32, local: u32, budget: &Budget) -> Result<Vec<u32>, Stop> {
        let reacts = self.threads.reacts(passive, local, budget)?;
        Ok(self.threads.reacted(reacts).to_vec())
    }

    /// Whether a thread is at an error label, or fails an assertion and may step.
    pub fn fails(&mut self, shared: u32, local: u32, budget: &Budget) -> Result<bool, Stop> {
        let entry = self.threads.entry(valuation(shared), local, budget)?;
        Ok(entry.at_label || entry.fails && self.may_step(shared, local))
    }
}

/// The procedures that threads begin in when the templates start, each once, with the fewest and the most
/// there are.
pub fn counts(program: &Program) -> Vec<(ProcId, u32, Option<u32>)> {
    let mut counts: Vec<(ProcId, Count)> = vec![];
    for template in &program.start().templates {
        match counts.iter_mut().find(|it| it.0 == template.procedure) {
            Some(found) => found.1 = found.1.plus(template.count),
            None => counts.push((template.procedure, template.count)),
        }
    }
    let range = |(procedure, count)| match count {
        Count::Exactly(n) => (procedure, n, Some(n)),
        Count::AtLeast(n) => (procedure, n, None),
    };
    counts.into_iter().map(range).collect()
}

/// The thread itself and its child, where there are such.
fn made(local: u32, child: u32) -> Vec<Group> {
    match (local == NONE, child == NONE) {
        (true, true) => vec![],
        (false, true) => vec![(local, 1)],
        (true, false) => vec![(child, 1)],
        (false, false) if local == child => vec![(local, 2)],
        (false, false) => vec![(local.min(child), 1), (local.max(child), 1)],
    }
}
