//! Three programs with their proofs, written by hand, and an unsafe sibling of each. The same program at a
//! small width is enumerated.

use super::concrete::{Concrete, Fails};
use super::mutate::{KINDS, mutate};
use super::*;
use crate::c::{Statistics, proof};
use ::c::PropertyId;
use base::{Budget, Random};
use check::Refused;
use relation::proof::PairPredicate;

/// A program of a width, with its proof.
#[derive(Clone)]
struct Example {
    relation: Relation,
    proof: Proof,
}

fn fails() -> Outcome {
    Outcome::Fail(PropertyId::from_index(0))
}

fn check(example: &Example) -> Result<Statistics, Refused> {
    proof(&example.relation, &example.proof, &Budget::unlimited())
}

/// Workers increment a counter under a lock, look at it, and set it back. The sibling does not wait for the
/// lock.
fn counter(bits: u8, safe: bool) -> Example {
    let mut relation = empty();
    let r = &mut relation;
    let lock = declare(r, "lock", 1, Home::Shared);
    let x = declare(r, "x", bits, Home::Shared);
    let t = declare(r, "t", bits, Home::Template(worker_template()));
    let begin = control(r, main_template(), &[]);
    let [free, locked] = [0, 1].map(|_| control(r, worker_template(), &[]));
    let [loaded, stored] = [0, 1].map(|_| control(r, worker_template(), &[t]));
    let creating = creating(r, begin, free);
    let [yes, no] = [true, false].map(|value| truth(r, value));
    let (is_free, next) = (with_number(r, Binary::Eq, lock, 0), with_number(r, Binary::Add, t, 1));
    let (x_value, t_value) = (read(r, x), read(r, t));
    let is_next = r.exprs.binary(Binary::Eq, x_value, next);
    let is_other = r.exprs.not(is_next);
    let waits = if safe { is_free } else { yes };
    r.commands = vec![
        creating,
        command(free, waits, &[(lock, yes)], Outcome::Go(locked)),
        command(locked, yes, &[(t, x_value)], Outcome::Go(loaded)),
        command(loaded, yes, &[(x, next)], Outcome::Go(stored)),
        command(stored, is_other, &[], fails()),
        command(stored, yes, &[(x, t_value), (lock, no)], Outcome::Go(free)),
    ];
    let mut proof = proof_of(r);
    let is_same = proof.exprs.binary(Binary::Eq, x_value, t_value);
    proof.predicates = vec![is_free, is_next, is_same];
    let [held, after, before] = [0, 1, 2].map(Column::First);
    proof.singles = vec![
        single(begin, &[], &[""]),
        single(free, &[], &[""]),
        single(locked, &[held], &["0"]),
        single(loaded, &[held, before], &["01"]),
        single(stored, &[held, after], &["01"]),
    ];
    // No two threads are inside.
    let outside = [begin, free];
    let mut doubles = vec![double([begin, free], &[], &[""]), double([free, free], &[], &[""])];
    doubles.extend(outside.iter().flat_map(|&one| {
        [locked, loaded, stored].map(|other| double([one, other], &[Column::Second(0)], &["0", "0"]))
    }));
    doubles.sort_by_key(|it| (it.first, it.second));
    proof.doubles = Some(doubles);
    Example { relation, proof }
}

