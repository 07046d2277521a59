//! One small program for each thing that is easy to get wrong.

mod common;

use base::{Budget, Event, NoEvents, Settings};
use common::compare;
use ir::bp::{
    Builder, Count, ExprId, Init, Loc, LocalId, LocalScope, Node, Op, ProcId, Program, Read, Spawn, Var,
    When, Whose,
};
use ir::certificate::{Body, Certificate, ControlLocation, LocalAt, Reached, View};
use ir::task::Scope;
use passes::{Guided, Passed, Prepared, ProgramLift};
use passes::{SETTINGS, cone, inline, live, merging, prepare, unreachable};

type Pass = fn(&Program) -> (Program, Box<ProgramLift>);

fn inlined(program: &Program) -> (Program, Box<ProgramLift>) {
    let inlined = inline::inline(program, 1000, &Budget::unlimited());
    lifted(program, inlined.expect("no limit").expect("a small program"))
}

fn lifted(original: &Program, passed: Passed) -> (Program, Box<ProgramLift>) {
    let lift = Guided::new(original, &passed);
    (passed.program, Box::new(lift))
}

fn unreachable(program: &Program) -> (Program, Box<ProgramLift>) {
    lifted(program, unreachable::drop_unreachable(program, &Budget::unlimited()).expect("no limit"))
}

fn cone(program: &Program) -> (Program, Box<ProgramLift>) {
    lifted(program, cone::restrict_to_cone(program, &Budget::unlimited()).expect("no limit"))
}

fn live(program: &Program) -> (Program, Box<ProgramLift>) {
    lifted(program, live::mark_dead(program, &Budget::unlimited()).expect("no limit"))
}

fn merging(program: &Program) -> (Program, Box<ProgramLift>) {
    lifted(program, merging::mark_invisible(program, &Budget::unlimited()).expect("no limit"))
}

fn all(program: &Program) -> (Program, Box<ProgramLift>) {
    let Prepared { program, lift } = ready(program, &Settings::default());
    (program, Box::new(lift))
}

fn ready(program: &Program, settings: &Settings) -> Prepared {
    prepare(program, settings, &Budget::unlimited(), &mut NoEvents).expect("no limit")
}

/// Applies the pass, checks that it keeps everything for 1 to 3 threads and that the verdicts are these, and
/// returns what came out.
fn check(program: &Program, pass: Pass, safe: [bool; 3]) -> Program {
    for pass in [pass, all as Pass] {
        let (prepared, lift) = pass(program);
        for (bound, safe) in (1..).zip(safe) {
            let verdict = compare(program, &prepared, &*lift, bound, 20_000);
            assert_eq!(verdict, Ok(Some(safe)), "with {bound} threads");
        }
    }
    pass(program).0
}

/// A program of one procedure `main`, to which others can be added.
struct Make {
    builder: Builder,
    main: ProcId,
}

impl Make {
    fn new() -> Self {
        let mut builder = Builder::new();
        let main = builder.declare("main", 0);
        Make { builder, main }
    }

    fn shared(&mut self, name: &str) -> Var {
        Var::Shared(self.builder.shared(name, Init::Fixed(false)))
    }

    fn local(&mut self, name: &str, owner: ProcId) -> LocalId {
        self.builder.local(name, LocalScope::Procedure(owner), Init::Fixed(false))
    }

    fn value(&mut self, value: bool) -> ExprId {
        self.builder.exprs().constant(value)
    }

    fn var(&mut self, var: Var) -> ExprId {
        self.builder.exprs().var(var)
    }

    fn not(&mut self, var: Var) -> ExprId {
        let e = self.var(var);
        self.builder.exprs().not(e)
    }

    fn read(&mut self, var: Var, whose: Whose, when: When) -> ExprId {
        self.builder.exprs().add(Node::Read(Read { var, whose, when }))
    }

    fn set(&mut self, var: Var, value: bool) -> Op {
        Op::assign(var, self.value(value))
    }

    /// Writes the body of a procedure; jumps count from its first statement.
    fn body(&mut self, procedure: ProcId, ops: Vec<Op>) -> Loc {
        self.builder.begin(procedure);
        let entry = self.builder.here();
        for op in ops {
            self.builder.push(procedure, op, None);
        }
        self.builder.end(procedure, None);
        entry
    }

