//! From a schedule to a trace: threads get names, dormant threads are born where they were created, and the
//! reference semantics has the last word on what is a step.

use super::equations::{Equations, Kind, Meaning};
use super::model::Bit;
use super::moves::{Lifecycle, Position};
use super::trace::{Schedule, ScheduledStep, ThreadSchedule, begins_at};
use crate::trace::{TraceBuilder, thread};
use ir::bp::{Count, Init, Loc, LocalId, LocalScope, Machine, Op, State, Step, Thread, ThreadId, Var};
use ir::trace::ProgramTrace;
use solve::bdd::Level;
use std::collections::BTreeMap;

/// Why a schedule did not replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The bound allows fewer threads.
    TooManyThreads,
    /// A step was refused: a fault of this engine.
    Fault(String),
}

/// The trace of the schedule with at most `bound` threads alive at once.
pub fn replay(
    equations: &Equations<'_, '_>,
    schedule: &Schedule,
    bound: Option<u32>,
) -> Result<ProgramTrace, Mismatch> {
    let program = equations.model.program;
    let starters = starters(equations, schedule);
    let start = start(equations, schedule, &starters);
    Machine::new(program, bound).starts_in(&start).map_err(|it| match bound {
        Some(bound) if start.threads.len() > bound as usize => Mismatch::TooManyThreads,
        _ => Mismatch::Fault(it.0),
    })?;
    let names = (0..).zip(&starters).filter_map(|(name, it)| Some((it.thread?, name)));
    let names = if schedule.init.is_some() { BTreeMap::new() } else { names.collect() };
    let trace = TraceBuilder::new(program, bound, start);
    RoundsReplay { equations, schedule, bound, starters, names, trace }.run()
}

/// A thread that is there from the start, or when `init` has ended.
struct Starter {
    at: Loc,
    values: BTreeMap<Level, bool>,
    /// Its number in the schedule, if it takes part.
    thread: Option<usize>,
}

/// A thread of the schedule, and a position in its sequence of steps.
type At = (usize, usize);

/// The threads of the schedule that are there from the start and matter, and as many more as the templates
/// demand.
fn starters(equations: &Equations<'_, '_>, schedule: &Schedule) -> Vec<Starter> {
    let program = equations.model.program;
    let mut starters: Vec<Starter> = vec![];
    for (thread, it) in schedule.threads.iter().enumerate() {
        if let Some((at, values)) = presence(equations, it, thread == schedule.failing) {
            starters.push(Starter { at, values: values.clone(), thread: Some(thread) });
        }
    }
    for template in &program.start().templates {
        let at = program.procedures()[template.procedure].entry;
        let (Count::Exactly(least) | Count::AtLeast(least)) = template.count;
        let present = starters.iter().filter(|it| it.at == at).count();
        let more = (present..least as usize).map(|_| Starter { at, values: BTreeMap::new(), thread: None });
        starters.extend(more);
    }
    starters
}

/// Where and with which bits a thread is there from the start, if it is and if it matters.
fn presence<'s>(
    equations: &Equations<'_, '_>,
    thread: &'s ThreadSchedule,
    fails: bool,
) -> Option<(Loc, &'s BTreeMap<Level, bool>)> {
    if let Some(at) = begins_at(thread) {
        let needed = fails || thread.begin.kind == Kind::First || !thread.steps.is_empty();
        return needed.then_some((at, &thread.values));
    }
    let wakes = thread.steps.first()?;
    match (effect(equations, wakes), wakes.after.position) {
        (Lifecycle::WakeLate, Position::At(at)) => Some((at, &wakes.values)),
        _ => None,
    }
}

fn effect(equations: &Equations<'_, '_>, step: &ScheduledStep) -> Lifecycle {
    match step.what {
        Meaning::Move(index) => equations.moves[index].effect,
        _ => Lifecycle::Plain,
    }
}