/// Workers increment a counter up to 2 by compare and exchange. The sibling increments it without comparing.
fn exchange(bits: u8, safe: bool) -> Example {
    let mut relation = empty();
    let r = &mut relation;
    let x = declare(r, "x", bits, Home::Shared);
    let t = declare(r, "t", bits, Home::Template(worker_template()));
    let begin = control(r, main_template(), &[]);
    let idle = control(r, worker_template(), &[]);
    let loaded = control(r, worker_template(), &[t]);
    let creating = creating(r, begin, idle);
    let yes = truth(r, true);
    let (x_value, t_value) = (read(r, x), read(r, t));
    let is_same = r.exprs.binary(Binary::Eq, x_value, t_value);
    let is_other = r.exprs.not(is_same);
    let below = with_number(r, Binary::LtU, t, 2);
    let swaps = r.exprs.binary(Binary::And, is_same, below);
    let next = with_number(r, Binary::Add, x, 1);
    let small = with_number(r, Binary::LeU, x, 2);
    let large = r.exprs.not(small);
    r.commands = vec![
        creating,
        command(idle, yes, &[(t, x_value)], Outcome::Go(loaded)),
        command(idle, large, &[], fails()),
        command(loaded, if safe { swaps } else { below }, &[(x, next)], Outcome::End),
        command(loaded, is_other, &[], Outcome::Go(idle)),
    ];
    let mut proof = proof_of(r);
    proof.predicates = vec![small];
    proof.singles = [begin, idle, loaded].map(|it| single(it, &[Column::First(0)], &["1"])).to_vec();
    Example { relation, proof }
}

/// A ticket lock without overflow. The sibling gives everybody the same ticket.
fn ticket(bits: u8, safe: bool) -> Example {
    let mut relation = empty();
    let r = &mut relation;
    let [next, serving] = ["next", "serving"].map(|name| declare(r, name, bits, Home::Shared));
    let inside = declare(r, "inside", 1, Home::Shared);
    let my = declare(r, "my", bits, Home::Template(worker_template()));
    let begin = control(r, main_template(), &[]);
    let idle = control(r, worker_template(), &[]);
    let [waiting, critical] = [0, 1].map(|_| control(r, worker_template(), &[my]));
    let creating = creating(r, begin, idle);
    let [yes, no] = [true, false].map(|value| truth(r, value));
    let [next_value, serving_value, inside_value, my_value] =
        [next, serving, inside, my].map(|it| read(r, it));
    let last = with_number(r, Binary::Eq, next, u128::MAX);
    let is_left = r.exprs.not(last);
    let [later, served] = [next, serving].map(|it| with_number(r, Binary::Add, it, 1));
    let turn = r.exprs.binary(Binary::Eq, my_value, serving_value);
    let clash = r.exprs.binary(Binary::And, turn, inside_value);
    r.commands = vec![
        creating,
        command(
            idle,
            is_left,
            &[(my, next_value), (next, if safe { later } else { next_value })],
            Outcome::Go(waiting),
        ),
        command(waiting, clash, &[], fails()),
        command(waiting, turn, &[(inside, yes)], Outcome::Go(critical)),
        command(critical, yes, &[(serving, served), (inside, no)], Outcome::End),
    ];
    let mut proof = proof_of(r);
    let compare = |proof: &mut Proof, op, a, b| proof.exprs.binary(op, a, b);
    proof.predicates = vec![
        compare(&mut proof, Binary::LeU, serving_value, next_value),
        compare(&mut proof, Binary::LtU, serving_value, next_value),
        inside_value,
        turn,
        compare(&mut proof, Binary::LtU, my_value, next_value),
        compare(&mut proof, Binary::LeU, serving_value, my_value),
    ];
    proof.pairs = vec![PairPredicate { left: my_value, compare: Binary::Eq, right: my_value }];
    let shared = [0, 1, 2].map(Column::First);
    let own: Vec<Column> = (0..6).map(Column::First).collect();
    proof.singles = vec![
        single(begin, &shared, &["1-0", "111"]),
        single(idle, &shared, &["1-0", "111"]),
        single(waiting, &own, &["110-11", "111011"]),
        single(critical, &own, &["111111"]),
    ];
    let different = [Column::Pair(0)];
    let mut doubles: Vec<Double> =
        [idle, waiting, critical].map(|it| double([begin, it], &[], &[""])).to_vec();
    doubles.extend([idle, waiting, critical].map(|it| double([idle, it], &[], &[""])));
    doubles.extend([waiting, critical].map(|it| double([waiting, it], &different, &["0"])));
    proof.doubles = Some(doubles);
    Example { relation, proof }
}

