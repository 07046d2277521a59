//! The closure against brute force on random small relations: what up to three threads can reach is inside
//! the proof, and nothing is proved that brute force refutes.

mod random;

use base::events::NoEvents;
use base::random::Random;
use base::{Budget, Id};
use c::{Binary, ExprId, Exprs, LocalId, Node};
use predicates::pairs::basis::Basis;
use predicates::pairs::closure::{Closed, Limits, close};
use predicates::pairs::tables::proof;
use random::{Maker, State, evaluate, reach};
use relation::Relation;
use relation::proof::{Column, PairPredicate, Proof, Table};
use std::collections::BTreeMap;

fn matches(table: &Table, column: impl Fn(Column) -> bool) -> bool {
    let values: Vec<bool> = table.columns.iter().map(|&it| column(it)).collect();
    table
        .rows
        .iter()
        .any(|row| row.iter().zip(&values).all(|(cell, value)| cell.is_none_or(|it| it == *value)))
}

/// Every thread and every two threads of a state are in the tables.
fn covers(proof: &Proof, state: &State) -> bool {
    let truth = |id: ExprId, thread: usize| evaluate(&proof.exprs, id, &state.values(thread, 0)) == 1;
    let number = |id: ExprId, thread: usize| evaluate(&proof.exprs, id, &state.values(thread, 0));
    let singles: BTreeMap<usize, &Table> =
        proof.singles.iter().map(|it| (it.control.index(), &it.table)).collect();
    for (first, thread) in state.threads.iter().enumerate() {
        let first_only = |column| match column {
            Column::First(at) => truth(proof.predicates[at], first),
            other => panic!("{other:?} in a table about one thread"),
        };
        if !singles.get(&thread.0).is_some_and(|table| matches(table, first_only)) {
            return false;
        }
        for (second, other) in state.threads.iter().enumerate() {
            let Some(doubles) = &proof.doubles else { continue };
            if first == second || thread.0 > other.0 {
                continue;
            }
            let column = |column| match column {
                Column::First(at) => truth(proof.predicates[at], first),
                Column::Second(at) => truth(proof.predicates[at], second),
                Column::Pair(at) => {
                    let PairPredicate { left, compare, right } = proof.pairs[at];
                    let (a, b) = (number(left, first), number(right, second));
                    match compare {
                        Binary::Eq => a == b,
                        Binary::LtU => a < b,
                        Binary::LeU => a <= b,
                        other => panic!("{other:?} is not made here"),
                    }
                }
            };
            let table =
                doubles.iter().find(|it| (it.first.index(), it.second.index()) == (thread.0, other.0));
            if !table.is_some_and(|it| matches(&it.table, column)) {
                return false;
            }
        }
    }
    true
}

/// Random predicates: atoms of the program and others, and relations between threads.
fn basis(maker: &mut Maker, relation: &Relation) -> Basis {
    let count = 1 + maker.random.below(5);
    let mut predicates: Vec<ExprId> = (0..count).map(|_| maker.atom(&[0, 1, 2, 3])).collect();
    let guards: Vec<ExprId> = relation.commands.iter().map(|it| it.guard).collect();
    let choice = LocalId::from_index(4);
    let readable = |exprs: &Exprs, id: ExprId| !exprs.locals(id).contains(&choice);
    for guard in guards {
        for id in maker.exprs.below(guard) {
            let comparison = matches!(maker.exprs.node(id), Node::Binary(op, ..) if op.is_comparison());
            if comparison && readable(&maker.exprs, id) && maker.random.below(2) == 0 {
                predicates.push(id);
            }
        }
    }
    predicates.sort();
    predicates.dedup();
    let mut pairs = vec![];
    for _ in 0..maker.random.below(3) {
        let compare = if maker.random.below(2) == 0 { Binary::Eq } else { Binary::LtU };
        let left = maker.term(&[2, 3]);
        let right = if maker.random.below(2) == 0 { left } else { maker.term(&[2, 3]) };
        pairs.push(PairPredicate { left, compare, right });
    }
    Basis::new(relation, maker.exprs.clone(), &predicates, &pairs)
}

#[test]
fn what_threads_reach_is_in_the_proof() {
    let (mut safe, mut alarms, mut doubtful) = ([0; 3], 0, 0);
    for seed in 0..110 {
        let mut maker = Maker { random: Random::new(seed), exprs: Exprs::new(64) };
        let relation = maker.relation();
        let truth = reach(&relation);
        for width in 1..=2 {
            let basis = basis(&mut maker, &relation);
            let budget = Budget::unlimited();
            let limits = Limits { width, states: 3_000, all: false };
            match close(&relation, &basis, limits, &budget).expect("nothing stops it") {
                Closed::Large => doubtful += 1,
                Closed::Alarm { .. } if truth.fails => alarms += 1,
                Closed::Alarm { .. } | Closed::Race { .. } => doubtful += 1,
                Closed::Safe(states) => {
                    assert!(!truth.fails, "seed {seed}: proved at width {width}, but it fails");
                    let proof = proof(&basis, &states, width, &budget).expect("nothing stops it");
                    for state in &truth.states {
                        assert!(covers(&proof, state), "seed {seed}, width {width}: a state is missing");
                    }
                    safe[usize::from(width)] += usize::from(truth.states.len() > 10);
                }
            }
        }
    }
    println!("safe {safe:?}, alarms {alarms}, doubtful {doubtful}");
    assert!(
        safe[1] > 15 && safe[2] > 15 && alarms > 18,
        "safe {safe:?}, alarms {alarms}, doubtful {doubtful}"
    );
}

#[test]
fn nothing_is_proved_that_fails() {
    let (mut proved, mut refuted) = (0, 0);
    for seed in 0..80 {
        let mut maker = Maker { random: Random::new(10_000 + seed), exprs: Exprs::new(64) };
        let relation = maker.relation();
        let truth = reach(&relation);
        let options = predicates::Options { states: 2_000, ..predicates::Options::default() };
        let outcome =
            predicates::prove_relation(relation, &options, &Budget::with_ticks(200_000), &mut NoEvents);
        refuted += usize::from(truth.fails);
        if let Ok(predicates::Outcome::Proved { proof, .. }) = outcome {
            proved += 1;
            assert!(!truth.fails, "seed {seed}: proved, but it fails");
            assert!(
                truth.states.iter().all(|state| covers(&proof, state)),
                "seed {seed}: a state is missing"
            );
        }
    }
    assert!(proved > 40 && refuted > 5, "{proved} proved, {refuted} fail");
}
