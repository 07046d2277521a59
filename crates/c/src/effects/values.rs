//! Where values go: from expressions, memory and choices into registers, memory, parameters and results.

use crate::expr::ExprId;
use crate::op::{Op, Place, SyncInit, SyncOp};
use crate::program::{LocalId, ProcId, Program};
use crate::reach::ReachKind;

/// A value goes from one place to another as it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Where it comes from.
    pub from: ValueFrom,
    /// Where it goes.
    pub to: ValueTo,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueFrom {
    /// It is computed from registers.
    Expr(ExprId),
    /// It is read.
    Memory(Place),
    /// It is chosen.
    Choice,
    /// A thread or procedure gave it back.
    Result,
    /// The handle of a thread.
    Handle,
    /// The address of a new object.
    NewObject,
    /// A number that the step makes: what an operation returns, a size, a count.
    Number,
    /// 1 or 0.
    Truth,
}

/// Where a value goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueTo {
    /// To a register of this activation or thread.
    Register(LocalId),
    /// To memory.
    Memory(Place),
    /// To the parameter of an activation that begins, of this thread or a new one.
    Parameter(LocalId),
    /// To the caller of this procedure, or to the thread that joins this one.
    Result,
}

impl ValueTo {
    /// The register of this activation or thread.
    pub fn register(self) -> Option<LocalId> {
        match self {
            ValueTo::Register(local) => Some(local),
            _ => None,
        }
    }
}

/// Moves, and expressions that are not moved as they are.
struct Values<'p> {
    program: &'p Program,
    moves: Vec<Move>,
    operands: Vec<ExprId>,
}

impl Op {
    /// Where values go, and the other expressions.
    pub(super) fn values(&self, program: &Program) -> (Vec<Move>, Vec<ExprId>) {
        let mut values = Values { program, moves: vec![], operands: vec![] };
        values.step(self);
        (values.moves, values.operands)
    }
}

impl Values<'_> {
    fn step(&mut self, op: &Op) {
        match op {
            Op::Assign { local, value } => self.write(*local, ValueFrom::Expr(*value)),
            Op::Choose { local, .. } => self.write(*local, ValueFrom::Choice),
            Op::Load { local, place, .. } => {
                self.place(*place);
                self.write(*local, ValueFrom::Memory(*place));
            }
            Op::Store { place, value, .. } => {
                self.place(*place);
                self.store(*place, *value);
            }
            Op::Rmw { old, place, guard, value, success, .. } => {
                self.place(*place);
                self.operands.extend(*guard);
                self.write(*old, ValueFrom::Memory(*place));
                self.store(*place, *value);
                self.perhaps(*success, ValueFrom::Truth);
            }
            Op::Alloc { local, count, .. } => {
                self.operands.push(*count);
                self.write(*local, ValueFrom::NewObject);
            }
            Op::Size { local, pointer } => {
                self.operands.push(*pointer);
                self.write(*local, ValueFrom::Number);
            }
            Op::Create { template, args, handle } => {
                self.pass(*template, args);
                self.perhaps(*handle, ValueFrom::Handle);
            }
            Op::Call { procedure, args, result } => {
                self.pass(*procedure, args);
                self.perhaps(*result, ValueFrom::Result);
            }
            Op::Join { handle, result, code } => {
                self.operands.push(*handle);
                self.perhaps(*result, ValueFrom::Result);
                self.perhaps(*code, ValueFrom::Number);
            }
            Op::Me(local) => self.write(*local, ValueFrom::Handle),
            Op::Exit(Some(value)) | Op::Return(Some(value)) => {
                self.moves.push(Move { from: ValueFrom::Expr(*value), to: ValueTo::Result });
            }
            Op::Sync { op, place, code } => {
                self.place(*place);
                self.sync(*op);
                self.perhaps(*code, ValueFrom::Number);
            }
            Op::Reach(reach) => {
                self.operands.extend(op.exprs());
                match reach.kind {
                    ReachKind::Count(local) => self.write(local, ValueFrom::Number),
                    ReachKind::Pick(local) => self.write(local, ValueFrom::Choice),
                    ReachKind::Write(_) => {}
                }
            }
            Op::Branch { .. }
            | Op::Assume(_)
            | Op::Assert { .. }
            | Op::Free { .. }
            | Op::Detach(_)
            | Op::Skip
            | Op::Error(_)
            | Op::Enter(_)
            | Op::Leave(_)
            | Op::Exit(None)
            | Op::Return(None)
            | Op::Halt(_)
            | Op::SectionBegin
            | Op::SectionEnd
            | Op::Undefined(_)
            | Op::Refuse(_) => self.operands.extend(op.exprs()),
        }
    }

    fn sync(&mut self, op: SyncOp) {
        match op {
            SyncOp::Init(SyncInit::Barrier(e) | SyncInit::Semaphore(e)) => self.operands.push(e),
            SyncOp::CondWait { mutex, .. } => self.place(mutex),
            _ => {}
        }
    }

    fn place(&mut self, place: Place) {
        let mut place = place;
        place.for_each_expr(|e| self.operands.push(*e));
    }

    fn write(&mut self, local: LocalId, from: ValueFrom) {
        self.moves.push(Move { from, to: ValueTo::Register(local) });
    }

    fn perhaps(&mut self, local: Option<LocalId>, from: ValueFrom) {
        if let Some(local) = local {
            self.write(local, from);
        }
    }

    fn store(&mut self, place: Place, value: ExprId) {
        self.moves.push(Move { from: ValueFrom::Expr(value), to: ValueTo::Memory(place) });
    }

    fn pass(&mut self, procedure: ProcId, args: &[ExprId]) {
        let params = &self.program.procedures()[procedure].params;
        let passed = params.iter().zip(args);
        self.moves.extend(
            passed.map(|(&to, &from)| Move { from: ValueFrom::Expr(from), to: ValueTo::Parameter(to) }),
        );
    }
}
