//! Accesses to memory: the cells that a place may be, each with its condition, and what loads, stores and
//! read-modify-writes do to them. An access by index or through a pointer is one command with conditional
//! values, not one for each cell.

use super::kinds::Kinds;
use super::maker::Maker;
use super::memory::{Content, Slot, size};
use super::symbolic::Path;
use super::{Home, memory};
use c::expr::{Binary, ExprId};
use c::op::{Op, Place};
use c::program::ObjectId;
use c::types::{CellType, ObjectScope, SyncKind, Type};

/// Accesses through pointers are told apart for this many cells.
const CANDIDATES: usize = 32;

/// What an access looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Scalar(u8),
    Sync(SyncKind),
}

/// A cell that the access hits if the condition holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub cond: ExprId,
    pub content: Content,
}

/// Where an access goes. At most one case holds.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub cases: Vec<Case>,
    /// When it may hit what is not followed.
    pub elsewhere: ExprId,
    /// Cells that it may hit otherwise than the machine knows: unless it is their case, their value may
    /// become any.
    pub smeared: Vec<Case>,
    /// When it does something that has no translation.
    pub refused: ExprId,
}

impl Maker<'_> {
    /// Whether other threads can see the access or be seen by it.
    pub fn is_shared(&self, place: Place) -> bool {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => {
                let constant = self.program.objects()[object].constant;
                memory::home(self.program, object) == Home::Shared
                    && !constant
                    && self.slots.contains_key(&object)
            }
            Place::Pointer { pointer, .. } => {
                self.values.of(pointer).has(Kinds::STATIC) && self.pointer_slots().next().is_some()
            }
        }
    }

    /// The followed cells that pointers may point to.
    pub fn pointer_slots(&self) -> impl Iterator<Item = &Slot> {
        let is_static = |object: ObjectId| self.program.objects()[object].scope == ObjectScope::Static;
        let addressed = self
            .slots
            .iter()
            .filter(move |(object, _)| self.addressed[base::Id::index(**object)] && is_static(**object));
        addressed.flat_map(|(_, slots)| slots)
    }

    fn fits(&self, slot: &Slot, wanted: Wanted) -> bool {
        match (slot.ty, wanted) {
            (CellType::Scalar(ty), Wanted::Scalar(bits)) => ty.bits(self.numbers.bits) == bits,
            (CellType::Sync(kind, _), Wanted::Sync(wanted)) => kind == wanted,
            _ => false,
        }
    }

    /// Where an access goes; `None` if the thread waits for ever.
    pub fn target(&mut self, path: &mut Path, place: Place, wanted: Wanted) -> Option<Target> {
        match place {
            Place::Object { object, offset } => {
                let offset = self.pool.number(Type::Bits(64), offset as u64 as u128);
                self.declared(path, place, object, offset, wanted)
            }
            Place::Indexed { object, offset } => {
                let value = self.value(path, offset)?;
                self.declared(path, place, object, value, wanted)
            }
            Place::Pointer { pointer, offset } => {
                let value = self.value(path, pointer)?;
                let at = self.pool.plus(value, offset as i128 as u128);
                let area = self.numbers.area();
                let is_address = self.pool.at_least(at, area);
                self.require(path, is_address).then(|| self.pointed(pointer, at, wanted))
            }
        }
    }

    /// A place in a declared object.
    fn declared(
        &mut self,
        path: &mut Path,
        place: Place,
        object: ObjectId,
        offset: ExprId,
        wanted: Wanted,
    ) -> Option<Target> {
        let (yes, no) = (self.pool.truth(true), self.pool.truth(false));
        let bytes = match wanted {
            Wanted::Scalar(bits) => u128::from(bits.div_ceil(8)),
            Wanted::Sync(_) => 1,
        };
        let inside = match u128::from(size(self.program, object)).checked_sub(bytes) {
            None => no,
            Some(last) => {
                let last = self.pool.number(self.pool.ty(offset), last);
                self.pool.binary(Binary::LeU, offset, last)
            }
        };
        if !self.require(path, inside) {
            return None;
        }
        let Some(slots) = self.slots.get(&object).cloned() else {
            return Some(Target { cases: vec![], elsewhere: yes, smeared: vec![], refused: no });
        };
        let exact = match wanted {
            Wanted::Scalar(bits) => self.program.hits_scalar(place, bits),
            Wanted::Sync(kind) => self.program.hits_sync(place, kind),
        };
        let mut target = Target { cases: vec![], elsewhere: no, smeared: vec![], refused: no };
        let mut hit = no;
        for slot in &slots {
            let here = self.pool.is(offset, u128::from(slot.offset));
            if self.fits(slot, wanted) {
                hit = self.pool.or(hit, here);
                if !self.pool.is_false(here) {
                    target.cases.push(Case { cond: here, content: self.cells[&slot.key] });
                }
            }
        }
        let missed = if exact { no } else { self.pool.not(hit) };
        match wanted {
            Wanted::Sync(_) => target.refused = missed,
            Wanted::Scalar(_) => {
                target.elsewhere = missed;
                slots.iter().for_each(|slot| self.smear(&mut target, slot, offset, wanted));
            }
        }
        Some(target)
    }

    /// Notes what an access does to a cell of a declared object that it may hit otherwise than as a whole.
    fn smear(&mut self, target: &mut Target, slot: &Slot, offset: ExprId, wanted: Wanted) {
        if self.pool.is_false(target.elsewhere) {
            return;
        }
        let overlaps = self.overlaps(offset, u128::from(slot.offset), slot.bytes, wanted);
        let parts = self.pool.and(overlaps, target.elsewhere);
        if self.pool.is_false(parts) {
            return;
        }
        match slot.ty {
            CellType::Scalar(_) => {
                target.smeared.push(Case { cond: parts, content: self.cells[&slot.key] });
            }
            CellType::Sync(..) => target.refused = self.pool.or(target.refused, parts),
        }
    }

    /// A place that a pointer points to.
    fn pointed(&mut self, pointer: ExprId, at: ExprId, wanted: Wanted) -> Target {
        let (yes, no) = (self.pool.truth(true), self.pool.truth(false));
        let mut target = Target { cases: vec![], elsewhere: yes, smeared: vec![], refused: no };
        if !self.values.of(pointer).has(Kinds::STATIC) {
            return target;
        }
        let slots: Vec<Slot> = self.pointer_slots().cloned().collect();
        let few = slots.iter().filter(|slot| self.fits(slot, wanted)).count() <= CANDIDATES;
        for slot in slots {
            let number = self.numbers.address(slot.key.object, slot.offset as i64);
            let content = self.cells[&slot.key];
            let overlaps = self.overlaps(at, number, slot.bytes, wanted);
            if self.pool.is_false(overlaps) {
                continue;
            }
            let here = self.pool.is(at, number);
            let here = if self.fits(&slot, wanted) && few { here } else { no };
            if !self.pool.is_false(here) {
                target.cases.push(Case { cond: here, content });
                let not = self.pool.not(here);
                target.elsewhere = self.pool.and(target.elsewhere, not);
            }
            match (slot.ty, wanted) {
                (CellType::Scalar(_), _) => target.smeared.push(Case { cond: overlaps, content }),
                (CellType::Sync(..), Wanted::Scalar(_)) => {
                    target.refused = self.pool.or(target.refused, overlaps)
                }
                (CellType::Sync(..), Wanted::Sync(_)) => {}
            }
        }
        target
    }

    /// When an access at an address overlaps a cell at a number.
    fn overlaps(&mut self, at: ExprId, number: u128, bytes: u64, wanted: Wanted) -> ExprId {
        let access = match wanted {
            Wanted::Scalar(bits) => u128::from(bits.div_ceil(8)),
            Wanted::Sync(_) => 1,
        };
        let first = (number + 1).wrapping_sub(access);
        let distance = self.pool.plus(at, first.wrapping_neg());
        let ty = match self.pool.ty(at) {
            Type::Pointer => Type::Bits(self.numbers.bits),
            ty => ty,
        };
        let plain = self.pool.fit(distance, ty);
        let length = self.pool.number(ty, access + u128::from(bytes) - 1);
        self.pool.binary(Binary::LtU, plain, length)
    }

    /// The value of a cell as a type of its width.
    fn content(&mut self, path: &Path, content: Content, ty: Type) -> Option<ExprId> {
        let value = match content {
            Content::Scalar(variable, _) => self.read(path, variable),
            Content::Constant(number, ty) => self.pool.number(ty, number),
            _ => return None,
        };
        Some(self.pool.fit(value, ty))
    }

    /// What a read gives; any value where the memory is not followed.
    fn fetch(&mut self, path: &mut Path, target: &Target, ty: Type) -> ExprId {
        let known = self.pool.is_false(target.elsewhere) && !target.cases.is_empty();
        let mut value = (!known).then(|| self.choose(path, ty));
        for case in target.cases.iter().rev() {
            let Some(here) = self.content(path, case.content, ty) else { continue };
            value = Some(value.map_or(here, |value| self.pool.ite(case.cond, here, value)));
        }
        value.unwrap_or_else(|| self.choose(path, ty))
    }

    /// What a write does, where `written` holds.
    fn put(&mut self, path: &mut Path, target: &Target, value: ExprId, written: ExprId) {
        for case in &target.smeared {
            let Content::Scalar(variable, ty) = case.content else { continue };
            let cond = self.pool.and(case.cond, written);
            if self.pool.is_false(cond) {
                continue;
            }
            let (before, any) = (self.read(path, variable), self.choose(path, ty));
            let after = self.pool.ite(cond, any, before);
            self.write(path, variable, after);
        }
        for case in &target.cases {
            let Content::Scalar(variable, ty) = case.content else { continue };
            let cond = self.pool.and(case.cond, written);
            let (before, after) = (self.read(path, variable), self.pool.fit(value, ty));
            let after = self.pool.ite(cond, after, before);
            self.write(path, variable, after);
        }
    }

    /// Constants cannot be written.
    fn writable(&mut self, path: &mut Path, target: &Target) -> bool {
        for case in &target.cases {
            if let Content::Constant(..) = case.content {
                let not = self.pool.not(case.cond);
                if !self.require(path, not) {
                    return false;
                }
            }
        }
        true
    }

    /// A load, store or read-modify-write. Whether the thread can go on.
    pub fn access(&mut self, path: &mut Path, op: &Op) -> bool {
        match *op {
            Op::Load { local, place, .. } => {
                let ty = self.variables[local].ty;
                let Some(target) = self.reach(path, place, ty) else { return false };
                let value = self.fetch(path, &target, ty);
                self.write(path, local, value);
                true
            }
            Op::Store { place, value, .. } => {
                let ty = self.program.exprs().ty(value);
                let Some(target) = self.reach(path, place, ty) else { return false };
                let Some(value) = self.value(path, value) else { return false };
                if !self.writable(path, &target) {
                    return false;
                }
                let yes = self.pool.truth(true);
                self.put(path, &target, value, yes);
                true
            }
            _ => self.rmw(path, op),
        }
    }

    /// The target of an access; what has no translation is refused on the way.
    fn reach(&mut self, path: &mut Path, place: Place, ty: Type) -> Option<Target> {
        let bits = ty.bits(self.numbers.bits);
        let target = self.target(path, place, Wanted::Scalar(bits))?;
        let no_translation = "an access does not have the size or kind of the scalar it hits";
        self.refuse(path, target.refused, no_translation).then_some(target)
    }

    fn rmw(&mut self, path: &mut Path, op: &Op) -> bool {
        let &Op::Rmw { old, place, guard, value, success, weak } = op else { return true };
        let ty = self.variables[old].ty;
        let Some(target) = self.reach(path, place, ty) else { return false };
        if !self.writable(path, &target) {
            return false;
        }
        let read = self.fetch(path, &target, ty);
        self.write(path, old, read);
        let mut written = self.pool.truth(true);
        if let Some(guard) = guard {
            let Some(guard) = self.value(path, guard) else { return false };
            written = guard;
        }
        if weak {
            let toss = self.toss(path);
            written = self.pool.and(written, toss);
        }
        let new = self.meaning(path, value);
        let defined = self.pool.implies(written, new.defined);
        if !self.require(path, defined) {
            return false;
        }
        self.put(path, &target, new.value, written);
        if let Some(success) = success {
            let ty = self.variables[success].ty;
            let value = self.pool.fit(written, ty);
            self.write(path, success, value);
        }
        true
    }
}
