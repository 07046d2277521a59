//! States in which threads wait for each other and nobody can ever step again.

use super::search::RunStates;
use super::state::GlobalState;
use super::step::TriedStep;
use base::Id;
use c::{Blocked, Control, Loc, Program, ThreadEffect};

impl RunStates<'_> {
    /// Notes the first state without a step in which all threads wait for a lock, a signal or another thread.
    /// A thread that stands at a failing assumption, at undefined behaviour, at the end of the program or at
    /// something that this search leaves out is no witness: the run may go on elsewhere, or has ended.
    pub(super) fn note_waiting(&mut self, base: &GlobalState) {
        if self.runner.limits.waiting.is_empty()
            && let Some(waiting) = self.waiting(base)
        {
            self.runner.limits.waiting = waiting;
        }
    }

    fn waiting(&mut self, base: &GlobalState) -> Option<Vec<Loc>> {
        if base.slots.iter().any(|slot| slot.state.stuck) {
            return None;
        }
        let section = base.slots.iter().position(|slot| slot.state.thread.section);
        let mut found = vec![];
        for at in 0..base.slots.len() {
            found.push(base.slots[at].state.thread.loc());
            // While a thread is in a section nobody else steps.
            if section.is_some_and(|it| it != at) {
                continue;
            }
            let mut run = base.clone();
            run.take(at);
            match self.runner.attempt(&mut run, None) {
                Ok(TriedStep::Waits(blocked)) if is_for_others(&blocked) => {}
                _ => return None,
            }
        }
        Some(found)
    }
}

fn is_for_others(blocked: &Blocked) -> bool {
    match blocked {
        Blocked::Lock
        | Blocked::Signal
        | Blocked::Barrier
        | Blocked::Semaphore
        | Blocked::Once
        | Blocked::Join => true,
        Blocked::Section | Blocked::Assumption | Blocked::Undefined(_) | Blocked::ThreadBound => false,
    }
}

/// Whether a thread may wait inside an atomic section. Where a section goes into a call or out of one, we say
/// that it may.
pub(super) fn may_wait_in_sections(program: &Program) -> bool {
    let begins = |loc: &Loc| program.effects(*loc).threads == Some(ThreadEffect::SectionBegin);
    let mut work: Vec<Loc> = program.locations().ids().filter(begins).collect();
    let mut seen = vec![false; program.locations().len()];
    while let Some(loc) = work.pop() {
        let effects = program.effects(loc);
        if effects.threads == Some(ThreadEffect::SectionEnd) {
            continue;
        }
        let leaves = matches!(effects.control, Control::Call(_) | Control::Return);
        if leaves || effects.waits.iter().any(is_for_others) {
            return true;
        }
        if !std::mem::replace(&mut seen[loc.index()], true) {
            work.extend(program.successors(loc));
        }
    }
    false
}
