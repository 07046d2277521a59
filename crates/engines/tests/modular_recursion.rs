//! Recursion by threads against brute force: what a recursive program does, its flat program does too.

use base::{Budget, Settings, Silent, SourceMap};
use engines::modular::recursion::flatten;
use engines::{Cx, Engine, Facts, Modular};
use front::{Dialect, ReadOptions, read_program};
use ir::bp::random::{self, Profile};
use ir::bp::{Machine, State};
use ir::{Bound, Model, Program, Property, Scope, Task, Verdict, Why};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PROFILE: Profile = Profile { broadcasts: 0, passive_conditions: 0, locks: 40, ..Profile::RECURSIVE };

/// Whether an error is found among the first states; stacks may grow for ever.
fn fails_early(program: &Program, bound: u32, most: usize) -> bool {
    let machine = Machine::new(program, Some(bound));
    let mut level: Vec<State> = machine.starts();
    let mut seen: HashSet<State> = HashSet::new();
    while !level.is_empty() && seen.len() < most {
        if level.iter().any(|state| machine.failure(state).is_some()) {
            return true;
        }
        let mut next = vec![];
        for state in level {
            for &thread in state.threads.keys() {
                let steps = machine.steps(&state, thread).into_iter().map(|(_, after)| after.canonical());
                next.extend(steps.filter(|after| seen.insert(after.clone())));
            }
        }
        level = next;
    }
    false
}

fn ask(program: &Program, threads: Bound, options: &[(&str, &str)]) -> Result<Verdict, ir::Reason> {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[Modular.settings()], name, value).expect("the option exists");
    }
    let model = Model::Program(Arc::new(program.clone()));
    let task = Task { model, property: Property::NoError, scope: Scope { threads, ..Scope::ANY } };
    Modular.accepts(&task)?;
    let (budget, facts) = (Budget::with_ticks(3_000_000), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Ok(Modular.run(&task, &mut cx).unwrap_or_else(|stop| Verdict::Unknown(Why::Stopped(stop))))
}

fn is_safe(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Safe { .. })
}

#[test]
fn never_proves_a_program_that_fails() {
    let threads = |states| [("modular.relation", "threads"), ("modular.states", states)];
    let (explicit, diagrams, narrow) = (threads("explicit"), threads("bdd"), [("modular.width", "2")]);
    let (mut failing, mut proved, mut refused) = (0, 0, 0);
    for seed in 0..3000 {
        let program = random::program(seed, &PROFILE);
        if program.recursive_procedure().is_none() {
            continue;
        }
        let fails = (1..=3).any(|bound| fails_early(&program, bound, 600));
        failing += usize::from(fails);
        let mut safe = 0;
        for options in [&explicit[..], &diagrams[..], &narrow[..]] {
            match ask(&program, Bound::Any, options) {
                Err(_) => refused += 1,
                Ok(verdict) => {
                    assert!(!fails || !is_safe(&verdict), "{options:?} misses an error of program {seed}");
                    safe += usize::from(is_safe(&verdict));
                }
            }
        }
        proved += usize::from(safe > 0);
    }
    assert!(failing > 80 && proved > 80, "{failing} failing, {proved} proved, {refused} refused");
}

/// Calls that are no recursion can be checked against brute force to the end.
#[test]
fn knows_every_error_of_programs_with_calls() {
    let profile = Profile { procedures: 100, recursion: 0, ..PROFILE };
    let (mut failing, mut safe, mut proved) = (0, 0, 0);
    for seed in 50_000..50_800 {
        let program = random::program(seed, &profile);
        let Ok(flat) = flatten(&program) else { continue };
        assert!(flat.is_flat() && flat.recursive_procedure().is_none());
        let reached: Option<Vec<_>> =
            (1..=2).map(|bound| Machine::new(&program, Some(bound)).reachable(400)).collect();
        let Some(reached) = reached else { continue };
        let machine = Machine::new(&program, Some(2));
        let fails = reached.iter().flatten().any(|state| machine.failure(state).is_some());
        let verdict = ask(&program, Bound::Any, &[("modular.width", "2")]).expect("it could be made flat");
        assert!(!fails || !is_safe(&verdict), "program {seed}");
        failing += usize::from(fails);
        safe += usize::from(!fails);
        proved += usize::from(is_safe(&verdict));
    }
    assert!(
        failing > 80 && safe > 80 && proved > safe / 4,
        "{failing} failing, {safe} safe, {proved} proved"
    );
}

fn read(text: &str) -> Program {
    read_as(text, &ReadOptions::default())
}

fn read_as(text: &str, options: &ReadOptions) -> Program {
    let mut map = SourceMap::default();
    let source = map.add("test".to_string(), text.to_string());
    read_program(&map, source, options).expect("a program").0
}

#[test]
fn refuses_what_would_be_fewer_runs() {
    let recursive = read(
        "decl g; void f() begin if * then f(); fi; g := 0; end void main() begin g := 0; f(); assert(!g); end",
    );
    assert!(ask(&recursive, Bound::AtMost(2), &[]).is_err(), "a bound refuses callees");
    assert!(is_safe(&ask(&recursive, Bound::Any, &[]).expect("accepted")));
    let inside = read(
        "decl g; void f() begin if * then f(); fi; g := 1; end
         void main() begin g := 0; atomic_begin; f(); atomic_end; assert(!g); end",
    );
    let reason = ask(&inside, Bound::Any, &[]).expect_err("the callee could never run");
    assert!(reason.message.contains("atomic section"), "{}", reason.message);
    let returns = read(
        "decl g; void f() begin if * then f(); fi; atomic_begin; end void main() begin f(); atomic_end; assert(!g); end",
    );
    assert!(ask(&returns, Bound::Any, &[]).is_err());
}

/// What is proved of tests/recursion; no program whose header says that it fails is among them.
#[test]
fn proves_most_of_the_safe_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recursion");
    let entries = std::fs::read_dir(folder).expect("the folder is part of the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut proved = vec![];
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let dialect = text.contains("// args: --dialect getafix").then_some(Dialect::Getafix);
        let program = read_as(&text, &ReadOptions { dialect, ..ReadOptions::default() });
        if program.recursive_procedure().is_none() {
            continue;
        }
        if ask(&program, Bound::Any, &[]).is_ok_and(|verdict| is_safe(&verdict)) {
            let name = file.file_stem().expect("a name").to_string_lossy().to_string();
            assert!(!text.contains("// expect: unsafe"), "{name} fails");
            proved.push(name);
        }
    }
    let expected = [
        "answers_in_turn",
        "carries_a_lock",
        "enforced_depth",
        "locals_survive_calls",
        "mutual_parity",
        "relocks_itself",
        "result_is_shared",
        "several_returns",
        "swap_results",
        "template_recursion_safe",
    ];
    assert_eq!(proved, expected);
}
