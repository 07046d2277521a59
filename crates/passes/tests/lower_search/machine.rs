//! Brute force over the C machine.

use c::{Machine, Options, Program, Refusal, State};
use std::collections::HashSet;

/// The most states that are looked at.
pub const MOST: usize = 60_000;

/// Whether the C machine reaches an error; `numbers` are those that a step may choose among.
pub fn fails(program: &Program, rules: Options, numbers: &[u128]) -> bool {
    let machine = Machine::new(program, rules);
    let start = machine.start().canonical(program);
    let (mut seen, mut work): (HashSet<State>, _) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = work.pop() {
        assert!(seen.len() < MOST, "the test program is too large for brute force");
        for step in machine.candidates(&state, numbers) {
            match machine.apply(&state, &step) {
                Ok(after) => {
                    let after = after.canonical(program);
                    if seen.insert(after.clone()) {
                        work.push(after);
                    }
                }
                Err(Refusal::Fails(_)) => return true,
                Err(Refusal::Unsupported(why)) => panic!("{why}"),
                Err(_) => {}
            }
        }
    }
    false
}
