//! What pointers may point to, and which objects other threads may get at. Found without regard to the
//! order of steps and without telling the cells of an object apart (Andersen's analysis over where values
//! go). An object *escapes* if its address may be in a static object, in the argument or the result of a
//! thread, or in an object that escapes itself: of all others only the thread that made them has the
//! address.
//!
//! Objects are the declared ones and one for each allocating step. Where an allocation may get the
//! address of a freed object, a dangling pointer may lead to what another thread allocated: then all
//! allocations are one object, and it escapes.

use super::effects::{Move, Region, ValueFrom, ValueTo};
use super::expr::{ExprId, Node};
use super::op::{Op, Place};
use super::program::{Loc, Program};
use super::reuse::Reuse;
use super::types::{Constant, ObjectScope};
use base::{Budget, Id, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of objects: declared ones have theirs, allocations come after them.
pub type Targets = BTreeSet<u32>;

/// What pointers may point to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    allocations: BTreeMap<Loc, u32>,
    exprs: Vec<Targets>,
    locals: Vec<Targets>,
    /// By object: what its cells may point to.
    contents: Vec<Targets>,
    /// What threads give back.
    results: Targets,
    /// What threads are given.
    passed: Targets,
    /// By object: whether other threads may access it and some thread may write it.
    exposed: Vec<bool>,
}

impl PointsTo {
    /// Looks at a program.
    pub fn new(program: &Program, budget: &Budget) -> Result<PointsTo, Stop> {
        let declared = program.objects().len();
        let (allocations, reused) = allocations(program, budget)?;
        let number = declared + allocations.values().copied().collect::<BTreeSet<u32>>().len();
        let mut found = PointsTo {
            allocations,
            exprs: vec![Targets::new(); program.exprs().len()],
            locals: vec![Targets::new(); program.locals().len()],
            contents: vec![Targets::new(); number],
            results: Targets::new(),
            passed: Targets::new(),
            exposed: vec![false; number],
        };
        found.begin(program);
        found.close(program, budget)?;
        found.expose(program, reused);
        Ok(found)
    }

    /// The objects that an access here may touch, as far as other threads may touch them and they can change.
    pub fn shared(&self, region: Region) -> Targets {
        self.touched(region).into_iter().filter(|&it| self.exposed[it as usize]).collect()
    }

    /// The objects that an access here may touch; of what is reached through pointers, the first ones.
    pub fn touched(&self, region: Region) -> Targets {
        match region {
            Region::Pointed(pointer) | Region::Reachable { pointer, .. } => self.of(pointer).clone(),
            Region::Declared(object) => Targets::from([object.index() as u32]),
            Region::New | Region::Activation | Region::Thread => Targets::new(),
            Region::Scalar { place, .. } | Region::Sync { place, .. } => self.at(place),
        }
    }

    /// The objects that a place may be in.
    pub fn targets(&self, place: Place) -> Targets {
        self.at(place)
    }

    fn of(&self, e: ExprId) -> &Targets {
        &self.exprs[e.index()]
    }

    fn at(&self, place: Place) -> Targets {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => {
                Targets::from([object.index() as u32])
            }
            Place::Pointer { pointer, .. } => self.of(pointer).clone(),
        }
    }

    /// What is there at first.
    fn begin(&mut self, program: &Program) {
        let address = |value: &Constant| match value {
            Constant::Address(object, _) => Some(object.index() as u32),
            Constant::Bits(_) => None,
        };
        for (id, local) in program.locals().enumerate() {
            self.locals[id.index()].extend(address(&local.init));
        }
        for (id, object) in program.objects().enumerate() {
            self.contents[id.index()].extend(object.init.iter().filter_map(|(_, value)| address(value)));
        }
    }

    /// Follows all values until nothing is new.
    fn close(&mut self, program: &Program, budget: &Budget) -> Result<(), Stop> {
        let moves: Vec<(Loc, Vec<Move>)> =
            program.locations().ids().map(|loc| (loc, program.effects(loc).moves)).collect();
        loop {
            budget.spend((program.exprs().len() + moves.len()) as u64)?;
            let mut changed = false;
            for id in program.exprs().ids() {
                let found = self.of_node(program, id);
                changed |= add(&mut self.exprs[id.index()], &found);
            }
            for (loc, moves) in &moves {
                for moved in moves {
                    changed |= self.follow(*loc, moved);
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// An address stays one of its object, whatever is computed with it.
    fn of_node(&self, program: &Program, id: ExprId) -> Targets {
        match program.exprs().node(id) {
            Node::Local(local, _) => self.locals[local.index()].clone(),
            Node::Address(object) => Targets::from([object.index() as u32]),
            node => node.children().flat_map(|child| self.of(child)).copied().collect(),
        }
    }

    fn follow(&mut self, loc: Loc, moved: &Move) -> bool {
        let found = match moved.from {
            ValueFrom::Expr(e) => self.of(e).clone(),
            ValueFrom::Memory(place) => {
                self.at(place).iter().flat_map(|&it| &self.contents[it as usize]).copied().collect()
            }
            ValueFrom::Result => self.results.clone(),
            ValueFrom::NewObject => self.allocations.get(&loc).copied().into_iter().collect(),
            ValueFrom::Choice | ValueFrom::Handle | ValueFrom::Number | ValueFrom::Truth => return false,
        };
        match moved.to {
            ValueTo::Register(local) => add(&mut self.locals[local.index()], &found),
            ValueTo::Parameter(local) => {
                add(&mut self.passed, &found) | add(&mut self.locals[local.index()], &found)
            }
            ValueTo::Result => add(&mut self.results, &found),
            ValueTo::Memory(place) => self
                .at(place)
                .into_iter()
                .fold(false, |changed, it| add(&mut self.contents[it as usize], &found) | changed),
        }
    }

    fn expose(&mut self, program: &Program, reused: bool) {
        let declared = program.objects().len();
        let fixed = |it: u32| {
            let object = program.objects().iter().nth(it as usize);
            object.is_some_and(|object| object.scope == ObjectScope::Static)
        };
        let heap = if reused { declared as u32..self.contents.len() as u32 } else { 0..0 };
        let mut work: Vec<u32> = (0..declared as u32).filter(|&it| fixed(it)).chain(heap).collect();
        work.extend(self.passed.iter().chain(&self.results));
        while let Some(it) = work.pop() {
            if !std::mem::replace(&mut self.exposed[it as usize], true) {
                work.extend(&self.contents[it as usize]);
            }
        }
        for (id, object) in program.objects().enumerate() {
            if object.constant {
                self.exposed[id.index()] = false;
            }
        }
    }
}

/// The numbers of allocations, and whether addresses may be used again.
fn allocations(program: &Program, budget: &Budget) -> Result<(BTreeMap<Loc, u32>, bool), Stop> {
    let reuse = Reuse::new(program, budget)?;
    let steps: Vec<Loc> =
        program.locations().ids().filter(|&loc| matches!(program.at(loc).op, Op::Alloc { .. })).collect();
    let reused = steps.iter().any(|&loc| reuse.may_reuse(program, loc));
    let first = program.objects().len() as u32;
    let number = |(at, loc): (usize, Loc)| (loc, if reused { first } else { first + at as u32 });
    Ok((steps.into_iter().enumerate().map(number).collect(), reused))
}

fn add(to: &mut Targets, found: &Targets) -> bool {
    let before = to.len();
    to.extend(found);
    to.len() > before
}
