//! The verdict in words: the line that ends standard output.

use crate::document::Text;
use crate::noun::Noun;
use crate::properties;
use crate::trace::states::{self, StateNames};
use base::{SourceMap, Span};
use ir::c::Sought;
use ir::certificate::{Body, ClassClosure, Closure, TokenClosure};
use ir::property::{MEMORY, OVERFLOW, Site};
use ir::{Model, Property, Reason, ReasonKind, Trace};
use verify::predicates::Separated;
use verify::{Answer, Assumption, Outcome, Proof, Report, Run, Source};

/// The verdict line, without a line end; bad input has none.
pub fn line(report: &Report) -> Option<String> {
    report.answer.as_ref().map(|answer| of(report, answer))
}

/// The line of an answer about the file or one of its properties. The names in it are as the file has them:
/// the writer sanitises them.
pub fn of(report: &Report, answer: &Answer) -> String {
    let nothing = properties::remark_on_nothing(report).map(|it| format!(", {it}"));
    words(report, answer, &nothing.unwrap_or_default())
}

/// The same, with the number of properties.
pub fn with_count(report: &Report, answer: &Answer) -> String {
    let count = properties::counted_properties(report.properties.len());
    let remark = match properties::remark_on_nothing(report) {
        Some(nothing) => format!(", {count}, {nothing}"),
        None => format!(", {count}"),
    };
    words(report, answer, &remark)
}

/// The line; `remark` is what is said of the properties, with a comma.
fn words(report: &Report, answer: &Answer, remark: &str) -> String {
    let engine = match (answer.way, answer.engine) {
        (Some(way), Some(engine)) if way != engine => format!("{way}, {engine}"),
        (way, engine) => engine.or(way).unwrap_or("no engine").to_string(),
    };
    match &answer.outcome {
        Outcome::Safe { scope, proof } => {
            let how = proof.certificate().and_then(|it| extent(&it.body));
            let how = how.map(|it| format!("{it}, "));
            let (claim, pairs) = races(report, answer.separated);
            let proof = match proof {
                Proof::Confirmed { .. } => "certificate confirmed".to_string(),
                Proof::Unchecked { certificate: Some(_), why } => format!("certificate unchecked: {why}"),
                Proof::Unchecked { certificate: None, why } => format!("no certificate: {why}, unchecked"),
            };
            let scope = Noun::of(report).scope(*scope);
            let assuming = assuming(&report.sources, &answer.assumptions);
            let how = format!("{pairs}{engine}, {}", how.unwrap_or_default());
            format!("safe: {scope}{claim} ({how}{proof}{remark}){assuming}")
        }
        Outcome::Unsafe { property, trace, threads, run } => {
            let (threads, steps) = (Noun::of(report).needed(*threads, trace), counted(trace.len(), "step"));
            let says = violated(report, property, trace, run).says;
            let given = given(answer);
            // Who waits for whom says how many threads there are.
            let threads = match property.site {
                Site::Deadlock => ",".to_string(),
                Site::Leak => String::new(),
                _ => format!(" with {threads}"),
            };
            format!("unsafe: {says}{threads} in {steps}{given} (trace replayed{remark})")
        }
        Outcome::Unknown(reason) => {
            let best = match (answer.best.threads, answer.best.rounds) {
                (Some(1), _) => Noun::of(report).reword("; safe with one thread"),
                (Some(n), _) => Noun::of(report).reword(&format!("; safe up to {n} threads")),
                (None, Some(n)) => format!("; safe up to {}", counted(n as usize, "round")),
                (None, None) => String::new(),
            };
            let width = answer.best.width.map(|width| format!("; no proof of width {width}"));
            // A verdict is one line, whatever a message holds.
            let message = message(report, answer, reason);
            let message: Vec<&str> = message.split_whitespace().collect();
            let remark = remark.replacen(',', ";", 1);
            format!("unknown: {}{best}{}{remark}", message.join(" "), width.unwrap_or_default())
        }
    }
}

/// Why there is no answer, with places as `file:line`; for a C program what each way says, where they differ.
pub fn message(report: &Report, answer: &Answer, reason: &Reason) -> String {
    let one = |reason: &Reason| {
        // How an alarm came about takes many lines; the first says what it is.
        let message = match reason.kind {
            ReasonKind::Refinement => reason.message.lines().next().unwrap_or_default(),
            _ => &reason.message,
        };
        match (reason.kind, reason.span) {
            (ReasonKind::Unsupported, Some(span)) => {
                format!("{message} at {} is not supported", line_of(report, span))
            }
            (_, Some(span)) => format!("{message} at {}", line_of(report, span)),
            (_, None) => message.to_string(),
        }
    };
    if answer.reasons.is_empty() {
        return one(reason);
    }
    let each = answer.reasons.iter().map(|it| format!("{}: {}", it.engine, one(&it.reason)));
    each.collect::<Vec<_>>().join("; ")
}

