//! Attempts with predicates about loops of some kinds: those that add up what they count, those that move
//! numbers from one variable to another, those that scale numbers. Each is made only for programs that have
//! such loops.

use super::{Attempt, Cost, Look, Prover};
use crate::pairs::templates::Templates;
use base::Stop;
use relation::proof::Proof;

/// This many times as much as other attempts may cost in the first pass: few programs have such loops, and no
/// other predicates help them.
const WORTH: u64 = 10;

impl Prover<'_> {
    /// Loops that add up what they count: few predicates, for programs with arrays, where the others are
    /// many.
    pub(super) fn counting(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = self.templates();
        templates.small();
        let fit = templates.counting()?;
        let cost = Cost { ticks: cost.ticks.saturating_mul(WORTH), ..cost };
        self.loops(&templates, if fit { &[Look::One, Look::Companions, Look::Two] } else { &[] }, cost)
    }

    /// Loops that move numbers. Sums are dear, so threads are looked at two at a time at once: what is moved
    /// is seldom nobody else's.
    pub(super) fn sums(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = self.templates();
        let fit = templates.sums()?;
        let cost = Cost { ticks: cost.ticks.saturating_mul(WORTH), ..cost };
        let looks = [if self.threads { Look::Two } else { Look::One }];
        self.loops(&templates, if fit { &looks } else { &[] }, cost)
    }

    /// Bounds on variables that are scaled by numbers.
    pub(super) fn thresholds(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = self.templates();
        templates.assertions()?;
        let fit = templates.thresholds()?;
        self.loops(&templates, if fit { &[Look::One, Look::Companions] } else { &[] }, cost)
    }

    fn loops(
        &mut self,
        templates: &Templates<'_>,
        looks: &[Look],
        cost: Cost,
    ) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        for &look in looks {
            if look != Look::One && !self.threads {
                continue;
            }
            if let Attempt::Proof(proof, width) = self.attempt(templates, vec![], look, cost)? {
                return Ok(Some((proof, width)));
            }
        }
        self.exprs = templates.exprs.clone();
        Ok(None)
    }
}
