//! Copying and setting of memory, cell by cell.

use ::c::{Binary, CellType, ExprId, Layout, Op, Type as Scalar, mask};

use super::super::hir;
use super::super::normalise::{Normaliser, Shape, Spot};
use super::super::types::TypeId;

/// What memory is set to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Byte {
    /// The value of an argument.
    Of(hir::ExprId),
    /// Zero.
    Zero,
}

/// Copies of more cells than this are loops.
const UNROLLED: u64 = 64;

impl Normaliser<'_> {
    pub(super) fn memset(&mut self, to: hir::ExprId, value: hir::ExprId, size: hir::ExprId) -> ExprId {
        self.set_memory(to, Byte::Of(value), size)
    }

    pub(super) fn set_memory(&mut self, to: hir::ExprId, byte: Byte, size: hir::ExprId) -> ExprId {
        let mut spot = self.target(to);
        self.keep_spot(&mut spot);
        let result = self.address(spot);
        let value = match byte {
            Byte::Of(value) => self.value(value),
            Byte::Zero => self.int(0),
        };
        let value = self.keep(value);
        let bytes = self.value(size);
        let bytes = self.resize(bytes, self.word(), false);
        let value = self.resize(value, Scalar::Bits(8), false);
        self.cell_by_cell(spot, bytes, |this, offset, cell| {
            let target = shifted(this, spot, offset);
            match cell {
                CellType::Scalar(ty) => match this.repeated(value, ty) {
                    Some(value) => this.store_cell(target, value),
                    None => this.refuse("memset of a cell to what is no zero"),
                },
                CellType::Sync(kind, _) if this.constant(value) == Some(0) => {
                    this.initialise_sync(target, kind, 0)
                }
                CellType::Sync(..) => this.refuse("memset of a synchronisation object"),
            }
        });
        result
    }

    /// A byte repeated through a cell.
    fn repeated(&mut self, byte: ExprId, ty: Scalar) -> Option<ExprId> {
        let number = self.constant(byte);
        let ones = |bits: u8| (0..bits / 8).fold(0u128, |sum, at| sum | 1 << (at * 8));
        match (ty, number) {
            (_, Some(0)) => Some(self.number(ty, 0)),
            (Scalar::Bits(bits), Some(number)) if bits % 8 == 0 => {
                Some(self.number(ty, (number & mask(8)).wrapping_mul(ones(bits))))
            }
            (Scalar::Bits(1), Some(1)) => Some(self.number(ty, 1)),
            (Scalar::Bits(bits), None) if bits % 8 == 0 => {
                let wide = self.resize(byte, ty, false);
                let factor = self.number(ty, ones(bits));
                Some(self.binary(Binary::Mul, wide, factor))
            }
            _ => None,
        }
    }

    /// Does something for each cell of the first bytes at a spot; the offset comes as an expression.
    pub(super) fn cell_by_cell(
        &mut self,
        spot: Spot,
        bytes: ExprId,
        mut each: impl FnMut(&mut Self, ExprId, CellType),
    ) {
        let Some(shape) = self.shape_or_refuse(spot.ty) else { return };
        let (word, stride) = (self.word(), shape.layout.stride);
        if let Some(total) = self.constant(bytes)
            && total / u128::from(stride) * (shape.layout.cells.len() as u128) <= u128::from(UNROLLED)
        {
            let total = total as u64;
            let pointer_bits = self.pool.exprs().pointer_bits();
            let count = total.div_ceil(stride);
            let whole = Shape { layout: shape.layout, count };
            for (offset, cell) in whole.cells().filter(|(offset, _)| *offset < total) {
                if offset + cell.bytes(pointer_bits) > total {
                    return self.refuse("a part of a scalar copied or set");
                }
                let mark = self.mark();
                let at = self.number(word, u128::from(offset));
                each(self, at, cell);
                self.release(mark);
            }
            return;
        }
        let bytes = self.keep(bytes);
        let size = self.number(word, u128::from(stride));
        if stride > 1 {
            self.refuse_remainder(bytes, size);
        }
        self.for_each_element(bytes, stride, |this, index| {
            for cell in &shape.layout.cells {
                let mark = this.mark();
                let within = this.number(word, u128::from(cell.offset));
                let offset = this.binary(Binary::Add, index, within);
                each(this, offset, cell.ty);
                this.release(mark);
            }
        });
    }

    pub(super) fn memcpy(
        &mut self,
        name: &str,
        to: hir::ExprId,
        from: hir::ExprId,
        size: hir::ExprId,
    ) -> ExprId {
        let mut target = self.target(to);
        self.keep_spot(&mut target);
        let mut source = self.target(from);
        self.keep_spot(&mut source);
        let bytes = self.value(size);
        let bytes = self.resize(bytes, self.word(), false);
        let result = self.address(target);
        // Bytes and `void` say nothing about the cells: the other side may.
        let plain = |this: &Self, ty: TypeId| this.types().size(ty).is_none_or(|size| size == 1);
        if plain(self, target.ty) {
            target.ty = source.ty;
        }
        if self.types().size(target.ty).is_none() {
            self.refuse("a copy between pointers to void");
            return result;
        }
        if name == "memmove" {
            self.move_cells(target, source, bytes);
        } else {
            self.copy_cells(target, source, bytes);
        }
        if name == "mempcpy" { self.binary(Binary::Add, result, bytes) } else { result }
    }

    /// Copies the first bytes at a spot.
    pub(super) fn copy_cells(&mut self, target: Spot, source: Spot, bytes: ExprId) {
        self.cell_by_cell(target, bytes, |this, offset, cell| {
            if let Some(value) = this.copied_cell(source, offset, cell) {
                let spot = shifted(this, target, offset);
                this.store_cell(spot, value);
            }
        });
    }

    /// The value of a cell, this far from a spot.
    pub(super) fn copied_cell(&mut self, source: Spot, offset: ExprId, cell: CellType) -> Option<ExprId> {
        let CellType::Scalar(ty) = cell else {
            self.refuse("a copy of a synchronisation object");
            return None;
        };
        let spot = shifted(self, source, offset);
        let local = self.temporary(ty);
        let place = self.memory_place(spot)?;
        self.emit(Op::Load { local, place, atomic: false });
        Some(self.pool.read(local))
    }

    /// `memmove`: everything is read before anything is written.
    fn move_cells(&mut self, target: Spot, source: Spot, bytes: ExprId) {
        let Some(shape) = self.shape_or_refuse(target.ty) else { return };
        let total = self.constant(bytes).and_then(|total| u64::try_from(total).ok());
        let Some(total) =
            total.filter(|total| total / shape.layout.stride * shape.layout.cells.len() as u64 <= UNROLLED)
        else {
            return self.move_by_copy(target, source, bytes);
        };
        let mut moved = vec![];
        let count = total.div_ceil(shape.layout.stride);
        let whole = Shape { layout: shape.layout, count };
        let bits = self.pool.exprs().pointer_bits();
        for (offset, cell) in whole.cells().filter(|(offset, _)| *offset < total) {
            if offset + cell.bytes(bits) > total {
                return self.refuse("a part of a scalar copied or set");
            }
            let at = self.number(self.word(), u128::from(offset));
            if let Some(value) = self.copied_cell(source, at, cell) {
                moved.push((offset, value));
            }
        }
        for (offset, value) in moved {
            self.store_cell(target.at(offset, target.ty), value);
        }
    }

    /// The same by way of an object in between.
    fn move_by_copy(&mut self, target: Spot, source: Spot, bytes: ExprId) {
        let Some(shape) = self.shape_or_refuse(target.ty) else { return };
        let (word, bytes) = (self.word(), self.keep(bytes));
        let stride = shape.layout.stride;
        let size = self.number(word, u128::from(stride));
        if stride > 1 {
            self.refuse_remainder(bytes, size);
        }
        let count = self.binary(Binary::DivU, bytes, size);
        let element = Layout { stride, cells: shape.layout.cells };
        let layout = self.pool.layout(element);
        let local = self.temporary(Scalar::Pointer);
        self.emit(Op::Alloc { local, layout, count, zeroed: false, automatic: true });
        let pointer = self.pool.read(local);
        let between = self.pointed(pointer, target.ty);
        self.copy_cells(between, source, bytes);
        self.copy_cells(target, between, bytes);
        self.emit(Op::Free { pointer, automatic: true });
    }
}

/// A spot moved by computed bytes.
pub(super) fn shifted(this: &mut Normaliser<'_>, spot: Spot, offset: ExprId) -> Spot {
    let mut moved = spot;
    this.add_index(&mut moved, offset, 1);
    moved
}
