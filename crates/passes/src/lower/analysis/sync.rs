//! Operations on synchronisation objects, as far as values go.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::numbers::{self, Numbers};
use super::super::slots::SlotKind;
use super::super::sync_outcomes::{
    self, EAGAIN, EINVAL, EOVERFLOW, ETIMEDOUT, Outcome, SEM_VALUE_MAX, SLEEPS, WOKEN,
};
use super::{Analysis, CellOf, Locals};
use c::{Binary, Loc, LocalId, LockMode, Place, SyncInit, SyncKind, SyncOp, Value};

/// States of an object and holds of a thread that are told apart.
const STATES: usize = 64;

/// What an operation that is given by rows may do.
pub struct Rows {
    pub cell: CellOf,
    pub rows: Vec<(Value, u128, Outcome)>,
}

impl Analysis<'_> {
    pub(super) fn sync(
        &mut self,
        loc: Loc,
        mut locals: Locals,
        op: SyncOp,
        place: Place,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let cells = self.places(&locals, place, op.kind())?;
        let next = self.model.program.at(loc).next;
        if cells.is_empty() {
            return Ok(());
        }
        if op.kind() == SyncKind::RwLock {
            self.only(&cells)?;
            // Whether a step is undefined behaviour because another thread reads cannot be asserted.
            if self.options.machine.faults.other {
                return Err(self.refuse("read-write locks with property undefined"));
            }
        }
        if sync_outcomes::has(op, self.options.machine.spurious_wakeups) {
            if self.table(&mut locals, op, &cells, code)? {
                self.arrive(next, locals)?;
            }
            return Ok(());
        }
        match op {
            SyncOp::CondWait { .. } => return self.cond_wait(loc, locals, op, &cells, code),
            SyncOp::BarrierWait => return self.barrier_wait(loc, locals, &cells, code),
            SyncOp::Init(SyncInit::Barrier(count)) => self.barrier_init(&mut locals, &cells, count, code)?,
            SyncOp::Signal | SyncOp::Broadcast => self.write_codes(&mut locals, code, &[0]),
            SyncOp::Init(SyncInit::Semaphore(_))
            | SyncOp::Destroy(SyncKind::Semaphore)
            | SyncOp::SemWait(_)
            | SyncOp::SemPost
            | SyncOp::SemValue => {
                if !self.semaphore(&mut locals, op, &cells, code)? {
                    return Ok(());
                }
            }
            _ => return Err(self.refuse(format!("{} operations", op.kind().word()))),
        }
        self.arrive(next, locals)
    }

    /// What the rows of an operation are where these variables hold.
    pub fn rows(&mut self, locals: &Locals, op: SyncOp, cell: CellOf) -> Result<Rows, Problem> {
        let slot = self.slot(SlotKind::Cell(cell.0, cell.1));
        let too_many = |me: &Self| me.refuse("a lock whose state or depth is not bounded");
        let states = self.read(locals, slot).list(STATES).ok_or_else(|| too_many(self))?;
        let holds = if sync_outcomes::is_held(op.kind()) {
            let hold = self.slot(SlotKind::Hold(cell.0, cell.1));
            self.read(locals, hold).numbers.list(STATES).ok_or_else(|| too_many(self))?
        } else {
            vec![0]
        };
        let memory = self.options.machine.faults.other;
        let mut rows = vec![];
        for &state in &states {
            rows.extend(
                holds.iter().map(|&hold| (state, hold, sync_outcomes::outcome(op, state, hold, memory))),
            );
        }
        Ok(Rows { cell, rows })
    }

    /// Whether the operation can be done.
    fn table(
        &mut self,
        locals: &mut Locals,
        op: SyncOp,
        cells: &[CellOf],
        code: Option<LocalId>,
    ) -> Result<bool, Problem> {
        let before = locals.clone();
        let mut codes = vec![];
        for &cell in cells {
            let found = self.rows(&before, op, cell)?;
            self.apply_rows(locals, &found, cells.len() == 1, &mut codes);
        }
        if !codes.is_empty() {
            codes.extend(sync_outcomes::because_of_readers(op));
        }
        let possible = !codes.is_empty();
        self.write_codes(locals, code, &codes);
        Ok(possible)
    }

    fn apply_rows(&mut self, locals: &mut Locals, found: &Rows, only: bool, codes: &mut Vec<u128>) {
        let cell = found.cell;
        let (mut states, mut holds) = (Abs::none(), Abs::none());
        for &(was, held, outcome) in &found.rows {
            let Outcome::Done { state, hold, code } = outcome else { continue };
            states = states.join(&Abs::value(state.unwrap_or(was)), 64);
            holds = holds.join(&Abs::number(hold.unwrap_or(held)), 32);
            codes.push(code);
        }
        if !states.is_empty() {
            let slot = self.slot(SlotKind::Cell(cell.0, cell.1));
            self.write(locals, slot, states, only);
        }
        if !holds.is_empty()
            && let Some(slot) = self.slots.known(SlotKind::Hold(cell.0, cell.1))
        {
            self.write(locals, slot, holds, only);
        }
    }

    /// The first half leaves its variables for the second.
    fn cond_wait(
        &mut self,
        loc: Loc,
        locals: Locals,
        op: SyncOp,
        conds: &[CellOf],
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let SyncOp::CondWait { mutex, timed } = op else { return Ok(()) };
        let waiting = if self.options.machine.spurious_wakeups {
            None
        } else {
            let cond = self.only(conds)?;
            Some(self.slot(SlotKind::Wait(cond.0, cond.1)))
        };
        let cells = self.places(&locals, mutex, SyncKind::Mutex)?;
        let next = self.model.program.at(loc).next;
        let mut asleep = locals.clone();
        if !self.table(&mut asleep, SyncOp::Unlock, &cells, None)? {
            return Ok(());
        }
        // An errorcheck mutex that is not held gives its error at once.
        let mut result = asleep.clone();
        self.write_codes(&mut result, code, &[0, 1]);
        self.arrive(next, result)?;
        match waiting {
            Some(slot) => {
                let values = Numbers::Few([SLEEPS, WOKEN].into());
                self.second_half(loc, &asleep, slot, values);
            }
            None => {
                let merged = match self.second.remove(&loc) {
                    None => asleep,
                    Some(old) => self.merge(&old, &asleep),
                };
                self.second.insert(loc, merged);
            }
        }
        let mut awake = self.second[&loc].clone();
        if let Some(slot) = waiting {
            awake.insert(slot, Abs::number(0));
        }
        if !self.table(&mut awake, SyncOp::Lock(LockMode::Wait), &cells, None)? {
            return Ok(());
        }
        self.write_codes(&mut awake, code, if timed { &[0, ETIMEDOUT] } else { &[0] });
        self.arrive(next, awake)
    }

    pub(super) fn merge(&self, a: &Locals, b: &Locals) -> Locals {
        let mut all = a.clone();
        for (&slot, value) in b {
            let bits = self.slots.get(slot).bits;
            let old = a.get(&slot).cloned().unwrap_or_else(|| self.slots.first(slot));
            all.insert(slot, old.widen(value, bits, &self.steps));
        }
        for (&slot, value) in a {
            if !b.contains_key(&slot) {
                all.insert(slot, value.join(&self.slots.first(slot), self.slots.get(slot).bits));
            }
        }
        all
    }

    /// Whether the operation can be done.
    fn semaphore(
        &mut self,
        locals: &mut Locals,
        op: SyncOp,
        cells: &[CellOf],
        code: Option<LocalId>,
    ) -> Result<bool, Problem> {
        let mut codes = vec![];
        let mut result = Abs::none();
        let width = code.map_or(64, |local| self.bits_of(local));
        for slot in self.cell_slots(cells) {
            if let SyncOp::Destroy(_) = op {
                self.write(locals, slot, Abs::value(Value::Undetermined), false);
                codes.push(0);
                continue;
            }
            let now = self.read(locals, slot).numbers;
            let (new, given) = match op {
                SyncOp::Init(SyncInit::Semaphore(value)) => {
                    let value = self.eval(locals, value)?.numbers;
                    (value, vec![0, EINVAL])
                }
                SyncOp::SemWait(mode) => (moved(&now, Binary::Sub), vec![0, gives_up(mode)]),
                SyncOp::SemPost => (moved(&now, Binary::Add), vec![0, EOVERFLOW]),
                _ => {
                    result = result.join(&Abs::numbers(cut(&now, width)), width);
                    (Numbers::none(), vec![])
                }
            };
            self.write(locals, slot, Abs::numbers(new), false);
            codes.extend(given);
        }
        if op == SyncOp::SemValue {
            if let Some(local) = code {
                self.write_register(locals, local, result);
            }
            return Ok(true);
        }
        self.write_codes(locals, code, &codes);
        Ok(true)
    }
}

