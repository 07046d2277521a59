//! What the interpreter of statements computes with. With [`Values`] at hand it computes what one thread may
//! do in one valuation; with formulas it computes that for all valuations of a set at once. The meaning of
//! the statements is written down once.

use crate::enumerate::Valuations;
use base::{Budget, Stop};
use ir::bp::{ExprId, Exprs, Node, Program, Read, Values};
use std::collections::HashMap;

/// Sets of values, and conditions on them.
pub trait Logic {
    /// What a variable or an expression may be; never empty.
    type Set: Copy + From<Values>;
    /// Whether something is so.
    type Bit: Copy;

    /// A condition that holds.
    fn always(&self) -> Self::Bit;

    /// Whether the condition holds somewhere, as far as that is evident.
    fn possible(&self, bit: Self::Bit) -> bool;

    /// Both conditions.
    fn both(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit;

    /// One of the conditions, or both.
    fn either(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit;

    /// Whether the value is in the set.
    fn may_be(&mut self, set: Self::Set, value: bool) -> Self::Bit;

    /// What an expression may be.
    fn values(
        &mut self,
        program: &Program,
        e: ExprId,
        read: &mut dyn FnMut(Read) -> Self::Set,
    ) -> Result<Self::Set, Stop>;

    /// All ways to give each set one of its values, each with a condition that it is possible.
    fn valuations(&mut self, sets: Vec<Self::Set>) -> Result<Vec<Valued<Self>>, Stop>;
}

/// Values for some sets, and whether they may have these.
pub type Valued<L> = (<L as Logic>::Bit, Vec<<L as Logic>::Set>);

/// This many variables of an expression are given their values one by one; with more of them two readings of
/// one variable may differ, which only adds behaviour.
const MOST_SPLIT: usize = 8;

/// The readings that occur more than once in an expression. Operands are shared in the pool: what is below an
/// operator with two parents occurs twice.
pub fn repeated_reads(exprs: &Exprs, e: ExprId) -> Vec<Read> {
    let mut occurs: HashMap<ExprId, bool> = HashMap::from([(e, false)]);
    let mut repeated = vec![];
    // Parents come after their operands in the pool, so that all parents of an expression are seen before it.
    for id in exprs.below(e).into_iter().rev() {
        let often = occurs[&id];
        if let (Node::Read(read), true) = (exprs.node(id), often) {
            repeated.push(read);
        }
        for child in exprs.node(id).children() {
            occurs.entry(child).and_modify(|it| *it = true).or_insert(often);
        }
    }
    repeated
}

/// Values at hand.
#[derive(Clone, Copy)]
pub struct Plain<'b>(pub &'b Budget);

impl Logic for Plain<'_> {
    type Set = Values;
    type Bit = bool;

    fn always(&self) -> bool {
        true
    }

    fn possible(&self, bit: bool) -> bool {
        bit
    }

    fn both(&mut self, a: bool, b: bool) -> bool {
        a && b
    }

    fn either(&mut self, a: bool, b: bool) -> bool {
        a || b
    }

    fn may_be(&mut self, set: Values, value: bool) -> bool {
        set.may_be(value)
    }

    fn values(
        &mut self,
        program: &Program,
        e: ExprId,
        read: &mut dyn FnMut(Read) -> Values,
    ) -> Result<Values, Stop> {
        let read = std::cell::RefCell::new(read);
        let read = |it| (*read.borrow_mut())(it);
        let exprs = program.exprs();
        let free = exprs.values(e, read);
        if free != Values::ANY {
            return Ok(free);
        }
        // Two readings of one variable agree, whatever its value.
        let mut repeated = repeated_reads(exprs, e);
        repeated.retain(|&it| read(it) == Values::ANY);
        if repeated.is_empty() || repeated.len() > MOST_SPLIT {
            return Ok(free);
        }
        let mut valuations = Valuations::new(vec![Values::ANY; repeated.len()]);
        let mut values = Values::NONE;
        while let Some(valuation) = valuations.current() {
            self.0.spend(1)?;
            let chosen = |it: Read| repeated.iter().position(|&other| other == it).map(|at| valuation[at]);
            values = values.or_else(exprs.values(e, |it| chosen(it).map_or_else(|| read(it), Values::only)));
            if values == Values::ANY {
                break;
            }
            valuations.advance();
        }
        Ok(values)
    }

    fn valuations(&mut self, sets: Vec<Values>) -> Result<Vec<(bool, Vec<Values>)>, Stop> {
        let mut valuations = Valuations::new(sets);
        let mut all = vec![];
        while let Some(valuation) = valuations.current() {
            self.0.spend(1)?;
            all.push((true, valuation.iter().map(|&value| Values::only(value)).collect()));
            valuations.advance();
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;
    use ir::bp::{SharedId, Var};

    #[test]
    fn readings_of_one_variable_are_counted_through_shared_operands() {
        let mut exprs = Exprs::new();
        let [a, b, c] = [0, 1, 2].map(|index| exprs.var(Var::Shared(SharedId::from_index(index))));
        let read = |index| Read::now(Var::Shared(SharedId::from_index(index)));
        let not = exprs.not(a);
        let differs = exprs.add(Node::Equal(a, not));
        let both = exprs.and(b, c);
        let twice = exprs.add(Node::Xor(both, both));
        let once = exprs.or(a, both);
        assert_eq!(repeated_reads(&exprs, differs), [read(0)]);
        assert_eq!(repeated_reads(&exprs, twice), [read(2), read(1)]);
        assert_eq!(repeated_reads(&exprs, once), []);
    }
}
