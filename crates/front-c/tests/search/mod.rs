//! A brute-force search over the machine of normalised C, for small programs: the truth that translations are
//! compared with.

#![allow(dead_code)]

use std::collections::HashSet;

use ::c::{FailureKind, Loc, Machine, Op, Options as Rules, Program, Refusal, State};
use base::{Budget, SourceMap};
use front_c::{
    Failure, Options, Preprocessor, Problem, Source, TranslateOptions, Translation, read, translate,
};

/// Reads and translates a C text.
pub fn translated(
    name: &str,
    text: &str,
    defines: &[String],
    options: &TranslateOptions,
) -> Result<(Translation, SourceMap), String> {
    let preprocessor = Preprocessor { defines: defines.to_vec(), ..Preprocessor::default() };
    let units = vec![Source { name: name.into(), text: text.into() }];
    let mut map = SourceMap::new();
    let read_options = Options { units, model: None, preprocessor };
    let reading = read(&read_options, &mut map, &Budget::unlimited()).map_err(|failure| match failure {
        Failure::Diagnostics(found) => {
            found.iter().map(|it| format!("{}: {}\n", it.code, it.message)).collect()
        }
        Failure::Stopped(stop) => stop.to_string(),
    })?;
    match translate(&reading.program, options, &Budget::with_ticks(50_000_000)) {
        Ok(translation) => Ok((translation, map)),
        Err(Problem::Stop(stop)) => Err(stop.to_string()),
        Err(Problem::Wrong(found)) => {
            Err(found.into_sorted().iter().map(|it| format!("{}: {}\n", it.code, it.message)).collect())
        }
    }
}

/// What a search saw.
#[derive(Debug, Default)]
pub struct Found {
    /// The location of an error.
    pub error: Option<Loc>,
    /// Why a step that was reached is not known.
    pub unsupported: Option<(String, Loc)>,
    /// Whether there were more states than looked at.
    pub cut: bool,
    /// How many states there were.
    pub states: usize,
}

/// Looks at all states up to a number, with at most this many threads alive.
pub fn search(program: &Program, threads: u32, most: usize) -> Found {
    let rules = Rules { threads: Some(threads), ..Rules::default() };
    let machine = Machine::new(program, rules);
    let numbers = numbers(program);
    let mut found = Found::default();
    let start = machine.start().canonical(program);
    let mut seen: HashSet<State> = HashSet::from([start.clone()]);
    let mut work = vec![start];
    while let Some(state) = work.pop() {
        if seen.len() > most {
            found.cut = true;
            break;
        }
        let after = successors(&machine, &state, &numbers, &mut found, &seen);
        if found.error.is_some() {
            break;
        }
        for next in after {
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    found.states = seen.len();
    found
}

/// The states after one step. A step that touches only its own thread need not be interleaved with others,
/// unless it leads back.
fn successors(
    machine: &Machine<'_>,
    state: &State,
    numbers: &[u128],
    found: &mut Found,
    seen: &HashSet<State>,
) -> Vec<State> {
    let program = machine.program();
    let mut all = vec![];
    for (step, needs) in machine.enabled(state) {
        let others = state.threads.keys().copied().filter(|&id| id != step.thread);
        let mut own = vec![];
        for choice in needs.choices(numbers, others, state.memory.freed()) {
            match machine.apply(state, &::c::Step { choice, ..step }) {
                Ok(after) => own.push(after.canonical(program)),
                Err(Refusal::Fails(FailureKind::Property(_))) => found.error = Some(step.at),
                Err(Refusal::Unsupported(why)) => found.unsupported = Some((why, step.at)),
                Err(_) => {}
            }
        }
        if is_local(program, step.at) && !own.is_empty() && own.iter().all(|after| !seen.contains(after)) {
            return own;
        }
        all.extend(own);
    }
    all
}

fn is_local(program: &Program, at: Loc) -> bool {
    let location = program.at(at);
    location.private
        || matches!(
            location.op,
            Op::Assign { .. } | Op::Branch { .. } | Op::Skip | Op::Choose { .. } | Op::Assume(_)
        )
}

/// Numbers worth choosing: small ones, and the constants of the program with their neighbours.
fn numbers(program: &Program) -> Vec<u128> {
    let mut numbers: Vec<u128> = vec![0, 1, 2, u128::MAX];
    for id in program.exprs().ids() {
        if let Some(value) = program.exprs().constant(id)
            && value < 1 << 64
        {
            numbers.extend([value, value + 1, value.wrapping_sub(1)]);
        }
    }
    numbers.sort();
    numbers.dedup();
    numbers.truncate(24);
    numbers.extend([1 << 7, 1 << 31, u128::MAX]);
    numbers
}
