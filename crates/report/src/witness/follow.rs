//! Follows a violation witness on the machine: looks for a run that comes by its waypoints and ends in its
//! target. The run is evidence of its own, which is replayed like any other: nothing is taken from the
//! witness but advice.
//!
//! The search is best-first: a step that the witness suggests costs nothing, every other one a little, so
//! that a run that differs from what the witness says in few steps, because it cannot say more, is found
//! early. Steps that nobody else notices and that are on no waypoint are taken alone.

mod matching;
mod nodes;

use super::places::Texts;
use super::read::ViolationWitness;
use ::c::{Exprs, Machine, Trace};
use base::budget::StopHandle;
use base::{SourceMap, Stop};
use ir::c::Model;
use matching::Guide;
use nodes::{Found, Search};

/// What came of following a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Followed {
    /// A run that does.
    Run(Trace),
    /// No run does, or no run was found with the numbers that were tried.
    Refused(String),
    /// Nobody knows.
    Unknown(String),
    /// The search was stopped.
    Stopped(Stop),
}

/// This many states are looked at.
const NODES: usize = 200_000;

/// This many numbers are tried where the witness does not say which one is chosen.
const NUMBERS: usize = 24;

/// Looks for a run of the program that follows a witness, with at most this many threads.
pub fn follow(
    witness: &ViolationWitness,
    sources: &SourceMap,
    model: &Model,
    threads: Option<u32>,
    stop: &StopHandle,
) -> Followed {
    let machine = Machine::new(&model.program, model.options(threads));
    let texts = Texts::new(sources, &model.program);
    let guide = match Guide::new(witness, &texts, &machine, model.file) {
        Ok(guide) => guide,
        Err(why) => return Followed::Refused(why),
    };
    let search =
        Search { guide: &guide, machine: &machine, numbers: numbers(witness, model), stop, most: NODES };
    match search.run() {
        Found::Run(steps) => match verify::c::trace_of(model, threads, &steps) {
            Ok(trace) => Followed::Run(trace),
            Err(why) => Followed::Unknown(format!("the run that was found is not one of the program: {why}")),
        },
        Found::Nothing { tried, furthest } => {
            let of = witness.segments.len();
            let values = if tried { ", with the values that were tried for what it leaves open" } else { "" };
            let names = guide.unknown_names();
            let names = if names.is_empty() { names } else { format!("; {names}") };
            Followed::Refused(format!(
                "no run of the program follows the witness{values}: none passes more than {furthest} of its {of} segments{names}"
            ))
        }
        Found::TooMany { furthest } => Followed::Unknown(format!(
            "{NODES} states were looked at, and no run passed more than {furthest} of the {} segments",
            witness.segments.len()
        )),
        Found::Stopped(stop) => Followed::Stopped(stop),
    }
}

/// The numbers that are tried: those of the witness, and those of the program with their neighbours.
fn numbers(witness: &ViolationWitness, model: &Model) -> Vec<u128> {
    let exprs: &Exprs = model.program.exprs();
    let constants: Vec<u128> = exprs.ids().filter_map(|it| exprs.constant(it)).collect();
    let near = constants.iter().flat_map(|&it| [it, it.wrapping_add(1), it.wrapping_sub(1)]);
    let stated = witness.numbers().into_iter().map(|it| it as u128);
    let mut numbers: Vec<u128> = vec![];
    for number in stated.chain([0, 1]).chain(near) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers.truncate(NUMBERS);
    numbers
}
