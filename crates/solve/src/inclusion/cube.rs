//! Finds a cube around a valuation that lies wholly in the old set.
//!
//! We start from the choice that leads to the valuation and let inputs become symbols, one after the other.
//! Formulas are evaluated over constants, single symbols with sign, and "unknown". As long as the guard stays
//! true, every bit is a constant or a symbol, and no two bits have the same symbol, the symbols can be chosen
//! to give the symbolic bits any values while the guard holds and the constant bits stay: the cube that frees
//! the symbolic bits lies in the set.
//!
//! That the old set still has *some* valuation without a bit is not enough to free it; it would lose states.

use crate::aig::{Aig, Input, Lit, Node};
use base::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// 0 and 1 are the constants; a symbol is twice its number plus 2, plus its sign; or unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Value(u32);

impl Value {
    const FALSE: Value = Value(0);
    const TRUE: Value = Value(1);
    const UNKNOWN: Value = Value(u32::MAX);

    fn constant(value: bool) -> Value {
        Value(u32::from(value))
    }

    /// The symbol of the cone's node at this place.
    fn symbol(place: usize) -> Value {
        Value(place as u32 * 2 + 2)
    }

    fn is_symbol(self) -> bool {
        self.0 > 1 && self != Value::UNKNOWN
    }

    fn negate_if(self, negate: bool) -> Value {
        if self == Value::UNKNOWN { self } else { Value(self.0 ^ u32::from(negate)) }
    }

    fn and(self, other: Value) -> Value {
        if self == Value::FALSE || other == Value::FALSE {
            Value::FALSE
        } else if self == Value::TRUE || self == other {
            other
        } else if other == Value::TRUE {
            self
        } else if self.is_symbol() && other == self.negate_if(true) {
            Value::FALSE
        } else {
            Value::UNKNOWN
        }
    }
}

/// An operand: a place in the cone with a sign; `None` for constants, which the sign tells apart.
type Operand = (Option<usize>, bool);

/// Finds cubes in one part of an old set.
pub(super) struct Generaliser<'a> {
    aig: &'a Aig,
    /// Node numbers, children first; a place is an index into it.
    cone: Vec<usize>,
    operands: Vec<Option<[Operand; 2]>>,
    /// The places that use a place.
    users: Vec<Vec<usize>>,
    guards: FxHashSet<usize>,
    bits: Vec<Operand>,
    bit_places: FxHashSet<usize>,
    values: Vec<Value>,
}

impl<'a> Generaliser<'a> {
    pub fn new(aig: &'a Aig, bits: &[Lit], guards: &[Lit]) -> Self {
        let cone = aig.cone(bits.iter().chain(guards).copied());
        let places: FxHashMap<usize, usize> =
            cone.iter().enumerate().map(|(place, &number)| (number, place)).collect();
        let operand = |lit: Lit| (places.get(&lit.node()).copied(), lit.is_negated());
        let mut users = vec![vec![]; cone.len()];
        let mut operands = vec![None; cone.len()];
        for (place, &number) in cone.iter().enumerate() {
            if let Node::And(x, y) = aig.node_at(number) {
                let pair = [operand(x), operand(y)];
                pair.iter().filter_map(|operand| operand.0).for_each(|below| users[below].push(place));
                operands[place] = Some(pair);
            }
        }
        let bits: Vec<Operand> = bits.iter().map(|&lit| operand(lit)).collect();
        let bit_places = bits.iter().filter_map(|bit| bit.0).collect();
        let guards = guards.iter().filter_map(|&lit| operand(lit).0).collect();
        let values = vec![Value::UNKNOWN; cone.len()];
        Self { aig, cone, operands, users, guards, bits, bit_places, values }
    }

    /// The bits that must keep their values, given a choice that makes the guard true; all others may be
    /// freed together.
    pub fn fixed_bits(
        &mut self,
        choice: impl Fn(Input) -> bool,
        budget: &Budget,
    ) -> Result<Vec<usize>, Stop> {
        let mut inputs = vec![];
        for place in 0..self.cone.len() {
            self.values[place] = match self.aig.node_at(self.cone[place]) {
                Node::Input(input) => {
                    inputs.push(place);
                    Value::constant(choice(input))
                }
                _ => self.computed(place),
            };
        }
        budget.spend(self.cone.len() as u64)?;
        for place in inputs {
            self.try_symbol(place, budget)?;
        }
        Ok((0..self.bits.len()).filter(|&bit| !self.value(self.bits[bit]).is_symbol()).collect())
    }

    fn value(&self, (place, negated): Operand) -> Value {
        place.map_or(Value::FALSE, |place| self.values[place]).negate_if(negated)
    }

    fn computed(&self, place: usize) -> Value {
        let [x, y] = self.operands[place].expect("only conjunctions are computed");
        self.value(x).and(self.value(y))
    }

    /// Makes an input a symbol if that frees a bit and keeps the claim; otherwise changes nothing.
    fn try_symbol(&mut self, input: usize, budget: &Budget) -> Result<(), Stop> {
        let mut undo = vec![(input, self.values[input])];
        let mut pending: BTreeSet<usize> = self.users[input].iter().copied().collect();
        self.values[input] = Value::symbol(input);
        let mut good = self.allowed(input);
        while good && let Some(place) = pending.pop_first() {
            let value = self.computed(place);
            if value != self.values[place] {
                undo.push((place, self.values[place]));
                self.values[place] = value;
                pending.extend(&self.users[place]);
                good = self.allowed(place);
            }
        }
        budget.spend(undo.len() as u64)?;
        let frees = undo.iter().any(|(place, _)| self.bit_places.contains(place));
        if !(good && frees && self.bits_differ()) {
            undo.into_iter().for_each(|(place, value)| self.values[place] = value);
        }
        Ok(())
    }

    /// Whether a place may have the value it just got: a guard that changes is true no more, a bit must be
    /// known.
    fn allowed(&self, place: usize) -> bool {
        let unknown_bit = self.bit_places.contains(&place) && self.values[place] == Value::UNKNOWN;
        !unknown_bit && !self.guards.contains(&place)
    }

    /// Whether no two bits have the same symbol.
    fn bits_differ(&self) -> bool {
        let mut seen = FxHashSet::default();
        let mut symbols = self.bits.iter().map(|&bit| self.value(bit)).filter(|value| value.is_symbol());
        symbols.all(|value| seen.insert(value.0 >> 1))
    }
}