    fn finish(mut self, count: Count) -> Program {
        self.builder.template(self.main, count);
        self.builder.finish().expect("a valid program")
    }
}

fn loc(index: usize) -> Loc {
    base::Id::from_index(index)
}

fn skip() -> Op {
    Op::Skip
}

/// A local that is written by its own thread and read only by the conditions of others.
#[test]
fn a_local_that_only_others_read_is_live_and_seen() {
    let mut make = Make::new();
    let main = make.main;
    let v = make.local("v", main);
    let set = make.set(Var::Local(v), true);
    let copy = make.read(Var::Local(v), Whose::Passive, When::Now);
    let fails = make.value(false);
    make.body(main, vec![skip(), set, skip(), Op::Assume(copy), Op::Assert(fails)]);
    let program = make.finish(Count::AtLeast(2));
    let marked = check(&program, live, [true, false, false]);
    assert!(marked.locations().iter().all(|location| location.dead.is_empty()));
    let invisible = check(&program, merging, [true, false, false]);
    assert!(!invisible.at(loc(1)).invisible, "others can tell whether v is set");
    assert!(invisible.at(loc(2)).invisible);
    assert_eq!(check(&program, cone, [true, false, false]).locals().len(), 1);
}

/// A broadcast writes a local between the thread's own write and its read.
#[test]
fn a_local_that_others_write_is_not_private() {
    let mut make = Make::new();
    let main = make.main;
    let v = make.local("v", main);
    let clear = make.set(Var::Local(v), false);
    let one = make.value(true);
    let tell = Op::Assign { targets: vec![], broadcast: vec![(v, one)], constrain: None };
    let assert = Op::Assert(make.not(Var::Local(v)));
    make.body(main, vec![Op::Goto(vec![loc(1), loc(4)]), clear, skip(), assert, tell, Op::End]);
    let program = make.finish(Count::AtLeast(1));
    let invisible = check(&program, merging, [true, false, false]);
    assert!(!invisible.at(loc(1)).invisible);
    check(&program, live, [true, false, false]);
}

/// The creator never reads the local again; its clone does.
#[test]
fn a_clone_reads_what_is_live_where_it_begins() {
    let mut make = Make::new();
    let main = make.main;
    let v = make.local("v", main);
    let set = make.set(Var::Local(v), true);
    let assert = Op::Assert(make.not(Var::Local(v)));
    make.body(main, vec![set, Op::Start(Spawn::Clone(loc(3))), Op::End, assert]);
    let program = make.finish(Count::Exactly(1));
    let marked = check(&program, live, [true, false, false]);
    assert_eq!(marked.at(loc(1)).dead, []);
    assert_eq!(marked.at(loc(2)).dead, [v]);
}

/// `enforce` is read at every location of its procedure, and keeps the assertion from being reached.
#[test]
fn enforce_reads() {
    for (value, safe) in [(true, true), (false, false)] {
        let mut make = Make::new();
        let main = make.main;
        let v = make.local("v", main);
        let set = make.set(Var::Local(v), value);
        let fails = make.value(false);
        make.body(main, vec![set, skip(), Op::Assert(fails)]);
        let enforce = make.not(Var::Local(v));
        (0..4).for_each(|index| make.builder.at(loc(index)).enforce = Some(enforce));
        let program = make.finish(Count::Exactly(1));
        let marked = check(&program, live, [safe; 3]);
        assert!(marked.locations().iter().all(|location| location.dead.is_empty()));
        let invisible = check(&program, merging, [safe; 3]);
        assert!(invisible.locations().iter().all(|location| !location.invisible));
        check(&program, cone, [safe; 3]);
    }
}

