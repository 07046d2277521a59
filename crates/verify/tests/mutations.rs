//! Mutated proofs in front of the checker. From a list of tuples of `modular` or `cover` nothing can be taken
//! away: dropping a tuple that is no part of another is refused. Every other mutant is refused, or brute
//! force agrees that it is a proof, too.

mod support;

use base::{Budget, Random, Settings};
use engines::{Cover, Engine, Modular};
use ir::certificate::Body;
use ir::{Certificate, Model, Task};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use support::{any_number, decide, meaning, proof};
use testing::bp::{self as random, Profile};
use testing::mutate::{MUTATIONS, Mutation, NET_MUTATIONS, mutants};
use testing::net as nets;
use verify::{Origin, Outcome, ReadOptions};

/// How many mutants of each kind are made of a proof, of random programs and of the larger ones with known
/// verdicts.
const MOST: usize = 6;
const MOST_OF_LARGE: usize = 2;

/// What became of mutants, by kind: refused, accepted and shown to be proofs, accepted and too large to be
/// shown.
#[derive(Default, Debug)]
struct Tally {
    proofs: usize,
    with_elements: usize,
    kinds: BTreeMap<Mutation, [usize; 3]>,
}

impl Tally {
    fn examine(&mut self, task: &Task, certificate: &Certificate, (seed, most): (u64, usize), who: &str) {
        let basis = match &certificate.body {
            Body::Closure(it) => !it.basis.is_empty(),
            Body::TokenClosure(it) => !it.basis.is_empty(),
            Body::ClassClosure(it) => !it.basis.is_empty(),
            _ => return,
        };
        self.proofs += 1;
        self.with_elements += usize::from(basis);
        for (mutation, mutant) in mutants(certificate, most, &mut Random::new(seed)) {
            let checked = check_formulas::certificate(task, &mutant, &Budget::unlimited());
            let counts = self.kinds.entry(mutation).or_default();
            if checked.is_err() {
                counts[0] += 1;
                continue;
            }
            let context = || {
                let text = |it: &Certificate| ir::certificate::text::write(it, &task.model);
                format!("{who}, {mutation:?}\n{}\n{}", text(certificate), text(&mutant))
            };
            // A formula may speak of threads that are not there: `init` while another is inside, two threads
            // inside.
            if !matches!(certificate.body, Body::ClassClosure(_)) {
                assert!(basis || mutation != Mutation::TupleDropped, "{}", context());
                // `modular` tries narrower closures first.
                assert!(!who.starts_with("modular") || mutation != Mutation::WidthLowered, "{}", context());
            }
            match meaning::is_proof(&task.model, &mutant) {
                Some(proof) => {
                    assert!(proof, "no proof, but confirmed: {}", context());
                    counts[1] += 1;
                }
                None => counts[2] += 1,
            }
        }
    }

    /// Every kind was met, and most mutants are refused.
    fn is_telling(&self, kinds: &[Mutation], proofs: usize, with_elements: usize) {
        assert!(self.proofs >= proofs && self.with_elements >= with_elements, "{self:?}");
        for kind in kinds {
            let [refused, shown, unknown] = self.kinds.get(kind).copied().unwrap_or_default();
            assert!(refused > 0 && unknown <= (refused + shown) / 10, "{kind:?}: {self:?}");
        }
    }
}

fn examine(model: Model, seed: u64, tally: &mut Tally) {
    let task = any_number(model);
    // A narrow closure without the state equation leaves more to the elements of the basis.
    let narrow = [("cover.width", "1"), ("cover.equation", "off")];
    let formulas = [("modular.sets", "bdd")];
    let sets = [("cover.sets", "bdd"), ("cover.width", "1")];
    let engines: [(&dyn Engine, &[_]); 5] =
        [(&Modular, &[]), (&Modular, &formulas), (&Cover, &[]), (&Cover, &narrow), (&Cover, &sets)];
    for (engine, options) in engines {
        if let Some(certificate) = proof(engine, options, &task) {
            tally.examine(
                &task,
                &certificate,
                (seed, MOST),
                &format!("{} {options:?} on seed {seed}", engine.name()),
            );
        }
    }
}

#[test]
fn mutants_of_proofs_of_random_programs() {
    let mut tally = Tally::default();
    for (profile, first) in [(Profile::ALL, 0), (Profile::BROADCASTS, 10_000), (Profile::SPAWNING, 20_000)] {
        for seed in first..first + 100 {
            let program = random::program(seed, &profile);
            if program.is_flat() {
                examine(Model::Program(Arc::new(program)), seed, &mut tally);
            }
        }
    }
    tally.is_telling(&MUTATIONS, 600, 1);
}

#[test]
fn mutants_of_proofs_of_random_nets() {
    let mut tally = Tally::default();
    for seed in 0..200 {
        for (profile, first) in [(nets::Profile::ALL, 0), (nets::Profile::SIMPLE, 10_000)] {
            examine(Model::Net(Arc::new(nets::net(first + seed, &profile))), seed, &mut tally);
        }
    }
    // The last kind is for formulas.
    tally.is_telling(&MUTATIONS[..MUTATIONS.len() - 1], 400, 20);
    tally.is_telling(&NET_MUTATIONS[..2], 400, 20);
}

/// Behind the passes: certificates that were carried back to the user's program.
#[test]
fn mutants_of_proofs_of_the_programs_with_known_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the programs").map(|it| it.expect("a file").path()).collect();
    paths.sort();
    let mut tally = Tally::default();
    for path in paths {
        let Ok(input) = verify::read(&Origin::from_argument(&path), &ReadOptions::default()) else {
            continue;
        };
        let task = any_number(input.source.model());
        for engine in [&Modular as &dyn Engine, &Cover] {
            let found = decide(engine, &task, &Settings::default(), 600_000);
            let Some(Outcome::Safe { proof, .. }) = found else { continue };
            let Some(it) = proof.certificate().cloned() else { continue };
            assert!(proof.is_confirmed(), "{path:?}");
            if matches!(it.body, Body::ClassClosure(_)) {
                // Formulas of large programs are too much for brute force.
                continue;
            }
            tally.examine(&task, &it, (7, MOST_OF_LARGE), &format!("{} on {path:?}", engine.name()));
        }
    }
    assert!(tally.proofs > 40 && tally.with_elements > 5, "{tally:?}");
}
