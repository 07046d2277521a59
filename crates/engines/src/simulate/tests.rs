//! What the search keeps, point by point, and how large formulas grow.

use super::bounded::Simulation;
use super::search::{SimulateSearch, SimulateWork};
use super::settings::{Reduction, SimulateOptions};
use super::state::State;
use super::statistics::Statistics;
use crate::bounded::Sizes;
use crate::command::Commands;
use base::{Budget, NoEvents, Settings};
use ir::bp::{Builder, Count, Init, Loc, Machine, Op, Program, Var};
use solve::aig::{Aig, Lit};
use std::collections::{BTreeSet, HashSet};
use testing::bp::{Profile, program};

/// Shared values, then for each thread its location, its section and its locals.
type ControlLocation = (bool, Vec<bool>, Vec<(Loc, bool, Vec<bool>)>);

fn search<'p>(
    program: &'p Program,
    commands: &'p Commands,
    bound: u32,
    options: SimulateOptions,
) -> (SimulateSearch<'p>, Statistics) {
    let budget = Budget::unlimited();
    let mut work = SimulateWork { budget: &budget, events: &mut NoEvents, statistics: Statistics::default() };
    let sizes = Sizes { bound, exact: false };
    let simulation = Simulation { program, commands, options, seed: 0 };
    let mut search = SimulateSearch::new(&simulation, sizes, &budget).expect("nothing stops it");
    search.run(&mut work).expect("nothing stops it");
    (search, work.statistics)
}

/// Nothing that leaves out states.
fn plain() -> SimulateOptions {
    let defaults = SimulateOptions::new(&Settings::default());
    SimulateOptions {
        reduction: Reduction::Off,
        merging: false,
        live: false,
        reparameterise: None,
        ..defaults
    }
}

/// All points of a symbolic state.
fn controls(aig: &Aig, state: &State, into: &mut BTreeSet<ControlLocation>) {
    let mut formulas: Vec<Lit> = state.shared.clone();
    formulas.extend(state.threads.iter().flat_map(|thread| thread.locals.iter().copied()));
    formulas.push(state.guard);
    let inputs = aig.support(formulas.iter().copied());
    assert!(inputs.len() < 20, "small enough to enumerate");
    for choice in 0..1u32 << inputs.len() {
        let place = |input| inputs.iter().position(|&it| it == input).expect("in the support");
        let values = aig.eval_all(&formulas, |input| choice >> place(input) & 1 == 1);
        let (&guard, values) = values.split_last().expect("the guard is there");
        if !guard {
            continue;
        }
        let (shared, mut locals) = values.split_at(state.shared.len());
        let mut threads = vec![];
        for thread in &state.threads {
            let (own, rest) = locals.split_at(thread.locals.len());
            threads.push((thread.loc, thread.inside, own.to_vec()));
            locals = rest;
        }
        threads.sort();
        into.insert((state.initialising, shared.to_vec(), threads));
    }
}

/// All states of the reference semantics; `None` if there is an error or there are too many.
fn reachable(program: &Program, bound: u32) -> Option<BTreeSet<ControlLocation>> {
    let machine = Machine::new(program, Some(bound));
    let mut work = machine.starts();
    let mut seen: HashSet<ir::bp::State> = work.iter().map(ir::bp::State::canonical).collect();
    while let Some(state) = work.pop() {
        if machine.failure(&state).is_some() || seen.len() > 400 {
            return None;
        }
        for &thread in state.threads.keys() {
            let after = machine.steps(&state, thread).into_iter().map(|it| it.1.canonical());
            work.extend(after.filter(|after| seen.insert(after.clone())));
        }
    }
    let control = |state: &ir::bp::State| {
        let value = |thread: &ir::bp::Thread| -> Vec<bool> {
            program.locals().ids().map(|local| thread.value(program, 0, local)).collect()
        };
        let threads = state.threads.values().map(|it| (it.loc(), it.inside, value(it)));
        let mut threads: Vec<_> = threads.collect();
        threads.sort();
        (state.initialising, state.shared.clone(), threads)
    };
    Some(seen.iter().map(control).collect())
}

#[test]
fn the_points_kept_are_the_reachable_states() {
    let mut compared = 0;
    for seed in 0..150 {
        let program = program(seed, &Profile::ALL);
        let Ok(commands) = Commands::new(&program) else { continue };
        for (bound, union) in [(1, true), (2, true), (2, false)] {
            let Some(expected) = reachable(&program, bound) else { continue };
            let (search, _) = search(&program, &commands, bound, SimulateOptions { union, ..plain() });
            assert!(search.error.is_none(), "seed {seed}");
            let mut found = BTreeSet::new();
            search.kept.iter().for_each(|it| controls(&search.simulator.aig, &it.state, &mut found));
            // Where no thread is left nothing is read any more, so that one such state stands for all.
            let alive = |controls: BTreeSet<ControlLocation>| -> BTreeSet<ControlLocation> {
                controls.into_iter().filter(|control| !control.2.is_empty()).collect()
            };
            let (found, expected) = (alive(found), alive(expected));
            assert_eq!(found, expected, "seed {seed}, {bound} threads, union {union}");
            compared += 1;
        }
    }
    assert!(compared > 100, "many are small enough: {compared}");
}

/// One thread that mixes `variables` shared ones in `steps` assignments, one after the other.
fn long(variables: usize, steps: usize) -> Program {
    let mut builder = Builder::new();
    let all: Vec<Var> =
        (0..variables).map(|i| Var::Shared(builder.shared(format!("x{i}"), Init::Any))).collect();
    let main = builder.declare("main", 0);
    builder.begin(main);
    for step in 0..steps {
        let [a, b, c] = [step, step * 7 + 3, step * 5 + 1].map(|at| all[at % variables]);
        let exprs = builder.exprs();
        let (read, other, star) = (exprs.var(b), exprs.var(c), exprs.choice());
        let (either, mixed) = (exprs.or(read, star), exprs.add(ir::bp::Node::Xor(read, other)));
        let both = exprs.and(either, mixed);
        builder.push(main, Op::assign(a, both), None);
    }
    builder.end(main, None);
    builder.template(main, Count::Exactly(1));
    builder.finish().expect("a valid program")
}

#[test]
fn formulas_grow_linearly_with_the_steps() {
    let nodes = |steps: usize| {
        let program = long(8, steps);
        let commands = Commands::new(&program).expect("it is flat");
        let options = SimulateOptions { union: false, ..plain() };
        let (search, statistics) = search(&program, &commands, 1, options);
        assert_eq!(statistics.steps as usize, steps + 1, "each step once, and the end");
        assert!(search.simulator.aig.len() > steps);
        statistics.nodes as usize
    };
    for steps in [100, 400, 1600] {
        // An assignment has four operators, of which one is chosen by a variable: a dozen nodes, however long
        // the run is.
        assert!(nodes(steps) <= 16 * (steps + 1), "{} nodes in {steps} steps", nodes(steps));
    }
}

#[test]
fn a_stopped_budget_ends_the_search() {
    let program = long(8, 50);
    let commands = Commands::new(&program).expect("it is flat");
    let all = Budget::unlimited();
    let simulation = Simulation { program: &program, commands: &commands, options: plain(), seed: 0 };
    let mut search =
        SimulateSearch::new(&simulation, Sizes { bound: 1, exact: false }, &all).expect("it begins");
    let budget = Budget::with_ticks(100);
    let mut work = SimulateWork { budget: &budget, events: &mut NoEvents, statistics: Statistics::default() };
    assert_eq!(search.run(&mut work), Err(base::Stop::Ticks));
}
