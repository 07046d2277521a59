//! The accesses that may race, and the pairs that nothing keeps apart: as far as pointers tell, both may
//! touch the same bytes, one writes, they do not synchronise with each other, no mutex is held at both, and
//! two threads may be there.

use super::super::model::Model;
use super::super::{Problem, Unsupported};
use super::refused;
use base::{Budget, Id, Span};
use c::effects::{AccessKind, MemoryAccess, Region, SyncUse};
use c::points_to::Targets;
use c::{Loc, Locksets, ObjectId, ObjectScope, Op, Place, PointsTo, ProcId, Program, SyncOp};

/// Outside and inside of atomic sections, as bits.
const OUTSIDE: u8 = 1;
const INSIDE: u8 = 2;

/// Who sleeps has gone past its assertion.
const SLEEPERS: &str =
    "a condition variable or barrier that is initialised or destroyed while threads may wait";

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    Read,
    Write,
    /// Ends the life of objects.
    End,
}

/// An access that other threads may race with.
#[derive(Clone, Debug)]
pub struct Site {
    pub at: Loc,
    /// Where it goes, and how many bits a scalar has; `None`: to whole objects.
    pub place: Option<(Place, Option<u8>)>,
    pub mode: Mode,
    /// Whether it may write nothing after all: a compare-exchange that fails.
    pub guarded: bool,
    pub section: bool,
    pub atomic: bool,
    pub targets: Targets,
}

impl Site {
    /// Whether it synchronises with others that do.
    fn orders(&self) -> bool {
        self.atomic || self.section
    }

    /// Whether a thread may stop before it for ever to be raced with.
    pub fn may_stop(&self) -> bool {
        !self.orders()
    }
}

/// The accesses, and which pairs of them may race.
pub struct Sites {
    pub all: Vec<Site>,
    /// By numbers of accesses: the first one stops, the second one asserts.
    pub pairs: Vec<(usize, usize)>,
}

struct Finder<'p> {
    program: &'p Program,
    model: Model<'p>,
    points_to: PointsTo,
    locks: Locksets,
    /// By location: outside or inside of sections.
    sections: Vec<u8>,
    /// By location: whether no other thread can exist while one is there.
    alone: Vec<bool>,
    ends: bool,
}

impl Sites {
    /// Looks for them.
    pub fn new(program: &Program, ends: bool, budget: &Budget) -> Result<Sites, Problem> {
        let finder = Finder {
            program,
            model: Model::new(program)?,
            points_to: PointsTo::new(program, budget)?,
            locks: Locksets::new(program, budget)?,
            sections: sections(program),
            alone: alone(program),
            ends,
        };
        let mut all = vec![];
        for loc in program.locations().ids().filter(|loc| finder.sections[loc.index()] != 0) {
            budget.spend(1)?;
            finder.refuse(loc)?;
            if !finder.alone[loc.index()] {
                all.extend(finder.sites(loc)?);
            }
        }
        let mut pairs = vec![];
        for (one, first) in all.iter().enumerate() {
            budget.spend(1 + all.len() as u64 / 8)?;
            let rivals = all.iter().enumerate().filter(|_| first.may_stop());
            for (other, second) in rivals.filter(|(_, second)| finder.may_race(first, second)) {
                if finder.sleeps(second.at) {
                    return Err(refused(program, Some(second.at), SLEEPERS));
                }
                pairs.push((one, other));
            }
        }
        Ok(Sites { all, pairs })
    }
}

