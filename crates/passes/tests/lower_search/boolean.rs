//! Brute force over a Boolean program.

use ir::bp::{Machine, Program, State, Step};
use ir::trace::ProgramTrace;
use std::collections::HashSet;

/// A shortest run into an error; `Err` if there are too many states.
pub fn search(program: &Program, threads: u32, most: usize) -> Result<Option<ProgramTrace>, ()> {
    let machine = Machine::new(program, Some(threads));
    let mut nodes: Vec<(State, Option<(usize, Step)>)> =
        machine.starts().into_iter().map(|state| (state, None)).collect();
    let mut seen: HashSet<State> = nodes.iter().map(|node| node.0.canonical()).collect();
    let mut next = 0;
    while next < nodes.len() {
        if nodes.len() > most {
            return Err(());
        }
        let state = nodes[next].0.clone();
        if let Some(failure) = machine.failure(&state) {
            let (mut steps, mut at) = (vec![], next);
            while let Some((before, step)) = nodes[at].1.clone() {
                steps.push(step);
                at = before;
            }
            steps.reverse();
            return Ok(Some(ProgramTrace { start: nodes[at].0.clone(), steps, failure }));
        }
        for &thread in state.threads.keys() {
            for (step, after) in machine.steps(&state, thread) {
                if seen.insert(after.canonical()) {
                    nodes.push((after, Some((next, step))));
                }
            }
        }
        next += 1;
    }
    Ok(None)
}
