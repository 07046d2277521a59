//! Pair lemmas: a ticket lock is proved with them and its broken siblings are not, and on random relations
//! every lemma that is left holds in all that three threads can reach. Lemmas that are only assumed are
//! caught by the same comparison, which shows that it sees what it is there for.

mod creating;
mod random;

use base::events::NoEvents;
use base::random::Random;
use base::{Budget, Id};
use c::{Binary, ExprId, Exprs, LocalId, Node, Options, ProcId, TRUTH, Type};
use predicates::Outcome as Proving;
use predicates::boolean::{Given, Lemma, LemmaUse, Limits, LoopOptions, Refined, Settled, prove, settle};
use random::{Maker, Reach, State, evaluate, reach};
use relation::proof::PairPredicate;
use relation::{Command, ControlId, Home, Outcome, Relation, Update};
use verify::predicates::BooleanEngines;

fn engines(ticks: u64) -> BooleanEngines {
    BooleanEngines { seed: 0, ticks }
}

const TICKET: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>
    unsigned issued, serving; int slot; extern int __VERIFIER_nondet_int(void);
    void *worker(void *arg) {
        unsigned my; int mine = __VERIFIER_nondet_int();
        do { my = __atomic_load_n(&issued, 5); if (my == ~0u) return NULL; }
        while (!__sync_bool_compare_and_swap(&issued, my, my + 1u));
        while (__atomic_load_n(&serving, 5) < my) ;
        slot = mine; assert(slot == mine);
        __atomic_store_n(&serving, my + 1u, 5); return NULL; }
    int main(void) { pthread_t id; for (;;) pthread_create(&id, NULL, worker, NULL); }\n";

/// What the loop says about a ticket lock.
fn ticket(text: &str, lemmas: LemmaUse) -> Refined {
    let read = testing::programs::normalised("ticket.c", text, &[]).expect("the program is C");
    let relation =
        Relation::of(&read.program, &Options::default(), &Budget::unlimited()).expect("it has one");
    let options = LoopOptions { lemmas, rounds: 8, ..LoopOptions::default() };
    let found = prove(&relation, &options, &mut engines(2_000_000), &Budget::unlimited(), &mut NoEvents);
    found.expect("nothing stops it")
}

#[test]
fn a_ticket_lock_needs_that_tickets_differ() {
    let found = ticket(TICKET, LemmaUse::Proved);
    let Refined::Proving(Proving::Proved { proof, relation, .. }) = &found else { panic!("{found:?}") };
    assert!(!proof.pairs.is_empty(), "the proof has relations between two threads");
    let checked = check_formulas::c::proof(relation, proof, &Budget::unlimited());
    assert!(checked.is_ok(), "the checker refuses the proof: {checked:?}");
}

/// Two threads may draw the same ticket: the lemma would prove the lock, but no step keeps it.
#[test]
fn a_lemma_that_does_not_hold_proves_nothing() {
    let broken = TICKET.replace(
        "while (!__sync_bool_compare_and_swap(&issued, my, my + 1u));",
        "while (__VERIFIER_nondet_int()); __atomic_store_n(&issued, my + 1u, 5);",
    );
    assert_ne!(broken, TICKET);
    let found = ticket(&broken, LemmaUse::Proved);
    assert!(matches!(found, Refined::Real { .. }), "{found:?}");
}

const WORD: Type = Type::Bits(2);

