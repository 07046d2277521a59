//! Proofs of each kind, changed in hundreds of ways, against the unsafe sibling of the program that they are
//! about: the sibling has the same variables and control locations and fails, so that nothing may be
//! accepted.

#[path = "../../check-formulas/src/c/tests/mutate.rs"]
mod mutate;

use base::events::{ClosureResult, Look};
use base::{Budget, Event, Random, Round};
use c::{Convert, ExprId, Exprs, Node, Program, Type};
use check_formulas::c::about;
use predicates::{Options, Outcome, prove};
use relation::Relation;
use relation::proof::{Column, Proof, Table, read, write};
use testing::programs::{model, normalised};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\n";
const MAIN: &str = "int main(void) { pthread_t id; for (;;) pthread_create(&id, NULL, worker, NULL); }\n";
/// Mutants of each proof.
const MUTANTS: u64 = 210;

fn program(body: &str) -> Program {
    let text = format!("{HEAD}{body}{MAIN}");
    normalised("test.c", &text, &[]).expect("the program is C").program
}

/// Proves the one, and tries the proof and its mutants on the other.
fn check(look: Look, safe: &str, sibling: &str) {
    let (safe, sibling) = (program(safe), program(sibling));
    let mut events: Vec<Event> = vec![];
    let found = prove(&safe, &Options::default(), &Budget::unlimited(), &mut events);
    let Ok(Outcome::Proved { proof, relation, .. }) = found else { panic!("the safe one is proved") };
    let is_last = |it: &Event| {
        let Event::Round(Round::Closure { look: by, result: ClosureResult::Proved { .. }, .. }) = it else {
            return false;
        };
        *by == look
    };
    assert!(events.iter().any(is_last), "{events:?}");
    assert!(Judge::new(&safe).accepts(&relation, &proof), "the proof is one");
    let mut judge = Judge::new(&sibling);
    assert!(!judge.accepts(&relation, &proof), "the proof does not hold for the sibling");
    let mut random = Random::new(77);
    for number in 0..MUTANTS {
        let mutant = mutated(&proof, number, &mut random);
        assert!(!judge.accepts(&relation, &mutant), "mutant {number} of {look:?} proves an unsafe program");
    }
    // What is refused because of its form says nothing about the questions that the checker asks.
    assert!(judge.questioned > MUTANTS / 2, "only {} mutants of {look:?} were questioned", judge.questioned);
}

/// Who checks proofs about a program, whatever program they say they are about.
struct Judge<'a> {
    program: &'a Program,
    /// The record of a proof that names the program.
    record: String,
    /// The proofs that were refused because a command leads out of them.
    questioned: u64,
}

impl<'a> Judge<'a> {
    fn new(program: &'a Program) -> Self {
        let relation = Relation::of(program, &c::Options::default(), &Budget::unlimited());
        let relation = relation.expect("the program has one");
        let (exprs, predicates, pairs) = (relation.exprs.clone(), vec![], vec![]);
        let (counts, singles) = (vec![], vec![]);
        let empty = Proof { exprs, predicates, pairs, counts, singles, doubles: None, races: false };
        Self { program, record: record(&write(&relation, &empty)), questioned: 0 }
    }

    /// Whether the checker takes the proof.
    fn accepts(&mut self, relation: &Relation, proof: &Proof) -> bool {
        let text = write(relation, proof);
        let text = text.replace(&record(&text), &self.record);
        let model = model(self.program);
        let about_sibling = |proof: &Proof| about(&model, proof, &Budget::unlimited());
        let own = model.relation(&Budget::unlimited()).expect("the program has one");
        let read = read(&text, &own, &Budget::unlimited());
        match read
            .map_err(|why| format!("Rejected {why}"))
            .and_then(|it| about_sibling(&it).map_err(|why| format!("{why:?}")))
        {
            Ok(_) => true,
            Err(why) => {
                assert!(why.starts_with("Rejected") && !why.contains("another program"), "{why}");
                self.questioned += u64::from(why.contains("command "));
                false
            }
        }
    }
}

fn record(text: &str) -> String {
    text.lines().find(|it| it.starts_with("program ")).expect("each proof names its program").into()
}

