//! How a program starts, as sets: which elements fit into a start, or into what is there when `init` has
//! ended.

use super::elements::{Name, Stage};
use crate::closure::diagrams::Classes;
use crate::closure::diagrams::sets::control;
use crate::closure::programs::counts;
use crate::encoding::Slot;
use base::Stop;
use ir::bp::ProcId;
use solve::bdd::Bdd;

/// Threads that are interchangeable at the start.
#[derive(Clone, Copy, Debug)]
pub struct SetPool {
    /// Where they begin.
    pub control: u32,
    /// The locals that each may have, as those of the active thread.
    pub locals: Bdd,
    /// The fewest there are.
    pub least: u32,
    /// The most there are.
    pub most: Option<u32>,
}

/// How a program starts.
#[derive(Clone, Debug)]
pub struct SetStart {
    /// The valuations of the shared variables.
    pub shared: Bdd,
    /// Whether `init` runs first.
    pub initialising: bool,
    /// The threads that are there.
    pub first: Vec<SetPool>,
    /// The threads that come when `init` has ended.
    pub later: Vec<SetPool>,
}

impl SetStart {
    /// The start of the program.
    pub fn new(stage: &mut Stage<'_, '_>, classes: &Classes) -> Result<SetStart, Stop> {
        let shared = stage.encoding.first_shared()?;
        let program = stage.encoding.program;
        let mut population = vec![];
        for (procedure, least, most) in counts(program) {
            population.push(pool(stage, classes, procedure, least, most)?);
        }
        Ok(match program.start().init {
            None => SetStart { shared, initialising: false, first: population, later: vec![] },
            Some(init) => {
                let first = vec![pool(stage, classes, init, 1, Some(1))?];
                SetStart { shared, initialising: true, first, later: population }
            }
        })
    }

    /// The functions that a collection must not take.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.first.iter().chain(&self.later).map(|pool| pool.locals).chain([self.shared])
    }

    /// The elements of a set that a start lies above.
    pub fn among(&self, stage: &mut Stage<'_, '_>, name: &Name, set: Bdd) -> Result<Bdd, Stop> {
        if name.busy || name.initialising != self.initialising {
            return Ok(Bdd::FALSE);
        }
        let set = fitting(stage, &self.first, &name.controls, set)?;
        stage.encoding.manager.and(set, self.shared, stage.budget)
    }
}

/// The elements of a set whose threads the pools have.
pub fn fitting(
    stage: &mut Stage<'_, '_>,
    pools: &[SetPool],
    controls: &[u32],
    mut set: Bdd,
) -> Result<Bdd, Stop> {
    for (slot, &at) in controls.iter().enumerate() {
        let Some(pool) = pools.iter().find(|pool| pool.control == at) else { return Ok(Bdd::FALSE) };
        let count = controls.iter().filter(|&&other| other == at).count();
        if pool.most.is_some_and(|most| count > most as usize) {
            return Ok(Bdd::FALSE);
        }
        let encoding = &mut *stage.encoding;
        let map = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Member(slot));
        let locals = encoding.manager.rename(pool.locals, map, stage.budget)?;
        set = encoding.manager.and(set, locals, stage.budget)?;
    }
    Ok(set)
}

fn pool(
    stage: &mut Stage<'_, '_>,
    classes: &Classes,
    procedure: ProcId,
    least: u32,
    most: Option<u32>,
) -> Result<SetPool, Stop> {
    let (at, locals) = stage.encoding.fresh(procedure, stage.budget)?;
    Ok(SetPool { control: control(classes.of(at), false), locals, least, most })
}
