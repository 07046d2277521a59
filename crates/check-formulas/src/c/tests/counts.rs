//! Variables that count threads: `main` counts up before it creates a thread, each thread counts down when it
//! ends, and none sees 0.

use super::{command, control, declare, empty, main_template, proof_of, single, truth, with_number};
use crate::c::proof as check;
use ::c::{Binary, LocalId, PropertyId};
use base::{Budget, Id};
use relation::proof::{Count, Proof};
use relation::{Command, ControlId, Creation, Home, Outcome, Relation};

/// Where `main` may count up and create, and where its threads work.
const LOOP: usize = 0;
const CREATE: usize = 1;
const WORK: usize = 2;

/// The program: up to how many `main` counts, and how often a thread counts down before it ends.
fn relation(most: u128, downs: usize) -> (Relation, LocalId) {
    let mut relation = empty();
    let alive = declare(&mut relation, "alive", 4, Home::Shared);
    let [top, create] = [0, 1].map(|_| control(&mut relation, main_template(), &[]));
    let work = control(&mut relation, super::worker_template(), &[]);
    let few = with_number(&mut relation, Binary::LtU, alive, most);
    let up = with_number(&mut relation, Binary::Add, alive, 1);
    let down = with_number(&mut relation, Binary::Sub, alive, 1);
    let none = with_number(&mut relation, Binary::Eq, alive, 0);
    let yes = truth(&mut relation, true);
    relation.commands.push(command(top, few, &[(alive, up)], Outcome::Go(create)));
    let creates = Some(Creation { entry: work, values: vec![] });
    relation.commands.push(Command { creates, ..command(create, yes, &[], Outcome::Go(top)) });
    relation.commands.push(command(work, none, &[], Outcome::Fail(PropertyId::from_index(0))));
    for _ in 1..downs {
        relation.commands.push(command(work, yes, &[(alive, down)], Outcome::Go(work)));
    }
    relation.commands.push(command(work, yes, &[(alive, down)], Outcome::End));
    (relation, alive)
}

fn claim(relation: &Relation, variable: LocalId, controls: &[usize]) -> Proof {
    let controls = controls.iter().map(|&it| ControlId::from_index(it)).collect();
    let singles = relation.controls.ids().map(|it| single(it, &[], &[""])).collect();
    Proof { counts: vec![Count { variable, controls }], singles, ..proof_of(relation) }
}

fn why_not(relation: &Relation, proof: &Proof) -> Option<String> {
    check(relation, proof, &Budget::unlimited()).err().map(|why| format!("{why:?}"))
}

#[test]
fn who_is_counted_does_not_see_zero() {
    let (relation, alive) = relation(15, 1);
    assert_eq!(why_not(&relation, &claim(&relation, alive, &[CREATE, WORK])), None);
}

#[test]
fn what_counts_too_few_is_refused() {
    let (relation, alive) = relation(15, 1);
    let refused = |controls: &[usize], why: &str| {
        let found = why_not(&relation, &claim(&relation, alive, controls));
        assert!(found.as_ref().is_some_and(|it| it.contains(why)), "{controls:?}: {found:?}");
    };
    refused(&[], "may fail");
    refused(&[CREATE], "may fail");
    refused(&[WORK], "counts fewer");
    refused(&[LOOP, CREATE, WORK], "at the start");
    refused(&[WORK, CREATE], "not in order");
    refused(&[CREATE, WORK, 7], "not in order");
}

#[test]
fn a_counter_that_overflows_is_refused() {
    let (relation, alive) = relation(15, 1);
    let mut always = relation.clone();
    always.commands[0].guard = truth(&mut always, true);
    let found = why_not(&always, &claim(&always, alive, &[CREATE, WORK]));
    assert!(found.is_some_and(|it| it.contains("counts fewer")));
}

#[test]
fn who_counts_down_twice_is_refused() {
    let (relation, alive) = relation(15, 2);
    assert!(why_not(&relation, &claim(&relation, alive, &[CREATE, WORK])).is_some());
}
