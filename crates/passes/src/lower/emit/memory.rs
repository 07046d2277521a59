//! Accesses to memory, and the lives of objects.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::analysis::CellOf;
use super::super::model::{Birth, Wanted};
use super::super::slots::SlotKind;
use super::super::symbolic::{self, Sym, Val};
use super::evaluate::Hits;
use super::{Emitter, View};
use base::Id;
use c::{self, CellType, InstanceId, Value};
use ir::bp::{ExprId, Op, Var};

impl Emitter<'_> {
    pub(super) fn access(&mut self, loc: c::Loc, view: &View) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        match program.at(loc).op {
            c::Op::Load { local, place, .. } => {
                let bits = self.analysis.bits_of(local);
                let hits = self.hits(view, place, Wanted::Scalar(bits))?;
                let guard = self.troubles(hits.fault, hits.unsupported);
                let value = self.loaded(view, &hits, bits);
                let targets = self.write(SlotKind::Register(local), &value.sym);
                self.finish(targets, guard);
            }
            c::Op::Store { place, value, .. } => {
                let bits = program.exprs().ty(value).bits(program.pointer_bits());
                let mut hits = self.hits(view, place, Wanted::Scalar(bits))?;
                let value = self.eval(view, value)?.sym;
                self.only_writable(&mut hits);
                let fault = self.gates.or(hits.fault, value.fault);
                let unsupported = self.gates.or(hits.unsupported, value.unsupported);
                let guard = self.troubles(fault, unsupported);
                let always = self.gates.one();
                let targets = self.stored(&hits, &value, always);
                self.finish(targets, guard);
            }
            _ => self.rmw(loc, view)?,
        }
        Ok(())
    }

    /// Writing a constant is undefined behaviour.
    fn only_writable(&mut self, hits: &mut Hits) {
        for &((instance, _), cond) in &hits.list {
            if self.analysis.model.instance(instance).constant {
                hits.fault = self.gates.or(hits.fault, cond);
            }
        }
        let model = &self.analysis.model;
        hits.list.retain(|((instance, _), _)| !model.instance(*instance).constant);
    }

    fn loaded(&mut self, view: &View, hits: &Hits, bits: u8) -> Val {
        let mut abs = Abs::none();
        let mut cases = vec![];
        for &((instance, cell), cond) in &hits.list {
            let value = self.read(view, SlotKind::Cell(instance, cell));
            abs = abs.join(&value.abs, bits);
            cases.push((cond, value.sym));
        }
        let sym = if cases.is_empty() {
            self.number(0, bits)
        } else {
            symbolic::mux(&mut self.gates, bits, &cases)
        };
        Val { abs, sym }
    }

    /// A value into the cell that is hit, where a condition holds.
    fn stored(&mut self, hits: &Hits, value: &Sym, cond: ExprId) -> Vec<(Var, ExprId)> {
        let only = hits.list.len() == 1;
        let mut targets = vec![];
        for &((instance, cell), hit) in &hits.list {
            // With one cell the guard of the step says that it is hit.
            let here = if only { cond } else { self.gates.and(hit, cond) };
            targets.extend(self.write_if(SlotKind::Cell(instance, cell), here, value));
        }
        targets
    }

    fn rmw(&mut self, loc: c::Loc, view: &View) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        let c::Op::Rmw { old, place, guard, value, success, weak } = program.at(loc).op else {
            return Ok(());
        };
        let bits = self.analysis.bits_of(old);
        let mut hits = self.hits(view, place, Wanted::Scalar(bits))?;
        self.only_writable(&mut hits);
        let read = self.loaded(view, &hits, bits);
        let mut view = view.clone();
        view.new.insert(old, read.clone());
        let (mut fault, mut unsupported) = (hits.fault, hits.unsupported);
        let mut holds = self.gates.one();
        if let Some(guard) = guard {
            let cond = self.eval(&view, guard)?.sym;
            fault = self.gates.or(fault, cond.fault);
            unsupported = self.gates.or(unsupported, cond.unsupported);
            holds = symbolic::truth(&mut self.gates, &cond);
        }
        let written = self.eval(&view, value)?.sym;
        // What would be written matters only if it is.
        let (no_value, unknown) =
            (self.gates.and(holds, written.fault), self.gates.and(holds, written.unsupported));
        fault = self.gates.or(fault, no_value);
        unsupported = self.gates.or(unsupported, unknown);
        let fine = self.troubles(fault, unsupported);
        let old_value = self.write(SlotKind::Register(old), &read.sym);
        let fork = weak.then(|| self.push(Op::Goto(vec![]), false));
        let mut targets = self.stored(&hits, &written, holds);
        targets.extend(old_value.iter().copied());
        targets.extend(self.truth_to(success, holds));
        self.finish(targets, fine);
        if let Some(fork) = fork {
            let mut targets = old_value;
            let never = self.gates.zero();
            targets.extend(self.truth_to(success, never));
            let guard = self.gates.and(fine, holds);
            let op = self.assignment(targets, guard);
            let fails = self.push_last(op, true);
            let succeeds = ir::bp::Loc::from_index(fork.index() + 1);
            self.builder.at(fork).op = Op::Goto(vec![succeeds, fails]);
        }
        Ok(())
    }

    fn truth_to(&mut self, local: Option<c::LocalId>, value: ExprId) -> Vec<(Var, ExprId)> {
        let Some(local) = local else { return vec![] };
        let mut word = self.gates.number(0, self.analysis.bits_of(local));
        word[0] = value;
        let value = Sym::word(&self.gates, word);
        self.write(SlotKind::Register(local), &value)
    }

    /// The life of an object begins.
    pub(super) fn born(&mut self, loc: c::Loc, view: &View) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        let Some(instance) = self.analysis.model.born_at(loc) else { return Ok(()) };
        let mut targets = self.write(SlotKind::Alive(instance), &self.number(1, 1));
        let (mut guard, mut zeroed) = (self.gates.one(), false);
        if let c::Op::Alloc { local, count, zeroed: zeros, .. } = program.at(loc).op {
            zeroed = zeros;
            let count = self.eval(view, count)?.sym;
            guard = self.troubles(count.fault, count.unsupported);
            let address = Value::Address { instance, offset: 0 };
            let address = Sym::constant(&self.gates, address, self.analysis.bits_of(local));
            targets.extend(self.write(SlotKind::Register(local), &address));
        }
        for cell in 0..self.analysis.model.cells(instance) as u32 {
            let skipped = self.analysis.model.written_first.get(&loc);
            if !skipped.is_some_and(|cells| cells.contains(&cell)) {
                targets.extend(self.filled((instance, cell), zeroed));
            }
        }
        self.finish(targets, guard);
        Ok(())
    }

    /// The first value of a cell: any, fixed now instead of at the first read.
    fn filled(&mut self, cell: CellOf, zeroed: bool) -> Vec<(Var, ExprId)> {
        let kind = SlotKind::Cell(cell.0, cell.1);
        match self.analysis.model.cell_type(cell.0, cell.1) {
            CellType::Scalar(_) if !zeroed => {
                let Some(slot) = self.known_slot(kind) else { return vec![] };
                let coding = self.coding[slot.index()].clone();
                let tags = coding.tag.iter().map(|&var| (var, self.gates.zero()));
                let mut targets: Vec<(Var, ExprId)> = tags.collect();
                for &var in &coding.kept {
                    targets.push((var, self.gates.choice()));
                }
                targets
            }
            CellType::Sync(..) if !zeroed => {
                let value = Sym::constant(&self.gates, Value::Undetermined, 64);
                self.write(kind, &value)
            }
            ty => {
                let bits = match ty {
                    CellType::Scalar(ty) => ty.bits(self.analysis.model.program.pointer_bits()),
                    CellType::Sync(..) => 64,
                };
                self.write(kind, &self.number(0, bits))
            }
        }
    }

    pub(super) fn free(&mut self, view: &View, pointer: c::ExprId, wanted: Birth) -> Result<(), Problem> {
        let pointer = self.eval(view, pointer)?.sym;
        let null = pointer.is(&mut self.gates, Value::ZERO);
        let other = self.gates.not(null);
        let number = self.gates.and(pointer.number, other);
        let mut fault = self.gates.or(pointer.fault, number);
        let mut targets = vec![];
        for &(target, cond) in &pointer.others {
            let instance = match target {
                Value::Address { instance, offset: 0 } => Some(instance),
                _ => None,
            };
            let allocated =
                instance.filter(|&it: &InstanceId| self.analysis.model.instance(it).birth == wanted);
            let Some(instance) = allocated else {
                fault = self.gates.or(fault, cond);
                continue;
            };
            let alive = self.alive(view, instance);
            let dead = self.gates.not(alive);
            let dead = self.gates.and(cond, dead);
            fault = self.gates.or(fault, dead);
            targets.extend(self.write_if(SlotKind::Alive(instance), cond, &self.number(0, 1)));
        }
        let guard = self.troubles(fault, pointer.unsupported);
        self.finish(targets, guard);
        Ok(())
    }
}
