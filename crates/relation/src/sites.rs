//! The accesses that may race: where threads stand before them, under which condition, and at which numbers.
//! Outside of atomic sections a thread stands at a control location before each such access, so that the
//! access is that of its next step. In a section the command goes on to the next end of a path; the access is
//! then made by the command, if the condition of the way up to it holds.
//!
//! Two accesses are candidates if they may touch the same object ([`c::points_to`]), one is a write, and they
//! do not synchronise with each other. Whether their bytes overlap is a question about two threads.

use super::build::SECTION;
use super::maker::Maker;
use super::memory::{self, size};
use super::symbolic::Path;
use super::{ControlId, Home, Relation};
use base::{Budget, Id, Stop};
use c::effects::{AccessKind, MemoryAccess, Region, SyncUse};
use c::expr::{Binary, ExprId};
use c::op::{Op, Place};
use c::points_to::{PointsTo, Targets};
use c::program::{Loc, ObjectId, ProcId};
use c::types::{CellType, ObjectScope, SyncKind, Type};
use std::collections::BTreeSet;

/// An access that other threads may race with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessSite {
    /// Where the thread stands.
    pub control: ControlId,
    /// When the command makes the access, in a section; elsewhere, when it is one at all. Over the shared
    /// variables, those of the thread and choices.
    pub guard: ExprId,
    /// The number of its first byte.
    pub address: ExprId,
    /// How many bytes; `None`: all up to the end of an object of unknown size.
    pub bytes: Option<u64>,
    /// Whether it may write.
    pub writes: bool,
    /// Whether it is an atomic operation, or one of a synchronisation object that orders threads.
    pub atomic: bool,
    /// Whether it is in a section.
    pub section: bool,
    /// Whether it is an operation of a synchronisation object.
    pub sync: bool,
    /// The step.
    pub at: Loc,
    /// The objects that it may touch.
    pub targets: Targets,
}

/// All accesses that may race.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accesses {
    /// By control location.
    pub sites: Vec<AccessSite>,
    /// The procedures that at most one thread begins in.
    pub alone: BTreeSet<ProcId>,
}

impl Relation {
    /// The pairs of accesses that may race, by the numbers of their sites, the smaller first.
    pub fn candidates(&self) -> Vec<[usize; 2]> {
        let Some(Accesses { sites, alone }) = &self.accesses else { return vec![] };
        let template = |site: &AccessSite| self.controls[site.control].template;
        let mut found = vec![];
        for (first, one) in sites.iter().enumerate() {
            for (second, other) in sites.iter().enumerate().skip(first) {
                let same = template(one) == template(other);
                if !(same && alone.contains(&template(one))) && self.conflict(one, other) {
                    found.push([first, second]);
                }
            }
        }
        found
    }

    fn conflict(&self, one: &AccessSite, other: &AccessSite) -> bool {
        let synchronise = (one.atomic || one.section) && (other.atomic || other.section);
        (one.writes || other.writes)
            && !(one.section && other.section)
            && (!synchronise || self.is_mixed(one, other))
            && !one.targets.is_disjoint(&other.targets)
            && !self.apart(one, other)
    }

    /// Whether both are atomic, and yet race where their bytes overlap and are not the same. Of
    /// synchronisation objects an operation has the whole one.
    pub fn is_mixed(&self, one: &AccessSite, other: &AccessSite) -> bool {
        let constants = [one.address, other.address].map(|it| self.exprs.constant(it));
        let same = one.bytes == other.bytes && matches!(constants, [Some(a), Some(b)] if a == b);
        one.atomic && other.atomic && !(one.sync && other.sync) && !same
    }

    /// Whether the bytes are known and have none in common.
    fn apart(&self, one: &AccessSite, other: &AccessSite) -> bool {
        let bytes = |it: &AccessSite| Some((self.exprs.constant(it.address)?, u128::from(it.bytes?)));
        match (bytes(one), bytes(other)) {
            (Some((a, m)), Some((b, n))) => a + m <= b || b + n <= a,
            _ => false,
        }
    }
}

/// What the construction knows of accesses.
pub(super) struct SiteMaker {
    points_to: PointsTo,
    /// Whether the end of an object's life is an access.
    ends: bool,
    pub found: Vec<AccessSite>,
}

impl SiteMaker {
    pub fn new(points_to: PointsTo, ends: bool) -> SiteMaker {
        SiteMaker { points_to, ends, found: vec![] }
    }
}

/// The bytes of an access.
struct Bytes {
    address: ExprId,
    bytes: Option<u64>,
    targets: Targets,
}

