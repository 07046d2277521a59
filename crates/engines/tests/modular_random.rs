//! The closure against brute force: what a few threads can do must lie in it, whatever its width.

mod support;

use engines::closure::{self, Closure, Mode, Source, System, programs};
use ir::bp::random::{self, Profile};
use ir::bp::{LocalScope, Machine, State, Thread};
use ir::{Model, Net, Program, net};
use std::collections::HashSet;
use std::sync::Arc;

fn close(system: &mut System<'_>, width: usize) -> Closure {
    let mode = Mode { width, stop_at_error: false, most_tuples: usize::MAX };
    let budget = base::Budget::unlimited();
    closure::close(system, mode, &budget, &mut base::Silent)
        .expect("the budget has no end")
        .expect("no limit")
}

/// The number that the engine gives to what it has met, if it has.
fn shared_number(system: &System<'_>, state: &State) -> Option<u32> {
    let Source::Program(program) = &system.source else { panic!("a program") };
    let semantics = &program.threads.semantics;
    let bits = state.shared.iter().copied().chain([state.initialising]);
    let valuation = semantics.shared.find(&row(bits, state.shared.len() + 1))?;
    Some(programs::shared_state(valuation, state.threads.values().any(|thread| thread.inside)))
}

fn local_number(system: &System<'_>, thread: &Thread) -> Option<u32> {
    let Source::Program(program) = &system.source else { panic!("a program") };
    let semantics = &program.threads.semantics;
    let locals = semantics.program.locals().enumerate();
    let bits = locals.map(|(id, local)| match local.scope {
        LocalScope::Thread => thread.values[base::Id::index(id)],
        LocalScope::Procedure(_) => thread.top().values[base::Id::index(id)],
    });
    let mut words = vec![(base::Id::index(thread.loc()) as u32) << 1 | u32::from(thread.inside)];
    words.extend(row(bits, semantics.program.locals().len()));
    semantics.locals.find(&words)
}

fn row(bits: impl Iterator<Item = bool>, len: usize) -> Vec<u32> {
    let mut row = vec![0; engines::bits::words(len)];
    bits.enumerate().for_each(|(index, bit)| engines::bits::set(&mut row, index, bit));
    row
}

fn program_contains(system: &System<'_>, closed: &Closure, state: &State) -> bool {
    let Some(shared) = shared_number(system, state) else { return false };
    let locals: Option<Vec<u32>> = state.threads.values().map(|it| local_number(system, it)).collect();
    let Some(mut locals) = locals else { return false };
    locals.sort_unstable();
    closed.tuples.consistent(shared, &locals)
}

/// Whether brute force came to an end, and whether it found an error.
fn check_program(program: &Program, seed: u64) -> Option<bool> {
    let model = Model::Program(Arc::new(program.clone()));
    let mut failed = false;
    let mut states: HashSet<State> = HashSet::new();
    for bound in 1..=3 {
        let machine = Machine::new(program, Some(bound));
        let reached = machine.reachable(400)?;
        failed |= reached.iter().any(|state| machine.failure(state).is_some());
        states.extend(reached);
    }
    for chains in [false, true] {
        let mut system = closure::system(&model, chains).expect("the programs are flat");
        for width in 1..=3 {
            let closed = close(&mut system, width);
            assert!(!failed || !closed.is_safe(), "width {width} misses an error of program {seed}");
            if !chains {
                let missing = states.iter().find(|state| !program_contains(&system, &closed, state));
                assert!(missing.is_none(), "width {width}, program {seed}: {missing:?}\n{program:#?}");
            }
        }
    }
    Some(failed)
}

fn check_programs(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if !program.is_flat() {
            continue;
        }
        match check_program(&program, seed) {
            Some(true) => failing += 1,
            Some(false) => safe += 1,
            None => {}
        }
    }
    assert!(safe > least && failing > least, "{safe} safe, {failing} failing");
}

#[test]
fn contains_all_programs_do() {
    check_programs(&Profile::ALL, 0..1500, 200);
}

#[test]
fn contains_all_broadcasts_do() {
    check_programs(&Profile { passive_conditions: 40, ..Profile::BROADCASTS }, 10_000..11_000, 100);
}

#[test]
fn contains_all_spawning_programs_do() {
    check_programs(&Profile::SPAWNING, 20_000..21_200, 100);
}

fn check_net(net: &Net, seed: u64) {
    let model = Model::Net(Arc::new(net.clone()));
    let machine = net::Machine::new(net, Some(4));
    let markings = machine.reachable(5000).expect("few tokens in few places");
    let hit = markings.iter().any(|marking| machine.at_target(marking));
    let mut system = closure::system(&model, true).expect("nets are systems");
    for width in 1..=3 {
        let closed = close(&mut system, width);
        assert!(!hit || !closed.is_safe(), "width {width} misses a target of net {seed}");
        for marking in &markings {
            let groups: Vec<(u32, u32)> = (0..).zip(marking.tokens.iter().copied()).collect();
            let threads = closure::spread(&groups, usize::MAX);
            let shared = base::Id::index(marking.shared) as u32;
            assert!(closed.tuples.consistent(shared, &threads), "width {width}, net {seed}: {marking:?}");
        }
    }
}

#[test]
fn contains_all_nets_do() {
    for seed in 0..1500 {
        check_net(&net::random::net(seed, &net::random::Profile::ALL), seed);
        check_net(&net::random::net(seed + 10_000, &net::random::Profile::SIMPLE), seed);
    }
}
