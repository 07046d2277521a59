//! Certificates of formulas in front of the checker: what the engines prove is confirmed for the program as
//! it was before the passes, and one that was tampered with is refused, or brute force shows that it is a
//! proof all the same.

mod support;

use base::{Budget, Id, Random, Settings};
use engines::{Counter, Engine, Simulate};
use ir::bp::{Machine, Program, State, Thread};
use ir::certificate::graph::{Builder, Graph, Node, NodeId};
use ir::certificate::{Body, Piece, Symbolic, text};
use ir::{Model, Scope, Task};
use std::collections::HashSet;
use std::sync::Arc;
use support::{decide, fails, starts_with};
use testing::Viewed;
use testing::bp::{Profile, program};
use verify::{Outcome, Proof};

const MOST_STATES: usize = 1500;

/// No state is listed: every proof is one of formulas.
fn settings() -> Settings {
    let mut settings = Settings::default();
    verify::set(&mut settings, "counter.certificate_states", "0").expect("the option exists");
    settings
}

fn task(program: &Program, bound: u32) -> Task {
    let model = Model::Program(Arc::new(program.clone()));
    Task::new(model, Scope::threads(bound))
}

/// The certificate of an engine, confirmed; `None` if the program is unsafe.
fn proof(engine: &dyn Engine, task: &Task, context: &str) -> Option<Viewed<Symbolic>> {
    let outcome = decide(engine, task, &settings(), 50_000_000).expect("small programs are decided");
    let Outcome::Safe { proof, .. } = outcome else { return None };
    let Proof::Confirmed { certificate, .. } = proof else { panic!("{context}: {proof:?}") };
    let written = text::write(&certificate, &task.model);
    assert_eq!(text::read(&written).as_ref(), Ok(&certificate), "{context}");
    match certificate.body {
        Body::Symbolic(body) => Some(Viewed { view: certificate.view, body }),
        other => panic!("{context}: no list was asked for: {other:?}"),
    }
}

fn examine(engine: &dyn Engine, seeds: std::ops::Range<u64>, profile: &Profile) {
    let (mut proofs, mut refused, mut kept) = (0, 0, 0);
    for seed in seeds {
        let program = program(seed, profile);
        // With fewer threads than it starts with a program has no run, and nobody proves anything.
        let bound = (1 + seed as u32 % 3).max(starts_with(&program));
        let context = format!("{} seed {seed} bound {bound}", engine.name());
        let Some(truth) = fails(&program, bound, MOST_STATES) else { continue };
        let Some(symbolic) = proof(engine, &task(&program, bound), &context) else {
            assert!(truth, "wrong verdict unsafe: {context}");
            continue;
        };
        assert!(!truth, "wrong verdict safe: {context}");
        assert!(holds_all(&program, &symbolic), "{context}");
        proofs += 1;
        let mut random = Random::new(seed);
        for _ in 0..6 {
            let mutant = mutate(&symbolic, &mut random);
            let bound = mutant.bound;
            let evidence = mutant.clone().certificate(Scope::threads(bound), Body::Symbolic);
            match check_formulas::certificate(&task(&program, bound), &evidence, &Budget::unlimited()) {
                Err(_) => refused += 1,
                Ok(_) => {
                    kept += 1;
                    assert_eq!(fails(&program, bound, MOST_STATES), Some(false), "{context}: {mutant:?}");
                    assert!(holds_all(&program, &mutant), "{context}: {mutant:?}");
                }
            }
        }
    }
    println!("{proofs} proofs, {refused} mutants refused, {kept} are proofs too");
    assert!(proofs > 40 && refused > 2 * proofs, "{proofs} {refused} {kept}");
}

