//! Allocations that are zero at first and that only the thread which makes them can reach: as long as the thread writes nothing but zeros to
//! those of one place, it reads nothing but zeros from them, however many and however large they are. One bit of the thread for each
//! place of the program that makes such objects says so; nothing else of them is followed.
//!
//! Addresses are followed through registers and through cells of the thread's own objects that no pointer leads to. A place whose
//! addresses go anywhere else has no bit.

use super::Home;
use super::maker::Maker;
use super::symbolic::Path;
use crate::c::expr::{ExprId, Node};
use crate::c::op::{Op, Place};
use crate::c::program::{Loc, LocalId, ObjectId, Program};
use crate::c::types::{Constant, ObjectScope, TRUTH, Type};
use base::{Budget, Id, Stop};
use std::collections::BTreeMap;

/// Sets of places that allocate, by bits; the last bit stands for all other objects.
type Sites = u64;

/// An address of something else.
const ELSEWHERE: Sites = 1 << 63;

/// What is known about the objects that threads make for themselves.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// By expression of the program: what it may be an address of.
    exprs: Vec<Sites>,
    sites: BTreeMap<Loc, Sites>,
    /// Those that are zero at first and stay with their thread.
    followed: Sites,
    /// By place: whether all that this thread has made there is zero.
    ghosts: BTreeMap<Sites, LocalId>,
}

impl Own {
    pub fn find(program: &Program, addressed: &[bool], budget: &Budget) -> Result<Own, Stop> {
        let mut own = Own::default();
        let mut zeroed = 0;
        for loc in program.locations().ids() {
            if let Op::Alloc { zeroed: is_zeroed, .. } = program.at(loc).op {
                let bit = 1 << own.sites.len();
                own.sites.insert(loc, bit);
                zeroed |= if is_zeroed { bit } else { 0 };
                if own.sites.len() == 63 {
                    return Ok(Own::default());
                }
            }
        }
        if zeroed == 0 {
            return Ok(Own::default());
        }
        let mut flow = Flow::new(program, addressed);
        own.exprs = vec![0; program.exprs().len()];
        loop {
            budget.spend((program.exprs().len() + program.locations().len()) as u64)?;
            let before = flow.known.clone();
            for id in program.exprs().ids() {
                own.exprs[id.index()] = flow.of_node(&own.exprs, id);
            }
            for loc in program.locations().ids() {
                flow.step(&own, loc);
            }
            if before == flow.known {
                own.followed = zeroed & !flow.known.escaped;
                return Ok(own);
            }
        }
    }

    fn of(&self, e: ExprId) -> Sites {
        self.exprs.get(e.index()).copied().unwrap_or(ELSEWHERE)
    }
}

/// What grows until nothing changes.
#[derive(Clone, PartialEq, Eq)]
struct Known {
    locals: Vec<Sites>,
    /// By object, for those that only their thread can reach.
    objects: Vec<Sites>,
    escaped: Sites,
}

struct Flow<'p> {
    program: &'p Program,
    /// By object: whether only its thread can reach it.
    private: Vec<bool>,
    known: Known,
}

impl<'p> Flow<'p> {
    fn new(program: &'p Program, addressed: &[bool]) -> Self {
        let first = |value: &Constant| if matches!(value, Constant::Address(..)) { ELSEWHERE } else { 0 };
        let objects = program.objects().iter();
        let known = Known {
            locals: program.locals().iter().map(|local| first(&local.init)).collect(),
            objects: objects.map(|it| it.init.iter().fold(0, |all, (_, value)| all | first(value))).collect(),
            escaped: 0,
        };
        let private = program.objects().iter().zip(addressed);
        let private = private.map(|(it, addressed)| it.scope != ObjectScope::Static && !addressed).collect();
        Flow { program, private, known }
    }

    fn of_node(&self, exprs: &[Sites], id: ExprId) -> Sites {
        let of = |e: ExprId| exprs[e.index()];
        match self.program.exprs().node(id) {
            Node::Const(..) => 0,
            Node::Local(local, _) => self.known.locals[local.index()],
            Node::Address(_) => ELSEWHERE,
            Node::Binary(op, ..) if op.is_comparison() => 0,
            Node::Ite(_, a, b) => of(a) | of(b),
            node => node.children().fold(0, |all, child| all | of(child)),
        }
    }

