//! Accesses to memory: from a place to the one cell that it hits in the plain case, else to the bytes; and
//! loads, stores and read-modify-writes.

use super::bytes::{FAR, Span};
use super::{Access, Choice, Done, Machine, Refusal};
use crate::evaluate::find;
use crate::expr::ExprId;
use crate::op::Place;
use crate::program::{LocalId, ObjectId};
use crate::state::{Instance, Memory, Origin, Thread};
use crate::types::{CellType, InstanceId, SyncKind, signed};
use crate::value::{CellRef, Fault, Trouble, Value};

pub(super) const NO_POINTER: Trouble =
    Trouble::Unsupported("bytes of an address, or what was never written, used as a pointer");

/// What is looked for at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// A scalar of this many bits.
    Scalar(u8),
    /// A synchronisation object.
    Sync(SyncKind),
}

/// Where an access to a scalar goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// To one cell of its size.
    Cell(CellRef),
    /// To a part of a cell, to several, or to what no cell covers.
    Bytes(Span),
}

impl Hit {
    /// The object.
    pub fn instance(self) -> InstanceId {
        match self {
            Hit::Cell(cell) => cell.instance,
            Hit::Bytes(span) => span.instance,
        }
    }
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

    /// Where an access to a scalar of this many bits goes, or why nowhere.
    pub fn hit(&self, memory: &Memory, thread: &Thread, place: Place, bits: u8) -> Result<Hit, Refusal> {
        self.find_hit(memory, thread, place, bits).map_err(|trouble| self.trouble(trouble))
    }

    fn find_hit(&self, memory: &Memory, thread: &Thread, place: Place, bits: u8) -> Result<Hit, Trouble> {
        let (instance, offset) = self.target(thread, place)?;
        let object = memory.get(instance).ok_or(Fault::DeadObject)?;
        let bytes = u64::from(bits.div_ceil(8));
        let first = self.inside(object, offset, bytes)?;
        match self.cell_at(object, first, Wanted::Scalar(bits)) {
            Ok(cell) => Ok(Hit::Cell(CellRef { instance, cell })),
            // Nothing is known of what lies in an object without cells.
            Err(trouble) if self.program.layouts()[object.layout].cells.is_empty() => Err(trouble),
            Err(_) if first + bytes > FAR => {
                Err(Trouble::Unsupported("a part of a scalar in a very large object"))
            }
            Err(_) => Ok(Hit::Bytes(Span { instance, first, bytes })),
        }
    }

    /// What is there, as a value of this many bits.
    pub fn held(&self, memory: &Memory, hit: Hit, bits: u8) -> Result<Value, Refusal> {
        let held = match hit {
            Hit::Cell(cell) => match memory.read(cell) {
                Value::Split => self.read_bytes(memory, self.span(memory, hit), bits),
                value => return Ok(value),
            },
            Hit::Bytes(span) => self.read_bytes(memory, span, bits),
        };
        held.map_err(|trouble| self.trouble(trouble))
    }

    /// Writes a value of this many bits there.
    pub fn put(&self, memory: &mut Memory, hit: Hit, bits: u8, value: Value) -> Result<(), Refusal> {
        if let Hit::Cell(cell) = hit
            && !matches!(value, Value::Part(_))
            && memory.read(cell) != Value::Split
        {
            memory.write(cell, value);
            return Ok(());
        }
        let span = self.span(memory, hit);
        self.write_bytes(memory, span, bits, value).map_err(|trouble| self.trouble(trouble))
    }

    /// The bytes that are hit.
    pub fn span(&self, memory: &Memory, hit: Hit) -> Span {
        let cell = match hit {
            Hit::Cell(cell) => cell,
            Hit::Bytes(span) => return span,
        };
        let object = memory.get(cell.instance);
        let extent = object.and_then(|object| self.program.cell_extent(object, cell.cell));
        let (first, bytes) = extent.expect("a cell that was hit is one of its object");
        Span { instance: cell.instance, first, bytes }
    }

    /// What a step did where it went.
    fn access(&self, memory: &Memory, hit: Hit, read: Option<Value>, written: Option<Value>) -> Done {
        let access = match hit {
            Hit::Cell(cell) => Access { cell, bytes: None, read, written },
            Hit::Bytes(Span { instance, first, bytes }) => {
                let cells = memory.get(instance).map_or(0, |object| {
                    self.program.layouts()[object.layout].cells.len() * object.count as usize
                });
                let cell = CellRef { instance, cell: cells as u32 + first as u32 };
                Access { cell, bytes: Some(bytes as u8), read, written }
            }
        };
        Done { access: Some(access), ..Done::default() }
    }

    /// The cell of a synchronisation object at a place, or why there is none.
    pub fn sync_cell(
        &self,
        memory: &Memory,
        thread: &Thread,
        place: Place,
        kind: SyncKind,
    ) -> Result<CellRef, Refusal> {
        self.find_sync(memory, thread, place, kind).map_err(|trouble| self.trouble(trouble))
    }

