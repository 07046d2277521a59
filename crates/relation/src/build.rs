//! From steps to commands. A thread stands at a control location: where its next step can be seen by others
//! or sees what others do, where it begins, and once in every cycle of other steps. A command is such a step
//! and what follows up to the next control location.
//!
//! If what follows waits for ever, others still see the step: then the thread vanishes after it, which nobody
//! can tell from a thread that waits for ever. Inside an atomic section everybody waits then, and there is no
//! such command.

use super::maker::Maker;
use super::pool::Pool;
use super::symbolic::{Child, Path};
use super::sync::Call;
use super::{Command, Control, ControlId, Creation, Home, NoRelation, Outcome, Update};
use base::{Budget, Id};
use c::expr::{Binary, ExprId, Node};
use c::op::{Op, Range, SyncOp};
use c::program::{Loc, LocalId, ProcId};
use c::types::{Type, mask};
use std::collections::{BTreeMap, BTreeSet};

/// From this many paths on, those that meet others end where they meet.
const PATHS: usize = 16;
/// From this many on, all end where they are.
const MOST_PATHS: usize = 256;
/// A path ends after this many steps.
const STEPS: usize = 400;
/// In the phase of a control location: the thread is inside an atomic section.
pub(super) const SECTION: u8 = 0x80;

/// Where paths end, by procedure.
struct Cuts {
    /// Once in every cycle of steps that others cannot see, inside and outside of sections.
    cycles: BTreeSet<(Loc, bool)>,
    /// Where several steps lead to.
    meetings: BTreeSet<Loc>,
}