/// A clone made in a called procedure has that activation alone: it does not return to the caller.
#[test]
fn a_clone_made_in_a_procedure_begins_in_that_procedure() {
    let mut make = Make::new();
    let main = make.main;
    let f = make.builder.declare("f", 0);
    let (g, h) = (make.shared("g"), make.shared("h"));
    let x = make.local("x", f);
    make.builder.params(f, vec![x]);
    let one = make.value(true);
    let (wait, first) = (Op::Assume(make.var(h)), Op::Assert(make.not(g)));
    let second = make.set(g, true);
    make.body(main, vec![Op::Call { procedure: f, args: vec![one], results: vec![] }, first, second, wait]);
    let entry = base::Id::index(make.builder.here());
    let (set, hidden) = (make.set(h, true), Op::Assert(make.not(Var::Local(x))));
    make.body(f, vec![Op::Start(Spawn::Clone(loc(entry + 2))), Op::Return(vec![]), set, hidden]);
    let program = make.finish(Count::Exactly(1));
    let flat = check(&program, inlined, [true, false, false]);
    assert!(flat.is_flat());
    assert_eq!(flat.roots(), [main, f]);
    let passed = |at: &ir::bp::Location| at.procedure == main && at.active.is_empty();
    assert!(
        flat.locations().iter().filter(|at| passed(at)).all(|at| at.dead == [x]),
        "x is gone after the call"
    );
    // Without the clone's own assertion there is no error: were it to return to main, the first assertion
    // would fail.
    let mut builder = program.edit();
    builder.at(loc(entry + 3)).op = Op::Skip;
    check(&builder.finish().expect("valid"), inlined, [true; 3]);
}

/// The result of a call goes to the variable that stands for atomic sections.
#[test]
fn a_result_enters_the_section() {
    for (value, safe) in [(true, true), (false, false)] {
        let mut make = Make::new();
        let main = make.main;
        let f = make.builder.declare("f", 1);
        let (atomic, g) = (make.shared("atomic"), make.shared("g"));
        let Var::Shared(id) = atomic else { unreachable!("it is shared") };
        make.builder.atomic_variable(id);
        let call = Op::Call { procedure: f, args: vec![], results: vec![Some(atomic)] };
        let ops = vec![Op::Assert(make.not(g)), call, make.set(g, true), make.set(g, false)];
        let leave = make.set(atomic, false);
        make.body(main, [ops, vec![leave]].concat());
        let result = make.value(value);
        make.body(f, vec![Op::Return(vec![result])]);
        let program = make.finish(Count::AtLeast(1));
        check(&program, inlined, [true, safe, safe]);
    }
}

/// A condition over a thread's and a procedure's copies asks the activation below the current one too.
#[test]
fn conditions_ask_callers_as_well() {
    let mut make = Make::new();
    let main = make.main;
    let f = make.builder.declare("f", 0);
    let t = make.builder.local("t", LocalScope::Thread, Init::Fixed(true));
    let v = make.local("v", main);
    let (t, v) = (
        make.read(Var::Local(t), Whose::Passive, When::Now),
        make.read(Var::Local(v), Whose::Passive, When::Now),
    );
    let (both, fails) = (make.builder.exprs().and(t, v), make.value(false));
    let call = Op::Call { procedure: f, args: vec![], results: vec![] };
    make.body(main, vec![call, Op::Assume(both), Op::Assert(fails)]);
    make.body(f, vec![skip()]);
    let program = make.finish(Count::Exactly(2));
    check(&program, inlined, [true, true, true]);
}

#[test]
fn what_calls_itself_or_grows_too_much_stays() {
    let mut make = Make::new();
    let main = make.main;
    let f = make.builder.declare("f", 0);
    let call = |procedure| Op::Call { procedure, args: vec![], results: vec![] };
    make.body(main, vec![call(f), call(f)]);
    make.body(f, vec![skip(), skip()]);
    let program = make.finish(Count::Exactly(1));
    let inlined = |program: &Program, most: usize| {
        let passed = inline::inline(program, most, &Budget::unlimited()).expect("no limit");
        passed.map(|passed| passed.program.is_flat())
    };
    assert_eq!((inlined(&program, 10), inlined(&program, 9)), (Some(true), None));
    let mut builder = program.edit();
    builder.at(loc(4)).op = call(f);
    let recursive = builder.finish().expect("valid");
    assert_eq!(inlined(&recursive, 99), Some(false));
    let mut settings = Settings::default();
    assert!(!ready(&recursive, &settings).program.is_flat());
    settings.set(&[SETTINGS], "passes.inline-limit", "9").expect("it is in the table");
    assert!(!ready(&program, &settings).program.is_flat());
    let stopped = prepare(&program, &settings, &Budget::with_ticks(1), &mut NoEvents).err();
    assert_eq!(stopped, Some(base::Stop::Ticks));
}

