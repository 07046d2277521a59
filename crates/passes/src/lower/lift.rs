//! From a run of the Boolean program to a run of the C program: both machines walk side by side. The C
//! machine has the last word.

use super::Lowered;
use super::slots::SlotKind;
use super::sync_outcomes::{CHOSEN, RELEASED, SLEEPS, WOKEN};
use base::Id;
use c::{Choice, Machine, Program, Refusal, State, Step, Trace, Value};
use ir::bp;
use ir::bp::Var;
use ir::trace::ProgramTrace;
use std::collections::BTreeMap;

/// Why a run of the Boolean program is spurious.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotLifted {
    /// It is no run of the Boolean program.
    Broken(String),
    /// It reaches a step whose meaning is not known.
    Unsupported(String),
    /// The Boolean program has more runs than the C program, and this is one of them.
    Spurious(String),
}

struct Walk<'l> {
    lowered: &'l Lowered,
    machine: Machine<'l>,
    state: State,
    steps: Vec<Step>,
    /// By name in the Boolean run: the name in the C run.
    names: BTreeMap<u32, u32>,
}

impl Lowered {
    /// The C run that a run of the Boolean program stands for, as the C machine takes it.
    pub fn trace(&self, program: &Program, trace: &ProgramTrace) -> Result<Trace, NotLifted> {
        let options = c::Options { threads: None, ..self.options.machine };
        let machine = Machine::new(program, options);
        let main = trace.start.threads.keys().next().copied().unwrap_or(0);
        let state = machine.start();
        let mut walk = Walk { lowered: self, machine, state, steps: vec![], names: [(main, 0)].into() };
        let mut now = trace.start.clone();
        for step in &trace.steps {
            // Under a bound on threads a creation may create nobody; in C the thread is there and does
            // nothing.
            let starts = matches!(self.program.at(step.at).op, bp::Op::Start(_));
            let bound = (starts && step.births.is_empty()).then_some(now.threads.len() as u32);
            let boolean = bp::Machine::new(&self.program, bound);
            let after = boolean.apply(&now, step).map_err(|why| NotLifted::Broken(why.0))?;
            if walk.follow(step, &after)? {
                return walk.finish();
            }
            now = after;
        }
        walk.fail(trace.failure.thread, self.origin(trace.failure.at).at)?;
        walk.finish()
    }
}

