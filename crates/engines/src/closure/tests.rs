//! Both closures against brute force, which they must contain, and the symbolic one against the explicit one,
//! which it must equal where every location is a class of its own.

use super::diagrams::sets::{class_of, control};
use super::diagrams::{Classes, Closed, TupleKey, encode};
use super::{Mode, RuleSystem, Source, programs, spread, system};
use crate::command::Commands;
use crate::encoding::{Encoding, Slot};
use base::{Budget, Id, NoEvents, Settings};
use ir::bp::{Loc, Machine, State, Thread, Var};
use ir::{Model, Program, net};
use solve::bdd::{Level, Limits};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testing::bp::{self as random, Profile};

/// A thread: where it stands and all its locals.
type Seen = (Loc, bool, Vec<bool>);

/// Threads together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Together {
    initialising: bool,
    busy: bool,
    shared: Vec<bool>,
    threads: Vec<Seen>,
}

fn close(system: &mut RuleSystem<'_>, width: usize) -> super::Closure {
    let closed = super::close(system, Mode::to_the_end(width), &Budget::unlimited(), &mut NoEvents);
    closed.expect("the budget has no end").expect("no limit")
}

/// All tuples of the explicit closure, and whether it has no error.
fn explicit(model: &Model, width: usize) -> (BTreeSet<Together>, bool) {
    let mut system = system(model, false).expect("the programs are flat");
    let closed = close(&mut system, width);
    let rows = super::words::tuples(&closed.tuples, &Budget::unlimited()).expect("the budget has no end");
    let all = rows.iter().filter(|row| row.len() > 1).map(|row| shown(&system, row[0], &row[1..]));
    (all.collect(), closed.is_safe())
}

fn shown(system: &RuleSystem<'_>, shared: u32, locals: &[u32]) -> Together {
    let Source::Program(program) = &system.source else { panic!("a program") };
    let semantics = &program.threads.semantics;
    let bits = |row: &[u32], len: usize| (0..len).map(|index| crate::bits::get(row, index)).collect();
    let valuation = programs::valuation(shared);
    let threads = locals.iter().map(|&local| {
        let values = bits(semantics.values(local), semantics.program.locals().len());
        (semantics.loc(local), semantics.inside(local), values)
    });
    Together {
        initialising: semantics.initialising(valuation),
        busy: programs::is_inside(shared),
        shared: bits(semantics.shared.get(valuation), semantics.program.shared().len()),
        threads: threads.collect(),
    }
}

fn diagrams<'p>(
    program: &'p Program,
    width: usize,
    classes: fn(&Encoding<'_>) -> Classes,
) -> (Encoding<'p>, Closed) {
    let (budget, commands) = (Budget::unlimited(), Commands::new(program).expect("flat"));
    let mut encoded = encode(program, commands, width, Limits::default(), &budget).expect("no limit");
    let classes = classes(&encoded);
    let closed =
        super::diagrams::close(&mut encoded, classes, Mode::to_the_end(width), &budget, &mut NoEvents);
    (encoded, closed.expect("no limit").0)
}

