//! What threads do to the shared variables and to sections, as other threads see it.

use super::StateKey;
use check::Refused;
use check::index::SharedNo;
use check::step::Stepper;
use check::thread::slot;
use ir::bp::Values;
use ir::certificate::Who;
use std::collections::{BTreeSet, HashMap};

/// The locks that a thread owns for certain.
type Owned = Vec<usize>;

/// The shared variables, and whether somebody is inside a section.
type Visible = (SharedNo, bool);

/// By what others see before: who does it, which locks that thread owns, and what they see after.
#[derive(Default)]
pub struct Effects(HashMap<Visible, BTreeSet<(Who, Owned, Visible)>>);

impl Effects {
    /// Notes a step of the thread in `key`.
    pub fn add(&mut self, stepper: &Stepper<'_>, key: StateKey, after: Visible) {
        let before = (key.shared, key.busy);
        if key.who != Who::Init && before != after {
            self.0.entry(before).or_default().insert((key.who, owned(stepper, key), after));
        }
    }

    /// What may happen to the thread in `key`: no two threads own one lock, and there is one first thread.
    pub fn on(&self, stepper: &Stepper<'_>, key: StateKey) -> Result<Vec<Visible>, Refused> {
        let mut all = vec![];
        let Some(effects) = self.0.get(&(key.shared, key.busy)) else { return Ok(all) };
        let own = owned(stepper, key);
        for (who, locks, after) in effects {
            stepper.budget.spend(1)?;
            let itself = *who == Who::First && key.who == Who::First;
            if !itself && !locks.iter().any(|lock| own.contains(lock)) {
                all.push(*after);
            }
        }
        Ok(all)
    }
}

fn owned(stepper: &Stepper<'_>, key: StateKey) -> Owned {
    let (program, abstract_thread) =
        (stepper.certificate.program, stepper.certificate.abstract_thread(key.thread));
    let owns = |lock: &ir::bp::Lock| {
        abstract_thread.get(slot(program, abstract_thread.depth(), lock.owner)) == Values::TRUE
    };
    program.locks().iter().enumerate().filter(|(_, lock)| owns(lock)).map(|(index, _)| index).collect()
}
