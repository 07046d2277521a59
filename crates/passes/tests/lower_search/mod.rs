//! Brute force over a Boolean program that stands for a C program.

use ir::bp::{Machine, Op, State, Step};
use ir::c::Program;
use ir::trace::ProgramTrace;
use passes::lower::{Lowered, NotLifted};
use std::collections::HashSet;

/// What the exact way says.
#[derive(Debug)]
pub enum Answer {
    Safe,
    /// With a trace that the C machine took.
    Unsafe,
    /// The Boolean run is none of the C program.
    Spurious(String),
    /// A step whose meaning is not known is reached.
    Unknown,
    /// There are too many states, or too many choices in a step.
    Large,
}

/// Numbers with more bits are not chosen by brute force.
const CHOICES: usize = 10;

pub fn answer(lowered: &Lowered, program: &Program, threads: u32, most: usize) -> Answer {
    let exprs = lowered.program.exprs();
    let wide = lowered.program.locations().iter().any(|location| match &location.op {
        Op::Assign { targets, .. } => targets.iter().filter(|it| exprs.has_choice(it.1)).count() > CHOICES,
        _ => false,
    });
    if wide {
        return Answer::Large;
    }
    match search(lowered, threads, most) {
        Err(()) => Answer::Large,
        Ok(None) => Answer::Safe,
        Ok(Some(trace)) => match lowered.trace(program, &trace) {
            Ok(_) => Answer::Unsafe,
            Err(NotLifted::Unsupported(_)) => Answer::Unknown,
            Err(NotLifted::Spurious(why) | NotLifted::Broken(why)) => Answer::Spurious(why),
        },
    }
}

/// A shortest run into an error; `Err` if there are too many states.
fn search(lowered: &Lowered, threads: u32, most: usize) -> Result<Option<ProgramTrace>, ()> {
    let machine = Machine::new(&lowered.program, Some(threads));
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
