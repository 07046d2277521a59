//! Programs from the papers and their errata, and one for each rule that is easy to get wrong.

mod support;

use base::{Arena, Budget, Event, Id, Settings};
use engines::{Cx, Engine, Explicit, Facts};
use ir::bp::{
    Builder, Count, ExprId, Init, Loc, LocalId, LocalScope, Node, Op, ProcId, Program, Read, SharedId, Spawn,
    Var, When, Whose,
};
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};
use ir::{Bound, Model, Property, ReasonKind, Scope, Task, Trace, Verdict};
use std::sync::Arc;
use support::{configs, program_trace, reached, replay, run_net, run_program, same_states, truth};

/// A program in the making, with short words for what the tests need.
struct Text {
    builder: Builder,
}

impl Text {
    fn new() -> Self {
        Self { builder: Builder::new() }
    }

    fn shared(&mut self, name: &str, value: bool) -> SharedId {
        self.builder.shared(name, Init::Fixed(value))
    }

    fn local(&mut self, procedure: ProcId, name: &str, value: bool) -> LocalId {
        self.builder.local(name, LocalScope::Procedure(procedure), Init::Fixed(value))
    }

    /// Writes the body of a procedure. Locations count from its entry, which `first` gives.
    fn body(&mut self, procedure: ProcId, ops: Vec<Op>) {
        self.builder.begin(procedure);
        for op in ops {
            self.builder.push(procedure, op, None);
        }
        self.builder.end(procedure, None);
    }

    fn is(&mut self, var: impl Into<V>) -> ExprId {
        self.builder.exprs().var(var.into().0)
    }

    fn not(&mut self, var: impl Into<V>) -> ExprId {
        let read = self.is(var);
        self.builder.exprs().not(read)
    }

    fn constant(&mut self, value: bool) -> ExprId {
        self.builder.exprs().constant(value)
    }

    fn any(&mut self) -> ExprId {
        self.builder.exprs().choice()
    }

    fn passive(&mut self, local: LocalId) -> ExprId {
        let read = Read { var: Var::Local(local), whose: Whose::Passive, when: When::Now };
        self.builder.exprs().add(Node::Read(read))
    }

    fn set(&mut self, var: impl Into<V>, value: bool) -> Op {
        let value = self.constant(value);
        Op::assign(var.into().0, value)
    }

    fn finish(self) -> Program {
        self.builder.finish().expect("the test's program is valid")
    }
}

struct V(Var);

impl From<SharedId> for V {
    fn from(id: SharedId) -> V {
        V(Var::Shared(id))
    }
}

impl From<LocalId> for V {
    fn from(id: LocalId) -> V {
        V(Var::Local(id))
    }
}

fn loc(index: usize) -> Loc {
    Loc::from_index(index)
}

/// All configurations agree with brute force.
fn check(program: &Program, bound: u32, is_unsafe: bool) {
    let truth = truth(program, bound, 100_000).expect("small");
    assert_eq!(truth.shortest.is_some(), is_unsafe);
    for config in configs() {
        let verdict = run_program(program, Bound::AtMost(bound), config);
        if is_unsafe {
            let trace = program_trace(verdict).unwrap_or_else(|| panic!("unsafe with {config:?}"));
            replay(program, Some(bound), &trace);
        } else {
            same_states(program, reached(&verdict), &truth.states);
        }
    }
}

fn scope(verdict: &Verdict) -> Option<Scope> {
    if let Verdict::Safe { scope, .. } = verdict { Some(*scope) } else { None }
}

/// `decl s; main: s := *; start_thread P2; P1: assume(s); end_thread; P2: assume(!s); assert(F);`: lost if `assume` only reads.
#[test]
fn listing_1_of_the_paper() {
    let mut text = Text::new();
    let s = text.shared("s", false);
    let main = text.builder.declare("main", 0);
    let (any, is, not, no) = (text.any(), text.is(s), text.not(s), text.constant(false));
    let ops = vec![
        Op::assign(Var::Shared(s), any),
        Op::Start(Spawn::Clone(loc(4))),
        Op::Assume(is),
        Op::End,
        Op::Assume(not),
        Op::Assert(no),
    ];
    text.body(main, ops);
    text.builder.template(main, Count::Exactly(1));
    check(&text.finish(), 2, true);
}

