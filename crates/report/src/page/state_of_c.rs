//! What the page shows of a state of a C program: the objects and registers that the run touches, and all
//! that it allocates. Names that a run does not touch tell nothing about it.

use super::places::PageFiles;
use super::snapshot::{Owner, PageObject, PageThread, ShownValue, Slot, Snapshot, Whose};
use crate::trace::states::StateNames;
use ::c::{
    CellRef, CellType, FailureKind, Frame, Instance, InstanceId, LocalId, LocalScope, ObjectId, ObjectScope,
    Origin, Program, State, SyncKind, Thread, ThreadId, Trace, Type, Value, Wait,
};
use base::{Id, SourceMap};
use std::collections::BTreeSet;

/// The most cells of an allocation of which all are shown; of larger ones those that are touched.
const WHOLE: usize = 32;

/// What of the states of a run is shown.
pub struct ShownOfC<'a> {
    sources: &'a SourceMap,
    program: &'a Program,
    cells: BTreeSet<CellRef>,
    registers: BTreeSet<LocalId>,
}

/// An object and whose it is.
struct OwnedObject<'a> {
    id: u32,
    instance: &'a Instance,
    whose: Whose<'a>,
}

impl<'a> ShownOfC<'a> {
    /// What a run touches, and what goes wrong in its last state.
    pub fn new(
        sources: &'a SourceMap,
        program: &'a Program,
        trace: &Trace,
        states: &[State],
    ) -> ShownOfC<'a> {
        let mut cells: BTreeSet<CellRef> =
            trace.steps.iter().filter_map(|it| it.access).map(|it| it.cell).collect();
        if let (FailureKind::Race(race), Some(state)) = (&trace.failure.kind, states.last()) {
            let names = StateNames { sources, program, state };
            cells.extend(race.accesses.iter().filter_map(|it| names.first_cell(&it.access)));
        }
        let written = trace.steps.iter().flat_map(|it| &it.registers).map(|it| it.0);
        ShownOfC { sources, program, cells, registers: written.collect() }
    }

    /// A state.
    pub fn snapshot(&self, state: &State, files: &mut PageFiles<'_>) -> Snapshot {
        let mut shown = Snapshot::default();
        for (number, instance) in state.memory.instances.iter().enumerate() {
            let Some(instance) = instance.as_deref() else { continue };
            let id = number as u32;
            let (owner, allocated) = match instance.origin {
                Origin::Declared(object) if self.program.objects()[object].scope == ObjectScope::Static => {
                    (Owner::Shared, false)
                }
                Origin::Declared(_) => continue,
                Origin::Allocated(_) | Origin::Freed => (Owner::Allocation(id), true),
            };
            let whose = Whose { owner, ..Whose::SHARED };
            self.object(&mut shown, state, &OwnedObject { id, instance, whose }, allocated);
        }
        for (&id, thread) in &state.threads {
            self.thread(&mut shown, state, id, thread);
            let now = self.thread_now(state, id, thread, files);
            shown.threads.insert(id, now);
        }
        shown
    }

    fn thread_now(
        &self,
        state: &State,
        id: ThreadId,
        thread: &Thread,
        files: &mut PageFiles<'_>,
    ) -> PageThread {
        let names = StateNames { sources: self.sources, program: self.program, state };
        let cell = |cell| self.program.cell_name(&state.memory, cell);
        PageThread {
            place: names.span(id, thread.loc()).and_then(|span| files.place(span)),
            holds: names.locks(id),
            sleeps: thread.wait.map(|wait| match wait {
                Wait::Cond { cond, .. } => format!("condition {}", cell(cond)),
                Wait::Barrier { barrier, .. } => format!("barrier {}", cell(barrier)),
            }),
            inside: thread.section,
        }
    }

    fn thread(&self, shown: &mut Snapshot, state: &State, id: ThreadId, thread: &Thread) {
        let owner = Owner::Thread(id);
        let whose = Whose { owner, ..Whose::SHARED };
        self.objects(shown, state, &thread.objects, whose);
        for (depth, frame) in thread.frames.iter().enumerate() {
            if let Some(procedure) = self.procedure(frame) {
                let whose = Whose { owner, frame: depth, procedure };
                self.objects(shown, state, &frame.objects, whose);
                self.registers(shown, state, frame, whose);
            }
        }
    }

    fn objects(
        &self,
        shown: &mut Snapshot,
        state: &State,
        objects: &[(ObjectId, InstanceId)],
        whose: Whose<'_>,
    ) {
        for &(_, id) in objects {
            if let Some(instance) = state.memory.get(id) {
                let owned = OwnedObject { id: id.index() as u32, instance, whose };
                self.object(shown, state, &owned, false);
            }
        }
    }

    /// The procedure of an activation, unless it belongs to the library.
    fn procedure(&self, frame: &Frame) -> Option<&'a str> {
        let location = self.program.at(frame.loc);
        let procedure = &self.program.procedures()[location.procedure];
        let first = self.program.at(procedure.entry).span.or(location.span);
        let is_users = first.is_none_or(|span| !self.sources.file(span.file).is_library());
        is_users.then_some(procedure.name.as_str())
    }

    fn registers(&self, shown: &mut Snapshot, state: &State, frame: &Frame, whose: Whose<'_>) {
        let own = self.program.at(frame.loc).procedure;
        for &local in &self.registers {
            let register = &self.program.locals()[local];
            if register.temporary || register.scope != LocalScope::Procedure(own) {
                continue;
            }
            let Some(&value) = frame.registers.get(register.slot as usize) else { continue };
            let text = self.program.show_local(&state.memory, local, value);
            let slot = whose.slot(local.index() as u64, &register.name);
            shown.values.insert(slot, shown_value(value, text));
        }
    }

    fn object(&self, shown: &mut Snapshot, state: &State, owned: &OwnedObject<'_>, allocated: bool) {
        let OwnedObject { id, instance, .. } = *owned;
        let freed = instance.origin == Origin::Freed;
        let name = match instance.origin {
            Origin::Declared(object) => self.program.objects()[object].name.clone(),
            Origin::Allocated(_) | Origin::Freed => format!("allocation {id}"),
        };
        let number = InstanceId::from_index(id as usize);
        let whole = allocated && instance.cells.len() <= WHOLE;
        let first = CellRef { instance: number, cell: 0 };
        let last = CellRef { instance: number, cell: u32::MAX };
        let cells: Vec<CellRef> = if whole {
            (0..instance.cells.len() as u32).map(|cell| CellRef { instance: number, cell }).collect()
        } else {
            self.cells.range(first..=last).copied().collect()
        };
        for &cell in &cells {
            let Some(value) = self.value(state, instance, cell) else { continue };
            let full = self.program.cell_name(&state.memory, cell);
            let part = full.strip_prefix(&name).filter(|_| allocated).map(str::to_string);
            let slot = owned.whose.slot(0, &part.unwrap_or(full));
            let slot = Slot { order: (u64::from(id) + 1, u64::from(cell.cell)), object: Some(id), ..slot };
            shown.values.insert(slot, value);
        }
        if allocated || !cells.is_empty() {
            shown.objects.insert(id, PageObject { name, allocated, freed });
        }
    }

    /// A cell that has a value for people: locks are shown with those who hold them.
    fn value(&self, state: &State, instance: &Instance, cell: CellRef) -> Option<ShownValue> {
        let value = instance.cells.get(cell.cell as usize).copied()?;
        let layout = &self.program.layouts()[instance.layout].cells;
        match layout.get(cell.cell as usize % layout.len().max(1))?.ty {
            CellType::Scalar(ty) => {
                let signed = !matches!(ty, Type::Pointer);
                Some(shown_value(value, self.program.show(&state.memory, value, ty, signed)))
            }
            CellType::Sync(SyncKind::Semaphore, _) => {
                value.bits().map(|count| ShownValue::Text(count.to_string()))
            }
            CellType::Sync(..) => None,
        }
    }
}

fn shown_value(value: Value, text: String) -> ShownValue {
    match value {
        Value::Address { instance, .. } => ShownValue::Address { to: instance.index() as u32, text },
        _ => ShownValue::Text(text),
    }
}
