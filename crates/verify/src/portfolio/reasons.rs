//! What the engines found, as one answer. Places stay spans: who shows the answer says them in words.

use super::candidates::ALONE;
use super::{EngineResult, Request, Rounds};
use crate::answer::{Answer, Assumption, EngineReason, Outcome};
use crate::c;
use crate::judge::Court;
use crate::progress::Best;
use crate::undefined::{self, AT_LEAST, Finding, Watch};
use ::c::FailureKind;
use base::{Budget, Span};
use ir::c::Model;
use ir::{Reason, ReasonKind, Verdict};
use std::sync::Arc;

/// Why nobody knows: a fault or refused evidence first, then what engines that worked say, then why others
/// did not.
pub fn together(reasons: &[(&'static str, Reason)]) -> Reason {
    let Some(best) = reasons.iter().map(|(_, reason)| rank(reason)).min() else {
        return Reason::new(ReasonKind::Unsupported, "no engine was asked");
    };
    let chosen: Vec<_> = reasons.iter().filter(|(_, reason)| rank(reason) == best).collect();
    match &chosen[..] {
        [(_, reason)] => reason.clone(),
        _ => {
            let each: Vec<String> =
                chosen.iter().map(|(name, it)| format!("{name}: {}", it.message)).collect();
            Reason::new(chosen[0].1.kind, each.join("; "))
        }
    }
}

fn rank(reason: &Reason) -> u8 {
    match reason.kind {
        ReasonKind::Fault => 0,
        ReasonKind::Rejected => 1,
        ReasonKind::Approximation => 2,
        ReasonKind::Unsupported | ReasonKind::NonMonotone => 4,
        _ => 3,
    }
}

/// The ticks that the search for undefined behaviour is owed after these results, so that it does not depend
/// on the clock what is told: as many as the engines had. An error that was found early enough is told
/// whatever else there is.
pub fn owed(results: &[EngineResult]) -> u64 {
    match results.iter().find(|it| it.decides() && !it.is_safe()) {
        Some(error) if c::is_named_concrete(error.engine) => {
            if error.ticks <= ALONE {
                0
            } else {
                error.ticks
            }
        }
        Some(_) => AT_LEAST,
        None => results.iter().map(|it| it.ticks).max().unwrap_or(0).max(AT_LEAST),
    }
}

/// Makes one answer about a C program of what was found.
pub struct Teller<'a> {
    /// The program.
    pub model: &'a Arc<Model>,
    /// What was asked.
    pub request: &'a Request<'a>,
    /// What is known of undefined behaviour.
    pub watch: &'a Watch<'a>,
}

impl Teller<'_> {
    /// One answer: the decision, or the reasons of all.
    pub fn tell(&self, ended: Rounds) -> Answer {
        let Rounds { decision, mut results, .. } = ended;
        if let Some(fault) = decision.as_ref().filter(|it| it.contradiction.is_some()) {
            return fault.clone();
        }
        if decision.as_ref().is_some_and(|it| it.outcome.proof().is_some()) {
            self.watch.run_after_a_proof();
        }
        let undefined = self.watch.ended();
        if let Some(why) = undefined.fault {
            return Answer::unknown(Reason::new(ReasonKind::Fault, why));
        }
        let general = self.model.assumptions.iter().cloned().map(Assumption::General);
        let mut assumptions: Vec<Assumption> = general.collect();
        if let Some(finding) = undefined.finding.as_ref().filter(|it| counts(it, &results)) {
            let answer = self.error(finding);
            return match &decision {
                Some(decision) if is_assertion(finding) && decision.contradicts(&answer) => {
                    Answer::contradiction(decision.clone(), answer)
                }
                _ => {
                    assumptions.extend(answer.assumptions);
                    Answer { assumptions, ..answer }
                }
            };
        }
        if let Some(decision) = decision {
            if decision.outcome.proof().is_some() {
                assumptions.extend(self.no_undefined(&undefined.known));
            }
            assumptions.extend(decision.assumptions.iter().cloned());
            let waiting = self.waiting(&undefined.waiting).unwrap_or_else(|| decision.waiting.clone());
            return Answer { assumptions, waiting, ..decision };
        }
        if results.iter().any(EngineResult::settles) {
            // There is a run into an error, which must not be told: nothing else counts.
            results.retain(EngineResult::settles);
        }
        results.sort_by_key(|it| c::position(it.engine));
        let best = results.iter().fold(Best::default(), |best, it| best.or(it.answer.best));
        let only = if let [only] = &results[..] { Some(only.engine) } else { None };
        let (reason, reasons) = self.reason(&results);
        Answer { best, assumptions, reasons, way: only, engine: only, ..Answer::unknown(reason) }
    }

    /// The answer that a run of the program with nothing dropped is.
    fn error(&self, finding: &Finding) -> Answer {
        let &Request { task, prepared, back, .. } = self.request;
        let budget = Budget::new(u64::MAX, self.request.host.stop.clone());
        let court = Court { task, prepared, back, budget: &budget, states: 0 };
        let answer = court.judge(Verdict::Unsafe(ir::Trace::C(finding.trace.clone())), |_| {});
        Answer { way: Some(c::CONCRETE), engine: Some(c::CONCRETE), ..answer }
    }

    /// The places at which a proof assumes that there is no undefined behaviour.
    fn no_undefined(&self, known: &undefined::Known) -> Vec<Assumption> {
        let Some(literal) = &self.model.literal else { return vec![] };
        let budget = Budget::new(undefined::PLACES, self.request.host.stop.part());
        undefined::assumptions(literal, known, &budget)
    }

    /// Where threads stand that wait for each other for ever, in a state of the program with nothing dropped.
    fn waiting(&self, waiting: &[::c::Loc]) -> Option<Vec<Option<Span>>> {
        let literal = self.model.literal.as_ref().filter(|_| !waiting.is_empty())?;
        Some(waiting.iter().map(|&at| literal.program.at(at).span).collect())
    }

    /// The reason that counts most, and all of them where they differ.
    fn reason(&self, results: &[EngineResult]) -> (Reason, Vec<EngineReason>) {
        let reason =
            |it: &EngineResult| Some(EngineReason { engine: it.engine, reason: self.reason_of(it)? });
        let reasons: Vec<EngineReason> = results.iter().filter_map(reason).collect();
        let Some(first) = reasons.iter().map(|it| &it.reason).min_by_key(|reason| rank(reason)).cloned()
        else {
            let host = self.request.host;
            let nobody = || Reason::new(ReasonKind::Unsupported, "no engine was asked");
            return (host.stop.reason().map_or_else(nobody, |stop| host.limits.reason(stop)), vec![]);
        };
        let is_one = reasons.iter().all(|it| it.reason == first);
        (first, if is_one { vec![] } else { reasons })
    }

    fn reason_of(&self, result: &EngineResult) -> Option<Reason> {
        let Outcome::Unknown(reason) = &result.answer.outcome else { return None };
        let stopped = matches!(
            reason.kind,
            ReasonKind::Time | ReasonKind::Memory | ReasonKind::Ticks | ReasonKind::Interrupted
        );
        let host = self.request.host;
        if let Some(stop) = host.stop.reason().filter(|_| stopped) {
            return Some(host.limits.reason(stop));
        }
        let is_placed = matches!(reason.kind, ReasonKind::Unsupported | ReasonKind::Refinement);
        Some(Reason { span: reason.span.filter(|_| is_placed), ..reason.clone() })
    }
}

fn is_assertion(finding: &Finding) -> bool {
    matches!(finding.trace.failure.kind, FailureKind::Property(_))
}

/// Whether a run into an error of the program with nothing dropped is told rather than a failing assertion
/// that an engine has found: that is a matter of ticks, so that it is always the same one.
fn counts(finding: &Finding, results: &[EngineResult]) -> bool {
    let error = results.iter().find(|it| it.decides() && !it.is_safe());
    error.is_none_or(|error| match c::is_named_concrete(error.engine) {
        true => error.ticks > ALONE.max(finding.ticks),
        false => finding.ticks <= AT_LEAST,
    })
}
