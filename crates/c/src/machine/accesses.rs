//! The next accesses of a thread: which bytes of which objects its next step reads and writes. Whether the
//! thread may step now does not matter; one that never steps again accesses nothing.

use super::{Machine, Refusal};
use crate::effects::{AccessKind, MemoryAccess, Region, SyncUse};
use crate::op::{Op, Place, SyncOp};
use crate::program::Loc;
use crate::state::{Instance, Memory, Origin, State, Thread, Wait};
use crate::types::{InstanceId, SyncKind};
use crate::value::{CellRef, ThreadId, Trouble, Value};
use base::Span;
use std::cmp::Reverse;

/// What a next access does to its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessMode {
    /// Reads them.
    Read,
    /// Writes them, perhaps after reading.
    Write,
    /// Ends the life of the object.
    End,
}

impl AccessMode {
    /// The word in verdicts and traces.
    pub fn word(self) -> &'static str {
        match self {
            AccessMode::Read => "read",
            AccessMode::Write => "write",
            AccessMode::End => "end of its life",
        }
    }
}

/// An access that a thread's next step makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NextAccess {
    /// The object.
    pub instance: InstanceId,
    /// The first byte, from the start of the object.
    pub first: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What is done to them.
    pub mode: AccessMode,
    /// Whether it is an atomic operation, or one of a synchronisation object that orders threads.
    pub atomic: bool,
}

impl NextAccess {
    fn overlaps(&self, other: &NextAccess) -> bool {
        let meets = |a: &NextAccess, b: &NextAccess| a.first < b.first.saturating_add(b.bytes);
        self.instance == other.instance && meets(self, other) && meets(other, self)
    }

    fn reads(&self) -> bool {
        self.mode == AccessMode::Read
    }
}

/// One of two accesses that race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RacingAccess {
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub at: Loc,
    /// What.
    pub access: NextAccess,
}

/// Two threads whose next accesses race; a write comes first, of two writes the one that is earlier in the
/// text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Race {
    /// The accesses.
    pub accesses: [RacingAccess; 2],
}

