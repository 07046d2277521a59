//! What steps do to what variables may hold.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::model::{Scope, Wanted};
use super::super::numbers::Numbers;
use super::super::slots::{SlotId, SlotKind};
use super::{Analysis, CellOf, Locals};
use base::Id;
use c::{CellType, ExprId, InstanceId, Loc, LocalId, Op, Place, Value};

/// An allocation of more cells is not followed.
const ALLOCATED: u64 = 1024;

impl Analysis<'_> {
    pub(super) fn step(&mut self, loc: Loc, mut locals: Locals) -> Result<(), Problem> {
        let program = self.model.program;
        let location = program.at(loc);
        match &location.op {
            Op::Branch { cond, target } => {
                for (next, wanted) in [(*target, true), (location.next, false)] {
                    if let Some(after) = self.assume(&locals, *cond, wanted)? {
                        self.arrive(next, after)?;
                    }
                }
                return Ok(());
            }
            Op::Assume(cond) | Op::Assert { cond, .. } => {
                if let Some(after) = self.assume(&locals, *cond, true)? {
                    self.arrive(location.next, after)?;
                }
                return Ok(());
            }
            Op::Assign { local, value } => {
                let value = self.eval(&locals, *value)?;
                self.write_register(&mut locals, *local, value);
            }
            Op::Choose { local, range, .. } => {
                let bits = self.bits_of(*local);
                let numbers = match range {
                    None => Numbers::all(bits),
                    Some(range) => Numbers::range(bits, range.low, range.high, range.signed),
                };
                self.write_register(&mut locals, *local, Abs::numbers(numbers));
            }
            Op::Load { local, place, .. } => {
                let bits = self.bits_of(*local);
                let cells = self.cells(&locals, *place, Wanted::Scalar(bits))?;
                let value = self.load(&locals, &cells, bits);
                self.write_register(&mut locals, *local, value);
            }
            Op::Store { place, value, .. } => {
                let bits = program.exprs().ty(*value).bits(program.pointer_bits());
                let value = self.eval(&locals, *value)?;
                let cells = self.cells(&locals, *place, Wanted::Scalar(bits))?;
                self.store(&mut locals, &cells, &value, true);
                if cells.is_empty() || value.is_empty() {
                    return Ok(());
                }
            }
            Op::Rmw { .. } => {
                if !self.rmw(&mut locals, &location.op)? {
                    return Ok(());
                }
            }
            Op::Sync { op, place, code } => return self.sync(loc, locals, *op, *place, *code),
            Op::Call { .. } => {
                let name = &program.procedures()[location.procedure].name;
                return Err(self.refuse(format!("recursion (called from `{name}`)")));
            }
            Op::Create { .. } | Op::Join { .. } | Op::Me(_) | Op::Exit(_) | Op::Return(_) => {
                return self.thread_step(loc, locals);
            }
            Op::Size { .. } => return Err(self.refuse("the size of an object")),
            Op::Reach(_) => return Err(self.refuse("what an external function does with pointers")),
            Op::Alloc { .. } | Op::Enter(_) => self.born(&mut locals, loc)?,
            Op::Free { pointer, .. } => self.free(&mut locals, *pointer)?,
            Op::Leave(object) => self.dies(&mut locals, InstanceId::from_index(object.index()), true),
            Op::Error(_) | Op::Halt(_) | Op::Undefined(_) | Op::Refuse(_) => return Ok(()),
            // Nobody counts who was detached.
            Op::Detach(_) if self.options.machine.faults.other => {
                return Err(self.refuse("`pthread_detach` with property undefined"));
            }
            Op::Skip | Op::Detach(_) | Op::SectionBegin | Op::SectionEnd => {}
        }
        self.arrive(location.next, locals)
    }

    fn free(&mut self, locals: &mut Locals, pointer: ExprId) -> Result<(), Problem> {
        for target in self.eval(locals, pointer)?.others {
            if let Value::Address { instance, offset: 0 } = target {
                self.dies(locals, instance, false);
            }
        }
        Ok(())
    }

    pub fn cell_slots(&mut self, cells: &[CellOf]) -> Vec<SlotId> {
        cells.iter().map(|&(instance, cell)| self.slot(SlotKind::Cell(instance, cell))).collect()
    }

    fn load(&mut self, locals: &Locals, cells: &[CellOf], bits: u8) -> Abs {
        let mut value = Abs::none();
        for slot in self.cell_slots(cells) {
            value = value.join(&self.read(locals, slot), bits);
        }
        value
    }

    fn store(&mut self, locals: &mut Locals, cells: &[CellOf], value: &Abs, always: bool) {
        let cells: Vec<CellOf> =
            cells.iter().copied().filter(|&(instance, _)| !self.model.instance(instance).constant).collect();
        let slots = self.cell_slots(&cells);
        let surely = always && slots.len() == 1;
        for slot in slots {
            self.write(locals, slot, value.clone(), surely);
        }
    }

    /// Whether the step can be taken.
    fn rmw(&mut self, locals: &mut Locals, op: &Op) -> Result<bool, Problem> {
        let &Op::Rmw { old, place, guard, value, success, weak } = op else { return Ok(false) };
        let bits = self.bits_of(old);
        let cells = self.cells(locals, place, Wanted::Scalar(bits))?;
        let read = self.load(locals, &cells, bits);
        self.write_register(locals, old, read);
        let (mut writes, mut keeps) = (Some(locals.clone()), weak.then(|| locals.clone()));
        if let Some(guard) = guard {
            writes = self.assume(locals, guard, true)?;
            if !weak {
                keeps = self.assume(locals, guard, false)?;
            }
        }
        if let Some(inside) = &writes {
            let new = self.eval(inside, value)?;
            self.store(locals, &cells, &new, keeps.is_none());
        }
        if let Some(success) = success {
            let mut result = Abs::none();
            let width = self.bits_of(success);
            if writes.is_some() {
                result = result.join(&Abs::number(1), width);
            }
            if keeps.is_some() {
                result = result.join(&Abs::number(0), width);
            }
            self.write_register(locals, success, result);
        }
        Ok(!cells.is_empty() && (writes.is_some() || keeps.is_some()))
    }

    /// The life of an object begins.
    fn born(&mut self, locals: &mut Locals, loc: Loc) -> Result<(), Problem> {
        let Some(instance) = self.model.born_at(loc) else { return Ok(()) };
        let mut zeroed = false;
        if let Op::Alloc { local, count, zeroed: zeros, .. } = self.model.program.at(loc).op {
            zeroed = zeros;
            let count = self.eval(locals, count)?;
            if count.is_empty() {
                return Ok(());
            }
            let known = u128::from(self.model.instance(instance).count);
            if count.single() != Some(Value::Bits(known)) || self.model.cells(instance) > ALLOCATED {
                let count = count.single().and_then(Value::bits).filter(|&it| it <= u128::from(ALLOCATED));
                let Some(count) = count else {
                    return Err(self.refuse("an allocation of a size that is not constant"));
                };
                if self.model.cells(instance) == 0 {
                    self.model.instances[instance.index()].count = count as u64;
                } else {
                    return Err(self.refuse("an allocation of several sizes"));
                }
            }
            self.write_register(locals, local, Abs::value(Value::Address { instance, offset: 0 }));
        }
        let alive = self.slot(SlotKind::Alive(instance));
        self.write(locals, alive, Abs::number(1), true);
        self.fill(locals, instance, loc, zeroed)
    }

    /// The first values of a new object's cells.
    fn fill(
        &mut self,
        locals: &mut Locals,
        instance: InstanceId,
        loc: Loc,
        zeroed: bool,
    ) -> Result<(), Problem> {
        if self.model.cells(instance) > ALLOCATED {
            return Err(self.refuse(format!("an object of {} cells", self.model.cells(instance))));
        }
        for cell in 0..self.model.cells(instance) as u32 {
            if self.model.written_first.get(&loc).is_some_and(|cells| cells.contains(&cell)) {
                continue;
            }
            let slot = self.slot(SlotKind::Cell(instance, cell));
            let value = match self.model.cell_type(instance, cell) {
                _ if zeroed => Abs::number(0),
                CellType::Scalar(ty) => Abs::all(ty.bits(self.model.program.pointer_bits())),
                CellType::Sync(..) => Abs::value(Value::Undetermined),
            };
            self.write(locals, slot, value, true);
        }
        Ok(())
    }

    pub(super) fn dies(&mut self, locals: &mut Locals, instance: InstanceId, surely: bool) {
        let slot = self.slot(SlotKind::Alive(instance));
        self.write(locals, slot, Abs::number(0), surely);
    }

    /// The objects that end with the thread.
    pub fn objects_of(&self, template: c::ProcId) -> Vec<InstanceId> {
        let objects = self.model.program.objects().enumerate();
        let own = objects.filter(|(_, it)| it.scope == c::ObjectScope::Procedure(template));
        own.map(|(id, _)| InstanceId::from_index(id.index()))
            .filter(|&id| self.model.instance(id).scope == Scope::Shared)
            .collect()
    }

    /// The width of a register's code, if there is one, gets these numbers.
    pub(super) fn write_codes(&mut self, locals: &mut Locals, code: Option<LocalId>, codes: &[u128]) {
        let Some(local) = code else { return };
        let bits = self.bits_of(local);
        let mut value = Abs::none();
        for code in codes {
            value = value.join(&Abs::number(code & c::mask(bits)), bits);
        }
        self.write_register(locals, local, value);
    }

    pub fn places(
        &mut self,
        locals: &Locals,
        place: Place,
        kind: c::SyncKind,
    ) -> Result<Vec<CellOf>, Problem> {
        self.cells(locals, place, Wanted::Sync(kind))
    }
}