/// `main: s := T; start_thread P2; P1: l := T; s := F; end_thread; P2: assert(s);`: lost if only the next statement of others counts.
#[test]
fn listing_2_of_the_paper() {
    let mut text = Text::new();
    let s = text.shared("s", false);
    let main = text.builder.declare("main", 0);
    let l = text.local(main, "l", false);
    let is = text.is(s);
    let ops = vec![
        text.set(s, true),
        Op::Start(Spawn::Clone(loc(5))),
        text.set(l, true),
        text.set(s, false),
        Op::End,
        Op::Assert(is),
    ];
    text.body(main, ops);
    text.builder.template(main, Count::Exactly(1));
    check(&text.finish(), 2, true);
}

/// `main: start q; x := 1; y := 1; q: assert(!y)`.
#[test]
fn every_change_reaches_an_observer() {
    let mut text = Text::new();
    let (x, y) = (text.shared("x", false), text.shared("y", false));
    let (main, q) = (text.builder.declare("main", 0), text.builder.declare("q", 0));
    let ops = vec![Op::Start(Spawn::Call(q, vec![])), text.set(x, true), text.set(y, true)];
    text.body(main, ops);
    let not = text.not(y);
    text.body(q, vec![Op::Assert(not)]);
    text.builder.template(main, Count::Exactly(1));
    check(&text.finish(), 2, true);
}

/// A thread blocked at a purely local `assume` must not be the only one that is looked at.
#[test]
fn a_blocked_thread_does_not_hide_another() {
    let mut text = Text::new();
    let (a, b) = (text.builder.declare("a", 0), text.builder.declare("b", 0));
    let l = text.local(a, "l", false);
    let (is, no) = (text.is(l), text.constant(false));
    text.body(a, vec![Op::Assume(is)]);
    text.body(b, vec![Op::Skip, Op::Assert(no)]);
    text.builder.template(a, Count::Exactly(1));
    text.builder.template(b, Count::Exactly(1));
    check(&text.finish(), 2, true);
}

/// A thread that loops by itself must not put off the others for ever.
#[test]
fn a_looping_thread_does_not_hide_another() {
    let mut text = Text::new();
    let s = text.shared("s", false);
    let (a, b) = (text.builder.declare("a", 0), text.builder.declare("b", 0));
    let not = text.not(s);
    text.body(a, vec![Op::Skip, Op::Goto(vec![loc(0)])]);
    let ops = vec![text.set(s, true), Op::Assert(not)];
    text.body(b, ops);
    text.builder.template(a, Count::Exactly(1));
    text.builder.template(b, Count::Exactly(1));
    check(&text.finish(), 2, true);
}

/// Three threads in A, one of which steps to A, are three threads in A.
#[test]
fn a_self_loop_keeps_the_counter() {
    let mut text = Text::new();
    let main = text.builder.declare("main", 0);
    text.body(main, vec![Op::Goto(vec![loc(0)])]);
    text.builder.template(main, Count::Exactly(3));
    let program = text.finish();
    check(&program, 3, false);
    let verdict = run_program(&program, Bound::AtMost(3), support::PLAIN);
    assert_eq!(reached(&verdict).states.len(), 1);
    assert_eq!(reached(&verdict).states[0].threads, [(0, 3)]);
}

