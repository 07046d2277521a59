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
}

fn round_up(value: u64, align: u64) -> u64 {
    value.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX / 2)
}

impl Types {
    /// The bytes of an object; `None` for incomplete types, functions and variable-length arrays. `void` and functions count 1 in
    /// GNU C where a size is asked for; the caller sees to that.
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
                Type::Array { element, .. } => {
                    id = element.ty;
                    continue;
                }
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
                Type::Error => 1,
            };
        }
    }

    /// Gives each member its place.
    pub fn lay_out(&self, members: Vec<Member>, shape: Shape) -> Layout {
        let mut run = Run { bits: 0, bytes: 0, align: 1 };
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
        let align = run.align.max(shape.align);
        Layout { fields, size: round_up(run.bytes, align), align }
    }

    fn member_align(&self, member: &Member, shape: Shape) -> u64 {
        let natural = if shape.packed || member.packed { 1 } else { self.align(member.ty.ty) };
        natural.max(member.align)
    }

    fn plain_field(&self, member: Member, shape: Shape, run: &mut Run) -> Field {
        let align = self.member_align(&member, shape);
        run.align = run.align.max(align);
        let offset = round_up(run.bits.div_ceil(8), align);
        // A flexible array member has no size of its own.
        let size = self.size(member.ty.ty).unwrap_or(0);
        run.bits = offset.saturating_add(size).min(u64::MAX / 16) * 8;
        Field { name: member.name, ty: member.ty, offset, bits: None, span: member.span }
    }

    fn bit_field(&self, member: Member, width: u32, shape: Shape, run: &mut Run) -> Option<Field> {
        let unit = self.size(member.ty.ty).unwrap_or(4).max(1) * 8;
        if width == 0 {
            run.bits = round_up(run.bits, unit);
            return None;
        }
        let packed = shape.packed || member.packed;
        if member.align > 0 {
            run.bits = round_up(run.bits, member.align * 8);
        }
        let crosses = run.bits / unit != (run.bits + u64::from(width) - 1) / unit;
        if !packed && crosses {
            run.bits = round_up(run.bits, unit);
        }
        if member.name.is_some() {
            let align = if packed { 1 } else { self.align(member.ty.ty) };
            run.align = run.align.max(align).max(member.align);
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

/// How far the layout has come.
struct Run {
    /// The first free bit.
    bits: u64,
    /// The bytes needed so far.
    bytes: u64,
    align: u64,
}
