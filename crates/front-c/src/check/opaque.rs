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
        // All other parts are zero in every initialiser of the library.
        let strange = |it: &InitCell| Some(it.offset) != offset && self.constant(it.value) != Some(0);
        let strange = kind == Opaque::Semaphore && inside.cells.iter().any(strange);
        let number = cell.map_or(Some(0), |cell| self.constant(cell.value)).filter(|_| !strange);
        self.push_opaque(target, kind, number, span, filler);
    }

    pub(super) fn push_opaque(
        &mut self,
        target: Target,
        kind: Opaque,
        number: Option<i128>,
        span: Span,
        filler: &mut Filler,
    ) {
        // glibc numbers: 0 and 3 are normal, 1 recursive, 2 errorcheck; others are robust or inherit
        // priorities.
        let value = match (kind, number) {
            (Opaque::Mutex, Some(3)) => self.integer(0, self.basic.int, span),
            (Opaque::Mutex, Some(number)) if !(0..=2).contains(&number) => {
                self.refused("an initialiser for a kind of mutex that is not known", target.ty, span)
            }
            (_, Some(number)) => self.integer(number, self.basic.int, span),
            (_, None) => {
                self.refused("an initialiser of a library object that is no constant", target.ty, span)
            }
        };
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