/// An assertion fails by another thread's write, and in the very first state.
#[test]
fn assertions_are_looked_at_in_every_state() {
    for (value, steps) in [(true, 1), (false, 0)] {
        let mut text = Text::new();
        let s = text.shared("s", value);
        let (a, b) = (text.builder.declare("a", 0), text.builder.declare("b", 0));
        let is = text.is(s);
        text.body(a, vec![Op::Assert(is)]);
        let ops = vec![text.set(s, false)];
        text.body(b, ops);
        text.builder.template(a, Count::Exactly(1));
        text.builder.template(b, Count::Exactly(1));
        let program = text.finish();
        check(&program, 2, true);
        let trace = program_trace(run_program(&program, Bound::AtMost(2), support::PLAIN)).expect("unsafe");
        assert_eq!(trace.steps.len(), steps);
    }
}

/// `L: start_thread f(); goto L`: the bound matters for ever.
fn endless_creation(ends: bool) -> Program {
    let mut text = Text::new();
    let (main, f) = (text.builder.declare("main", 0), text.builder.declare("f", 0));
    let again = if ends { Op::End } else { Op::Goto(vec![loc(0)]) };
    text.body(main, vec![Op::Start(Spawn::Call(f, vec![])), again]);
    text.body(f, vec![Op::Skip]);
    text.builder.template(main, Count::Exactly(1));
    text.finish()
}

#[test]
fn the_bound_is_part_of_the_answer() {
    let endless = endless_creation(false);
    check(&endless, 3, false);
    let asked = |program: &Program, bound| run_program(program, bound, support::PLAIN);
    assert_eq!(scope(&asked(&endless, Bound::AtMost(3))), Some(Scope::threads(3)));
    assert!(
        matches!(asked(&endless, Bound::Any), Verdict::Unknown(ir::Why::OutOfScope(it)) if it == Scope::threads(4))
    );
    let once = endless_creation(true);
    assert_eq!(scope(&asked(&once, Bound::AtMost(1))), Some(Scope::threads(1)));
    assert_eq!(scope(&asked(&once, Bound::AtMost(2))), Some(Scope::ANY));
    assert_eq!(scope(&asked(&once, Bound::Any)), Some(Scope::ANY));
}

/// Starting with as many threads as the bound allows would refuse the child that fails.
#[test]
fn fewer_threads_can_create_more() {
    let mut text = Text::new();
    let (main, f) = (text.builder.declare("main", 0), text.builder.declare("f", 0));
    let no = text.constant(false);
    text.body(main, vec![Op::Start(Spawn::Call(f, vec![])), Op::Goto(vec![loc(1)])]);
    text.body(f, vec![Op::Assert(no)]);
    text.builder.template(main, Count::AtLeast(1));
    let program = text.finish();
    check(&program, 1, false);
    check(&program, 2, true);
}

/// What happens inside another thread's section fails no assertion, even if the section blocks; what leaves it does.
#[test]
fn sections_hide_what_is_inside() {
    for (inner, is_unsafe) in [(0, false), (1, false), (2, true)] {
        let mut text = Text::new();
        let x = text.shared("x", false);
        let (a, b) = (text.builder.declare("a", 0), text.builder.declare("b", 0));
        let (no, not) = (text.constant(false), text.not(x));
        let last = match inner {
            0 => text.set(x, false),
            1 => Op::Assume(no),
            _ => Op::Skip,
        };
        let ops = vec![Op::AtomicBegin, text.set(x, true), last, Op::AtomicEnd];
        text.body(a, ops);
        text.body(b, vec![Op::Assert(not)]);
        text.builder.template(a, Count::Exactly(1));
        text.builder.template(b, Count::Exactly(1));
        check(&text.finish(), 2, is_unsafe);
    }
}

/// A thread that ends leaves its section.
#[test]
fn ending_leaves_the_section() {
    let mut text = Text::new();
    let x = text.shared("x", false);
    let (a, b) = (text.builder.declare("a", 0), text.builder.declare("b", 0));
    let not = text.not(x);
    let ops = vec![Op::AtomicBegin, text.set(x, true), Op::End];
    text.body(a, ops);
    text.body(b, vec![Op::Assert(not)]);
    text.builder.template(a, Count::Exactly(1));
    text.builder.template(b, Count::Exactly(1));
    check(&text.finish(), 2, true);
}

