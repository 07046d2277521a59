//! How a search divides the numbers of choices that are followed ([`super::followed`]): one number of each
//! part is tried. What would tell the numbers of a part apart is noted, for a search that divides further.

use super::followed::{Division, Divisions, FollowedUse, divides};
use super::partition::{Holder, fits, smallest_first};
use c::{ExprId, Machine, Node, Number, Thread, Type, Value, mask};
use std::collections::BTreeMap;

/// A choice with more parts is not followed; a part with more numbers is not divided into all of them.
const MOST: usize = 64;

/// The parts of a search.
#[derive(Clone, Debug, Default)]
pub struct PartSplits {
    divisions: Divisions,
    /// Numbers that stand for all up to another, which is not included.
    wide: BTreeMap<(Holder, u128), u128>,
    /// Where parts have to be divided further.
    pub found: Vec<(Holder, u128)>,
}

impl PartSplits {
    /// A search with these parts.
    pub fn new(divisions: Divisions) -> PartSplits {
        PartSplits { divisions, ..PartSplits::default() }
    }

    /// One number of each part that a choice has.
    pub fn tried(&mut self, holder: Holder, number: Number) -> Option<Vec<u128>> {
        let Division { bits, starts } = self.divisions.get(&holder)?;
        if *bits != number.bits || *bits > 64 || starts.len() > MOST {
            return None;
        }
        let mut starts = starts.clone();
        if let Some(range) = number.range {
            starts.extend([range.low, range.high.wrapping_add(1)].map(|it| it as u128 & mask(*bits)));
        }
        let mut ends = starts.iter().copied().skip(1).chain([mask(*bits) + 1]);
        let mut values = vec![];
        for &start in &starts {
            let end = ends.next().expect("there are as many ends as starts");
            if fits(start, number) {
                values.push(start);
                if end - start > 1 {
                    self.wide.insert((holder, start), end);
                }
            }
        }
        smallest_first(&mut values, *bits);
        Some(values)
    }

    /// Notes what the next step of a thread does with numbers that stand for others; whether it would tell
    /// these apart.
    pub fn meet(&mut self, machine: &Machine<'_>, thread: &Thread, uses: &[FollowedUse]) -> bool {
        let mut divided = false;
        for used in uses {
            let program = machine.program();
            let Value::Bits(value) = thread.get(program, used.register) else { continue };
            let ty = program.locals()[used.register].ty;
            for &holder in used.sources.iter() {
                let Some(bits) = self.divisions.get(&holder).map(|it| it.bits) else { continue };
                let start = if ty == Type::Double { as_integer(value, bits) } else { Some(value) };
                let Some(start) = start else { continue };
                let Some(&end) = self.wide.get(&(holder, start)) else { continue };
                let inside = |it: &u128| start < *it && *it < end;
                let at: Vec<u128> = match used.other.map(|other| met(machine, thread, other)) {
                    Some(Some(at)) => {
                        at.into_iter().map(|it| it as u128 & mask(bits)).filter(inside).collect()
                    }
                    // All numbers of the part, if they are few.
                    _ if end - start <= MOST as u128 => (start + 1..end).collect(),
                    _ => {
                        divided = true;
                        continue;
                    }
                };
                divided |= !at.is_empty();
                self.found.extend(at.into_iter().map(|it| (holder, it)));
            }
        }
        self.found.sort_unstable();
        self.found.dedup();
        divided
    }

    /// Divides the parts of a later search as this one found; whether that is anything new.
    pub fn refine(&self, divisions: &mut Divisions) -> bool {
        let mut fresh = false;
        for &(holder, start) in &self.found {
            fresh |= divisions.get_mut(&holder).is_some_and(|it| it.starts.insert(start));
        }
        fresh
    }
}

/// The integer of some bits that a float is.
fn as_integer(float: u128, bits: u8) -> Option<u128> {
    let float = f64::from_bits(float as u64);
    (float.is_finite() && float.fract() == 0.0).then_some(float as i128 as u128 & mask(bits))
}

/// Where the answer of a comparison with the value of an expression changes; `None` if that is not known.
fn met(machine: &Machine<'_>, thread: &Thread, other: ExprId) -> Option<Vec<i128>> {
    let exprs = machine.program().exprs();
    let mut conversions = vec![];
    let mut at = other;
    while let Node::Convert(how, to, inner) = exprs.node(at) {
        conversions.push((how, exprs.ty(inner), to));
        at = inner;
    }
    let Node::Local(local, _) = exprs.node(at) else { return None };
    let mut value = thread.get(machine.program(), local);
    for (how, from, to) in conversions.into_iter().rev() {
        value = machine.evaluator().convert(how, from, to, value).ok()?;
    }
    match value {
        Value::Bits(value) => Some(divides(exprs.ty(other), value, machine.program().pointer_bits())),
        _ => None,
    }
}