impl Maker<'_> {
    /// The accesses of a step that others may race with, with the objects that they may touch.
    fn exposed(&self, loc: Loc, template: ProcId) -> Vec<(MemoryAccess, Targets)> {
        let Some(maker) = &self.sites else { return vec![] };
        let op = &self.program.at(loc).op;
        if matches!(op, Op::Size { .. } | Op::Alloc { .. }) {
            return vec![];
        }
        let mut found = vec![];
        for access in op.effects(self.program).accesses {
            if access.kind == AccessKind::Begin || access.kind == AccessKind::End && !maker.ends {
                continue;
            }
            let regions = match access.region {
                Region::Activation | Region::Thread => self.own(template),
                region => vec![region],
            };
            for region in regions {
                let targets = maker.points_to.shared(region);
                if !targets.is_empty() {
                    found.push((MemoryAccess { region, ..access }, targets));
                }
            }
        }
        found
    }

    /// The objects that end with a thread.
    fn own(&self, template: ProcId) -> Vec<Region> {
        let ends = |id: ObjectId| match self.program.objects()[id].scope {
            ObjectScope::Static => false,
            ObjectScope::Thread => true,
            ObjectScope::Procedure(procedure) => procedure == template,
        };
        self.program.objects().ids().filter(|&id| ends(id)).map(Region::Declared).collect()
    }

    /// Whether a step makes an access that may race.
    pub fn may_race(&self, loc: Loc, template: ProcId) -> bool {
        !self.exposed(loc, template).is_empty()
    }

    /// Notes the accesses of a thread that stands at each control location outside of sections.
    pub fn note_standing(&mut self, budget: &Budget) -> Result<(), Stop> {
        for at in 0..self.controls.len() {
            budget.spend(1)?;
            self.from = ControlId::from_index(at);
            let (phase, template) = (self.controls[self.from].phase, self.controls[self.from].template);
            if phase & SECTION == 0 {
                let guard = self.pool.truth(true);
                let path = Path::at(self.controls[self.from].loc, template, guard);
                self.note_accesses(&path);
            }
        }
        if let Some(maker) = &mut self.sites {
            maker.found.sort_by_key(|it| (it.control, it.at));
        }
        Ok(())
    }

    /// Notes the accesses of the next step of a path.
    pub fn note_accesses(&mut self, path: &Path) {
        for (access, targets) in self.exposed(path.loc, path.template) {
            let mut path = path.clone();
            let Some(Bytes { address, bytes, targets }) = self.bytes(&mut path, &access, targets) else {
                continue;
            };
            let read = matches!(access.kind, AccessKind::Read | AccessKind::Sync(SyncUse::Inspect));
            let site = AccessSite {
                control: self.from,
                guard: path.guard,
                address,
                bytes,
                writes: !read,
                atomic: access.atomic,
                section: path.section,
                sync: matches!(access.region, Region::Sync { .. }),
                at: path.loc,
                targets,
            };
            let maker = self.sites.as_mut().expect("only who asks for races has accesses that may");
            if !maker.found.contains(&site) {
                maker.found.push(site);
            }
        }
    }

    /// The bytes of an access; `None` if nothing is accessed here.
    fn bytes(&mut self, path: &mut Path, access: &MemoryAccess, targets: Targets) -> Option<Bytes> {
        let made = |address, bytes| Some(Bytes { address, bytes, targets });
        match access.region {
            Region::Scalar { place, bits } => {
                let bytes = u64::from(bits.div_ceil(8));
                let address = self.address_of(path, place, bytes)?;
                made(address, Some(bytes))
            }
            Region::Sync { place, kind } => {
                let bytes = self.largest(kind);
                let address = self.address_of(path, place, 1)?;
                made(address, Some(bytes))
            }
            Region::Declared(object) => {
                let variable = *self.addresses.get(&object)?;
                let address = self.read(path, variable);
                made(address, Some(size(self.program, object)))
            }
            Region::Pointed(pointer) | Region::Reachable { pointer, .. } => {
                let address = self.meaning(path, pointer).value;
                made(address, None)
            }
            Region::New | Region::Activation | Region::Thread => None,
        }
    }

    /// The number of the first byte of a place, which is inside its object.
    fn address_of(&mut self, path: &mut Path, place: Place, bytes: u64) -> Option<ExprId> {
        let word = Type::Bits(self.numbers.bits);
        match place {
            Place::Object { object, offset } => {
                let base = self.base(path, object)?;
                Some(self.pool.plus(base, offset as i128 as u128))
            }
            Place::Indexed { object, offset } => {
                let base = self.base(path, object)?;
                let index = self.meaning(path, offset).value;
                let last = u128::from(size(self.program, object).checked_sub(bytes)?);
                let last = self.pool.number(self.pool.ty(index), last);
                let inside = self.pool.binary(Binary::LeU, index, last);
                if !self.assume(path, inside) {
                    return None;
                }
                let (base, index) = (self.pool.fit(base, word), self.pool.fit(index, word));
                Some(self.pool.binary(Binary::Add, base, index))
            }
            Place::Pointer { pointer, offset } => {
                let value = self.meaning(path, pointer).value;
                Some(self.pool.plus(value, offset as i128 as u128))
            }
        }
    }

    /// The number of an object's first byte; `None` if nobody else can have its address.
    fn base(&mut self, path: &Path, object: ObjectId) -> Option<ExprId> {
        if memory::home(self.program, object) == Home::Shared {
            let number = self.numbers.address(object, 0);
            return Some(self.pool.number(Type::Pointer, number));
        }
        let variable = *self.addresses.get(&object)?;
        Some(self.read(path, variable))
    }

    /// The most bytes that a synchronisation object of a kind has.
    fn largest(&self, kind: SyncKind) -> u64 {
        let cells = self.program.layouts().iter().flat_map(|layout| &layout.cells);
        let sizes = cells.filter_map(|cell| match cell.ty {
            CellType::Sync(it, bytes) if it == kind => Some(u64::from(bytes)),
            _ => None,
        });
        sizes.max().unwrap_or(1)
    }
}
