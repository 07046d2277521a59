//! From a schedule to a trace: threads get names, dormant threads are born where they were created, and every step is replayed by
//! the reference semantics, which has the last word on what is a step.

use super::equations::{Equations, Kind, Meaning};
use super::model::Bit;
use super::moves::{Effect, Place};
use super::trace::{Course, Happening, Schedule, begins_at};
use base::Id;
use ir::bp::{
    Birth, Count, ExprId, Frame, Init, Loc, LocalId, LocalScope, Machine, Op, Program, Read, Role, Spawn,
    State, Step, Thread, ThreadId, Values, Var,
};
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
    let cast = Cast::new(equations, schedule);
    let machine = Machine::new(program, bound);
    let replay = Replay { equations, machine, bound, cast: &cast, steps: vec![] };
    let start = replay.start(schedule);
    replay.machine.starts_in(&start).map_err(|it| match bound {
        Some(bound) if start.threads.len() > bound as usize => Mismatch::TooManyThreads,
        _ => Mismatch::Fault(it.0),
    })?;
    replay.run(schedule, start)
}

/// Who plays what.
struct Cast {
    /// The names of the schedule's threads; none for those that never appear.
    names: Vec<Option<ThreadId>>,
    /// Threads that are there from the start.
    starters: Vec<Birth>,
    /// By the place of a creation in the sequence: the child's name, and the values it wakes with if it ever does.
    children: BTreeMap<At, (ThreadId, Option<At>)>,
}

/// A thread of the schedule and a place in its course.
type At = (usize, usize);

impl Cast {
    fn new(equations: &Equations<'_, '_>, schedule: &Schedule) -> Cast {
        let program = equations.model.program;
        let mut names = vec![None; schedule.threads.len()];
        let mut starters: Vec<Birth> = vec![];
        let mut next = u32::from(schedule.init.is_some());
        let mut name = || {
            next += 1;
            next - 1
        };
        for (thread, course) in schedule.threads.iter().enumerate() {
            let Some((at, values)) = presence(equations, course, thread == schedule.failing) else {
                continue;
            };
            let birth = Birth { thread: name(), at, values: fresh(equations, at, values) };
            names[thread] = Some(birth.thread);
            starters.push(birth);
        }
        for template in &program.start().templates {
            let at = program.procedures()[template.procedure].entry;
            let (Count::Exactly(least) | Count::AtLeast(least)) = template.count;
            let present = starters.iter().filter(|birth| birth.at == at).count();
            for _ in present..least as usize {
                starters.push(Birth { thread: name(), at, values: fresh(equations, at, &BTreeMap::new()) });
            }
        }
        let mut children = BTreeMap::new();
        let mut waiting = None;
        for (thread, place) in schedule.sequence() {
            match effect(equations, &schedule.threads[thread].happenings[place]) {
                Effect::CreateIdle => {
                    children.insert((thread, place), (name(), None));
                }
                Effect::Create => {
                    children.insert((thread, place), (name(), None));
                    waiting = Some((thread, place));
                }
                Effect::WakeChild => {
                    let creation = waiting.take().expect("a child wakes by a message");
                    let child = children.get_mut(&creation).expect("inserted when it was created");
                    child.1 = Some((thread, place));
                    names[thread] = Some(child.0);
                }
                Effect::Plain | Effect::WakeLate => {}
            }
        }
        Cast { names, starters, children }
    }
}

/// Where and with which bits a thread is there from the start, if it is and if it matters.
fn presence<'s>(
    equations: &Equations<'_, '_>,
    course: &'s Course,
    fails: bool,
) -> Option<(Loc, &'s BTreeMap<Level, bool>)> {
    if let Some(at) = begins_at(course) {
        let needed = fails || course.begin.kind == Kind::First || !course.happenings.is_empty();
        return needed.then_some((at, &course.values));
    }
    let wakes = course.happenings.first()?;
    match (effect(equations, wakes), wakes.after.place) {
        (Effect::WakeLate, Place::At(at)) => Some((at, &wakes.values)),
        _ => None,
    }
}

fn effect(equations: &Equations<'_, '_>, happening: &Happening) -> Effect {
    match happening.what {
        Meaning::Move(index) => equations.moves[index].effect,
        _ => Effect::Plain,
    }
}

/// The locals of a thread that begins at `at` with these bits; what is dead there begins as declared.
fn fresh(equations: &Equations<'_, '_>, at: Loc, values: &BTreeMap<Level, bool>) -> Vec<(LocalId, bool)> {
    let program = equations.model.program;
    let value = |local: LocalId| match program.locals()[local].init {
        Init::Fixed(value) => value,
        Init::Any => values.get(&equations.space.of(local).now).copied().unwrap_or(false),
    };
    let scope = program.locals().ids().filter(|&local| program.in_scope(at, local));
    scope.map(|local| (local, value(local))).collect()
}

