//! The certificates of `modular` and `cover` in front of the checker: what the engines prove is confirmed,
//! and a certificate from which something is missing is either refused or still tells the truth.

mod support;

use base::{Budget, Random};
use engines::{Cover, Engine, Modular};
use ir::certificate::graph::{Node, NodeId};
use ir::certificate::{Body, ClassClosure};
use ir::{Certificate, Model, Scope, Task};
use std::sync::Arc;
use support::{any_number, proof};
use testing::bp::{self as random, Profile};
use testing::net as nets;

/// The certificate, if the engine proves the task; whatever it proves must have one that the checker
/// confirms.
fn confirmed(engine: &dyn Engine, options: Options<'_>, task: &Task) -> Option<Certificate> {
    let certificate = proof(engine, options, task)?;
    let checked = check_formulas::certificate(task, &certificate, &Budget::unlimited());
    assert_eq!(checked, Ok(Scope::ANY), "{}: {task:#?}\n{certificate:#?}", engine.name());
    Some(certificate)
}

/// The certificate without one of its tuples or elements; none if there is nothing to take away.
fn drop_one(certificate: &Certificate, random: &mut Random) -> Option<Certificate> {
    fn drop<T>(list: &mut Vec<T>, random: &mut Random) -> Option<()> {
        if list.is_empty() {
            return None;
        }
        list.remove(random.below(list.len()));
        Some(())
    }
    let mut fewer = certificate.clone();
    let basis = random.percent(40);
    match &mut fewer.body {
        Body::Closure(it) if basis => drop(&mut it.basis, random),
        Body::Closure(it) => drop(&mut it.tuples, random),
        Body::ClassClosure(it) => weaken(it, fewer.view.shared.len(), random),
        Body::TokenClosure(it) if basis => drop(&mut it.basis, random),
        Body::TokenClosure(it) => drop(&mut it.tuples, random),
        _ => None,
    }?;
    Some(fewer)
}

/// Takes a tuple away, or the half of one, or a point out of a class; this many inputs are shared values.
fn weaken(closure: &mut ClassClosure, inputs: usize, random: &mut Random) -> Option<()> {
    if random.percent(20) {
        let class = random.below(closure.classes.len());
        let class = &mut closure.classes[class];
        class.remove(random.below(class.len()));
        return Some(());
    }
    let at = random.below(closure.tuples.len());
    if random.percent(40) {
        closure.tuples.remove(at);
        return Some(());
    }
    let test =
        closure.graph.push(Node::Input(random.below(inputs.max(1)) as u32)).ok().filter(|_| inputs > 0)?;
    let (all, none) = (closure.tuples[at].formula, NodeId::FALSE);
    let (then, other) = if random.percent(50) { (all, none) } else { (none, all) };
    closure.tuples[at].formula = closure.graph.push(Node::Ite { test, then, other }).ok()?;
    Some(())
}

/// Whether a few threads reach an error: nothing may then be confirmed.
fn fails(model: &Model) -> Option<bool> {
    Some(match model {
        Model::Program(program) => {
            let machine = ir::bp::Machine::new(program, Some(3));
            machine.reachable(2000)?.iter().any(|state| machine.failure(state).is_some())
        }
        Model::Net(net) => {
            let machine = ir::net::Machine::new(net, Some(4));
            machine.reachable(5000)?.iter().any(|marking| machine.at_target(marking))
        }
        Model::C(_) => return None,
    })
}

/// Counts proofs, and of those with something taken away how many were refused.
#[derive(Default, Debug)]
struct Tally {
    proofs: usize,
    refused: usize,
    confirmed: usize,
    with_elements: usize,
    /// Proofs by formulas.
    formulas: usize,
    formulas_refused: usize,
    /// Of them those with a basis.
    formulas_with_elements: usize,
}

/// Settings by name.
type Options<'a> = &'a [(&'a str, &'a str)];

