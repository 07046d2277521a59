//! Sizes, alignments and the layout of structs, unions and bit-fields: the System V ABI for x86-64 and i386.

use base::Span;

use super::types::{
    ArrayLength, BitRange, DataModel, Field, FloatKind, IntKind, Qualified, Type, TypeId, Types,
};

/// A member before it has a place.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name; `None` for anonymous records and unnamed bit-fields.
    pub name: Option<String>,
    /// The type.
    pub ty: Qualified,
    /// The width of a bit-field.
    pub width: Option<u32>,
    /// An alignment asked for, or 0.
    pub align: u64,
    /// Whether this member alone is packed.
    pub packed: bool,
    /// The declaration.
    pub span: Span,
}

/// A record's members with their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The members; unnamed bit-fields are left out.
    pub fields: Vec<Field>,
    /// The size.
    pub size: u64,
    /// The alignment.
    pub align: u64,
}

/// How a record is laid out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Whether it is a union.
    pub union: bool,
    /// Whether all members are packed.
    pub packed: bool,
    /// An alignment asked for, or 0.
    pub align: u64,
    /// What `#pragma pack` says: no member is aligned to more, or 0.
    pub pack: u64,
}

fn round_up(value: u64, align: u64) -> u64 {
    value.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX / 2)
}

impl Types {
    /// The bytes of an object; `None` for incomplete types, functions and variable-length arrays. `void` and
    /// functions count 1 in GNU C where a size is asked for; the caller sees to that.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        let mut id = id;
        let mut factor: u64 = 1;
        loop {
            let size = match self.get(id) {
                Type::Array { element, length: ArrayLength::Known(length) } => {
                    factor = factor.saturating_mul(*length);
                    id = element.ty;
                    continue;
                }
                Type::Opaque(_, inner) => {
                    id = *inner;
                    continue;
                }
                Type::Void | Type::Function(_) | Type::Array { .. } => return None,
                Type::Int(kind) => kind.size(self.model),
                Type::Float(kind) => self.float_size(*kind),
                Type::Complex(kind) => 2 * self.float_size(*kind),
                Type::Pointer(_) => self.model.pointer_size(),
                Type::Record(record) => {
                    self.records[*record].fields.as_ref()?;
                    self.records[*record].size
                }
                Type::Enum(id) => self.enums[*id].kind.size(self.model),
                Type::VaList => {
                    3 * self.model.pointer_size() * u64::from(self.model == DataModel::Lp64)
                        + self.ilp32_word()
                }
                Type::Unsupported(it) => it.size,
                Type::Error => 4,
            };
            return Some(size.saturating_mul(factor));
        }
    }

    fn ilp32_word(&self) -> u64 {
        if self.model == DataModel::Ilp32 { 4 } else { 0 }
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Float => 4,
            FloatKind::Double => 8,
            FloatKind::LongDouble if self.model == DataModel::Ilp32 => 12,
            FloatKind::LongDouble | FloatKind::Float128 => 16,
        }
    }

    /// The alignment that objects of a type have as members; 1 for incomplete types.
    pub fn align(&self, id: TypeId) -> u64 {
        let mut id = id;
        let ilp32 = self.model == DataModel::Ilp32;
        loop {
            return match self.get(id) {
                Type::Array { element, .. } if element.qualifiers.align() == 0 => {
                    id = element.ty;
                    continue;
                }
                Type::Array { element, .. } => element.qualifiers.align(),
                Type::Opaque(_, inner) => {
                    id = *inner;
                    continue;
                }
                Type::Void | Type::Function(_) => 1,
                Type::Int(IntKind::LongLong | IntKind::UnsignedLongLong) if ilp32 => 4,
                Type::Int(kind) => kind.size(self.model),
                Type::Float(FloatKind::Double | FloatKind::LongDouble) if ilp32 => 4,
                Type::Complex(FloatKind::Double | FloatKind::LongDouble) if ilp32 => 4,
                Type::Float(kind) | Type::Complex(kind) => self.float_size(*kind),
                Type::Pointer(_) | Type::VaList => self.model.pointer_size(),
                Type::Record(record) => self.records[*record].align,
                Type::Enum(id) => self.enums[*id].kind.size(self.model),
                Type::Unsupported(it) => it.align,
                Type::Error => 1,
            };
        }
    }

    /// The alignment of a type as it is named: a typedef may ask for another one, and what is atomic as a
    /// whole is aligned to its size.
    pub fn qualified_align(&self, ty: Qualified) -> u64 {
        let own = match ty.qualifiers.align() {
            0 => self.align(ty.ty),
            own => own,
        };
        match self.size(ty.ty) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if ty.qualifiers.is_atomic() => own.max(size),
            _ => own,
        }
    }

    /// Gives each member its place, as gcc does on x86.
    pub fn lay_out(&self, members: Vec<Member>, shape: Shape) -> Layout {
        let mut run = Run { bits: 0, bytes: 0, align: shape.align.max(1) };
        let mut fields = vec![];
        for member in members {
            if shape.union {
                run.bits = 0;
            }
            let field = match member.width {
                Some(width) => self.bit_field(member, width, shape, &mut run),
                None => Some(self.plain_field(member, shape, &mut run)),
            };
            run.bytes = run.bytes.max(run.bits.div_ceil(8));
            fields.extend(field);
        }
        Layout { fields, size: round_up(run.bytes, run.align), align: run.align }
    }

    fn plain_field(&self, member: Member, shape: Shape, run: &mut Run) -> Field {
        let packed = shape.packed || member.packed;
        // What a member itself asks for wins over packing, what its type asks for does not.
        let natural = if packed { 1 } else { self.qualified_align(member.ty) };
        let align = at_most(natural.max(member.align), shape.pack);
        run.align = run.align.max(align);
        let offset = round_up(run.bits.div_ceil(8), align);
        // A flexible array member has no size of its own.
        let size = self.size(member.ty.ty).unwrap_or(0);
        run.bits = offset.saturating_add(size).min(u64::MAX / 16) * 8;
        Field { name: member.name, ty: member.ty, offset, bits: None, span: member.span }
    }

    fn bit_field(&self, member: Member, width: u32, shape: Shape, run: &mut Run) -> Option<Field> {
        let unit = self.size(member.ty.ty).unwrap_or(4).max(1) * 8;
        let own = self.qualified_align(member.ty);
        if width == 0 {
            // Neither `packed` nor `#pragma pack` has a say here.
            run.bits = round_up(run.bits, own.max(member.align) * 8);
            return None;
        }
        let packed = shape.packed || member.packed;
        if member.align > 0 {
            run.bits = round_up(run.bits, at_most(member.align, shape.pack) * 8);
        }
        let spans = (run.bits % (own * 8) + u64::from(width)).div_ceil(own * 8) > unit / (own * 8);
        if !packed && shape.pack == 0 && spans {
            run.bits = round_up(run.bits, own * 8);
        }
        if member.name.is_some() {
            let of_type = if shape.pack > 0 {
                own.min(shape.pack)
            } else if packed {
                1
            } else {
                own
            };
            run.align = run.align.max(of_type).max(at_most(member.align, shape.pack));
        }
        let start = run.bits;
        run.bits += u64::from(width);
        let crosses = start / unit != (run.bits - 1) / unit;
        let base = if crosses { start / 8 * 8 } else { start / unit * unit };
        let bits = BitRange { start: (start - base) as u32, width };
        let name = member.name?;
        Some(Field { name: Some(name), ty: member.ty, offset: base / 8, bits: Some(bits), span: member.span })
    }
}

/// The alignment under a limit, if there is one.
fn at_most(align: u64, limit: u64) -> u64 {
    if limit > 0 { align.min(limit) } else { align }
}

/// How far the layout has come.
struct Run {
    /// The first free bit.
    bits: u64,
    /// The bytes needed so far.
    bytes: u64,
    align: u64,
}
