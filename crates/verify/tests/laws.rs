//! The laws of `verify`, tried with engines that break them: whatever an engine says, nothing false is told.

use base::{Event, NoEvents, Setting, SourceMap, Stop};
use engines::{Cx, Engine};
use front::ReadOptions;
use front::dialects::tts::read_tts;
use ir::certificate::{Body, ReachedMarkings, View};
use ir::net::{Machine, Marking, Move};
use ir::trace::NetTrace;
use ir::{Bound, Certificate, Model, Property, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use std::sync::Arc;
use std::time::{Duration, Instant};
use verify::{Answer, Evidence, Limits, Outcome, Plan};

/// An engine made of a closure.
struct Puppet(fn(&Task, &mut Cx<'_>) -> Result<Verdict, Stop>);

impl Engine for Puppet {
    fn name(&self) -> &'static str {
        "puppet"
    }
    fn about(&self) -> &'static str {
        "says what the test wants"
    }
    fn paper(&self) -> &'static str {
        ""
    }
    fn settings(&self) -> &'static [Setting] {
        &[]
    }
    fn accepts(&self, _: &Task) -> Result<(), Reason> {
        Ok(())
    }
    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        (self.0)(task, cx)
    }
}

/// One thread at a time gets from 0 to 2; two of them in 2 at once is the target.
const SAFE: &str = "2 3\n0 0 -> 1 1\n1 1 -> 0 2\n1|1,1\n";
const UNSAFE: &str = "2 3\n0 0 -> 0 1\n0 1 -> 1 2\n1|2,1\n";

fn ask_with(text: &str, threads: Bound, engines: Vec<&'static dyn Engine>, limits: &Limits) -> Answer {
    let mut map = SourceMap::new();
    let file = map.add("test.tts", text);
    let (net, _) = read_tts(&map, file, &ReadOptions::default(), None).expect("a net");
    let model = Model::Net(Arc::new(net));
    let task = Task { model, property: Property::NoError, scope: Scope { threads } };
    verify::answer(&task, &Plan::of(engines), limits, &mut NoEvents)
}

fn ask(text: &str, threads: Bound, engine: &'static Puppet) -> Answer {
    ask_with(text, threads, vec![engine], &Limits::default())
}

fn time(millis: u64) -> Limits {
    Limits { time: Some(Duration::from_millis(millis)), ..Limits::default() }
}

fn kind(report: &Answer) -> Option<ReasonKind> {
    match &report.outcome {
        Outcome::Unknown(reason) => Some(reason.kind),
        _ => None,
    }
}

fn net(task: &Task) -> &ir::Net {
    match &task.model {
        Model::Net(net) => net,
        Model::Program(_) => unreachable!("the tests use nets"),
    }
}

/// All markings reachable with at most `bound` tokens, as a proof for `scope`.
fn proof(task: &Task, bound: u32, scope: Scope) -> Certificate {
    let mut all: Vec<Marking> =
        Machine::new(net(task), Some(bound)).reachable(1000).expect("a small net").into_iter().collect();
    all.sort();
    let held = |marking: &Marking| {
        let tokens = net(task).places().ids().zip(marking.tokens.iter().copied());
        (marking.shared, tokens.filter(|it| it.1 > 0).collect())
    };
    Certificate {
        scope,
        view: View::default(),
        body: Body::ReachedMarkings(ReachedMarkings { markings: all.iter().map(held).collect(), bound }),
    }
}

/// A run of the net that takes the first possible step `steps` times.
fn walk(task: &Task, tokens: u32, steps: usize) -> Trace {
    let machine = Machine::new(net(task), Some(tokens));
    let start = machine.starts().into_iter().find(|it| it.total() == u64::from(tokens)).expect("a start");
    let mut marking = start.clone();
    let mut moves: Vec<Move> = vec![];
    for _ in 0..steps {
        let (step, after) = machine.steps(&marking).swap_remove(0);
        moves.push(step);
        marking = after;
    }
    Trace::Net(NetTrace { start, steps: moves })
}

