//! Broadcasts and conditions over passive copies, by number: what each passive thread may become is worked out once for each choice
//! of the active thread.

use super::chart::{Landing, ThreadNo};
use super::step::Stepper;
use crate::figure::Scene;
use crate::message::Message;
use crate::{Refused, Rejected};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A condition without a thread to ask is tried for all values of so many passive copies.
const MOST_UNKNOWNS: usize = 12;

/// All that a thread may do by one broadcast statement.
pub struct Broadcast {
    now: Scene,
    message: Message,
    /// What the active thread may choose.
    pub choices: Vec<Choice>,
}

/// One choice of the active thread.
pub struct Choice {
    next: Scene,
    /// Where the active thread is afterwards.
    pub landings: Vec<Landing>,
    /// Whether the condition may hold when there is nobody to ask.
    pub alone: bool,
    reactions: RefCell<HashMap<ThreadNo, Rc<Reaction>>>,
}

/// What a passive thread may become by a choice.
#[derive(Default)]
pub struct Reaction {
    /// Whether the condition speaks of this thread.
    pub asked: bool,
    /// What it may become.
    pub outcomes: Vec<ThreadNo>,
    /// Why the certificate has no number for something that it may become.
    pub missing: Option<Rejected>,
}

impl Broadcast {
    /// The statement that leads from `now` to one of `after` with a message to the passive threads.
    pub fn new(
        stepper: &Stepper<'_>,
        now: Scene,
        after: Vec<Scene>,
        message: Message,
    ) -> Result<Broadcast, Refused> {
        let mut all = Broadcast { now, message, choices: vec![] };
        for next in after {
            let landings = stepper.landings(&next)?;
            let mut interpreter = stepper.interpreter();
            let alone = all.message.holds_alone(&mut interpreter, (&all.now, &next), MOST_UNKNOWNS)?;
            all.choices.push(Choice { next, landings, alone, reactions: RefCell::default() });
        }
        Ok(all)
    }

    /// What a passive thread may become by a choice.
    pub fn reaction(
        &self,
        stepper: &Stepper<'_>,
        choice: &Choice,
        thread: ThreadNo,
    ) -> Result<Rc<Reaction>, Refused> {
        if let Some(known) = choice.reactions.borrow().get(&thread) {
            return Ok(known.clone());
        }
        let reaction = Rc::new(self.react(stepper, choice, thread)?);
        choice.reactions.borrow_mut().insert(thread, reaction.clone());
        Ok(reaction)
    }

    fn react(&self, stepper: &Stepper<'_>, choice: &Choice, thread: ThreadNo) -> Result<Reaction, Refused> {
        let chart = stepper.chart;
        let old = chart.figure(thread);
        let mut interpreter = stepper.interpreter();
        let kept = chart.kept(&old).unwrap_or_default();
        let outcomes = self.message.reactions(&mut interpreter, (&self.now, &choice.next), &old, kept)?;
        let mut reaction = Reaction { asked: self.message.asks(chart.program, &old), ..Reaction::default() };
        for (_, outcome) in outcomes {
            for number in chart.numbers(&outcome, stepper.budget)? {
                match number {
                    Ok(number) => reaction.outcomes.push(number),
                    Err(why) => reaction.missing = Some(why),
                }
            }
        }
        reaction.outcomes.sort_unstable();
        reaction.outcomes.dedup();
        Ok(reaction)
    }
}
