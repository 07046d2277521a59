//! Elements of the basis as formulas in front of the checker: proofs by lists, written as formulas, are
//! confirmed; mutants of them are refused, or brute force agrees that they are proofs; and what is reached
//! cannot be blocked.

mod support;

use base::{Budget, Random};
use engines::{Cover, Engine, Modular};
use ir::certificate::{Body, ClassClosure, Closure};
use ir::{Certificate, Model, Program, Scope, Task};
use std::collections::BTreeMap;
use std::sync::Arc;
use support::{any_number, basis, classes, meaning, proof};
use testing::Viewed;
use testing::bp::{self as random, Profile};
use testing::mutate::{MUTATIONS, Mutation, mutants};

/// How many mutants of each kind are made of a proof.
const MOST: usize = 3;

/// Calls with random programs, each with its seed and the proofs by lists that engines find.
fn proofs(count: u64, mut look: impl FnMut(&Arc<Program>, u64, &Viewed<Closure>)) {
    for (profile, first) in [(Profile::ALL, 0), (Profile::BROADCASTS, 10_000), (Profile::SPAWNING, 20_000)] {
        for seed in first..first + count {
            let program = Arc::new(random::program(seed, &profile));
            if !program.is_flat() {
                continue;
            }
            let task = any_number(Model::Program(program.clone()));
            let narrow = [("cover.width", "1")];
            let engines: [(&dyn Engine, &[_]); 3] = [(&Cover, &narrow), (&Cover, &[]), (&Modular, &[])];
            for (engine, options) in engines {
                if let Some(Certificate { view, body: Body::Closure(body), .. }) =
                    proof(engine, options, &task)
                {
                    look(&program, seed, &Viewed { view, body });
                }
            }
        }
    }
}

fn as_lists(closure: &Viewed<Closure>) -> Certificate {
    closure.clone().certificate(Scope::ANY, Body::Closure)
}

fn as_formulas(closure: &Viewed<Closure>, random: &mut Random) -> Certificate {
    classes::formulas(closure, random).certificate(Scope::ANY, Body::ClassClosure)
}

#[derive(Default, Debug)]
struct Tally {
    proofs: usize,
    /// By kind of mutant: refused; accepted and too large to be judged; accepted and shown to be proofs, the
    /// first if they were accepted as lists, too. The checker of formulas alone knows that no two threads are
    /// inside atomic sections.
    kinds: BTreeMap<Mutation, [usize; 4]>,
}

impl Tally {
    fn examine(&mut self, program: &Arc<Program>, seed: u64, closure: &Viewed<Closure>) {
        let (task, mut random) = (any_number(Model::Program(program.clone())), Random::new(seed));
        let check = |it: &Certificate| check_formulas::certificate(&task, it, &Budget::unlimited());
        let text = |it: &Certificate| ir::certificate::text::write(it, &task.model);
        self.proofs += 1;
        let (lists, formulas) = (as_lists(closure), as_formulas(closure, &mut random));
        assert_eq!(check(&lists), Ok(Scope::ANY), "seed {seed}\n{}", text(&lists));
        assert_eq!(check(&formulas), Ok(Scope::ANY), "seed {seed}\n{}\n{}", text(&lists), text(&formulas));
        for (mutation, mutant) in mutants(&lists, MOST, &mut Random::new(seed)) {
            let Body::Closure(body) = &mutant.body else { unreachable!("mutants have the same kind") };
            let formulas = as_formulas(&closure.with(body.clone()), &mut random);
            let is_list = check(&mutant).is_ok();
            let taken = self.judge(&task, mutation, &formulas, is_list);
            // What is confirmed as a list is confirmed as formulas.
            assert!(!is_list || taken, "{mutation:?} on seed {seed}\n{}\n{}", text(&mutant), text(&formulas));
        }
        for (mutation, mutant) in mutants(&formulas, MOST, &mut Random::new(seed)) {
            self.judge(&task, mutation, &mutant, false);
        }
    }

    /// Whether the checker takes a mutant; then brute force must agree. `list` says whether it was taken as a
    /// list.
    fn judge(&mut self, task: &Task, mutation: Mutation, mutant: &Certificate, list: bool) -> bool {
        let taken = check_formulas::certificate(task, mutant, &Budget::unlimited()).is_ok();
        let proof = taken.then(|| meaning::is_proof(&task.model, mutant));
        let text = || ir::certificate::text::write(mutant, &task.model);
        assert_ne!(proof, Some(Some(false)), "{mutation:?}: no proof, but confirmed: {}", text());
        let kind = match proof {
            None => 0,
            Some(None) => 1,
            Some(Some(_)) => 3 - usize::from(list),
        };
        self.kinds.entry(mutation).or_default()[kind] += 1;
        taken
    }
}

#[test]
fn lists_are_confirmed_as_formulas() {
    let mut tally = Tally::default();
    proofs(60, |program, seed, closure| {
        let mut random = Random::new(seed);
        let weaker = match closure.basis.is_empty() {
            true => basis::weakened(program, closure, &mut random),
            false => Some(closure.clone()),
        };
        if let Some(weaker) = weaker.filter(|it| !it.basis.is_empty()) {
            tally.examine(program, seed, &weaker);
        }
    });
    assert!(tally.proofs > 150, "{tally:?}");
    for kind in MUTATIONS {
        let [refused, unknown, shown, alone] = tally.kinds.get(&kind).copied().unwrap_or_default();
        assert!(refused > 20 && unknown <= (refused + shown + alone) / 50, "{kind:?}: {tally:?}");
    }
}

#[test]
fn what_is_reached_cannot_be_blocked() {
    let mut refused = 0;
    proofs(100, |program, seed, closure| {
        let (task, mut random) = (any_number(Model::Program(program.clone())), Random::new(seed));
        for closure in basis::refuted(program, closure, 6, &mut random) {
            let lists = as_lists(&closure);
            let formulas = as_formulas(&closure, &mut random);
            for it in [&lists, &formulas] {
                let checked = check_formulas::certificate(&task, it, &Budget::unlimited());
                let text = || ir::certificate::text::write(it, &task.model);
                assert!(checked.is_err(), "seed {seed}\n{}", text());
            }
            refused += 1;
        }
    });
    assert!(refused > 800, "{refused}");
}

/// Classes of several points: the proofs of `modular` by formulas.
#[test]
fn elements_over_classes() {
    let (mut confirmed, mut refused) = (0, 0);
    for (profile, first) in [(Profile::ALL, 0), (Profile::BROADCASTS, 10_000), (Profile::SPAWNING, 20_000)] {
        for seed in first..first + 60 {
            let program = Arc::new(random::program(seed, &profile));
            if !program.is_flat() {
                continue;
            }
            let task = any_number(Model::Program(program.clone()));
            let Some(Certificate { view, body: Body::ClassClosure(body), .. }) =
                proof(&Modular, &[("modular.sets", "bdd")], &task)
            else {
                continue;
            };
            let closure = Viewed { view, body };
            let check = |it: Viewed<ClassClosure>| {
                let certificate = it.certificate(Scope::ANY, Body::ClassClosure);
                check_formulas::certificate(&task, &certificate, &Budget::unlimited())
            };
            let complemented = classes::complemented(&closure);
            assert_eq!(check(complemented.clone()), Ok(Scope::ANY), "seed {seed}");
            confirmed += 1;
            let mut random = Random::new(seed);
            for closure in [&closure, &complemented] {
                for mutant in classes::refuted(&program, closure, 4, &mut random) {
                    assert!(check(mutant.clone()).is_err(), "seed {seed}: {mutant:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(confirmed > 60 && refused > 400, "{confirmed} {refused}");
}
