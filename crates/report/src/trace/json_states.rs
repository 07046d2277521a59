//! The JSON of a state that is an error: the accesses that race, who waits for what, or what is lost. All of
//! it is compared with what a replay finds.

use crate::trace::states::{self, StateNames};
use ::c::{Deadlock, FailureKind, Leak, Race, State, ThreadId, Trace};
use base::SourceMap;
use ir::c::Model;
use serde::{Deserialize, Serialize};

/// What a failure says of its state; nothing where a step fails.
#[derive(Serialize, Deserialize, PartialEq, Eq, Default)]
pub struct StateJson {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    accesses: Vec<AccessJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    waits: Vec<WaitJson>,
    #[serde(flatten)]
    leak: Option<Box<LeakJson>>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct LeakJson {
    sub: String,
    allocated: AllocationJson,
}

/// Where an allocation comes from: who made it, and in which step of the run, from 1.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct AllocationJson {
    at: Option<String>,
    thread: ThreadId,
    step: usize,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct AccessJson {
    thread: ThreadId,
    at: Option<String>,
    object: String,
    bytes: [u64; 2],
    mode: String,
    atomic: bool,
    holds: Vec<String>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct WaitJson {
    thread: ThreadId,
    at: Option<String>,
    #[serde(rename = "for")]
    on: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held_by: Option<ThreadId>,
    holds: Vec<String>,
}

impl StateJson {
    /// What is said of the last state of a run.
    pub fn of(sources: &SourceMap, source: &Model, trace: &Trace, states: &[State]) -> StateJson {
        let Some(state) = states.last() else { return StateJson::default() };
        let names = StateNames { sources, program: &source.program, state };
        match &trace.failure.kind {
            FailureKind::Race(race) => StateJson { accesses: accesses(&names, race), ..StateJson::default() },
            FailureKind::Deadlock(deadlock) => {
                let scope = Some(if deadlock.is_global() { "global" } else { "partial" }.to_string());
                StateJson { scope, waits: waits(&names, deadlock), ..StateJson::default() }
            }
            FailureKind::Leak(leak) => {
                let leak = leaking(&names, trace, leak).map(Box::new);
                StateJson { leak, ..StateJson::default() }
            }
            FailureKind::Property(_) | FailureKind::Undefined(_) => StateJson::default(),
        }
    }
}

fn leaking(names: &StateNames<'_>, trace: &Trace, leak: &Leak) -> Option<LeakJson> {
    let (thread, step) = states::allocation(trace, leak)?;
    let allocated = AllocationJson { at: names.place_of(leak.allocated), thread, step };
    Some(LeakJson { sub: leak.kind.word().to_string(), allocated })
}

fn accesses(names: &StateNames<'_>, race: &Race) -> Vec<AccessJson> {
    let one = |it: &::c::RacingAccess| AccessJson {
        thread: it.thread,
        at: names.place(it.thread, it.at),
        object: names.object(&it.access),
        bytes: [it.access.first, it.access.bytes],
        mode: it.access.mode.word().to_string(),
        atomic: it.access.atomic,
        holds: names.locks(it.thread),
    };
    race.accesses.iter().map(one).collect()
}

fn waits(names: &StateNames<'_>, deadlock: &Deadlock) -> Vec<WaitJson> {
    let one = |it: &::c::Waiting| WaitJson {
        thread: it.thread,
        at: names.place(it.thread, it.at),
        on: states::kind_and_name(names, it.on),
        held_by: it.held_by,
        holds: names.locks(it.thread),
    };
    deadlock.waits.iter().map(one).collect()
}
