//! What goes wrong at the end of a run, where it takes two: the accesses of a race, the threads of a
//! deadlock.

use super::places::{PageFiles, PagePlace};
use crate::trace::states::{self, StateNames};
use ::c::{Deadlock, FailureKind, Leak, Race, State, ThreadId, Trace};
use base::SourceMap;
use ir::c::Model;
use serde::Serialize;

/// What goes wrong.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum PageFailure {
    /// A step fails.
    Step,
    /// Two accesses race.
    Race {
        /// On what.
        object: String,
        /// The two.
        accesses: Vec<PageAccess>,
    },
    /// Threads wait for each other for ever.
    Deadlock {
        /// How many threads have not ended.
        alive: u32,
        /// Who waits.
        waits: Vec<PageWait>,
    },
    /// Memory is lost or left.
    Leak {
        /// What became of it.
        fate: &'static str,
        /// The allocation.
        object: u32,
        /// Where it was allocated.
        place: Option<PagePlace>,
        /// By whom.
        thread: Option<ThreadId>,
    },
}

/// One of two accesses.
#[derive(Debug, Serialize)]
pub struct PageAccess {
    thread: ThreadId,
    place: Option<PagePlace>,
    mode: &'static str,
    atomic: bool,
    first: u64,
    bytes: u64,
    holds: Vec<String>,
}

/// A thread that waits.
#[derive(Debug, Serialize)]
pub struct PageWait {
    thread: ThreadId,
    place: Option<PagePlace>,
    on: String,
    held_by: Option<ThreadId>,
    holds: Vec<String>,
}

/// What goes wrong in the last state of a run of a C program.
pub fn of_c(
    sources: &SourceMap,
    model: &Model,
    trace: &Trace,
    last: Option<&State>,
    files: &mut PageFiles<'_>,
) -> PageFailure {
    let Some(state) = last else { return PageFailure::Step };
    let names = StateNames { sources, program: &model.program, state };
    match &trace.failure.kind {
        FailureKind::Race(it) => race(&names, it, files),
        FailureKind::Deadlock(it) => deadlock(&names, it, files),
        FailureKind::Leak(it) => leak(&names, trace, it, files),
        FailureKind::Property(_) | FailureKind::Undefined(_) => PageFailure::Step,
    }
}

fn race(names: &StateNames<'_>, race: &Race, files: &mut PageFiles<'_>) -> PageFailure {
    let mut one = |it: &::c::RacingAccess| PageAccess {
        thread: it.thread,
        place: names.span(it.thread, it.at).and_then(|span| files.place(span)),
        mode: it.access.mode.word(),
        atomic: it.access.atomic,
        first: it.access.first,
        bytes: it.access.bytes,
        holds: names.locks(it.thread),
    };
    let object = names.object(&race.accesses[0].access);
    PageFailure::Race { object, accesses: race.accesses.iter().map(&mut one).collect() }
}

fn deadlock(names: &StateNames<'_>, deadlock: &Deadlock, files: &mut PageFiles<'_>) -> PageFailure {
    let mut one = |it: &::c::Waiting| PageWait {
        thread: it.thread,
        place: names.span(it.thread, it.at).and_then(|span| files.place(span)),
        on: states::kind_and_name(names, it.on),
        held_by: it.held_by,
        holds: names.locks(it.thread),
    };
    PageFailure::Deadlock { alive: deadlock.alive, waits: deadlock.waits.iter().map(&mut one).collect() }
}

fn leak(names: &StateNames<'_>, trace: &Trace, leak: &Leak, files: &mut PageFiles<'_>) -> PageFailure {
    let place = names.program.at(leak.allocated).span.and_then(|span| files.place(span));
    PageFailure::Leak {
        fate: leak.kind.word(),
        object: base::Id::index(leak.object) as u32,
        place,
        thread: states::allocation(trace, leak).map(|it| it.0),
    }
}