#[test]
fn a_bounded_proof_answers_a_bounded_question_only() {
    static HONEST: Puppet = Puppet(|task, _| {
        let scope = Scope::threads(3);
        Ok(Verdict::Safe { scope, certificate: Some(proof(task, 3, scope)) })
    });
    let report = ask(SAFE, Bound::AtMost(3), &HONEST);
    let confirmed = matches!(report.outcome, Outcome::Safe { evidence: Evidence::Confirmed, .. });
    assert!(confirmed, "{:?}", report.outcome);
    let report = ask(SAFE, Bound::Any, &HONEST);
    assert_eq!((kind(&report), report.best.threads), (Some(ReasonKind::Bound), Some(3)));
}

#[test]
fn an_overclaim_is_rejected() {
    static OVERCLAIMS: Puppet = Puppet(|task, _| {
        Ok(Verdict::Safe { scope: Scope::ANY, certificate: Some(proof(task, 2, Scope::ANY)) })
    });
    assert_eq!(kind(&ask(SAFE, Bound::Any, &OVERCLAIMS)), Some(ReasonKind::Rejected));
}

#[test]
fn a_false_proof_is_rejected() {
    static LIES: Puppet = Puppet(|task, _| {
        let mut certificate = proof(task, 3, Scope::threads(3));
        if let Body::ReachedMarkings(reached) = &mut certificate.body {
            reached.markings.pop();
        }
        Ok(Verdict::Safe { scope: Scope::threads(3), certificate: Some(certificate) })
    });
    assert_eq!(kind(&ask(SAFE, Bound::AtMost(3), &LIES)), Some(ReasonKind::Rejected));
}

#[test]
fn a_proof_without_certificate_is_unchecked() {
    static UNPROVED: Puppet = Puppet(|_, _| Ok(Verdict::Safe { scope: Scope::ANY, certificate: None }));
    let report = ask(SAFE, Bound::Any, &UNPROVED);
    assert_eq!(why_unchecked(&report), Some("none was written"), "{report:?}");
}

/// Proves at once, and shows nothing.
static HASTY: Puppet = Puppet(|_, cx| {
    cx.events.emit(Event::NoCertificate("the dog ate it"));
    Ok(Verdict::Safe { scope: Scope::ANY, certificate: None })
});

fn why_unchecked(report: &Answer) -> Option<&str> {
    match &report.outcome {
        Outcome::Safe { evidence: Evidence::Unchecked, why_unchecked, .. } => why_unchecked.as_deref(),
        _ => None,
    }
}

#[test]
fn an_unchecked_proof_waits_for_one_that_can_be_checked() {
    static THOROUGH: Puppet = Puppet(|task, cx| {
        cx.budget.spend(1_000_000)?;
        let scope = Scope::threads(3);
        Ok(Verdict::Safe { scope, certificate: Some(proof(task, 3, scope)) })
    });
    let report = ask_with(SAFE, Bound::AtMost(3), vec![&HASTY, &THOROUGH], &Limits::default());
    assert!(matches!(report.outcome, Outcome::Safe { evidence: Evidence::Confirmed, .. }), "{report:?}");
    static FINDS: Puppet = Puppet(|task, cx| {
        cx.budget.spend(1_000_000)?;
        Ok(Verdict::Unsafe(walk(task, 2, 3)))
    });
    let report = ask_with(UNSAFE, Bound::Any, vec![&HASTY, &FINDS], &Limits::default());
    assert!(matches!(report.outcome, Outcome::Unsafe { .. }), "{report:?}");
}

