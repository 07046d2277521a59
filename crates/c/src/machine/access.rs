//! Accesses to memory: from a place to the one cell that it must hit, and loads, stores and
//! read-modify-writes.

use super::{Access, Choice, Done, Machine, Refusal};
use crate::evaluate::find;
use crate::expr::ExprId;
use crate::op::Place;
use crate::program::{LocalId, ObjectId};
use crate::state::{Instance, Memory, Origin, Thread};
use crate::types::{CellType, InstanceId, SyncKind, signed};
use crate::value::{CellRef, Fault, Trouble, Value};

/// What is looked for at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// A scalar of this many bits.
    Scalar(u8),
    /// A synchronisation object.
    Sync(SyncKind),
}

/// A read-modify-write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rmw {
    pub old: LocalId,
    pub place: Place,
    pub guard: Option<ExprId>,
    pub value: ExprId,
    pub success: Option<LocalId>,
    pub weak: bool,
}

impl Machine<'_> {
    pub(super) fn value(&self, thread: &Thread, e: ExprId) -> Result<Value, Refusal> {
        self.evaluator.value(thread, e).map_err(|trouble| self.trouble(trouble))
    }

    pub(super) fn holds(&self, thread: &Thread, e: ExprId) -> Result<bool, Refusal> {
        self.evaluator.holds(thread, e).map_err(|trouble| self.trouble(trouble))
    }

    /// The cell of a scalar of this many bits at a place, or why there is none.
    pub fn cell(&self, memory: &Memory, thread: &Thread, place: Place, bits: u8) -> Result<CellRef, Refusal> {
        self.resolve(memory, thread, place, Wanted::Scalar(bits)).map_err(|trouble| self.trouble(trouble))
    }

    /// The cell of a synchronisation object at a place, or why there is none.
    pub fn sync_cell(
        &self,
        memory: &Memory,
        thread: &Thread,
        place: Place,
        kind: SyncKind,
    ) -> Result<CellRef, Refusal> {
        self.resolve(memory, thread, place, Wanted::Sync(kind)).map_err(|trouble| self.trouble(trouble))
    }

    fn resolve(
        &self,
        memory: &Memory,
        thread: &Thread,
        place: Place,
        wanted: Wanted,
    ) -> Result<CellRef, Trouble> {
        let (instance, offset) = self.target(thread, place)?;
        let object = memory.get(instance).ok_or(Fault::DeadObject)?;
        let cell = self.cell_at(object, offset, wanted)?;
        Ok(CellRef { instance, cell })
    }

    pub(super) fn target(&self, thread: &Thread, place: Place) -> Result<(InstanceId, i64), Trouble> {
        let declared = |object: ObjectId| {
            find(thread, object, self.program.objects()[object].scope).ok_or(Fault::DeadObject)
        };
        match place {
            Place::Object { object, offset } => Ok((declared(object)?, offset)),
            Place::Indexed { object, offset } => match self.evaluator.value(thread, offset)? {
                Value::Bits(bits) => {
                    Ok((declared(object)?, signed(bits, self.program.pointer_bits()) as i64))
                }
                _ => Err(Trouble::Unsupported("an index is not a number")),
            },
            Place::Pointer { pointer, offset } => match self.evaluator.value(thread, pointer)? {
                Value::Address { instance, offset: start } => Ok((instance, start.wrapping_add(offset))),
                _ => Err(Fault::BadPointer.into()),
            },
        }
    }

    /// The number of the cell that starts exactly there and is what is wanted.
    fn cell_at(&self, object: &Instance, offset: i64, wanted: Wanted) -> Result<u32, Trouble> {
        let pointer_bits = self.program.pointer_bits();
        let layout = &self.program.layouts()[object.layout];
        let bytes = match wanted {
            Wanted::Scalar(bits) => u64::from(bits.div_ceil(8)),
            Wanted::Sync(_) => 1,
        };
        let outside = match self.is_external(object) {
            true => {
                Trouble::Unsupported("an access to a part of an external function's object that is not known")
            }
            false => Fault::OutOfBounds.into(),
        };
        let (Ok(offset), true) = (u64::try_from(offset), offset <= i64::MAX - 16) else {
            return Err(outside);
        };
        let end = offset + bytes;
        if end > layout.stride.saturating_mul(object.count) {
            return Err(outside);
        }
        let (element, within) = (offset / layout.stride, offset % layout.stride);
        let found = layout.cells.binary_search_by_key(&within, |cell| cell.offset);
        let position = found.map_err(|_| Trouble::Unsupported("an access does not start at a scalar"))?;
        let fits = match (layout.cells[position].ty, wanted) {
            (CellType::Scalar(ty), Wanted::Scalar(bits)) => ty.bits(pointer_bits) == bits,
            (CellType::Sync(kind, _), Wanted::Sync(wanted)) => kind == wanted,
            _ => false,
        };
        if !fits {
            return Err(Trouble::Unsupported(
                "an access does not have the size or kind of the scalar it hits",
            ));
        }
        // Objects have at most 2^24 cells.
        Ok((element * layout.cells.len() as u64) as u32 + position as u32)
    }

    pub(super) fn load(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        local: LocalId,
        place: Place,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        let bits = self.bits(local);
        let cell = self.cell(memory, thread, place, bits)?;
        let value = self.read(memory, cell, bits, choice)?;
        // The first read of an undetermined cell fixes it.
        if memory.read(cell) != value {
            memory.write(cell, value);
        }
        thread.set(self.program, local, value);
        Ok(Done { access: Some(Access { cell, read: Some(value), written: None }), ..Done::default() })
    }

    pub(super) fn store(
        &self,
        memory: &mut Memory,
        thread: &Thread,
        place: Place,
        value: ExprId,
    ) -> Result<Done, Refusal> {
        let bits = self.program.exprs().ty(value).bits(self.program.pointer_bits());
        let cell = self.cell(memory, thread, place, bits)?;
        let value = self.value(thread, value)?;
        self.writable(memory, cell)?;
        memory.write(cell, value);
        Ok(Done { access: Some(Access { cell, read: None, written: Some(value) }), ..Done::default() })
    }

    pub(super) fn rmw(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        rmw: Rmw,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        let bits = self.bits(rmw.old);
        let cell = self.cell(memory, thread, rmw.place, bits)?;
        self.writable(memory, cell)?;
        let read = self.read(memory, cell, bits, Choice { fails: false, ..choice })?;
        // Guard and value see the new `old`; the thread keeps it only if the step is one.
        let before = thread.get(self.program, rmw.old);
        thread.set(self.program, rmw.old, read);
        let written = self.updated(thread, rmw, choice);
        if written.is_err() {
            thread.set(self.program, rmw.old, before);
        }
        let written = written?;
        let after = written.unwrap_or(read);
        if memory.read(cell) != after {
            memory.write(cell, after);
        }
        if let Some(success) = rmw.success {
            thread.set(self.program, success, Value::truth(written.is_some()));
        }
        Ok(Done { access: Some(Access { cell, read: Some(read), written }), ..Done::default() })
    }

    /// What is written, if anything.
    fn updated(&self, thread: &Thread, rmw: Rmw, choice: Choice) -> Result<Option<Value>, Refusal> {
        let guard = rmw.guard.map_or(Ok(true), |guard| self.holds(thread, guard))?;
        if choice.fails && !(rmw.weak && guard) {
            return Err(Refusal::Mismatch("the step does not fail by choice"));
        }
        if guard && !choice.fails { self.value(thread, rmw.value).map(Some) } else { Ok(None) }
    }

    /// What a read gives: the cell's value, or the chosen one if the cell is undetermined.
    fn read(&self, memory: &Memory, cell: CellRef, bits: u8, choice: Choice) -> Result<Value, Refusal> {
        match (memory.read(cell), choice.value) {
            (Value::Undetermined, Some(chosen)) => super::needs::fitting(chosen, bits, None),
            (Value::Undetermined, None) => Err(Refusal::Mismatch("the value of the cell must be chosen")),
            (_, Some(_)) => Err(Refusal::Mismatch("the value of the cell is no choice")),
            (value, None) => Ok(value),
        }
    }

    fn writable(&self, memory: &Memory, cell: CellRef) -> Result<(), Refusal> {
        let constant = memory.get(cell.instance).is_some_and(|instance| match instance.origin {
            Origin::Declared(object) => self.program.objects()[object].constant,
            Origin::Allocated(_) | Origin::Freed => false,
        });
        if constant { Err(self.trouble(Fault::ReadOnly.into())) } else { Ok(()) }
    }

    pub(super) fn bits(&self, local: LocalId) -> u8 {
        self.program.locals()[local].ty.bits(self.program.pointer_bits())
    }
}
