//! The engine `rounds` through the whole path: passes, engine, lift, checker. Whatever it proves has a
//! certificate that is confirmed, and one from which something is missing or in which something is changed is
//! refused unless it still is a proof; brute force with short stacks finds no error in what is called safe.

mod judge;
#[path = "../support/mod.rs"]
mod support;

use base::{Budget, Random, Settings};
use engines::{Engine, Rounds};
use ir::bp::Machine;
use ir::certificate::Body;
use ir::{Certificate, Model, Program, Scope, Task};
use std::sync::Arc;
use testing::bp::{self as random, Profile};
use verify::{Outcome, Proof};

const BY_GAME: &[(&str, &str)] = &[("rounds.most", "3"), ("rounds.closure", "off")];
const BY_CLOSURE: &[(&str, &str)] = &[("rounds.most", "1"), ("rounds.game", "off")];

fn settings(set: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in set {
        settings.set(&[Rounds.settings()], name, value).expect("the option exists");
    }
    settings
}

fn task(program: &Program) -> Task {
    Task::new(Model::Program(Arc::new(program.clone())), Scope::ANY)
}

fn program(task: &Task) -> &Program {
    let Model::Program(program) = &task.model else { unreachable!("only programs are decided here") };
    program
}

#[derive(Default, Debug)]
struct Tally {
    proofs: usize,
    errors: usize,
    unchecked: usize,
    /// Certificates with something taken away or changed.
    refused: usize,
    /// Those that are proofs all the same.
    accepted: usize,
}

impl Tally {
    fn program(&mut self, program: &Program, set: &[(&str, &str)], random: &mut Random) {
        let task = task(program);
        match support::decide(&Rounds, &task, &settings(set), 20_000_000) {
            Some(Outcome::Safe { scope, proof }) => {
                assert_eq!(scope, Scope::ANY);
                let fails = |threads| Machine::new(program, Some(threads)).fails_with_short_stacks(4, 1500);
                assert!(!(1..=3).any(fails), "{program:#?}");
                let Proof::Confirmed { certificate, .. } = proof else {
                    self.unchecked += 1;
                    return;
                };
                self.proofs += 1;
                let text = ir::certificate::text::write(&certificate, &task.model);
                assert_eq!(ir::certificate::text::read(&text).as_ref(), Ok(&certificate));
                self.mutate(&task, &certificate, random);
            }
            Some(Outcome::Unsafe { .. }) => self.errors += 1,
            Some(Outcome::Unknown(reason)) => {
                let open = [ir::ReasonKind::Bound, ir::ReasonKind::Ticks, ir::ReasonKind::Memory];
                assert!(open.contains(&reason.kind), "{reason:?} {program:#?}");
            }
            None => {}
        }
    }

    fn mutate(&mut self, task: &Task, certificate: &Certificate, random: &mut Random) {
        for _ in 0..4 {
            let mut fewer = certificate.clone();
            match &mut fewer.body {
                Body::Summaries(it) => drop(it.states.remove(random.below(it.states.len()))),
                Body::Game(it) => judge::mutate(it, random),
                other => panic!("a certificate of another kind: {other:?}"),
            }
            if fewer == *certificate {
                continue;
            }
            match check_formulas::certificate(task, &fewer, &Budget::unlimited()) {
                Err(_) => self.refused += 1,
                Ok(_) => {
                    self.accepted += 1;
                    let (Body::Game(original), Body::Game(mutant)) = (&certificate.body, &fewer.body) else {
                        panic!("a state too few is accepted: {fewer:#?}")
                    };
                    assert!(
                        judge::proves(program(task), &certificate.view, original, mutant),
                        "{mutant:#?} {:#?}",
                        program(task)
                    );
                }
            }
        }
    }
}

fn tally(profile: &Profile, set: &[(&str, &str)], seeds: std::ops::Range<u64>) -> Tally {
    let (mut tally, mut random) = (Tally::default(), Random::new(7));
    for seed in seeds {
        tally.program(&random::program(seed, profile), set, &mut random);
    }
    tally
}

#[test]
fn closures_of_recursive_programs_are_confirmed() {
    let profile = Profile { broadcasts: 0, passive_conditions: 0, statements: 5, ..Profile::RECURSIVE };
    let tally = tally(&profile, BY_CLOSURE, 0..600);
    assert!(tally.proofs > 100 && tally.errors > 100 && tally.accepted + tally.unchecked == 0, "{tally:?}");
}

#[test]
fn closures_of_spawning_programs_are_confirmed() {
    let tally = tally(&Profile::SPAWNING, BY_CLOSURE, 0..600);
    assert!(tally.proofs > 100 && tally.errors > 100 && tally.accepted + tally.unchecked == 0, "{tally:?}");
}

