//! Creating, joining and ending threads, as far as values go.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::numbers::Numbers;
use super::super::slots::SlotKind;
use super::super::sync_outcomes::EDEADLK;
use super::{Analysis, Locals};
use c::{CellType, Convert, Loc, LocalId, Op, ProcId, SyncKind, Type, Value};

impl Analysis<'_> {
    /// A thread begins.
    pub(super) fn begin(&mut self, template: ProcId, args: Vec<Abs>, site: usize) -> Result<(), Problem> {
        let program = self.model.program;
        let mut locals = Locals::new();
        for (&param, value) in program.procedures()[template].params.iter().zip(args) {
            let slot = self.slot(SlotKind::Register(param));
            locals.insert(slot, value);
        }
        let own = self.model.sites_of[&template].iter().position(|&it| it == site).unwrap_or(0);
        let slot = self.slot(SlotKind::Site(template));
        locals.insert(slot, Abs::number(own as u128));
        // Registers that are read before they are written hold their first values; `arrive` joins by that.
        self.arrive(program.procedures()[template].entry, locals)
    }

    pub(super) fn thread_step(&mut self, loc: Loc, mut locals: Locals) -> Result<(), Problem> {
        let program = self.model.program;
        let location = program.at(loc);
        match &location.op {
            Op::Create { template, args, handle } => {
                let values =
                    args.iter().map(|&arg| self.eval(&locals, arg)).collect::<Result<Vec<_>, _>>()?;
                let site = self.model.site_at[&loc];
                if values.iter().any(Abs::is_empty) {
                    return Ok(());
                }
                self.begin(*template, values, site)?;
                if let Some(handle) = handle {
                    self.write_register(&mut locals, *handle, Abs::value(Value::Thread(site as u32)));
                }
            }
            Op::Join { handle, result, code } => {
                let targets = self.eval(&locals, *handle)?.others;
                let sites: Vec<usize> = targets.into_iter().filter_map(site_of).collect();
                if sites.is_empty() {
                    return Ok(());
                }
                self.join(&mut locals, location.procedure, &sites, *result, *code)?;
            }
            Op::Me(local) => {
                let mut value = Abs::none();
                for &site in &self.model.sites_of[&location.procedure] {
                    value = value.join(&Abs::value(Value::Thread(site as u32)), 64);
                }
                self.write_register(&mut locals, *local, value);
            }
            Op::Exit(value) | Op::Return(value) => {
                let value = value.map(|value| self.eval(&locals, value)).transpose()?;
                self.end(locals, location.procedure, value.unwrap_or_else(|| Abs::number(0)));
                return Ok(());
            }
            _ => {}
        }
        self.arrive(location.next, locals)
    }

    fn join(
        &mut self,
        locals: &mut Locals,
        procedure: ProcId,
        sites: &[usize],
        result: Option<LocalId>,
        code: Option<LocalId>,
    ) -> Result<(), Problem> {
        let may_be_me = sites.iter().any(|&site| self.model.sites[site].template == procedure);
        let may_be_other = sites.iter().any(|&site| {
            self.model.sites[site].template != procedure
                || self.model.sites_of[&procedure].len() > 1
                || !self.model.sites[site].once
        });
        if let Some(local) = result {
            let mut value = Abs::none();
            for &site in sites {
                let slot = self.slot(SlotKind::Result(site));
                let given = self.read(locals, slot);
                value = value.join(&self.cut_result(site, &given, local), self.bits_of(local));
            }
            let slot = self.slot(SlotKind::Register(local));
            self.write(locals, slot, value, !may_be_me);
        }
        let mut codes = vec![];
        if may_be_me {
            codes.push(EDEADLK);
        }
        if may_be_other {
            codes.push(0);
        }
        self.write_codes(locals, code, &codes);
        Ok(())
    }

    /// A thread's result in a register of another width.
    pub fn cut_result(&self, site: usize, value: &Abs, local: LocalId) -> Abs {
        let from = self.result_type(site);
        let to = Type::Bits(self.bits_of(local));
        let convert = if self.bits_of(local) < from { Convert::Truncate } else { Convert::ZeroExtend };
        self.domain.convert(convert, Type::Bits(from), to, value)
    }

    /// The width of the result of a site's thread.
    pub fn result_type(&self, site: usize) -> u8 {
        let program = self.model.program;
        let ty = program.procedures()[self.model.sites[site].template].result.unwrap_or(Type::Pointer);
        ty.bits(program.pointer_bits())
    }

    fn end(&mut self, mut locals: Locals, procedure: ProcId, value: Abs) {
        for site in self.model.sites_of[&procedure].clone() {
            let slot = self.slot(SlotKind::Result(site));
            self.write(&mut locals, slot, value.clone(), true);
            let slot = self.slot(SlotKind::Ended(site));
            self.write(&mut locals, slot, Abs::number(1), true);
        }
        for instance in self.objects_of(procedure) {
            self.dies(&mut locals, instance, true);
        }
        for (instance, cell) in self.read_locks() {
            let hold = self.slot(SlotKind::Hold(instance, cell));
            if self.read(&locals, hold).numbers.list(64).is_none_or(|holds| holds.iter().any(|&it| it > 1)) {
                let slot = self.slot(SlotKind::Cell(instance, cell));
                let states = self.read(&locals, slot).numbers.list(64).unwrap_or_default();
                let states = states.into_iter().map(|state| state | 2).collect();
                self.write(&mut locals, slot, Abs::numbers(Numbers::Few(states)), false);
            }
        }
    }

    /// The read-write locks that threads hold: who ends as a reader stays one for ever.
    pub fn read_locks(&self) -> Vec<super::CellOf> {
        let kinds = self.slots.ids().map(|slot| self.slots.get(slot).kind);
        let cells = kinds.filter_map(|kind| match kind {
            SlotKind::Hold(instance, cell) => Some((instance, cell)),
            _ => None,
        });
        let is_read = |&(instance, cell): &super::CellOf| {
            matches!(self.model.cell_type(instance, cell), CellType::Sync(SyncKind::RwLock, _))
        };
        cells.filter(is_read).collect()
    }
}

/// The site that a handle names.
pub fn site_of(value: Value) -> Option<usize> {
    match value {
        Value::Thread(site) => Some(site as usize),
        _ => None,
    }
}

impl Analysis<'_> {
    /// The variables that a thread of a template is given: its parameters, and where it was created.
    pub fn param_slots(&self, template: ProcId) -> Vec<super::SlotId> {
        let params = &self.model.program.procedures()[template].params;
        let registers = params.iter().map(|&param| SlotKind::Register(param));
        registers.chain([SlotKind::Site(template)]).filter_map(|kind| self.slots.known(kind)).collect()
    }
}
