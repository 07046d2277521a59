//! Whether what a program does may depend on where objects lie: on bits of addresses beyond their alignment,
//! on the order of different objects, on whether equal string literals are one object, on whether a local
//! lies where a dead one lay, on whether the allocator cuts or joins dead blocks. The machine takes one
//! answer to each; a real run may have another, so the verdict says that it assumes something. That an
//! allocation gets the address of a freed object is a choice of the machine, and needs no assumption.
//!
//! A flow-insensitive analysis of which registers and cells may hold addresses, of which kind. Integers that
//! travel through `void *` are no addresses, and comparing with null asks nothing.

use ::c::{
    Binary, CellType, Constant, Convert, ExprId, Node, ObjectId, ObjectScope, Op, Place, Program, ReachKind,
    Reuse,
};
use base::{Budget, Id};

/// The assumption in words.
pub const ASSUMPTION: &str = "address layout: no local gets the address of a dead one, no allocation a part of \
     a dead one, no thread the handle of one that is gone, and what depends on the bits or the order of \
     addresses goes as it does here";

/// The address of an object that may be freed.
const HEAP: u8 = 1;
/// The address of an object that dies with its block, activation or thread.
const LOCAL: u8 = 2;
/// The address of a string literal.
const LITERAL: u8 = 4;
/// Another address.
const STATIC: u8 = 8;
/// An address in the middle of an object that may be freed.
const INSIDE: u8 = 16;
/// The handle of a thread.
const HANDLE: u8 = 32;
const ALL: u8 = 31;

/// Whether it may.
pub fn matters(program: &Program) -> bool {
    let mut kinds = Kinds::new(program);
    while kinds.spread() {}
    let reuse = Reuse::new(program, &Budget::unlimited()).expect("there is no limit");
    let questions = Questions {
        kinds: &kinds,
        cuts: program
            .locations()
            .iter()
            .any(|location| matches!(location.op, Op::Free { automatic: false, .. }))
            && allocates_several_sizes(program),
        handles_return: program.locations().ids().any(|loc| reuse.creates_again(program, loc)),
        known_bits: known_bits(program),
    };
    let used = program.locations().iter().flat_map(|location| location.op.exprs());
    used.into_iter().any(|root| program.exprs().below(root).into_iter().any(|e| questions.asks(e)))
}

/// Whether the program allocates objects of different sizes: then a dead one may be cut, or joined with its
/// neighbour.
fn allocates_several_sizes(program: &Program) -> bool {
    let mut sizes = program.locations().iter().filter_map(|location| match location.op {
        Op::Alloc { layout, count, automatic: false, .. } => {
            let count = program.exprs().constant(count);
            Some(count.map(|count| u128::from(program.layouts()[layout].stride).saturating_mul(count)))
        }
        _ => None,
    });
    let Some(first) = sizes.next() else { return false };
    first.is_none() || sizes.any(|size| size != first)
}

/// The low bits that are zero in every address that the program can take: those of the smallest alignment of
/// its objects.
fn known_bits(program: &Program) -> u128 {
    let addressed = program.addressed();
    let alignment = |object: ObjectId| {
        let cells = &program.layouts()[program.objects()[object].layout].cells;
        let bytes = cells.iter().map(|cell| match cell.ty {
            CellType::Scalar(ty) => u128::from(ty.bits(program.pointer_bits()).div_ceil(8)),
            CellType::Sync(..) => 8,
        });
        bytes.filter(|bytes| bytes.is_power_of_two()).max().unwrap_or(1).min(16)
    };
    let objects = program.objects().ids().filter(|object| addressed[object.index()]);
    // What is allocated is aligned for everything.
    objects.map(alignment).min().unwrap_or(16) - 1
}

/// What registers and cells may hold.
struct Kinds<'p> {
    program: &'p Program,
    addressed: Vec<bool>,
    exprs: Vec<u8>,
    registers: Vec<u8>,
    objects: Vec<u8>,
    /// What is written through pointers.
    pointed: u8,
    /// What procedures and threads return.
    returned: u8,
}