    fn object(&self, place: Place) -> Option<ObjectId> {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => {
                Some(object).filter(|it| self.private[it.index()])
            }
            Place::Pointer { .. } => None,
        }
    }

    fn give(&mut self, local: LocalId, sites: Sites) {
        self.known.locals[local.index()] |= sites;
    }

    fn read(&self, place: Place) -> Sites {
        self.object(place).map_or(ELSEWHERE, |it| self.known.objects[it.index()])
    }

    fn store(&mut self, place: Place, sites: Sites) {
        match self.object(place) {
            Some(object) => self.known.objects[object.index()] |= sites,
            None => self.known.escaped |= sites,
        }
    }

    fn step(&mut self, own: &Own, loc: Loc) {
        let op = &self.program.at(loc).op;
        match op {
            Op::Assign { local, value } => self.give(*local, own.of(*value)),
            // Chosen numbers are no addresses.
            Op::Choose { .. } | Op::Me(_) | Op::Sync { .. } => {}
            Op::Load { local, place } => self.give(*local, self.read(*place)),
            Op::Store { place, value } => self.store(*place, own.of(*value)),
            Op::Rmw { old, place, value, .. } => {
                self.give(*old, self.read(*place));
                self.store(*place, own.of(*value));
            }
            Op::Alloc { local, .. } => self.give(*local, own.sites[&loc]),
            Op::Create { template: begun, args, .. } | Op::Call { procedure: begun, args, .. } => {
                for (&param, &arg) in self.program.procedures()[*begun].params.iter().zip(args) {
                    self.known.escaped |= own.of(arg);
                    self.give(param, ELSEWHERE);
                }
                op.writes().into_iter().for_each(|local| self.give(local, ELSEWHERE));
            }
            Op::Exit(Some(value)) | Op::Return(Some(value)) => self.known.escaped |= own.of(*value),
            op => op.writes().into_iter().for_each(|local| self.give(local, ELSEWHERE)),
        }
    }
}

impl Maker<'_> {
    /// A bit for each place whose objects are read.
    pub fn declare_own(&mut self) {
        let mut read = 0;
        for location in self.program.locations().iter() {
            if let Op::Load { place, .. } | Op::Rmw { place, .. } = &location.op {
                read |= self.own_sites(*place);
            }
        }
        let wanted = read & self.own.followed;
        for bit in (0..63).map(|at| 1 << at).filter(|bit| wanted & bit != 0) {
            let name = format!("zero@{}", base::Id::index(self.own_place(bit)));
            let ghost = self.ghost(name, TRUTH, Home::Thread, Some(1));
            self.own.ghosts.insert(bit, ghost);
        }
    }

    fn own_place(&self, bit: Sites) -> Loc {
        let found = self.own.sites.iter().find(|(_, other)| **other == bit);
        found.map(|(&loc, _)| loc).expect("each bit stands for a place")
    }

    fn own_sites(&self, place: Place) -> Sites {
        match place {
            Place::Pointer { pointer, .. } if !self.own.exprs.is_empty() => self.own.of(pointer),
            _ => 0,
        }
    }

    /// What a read gives, where memory gives `value`: zero, if it is from objects that are all zero.
    pub fn or_zero(&mut self, path: &Path, place: Place, value: ExprId, ty: Type) -> ExprId {
        let sites = self.own_sites(place);
        if sites == 0 || sites & !self.own.followed != 0 {
            return value;
        }
        let ghosts = self.ghosts_of(sites);
        if ghosts.len() != sites.count_ones() as usize {
            return value;
        }
        let mut all = self.pool.truth(true);
        for ghost in ghosts {
            let bit = self.read(path, ghost);
            all = self.pool.and(all, bit);
        }
        let zero = self.pool.number(ty, 0);
        self.pool.ite(all, zero, value)
    }

    /// A write: what it may hit is no longer zero, unless the value is.
    pub fn spoil(&mut self, path: &mut Path, place: Place, value: ExprId, written: ExprId) {
        for ghost in self.ghosts_of(self.own_sites(place)) {
            let (not, zero, before) =
                (self.pool.not(written), self.pool.is(value, 0), self.read(path, ghost));
            let stays = self.pool.or(not, zero);
            let after = self.pool.and(before, stays);
            self.write(path, ghost, after);
        }
    }

    fn ghosts_of(&self, sites: Sites) -> Vec<LocalId> {
        self.own.ghosts.iter().filter(|(bit, _)| sites & **bit != 0).map(|(_, &ghost)| ghost).collect()
    }
}
