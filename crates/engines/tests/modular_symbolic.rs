//! The symbolic closure against the explicit one, which it must equal where every location is alone, and against brute force.

use base::{Budget, Id, Settings, Silent};
use engines::closure::symbolic::{self, Classes, Closed, Key};
use engines::closure::{self, Mode, Source, System, programs};
use engines::command::Commands;
use engines::symbolic::{Slot, Symbolic};
use ir::bp::random::{self, Profile};
use ir::bp::{Loc, LocalScope, Machine, State, Thread, Var};
use ir::{Model, Program};
use solve::bdd::Level;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A thread: where it stands and all its locals.
type Seen = (Loc, bool, Vec<bool>);

/// Threads together: whether `init` runs, whether somebody is inside, the shared variables, the threads.
type Group = (bool, bool, Vec<bool>, Vec<Seen>);

fn explicit(model: &Model, width: usize) -> (BTreeSet<Group>, bool) {
    let mut system = closure::system(model, false).expect("the programs are flat");
    let mode = Mode { width, stop_at_error: false, most_tuples: usize::MAX };
    let closed = closure::close(&mut system, mode, &Budget::unlimited(), &mut Silent);
    let closed = closed.expect("the budget has no end").expect("no limit");
    let mut all = BTreeSet::new();
    for shared in closed.tuples.shared() {
        for &one in closed.tuples.locals(shared) {
            all.insert(shown(&system, shared, &[one]));
            if width > 1 {
                for other in closed.tuples.neighbours(shared, one) {
                    all.insert(shown(&system, shared, &[one, other]));
                }
            }
        }
    }
    all.extend(closed.tuples.larger().map(|row| shown(&system, row[0], &row[1..])));
    (all, closed.is_safe())
}

fn shown(system: &System<'_>, shared: u32, locals: &[u32]) -> Group {
    let Source::Program(program) = &system.source else { panic!("a program") };
    let semantics = &program.threads.semantics;
    let bits = |row: &[u32], len: usize| (0..len).map(|index| engines::bits::get(row, index)).collect();
    let valuation = programs::valuation(shared);
    let values = bits(semantics.shared.get(valuation), semantics.program.shared().len());
    let threads = locals.iter().map(|&local| {
        let values = bits(semantics.values(local), semantics.program.locals().len());
        (semantics.loc(local), semantics.inside(local), values)
    });
    (semantics.initialising(valuation), programs::is_inside(shared), values, threads.collect())
}

fn close<'p>(
    program: &'p Program,
    width: usize,
    classes: fn(&Symbolic<'_>) -> Classes,
) -> (Symbolic<'p>, Closed) {
    let (budget, commands) = (Budget::unlimited(), Commands::new(program).expect("flat"));
    let mut encoded =
        symbolic::encode(program, commands, width, solve::bdd::Limits::default(), &budget).expect("no limit");
    let classes = classes(&encoded);
    let closed = symbolic::close(&mut encoded, classes, (width, false), &budget, &mut Silent);
    (encoded, closed.expect("no limit").0)
}

/// The name of the function that the group belongs to, and the values of its variables; all orders of its threads.
fn orders(encoded: &Symbolic<'_>, closed: &Closed, group: &Group) -> Vec<(Key, BTreeMap<Level, bool>)> {
    let (initialising, busy, shared, threads) = group;
    let mut found = vec![];
    for order in permutations(threads.len()) {
        let places: Vec<u32> = order
            .iter()
            .map(|&at| symbolic::sets::place(closed.classes.of(threads[at].0), threads[at].1))
            .collect();
        if !places.is_sorted() {
            continue;
        }
        let ids = encoded.program.shared().ids().map(Var::Shared);
        let mut values: BTreeMap<Level, bool> =
            ids.zip(shared).map(|(var, &value)| (encoded.space.now(var, Slot::Own), value)).collect();
        for (slot, &at) in order.iter().enumerate() {
            for &local in closed.classes.kept(closed.classes.of(threads[at].0)) {
                let level = encoded.space.now(Var::Local(local), Slot::Member(slot));
                values.insert(level, threads[at].2[local.index()]);
            }
        }
        let key = Key { initialising: *initialising, busy: *busy, tuple: places.into_iter().collect() };
        found.push((key, values));
    }
    found
}

fn permutations(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for at in 0..len {
        let grown = all.iter().flat_map(|row: &Vec<usize>| {
            (0..=row.len()).map(|to| [&row[..to], &[at], &row[to..]].concat()).collect::<Vec<_>>()
        });
        all = grown.collect();
    }
    all
}

fn contains(encoded: &Symbolic<'_>, closed: &Closed, group: &Group) -> bool {
    orders(encoded, closed, group).iter().all(|(key, values)| {
        let function = closed.sets.find(key).map(|number| closed.sets.all(number));
        function.is_some_and(|f| encoded.manager.eval(f, |level| values[&level]))
    })
}