/// The state that the trace starts in.
fn start(equations: &Equations<'_, '_>, schedule: &Schedule, starters: &[Starter]) -> State {
    let fresh = |at, values: &BTreeMap<Level, bool>| fresh(equations, at, values);
    let (threads, bits): (Vec<Thread>, Vec<bool>) = match &schedule.init {
        Some(init) => {
            let at = begins_at(init).expect("`init` begins at its entry");
            (vec![fresh(at, &init.values)], output(equations, &init.values, 1))
        }
        None => (starters.iter().map(|it| fresh(it.at, &it.values)).collect(), schedule.shared.clone()),
    };
    let (initialising, shared) = (schedule.init.is_some(), program_bits(equations, &bits));
    State { initialising, shared, threads: (0..).zip(threads).collect() }
}

/// A thread that begins at `at` with these bits.
fn fresh(equations: &Equations<'_, '_>, at: Loc, values: &BTreeMap<Level, bool>) -> Thread {
    let program = equations.model.program;
    thread(program, at, false, |local| {
        let lives = program.in_scope(at, local) && !program.at(at).dead.contains(&local);
        lives
            && match program.locals()[local].init {
                Init::Fixed(value) => value,
                Init::Any => values.get(&equations.space.of(local).now).copied().unwrap_or(false),
            }
    })
}

/// The shared bits that are the output of a round.
fn output(equations: &Equations<'_, '_>, values: &BTreeMap<Level, bool>, round: usize) -> Vec<bool> {
    let levels = equations.space.layout.levels(equations.space.v[round - 1]);
    levels.iter().map(|level| values[level]).collect()
}

/// The program's own variables among the shared bits.
fn program_bits(equations: &Equations<'_, '_>, bits: &[bool]) -> Vec<bool> {
    let ids = equations.model.program.shared().ids();
    ids.map(|id| bits[equations.model.bit(Bit::Shared(id))]).collect()
}

struct RoundsReplay<'a, 'p, 'b> {
    equations: &'a Equations<'p, 'b>,
    schedule: &'a Schedule,
    bound: Option<u32>,
    starters: Vec<Starter>,
    /// The names of the schedule's threads, once they are there.
    names: BTreeMap<usize, ThreadId>,
    trace: TraceBuilder<'p>,
}

/// This many unknown values of one step are tried; more are taken to be 0.
const MOST_UNKNOWN: usize = 12;

