//! Images and pre-images against the reference semantics, on random programs.

use super::{Encoding, EncodingPlan, Slot};
use crate::command::Commands;
use base::{Budget, Id};
use ir::bp::{Builder, Count, Init, Loc, LocalScope, Machine, Node, Op, Program, State, Thread, Var};
use solve::bdd::{Bdd, Level, Limits};
use std::collections::HashSet;
use testing::bp::{Profile, program};

fn encode(program: &Program) -> Encoding<'_> {
    let commands = Commands::new(program).expect("flat");
    let plan = EncodingPlan { copies: 0, members: 0, limits: Limits::default() };
    Encoding::new(program, commands, plan, &Budget::unlimited()).expect("no limit")
}

/// The levels and values of a thread state, locals that are not kept left out.
fn literals(encoding: &Encoding<'_>, state: &State, thread: &Thread) -> Vec<(Level, bool)> {
    let shared = encoding.program.shared().ids();
    let shared = shared.map(|id| (encoding.space.now(Var::Shared(id), Slot::Own), state.shared[id.index()]));
    let kept = encoding.kept(thread.loc()).iter();
    let own = kept.map(|&local| {
        (encoding.space.now(Var::Local(local), Slot::Own), thread.value(encoding.program, 0, local))
    });
    shared.chain(own).collect()
}

/// With one thread alone, the images of a state are its steps, and the pre-images lead back.
fn check(program: &Program) {
    let budget = Budget::unlimited();
    let machine = Machine::new(program, Some(1));
    let Some(states) = machine.reachable(200) else { return };
    let mut encoding = encode(program);
    for state in states.iter().filter(|state| state.threads.len() == 1 && !state.initialising) {
        let (&name, thread) = state.threads.iter().next().expect("one thread");
        let here = literals(&encoding, state, thread);
        let here = encoding.manager.cube(&here).expect("no limit");
        let mut expected: HashSet<(Option<Loc>, Bdd)> = HashSet::new();
        for (_, after) in machine.steps(state, name) {
            let cube = match after.threads.values().next() {
                Some(thread) => literals(&encoding, &after, thread),
                None => {
                    let ids = program.shared().ids();
                    ids.map(|id| (encoding.space.now(Var::Shared(id), Slot::Own), after.shared[id.index()]))
                        .collect()
                }
            };
            let cube = encoding.manager.cube(&cube).expect("no limit");
            expected.insert((after.threads.values().next().map(Thread::loc), cube));
        }
        let steps = encoding.steps(thread.loc()).to_vec();
        let mut found = vec![];
        for (index, step) in steps.iter().enumerate() {
            let unconstrained = encoding.unconstrained(thread.loc(), index, &budget).expect("no limit");
            let relation = encoding.manager.and(step.relation, unconstrained, &budget).expect("no limit");
            let image = encoding.image_by(step, relation, here, &budget).expect("no limit");
            found.push((step.to, image));
        }
        for (to, cube) in &expected {
            let inside = |&(at, image): &(Option<Loc>, Bdd)| {
                at == *to && encoding.manager.clone().leq(*cube, image, &budget).expect("no limit")
            };
            assert!(found.iter().any(inside), "a step to {to:?} is missing");
            let back: Vec<Bdd> = steps
                .iter()
                .filter(|step| step.to == *to)
                .map(|step| encoding.preimage(step, *cube, &budget).expect("no limit"))
                .collect();
            assert!(
                back.iter().any(|&set| encoding.manager.clone().leq(here, set, &budget).expect("no limit"))
            );
        }
        for (to, mut image) in found {
            for (_, cube) in expected.iter().filter(|it| it.0 == to) {
                image = encoding.manager.diff(image, *cube, &budget).expect("no limit");
            }
            assert!(image.is_false(), "a step to {to:?} is not one of the program");
        }
    }
}

#[test]
fn images_are_the_steps_of_the_program() {
    for seed in 0..150 {
        let program = program(seed, &Profile::ALL);
        if program.is_flat() {
            check(&program);
        }
    }
}

/// Twelve pairs that statements make equal, declared far apart: the set of their values is small only if
/// partners stand together.
#[test]
fn variables_used_together_stand_together() {
    let mut builder = Builder::new();
    let main = builder.declare("main", 0);
    let scope = LocalScope::Procedure(main);
    let mut declare =
        |name: &str, index: usize| Var::Local(builder.local(format!("{name}{index}"), scope, Init::Any));
    let left: Vec<Var> = (0..12).map(|index| declare("a", index)).collect();
    let right: Vec<Var> = (0..12).map(|index| declare("b", index)).collect();
    builder.begin(main);
    for (&a, &b) in left.iter().zip(&right) {
        let (a, b) = (builder.exprs().var(a), builder.exprs().var(b));
        let equal = builder.exprs().add(Node::Equal(a, b));
        builder.push(main, Op::Assume(equal), None);
    }
    builder.end(main, None);
    builder.template(main, Count::Exactly(1));
    let program = builder.finish().expect("valid");
    let budget = Budget::unlimited();
    let mut encoding = encode(&program);
    let mut set = Bdd::TRUE;
    for index in 0..12 {
        let step = encoding.steps(Loc::from_index(index))[0];
        set = encoding.image(&step, set, &budget).expect("no limit");
    }
    // In the order of declaration it is more than 4000.
    let size = encoding.manager.node_count([set]);
    assert!(size <= 36, "{size}");
}
