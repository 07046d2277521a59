//! Replays traces. The reference semantics does the work; here only the shape of the start is looked at
//! first, because a trace may come from a file and speak of anything.

use crate::describe::location;
use crate::{Rejected, reject};
use base::Id;
use ir::bp::{FailureKind, Machine, Program, State};
use ir::net::{self, Marking, Net};
use ir::trace::{NetTrace, ProgramTrace};

/// What a replay saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The states, from the start to the failure.
    pub run: Run,
    /// The most threads, or tokens, that are alive at once.
    pub threads: u64,
}

/// The states of a run, one more than it has steps that do not fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// Of a program.
    Program(Vec<State>),
    /// Of a net.
    Net(Vec<Marking>),
    /// Of a C program; the step that fails leads to none.
    C(Vec<c::State>),
}

/// Replays a run of a program: it starts where the program does, each step is one, and the failure named is
/// there at its end.
pub fn program(program: &Program, bound: Option<u32>, trace: &ProgramTrace) -> Result<Replay, Rejected> {
    let machine = Machine::new(program, bound);
    well_formed(program, &trace.start)?;
    machine
        .starts_in(&trace.start)
        .map_err(|why| Rejected::new(format!("the program does not start so: {}", why.0)))?;
    let mut states = vec![trace.start.clone()];
    for (index, step) in trace.steps.iter().enumerate() {
        let after = machine.apply(&states[index], step).map_err(|why| {
            let at =
                program.locations().get(step.at).map_or_else(String::new, |_| location(program, step.at));
            let span = program.locations().get(step.at).and_then(|it| it.span);
            Rejected::new(format!("step {} (thread {} {at}): {}", index + 1, step.thread, why.0)).at(span)
        })?;
        states.push(after);
    }
    fails(&machine, &states[trace.steps.len()], trace)?;
    let threads = states.iter().map(|state| state.threads.len() as u64).max().unwrap_or(0);
    Ok(Replay { run: Run::Program(states), threads })
}

/// Everything that the reference semantics looks at must be there.
fn well_formed(program: &Program, start: &State) -> Result<(), Rejected> {
    let locals = program.locals().len();
    for (name, thread) in &start.threads {
        if thread.values.len() != locals || thread.stack.iter().any(|frame| frame.values.len() != locals) {
            return reject(format!("thread {name} starts with other locals than the program's"));
        }
        if thread.stack.is_empty() || thread.stack.iter().any(|it| program.locations().get(it.loc).is_none())
        {
            return reject(format!("thread {name} starts at no location of the program"));
        }
    }
    Ok(())
}

/// Whether the thread named fails as it is said to. Nothing but atomic sections depends on the other threads,
/// so that the semantics is asked about the thread alone.
fn fails(machine: &Machine<'_>, last: &State, trace: &ProgramTrace) -> Result<(), Rejected> {
    let failure = trace.failure;
    let Some(thread) = last.threads.get(&failure.thread) else {
        return reject(format!("thread {}, which should fail, does not live", failure.thread));
    };
    let alone = State { threads: [(failure.thread, thread.clone())].into(), ..last.clone() };
    let inside = failure.kind == FailureKind::Assertion && !machine.may_step(last, failure.thread);
    if inside || machine.failure(&alone) != Some(failure) {
        let at = failure.at.index();
        return reject(format!("thread {} does not fail so at l{at} in the last state", failure.thread));
    }
    Ok(())
}

/// Replays a run of a net: it starts where the net does, each move is one, and a target is reached at its
/// end.
pub fn net(net: &Net, bound: Option<u32>, trace: &NetTrace) -> Result<Replay, Rejected> {
    let machine = net::Machine::new(net, bound);
    if !machine.starts_in(&trace.start) {
        return reject("the net does not start so");
    }
    let mut markings = vec![trace.start.clone()];
    for (index, step) in trace.steps.iter().enumerate() {
        let after = machine.apply(&markings[index], step).map_err(|why| {
            Rejected::new(format!("step {} (rule {}): {}", index + 1, step.rule.index(), why.0))
        })?;
        markings.push(after);
    }
    if !machine.at_target(&markings[trace.steps.len()]) {
        return reject("the last marking is at no target");
    }
    let threads = markings.iter().map(Marking::total).max().unwrap_or(0);
    Ok(Replay { run: Run::Net(markings), threads })
}