/// A random relation: the first thread creates others, which draw tickets at the second control location, or
/// what looks like tickets, and do anything at the third.
fn drawing(maker: &mut Maker) -> Relation {
    let mut relation = creating::relation(maker, |maker| {
        let [a, b] = [0; 2].map(|_| maker.atom(&[1, 2, 3]));
        maker.exprs.binary(Binary::And, a, b)
    });
    let [first, second, third] = [0, 1, 2].map(ControlId::from_index);
    for (control, live) in [(first, vec![]), (second, vec![]), (third, vec![2, 3])] {
        relation.controls[control].live = live.into_iter().map(LocalId::from_index).collect();
    }
    of_template(&mut relation);
    let (always, draw) = (maker.exprs.number(TRUTH, 1), draw(maker));
    for command in &mut relation.commands {
        command.others = None;
        let creates = command.creates.as_ref().is_some_and(|it| it.values.is_empty());
        command.creates = command.creates.take().filter(|_| creates);
        if let Some(creation) = &mut command.creates {
            (command.from, command.guard, creation.entry) = (first, always, second);
            (command.updates, command.outcome) = (vec![], Outcome::Go(first));
            continue;
        }
        command.from = third;
        let keeps = maker.random.below(4) > 0;
        command.updates.retain(|it| it.variable.index() != 0 && (it.variable.index() != 2 || !keeps));
        if matches!(command.outcome, Outcome::Go(_) | Outcome::Halt) {
            command.outcome = Outcome::Go([second, third][maker.random.below(2)]);
        }
    }
    let drawing = Command { from: second, outcome: Outcome::Go(third), ..draw };
    relation.commands.push(drawing);
    relation.commands.sort_by_key(|it| it.from);
    relation.exprs = maker.exprs.clone();
    relation
}

/// A random relation whose threads may be created with any values.
fn creating(maker: &mut Maker) -> Relation {
    let mut relation = creating::relation(maker, |maker| maker.atom(&[0, 1, 2, 3]));
    of_template(&mut relation);
    for command in &mut relation.commands {
        command.others = None;
        command.updates.retain(|it| it.variable.index() < 2);
        if let Some(creation) = &mut command.creates
            && maker.random.below(2) == 0
        {
            let variable = LocalId::from_index(2);
            creation.values = vec![Update { variable, value: maker.term(&[0, 2]) }];
        }
    }
    relation.exprs = maker.exprs.clone();
    relation
}

/// Gives the variables of threads to their template: lemmas are about such.
fn of_template(relation: &mut Relation) {
    for local in [2, 3].map(LocalId::from_index) {
        relation.variables[local].home = Home::Template(ProcId::from_index(0));
    }
}

/// `x := s, s := s + 1` under `s < 3`, or nearly that.
fn draw(maker: &mut Maker) -> Command {
    let [s, x] = [0, 2].map(LocalId::from_index);
    let read = maker.exprs.add(Node::Local(s, WORD));
    let (step, limit) = match maker.random.below(5) {
        0 => (0, 3),
        1 => (2, 3),
        _ => (1, 3),
    };
    let [step, limit] = [step, limit].map(|it| maker.exprs.number(WORD, it));
    let next = maker.exprs.binary(Binary::Add, read, step);
    let guard = maker.exprs.binary(Binary::LtU, read, limit);
    Command {
        from: ControlId::from_index(1),
        guard,
        others: None,
        choices: vec![],
        updates: vec![Update { variable: s, value: next }, Update { variable: x, value: read }],
        creates: None,
        outcome: Outcome::End,
        steps: vec![],
    }
}

/// Lemmas about the variables of two threads.
fn lemmas(maker: &mut Maker, relation: &Relation) -> Vec<Lemma> {
    let mut found = vec![];
    for _ in 0..1 + maker.random.below(2) {
        let local = [2, 2, 3][maker.random.below(3)];
        let left = maker.exprs.add(Node::Local(LocalId::from_index(local), WORD));
        let right = match maker.random.below(4) {
            0 => maker.term(&[2, 3]),
            _ => left,
        };
        let compare = [Binary::Eq, Binary::Eq, Binary::LtU, Binary::LeU][maker.random.below(4)];
        let negated = maker.random.below(3) > 0;
        found.extend(Lemma::new(relation, &maker.exprs, PairPredicate { left, compare, right }, negated));
    }
    found
}

