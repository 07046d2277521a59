//! States in which threads wait for each other and nobody can ever step again.

use super::search::RunStates;
use super::state::GlobalState;
use super::step::TriedStep;
use c::{Blocked, Loc};

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