    fn find_sync(
        &self,
        memory: &Memory,
        thread: &Thread,
        place: Place,
        kind: SyncKind,
    ) -> Result<CellRef, Trouble> {
        let (instance, offset) = self.target(thread, place)?;
        let object = memory.get(instance).ok_or(Fault::DeadObject)?;
        let first = self.inside(object, offset, 1)?;
        let cell = self.cell_at(object, first, Wanted::Sync(kind))?;
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
                Value::Part(_) | Value::Undetermined => Err(NO_POINTER),
                _ => Err(Fault::BadPointer.into()),
            },
        }
    }

    /// The offset, if this number of bytes lies in the object.
    fn inside(&self, object: &Instance, offset: i64, bytes: u64) -> Result<u64, Trouble> {
        let outside = || match self.is_external(object) {
            true => {
                Trouble::Unsupported("an access to a part of an external function's object that is not known")
            }
            false => Fault::OutOfBounds.into(),
        };
        let size = self.program.layouts()[object.layout].stride.saturating_mul(object.count);
        match u64::try_from(offset) {
            Ok(offset) if offset <= i64::MAX as u64 - 16 && offset + bytes <= size => Ok(offset),
            _ => Err(outside()),
        }
    }

    /// The number of the cell that starts exactly there and is what is wanted.
    fn cell_at(&self, object: &Instance, offset: u64, wanted: Wanted) -> Result<u32, Trouble> {
        let pointer_bits = self.program.pointer_bits();
        let layout = &self.program.layouts()[object.layout];
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
        let hit = self.hit(memory, thread, place, bits)?;
        let held = self.held(memory, hit, bits)?;
        let value = match (held, choice.value) {
            (Value::Undetermined, None) if self.is_between(memory, hit) => held,
            (Value::Undetermined, Some(_)) if self.is_between(memory, hit) => {
                return Err(Refusal::Mismatch("what was never written is no choice"));
            }
            _ => chosen(held, bits, choice)?,
        };
        // The first read of an undetermined cell fixes it.
        if held != value {
            self.put(memory, hit, bits, value)?;
        }
        thread.set(self.program, local, value);
        Ok(self.access(memory, hit, Some(value), None))
    }

    pub(super) fn store(
        &self,
        memory: &mut Memory,
        thread: &Thread,
        place: Place,
        value: ExprId,
    ) -> Result<Done, Refusal> {
        let bits = self.program.exprs().ty(value).bits(self.program.pointer_bits());
        let hit = self.hit(memory, thread, place, bits)?;
        let value = self.value(thread, value)?;
        self.writable(memory, hit)?;
        self.put(memory, hit, bits, value)?;
        Ok(self.access(memory, hit, None, Some(value)))
    }

    pub(super) fn rmw(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        rmw: Rmw,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        let bits = self.bits(rmw.old);
        let hit = self.hit(memory, thread, rmw.place, bits)?;
        self.writable(memory, hit)?;
        let held = self.held(memory, hit, bits)?;
        let read = chosen(held, bits, choice)?;
        // Guard and value see the new `old`; the thread keeps it only if the step is one.
        let before = thread.get(self.program, rmw.old);
        thread.set(self.program, rmw.old, read);
        let written = self.updated(thread, rmw, choice).and_then(|written| {
            let after = written.unwrap_or(read);
            if held != after {
                self.put(memory, hit, bits, after)?;
            }
            Ok(written)
        });
        if written.is_err() {
            thread.set(self.program, rmw.old, before);
        }
        let written = written?;
        if let Some(success) = rmw.success {
            thread.set(self.program, success, Value::truth(written.is_some()));
        }
        Ok(self.access(memory, hit, Some(read), written))
    }

    /// What is written, if anything.
    fn updated(&self, thread: &Thread, rmw: Rmw, choice: Choice) -> Result<Option<Value>, Refusal> {
        let guard = rmw.guard.map_or(Ok(true), |guard| self.holds(thread, guard))?;
        if choice.fails && !(rmw.weak && guard) {
            return Err(Refusal::Mismatch("the step does not fail by choice"));
        }
        if guard && !choice.fails { self.value(thread, rmw.value).map(Some) } else { Ok(None) }
    }

    /// Whether what is there may be written, or why not.
    pub fn writable(&self, memory: &Memory, hit: Hit) -> Result<(), Refusal> {
        let constant = memory.get(hit.instance()).is_some_and(|instance| match instance.origin {
            Origin::Declared(object) => self.program.objects()[object].constant,
            Origin::Allocated(_) | Origin::Freed => false,
        });
        if constant { Err(self.trouble(Fault::ReadOnly.into())) } else { Ok(()) }
    }

    pub(super) fn bits(&self, local: LocalId) -> u8 {
        self.program.locals()[local].ty.bits(self.program.pointer_bits())
    }
}

/// What a read gives: what is there, or the chosen number if that is undetermined.
fn chosen(held: Value, bits: u8, choice: Choice) -> Result<Value, Refusal> {
    match (held, choice.value) {
        (Value::Undetermined, Some(chosen)) => super::needs::fitting(chosen, bits, None),
        (Value::Undetermined, None) => Err(Refusal::Mismatch("the value of the cell must be chosen")),
        (_, Some(_)) => Err(Refusal::Mismatch("the value of the cell is no choice")),
        (value, None) => Ok(value),
    }
}
