//! The laws of `verify`, tried with engines that break them: whatever an engine says, nothing false is told.

use base::{Event, NoEvents, Setting, SourceMap, Stop};
use engines::{Cx, Engine};
use front::ReadOptions;
use front::dialects::tts::read_tts;
use ir::certificate::{Body, Fingerprint, ReachedMarkings, States, View};
use ir::net::{Machine, Marking, Move};
use ir::trace::NetTrace;
use ir::{Bound, Certificate, Model, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use verify::{Answer, Limits, Outcome, Plan, Proof};

/// An engine made of a closure.
struct Puppet(fn(&Task, &mut Cx<'_>) -> Result<Verdict, Stop>);

/// The same as an engine for C: only those take C programs, and each has its own name.
struct CPuppet(&'static str, fn(&Task, &mut Cx<'_>) -> Result<Verdict, Stop>);

impl Engine for CPuppet {
    fn name(&self) -> &'static str {
        self.0
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
        (self.1)(task, cx)
    }
}

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
    let task = Task::new(model, Scope { threads });
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
        Model::Program(_) | Model::C(_) => unreachable!("the tests use nets"),
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
        passes: vec![],
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
    let confirmed = matches!(report.outcome, Outcome::Safe { proof: Proof::Confirmed { .. }, .. });
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
        Outcome::Safe { proof: Proof::Unchecked { why, .. }, .. } => Some(why),
        _ => None,
    }
}

#[test]
fn an_unchecked_proof_waits_for_one_that_can_be_checked() {
    static THOROUGH: Puppet = Puppet(|task, cx| {
        cx.budget.spend(100_000)?;
        let scope = Scope::threads(3);
        Ok(Verdict::Safe { scope, certificate: Some(proof(task, 3, scope)) })
    });
    let report = ask_with(SAFE, Bound::AtMost(3), vec![&HASTY, &THOROUGH], &Limits::default());
    assert!(matches!(report.outcome, Outcome::Safe { proof: Proof::Confirmed { .. }, .. }), "{report:?}");
}

/// What one engine proves and another refutes is a fault of one of them, no matter which was first; both
/// answers are shown.
#[test]
fn two_engines_that_contradict_each_other_are_a_fault() {
    static LATE: Puppet = Puppet(|task, cx| {
        cx.budget.spend(100_000)?;
        Ok(Verdict::Unsafe(walk(task, 2, 3)))
    });
    static AT_ONCE: Puppet = Puppet(|task, _| Ok(Verdict::Unsafe(walk(task, 2, 3))));
    for engines in [[&HASTY, &LATE], [&LATE, &HASTY], [&HASTY, &AT_ONCE]] {
        let engines: Vec<&'static dyn Engine> = engines.into_iter().map(|it| it as &dyn Engine).collect();
        let report = ask_with(UNSAFE, Bound::Any, engines, &Limits::default());
        assert_eq!(kind(&report), Some(ReasonKind::Fault), "{report:?}");
        let both = report.contradiction.as_deref().expect("both answers");
        assert!(both[0].contradicts(&both[1]), "{both:?}");
    }
}

/// How long it waits is counted in ticks, whether there is a limit of time or not.
#[test]
fn an_unchecked_proof_does_not_wait_for_ever() {
    static SLOW: Puppet = Puppet(|task, cx| {
        cx.budget.spend(100_000_000)?;
        let scope = Scope::threads(3);
        Ok(Verdict::Safe { scope, certificate: Some(proof(task, 3, scope)) })
    });
    for limits in [time(60_000), Limits::default()] {
        let report = ask_with(SAFE, Bound::AtMost(3), vec![&HASTY, &SLOW], &limits);
        assert_eq!(why_unchecked(&report), Some("the dog ate it"), "{report:?}");
    }
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

/// Two threads add to a counter; a third value is chosen at will, so that nobody lists all states.
const C_UNSAFE: &str = "#include <assert.h>\n#include <pthread.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nunsigned x, y;\n\
    void *work(void *p) { x = x + 1; return p; }\n\
    int main(void) { pthread_t t; y = __VERIFIER_nondet_uint(); pthread_create(&t, 0, work, 0); x = x + 1; pthread_join(t, 0);\n\
    assert(x == 2); return 0; }\n";
const C_SAFE: &str = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x == 1); return 0; }\n";
/// A number is chosen at will, so that nobody lists all states.
const C_MANY: &str = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nunsigned x, y;\n\
    int main(void) { x = __VERIFIER_nondet_uint(); y = x; assert(x == y); return 0; }\n";

