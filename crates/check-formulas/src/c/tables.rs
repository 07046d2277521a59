//! The tables of a proof: by control location, with the shared variables they read, and as formulas about the
//! threads of a command.

use super::bit_vectors;
use super::frames::{Frames, Moment, Reading, Who};
use super::validate::Reads;
use crate::proof::Lit;
use ::c::LocalId;
use check::{Refused, reject};
use relation::proof::{Column, Proof, Table};
use relation::{ControlId, Home, Relation};
use std::collections::BTreeMap;

/// The tables by where threads stand.
pub struct Tables<'a> {
    proof: &'a Proof,
    pub singles: BTreeMap<ControlId, Entry<'a>>,
    /// By the smaller and the larger control location; `None` if the proof says nothing about two threads.
    pub doubles: Option<BTreeMap<(ControlId, ControlId), Entry<'a>>>,
}

/// A table and what it depends on.
pub struct Entry<'a> {
    table: &'a Table,
    /// The shared variables that it reads, in order.
    shared: Vec<LocalId>,
}

impl Entry<'_> {
    /// Whether it reads one of these shared variables.
    pub fn reads(&self, written: &[LocalId]) -> bool {
        written.iter().any(|variable| self.shared.binary_search(variable).is_ok())
    }
}

/// A thread and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    pub who: Who,
    pub control: ControlId,
}

impl<'a> Tables<'a> {
    pub fn new(relation: &Relation, proof: &'a Proof, reads: &Reads) -> Self {
        let entry = |table: &'a Table| Entry { table, shared: shared(relation, reads, table) };
        Self {
            proof,
            singles: proof.singles.iter().map(|it| (it.control, entry(&it.table))).collect(),
            doubles: proof
                .doubles
                .as_ref()
                .map(|doubles| doubles.iter().map(|it| ((it.first, it.second), entry(&it.table))).collect()),
        }
    }

    /// The table of two control locations in either order; `None` if nobody stands so.
    pub fn double(&self, one: ControlId, other: ControlId) -> Option<&Entry<'a>> {
        self.doubles.as_ref()?.get(&(one.min(other), one.max(other)))
    }

    /// Whether two threads may stand at these control locations as far as the proof says.
    pub fn may_meet(&self, one: ControlId, other: ControlId) -> bool {
        self.doubles.is_none() || self.double(one, other).is_some()
    }

    /// That the thread is in a state of the table of its control location.
    pub fn alone(&self, frames: &mut Frames<'_, '_>, moment: Moment, stand: Stand) -> Result<Lit, Refused> {
        match self.singles.get(&stand.control) {
            Some(entry) => self.rows(frames, entry.table, [Reading { moment, who: stand.who }; 2]),
            None => Ok(Lit::FALSE),
        }
    }

    /// That two threads are in a state of the table of their control locations, in both orders if these are
    /// the same; true if the proof says nothing about two threads.
    pub fn together(
        &self,
        frames: &mut Frames<'_, '_>,
        moment: Moment,
        stands: [Stand; 2],
    ) -> Result<Lit, Refused> {
        if self.doubles.is_none() {
            return Ok(Lit::TRUE);
        }
        let [one, other] = stands;
        let Some(entry) = self.double(one.control, other.control) else { return Ok(Lit::FALSE) };
        let [first, second] = if one.control <= other.control { [one, other] } else { [other, one] };
        let readings = [first, second].map(|it| Reading { moment, who: it.who });
        let there = self.rows(frames, entry.table, readings)?;
        if first.control != second.control {
            return Ok(there);
        }
        let back = self.rows(frames, entry.table, [readings[1], readings[0]])?;
        Ok(frames.all(&[there, back]))
    }

    /// That a row matches, for a first and a second thread.
    fn rows(
        &self,
        frames: &mut Frames<'_, '_>,
        table: &Table,
        readings: [Reading; 2],
    ) -> Result<Lit, Refused> {
        let columns: Result<Vec<Lit>, Refused> =
            table.columns.iter().map(|&column| self.column(frames, column, readings)).collect();
        let columns = columns?;
        let mut matches = Vec::with_capacity(table.rows.len());
        for row in &table.rows {
            frames.cnf.budget.spend(1 + row.len() as u64 / 8)?;
            let lits: Vec<Lit> = columns
                .iter()
                .zip(row)
                .filter_map(|(&lit, value)| value.map(|value| if value { lit } else { !lit }))
                .collect();
            matches.push(frames.all(&lits));
        }
        Ok(frames.any(&matches))
    }

    fn column(
        &self,
        frames: &mut Frames<'_, '_>,
        column: Column,
        readings: [Reading; 2],
    ) -> Result<Lit, Refused> {
        match column {
            Column::First(index) => frames.truth(self.proof.predicates[index], readings[0]),
            Column::Second(index) => frames.truth(self.proof.predicates[index], readings[1]),
            Column::Pair(index) => {
                let pair = self.proof.pairs[index];
                let left = frames.value(pair.left, readings[0])?;
                let right = frames.value(pair.right, readings[1])?;
                match bit_vectors::binary(&mut frames.cnf, pair.compare, &left, &right) {
                    Some(word) => Ok(word[0]),
                    None => Ok(reject("a pair predicate compares floats")?),
                }
            }
        }
    }
}

/// The shared variables that a table reads, in order.
fn shared(relation: &Relation, reads: &Reads, table: &Table) -> Vec<LocalId> {
    let mut all: Vec<LocalId> = vec![];
    for &column in &table.columns {
        match column {
            Column::First(index) | Column::Second(index) => all.extend(&reads.predicates[index]),
            Column::Pair(index) => all.extend(reads.left[index].iter().chain(&reads.right[index])),
        }
    }
    all.retain(|&it| relation.variables[it].home == Home::Shared);
    all.sort();
    all.dedup();
    all
}
