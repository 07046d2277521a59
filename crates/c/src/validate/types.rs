//! Operators get operands of their types, and steps values of theirs.

use super::Found;
use crate::expr::{Binary, Convert, ExprId, Node, Unary};
use crate::op::{Op, Place, SyncInit, SyncOp};
use crate::program::{LocalId, Location, ProcId, Program};
use crate::reach::{Reach, ReachKind};
use crate::types::{TRUTH, Type, mask};

pub(super) fn check(program: &Program, found: &mut Found) {
    for id in program.exprs.ids() {
        if !well_typed(program, program.exprs.node(id)) {
            let node = program.exprs.node(id);
            found.error("E1913", None, format!("an operator has operands of wrong types: {node:?}"));
        }
    }
    for location in program.locations.iter() {
        let checker = Checker { program, location };
        found.require(checker.step(), "E1914", location.span, "a step has values of wrong types");
    }
}

fn well_typed(program: &Program, node: Node) -> bool {
    let ty = |e: ExprId| program.exprs.ty(e);
    match node {
        Node::Const(ty, value) => {
            let bits = ty.bits(program.pointer_bits());
            (1..=128).contains(&bits) && value & !mask(bits) == 0
        }
        Node::Local(local, ty) => program.locals[local].ty == ty,
        Node::Address(_) => true,
        Node::Unary(Unary::Not, a) => is_bits(ty(a)),
        Node::Unary(Unary::Neg, a) => ty(a) != Type::Pointer,
        Node::Binary(op, a, b) => binary(program, op, ty(a), ty(b)),
        Node::Convert(op, to, a) => convert(program, op, ty(a), to),
        Node::Ite(a, b, c) => ty(a) == TRUTH && ty(b) == ty(c),
    }
}

fn is_bits(ty: Type) -> bool {
    matches!(ty, Type::Bits(_))
}

fn binary(program: &Program, op: Binary, a: Type, b: Type) -> bool {
    let word = Type::Bits(program.pointer_bits());
    match op {
        Binary::Add => (a, b) == (Type::Pointer, word) || a == b && a != Type::Pointer,
        Binary::Sub => (a, b) == (Type::Pointer, word) || a == b,
        Binary::Mul => a == b && a != Type::Pointer,
        Binary::DivF | Binary::LtF | Binary::LeF => a == b && a.is_float(),
        Binary::Shl | Binary::ShrU | Binary::ShrS => is_bits(a) && is_bits(b),
        Binary::Eq => a == b,
        Binary::LtU | Binary::LeU => a == b && !a.is_float(),
        Binary::DivU
        | Binary::DivS
        | Binary::RemU
        | Binary::RemS
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::LtS
        | Binary::LeS => a == b && is_bits(a),
    }
}

fn convert(program: &Program, op: Convert, from: Type, to: Type) -> bool {
    let bits = |ty: Type| ty.bits(program.pointer_bits());
    (1..=128).contains(&bits(to))
        && match op {
            Convert::ZeroExtend | Convert::SignExtend => {
                is_bits(from) && is_bits(to) && bits(from) <= bits(to)
            }
            Convert::Truncate => is_bits(from) && is_bits(to) && bits(from) >= bits(to),
            Convert::Reinterpret => bits(from) == bits(to),
            Convert::FloatU | Convert::FloatS => is_bits(from) && to.is_float(),
            Convert::BitsU | Convert::BitsS => from.is_float() && is_bits(to),
            Convert::FloatF => from.is_float() && to.is_float(),
        }
}

struct Checker<'p> {
    program: &'p Program,
    location: &'p Location,
}

