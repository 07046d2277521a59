//! The equations, the game and the traces against brute force on random programs.

mod brute;
mod explicit;
mod game;
mod schedules;
mod verdicts;

use super::equations::{Equations, Kind};
use super::model::{Bit, Model};
use super::moves::Position;
use base::{Id, Random, Stop};
use ir::bp::{Builder, Count, Init, Loc, LocalScope, Op, Program, Var};
use std::collections::BTreeSet;
use testing::bp::{Profile, program};

/// A thread state as both sides see it: where, the locals of the frame and of the thread, inside or not, and
/// the shared variables.
type Visible = (Loc, Vec<bool>, Vec<bool>);

/// Every thread state on a path of at most `rounds` rounds.
fn visible(equations: &mut Equations<'_, '_>, rounds: usize) -> Result<BTreeSet<Visible>, Stop> {
    let mut all = BTreeSet::new();
    for (key, path) in equations.paths.clone() {
        let Position::At(loc) = key.position else { continue };
        if key.kind == Kind::Init || key.round > rounds {
            continue;
        }
        let local = equations.local_levels(loc);
        let column = equations.space.layout.levels(equations.space.v[key.round - 1]);
        let shared: Vec<_> = equations
            .model
            .bits
            .iter()
            .enumerate()
            .filter(|(_, bit)| matches!(bit, Bit::Shared(_)))
            .map(|(index, _)| column[index])
            .collect();
        let levels = [local.clone(), shared.clone()].concat();
        let total = equations.system.total(path);
        let rows = equations.system.calculus.rows(total, &levels, usize::MAX)?.expect("there is no limit");
        all.extend(
            rows.into_iter().map(|row| (loc, row[..local.len()].to_vec(), row[local.len()..].to_vec())),
        );
    }
    Ok(all)
}

/// Programs without creation and broadcasts: there rounds mean the same for both sides.
const STATIC: Profile = Profile {
    spawns: 0,
    broadcasts: 0,
    passive_conditions: 0,
    templates: 100,
    procedures: 0,
    statements: 5,
    ..Profile::ALL
};
/// The same with calls.
const CALLS: Profile = Profile { procedures: 100, recursion: 40, ..STATIC };

/// A random thread transition system: any number of threads loop over guarded assignments to two shared and
/// two local bits.
fn transition_system(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut builder = Builder::new();
    let main = builder.declare("main", 0);
    let shared = [0, 1].map(|bit| builder.shared(format!("s{bit}"), Init::Fixed(false)));
    let local =
        [0, 1].map(|bit| builder.local(format!("l{bit}"), LocalScope::Procedure(main), Init::Fixed(false)));
    let vars = [Var::Shared(shared[0]), Var::Shared(shared[1]), Var::Local(local[0]), Var::Local(local[1])];
    builder.begin(main);
    let head = builder.here();
    let rules = 2 + random.below(4);
    builder.push(
        main,
        Op::Goto((1..=rules).map(|rule| Loc::from_index(head.index() + 2 * rule - 1)).collect()),
        None,
    );
    for _ in 0..rules {
        let (from, to) = (random.below(12), random.below(12));
        let mut guard = builder.exprs().constant(true);
        let mut targets = vec![];
        for (bit, &var) in vars.iter().enumerate() {
            let read = builder.exprs().var(var);
            let literal = if from >> bit & 1 == 1 { read } else { builder.exprs().not(read) };
            guard = builder.exprs().and(guard, literal);
            targets.push((var, builder.exprs().constant(to >> bit & 1 == 1)));
        }
        builder.push(main, Op::Assign { targets, broadcast: vec![], constrain: Some(guard) }, None);
        builder.push(main, Op::Goto(vec![head]), None);
    }
    builder.end(main, None);
    builder.template(main, Count::AtLeast(1));
    builder.finish().expect("a valid program")
}

/// The program without its assertions and error labels, so that every engine explores all of it.
fn harmless(program: &Program) -> Program {
    let mut builder = program.edit();
    for loc in program.locations().ids() {
        builder.at(loc).error = false;
        if matches!(builder.at(loc).op, Op::Assert(_)) {
            builder.at(loc).op = Op::Skip;
        }
    }
    builder.finish().expect("still valid")
}

fn model(program: &Program) -> Option<Model<'_>> {
    Model::new(program).ok()
}

fn random_program(seed: u64, profile: &Profile) -> Program {
    program(seed, profile)
}