/// `[v] := *` reaches each of several equal threads on its own.
#[test]
fn a_broadcast_splits_a_group() {
    let mut text = Text::new();
    let main = text.builder.declare("main", 0);
    let v = text.local(main, "v", false);
    let any = text.any();
    text.body(main, vec![Op::Assign { targets: vec![], broadcast: vec![(v, any)], constrain: None }]);
    text.builder.template(main, Count::Exactly(4));
    check(&text.finish(), 4, false);
}

/// `assume(v$)` asks every passive thread; the last thread that has v = 0 blocks it.
#[test]
fn conditions_ask_each_passive_thread() {
    for value in [false, true] {
        let mut text = Text::new();
        let (a, b) = (text.builder.declare("a", 0), text.builder.declare("b", 0));
        let v = text.local(b, "v", value);
        let (ask, no) = (text.passive(v), text.constant(false));
        text.body(a, vec![Op::Assume(ask), Op::Assert(no)]);
        text.body(b, vec![Op::Goto(vec![loc(3)])]);
        text.builder.template(a, Count::Exactly(1));
        text.builder.template(b, Count::Exactly(2));
        let program = text.finish();
        assert!(!program.monotone());
        check(&program, 3, value);
    }
}

/// Under the bound 1 the child is refused and nobody is asked; without a bound the child stands in the way for ever.
#[test]
fn a_refused_thread_may_stand_in_the_way() {
    let mut text = Text::new();
    let (main, f) = (text.builder.declare("main", 0), text.builder.declare("f", 0));
    let v = text.local(f, "v", false);
    let (ask, no) = (text.passive(v), text.constant(false));
    text.body(main, vec![Op::Start(Spawn::Call(f, vec![])), Op::Assume(ask), Op::Assert(no)]);
    text.body(f, vec![Op::Goto(vec![loc(4)])]);
    text.builder.template(main, Count::Exactly(1));
    let program = text.finish();
    check(&program, 1, true);
    check(&program, 2, false);
    assert_eq!(scope(&run_program(&program, Bound::Any, support::PLAIN)), Some(Scope::ANY));
}

/// A refused thread is created, and idle, in the trace for any number of threads.
#[test]
fn refused_threads_are_created_in_the_trace() {
    let mut text = Text::new();
    let (main, f) = (text.builder.declare("main", 0), text.builder.declare("f", 0));
    let no = text.constant(false);
    text.body(main, vec![Op::Start(Spawn::Call(f, vec![])), Op::Assert(no)]);
    text.body(f, vec![Op::Skip]);
    text.builder.template(main, Count::Exactly(1));
    let program = text.finish();
    let trace = program_trace(run_program(&program, Bound::Any, support::PLAIN)).expect("unsafe");
    replay(&program, None, &trace);
    assert_eq!(trace.steps[0].births.len(), 1);
}

/// The trace tells the steps at silent locations too, and stops at the first error among them.
#[test]
fn silent_steps_are_told() {
    let mut text = Text::new();
    let main = text.builder.declare("main", 0);
    let l = text.local(main, "l", false);
    let not = text.not(l);
    let ops = vec![Op::Skip, text.set(l, true), Op::Skip, Op::Assert(not), Op::Skip];
    text.body(main, ops);
    for at in 1..5 {
        text.builder.at(loc(at)).silent = true;
    }
    text.builder.template(main, Count::Exactly(2));
    let program = text.finish();
    check(&program, 2, true);
    let config = support::Config { chains: true, ..support::PLAIN };
    let trace = program_trace(run_program(&program, Bound::AtMost(2), config)).expect("unsafe");
    assert_eq!(trace.steps.len(), 3);
}

