//! Steps that stay inside a thread, and which part of the module does the others.

use super::super::Problem;
use super::super::model::Birth;
use super::super::slots::SlotKind;
use super::super::symbolic::{self, Sym};
use super::{Emitter, View};
use base::Id;
use c::{self, InstanceId, Range};
use ir::bp::{ExprId, Op, Var};

impl Emitter<'_> {
    pub(super) fn step(&mut self, loc: c::Loc, view: &View) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        match &program.at(loc).op {
            c::Op::Skip | c::Op::Detach(_) => {
                self.push_last(Op::Skip, true);
            }
            c::Op::SectionBegin => {
                self.push_last(Op::AtomicBegin, true);
            }
            c::Op::SectionEnd => {
                self.push_last(Op::AtomicEnd, true);
            }
            c::Op::Halt(_) => {
                self.push(Op::AtomicBegin, true);
                self.stop();
            }
            c::Op::Error(_) | c::Op::Refuse(_) => self.fails(),
            c::Op::Undefined(_) if self.tells() => self.fails(),
            c::Op::Undefined(_) => self.stop(),
            c::Op::Assign { local, value } => {
                let value = self.eval(view, *value)?.sym;
                let guard = self.troubles(value.fault, value.unsupported);
                let targets = self.write(SlotKind::Register(*local), &value);
                self.finish(targets, guard);
            }
            c::Op::Choose { local, range, .. } => self.choose(*local, *range),
            c::Op::Branch { cond, target } => {
                let cond = self.condition(view, *cond)?;
                let branch = self.push_last(Op::Branch { cond, target: ir::bp::Loc::from_index(0) }, true);
                self.jumps_to.push((branch, *target));
            }
            c::Op::Assume(cond) => {
                let cond = self.condition(view, *cond)?;
                self.push_last(Op::Assume(cond), true);
            }
            c::Op::Assert { cond, .. } => {
                let cond = self.condition(view, *cond)?;
                self.push_last(Op::Assert(cond), true);
            }
            c::Op::Load { .. } | c::Op::Store { .. } | c::Op::Rmw { .. } => self.access(loc, view)?,
            c::Op::Alloc { .. } | c::Op::Enter(_) => self.born(loc, view)?,
            c::Op::Free { pointer, automatic } => {
                let birth = if *automatic { Birth::Automatic } else { Birth::Allocated };
                self.free(view, *pointer, birth)?
            }
            c::Op::Leave(object) => {
                let instance = InstanceId::from_index(object.index());
                let targets = self.write(SlotKind::Alive(instance), &self.number(0, 1));
                let always = self.gates.one();
                self.finish(targets, always);
            }
            c::Op::Create { .. } => self.create(loc, view)?,
            c::Op::Join { .. } => self.join(loc, view)?,
            c::Op::Me(local) => {
                let me = self.me(view);
                let targets = self.write(SlotKind::Register(*local), &me);
                let always = self.gates.one();
                self.finish(targets, always);
            }
            c::Op::Exit(value) | c::Op::Return(value) => self.end(view, *value)?,
            c::Op::Sync { op, place, code } => self.sync(loc, view, *op, *place, *code)?,
            c::Op::Call { .. } => return Err(self.analysis.refuse("recursion")),
            c::Op::Size { .. } => return Err(self.analysis.refuse("the size of an object")),
            c::Op::Reach(_) => {
                return Err(self.analysis.refuse("what an external function does with pointers"));
            }
        }
        Ok(())
    }

    /// The step that takes the C step and goes on.
    pub(super) fn finish(&mut self, targets: Vec<(Var, ExprId)>, guard: ExprId) {
        let op = self.assignment(targets, guard);
        self.push_last(op, true);
    }

    /// A thread that comes here has failed.
    fn fails(&mut self) {
        let never = self.gates.zero();
        self.push(Op::Assert(never), true);
        self.stop();
    }

    /// A thread that comes here stays.
    pub(super) fn stop(&mut self) {
        let never = self.gates.zero();
        let loc = self.push(Op::Assume(never), false);
        self.builder.at(loc).next = loc;
    }

    /// A condition, where it has a meaning.
    fn condition(&mut self, view: &View, cond: c::ExprId) -> Result<ExprId, Problem> {
        let cond = self.eval(view, cond)?.sym;
        let mut unsupported = cond.unsupported;
        for &(_, strange) in &cond.others {
            unsupported = self.gates.or(unsupported, strange);
        }
        let guard = self.troubles(cond.fault, unsupported);
        if self.gates.known(guard) != Some(true) {
            self.push(Op::Assume(guard), false);
        }
        Ok(symbolic::truth(&mut self.gates, &cond))
    }

    fn choose(&mut self, local: c::LocalId, range: Option<Range>) {
        let Some(slot) = self.known_slot(SlotKind::Register(local)) else {
            self.push_last(Op::Skip, true);
            return;
        };
        let coding = self.coding[slot.index()].clone();
        let mut targets: Vec<(Var, ExprId)> =
            coding.tag.iter().map(|&var| (var, self.gates.zero())).collect();
        for &var in &coding.kept {
            targets.push((var, self.gates.choice()));
        }
        let guard = match range {
            None => self.gates.one(),
            Some(range) => {
                let word = coding.next_word(&mut self.gates);
                self.in_range(&Sym::word(&self.gates, word), range)
            }
        };
        self.finish(targets, guard);
    }

    fn in_range(&mut self, value: &Sym, range: Range) -> ExprId {
        let bits = value.bits.len() as u8;
        let [least, most] = if range.signed {
            let high = (c::mask(bits) >> 1) as i128;
            [-high - 1, high]
        } else {
            [0, i128::try_from(c::mask(bits)).unwrap_or(i128::MAX)]
        };
        if range.low > most || range.high < least {
            return self.gates.zero();
        }
        let low = self.gates.number(range.low.max(least) as u128, bits);
        let high = self.gates.number(range.high.min(most) as u128, bits);
        let (above, below) = if range.signed {
            (
                self.gates.less_signed(&low, &value.bits, true),
                self.gates.less_signed(&value.bits, &high, true),
            )
        } else {
            (self.gates.less(&low, &value.bits, true), self.gates.less(&value.bits, &high, true))
        };
        self.gates.and(above, below)
    }
}
