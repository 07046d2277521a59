//! What the ways found, as one answer. Places stay spans: who shows the answer says them in words.

use super::WayResult;
use crate::answer::{Answer, Assumption, Outcome, WayReason};
use crate::limits::Limits;
use crate::progress::Best;
use base::Stop;
use front::CProgram;
use ir::{Reason, ReasonKind};

/// At most so many places without meaning are named one by one.
const PLACES: usize = 20;

/// Makes one answer of what was found.
pub struct Teller<'a> {
    /// The program.
    pub source: &'a CProgram,
    /// What the work may cost.
    pub limits: &'a Limits,
}

impl Teller<'_> {
    /// One answer: the decision, or the reasons of all.
    pub fn tell(&self, mut results: Vec<WayResult>, stop: Option<Stop>) -> Answer {
        let mut assumptions: Vec<Assumption> =
            self.source.assumptions.iter().cloned().map(Assumption::General).collect();
        let settled = results.iter().position(|it| it.settles() && it.decides());
        if settled.is_none() && results.iter().any(WayResult::settles) {
            // There is a run into an error, which must not be told: nothing else counts.
            results.retain(WayResult::settles);
        }
        if let Some(decision) = settled.or_else(|| results.iter().position(WayResult::decides)) {
            if matches!(results[decision].answer.outcome, Outcome::Safe { .. }) {
                // Another proof may have seen which places have no meaning, where this one has not.
                let saw_all = |it: &&WayResult| it.decides() && !it.may_stop;
                let witness = results.iter().find(saw_all).unwrap_or(&results[decision]);
                assumptions.extend(self.without_meaning(witness));
            }
            let decision = results.swap_remove(decision);
            assumptions.extend(decision.answer.assumptions.iter().cloned());
            return Answer { assumptions, ..decision.answer };
        }
        results.sort_by_key(|it| super::Way::ALL.iter().position(|way| *way == it.way));
        let best = results.iter().fold(Best::default(), |best, it| best.or(it.answer.best));
        let only = if let [only] = &results[..] { Some(only.way.name()) } else { None };
        let (reason, reasons) = self.reason(&results, stop);
        Answer { best, assumptions, reasons, way: only, engine: only, ..Answer::unknown(reason) }
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

    /// The places at which a thread stands still because its step has no meaning.
    fn without_meaning(&self, result: &WayResult) -> Vec<Assumption> {
        let places = result.meaningless.iter().take(PLACES).map(|(&loc, fault)| Assumption::ThreadStops {
            span: self.source.program.at(loc).span,
            fault: fault.to_string(),
        });
        let mut places: Vec<Assumption> = places.collect();
        if result.may_stop {
            let text = "a thread stops at a step without meaning; whether there is one was not looked into";
            places.push(Assumption::General(text.to_string()));
        }
        places.dedup();
        if result.meaningless.len() > PLACES {
            let more = result.meaningless.len() - PLACES;
            places.push(Assumption::General(format!("threads stop at {more} more places without meaning")));
        }
        places
    }
}