/// Many shared variables that are only assigned; the property is about two others.
#[test]
fn the_cone_drops_what_is_only_assigned() {
    let mut make = Make::new();
    let main = make.main;
    let junk: Vec<Var> = (0..100).map(|index| make.shared(&format!("g{index}"))).collect();
    let (m, c) = (make.shared("m"), make.shared("c"));
    let any = make.builder.exprs().choice();
    let assign = junk.iter().map(|&var| Op::assign(var, any)).collect();
    let enter = vec![Op::AtomicBegin, Op::Assume(make.not(m)), make.set(m, true), Op::AtomicEnd];
    let critical = vec![Op::Assert(make.not(c)), make.set(c, true), make.set(c, false), make.set(m, false)];
    make.body(main, [assign, enter, critical].concat());
    let program = make.finish(Count::AtLeast(1));
    let mut events: Vec<Event> = vec![];
    let prepared = prepare(&program, &Settings::default(), &Budget::unlimited(), &mut events);
    let prepared = prepared.expect("no limit").program;
    assert_eq!(prepared.shared().iter().map(|it| &it.name[..]).collect::<Vec<_>>(), ["m", "c"]);
    let count = |name| {
        events.iter().find_map(|event| match event {
            Event::Counter { name: it, value, .. } if *it == name => Some(*value),
            _ => None,
        })
    };
    assert_eq!(count("shared variables removed"), Some(100));
    // All skips but the first, where threads begin, and what is inside the section after its first statement.
    assert_eq!(count("invisible locations"), Some(99 + 3));
}

/// `x, y := *, * constrain 'x = x & 'y = 1`: x keeps its value and is not in the cone.
#[test]
fn frames_are_no_conditions() {
    let mut make = Make::new();
    let main = make.main;
    let (x, y) = (make.shared("x"), make.shared("y"));
    let next = |make: &mut Make, var| make.read(var, Whose::Own, When::Next);
    let (new, old) = (next(&mut make, x), make.var(x));
    let frame = make.builder.exprs().add(Node::Equal(new, old));
    let both = next(&mut make, y);
    let both = make.builder.exprs().and(frame, both);
    let any = make.builder.exprs().choice();
    let op = Op::Assign { targets: vec![(x, any), (y, any)], broadcast: vec![], constrain: Some(both) };
    let assert = Op::Assert(make.not(y));
    make.body(main, vec![op, assert]);
    let program = make.finish(Count::Exactly(1));
    let prepared = check(&program, cone, [false; 3]);
    assert_eq!(prepared.shared().len(), 1);
}

#[test]
fn constant_conditions_cut_code_off() {
    let mut make = Make::new();
    let main = make.main;
    let unused = make.builder.declare("unused", 0);
    let (zero, one) = (make.value(false), make.value(true));
    let branch = |cond, target| Op::Branch { cond, target: loc(target) };
    let fails = Op::Assert(zero);
    let ops = vec![
        branch(zero, 5),
        branch(one, 3),
        fails.clone(),
        Op::Assert(one),
        Op::Assume(zero),
        fails.clone(),
    ];
    make.body(main, ops);
    make.body(unused, vec![fails, skip()]);
    let program = make.finish(Count::Exactly(1));
    let prepared = check(&program, unreachable, [true; 3]);
    let ops: Vec<Op> = prepared.locations().iter().map(|location| location.op.clone()).collect();
    assert!(matches!(&ops[..4], [Op::Skip, Op::Goto(_), Op::Skip, Op::Assume(_)]), "{ops:?}");
    assert_eq!(ops[4..], [Op::Return(vec![]), Op::Return(vec![])]);
}

