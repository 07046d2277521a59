//! C programs in which there is nothing to prove: no assertion, no error call, no label, nor what else was
//! asked about, and nothing behind which there may be one. Whatever their threads do, no property is
//! violated, so that no engine is asked. Undefined behaviour that happens is an error all the same, and is
//! looked for with a small share of what may be spent.

use super::reasons::Teller;
use super::{Request, Rounds};
use crate::answer::{Answer, Outcome, Proof};
use crate::undefined::{AT_LEAST, Watch};
use ir::c::{Model as CModel, Sought};
use ir::{Model, Task};
use std::sync::Arc;
use std::time::Duration;

/// Only what is touched costs memory.
const STACK: usize = 1 << 26;

/// What the search may spend: a tenth of what it may at least where there is something to prove.
const TICKS: u64 = AT_LEAST / 10;

/// And at most this part of a time limit: one in ten.
const SHARE: u32 = 10;

/// Why there is no certificate.
const NOTHING: &str = "there is no error to exclude";

/// The C program, if nothing can be violated in it.
pub fn without_properties(task: &Task) -> Option<&Arc<CModel>> {
    match &task.model {
        Model::C(model) if task.properties.is_empty() && model.refused.is_empty() => Some(model),
        _ => None,
    }
}

/// The answer: safe, unless a run comes to undefined behaviour.
pub fn ask(request: &Request<'_>) -> Answer {
    let Model::C(model) = &request.prepared.model else {
        unreachable!("the prepared task of a C program is about a C program")
    };
    let sought = model.literal.as_ref().is_some_and(|it| it.property == Sought::Default);
    // Where threads block matters to nobody, unless that is an error.
    let searched =
        if sought { Arc::clone(model) } else { Arc::new(CModel { literal: None, ..CModel::clone(model) }) };
    let watch = Watch::new(&searched, request.task.scope, &request.plan.settings, request.host.stop);
    if watch.tells() {
        let most = request.host.limits.time.map_or(Duration::MAX, |time| time / SHARE);
        std::thread::scope(|scope| {
            if !base::stack::spawn(scope, STACK, || watch.run()) {
                watch.give_up();
            }
            watch.finish_within(TICKS, most);
        });
    }
    let outcome = Outcome::Safe { scope: request.task.scope, proof: Proof::without_certificate(NOTHING) };
    let ended = Rounds { decision: Some(Answer::of(outcome)), results: vec![], until: u64::MAX };
    Teller { model, request, watch: &watch }.tell(ended)
}
