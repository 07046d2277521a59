//! One search: all runs with at most so many threads alive, with the numbers of one stage. It can be interrupted and taken up again, and goes breadth first, for
//! short traces, or depth first, for errors that lie deep.

use super::Tolerated;
use super::canonical;
use super::followed::Divisions;
use super::independent::Analysis;
use super::intern::Parts;
use super::lazy::Chosen;
use super::numbers::Numbers;
use super::settings::Options;
use super::splits::Splits;
use super::stage::Stage;
use super::state::{Run, Slot};
use super::statistics::Statistics;
use super::step::{Failing, Limits, Runner};
use crate::explore::{NONE, Store};
use base::{Budget, Stop};
use c::{Machine, Program, Renaming, ValueFrom};
use std::collections::VecDeque;
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
    pub options: Options,
    /// What becomes of the choices at each location.
    pub chosen: &'a Arc<Vec<Chosen>>,
    /// Undefined behaviour that is no error.
    pub tolerated: Option<Tolerated<'a>>,
}

/// How a turn of a search ended.
#[derive(Debug)]
pub enum Turn {
    /// Everything was explored.
    Finished,
    /// There is more to do.
    Paused,
    /// A step fails in or on the way from this state (`NONE`: from the start).
    Failed {
        /// The state.
        from: u32,
    },
}

/// One search.
pub struct Search<'a> {
    /// What runs threads.
    pub runner: Runner<'a>,
    /// At most so many threads alive.
    pub threads: u32,
    /// Which numbers are tried, and how deep calls go.
    pub stage: Stage,
    /// Whether the newest state is taken up first.
    pub deep: bool,
    pub(super) parts: Parts,
    pub(super) states: Store,
    pub(super) parents: Vec<u32>,
    frontier: VecDeque<u32>,
    begun: bool,
    handles: bool,
    dynamic: bool,
}

/// A state ready to be stored.
pub(super) struct Packed {
    pub row: Vec<u32>,
    /// The tags of the threads, in the order of the row.
    pub tags: Vec<u32>,
    /// The new numbers of objects, if there are.
    pub renaming: Option<Renaming>,
}

