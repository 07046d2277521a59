//! How a step may be undefined, and whether it may do what the model does not know.

use super::accesses::{AccessKind, Region, SyncUse};
use super::{Control, Effects, ThreadEffect};
use crate::expr::{Binary, Convert, ExprId, Node};
use crate::op::{Op, Place};
use crate::program::{ObjectId, Program};
use crate::types::{CellType, ObjectScope, SyncKind, Type};
use crate::value::Fault;

/// Adds the faults of a step to its effects.
pub(super) fn find(program: &Program, op: &Op, effects: &mut Effects) {
    let mut found = Found { program, faults: vec![], unsupported: false };
    op.exprs().into_iter().for_each(|e| found.expression(e));
    for access in &effects.accesses {
        found.access(access.region, access.kind);
    }
    if let Some(ThreadEffect::Join(_) | ThreadEffect::Detach(_)) = effects.threads {
        found.add(Fault::BadHandle);
    }
    match op {
        Op::Undefined(why) => found.add(Fault::Stated(why.clone())),
        // The result may not fit its register.
        Op::Refuse(_) | Op::Alloc { .. } | Op::Join { result: Some(_), .. } => found.unsupported = true,
        Op::Sync { .. } if !effects.operands.is_empty() => found.unsupported = true,
        _ => {}
    }
    // Calls are followed to some depth only.
    found.unsupported |= matches!(effects.control, Control::Call(_));
    found.faults.sort();
    effects.faults = found.faults;
    effects.unsupported = found.unsupported;
}

struct Found<'p> {
    program: &'p Program,
    faults: Vec<Fault>,
    unsupported: bool,
}

impl Found<'_> {
    fn add(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    fn expression(&mut self, root: ExprId) {
        let exprs = self.program.exprs();
        let all = exprs.below(root);
        // Operands come first: whether each may hold something else than a number.
        let mut tagged = std::collections::HashMap::new();
        for e in all {
            exprs.fault(e).into_iter().for_each(|fault| self.add(fault));
            let of = |e: ExprId| tagged[&e];
            let is_tagged = match exprs.node(e) {
                Node::Const(..) => false,
                Node::Local(_, ty) => self.may_be_tagged(ty),
                Node::Address(object) => {
                    self.lives(object);
                    true
                }
                Node::Unary(_, a) => {
                    self.unsupported |= of(a);
                    false
                }
                Node::Binary(op, a, b) => self.binary(op, exprs.ty(a), [of(a), of(b)]),
                Node::Convert(op, to, a) => self.convert(op, to, of(a)),
                Node::Ite(_, a, b) => of(a) || of(b),
            };
            tagged.insert(e, is_tagged);
        }
    }

    /// Whether a register of a type may hold an address or a handle. A handle that was cut to fewer bits than
    /// a pointer has is taken for a number here: what is computed from it may be unsupported although that is
    /// not said.
    fn may_be_tagged(&self, ty: Type) -> bool {
        let width = self.program.pointer_bits();
        ty.bits(width) >= width
    }

    fn binary(&mut self, op: Binary, ty: Type, [left, right]: [bool; 2]) -> bool {
        use Binary::*;
        if op == Eq {
            return false;
        }
        if left && right && ty == Type::Pointer {
            self.add(Fault::DifferentObjects);
        }
        self.unsupported |= left || right;
        (left || right) && matches!(op, Add | Sub | And | Or | Xor)
    }

    fn convert(&mut self, op: Convert, to: Type, tagged: bool) -> bool {
        let keeps = matches!(op, Convert::ZeroExtend | Convert::SignExtend | Convert::Reinterpret)
            || op == Convert::Truncate && self.may_be_tagged(to);
        self.unsupported |= tagged && (!keeps || to.is_float());
        tagged && self.may_be_tagged(to)
    }

    /// An object of an activation lives between `Enter` and `Leave` only.
    fn lives(&mut self, object: ObjectId) {
        if matches!(self.program.objects()[object].scope, ObjectScope::Procedure(_)) {
            self.add(Fault::DeadObject);
        }
    }

    fn access(&mut self, region: Region, kind: AccessKind) {
        match (region, kind) {
            (Region::Pointed(_), AccessKind::End) => {
                self.add(Fault::BadFree);
                self.unsupported = true;
            }
            (Region::Pointed(_), _) => {
                self.add(Fault::BadPointer);
                self.add(Fault::DeadObject);
                self.unsupported = true;
            }
            (Region::Scalar { place, bits }, kind) => {
                self.place(place, CellType::Scalar(Type::Bits(bits)), kind.writes());
            }
            (Region::Sync { place, kind: of }, AccessKind::Sync(role)) => {
                self.place(place, CellType::Sync(of, 1), false);
                self.sync(of, role);
            }
            (Region::Reachable { .. }, _) => self.unsupported = true,
            _ => {}
        }
    }

    fn sync(&mut self, kind: SyncKind, role: SyncUse) {
        match role {
            SyncUse::Init => self.add(Fault::InUse),
            SyncUse::Destroy => {
                self.add(Fault::InUse);
                self.add(Fault::NotInitialised);
            }
            SyncUse::Release | SyncUse::Reacquire => {
                if matches!(kind, SyncKind::Mutex | SyncKind::RwLock) {
                    self.add(Fault::NotHeld);
                }
                self.add(Fault::NotInitialised);
            }
            _ => self.add(Fault::NotInitialised),
        }
    }

    fn place(&mut self, place: Place, wanted: CellType, writes: bool) {
        match place {
            Place::Object { object, offset } => {
                self.declared(object, writes);
                self.cell(object, offset, wanted);
            }
            Place::Indexed { object, .. } => {
                self.declared(object, writes);
                self.add(Fault::OutOfBounds);
                self.unsupported = true;
            }
            Place::Pointer { .. } => {
                for fault in [Fault::BadPointer, Fault::OutOfBounds, Fault::DeadObject] {
                    self.add(fault);
                }
                if writes {
                    self.add(Fault::ReadOnly);
                }
                self.unsupported = true;
            }
        }
    }

    fn declared(&mut self, object: ObjectId, writes: bool) {
        self.lives(object);
        if writes && self.program.objects()[object].constant {
            self.add(Fault::ReadOnly);
        }
    }

    /// A fixed place of a declared object.
    fn cell(&mut self, object: ObjectId, offset: i64, wanted: CellType) {
        let object = &self.program.objects()[object];
        let layout = &self.program.layouts()[object.layout];
        let pointer_bits = self.program.pointer_bits();
        let bytes = wanted.bytes(pointer_bits);
        let size = layout.stride.saturating_mul(object.count);
        let start = u64::try_from(offset).ok().filter(|start| start.saturating_add(bytes) <= size);
        let Some(start) = start else { return self.add(Fault::OutOfBounds) };
        let within = start % layout.stride;
        let hits = layout.cells.iter().any(|cell| {
            cell.offset == within
                && match (cell.ty, wanted) {
                    (CellType::Scalar(ty), CellType::Scalar(want)) => {
                        ty.bits(pointer_bits) == want.bits(pointer_bits)
                    }
                    (CellType::Sync(kind, _), CellType::Sync(want, _)) => kind == want,
                    _ => false,
                }
        });
        self.unsupported |= !hits;
    }
}
