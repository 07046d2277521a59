//! Reading and writing: one step for each scalar, two for storing a bit-field.

use ::c::{Binary, CellType, ExprId, LocalId, MutexKind, Op, SyncInit, SyncKind, SyncOp, Type as Scalar};

use super::super::types::TypeId;
use super::Normaliser;
use super::places::{Base, Spot};
use super::shapes::{BitSpot, Shape};

/// More scalars than this are not copied one by one; loops are used where that is possible.
pub const UNROLLED: u64 = 64;
/// Structs with more scalars than this are not copied.
const COPIED: u64 = 4_096;

impl Normaliser<'_> {
    /// The scalar at a spot.
    pub fn load(&mut self, spot: Spot) -> ExprId {
        let ty = self.scalar(spot.ty);
        match spot.base {
            Base::Register(local) => self.pool.read(local),
            Base::Value(value) => value,
            _ if spot.bits.is_some() => self.load_bits(spot, ty),
            _ => {
                let local = self.load_cell(spot, ty);
                self.pool.read(local)
            }
        }
    }

    /// Reads a cell into a new temporary.
    pub fn load_cell(&mut self, spot: Spot, ty: Scalar) -> LocalId {
        let local = self.temporary(ty);
        if let Some(place) = self.memory_place(spot) {
            self.emit(Op::Load { local, place, atomic: spot.atomic });
        }
        local
    }

    fn load_bits(&mut self, spot: Spot, ty: Scalar) -> ExprId {
        let Some(bits) = spot.bits else { return self.number(ty, 0) };
        let local = self.load_cell(spot, Scalar::Bits(bits.cell));
        let cell = self.pool.read(local);
        self.extract(cell, bits, spot.ty, ty)
    }

    /// A bit-field's value from its cell.
    fn extract(&mut self, cell: ExprId, bits: BitSpot, ty: TypeId, scalar: Scalar) -> ExprId {
        let shift = self.number(Scalar::Bits(bits.cell), u128::from(bits.shift));
        let moved = if bits.shift == 0 { cell } else { self.binary(Binary::ShrU, cell, shift) };
        let field = self.resize(moved, Scalar::Bits(bits.width as u8), false);
        let signed = self.is_signed(ty);
        self.resize(field, scalar, signed)
    }

    /// Writes a scalar.
    pub fn store(&mut self, spot: Spot, value: ExprId) {
        match spot.base {
            Base::Register(local) => self.emit(Op::Assign { local, value }),
            Base::Value(_) => self.refuse("an assignment to a constant"),
            _ if spot.bits.is_some() => self.store_bits(spot, value),
            _ => {
                if let Some(place) = self.memory_place(spot) {
                    self.emit(Op::Store { place, value, atomic: spot.atomic });
                }
            }
        }
    }

    fn store_bits(&mut self, spot: Spot, value: ExprId) {
        let Some(bits) = spot.bits else { return };
        let cell_ty = Scalar::Bits(bits.cell);
        let new = self.bits_for(spot, value);
        if u32::from(bits.cell) == bits.width {
            if let Some(place) = self.memory_place(spot) {
                self.emit(Op::Store { place, value: new, atomic: spot.atomic });
            }
            return;
        }
        let old = self.load_cell(spot, cell_ty);
        let old = self.pool.read(old);
        let mask = ::c::mask(bits.width as u8) << bits.shift;
        let others = self.number(cell_ty, !mask);
        let kept = self.binary(Binary::And, old, others);
        let value = self.binary(Binary::Or, kept, new);
        if let Some(place) = self.memory_place(spot) {
            self.emit(Op::Store { place, value, atomic: spot.atomic });
        }
    }

    /// A value at the place of its bit-field, zeros around it.
    fn bits_for(&mut self, spot: Spot, value: ExprId) -> ExprId {
        let Some(bits) = spot.bits else { return value };
        let cell_ty = Scalar::Bits(bits.cell);
        let field = self.resize(value, Scalar::Bits(bits.width as u8), false);
        let wide = self.resize(field, cell_ty, false);
        let shift = self.number(cell_ty, u128::from(bits.shift));
        if bits.shift == 0 { wide } else { self.binary(Binary::Shl, wide, shift) }
    }

    /// What an assignment to a spot gives: a bit-field gives what it can hold.
    pub fn as_stored(&mut self, spot: Spot, value: ExprId) -> ExprId {
        let Some(bits) = spot.bits else { return value };
        let ty = self.pool.exprs().ty(value);
        let field = self.resize(value, Scalar::Bits(bits.width as u8), false);
        let signed = self.is_signed(spot.ty);
        self.resize(field, ty, signed)
    }

    /// The shape of what is at a spot; refused if there is none.
    pub fn shape_or_refuse(&mut self, ty: TypeId) -> Option<Shape> {
        match self.shape(ty) {
            Ok(shape) => Some(shape),
            Err(construct) => {
                self.refuse(construct);
                None
            }
        }
    }

    /// The scalars in which a record is copied; a cell that members of a union divide is several.
    fn copied_scalars(&mut self, ty: TypeId) -> Option<Vec<(u64, CellType)>> {
        let shape = self.shape_or_refuse(ty)?;
        if shape.len() > COPIED {
            self.refuse("a copy of a large struct");
            return None;
        }
        let borders = self.union_borders(ty);
        let bits = self.pool.exprs().pointer_bits();
        let mut found = vec![];
        for (offset, cell) in shape.cells() {
            let end = offset + cell.bytes(bits);
            let inside = borders.iter().filter(|&&border| offset < border && border < end);
            let mut ends: Vec<u64> = inside.copied().collect();
            if ends.is_empty() || matches!(cell, CellType::Sync(..)) {
                found.push((offset, cell));
                continue;
            }
            ends.push(end);
            let mut start = offset;
            for end in ends {
                found.push((start, CellType::Scalar(Scalar::Bits(8 * (end - start) as u8))));
                start = end;
            }
        }
        Some(found)
    }

    /// Copies a record, a step for each read and each write.
    pub fn copy(&mut self, to: Spot, from: Spot) {
        let Some(scalars) = self.copied_scalars(to.ty) else { return };
        for (offset, cell) in scalars {
            let CellType::Scalar(ty) = cell else {
                self.refuse("a copy of a synchronisation object");
                continue;
            };
            let mark = self.mark();
            let local = self.load_cell(from.at(offset, to.ty), ty);
            let value = self.pool.read(local);
            self.store_cell(to.at(offset, to.ty), value);
            self.release(mark);
        }
    }

    /// Reads every scalar of a record, and forgets what was read.
    pub fn read_cells(&mut self, spot: Spot) {
        let Some(scalars) = self.copied_scalars(spot.ty) else { return };
        for (offset, cell) in scalars {
            if let CellType::Scalar(ty) = cell {
                let mark = self.mark();
                self.load_cell(spot.at(offset, spot.ty), ty);
                self.release(mark);
            }
        }
    }

    /// Writes a cell of its own type, whatever the type of the spot.
    pub fn store_cell(&mut self, spot: Spot, value: ExprId) {
        if let Some(place) = self.memory_place(spot) {
            self.emit(Op::Store { place, value, atomic: spot.atomic });
        }
    }

    /// Sets every cell to zero but those whose place and size are in a list.
    pub fn zero(&mut self, spot: Spot, but: &[(u64, u64)]) {
        let Some(shape) = self.shape_or_refuse(spot.ty) else { return };
        if shape.len() > UNROLLED && shape.count > 1 {
            return self.zero_loop(spot, &shape);
        }
        if shape.len() > COPIED {
            return self.refuse("an initialiser of a large struct");
        }
        let bits = self.pool.exprs().pointer_bits();
        for (offset, cell) in shape.cells().filter(|(at, cell)| !but.contains(&(*at, cell.bytes(bits)))) {
            self.zero_cell(spot.at(offset, spot.ty), cell);
        }
    }

    fn zero_loop(&mut self, spot: Spot, shape: &Shape) {
        let word = self.word();
        let bytes = self.number(word, u128::from(shape.count.saturating_mul(shape.layout.stride)));
        self.for_each_element(bytes, shape.layout.stride, |this, index| {
            let mut element = spot;
            this.add_index(&mut element, index, 1);
            for cell in &shape.layout.cells {
                this.zero_cell(element.at(cell.offset, spot.ty), cell.ty);
            }
        });
    }

    /// A loop over bytes from 0 on in steps, as long as they are below `bytes`.
    pub fn for_each_element(&mut self, bytes: ExprId, stride: u64, body: impl FnOnce(&mut Self, ExprId)) {
        let zero = self.number(self.word(), 0);
        self.for_each_from(zero, bytes, stride, body);
    }

    /// The same from another byte on.
    pub fn for_each_from(
        &mut self,
        first: ExprId,
        bytes: ExprId,
        stride: u64,
        body: impl FnOnce(&mut Self, ExprId),
    ) {
        let word = self.word();
        let (top, end) = (self.label(), self.label());
        let counter = self.temporary(word);
        self.emit(Op::Assign { local: counter, value: first });
        self.place_label(top);
        let at = self.pool.read(counter);
        let inside = self.binary(Binary::LtU, at, bytes);
        let outside = self.not(inside);
        self.branch(outside, end);
        body(self, at);
        let step = self.number(word, u128::from(stride));
        let value = self.binary(Binary::Add, at, step);
        self.emit(Op::Assign { local: counter, value });
        self.goto(top);
        self.place_label(end);
    }

    /// Sets one cell to zero; a synchronisation object to its first state.
    pub fn zero_cell(&mut self, spot: Spot, cell: CellType) {
        match cell {
            CellType::Scalar(ty) => {
                let zero = self.number(ty, 0);
                self.store_cell(spot, zero);
            }
            CellType::Sync(kind, _) => self.initialise_sync(spot, kind, 0),
        }
    }

    /// Gives a synchronisation object the state of a static initialiser.
    pub fn initialise_sync(&mut self, spot: Spot, kind: SyncKind, variant: i128) {
        let zero = self.number(Scalar::Bits(32), 0);
        let init = match kind {
            SyncKind::Mutex => SyncInit::Mutex(mutex_kind(variant)),
            SyncKind::RwLock => SyncInit::RwLock,
            SyncKind::Cond => SyncInit::Cond,
            SyncKind::Once => SyncInit::Once,
            SyncKind::Semaphore => SyncInit::Semaphore(zero),
            // A barrier of zeros is not initialised: nothing to do.
            SyncKind::Barrier => return,
        };
        if let Some(place) = self.memory_place(spot) {
            self.emit(Op::Sync { op: SyncOp::Init(init), place, code: None });
        }
    }
}

/// The kind of a mutex by its number.
pub fn mutex_kind(variant: i128) -> MutexKind {
    match variant {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    }
}
