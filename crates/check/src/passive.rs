//! Broadcasts and conditions over passive copies, by number.

use crate::index::{Landing, ThreadNo};
use crate::message::Message;
use crate::step::Stepper;
use crate::thread::{Change, ThreadState};
use crate::{Refused, Rejected};

/// A condition without a thread to ask is tried for all values of this many passive copies.
const MOST_UNKNOWNS: usize = 12;

/// All that a thread may do by one broadcast statement.
pub struct Broadcast {
    now: ThreadState,
    message: Message,
    /// What the active thread may choose.
    pub choices: Vec<Choice>,
}

/// One choice of the active thread.
pub struct Choice {
    next: ThreadState,
    /// Where the active thread is afterwards.
    pub landings: Vec<Landing>,
    /// Whether the condition may hold when there is nobody to ask.
    pub alone: bool,
}

impl Broadcast {
    /// The statement that leads from `now` to one of `after` with a message to the passive threads.
    pub fn new(
        stepper: &Stepper<'_>,
        now: ThreadState,
        after: Vec<ThreadState>,
        message: Message,
    ) -> Result<Broadcast, Refused> {
        let mut all = Broadcast { now, message, choices: vec![] };
        for next in after {
            let landings = stepper.landings(&next)?;
            let mut interpreter = stepper.interpreter();
            let change = Change { now: &all.now, next: &next };
            let alone = all.message.holds_alone(&mut interpreter, change, MOST_UNKNOWNS)?;
            all.choices.push(Choice { next, landings, alone });
        }
        Ok(all)
    }

    /// What a passive thread may become by a choice, unless the certificate has no number for something of
    /// that.
    pub fn reaction(
        &self,
        stepper: &Stepper<'_>,
        choice: &Choice,
        thread: ThreadNo,
    ) -> Result<Result<Vec<ThreadNo>, Rejected>, Refused> {
        let certificate = stepper.certificate;
        let old = certificate.abstract_thread(thread);
        let mut interpreter = stepper.interpreter();
        let kept = certificate.kept(&old).unwrap_or_default();
        let mut all = vec![];
        let change = Change { now: &self.now, next: &choice.next };
        for (_, outcome) in self.message.reactions(&mut interpreter, change, &old, kept)? {
            all.extend(certificate.numbers(&outcome, stepper.budget)?);
        }
        let all: Result<Vec<ThreadNo>, Rejected> = all.into_iter().collect();
        Ok(all.map(|mut outcomes| {
            outcomes.sort_unstable();
            outcomes.dedup();
            outcomes
        }))
    }
}
