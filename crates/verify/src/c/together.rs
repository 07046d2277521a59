//! What the ways found, as one answer in words, with places in the user's file.

use super::WayResult;
use crate::answer::{Answer, Outcome};
use crate::limits::Limits;
use crate::progress::Best;
use base::{SourceMap, Span, Stop};
use front::CProgram;
use ir::c::Loc;
use ir::{Reason, ReasonKind};

/// At most so many places without meaning are named one by one.
const PLACES: usize = 20;

/// Makes one answer of what was found.
pub struct Teller<'a> {
    /// The program.
    pub source: &'a CProgram,
    /// The texts that places refer to.
    pub sources: &'a SourceMap,
    /// What the work may cost.
    pub limits: &'a Limits,
}

impl Teller<'_> {
    /// One answer: the decision, or the reasons of all.
    pub fn tell(&self, mut results: Vec<WayResult>, stop: Option<Stop>) -> Answer {
        let mut assumptions = self.source.assumptions.clone();
        if let Some(decision) = results.iter().position(WayResult::decides) {
            let decision = results.swap_remove(decision);
            if matches!(decision.answer.outcome, Outcome::Safe { .. }) {
                assumptions.extend(self.without_meaning(&decision));
            }
            return Answer { assumptions, ..decision.answer };
        }
        results.sort_by_key(|it| super::Way::ALL.iter().position(|way| *way == it.way));
        let best = results.iter().fold(Best::default(), |best, it| best.or(it.answer.best));
        let only = if let [only] = &results[..] { Some(only.way.name()) } else { None };
        let reason = self.reason(&results, stop);
        Answer { best, assumptions, way: only, engine: only, ..Answer::unknown(reason) }
    }

    fn reason(&self, results: &[WayResult], stop: Option<Stop>) -> Reason {
        let reasons: Vec<(&str, Reason)> =
            results.iter().filter_map(|it| Some((it.way.name(), self.reason_of(it, stop)?))).collect();
        let rank = |reason: &Reason| match reason.kind {
            ReasonKind::Fault => 0,
            ReasonKind::Rejected => 1,
            ReasonKind::Unsupported | ReasonKind::NonMonotone => 3,
            _ => 2,
        };
        let Some((_, first)) = reasons.iter().min_by_key(|(_, reason)| rank(reason)) else {
            let nobody = || Reason::new(ReasonKind::Unsupported, "no way was asked");
            return stop.map_or_else(nobody, |stop| self.limits.reason(stop));
        };
        if reasons.iter().all(|(_, reason)| reason == first) {
            return first.clone();
        }
        let each: Vec<String> = reasons.iter().map(|(way, it)| format!("{way}: {}", it.message)).collect();
        Reason::new(first.kind, each.join("; "))
    }

    fn reason_of(&self, results: &WayResult, stop: Option<Stop>) -> Option<Reason> {
        let Outcome::Unknown(reason) = &results.answer.outcome else { return None };
        let stopped = matches!(
            reason.kind,
            ReasonKind::Time | ReasonKind::Memory | ReasonKind::Ticks | ReasonKind::Interrupted
        );
        if let Some(stop) = stop.filter(|_| stopped) {
            return Some(self.limits.reason(stop));
        }
        let place = results.place.and_then(|loc| self.source.program.at(loc).span).or(results.span);
        Some(match place.map(|span| self.describe(span)) {
            Some(place) if reason.kind == ReasonKind::Unsupported => {
                Reason::new(reason.kind, format!("{} at {place} is not supported", reason.message))
            }
            _ => reason.clone(),
        })
    }

    /// The places at which a thread stands still because its step has no meaning.
    fn without_meaning(&self, results: &WayResult) -> Vec<String> {
        let places = results.meaningless.iter().take(PLACES).map(|(&loc, fault)| match self.place(loc) {
            Some(place) => format!("a thread stops at {place}: {fault}"),
            None => format!("a thread stops: {fault}"),
        });
        let mut places: Vec<String> = places.collect();
        if results.may_stop {
            places.push(
                "a thread stops at a step without meaning; whether there is one was not looked into".into(),
            );
        }
        places.dedup();
        if results.meaningless.len() > PLACES {
            places.push(format!(
                "threads stop at {} more places without meaning",
                results.meaningless.len() - PLACES
            ));
        }
        places
    }

    fn place(&self, loc: Loc) -> Option<String> {
        self.source.program.at(loc).span.map(|span| self.describe(span))
    }

    fn describe(&self, span: Span) -> String {
        let file = self.sources.file(span.file);
        format!("{}:{}", file.name(), file.position(span.start).line)
    }
}
