//! What registers and objects may hold beside plain numbers: addresses and handles of threads. It is found without regard to the order
//! of steps. Where only numbers are possible, expressions mean what they say; elsewhere the translation is careful.

use crate::c::expr::{Binary, Convert, ExprId, Node};
use crate::c::op::{Op, Place};
use crate::c::program::{LocalId, ObjectId, Program};
use crate::c::types::{Constant, ObjectScope};
use base::{Budget, Id, Stop};

/// A set of kinds of values.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// Numbers below the area of addresses only.
    pub const SMALL: Kinds = Kinds(0);
    /// An address of a static object, at the start or end of a cell of it.
    pub const STATIC: Kinds = Kinds(1);
    /// An address of another object.
    pub const OTHER: Kinds = Kinds(2);
    /// An address that was computed with: its offset may be anything.
    pub const WIDE: Kinds = Kinds(4);
    /// A handle of a thread.
    pub const HANDLE: Kinds = Kinds(8);
    /// A number, perhaps as large as those that stand for addresses and handles.
    pub const LARGE: Kinds = Kinds(16);

    pub fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    fn only(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    /// Whether something else than a number is possible.
    pub fn tagged(self) -> bool {
        self.has(ADDRESS.with(Kinds::HANDLE))
    }

    pub fn address(self) -> bool {
        self.has(ADDRESS)
    }
}

const ADDRESS: Kinds = Kinds(1 | 2 | 4);

/// The kinds of everything in a program.
#[derive(Debug)]
pub(super) struct Values {
    locals: Vec<Kinds>,
    objects: Vec<Kinds>,
    /// What pointers may read: allocations, and objects whose address is taken.
    memory: Kinds,
    results: Kinds,
    exprs: Vec<Kinds>,
    /// The first number that stands for an address.
    area: u128,
}

impl Values {
    pub fn find(program: &Program, addressed: &[bool], area: u128, budget: &Budget) -> Result<Self, Stop> {
        let constant = |constant: &Constant| match constant {
            Constant::Bits(bits) if *bits < area => Kinds::SMALL,
            Constant::Bits(_) => Kinds::LARGE,
            Constant::Address(object, offset) => static_address(program, *object, *offset),
        };
        let objects = program.objects().iter().map(|object| {
            let first = object.init.iter().map(|(_, value)| constant(value));
            let undetermined = matches!(object.scope, ObjectScope::Procedure(_));
            first.fold(if undetermined { Kinds::LARGE } else { Kinds::SMALL }, Kinds::with)
        });
        let mut values = Values {
            locals: program.locals().iter().map(|local| constant(&local.init)).collect(),
            objects: objects.collect(),
            memory: Kinds::LARGE,
            results: Kinds::SMALL,
            exprs: vec![Kinds::SMALL; program.exprs().len()],
            area,
        };
        loop {
            budget.spend((program.exprs().len() + program.locations().len()) as u64)?;
            let before = (values.locals.clone(), values.objects.clone(), values.memory, values.results);
            for id in program.exprs().ids() {
                values.exprs[id.index()] = values.of_node(program, id);
            }
            for location in program.locations().iter() {
                values.step(program, &location.op);
            }
            values.mix(addressed);
            if before == (values.locals.clone(), values.objects.clone(), values.memory, values.results) {
                return Ok(values);
            }
        }
    }

    /// Of an expression of the program.
    pub fn of(&self, e: ExprId) -> Kinds {
        self.exprs[e.index()]
    }

    /// Of the result of any thread.
    pub fn results(&self) -> Kinds {
        self.results
    }