type Make = fn(u8, bool) -> Example;

const EXAMPLES: [(&str, Make); 3] = [("counter", counter), ("exchange", exchange), ("ticket", ticket)];

#[test]
fn proofs_by_hand_are_accepted() {
    for (name, make) in EXAMPLES {
        for bits in [2, 8, 32, 64] {
            let found = check(&make(bits, true));
            assert!(found.is_ok(), "{name} of {bits} bits: {found:?}");
        }
    }
}

#[test]
fn siblings_fail_and_have_no_proof() {
    for (name, make) in EXAMPLES {
        let example = make(2, false);
        assert_eq!(Concrete::new(&example.relation).reached(3), Err(Fails), "{name}");
        for bits in [2, 32] {
            let found = check(&make(bits, false));
            assert!(matches!(found, Err(Refused::Rejected(_))), "{name}: {found:?}");
        }
    }
}

/// A proof that was changed proves nothing about the unsafe sibling, and about the safe one only what is so.
#[test]
fn changed_proofs_prove_only_what_is_so() {
    for (name, make) in EXAMPLES {
        let (good, bad) = (make(2, true), make(2, false));
        let concrete = Concrete::new(&good.relation);
        let reached = concrete.reached(3).expect("the program is safe");
        for kind in KINDS {
            let (mut accepted, mut refused) = (0, 0);
            for seed in 0..250 {
                let of = |example: &Example| {
                    let mut random = Random::new(seed);
                    let mut proof = mutate(&example.proof, kind, &mut random);
                    if seed % 3 == 0 {
                        proof = mutate(&proof, kind, &mut random);
                    }
                    Example { relation: example.relation.clone(), proof }
                };
                assert!(check(&of(&bad)).is_err(), "{name} {kind:?} {seed}: accepted for the unsafe program");
                let changed = of(&good);
                if check(&changed).is_err() {
                    refused += 1;
                    continue;
                }
                accepted += 1;
                let outside = reached.iter().find(|state| !concrete.allows(&changed.proof, state));
                assert_eq!(outside, None, "{name} {kind:?} {seed}");
            }
            assert!(refused >= 20 && accepted + refused == 250, "{name} {kind:?}: {accepted} {refused}");
        }
    }
}

#[test]
fn refusals_say_what_and_where() {
    let refusal = |example: &Example| match check(example) {
        Err(Refused::Rejected(why)) => why.to_string(),
        other => panic!("{other:?}"),
    };
    let mut example = counter(32, true);
    example.proof.doubles = None;
    assert_eq!(
        refusal(&example),
        "command 3 from control location 3 (location 3): a passive thread leaves the states of its table, at control location 3 (location 3)"
    );
    let mut example = counter(32, true);
    example.proof.singles[4].table.rows[0][1] = None;
    assert!(refusal(&example).ends_with("assertion 0 may fail"), "{}", refusal(&example));
    let mut example = exchange(32, true);
    example.proof.singles[0].table.rows.clear();
    assert_eq!(refusal(&example), "the first thread may begin in a state that its table does not have");
}

#[test]
fn the_budget_stops_a_check() {
    let example = ticket(32, true);
    for ticks in [0, 100, 1000] {
        let found = proof(&example.relation, &example.proof, &Budget::with_ticks(ticks));
        assert!(matches!(found, Err(Refused::Stopped(_))), "{ticks}: {found:?}");
    }
}

