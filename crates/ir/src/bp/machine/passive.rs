//! What a step means for the threads that look on: broadcasts, and conditions over passive copies.

use super::super::expr::{ExprId, Read, Var, When, Whose};
use super::super::program::{LocalId, LocalScope};
use super::super::state::{Passive, State};
use super::super::values::Values;
use super::{Activation, Machine, Refusal, local_of, require};

impl Machine<'_> {
    pub(super) fn broadcast(
        &self,
        state: &State,
        after: &mut State,
        me: Activation,
        broadcast: &[(LocalId, ExprId)],
        passive: &[Passive],
    ) -> Result<(), Refusal> {
        let copies = self.receivers(state, me, broadcast);
        require(copies.len() == passive.len(), "a broadcast reaches every passive thread")?;
        for ((copy, updates), given) in copies.into_iter().zip(passive) {
            let named = (given.thread, given.depth) == (copy.thread, copy.depth);
            let same = updates.iter().map(|update| update.0).eq(given.values.iter().map(|value| value.0));
            require(named && same, "the broadcast reaches another thread or variable")?;
            for (&(local, e), &(_, value)) in updates.iter().zip(&given.values) {
                let values = self.values_between(state, state, me, Some(copy), e);
                require(values.may_be(value), "the passive thread cannot get this value")?;
                self.set(after, copy, Var::Local(local), value);
            }
        }
        Ok(())
    }

    /// The activations of passive threads that a broadcast reaches, with the updates for each.
    pub(super) fn receivers(
        &self,
        state: &State,
        me: Activation,
        broadcast: &[(LocalId, ExprId)],
    ) -> Vec<(Activation, Vec<(LocalId, ExprId)>)> {
        let passive = self.activations(state, me);
        let with = passive.into_iter().map(|copy| {
            let reached = broadcast.iter().filter(|&&(local, _)| self.sees(state, copy, local));
            (copy, reached.copied().collect::<Vec<_>>())
        });
        with.filter(|(_, updates)| !updates.is_empty()).collect()
    }

    /// All activations of the threads other than `me`, the oldest first.
    fn activations(&self, state: &State, me: Activation) -> Vec<Activation> {
        let others = state.threads.iter().filter(|&(&thread, _)| thread != me.thread);
        others
            .flat_map(|(&thread, it)| (0..it.stack.len()).map(move |depth| Activation { thread, depth }))
            .collect()
    }

    /// Whether an activation has the local; a local of the whole thread counts for its current activation
    /// alone.
    fn sees(&self, state: &State, copy: Activation, local: LocalId) -> bool {
        let stack = &state.threads[&copy.thread].stack;
        match self.program.locals()[local].scope {
            LocalScope::Thread => copy.depth + 1 == stack.len(),
            LocalScope::Procedure(_) => self.program.in_scope(stack[copy.depth].loc, local),
        }
    }

    /// Whether a condition holds for some choice of its `*`: for each passive thread on its own where it
    /// speaks of passive copies. Without a thread to ask it must hold for some values of the copies;
    /// `assigned` are the locals whose new copies are free.
    pub(super) fn holds(
        &self,
        state: &State,
        after: &State,
        me: Activation,
        e: ExprId,
        assigned: &[LocalId],
    ) -> bool {
        let reads = self.program.exprs().reads(e);
        let passive_reads: Vec<Read> =
            reads.into_iter().filter(|read| read.whose == Whose::Passive).collect();
        if passive_reads.is_empty() {
            return self.values_between(state, after, me, None, e).may_be(true);
        }
        // A local of the whole thread is there beside each of its activations.
        let sees_all = |copy: &Activation| {
            let at = state.threads[&copy.thread].stack[copy.depth].loc;
            passive_reads.iter().all(|read| local_of(read.var).is_some_and(|v| self.program.in_scope(at, v)))
        };
        let copies: Vec<Activation> = self.activations(state, me).into_iter().filter(sees_all).collect();
        if !copies.is_empty() {
            return copies
                .iter()
                .all(|&copy| self.values_between(state, after, me, Some(copy), e).may_be(true));
        }
        let free = |read: &Read| match read.when {
            When::Next if !local_of(read.var).is_some_and(|v| assigned.contains(&v)) => {
                Read { when: When::Now, ..*read }
            }
            _ => *read,
        };
        let mut unknowns: Vec<Read> = passive_reads.iter().map(free).collect();
        unknowns.sort();
        unknowns.dedup();
        let holds_with = |guess: u64| {
            let value = |read: Read| {
                unknowns.iter().position(|&it| it == free(&read)).is_some_and(|index| guess >> index & 1 == 1)
            };
            let read = |read: Read| match read.whose {
                Whose::Own => self.read(state, after, me, None, read),
                Whose::Passive => Values::only(value(read)),
            };
            self.program.exprs().values(e, read).may_be(true)
        };
        let guesses = 1u64.checked_shl(unknowns.len() as u32).unwrap_or(u64::MAX);
        (0..guesses).any(holds_with)
    }
}
