//! The way back for traces: the old program's threads are taken along, each to the location that a step of
//! the new program was made from.

use base::Id;
use c::{Choice, FailureKind, InstanceId, Loc, Machine, Program, Refusal, State, Step, ThreadId, Trace};
use ir::Lift;
use ir::certificate::Certificate;
use std::collections::HashMap;

/// A thread of the old program that takes more steps than this before it is where it should be is lost.
const STEPS: usize = 1_000_000;

/// The old program and where each step of the new program comes from.
#[derive(Clone, Debug)]
pub struct SteppedLift {
    /// The old program.
    pub old: Program,
    /// The new program.
    pub new: Program,
    /// By new location: the old one; `None` for steps that the old program does not have.
    pub origin: Vec<Option<Loc>>,
    /// The old location that is undefined if such a step is.
    pub fails: HashMap<Loc, Loc>,
}

impl Lift for SteppedLift {
    type From = Trace;
    type To = Trace;

    fn trace(&self, trace: Trace) -> Result<Trace, String> {
        let old = Machine::new(&self.old, trace.options);
        let new = Machine::new(&self.new, trace.options);
        let mut walk = Walk {
            lift: self,
            machine: &old,
            state: old.start(),
            steps: vec![],
            objects: HashMap::new(),
            stand: stand(&trace.failure.kind),
        };
        let mut made = new.start();
        let all = trace.bare();
        let taken = all.len() - usize::from(!trace.failure.kind.is_step());
        for (index, step) in all[..taken].iter().enumerate() {
            let after = new.apply(&made, step);
            if let (true, Err(why)) = (index + 1 < all.len(), &after) {
                return Err(format!("step {}: {why}", index + 1));
            }
            walk.step(&made, step, after.as_ref().ok(), index + 1 == all.len())?;
            made = after.unwrap_or(made);
        }
        if taken < all.len() {
            walk.catch_up(&made, None)?;
            let last = trace.failure.step;
            walk.steps.push(Step { at: self.origin[last.at.index()].unwrap_or(last.at), ..last });
        }
        old.record(&walk.steps).map_err(|why| format!("step {}: {}", why.at, why.why))
    }

    /// A proof about the new program is one about the old by the correspondence; it is not rewritten.
    fn certificate(&self, _: Certificate) -> Option<Certificate> {
        None
    }
}

/// Who stands where it fails in a state that fails: in the old program they may be behind, by steps of their
/// own.
fn stand(failure: &FailureKind) -> Vec<ThreadId> {
    match failure {
        FailureKind::Race(race) => race.accesses.iter().map(|it| it.thread).collect(),
        FailureKind::Deadlock(deadlock) => deadlock.waits.iter().map(|it| it.thread).collect(),
        FailureKind::Property(_) | FailureKind::Undefined(_) | FailureKind::Leak(_) => vec![],
    }
}

/// The run of the old program as far as it is made.
struct Walk<'a> {
    lift: &'a SteppedLift,
    machine: &'a Machine<'a>,
    state: State,
    steps: Vec<Step>,
    /// Objects of the new program and those of the old: one that is kept in registers has no number.
    objects: HashMap<InstanceId, InstanceId>,
    /// Threads that must not stay behind.
    stand: Vec<ThreadId>,
}