#[test]
fn an_unchecked_proof_waits_for_one_round_or_until_a_limit() {
    static SLOW: Puppet = Puppet(|task, cx| {
        cx.budget.spend(100_000_000)?;
        let scope = Scope::threads(3);
        Ok(Verdict::Safe { scope, certificate: Some(proof(task, 3, scope)) })
    });
    let report = ask_with(SAFE, Bound::AtMost(3), vec![&HASTY, &SLOW], &time(60_000));
    assert!(matches!(report.outcome, Outcome::Safe { evidence: Evidence::Confirmed, .. }), "{report:?}");
    let report = ask_with(SAFE, Bound::AtMost(3), vec![&HASTY, &SLOW], &Limits::default());
    assert_eq!(why_unchecked(&report), Some("the dog ate it"), "{report:?}");
    static SPINS: Puppet = Puppet(|_, cx| {
        loop {
            cx.budget.spend(1)?;
        }
    });
    static DEAF: Puppet = Puppet(|_, _| {
        loop {
            std::thread::park();
        }
    });
    for other in [&SPINS, &DEAF] {
        let report = ask_with(SAFE, Bound::Any, vec![&HASTY, other], &time(50));
        assert_eq!(why_unchecked(&report), Some("the dog ate it"), "{report:?}");
        assert_eq!(report.engine, Some("puppet"));
    }
}

#[test]
fn a_trace_counts_when_it_can_be_replayed() {
    static FINDS: Puppet = Puppet(|task, _| Ok(Verdict::Unsafe(walk(task, 2, 3))));
    let report = ask(UNSAFE, Bound::Any, &FINDS);
    assert!(matches!(report.outcome, Outcome::Unsafe { threads: 2, .. }), "{:?}", report.outcome);
    static CRIES: Puppet = Puppet(|task, _| Ok(Verdict::Unsafe(walk(task, 2, 1))));
    assert_eq!(kind(&ask(UNSAFE, Bound::Any, &CRIES)), Some(ReasonKind::Rejected));
    // More threads than were asked about.
    assert_eq!(kind(&ask(UNSAFE, Bound::AtMost(1), &FINDS)), Some(ReasonKind::Rejected));
}

#[test]
fn a_suspect_is_no_alarm() {
    static SUSPECTS: Puppet = Puppet(|task, _| Ok(Verdict::Unknown(Why::Suspect(Some(walk(task, 2, 3))))));
    assert_eq!(kind(&ask(UNSAFE, Bound::Any, &SUSPECTS)), Some(ReasonKind::Suspect));
}

#[test]
fn a_panic_is_a_fault() {
    static PANICS: Puppet = Puppet(|_, _| panic!("two and two make five"));
    let report = ask(SAFE, Bound::Any, &PANICS);
    let Outcome::Unknown(reason) = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(reason, &Reason::new(ReasonKind::Fault, "two and two make five"));
}

#[test]
fn the_clock_stops_an_engine_and_the_best_result_stays() {
    static SPINS: Puppet = Puppet(|_, cx| {
        cx.events.emit(Event::SafeUpToThreads(5));
        loop {
            cx.budget.spend(1)?;
        }
    });
    let report = ask_with(SAFE, Bound::Any, vec![&SPINS], &time(50));
    let Outcome::Unknown(reason) = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!((reason.kind, reason.message.as_str()), (ReasonKind::Time, "time limit 0.05 s reached"));
    assert_eq!(report.best.threads, Some(5));
}

#[test]
fn an_engine_that_never_looks_is_left_behind() {
    static DEAF: Puppet = Puppet(|_, _| {
        loop {
            std::thread::park();
        }
    });
    let begin = Instant::now();
    let report = ask_with(SAFE, Bound::Any, vec![&DEAF], &time(10));
    assert_eq!(kind(&report), Some(ReasonKind::Time));
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn the_next_engine_is_asked_when_one_does_not_know() {
    static SHRUGS: Puppet = Puppet(|_, _| Ok(Verdict::Unknown(Why::Suspect(None))));
    static KNOWS: Puppet = Puppet(|_, _| Ok(Verdict::Safe { scope: Scope::ANY, certificate: None }));
    let report = ask_with(SAFE, Bound::Any, vec![&SHRUGS, &KNOWS], &Limits::default());
    assert!(matches!(report.outcome, Outcome::Safe { .. }));
    let report = ask_with(SAFE, Bound::Any, vec![], &Limits::default());
    assert_eq!(kind(&report), Some(ReasonKind::Unsupported));
}
