//! Deadlocks: an order of what threads wait for, with an invariant in which none waits against it. It proves
//! that there is no deadlock; where it fails there may be none either.

use super::{alarm, options, placed, proved};
use engines::Cx;
use ir::c::Model;
use ir::certificate::{Body, Predicates, View, WaitOrder};
use ir::{Certificate, Reason, ReasonKind, Scope, Verdict, Why};
use predicates::order::Found;
use predicates::{Outcome, prove_order};
use relation::OUT_OF_ORDER;

/// Looks for an order.
pub(super) fn run(model: &Model, cx: &mut Cx<'_>) -> Result<Verdict, base::Stop> {
    if model.machine.faults.any() || model.machine.races.matter() {
        let why =
            "it looks for deadlocks only where neither undefined behaviour nor data races are asked about";
        return Ok(Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Unsupported, why))));
    }
    let options = options(model, cx.settings, None);
    let Found { order, outcome } = prove_order(&model.program, &options, cx.budget, cx.events)?;
    Ok(match outcome {
        Outcome::Proved { proof, relation, rounds, .. } => {
            let invariant = Predicates { relation, proof, refinements: rounds.saturating_sub(1) };
            let body = Body::Order(WaitOrder { order, invariant });
            proved(Certificate { scope: Scope::ANY, view: View::default(), body, passes: vec![] })
        }
        Outcome::Alarm { why, at, .. } => {
            placed(model, Reason::new(ReasonKind::Refinement, alarm(&why, at)), at)
        }
        Outcome::Race { open, .. } => {
            let why = "two accesses may race as far as the predicates tell";
            placed(model, Reason::new(ReasonKind::Refinement, why), open.first().copied())
        }
        Outcome::Unsupported { why, at } if why == OUT_OF_ORDER => {
            let why = format!("no order was found in which all threads wait: {why}");
            placed(model, Reason::new(ReasonKind::Refinement, why), at)
        }
        Outcome::Unsupported { why, at } => placed(model, Reason::new(ReasonKind::Unsupported, why), at),
    })
}