fn examine(model: Model, random: &mut Random, tally: &mut Tally) {
    let task = any_number(model);
    // A narrow closure without the state equation leaves more to the elements of the basis.
    let narrow = [("cover.width", "1"), ("cover.equation", "off")];
    let formulas = [("modular.sets", "bdd")];
    let single = [("modular.sets", "bdd"), ("modular.classes", "off")];
    let sets = [("cover.sets", "bdd")];
    let narrow_sets = [("cover.sets", "bdd"), ("cover.width", "1")];
    let engines: [(&dyn Engine, Options<'_>); 7] = [
        (&Modular, &[]),
        (&Cover, &[]),
        (&Cover, &narrow),
        (&Modular, &formulas),
        (&Modular, &single),
        (&Cover, &sets),
        (&Cover, &narrow_sets),
    ];
    for (engine, options) in engines {
        let Some(certificate) = confirmed(engine, options, &task) else { continue };
        assert_ne!(fails(&task.model), Some(true));
        tally.proofs += 1;
        tally.with_elements += usize::from(match &certificate.body {
            Body::Closure(it) => !it.basis.is_empty(),
            Body::ClassClosure(it) => !it.basis.is_empty(),
            Body::TokenClosure(it) => !it.basis.is_empty(),
            _ => false,
        });
        let is_formula = usize::from(matches!(certificate.body, Body::ClassClosure(_)));
        tally.formulas += is_formula;
        tally.formulas_with_elements +=
            usize::from(matches!(&certificate.body, Body::ClassClosure(it) if !it.basis.is_empty()));
        let text = ir::certificate::text::write(&certificate, &task.model);
        assert_eq!(ir::certificate::text::read(&text).as_ref(), Ok(&certificate));
        for _ in 0..3 {
            let Some(fewer) = drop_one(&certificate, random) else { continue };
            match check_formulas::certificate(&task, &fewer, &Budget::unlimited()) {
                Ok(_) => tally.confirmed += 1,
                Err(_) => {
                    tally.refused += 1;
                    tally.formulas_refused += is_formula;
                }
            }
        }
    }
}

#[test]
fn programs_are_confirmed() {
    let (mut random, mut tally) = (Random::new(5), Tally::default());
    for (profile, first) in [(Profile::ALL, 0), (Profile::BROADCASTS, 10_000), (Profile::SPAWNING, 20_000)] {
        for seed in first..first + 350 {
            let program = random::program(seed, &profile);
            if program.is_flat() {
                examine(Model::Program(Arc::new(program)), &mut random, &mut tally);
            }
        }
    }
    assert!(
        tally.proofs > 300 && tally.refused > 2 * tally.confirmed && tally.with_elements > 5,
        "{tally:?}"
    );
    assert!(tally.formulas > 200 && tally.formulas_refused > tally.formulas, "{tally:?}");
    assert!(tally.formulas_with_elements > 5, "{tally:?}");
}

/// Proofs that need a basis are rare in random programs: many more of them, with the one engine that writes
/// sets of those.
#[test]
fn sets_of_minimal_elements_are_confirmed() {
    let (mut basis, mut refused, mut still) = (0, 0, 0);
    for seed in 40_000..42_500 {
        let program = random::program(seed, &Profile::MONOTONE);
        if !program.is_flat() {
            continue;
        }
        let task = any_number(Model::Program(Arc::new(program)));
        let sets = [("cover.sets", "bdd"), ("cover.width", "1")];
        let Some(certificate) = confirmed(&Cover, &sets, &task) else { continue };
        let Body::ClassClosure(closure) = &certificate.body else { panic!("sets are written as formulas") };
        if closure.basis.is_empty() {
            continue;
        }
        basis += 1;
        for index in 0..closure.basis.len() {
            let mut fewer = closure.clone();
            fewer.basis.remove(index);
            let fewer = Certificate { body: Body::ClassClosure(fewer), ..certificate.clone() };
            match check_formulas::certificate(&task, &fewer, &Budget::unlimited()) {
                Ok(_) => still += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(basis > 10 && refused > still, "{basis} with elements, {refused} refused, {still} not");
}

#[test]
fn nets_are_confirmed() {
    let (mut random, mut tally) = (Random::new(6), Tally::default());
    for seed in 0..800 {
        for (profile, first) in [(nets::Profile::ALL, 0), (nets::Profile::SIMPLE, 10_000)] {
            examine(Model::Net(Arc::new(nets::net(first + seed, &profile))), &mut random, &mut tally);
        }
    }
    assert!(tally.proofs > 300 && tally.refused > tally.confirmed && tally.with_elements > 10, "{tally:?}");
}

/// A certificate for one model is refused for another that fails.
#[test]
fn a_proof_of_another_program_is_refused() {
    let programs: Vec<_> = (0..120).map(|seed| random::program(seed, &Profile::SPAWNING)).collect();
    let models: Vec<Model> =
        programs.into_iter().filter(|it| it.is_flat()).map(|it| Model::Program(Arc::new(it))).collect();
    let failing: Vec<&Model> = models.iter().filter(|model| fails(model) == Some(true)).collect();
    let mut tried = 0;
    for model in &models {
        for options in [&[][..], &[("modular.sets", "bdd")]] {
            let Some(certificate) = confirmed(&Modular, options, &any_number(model.clone())) else {
                continue;
            };
            for &other in &failing {
                tried += 1;
                let checked = check_formulas::certificate(
                    &any_number(other.clone()),
                    &certificate,
                    &Budget::unlimited(),
                );
                assert!(checked.is_err());
            }
        }
    }
    assert!(tried > 500, "{tried}");
}