    fn of_node(&self, program: &Program, id: ExprId) -> Kinds {
        let exprs = program.exprs();
        let of = |e: ExprId| self.exprs[e.index()];
        let bits = exprs.ty(id).bits(exprs.pointer_bits());
        let number = if bits < exprs.pointer_bits() { Kinds::SMALL } else { Kinds::LARGE };
        match exprs.node(id) {
            Node::Const(_, value) if value < self.area => Kinds::SMALL,
            Node::Const(..) => number,
            Node::Local(local, _) => self.locals[local.index()],
            Node::Address(object) if program.objects()[object].scope == ObjectScope::Static => Kinds::STATIC,
            Node::Address(_) => Kinds::OTHER,
            Node::Unary(..) => number,
            Node::Binary(op, ..) if op.is_comparison() => Kinds::SMALL,
            Node::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                if let (Node::Address(object), Some(by), Binary::Add) = (exprs.node(a), exprs.constant(b), op)
                    && program.objects()[object].scope == ObjectScope::Static
                {
                    return static_address(program, object, by as i64);
                }
                computed(of(a).with(of(b)), number)
            }
            Node::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => computed(of(a).with(of(b)), number),
            Node::Binary(..) => number,
            Node::Convert(Convert::ZeroExtend, _, a) => {
                let from = exprs.ty(a).bits(exprs.pointer_bits());
                let fits = from < 128 && 1u128 << from <= self.area;
                of(a).with(if fits { Kinds::SMALL } else { number })
            }
            Node::Convert(Convert::Truncate, ..) if bits < exprs.pointer_bits() => {
                Kinds::HANDLE.only(match exprs.node(id) {
                    Node::Convert(_, _, a) => of(a),
                    _ => Kinds::SMALL,
                })
            }
            Node::Convert(Convert::Truncate | Convert::Reinterpret | Convert::SignExtend, _, a) => {
                of(a).with(number)
            }
            Node::Convert(..) => number,
            Node::Ite(_, a, b) => of(a).with(of(b)),
        }
    }

    fn step(&mut self, program: &Program, op: &Op) {
        match op {
            Op::Assign { local, value } => self.give(*local, self.of(*value)),
            Op::Choose { local, .. } => self.give(*local, Kinds::LARGE),
            Op::Load { local, place } => self.give(*local, self.read(*place)),
            Op::Store { place, value } => self.write(*place, self.of(*value)),
            Op::Rmw { old, place, value, .. } => {
                self.give(*old, self.read(*place));
                self.write(*place, self.of(*value));
            }
            Op::Alloc { local, .. } => self.give(*local, Kinds::OTHER),
            Op::Create { template, args, handle } => {
                for (&param, &arg) in program.procedures()[*template].params.iter().zip(args) {
                    self.give(param, self.of(arg));
                }
                handle.iter().for_each(|&handle| self.give(handle, Kinds::HANDLE));
            }
            Op::Join { result, code, .. } => {
                result.iter().for_each(|&result| self.give(result, self.results.with(Kinds::LARGE)));
                code.iter().for_each(|&code| self.give(code, Kinds::LARGE));
            }
            Op::Me(local) => self.give(*local, Kinds::HANDLE),
            Op::Exit(Some(value)) | Op::Return(Some(value)) => {
                self.results = self.results.with(self.of(*value));
            }
            op => op.writes().into_iter().for_each(|local| self.give(local, Kinds::LARGE)),
        }
    }

    fn give(&mut self, local: LocalId, kinds: Kinds) {
        let slot = &mut self.locals[local.index()];
        *slot = slot.with(kinds);
    }

    fn read(&self, place: Place) -> Kinds {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => self.objects[object.index()],
            Place::Pointer { .. } => self.memory,
        }
    }

    fn write(&mut self, place: Place, kinds: Kinds) {
        let slot = match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => &mut self.objects[object.index()],
            Place::Pointer { .. } => &mut self.memory,
        };
        *slot = slot.with(kinds);
    }

    /// What is written through a pointer may be in any object whose address is taken, and the other way round.
    fn mix(&mut self, addressed: &[bool]) {
        let taken = self.objects.iter_mut().zip(addressed).filter(|(_, addressed)| **addressed);
        let mut taken: Vec<&mut Kinds> = taken.map(|(kinds, _)| kinds).collect();
        self.memory = taken.iter().fold(self.memory, |all, kinds| all.with(**kinds));
        taken.iter_mut().for_each(|kinds| **kinds = self.memory);
    }
}

/// What arithmetic makes of operands of these kinds.
fn computed(operands: Kinds, number: Kinds) -> Kinds {
    if operands.address() { operands.only(ADDRESS).with(Kinds::WIDE).with(number) } else { number }
}

/// The address of a static object plus some bytes.
fn static_address(program: &Program, object: ObjectId, offset: i64) -> Kinds {
    let object = &program.objects()[object];
    let size = program.layouts()[object.layout].stride.saturating_mul(object.count);
    match u64::try_from(offset) {
        Ok(offset) if offset <= size => Kinds::STATIC,
        _ => Kinds::STATIC.with(Kinds::WIDE),
    }
}

/// The objects whose address is in an expression or a first value.
pub(super) fn addressed(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.objects().len()];
    for id in program.exprs().ids() {
        if let Node::Address(object) = program.exprs().node(id) {
            found[object.index()] = true;
        }
    }
    let registers = program.locals().iter().map(|local| local.init);
    let cells = program.objects().iter().flat_map(|object| object.init.iter().map(|&(_, value)| value));
    for value in registers.chain(cells) {
        if let Constant::Address(object, _) = value {
            found[object.index()] = true;
        }
    }
    found
}
