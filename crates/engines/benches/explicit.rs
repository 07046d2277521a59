//! How fast the engine `explicit` is: `cargo bench -p selvedge-engines`. The figures on its page come from
//! here. `cargo bench -p selvedge-engines -- FILE=THREADS …` measures Boolean programs without reduction
//! instead.

use base::{Arena, Budget, Event, Id, Settings, SourceMap};
use engines::{Cx, Engine, Explicit, Facts};
use ir::bp::{Builder, Count, Init, Loc, LocalScope, Op, Program, Var};
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};
use ir::{Model, Scope, Task};
use std::sync::Arc;
use std::time::Instant;

/// A ring of threads that each run different code: thread i writes x[i] and x[i+2] and reads x[i+1].
///
/// ```promela
/// L0: x[i] = 1; L1: l = x[(i+1)%n]; L2: if :: l -> goto L4 :: else fi; L3: x[(i+2)%n] = 0; L4: x[i] = l; goto L0
/// ```
fn ring(n: usize) -> Program {
    let mut builder = Builder::new();
    let x: Vec<Var> =
        (0..n).map(|i| Var::Shared(builder.shared(format!("x{i}"), Init::Fixed(false)))).collect();
    for i in 0..n {
        let id = builder.declare(format!("p{i}"), 0);
        let local = Var::Local(builder.local("l", LocalScope::Procedure(id), Init::Fixed(false)));
        let [yes, no] = [true, false].map(|value| builder.exprs().constant(value));
        let (l, next) = (builder.exprs().var(local), builder.exprs().var(x[(i + 1) % n]));
        builder.begin(id);
        let entry = builder.here().index();
        let ops = [
            Op::assign(x[i], yes),
            Op::assign(local, next),
            Op::Branch { cond: l, target: Loc::from_index(entry + 4) },
            Op::assign(x[(i + 2) % n], no),
            Op::assign(x[i], l),
            Op::Goto(vec![Loc::from_index(entry)]),
        ];
        for op in ops {
            builder.push(id, op, None);
        }
        builder.end(id, None);
        builder.template(id, Count::Exactly(1));
    }
    builder.finish().expect("a valid program")
}

/// The semaphore mutex N → T → C.
fn mutex() -> Net {
    let (state, place) = (SharedStateId::from_index, PlaceId::from_index);
    let rule = |[from, take, to, make]: [usize; 4]| Rule {
        from: state(from),
        to: state(to),
        tests: vec![],
        take: vec![(place(take), 1)],
        moves: vec![],
        make: vec![(place(make), 1)],
        span: None,
    };
    let rules = [[0, 0, 0, 1], [1, 0, 1, 1], [0, 1, 1, 2], [1, 2, 0, 0], [0, 2, 0, 0]].map(rule);
    let places: Arena<PlaceId, Place> =
        ["N", "T", "C"].map(|name| Place { name: name.into() }).into_iter().collect();
    let tokens = vec![Interval::at_least(0), Interval::exactly(0), Interval::exactly(0)];
    let target = Target { shared: Some(state(1)), places: vec![(place(2), Interval::at_least(2))] };
    let shared = ["0", "1"].map(String::from).into_iter().collect();
    let start = NetStart { shared: state(0), tokens };
    Net::new(shared, places, rules.into_iter().collect(), start, vec![target]).expect("a valid net")
}

/// The Boolean program in a file.
fn read(path: &str) -> Model {
    let mut map = SourceMap::new();
    let file = map.add(path, std::fs::read_to_string(path).expect("a file"));
    let read = front::read_program(&map, file, &front::ReadOptions::default());
    Model::Program(Arc::new(read.expect("a Boolean program").0))
}

/// Runs the engine and prints one line.
fn measure(name: &str, model: Model, threads: u32, options: &[(&str, &str)]) {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[Explicit.settings()], name, value).expect("the option exists");
    }
    let task = Task::new(model, Scope::threads(threads));
    let (budget, facts, mut events) = (Budget::unlimited(), Facts::default(), Vec::<Event>::new());
    let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
    let begin = Instant::now();
    Explicit.run(&task, &mut cx).expect("no limit");
    let seconds = begin.elapsed().as_secs_f64();
    let count = |wanted: &str| {
        let values = events.iter().filter_map(|event| match event {
            Event::Counter { name, value, .. } if *name == wanted => Some(*value),
            _ => None,
        });
        values.sum::<u64>() as f64
    };
    let (states, transitions) = (count("states"), count("transitions"));
    println!(
        "{name:32} {states:>10} states {transitions:>11} steps {seconds:>8.3} s {:>6.2} M states/s {:>6.2} M steps/s",
        states / seconds / 1e6,
        transitions / seconds / 1e6
    );
}

fn main() {
    let bare = [("explicit.certificate_states", "0"), ("explicit.reduction", "off")];
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| arg.contains('=')).collect();
    for (path, threads) in files.iter().filter_map(|arg| arg.split_once('=')) {
        measure(path, read(path), threads.parse().expect("a number of threads"), &bare);
    }
    if !files.is_empty() {
        return;
    }
    for n in [8, 16, 32, 64, 128, 256, 1024] {
        measure(&format!("mutex net, {n} threads"), Model::Net(Arc::new(mutex())), n, &bare);
    }
    for n in [4, 5] {
        let model = || Model::Program(Arc::new(ring(n)));
        measure(&format!("ring of {n}"), model(), n as u32, &bare);
        measure(&format!("ring of {n}, reduction"), model(), n as u32, &bare[..1]);
        measure(&format!("ring of {n}, certificate"), model(), n as u32, &[]);
    }
}
