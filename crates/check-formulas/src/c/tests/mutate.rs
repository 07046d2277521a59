//! Proofs with something changed.

use ::c::{Binary, ExprId, Node};
use base::Random;
use relation::proof::{Column, Proof, Table};

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Predicate,
    Row,
    Column,
    Table,
}

pub const KINDS: [Kind; 4] = [Kind::Predicate, Kind::Row, Kind::Column, Kind::Table];

/// Another proof, which may be none.
pub fn mutate(proof: &Proof, kind: Kind, random: &mut Random) -> Proof {
    let mut proof = proof.clone();
    match kind {
        Kind::Predicate => predicate(&mut proof, random),
        Kind::Table => tables(&mut proof, random),
        Kind::Row => {
            if let Some(table) = pick(&mut proof, random) {
                row(table, random);
            }
        }
        Kind::Column => {
            let predicates = proof.predicates.len().max(1);
            if let Some(table) = pick(&mut proof, random) {
                column(table, predicates, random);
            }
        }
    }
    proof
}

fn pick<'a>(proof: &'a mut Proof, random: &mut Random) -> Option<&'a mut Table> {
    let singles = proof.singles.iter_mut().map(|it| &mut it.table);
    let doubles = proof.doubles.iter_mut().flatten().map(|it| &mut it.table);
    let mut all: Vec<&mut Table> = singles.chain(doubles).filter(|it| !it.columns.is_empty()).collect();
    let at = random.below(all.len());
    (!all.is_empty()).then(|| all.swap_remove(at))
}

fn predicate(proof: &mut Proof, random: &mut Random) {
    if !proof.pairs.is_empty() && random.percent(30) {
        let at = random.below(proof.pairs.len());
        proof.pairs[at].compare = *random.pick(&[Binary::Eq, Binary::LtU, Binary::LeU, Binary::LeS]);
        return;
    }
    let at = random.below(proof.predicates.len());
    let old = proof.predicates[at];
    proof.predicates[at] = match random.below(4) {
        0 => proof.exprs.not(old),
        1 => *random.pick(&proof.predicates),
        2 => {
            let other = *random.pick(&proof.predicates);
            let op = *random.pick(&[Binary::And, Binary::Or, Binary::Xor]);
            proof.exprs.binary(op, old, other)
        }
        _ => changed(proof, old, random),
    };
}

/// The same comparison with another operator or number.
fn changed(proof: &mut Proof, old: ExprId, random: &mut Random) -> ExprId {
    let Node::Binary(op, a, b) = proof.exprs.node(old) else { return proof.exprs.not(old) };
    if let Node::Const(ty, value) = proof.exprs.node(b)
        && random.percent(50)
    {
        let number = proof.exprs.number(ty, value.wrapping_add(*random.pick(&[1, u128::MAX])));
        return proof.exprs.binary(op, a, number);
    }
    if op.is_comparison() {
        let op = *random.pick(&[Binary::Eq, Binary::LtU, Binary::LeU, Binary::LtS, Binary::LeS]);
        return proof.exprs.binary(op, a, b);
    }
    proof.exprs.not(old)
}

fn row(table: &mut Table, random: &mut Random) {
    let at = random.below(table.rows.len());
    if table.rows.is_empty() {
        table.rows.push(vec![None; table.columns.len()]);
        return;
    }
    let value = random.below(table.columns.len());
    match random.below(4) {
        0 => {
            table.rows.remove(at);
        }
        1 => {
            let mut copy = table.rows[at].clone();
            copy[value] = copy[value].map(|it| !it);
            table.rows.push(copy);
        }
        2 => table.rows[at][value] = None,
        _ => table.rows[at][value] = Some(random.percent(50)),
    }
}

fn column(table: &mut Table, predicates: usize, random: &mut Random) {
    let at = random.below(table.columns.len());
    match random.below(4) {
        0 => {
            table.columns.remove(at);
            table.rows.iter_mut().for_each(|row| {
                row.remove(at);
            });
        }
        1 => table.columns[at] = *random.pick(&table.columns),
        2 => {
            let other = random.below(table.columns.len());
            table.columns.swap(at, other);
        }
        _ => {
            // Also one more than there are.
            let index = random.below(predicates + 1);
            table.columns[at] =
                *random.pick(&[Column::First(index), Column::Second(index), Column::Pair(index)]);
        }
    }
}

fn tables(proof: &mut Proof, random: &mut Random) {
    if random.percent(5) {
        proof.doubles = match proof.doubles {
            Some(_) => None,
            None => Some(vec![]),
        };
        return;
    }
    if let Some(doubles) = &mut proof.doubles
        && !doubles.is_empty()
        && random.percent(60)
    {
        let (at, other) = (random.below(doubles.len()), random.below(doubles.len()));
        match random.below(3) {
            0 => {
                doubles.remove(at);
            }
            1 => doubles[at].table = doubles[other].table.clone(),
            _ => doubles[at].first = doubles[other].second,
        }
        return;
    }
    if proof.singles.is_empty() {
        return;
    }
    let (at, other) = (random.below(proof.singles.len()), random.below(proof.singles.len()));
    match random.below(3) {
        0 => {
            proof.singles.remove(at);
        }
        1 => proof.singles[at].table = proof.singles[other].table.clone(),
        _ => proof.singles[at].control = proof.singles[other].control,
    }
}
