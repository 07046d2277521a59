//! Against truth tables of six inputs, packed into one word as in the tests of decision diagrams.

use super::*;
use base::Budget;

fn column(input: usize) -> u64 {
    (0..64u64).filter(|row| row >> input & 1 == 1).fold(0, |table, row| table | 1 << row)
}

fn six_inputs(seed: u64) -> Aig {
    let mut aig = Aig::new(seed);
    (0..6).for_each(|_| {
        aig.new_input();
    });
    aig
}

fn table(aig: &Aig, lit: Lit) -> u64 {
    (0..64u64)
        .fold(0, |table, row| table | u64::from(aig.eval(lit, |input| row >> input.index() & 1 == 1)) << row)
}

/// Grows a pool of formulas beside their tables by random operations.
fn pool(aig: &mut Aig, random: &mut Random, size: usize) -> Vec<(Lit, u64)> {
    let mut pool = vec![(Lit::FALSE, 0), (Lit::TRUE, u64::MAX)];
    pool.extend((0..6).map(|at| (aig.input(Input::from_index(at)), column(at))));
    while pool.len() < size {
        // Recent formulas are taken more often: they are deep, and their operands meet again.
        let mut pick = || {
            let start = pool.len().saturating_sub(12) * random.below(2);
            let (lit, table) = pool[start + random.below(pool.len() - start)];
            if random.flag() { (!lit, !table) } else { (lit, table) }
        };
        let ((f, a), (g, b), (h, c)) = (pick(), pick(), pick());
        let made = match random.below(6) {
            0 => (aig.and(f, g), a & b),
            1 => (aig.or(f, g), a | b),
            2 => (aig.xor(f, g), a ^ b),
            3 => (aig.iff(f, g), !(a ^ b)),
            4 => (aig.implies(f, g), !a | b),
            _ => (aig.ite(f, g, h), a & b | !a & c),
        };
        pool.push(made);
    }
    pool
}

#[test]
fn connectives_agree_with_tables() {
    let mut random = Random::new(1);
    for seed in 0..40 {
        let mut aig = six_inputs(seed);
        for (lit, expected) in pool(&mut aig, &mut random, 120) {
            assert_eq!(table(&aig, lit), expected);
            assert_eq!(table(&aig, !lit), !expected);
        }
    }
}

#[test]
fn rules_fold() {
    let mut aig = six_inputs(0);
    let [a, b, c] = [0, 1, 2].map(|at| aig.input(Input::from_index(at)));
    let ab = aig.and(a, b);
    let not_b = aig.and(a, !b);
    let bc = aig.and(b, c);
    let before = aig.len();
    for (left, right, expected) in [
        (a, a, a),
        (a, !a, Lit::FALSE),
        (ab, b, ab),
        (ab, !b, Lit::FALSE),
        (!ab, !a, !a),
        (!ab, a, not_b),
        (ab, not_b, Lit::FALSE),
        (ab, !not_b, ab),
        (!ab, !not_b, !a),
    ] {
        assert_eq!(aig.and(left, right), expected, "{left:?} and {right:?}");
        assert_eq!(aig.and(right, left), expected, "{right:?} and {left:?}");
    }
    assert_eq!(aig.len(), before);
    // a∧b∧(b∧c) and a∧b∧¬(b∧c) lose the b.
    let shared = aig.and(ab, bc);
    assert_eq!(shared, aig.and(ab, c));
    let apart = aig.and(ab, !bc);
    assert_eq!(apart, aig.and(ab, !c));
    assert_eq!(aig.xor(a, b), !aig.xor(!a, b));
}

#[test]
fn simulation_words_are_values() {
    let mut aig = six_inputs(7);
    let mut random = Random::new(2);
    for (lit, _) in pool(&mut aig, &mut random, 200) {
        for (word, bit) in [(0, 0), (1, 17), (3, 63)] {
            let value = |input| aig.simulation(aig.input(input))[word] >> bit & 1 == 1;
            assert_eq!(aig.simulation(lit)[word] >> bit & 1 == 1, aig.eval(lit, value));
        }
    }
}

#[test]
fn substitution_is_simultaneous() {
    let budget = Budget::unlimited();
    let mut random = Random::new(3);
    for seed in 0..20 {
        let mut aig = six_inputs(seed);
        let pool = pool(&mut aig, &mut random, 60);
        let by: Vec<(Lit, u64)> = (0..3).map(|_| pool[random.below(pool.len())]).collect();
        let pairs: Vec<(Input, Lit)> = (0..3).map(|at| (Input::from_index(at), by[at].0)).collect();
        let mut shared = Substitution::new(pairs.iter().copied());
        for &(lit, expected) in &pool {
            let composed = (0..64u64).fold(0, |result, row| {
                let low = (0..3).fold(0, |source, at| source | (by[at].1 >> row & 1) << at);
                result | (expected >> (row & !7 | low) & 1) << row
            });
            let once = aig.compose(lit, &pairs, &budget).expect("nothing stops it");
            assert_eq!(table(&aig, once), composed);
            assert_eq!(aig.substitute(lit, &mut shared, &budget), Ok(once));
            let fixed =
                aig.cofactor(lit, &[(Input::from_index(4), true)], &budget).expect("nothing stops it");
            let rows = (0..64u64).fold(0, |result, row| result | (expected >> (row | 16) & 1) << row);
            assert_eq!(table(&aig, fixed), rows);
            assert!(!aig.support([fixed]).contains(&Input::from_index(4)));
        }
    }
}

#[test]
fn support_holds_what_matters() {
    let mut aig = six_inputs(0);
    let mut random = Random::new(4);
    for (lit, table) in pool(&mut aig, &mut random, 300) {
        let support = aig.support([lit]);
        for input in 0..6 {
            let half = 1 << input;
            let depends = (0..64u64).any(|row| (table >> (row | half) ^ table >> (row & !half)) & 1 == 1);
            assert!(!depends || support.contains(&Input::from_index(input)));
        }
    }
}

#[test]
fn deep_graphs_need_no_stack() {
    let budget = Budget::unlimited();
    let mut aig = Aig::new(0);
    let first = aig.new_input();
    let mut lit = aig.input(first);
    let depth = 300_000;
    for _ in 0..depth {
        let input = aig.new_input();
        let next = aig.input(input);
        lit = aig.and(!lit, next);
    }
    assert_eq!(aig.cone_size([lit]), depth);
    assert_eq!(aig.support([lit]).len(), depth + 1);
    assert_eq!(aig.eval(lit, |input| input != first), depth % 2 == 1);
    let fixed = aig.cofactor(lit, &[(first, true)], &budget).expect("nothing stops it");
    assert_eq!(aig.support([fixed]).len(), depth - 1);
}
