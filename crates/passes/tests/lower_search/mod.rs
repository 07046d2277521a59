//! Brute force over a Boolean program that stands for a C program.

mod boolean;

use boolean::search;
use c::Program;
use ir::bp::Op;
use passes::lower::{Lowered, NotLifted};

/// What the exact way says.
#[derive(Debug)]
pub enum Answer {
    Safe,
    /// With a trace that the C machine took.
    Unsafe,
    /// The Boolean run is spurious.
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
    match search(&lowered.program, threads, most) {
        Err(()) => Answer::Large,
        Ok(None) => Answer::Safe,
        Ok(Some(trace)) => match lowered.trace(program, &trace) {
            Ok(_) => Answer::Unsafe,
            Err(NotLifted::Unsupported(_)) => Answer::Unknown,
            Err(NotLifted::Spurious(why) | NotLifted::Broken(why)) => Answer::Spurious(why),
        },
    }
}
