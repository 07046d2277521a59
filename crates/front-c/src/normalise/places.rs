//! Lvalues: from a place of the source to a register, or to an object or pointer with bytes added.

use ::c::{Binary, ExprId, LocalId, Node, ObjectId, Place, Type as Scalar};

use super::super::hir::{self, PlaceId, PlaceKind};
use super::super::types::{RecordId, TypeId};
use super::Normaliser;
use super::context::Binding;
use super::shapes::BitSpot;

/// What a spot is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register: the whole of it.
    Register(LocalId),
    /// A constant that stands for a variable.
    Value(ExprId),
    /// A declared object.
    Object(ObjectId),
    /// What a pointer points to.
    Pointer(ExprId),
}

/// Where something is stored.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// What it is counted from.
    pub base: Base,
    /// Bytes added.
    pub offset: i64,
    /// Computed bytes added: bits of a pointer's width.
    pub index: Option<ExprId>,
    /// The bits of a bit-field.
    pub bits: Option<BitSpot>,
    /// The type of what is there.
    pub ty: TypeId,
    /// Whether accesses are atomic operations.
    pub atomic: bool,
}

impl Spot {
    /// The start of something.
    pub fn new(base: Base, ty: TypeId) -> Spot {
        Spot { base, offset: 0, index: None, bits: None, ty, atomic: false }
    }

    /// This many bytes further on, as another type.
    pub fn at(self, offset: u64, ty: TypeId) -> Spot {
        Spot { offset: self.offset.wrapping_add(offset as i64), bits: None, ty, ..self }
    }
}