/// Whether every state that brute force reaches is in one of the pieces.
fn holds_all(program: &Program, symbolic: &Viewed<Symbolic>) -> bool {
    let machine = Machine::new(program, Some(symbolic.bound));
    let open = ir::bp::Count::AtLeast;
    let many = program.start().templates.iter().any(|it| it.count == open(0) || it.count == open(1));
    let spawns = program.locations().iter().any(|it| matches!(it.op, ir::bp::Op::Start(_)));
    // With fewer threads the rest could stand idle: such starts need not be there.
    let full = many && !spawns && program.monotone();
    let fits = |it: &State| it.initialising || !full || it.threads.len() == symbolic.bound as usize;
    let mut seen: HashSet<State> =
        machine.starts().into_iter().filter(fits).map(|it| it.canonical()).collect();
    let mut work: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = work.pop() {
        if !symbolic.pieces.iter().any(|piece| holds(program, symbolic, piece, &state)) {
            return false;
        }
        for (_, after) in state.threads.keys().flat_map(|&thread| machine.steps(&state, thread)) {
            let started = state.initialising && !after.initialising;
            let after = after.canonical();
            if (!started || fits(&after)) && seen.insert(after.clone()) {
                work.push(after);
            }
        }
    }
    true
}

/// Whether a state is in a piece: in some order its threads stand where the piece says, and the formula
/// holds.
fn holds(program: &Program, symbolic: &Viewed<Symbolic>, piece: &Piece, state: &State) -> bool {
    let places: Vec<usize> =
        piece.controls.iter().flat_map(|&(control, n)| (0..n).map(move |_| control)).collect();
    let threads: Vec<&Thread> = state.threads.values().collect();
    state.initialising == piece.initialising
        && places.len() == threads.len()
        && orders(threads.len()).into_iter().any(|order| {
            let order: Vec<&Thread> = order.into_iter().map(|index| threads[index]).collect();
            let stands = |(thread, &control): (&&Thread, &usize)| {
                let at = &symbolic.view.controls[control];
                let stack: Vec<_> = thread.stack.iter().map(|it| it.loc).collect();
                stack == at.stack && thread.inside == at.inside
            };
            order.iter().zip(&places).all(stands)
                && symbolic.graph.evaluate(piece.formula, |input| {
                    value(program, symbolic, state, (&order, &places), input).unwrap_or(false)
                })
        })
}

fn value(
    program: &Program,
    symbolic: &Viewed<Symbolic>,
    state: &State,
    (order, places): (&[&Thread], &[usize]),
    input: u32,
) -> Option<bool> {
    if let Some(id) = symbolic.view.shared.get(input as usize) {
        return Some(state.shared[id.index()]);
    }
    for (place, (thread, &control)) in order.iter().zip(places).enumerate() {
        for (index, kept) in symbolic.view.controls[control].kept.iter().enumerate() {
            if symbolic.view.input(place, index) == Some(input) {
                return Some(thread.value(program, kept.depth, kept.local));
            }
        }
    }
    None
}

