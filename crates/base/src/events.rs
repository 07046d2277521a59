//! What an engine tells while it works. Who listens decides how it looks.

use crate::source::Span;

/// Something worth telling.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A short line about the work at hand, such as `3 threads, 12 000 states`.
    Progress(String),
    /// A round of work has ended, and what came of it: whoever wants to see every round hears it all.
    Round(String),
    /// Something that the user should know and that changes no answer.
    Warning(String),
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
    /// What so many threads can look like together was worked out, and it is no proof.
    WidthReached(u32),
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