impl Checker<'_> {
    fn reach(&self, reach: &Reach) -> bool {
        let leads = reach.leads.iter().all(|lead| self.ty(lead.pointer) == Type::Pointer);
        let few = reach.count >= 1
            && u64::from(reach.count) * self.program.layouts()[reach.layout].stride <= 1 << 20;
        leads
            && few
            && match reach.kind {
                ReachKind::Count(local) => matches!(self.local(local), Type::Bits(32..)),
                ReachKind::Write(number) => self.is_bits(number),
                ReachKind::Pick(local) => self.local(local) == Type::Pointer,
            }
    }

    fn step(&self) -> bool {
        match &self.location.op {
            Op::Assign { local, value } => self.local(*local) == self.ty(*value),
            Op::Choose { local, range, .. } => {
                let numbers = matches!(self.local(*local), Type::Bits(_) | Type::Pointer);
                range.is_none_or(|range| numbers && range.low <= range.high)
            }
            Op::Load { place, .. } | Op::Store { place, .. } => self.place(*place),
            Op::Rmw { old, place, guard, value, success, .. } => {
                self.place(*place)
                    && self.local(*old) == self.ty(*value)
                    && guard.is_none_or(|guard| self.ty(guard) == TRUTH)
                    && self.number(*success)
                    && *success != Some(*old)
            }
            Op::Branch { cond, .. } | Op::Assume(cond) | Op::Assert { cond, .. } => self.ty(*cond) == TRUTH,
            Op::Alloc { local, count, .. } => self.local(*local) == Type::Pointer && self.is_bits(*count),
            Op::Free { pointer, .. } => self.ty(*pointer) == Type::Pointer,
            Op::Size { local, pointer } => self.number(Some(*local)) && self.ty(*pointer) == Type::Pointer,
            Op::Reach(reach) => self.reach(reach),
            Op::Create { template, args, handle } => self.arguments(*template, args) && self.number(*handle),
            Op::Join { handle, result, code } => {
                let results = result.is_none_or(|local| !self.local(local).is_float());
                let distinct = result.is_none() || result != code;
                self.is_bits(*handle) && results && distinct && self.number(*code)
            }
            Op::Detach(handle) => self.is_bits(*handle),
            Op::Me(local) => self.number(Some(*local)),
            Op::Exit(value) => value.is_none_or(|value| !self.ty(value).is_float()),
            Op::Sync { op, place, code } => self.place(*place) && self.number(*code) && self.sync(*op),
            Op::Call { procedure, args, result } => {
                let returned = self.program.procedures[*procedure].result;
                let fits = result.is_none_or(|local| returned == Some(self.local(local)));
                self.arguments(*procedure, args) && fits
            }
            Op::Return(value) => {
                let expected = self.program.procedures[self.location.procedure].result;
                value.is_none_or(|value| expected == Some(self.ty(value)))
            }
            _ => true,
        }
    }

    fn ty(&self, e: ExprId) -> Type {
        self.program.exprs.ty(e)
    }

    fn local(&self, local: LocalId) -> Type {
        self.program.locals[local].ty
    }

    fn is_bits(&self, e: ExprId) -> bool {
        is_bits(self.ty(e))
    }

    fn number(&self, local: Option<LocalId>) -> bool {
        local.is_none_or(|local| is_bits(self.local(local)))
    }

    fn place(&self, place: Place) -> bool {
        match place {
            Place::Object { .. } => true,
            Place::Indexed { offset, .. } => self.ty(offset) == Type::Bits(self.program.pointer_bits()),
            Place::Pointer { pointer, .. } => self.ty(pointer) == Type::Pointer,
        }
    }

    fn sync(&self, op: SyncOp) -> bool {
        match op {
            SyncOp::Init(SyncInit::Barrier(e) | SyncInit::Semaphore(e)) => self.is_bits(e),
            SyncOp::CondWait { mutex, .. } => self.place(mutex),
            _ => true,
        }
    }

    fn arguments(&self, procedure: ProcId, args: &[ExprId]) -> bool {
        let params = &self.program.procedures[procedure].params;
        params.len() == args.len()
            && params.iter().zip(args).all(|(&param, &arg)| self.local(param) == self.ty(arg))
    }
}
