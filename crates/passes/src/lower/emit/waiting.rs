//! Waiting for others: barriers, condition variables without spurious wake-ups, and read-write locks, for
//! which a writer waits until no other thread reads. What others do to a waiting thread is a broadcast; what
//! a thread asks of all others is a condition over passive copies.

use super::super::Problem;
use super::super::analysis::CellOf;
use super::super::coding::Source;
use super::super::model::Wanted;
use super::super::slots::SlotKind;
use super::super::symbolic::{Sym, mux};
use super::super::sync_outcomes::{Arrival, CHOSEN, EINVAL, RELEASED, SERIAL, SLEEPS, WOKEN, arrival};
use super::{Emitter, View};
use base::Id;
use c::{self, LocalId, Place, SyncKind, SyncOp, Value, mask};
use ir::bp::{ExprId, Loc, LocalId as Local, Op, Var};
use std::collections::BTreeMap;

/// A value that a passive thread's variable gets where a condition holds.
struct Case {
    holds: ExprId,
    value: u128,
}

impl Emitter<'_> {
    /// Whether no passive thread reads the lock in a cell.
    pub(super) fn nobody_reads(&mut self, cell: CellOf) -> ExprId {
        let mut free = self.gates.one();
        let Some(slot) = self.known_slot(SlotKind::Hold(cell.0, cell.1)) else { return free };
        let coding = self.coding[slot.index()].clone();
        // The lowest bit says whether the thread writes.
        for source in coding.sources.iter().skip(1) {
            if let Source::Bit(n) = source {
                let reads = self.gates.passive(coding.kept[*n]);
                let none = self.gates.not(reads);
                free = self.gates.and(free, none);
            }
        }
        free
    }

    /// Whether a passive thread's variable has this value, which is one of its values.
    fn passive_is(&mut self, kind: SlotKind, value: u128) -> ExprId {
        let Some(slot) = self.known_slot(kind) else { return self.gates.constant(value == 0) };
        let mut all = self.gates.one();
        for (var, bit) in self.coding[slot.index()].encode(Value::Bits(value)) {
            let e = self.gates.passive(var);
            let e = if bit { e } else { self.gates.not(e) };
            all = self.gates.and(all, e);
        }
        all
    }

    /// What every passive thread's variable becomes.
    fn broadcast(&mut self, kind: SlotKind, cases: &[Case]) -> Vec<(Local, ExprId)> {
        let Some(slot) = self.known_slot(kind) else { return vec![] };
        let coding = self.coding[slot.index()].clone();
        let mut made: Vec<(Var, ExprId)> = coding.vars().map(|var| (var, self.gates.passive(var))).collect();
        for case in cases {
            for (var, bit) in coding.encode(Value::Bits(case.value)) {
                if let Some(it) = made.iter_mut().find(|it| it.0 == var) {
                    it.1 = self.gates.ite(case.holds, self.gates.constant(bit), it.1);
                }
            }
        }
        let local = |(var, e)| match var {
            Var::Local(local) => Some((local, e)),
            Var::Shared(_) => None,
        };
        made.into_iter().filter_map(local).collect()
    }

    /// A parallel assignment that other threads feel.
    fn with_broadcast(
        &mut self,
        targets: Vec<(Var, ExprId)>,
        broadcast: Vec<(Local, ExprId)>,
        guard: ExprId,
    ) -> Op {
        match (self.assignment(targets, guard), broadcast.is_empty()) {
            (op, true) => op,
            (Op::Assign { targets, constrain, .. }, _) => Op::Assign { targets, broadcast, constrain },
            _ => {
                let constrain = (self.gates.known(guard) != Some(true)).then_some(guard);
                Op::Assign { targets: vec![], broadcast, constrain }
            }
        }
    }

    /// A signal wakes any of the sleepers, a broadcast all.
    pub(super) fn signal(
        &mut self,
        view: &View,
        op: SyncOp,
        place: Place,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let hits = self.hits(view, place, Wanted::Sync(SyncKind::Cond))?;
        let mut fault = hits.fault;
        let mut broadcast = vec![];
        for &(cell, hit) in &hits.list {
            let state = self.read(view, SlotKind::Cell(cell.0, cell.1)).sym;
            let missing = self.gates.not(state.number);
            let missing = self.gates.and(hit, missing);
            fault = self.gates.or(fault, missing);
            let kind = SlotKind::Wait(cell.0, cell.1);
            if self.known_slot(kind).is_none() {
                continue;
            }
            let mut holds = self.passive_is(kind, SLEEPS);
            holds = self.gates.and(holds, hit);
            if op == SyncOp::Signal {
                self.loses("a signal wakes any of the sleepers");
                let any = self.gates.choice();
                holds = self.gates.and(holds, any);
            }
            broadcast.extend(self.broadcast(kind, &[Case { holds, value: WOKEN }]));
        }
        let guard = self.troubles(fault, hits.unsupported);
        let targets = self.code_number(code, 0);
        let op = self.with_broadcast(targets, broadcast, guard);
        self.push_last(op, true);
        Ok(())
    }

    pub(super) fn barrier_init(
        &mut self,
        view: &View,
        place: Place,
        count: c::ExprId,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let hits = self.hits(view, place, Wanted::Sync(SyncKind::Barrier))?;
        let counts = self.analysis.counts(&view.locals, count)?;
        let count = self.eval(view, count)?.sym;
        let mut fault = self.gates.or(hits.fault, count.fault);
        let unsupported = self.gates.or(hits.unsupported, count.unsupported);
        let mut targets = vec![];
        for &(cell, hit) in &hits.list {
            let kind = SlotKind::Cell(cell.0, cell.1);
            let now = self.read(view, kind).sym;
            for state in self.analysis.barrier_states(&view.locals, cell)? {
                if state.bits().is_some_and(|state| state >> 32 != 0) {
                    let in_use = now.is(&mut self.gates, state);
                    let in_use = self.gates.and(hit, in_use);
                    fault = self.gates.or(fault, in_use);
                }
            }
            let mut cases = vec![];
            for &number in counts.iter().filter(|&&it| it != 0) {
                let cond = count.is(&mut self.gates, Value::Bits(number));
                cases.push((cond, self.number(number & mask(32), 64)));
            }
            if !cases.is_empty() {
                let some = self.gates.any(cases.iter().map(|it| it.0).collect::<Vec<_>>());
                let some = self.gates.and(hit, some);
                let value = mux(&mut self.gates, 64, &cases);
                targets.extend(self.write_if(kind, some, &value));
            }
        }
        let fine = self.troubles(fault, unsupported);
        let none = count.is(&mut self.gates, Value::ZERO);
        let some = self.gates.not(none);
        let codes = BTreeMap::from([(0, some), (EINVAL, none)]);
        let (guard, word) = self.code_word(&codes, code);
        targets.extend(self.code(code, &word));
        let guard = self.gates.and(fine, guard);
        self.finish(targets, guard);
        Ok(())
    }

    /// Who arrives gets a number; the last one chooses whose number is told that it is the one, and releases
    /// all.
    pub(super) fn barrier_wait(
        &mut self,
        loc: c::Loc,
        view: &View,
        place: Place,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let hits = self.hits(view, place, Wanted::Sync(SyncKind::Barrier))?;
        let cells: Vec<CellOf> = hits.list.iter().map(|it| it.0).collect();
        let cell = self.analysis.only(&cells)?;
        let now = self.read(view, SlotKind::Cell(cell.0, cell.1)).sym;
        let mut fault = hits.fault;
        let (mut arrivals, mut lasts) = (vec![], vec![]);
        for state in self.analysis.barrier_states(&view.locals, cell)? {
            let cond = now.is(&mut self.gates, state);
            match arrival(state) {
                Arrival::Fault | Arrival::Large => fault = self.gates.or(fault, cond),
                Arrival::Waits { state, index } => arrivals.push((cond, state, index)),
                Arrival::Last { state } => lasts.push((cond, state)),
            }
        }
        let fine = self.troubles(fault, hits.unsupported);
        let fork = self.push(Op::Goto(vec![]), false);
        let mut ways: Vec<Loc> = vec![];
        let most = lasts.iter().map(|it| it.1).max().unwrap_or(0);
        for chosen in 0..most {
            ways.push(self.last_arrival(cell, &lasts, chosen, fine, code));
        }
        if !arrivals.is_empty() {
            ways.push(self.arrival(cell, &arrivals, fine));
            self.released(loc, view, cell, code);
        } else if ways.is_empty() {
            ways.push(self.builder.here());
            self.stop();
        }
        self.builder.at(fork).op = Op::Goto(ways);
        Ok(())
    }

    /// The last thread arrives, and the waiter with this number is told that it is the one; 0: this thread
    /// itself.
    fn last_arrival(
        &mut self,
        cell: CellOf,
        lasts: &[(ExprId, u128)],
        chosen: u128,
        fine: ExprId,
        code: Option<LocalId>,
    ) -> Loc {
        let fitting = lasts.iter().filter(|(_, count)| chosen < *count);
        let cases: Vec<(ExprId, Sym)> =
            fitting.map(|&(cond, count)| (cond, self.number(count, 64))).collect();
        let some = self.gates.any(cases.iter().map(|it| it.0).collect::<Vec<_>>());
        let value = mux(&mut self.gates, 64, &cases);
        let mut targets = self.write_if(SlotKind::Cell(cell.0, cell.1), some, &value);
        targets.extend(self.code_number(code, if chosen == 0 { SERIAL } else { 0 }));
        let most = lasts.iter().map(|it| it.1).max().unwrap_or(0);
        let kind = SlotKind::Wait(cell.0, cell.1);
        let mut released = vec![];
        for number in 1..most {
            let holds = self.passive_is(kind, number);
            released.push(Case { holds, value: if number == chosen { CHOSEN } else { RELEASED } });
        }
        let broadcast = self.broadcast(kind, &released);
        let guard = self.gates.and(fine, some);
        let op = self.with_broadcast(targets, broadcast, guard);
        self.push_last(op, true)
    }

    /// A thread arrives and is not the last.
    fn arrival(&mut self, cell: CellOf, arrivals: &[(ExprId, u128, u128)], fine: ExprId) -> Loc {
        let (mut states, mut numbers) = (vec![], vec![]);
        for &(cond, state, index) in arrivals {
            states.push((cond, self.number(state, 64)));
            numbers.push((cond, self.number(index, 16)));
        }
        let some = self.gates.any(states.iter().map(|it| it.0).collect::<Vec<_>>());
        let state = mux(&mut self.gates, 64, &states);
        let mut targets = self.write_if(SlotKind::Cell(cell.0, cell.1), some, &state);
        let number = mux(&mut self.gates, 16, &numbers);
        targets.extend(self.write_if(SlotKind::Wait(cell.0, cell.1), some, &number));
        let guard = self.gates.and(fine, some);
        let op = self.assignment(targets, guard);
        self.push(op, true)
    }

    /// The second half: goes on once it is released.
    fn released(&mut self, loc: c::Loc, view: &View, cell: CellOf, code: Option<LocalId>) {
        let kind = SlotKind::Wait(cell.0, cell.1);
        let Some(locals) = self.analysis.second.get(&loc).cloned() else {
            self.stop();
            return;
        };
        let view = View { locals, new: view.new.clone() };
        let waits = self.read(&view, kind).sym;
        let plain = waits.is(&mut self.gates, Value::Bits(RELEASED));
        let serial = waits.is(&mut self.gates, Value::Bits(CHOSEN));
        let codes = BTreeMap::from([(0, plain), (SERIAL, serial)]);
        let (guard, word) = self.code_word(&codes, code);
        let mut targets = self.write(kind, &self.number(0, 16));
        targets.extend(self.code(code, &word));
        self.finish(targets, guard);
    }
}