fn c_task(text: &str) -> Task {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("selvedge-laws-{}-{number}.c", std::process::id()));
    std::fs::write(&path, text).expect("it can be written");
    // A search for undefined behaviour beside the engines would find the error before they have said
    // anything.
    let mut options = ReadOptions::default();
    options.c.property = verify::CProperty::Assert;
    let read = verify::read(&verify::Origin::File(path.clone()), &options);
    std::fs::remove_file(&path).expect("it is there");
    read.unwrap_or_else(|bad| panic!("{:?}", bad.diagnostics)).source.task(Scope::ANY)
}

fn ask_c(text: &str, engines: Vec<&'static dyn Engine>) -> Answer {
    verify::answer(&c_task(text), &Plan::of(engines), &Limits::default(), &mut NoEvents)
}

fn c_model(task: &Task) -> &ir::c::Model {
    match &task.model {
        Model::C(model) => model,
        _ => unreachable!("the test is about C"),
    }
}

/// A real run into the error, as the search of all states finds it.
fn c_error(task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let concrete = verify::c::engines().iter().find(|it| it.name() == "concrete").expect("it is built");
    concrete.run(task, cx)
}

fn hasty(_: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    cx.events.emit(Event::NoCertificate("the dog ate it"));
    Ok(Verdict::Safe { scope: Scope::ANY, certificate: None })
}

/// The laws hold for C programs, too: whatever an engine says, nothing false is told.
#[test]
fn nothing_false_is_told_of_c() {
    static OVERCLAIMS: CPuppet = CPuppet("exact", |task, _| {
        let model = c_model(task);
        let program = Fingerprint::of(&model.program, &model.machine);
        let body = Body::States(States { program, states: 7 });
        let certificate =
            Some(Certificate { scope: Scope::ANY, view: View::default(), body, passes: vec![] });
        Ok(Verdict::Safe { scope: Scope::ANY, certificate })
    });
    for text in [C_SAFE, C_UNSAFE] {
        assert_eq!(kind(&ask_c(text, vec![&OVERCLAIMS])), Some(ReasonKind::Rejected));
    }
    static LIES: CPuppet = CPuppet("exact", hasty);
    let found = ask_c(C_SAFE, vec![&LIES]);
    assert!(found.outcome.is_confirmed(), "the checker goes through the states: {found:?}");
    let found = ask_c(C_UNSAFE, vec![&LIES]);
    assert!(found.contradiction.is_some(), "a search after the proof finds the error: {found:?}");
    static CRIES: CPuppet = CPuppet("exact", |task, cx| {
        let Verdict::Unsafe(Trace::C(mut trace)) = c_error(task, cx)? else { unreachable!("it fails") };
        trace.steps.remove(0);
        Ok(Verdict::Unsafe(Trace::C(trace)))
    });
    assert_eq!(kind(&ask_c(C_UNSAFE, vec![&CRIES])), Some(ReasonKind::Rejected));
    static SUSPECTS: CPuppet = CPuppet("exact", |_, _| Ok(Verdict::Unknown(Why::Suspect(None))));
    assert_eq!(kind(&ask_c(C_UNSAFE, vec![&SUSPECTS])), Some(ReasonKind::Suspect));
    static PANICS: CPuppet = CPuppet("exact", |_, _| panic!("two and two make five"));
    assert_eq!(kind(&ask_c(C_SAFE, vec![&PANICS])), Some(ReasonKind::Fault));
}