impl Maker<'_> {
    /// Makes all commands. Gives the control location of the first thread.
    pub fn explore(&mut self, budget: &Budget) -> Result<ControlId, NoRelation> {
        let cuts = self.cuts();
        let main = self.program.main();
        let start = self.control(self.program.procedures()[main].entry, 0, main);
        let mut next = 0;
        while next < self.controls.len() {
            self.from = ControlId::from_index(next);
            next += 1;
            self.commands_from(&cuts, budget)?;
        }
        Ok(start)
    }

    /// The control location, made if it is new.
    fn control(&mut self, loc: Loc, phase: u8, template: ProcId) -> ControlId {
        let controls = &mut self.controls;
        *self
            .index
            .entry((loc, phase, template))
            .or_insert_with(|| controls.push(Control { loc, phase, template, live: vec![] }))
    }

    fn commands_from(&mut self, cuts: &Cuts, budget: &Budget) -> Result<(), NoRelation> {
        let Control { loc, phase, template, .. } = self.controls[self.from].clone();
        let guard = self.pool.truth(true);
        let section = phase & SECTION != 0;
        let mut paths = vec![Path { phase: phase & !SECTION, section, ..Path::at(loc, template, guard) }];
        let mut number = 1;
        while let Some(path) = paths.pop() {
            budget.spend(1 + path.written.len() as u64)?;
            if !path.steps.is_empty() && self.stops(&path, cuts, number) {
                let phase = path.phase | if path.section { SECTION } else { 0 };
                let to = self.control(path.loc, phase, path.template);
                self.emit(path, Outcome::Go(to));
                continue;
            }
            if path.section {
                self.note_accesses(&path);
            }
            let after = self.step(path);
            number += after.len().saturating_sub(1);
            paths.extend(after.into_iter().rev());
        }
        Ok(())
    }

    /// Whether a path that has begun ends here.
    fn stops(&self, path: &Path, cuts: &Cuts, paths: usize) -> bool {
        let op = &self.program.at(path.loc).op;
        path.phase != 0
            || !path.section && self.is_visible(path.loc, path.template)
            || path.creates.is_some() && matches!(op, Op::Create { .. })
            // What the section does next may race with the new thread.
            || path.creates.is_some() && path.section && self.sites.is_some()
            || cuts.cycles.contains(&(path.loc, path.section))
            || paths >= PATHS && cuts.meetings.contains(&path.loc) && !path.section
            || paths >= MOST_PATHS
            || path.steps.len() >= STEPS
    }

    /// Whether others can see the step, or the step sees what others do.
    fn is_visible(&self, loc: Loc, template: ProcId) -> bool {
        if self.may_race(loc, template) || self.order.is_some() && self.may_wait(loc) {
            return true;
        }
        match &self.program.at(loc).op {
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => {
                self.is_shared(*place)
            }
            Op::Sync { op, place, .. } => self.sync_is_shared(*op, *place),
            // The end of the program is one for all: others may step before it.
            Op::Create { .. } | Op::Join { .. } | Op::SectionBegin | Op::Halt(_) | Op::Reach(_) => true,
            Op::Return(_) | Op::Exit(_) => self.end_is_visible(template),
            _ => false,
        }
    }

    /// Whether a thread may have to wait here for others.
    fn may_wait(&self, loc: Loc) -> bool {
        use c::machine::Blocked::{Barrier, Join, Lock, Once, Semaphore, Signal};
        let for_others = |it: &_| matches!(it, Barrier | Join | Lock | Once | Semaphore | Signal);
        self.program.effects(loc).waits.iter().any(for_others)
    }

    fn cuts(&self) -> Cuts {
        let mut cuts = Cuts { cycles: BTreeSet::new(), meetings: BTreeSet::new() };
        let mut seen = BTreeSet::new();
        for loc in self.program.locations().ids() {
            for next in self.program.successors(loc) {
                if !seen.insert(next) {
                    cuts.meetings.insert(next);
                }
            }
        }
        for template in self.program.templates() {
            for section in [false, true] {
                self.cut_cycles(template, section, &mut cuts.cycles);
            }
        }
        cuts
    }

    /// A depth-first search over steps that do not end a path; where it meets its own way, the cycle is cut.
    /// Sections are searched as if no step of theirs ended them, which finds at least all their cycles.
    fn cut_cycles(&self, template: ProcId, section: bool, cuts: &mut BTreeSet<(Loc, bool)>) {
        let mut state: BTreeMap<Loc, bool> = BTreeMap::new();
        for root in self.program.locations_of(template) {
            let mut stack = vec![(root, false)];
            while let Some((loc, leaves)) = stack.pop() {
                if leaves {
                    state.insert(loc, true);
                    continue;
                }
                match state.get(&loc) {
                    Some(true) => continue,
                    Some(false) => {
                        cuts.insert((loc, section));
                        continue;
                    }
                    None => {}
                }
                state.insert(loc, false);
                stack.push((loc, true));
                if !section && self.is_visible(loc, template) {
                    continue;
                }
                stack.extend(self.program.successors(loc).into_iter().map(|next| (next, false)));
            }
        }
    }

    /// What happens in one step: the paths that go on.
    fn step(&mut self, mut path: Path) -> Vec<Path> {
        let location = self.program.at(path.loc);
        path.steps.push(path.loc);
        match &location.op {
            Op::Branch { cond, target } => {
                let Some(cond) = self.value(&mut path, *cond) else { return vec![] };
                return self.fork(path, cond, *target, location.next);
            }
            Op::Assert { cond, property } => {
                let Some(cond) = self.value(&mut path, *cond) else { return vec![] };
                let (mut fails, not) = (path.clone(), self.pool.not(cond));
                if self.assume(&mut fails, not) {
                    self.emit(fails, Outcome::Fail(*property));
                }
                if !self.assume(&mut path, cond) {
                    return vec![];
                }
            }
            Op::Error(property) => {
                self.emit(path, Outcome::Fail(*property));
                return vec![];
            }
            Op::Return(value) | Op::Exit(value) => {
                self.ends_with_locks(&path);
                if self.end(&mut path, *value) {
                    path.section = false;
                    self.emit(path, Outcome::End);
                }
                return vec![];
            }
            Op::Halt(_) => {
                self.emit(path, Outcome::Halt);
                return vec![];
            }
            Op::Refuse(why) => {
                self.emit(path, Outcome::Refuse(why.clone()));
                return vec![];
            }
            Op::Sync { op, place, code } => {
                let call = Call { op: *op, place: *place, code: *code, lock: None };
                return self.synchronise(path, call, location.next);
            }
            op => {
                if !self.straight(&mut path, op) {
                    return vec![];
                }
            }
        }
        path.loc = location.next;
        vec![path]
    }

    fn fork(&mut self, path: Path, cond: ExprId, target: Loc, next: Loc) -> Vec<Path> {
        let not = self.pool.not(cond);
        let mut found = vec![];
        for (cond, loc) in [(cond, target), (not, next)] {
            let mut path = Path { loc, ..path.clone() };
            if self.assume(&mut path, cond) {
                found.push(path);
            }
        }
        found
    }

    fn synchronise(&mut self, path: Path, call: Call, next: Loc) -> Vec<Path> {
        let sleeps = path.phase == 0 && matches!(call.op, SyncOp::CondWait { .. });
        let mut found = self.sync(path, call);
        for path in &mut found {
            if !(sleeps && path.phase == 1) {
                path.phase = 0;
                path.loc = next;
            }
        }
        found
    }

    /// A step after which control goes on. Whether it does.
    fn straight(&mut self, path: &mut Path, op: &Op) -> bool {
        match op {
            Op::Assign { local, value } => {
                let Some(value) = self.value(path, *value) else { return false };
                self.write(path, *local, value);
                true
            }
            Op::Choose { local, range, .. } => self.any(path, *local, *range),
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } => self.access(path, op),
            Op::Assume(cond) => match self.value(path, *cond) {
                Some(cond) => self.require(path, cond),
                None => false,
            },
            Op::Alloc { local, count, .. } => {
                let known = self.value(path, *count).is_some();
                let address = self.somewhere(path);
                let value = self.pool.fit(address, self.variables[*local].ty);
                self.write(path, *local, value);
                known
            }
            Op::Free { pointer: value, .. } | Op::Detach(value) => self.value(path, *value).is_some(),
            Op::Size { local, pointer } => {
                let known = self.value(path, *pointer).is_some();
                known && self.any(path, *local, None)
            }
            Op::Enter(object) => {
                self.enter(path, *object);
                true
            }
            Op::Create { template, args, handle } => self.create(path, *template, args, *handle),
            Op::Join { handle, result, code } => {
                self.waits_for_end(path, *handle);
                self.join(path, *handle, *result, *code)
            }
            Op::Me(local) => {
                self.me(path, *local);
                true
            }
            Op::Reach(reach) => {
                self.external(path, reach);
                true
            }
            Op::SectionBegin => {
                path.section = true;
                true
            }
            Op::SectionEnd => {
                path.section = false;
                true
            }
            Op::Undefined(_) => {
                let never = self.pool.truth(false);
                self.require(path, never)
            }
            _ => true,
        }
    }

    fn any(&mut self, path: &mut Path, local: LocalId, range: Option<Range>) -> bool {
        let ty = self.variables[local].ty;
        let value = self.choose(path, ty);
        self.write(path, local, value);
        let Some(Range { low, high, signed }) = range else { return true };
        let plain = self.pool.fit(value, Type::Bits(ty.bits(self.numbers.bits)));
        let fits = self.within(plain, low, high, signed);
        // Where no number fits, the thread waits for ever.
        if self.pool.is_false(fits) { self.require(path, fits) } else { self.assume(path, fits) }
    }

    /// When bits are between two numbers.
    fn within(&mut self, value: ExprId, low: i128, high: i128, signed: bool) -> ExprId {
        let bits = self.pool.bits(value);
        let half = 1i128.checked_shl(u32::from(bits) - 1).unwrap_or(i128::MAX);
        let (least, most) = if !signed {
            (0, i128::try_from(mask(bits)).unwrap_or(i128::MAX))
        } else if bits == 128 {
            (i128::MIN, i128::MAX)
        } else {
            (-half, half - 1)
        };
        if low > most || high < least || low > high {
            return self.pool.truth(false);
        }
        let op = if signed { Binary::LeS } else { Binary::LeU };
        let ty = self.pool.ty(value);
        let (low, high) = (low.max(least) as u128, high.min(most) as u128);
        let (low, high) = (self.pool.number(ty, low), self.pool.number(ty, high));
        let (above, below) = (self.pool.binary(op, low, value), self.pool.binary(op, value, high));
        self.pool.and(above, below)
    }

    /// The address of an object that is not static.
    fn somewhere(&mut self, path: &mut Path) -> ExprId {
        let address = self.choose(path, Type::Pointer);
        let plain = self.pool.fit(address, Type::Bits(self.numbers.bits));
        let (first, last) = (self.numbers.others as i128, self.numbers.handles as i128 - 1);
        let inside = self.within(plain, first, last, false);
        self.assume(path, inside);
        let low = self.pool.number(Type::Bits(self.numbers.bits), self.numbers.alignment() - 1);
        let rest = self.pool.binary(Binary::And, plain, low);
        let aligned = self.pool.is(rest, 0);
        self.assume(path, aligned);
        address
    }

    /// An object of the activation begins, its cells undetermined.
    fn enter(&mut self, path: &mut Path, object: c::program::ObjectId) {
        if let Some(&variable) = self.addresses.get(&object) {
            let address = self.somewhere(path);
            self.write(path, variable, address);
        }
        for slot in self.slots.get(&object).cloned().unwrap_or_default() {
            if let super::memory::Content::Scalar(variable, ty) = self.cells[&slot.key] {
                let any = self.choose(path, ty);
                self.write(path, variable, any);
            }
        }
    }

    /// What has no translation is refused, if the condition holds. Whether the thread can go on otherwise.
    pub fn refuse(&mut self, path: &mut Path, cond: ExprId, why: &str) -> bool {
        let mut refused = path.clone();
        if self.assume(&mut refused, cond) {
            self.emit(refused, Outcome::Refuse(why.into()));
        }
        let not = self.pool.not(cond);
        self.assume(path, not)
    }

    /// The thread waits for ever: others see what it did so far, and never more of it.
    pub fn strand(&mut self, mut path: Path) {
        path.written.retain(|&variable, _| self.variables[variable].home == Home::Shared);
        self.emit(path, Outcome::End);
    }

    fn emit(&mut self, path: Path, outcome: Outcome) {
        let facts = &path.facts;
        let simpler =
            |pool: &mut Pool, variable: LocalId, value| Update { variable, value: pool.given(value, facts) };
        let mut updates = vec![];
        for (&variable, &value) in &path.written {
            let same = matches!(self.pool.exprs.node(value), Node::Local(it, _) if it == variable);
            if !same {
                updates.push(simpler(&mut self.pool, variable, value));
            }
        }
        let creates = path.creates.map(|Child { template, values }| {
            let entry = self.control(self.program.procedures()[template].entry, 0, template);
            let values = values.into_iter().map(|it| simpler(&mut self.pool, it.variable, it.value));
            Creation { entry, values: values.collect() }
        });
        let command = Command {
            from: self.from,
            guard: path.guard,
            others: path.others,
            choices: vec![],
            updates,
            creates,
            outcome,
            steps: path.steps,
        };
        self.commands.push(command);
    }
}
