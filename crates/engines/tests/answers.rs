//! Answers that must be just so: their scope, their reason, how many threads and states they take, and when
//! they stop.

mod kit;

use base::{Arena, Budget, Event, Id, SourceMap, Stop};
use engines::{Counter, Cover, Engine, Explicit, Modular, Simulate};
use front::{ReadOptions, read_program};
use ir::bp::{Loc, Program};
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};
use ir::trace::ProgramTrace;
use ir::{Bound, Model, ReasonKind, Scope, Task, Trace, Verdict, Why};
use kit::{ask, replay, task};
use std::sync::Arc;

type Options<'a> = &'a [(&'a str, &'a str)];

/// The engines that explore one number of threads after the other, with an option that stops them at four.
const BOUNDED: [(&dyn Engine, Options<'_>); 3] = [
    (&Explicit, &[("explicit.most_threads", "4")]),
    (&Counter, &[("counter.most_threads", "4")]),
    (&Simulate, &[("simulate.most_threads", "4")]),
];

fn read(text: &str, entry: Option<&str>) -> Model {
    let mut map = SourceMap::default();
    let source = map.add("test".to_string(), text.to_string());
    let options = ReadOptions { entry: entry.map(str::to_string), ..ReadOptions::default() };
    Model::Program(Arc::new(read_program(&map, source, &options).expect("a program").0))
}

fn program(model: &Model) -> &Program {
    let Model::Program(program) = model else { panic!("a program") };
    program
}

/// The verdict, and what the engine told on the way.
fn run(
    engine: &dyn Engine,
    task: &Task,
    options: Options<'_>,
    ticks: u64,
) -> (Result<Verdict, Stop>, Vec<Event>) {
    let mut events = vec![];
    (ask(engine, task, options, &Budget::with_ticks(ticks), &mut events), events)
}

fn verdict(engine: &dyn Engine, model: &Model, threads: Bound, options: Options<'_>) -> Verdict {
    run(engine, &task(model, threads), options, 200_000_000).0.expect("the budget is large enough")
}

fn safe_scope(verdict: &Verdict) -> Option<Scope> {
    if let Verdict::Safe { scope, .. } = verdict { Some(*scope) } else { None }
}

/// The trace, after it was replayed.
fn replayed(model: &Model, threads: Bound, verdict: Verdict) -> ProgramTrace {
    let Verdict::Unsafe(trace) = verdict else { panic!("unsafe, not {verdict:?}") };
    replay(&task(model, threads), &trace);
    let Trace::Program(trace) = trace else { panic!("a trace of a program") };
    trace
}

/// While threads are created for ever the bound matters for ever; where one is created once, it does not.
#[test]
fn the_bound_is_part_of_the_answer() {
    let endless = read("void f() begin skip; end void main() begin l: start_thread f(); goto l; end", None);
    let once = read("void f() begin skip; end void main() begin start_thread f(); end", None);
    for (engine, options) in BOUNDED {
        let answer = |model, bound| verdict(engine, model, bound, options);
        assert_eq!(safe_scope(&answer(&endless, Bound::AtMost(3))), Some(Scope::threads(3)));
        let any = answer(&endless, Bound::Any);
        assert!(matches!(any, Verdict::Unknown(Why::OutOfScope(it)) if it == Scope::threads(4)));
        assert_eq!(safe_scope(&answer(&once, Bound::AtMost(1))), Some(Scope::threads(1)));
        assert_eq!(safe_scope(&answer(&once, Bound::AtMost(2))), Some(Scope::ANY));
        assert_eq!(safe_scope(&answer(&once, Bound::Any)), Some(Scope::ANY));
        let (stopped, events) = run(engine, &task(&endless, Bound::Any), &[], 2_000);
        assert!(stopped.is_err() && events.contains(&Event::SafeUpToThreads(1)), "{}", engine.name());
    }
}

/// A thread that the bound refused is created, and idle, in the trace for any number of threads, unless it
/// stands in the way for ever.
#[test]
fn refused_threads_are_created_in_the_trace() {
    let fails = "void f() begin skip; end void main() begin start_thread f(); assert(0); end";
    let blocks = "decl g; void f() begin decl v := 0; l: goto l; end
        void main() begin start_thread f(); g := 0 constrain v$; assert(0); end";
    let (fails, blocks) = (read(fails, None), read(blocks, None));
    for (engine, options) in BOUNDED {
        let trace = replayed(&fails, Bound::Any, verdict(engine, &fails, Bound::Any, options));
        assert_eq!(trace.steps[0].births.len(), 1);
        assert!(matches!(verdict(engine, &blocks, Bound::AtMost(1), options), Verdict::Unsafe(_)));
        assert_eq!(safe_scope(&verdict(engine, &blocks, Bound::Any, options)), Some(Scope::ANY));
    }
}

/// The trace tells invisible transitions too, and stops at the first error among them.
#[test]
fn invisible_transitions_are_reported() {
    let text = "void main() begin decl l := 0; skip; l := 1; skip; assert(!l); skip; end";
    let model = read(text, Some("main"));
    let mut builder = program(&model).edit();
    (1..5).for_each(|at| builder.at(Loc::from_index(at)).invisible = true);
    let model = Model::Program(Arc::new(builder.finish().expect("it was valid before")));
    for (engine, _) in BOUNDED {
        let trace = replayed(&model, Bound::AtMost(2), verdict(engine, &model, Bound::AtMost(2), &[]));
        assert_eq!(trace.steps.len(), 3, "{}", engine.name());
    }
}

#[test]
fn calls_are_refused_by_name() {
    for recursive in [false, true] {
        let call = if recursive { "f();" } else { "skip;" };
        let model = read(&format!("void f() begin {call} end void main() begin f(); end"), None);
        let all: [&dyn Engine; 4] = [&Explicit, &Counter, &Simulate, &Cover];
        for engine in all {
            let reason = engine.accepts(&task(&model, Bound::Any)).expect_err("the program is not flat");
            assert_eq!(reason.kind, ReasonKind::Unsupported);
            assert!(reason.message.contains("`f`") && reason.message.contains("recursive") == recursive);
        }
    }
}

/// Recursion by threads refuses what would be fewer runs.
#[test]
fn callees_that_could_not_run_are_refused() {
    let recursive = "decl g; void f() begin if * then f(); fi; g := 0; end";
    let plain = read(&format!("{recursive} void main() begin g := 0; f(); assert(!g); end"), None);
    assert!(Modular.accepts(&task(&plain, Bound::AtMost(2))).is_err(), "a bound refuses callees");
    assert_eq!(safe_scope(&verdict(&Modular, &plain, Bound::Any, &[])), Some(Scope::ANY));
    let inside =
        format!("{recursive} void main() begin g := 0; atomic_begin; f(); atomic_end; assert(!g); end");
    let returns = "decl g; void f() begin if * then f(); fi; atomic_begin; end
        void main() begin f(); atomic_end; assert(!g); end";
    for text in [&inside, returns] {
        let reason = Modular.accepts(&task(&read(text, None), Bound::Any)).expect_err("it could never run");
        assert!(reason.message.contains("atomic section"), "{}", reason.message);
    }
}

/// The semaphore mutex N → T → C; `target` tokens in a place are an error.
fn mutex(target: (usize, u32)) -> Model {
    let state = |index| SharedStateId::from_index(index);
    let place = |index| PlaceId::from_index(index);
    let rule = |from: usize, take: usize, to: usize, make: usize| Rule {
        from: state(from),
        to: state(to),
        tests: vec![],
        take: vec![(place(take), 1)],
        moves: vec![],
        make: vec![(place(make), 1)],
        span: None,
    };
    let rules = [rule(0, 0, 0, 1), rule(1, 0, 1, 1), rule(0, 1, 1, 2), rule(1, 2, 0, 0), rule(0, 2, 0, 0)];
    let tokens = vec![Interval::at_least(0), Interval::exactly(0), Interval::exactly(0)];
    let places: Arena<PlaceId, Place> =
        ["N", "T", "C"].map(|it| Place { name: it.into() }).into_iter().collect();
    let target = Target { shared: None, places: vec![(place(target.0), Interval::at_least(target.1))] };
    let shared = ["0", "1"].map(String::from).into_iter().collect();
    let start = NetStart { shared: state(0), tokens };
    let net = Net::new(shared, places, rules.into_iter().collect(), start, vec![target]);
    Model::Net(Arc::new(net.expect("a valid net")))
}

#[test]
fn the_mutex_has_a_linear_number_of_states() {
    let safe = mutex((2, 2));
    for n in [1u32, 8, 64] {
        let (verdict, events) = run(&Explicit, &task(&safe, Bound::AtMost(n)), &[], u64::MAX);
        assert_eq!(safe_scope(&verdict.expect("no limit")), Some(Scope::threads(n)));
        let states = events.iter().find_map(|event| match event {
            Event::Counter { name: "states", value, .. } => Some(*value),
            _ => None,
        });
        assert_eq!(states, Some(2 * u64::from(n) + 1));
    }
    let any = verdict(&Explicit, &safe, Bound::Any, &[("explicit.most_threads", "5")]);
    assert!(matches!(any, Verdict::Unknown(Why::OutOfScope(it)) if it == Scope::threads(5)));
    assert_eq!(safe_scope(&verdict(&Cover, &safe, Bound::Any, &[])), Some(Scope::ANY));
}

/// Threads that never do anything are not in the trace, though the search starts with as many as the bound
/// allows.
#[test]
fn traces_tell_how_many_threads_are_needed() {
    let model = read("decl s := 0; void main() begin assert(!s); s := 1; end", Some("main"));
    let trace = replayed(&model, Bound::AtMost(7), verdict(&Explicit, &model, Bound::AtMost(7), &[]));
    assert_eq!(trace.start.threads.len(), 2);
    for bound in [Bound::Any, Bound::AtMost(9)] {
        let found = verdict(&Explicit, &mutex((1, 3)), bound, &[]);
        let Verdict::Unsafe(Trace::Net(trace)) = found else { panic!("three can try at once") };
        assert_eq!((trace.start.total(), trace.steps.len()), (3, 3));
    }
}

/// Threads take one of `permits` permits and then one of two seats. Their data is free: nobody takes a permit
/// whose bits have even parity.
fn seats(bits: usize, permits: u32) -> Model {
    let names: Vec<String> = (0..bits).map(|index| format!("d{index}")).collect();
    let (all, parity, any) = (names.join(", "), names.join(" ^ "), vec!["*"; bits].join(", "));
    let (low, high) = (permits & 1, permits >> 1 & 1);
    let text = format!(
        "decl p0 := {low}, p1 := {high}, s1 := 0, s2 := 0;
        void worker() begin
          decl {all}, mine := 0;
          again: skip;
          assume({parity});
          atomic_begin; assume(p0 | p1); p0, p1 := !p0, p1 & p0; atomic_end;
          skip;
          atomic_begin;
          if !s1 then s1, mine := 1, 0; else assert(!s2); s2, mine := 1, 1; fi
          atomic_end;
          skip;
          atomic_begin;
          if mine then s2 := 0; else s1 := 0; fi
          p0, p1 := !p0, p1 | p0;
          atomic_end;
          {all} := {any};
          goto again;
        end
        void main() begin more: start_thread worker(); goto more; end"
    );
    read(&text, None)
}

/// Two permits for two seats are safe, which two threads at a time do not show; three are not. With 2^20
/// local states of each location listed elements come to nothing.
#[test]
fn decides_threads_with_much_data() {
    let (lists, narrow): (Options<'_>, Options<'_>) =
        (&[("cover.sets", "explicit")], &[("cover.sets", "bdd"), ("cover.width", "1")]);
    for (permits, fails) in [(2, false), (3, true)] {
        let (small, large) = (seats(2, permits), seats(20, permits));
        for (model, options) in [(&small, narrow), (&large, &[])] {
            let found = verdict(&Cover, model, Bound::Any, options);
            match fails {
                true => drop(replayed(model, Bound::Any, found)),
                false => assert_eq!(safe_scope(&found), Some(Scope::ANY), "{permits} permits"),
            }
        }
        assert!(matches!(run(&Cover, &task(&large, Bound::Any), lists, 1_000_000).0, Err(Stop::Ticks)));
    }
    let two = verdict(&Modular, &seats(2, 2), Bound::Any, &[("modular.width", "2")]);
    assert!(matches!(two, Verdict::Unknown(_)));
}

/// An element may have no more threads than there is capacity for.
#[test]
fn says_when_elements_grow_too_large() {
    let options: Options<'_> = &[("cover.sets", "bdd"), ("cover.members", "2"), ("cover.capacity", "2")];
    let Verdict::Unknown(Why::Because(reason)) = verdict(&Cover, &seats(3, 2), Bound::Any, options) else {
        panic!("two threads are not enough");
    };
    assert!(reason.kind == ReasonKind::Bound && reason.message.contains("2 threads"), "{reason:?}");
}
