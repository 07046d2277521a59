//! What registers may hold where a condition is known.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::numbers::Numbers;
use super::super::slots::{SlotId, SlotKind};
use super::{Analysis, Locals};
use c::ExprId;

/// Sets up to this size are tried value by value.
const TRIED: usize = 64;
/// A range is halved at most so often.
const HALVINGS: usize = 140;

impl Analysis<'_> {
    /// The variables where the condition is `wanted`; `None`: never.
    pub fn assume(&mut self, locals: &Locals, cond: ExprId, wanted: bool) -> Result<Option<Locals>, Problem> {
        let mut now = locals.clone();
        if !self.possible(&now, cond, wanted)? {
            return Ok(None);
        }
        for local in self.model.program.exprs().locals(cond) {
            let slot = self.slot(SlotKind::Register(local));
            let before = self.read(&now, slot);
            let after = self.cut(&mut now, slot, &before, cond, wanted)?;
            if after.is_empty() {
                return Ok(None);
            }
            now.insert(slot, after);
        }
        Ok(Some(now))
    }

    fn possible(&mut self, locals: &Locals, cond: ExprId, wanted: bool) -> Result<bool, Problem> {
        let [may, may_not] = self.eval(locals, cond)?.truth();
        Ok(if wanted { may } else { may_not })
    }

    fn with(
        &mut self,
        locals: &mut Locals,
        slot: SlotId,
        value: Abs,
        cond: ExprId,
        wanted: bool,
    ) -> Result<bool, Problem> {
        locals.insert(slot, value);
        self.possible(locals, cond, wanted)
    }

    /// Those values of one register with which the condition can be as wanted.
    fn cut(
        &mut self,
        locals: &mut Locals,
        slot: SlotId,
        before: &Abs,
        cond: ExprId,
        wanted: bool,
    ) -> Result<Abs, Problem> {
        let bits = self.slots.get(slot).bits;
        let mut kept = Abs::none();
        for &other in &before.others {
            let value = Abs::value(other);
            if self.with(locals, slot, value.clone(), cond, wanted)? {
                kept = kept.join(&value, bits);
            }
        }
        let numbers = self.narrow(locals, slot, before.numbers.clone(), cond, wanted)?;
        match numbers.list(TRIED) {
            Some(list) => {
                for number in list {
                    if self.with(locals, slot, Abs::number(number), cond, wanted)? {
                        kept = kept.join(&Abs::number(number), bits);
                    }
                }
            }
            None => kept = kept.join(&Abs::numbers(numbers), bits),
        }
        Ok(kept)
    }

    /// Drops halves of a range that are out of the question.
    fn narrow(
        &mut self,
        locals: &mut Locals,
        slot: SlotId,
        mut numbers: Numbers,
        cond: ExprId,
        wanted: bool,
    ) -> Result<Numbers, Problem> {
        let bits = self.slots.get(slot).bits;
        for is_signed in [true, false] {
            for _ in 0..HALVINGS {
                let Some([lower, upper]) = numbers.halves(bits, is_signed) else { break };
                let lower_may = self.with(locals, slot, Abs::numbers(lower.clone()), cond, wanted)?;
                let upper_may = self.with(locals, slot, Abs::numbers(upper.clone()), cond, wanted)?;
                numbers = match (lower_may, upper_may) {
                    (true, true) => break,
                    (true, false) => lower,
                    (false, true) => upper,
                    (false, false) => return Ok(Numbers::none()),
                };
            }
        }
        Ok(numbers)
    }
}