impl Machine<'_> {
    /// The accesses of the thread's next step. A step that is undefined behaviour makes none.
    pub fn accesses(&self, memory: &Memory, thread: &Thread) -> Vec<NextAccess> {
        let op = &self.program.at(thread.loc()).op;
        if thread.halted || !op.accesses_memory() {
            return vec![];
        }
        if let Op::Sync { op, place, .. } = op {
            return self.sync_accesses(memory, thread, *op, *place).unwrap_or_default();
        }
        let declared = op.accesses(self.program);
        let ends = |it: &MemoryAccess| it.kind == AccessKind::End;
        if let Some(ended) = declared.iter().find(|it| ends(it)) {
            return self.ends(memory, thread, op, ended.region);
        }
        declared.iter().filter_map(|it| self.scalar_access(memory, thread, op, it)).collect()
    }

    /// Whether the next step is one of a function that nobody defines, which may access all that its
    /// arguments lead to.
    pub fn may_access_more(&self, thread: &Thread) -> bool {
        !thread.halted
            && matches!(&self.program.at(thread.loc()).op, Op::Reach(reach) if reach.leads_anywhere())
    }

    fn scalar_access(
        &self,
        memory: &Memory,
        thread: &Thread,
        op: &Op,
        declared: &MemoryAccess,
    ) -> Option<NextAccess> {
        let Region::Scalar { place, bits } = declared.region else { return None };
        let (instance, first) = self.target(thread, place).ok()?;
        let object = memory.get(instance)?;
        let (first, bytes) = (u64::try_from(first).ok()?, u64::from(bits.div_ceil(8)));
        let inside = first.checked_add(bytes)? <= self.size_of(object);
        let writes = declared.kind != AccessKind::Read;
        if !inside || writes && self.is_constant(object) || self.value_is_undefined(thread, op) {
            return None;
        }
        let fails = || self.guard_fails(memory, thread, op, place, bits);
        let mode = if writes && !fails() { AccessMode::Write } else { AccessMode::Read };
        Some(NextAccess { instance, first, bytes, mode, atomic: declared.atomic })
    }

    fn size_of(&self, object: &Instance) -> u64 {
        self.program.layouts()[object.layout].stride.saturating_mul(object.count)
    }

    fn is_constant(&self, object: &Instance) -> bool {
        matches!(object.origin, Origin::Declared(id) if self.program.objects()[id].constant)
    }

    /// Whether what is to be stored has no value.
    fn value_is_undefined(&self, thread: &Thread, op: &Op) -> bool {
        let Op::Store { value, .. } = op else { return false };
        matches!(self.evaluator.value(thread, *value), Err(Trouble::Fault(_)))
    }

    /// Whether a read-modify-write writes nothing in this state: a compare-exchange that must fail.
    fn guard_fails(&self, memory: &Memory, thread: &Thread, op: &Op, place: Place, bits: u8) -> bool {
        let Op::Rmw { old, guard: Some(guard), .. } = op else { return false };
        let hit = self.hit(memory, thread, place, bits);
        let Ok(read) = hit.and_then(|hit| self.held(memory, hit, bits)) else { return false };
        if read == Value::Undetermined {
            return false;
        }
        let mut after = thread.clone();
        after.set(self.program, *old, read);
        matches!(self.evaluator.holds(&after, *guard), Ok(false))
    }

    /// Objects whose life the step ends.
    fn ends(&self, memory: &Memory, thread: &Thread, op: &Op, region: Region) -> Vec<NextAccess> {
        if !self.options.races.with_ends() {
            return vec![];
        }
        let frame = thread.top();
        let ended: Vec<InstanceId> = match region {
            Region::Pointed(pointer) => self.freed(memory, thread, op, pointer).into_iter().collect(),
            Region::Declared(object) => {
                frame.objects.iter().filter(|it| it.0 == object).map(|it| it.1).collect()
            }
            Region::Activation if thread.frames.len() > 1 => frame.objects.iter().map(|it| it.1).collect(),
            _ => {
                let own = thread.frames.iter().flat_map(|frame| &frame.objects).chain(&thread.objects);
                own.map(|it| it.1).collect()
            }
        };
        let whole = |instance: InstanceId| {
            let bytes = self.size_of(memory.get(instance)?);
            Some(NextAccess { instance, first: 0, bytes, mode: AccessMode::End, atomic: false })
        };
        ended.into_iter().filter_map(whole).collect()
    }

    /// The allocation that a `free` ends, if it is one.
    fn freed(
        &self,
        memory: &Memory,
        thread: &Thread,
        op: &Op,
        pointer: crate::expr::ExprId,
    ) -> Option<InstanceId> {
        let Ok(Value::Address { instance, offset: 0 }) = self.evaluator.value(thread, pointer) else {
            return None;
        };
        let Origin::Allocated(at) = memory.get(instance)?.origin else { return None };
        let of_block = |op: &Op| match op {
            Op::Alloc { automatic, .. } | Op::Free { automatic, .. } => *automatic,
            _ => false,
        };
        (of_block(&self.program.at(at).op) == of_block(op)).then_some(instance)
    }

    fn sync_accesses(
        &self,
        memory: &Memory,
        thread: &Thread,
        op: SyncOp,
        place: Place,
    ) -> Result<Vec<NextAccess>, Refusal> {
        // Who was released at a barrier has left it.
        if matches!(thread.wait, Some(Wait::Barrier { released: Some(_), .. })) {
            return Ok(vec![]);
        }
        let cell = self.sync_cell(memory, thread, place, op.kind())?;
        let state = memory.read(cell);
        let undefined = match (op, state) {
            (SyncOp::Init(_), Value::Bits(state)) => super::sync::in_use(op.kind(), state),
            (SyncOp::Init(_), _) => false,
            (SyncOp::Unlock, Value::Bits(state)) => super::locks::unlock(state, thread.hold(cell)).is_err(),
            (SyncOp::RwUnlock, Value::Bits(state)) => {
                super::locks::rw_unlock(state, thread.hold(cell)).is_err()
            }
            (_, Value::Bits(_)) => false,
            _ => true,
        };
        if undefined {
            return Ok(vec![]);
        }
        let mode = if op.role() == SyncUse::Inspect { AccessMode::Read } else { AccessMode::Write };
        let atomic = !matches!(op.role(), SyncUse::Init | SyncUse::Destroy);
        let mut found = vec![self.whole_cell(memory, cell, mode, atomic)];
        if let SyncOp::CondWait { mutex, .. } = op {
            let lock = self.sync_cell(memory, thread, mutex, SyncKind::Mutex)?;
            let releases = |state| super::locks::unlock(state, thread.hold(lock)).is_ok();
            if thread.wait.is_none() && !memory.read(lock).bits().is_some_and(releases) {
                return Ok(vec![]);
            }
            found.push(self.whole_cell(memory, lock, AccessMode::Write, true));
        }
        Ok(found)
    }

    fn whole_cell(&self, memory: &Memory, cell: CellRef, mode: AccessMode, atomic: bool) -> NextAccess {
        let object = memory.get(cell.instance).expect("a cell that was found is one of an object");
        let extent = self.program.cell_extent(object, cell.cell);
        let (first, bytes) = extent.expect("a cell that was found is one of its object");
        NextAccess { instance: cell.instance, first, bytes, mode, atomic }
    }

    /// The next accesses of two threads that race, if some do.
    pub fn conflict(
        &self,
        memory: &Memory,
        one: &Thread,
        other: &Thread,
    ) -> Option<(NextAccess, NextAccess)> {
        let accesses = self.accesses(memory, one);
        if accesses.is_empty() {
            return None;
        }
        let theirs = self.accesses(memory, other);
        let pairs = accesses.iter().flat_map(|a| theirs.iter().map(move |b| (*a, *b)));
        pairs.into_iter().find(|(a, b)| races(one, a, other, b))
    }

    /// A race between next accesses, if the state has one.
    pub fn race(&self, state: &State) -> Option<Race> {
        if state.threads.values().any(|thread| thread.halted) {
            return None;
        }
        let threads: Vec<(&ThreadId, &Thread)> = state.threads.iter().collect();
        for (at, &(&id, thread)) in threads.iter().enumerate() {
            for &(&other, rival) in &threads[at + 1..] {
                if let Some((a, b)) = self.conflict(&state.memory, thread, rival) {
                    let one = RacingAccess { thread: id, at: thread.loc(), access: a };
                    let two = RacingAccess { thread: other, at: rival.loc(), access: b };
                    return Some(self.ordered(one, two));
                }
            }
        }
        None
    }

    fn ordered(&self, one: RacingAccess, two: RacingAccess) -> Race {
        let key = |it: &RacingAccess| {
            let span: Option<Span> = self.program.at(it.at).span;
            (it.access.reads(), Reverse(span.is_some()), span, it.thread)
        };
        let accesses = if key(&two) < key(&one) { [two, one] } else { [one, two] };
        Race { accesses }
    }
}

/// Whether two next accesses race. In a section everything is synchronising against other sections and
/// atomic operations. Two atomic operations on bytes that overlap but are not the same do race.
fn races(one: &Thread, a: &NextAccess, other: &Thread, b: &NextAccess) -> bool {
    if a.reads() && b.reads() || !a.overlaps(b) || one.section && other.section {
        return false;
    }
    let ordered = (a.atomic || one.section) && (b.atomic || other.section);
    let mixed = a.atomic && b.atomic && (a.first, a.bytes) != (b.first, b.bytes);
    !ordered || mixed
}

impl Op {
    /// Whether it may access memory that exists before it; most steps do not, and are asked often.
    fn accesses_memory(&self) -> bool {
        matches!(
            self,
            Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::Free { .. }
                | Op::Enter(_)
                | Op::Leave(_)
                | Op::Return(_)
                | Op::Exit(_)
                | Op::Sync { .. }
        )
    }
}