#[test]
fn calls_are_refused_by_name() {
    for recursive in [false, true] {
        let mut text = Text::new();
        let (main, f) = (text.builder.declare("main", 0), text.builder.declare("f", 0));
        let call = Op::Call { procedure: f, args: vec![], results: vec![] };
        text.body(main, vec![call.clone()]);
        text.body(f, if recursive { vec![call] } else { vec![] });
        text.builder.template(main, Count::Exactly(1));
        let model = Model::Program(Arc::new(text.finish()));
        let task = Task { model, property: Property::NoError, scope: Scope::ANY };
        let reason = Explicit.accepts(&task).expect_err("the program is not flat");
        assert_eq!(reason.kind, ReasonKind::Unsupported);
        assert!(reason.message.contains("`f`") && reason.message.contains("recursive") == recursive);
    }
}

/// The semaphore mutex N → T → C with n threads has 2n + 1 states.
fn mutex() -> Net {
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
    let target = Target { shared: Some(state(1)), places: vec![(place(2), Interval::at_least(2))] };
    let shared = ["0", "1"].map(String::from).into_iter().collect();
    let start = NetStart { shared: state(0), tokens };
    Net::new(shared, places, rules.into_iter().collect(), start, vec![target]).expect("a valid net")
}

#[test]
fn the_mutex_has_a_linear_number_of_states() {
    for n in [1u32, 8, 64] {
        let mut events: Vec<Event> = vec![];
        let (budget, facts, settings) = (Budget::unlimited(), Facts::default(), Settings::default());
        let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
        let model = Model::Net(Arc::new(mutex()));
        let task = Task { model, property: Property::NoError, scope: Scope::threads(n) };
        let verdict = Explicit.run(&task, &mut cx).expect("no limit");
        assert_eq!(scope(&verdict), Some(Scope::threads(n)));
        let states = events.iter().find_map(|event| match event {
            Event::Counter { name: "states", value, .. } => Some(*value),
            _ => None,
        });
        assert_eq!(states, Some(2 * u64::from(n) + 1));
    }
}

#[test]
fn growing_bounds_are_told() {
    let net = mutex();
    assert!(
        matches!(run_net(&net, Bound::Any), Verdict::Unknown(ir::Why::OutOfScope(it)) if it == Scope::threads(5))
    );
    let target = Target { shared: None, places: vec![(PlaceId::from_index(1), Interval::at_least(3))] };
    let net = net.with_targets(vec![target]).expect("a valid target");
    let Verdict::Unsafe(Trace::Net(trace)) = run_net(&net, Bound::Any) else {
        panic!("three can try at once")
    };
    assert_eq!((trace.start.total(), trace.steps.len()), (3, 3));
}

/// Threads that never do anything are not in the trace, though the search starts with as many as the bound allows.
#[test]
fn traces_tell_how_many_threads_are_needed() {
    let mut text = Text::new();
    let s = text.shared("s", false);
    let main = text.builder.declare("main", 0);
    let not = text.not(s);
    let ops = vec![Op::Assert(not), text.set(s, true)];
    text.body(main, ops);
    text.builder.template(main, Count::AtLeast(1));
    let program = text.finish();
    let trace = program_trace(run_program(&program, Bound::AtMost(7), support::PLAIN)).expect("unsafe");
    replay(&program, Some(7), &trace);
    assert_eq!(trace.start.threads.len(), 2);
    let target = Target { shared: None, places: vec![(PlaceId::from_index(1), Interval::at_least(3))] };
    let net = mutex().with_targets(vec![target]).expect("a valid target");
    let Verdict::Unsafe(Trace::Net(trace)) = run_net(&net, Bound::AtMost(9)) else { panic!("unsafe") };
    assert_eq!((trace.start.total(), trace.steps.len()), (3, 3));
}

/// A budget that ends is an end, not an answer.
#[test]
fn the_budget_stops_the_search() {
    let budget = Budget::with_ticks(100);
    let (facts, settings, mut events) = (Facts::default(), Settings::default(), vec![]);
    let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
    let model = Model::Program(Arc::new(endless_creation(false)));
    let task = Task { model, property: Property::NoError, scope: Scope::ANY };
    assert!(Explicit.run(&task, &mut cx).is_err());
    assert!(events.contains(&Event::SafeUpToThreads(1)));
}
