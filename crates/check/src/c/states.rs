//! Proofs about C programs by all their states: the reference semantics is explored from the start until
//! nothing new comes, no step that is met fails, and none is met whose meaning is not known. Such a proof
//! holds no states: going through them again is no more work than seeing that a list of them is closed, and
//! trusts less. The number of states says when to give up.
//!
//! Names of threads and objects are forgotten ([`c::State::canonical`]). The only reductions: if a thread can
//! do a step that reads and writes nothing but its own registers and leads forward in the text, the others
//! wait for it; of a number that decides nothing ([`c::Faint`]) one value is tried; and what a load gives of
//! a cell that nobody has written is not chosen where no step uses it ([`c::Unchosen`]).

use crate::{Refused, Rejected, reject};
use base::{Budget, Id, Stop};
use c::machine::BEGINS_INSIDE;
use c::{
    Blocked, Choice, Control, FailureKind, Faint, Loc, LocalId, Machine, Number, Options, Program, Refusal,
    State, Step, Thread, Unchosen, Value, mask,
};
use ir::c::Model;
use ir::certificate::{Body, Fingerprint, States, View};
use ir::{Bound, Certificate, Scope};
use std::collections::HashSet;

/// Of a number that has more values than this nobody tries them all.
const VALUES: u128 = 256;
/// The most cells and registers of all states together: states are kept, and an array that changes is kept
/// each time.
const CELLS: u64 = 20_000_000;

/// Why there is no such proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unlisted {
    /// Something fails.
    Fails(String),
    /// There are too many states or choices, or a step is reached whose meaning is not known.
    Beyond(String),
    /// The budget ended.
    Stopped(Stop),
}

impl From<Stop> for Unlisted {
    fn from(stop: Stop) -> Unlisted {
        Unlisted::Stopped(stop)
    }
}

impl From<Unlisted> for Refused {
    fn from(why: Unlisted) -> Refused {
        match why {
            Unlisted::Fails(why) | Unlisted::Beyond(why) => Rejected::new(why).into(),
            Unlisted::Stopped(stop) => stop.into(),
        }
    }
}

/// Checks a proof by all states, under the bound on threads that it claims; what it proves.
pub fn check(subject: &Model, claimed: Scope, body: &States, budget: &Budget) -> Result<Scope, Refused> {
    if body.program != Fingerprint::of(&subject.program, &subject.machine) {
        return Ok(reject("the proof is about another program, or one that was read under other options")?);
    }
    let options = subject.options(claimed.threads.limit());
    let found = explore(&subject.program, options, body.states, budget)?;
    if found.body != Body::States(*body) {
        return Ok(reject(format!("there are not {} states", body.states))?);
    }
    Ok(found.scope)
}

/// Goes through all states of a program under options, if they are at most this many; the proof that they
/// are.
pub fn explore(
    program: &Program,
    options: Options,
    most: u64,
    budget: &Budget,
) -> Result<Certificate, Unlisted> {
    let machine = Machine::new(program, options);
    let start = machine.start().canonical(program);
    let mut exploration = Exploration {
        machine,
        own: program.locations().ids().map(|loc| is_own(program, loc)).collect(),
        faint: Faint::new(program),
        unchosen: Unchosen::new(program),
        seen: HashSet::from([start.clone()]),
        work: vec![start],
        most,
        cells: 0,
        bounded: false,
    };
    while let Some(state) = exploration.work.pop() {
        // What is compared and copied for a state counts too.
        budget.spend(1 + state.threads.len() as u64 + size(&state) / 256)?;
        exploration.visit(&state, budget)?;
    }
    let threads = match options.threads {
        Some(most) if exploration.bounded => Bound::AtMost(most),
        _ => Bound::Any,
    };
    let states = exploration.seen.len() as u64;
    let body = Body::States(States { program: Fingerprint::of(program, &options), states });
    Ok(Certificate { scope: Scope { threads }, view: View::default(), body, passes: vec![] })
}

