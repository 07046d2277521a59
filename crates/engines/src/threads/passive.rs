//! What a step has to do with the passive threads: broadcasts update each of them on its own, and a condition
//! over passive copies must hold for each of them on its own.

use super::micro::{Semantics, first_choice, next_choice, pick_unread};
use crate::bits;
use crate::code::{Env, Formula};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId, Values, Var, When};

/// A step that concerns the passive threads: its old and new values, which their updates and conditions read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passive {
    /// The command, by its location and number.
    pub command: (Loc, usize),
    /// The old shared valuation and the active thread's old state.
    pub old: (u32, u32),
    /// The new bits of the shared variables.
    pub shared: Vec<u32>,
    /// The new bits of the active thread's locals.
    pub own: Vec<u32>,
    /// Whether the step is possible when its condition constrains no passive thread.
    pub unconstrained: bool,
}

/// What a passive thread may become.
#[derive(Clone, Debug)]
pub struct Reaction {
    /// Whether the step's condition speaks of this thread.
    pub constrained: bool,
    /// The states it may be in afterwards, each with the values it gets.
    pub options: Vec<(u32, Vec<(LocalId, bool)>)>,
}

impl Semantics<'_> {
    /// Whether the condition over passive copies holds for some values of theirs.
    pub(super) fn holds_unconstrained(
        &self,
        loc: Loc,
        command: usize,
        env: &Env<'_>,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let it = &self.compiled[loc.index()][command];
        let Some(asks) = it.asks else { return Ok(true) };
        let width = bits::words(self.program.locals().len());
        let any = vec![Values::ANY; it.unknown.len()];
        let mut guess = first_choice(&any);
        let mut scratch = vec![];
        loop {
            budget.spend(1)?;
            let mut copies = [vec![0; width], vec![0; width]];
            for (read, &value) in it.unknown.iter().zip(&guess) {
                if let Var::Local(local) = read.var {
                    bits::set(&mut copies[read.when as usize], local.index(), value);
                }
            }
            let env = Env { passive: [&copies[0], &copies[1]], ..*env };
            if self.code.values(asks, &env, &mut scratch).may_be(true) {
                return Ok(true);
            }
            if !next_choice(&any, &mut guess) {
                return Ok(false);
            }
        }
    }

    /// What a passive thread may become when a step that concerns it is made.
    pub fn reaction(&mut self, step: &Passive, local: u32, budget: &Budget) -> Result<Reaction, Stop> {
        let (loc, (from, index)) = (self.loc(local), step.command);
        let it = self.compiled[from.index()][index].clone();
        let broadcast = self.commands.at(from)[index].broadcast.iter().zip(&it.broadcast);
        let updates: Vec<(LocalId, Formula)> = broadcast
            .filter(|((local, _), _)| self.program.in_scope(loc, *local))
            .map(|(&(local, _), &e)| (local, e))
            .collect();
        let constrained = it.constrained.iter().all(|&local| self.program.in_scope(loc, local));
        let asks = it.asks.filter(|_| constrained);
        let (old_s, old_own) = (self.shared.get(step.old.0).to_vec(), self.values(step.old.1).to_vec());
        let old = self.values(local).to_vec();
        let env = Env { shared: [&old_s, &step.shared], own: [&old_own, &step.own], passive: [&old, &old] };
        let mut scratch = vec![];
        let mut possible: Vec<Values> =
            updates.iter().map(|&(_, e)| self.code.values(e, &env, &mut scratch)).collect();
        let reads_new_value = |local: LocalId| {
            it.unknown.iter().any(|read| (read.when, read.var) == (When::Next, Var::Local(local)))
        };
        for (&(local, _), values) in updates.iter().zip(&mut possible) {
            pick_unread(values, self.program.at(loc).dead.contains(&local) && !reads_new_value(local));
        }
        let mut chosen = first_choice(&possible);
        let mut options: Vec<(u32, Vec<(LocalId, bool)>)> = vec![];
        loop {
            budget.spend(1)?;
            let mut new = old.clone();
            for (&(local, _), &value) in updates.iter().zip(&chosen) {
                bits::set(&mut new, local.index(), value);
            }
            let env = Env { passive: [&old, &new], ..env };
            if asks.is_none_or(|e| self.code.values(e, &env, &mut scratch).may_be(true)) {
                let settled = self.settled(loc, self.inside(local), &new)?;
                if options.iter().all(|&(it, _)| it != settled) {
                    let values = updates.iter().map(|&(local, _)| local).zip(chosen.iter().copied());
                    options.push((settled, values.collect()));
                }
            }
            if !next_choice(&possible, &mut chosen) {
                return Ok(Reaction { constrained: asks.is_some(), options });
            }
        }
    }
}
