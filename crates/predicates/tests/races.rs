//! Proofs that no two accesses race, by a prover that does not see all of them, against the checker that
//! does: whatever a program that races is said to do, nothing is accepted.

use base::events::NoEvents;
use base::{Budget, Random};
use c::machine::Races;
use check_formulas::c::proof as check;
use predicates::{Options, Outcome, prove_relation};
use relation::Relation;
use relation::proof::Proof;
use std::sync::Arc;
use testing::programs::normalised;

#[path = "../../check-formulas/src/c/tests/mutate.rs"]
mod mutate;

/// Mutants of the proof.
const MUTANTS: u64 = 200;

/// Any number of threads runs a worker.
fn relation(worker: &str) -> Relation {
    let text = format!(
        "#include <pthread.h>\nint x;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *worker(void *unused) {{ {worker} return 0; }}\n\
         int main(void) {{ pthread_t id; for (;;) pthread_create(&id, 0, worker, 0); }}\n"
    );
    let program = normalised("test.c", &text, &[]).expect("the program is C").program;
    let options = c::Options { races: Races::All, ..c::Options::default() };
    Relation::of(&program, &options, &Budget::unlimited()).expect("there is a relation")
}

fn proof(relation: &Relation) -> Option<Proof> {
    let found = prove_relation(relation.clone(), &Options::default(), &Budget::unlimited(), &mut NoEvents);
    match found {
        Ok(Outcome::Proved { proof, .. }) => Some(Arc::unwrap_or_clone(proof)),
        _ => None,
    }
}

fn accepts(relation: &Relation, proof: &Proof) -> bool {
    check(relation, proof, &Budget::unlimited()).is_ok()
}

#[test]
fn a_lock_keeps_accesses_apart() {
    let locked = relation("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);");
    let found = proof(&locked).expect("it is proved");
    assert!(!locked.candidates().is_empty() && accepts(&locked, &found));
    let late = relation("pthread_mutex_lock(&m); pthread_mutex_unlock(&m); x++;");
    assert!(proof(&late).is_none());
}

#[test]
fn who_does_not_see_an_access_is_refused() {
    let racing = relation("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); x = 1;");
    assert!(proof(&racing).is_none());
    let sites = racing.accesses.as_ref().map_or(0, |it| it.sites.len());
    let mut proved = 0;
    for at in 0..sites {
        let mut blind = racing.clone();
        blind.accesses.as_mut().expect("there are accesses").sites.remove(at);
        let Some(found) = proof(&blind) else { continue };
        proved += 1;
        assert!(accepts(&blind, &found), "it is a proof of what it sees");
        assert!(!accepts(&racing, &found), "a proof that does not see access {at}");
        let mut random = Random::new(at as u64);
        for number in 0..MUTANTS {
            let mutant =
                mutate::mutate(&found, mutate::KINDS[number as usize % mutate::KINDS.len()], &mut random);
            assert!(!accepts(&racing, &mutant), "mutant {number} without access {at}");
        }
    }
    assert!(proved > 0, "no access is needed for the race");
}
