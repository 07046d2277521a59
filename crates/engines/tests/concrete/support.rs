//! What the tests of the concrete way share: reading programs, running the engine, and brute force over the
//! reference semantics.
#![allow(dead_code, reason = "each test binary uses a part")]

use base::{Budget, NoEvents, Settings, SourceMap};
use c::{Machine, Options, Program, Refusal};
use engines::concrete::{self, Outcome, Request};
use std::collections::{HashSet, VecDeque};

/// Reads a program in text form.
pub fn read(text: &str) -> Program {
    let file = SourceMap::new().add("test.cir", text);
    c::text::parse(text, file).unwrap_or_else(|found| panic!("{text}\n{:?}", found.into_sorted()))
}

/// Runs the engine.
pub fn run(program: &Program, machine: Options, switches: &[(&str, &str)]) -> Outcome {
    run_within(program, machine, switches, u64::MAX)
}

/// Runs the engine with this many ticks.
pub fn run_within(program: &Program, machine: Options, switches: &[(&str, &str)], ticks: u64) -> Outcome {
    let mut settings = Settings::default();
    for (name, value) in switches {
        settings.set(&[concrete::SETTINGS], name, value).expect("the option exists");
    }
    let request = Request { program, machine, settings: &settings, tolerated: None };
    concrete::search(request, &Budget::with_ticks(ticks), &mut NoEvents)
}

/// What brute force says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    Unsafe,
    Safe,
    /// Something unsupported was reached, and no error.
    Unsupported,
    /// There are too many states.
    TooMany,
}

/// All states of a program, up to names, the numbers of choices taken from `numbers`.
pub fn brute(program: &Program, options: Options, numbers: &[u128], most: usize) -> Truth {
    let machine = Machine::new(program, options);
    let start = machine.start().canonical(program);
    let mut seen = HashSet::from([start.clone()]);
    let mut work = VecDeque::from([start]);
    let mut unsupported = false;
    while let Some(state) = work.pop_front() {
        for step in machine.candidates(&state, numbers) {
            match machine.apply(&state, &step) {
                // What nothing leads to is dropped below.
                Ok(after) if machine.leak(&after).is_some() => return Truth::Unsafe,
                Ok(after) => {
                    let after = after.canonical(program);
                    if seen.insert(after.clone()) {
                        work.push_back(after);
                    }
                }
                Err(Refusal::Fails(_)) => return Truth::Unsafe,
                Err(Refusal::Unsupported(_)) => unsupported = true,
                Err(_) => {}
            }
        }
        if seen.len() > most {
            return Truth::TooMany;
        }
    }
    if unsupported { Truth::Unsupported } else { Truth::Safe }
}