impl<'p> Kinds<'p> {
    fn new(program: &'p Program) -> Self {
        let mut made = Kinds {
            program,
            addressed: program.addressed(),
            exprs: vec![0; program.exprs().len()],
            registers: vec![0; program.locals().len()],
            objects: vec![0; program.objects().len()],
            pointed: 0,
            returned: 0,
        };
        for (id, local) in program.locals().enumerate() {
            made.registers[id.index()] = made.of_constant(local.init);
        }
        for (id, object) in program.objects().enumerate() {
            made.objects[id.index()] =
                object.init.iter().fold(0, |kinds, (_, value)| kinds | made.of_constant(*value));
        }
        made
    }

    fn of_constant(&self, value: Constant) -> u8 {
        match value {
            Constant::Address(object, _) => self.of_address(object),
            Constant::Bits(_) => 0,
        }
    }

    fn of_address(&self, object: ObjectId) -> u8 {
        let declared = &self.program.objects()[object];
        match declared.scope {
            ObjectScope::Static if declared.constant => LITERAL,
            ObjectScope::Static => STATIC,
            _ => LOCAL,
        }
    }

    /// One round over all expressions and steps; whether anything was new.
    fn spread(&mut self) -> bool {
        for id in self.program.exprs().ids() {
            self.exprs[id.index()] = self.of_node(id);
        }
        let before = (self.registers.clone(), self.objects.clone(), self.pointed, self.returned);
        for location in self.program.locations().iter() {
            self.step(&location.op);
        }
        before != (self.registers.clone(), self.objects.clone(), self.pointed, self.returned)
    }

    fn of(&self, e: ExprId) -> u8 {
        self.exprs[e.index()]
    }

    fn of_node(&self, id: ExprId) -> u8 {
        let exprs = self.program.exprs();
        match exprs.node(id) {
            Node::Const(..) => 0,
            // What is narrower than a pointer holds no address.
            Node::Local(local, ty) if ty.bits(exprs.pointer_bits()) < exprs.pointer_bits() => {
                self.registers[local.index()] & HANDLE
            }
            Node::Local(local, _) => self.registers[local.index()],
            Node::Address(object) => self.of_address(object),
            Node::Unary(_, a) | Node::Convert(_, _, a) => self.of(a),
            Node::Binary(op, ..) if op.is_comparison() => 0,
            // A difference of two addresses is a number.
            Node::Binary(Binary::Sub, a, b) if self.of(a) != 0 && self.of(b) != 0 => 0,
            Node::Binary(_, a, b) => {
                let kinds = self.of(a) | self.of(b);
                if kinds & HEAP != 0 { kinds | INSIDE } else { kinds }
            }
            Node::Ite(_, a, b) => self.of(a) | self.of(b),
        }
    }

