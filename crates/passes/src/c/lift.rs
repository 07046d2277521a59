//! The way back for traces: the old program's threads are taken along, each to the location that a step of
//! the new program was made from.

use base::Id;
use c::{Choice, InstanceId, Loc, Machine, Program, Refusal, State, Step, Trace};
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
        let (mut state, mut made) = (old.start(), new.start());
        let mut steps = vec![];
        // Objects of the new program and those of the old: one that is kept in registers has no number.
        let mut objects: HashMap<InstanceId, InstanceId> = HashMap::new();
        let all = trace.bare();
        for (index, step) in all.iter().enumerate() {
            let after = new.apply(&made, step);
            let failing = self.fails.get(&step.at).filter(|_| index + 1 == all.len()).copied();
            if let Some(at) = self.origin[step.at.index()].or(failing) {
                // What a promoted cell held is in the register that the new program has just written.
                let guess = after.as_ref().ok().and_then(|after| self.written(after, step));
                let along = Along { machine: &old, thread: step.thread, guess };
                along.go(&mut state, at, &mut steps)?;
                let reuses = step.choice.reuses.map(|it| objects.get(&it).copied().unwrap_or(it));
                let own = Step { thread: step.thread, at, choice: Choice { reuses, ..step.choice } };
                if index + 1 < all.len() {
                    let before = state.memory.instances.len();
                    along.take(&mut state, own, &mut steps)?;
                    if let Ok(after) = &after {
                        let new = made.memory.instances.len()..after.memory.instances.len();
                        let ids = new.zip(before..state.memory.instances.len());
                        objects
                            .extend(ids.map(|(new, old)| (Id::from_index(new), InstanceId::from_index(old))));
                    }
                } else {
                    steps.push(own);
                }
            }
            match after {
                Ok(after) => made = after,
                Err(_) if index + 1 == all.len() => {}
                Err(why) => return Err(format!("step {}: {why}", index + 1)),
            }
        }
        old.record(&steps).map_err(|why| format!("step {}: {}", why.at, why.why))
    }

    /// A proof about the new program is one about the old by the correspondence; it is not rewritten.
    fn certificate(&self, _: Certificate) -> Option<Certificate> {
        None
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
    thread: c::ThreadId,
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