impl Normaliser<'_> {
    /// Evaluates an lvalue.
    pub fn place(&mut self, id: PlaceId) -> Spot {
        let place = &self.hir.places[id];
        let mut spot = match &place.kind {
            PlaceKind::Variable(variable) => {
                let base = self.variable(*variable);
                Spot::new(base, place.ty.ty)
            }
            PlaceKind::Deref(e) => {
                let pointer = self.value(*e);
                self.pointed(pointer, place.ty.ty)
            }
            PlaceKind::Index { array, index } => self.element(*array, *index, place.ty.ty),
            PlaceKind::Member { base, record, field } => self.member(*base, *record, *field),
            PlaceKind::String(string) => Spot::new(Base::Object(self.string_object(*string)), place.ty.ty),
            PlaceKind::CompoundLiteral(variable) => {
                let base = self.compound_literal(*variable);
                Spot::new(base, place.ty.ty)
            }
            PlaceKind::Temporary(e) => self.record(*e),
        };
        spot.ty = place.ty.ty;
        spot.atomic = place.ty.qualifiers.is_atomic();
        spot
    }

    fn element(&mut self, array: PlaceId, index: hir::ExprId, ty: TypeId) -> Spot {
        let mut spot = self.place(array);
        if self.facts.has_effects(index) {
            self.keep_spot(&mut spot);
        }
        let index = self.value(index);
        let Some(size) = self.types().size(ty) else {
            self.refuse("an array of variable-length arrays");
            return spot;
        };
        self.add_index(&mut spot, index, size);
        spot
    }

    /// Moves a spot by an index times a size.
    pub fn add_index(&mut self, spot: &mut Spot, index: ExprId, size: u64) {
        let word = self.word();
        let index = self.resize(index, word, true);
        let exprs = self.pool.exprs();
        match exprs.constant(index) {
            Some(number) => {
                let number = ::c::signed(number, exprs.pointer_bits()) as i64;
                spot.offset = spot.offset.wrapping_add(number.wrapping_mul(size as i64));
            }
            None => {
                let size = self.number(word, size as u128);
                let bytes = self.binary(Binary::Mul, index, size);
                spot.index = Some(match spot.index {
                    Some(before) => self.binary(Binary::Add, before, bytes),
                    None => bytes,
                });
            }
        }
    }

    fn member(&mut self, base: PlaceId, record: RecordId, field: u32) -> Spot {
        let spot = self.place(base);
        let types = self.types();
        let Some(member) =
            types.records[record].fields.as_ref().and_then(|fields| fields.get(field as usize))
        else {
            self.refuse("a member of an incomplete record");
            return spot;
        };
        match self.bit_fields(record).get(field as usize).copied().flatten() {
            Some(bits) => Spot { bits: Some(bits), ..spot.at(bits.offset, member.ty.ty) },
            None => spot.at(member.offset, member.ty.ty),
        }
    }

    /// What a variable is here.
    pub fn variable(&mut self, variable: hir::VarId) -> Base {
        let binding = self.frame().env.get(&variable).copied();
        let base = match binding.or_else(|| self.statics.get(&variable).copied()) {
            Some(Binding::Register(local)) => Base::Register(local),
            Some(Binding::Object(object)) => Base::Object(object),
            Some(Binding::Value(value)) => Base::Value(value),
            Some(Binding::Pointed(local)) => Base::Pointer(self.pool.read(local)),
            None => self.late_variable(variable),
        };
        if binding.is_none()
            && let Some(&known) = self.statics.get(&variable)
        {
            self.check_first_value(known);
        }
        base
    }

    /// The spot that a pointer points to. Constant parts of the pointer become part of the spot.
    pub fn pointed(&mut self, pointer: ExprId, ty: TypeId) -> Spot {
        let mut spot = Spot::new(Base::Pointer(pointer), ty);
        let mut at = pointer;
        loop {
            let exprs = self.pool.exprs();
            match exprs.node(at) {
                Node::Address(object) => {
                    spot.base = Base::Object(object);
                    return spot;
                }
                Node::Binary(op @ (Binary::Add | Binary::Sub), start, bytes)
                    if exprs.ty(start) == Scalar::Pointer =>
                {
                    match exprs.constant(bytes) {
                        Some(number) => {
                            let number = ::c::signed(number, exprs.pointer_bits()) as i64;
                            let number = if op == Binary::Sub { number.wrapping_neg() } else { number };
                            spot.offset = spot.offset.wrapping_add(number);
                            spot.base = Base::Pointer(start);
                        }
                        None if op == Binary::Add && matches!(exprs.node(start), Node::Address(_)) => {
                            spot.index = Some(bytes);
                        }
                        None => return spot,
                    }
                    at = start;
                }
                _ => return spot,
            }
        }
    }

    /// The address of a spot.
    pub fn address(&mut self, spot: Spot) -> ExprId {
        let start = match spot.base {
            Base::Object(object) => self.pool.address(object),
            Base::Pointer(pointer) => pointer,
            Base::Register(_) | Base::Value(_) => {
                self.refuse("the address of a register variable");
                return self.number(Scalar::Pointer, 0);
            }
        };
        let mut address = start;
        if let Some(index) = spot.index {
            address = self.binary(Binary::Add, address, index);
        }
        if spot.offset != 0 {
            let offset = self.number(self.word(), spot.offset as u128);
            address = self.binary(Binary::Add, address, offset);
        }
        address
    }

    /// The spot as a place of a step; `None` if it is no memory.
    pub fn memory_place(&mut self, spot: Spot) -> Option<Place> {
        match (spot.base, spot.index) {
            (Base::Object(object), None) => Some(Place::Object { object, offset: spot.offset }),
            (Base::Object(object), Some(index)) => {
                let offset = self.number(self.word(), spot.offset as u128);
                Some(Place::Indexed { object, offset: self.binary(Binary::Add, index, offset) })
            }
            (Base::Pointer(pointer), None) => Some(Place::Pointer { pointer, offset: spot.offset }),
            (Base::Pointer(pointer), Some(index)) => {
                let pointer = self.binary(Binary::Add, pointer, index);
                Some(Place::Pointer { pointer, offset: spot.offset })
            }
            (Base::Register(_) | Base::Value(_), _) => None,
        }
    }

    /// Keeps what a spot is computed from, whatever is assigned later.
    pub fn keep_spot(&mut self, spot: &mut Spot) {
        if let Base::Pointer(pointer) = spot.base {
            spot.base = Base::Pointer(self.keep(pointer));
        }
        spot.index = spot.index.map(|index| self.keep(index));
    }
}
