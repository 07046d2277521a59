//! Against enumeration of both sets, and the two known ways to get it wrong.

use super::*;
use crate::random::Random;
use base::Id;
use std::collections::BTreeSet;

const INPUTS: usize = 5;

fn graph(seed: u64) -> Aig {
    let mut aig = Aig::new(seed);
    (0..INPUTS).for_each(|_| {
        aig.new_input();
    });
    aig
}

fn input(aig: &Aig, at: usize) -> Lit {
    aig.input(Input::from_index(at))
}

/// All valuations of a set.
fn valuations(aig: &Aig, set: &StateSet) -> BTreeSet<Vec<bool>> {
    let formulas: Vec<Lit> = set.bits.iter().copied().chain([set.guard]).collect();
    (0..1usize << INPUTS)
        .filter_map(|choice| {
            let mut values = aig.eval_all(&formulas, |input| choice >> input.index() & 1 == 1);
            values.pop().expect("the guard is last").then_some(values)
        })
        .collect()
}

fn all_options() -> Vec<Options> {
    let mut all = vec![];
    for flags in 0..8 {
        for quantify in [Quantify::StateBits, Quantify::Choices] {
            let flag = |at: u32| flags >> at & 1 == 1;
            all.push(Options { filters: flag(0), groups: flag(1), generalise: flag(2), quantify });
        }
    }
    all
}

/// Asks with every combination of options and compares with enumeration.
#[track_caller]
fn check(aig: &Aig, new: &StateSet, old: &StateSet) -> bool {
    let expected = valuations(aig, new).is_subset(&valuations(aig, old));
    for options in all_options() {
        let answer = included(aig, new, old, &options, &Budget::unlimited());
        assert_eq!(answer, Ok(expected), "{options:?} {new:?} {old:?}");
    }
    expected
}

fn random_formula(aig: &mut Aig, random: &mut Random, size: usize) -> Lit {
    let mut pick = |aig: &Aig| input(aig, random.below(INPUTS)).negate_if(random.flag());
    let mut formula = pick(aig);
    for _ in 0..size {
        let other = pick(aig);
        formula = match formula.node() % 3 {
            0 => aig.xor(formula, other),
            1 => aig.or(formula, other),
            _ => aig.and(formula, other),
        };
    }
    formula
}

fn random_set(aig: &mut Aig, random: &mut Random, bits: usize) -> StateSet {
    let guard_size = random.below(4);
    let guard = (0..random.below(3)).fold(Lit::TRUE, |guard, _| {
        let conjunct = random_formula(aig, random, guard_size);
        aig.and(guard, conjunct)
    });
    let bits = (0..bits)
        .map(|_| match random.below(6) {
            0 => Lit::constant(random.flag()),
            size => random_formula(aig, random, size / 2),
        })
        .collect();
    StateSet { bits, guard }
}

/// A set made from another, so that inclusion is likely but not certain.
fn related_set(aig: &mut Aig, random: &mut Random, old: &StateSet) -> StateSet {
    let mut new = old.clone();
    for _ in 0..random.below(3) {
        let size = random.below(3);
        let conjunct = random_formula(aig, random, size);
        new.guard = aig.and(new.guard, conjunct);
    }
    let mut pairs: Vec<(Input, Lit)> = vec![];
    for at in 0..INPUTS {
        if random.below(3) == 0 {
            pairs.push((Input::from_index(at), input(aig, random.below(INPUTS))));
        }
    }
    for lit in new.bits.iter_mut().chain([&mut new.guard]) {
        *lit = aig.compose(*lit, &pairs, &Budget::unlimited()).expect("nothing stops it");
    }
    if random.below(4) == 0 {
        let at = random.below(new.bits.len());
        new.bits[at] = input(aig, random.below(INPUTS));
    }
    new
}

#[test]
fn random_sets_agree_with_enumeration() {
    let mut random = Random::new(1);
    let (mut yes, mut no) = (0, 0);
    for seed in 0..1500 {
        let mut aig = graph(seed);
        let bits = 1 + random.below(5);
        let old = random_set(&mut aig, &mut random, bits);
        let new = if random.below(3) == 0 {
            random_set(&mut aig, &mut random, bits)
        } else {
            related_set(&mut aig, &mut random, &old)
        };
        if check(&aig, &new, &old) { yes += 1 } else { no += 1 }
    }
    assert!(yes > 400 && no > 400, "{yes} included, {no} not");
}

/// The formula printed in the paper: for all x there are choices of both such that the new bits are x and, if
/// the new guard holds, the old guard holds and the old bits equal the new ones.
fn printed_formula(aig: &Aig, new: &StateSet, old: &StateSet) -> bool {
    let choices = 0..1usize << INPUTS;
    let at = |lits: &[Lit], choice: usize| aig.eval_all(lits, |input| choice >> input.index() & 1 == 1);
    (0..1usize << new.bits.len()).all(|x| {
        let x: Vec<bool> = (0..new.bits.len()).map(|bit| x >> bit & 1 == 1).collect();
        choices.clone().any(|n| {
            at(&new.bits, n) == x
                && (!at(&[new.guard], n)[0]
                    || choices.clone().any(|o| at(&[old.guard], o)[0] && at(&old.bits, o) == x))
        })
    })
}

#[test]
fn a_choice_outside_the_guard_proves_nothing() {
    let aig = graph(0);
    let new = StateSet { bits: vec![input(&aig, 0)], guard: input(&aig, 1) };
    let old = StateSet { bits: vec![Lit::FALSE], guard: Lit::TRUE };
    assert!(!check(&aig, &new, &old));
    // Wrong: {0, 1} is not inside {0}.
    assert!(printed_formula(&aig, &new, &old));
}

