//! Operations on synchronisation objects.

use super::super::Problem;
use super::super::analysis::{CellOf, gives_up};
use super::super::model::Wanted;
use super::super::slots::SlotKind;
use super::super::symbolic::Sym;
use super::super::sync_outcomes::{
    self, EINVAL, EOVERFLOW, ETIMEDOUT, Outcome, SEM_VALUE_MAX, SLEEPS, WOKEN,
};
use super::evaluate::Hits;
use super::{Emitter, View};
use base::Id;
use c::{self, LocalId, LockMode, Place, SyncInit, SyncKind, SyncOp, Value};
use ir::bp::{ExprId, Loc, Op, Var};
use std::collections::BTreeMap;

/// What an operation does, collected over the rows of its table.
struct Table {
    fault: ExprId,
    unsupported: ExprId,
    /// Where it can be done, by what it returns.
    codes: BTreeMap<u128, ExprId>,
    targets: Vec<(Var, ExprId)>,
    /// Where the state of an object changes.
    changes: ExprId,
    /// That no other thread keeps it from changing.
    alone: ExprId,
}

impl Emitter<'_> {
    pub(super) fn sync(
        &mut self,
        loc: c::Loc,
        view: &View,
        op: SyncOp,
        place: Place,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        if sync_outcomes::has(op, self.analysis.options.machine.spurious_wakeups) {
            let hits = self.hits(view, place, Wanted::Sync(op.kind()))?;
            let table = self.table(view, op, &hits)?;
            let fine = self.troubles(table.fault, table.unsupported);
            let (guard, word) = self.code_word(&table.codes, code);
            let fork = sync_outcomes::because_of_readers(op)
                .map(|number| (self.push(Op::Goto(vec![]), false), number));
            let mut targets = table.targets;
            targets.extend(self.code(code, &word));
            let guard = self.gates.and(fine, guard);
            let alone = self.gates.and(guard, table.alone);
            self.finish(targets, alone);
            if let Some((fork, number)) = fork {
                // That some other thread reads cannot be said.
                self.loses("an operation on a read-write lock may fail though nobody reads");
                let targets = self.code_number(code, number);
                let guard = self.gates.and(fine, table.changes);
                let op = self.assignment(targets, guard);
                let fails = self.push_last(op, true);
                let normal = Loc::from_index(fork.index() + 1);
                self.builder.at(fork).op = Op::Goto(vec![normal, fails]);
            }
            return Ok(());
        }
        match op {
            SyncOp::CondWait { mutex, timed } => self.cond_wait(loc, view, [place, mutex], timed, code),
            SyncOp::BarrierWait => self.barrier_wait(loc, view, place, code),
            SyncOp::Init(SyncInit::Barrier(count)) => self.barrier_init(view, place, count, code),
            SyncOp::Signal | SyncOp::Broadcast => self.signal(view, op, place, code),
            _ => self.semaphore(view, op, place, code),
        }
    }

    fn table(&mut self, view: &View, op: SyncOp, hits: &Hits) -> Result<Table, Problem> {
        let mut table = Table {
            fault: hits.fault,
            unsupported: hits.unsupported,
            codes: BTreeMap::new(),
            targets: vec![],
            changes: self.gates.zero(),
            alone: self.gates.one(),
        };
        for &(cell, hit) in &hits.list {
            self.rows(view, op, &mut table, cell, hit)?;
        }
        Ok(table)
    }

    fn rows(
        &mut self,
        view: &View,
        op: SyncOp,
        table: &mut Table,
        cell: CellOf,
        hit: ExprId,
    ) -> Result<(), Problem> {
        let found = self.analysis.rows(&view.locals, op, cell)?;
        let state = self.read(view, SlotKind::Cell(cell.0, cell.1)).sym;
        let own =
            sync_outcomes::is_held(op.kind()).then(|| self.read(view, SlotKind::Hold(cell.0, cell.1)).sym);
        let (mut states, mut holds) = (vec![], vec![]);
        let zero = self.gates.zero();
        let (mut changed, mut moved) = (zero, zero);
        for (was, held, outcome) in found.rows {
            let mut cond = state.is(&mut self.gates, was);
            if let Some(own) = &own {
                let same = own.is(&mut self.gates, Value::Bits(held));
                cond = self.gates.and(cond, same);
            }
            cond = self.gates.and(cond, hit);
            match outcome {
                Outcome::Blocked => {}
                Outcome::Fault => table.fault = self.gates.or(table.fault, cond),
                Outcome::Done { state, hold, code } => {
                    let before = table.codes.get(&code).copied().unwrap_or(zero);
                    table.codes.insert(code, self.gates.or(before, cond));
                    if let Some(state) = state {
                        states.push((cond, Sym::constant(&self.gates, state, 64)));
                        changed = self.gates.or(changed, cond);
                    }
                    if let Some(hold) = hold {
                        holds.push((cond, self.number(hold, 32)));
                        moved = self.gates.or(moved, cond);
                    }
                }
            }
        }
        table.changes = self.gates.or(table.changes, changed);
        if sync_outcomes::excludes_readers(op) {
            let free = self.nobody_reads(cell);
            let same = self.gates.not(changed);
            let fits = self.gates.or(same, free);
            table.alone = self.gates.and(table.alone, fits);
        }
        let new = self.selected(SlotKind::Cell(cell.0, cell.1), 64, changed, &states);
        table.targets.extend(new);
        let new = self.selected(SlotKind::Hold(cell.0, cell.1), 32, moved, &holds);
        table.targets.extend(new);
        Ok(())
    }

    /// One of several values where one of their conditions holds.
    fn selected(
        &mut self,
        kind: SlotKind,
        bits: u8,
        some: ExprId,
        cases: &[(ExprId, Sym)],
    ) -> Vec<(Var, ExprId)> {
        if cases.is_empty() {
            return vec![];
        }
        let value = super::super::symbolic::mux(&mut self.gates, bits, cases);
        self.write_if(kind, some, &value)
    }

    /// Where the operation can be done, and what it returns.
    pub(super) fn code_word(
        &mut self,
        codes: &BTreeMap<u128, ExprId>,
        code: Option<LocalId>,
    ) -> (ExprId, Vec<ExprId>) {
        let bits = code.map_or(1, |local| self.analysis.bits_of(local));
        let mut word = self.gates.number(0, bits);
        let mut guard = self.gates.zero();
        for (&number, &cond) in codes {
            guard = self.gates.or(guard, cond);
            for (bit, e) in word.iter_mut().enumerate() {
                if number >> bit & 1 != 0 {
                    *e = self.gates.or(*e, cond);
                }
            }
        }
        (guard, word)
    }

    pub(super) fn code(&mut self, code: Option<LocalId>, word: &[ExprId]) -> Vec<(Var, ExprId)> {
        let Some(local) = code else { return vec![] };
        let value = Sym::word(&self.gates, word.to_vec());
        self.write(SlotKind::Register(local), &value)
    }

    pub(super) fn code_number(&mut self, code: Option<LocalId>, number: u128) -> Vec<(Var, ExprId)> {
        let Some(local) = code else { return vec![] };
        let value = self.number(number, self.analysis.bits_of(local));
        self.write(SlotKind::Register(local), &value)
    }

    /// Sleeping and waking are two steps; a sleeper may always wake.
    fn cond_wait(
        &mut self,
        loc: c::Loc,
        view: &View,
        [cond, mutex]: [Place; 2],
        timed: bool,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let conds = self.hits(view, cond, Wanted::Sync(SyncKind::Cond))?;
        let hits = self.hits(view, mutex, Wanted::Sync(SyncKind::Mutex))?;
        let table = self.table(view, SyncOp::Unlock, &hits)?;
        let mut fault = self.gates.or(conds.fault, table.fault);
        for &(cell, hit) in &conds.list {
            let state = self.read(view, SlotKind::Cell(cell.0, cell.1)).sym;
            let missing = self.gates.not(state.number);
            let missing = self.gates.and(hit, missing);
            fault = self.gates.or(fault, missing);
        }
        let unsupported = self.gates.or(conds.unsupported, table.unsupported);
        let fine = self.troubles(fault, unsupported);
        let zero = self.gates.zero();
        let sleeps = table.codes.get(&0).copied().unwrap_or(zero);
        let refused: Vec<u128> = table.codes.keys().copied().filter(|&number| number != 0).collect();
        let mut ways: Vec<Loc> = vec![];
        let fork = (!refused.is_empty()).then(|| self.push(Op::Goto(vec![]), false));
        for number in refused {
            // An errorcheck mutex that is not held gives its error; nobody sleeps then.
            let guard = self.gates.and(fine, table.codes[&number]);
            let targets = self.code_number(code, number);
            let op = self.assignment(targets, guard);
            ways.push(self.push_last(op, true));
        }
        let guard = self.gates.and(fine, sleeps);
        let mut targets = table.targets;
        targets.extend(self.waits(&conds, SLEEPS));
        let op = self.assignment(targets, guard);
        ways.push(self.push(op, true));
        if let Some(fork) = fork {
            self.builder.at(fork).op = Op::Goto(ways);
        }
        self.wake_up(loc, view, [cond, mutex], timed, code)
    }

    /// How the thread waits at a condition variable, where that is kept.
    fn waits(&mut self, conds: &Hits, how: u128) -> Vec<(Var, ExprId)> {
        let value = self.number(how, 16);
        let cells: Vec<CellOf> = conds.list.iter().map(|it| it.0).collect();
        cells.into_iter().flat_map(|cell| self.write(SlotKind::Wait(cell.0, cell.1), &value)).collect()
    }

    /// Where the thread waits so at a condition variable; everywhere if sleepers may always wake.
    fn is_waiting(&mut self, view: &View, conds: &Hits, how: u128) -> ExprId {
        if self.analysis.options.machine.spurious_wakeups {
            return self.gates.one();
        }
        let mut any = self.gates.zero();
        for &(cell, _) in &conds.list {
            let waits = self.read(view, SlotKind::Wait(cell.0, cell.1)).sym;
            let so = waits.is(&mut self.gates, Value::Bits(how));
            any = self.gates.or(any, so);
        }
        any
    }

    fn wake_up(
        &mut self,
        loc: c::Loc,
        view: &View,
        [cond, mutex]: [Place; 2],
        timed: bool,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let Some(locals) = self.analysis.second.get(&loc).cloned() else {
            self.stop();
            return Ok(());
        };
        let view = View { locals, new: view.new.clone() };
        let hits = self.hits(&view, mutex, Wanted::Sync(SyncKind::Mutex))?;
        let table = self.table(&view, SyncOp::Lock(LockMode::Wait), &hits)?;
        let fine = self.troubles(table.fault, table.unsupported);
        let fork = timed.then(|| self.push(Op::Goto(vec![]), false));
        let conds = self.hits(&view, cond, Wanted::Sync(SyncKind::Cond))?;
        let (guard, word) = self.code_word(&table.codes, code);
        let guard = self.gates.and(fine, guard);
        let mut ends = table.targets;
        ends.extend(self.waits(&conds, 0));
        let mut targets = ends.clone();
        targets.extend(self.code(code, &word));
        let woken = self.is_waiting(&view, &conds, WOKEN);
        let wakes = self.gates.and(guard, woken);
        self.finish(targets, wakes);
        if let Some(fork) = fork {
            let mut targets = ends;
            targets.extend(self.code_number(code, ETIMEDOUT));
            let asleep = self.is_waiting(&view, &conds, SLEEPS);
            let guard = self.gates.and(guard, asleep);
            let op = self.assignment(targets, guard);
            let late = self.push_last(op, true);
            let normal = Loc::from_index(fork.index() + 1);
            self.builder.at(fork).op = Op::Goto(vec![normal, late]);
        }
        Ok(())
    }

    fn semaphore(
        &mut self,
        view: &View,
        op: SyncOp,
        place: Place,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let hits = self.hits(view, place, Wanted::Sync(SyncKind::Semaphore))?;
        let (mut fault, mut unsupported) = (hits.fault, hits.unsupported);
        let mut first = None;
        if let SyncOp::Init(SyncInit::Semaphore(value)) = op {
            let value = self.eval(view, value)?.sym;
            fault = self.gates.or(fault, value.fault);
            unsupported = self.gates.or(unsupported, value.unsupported);
            first = Some(value);
        }
        let mut codes: BTreeMap<u128, ExprId> = BTreeMap::new();
        let mut targets = vec![];
        let mut result = self.gates.number(0, code.map_or(1, |local| self.analysis.bits_of(local)));
        for &(cell, hit) in &hits.list {
            let kind = SlotKind::Cell(cell.0, cell.1);
            let now = self.read(view, kind).sym;
            if first.is_none() {
                let missing = self.gates.not(now.number);
                let missing = self.gates.and(hit, missing);
                fault = self.gates.or(fault, missing);
            }
            let (works, new, otherwise) = self.counted(op, &now, first.as_ref());
            let done = self.gates.and(hit, works);
            let not = self.gates.not(works);
            let fails = self.gates.and(hit, not);
            for (number, cond) in [(Some(0), done), (otherwise, fails)] {
                let Some(number) = number else { continue };
                let before = codes.get(&number).copied().unwrap_or(self.gates.zero());
                codes.insert(number, self.gates.or(before, cond));
            }
            match new {
                Some(new) => targets.extend(self.write_if(kind, done, &new)),
                None => {
                    for (all, &bit) in result.iter_mut().zip(&now.bits) {
                        let bit = self.gates.and(hit, bit);
                        *all = self.gates.or(*all, bit);
                    }
                }
            }
        }
        let fine = self.troubles(fault, unsupported);
        let (guard, word) = self.code_word(&codes, code);
        let word = if op == SyncOp::SemValue { result } else { word };
        targets.extend(self.code(code, &word));
        let guard = self.gates.and(fine, guard);
        self.finish(targets, guard);
        Ok(())
    }

    /// Where a semaphore's operation works, its new value, and what it returns otherwise (`None`: it waits).
    fn counted(&mut self, op: SyncOp, now: &Sym, first: Option<&Sym>) -> (ExprId, Option<Sym>, Option<u128>) {
        let one = self.gates.number(1, 64);
        match (op, first) {
            (_, Some(value)) => {
                let mut bits = value.bits.clone();
                bits.resize(64, self.gates.zero());
                let most = self.gates.number(SEM_VALUE_MAX, 64);
                let fits = self.gates.less(&bits, &most, true);
                (fits, Some(Sym::word(&self.gates, bits)), Some(EINVAL))
            }
            (SyncOp::SemWait(mode), _) => {
                let empty = self.gates.is(&now.bits, 0);
                let less = self.gates.subtract(&now.bits, &one);
                let otherwise = (mode != LockMode::Wait).then(|| gives_up(mode));
                (self.gates.not(empty), Some(Sym::word(&self.gates, less)), otherwise)
            }
            (SyncOp::SemPost, _) => {
                let most = self.gates.number(SEM_VALUE_MAX, 64);
                let fits = self.gates.less(&now.bits, &most, false);
                let zero = self.gates.zero();
                let more = self.gates.add(&now.bits, &one, zero);
                (fits, Some(Sym::word(&self.gates, more)), Some(EOVERFLOW))
            }
            (SyncOp::Destroy(_), _) => {
                let gone = Sym::constant(&self.gates, Value::Undetermined, 64);
                (self.gates.one(), Some(gone), None)
            }
            _ => (self.gates.one(), None, None),
        }
    }
}
