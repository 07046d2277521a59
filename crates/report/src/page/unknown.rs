//! Why there is no answer, how far the search came, and what to try next.

use super::places::{PageFiles, PagePlace};
use crate::noun::Noun;
use crate::verdict;
use ir::{Bound, Model, Reason, ReasonKind};
use serde::Serialize;
use verify::{Outcome, Report, Source};

/// No answer.
#[derive(Serialize)]
pub struct PageUnknown {
    reasons: Vec<PageReason>,
    /// What is known all the same.
    known: Vec<String>,
    /// The run of an over-approximation that may not be one of the program, in lines.
    suspect: Vec<String>,
    next: Vec<Advice>,
}

#[derive(Serialize)]
struct PageReason {
    engine: Option<&'static str>,
    kind: &'static str,
    message: String,
    place: Option<PagePlace>,
}

/// Something to try.
#[derive(Clone, Copy, Serialize)]
struct Advice {
    text: &'static str,
    /// The options to add to the command.
    options: &'static str,
}

/// What an unknown report says.
pub fn unknown(report: &Report, files: &mut PageFiles<'_>) -> Option<PageUnknown> {
    let answer = report.answer.as_ref()?;
    let Outcome::Unknown(reason) = &answer.outcome else { return None };
    let each: Vec<(Option<&'static str>, &Reason)> = match &answer.reasons[..] {
        [] => vec![(answer.way.or(answer.engine), reason)],
        some => some.iter().map(|it| (Some(it.engine), &it.reason)).collect(),
    };
    let mut known = vec![];
    let noun = Noun::of(report);
    if let Some(n) = answer.best.threads {
        let up_to = if n == 1 { "" } else { "up to " };
        known.push(format!("no error with {up_to}{}", verdict::counted(n as usize, noun.word())));
    }
    if let Some(n) = answer.best.rounds {
        known.push(format!("no error within {}", verdict::counted(n as usize, "round")));
    }
    if let Some(n) = answer.best.width {
        let together = verdict::counted(n as usize, noun.word());
        known.push(format!("what {together} can look like together is no proof"));
    }
    let is_c = matches!(report.source.as_ref().map(Source::model), Some(Model::C(_)));
    let mut next: Vec<Advice> = vec![];
    for (_, reason) in &each {
        for advice in advice(reason.kind, is_c, report.requested.threads) {
            if !next.iter().any(|it| it.text == advice.text) {
                next.push(advice);
            }
        }
    }
    Some(PageUnknown {
        reasons: each.iter().map(|(engine, reason)| page_reason(*engine, reason, files)).collect(),
        known,
        suspect: verdict::alarms(report).render(crate::Paint::Plain).lines().map(str::to_string).collect(),
        next,
    })
}

fn page_reason(engine: Option<&'static str>, reason: &Reason, files: &mut PageFiles<'_>) -> PageReason {
    let message = match reason.kind {
        ReasonKind::Refinement => reason.message.lines().next().unwrap_or_default().to_string(),
        ReasonKind::Unsupported if reason.span.is_some() => format!("{} is not supported", reason.message),
        _ => reason.message.clone(),
    };
    let place = reason.span.and_then(|span| files.place(span));
    PageReason { engine, kind: reason.kind.word(), message, place }
}

const TIME: Advice = Advice { text: "Give it more time", options: "--timeout 10m" };
const FEW: Advice =
    Advice { text: "Ask about few threads first: their answer comes far sooner", options: "--threads 3" };
const MEMORY: Advice = Advice { text: "Give it more memory", options: "--memory 16G" };
const PREDICATE: Advice = Advice {
    text: "Name a condition that the proof needs and that was not found",
    options: "--predicate 'CONDITION'",
};
const STATES: Advice = Advice {
    text: "Look at all states of few threads, without any abstraction",
    options: "--way concrete --threads 3",
};
const ALL_ENGINES: Advice =
    Advice { text: "Ask all engines: leave out --engine, --way, --width and --rounds", options: "" };
const EXACT: Advice = Advice {
    text: "Ask an engine that approximates nothing, about few threads",
    options: "--engine explicit --threads 3",
};
const DEFINE: Advice = Advice {
    text: "Define what is not known: a function of your own that does the same, in a file beside",
    options: "--with FILE.c",
};
const REWRITE: Advice =
    Advice { text: "Rewrite what is not supported, at the place that the reason names", options: "" };
const AGAIN: Advice = Advice { text: "Run it again, to the end", options: "" };
const COUNTERS: Advice =
    Advice { text: "See where the time goes: counters and rounds on standard error", options: "--stats -v" };
const FAULT: Advice = Advice {
    text: "This is a fault of selvedge, not of your file: please report it with the file and the command",
    options: "",
};

/// What to try for a reason.
fn advice(kind: ReasonKind, is_c: bool, requested: Bound) -> Vec<Advice> {
    use ReasonKind as Kind;
    let few = (requested == Bound::Any).then_some(FEW);
    let of_c = |it: Advice| is_c.then_some(it);
    let list = match kind {
        Kind::Time | Kind::Ticks => vec![Some(TIME), few, of_c(PREDICATE), Some(COUNTERS)],
        Kind::Memory => vec![Some(MEMORY), few, of_c(PREDICATE), Some(COUNTERS)],
        Kind::Interrupted => vec![Some(AGAIN), few],
        Kind::Bound => vec![Some(ALL_ENGINES), few],
        Kind::Suspect => vec![Some(if is_c { PREDICATE } else { EXACT }), of_c(STATES)],
        Kind::Refinement => vec![Some(PREDICATE), Some(STATES)],
        Kind::Unsupported => vec![Some(REWRITE), of_c(DEFINE), Some(ALL_ENGINES)],
        Kind::NonMonotone => vec![Some(ALL_ENGINES), few],
        Kind::Approximation => vec![of_c(DEFINE)],
        Kind::Rejected | Kind::Fault => vec![Some(FAULT)],
    };
    list.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_threads_are_advised_where_any_number_was_requested() {
        let texts =
            |bound| advice(ReasonKind::Time, true, bound).iter().map(|it| it.text).collect::<Vec<_>>();
        assert!(texts(Bound::Any).contains(&FEW.text));
        assert!(!texts(Bound::AtMost(3)).contains(&FEW.text));
    }
}