impl Finder<'_> {
    /// Steps whose accesses are not known, or whose threads have none for some time.
    fn refuse(&self, loc: Loc) -> Result<(), Unsupported> {
        let span: Option<Span> = self.program.at(loc).span;
        let refuse = |construct: &str| Err(Unsupported { construct: construct.to_string(), span });
        match self.program.at(loc).op {
            Op::Reach(_) => refuse("data races of functions that nobody defines"),
            Op::Create { .. } if self.sections[loc.index()] & INSIDE != 0 => {
                refuse(c::machine::BEGINS_INSIDE)
            }
            _ => Ok(()),
        }
    }

    fn sites(&self, loc: Loc) -> Result<Vec<Site>, Problem> {
        let program = self.program;
        let op = &program.at(loc).op;
        let mut found = vec![];
        for access in program.effects(loc).accesses {
            let mode = match access.kind {
                AccessKind::Read | AccessKind::Sync(SyncUse::Inspect) => Mode::Read,
                AccessKind::Write | AccessKind::Update | AccessKind::Sync(_) => Mode::Write,
                AccessKind::End if self.ends => Mode::End,
                AccessKind::End | AccessKind::Begin | AccessKind::Exists => continue,
            };
            let targets = self.targets(loc, &access);
            if targets.is_empty() {
                continue;
            }
            if self.sections[loc.index()] == OUTSIDE | INSIDE {
                let what = "an access both inside and outside of atomic sections";
                return Err(refused(program, Some(loc), what));
            }
            let place = match access.region {
                Region::Scalar { place, bits } => Some((place, Some(bits))),
                Region::Sync { place, .. } => Some((place, None)),
                _ => None,
            };
            found.push(Site {
                at: loc,
                place,
                mode,
                guarded: matches!(op, Op::Rmw { guard: Some(_), .. }),
                section: self.sections[loc.index()] == INSIDE,
                atomic: access.atomic,
                targets,
            });
        }
        Ok(found)
    }

    /// The objects that others may touch, too.
    fn targets(&self, loc: Loc, access: &MemoryAccess) -> Targets {
        match access.region {
            Region::Activation | Region::Thread => {
                let own = self.own(self.program.at(loc).procedure);
                own.into_iter().flat_map(|it| self.points_to.shared(Region::Declared(it))).collect()
            }
            region => self.points_to.shared(region),
        }
    }

    /// The objects that end with a thread.
    fn own(&self, template: ProcId) -> Vec<ObjectId> {
        let ends = |id: &ObjectId| match self.program.objects()[*id].scope {
            ObjectScope::Static => false,
            ObjectScope::Thread => true,
            ObjectScope::Procedure(procedure) => procedure == template,
        };
        self.program.objects().ids().filter(ends).collect()
    }

    /// Whether a thread that stops at the first may race with one that comes to the second.
    fn may_race(&self, one: &Site, other: &Site) -> bool {
        let template = |site: &Site| self.program.at(site.at).procedure;
        let two = template(one) != template(other) || !self.model.runs_once(template(one));
        let reads = one.mode == Mode::Read && other.mode == Mode::Read;
        // Who sleeps on a condition variable has given its mutex back.
        let locked = !self.sleeps(other.at) && self.locks.at(one.at) & self.locks.at(other.at) != 0;
        two && !reads && !locked && !one.targets.is_disjoint(&other.targets) && !self.apart(one, other)
    }

    /// Whether a thread waits there after a first half of the step.
    fn sleeps(&self, at: Loc) -> bool {
        let op = &self.program.at(at).op;
        matches!(op, Op::Sync { op: SyncOp::CondWait { .. } | SyncOp::BarrierWait, .. })
    }

    /// Whether both are fixed cells of one object, and not the same.
    fn apart(&self, one: &Site, other: &Site) -> bool {
        let fixed = |site: &Site| match site.place {
            Some((Place::Object { object, offset }, Some(bits))) => Some((object, offset, bits)),
            _ => None,
        };
        let (Some(one), Some(other)) = (fixed(one), fixed(other)) else { return false };
        let end = |(_, offset, bits): (ObjectId, i64, u8)| offset + i64::from(bits.div_ceil(8));
        one.0 == other.0 && (end(one) <= other.1 || end(other) <= one.1)
    }
}

/// By location: whether threads come there outside, inside, or both.
fn sections(program: &Program) -> Vec<u8> {
    let mut found = vec![0; program.locations().len()];
    let mut work: Vec<(Loc, u8)> =
        program.templates().into_iter().map(|it| (program.procedures()[it].entry, OUTSIDE)).collect();
    while let Some((loc, bits)) = work.pop() {
        let known = &mut found[loc.index()];
        if *known | bits == *known {
            continue;
        }
        *known |= bits;
        let after = match program.at(loc).op {
            Op::SectionBegin => INSIDE,
            Op::SectionEnd => OUTSIDE,
            _ => bits,
        };
        work.extend(program.successors(loc).into_iter().map(|it| (it, after)));
    }
    found
}

/// By location: whether only `main` comes there, and only before it has created anybody.
fn alone(program: &Program) -> Vec<bool> {
    let main = program.main();
    let mut after = vec![false; program.locations().len()];
    let creates = |loc: &Loc| matches!(program.at(*loc).op, Op::Create { .. });
    let mut work: Vec<Loc> =
        program.locations_of(main).filter(creates).flat_map(|loc| program.successors(loc)).collect();
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut after[loc.index()], true) {
            work.extend(program.successors(loc));
        }
    }
    let again = |loc: Loc| matches!(program.at(loc).op, Op::Create { template, .. } if template == main);
    let again = program.locations().ids().any(again);
    let locations = program.locations().enumerate();
    locations.map(|(loc, it)| it.procedure == main && !again && !after[loc.index()]).collect()
}
