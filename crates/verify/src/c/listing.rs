//! Has a proof of a way that writes none itself confirmed: the checker goes through all states of the program, if they are not too many.

use super::Request;
use crate::answer::{Answer, Evidence, Outcome};
use crate::judge;
use base::Budget;
use check_formulas::c::states::{Unlisted, explore};
use ir::{Reason, ReasonKind};

/// So many states are gone through at least: it takes about a second and 100 MB.
const MANY: u64 = 50_000;
/// And at most so many, for a proof that took long.
const MOST: u64 = 200_000;
/// A state costs as much as so many ticks of the concrete way.
const TICKS_OF_THE_WAY: u64 = 10;
/// So many are gone through in a moment.
pub const FEW: u64 = 3_000;
/// The work for a state.
const TICKS: u64 = 15;

/// How many states are worth going through for a proof that took so many ticks: as long as it took, and a second in any case.
pub fn worth(ticks: u64) -> u64 {
    (ticks / TICKS_OF_THE_WAY).clamp(MANY, MOST)
}

/// The answer, confirmed if it is a proof and the program has at most so many states.
pub fn confirmed(request: &Request, claimed: Answer, most: u64, budget: &Budget) -> Answer {
    let Outcome::Safe { evidence: Evidence::Unchecked, scope, .. } = claimed.outcome else { return claimed };
    let source = &request.source;
    let options = source.options(request.scope.threads.limit());
    let budget = Budget::new(TICKS * most, budget.handle().clone());
    match explore(&source.program, options, most, &budget) {
        Ok(listing) => match judge::explored(request.scope, listing.scope()) {
            Some(outcome) => Answer { outcome, listing: Some(listing), ..claimed },
            None => claimed,
        },
        Err(Unlisted::Fails(why)) => {
            let message = format!("the proof is refused: going through all states, {why}");
            Answer { outcome: Outcome::Unknown(Reason::new(ReasonKind::Rejected, message)), ..claimed }
        }
        Err(Unlisted::Beyond(why)) => because(claimed, scope, &why),
        Err(Unlisted::Stopped(_)) => because(claimed, scope, "its states are too many to list"),
    }
}

fn because(claimed: Answer, scope: ir::Scope, why: &str) -> Answer {
    let why_unchecked = Some(why.to_string());
    let outcome = Outcome::Safe { scope, evidence: Evidence::Unchecked, certificate: None, why_unchecked };
    Answer { outcome, ..claimed }
}
