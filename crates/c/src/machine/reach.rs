//! External functions: what pointers lead to, and any values there.

use super::needs::{Number, fitting};
use super::{Access, Choice, Done, Machine, Refusal};
use crate::op::{Op, Range};
use crate::reach::{Reach, ReachKind};
use crate::state::{Instance, Memory, Origin, Thread};
use crate::types::{CellType, InstanceId, Type};
use crate::value::{CellRef, Value, Whole};

/// More cells than these are not written one by one, and more pointers are not told apart.
const MOST: usize = 4_096;

const BY_BYTES: &str = "an external function that is given memory with values in parts";

/// What pointers lead to.
struct Found {
    /// The objects, and whether each may be written.
    objects: Vec<(InstanceId, bool)>,
    /// The addresses that lead there.
    addresses: Vec<Value>,
}

impl Machine<'_> {
    pub(super) fn reach(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        reach: &Reach,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        if matches!(reach.kind, ReachKind::Count(_)) && (choice.value.is_some() || choice.reuses.is_some()) {
            return Err(Refusal::Mismatch("the step has no such choice"));
        }
        let found = self.found(memory, thread, reach)?;
        match reach.kind {
            ReachKind::Count(local) => {
                let number = self.writable_cells(memory, &found)?.len() as u128;
                self.set_number(thread, Some(local), number);
                Ok(Done::default())
            }
            ReachKind::Write(number) => {
                let cells = self.writable_cells(memory, &found)?;
                let number = self.value(thread, number)?.bits().and_then(|it| usize::try_from(it).ok());
                let cell = number.and_then(|number| cells.get(number).copied());
                self.write_any(memory, reach, &found, cell, thread, choice)
            }
            ReachKind::Pick(local) => {
                let pointers = self.pointers(memory, reach, &found)?;
                let value = self.chosen_pointer(memory, thread, reach, &pointers, choice)?;
                thread.set(self.program, local, value);
                Ok(Done::default())
            }
        }
    }

    /// The number that the step chooses: which pointer.
    pub(super) fn reach_number(&self, memory: &Memory, thread: &Thread, reach: &Reach) -> Option<Number> {
        let found = self.found(memory, thread, reach).ok()?;
        let pointers = match reach.kind {
            ReachKind::Count(_) => return None,
            ReachKind::Write(number) => {
                let number = self.value(thread, number).ok()?.bits()?;
                let cells = self.writable_cells(memory, &found).ok()?;
                let cell = cells.get(usize::try_from(number).ok()?)?;
                if self.program.cell_type(memory, *cell) != Some(Type::Pointer) {
                    return None;
                }
                self.pointers(memory, reach, &found).ok()?
            }
            ReachKind::Pick(_) => self.pointers(memory, reach, &found).ok()?,
        };
        Some(number_among(&pointers))
    }

    /// The objects that the leads lead to, breadth first. What is dead or no object leads nowhere.
    fn found(&self, memory: &Memory, thread: &Thread, reach: &Reach) -> Result<Found, Refusal> {
        let mut found = Found { objects: vec![], addresses: vec![] };
        for lead in &reach.leads {
            let value = self.value(thread, lead.pointer)?;
            found.meet(memory, value, !lead.constant);
        }
        let mut at = 0;
        while let Some(&(instance, _)) = found.objects.get(at) {
            at += 1;
            let cells = memory.get(instance).map_or(&[][..], |object| &object.cells);
            for &value in cells {
                found.meet(memory, value, true);
            }
        }
        Ok(found)
    }

    /// The cells that may be written, in the order of their numbers. Synchronisation objects, handles of
    /// threads and constants are not.
    fn writable_cells(&self, memory: &Memory, found: &Found) -> Result<Vec<CellRef>, Refusal> {
        let mut cells = vec![];
        for &(instance, _) in found.objects.iter().filter(|(_, writable)| *writable) {
            let Some(object) = memory.get(instance) else { continue };
            if matches!(object.origin, Origin::Declared(id) if self.program.objects()[id].constant) {
                continue;
            }
            let layout = &self.program.layouts()[object.layout];
            if object.cells.len() > layout.cells.len() * object.count as usize {
                return Err(Refusal::Unsupported(BY_BYTES.into()));
            }
            for number in 0..object.cells.len() {
                let cell = CellRef { instance, cell: number as u32 };
                let handle = object.cells[number].handle().is_some();
                if !handle && self.program.cell_type(memory, cell).is_some() {
                    cells.push(cell);
                }
            }
            if cells.len() > MOST {
                return Err(too_many());
            }
        }
        Ok(cells)
    }

    /// The pointers that the function may give, but null and one to an object of its own.
    fn pointers(&self, memory: &Memory, reach: &Reach, found: &Found) -> Result<Vec<Value>, Refusal> {
        let mut pointers = match reach.kind {
            ReachKind::Pick(_) => vec![],
            _ => found.addresses.clone(),
        };
        for &(instance, _) in &found.objects {
            let Some(object) = memory.get(instance) else { continue };
            for offset in self.fitting_offsets(object, reach) {
                let value = Value::Address { instance, offset };
                if !pointers.contains(&value) {
                    pointers.push(value);
                }
            }
            if pointers.len() > MOST {
                return Err(too_many());
            }
        }
        Ok(pointers)
    }

    /// The bytes of an object at which an element of the layout fits; without cells in it, the start.
    fn fitting_offsets(&self, object: &Instance, reach: &Reach) -> Vec<i64> {
        let wanted = &self.program.layouts()[reach.layout];
        let have = &self.program.layouts()[object.layout];
        let Some(first) = wanted.cells.first().filter(|_| matches!(reach.kind, ReachKind::Pick(_))) else {
            return vec![0];
        };
        let width = |ty: CellType| match ty {
            CellType::Scalar(ty) => Ok(ty.bits(self.program.pointer_bits())),
            CellType::Sync(kind, _) => Err(kind),
        };
        let mut offsets = vec![];
        for element in 0..object.count {
            for (position, start) in have.cells.iter().enumerate() {
                let from = start.offset.wrapping_sub(first.offset);
                let fits = wanted
                    .cells
                    .iter()
                    .zip(have.cells[position..].iter().map(Some).chain(std::iter::repeat(None)));
                let fits = fits.into_iter().all(|(want, cell)| {
                    cell.is_some_and(|cell| {
                        width(cell.ty) == width(want.ty) && cell.offset == from.wrapping_add(want.offset)
                    })
                });
                if fits {
                    offsets.push((element * have.stride).wrapping_add(from) as i64);
                }
            }
            if offsets.len() > MOST {
                break;
            }
        }
        offsets
    }

    fn write_any(
        &self,
        memory: &mut Memory,
        reach: &Reach,
        found: &Found,
        cell: Option<CellRef>,
        thread: &Thread,
        choice: Choice,
    ) -> Result<Done, Refusal> {
        let ty = cell.and_then(|cell| self.program.cell_type(memory, cell));
        let value = match (cell, ty) {
            (Some(_), Some(Type::Pointer)) => {
                let pointers = self.pointers(memory, reach, found)?;
                self.chosen_pointer(memory, thread, reach, &pointers, choice)?
            }
            _ if choice.value.is_some() || choice.reuses.is_some() => {
                return Err(Refusal::Mismatch("the value of the cell is no choice"));
            }
            _ => Value::Undetermined,
        };
        let Some(cell) = cell else { return Ok(Done::default()) };
        memory.write(cell, value);
        Ok(Done {
            access: Some(Access { cell, bytes: None, read: None, written: Some(value) }),
            ..Done::default()
        })
    }

    /// Null, one of the pointers, or one to a new object.
    fn chosen_pointer(
        &self,
        memory: &mut Memory,
        thread: &Thread,
        reach: &Reach,
        pointers: &[Value],
        choice: Choice,
    ) -> Result<Value, Refusal> {
        let number = number_among(pointers);
        let chosen = choice.value.ok_or(Refusal::Mismatch("a number must be chosen"))?;
        fitting(chosen, number.bits, number.range)?;
        let made = chosen as usize == pointers.len() + 1;
        if !made && choice.reuses.is_some() {
            return Err(Refusal::Mismatch("no object is made that could use an address again"));
        }
        if chosen == 0 {
            return Ok(Value::ZERO);
        }
        if let Some(&pointer) = pointers.get(chosen as usize - 1) {
            return Ok(pointer);
        }
        let layout = &self.program.layouts()[reach.layout];
        let cells = vec![Value::Undetermined; layout.cells.len() * reach.count as usize];
        let origin = Origin::Allocated(thread.loc());
        let own = Instance { origin, layout: reach.layout, count: u64::from(reach.count), cells };
        Ok(Value::Address { instance: self.placed(memory, own, choice)?, offset: 0 })
    }

    /// Whether an object belongs to an external function: nobody knows where it ends.
    pub(super) fn is_external(&self, object: &Instance) -> bool {
        matches!(object.origin, Origin::Allocated(loc) if matches!(self.program.at(loc).op, Op::Reach(_)))
    }
}

impl Found {
    fn meet(&mut self, memory: &Memory, value: Value, writable: bool) {
        let Some(Whole::Address(instance, offset)) = value.whole() else { return };
        if memory.get(instance).is_none() {
            return;
        }
        let value = Value::Address { instance, offset };
        if !self.addresses.contains(&value) {
            self.addresses.push(value);
        }
        match self.objects.iter_mut().find(|(known, _)| *known == instance) {
            Some((_, already)) => *already |= writable,
            None => self.objects.push((instance, writable)),
        }
    }
}

fn number_among(pointers: &[Value]) -> Number {
    Number { bits: 32, range: Some(Range { low: 0, high: pointers.len() as i128 + 1, signed: false }) }
}

fn too_many() -> Refusal {
    Refusal::Unsupported("an external function that is given too many objects".into())
}
