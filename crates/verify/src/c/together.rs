//! What the ways found, as one answer. Places stay spans: who shows the answer says them in words.

use super::undefined::{self, AT_LEAST, Finding};
use super::{ALONE, Way, WayResult};
use crate::answer::{Answer, Assumption, Outcome, WayReason};
use crate::limits::Limits;
use crate::progress::Best;
use base::{Budget, Span, Stop};
use front::CProgram;
use ir::c::{FailureKind, Loc};
use ir::{Reason, ReasonKind};

/// Makes one answer of what was found.
pub struct Teller<'a> {
    /// The program.
    pub source: &'a CProgram,
    /// What the work may cost.
    pub limits: &'a Limits,
    /// What is known of undefined behaviour.
    pub undefined: undefined::Ended,
}

impl Teller<'_> {
    /// One answer: the decision, or the reasons of all.
    pub fn tell(&self, mut results: Vec<WayResult>, stop: Option<Stop>) -> Answer {
        let general = self.source.assumptions.iter().cloned().map(Assumption::General);
        let mut assumptions: Vec<Assumption> = general.collect();
        if let Some(why) = &self.undefined.fault {
            return Answer::unknown(Reason::new(ReasonKind::Fault, why.clone()));
        }
        let settled = results.iter().position(|it| it.settles() && it.decides());
        if settled.is_none() && results.iter().any(WayResult::settles) {
            // There is a run into an error, which must not be told: nothing else counts.
            results.retain(WayResult::settles);
        }
        let decision = settled.or_else(|| results.iter().position(WayResult::decides));
        if let Some(finding) = self.undefined.finding.as_ref().filter(|it| self.counts(it, &results)) {
            assumptions.extend(finding.given.iter().cloned());
            return Answer { assumptions, ..self.error(finding, decision.map(|it| &results[it])) };
        }
        if let Some(decision) = decision {
            let decision = results.swap_remove(decision);
            if decision.is_safe() {
                assumptions.extend(self.no_undefined());
            }
            assumptions.extend(decision.answer.assumptions.iter().cloned());
            let waiting = self.waiting(&decision);
            return Answer { assumptions, waiting, ..decision.answer };
        }
        results.sort_by_key(|it| super::Way::ALL.iter().position(|way| *way == it.way));
        let best = results.iter().fold(Best::default(), |best, it| best.or(it.answer.best));
        let only = if let [only] = &results[..] { Some(only.way.name()) } else { None };
        let (reason, reasons) = self.reason(&results, stop);
        Answer { best, assumptions, reasons, way: only, engine: only, ..Answer::unknown(reason) }
    }

    /// Whether a run into an error of the program with nothing dropped is told rather than a failing assertion that a way has found: that is a matter
    /// of ticks, where they are counted, so that it is always the same one.
    fn counts(&self, finding: &Finding, results: &[WayResult]) -> bool {
        let error = results.iter().find(|it| it.decides() && !it.is_safe());
        error.is_none_or(|error| match error.way {
            Way::Concrete => error.ticks > ALONE.max(finding.ticks),
            Way::Exact | Way::Abstract => finding.ticks <= AT_LEAST,
        })
    }

    /// The answer that such a run is.
    fn error(&self, finding: &Finding, decision: Option<&WayResult>) -> Answer {
        let is_assertion = matches!(finding.trace.failure.kind, FailureKind::Property(_));
        if is_assertion && decision.is_some_and(WayResult::is_safe) {
            let message = "an assertion was proved that fails in the program with nothing dropped";
            return Answer::unknown(Reason::new(ReasonKind::Fault, message));
        }
        let trace = ir::Trace::C(finding.trace.clone());
        let outcome = Outcome::Unsafe { trace, threads: finding.threads, run: None };
        let by = Some(Way::Concrete.name());
        Answer { way: by, engine: by, ..Answer::of(outcome) }
    }

    /// The places at which a proof assumes that there is no undefined behaviour.
    fn no_undefined(&self) -> Vec<Assumption> {
        let Some(literal) = &self.source.literal else { return vec![] };
        let budget = Budget::new(undefined::PLACES, self.limits.stop.part());
        undefined::assumptions(literal, &self.undefined.known, &budget)
    }

    /// Where threads stand that wait for each other for ever, in a state that somebody has met.
    fn waiting(&self, decision: &WayResult) -> Vec<Option<Span>> {
        let spans = |source: &CProgram, waiting: &[Loc]| {
            waiting.iter().map(|&at| source.program.at(at).span).collect::<Vec<_>>()
        };
        match &self.source.literal {
            Some(literal) if !self.undefined.waiting.is_empty() => spans(literal, &self.undefined.waiting),
            _ => spans(self.source, &decision.waiting),
        }
    }

    /// The reason that counts most, and all of them where they differ.
    fn reason(&self, results: &[WayResult], stop: Option<Stop>) -> (Reason, Vec<WayReason>) {
        let reason =
            |it: &WayResult| Some(WayReason { way: it.way.name(), reason: self.reason_of(it, stop)? });
        let reasons: Vec<WayReason> = results.iter().filter_map(reason).collect();
        let rank = |reason: &Reason| match reason.kind {
            ReasonKind::Fault => 0,
            ReasonKind::Rejected => 1,
            ReasonKind::Approximation => 2,
            ReasonKind::Unsupported | ReasonKind::NonMonotone => 4,
            _ => 3,
        };
        let Some(first) = reasons.iter().map(|it| &it.reason).min_by_key(|reason| rank(reason)).cloned()
        else {
            let nobody = || Reason::new(ReasonKind::Unsupported, "no way was asked");
            return (stop.map_or_else(nobody, |stop| self.limits.reason(stop)), vec![]);
        };
        let is_one = reasons.iter().all(|it| it.reason == first);
        (first, if is_one { vec![] } else { reasons })
    }

    fn reason_of(&self, result: &WayResult, stop: Option<Stop>) -> Option<Reason> {
        let Outcome::Unknown(reason) = &result.answer.outcome else { return None };
        let stopped = matches!(
            reason.kind,
            ReasonKind::Time | ReasonKind::Memory | ReasonKind::Ticks | ReasonKind::Interrupted
        );
        if let Some(stop) = stop.filter(|_| stopped) {
            return Some(self.limits.reason(stop));
        }
        let place = result.place.and_then(|loc| self.source.program.at(loc).span).or(result.span);
        let span = place.filter(|_| matches!(reason.kind, ReasonKind::Unsupported | ReasonKind::Refinement));
        Some(Reason { span, ..reason.clone() })
    }
}