fn thread(program: &Program, birth: &Birth) -> Thread {
    let none = vec![false; program.locals().len()];
    let mut thread =
        Thread { inside: false, values: none.clone(), stack: vec![Frame { loc: birth.at, values: none }] };
    for &(local, value) in &birth.values {
        let dead = program.at(birth.at).dead.contains(&local);
        thread.set(program, 0, local, value && !dead);
    }
    thread
}

struct Replay<'a, 'p, 'b> {
    equations: &'a Equations<'p, 'b>,
    machine: Machine<'p>,
    bound: Option<u32>,
    cast: &'a Cast,
    steps: Vec<Step>,
}

/// A value that the schedule does not know, because it is dead right after it was written.
const UNKNOWN: [bool; 2] = [false, true];
/// So many unknown values of one step are tried; more are taken to be 0.
const MOST_UNKNOWN: usize = 12;

impl Replay<'_, '_, '_> {
    fn start(&self, schedule: &Schedule) -> State {
        let program = self.equations.model.program;
        let births: Vec<Birth> = match &schedule.init {
            Some(init) => {
                let at = begins_at(init).expect("`init` begins at its entry");
                vec![Birth { thread: 0, at, values: fresh(self.equations, at, &init.values) }]
            }
            None => self.cast.starters.clone(),
        };
        let bits = match &schedule.init {
            Some(init) => self.bits(&init.values, 1),
            None => schedule.shared.clone(),
        };
        let threads = births.iter().map(|birth| (birth.thread, thread(program, birth))).collect();
        State { initialising: schedule.init.is_some(), shared: self.program_bits(&bits), threads }
    }

    fn bits(&self, values: &BTreeMap<Level, bool>, round: usize) -> Vec<bool> {
        let levels = self.equations.space.layout.levels(self.equations.space.v[round - 1]);
        levels.iter().map(|level| values[level]).collect()
    }

    /// The program's own variables among the shared bits.
    fn program_bits(&self, bits: &[bool]) -> Vec<bool> {
        let program = self.equations.model.program;
        program.shared().ids().map(|id| bits[self.equations.model.bit(Bit::Shared(id))]).collect()
    }

    fn run(mut self, schedule: &Schedule, start: State) -> Result<ProgramTrace, Mismatch> {
        let mut state = start.clone();
        let init = schedule.init.iter().flat_map(|init| &init.happenings).map(|it| (0, None, it));
        let sequence = schedule.sequence();
        let rest = sequence.iter().map(|&(thread, place)| {
            let name = self.cast.names[thread].expect("who acts has a name");
            (name, Some((thread, place)), &schedule.threads[thread].happenings[place])
        });
        for (name, place, happening) in init.chain(rest).collect::<Vec<_>>() {
            if let Some(failure) = self.machine.failure(&state) {
                return Ok(ProgramTrace { start, steps: self.steps, failure });
            }
            if matches!(effect(self.equations, happening), Effect::WakeChild | Effect::WakeLate) {
                continue;
            }
            let births = place.and_then(|place| self.cast.children.get(&place)).copied();
            let woken =
                births.and_then(|child| child.1).map(|(thread, at)| &schedule.threads[thread].happenings[at]);
            let step = self.step(&state, name, happening, births.map(|child| (child.0, woken)))?;
            state = self.take(state, step, happening)?;
        }
        match self.machine.failure(&state) {
            Some(failure) => Ok(ProgramTrace { start, steps: self.steps, failure }),
            None => Err(Mismatch::Fault("the schedule ends in no error".into())),
        }
    }

    /// The step, with unknown values marked.
    fn step(
        &self,
        state: &State,
        name: ThreadId,
        happening: &Happening,
        child: Option<(ThreadId, Option<&Happening>)>,
    ) -> Result<Draft, Mismatch> {
        let program = self.equations.model.program;
        let at = state.threads[&name].loc();
        let to = match happening.after.place {
            Place::At(loc) => Some(loc),
            _ => None,
        };
        let step = Step { thread: name, at, to, writes: vec![], passive: vec![], births: vec![] };
        let mut draft = Draft { step, unknown: vec![] };
        match &program.at(at).op {
            Op::Assign { targets, .. } => draft.write(self, targets.iter().map(|it| it.0), happening),
            Op::Call { procedure, .. } => {
                let own = program.locals().enumerate();
                let own = own.filter(|(_, local)| local.scope == LocalScope::Procedure(*procedure));
                draft.write(self, own.map(|(id, _)| Var::Local(id)), happening);
            }
            Op::Return(_) if matches!(happening.what, Meaning::Leave(..)) => {
                let Meaning::Leave(call, _) = happening.what else { unreachable!("just matched") };
                draft.write(self, self.equations.calls[call].results.iter().flatten().copied(), happening);
            }
            Op::Return(_) | Op::End if state.initialising => draft.step.births = self.cast.starters.clone(),
            Op::Start(spawn) => self.give_birth(state, &mut draft, spawn, child)?,
            _ => {}
        }
        Ok(draft)
    }

    fn give_birth(
        &self,
        state: &State,
        draft: &mut Draft,
        spawn: &Spawn,
        child: Option<(ThreadId, Option<&Happening>)>,
    ) -> Result<(), Mismatch> {
        let (name, woken) = child.expect("every creation has a child");
        if !self.has_room(state) {
            return if woken.is_some() { Err(Mismatch::TooManyThreads) } else { Ok(()) };
        }
        let program = self.equations.model.program;
        let creator = &state.threads[&draft.step.thread];
        let depth = creator.stack.len() - 1;
        let read = |read: Read| {
            Values::only(match read.var {
                Var::Shared(id) => state.shared[id.index()],
                Var::Local(id) => creator.value(program, depth, id),
            })
        };
        let at = match spawn {
            Spawn::Clone(target) => *target,
            Spawn::Call(procedure, _) => program.procedures()[*procedure].entry,
        };
        let mut birth = Birth { thread: name, at, values: vec![] };
        for local in program.locals().ids().filter(|&local| program.in_scope(at, local)) {
            let possible = match spawn {
                Spawn::Clone(_) if program.locals()[local].role != Role::Plain => Values::FALSE,
                Spawn::Clone(_) => Values::only(creator.value(program, depth, local)),
                Spawn::Call(procedure, args) => {
                    let params = &program.procedures()[*procedure].params;
                    match params.iter().position(|&param| param == local) {
                        Some(place) => self.values(args[place], read),
                        None => declared(program.locals()[local].init),
                    }
                }
            };
            let wakes = woken.filter(|_| !program.at(at).dead.contains(&local));
            let wanted = wakes.map(|it| it.values[&self.equations.space.of(local).now]);
            let value = wanted.filter(|&value| possible.may_be(value)).unwrap_or(possible.may_be(true));
            birth.values.push((local, value));
        }
        draft.step.births.push(birth);
        Ok(())
    }

    fn has_room(&self, state: &State) -> bool {
        self.bound.is_none_or(|bound| state.threads.len() < bound as usize)
    }

    fn values(&self, e: ExprId, read: impl Fn(Read) -> Values) -> Values {
        self.equations.model.program.exprs().values(e, read)
    }

    /// Takes the step with the first choice of its unknown values that the machine accepts and that leads where the schedule says.
    fn take(&mut self, state: State, draft: Draft, happening: &Happening) -> Result<State, Mismatch> {
        let bits = self.bits(&happening.values, happening.after.round);
        let expected = self.program_bits(&bits);
        let mut refusal = String::from("it leads elsewhere");
        let unknown = draft.unknown.len().min(MOST_UNKNOWN);
        for choice in 0..1usize << unknown {
            let mut step = draft.step.clone();
            for (bit, &place) in draft.unknown.iter().take(unknown).enumerate() {
                step.writes[place].1 = UNKNOWN[choice >> bit & 1];
            }
            match self.machine.apply(&state, &step) {
                Ok(after) if after.shared == expected => {
                    self.steps.push(step);
                    return Ok(after);
                }
                Ok(_) => {}
                Err(why) => refusal = why.0,
            }
        }
        // Under a bound threads that never move take room, and then steps are refused that are steps without it.
        if self.bound.is_some() {
            return Err(Mismatch::TooManyThreads);
        }
        Err(Mismatch::Fault(format!("step {} at {:?}: {refusal}", self.steps.len(), draft.step.at)))
    }
}

/// A step whose unknown values are still to be chosen.
struct Draft {
    step: Step,
    /// The places of unknown values in the step's writes.
    unknown: Vec<usize>,
}

impl Draft {
    /// Writes the values that the variables have after the happening.
    fn write(&mut self, replay: &Replay<'_, '_, '_>, vars: impl Iterator<Item = Var>, happening: &Happening) {
        let (equations, program) = (replay.equations, replay.equations.model.program);
        let dead = self.step.to.map_or(&[][..], |to| &program.at(to).dead[..]);
        for var in vars {
            let level = match var {
                Var::Local(local) if dead.contains(&local) => {
                    self.unknown.push(self.step.writes.len());
                    self.step.writes.push((var, false));
                    continue;
                }
                Var::Local(local) => equations.space.of(local).now,
                Var::Shared(id) => {
                    let column = equations.space.v[happening.after.round - 1];
                    equations.space.bit(column, equations.model.bit(Bit::Shared(id)))
                }
            };
            self.step.writes.push((var, happening.values[&level]));
        }
    }
}

fn declared(init: Init) -> Values {
    match init {
        Init::Fixed(value) => Values::only(value),
        Init::Any => Values::ANY,
    }
}
