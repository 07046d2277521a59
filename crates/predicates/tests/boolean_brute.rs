//! Boolean programs of random small relations against brute force: none is safe where three threads fail.
//! Programs without broadcasts are caught by the same comparison, which shows that it sees what it is there
//! for.

mod creating;
mod random;

use base::events::NoEvents;
use base::random::Random;
use base::{Budget, Id};
use c::{Binary, ExprId, Exprs, LocalId, Node, TRUTH, Type};
use ir::{Model, Scope, Task};
use predicates::boolean::{Limits, Request, Treatment, abstraction};
use random::{Maker, reach};
use relation::{Outcome, Relation, Update};
use std::sync::Arc;
use std::time::Duration;
use verify::Plan;

/// A random relation that fails by a comparison of a shared variable with one of the thread.
fn relation(maker: &mut Maker) -> Relation {
    creating::relation(maker, mixed)
}

fn mixed(maker: &mut Maker) -> ExprId {
    let [shared, local] = [[0, 1], [2, 3]].map(|it: [usize; 2]| {
        let variable = LocalId::from_index(it[maker.random.below(4) / 3]);
        maker.exprs.add(Node::Local(variable, Type::Bits(2)))
    });
    let operator = [Binary::Eq, Binary::LtU][maker.random.below(2)];
    let guard = maker.exprs.binary(operator, shared, local);
    if maker.random.below(2) == 0 { guard } else { maker.exprs.not(guard) }
}

/// The comparisons of the guards and some more.
fn conditions(maker: &mut Maker, relation: &Relation) -> Vec<ExprId> {
    let choice = LocalId::from_index(4);
    let mut conditions: Vec<ExprId> = (0..maker.random.below(3)).map(|_| maker.atom(&[0, 1, 2, 3])).collect();
    for command in &relation.commands {
        for id in maker.exprs.below(command.guard) {
            let comparison = matches!(maker.exprs.node(id), Node::Binary(op, ..) if op.is_comparison());
            if comparison && !maker.exprs.locals(id).contains(&choice) && maker.random.below(3) > 0 {
                conditions.push(id);
            }
        }
    }
    conditions.sort();
    conditions.dedup();
    conditions
}

/// Whether the Boolean program is proved safe for any number of threads.
fn safe(relation: &Relation, exprs: &Exprs, conditions: &[ExprId], treatment: Treatment) -> bool {
    let limits = Limits { valuations: 12, ..Limits::default() };
    let request = Request { relation, exprs, conditions, starts: &[], limits, treatment };
    let made = abstraction(&request, &Budget::unlimited()).expect("nothing stops it");
    let model = Model::Program(Arc::new(made.program));
    let task = Task::new(model, Scope::ANY);
    let plan = Plan::named(&["modular".into()]).expect("there is such an engine");
    let limits = verify::Limits { time: Some(Duration::from_millis(500)), ..verify::Limits::default() };
    let answer = verify::answer(&task, &plan, &limits, &mut NoEvents);
    matches!(answer.outcome, verify::Outcome::Safe { .. })
}

/// A relation whose commands copy and count between one shared variable and one of the thread, with
/// comparisons of the two.
fn structured(maker: &mut Maker) -> Relation {
    let mut relation = relation(maker);
    let [s, x] = [0, 2].map(LocalId::from_index);
    let always = maker.exprs.number(TRUTH, 1);
    for command in &mut relation.commands {
        if command.outcome == Outcome::Halt || command.outcome == Outcome::End {
            command.outcome = Outcome::Go(command.from);
        }
        if command.creates.is_some() || matches!(command.outcome, Outcome::Fail(_)) {
            continue;
        }
        let (from, to) = [(s, x), (x, x), (s, s), (x, s)][maker.random.below(4)];
        let read = maker.exprs.add(Node::Local(from, Type::Bits(2)));
        let one = maker.exprs.number(Type::Bits(2), 1);
        let value =
            if maker.random.below(2) == 0 { maker.exprs.binary(Binary::Add, read, one) } else { read };
        command.updates = vec![Update { variable: to, value }];
        command.others = None;
        if maker.random.below(2) == 0 {
            command.guard = always;
        }
    }
    relation.exprs = maker.exprs.clone();
    relation
}

/// What came out.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    failing: usize,
    /// Failing programs that are safe if passive threads are not told.
    caught: usize,
}

fn compare(seed: u64, make: fn(&mut Maker) -> Relation, tally: &mut Tally) {
    let mut maker = Maker { random: Random::new(seed), exprs: Exprs::new(64) };
    let relation = make(&mut maker);
    let truth = reach(&relation);
    let conditions = conditions(&mut maker, &relation);
    let is_safe = |treatment| safe(&relation, &maker.exprs, &conditions, treatment);
    tally.failing += usize::from(truth.fails);
    if is_safe(Treatment::Sound) {
        tally.proved += 1;
        assert!(!truth.fails, "seed {seed}: the Boolean program is safe, but the program fails");
    } else if truth.fails {
        tally.caught += usize::from(is_safe(Treatment::MixedAsLocal));
    }
}

#[test]
fn nothing_is_safe_that_fails() {
    let mut tally = Tally::default();
    for seed in 70_000..70_250 {
        compare(seed, relation, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.proved > 20 && tally.failing > 100, "{tally:?}");
}

#[test]
fn missing_broadcasts_are_caught() {
    let mut tally = Tally::default();
    for seed in 80_000..80_300 {
        compare(seed, structured, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.proved > 20 && tally.failing > 100, "{tally:?}");
    assert!(tally.caught > 0, "{tally:?}");
}