impl<'a> Search<'a> {
    /// A search that has not begun.
    pub fn new(
        setup: Setup<'a>,
        threads: u32,
        stage: Stage,
        deep: bool,
        divisions: &Divisions,
    ) -> Search<'a> {
        let program = setup.program;
        let runner = Runner {
            machine: Machine::new(program, c::Options { threads: Some(threads), ..setup.machine }),
            analysis: setup.analysis,
            numbers: Numbers::new(program, stage.interest(), stage.values(setup.options.values)),
            options: setup.options,
            parts: stage.parts(),
            splits: matches!(stage, Stage::Parted(_)).then(|| Splits::new(divisions.clone())),
            calls: stage.calls(setup.options.calls),
            chosen: Arc::clone(setup.chosen),
            tolerated: setup.tolerated,
            limits: Limits::default(),
            statistics: Statistics { searches: 1, ..Statistics::default() },
        };
        let gives_handle = |loc| program.effects(loc).moves.iter().any(|it| it.from == ValueFrom::Handle);
        Search {
            runner,
            threads,
            stage,
            deep,
            parts: Parts::new(),
            states: Store::new(),
            parents: vec![],
            frontier: VecDeque::new(),
            begun: false,
            handles: program.locations().ids().any(gives_handle),
            dynamic: program.has_dynamic_objects(),
        }
    }

    /// Explores until everything is explored, an error is found, or so many states were taken up.
    pub fn advance(&mut self, budget: &Budget, mut turns: u64) -> Result<Turn, Stop> {
        if !std::mem::replace(&mut self.begun, true) {
            let mut found = vec![];
            let start = Run::start(self.runner.machine.start(), false);
            if self.runner.run(start, false, budget, &mut found)?.is_some() {
                return Ok(Turn::Failed { from: NONE });
            }
            self.store_all(found, NONE)?;
        }
        while let Some(id) = if self.deep { self.frontier.pop_back() } else { self.frontier.pop_front() } {
            if turns == 0 {
                if self.deep {
                    self.frontier.push_back(id)
                } else {
                    self.frontier.push_front(id)
                }
                return Ok(Turn::Paused);
            }
            turns -= 1;
            if self.expand(id, budget)? {
                return Ok(Turn::Failed { from: id });
            }
        }
        Ok(Turn::Finished)
    }

    /// What was counted.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            states: self.states.len() as u64,
            threads: self.parts.threads() as u64,
            memories: self.parts.memories() as u64,
            ..self.runner.statistics
        }
    }

    /// Takes all steps of a state, or all of one thread if that is enough; whether one fails.
    fn expand(&mut self, id: u32, budget: &Budget) -> Result<bool, Stop> {
        let base = self.load(id, false);
        let mut candidates = self.candidates(&base);
        if self.runner.options.reduction && candidates.len() > 1 {
            let mut at = 0;
            let mut probe = base.clone();
            while at < candidates.len() {
                probe.take(candidates[at]);
                if !self.runner.analysis.undisturbed(&self.runner.machine, &mut probe) {
                    at += 1;
                    continue;
                }
                candidates.remove(at);
                let mut found = vec![];
                if self.runner.run(probe.clone(), true, budget, &mut found)?.is_some() {
                    return Ok(true);
                }
                let number = found.len() as u64;
                // A state on every cycle is expanded in full: the one whose successors were all known.
                if number > 0 && self.store_all(found, id)? == number {
                    self.runner.statistics.alone += 1;
                    return Ok(false);
                }
            }
        }
        let mut goes_on = false;
        for at in candidates {
            let mut run = base.clone();
            run.take(at);
            let mut found = vec![];
            if self.runner.run(run, true, budget, &mut found)?.is_some() {
                return Ok(true);
            }
            goes_on |= !found.is_empty();
            self.store_all(found, id)?;
        }
        if !goes_on {
            self.note_waiting(&base);
        }
        Ok(false)
    }

    /// The positions of the threads to step: one of each kind, or the one that keeps the others from stepping.
    pub(super) fn candidates(&self, base: &Run) -> Vec<usize> {
        if let Some(at) = base.slots.iter().position(|slot| slot.state.thread.section) {
            return vec![at];
        }
        let symmetry = self.runner.options.symmetry;
        let fresh = |at: usize| !symmetry || at == 0 || base.slots[at].stored != base.slots[at - 1].stored;
        (0..base.slots.len()).filter(|&at| !base.slots[at].state.stuck && fresh(at)).collect()
    }

    /// Stores states; how many of them are new.
    fn store_all(&mut self, found: Vec<Run>, from: u32) -> Result<u64, Stop> {
        let mut fresh = 0;
        for mut run in found {
            let packed = self.pack(&mut run)?;
            let (id, new) = self.states.insert(&packed.row)?;
            if new {
                self.parents.push(from);
                self.frontier.push_back(id);
                fresh += 1;
            } else {
                self.runner.statistics.again += 1;
            }
        }
        Ok(fresh)
    }

    /// Stores the parts of a state and gives its row.
    pub(super) fn pack(&mut self, run: &mut Run) -> Result<Packed, Stop> {
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
        let mut threads = Vec::with_capacity(run.slots.len());
        for slot in &run.slots {
            threads.push((self.parts.thread(slot)?, slot.tag));
        }
        if self.runner.options.symmetry {
            threads.sort_unstable();
        }
        let mut row = vec![self.parts.memory(&objects)?, self.parts.ended(&run.ended)?];
        row.extend(threads.iter().map(|(number, _)| *number));
        Ok(Packed { row, tags: threads.into_iter().map(|(_, tag)| tag).collect(), renaming })
    }

    /// A stored state; no thread is taken yet.
    pub(super) fn load(&mut self, id: u32, recorded: bool) -> Run {
        let row = self.states.get(id);
        let objects = self.parts.objects_of(row[0]).to_vec();
        let memory = self.parts.load(&objects);
        let slots: Vec<Slot> = row[2..]
            .iter()
            .enumerate()
            .map(|(at, &number)| Slot {
                tag: at as u32,
                stored: Some(number),
                state: Arc::clone(self.parts.thread_state(number)),
            })
            .collect();
        Run {
            memory,
            objects: Arc::new(objects),
            at: 0,
            thread: c::Thread {
                frames: vec![],
                registers: vec![],
                objects: vec![],
                held: vec![],
                wait: None,
                section: false,
                halted: false,
                joinable: false,
            },
            ended: self.parts.ended_of(row[1]).clone(),
            pending: vec![],
            next_tag: slots.len() as u32,
            slots,
            log: recorded.then(Vec::new),
            steps: 0,
            chose: false,
            reached: None,
        }
    }

    /// All ways on from a state (`NONE`: the start), with their steps.
    pub(super) fn recorded(
        &mut self,
        from: u32,
        budget: &Budget,
    ) -> Result<(Vec<Run>, Option<Failing>), Stop> {
        let mut found = vec![];
        if from == NONE {
            let start = Run::start(self.runner.machine.start(), true);
            let failing = self.runner.run(start, false, budget, &mut found)?;
            return Ok((found, failing));
        }
        let base = self.load(from, true);
        for at in self.candidates(&base) {
            let mut run = base.clone();
            run.take(at);
            let failing = self.runner.run(run, true, budget, &mut found)?;
            if failing.is_some() {
                return Ok((found, failing));
            }
        }
        Ok((found, None))
    }
}