/// The key of the function that the threads belong to, and the values of its variables; for all orders of the
/// threads.
fn orders(encoded: &Encoding<'_>, closed: &Closed, it: &Together) -> Vec<(TupleKey, BTreeMap<Level, bool>)> {
    let mut found = vec![];
    for order in permutations(it.threads.len()) {
        let threads: Vec<&Seen> = order.iter().map(|&at| &it.threads[at]).collect();
        let class = |thread: &Seen| closed.classes.of(thread.0);
        let tuple: Vec<u32> = threads.iter().map(|thread| control(class(thread), thread.1)).collect();
        if !tuple.is_sorted() {
            continue;
        }
        let ids = encoded.program.shared().ids().map(Var::Shared);
        let mut values: BTreeMap<Level, bool> =
            ids.zip(&it.shared).map(|(var, &value)| (encoded.space.now(var, Slot::Own), value)).collect();
        for (slot, thread) in threads.iter().enumerate() {
            for &local in closed.classes.kept(class(thread)) {
                let level = encoded.space.now(Var::Local(local), Slot::Member(slot));
                values.insert(level, thread.2[local.index()]);
            }
        }
        let tuple = tuple.into_iter().collect();
        found.push((TupleKey { initialising: it.initialising, busy: it.busy, tuple }, values));
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

fn contains(encoded: &Encoding<'_>, closed: &Closed, it: &Together) -> bool {
    orders(encoded, closed, it).iter().all(|(key, values)| {
        let function = closed.sets.find(key).map(|number| closed.sets.all(number));
        function.is_some_and(|f| encoded.manager.eval(f, |level| values[&level]))
    })
}

fn name(key: &TupleKey) -> Vec<u32> {
    let flags = [u32::from(key.initialising), u32::from(key.busy)];
    flags.into_iter().chain(key.tuple.as_slice().iter().copied()).collect()
}

/// Every location alone: the same tuples. Locations merged: at least those. Returns for how many widths there
/// is no error.
fn compare(program: &Program, context: &str) -> usize {
    let model = Model::Program(Arc::new(program.clone()));
    let mut safe = 0;
    for width in 1..=3 {
        let (tuples, is_safe) = explicit(&model, width);
        safe += usize::from(is_safe);
        let (encoded, closed) = diagrams(program, width, Classes::single);
        let mut expected: BTreeMap<Vec<u32>, BTreeSet<Vec<bool>>> = BTreeMap::new();
        for it in &tuples {
            assert!(contains(&encoded, &closed, it), "width {width}, {context}: {it:?} is missing");
            for (key, values) in orders(&encoded, &closed, it) {
                expected.entry(name(&key)).or_default().insert(values.into_values().collect());
            }
        }
        for (key, function) in closed.sets.iter() {
            let listed = expected.get(&name(key)).map_or(0, BTreeSet::len);
            let tuple = key.tuple.as_slice().iter();
            let locals: usize = tuple.map(|&at| closed.classes.kept(class_of(at)).len()).sum();
            let variables = (locals + program.shared().len()) as u32;
            let count = encoded.manager.sat_count_exact(function, variables);
            assert_eq!(count, Some(listed as u128), "width {width}, {context}: {key:?}");
        }
        assert_eq!(closed.error.is_none(), is_safe, "width {width}, {context}");
        let (encoded, closed) = diagrams(program, width, Classes::coarse);
        let missing = tuples.iter().find(|it| !contains(&encoded, &closed, it));
        assert!(missing.is_none(), "width {width}, {context}, classes: {missing:?}");
        assert_eq!(closed.error.is_none(), is_safe, "width {width}, {context}: splitting ends too early");
    }
    safe
}

fn compare_all(profile: &Profile, seeds: std::ops::Range<u64>) {
    let (mut compared, mut safe) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if program.is_flat() {
            safe += compare(&program, &format!("program {seed}"));
            compared += 1;
        }
        let prepared = passes::prepare(&program, &Settings::default(), &Budget::unlimited(), &mut NoEvents);
        let prepared = prepared.expect("nothing stops it").program;
        if prepared.is_flat() {
            safe += compare(&prepared, &format!("prepared program {seed}"));
            compared += 1;
        }
    }
    assert!(compared > 60 && safe > compared / 2, "{compared} compared, {safe} safe");
}

#[test]
fn symbolic_equals_explicit() {
    compare_all(&Profile::ALL, 0..60);
    compare_all(&Profile { passive_conditions: 40, ..Profile::BROADCASTS }, 10_000..10_060);
    compare_all(&Profile::SPAWNING, 20_000..20_060);
}

fn together(program: &Program, state: &State, threads: &[&Thread]) -> Together {
    let seen = |thread: &&Thread| {
        let values = program.locals().ids().map(|local| thread.value(program, 0, local)).collect();
        (thread.loc(), thread.inside, values)
    };
    let busy = state.threads.values().any(|thread| thread.inside);
    let threads = threads.iter().map(seen).collect();
    Together { initialising: state.initialising, busy, shared: state.shared.clone(), threads }
}

/// Both closures hold each thread, and each two threads, of every state with up to four; whether brute force
/// came to an end.
fn holds_what_threads_do(program: &Program, context: &str) -> bool {
    let machine = Machine::new(program, Some(4));
    let Some(states) = machine.reachable(300) else { return false };
    let fails = states.iter().any(|state| machine.failure(state).is_some());
    let model = Model::Program(Arc::new(program.clone()));
    for width in 1..=2 {
        let (tuples, is_safe) = explicit(&model, width);
        let (encoded, closed) = diagrams(program, width, Classes::coarse);
        assert!(!fails || !is_safe && closed.error.is_some(), "width {width} misses an error of {context}");
        for state in &states {
            let threads: Vec<&Thread> = state.threads.values().collect();
            let pairs = (0..threads.len()).flat_map(|one| (one..threads.len()).map(move |two| (one, two)));
            for (one, two) in pairs.filter(|(one, two)| one == two || width > 1) {
                let chosen = if one == two { vec![threads[one]] } else { vec![threads[one], threads[two]] };
                let mut it = together(program, state, &chosen);
                assert!(contains(&encoded, &closed, &it), "width {width}, {context}: {it:?}");
                let listed = tuples.contains(&it) || {
                    it.threads.reverse();
                    tuples.contains(&it)
                };
                assert!(listed, "width {width}, {context}: {it:?} is not listed");
            }
        }
    }
    true
}

#[test]
fn closures_hold_what_threads_do() {
    let mut tried = 0;
    for (profile, first) in
        [(Profile::ALL, 30_000), (Profile::SPAWNING, 31_000), (Profile::BROADCASTS, 32_000)]
    {
        for seed in first..first + 120 {
            let program = random::program(seed, &profile);
            tried += usize::from(program.is_flat() && holds_what_threads_do(&program, &format!("{seed}")));
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn closures_hold_what_nets_do() {
    for seed in 0..400 {
        let profile = if seed % 2 == 0 { testing::net::Profile::ALL } else { testing::net::Profile::SIMPLE };
        let net = testing::net::net(seed, &profile);
        let machine = net::Machine::new(&net, Some(4));
        let markings = machine.reachable(5000).expect("few tokens in few places");
        let hit = markings.iter().any(|marking| machine.at_target(marking));
        let model = Model::Net(Arc::new(net));
        let mut system = system(&model, true).expect("nets are systems");
        for width in 1..=3 {
            let closed = close(&mut system, width);
            assert!(!hit || !closed.is_safe(), "width {width} misses a target of net {seed}");
            for marking in &markings {
                let groups: Vec<(u32, u32)> = (0..).zip(marking.tokens.iter().copied()).collect();
                let (threads, shared) = (spread(&groups, usize::MAX), marking.shared.index() as u32);
                assert!(closed.tuples.consistent(shared, &threads), "width {width}, net {seed}: {marking:?}");
            }
        }
    }
}
