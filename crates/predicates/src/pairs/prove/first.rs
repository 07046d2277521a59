//! What is tried before the templates: what there is to begin with, and where data races are asked about,
//! what threads own and which variables count them.

use super::{Attempt, Between, Cost, FIRST_TICKS, Look, Prover};
use base::Stop;
use relation::proof::Proof;

impl Prover<'_> {
    /// What there is to begin with, and the locks.
    pub(super) fn given(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let options = self.options;
        let Some(start) = &options.start else { return Ok(None) };
        let mut templates = self.templates();
        templates.small();
        let between = start.pairs(&mut templates);
        for look in [Look::One, Look::Companions, Look::Two, Look::Related] {
            if look != Look::One && !self.threads || look == Look::Related && between.is_empty() {
                continue;
            }
            let relations = if look == Look::Related { between.clone() } else { vec![] };
            match self.attempt(&templates, relations, look, cost)? {
                Attempt::Proof(proof, width) => return Ok(Some((proof, width))),
                Attempt::Alarm(alarm) if alarm.is_lone() => break,
                _ => {}
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }

    /// What threads own, and variables that count them, where data races are asked about.
    pub(super) fn owned(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        // What locks alone keep apart should not wait for long.
        let ticks = if cost.ticks == FIRST_TICKS { FIRST_TICKS / 8 } else { cost.ticks };
        let cost = Cost { ticks, ..cost };
        if self.relation.accesses.is_none() || !self.threads {
            return Ok(None);
        }
        let mut templates = self.templates();
        templates.small();
        let counts = templates.counts()?;
        let pairs = templates.ownership(&counts)?;
        templates.about_counts(&counts)?;
        let looks: &[Look] = match (pairs.is_empty(), counts.is_empty()) {
            (false, _) => &[Look::Related],
            (true, false) => &[Look::Companions, Look::Two],
            (true, true) => return Ok(None),
        };
        for &look in looks {
            let between = Between { pairs: pairs.clone(), counts: counts.clone() };
            if let Attempt::Proof(proof, width) = self.attempt_with(&templates, between, look, cost)? {
                return Ok(Some((proof, width)));
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }
}