#[test]
fn two_engines_that_contradict_each_other_about_c_are_a_fault() {
    static HASTY: CPuppet = CPuppet("exact", hasty);
    static LATE: CPuppet = CPuppet("abstract", |task, cx| {
        cx.budget.spend(500_000)?;
        c_error(task, cx)
    });
    for engines in [[&HASTY, &LATE], [&LATE, &HASTY]] {
        let engines: Vec<&'static dyn Engine> = engines.into_iter().map(|it| it as &dyn Engine).collect();
        let report = ask_c(C_UNSAFE, engines);
        assert_eq!(kind(&report), Some(ReasonKind::Fault), "{report:?}");
        let both = report.contradiction.as_deref().expect("both answers");
        assert!(both[0].contradicts(&both[1]), "{both:?}");
    }
}

/// The search of all states has no certificate and is often the first: its proof waits for one that can be
/// checked.
#[test]
fn an_unchecked_proof_about_c_waits_for_one_that_can_be_checked() {
    static UNCHECKED: CPuppet = CPuppet("concrete", hasty);
    static LATE: CPuppet = CPuppet("abstract", |task, cx| {
        cx.budget.spend(400_000)?;
        verify::c::engines().iter().find(|it| it.name() == "abstract").expect("it is built").run(task, cx)
    });
    static NEVER: CPuppet = CPuppet("exact", |_, cx| {
        loop {
            cx.budget.spend(1)?;
        }
    });
    let waited = ask_c(C_MANY, vec![&UNCHECKED, &LATE]);
    assert!(waited.outcome.is_confirmed(), "{waited:?}");
    let stopped = ask_c(C_MANY, vec![&UNCHECKED, &NEVER]);
    assert_eq!(why_unchecked(&stopped), Some("the dog ate it"), "{stopped:?}");
}

/// The one that needs least answers, however slow it is.
#[test]
fn who_answers_about_c_does_not_depend_on_the_clock() {
    static SLOW: CPuppet = CPuppet("exact", |_, cx| {
        std::thread::sleep(Duration::from_millis(50));
        cx.budget.spend(10)?;
        Ok(Verdict::Safe { scope: Scope::ANY, certificate: None })
    });
    static QUICK: CPuppet = CPuppet("abstract", |_, cx| {
        cx.budget.spend(1000)?;
        Ok(Verdict::Safe { scope: Scope::ANY, certificate: None })
    });
    assert_eq!(ask_c(C_SAFE, vec![&SLOW, &QUICK]).engine, Some("exact"));
    assert_eq!(ask_c(C_SAFE, vec![&QUICK, &SLOW]).engine, Some("exact"));
}

/// What is said of each property alone must fit what is said of all: otherwise both are shown, as a fault.
#[test]
fn an_engine_that_contradicts_itself_about_each_property_is_a_fault() {
    static TWO_FACED: CPuppet = CPuppet("exact", |task, cx| match task.properties.len() {
        1 => hasty(task, cx),
        _ => c_error(task, cx),
    });
    let path = std::env::temp_dir().join(format!("selvedge-laws-each-{}.c", std::process::id()));
    let text = C_UNSAFE.replace("assert(x == 2);", "assert(x == 2); assert(x < 3);");
    std::fs::write(&path, text).expect("it can be written");
    let mut read = ReadOptions::default();
    read.c.property = verify::CProperty::Assert;
    let question = verify::Question {
        reading: read,
        scope: Scope::ANY,
        plan: Plan::of(vec![&TWO_FACED]),
        limits: Limits::default(),
        each: true,
    };
    let report = verify::check(&verify::Origin::File(path.clone()), &question, &mut NoEvents);
    std::fs::remove_file(&path).expect("it is there");
    let answer = report.answer.expect("the file can be read");
    assert_eq!(kind(&answer), Some(ReasonKind::Fault), "{answer:?}");
    let both = answer.contradiction.as_deref().expect("both answers");
    assert!(both[0].contradicts(&both[1]), "{both:?}");
}