impl Walk<'_> {
    /// Takes the C step that a Boolean step stands for; whether it fails already.
    fn follow(&mut self, step: &bp::Step, after: &bp::State) -> Result<bool, NotLifted> {
        let origin = self.lowered.origin(step.at);
        if !origin.takes {
            return Ok(false);
        }
        let Some(&thread) = self.names.get(&step.thread) else {
            return Err(NotLifted::Broken("a thread has no counterpart".into()));
        };
        let found = self.choices(thread, origin.at, step, after)?;
        let Some((choice, next, done)) = found else { return Ok(true) };
        self.steps.push(Step { thread, at: origin.at, choice });
        self.state = next;
        if let (Some(created), Some(birth)) = (done.created, step.births.first()) {
            self.names.insert(birth.thread, created);
        }
        Ok(false)
    }

    /// The choices with which the C step does what the Boolean step did. `None`: the step fails, and is
    /// noted.
    fn choices(
        &mut self,
        thread: u32,
        at: c::Loc,
        step: &bp::Step,
        after: &bp::State,
    ) -> Result<Option<(Choice, State, c::Done)>, NotLifted> {
        let Some(own) = self.state.threads.get(&thread) else {
            return Err(NotLifted::Spurious("the thread has ended".into()));
        };
        let needs = self.machine.needs(&self.state.memory, own);
        let value = needs.number.and_then(|_| self.chosen(at, step, after));
        let numbers: Vec<u128> = value.into_iter().collect();
        let others = self.state.threads.keys().copied().filter(|&it| it != thread);
        let mut best = None;
        let mut why = String::from("no choice fits");
        // Where an address could be used again the program is not lowered.
        for choice in needs.choices(&numbers, others, std::iter::empty()) {
            let step_taken = Step { thread, at, choice };
            match self.machine.perform(&self.state, &step_taken) {
                Ok((next, done)) => {
                    let fits = self.agrees(thread, at, &next, step, after)
                        && self.same_cell(&done, &next, step, after)
                        && self.same_waits(&next, after);
                    if fits || best.is_none() {
                        best = Some((choice, next, done));
                    }
                    if fits {
                        break;
                    }
                }
                Err(Refusal::Fails(_)) => {
                    self.steps.push(step_taken);
                    return Ok(None);
                }
                Err(Refusal::Unsupported(what)) => return Err(NotLifted::Unsupported(what)),
                Err(refusal) => why = refusal.to_string(),
            }
        }
        best.map(Some).ok_or_else(|| NotLifted::Spurious(format!("at {at:?}: {why}")))
    }

    /// The number that the step chose: what its register holds afterwards.
    fn chosen(&self, at: c::Loc, step: &bp::Step, after: &bp::State) -> Option<u128> {
        let local = self.machine.program().at(at).op.writes().first().copied()?;
        let bits = self.machine.program().locals()[local].ty.bits(self.machine.program().pointer_bits());
        Some(self.register(local, step, after).and_then(Value::bits).unwrap_or(0) & c::mask(bits))
    }

    /// What a register holds in the Boolean run.
    fn register(&self, local: c::LocalId, step: &bp::Step, after: &bp::State) -> Option<Value> {
        self.value(SlotKind::Register(local), step, after)
    }

    /// What a variable holds in the Boolean run.
    fn value(&self, kind: SlotKind, step: &bp::Step, after: &bp::State) -> Option<Value> {
        let thread = after.threads.get(&step.thread)?;
        let slot = self.lowered.slots.known(kind)?;
        let depth = thread.stack.len().checked_sub(1)?;
        self.lowered.coding(slot)?.decode(|var| match var {
            Var::Shared(id) => after.shared[base::Id::index(id)],
            Var::Local(id) => thread.value(&self.lowered.program, depth, id),
        })
    }

    /// Whether the numbers that the step wrote are those of the Boolean run.
    fn agrees(&self, thread: u32, at: c::Loc, next: &State, step: &bp::Step, after: &bp::State) -> bool {
        let program = self.machine.program();
        let Some(own) = next.threads.get(&thread) else { return true };
        program.at(at).op.writes().into_iter().all(|local| {
            let (real, lowered) = (own.get(program, local), self.register(local, step, after));
            match (real, lowered) {
                (Value::Bits(real), Some(Value::Bits(lowered))) => real == lowered,
                _ => true,
            }
        })
    }

    /// Whether the cell that the step touched holds the number of the Boolean run. Where registers are dead,
    /// only this tells whether a weak compare-exchange failed.
    fn same_cell(&self, done: &c::Done, next: &State, step: &bp::Step, after: &bp::State) -> bool {
        let Some(access) = done.access else { return true };
        let instance = match next.memory.get(access.cell.instance).map(|it| it.origin) {
            Some(c::Origin::Declared(object)) => c::InstanceId::from_index(object.index()),
            Some(c::Origin::Allocated(at)) => match self.lowered.allocation.get(&at) {
                Some(&instance) => instance,
                None => return true,
            },
            Some(c::Origin::Freed) | None => return true,
        };
        let scalar = matches!(self.machine.program().at(step_of(self.lowered, step)).op, c::Op::Rmw { .. });
        match (
            next.memory.read(access.cell),
            self.value(SlotKind::Cell(instance, access.cell.cell), step, after),
        ) {
            (Value::Bits(real), Some(Value::Bits(lowered))) if scalar => real == lowered,
            _ => true,
        }
    }

    /// Whether all threads wait as in the Boolean run: that tells whom a step has woken or chosen.
    fn same_waits(&self, next: &State, after: &bp::State) -> bool {
        self.names.iter().all(|(name, thread)| {
            let (Some(real), Some(lowered)) = (next.threads.get(thread), after.threads.get(name)) else {
                return true;
            };
            let (cell, fits): (c::CellRef, &[u128]) = match real.wait {
                None => return true,
                Some(c::Wait::Cond { cond, woken: false }) => (cond, &[SLEEPS]),
                Some(c::Wait::Cond { cond, woken: true }) => (cond, &[WOKEN]),
                Some(c::Wait::Barrier { barrier, released: Some(serial) }) => {
                    (barrier, if serial { &[CHOSEN] } else { &[RELEASED] })
                }
                Some(c::Wait::Barrier { barrier, released: None }) => (barrier, &[]),
            };
            let waits = self.lowered.slots.known(SlotKind::Wait(cell.instance, cell.cell)).and_then(|slot| {
                let depth = lowered.stack.len().checked_sub(1)?;
                self.lowered.coding(slot)?.decode(|var| match var {
                    Var::Shared(id) => after.shared[base::Id::index(id)],
                    Var::Local(id) => lowered.value(&self.lowered.program, depth, id),
                })
            });
            match waits.and_then(Value::bits) {
                None => true,
                Some(waits) if fits.is_empty() => waits != RELEASED && waits != CHOSEN,
                Some(waits) => fits.contains(&waits),
            }
        })
    }

    /// The last step fails.
    fn fail(&mut self, name: u32, at: c::Loc) -> Result<(), NotLifted> {
        let Some(&thread) = self.names.get(&name) else {
            return Err(NotLifted::Broken("a thread has no counterpart".into()));
        };
        let Some(own) = self.state.threads.get(&thread) else {
            return Err(NotLifted::Spurious("the thread has ended".into()));
        };
        let needs = self.machine.needs(&self.state.memory, own);
        let others = self.state.threads.keys().copied().filter(|&it| it != thread);
        let mut why = String::from("the step does not fail");
        for choice in needs.choices(&[0, 1], others, std::iter::empty()) {
            let step = Step { thread, at, choice };
            match self.machine.apply(&self.state, &step) {
                Err(Refusal::Fails(_)) => {
                    self.steps.push(step);
                    return Ok(());
                }
                Err(Refusal::Unsupported(what)) => return Err(NotLifted::Unsupported(what)),
                Err(refusal) => why = refusal.to_string(),
                Ok(_) => {}
            }
        }
        if self.is_composed(own, at) {
            return Err(NotLifted::Unsupported("an access to a part of a scalar".into()));
        }
        Err(NotLifted::Spurious(why))
    }

    /// Whether the step accesses no whole scalar: such a step is not lowered, and the Boolean run stops
    /// there.
    fn is_composed(&self, thread: &c::Thread, at: c::Loc) -> bool {
        let effects = self.machine.program().effects(at);
        effects.scalar().is_some_and(|(_, place, bits)| {
            let hit = self.machine.hit(&self.state.memory, thread, place, bits);
            matches!(hit, Ok(c::Hit::Bytes(_)))
        })
    }

    fn finish(self) -> Result<Trace, NotLifted> {
        self.machine.record(&self.steps).map_err(|why| NotLifted::Spurious(why.why))
    }
}

/// The C location of a Boolean step.
fn step_of(lowered: &Lowered, step: &bp::Step) -> c::Loc {
    lowered.origin(step.at).at
}
