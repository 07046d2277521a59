//! One search: all runs with at most this many threads alive, with the numbers of one stage. It can be
//! interrupted and taken up again, and goes breadth first, for short traces, or depth first, for errors that
//! lie deep.

use super::Tolerated;
use super::canonical;
use super::followed::Divisions;
use super::independent::Analysis;
use super::intern::StoredParts;
use super::lazy::Chosen;
use super::numbers::Numbers;
use super::settings::ConcreteOptions;
use super::splits::PartSplits;
use super::stage::SearchStage;
use super::state::{GlobalState, ThreadSlot};
use super::statistics::Statistics;
use super::step::{FailingRun, Limits, Runner};
use crate::explore::NONE;
use crate::search::{Expansion, Order, StateSearch, StateSpace, TurnEnd};
use base::{Budget, Stop, TickBatch};
use c::{Machine, Program, Renaming, ValueFrom};
use std::sync::Arc;

/// What all searches of a program share.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The program.
    pub program: &'a Program,
    /// What is asked.
    pub machine: c::Options,
    /// What is known about the program's text.
    pub analysis: &'a Analysis,
    /// The options.
    pub options: ConcreteOptions,
    /// What becomes of the choices at each location.
    pub chosen: &'a Arc<Vec<Chosen>>,
    /// Undefined behaviour that is no error.
    pub tolerated: Option<Tolerated<'a>>,
}

/// One search.
pub struct BoundedSearch<'a> {
    /// What is searched.
    pub space: RunStates<'a>,
    /// The states.
    pub states: StateSearch<GlobalState>,
    /// At most this many threads alive.
    pub threads: u32,
    /// Which numbers are tried, and how deep calls go.
    pub stage: SearchStage,
}

/// A state ready to be stored.
pub(super) struct Packed {
    pub row: Vec<u32>,
    /// The tags of the threads, in the order of the row.
    pub tags: Vec<u32>,
    /// The new numbers of objects, if there are.
    pub renaming: Option<Renaming>,
}

/// The states of a program, as far as a search goes.
pub struct RunStates<'a> {
    /// What runs threads.
    pub runner: Runner<'a>,
    parts: StoredParts,
    handles: bool,
    dynamic: bool,
    /// What is left to do with the state that was taken up.
    left: Option<Left>,
}

/// A state that was taken up.
struct Left {
    base: GlobalState,
    /// Threads that were not stepped yet.
    candidates: Vec<usize>,
    /// The first of them that may be one to run alone; all were tried if it is their number.
    at: usize,
    /// Whether a thread could step.
    goes_on: bool,
}

impl<'a> BoundedSearch<'a> {
    /// A search that has not begun.
    pub fn new(
        setup: Setup<'a>,
        threads: u32,
        stage: SearchStage,
        deep: bool,
        divisions: &Divisions,
    ) -> BoundedSearch<'a> {
        let program = setup.program;
        let runner = Runner {
            machine: Machine::new(program, c::Options { threads: Some(threads), ..setup.machine }),
            analysis: setup.analysis,
            numbers: Numbers::new(program, stage.interest(), stage.values(setup.options.values)),
            options: setup.options,
            parts: stage.parts(),
            splits: matches!(stage, SearchStage::Parted(_)).then(|| PartSplits::new(divisions.clone())),
            calls: stage.calls(setup.options.calls),
            chosen: Arc::clone(setup.chosen),
            tolerated: setup.tolerated,
            has_unchosen: false,
            limits: Limits::default(),
            statistics: Statistics { searches: 1, ..Statistics::default() },
        };
        let gives_handle = |loc| program.effects(loc).moves.iter().any(|it| it.from == ValueFrom::Handle);
        let space = RunStates {
            runner,
            parts: StoredParts::new(),
            handles: program.locations().ids().any(gives_handle),
            dynamic: program.has_dynamic_objects(),
            left: None,
        };
        let order = if deep { Order::Newest } else { Order::Levels };
        BoundedSearch { space, states: StateSearch::new(order, usize::MAX), threads, stage }
    }

    /// Explores until everything is explored, an error is found, or this many states were taken up.
    pub fn advance(&mut self, budget: &Budget, turns: u64) -> Result<TurnEnd, Stop> {
        self.states.advance(&mut self.space, turns, budget)
    }

    /// What was counted.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            states: self.states.states().len() as u64,
            again: self.states.again(),
            alone: self.states.reduced(),
            threads: self.space.parts.threads() as u64,
            memories: self.space.parts.memories() as u64,
            bytes: self.states.bytes() as u64,
            ..self.space.runner.statistics
        }
    }

    /// All ways on from a state (`NONE`: the start), with their steps.
    pub(super) fn recorded(
        &mut self,
        from: u32,
        budget: &Budget,
    ) -> Result<(Vec<GlobalState>, Option<FailingRun>), Stop> {
        let (space, ticks) = (&mut self.space, TickBatch::new(budget));
        let mut found = vec![];
        if from == NONE {
            let start = GlobalState::start(space.runner.machine.start(), true);
            let failing = space.runner.run(start, false, &ticks, &mut found)?;
            return Ok((found, failing));
        }
        let base = space.run_of(self.states.states().get(from), true);
        for at in space.candidates(&base) {
            let mut run = base.clone();
            run.take(at);
            let failing = space.runner.run(run, true, &ticks, &mut found)?;
            if failing.is_some() {
                return Ok((found, failing));
            }
        }
        Ok((found, None))
    }
}