/// Whether a step reads and writes nothing but registers, and goes on if it is defined.
fn is_own(program: &Program, loc: Loc) -> bool {
    let effects = program.effects(loc);
    let goes_on = matches!(effects.control, Control::Next | Control::Branch(_));
    goes_on && effects.is_local() && effects.waits.is_empty()
}

struct Exploration<'p> {
    machine: Machine<'p>,
    /// By location: whether its step reads and writes nothing but registers.
    own: Vec<bool>,
    /// Which numbers decide nothing.
    faint: Faint,
    /// Which values of loads need not be chosen.
    unchosen: Unchosen,
    /// Only asked whether it holds a state: its order does not show.
    seen: HashSet<State>,
    work: Vec<State>,
    most: u64,
    /// The cells and registers of the states so far.
    cells: u64,
    /// Whether the bound on threads has kept one from being created.
    bounded: bool,
}

impl Exploration<'_> {
    /// Takes all steps of a state.
    fn visit(&mut self, state: &State, budget: &Budget) -> Result<(), Unlisted> {
        let program = self.machine.program();
        if state.threads.values().any(|it| self.unchosen.is_used(program, it)) {
            return beyond("a step uses one of too many values that a cell may hold");
        }
        self.judge(state)?;
        let enabled = self.machine.enabled(state);
        if let Some(after) = enabled.iter().find_map(|(step, _)| self.private(state, step)) {
            return self.reach(after);
        }
        for (step, needs) in enabled {
            let numbers = match needs.number.map(|number| self.numbers(step, number)) {
                Some(Err(_)) if let Some(local) = self.unchosen(step) => {
                    self.load(state, step, local)?;
                    continue;
                }
                numbers => numbers.unwrap_or(Ok(vec![]))?,
            };
            let others = state.threads.keys().copied().filter(|&id| id != step.thread);
            for choice in needs.choices(&numbers, others, state.memory.freed()) {
                budget.spend(1)?;
                self.take(state, Step { choice, ..step })?;
            }
        }
        Ok(())
    }

    /// That the state is no error itself: a race or a deadlock, where that is asked.
    fn judge(&self, state: &State) -> Result<(), Unlisted> {
        let options = self.machine.options();
        if let Some(failure) = self.machine.bad_state(state) {
            return Err(Unlisted::Fails(match failure.kind {
                FailureKind::Race(_) => "two accesses race".to_string(),
                _ => "threads may wait for each other for ever".to_string(),
            }));
        }
        let mut threads = state.threads.values();
        let more = |it: &Thread| state.threads.len() > 1 && self.machine.may_access_more(it);
        if options.races.matter() && threads.clone().any(more) {
            return beyond("an external function may access memory while other threads run");
        }
        if options.deadlocks.matter() && threads.any(|it| self.machine.waits_for_once(&state.memory, it)) {
            return beyond("threads wait for `pthread_once`");
        }
        Ok(())
    }

    /// The state after a step that nobody else can see and that cannot be part of a cycle of such steps: it
    /// can come before whatever the others do, and does not change what they can do.
    fn private(&self, state: &State, step: &Step) -> Option<State> {
        if !self.own[step.at.index()] {
            return None;
        }
        let after = self.machine.apply(state, &Step { choice: Choice::default(), ..*step }).ok()?;
        let to = after.threads.get(&step.thread)?.loc();
        (to > step.at).then_some(after)
    }

    /// The register of a load that need not choose. Where states are errors, they ask what registers hold.
    fn unchosen(&self, step: Step) -> Option<LocalId> {
        let options = self.machine.options();
        let states = options.races.matter() || options.deadlocks.matter() || options.leaks.matter();
        self.unchosen.load(step.at).filter(|_| !states)
    }

    /// Takes a load whose register may then hold any value. The cell stays undetermined: that it holds the
    /// same value is forgotten, which allows more.
    fn load(&mut self, state: &State, step: Step, local: LocalId) -> Result<(), Unlisted> {
        let any = Step { choice: Choice { value: Some(0), ..Choice::default() }, ..step };
        let Ok(after) = self.machine.apply(state, &any) else { return self.take(state, any) };
        let program = self.machine.program();
        let mut loaded = state.clone();
        if let (Some(thread), Some(moved)) =
            (loaded.threads.get_mut(&step.thread), after.threads.get(&step.thread))
        {
            thread.set(program, local, Value::Undetermined);
            thread.top_mut().loc = moved.loc();
        }
        self.reach(loaded)
    }

    fn take(&mut self, state: &State, step: Step) -> Result<(), Unlisted> {
        let stepping = state.threads.get(&step.thread);
        let inside = || stepping.is_some_and(|it| self.machine.begins_inside(it));
        if self.machine.options().races.matter() && inside() {
            return beyond(BEGINS_INSIDE);
        }
        match self.machine.apply(state, &step) {
            Ok(after) => self.reach(after),
            Err(Refusal::Blocked(Blocked::ThreadBound)) => {
                self.bounded = true;
                Ok(())
            }
            // Blocked threads do nothing, and choices that do not fit are none.
            Err(Refusal::Blocked(_) | Refusal::Mismatch(_)) => Ok(()),
            Err(Refusal::Fails(FailureKind::Property(property))) => {
                let what = self.machine.program().properties().get(property).map(|site| site.text.clone());
                Err(Unlisted::Fails(format!("`{}` may fail", what.unwrap_or_default())))
            }
            Err(Refusal::Fails(FailureKind::Undefined(fault))) => {
                Err(Unlisted::Fails(format!("a step may be undefined behaviour: {fault}")))
            }
            Err(Refusal::Fails(FailureKind::Race(_) | FailureKind::Deadlock(_) | FailureKind::Leak(_))) => {
                unreachable!("states fail so, and not steps")
            }
            Err(Refusal::Unsupported(why)) => {
                Err(Unlisted::Beyond(format!("a step is reached of which the meaning is not known: {why}")))
            }
        }
    }

    fn reach(&mut self, state: State) -> Result<(), Unlisted> {
        // What nothing leads to is dropped from a state that is kept.
        if self.machine.leak(&state).is_some() {
            return Err(Unlisted::Fails("an allocation may leak".to_string()));
        }
        let state = state.canonical(self.machine.program());
        if self.seen.insert(state.clone()) {
            self.cells += size(&state);
            if self.cells > CELLS {
                return Err(Unlisted::Beyond("the states are too large to list".to_string()));
            }
            if self.seen.len() as u64 > self.most {
                return Err(Unlisted::Beyond(format!("there are more than {} states", self.most)));
            }
            self.work.push(state);
        }
        Ok(())
    }

    /// All numbers that may be chosen; one if it decides nothing.
    fn numbers(&self, step: Step, number: Number) -> Result<Vec<u128>, Unlisted> {
        if self.faint.is_free(&self.machine.program().effects(step.at)) {
            let least = number.range.map_or(0, |it| it.low);
            return Ok(vec![least as u128 & mask(number.bits)]);
        }
        if let Some(range) = number.range
            && let Some(distance) = range.high.checked_sub(range.low)
            && distance < VALUES as i128
        {
            // The machine itself sees to what fits; a bound below zero is a large number here.
            return Ok((range.low..=range.high).map(|it| it as u128 & mask(number.bits)).collect());
        }
        match 1u128.checked_shl(u32::from(number.bits)) {
            Some(count) if count <= VALUES => Ok((0..count).collect()),
            _ => Err(Unlisted::Beyond(format!("at {:?} any of too many numbers may be chosen", step.at))),
        }
    }
}

fn beyond(why: &str) -> Result<(), Unlisted> {
    Err(Unlisted::Beyond(why.to_string()))
}

/// The cells and registers of a state.
fn size(state: &State) -> u64 {
    let cells: usize = state.memory.instances.iter().flatten().map(|it| it.cells.len()).sum();
    let registers = |thread: &Thread| {
        thread.registers.len() + thread.frames.iter().map(|frame| frame.registers.len()).sum::<usize>()
    };
    (cells + state.threads.values().map(registers).sum::<usize>()) as u64
}