/// Many control locations, all of whose commands write what all tables read: every obligation is a question.
#[test]
fn large_proofs_are_checked() {
    let mut relation = empty();
    let r = &mut relation;
    let s = declare(r, "s", 32, Home::Shared);
    let t = declare(r, "t", 32, Home::Template(worker_template()));
    let begin = control(r, main_template(), &[]);
    let places: Vec<ControlId> = (0..29).map(|_| control(r, worker_template(), &[t])).collect();
    let creating = creating(r, begin, places[0]);
    let yes = truth(r, true);
    let t_value = read(r, t);
    let next = with_number(r, Binary::Add, s, 1);
    let is_zero = with_number(r, Binary::Eq, s, 0);
    let [zero, small] = [t, s].map(|it| with_number(r, Binary::LtU, it, 9));
    r.commands.push(creating);
    for (at, &from) in places.iter().enumerate() {
        let to = Outcome::Go(places[(at + 1) % places.len()]);
        r.commands.push(command(from, yes, &[(s, next), (t, next)], to));
        r.commands.push(command(from, is_zero, &[(s, t_value)], Outcome::Go(places[at / 2])));
    }
    let mut proof = proof_of(r);
    proof.predicates = vec![is_zero, zero, small];
    proof.singles.push(single(begin, &[Column::First(0)], &["0", "1"]));
    let rows = ["0-", "11", "10"];
    proof.singles.extend(places.iter().map(|&it| single(it, &[0, 1].map(Column::First), &rows)));
    let mut doubles: Vec<Double> =
        places.iter().map(|&it| double([begin, it], &[Column::First(2)], &["0", "1"])).collect();
    for (at, &one) in places.iter().enumerate() {
        let columns = [Column::First(0), Column::Second(1)];
        doubles.extend(places[at..].iter().map(|&other| double([one, other], &columns, &rows)));
    }
    proof.doubles = Some(doubles);
    let found = check(&Example { relation, proof }).expect("the tables have all states");
    assert!(found.questions > 20_000, "{found:?}");
}

/// What is no proof about the program at all is refused before any question.
#[test]
fn malformed_proofs_are_refused() {
    let refusal = |change: &dyn Fn(&mut Example)| {
        let mut example = ticket(8, true);
        change(&mut example);
        match check(&example) {
            Err(Refused::Rejected(why)) => why.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let number = |example: &mut Example, bits| example.proof.exprs.number(Type::Bits(bits), 1);
    let found = refusal(&|it| it.proof.predicates[0] = number(it, 8));
    assert_eq!(found, "predicate 0 is no truth value");
    let found = refusal(&|it| it.proof.pairs[0].right = number(it, 16));
    assert_eq!(found, "pair predicate 0 is no comparison of numbers");
    let found = refusal(&|it| it.proof.pairs[0].compare = Binary::LtF);
    assert_eq!(found, "pair predicate 0 is no comparison of numbers");
    let found = refusal(&|it| {
        let (a, b) = (number(it, 8), number(it, 16));
        it.proof.predicates[0] = it.proof.exprs.binary(Binary::Eq, a, b);
    });
    assert!(found.starts_with("an expression has no formula"), "{found}");
    let found = refusal(&|it| it.proof.singles.swap(0, 1));
    assert_eq!(found, "the tables of single threads are not in order");
    let found = refusal(&|it| it.proof.doubles.iter_mut().for_each(|it| it.swap(0, 1)));
    assert_eq!(found, "the tables of two threads are not in order");
    let found = refusal(&|it| it.proof.singles[3].control = ControlId::from_index(9));
    assert_eq!(found, "there is no control location 9");
    let found = refusal(&|it| it.proof.singles[0].table.columns[0] = Column::First(3));
    assert_eq!(found, "a table reads `my`, which no thread there has");
    let found = refusal(&|it| it.proof.singles[0].table.columns[0] = Column::First(6));
    assert_eq!(found, "there is no predicate 6");
    let found = refusal(&|it| it.proof.singles[0].table.columns[0] = Column::Pair(0));
    assert_eq!(found, "a table of single threads speaks of a second thread");
    let found = refusal(&|it| it.proof.singles[0].table.rows[0].clear());
    assert_eq!(found, "a row is not as long as its table is wide");
    let found = refusal(&|it| it.proof.exprs = Exprs::new(64));
    assert_eq!(found, "predicate 0 is no truth value");
    let found = refusal(&|it| it.relation.commands[1].guard = number(it, 8));
    assert_eq!(found, "command 1 of the program is malformed");
}