/// A thread is blocked for ever inside its section; what it has reached there still counts.
#[test]
fn a_blocked_section_still_counts() {
    let mut make = Make::new();
    let main = make.main;
    let g = make.shared("g");
    let (fails, blocks) = (Op::Assert(make.not(g)), Op::Assume(make.not(g)));
    let set = make.set(g, true);
    make.body(main, vec![skip(), Op::AtomicBegin, set, fails, blocks]);
    let invisible = check(&make.finish(Count::Exactly(1)), merging, [false; 3]);
    assert!(
        invisible.at(loc(2)).invisible && invisible.at(loc(3)).invisible && invisible.at(loc(4)).invisible
    );

    // The same with a child that is born at an error label just before its creator is blocked.
    let mut make = Make::new();
    let main = make.main;
    let g = make.shared("g");
    let (set, blocks) = (make.set(g, true), Op::Assume(make.not(g)));
    make.body(main, vec![Op::AtomicBegin, set, Op::Start(Spawn::Clone(loc(4))), blocks, skip()]);
    make.builder.at(loc(4)).error = true;
    check(&make.finish(Count::Exactly(1)), merging, [true, false, false]);
}

/// A procedure leaves its caller's section, so after the call others may see what happens.
#[test]
fn a_procedure_may_leave_the_section_of_its_caller() {
    let mut make = Make::new();
    let main = make.main;
    let f = make.builder.declare("f", 0);
    let g = make.shared("g");
    let call = Op::Call { procedure: f, args: vec![], results: vec![] };
    let section = vec![Op::AtomicBegin, call, make.set(g, true), make.set(g, false), Op::End];
    let assert = Op::Assert(make.not(g));
    make.body(main, [vec![Op::Goto(vec![loc(1), loc(6)])], section, vec![assert]].concat());
    make.body(f, vec![Op::AtomicEnd]);
    let program = make.finish(Count::AtLeast(1));
    let invisible = check(&program, merging, [true, false, false]);
    assert!(invisible.at(loc(2)).invisible && !invisible.at(loc(4)).invisible);
}

/// What a procedure returns is in the cone if what takes it is.
#[test]
fn results_are_in_the_cone() {
    let mut make = Make::new();
    let main = make.main;
    let f = make.builder.declare("f", 2);
    let (x, y) = (make.local("x", main), make.local("y", f));
    let unused = make.local("unused", f);
    let results = vec![Some(Var::Local(x)), None];
    let assert = Op::Assert(make.not(Var::Local(x)));
    make.body(main, vec![Op::Call { procedure: f, args: vec![], results }, assert]);
    let values = vec![make.var(Var::Local(y)), make.var(Var::Local(unused))];
    make.body(f, vec![Op::Return(values)]);
    let program = make.finish(Count::Exactly(1));
    let prepared = check(&program, cone, [true; 3]);
    let names: Vec<&str> = prepared.locals().iter().map(|local| &local.name[..]).collect();
    assert_eq!(names, ["x", "y"]);
}

#[test]
fn every_cycle_keeps_a_visible_location() {
    let mut make = Make::new();
    let main = make.main;
    let jump = |targets: &[usize]| Op::Goto(targets.iter().map(|&target| loc(target)).collect());
    let ops = vec![
        skip(),
        jump(&[2, 3]),
        jump(&[1, 3]),
        jump(&[1, 4]),
        Op::AtomicBegin,
        skip(),
        jump(&[5, 6, 7]),
        skip(),
    ];
    make.body(main, ops);
    let program = make.finish(Count::AtLeast(1));
    let invisible = check(&program, merging, [true; 3]);
    let marks: Vec<bool> = invisible.locations().iter().map(|location| location.invisible).collect();
    assert_eq!(marks, [false, false, true, true, false, false, false, true, true]);
}

/// A view that keeps a local where the prepared program holds it at 0 says nothing true about the original.
#[test]
fn forgotten_locals_cannot_be_kept_by_a_certificate() {
    let mut make = Make::new();
    let main = make.main;
    let v = make.local("v", main);
    let set = make.set(Var::Local(v), true);
    make.body(main, vec![set, skip()]);
    let program = make.finish(Count::Exactly(1));
    let (_, lift) = live(&program);
    let certificate = |kept: Vec<LocalAt>| {
        let controls = vec![ControlLocation { stack: vec![loc(1)], inside: false, kept }];
        let view = View { shared: vec![], controls };
        let body = Body::Reached(Reached { threads: vec![], states: vec![], bound: 1 });
        Certificate { scope: Scope::threads(1), view, body, passes: vec![] }
    };
    assert!(lift.certificate(certificate(vec![])).is_some());
    assert!(lift.certificate(certificate(vec![LocalAt { depth: 0, local: v }])).is_none());
}