impl RoundsReplay<'_, '_, '_> {
    fn run(mut self) -> Result<ProgramTrace, Mismatch> {
        let schedule = self.schedule;
        for it in schedule.init.iter().flat_map(|init| &init.steps) {
            if self.trace.failure().is_none() {
                self.take(0, it, None)?;
            }
        }
        let wakes = self.wakes();
        for at in schedule.sequence() {
            let it = &schedule.threads[at.0].steps[at.1];
            let is_step = !matches!(effect(self.equations, it), Lifecycle::WakeChild | Lifecycle::WakeLate);
            if is_step && self.trace.failure().is_none() {
                self.take(self.names[&at.0], it, wakes.get(&at).copied())?;
            }
        }
        self.trace.finish().ok_or_else(|| Mismatch::Fault("the schedule ends in no error".into()))
    }

    /// By the creations of threads that wake: where they do.
    fn wakes(&self) -> BTreeMap<At, At> {
        let (mut wakes, mut message) = (BTreeMap::new(), None);
        for at in self.schedule.sequence() {
            match effect(self.equations, &self.schedule.threads[at.0].steps[at.1]) {
                Lifecycle::Create => message = Some(at),
                Lifecycle::WakeChild => {
                    wakes.insert(message.take().expect("a child wakes by a message"), at);
                }
                Lifecycle::CreateIdle | Lifecycle::Plain | Lifecycle::WakeLate => {}
            }
        }
        wakes
    }

    /// Adds a step with the first choice of its unknown values that the machine accepts and that leads where
    /// the schedule says.
    fn take(&mut self, name: ThreadId, it: &ScheduledStep, wakes: Option<At>) -> Result<(), Mismatch> {
        let OpenStep { step, unknown } = self.draft(name, it, wakes)?;
        let expected = program_bits(self.equations, &output(self.equations, &it.values, it.after.round));
        let mut refusal = String::from("it leads elsewhere");
        for choice in 0..1usize << unknown.len().min(MOST_UNKNOWN) {
            let mut step = step.clone();
            for (bit, &position) in unknown.iter().take(MOST_UNKNOWN).enumerate() {
                step.writes[position].1 = choice >> bit & 1 == 1;
            }
            match self.trace.attempt(&step) {
                Ok(after) if after.shared == expected => {
                    self.trace.apply(step).expect("it was just accepted");
                    return Ok(());
                }
                Ok(_) => {}
                Err(why) => refusal = why.0,
            }
        }
        // Under a bound threads that never step take capacity, and then steps are refused that are steps
        // without it.
        if self.bound.is_some() {
            return Err(Mismatch::TooManyThreads);
        }
        Err(Mismatch::Fault(format!("a step at {:?}: {refusal}", step.at)))
    }

    /// The step, with unknown values marked.
    fn draft(&mut self, name: ThreadId, it: &ScheduledStep, wakes: Option<At>) -> Result<OpenStep, Mismatch> {
        let equations = self.equations;
        let program = equations.model.program;
        let to = match it.after.position {
            Position::At(loc) => Some(loc),
            _ => None,
        };
        let mut draft = OpenStep { step: self.trace.step(name, to), unknown: vec![] };
        match &program.at(draft.step.at).op {
            Op::Assign { targets, .. } => draft.write(equations, targets.iter().map(|it| it.0), it),
            Op::Call { procedure, .. } => {
                let own = program.locals().enumerate();
                let own = own.filter(|(_, local)| local.scope == LocalScope::Procedure(*procedure));
                draft.write(equations, own.map(|(id, _)| Var::Local(id)), it);
            }
            Op::Return(_) if matches!(it.what, Meaning::Leave(..)) => {
                let Meaning::Leave(call, _) = it.what else { unreachable!("just matched") };
                draft.write(equations, equations.calls[call].results.iter().flatten().copied(), it);
            }
            Op::Return(_) | Op::End if self.trace.state.initialising => {
                for Starter { at, values, thread } in &self.starters {
                    let wanted = |local: LocalId| values.get(&equations.space.of(local).now).copied();
                    let name = self.trace.starter(&mut draft.step, *at, wanted);
                    self.names.extend(thread.map(|thread| (thread, name)));
                }
            }
            Op::Start(_) => self.create(&mut draft.step, wakes)?,
            _ => {}
        }
        Ok(draft)
    }

    /// Creates a child with the values that it wakes with, if it ever does.
    fn create(&mut self, step: &mut Step, wakes: Option<At>) -> Result<(), Mismatch> {
        let full = self.bound.is_some_and(|bound| self.trace.state.threads.len() >= bound as usize);
        let woken = wakes.map(|(thread, at)| &self.schedule.threads[thread].steps[at]);
        let wanted = |local: LocalId| woken?.values.get(&self.equations.space.of(local).now).copied();
        match (self.trace.child(step, wanted, full), wakes) {
            (Some(name), Some((thread, _))) => drop(self.names.insert(thread, name)),
            (None, Some(_)) => return Err(Mismatch::TooManyThreads),
            (_, None) => {}
        }
        Ok(())
    }
}

/// A step whose unknown values are still to be chosen.
struct OpenStep {
    step: Step,
    /// The positions of unknown values in the step's writes: those of variables that are dead right after
    /// they were written.
    unknown: Vec<usize>,
}

impl OpenStep {
    /// Writes the values that the variables have after the step.
    fn write(&mut self, equations: &Equations<'_, '_>, vars: impl Iterator<Item = Var>, it: &ScheduledStep) {
        let dead = self.step.to.map_or(&[][..], |to| &equations.model.program.at(to).dead[..]);
        for var in vars {
            let level = match var {
                Var::Local(local) if dead.contains(&local) => {
                    self.unknown.push(self.step.writes.len());
                    self.step.writes.push((var, false));
                    continue;
                }
                Var::Local(local) => equations.space.of(local).now,
                Var::Shared(id) => {
                    let column = equations.space.v[it.after.round - 1];
                    equations.space.bit(column, equations.model.bit(Bit::Shared(id)))
                }
            };
            self.step.writes.push((var, it.values[&level]));
        }
    }
}
