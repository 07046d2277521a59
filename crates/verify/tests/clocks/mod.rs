//! A detector of data races by vector clocks (Lamport's happens-before, as ThreadSanitizer has it), which
//! shares nothing with the search for racy states but the accesses of steps.
//!
//! An edge that leaves a step in an atomic section leaves at the end of the section, and what is accessed in
//! it is ordered with other sections and atomic operations.

use c::machine::{AccessMode, NextAccess};
use c::{Machine, Op, State, Step, ThreadId};
use std::collections::BTreeMap;

type Clock = BTreeMap<ThreadId, u32>;
type Byte = (usize, u64);

fn join(clock: &mut Clock, other: &Clock) {
    for (&thread, &time) in other {
        let own = clock.entry(thread).or_default();
        *own = time.max(*own);
    }
}

/// How an access counts beside others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct How {
    thread: ThreadId,
    writes: bool,
    synchronises: bool,
}

/// What a run has done so far.
#[derive(Default)]
pub struct Detector {
    threads: BTreeMap<ThreadId, Clock>,
    /// The ends of sections.
    sections: Clock,
    /// By byte: the synchronising writes and reads.
    written: BTreeMap<Byte, Clock>,
    read: BTreeMap<Byte, Clock>,
    /// By byte: when each thread accessed it last in each way.
    last: BTreeMap<Byte, BTreeMap<How, u32>>,
    /// What leaves at the end of the section: synchronising accesses, and threads that were created.
    held_back: Vec<(Byte, bool)>,
    children: Vec<ThreadId>,
    /// Whether two accesses were unordered.
    pub races: bool,
}

impl Detector {
    /// Takes a step; the state after it, if it is possible.
    pub fn take(&mut self, machine: &Machine<'_>, before: &State, step: &Step) -> Option<State> {
        let (after, done) = machine.perform(before, step).ok()?;
        let (id, thread) = (step.thread, &before.threads[&step.thread]);
        let accesses = machine.accesses(&before.memory, thread);
        let op = &machine.program().at(step.at).op;
        *self.clock(id).entry(id).or_default() += 1;
        if matches!(op, Op::Join { .. }) {
            for gone in before.ended.keys().filter(|it| !after.ended.contains_key(it)) {
                let child = self.clock(*gone).clone();
                join(self.clock(id), &child);
            }
        }
        let begins = !thread.section && after.threads.get(&id).is_some_and(|it| it.section);
        let atomic = !matches!(op, Op::Sync { .. }) && accesses.iter().any(|it| it.atomic);
        if begins || atomic && !thread.section {
            let ended = self.sections.clone();
            join(self.clock(id), &ended);
        }
        accesses.iter().for_each(|it| self.access(id, thread.section, it));
        if let Some(child) = done.created {
            let parent = self.clock(id).clone();
            self.threads.insert(child, parent);
            self.children.push(child);
        }
        if !after.threads.get(&id).is_some_and(|it| it.section) {
            self.leave(id, thread.section);
        }
        Some(after)
    }

    fn clock(&mut self, id: ThreadId) -> &mut Clock {
        self.threads.entry(id).or_default()
    }

    fn access(&mut self, id: ThreadId, section: bool, access: &NextAccess) {
        let writes = access.mode != AccessMode::Read;
        let how = How { thread: id, writes, synchronises: access.atomic || section };
        for byte in access.first..access.first + access.bytes {
            let byte = (base::Id::index(access.instance), byte);
            if how.synchronises {
                let before = [Some(&self.written), Some(&self.read).filter(|_| writes)];
                let before: Vec<Clock> =
                    before.into_iter().flatten().filter_map(|it| it.get(&byte)).cloned().collect();
                before.iter().for_each(|it| join(self.clock(id), it));
                self.held_back.push((byte, writes));
            }
            let now = self.clock(id).clone();
            let unordered = |(it, time): (&How, &u32)| {
                it.thread != id
                    && (it.writes || writes)
                    && !(it.synchronises && how.synchronises)
                    && now.get(&it.thread).is_none_or(|known| known < time)
            };
            let last = self.last.entry(byte).or_default();
            self.races |= last.iter().any(unordered);
            last.insert(how, now[&id]);
        }
    }

    /// What others learn of the thread when it is in no section.
    fn leave(&mut self, id: ThreadId, section: bool) {
        let now = self.clock(id).clone();
        for (byte, writes) in std::mem::take(&mut self.held_back) {
            let list = if writes { &mut self.written } else { &mut self.read };
            join(list.entry(byte).or_default(), &now);
        }
        for child in std::mem::take(&mut self.children) {
            join(self.clock(child), &now);
        }
        if section {
            join(&mut self.sections, &now);
        }
    }
}