/// What an operation returns that would have to wait.
pub fn gives_up(mode: LockMode) -> u128 {
    match mode {
        LockMode::Wait => 0,
        LockMode::Try => EAGAIN,
        LockMode::Timed => ETIMEDOUT,
    }
}

/// One more or one less, where that can be.
fn moved(now: &Numbers, op: Binary) -> Numbers {
    let (low, high) = if op == Binary::Sub { (1, SEM_VALUE_MAX) } else { (0, SEM_VALUE_MAX - 1) };
    let inside = match now {
        Numbers::Few(set) => {
            Numbers::Few(set.iter().copied().filter(|it| (low..=high).contains(it)).collect())
        }
        Numbers::Many(it) => Numbers::range(64, it.low.max(low) as i128, it.high.min(high) as i128, false),
    };
    match &inside {
        Numbers::Few(set) => {
            Numbers::Few(set.iter().map(|&it| if op == Binary::Sub { it - 1 } else { it + 1 }).collect())
        }
        Numbers::Many(_) => numbers::binary(op, 64, &inside, &Numbers::one(1), 64),
    }
}

fn cut(now: &Numbers, width: u8) -> Numbers {
    numbers::convert(if width < 64 { c::Convert::Truncate } else { c::Convert::ZeroExtend }, 64, width, now)
}
