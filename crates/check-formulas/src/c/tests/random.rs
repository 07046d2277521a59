//! Random relations of a few bits with proofs made of what is reached: a proof is accepted exactly if it is
//! an invariant by enumeration, and then every state that is reached is in its tables.

use super::concrete::{Concrete, GlobalState, ThreadState};
use super::invariants::is_invariant;
use super::mutate::{KINDS, mutate};
use super::*;
use crate::c::proof;
use ::c::{Node, PropertyId};
use base::{Budget, Random};
use relation::proof::PairPredicate;
use std::collections::{BTreeMap, BTreeSet};

/// The variables of all random relations.
struct Names {
    /// A bit and a number of two bits.
    shared: [LocalId; 2],
    /// A bit of each thread, and one of each template's.
    thread: LocalId,
    own: [LocalId; 2],
    choice: LocalId,
}

fn names(relation: &mut Relation, random: &mut Random) -> Names {
    let templates = [main_template(), worker_template()];
    let names = Names {
        shared: [1, 2].map(|bits| declare(relation, &format!("s{bits}"), bits, Home::Shared)),
        thread: declare(relation, "m", 1, Home::Thread),
        own: templates.map(|it| declare(relation, &format!("a{}", it.index()), 1, Home::Template(it))),
        choice: declare(relation, "c", 1, Home::Choice),
    };
    for variable in [names.shared[0], names.thread, names.own[1]] {
        relation.variables[variable].initial = random.percent(80).then(|| random.below(2) as u128);
    }
    names
}

/// A truth value over some one-bit variables and the two-bit one.
fn condition(r: &mut Relation, names: &Names, bits: &[LocalId], random: &mut Random) -> ExprId {
    let number = random.below(4) as u128;
    let op = *random.pick(&[Binary::Eq, Binary::LtU, Binary::LeS]);
    let wide = with_number(r, op, names.shared[1], number);
    let bit = *random.pick(bits);
    let bit = read(r, bit);
    let other = *random.pick(bits);
    let other = read(r, other);
    match random.below(6) {
        0 => truth(r, true),
        1 => wide,
        2 => bit,
        3 => r.exprs.not(bit),
        4 => r.exprs.binary(*random.pick(&[Binary::And, Binary::Or, Binary::Xor]), bit, wide),
        _ => r.exprs.binary(*random.pick(&[Binary::Eq, Binary::LtU]), bit, other),
    }
}

/// A value for a variable.
fn value(r: &mut Relation, names: &Names, target: LocalId, bits: &[LocalId], random: &mut Random) -> ExprId {
    if target != names.shared[1] {
        return condition(r, names, bits, random);
    }
    let bit = *random.pick(bits);
    let bit = read(r, bit);
    match random.below(3) {
        0 => with_number(r, Binary::Add, target, 1),
        1 => r.exprs.number(Type::Bits(2), random.below(4) as u128),
        _ => r.exprs.convert(::c::Convert::ZeroExtend, Type::Bits(2), bit),
    }
}

fn subset(random: &mut Random, all: &[LocalId], percent: usize) -> Vec<LocalId> {
    all.iter().copied().filter(|_| random.percent(percent)).collect()
}

fn relation(random: &mut Random) -> (Relation, Names) {
    let mut relation = empty();
    let r = &mut relation;
    let names = names(r, random);
    let templates = [main_template(), worker_template()];
    for template in [0, 0, 1, 1].into_iter().skip(random.below(2)) {
        let live = subset(random, &[names.thread, names.own[template]], 75);
        control(r, templates[template], &live);
    }
    let all: Vec<ControlId> = r.controls.ids().collect();
    for &from in &all {
        for _ in 0..1 + random.below(2) {
            let made = random_command(r, &names, from, random);
            r.commands.push(made);
        }
    }
    (relation, names)
}

fn random_command(r: &mut Relation, names: &Names, from: ControlId, random: &mut Random) -> Command {
    let template = r.controls[from].template;
    let same: Vec<ControlId> =
        r.controls.enumerate().filter(|(_, it)| it.template == template).map(|(id, _)| id).collect();
    let own = names.own[template.index()];
    let mut bits = vec![names.shared[0], names.thread, own];
    let choices = subset(random, &[names.choice], 25);
    bits.extend(&choices);
    let guard = condition(r, names, &bits, random);
    let targets = subset(random, &[names.shared[0], names.shared[1], names.thread, own], 35);
    let updates: Vec<(LocalId, ExprId)> =
        targets.into_iter().map(|it| (it, value(r, names, it, &bits, random))).collect();
    let outcome = match random.below(12) {
        0 => Outcome::Fail(PropertyId::from_index(0)),
        1 => Outcome::End,
        2 => Outcome::Halt,
        _ => Outcome::Go(*random.pick(&same)),
    };
    let others = random.percent(40).then(|| condition(r, names, &[names.shared[0], names.thread], random));
    let creates = random.percent(if template == main_template() { 50 } else { 8 }).then(|| {
        let entry = r.controls.enumerate().find(|(_, it)| it.template == worker_template());
        let entry = entry.expect("there are control locations of workers").0;
        let targets = subset(random, &[names.thread, names.own[1]], 40);
        let values = targets
            .into_iter()
            .map(|variable| Update { variable, value: value(r, names, variable, &bits, random) })
            .collect();
        Creation { entry, values }
    });
    Command { others, choices, creates, ..command(from, guard, &updates, outcome) }
}

