//! Creating, joining and ending threads.

use super::super::Problem;
use super::super::analysis::{CellOf, site_of};
use super::super::slots::SlotKind;
use super::super::symbolic::{self, Sym};
use super::super::sync_outcomes::EDEADLK;
use super::{Emitter, View};
use base::Id;
use c::{self, Value};
use ir::bp::{ExprId, Op, Spawn, Var};

/// What a join does, collected over the threads that it may be for.
struct Joining {
    fault: ExprId,
    /// Where it may go on.
    ready: ExprId,
    targets: Vec<(Var, ExprId)>,
    /// The results, each where it is the one.
    results: Vec<(ExprId, Sym)>,
    /// Where it is for this thread itself.
    me: ExprId,
    /// Where the code may be either.
    either: ExprId,
    /// Where the result may be anything.
    open: ExprId,
}

impl Emitter<'_> {
    fn template(&self) -> c::ProcId {
        self.analysis.model.program.at(self.here).procedure
    }

    /// Whether this thread was created at the site.
    fn is_site(&mut self, view: &View, site: usize) -> ExprId {
        let template = self.template();
        let at = self.analysis.model.sites_of[&template].iter().position(|&it| it == site);
        let Some(at) = at else { return self.gates.zero() };
        let own = self.read(view, SlotKind::Site(template)).sym;
        own.is(&mut self.gates, Value::Bits(at as u128))
    }

    /// This thread's handle.
    pub(super) fn me(&mut self, view: &View) -> Sym {
        let mut cases = vec![];
        for site in self.analysis.model.sites_of[&self.template()].clone() {
            let cond = self.is_site(view, site);
            cases.push((Value::Thread(site as u32), cond));
        }
        let zero = self.gates.zero();
        Sym { bits: self.gates.number(0, 64), number: zero, others: cases, fault: zero, unsupported: zero }
    }

    pub(super) fn create(&mut self, loc: c::Loc, view: &View) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        let c::Op::Create { template, args, handle } = &program.at(loc).op else { return Ok(()) };
        let site = self.analysis.model.site_at[&loc];
        let Some(&procedure) = self.procedures.get(template) else {
            self.stop();
            return Ok(());
        };
        let (mut fault, mut unsupported) = (self.gates.zero(), self.gates.zero());
        let mut given = vec![];
        for &arg in args {
            let value = self.eval(view, arg)?.sym;
            fault = self.gates.or(fault, value.fault);
            unsupported = self.gates.or(unsupported, value.unsupported);
            given.push(value);
        }
        let guard = self.troubles(fault, unsupported);
        if self.gates.known(guard) != Some(true) {
            self.push(Op::Assume(guard), false);
        }
        let own = self.analysis.model.sites_of[template].iter().position(|&it| it == site).unwrap_or(0);
        given.push(self.number(own as u128, 16));
        let params = program.procedures()[*template].params.iter().map(|&param| SlotKind::Register(param));
        let mut bits = vec![];
        for (kind, value) in params.chain([SlotKind::Site(*template)]).zip(&given) {
            bits.extend(self.write(kind, value).into_iter().map(|(_, e)| e));
        }
        let start = Op::Start(Spawn::Call(procedure, bits));
        let Some(handle) = *handle else {
            self.push_last(start, true);
            return Ok(());
        };
        self.push(start, true);
        let value = Sym::constant(&self.gates, Value::Thread(site as u32), self.analysis.bits_of(handle));
        let targets = self.write(SlotKind::Register(handle), &value);
        let always = self.gates.one();
        let op = self.assignment(targets, always);
        self.push_last(op, false);
        Ok(())
    }

    /// Where a thread ends: its end and result are noted, its objects die.
    pub(super) fn end(&mut self, view: &View, value: Option<c::ExprId>) -> Result<(), Problem> {
        let template = self.template();
        let sites = self.analysis.model.sites_of[&template].clone();
        let bits = self.analysis.result_type(sites[0]);
        let value = match value {
            Some(value) => self.eval(view, value)?.sym,
            None => self.number(0, bits),
        };
        let guard = self.troubles(value.fault, value.unsupported);
        let mut targets = vec![];
        for site in sites {
            if !self.analysis.model.sites[site].once {
                continue;
            }
            let me = self.is_site(view, site);
            targets.extend(self.write_if(SlotKind::Ended(site), me, &self.number(1, 1)));
            targets.extend(self.write_if(SlotKind::Result(site), me, &value));
        }
        for instance in self.analysis.objects_of(template) {
            targets.extend(self.write(SlotKind::Alive(instance), &self.number(0, 1)));
        }
        for cell in self.analysis.read_locks() {
            targets.extend(self.stays_reader(view, cell));
        }
        let op = self.assignment(targets, guard);
        self.push(op, true);
        let end = self.push(Op::End, false);
        self.builder.at(end).next = end;
        Ok(())
    }

    /// A thread that ends while it reads stays a reader for ever.
    fn stays_reader(&mut self, view: &View, cell: CellOf) -> Vec<(Var, ExprId)> {
        let kind = SlotKind::Cell(cell.0, cell.1);
        let hold = self.read(view, SlotKind::Hold(cell.0, cell.1)).sym;
        let reads = self.gates.any(hold.bits[1..].to_vec());
        if self.gates.known(reads) == Some(false) {
            return vec![];
        }
        let mut state = self.read(view, kind).sym;
        let reads = self.gates.and(reads, state.number);
        state.bits[1] = self.gates.one();
        self.write_if(kind, reads, &state)
    }

    pub(super) fn join(&mut self, loc: c::Loc, view: &View) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        let c::Op::Join { handle, result, code } = program.at(loc).op else { return Ok(()) };
        let handle = self.eval(view, handle)?.sym;
        let zero = self.gates.zero();
        let mut joining = Joining {
            fault: self.gates.or(handle.fault, handle.number),
            ready: zero,
            targets: vec![],
            results: vec![],
            me: zero,
            either: zero,
            open: zero,
        };
        for &(target, cond) in &handle.others {
            match site_of(target) {
                Some(site) => self.joined(view, &mut joining, site, cond, result),
                None => joining.fault = self.gates.or(joining.fault, cond),
            }
        }
        let mut guard = self.troubles(joining.fault, handle.unsupported);
        guard = self.gates.and(guard, joining.ready);
        if let Some(result) = result {
            let targets = self.joined_result(&joining, result);
            joining.targets.extend(targets);
        }
        if let Some(code) = code {
            let mut word = self.gates.number(EDEADLK, self.analysis.bits_of(code));
            let any = self.gates.choice();
            let says = self.gates.ite(joining.either, any, joining.me);
            word.iter_mut().for_each(|bit| *bit = self.gates.and(*bit, says));
            let code_value = Sym::word(&self.gates, word);
            joining.targets.extend(self.write(SlotKind::Register(code), &code_value));
        }
        self.finish(joining.targets, guard);
        Ok(())
    }

    /// A join for the thread of a site.
    fn joined(
        &mut self,
        view: &View,
        joining: &mut Joining,
        site: usize,
        cond: ExprId,
        result: Option<c::LocalId>,
    ) {
        let mine = self.is_site(view, site);
        if !self.analysis.model.sites[site].once {
            self.loses("a join of one of many threads does not wait");
            joining.ready = self.gates.or(joining.ready, cond);
            joining.open = self.gates.or(joining.open, cond);
            let maybe = self.gates.and(cond, mine);
            joining.either = self.gates.or(joining.either, maybe);
            return;
        }
        let me = self.gates.and(cond, mine);
        joining.me = self.gates.or(joining.me, me);
        let not_mine = self.gates.not(mine);
        let other = self.gates.and(cond, not_mine);
        let ended = self.read(view, SlotKind::Ended(site)).sym;
        let ended = symbolic::truth(&mut self.gates, &ended);
        let ready = self.gates.and(other, ended);
        let ready = self.gates.or(me, ready);
        joining.ready = self.gates.or(joining.ready, ready);
        // A thread is joined once: its end is forgotten.
        joining.targets.extend(self.write_if(SlotKind::Ended(site), other, &self.number(0, 1)));
        if self.analysis.options.machine.faults.other {
            let joined = self.read(view, SlotKind::Joined(site)).sym;
            let joined = symbolic::truth(&mut self.gates, &joined);
            let again = self.gates.and(other, joined);
            joining.fault = self.gates.or(joining.fault, again);
            joining.targets.extend(self.write_if(SlotKind::Joined(site), other, &self.number(1, 1)));
        }
        if let Some(result) = result {
            let value = self.read(view, SlotKind::Result(site)).sym;
            let value = self.resized(value, self.analysis.bits_of(result));
            joining.results.push((other, value));
        }
    }

    fn resized(&mut self, mut value: Sym, bits: u8) -> Sym {
        let zero = self.gates.zero();
        value.bits.resize(usize::from(bits), zero);
        value
    }

    fn joined_result(&mut self, joining: &Joining, result: c::LocalId) -> Vec<(Var, ExprId)> {
        let bits = self.analysis.bits_of(result);
        let mut made = if joining.results.is_empty() {
            vec![]
        } else {
            let value = symbolic::mux(&mut self.gates, bits, &joining.results);
            let some = self.gates.any(joining.results.iter().map(|it| it.0).collect::<Vec<_>>());
            self.write_if(SlotKind::Register(result), some, &value)
        };
        if self.gates.known(joining.open) == Some(false) {
            return made;
        }
        let Some(slot) = self.known_slot(SlotKind::Register(result)) else { return made };
        for var in self.coding[slot.index()].clone().vars() {
            let any = self.gates.choice();
            match made.iter_mut().find(|it| it.0 == var) {
                Some(it) => it.1 = self.gates.ite(joining.open, any, it.1),
                None => {
                    let old = self.gates.var(var);
                    made.push((var, self.gates.ite(joining.open, any, old)));
                }
            }
        }
        made
    }
}
