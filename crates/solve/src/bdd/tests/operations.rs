//! Connectives, quantifiers, substitutions and queries against tables.

use super::*;
use crate::bdd::{GraphRef, ImportError};

const ROUNDS: usize = 3000;

/// Runs a check on random pairs of functions.
fn each_pair(seed: u64, mut check: impl FnMut(&mut Manager, &mut Random, (Bdd, u64), (Bdd, u64))) {
    let mut manager = Manager::default();
    let mut random = Random::new(seed);
    for _ in 0..ROUNDS {
        let (a, b) = (random_table(&mut random), random_table(&mut random));
        let (f, g) = (build(&mut manager, a), build(&mut manager, b));
        assert_eq!(table(&manager, f), a);
        check(&mut manager, &mut random, (f, a), (g, b));
    }
}

/// Equal tables must give equal handles, not only equal functions.
#[track_caller]
fn same(manager: &mut Manager, result: Result<Bdd, base::Stop>, expected: u64) {
    let result = result.expect("nothing stops it");
    assert_eq!(table(manager, result), expected);
    assert_eq!(build(manager, expected), result);
}

#[test]
fn connectives() {
    let budget = free();
    each_pair(1, |m, random, (f, a), (g, b)| {
        let result = m.and(f, g, &budget);
        same(m, result, a & b);
        let result = m.or(f, g, &budget);
        same(m, result, a | b);
        let result = m.xor(f, g, &budget);
        same(m, result, a ^ b);
        let result = m.iff(f, g, &budget);
        same(m, result, !(a ^ b));
        let result = m.implies(f, g, &budget);
        same(m, result, !a | b);
        let result = m.diff(f, g, &budget);
        same(m, result, a & !b);
        same(m, Ok(!f), !a);
        let c = random_table(random);
        let h = build(m, c);
        let result = m.ite(f, g, h, &budget);
        same(m, result, a & b | !a & c);
        let result = m.and_all([f, g, h], &budget);
        same(m, result, a & b & c);
        let result = m.or_all([f, g, h], &budget);
        same(m, result, a | b | c);
        assert_eq!(m.leq(f, g, &budget), Ok(a & !b == 0));
        assert_eq!(m.disjoint(f, g, &budget), Ok(a & b == 0));
    });
}

#[test]
fn quantifiers() {
    let budget = free();
    each_pair(2, |m, random, (f, a), (g, b)| {
        let levels = random_levels(random);
        let vars = m.var_set(&levels).expect("nothing stops it");
        assert_eq!(m.levels_of(vars), levels);
        let some = |t: u64| levels.iter().fold(t, |t, &l| fixed(t, l, false) | fixed(t, l, true));
        let result = m.exists(f, vars, &budget);
        same(m, result, some(a));
        let result = m.forall(f, vars, &budget);
        same(m, result, !some(!a));
        let result = m.and_exists(f, g, vars, &budget);
        same(m, result, some(a & b));
    });
}

#[test]
fn renaming() {
    let budget = free();
    each_pair(3, |m, random, (f, a), _| {
        let pairs: Vec<(Level, Level)> =
            random_levels(random).into_iter().map(|from| (from, random.below(6) as Level)).collect();
        let target = |level| pairs.iter().find(|pair| pair.0 == level).map_or(level, |pair| pair.1);
        let expected = (0..64u64).fold(0, |result, row| {
            let source = (0..VARS).fold(0, |source, level| source | (row >> target(level) & 1) << level);
            result | (a >> source & 1) << row
        });
        let map = m.level_map(&pairs);
        let result = m.rename(f, map, &budget);
        same(m, result, expected);
        let mut other = Manager::default();
        let moved = other.transfer(m, f, target, &budget).expect("nothing stops it");
        assert_eq!(table(&other, moved), expected);
    });
}

#[test]
fn fixing_and_composing() {
    let budget = free();
    each_pair(4, |m, random, (f, a), (g, b)| {
        let values: Vec<(Level, bool)> =
            random_levels(random).into_iter().map(|level| (level, random.flag())).collect();
        let expected = values.iter().fold(a, |t, &(level, value)| fixed(t, level, value));
        let result = m.cofactor(f, &values, &budget);
        same(m, result, expected);
        let cube = values.iter().fold(u64::MAX, |t, &(l, v)| t & (column(l) ^ if v { 0 } else { u64::MAX }));
        let result = m.cube(&values);
        same(m, result, cube);
        // Two at once: variables 1 and 4 swap roles with functions that mention them.
        let by = [(1, g), (4, !f)];
        let pick = |t: u64, x: bool, y: bool| fixed(fixed(t, 1, x), 4, y);
        let expected = pick(a, true, true) & b & !a
            | pick(a, true, false) & b & a
            | pick(a, false, true) & !b & !a
            | pick(a, false, false) & !b & a;
        let result = m.compose(f, &by, &budget);
        same(m, result, expected);
    });
}

#[test]
fn queries() {
    each_pair(5, |m, _, (f, a), (g, b)| {
        let depends = |t: u64, level| fixed(t, level, false) != fixed(t, level, true);
        let support: Vec<Level> = (0..VARS).filter(|&level| depends(a, level)).collect();
        assert_eq!(m.support(f), support);
        let both: Vec<Level> = (0..VARS).filter(|&level| depends(a, level) || depends(b, level)).collect();
        assert_eq!(m.support_of_all([f, g]), both);
        assert_eq!(m.sat_count_exact(f, 6), Some(u128::from(a.count_ones())));
        assert_eq!(m.sat_count(f, 6), f64::from(a.count_ones()));
        assert_eq!(m.sat_count_exact(f, 126), Some(u128::from(a.count_ones()) << 120));
        assert!(m.node_count([f, g]) <= m.node_count([f]) + m.node_count([g]));
        let levels: Vec<Level> = (0..VARS).collect();
        let smallest = (0..64u64).map(|row| row.reverse_bits() >> 58).find(|row| a >> row & 1 == 1);
        let picked = m.pick_assignment(f, &levels);
        let packed = picked.map(|bits| bits.iter().rev().fold(0, |row, &bit| row << 1 | u64::from(bit)));
        assert_eq!(packed, smallest);
    });
}

#[test]
fn cubes_partition_the_function() {
    each_pair(6, |m, _, (f, a), _| {
        let mut covered = 0;
        for values in m.clone().cubes(f) {
            let cube = m.cube(&values).expect("nothing stops it");
            let cube = table(m, cube);
            assert_eq!(covered & cube, 0);
            covered |= cube;
        }
        assert_eq!(covered, a);
        assert_eq!(m.pick_cube(f).is_none(), a == 0);
    });
}

#[test]
fn graphs_come_back() {
    let budget = free();
    each_pair(7, |m, _, (f, _), (g, _)| {
        let graph = m.export(&[f, g, !f, Bdd::TRUE]);
        assert_eq!(m.import(&graph, &budget), Ok(vec![f, g, !f, Bdd::TRUE]));
    });
    let mut m = Manager::default();
    let x = m.var(3).expect("nothing stops it");
    let mut graph = m.export(&[x]);
    graph.nodes[0].low = GraphRef::Node(0);
    assert_eq!(m.import(&graph, &budget), Err(ImportError::ForwardReference { node: 0 }));
}