    fn read(&self, place: Place) -> u8 {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => {
                let pointed = if self.addressed[object.index()] { self.pointed } else { 0 };
                self.objects[object.index()] | pointed
            }
            Place::Pointer { .. } => {
                let objects = self.objects.iter().zip(&self.addressed).filter(|(_, addressed)| **addressed);
                objects.fold(self.pointed, |kinds, (it, _)| kinds | it)
            }
        }
    }

    fn write(&mut self, place: Place, kinds: u8) {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => {
                self.objects[object.index()] |= kinds;
            }
            Place::Pointer { .. } => self.pointed |= kinds,
        }
    }

    fn step(&mut self, op: &Op) {
        match op {
            Op::Assign { local, value } => self.registers[local.index()] |= self.of(*value),
            Op::Load { local, place, .. } => self.registers[local.index()] |= self.read(*place),
            Op::Store { place, value, .. } => self.write(*place, self.of(*value)),
            Op::Rmw { old, place, value, .. } => {
                self.registers[old.index()] |= self.read(*place);
                self.write(*place, self.of(*value));
            }
            Op::Alloc { local, automatic, .. } => {
                self.registers[local.index()] |= if *automatic { LOCAL } else { HEAP };
            }
            Op::Me(local) => self.registers[local.index()] |= HANDLE,
            Op::Create { template: begun, args, .. } | Op::Call { procedure: begun, args, .. } => {
                for (&param, &arg) in self.program.procedures()[*begun].params.iter().zip(args) {
                    self.registers[param.index()] |= self.of(arg);
                }
                match op {
                    Op::Call { result: Some(local), .. } => self.registers[local.index()] |= self.returned,
                    Op::Create { handle: Some(local), .. } => self.registers[local.index()] |= HANDLE,
                    _ => {}
                }
            }
            Op::Join { result: Some(local), .. } => self.registers[local.index()] |= self.returned,
            Op::Return(Some(value)) | Op::Exit(Some(value)) => self.returned |= self.of(*value),
            Op::Reach(reach) => match reach.kind {
                ReachKind::Pick(local) => self.registers[local.index()] |= ALL,
                ReachKind::Write(_) => self.pointed |= ALL,
                ReachKind::Count(_) => {}
            },
            _ => {}
        }
    }
}

/// What expressions ask about addresses.
struct Questions<'a, 'p> {
    kinds: &'a Kinds<'p>,
    /// Whether a thread may be created after one was joined or detached.
    handles_return: bool,
    /// Whether a part of a dead object may become a part of a new one at another offset.
    cuts: bool,
    known_bits: u128,
}

impl Questions<'_, '_> {
    fn asks(&self, e: ExprId) -> bool {
        let program = self.kinds.program;
        let exprs = program.exprs();
        match exprs.node(e) {
            Node::Binary(op, a, b) => self.asks_both(op, a, b),
            Node::Unary(_, a) => self.address(a) != 0 && exprs.ty(a) != ::c::TRUTH,
            Node::Convert(Convert::Truncate, to, a) => {
                let bits = to.bits(program.pointer_bits());
                self.address(a) != 0 && bits < program.pointer_bits() && ::c::mask(bits) > self.known_bits
            }
            Node::Convert(Convert::FloatU | Convert::FloatS, _, a) => self.address(a) != 0,
            _ => false,
        }
    }

    /// The kinds of addresses that an expression may be. The machine itself says what cannot be done with
    /// handles.
    fn address(&self, e: ExprId) -> u8 {
        self.kinds.of(e) & !HANDLE
    }

    fn asks_both(&self, op: Binary, a: ExprId, b: ExprId) -> bool {
        if op == Binary::Eq && self.handles_return && self.kinds.of(a) & self.kinds.of(b) & HANDLE != 0 {
            return true;
        }
        let (first, second) = (self.address(a), self.address(b));
        let exprs = self.kinds.program.exprs();
        match op {
            _ if first | second == 0 => false,
            Binary::Eq => {
                let both = first != 0 && second != 0;
                let dies = first | second;
                both && (dies & INSIDE != 0 && self.cuts
                    || dies & LOCAL != 0
                    || first & second & LITERAL != 0)
            }
            Binary::Add | Binary::Sub => false,
            Binary::And | Binary::Or | Binary::Xor => {
                let number = exprs.constant(a).or(exprs.constant(b));
                let all = ::c::mask(exprs.ty(a).bits(exprs.pointer_bits()));
                number.is_none_or(|it| it > self.known_bits && !it & all > self.known_bits)
            }
            Binary::RemU => {
                exprs.constant(b).is_none_or(|it| !it.is_power_of_two() || it - 1 > self.known_bits)
            }
            // Null comes before every object.
            _ if op.is_comparison() => exprs.constant(a) != Some(0) && exprs.constant(b) != Some(0),
            _ => true,
        }
    }
}