impl StateSpace for RunStates<'_> {
    type State = GlobalState;

    fn starts(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<GlobalState>) -> Result<Expansion, Stop> {
        let start = GlobalState::start(self.runner.machine.start(), false);
        let failing = self.runner.run(start, false, ticks, found)?;
        Ok(if failing.is_some() { Expansion::Failed } else { Expansion::Full })
    }

    fn load(&mut self, row: &[u32]) {
        let base = self.run_of(row, false);
        let candidates = self.candidates(&base);
        let reduces = self.runner.options.reduction && candidates.len() > 1;
        let at = if reduces { 0 } else { candidates.len() };
        self.left = Some(Left { base, candidates, at, goes_on: false });
    }

    /// The steps of one thread that nobody can disturb, if there is one that can step; otherwise all that are
    /// left.
    fn successors(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<GlobalState>) -> Result<Expansion, Stop> {
        let Some(mut left) = self.left.take() else { return Ok(Expansion::Full) };
        while let Some(run) = self.undisturbed(&mut left) {
            if self.runner.run(run, true, ticks, found)?.is_some() {
                return Ok(Expansion::Failed);
            }
            if !found.is_empty() {
                left.goes_on = true;
                self.left = Some(left);
                return Ok(Expansion::Reduced);
            }
        }
        let Left { mut base, candidates, goes_on, .. } = left;
        for (index, &at) in candidates.iter().enumerate() {
            base.take(at);
            // The state itself is asked for again if nobody can step.
            let last = index + 1 == candidates.len() && (goes_on || !found.is_empty());
            let run = if last { std::mem::take(&mut base) } else { base.clone() };
            if self.runner.run(run, true, ticks, found)?.is_some() {
                return Ok(Expansion::Failed);
            }
        }
        if !goes_on && found.is_empty() {
            self.note_waiting(&base);
        }
        Ok(Expansion::Full)
    }

    fn row(&mut self, mut state: GlobalState, row: &mut Vec<u32>) -> Result<(), Stop> {
        self.pack(&mut state, row).map(|_| ())
    }

    fn is_error(&mut self, _: &[u32], _: &Budget) -> Result<bool, Stop> {
        // Steps fail, not states.
        Ok(false)
    }
}

impl RunStates<'_> {
    /// The next thread to try alone, taken out of those that are left.
    fn undisturbed(&self, left: &mut Left) -> Option<GlobalState> {
        while left.at < left.candidates.len() {
            left.base.take(left.candidates[left.at]);
            if self.runner.runs_alone(&mut left.base) {
                left.candidates.remove(left.at);
                return Some(left.base.clone());
            }
            left.at += 1;
        }
        None
    }

    /// The positions of the threads to step: one of each kind, or the one that keeps the others from
    /// stepping.
    pub(super) fn candidates(&self, base: &GlobalState) -> Vec<usize> {
        if let Some(at) = base.slots.iter().position(|slot| slot.state.thread.section) {
            return vec![at];
        }
        let symmetry = self.runner.options.symmetry;
        let fresh = |at: usize| !symmetry || at == 0 || base.slots[at].stored != base.slots[at - 1].stored;
        (0..base.slots.len()).filter(|&at| !base.slots[at].state.stuck && fresh(at)).collect()
    }

    /// Stores the parts of a state and appends its row; the new numbers of its objects, if there are.
    fn pack(&mut self, run: &mut GlobalState, row: &mut Vec<u32>) -> Result<Option<Renaming>, Stop> {
        let mut objects = self.parts.objects(&run.memory, &run.objects)?;
        let declared = self.runner.machine.program().objects().len();
        let mut renaming = None;
        if self.runner.options.symmetry {
            if self.handles {
                canonical::forget_names(run, &self.parts, &objects);
            }
            if self.dynamic && run.memory.instances.len() > declared {
                renaming = canonical::rename_objects(run, &self.parts, declared, &objects);
            }
            if renaming.is_some() {
                objects = self.parts.objects(&run.memory, &run.objects)?;
            }
        }
        row.extend([self.parts.memory(&objects)?, self.parts.ended(&run.ended)?]);
        let first = row.len();
        for slot in &mut run.slots {
            let number = self.parts.thread(slot)?;
            slot.stored = Some(number);
            row.push(number);
        }
        if self.runner.options.symmetry {
            row[first..].sort_unstable();
        }
        Ok(renaming)
    }

    /// The row of a state, and the tags of its threads in the order of the row.
    pub(super) fn pack_with_tags(&mut self, run: &mut GlobalState) -> Result<Packed, Stop> {
        let mut row = vec![];
        let renaming = self.pack(run, &mut row)?;
        let mut threads: Vec<(Option<u32>, u32)> =
            run.slots.iter().map(|slot| (slot.stored, slot.tag)).collect();
        if self.runner.options.symmetry {
            threads.sort_unstable();
        }
        Ok(Packed { row, tags: threads.into_iter().map(|(_, tag)| tag).collect(), renaming })
    }

    /// A stored state; no thread is taken yet.
    fn run_of(&mut self, row: &[u32], recorded: bool) -> GlobalState {
        let objects = self.parts.objects_of(row[0]).to_vec();
        let memory = self.parts.load(&objects);
        let slots: Vec<ThreadSlot> = row[2..]
            .iter()
            .enumerate()
            .map(|(at, &number)| ThreadSlot {
                tag: at as u32,
                stored: Some(number),
                state: Arc::clone(self.parts.thread_state(number)),
            })
            .collect();
        GlobalState {
            memory,
            objects: Arc::new(objects),
            ended: self.parts.ended_of(row[1]).clone(),
            next_tag: slots.len() as u32,
            slots,
            log: recorded.then(Vec::new),
            ..GlobalState::default()
        }
    }
}
