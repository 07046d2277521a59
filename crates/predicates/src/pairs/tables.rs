//! A closure as a proof: the states as rows of tables, and rows that differ in one column only made into one.

use crate::pairs::basis::Basis;
use crate::pairs::state::{Pair, Single, States};
use base::{Budget, Stop};
use c::Binary;
use relation::ControlId;
use relation::proof::{Column, Double, PairPredicate, Proof, Single as SingleTable, Table};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The proof that a closure is.
pub fn proof(basis: &Basis, states: &States, width: u8, budget: &Budget) -> Result<Proof, Stop> {
    let predicates = basis.shared.iter().chain(&basis.local).copied().collect();
    let mut by_control: BTreeMap<ControlId, Vec<Single>> = BTreeMap::new();
    for &single in &states.singles {
        by_control.entry(single.control).or_default().push(single);
    }
    let mut singles = vec![];
    for (control, list) in by_control {
        singles.push(SingleTable { control, table: single_table(basis, control, &list, budget)? });
    }
    let doubles = if width == 1 { None } else { Some(doubles(basis, states, budget)?) };
    Ok(Proof {
        exprs: basis.exprs.clone(),
        predicates,
        pairs: relations(basis),
        counts: basis.counts.clone(),
        singles,
        doubles,
        races: false,
    })
}

/// The relations of the proof: those of the basis, then the same with the threads exchanged. What has no
/// converse among the operators is said by its negation: `l(2) < r(1)` is not `r(1) <= l(2)`.
fn relations(basis: &Basis) -> Vec<PairPredicate> {
    let exchanged = basis.pairs.iter().map(|pair| PairPredicate {
        left: pair.right,
        compare: converse(pair.compare),
        right: pair.left,
    });
    basis.pairs.iter().copied().chain(exchanged).collect()
}

fn converse(compare: Binary) -> Binary {
    match compare {
        Binary::LtU => Binary::LeU,
        Binary::LtS => Binary::LeS,
        Binary::LeU => Binary::LtU,
        Binary::LeS => Binary::LtS,
        other => other,
    }
}

fn single_table(basis: &Basis, control: ControlId, list: &[Single], budget: &Budget) -> Result<Table, Stop> {
    let mut columns = Columns::default();
    columns.predicates(basis.shared_bits(), 0, Column::First);
    columns.predicates(basis.local_bits(control), basis.shared.len(), Column::First);
    let rows = list.iter().map(|single| {
        let mut row = vec![];
        push_bits(&mut row, basis.shared_bits(), single.shared);
        push_bits(&mut row, basis.local_bits(control), single.local);
        row
    });
    columns.table(rows.collect(), budget)
}

/// The states of two threads as tables.
pub fn doubles(basis: &Basis, states: &States, budget: &Budget) -> Result<Vec<Double>, Stop> {
    let mut by_control: BTreeMap<[ControlId; 2], Vec<Pair>> = BTreeMap::new();
    for (number, &pair) in states.pairs.iter().enumerate() {
        let twice = number % 2 == 1 && states.is_symmetric(number / 2);
        if pair.control[0] <= pair.control[1] && !twice {
            by_control.entry(pair.control).or_default().push(pair);
        }
    }
    let mut doubles = vec![];
    for ([first, second], list) in by_control {
        let table = pair_table(basis, [first, second], &list, budget)?;
        doubles.push(Double { first, second, table });
    }
    Ok(doubles)
}

fn pair_table(
    basis: &Basis,
    [first, second]: [ControlId; 2],
    list: &[Pair],
    budget: &Budget,
) -> Result<Table, Stop> {
    let mut columns = Columns::default();
    columns.predicates(basis.shared_bits(), 0, Column::First);
    columns.predicates(basis.local_bits(first), basis.shared.len(), Column::First);
    columns.predicates(basis.local_bits(second), basis.shared.len(), Column::Second);
    let bits = basis.pair_bits(first, second);
    for at in (0..64).filter(|at| bits >> at & 1 == 1) {
        columns.list.push(Column::Pair(at / 2 + if at % 2 == 1 { basis.pairs.len() } else { 0 }));
    }
    let negated = (0..64)
        .filter(|at| bits >> at & 1 == 1)
        .map(|at| at % 2 == 1 && basis.pairs[at / 2].compare != Binary::Eq);
    let negated: Vec<bool> = negated.collect();
    let rows = list.iter().map(|pair| {
        let mut row = vec![];
        push_bits(&mut row, basis.shared_bits(), pair.shared);
        push_bits(&mut row, basis.local_bits(first), pair.local[0]);
        push_bits(&mut row, basis.local_bits(second), pair.local[1]);
        let start = row.len();
        push_bits(&mut row, bits, pair.relations);
        for (cell, &negate) in row[start..].iter_mut().zip(&negated) {
            *cell = cell.map(|value| value != negate);
        }
        row
    });
    columns.table(rows.collect(), budget)
}

fn push_bits(row: &mut Vec<Option<bool>>, bits: u64, values: u64) {
    row.extend((0..64).filter(|at| bits >> at & 1 == 1).map(|at| Some(values >> at & 1 == 1)));
}

type TableRow = Vec<Option<bool>>;

#[derive(Default)]
struct Columns {
    list: Vec<Column>,
}

impl Columns {
    fn predicates(&mut self, bits: u64, offset: usize, column: fn(usize) -> Column) {
        self.list.extend((0..64).filter(|at| bits >> at & 1 == 1).map(|at| column(offset + at)));
    }

    /// The table with these rows, in fewer rows where that is easy; columns that no row cares about are left
    /// out.
    fn table(self, rows: Vec<TableRow>, budget: &Budget) -> Result<Table, Stop> {
        let rows = merge(rows, self.list.len(), budget)?;
        let cares = |at: usize| rows.iter().any(|row| row[at].is_some());
        let kept: Vec<usize> = (0..self.list.len()).filter(|&at| cares(at)).collect();
        let pick = |row: &TableRow| kept.iter().map(|&at| row[at]).collect();
        Ok(Table {
            columns: kept.iter().map(|&at| self.list[at]).collect(),
            rows: rows.iter().map(pick).collect(),
        })
    }
}

/// Two rows that differ in one column only, where they have both values, become one; column by column, so
/// that the rows that are left stand for exactly the same states.
fn merge(mut rows: Vec<TableRow>, columns: usize, budget: &Budget) -> Result<Vec<TableRow>, Stop> {
    for column in 0..columns {
        budget.spend(rows.len() as u64)?;
        let mut index: FxHashMap<TableRow, usize> = FxHashMap::default();
        let mut kept: Vec<TableRow> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut other = row.clone();
            other[column] = row[column].map(|value| !value);
            if row[column].is_some()
                && let Some(&at) = index.get(&other)
            {
                kept[at][column] = None;
                continue;
            }
            index.insert(row.clone(), kept.len());
            kept.push(row);
        }
        rows = kept;
    }
    rows.sort();
    rows.dedup();
    Ok(rows)
}