impl Walk<'_> {
    /// A step of the new program, which leads from one state to another unless it fails.
    fn step(
        &mut self,
        made: &State,
        step: &Step,
        after: Option<&State>,
        is_last: bool,
    ) -> Result<(), String> {
        let lift = self.lift;
        let failing = lift.fails.get(&step.at).filter(|_| is_last).copied();
        let Some(at) = lift.origin[step.at.index()].or(failing) else { return Ok(()) };
        // What a promoted cell held is in the register that the new program has just written.
        let guess = after.and_then(|after| lift.written(after, step));
        let along = Along { machine: self.machine, thread: step.thread, guess };
        along.go(&mut self.state, at, &mut self.steps)?;
        // In a section of one thread nobody else can catch up.
        let inside = |state: &State| state.threads.get(&step.thread).is_some_and(|it| it.section);
        if !inside(made) && after.is_some_and(inside) {
            self.catch_up(made, Some(step.thread))?;
        }
        let reuses = step.choice.reuses.map(|it| self.objects.get(&it).copied().unwrap_or(it));
        let own = Step { thread: step.thread, at, choice: Choice { reuses, ..step.choice } };
        if is_last {
            self.steps.push(own);
            return Ok(());
        }
        let before = self.state.memory.instances.len();
        along.take(&mut self.state, own, &mut self.steps)?;
        if let Some(after) = after {
            let new = made.memory.instances.len()..after.memory.instances.len();
            let ids = new.zip(before..self.state.memory.instances.len());
            self.objects.extend(ids.map(|(new, old)| (Id::from_index(new), InstanceId::from_index(old))));
        }
        Ok(())
    }

    /// Takes threads to where they stand in a state of the new program, but for the one that steps.
    fn catch_up(&mut self, made: &State, stepping: Option<ThreadId>) -> Result<(), String> {
        for &thread in self.stand.iter().filter(|&&it| Some(it) != stepping) {
            let at = made.threads.get(&thread).map(|it| self.lift.origin[it.loc().index()]);
            let Some(Some(at)) = at else { continue };
            let along = Along { machine: self.machine, thread, guess: None };
            along.go(&mut self.state, at, &mut self.steps)?;
        }
        Ok(())
    }
}

impl SteppedLift {
    fn written(&self, after: &State, step: &Step) -> Option<u128> {
        let thread = after.threads.get(&step.thread)?;
        let [local] = self.new.at(step.at).op.writes()[..] else { return None };
        // The result of a call is written once the call returns.
        let here = self.new.at(thread.loc()).procedure;
        if here != self.new.at(step.at).procedure {
            return None;
        }
        thread.get(&self.new, local).bits()
    }
}

/// A thread of the old program that is taken along.
struct Along<'a> {
    machine: &'a Machine<'a>,
    thread: ThreadId,
    guess: Option<u128>,
}

impl Along<'_> {
    /// Steps of the thread alone up to a location.
    fn go(&self, state: &mut State, at: Loc, steps: &mut Vec<Step>) -> Result<(), String> {
        for _ in 0..STEPS {
            let thread = state.threads.get(&self.thread).ok_or("there is no such thread")?;
            let here = thread.loc();
            if here == at {
                return Ok(());
            }
            self.take(state, Step { thread: self.thread, at: here, choice: Choice::default() }, steps)?;
        }
        Err("a thread does not get where it should be".into())
    }

    /// Takes a step; what is open is chosen.
    fn take(&self, state: &mut State, step: Step, steps: &mut Vec<Step>) -> Result<(), String> {
        let mut refused = match self.machine.apply(state, &step) {
            Ok(after) => {
                *state = after;
                steps.push(step);
                return Ok(());
            }
            Err(refused) => refused,
        };
        let needs = self.machine.needs(&state.memory, &state.threads[&self.thread]);
        let low = needs.number.and_then(|it| it.range).map(|it| it.low as u128);
        let others = state.threads.keys().copied().filter(|&it| it != self.thread);
        let numbers = self.guess.into_iter().chain(low).chain([0]);
        let choices: Vec<Choice> =
            numbers.flat_map(|it| needs.choices(&[it], others.clone(), state.memory.freed())).collect();
        for choice in choices {
            let step = Step { choice, ..step };
            match self.machine.apply(state, &step) {
                Ok(after) => {
                    *state = after;
                    steps.push(step);
                    return Ok(());
                }
                Err(Refusal::Mismatch(_)) => {}
                Err(why) => refused = why,
            }
        }
        Err(format!("{:?} at {:?}: {refused}", step.thread, step.at))
    }
}
