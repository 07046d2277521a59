//! Functions with a variable number of arguments. The caller makes an object of them, in which each has the
//! number of its type before it, and a list is the address of the one that comes next.

use ::c::{
    Binary, Cell, CellType, ExprId, Layout, LocalId, Object, ObjectId, ObjectScope, Op, Place, Type as Scalar,
};

use super::super::hir::{self, PlaceId};
use super::super::types::TypeId;
use super::Normaliser;
use super::calls::Argument;
use super::places::Spot;

/// An argument in an object: the number of its type, and from here on its value.
const VALUE: u64 = 16;
/// The bytes of both.
const SLOT: u64 = 32;
/// The type of the number.
const TAG: Scalar = Scalar::Bits(32);
/// Why a list gives nothing.
const NO_ARGUMENT: &str = "va_arg without an argument of this type";

impl Normaliser<'_> {
    /// An object of the caller with arguments, and with the number of no type after the last.
    pub fn argument_list(&mut self, more: &[Argument]) -> ObjectId {
        let mut cells = vec![];
        let mut values = vec![];
        for (position, argument) in more.iter().enumerate() {
            let start = SLOT * position as u64;
            let mut tag = 0;
            if let Argument::Value(value, _) = *argument {
                let ty = self.type_of(value);
                tag = type_number(ty);
                cells.push(cell(start, TAG));
                cells.push(cell(start + VALUE, ty));
                values.push((start + VALUE, value));
            } else {
                cells.push(cell(start, TAG));
            }
            let tag = self.number(TAG, tag);
            values.push((start, tag));
        }
        let end = SLOT * more.len() as u64;
        cells.push(cell(end, TAG));
        let none = self.number(TAG, 0);
        values.push((end, none));
        let object = self.list_object(Layout { stride: end + SLOT, cells });
        self.emit(Op::Enter(object));
        for (offset, value) in values {
            let place = Place::Object { object, offset: offset as i64 };
            self.emit(Op::Store { place, value, atomic: false });
        }
        object
    }

    fn list_object(&mut self, layout: Layout) -> ObjectId {
        let layout = self.pool.layout(layout);
        let scope = ObjectScope::Procedure(self.current.procedure);
        let name = self.object_name("arguments");
        self.pool.object(Object { name, scope, layout, count: 1, init: vec![], constant: false })
    }

    /// `va_start`.
    pub fn va_start(&mut self, list: hir::ExprId) {
        let spot = self.list(list);
        let word = self.word();
        let Some(local) = self.frame().varargs else {
            return self.refuse("va_start outside a function with a variable number of arguments");
        };
        let first = self.pool.read(local);
        let first = self.resize(first, word, false);
        self.store_cell(spot, first);
    }

    /// `va_copy`.
    pub fn va_copy(&mut self, to: hir::ExprId, from: hir::ExprId) {
        let to = self.list(to);
        let from = self.list(from);
        let value = self.list_value(from);
        self.store_cell(to, value);
    }

    fn list(&mut self, address: hir::ExprId) -> Spot {
        let ty = self.hir.exprs[address].ty;
        let pointee = self.types().pointee(ty).map_or(ty, |to| to.ty);
        let pointer = self.value(address);
        self.pointed(pointer, pointee)
    }

    fn list_value(&mut self, spot: Spot) -> ExprId {
        let word = self.word();
        let local = self.temporary(word);
        if let Some(place) = self.memory_place(spot) {
            self.emit(Op::Load { local, place, atomic: false });
        }
        self.pool.read(local)
    }

    /// `va_arg(list, T)`.
    pub fn va_arg(&mut self, list: PlaceId, ty: TypeId) -> ExprId {
        let spot = self.place(list);
        let Some(scalar) = self.scalar_of(ty) else {
            self.refuse("va_arg of a type that is no scalar");
            return self.any_constant(ty);
        };
        let next = self.list_value(spot);
        let step = self.number(self.word(), u128::from(SLOT));
        let after = self.binary(Binary::Add, next, step);
        self.store_cell(spot, after);
        let result = self.temporary(scalar);
        self.listed_argument(next, result);
        self.pool.read(result)
    }

    /// The next argument of a list as a number of 64 bits, whatever its integer type; one with fewer bytes
    /// than wanted is undefined behaviour. For the library's own `printf`.
    pub fn any_integer_argument(&mut self, list: hir::ExprId, bytes: hir::ExprId) -> Option<ExprId> {
        let hir::ExprKind::Load(place) = self.hir.exprs[list].kind else { return None };
        let bytes = self.value(bytes);
        let spot = self.place(place);
        let next = self.list_value(spot);
        let step = self.number(self.word(), u128::from(SLOT));
        let after = self.binary(Binary::Add, next, step);
        self.store_cell(spot, after);
        let result = self.temporary(Scalar::Bits(64));
        let pointer = self.resize(next, Scalar::Pointer, false);
        let tag = self.temporary(TAG);
        self.emit(Op::Load { local: tag, place: Place::Pointer { pointer, offset: 0 }, atomic: false });
        let end = self.label();
        for scalar in [Scalar::Bits(32), Scalar::Bits(64), Scalar::Pointer] {
            let past = self.label();
            let (tag, number) = (self.pool.read(tag), self.number(TAG, type_number(scalar)));
            let hit = self.binary(Binary::Eq, tag, number);
            self.jump_if_true(hit, past, false);
            let size = scalar.bits(self.pool.draft().pointer_bits()) / 8;
            let size = self.number(Scalar::Bits(32), u128::from(size));
            let fits = self.binary(Binary::LeU, bytes, size);
            self.jump_if_true(fits, past, false);
            let local = self.temporary(scalar);
            let place = Place::Pointer { pointer, offset: VALUE as i64 };
            self.emit(Op::Load { local, place, atomic: false });
            let value = self.pool.read(local);
            let value = self.resize(value, Scalar::Bits(64), true);
            self.emit(Op::Assign { local: result, value });
            self.goto(end);
            self.place_label(past);
        }
        self.emit(Op::Undefined(NO_ARGUMENT.into()));
        self.place_label(end);
        Some(self.pool.read(result))
    }

    /// The argument at an address.
    fn listed_argument(&mut self, next: ExprId, result: LocalId) {
        let scalar = self.pool.draft().locals()[result].ty;
        let pointer = self.resize(next, Scalar::Pointer, false);
        let tag = self.temporary(TAG);
        self.emit(Op::Load { local: tag, place: Place::Pointer { pointer, offset: 0 }, atomic: false });
        let tag = self.pool.read(tag);
        let wanted = self.number(TAG, type_number(scalar));
        let hit = self.binary(Binary::Eq, tag, wanted);
        let fine = self.label();
        self.jump_if_true(hit, fine, true);
        self.emit(Op::Undefined(NO_ARGUMENT.into()));
        self.place_label(fine);
        let place = Place::Pointer { pointer, offset: VALUE as i64 };
        self.emit(Op::Load { local: result, place, atomic: false });
    }
}

fn cell(offset: u64, ty: Scalar) -> Cell {
    Cell { offset, ty: CellType::Scalar(ty), name: format!("[{offset}]") }
}

/// The number of a type in a list of arguments; no type has 0.
fn type_number(ty: Scalar) -> u128 {
    match ty {
        Scalar::Bits(bits) => u128::from(bits),
        Scalar::Pointer => 1_000,
        Scalar::Float => 1_001,
        Scalar::Double => 1_002,
    }
}