/// How the alarms came about that kept a C program from being proved, in lines.
pub fn alarms(report: &Report) -> Text {
    let Some(Answer { outcome: Outcome::Unknown(reason), reasons, .. }) = &report.answer else {
        return Text::default();
    };
    let all = reasons.iter().map(|it| &it.reason).chain(Some(reason).filter(|_| reasons.is_empty()));
    let alarms = all.filter(|reason| reason.kind == ReasonKind::Refinement);
    let lines = alarms.flat_map(|reason| reason.message.lines().skip(1));
    lines.collect()
}

/// What an answer takes for granted, with places as `file:line`; what is the same in one line is said once.
/// Places without undefined behaviour are listed if `all` of them are wanted.
pub fn assumptions(report: &Report, answer: &Answer, all: bool) -> Vec<String> {
    let wanted = |it: &&Assumption| all || matches!(it, Assumption::General(_));
    let wanted = answer.assumptions.iter().filter(wanted);
    let mut all: Vec<String> = wanted.map(|it| assumption(report, it)).collect();
    all.dedup();
    all
}

fn assumption(report: &Report, assumption: &Assumption) -> String {
    match assumption {
        Assumption::General(text) => text.clone(),
        Assumption::Given(what) => format!("external functions: {what}"),
        Assumption::NoUndefined { span, fault } => no_undefined(&report.sources, *span, fault),
    }
}

/// What a proof assumes of undefined behaviour, at the end of its line: the first place, and how many there
/// are.
pub fn assuming(sources: &SourceMap, assumptions: &[Assumption]) -> String {
    let mut places: Vec<String> = vec![];
    for it in assumptions {
        if let Assumption::NoUndefined { span, fault } = it {
            places.push(no_undefined(sources, *span, fault));
        }
    }
    places.dedup();
    match &places[..] {
        [] => String::new(),
        [only] => format!(" assuming {only}"),
        [first, _] => format!(" assuming {first} and 1 other place"),
        [first, rest @ ..] => format!(" assuming {first} and {} other places", rest.len()),
    }
}

fn no_undefined(sources: &SourceMap, span: Option<Span>, fault: &str) -> String {
    let place = span.map(|span| {
        let file = sources.file(span.file);
        format!(" at {}:{}", file.name(), file.position(span.start).line)
    });
    format!("no undefined behaviour{} ({fault})", place.unwrap_or_default())
}

/// What functions that nobody defines give in the run into the error, if it depends on that.
fn given(answer: &Answer) -> String {
    let given: Vec<&str> = answer
        .assumptions
        .iter()
        .filter_map(|it| if let Assumption::Given(what) = it { Some(what.as_str()) } else { None })
        .collect();
    if given.is_empty() { String::new() } else { format!(" assuming that {}", given.join(" and ")) }
}

/// A place as `file:line`.
fn line_of(report: &Report, span: Span) -> String {
    let file = report.sources.file(span.file);
    format!("{}:{}", file.name(), file.position(span.start).line)
}

/// What a proof says where nothing but races was asked about, and how many pairs of accesses it keeps apart.
fn races(report: &Report, separated: Option<Separated>) -> (&'static str, String) {
    if properties::model_of_races(report).is_none() {
        return ("", String::new());
    }
    match separated {
        Some(Separated { pairs: 0, .. }) => (", no two threads touch the same plain memory", String::new()),
        Some(Separated { pairs, by_locks }) => {
            let locks = if by_locks > 0 { format!(", {by_locks} by locks") } else { String::new() };
            let pairs = if pairs == 1 { "1 pair".to_string() } else { format!("{pairs} pairs") };
            (", no data race", format!("{pairs} of accesses{locks}; "))
        }
        None => (", no data race", String::new()),
    }
}

/// How far a proof looks, where that is one number.
pub(crate) fn extent(body: &Body) -> Option<String> {
    match body {
        Body::Closure(Closure { width, .. })
        | Body::ClassClosure(ClassClosure { width, .. })
        | Body::TokenClosure(TokenClosure { width, .. }) => Some(format!("width {width}")),
        Body::Game(game) => Some(counted(game.rounds as usize, "round")),
        Body::Predicates(by) => Some(format!("{}, width {}", counted(by.count(), "predicate"), by.width())),
        Body::Order(by) => {
            let resources = counted(by.order.resources.len(), "resource");
            Some(format!("order of {resources}, {}", counted(by.invariant.count(), "predicate")))
        }
        Body::States(by) => Some(counted(by.states as usize, "state")),
        _ => None,
    }
}