/// What is seen of the states that are reached.
fn proof_from(relation: &Relation, names: &Names, reached: &BTreeSet<GlobalState>, pairs: bool) -> Proof {
    let mut proof = proof_of(relation);
    let local = |proof: &mut Proof, variable: LocalId| {
        proof.exprs.add(Node::Local(variable, relation.variables[variable].ty))
    };
    let wide = local(&mut proof, names.shared[1]);
    let values = [0, 1, 2].map(|value| {
        let number = proof.exprs.number(Type::Bits(2), value);
        proof.exprs.binary(Binary::Eq, wide, number)
    });
    let bits = [names.shared[0], names.thread, names.own[0], names.own[1]].map(|it| local(&mut proof, it));
    proof.predicates = values.into_iter().chain(bits).collect();
    proof.pairs = vec![PairPredicate { left: bits[1], compare: Binary::LtU, right: bits[1] }];
    let concrete = Concrete::new(relation);
    let own = |control: ControlId| 5 + relation.controls[control].template.index();
    let single = |it: ControlId| [0, 1, 2, 3, 4, own(it)].map(Column::First).to_vec();
    let double = |it: [ControlId; 2]| {
        let second = [4, own(it[1])].map(Column::Second);
        [single(it[0]), second.to_vec(), vec![Column::Pair(0)]].concat()
    };
    let mut singles: BTreeMap<ControlId, BTreeSet<Vec<Option<bool>>>> = BTreeMap::new();
    let mut doubles: BTreeMap<[ControlId; 2], BTreeSet<Vec<Option<bool>>>> = BTreeMap::new();
    for state in reached {
        let row = |columns: Vec<Column>, two: [&ThreadState; 2]| -> Vec<Option<bool>> {
            columns.into_iter().map(|it| Some(concrete.column(&proof, it, &state.shared, two))).collect()
        };
        for (at, one) in state.threads.iter().enumerate() {
            singles.entry(one.control).or_default().insert(row(single(one.control), [one, one]));
            for (other_at, other) in state.threads.iter().enumerate() {
                let stands = [one.control, other.control];
                if at != other_at && stands[0] <= stands[1] {
                    doubles.entry(stands).or_default().insert(row(double(stands), [one, other]));
                }
            }
        }
    }
    let table =
        |columns, rows: BTreeSet<Vec<Option<bool>>>| Table { columns, rows: rows.into_iter().collect() };
    proof.singles = singles
        .into_iter()
        .map(|(control, rows)| Single { control, table: table(single(control), rows) })
        .collect();
    let doubles = doubles.into_iter().map(|(it, rows)| Double {
        first: it[0],
        second: it[1],
        table: table(double(it), rows),
    });
    proof.doubles = pairs.then(|| doubles.collect());
    proof
}

/// A program without an error for up to three threads, and what is reached with them.
fn safe_program(random: &mut Random) -> (Relation, Names, BTreeSet<GlobalState>) {
    loop {
        let (relation, names) = relation(random);
        if let Ok(reached) = Concrete::new(&relation).reached(3) {
            return (relation, names, reached);
        }
    }
}

#[test]
fn what_is_accepted_is_reached_by_nothing_else() {
    let mut random = Random::new(21);
    let budget = Budget::unlimited();
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..400 {
        let (relation, names, reached) = safe_program(&mut random);
        let concrete = Concrete::new(&relation);
        let pairs = random.percent(70);
        let original = proof_from(&relation, &names, &reached, pairs);
        for change in 0..6 {
            let mut changed = original.clone();
            for _ in 0..change {
                changed = mutate(&changed, *random.pick(&KINDS), &mut random);
            }
            if proof(&relation, &changed, &budget).is_err() {
                refused += 1;
                continue;
            }
            accepted += 1;
            let outside = reached.iter().find(|state| !concrete.allows(&changed, state));
            assert_eq!(outside, None, "{relation:?} {changed:?}");
        }
    }
    assert!(accepted > 300 && refused > 300, "{accepted} accepted, {refused} refused");
}

/// An error with up to three threads is an error: nothing proves the program.
#[test]
fn unsafe_programs_have_no_proof() {
    let mut random = Random::new(22);
    let budget = Budget::unlimited();
    let mut tried = 0;
    while tried < 300 {
        let (safe, names, reached) = safe_program(&mut random);
        let original = proof_from(&safe, &names, &reached, random.percent(70));
        let mut broken = safe.clone();
        let at = random.below(broken.commands.len());
        broken.commands[at].outcome = Outcome::Fail(PropertyId::from_index(0));
        if Concrete::new(&broken).reached(3).is_ok() {
            continue;
        }
        tried += 1;
        for kind in KINDS {
            let changed = mutate(&original, kind, &mut random);
            assert!(proof(&broken, &changed, &budget).is_err(), "{broken:?} {changed:?}");
        }
    }
}

/// In both directions: the questions are exactly those that make an invariant.
#[test]
fn invariants_and_only_they_are_accepted() {
    let mut random = Random::new(23);
    let budget = Budget::unlimited();
    let mut accepted = 0;
    for round in 0..250 {
        let (relation, names, reached) = safe_program(&mut random);
        let concrete = Concrete::new(&relation);
        let mut tried = proof_from(&relation, &names, &reached, random.percent(70));
        for _ in 0..round % 3 {
            let next = mutate(&tried, *random.pick(&KINDS), &mut random);
            // What is not well-formed cannot be enumerated.
            if crate::c::validate::check(&relation, &next, &budget).is_ok() {
                tried = next;
            }
        }
        let found = proof(&relation, &tried, &budget);
        assert_eq!(found.is_ok(), is_invariant(&concrete, &tried), "{found:?} {relation:?} {tried:?}");
        accepted += u32::from(found.is_ok());
    }
    assert!((40..=200).contains(&accepted), "{accepted} of 250 accepted");
}
