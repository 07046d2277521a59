//! Every operation against truth tables of six variables, packed into one word: bit i is the value under the
//! assignment whose variable at level l is bit l of i.

mod operations;
mod resources;
mod splitting;

use super::{Bdd, Level, Manager};
use crate::random::Random;
use base::Budget;

const VARS: u32 = 6;

/// The table of the variable at a level.
fn column(level: Level) -> u64 {
    (0..64u64).filter(|row| row >> level & 1 == 1).fold(0, |table, row| table | 1 << row)
}

/// A random table: sometimes dense, sometimes a few literals, so that small and constant functions occur too.
fn random_table(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.word(),
        1 => random.word() & random.word() & random.word(),
        _ => (0..1 + random.below(5)).fold(0, |table, _| {
            let column = column(random.below(6) as Level) ^ if random.flag() { u64::MAX } else { 0 };
            match random.below(3) {
                0 => table & column,
                1 => table | column,
                _ => table ^ column,
            }
        }),
    }
}

/// The function of a table, by Shannon expansion from the last level up.
fn build(manager: &mut Manager, table: u64) -> Bdd {
    fn from(manager: &mut Manager, table: u64, level: Level, row: u64) -> Bdd {
        if level == VARS {
            return Bdd::constant(table >> row & 1 == 1);
        }
        let low = from(manager, table, level + 1, row);
        let high = from(manager, table, level + 1, row | 1 << level);
        manager.make(level, low, high).expect("the limit is far away")
    }
    from(manager, table, 0, 0)
}

fn table(manager: &Manager, f: Bdd) -> u64 {
    (0..64u64).fold(0, |table, row| table | u64::from(manager.eval(f, |level| row >> level & 1 == 1)) << row)
}

/// The table with a variable fixed.
fn fixed(table: u64, level: Level, value: bool) -> u64 {
    (0..64u64).fold(0, |result, row| {
        let row_there = if value { row | 1 << level } else { row & !(1 << level) };
        result | (table >> row_there & 1) << row
    })
}

fn random_levels(random: &mut Random) -> Vec<Level> {
    (0..VARS).filter(|_| random.below(3) == 0).collect()
}

fn free() -> Budget {
    Budget::unlimited()
}
