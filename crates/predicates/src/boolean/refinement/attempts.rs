//! Attempts to rule a path out: with predicates, with lemmas about two threads, and always with whatever
//! changes of Booleans can be forbidden. The path is replayed on the statements of its commands alone, so
//! that no engine is asked.

use super::super::growing::Growing;
use super::super::lemmas::{Lemma, Proposal, between, proposed};
use super::{LemmaUse, Refiner};
use crate::pairs::distinct::distinct;
use crate::paths::ControlPath;
use crate::paths::replay::replay;
use crate::paths::straight::Straight;
use crate::paths::transitions::spurious;
use base::{Budget, Stop};
use c::{ExprId, Exprs};

/// The most changes of Booleans that are forbidden for one path, and in one statement.
const MOST_FORBIDDEN: usize = 200;
const MOST_OF_STATEMENT: usize = 64;
/// What ruling a path out with some predicates may cost.
const ATTEMPT_TICKS: u64 = 2_000_000;
/// With more new predicates than this nobody looks which of them are needed.
const MOST_TRIED: usize = 10;

impl<'a> Refiner<'a> {
    /// Whether the path is ruled out with lemmas about two threads, which are to be proved later.
    pub(super) fn attempt_lemmas(
        &mut self,
        path: &ControlPath,
        straight: &Straight,
        two: &[ExprId],
    ) -> Result<bool, Stop> {
        if self.options.lemmas == LemmaUse::Off {
            return Ok(false);
        }
        let mut exprs = self.growing.predicates.exprs.clone();
        let proposals = proposed(self.relation, &mut exprs, &between(straight, two), self.budget)?;
        for Proposal { lemmas, companions } in proposals {
            let tried = |it: &Lemma| {
                self.proposed.iter().any(|known| (known.pair, known.negated) == (it.pair, it.negated))
            };
            let new: Vec<Lemma> = lemmas.into_iter().filter(|it| !tried(it)).collect();
            if new.is_empty() {
                continue;
            }
            let mut trial = self.growing.clone();
            let all = [self.growing.conditions(), companions].concat();
            let added = distinct(self.relation, &exprs, &all, self.budget)?;
            trial.add(exprs.clone(), &added, self.budget)?;
            let all = trial.lemmas.list.iter().chain(&new).cloned().collect();
            trial.assume(all, self.slots, self.budget)?;
            if self.attempt_with(trial, path)? {
                self.proposed.extend(new);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the path is ruled out with these predicates and those that the loop began with, once: then the
    /// others are forgotten, and the paths that they ruled out.
    pub(super) fn attempt_instead(
        &mut self,
        path: &ControlPath,
        added: &[ExprId],
        exprs: &Exprs,
    ) -> Result<bool, Stop> {
        let Some(first) = self.first.take() else { return Ok(false) };
        let with = std::mem::replace(&mut self.growing, first);
        if self.attempt(path, added, Some(exprs))? {
            self.ruled_out.clear();
            return Ok(true);
        }
        self.growing = with;
        Ok(false)
    }

    /// Whether the path is ruled out with these predicates; then with as few of them as are needed.
    pub(super) fn attempt_fewest(
        &mut self,
        path: &ControlPath,
        added: &[ExprId],
        exprs: &Exprs,
    ) -> Result<bool, Stop> {
        let before = self.growing.clone();
        if !self.attempt(path, added, Some(exprs))? {
            return Ok(false);
        }
        if added.len() > MOST_TRIED || added.len() < 2 {
            return Ok(true);
        }
        let mut kept = added.to_vec();
        for &condition in added {
            let fewer: Vec<ExprId> = kept.iter().copied().filter(|&it| it != condition).collect();
            let with = std::mem::replace(&mut self.growing, before.clone());
            if self.attempt(path, &fewer, Some(exprs))? {
                kept = fewer;
            } else {
                self.growing = with;
            }
        }
        Ok(true)
    }

    /// Whether the path is ruled out with these predicates and whatever changes of Booleans can be forbidden;
    /// if it is not, or if that costs too much, nothing is added.
    pub(super) fn attempt(
        &mut self,
        path: &ControlPath,
        added: &[ExprId],
        exprs: Option<&Exprs>,
    ) -> Result<bool, Stop> {
        let mut trial = self.growing.clone();
        if let Some(exprs) = exprs {
            trial.add(exprs.clone(), added, self.budget)?;
        }
        self.attempt_with(trial, path)
    }

    /// Takes an abstraction that rules the path out in place of the one that is there, if it does and that
    /// costs little.
    fn attempt_with(&mut self, mut trial: Growing<'a>, path: &ControlPath) -> Result<bool, Stop> {
        if trial.conditions().len() > self.options.predicates {
            return Ok(false);
        }
        let part = self.budget.part(ATTEMPT_TICKS);
        match strengthened(&mut trial, path, &part) {
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => self.budget.spend(0).map(|()| false),
            Ok(true) => {
                self.growing = trial;
                Ok(true)
            }
            other => other,
        }
    }
}

/// Whether a path is ruled out, changes of Booleans on it that no concrete step makes being forbidden.
fn strengthened(trial: &mut Growing<'_>, path: &ControlPath, budget: &Budget) -> Result<bool, Stop> {
    let commands = path.commands();
    trial.refresh(commands.iter().copied(), budget)?;
    for _ in 0..MOST_FORBIDDEN {
        let Some(valuations) = replay(trial, path, budget)? else { return Ok(true) };
        let found = spurious(trial, path, &valuations, budget)?;
        if found.is_empty() || commands.iter().any(|&it| trial.forbidden(it) >= MOST_OF_STATEMENT) {
            return Ok(false);
        }
        for it in found {
            trial.forbid(it.command, it.transition);
        }
    }
    Ok(false)
}
