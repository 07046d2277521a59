//! What the tests of the whole path share. Each test binary uses a part of it.
#![allow(dead_code)]

pub mod basis;
pub mod classes;
pub mod meaning;

use base::{Budget, NoEvents, Settings};
use engines::{Cx, Engine, Facts};
use ir::bp::{Count, Machine};
use ir::{Certificate, Model, Program, Scope, Task, Verdict};
use passes::{Guided, Prepared};
use std::sync::Arc;
use verify::{Outcome, judge};

/// Whether some state with at most `bound` threads fails; `None` if there are more than `most` states.
pub fn fails(program: &Program, bound: u32, most: usize) -> Option<bool> {
    let machine = Machine::new(program, Some(bound));
    let states = machine.reachable(most)?;
    Some(states.iter().any(|state| machine.failure(state).is_some()))
}

/// The fewest threads that the program starts with, after `init` if there is one.
pub fn starts_with(program: &Program) -> u32 {
    let templates = program.start().templates.iter();
    templates
        .map(|it| match it.count {
            Count::Exactly(n) | Count::AtLeast(n) => n,
        })
        .sum()
}

/// The question whether any number of threads is safe.
pub fn any_number(model: Model) -> Task {
    Task::new(model, Scope::ANY)
}

/// The proof of an engine that works on the model as it is, with these options; none if it refuses the model
/// or proves nothing.
pub fn proof(engine: &dyn Engine, options: &[(&str, &str)], task: &Task) -> Option<Certificate> {
    engine.accepts(task).ok()?;
    let (budget, facts, mut settings) = (Budget::unlimited(), Facts::default(), Settings::default());
    for (name, value) in options {
        settings.set(&[engine.settings()], name, value).expect("the option exists");
    }
    let mut cx = Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings: &settings, seed: 0 };
    match engine.run(task, &mut cx) {
        Ok(Verdict::Safe { certificate, .. }) => Some(certificate.expect("small proofs have certificates")),
        _ => None,
    }
}

/// Sorted numbers with how many there are of each.
pub fn counted(numbers: impl IntoIterator<Item = usize>) -> Vec<(usize, u32)> {
    let mut counted: Vec<(usize, u32)> = vec![];
    for number in numbers {
        match counted.last_mut() {
            Some(last) if last.0 == number => last.1 += 1,
            _ => counted.push((number, 1)),
        }
    }
    counted
}

/// All parts of a list, the list itself and the empty one included.
pub fn parts(list: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let part = |mask: u32| (0..list.len()).filter(move |at| mask >> at & 1 == 1).map(|at| list[at]);
    (0..1u32 << list.len()).map(move |mask| part(mask).collect())
}

/// What the whole path says about a program: prepare, run, lift, confirm. `None` if the engine refuses the
/// program or stops.
pub fn decide(engine: &dyn Engine, task: &Task, settings: &Settings, ticks: u64) -> Option<Outcome> {
    let Model::Program(program) = &task.model else { unreachable!("only programs are decided here") };
    let prepared = passes::prepare(program, settings, &Budget::unlimited(), &mut NoEvents);
    let Prepared { program, lift } = prepared.expect("nothing stops it");
    let prepared = Task { model: Model::Program(Arc::new(program)), ..task.clone() };
    run(engine, task, &prepared, Some(&lift), settings, ticks)
}

/// What an engine says about a prepared task, lifted and confirmed.
pub fn run(
    engine: &dyn Engine,
    task: &Task,
    prepared: &Task,
    lift: Option<&Guided>,
    settings: &Settings,
    ticks: u64,
) -> Option<Outcome> {
    let budget = Budget::with_ticks(ticks);
    engine.accepts(prepared).ok()?;
    let facts = Facts::default();
    let mut cx = Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings, seed: 1 };
    let verdict = engine.run(prepared, &mut cx).ok()?;
    // Confirming gets a budget of its own: it must not depend on what the engine has left over.
    Some(judge(task, lift, verdict, &Budget::unlimited(), |_| {}).outcome)
}
