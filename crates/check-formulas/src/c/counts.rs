//! Variables that count threads ([`relation::proof::Count`]): that a shared variable is, as a number without
//! a sign, at least the number of threads at some control locations is part of the invariant. It holds at the
//! start, each command keeps it, and of the two or three threads that a question is about it says that the
//! variable is at least how many of them are counted. That no thread is left where a counter is 0 cannot be
//! said by tables of two threads: a thread that counts down must know how many others there are.

use super::bit_vectors::{self, number};
use super::frames::{Frames, Moment, Reading, Who, Word};
use super::obligations::Claim;
use crate::proof::Lit;
use ::c::{Binary, Type};
use base::Budget;
use check::{Refused, Rejected, reject};
use relation::proof::{Count, Proof};
use relation::{Command, ControlId, Home, Outcome, Relation};

/// The fewest bits of a counter: more threads than a question has fit into it.
const LEAST_BITS: u8 = 4;

/// Whether the counters are shared numbers, and their control locations there, in order.
pub fn validate(relation: &Relation, proof: &Proof, budget: &Budget) -> Result<(), Refused> {
    for Count { variable, controls } in &proof.counts {
        budget.spend(1 + controls.len() as u64)?;
        let is_counter = relation.variables.get(*variable).is_some_and(|it| {
            it.home == Home::Shared && matches!(it.ty, Type::Bits(bits) if bits >= LEAST_BITS)
        });
        if !is_counter {
            return Ok(reject("what counts threads is no shared number")?);
        }
        let are_there = controls.iter().all(|&it| relation.controls.get(it).is_some());
        if !are_there || controls.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Ok(reject("the control locations of counted threads are not in order")?);
        }
    }
    Ok(())
}

/// Whether the first thread is counted at the start.
pub fn start(relation: &Relation, proof: &Proof) -> Result<(), Rejected> {
    let holds = |it: &Count| {
        let initial = relation.variables[it.variable].initial.unwrap_or(0);
        initial >= u128::from(it.among(&[relation.start]))
    };
    match proof.counts.iter().all(holds) {
        true => Ok(()),
        false => reject("the first thread is not counted at the start"),
    }
}

impl Claim<'_> {
    /// That before the command each counter is at least the number of those that it counts among threads that
    /// stand here.
    pub fn counted(&self, frames: &mut Frames<'_, '_>, places: &[ControlId]) -> Result<Lit, Refused> {
        let mut all = vec![];
        for count in &self.proof.counts {
            let value = value(frames, count, Moment::Before)?;
            let least: Word = number(u128::from(count.among(places)), value.len() as u8).into();
            all.push(at_most(frames, &least, &value)?);
        }
        Ok(frames.all(&all))
    }

    /// That after a command each counter counts as many threads more as there are.
    pub fn counts_on(&self, frames: &mut Frames<'_, '_>, command: &Command) -> Result<Lit, Refused> {
        let mut after = vec![];
        if let Outcome::Go(to) = command.outcome {
            after.push(to);
        }
        after.extend(command.creates.as_ref().map(|it| it.entry));
        let mut all = vec![];
        for count in &self.proof.counts {
            let [old, new] = [Moment::Before, Moment::After].map(|it| value(frames, count, it));
            let more = plus(frames, old?, count.among(&after))?;
            let less = plus(frames, new?, count.among(&[command.from]))?;
            all.push(at_most(frames, &more, &less)?);
        }
        Ok(frames.all(&all))
    }
}

fn value(frames: &mut Frames<'_, '_>, count: &Count, moment: Moment) -> Result<Word, Refused> {
    frames.variable(count.variable, Reading { moment, who: Who::Active })
}

/// The sum with a small number, with as many more bits as it takes.
fn plus(frames: &mut Frames<'_, '_>, value: Word, add: u8) -> Result<Word, Refused> {
    let wide: Vec<Lit> = value.iter().copied().chain([Lit::FALSE; 2]).collect();
    let add = number(u128::from(add), wide.len() as u8);
    match bit_vectors::binary(&mut frames.cnf, Binary::Add, &wide, &add) {
        Some(sum) => Ok(sum.into()),
        None => Ok(reject("a counter is no number")?),
    }
}

fn at_most(frames: &mut Frames<'_, '_>, a: &Word, b: &Word) -> Result<Lit, Refused> {
    match bit_vectors::binary(&mut frames.cnf, Binary::LeU, a, b) {
        Some(word) => Ok(word[0]),
        None => Ok(reject("a counter is no number")?),
    }
}