/// Whether a lemma holds of all two threads of a state.
fn holds(exprs: &Exprs, lemma: &Lemma, state: &State) -> bool {
    let count = state.threads.len();
    let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).filter(|(a, b)| a != b);
    pairs.into_iter().all(|(a, b)| {
        let at = [a, b].map(|it| ControlId::from_index(state.threads[it].0));
        if !lemma.at.contains(&(at[0], at[1])) {
            return true;
        }
        let left = evaluate(exprs, lemma.pair.left, &state.values(a, 0));
        let right = evaluate(exprs, lemma.pair.right, &state.values(b, 0));
        let compared = match lemma.pair.compare {
            Binary::Eq => left == right,
            Binary::LtU => left < right,
            _ => left <= right,
        };
        compared != lemma.negated
    })
}

#[derive(Debug, Default)]
struct Tally {
    failing: usize,
    safe: usize,
    /// Safe programs with a lemma that says something of locations where two threads stood.
    used: usize,
    /// Programs that are called safe, or lemmas that are said to hold, wrongly, if lemmas are not proved.
    caught: usize,
}

/// Whether what is said is true of all that three threads reach; how many lemmas say something of a state
/// with two threads.
fn is_true(truth: &Reach, exprs: &Exprs, lemmas: &[Lemma]) -> bool {
    !truth.fails && truth.states.iter().all(|state| lemmas.iter().all(|it| holds(exprs, it, state)))
}

fn speaks(truth: &Reach, lemma: &Lemma) -> bool {
    let stand = |state: &State, at: ControlId| state.threads.iter().filter(|it| it.0 == at.index()).count();
    lemma
        .at
        .iter()
        .any(|&(p, q)| truth.states.iter().any(|it| stand(it, p) > usize::from(p == q) && stand(it, q) > 0))
}

fn compare(seed: u64, make: fn(&mut Maker) -> Relation, tally: &mut Tally) {
    let mut maker = Maker { random: Random::new(seed), exprs: Exprs::new(64) };
    let relation = make(&mut maker);
    let mut conditions: Vec<ExprId> =
        (0..1 + maker.random.below(3)).map(|_| maker.atom(&[0, 2, 3])).collect();
    let [s, x] = [0, 2].map(|it| maker.exprs.add(Node::Local(LocalId::from_index(it), WORD)));
    conditions.extend([Binary::LtU, Binary::Eq].map(|op| maker.exprs.binary(op, x, s)));
    let proposed = lemmas(&mut maker, &relation);
    let truth = reach(&relation);
    tally.failing += usize::from(truth.fails);
    let settled = |treatment| {
        let given = Given {
            relation: &relation,
            exprs: &maker.exprs,
            conditions: &conditions,
            lemmas: &proposed,
            limits: Limits::default(),
        };
        settle(&given, treatment, &mut engines(30_000), &Budget::unlimited()).expect("nothing stops it")
    };
    let exprs = &maker.exprs;
    if let Settled::Safe(lemmas) = settled(LemmaUse::Proved) {
        assert!(
            is_true(&truth, exprs, &lemmas),
            "seed {seed}: it fails, or a lemma does not hold: {lemmas:?}"
        );
        tally.safe += 1;
        tally.used += usize::from(lemmas.iter().any(|it| speaks(&truth, it)));
    }
    if let Settled::Safe(lemmas) = settled(LemmaUse::Assumed) {
        tally.caught += usize::from(!is_true(&truth, exprs, &lemmas));
    }
}

#[test]
fn lemmas_that_are_left_hold() {
    let mut tally = Tally::default();
    for seed in 40_000..40_240 {
        compare(seed, drawing, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.failing > 40 && tally.safe > 20 && tally.used > 5 && tally.caught > 5, "{tally:?}");
}

#[test]
fn lemmas_about_new_threads_hold() {
    let mut tally = Tally::default();
    for seed in 50_000..50_160 {
        compare(seed, creating, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.failing > 40 && tally.safe > 20 && tally.used > 0 && tally.caught > 5, "{tally:?}");
}
