//! What the interpreter of statements computes with. With [`Values`] at hand it computes what one thread may do in one valuation;
//! with formulas it computes that for all valuations of a set at once. The meaning of the statements is written down once.

use crate::picks::Picks;
use base::{Budget, Stop};
use ir::bp::{ExprId, Program, Read, Values};

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
    fn picks(&mut self, sets: Vec<Self::Set>) -> Result<Vec<Picked<Self>>, Stop>;
}

/// Values for some sets, and whether they may have these.
pub type Picked<L> = (<L as Logic>::Bit, Vec<<L as Logic>::Set>);

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
        Ok(program.exprs().values(e, |it| (*read.borrow_mut())(it)))
    }

    fn picks(&mut self, sets: Vec<Values>) -> Result<Vec<(bool, Vec<Values>)>, Stop> {
        let mut picks = Picks::new(sets);
        let mut all = vec![];
        while let Some(pick) = picks.current() {
            self.0.spend(1)?;
            all.push((true, pick.iter().map(|&value| Values::only(value)).collect()));
            picks.advance();
        }
        Ok(all)
    }
}