#[test]
fn a_point_outside_the_new_set_refutes_nothing() {
    let aig = graph(0);
    let new = StateSet { bits: vec![Lit::FALSE], guard: Lit::TRUE };
    let old = StateSet { bits: vec![input(&aig, 0)], guard: Lit::TRUE };
    assert!(check(&aig, &new, &old));
    // Wrong: {0} is inside {0, 1}.
    assert!(!printed_formula(&aig, &new, &old));
}

/// The loop with a wrong way to find cubes: a bit is freed when the old set still has some valuation without
/// it.
fn frees_bits_too_easily(aig: &Aig, new: &StateSet, old: &StateSet) -> bool {
    let old = valuations(aig, old);
    let mut left = valuations(aig, new);
    while let Some(valuation) = left.first().cloned() {
        if !old.contains(&valuation) {
            return false;
        }
        let mut fixed: Vec<usize> = (0..valuation.len()).collect();
        for bit in 0..valuation.len() {
            let others: Vec<usize> = fixed.iter().copied().filter(|&other| other != bit).collect();
            if old.iter().any(|there| others.iter().all(|&other| there[other] == valuation[other])) {
                fixed = others;
            }
        }
        left.retain(|other| fixed.iter().any(|&bit| other[bit] != valuation[bit]));
    }
    true
}

#[test]
fn some_point_without_the_bit_is_not_enough_to_free_it() {
    let aig = graph(0);
    let [x, y] = [input(&aig, 0), input(&aig, 1)];
    let new = StateSet { bits: vec![Lit::FALSE, x], guard: Lit::TRUE };
    let old = StateSet { bits: vec![y, y], guard: Lit::TRUE };
    assert!(!check(&aig, &new, &old));
    // Wrong: {00, 01} is not inside {00, 11}, but 00 is, and both sets go on without their second bit.
    assert!(frees_bits_too_easily(&aig, &new, &old));
}

#[test]
fn an_old_set_that_is_empty_for_a_hidden_reason_holds_nothing() {
    let mut aig = graph(0);
    let [x, y, z] = [0, 1, 2].map(|at| input(&aig, at));
    // Not folded: x differs from y, y from z, and z from x.
    let guards = [aig.xor(x, y), aig.xor(y, z), aig.xor(z, x)];
    let empty = aig.and_all(guards);
    assert_ne!(empty, Lit::FALSE);
    let free = input(&aig, 4);
    let old = StateSet { bits: vec![free], guard: empty };
    let new = StateSet { bits: vec![free], guard: Lit::TRUE };
    assert!(!check(&aig, &new, &old));
    assert!(check(&aig, &old, &old));
    let nothing = StateSet { bits: vec![], guard: Lit::TRUE };
    assert!(!check(&aig, &nothing, &StateSet { bits: vec![], guard: empty }));
}

/// Thirty independent bits have a thousand million valuations; cubes and groups each need a handful.
#[test]
fn cubes_and_groups_avoid_enumeration() {
    let mut aig = Aig::new(0);
    let size = 30;
    let choices: Vec<Lit> = (0..2 * size)
        .map(|_| {
            let input = aig.new_input();
            aig.input(input)
        })
        .collect();
    // One guard over all choices ties all bits into one group: some choice is false.
    let guard = aig.and_all(choices[..size].iter().copied());
    let old = StateSet { bits: choices[..size].to_vec(), guard: !guard };
    let new_guard = aig.and(!choices[0], choices[1]);
    let new = StateSet { bits: choices[..size].to_vec(), guard: new_guard };
    let options = Options { filters: false, groups: false, ..Options::default() };
    let budget = Budget::with_ticks(1_000_000);
    assert_eq!(included(&aig, &new, &old, &options, &budget), Ok(true));
    // Pairs x, x∧y without a guard: many groups, small each, but no bit is a choice of its own.
    let mut bits = vec![];
    for pair in choices.chunks(2) {
        bits.extend([pair[0], aig.and(pair[0], pair[1])]);
    }
    let old = StateSet { bits: bits.clone(), guard: Lit::TRUE };
    bits.rotate_left(2);
    let new = StateSet { bits, guard: Lit::TRUE };
    let options = Options { filters: false, generalise: false, ..Options::default() };
    let budget = Budget::with_ticks(1_000_000);
    assert_eq!(included(&aig, &new, &old, &options, &budget), Ok(true));
}

#[test]
fn the_budget_stops_it() {
    let mut aig = Aig::new(0);
    let lits: Vec<Lit> = (0..40)
        .map(|_| {
            let input = aig.new_input();
            aig.input(input)
        })
        .collect();
    let parity = lits.iter().fold(Lit::FALSE, |parity, &lit| aig.xor(parity, lit));
    let set = StateSet { bits: lits, guard: parity };
    let options = Options { filters: false, ..Options::default() };
    let budget = Budget::with_ticks(20_000);
    assert_eq!(included(&aig, &set, &set, &options, &budget), Err(Stop::Ticks));
    let budget = Budget::unlimited();
    budget.handle().stop(Stop::Cancelled);
    assert_eq!(included(&aig, &set, &set, &options, &budget), Err(Stop::Cancelled));
    assert_eq!(included(&aig, &set, &set, &Options::default(), &Budget::unlimited()), Ok(true));
}