/// A number with its noun.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// What is violated.
pub struct Violated {
    /// The word in the contract.
    pub kind: &'static str,
    /// Where, if it is in the source.
    pub location: Option<String>,
    /// The beginning of the verdict line.
    pub says: String,
    /// Of an invalid access or `free`: which.
    pub sub: Option<String>,
    /// How the competition on software verification says it, where a list of properties was asked about.
    pub sv_comp: Option<String>,
    /// Of a race: where the two accesses are, on what, and how they access it.
    pub race: Option<ViolatedRace>,
}

/// A race that is told.
pub struct ViolatedRace {
    /// Where the accesses are.
    pub locations: Vec<String>,
    /// What they access.
    pub object: String,
    /// How.
    pub modes: Vec<&'static str>,
}

/// What a run violates.
pub fn violated(report: &Report, property: &Property, trace: &Trace, run: &Run) -> Violated {
    let kind = property.class.word();
    if let (Trace::C(trace), Run::C(states)) = (trace, run)
        && let (Some(Model::C(model)), Some(state)) =
            (report.source.as_ref().map(Source::model), states.last())
    {
        let names = StateNames { sources: &report.sources, program: &model.program, state };
        if let Some((name, race)) = of_state(&names, &trace.failure) {
            let says = property.class.sentence(&name, "");
            let sv_comp = sv_comp(report, property, &trace.failure.kind);
            let leak = if let ::c::FailureKind::Leak(leak) = &trace.failure.kind { Some(leak) } else { None };
            let location = leak.and_then(|_| names.place_of(trace.failure.step.at));
            let sub = leak.map(|leak| leak.kind.word().to_string());
            return Violated { kind, location, says, sub, sv_comp, race };
        }
    }
    let (name, span) = match trace {
        Trace::C(trace) => of_c(report, property, trace, run),
        _ => (property.text.clone(), property.span),
    };
    let says = property.class.sentence(&name, &at(report, span));
    let location = span.map(|span| report.sources.describe(span));
    let failure = if let Trace::C(trace) = trace { Some(&trace.failure.kind) } else { None };
    let sub = failure.filter(|_| property.class == MEMORY).map(|_| sub_kind(&name));
    let sv_comp = failure.and_then(|it| sv_comp(report, property, it));
    Violated { kind, location, says, sub, sv_comp, race: None }
}

/// What is wrong with an access or a `free`, without names.
fn sub_kind(words: &str) -> String {
    match words.split_once(" of `") {
        Some(("use", _)) => "use outside its lifetime".to_string(),
        Some((kind, _)) => kind.to_string(),
        None => words.to_string(),
    }
}

/// The result in the words of the competition on software verification.
fn sv_comp(report: &Report, property: &Property, kind: &::c::FailureKind) -> Option<String> {
    let Some(Model::C(model)) = report.source.as_ref().map(Source::model) else { return None };
    if !matches!(model.property, Sought::List(_)) {
        return None;
    }
    let name = match kind {
        ::c::FailureKind::Undefined(::c::Fault::BadFree) => "valid-free",
        ::c::FailureKind::Undefined(fault) if fault.is_memory() => "valid-deref",
        // Who wants all memory freed in the end does not mind when it was lost.
        ::c::FailureKind::Leak(_) if model.machine.leaks == ::c::Leaks::All => "valid-memcleanup",
        _ => property.class.0.sv_comp?,
    };
    Some(format!("false({name})"))
}

/// What is wrong with a state: the end of the sentence, and what JSON says of a race.
fn of_state(names: &StateNames<'_>, failure: &::c::Failure) -> Option<(String, Option<ViolatedRace>)> {
    match &failure.kind {
        ::c::FailureKind::Race(race) => {
            let race_shown = ViolatedRace {
                locations: race.accesses.iter().filter_map(|it| names.place(it.thread, it.at)).collect(),
                object: names.object(&race.accesses[0].access),
                modes: race.accesses.iter().map(|it| it.access.mode.word()).collect(),
            };
            Some((states::race(names, race), Some(race_shown)))
        }
        ::c::FailureKind::Deadlock(deadlock) => Some((states::deadlock(names, deadlock), None)),
        ::c::FailureKind::Leak(leak) => Some((states::leak(names, leak, failure.step.at), None)),
        ::c::FailureKind::Property(_) | ::c::FailureKind::Undefined(_) => None,
    }
}

