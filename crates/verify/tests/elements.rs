//! Blocked elements as formulas in front of the checker: proofs of `cover` by lists, written as formulas, are confirmed, and mutants of
//! them are refused, or brute force agrees that they are proofs.

mod support;

use base::{Budget, Random};
use engines::{Cover, Engine, Modular};
use ir::bp::random::{self, Profile};
use ir::certificate::Body;
use ir::certificate::mutate::{MUTATIONS, Mutation, mutants};
use ir::{Certificate, Model, Scope, Task};
use std::collections::BTreeMap;
use std::sync::Arc;
use support::{any_number, blocked, classes, meaning, proof};

/// How many mutants of each kind are made of a proof.
const MOST: usize = 3;

#[derive(Default, Debug)]
struct Tally {
    proofs: usize,
    /// By kind of mutant: refused; accepted and too large to be judged; accepted and shown to be proofs, the first if they were accepted as
    /// lists, too. The checker of formulas alone knows that no two threads are inside atomic sections.
    kinds: BTreeMap<Mutation, [usize; 4]>,
}

impl Tally {
    fn examine(&mut self, model: Model, seed: u64) {
        let Model::Program(program) = &model else { unreachable!("only programs are looked at") };
        let (program, task) = (program.clone(), any_number(model));
        let mut random = Random::new(seed);
        let narrow = [("cover.width", "1")];
        let asked: [(&dyn Engine, &[_]); 3] = [(&Cover, &narrow), (&Cover, &[]), (&Modular, &[])];
        for (engine, options) in asked {
            let Some(mut certificate) = proof(engine, options, &task) else { continue };
            let Body::Closure(closure) = &mut certificate.body else { continue };
            if closure.blocked.is_empty() {
                let Some(weaker) = blocked::weakened(&program, closure, &mut random) else { continue };
                *closure = weaker;
            }
            if closure.blocked.is_empty() {
                continue;
            }
            let check = |it: &Certificate| check::certificate(&task, it, &Budget::unlimited());
            let as_formulas = |it: &Certificate, random: &mut Random| {
                let Body::Closure(closure) = &it.body else { unreachable!("mutants have the same kind") };
                Certificate { body: Body::ClassClosure(classes::formulas(closure, random)), ..it.clone() }
            };
            let text = |it: &Certificate| ir::certificate::text::write(it, &task.model);
            self.proofs += 1;
            let formulas = as_formulas(&certificate, &mut random);
            let context = || {
                format!(
                    "seed {seed} {}{options:?}\n{}\n{}",
                    engine.name(),
                    text(&certificate),
                    text(&formulas)
                )
            };
            assert_eq!(check(&certificate), Ok(Scope::ANY), "{}", context());
            assert_eq!(check(&formulas), Ok(Scope::ANY), "{}", context());
            for (mutation, mutant) in mutants(&certificate, MOST, &mut Random::new(seed)) {
                let formulas = as_formulas(&mutant, &mut random);
                let lists = check(&mutant);
                let taken = self.judge(&task, mutation, &formulas, lists.is_ok());
                // What is confirmed as a list is confirmed as formulas.
                assert!(
                    lists.is_err() || taken,
                    "{mutation:?} on seed {seed}\n{}\n{}",
                    text(&mutant),
                    text(&formulas)
                );
            }
            for (mutation, mutant) in mutants(&formulas, MOST, &mut Random::new(seed)) {
                self.judge(&task, mutation, &mutant, false);
            }
        }
    }

    /// Whether the checker takes a mutant; then brute force must agree. `list` says whether it was taken as a list.
    fn judge(&mut self, task: &Task, mutation: Mutation, mutant: &Certificate, list: bool) -> bool {
        let taken = check::certificate(task, mutant, &Budget::unlimited()).is_ok();
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
    for (profile, first) in [(Profile::ALL, 0), (Profile::BROADCASTS, 10_000), (Profile::SPAWNING, 20_000)] {
        for seed in first..first + 70 {
            let program = random::program(seed, &profile);
            if program.is_flat() {
                tally.examine(Model::Program(Arc::new(program)), seed);
            }
        }
    }
    assert!(tally.proofs > 200, "{tally:?}");
    for kind in MUTATIONS {
        let [refused, unknown, shown, alone] = tally.kinds.get(&kind).copied().unwrap_or_default();
        assert!(refused > 20 && unknown <= (refused + shown + alone) / 50, "{kind:?}: {tally:?}");
    }
}
