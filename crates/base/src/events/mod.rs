//! What an engine emits while it works: data, not sentences. The crate `report` words it, and nobody parses a
//! message back.

mod progress;
mod round;

pub use progress::Progress;
pub use round::{CheckedProgram, ClosureResult, Look, Opinion, Round, RuledOutBy, Taken};

use crate::source::Span;

/// Something worth telling.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// How far the work at hand is; the next one takes its place.
    Progress(Progress),
    /// A round of refinement, or a part of one, has ended: all of them are kept, with the time that each
    /// took.
    Round(Round),
    /// Something that the user should know and that changes no answer.
    Warning(Warning),
    /// A named counter with its final value.
    Counter {
        /// Who counted: an engine or a pass.
        who: &'static str,
        /// What was counted.
        name: &'static str,
        /// How many.
        value: u64,
    },
    /// A result on the way: no error with up to this many threads.
    SafeUpToThreads(u32),
    /// A result on the way: no error within this many rounds.
    SafeUpToRounds(u32),
    /// An engine that asks others found its answer with the help of this one.
    FoundBy(&'static str),
    /// Where threads stand in a state in which all of them wait for each other.
    Waiting(Vec<Option<Span>>),
    /// A proof comes without a certificate: why.
    NoCertificate(&'static str),
    /// What this many threads can look like together was worked out, and it is no proof.
    WidthReached(u32),
}

/// Something that the user should know and that changes no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A solver that was to cross-check path feasibility gave no answer.
    NoSecondOpinion {
        /// The paths without an answer.
        unanswered: u64,
        /// All paths that were asked about.
        paths: u64,
        /// What the solver did instead of answering, the first time.
        why: String,
    },
    /// The result of a pass could not be validated: a fault of the pass or of the validator. The pass is left
    /// out.
    PassRefused {
        /// The pass.
        pass: &'static str,
        /// What the validator says.
        why: String,
        /// Where.
        at: Option<Span>,
    },
}

/// Takes events.
pub trait Events: Send {
    /// Takes one event.
    fn emit(&mut self, event: Event);
}

/// Drops all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl Events for NoEvents {
    fn emit(&mut self, _: Event) {}
}

/// Keeps all events, for tests and for rendering afterwards.
impl Events for Vec<Event> {
    fn emit(&mut self, event: Event) {
        self.push(event);
    }
}
