//! Static initialisers of library types: whatever the headers say they are made of, only their kind counts.

use base::Span;

use super::super::hir::InitCell;
use super::super::types::{Opaque, Type, TypeId};
use super::Checker;
use super::init::{Filler, Target};

impl Checker {
    /// The cell of a library object: its kind is all that counts.
    pub(super) fn opaque_cell(&mut self, target: Target, inside: &Filler, span: Span, filler: &mut Filler) {
        let Type::Opaque(kind, inner) = *self.ty(target.ty) else { return };
        let offset = match kind {
            Opaque::Mutex => self.kind_offset(inner, 8),
            _ => None,
        };
        let cell = offset.and_then(|offset| inside.cells.iter().rfind(|cell| cell.offset == offset));
        let number = cell.and_then(|cell| self.constant(cell.value)).unwrap_or(0);
        self.push_opaque(target, kind, number, span, filler);
    }

    pub(super) fn push_opaque(
        &mut self,
        target: Target,
        kind: Opaque,
        number: i128,
        span: Span,
        filler: &mut Filler,
    ) {
        // glibc numbers: 0 and 3 are normal, 1 recursive, 2 errorcheck.
        let number = if kind == Opaque::Mutex && !(1..=2).contains(&number) { 0 } else { number };
        let value = self.integer(number, self.basic.int, span);
        self.push_cell(InitCell { offset: target.offset, bits: None, ty: target.ty, value }, span, filler);
    }

    /// Where the C library keeps the kind of a mutex.
    fn kind_offset(&self, ty: TypeId, depth: u32) -> Option<u64> {
        if depth == 0 {
            return None;
        }
        let record = self.program.types.record(ty)?;
        let fields = self.program.types.records[record].fields.as_ref()?;
        let named = fields.iter().find(|field| matches!(field.name.as_deref(), Some("__kind" | "__m_kind")));
        if let Some(field) = named {
            return Some(field.offset);
        }
        fields.iter().find_map(|field| Some(field.offset + self.kind_offset(field.ty.ty, depth - 1)?))
    }
}