fn mutated(proof: &Proof, number: u64, random: &mut Random) -> Proof {
    match number % 6 {
        0 => narrowed(proof, random),
        1 => dropped(proof, random),
        other => mutate::mutate(proof, mutate::KINDS[other as usize - 2], random),
    }
}

/// A predicate compares fewer bits.
fn narrowed(proof: &Proof, random: &mut Random) -> Proof {
    let mut proof = proof.clone();
    let at = random.below(proof.predicates.len());
    if let Node::Binary(op, a, b) = proof.exprs.node(proof.predicates[at])
        && op.is_comparison()
        && let Type::Bits(bits @ 2..) = proof.exprs.ty(a)
    {
        let ty = Type::Bits(1 + random.below(usize::from(bits) - 1) as u8);
        let [a, b] = [a, b].map(|it| truncated(&mut proof.exprs, it, ty));
        proof.predicates[at] = proof.exprs.binary(op, a, b);
    }
    proof
}

fn truncated(exprs: &mut Exprs, value: ExprId, ty: Type) -> ExprId {
    match exprs.constant(value) {
        Some(number) => exprs.number(ty, number),
        None => exprs.convert(Convert::Truncate, ty, value),
    }
}

/// No table speaks of a predicate any more.
fn dropped(proof: &Proof, random: &mut Random) -> Proof {
    let mut proof = proof.clone();
    let gone = random.below(proof.predicates.len() + proof.pairs.len());
    let pair = gone.checked_sub(proof.predicates.len());
    let is_gone = |column: &Column| match *column {
        Column::First(at) | Column::Second(at) => at == gone,
        Column::Pair(at) => Some(at) == pair,
    };
    let drop = |table: &mut Table| {
        while let Some(at) = table.columns.iter().position(is_gone) {
            table.columns.remove(at);
            table.rows.iter_mut().for_each(|row| drop_cell(row, at));
        }
    };
    proof.singles.iter_mut().map(|it| &mut it.table).for_each(drop);
    proof.doubles.iter_mut().flatten().map(|it| &mut it.table).for_each(drop);
    proof
}

fn drop_cell(row: &mut Vec<Option<bool>>, at: usize) {
    row.remove(at);
}

#[test]
fn threads_one_by_one() {
    let body = |most: &str| {
        format!(
            "unsigned x;
            void *worker(void *arg) {{
                unsigned old = __atomic_load_n(&x, 5);
                if (old < {most}) __sync_bool_compare_and_swap(&x, old, old + 1u);
                assert(__atomic_load_n(&x, 5) <= 7u); return NULL; }}\n"
        )
    };
    check(Look::One, &body("7u"), &body("8u"));
}

#[test]
fn threads_that_locks_keep_apart() {
    let body = |less: &str| {
        format!(
            "pthread_mutex_t m; unsigned level;
            void *worker(void *arg) {{
                pthread_mutex_lock(&m); level = level + 1u;
                assert(level == 1u); level = level - {less};
                pthread_mutex_unlock(&m); return NULL; }}\n"
        )
    };
    check(Look::Companions, &body("1u"), &body("2u"));
}

#[test]
fn threads_two_at_a_time() {
    let body = |taken: &str| {
        format!(
            "unsigned flag, s;
            void *worker(void *arg) {{
                if (__sync_lock_test_and_set(&flag, {taken}) == 0u) {{ s = 1u; assert(s == 1u); s = 0u; }}
                return NULL; }}\n"
        )
    };
    check(Look::Two, &body("1u"), &body("0u"));
}

#[test]
fn relations_between_threads() {
    let body = |early: &str| {
        format!(
            "unsigned next, now;
            void *worker(void *arg) {{
                unsigned my;
                do {{ my = __atomic_load_n(&next, 5); if (my == ~0u) return NULL; }}
                while (!__sync_bool_compare_and_swap(&next, my, my + 1u));
                while (__atomic_load_n(&now, 5) + {early} < my) ;
                assert(__atomic_load_n(&now, 5) == my);
                __atomic_store_n(&now, my + 1u, 5); return NULL; }}\n"
        )
    };
    check(Look::Related, &body("0u"), &body("1u"));
}