#[test]
fn games_with_templates_are_confirmed() {
    let profile = Profile { spawns: 0, procedures: 0, templates: 100, statements: 5, ..Profile::SPAWNING };
    let tally = tally(&profile, BY_GAME, 0..600);
    assert!(tally.proofs > 400 && tally.errors > 100 && tally.unchecked == 0, "{tally:?}");
    assert!(tally.refused > 50 * tally.accepted, "{tally:?}");
}

#[test]
fn games_with_created_threads_are_confirmed() {
    let profile = Profile { statements: 5, ..Profile::SPAWNING };
    let tally = tally(&profile, &[("rounds.most", "2"), ("rounds.closure", "off")], 0..500);
    assert!(tally.proofs > 300 && tally.errors > 100 && tally.unchecked == 0, "{tally:?}");
    assert!(tally.refused > 50 * tally.accepted, "{tally:?}");
}

/// `down` calls itself and is not inlined, but the threads call nothing: the game is played, and its
/// certificate has `prepare` with its call stacks.
const INIT_RECURSES: &str = "
decl ready, odd;
start init prepare;
start worker any;
start once 2;
void prepare() begin
  odd := 0;
  down(1);
  ready := odd;
end
void down(more) begin
  decl kept;
  kept := !more;
  if more then down(0); fi;
  odd := odd ^ kept;
end
void worker() begin
  assert(ready);
end
void once() begin
  decl mine;
  mine := odd;
  assert(mine);
  odd := 1;
end
";

#[test]
fn a_game_after_an_init_that_recurses_is_confirmed() {
    let mut map = base::SourceMap::default();
    let source = map.add("init_recurses.bp".to_string(), INIT_RECURSES.to_string());
    let read = front::read_program(&map, source, &front::ReadOptions::default());
    let (program, _) = read.unwrap_or_else(|found| panic!("{found:?}"));
    let task = task(&program);
    let outcome = support::decide(&Rounds, &task, &settings(BY_GAME), 100_000_000);
    let Some(Outcome::Safe { proof: Proof::Confirmed { certificate, .. }, .. }) = outcome else {
        panic!("{outcome:?}")
    };
    let Certificate { body: Body::Game(game), view, .. } = certificate else {
        panic!("another kind of proof")
    };
    assert!(view.controls.iter().any(|control| control.stack.len() == 3), "the deepest call is listed");
    assert!(game.shares.iter().any(|share| share.sleeping == [1]), "one of two threads sleeps at the start");
}

#[test]
fn a_game_that_never_begins_is_confirmed() {
    let mut map = base::SourceMap::default();
    let text = "decl key := 0; start init boot; start once 2; start worker any;
        void boot() begin assume(key); end
        void worker() begin key := 1; assert(0); end
        void once() begin decl kept := 1; kept := key; assert(kept); end";
    let source = map.add("init_waits.bp".to_string(), text.to_string());
    let read = front::read_program(&map, source, &front::ReadOptions::default());
    let (program, _) = read.unwrap_or_else(|found| panic!("{found:?}"));
    let outcome = support::decide(&Rounds, &task(&program), &settings(BY_GAME), 1_000_000);
    let confirmed = matches!(
        &outcome,
        Some(Outcome::Safe { proof: Proof::Confirmed { certificate: it, .. }, .. }) if matches!(it.body, Body::Game(_))
    );
    assert!(confirmed, "{outcome:?}");
}

#[test]
fn safe_programs_with_call_stacks_are_confirmed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recursion");
    let mut confirmed = 0;
    for entry in std::fs::read_dir(folder).expect("the programs are there") {
        let path = entry.expect("it can be listed").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        if !text.lines().any(|line| line == "// expect: safe") {
            continue;
        }
        let dialect = text.contains("// args: --dialect getafix").then_some(verify::Dialect::Getafix);
        let reading = verify::ReadOptions { dialect, ..verify::ReadOptions::default() };
        let input = verify::read(&verify::Origin::from_argument(&path), &reading);
        let input = input.unwrap_or_else(|bad| panic!("{path:?}: {:?}", bad.diagnostics));
        let task = input.source.task(Scope::ANY);
        let outcome = support::decide(&Rounds, &task, &Settings::default(), 2_000_000_000);
        assert!(outcome.as_ref().is_some_and(Outcome::is_confirmed), "{path:?}: {outcome:?}");
        confirmed += 1;
    }
    assert!(confirmed >= 12, "{confirmed}");
}

/// A start without a thread: a proof lists nobody, and the checker must not ask for one.
#[test]
fn nobody_is_born_of_a_template_without_a_thread() {
    let mut sources = base::SourceMap::new();
    let file = sources.add("none.bp", "start main 0; void main() begin assert(0); end");
    let (program, _) =
        front::read_program(&sources, file, &front::ReadOptions::default()).expect("it is read");
    for set in [BY_GAME, BY_CLOSURE] {
        let found = support::decide(&Rounds, &task(&program), &settings(set), 20_000_000);
        assert!(found.as_ref().is_some_and(Outcome::is_confirmed), "{found:?}");
    }
}