/// What fails in a C program, and where.
fn of_c(report: &Report, property: &Property, trace: &::c::Trace, run: &Run) -> (String, Option<Span>) {
    let Some(Model::C(model)) = report.source.as_ref().map(Source::model) else {
        return (property.text.clone(), property.span);
    };
    let ::c::Step { thread, at, .. } = trace.failure.step;
    let place = match run {
        Run::C(states) => states.last().and_then(|state| {
            StateNames { sources: &report.sources, program: &model.program, state }.span(thread, at)
        }),
        _ => model.program.at(at).span,
    };
    match &trace.failure.kind {
        ::c::FailureKind::Property(_) if property.class == OVERFLOW => {
            let span = property.span.or(place);
            let text = span.and_then(|span| short(report.sources.file(span.file).text(), span));
            (text.unwrap_or_else(|| property.text.clone()), span)
        }
        ::c::FailureKind::Property(_) => {
            let called = property.text.split('(').next().unwrap_or_default();
            (called.to_string(), property.span.or(place))
        }
        ::c::FailureKind::Undefined(fault) => (verify::undefined::words(&model, trace, fault), place),
        ::c::FailureKind::Race(_) | ::c::FailureKind::Deadlock(_) | ::c::FailureKind::Leak(_) => {
            (property.text.clone(), place)
        }
    }
}

/// The text at a place, if it is short and on one line.
fn short(text: &str, span: Span) -> Option<String> {
    const LONGEST: usize = 60;
    let text = text.get(span.start as usize..span.end as usize)?;
    let fits = text.chars().count() <= LONGEST && !text.contains('\n');
    fits.then(|| text.to_string())
}

/// ` at FILE:LINE`, if it has a place.
fn at(report: &Report, span: Option<Span>) -> String {
    let place = span.map(|span| {
        let file = report.sources.file(span.file);
        format!(" at {}:{}", file.name(), file.position(span.start).line)
    });
    place.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Paint;
    use ir::certificate::{ReachedMarkings, View};
    use ir::{Certificate, Reason, Scope};
    use std::time::Duration;
    use verify::Best;

    fn report(outcome: Option<Outcome>, best: Best) -> Report {
        Report {
            name: "a.bp".to_string(),
            sources: base::SourceMap::new(),
            diagnostics: vec![],
            notes: vec![],
            source: None,
            properties: vec![],
            vacuity: verify::Vacuity::default(),
            each: vec![],
            requested: Scope::ANY,
            answer: outcome.map(|outcome| Answer { engine: Some("explicit"), best, ..Answer::of(outcome) }),
            counters: vec![],
            rounds: vec![],
            time: Duration::ZERO,
            peak_memory: None,
        }
    }

    #[test]
    fn what_was_not_confirmed_says_so() {
        let outcome = |certificate| Outcome::Safe {
            scope: Scope::threads(3),
            proof: Proof::Unchecked { certificate, why: "too many states to list".to_string() },
        };
        let shown = |certificate| line(&report(Some(outcome(certificate)), Best::default()));
        let expected = "safe: up to 3 threads (explicit, no certificate: too many states to list, unchecked)";
        assert_eq!(shown(None).as_deref(), Some(expected));
        let body = Body::ReachedMarkings(ReachedMarkings { markings: vec![], bound: 3 });
        let expected = "safe: up to 3 threads (explicit, certificate unchecked: too many states to list)";
        assert_eq!(
            shown(Some(Certificate {
                scope: Scope::threads(3),
                view: View::default(),
                body,
                passes: vec![]
            }))
            .as_deref(),
            Some(expected)
        );
    }

    #[test]
    fn unknown_has_a_reason() {
        let unknown = |kind, best| report(Some(Outcome::Unknown(Reason::new(kind, "a\nreason"))), best);
        let best = Best { threads: Some(5), rounds: None, width: Some(2) };
        let stopped = unknown(ReasonKind::Interrupted, best);
        let expected = "unknown: a reason; safe up to 5 threads; no proof of width 2";
        assert_eq!(line(&stopped).as_deref(), Some(expected));
    }

    #[test]
    fn a_contradiction_shows_both_answers() {
        let engine = |name, outcome| Answer { engine: Some(name), ..Answer::of(outcome) };
        let proof = Proof::without_certificate("nobody wrote one");
        let safe = engine("modular", Outcome::Safe { scope: Scope::ANY, proof });
        let other = engine("cover", Outcome::Unknown(Reason::new(ReasonKind::Bound, "too few")));
        let mut found = report(None, Best::default());
        found.answer = Some(Answer::contradiction(safe, other));
        let shown = crate::json::contradiction(&found).render(Paint::Plain);
        let engines: Vec<_> = shown
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("one object a line"))
            .map(|it| it["engine"].as_str().unwrap_or_default().to_string())
            .collect();
        assert_eq!(engines, ["modular", "cover"]);
    }
}
