//! Declarations of locals: what a variable is bound to, and the steps of its initialiser.

use ::c::{CellType, LocalId, Op, Type as Scalar};

use super::super::hir::{self, InitCell, VarId};
use super::super::types::{ArrayLength, Qualifiers, Type, TypeId};
use super::Normaliser;
use super::context::Binding;
use super::memory::UNROLLED;
use super::places::{Base, Spot};
use super::shapes::{BitSpot, sync_kind};

impl Normaliser<'_> {
    /// Binds a local variable of the current function.
    pub fn bind_local(&mut self, variable: VarId) -> Binding {
        if let Some(&binding) = self.frame().env.get(&variable) {
            return binding;
        }
        let declared = &self.hir.variables[variable];
        let ty = declared.ty.ty;
        let binding = if self.is_variable_array(ty) {
            Binding::Pointed(self.variable_register(variable, Scalar::Pointer))
        } else {
            match self.scalar_of(ty).filter(|_| self.is_registered(variable)) {
                Some(scalar) => Binding::Register(self.variable_register(variable, scalar)),
                None => {
                    let name = if declared.name.is_empty() { "literal" } else { &declared.name };
                    let object = self.local_object(name, ty);
                    // Where there is none it was refused: whatever comes after is not reached.
                    Binding::Object(object.unwrap_or_else(|| self.unknown_object(name)))
                }
            }
        };
        self.frame().env.insert(variable, binding);
        binding
    }

    /// Whether a scalar is a register by its declaration. A volatile one is where the program says it is.
    fn is_registered(&self, variable: VarId) -> bool {
        let declared = &self.hir.variables[variable];
        let volatile = declared.ty.qualifiers.has(Qualifiers::VOLATILE);
        // A register counts while it is read; a variable leads to memory as long as it is in scope.
        let placed = volatile || self.options.leaks && !declared.name.is_empty();
        !declared.address_taken && !placed && !self.is_record(declared.ty.ty)
    }

    /// The register of a variable: always the same one in a procedure, since only one activation exists at a
    /// time.
    fn variable_register(&mut self, variable: VarId, ty: Scalar) -> LocalId {
        if let Some(&local) = self.current.registers.get(&variable) {
            return local;
        }
        let declared = &self.hir.variables[variable];
        let signed = self.is_signed(declared.ty.ty);
        let local = self.named_register(&declared.name, ty, signed);
        if declared.name.is_empty() {
            self.pool.local_mut(local).temporary = true;
        }
        self.current.registers.insert(variable, local);
        local
    }

    /// Whether it is an array whose length is not known before the program runs.
    pub fn is_variable_array(&self, ty: TypeId) -> bool {
        let mut ty = ty;
        while let Type::Array { element, length } = self.types().get(ty) {
            if matches!(length, ArrayLength::Variable(_)) {
                return true;
            }
            ty = element.ty;
        }
        false
    }

    /// A declaration is reached.
    pub fn declare(&mut self, variable: VarId) {
        let declared = &self.hir.variables[variable];
        let before = self.span;
        self.span = Some(declared.span);
        let mark = self.mark();
        match self.bind_local(variable) {
            Binding::Pointed(local) => {
                self.frame().arrays.push(variable);
                self.allocate_variable_array(local, declared.ty.ty);
            }
            Binding::Register(local) => match &declared.init {
                Some(init) if !init.cells.is_empty() => self.declare_register(variable, local, &init.cells),
                Some(_) => {
                    let ty = self.scalar(declared.ty.ty);
                    let zero = self.number(ty, 0);
                    self.emit(Op::Assign { local, value: zero });
                }
                None => self.emit(Op::any(local)),
            },
            Binding::Object(object) => {
                let spot = Spot::new(Base::Object(object), declared.ty.ty);
                if declared.init.is_some() {
                    self.initialise(spot, variable);
                } else if self.is_reached_again() {
                    self.forget_values(spot);
                }
            }
            Binding::Value(_) => {}
        }
        self.release(mark);
        self.span = before;
    }

    /// A declaration without initialiser that is reached again in its block: the object is the same, its
    /// value any (C11 6.2.4).
    fn forget_values(&mut self, spot: Spot) {
        let Some(shape) = self.shape_or_refuse(spot.ty) else { return };
        if shape.len() > UNROLLED {
            return self
                .refuse("a jump back to before the declaration of a large object without initialiser");
        }
        for (offset, cell) in shape.cells() {
            if let CellType::Scalar(ty) = cell {
                let mark = self.mark();
                let local = self.temporary(ty);
                self.emit(Op::any(local));
                let value = self.pool.read(local);
                self.store_cell(spot.at(offset, spot.ty), value);
                self.release(mark);
            }
        }
    }

    fn declare_register(&mut self, variable: VarId, local: LocalId, cells: &[InitCell]) {
        for cell in cells {
            let value = match self.use_of(variable) {
                Some(ty) => self.with_allocation_hint(ty, cell.value),
                None => self.value(cell.value),
            };
            self.emit(Op::Assign { local, value });
        }
    }

    /// Gives an object its first values: zeros first, then what is said, in order.
    pub fn initialise(&mut self, spot: Spot, variable: VarId) {
        let Some(init) = &self.hir.variables[variable].init else { return };
        if init.zero {
            let plain = init.cells.iter().filter(|cell| cell.bits.is_none());
            let written = plain.map(|cell| (cell.offset, self.types().size(cell.ty).unwrap_or(0)));
            let written: Vec<(u64, u64)> = written.collect();
            self.zero(spot, &written);
        }
        for cell in &init.cells {
            let mark = self.mark();
            self.initialise_cell(spot, cell);
            self.release(mark);
        }
    }

    fn initialise_cell(&mut self, spot: Spot, cell: &InitCell) {
        let target = spot.at(cell.offset, cell.ty);
        if let Type::Opaque(opaque, _) = *self.types().get(cell.ty)
            && let Some(kind) = sync_kind(opaque)
        {
            let variant = match self.hir.exprs[cell.value].kind {
                hir::ExprKind::Integer(variant) => variant,
                _ => return self.refuse("a copy of a synchronisation object"),
            };
            return self.initialise_sync(target, kind, variant);
        }
        if self.is_record(cell.ty) && self.types().record(cell.ty).is_some() {
            let from = self.record(cell.value);
            return self.copy(target, from);
        }
        let value = self.value(cell.value);
        match cell.bits {
            None => self.store(target, value),
            Some(bits) => {
                let start = cell.offset * 8 + u64::from(bits.start);
                // In a union the bits may be those of another member's cells.
                let end = start + u64::from(bits.width);
                let own = (start / 8, (8 * (end.div_ceil(8) - start / 8)) as u8);
                let found = self.bit_cell(spot.ty, start);
                let found = found.filter(|(offset, width)| end <= offset * 8 + u64::from(*width));
                let (offset, width) = found.unwrap_or(own);
                let shift = (start - offset * 8) as u32;
                let field = BitSpot { offset, cell: width, shift, width: bits.width };
                let target = Spot { bits: Some(field), ..spot.at(offset, cell.ty) };
                self.store(target, value);
            }
        }
    }

    /// The cell of an object that holds a bit: its byte and width.
    fn bit_cell(&mut self, ty: TypeId, bit: u64) -> Option<(u64, u8)> {
        let shape = self.shape(ty).ok()?;
        let mut cells = shape.cells().filter_map(|(offset, cell)| match cell {
            CellType::Scalar(Scalar::Bits(width)) => Some((offset, width)),
            _ => None,
        });
        cells.find(|(offset, width)| (offset * 8..offset * 8 + u64::from(*width)).contains(&bit))
    }

    /// `(T){…}` is evaluated: the object of the block around it gets its first values, each time it is
    /// reached (C11 6.5.2.5).
    pub fn compound_literal(&mut self, variable: VarId) -> Base {
        let declared = &self.hir.variables[variable];
        if declared.function.is_none()
            || !matches!(declared.storage, hir::Storage::Local | hir::Storage::Parameter)
        {
            return self.variable(variable);
        }
        let open = self.frame().scopes.iter().any(|scope| scope.variables.contains(&variable));
        if !open {
            // A statement that runs as a thread is no block.
            self.begin_late(variable);
        }
        let base = match self.bind_local(variable) {
            Binding::Register(local) => {
                // Unlike other registers without a name it may be assigned: `(int){ 1 }++`.
                self.pool.local_mut(local).temporary = false;
                if declared.init.as_ref().is_none_or(|init| init.cells.is_empty()) {
                    let ty = self.scalar(declared.ty.ty);
                    let zero = self.number(ty, 0);
                    self.emit(Op::Assign { local, value: zero });
                }
                Base::Register(local)
            }
            Binding::Object(object) => Base::Object(object),
            Binding::Value(_) | Binding::Pointed(_) => {
                self.refuse("a compound literal of a variable-length type");
                return Base::Pointer(self.number(Scalar::Pointer, 0));
            }
        };
        self.initialise(Spot::new(base, declared.ty.ty), variable);
        base
    }
}
