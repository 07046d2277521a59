//! Copying and setting of memory, scalar by scalar. What lies between the scalars of a type is copied and
//! set, too, and so is a part of one.

use ::c::{Binary, CellType, ExprId, Op, Type as Scalar, mask};

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
                CellType::Scalar(ty) => {
                    let value = this.repeated(value, ty);
                    this.store_cell(target, value);
                }
                CellType::Sync(kind, _) if this.constant(value) == Some(0) => {
                    this.initialise_sync(target, kind, 0)
                }
                CellType::Sync(..) => this.refuse("memset of a synchronisation object"),
            }
        });
        result
    }

    /// A byte repeated through a cell.
    fn repeated(&mut self, byte: ExprId, ty: Scalar) -> ExprId {
        let bytes = CellType::Scalar(ty).bytes(self.pool.exprs().pointer_bits());
        let wide = Scalar::Bits(8 * bytes as u8);
        let ones = (0..bytes).fold(0u128, |sum, at| sum | 1 << (at * 8));
        match (ty, self.constant(byte)) {
            (_, Some(0)) => self.number(ty, 0),
            (Scalar::Bits(1), Some(1)) => self.number(ty, 1),
            (_, Some(number)) => self.number(wide, (number & mask(8)).wrapping_mul(ones)),
            (_, None) => {
                let value = self.resize(byte, wide, false);
                let factor = self.number(wide, ones);
                self.binary(Binary::Mul, value, factor)
            }
        }
    }

    /// The shape of what memory is copied or set as: bytes, where nothing is known.
    fn copied_shape(&mut self, ty: TypeId) -> Option<Shape> {
        match self.types().size(ty) {
            Some(_) => self.shape_or_refuse(ty),
            None => Some(Shape { layout: self.byte_layout(), count: 1 }),
        }
    }

    /// The scalars of the first bytes of elements of a shape; a last one may be a part.
    fn scalars_of(&mut self, shape: &Shape, total: u64) -> Vec<(u64, CellType)> {
        let bits = self.pool.exprs().pointer_bits();
        let element = shape.with_gaps(bits);
        let stride = shape.layout.stride;
        let all = (0..total.div_ceil(stride))
            .flat_map(|number| element.iter().map(move |(offset, cell)| (number * stride + offset, *cell)));
        let cut = |(offset, cell): (u64, CellType)| {
            if offset + cell.bytes(bits) <= total {
                return (offset, cell);
            }
            // A part of a synchronisation object is refused where it is reached.
            let bytes = (total - offset).min(16);
            (offset, CellType::Scalar(Scalar::Bits(8 * bytes as u8)))
        };
        all.filter(|(offset, _)| *offset < total).map(cut).collect()
    }

    /// Does something for each cell of the first bytes at a spot, and for the bytes between them; the offset
    /// comes as an expression.
    pub(super) fn cell_by_cell(
        &mut self,
        spot: Spot,
        bytes: ExprId,
        mut each: impl FnMut(&mut Self, ExprId, CellType),
    ) {
        let Some(shape) = self.copied_shape(spot.ty) else { return };
        let (word, stride) = (self.word(), shape.layout.stride);
        let scalars = shape.with_gaps(self.pool.exprs().pointer_bits());
        if let Some(total) = self.constant(bytes)
            && total / u128::from(stride) * (scalars.len() as u128) <= u128::from(UNROLLED)
        {
            for (offset, cell) in self.scalars_of(&shape, total as u64) {
                let mark = self.mark();
                let at = self.number(word, u128::from(offset));
                each(self, at, cell);
                self.release(mark);
            }
            return;
        }
        let bytes = self.keep(bytes);
        let mut whole = bytes;
        if stride > 1 {
            let size = self.number(word, u128::from(stride));
            let rest = self.binary(Binary::RemU, bytes, size);
            whole = self.binary(Binary::Sub, bytes, rest);
            whole = self.keep(whole);
        }
        self.for_each_element(whole, stride, |this, index| {
            for &(within, cell) in &scalars {
                let mark = this.mark();
                let within = this.number(word, u128::from(within));
                let offset = this.binary(Binary::Add, index, within);
                each(this, offset, cell);
                this.release(mark);
            }
        });
        let rest = self.constant(whole).is_none() || self.constant(whole) != self.constant(bytes);
        if stride > 1 && rest {
            self.for_each_from(whole, bytes, 1, |this, index| {
                each(this, index, CellType::Scalar(Scalar::Bits(8)));
            });
        }
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
        let Some(shape) = self.copied_shape(target.ty) else { return };
        let total = self.constant(bytes).and_then(|total| u64::try_from(total).ok());
        let Some(total) =
            total.filter(|total| total / shape.layout.stride * shape.layout.cells.len() as u64 <= UNROLLED)
        else {
            return self.move_by_copy(target, source, bytes);
        };
        let mut moved = vec![];
        for (offset, cell) in self.scalars_of(&shape, total) {
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
        let bytes = self.keep(bytes);
        let layout = self.byte_layout();
        let layout = self.pool.layout(layout);
        let local = self.temporary(Scalar::Pointer);
        self.emit(Op::Alloc { local, layout, count: bytes, zeroed: false, automatic: true });
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