/// All orders of this many things.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        let longer = |order: &Vec<usize>| {
            let free = (0..n).filter(|it| !order.contains(it));
            free.map(|next| [&order[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn mutate(symbolic: &Viewed<Symbolic>, random: &mut Random) -> Viewed<Symbolic> {
    let mut mutant = symbolic.clone();
    let piece = random.below(mutant.pieces.len());
    match random.below(4) {
        _ if mutant.pieces.is_empty() => mutant.bound += 1,
        0 => drop(mutant.pieces.remove(piece)),
        1 => conjoin(&mut mutant, piece, random),
        2 => mutant.graph = flipped(&mutant.graph, random),
        _ => mutant.bound = mutant.bound.saturating_sub(1),
    }
    mutant
}

/// Takes away the states of a piece in which some input has some value.
fn conjoin(mutant: &mut Symbolic, piece: usize, random: &mut Random) {
    let inputs = mutant.graph.nodes().filter_map(|(_, node)| match node {
        Node::Input(input) => Some(input),
        _ => None,
    });
    let inputs: Vec<u32> = inputs.collect();
    let Some(&input) = (!inputs.is_empty()).then(|| random.pick(&inputs)) else { return };
    let mut builder = Builder::default();
    let roots: Vec<NodeId> = mutant.pieces.iter().map(|it| it.formula).collect();
    let copies = builder.import(&mutant.graph, &roots, |builder, input| builder.input(input));
    mutant.pieces.iter_mut().zip(copies).for_each(|(piece, copy)| piece.formula = copy);
    let literal = builder.input(input);
    let literal = if random.percent(50) { literal } else { builder.not(literal) };
    mutant.pieces[piece].formula = builder.and(literal, mutant.pieces[piece].formula);
    mutant.graph = builder.finish();
}

/// The graph with the branches of one node exchanged.
fn flipped(graph: &Graph, random: &mut Random) -> Graph {
    let chosen = NodeId::from_index(random.below(graph.len()));
    let mut flipped = Graph::default();
    for (id, node) in graph.nodes() {
        let node = match node {
            Node::Ite { test, then, other } if id == chosen => Node::Ite { test, then: other, other: then },
            node => node,
        };
        flipped.push(node).expect("the operands are there");
    }
    flipped
}

#[test]
fn counter_on_all_programs() {
    examine(&Counter, 0..400, &Profile::ALL);
}

#[test]
fn counter_with_broadcasts() {
    examine(&Counter, 10_000..10_400, &Profile::BROADCASTS);
}

#[test]
fn counter_with_created_threads() {
    examine(&Counter, 20_000..20_400, &Profile::SPAWNING);
}

#[test]
fn simulate_on_all_programs() {
    examine(&Simulate, 0..250, &Profile::ALL);
}

#[test]
fn simulate_with_broadcasts() {
    examine(&Simulate, 10_000..10_250, &Profile::BROADCASTS);
}

#[test]
fn simulate_with_created_threads() {
    examine(&Simulate, 20_000..20_250, &Profile::SPAWNING);
}

/// Forty locals of each of four threads, all with any values: 2^160 states and more.
#[test]
fn many_choices_are_decided_and_confirmed() {
    let program = many_choices(40);
    let outcome = decide(&Counter, &task(&program, 4), &Settings::default(), u64::MAX);
    let Some(Outcome::Safe { proof: Proof::Confirmed { certificate, .. }, .. }) = outcome else {
        panic!("the program is safe: {outcome:?}")
    };
    assert!(matches!(certificate.body, Body::Symbolic(_)), "there are too many states to list");
}

/// Every thread sets all its locals to any value, waits until one of each pair is set, and asserts just that.
fn many_choices(locals: usize) -> Program {
    use ir::bp::{Count, Init, LocalScope, Op, Var};
    let mut builder = ir::bp::Builder::new();
    let flag = builder.shared("flag", Init::Fixed(false));
    let worker = builder.declare("worker", 0);
    let local = |builder: &mut ir::bp::Builder, index| {
        builder.local(format!("a{index}"), LocalScope::Procedure(worker), Init::Any)
    };
    let all: Vec<_> = (0..locals).map(|index| local(&mut builder, index)).collect();
    let star = builder.exprs().choice();
    let mut condition = builder.exprs().constant(true);
    for pair in all.chunks(2) {
        let [a, b] = [pair[0], pair[1]].map(|id| builder.exprs().var(Var::Local(id)));
        let either = builder.exprs().or(a, b);
        condition = builder.exprs().and(condition, either);
    }
    let set = all.iter().map(|&id| (Var::Local(id), star)).collect();
    let (one, zero) = (builder.exprs().constant(true), builder.exprs().constant(false));
    let taken = builder.exprs().var(Var::Shared(flag));
    let free = builder.exprs().not(taken);
    let statements = [
        Op::Assign { targets: set, broadcast: vec![], constrain: None },
        Op::Assume(condition),
        Op::AtomicBegin,
        Op::Assume(free),
        Op::assign(Var::Shared(flag), one),
        Op::AtomicEnd,
        Op::Assert(condition),
        Op::assign(Var::Shared(flag), zero),
    ];
    builder.begin(worker);
    for op in statements {
        builder.push(worker, op, None);
    }
    builder.end(worker, None);
    builder.template(worker, Count::AtLeast(1));
    builder.finish().expect("the program is valid")
}