/// Every location alone: the same tuples. Locations merged: at least those.
fn compare(program: &Program, seed: u64) -> usize {
    let model = Model::Program(Arc::new(program.clone()));
    let mut safe = 0;
    for width in 1..=3 {
        let (tuples, is_safe) = explicit(&model, width);
        safe += usize::from(is_safe);
        let (encoded, closed) = close(program, width, Classes::single);
        let mut expected: BTreeMap<Vec<u32>, BTreeSet<Vec<bool>>> = BTreeMap::new();
        for group in &tuples {
            assert!(
                contains(&encoded, &closed, group),
                "width {width}, program {seed}: {group:?} is missing"
            );
            for (key, values) in orders(&encoded, &closed, group) {
                let name = name(&key);
                expected.entry(name).or_default().insert(values.into_values().collect());
            }
        }
        for (key, function) in closed.sets.iter() {
            let listed = expected.get(&name(key)).map_or(0, BTreeSet::len);
            let places = key.tuple.as_slice().iter();
            let locals: usize =
                places.map(|&at| closed.classes.kept(symbolic::sets::class_of(at)).len()).sum();
            let variables = (locals + program.shared().len()) as u32;
            let count = encoded.manager.sat_count_exact(function, variables);
            assert_eq!(count, Some(listed as u128), "width {width}, program {seed}: {key:?}");
        }
        assert_eq!(closed.error.is_none(), is_safe, "width {width}, program {seed}");
        let (encoded, closed) = close(program, width, Classes::coarse);
        for group in &tuples {
            assert!(contains(&encoded, &closed, group), "width {width}, program {seed}: {group:?}, classes");
        }
        assert_eq!(
            closed.error.is_none(),
            is_safe,
            "width {width}, program {seed}: splitting ends too early"
        );
    }
    safe
}

fn name(key: &Key) -> Vec<u32> {
    let flags = [u32::from(key.initialising), u32::from(key.busy)];
    flags.into_iter().chain(key.tuple.as_slice().iter().copied()).collect()
}

fn compare_all(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut compared, mut safe) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if program.is_flat() {
            safe += compare(&program, seed);
            compared += 1;
        }
        if let Ok((prepared, _)) = passes::prepare(&program, &Settings::default(), &mut Silent) {
            safe += compare(&prepared, seed);
            compared += 1;
        }
    }
    assert!(compared > least && safe > least / 2, "{compared} compared, {safe} safe");
}

#[test]
fn equals_the_explicit_closure() {
    compare_all(&Profile::ALL, 0..200, 200);
}

#[test]
fn equals_the_explicit_closure_with_broadcasts() {
    compare_all(&Profile { passive_conditions: 40, ..Profile::BROADCASTS }, 10_000..10_150, 200);
}

#[test]
fn equals_the_explicit_closure_of_spawning_programs() {
    compare_all(&Profile::SPAWNING, 20_000..20_150, 200);
}

fn group_of(program: &Program, state: &State, threads: &[&Thread]) -> Group {
    let seen = |thread: &&Thread| {
        let value = |(id, local): (ir::bp::LocalId, &ir::bp::Local)| match local.scope {
            LocalScope::Thread => thread.values[id.index()],
            LocalScope::Procedure(_) => thread.top().values[id.index()],
        };
        (thread.loc(), thread.inside, program.locals().enumerate().map(value).collect())
    };
    let busy = state.threads.values().any(|thread| thread.inside);
    (state.initialising, busy, state.shared.clone(), threads.iter().map(seen).collect())
}

/// All choices of at most `width` threads of a state that were reached with up to five.
fn holds_all(program: &Program, seed: u64) -> bool {
    let machine = Machine::new(program, Some(5));
    let Some(states) = machine.reachable(300) else { return false };
    for (width, classes) in [(1, Classes::coarse as fn(&Symbolic<'_>) -> Classes), (2, Classes::coarse)] {
        let (encoded, closed) = close(program, width, classes);
        for state in &states {
            let threads: Vec<&Thread> = state.threads.values().collect();
            for one in 0..threads.len() {
                for other in one..threads.len() {
                    let chosen =
                        if one == other { vec![threads[one]] } else { vec![threads[one], threads[other]] };
                    let group = group_of(program, state, &chosen);
                    assert!(
                        chosen.len() > width || contains(&encoded, &closed, &group),
                        "width {width}, program {seed}: {group:?}"
                    );
                }
            }
        }
        let fails = states.iter().any(|state| machine.failure(state).is_some());
        assert!(!fails || closed.error.is_some(), "width {width} misses an error of program {seed}");
    }
    true
}

#[test]
fn holds_what_five_threads_do() {
    let mut tried = 0;
    for (profile, first) in [(Profile::ALL, 30_000), (Profile::SPAWNING, 31_000)] {
        for seed in first..first + 250 {
            let program = random::program(seed, &profile);
            tried += usize::from(program.is_flat() && holds_all(&program, seed));
        }
    }
    assert!(tried > 100, "{tried}");
}
