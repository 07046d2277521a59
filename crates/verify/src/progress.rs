//! The progress of a run: counters of passes and engines, and the best bounded result so far.

use base::{Event, Events};

/// A counter of an engine or a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Who counted.
    pub who: &'static str,
    /// What was counted.
    pub name: &'static str,
    /// How many.
    pub value: u64,
}

/// What is known though there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Best {
    /// No error with up to this many threads.
    pub threads: Option<u32>,
    /// No error within this many rounds.
    pub rounds: Option<u32>,
    /// What this many threads can look like together is no proof.
    pub width: Option<u32>,
}

impl Best {
    /// What is known by either.
    pub fn or(self, other: Best) -> Best {
        Best {
            threads: self.threads.max(other.threads),
            rounds: self.rounds.max(other.rounds),
            width: self.width.max(other.width),
        }
    }

    /// Takes an event into account.
    pub fn note(&mut self, event: &Event) {
        match event {
            Event::SafeUpToThreads(n) => self.threads = self.threads.max(Some(*n)),
            Event::SafeUpToRounds(n) => self.rounds = self.rounds.max(Some(*n)),
            Event::WidthReached(width) => self.width = self.width.max(Some(*width)),
            Event::Progress(_)
            | Event::Round(_)
            | Event::Warning(_)
            | Event::Counter { .. }
            | Event::FoundBy(_)
            | Event::Waiting(_)
            | Event::NoCertificate(_) => {}
        }
    }
}

/// The counters that were told, in the order in which they were first told; a later value replaces an earlier
/// one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counters(pub Vec<Counter>);

impl Events for Counters {
    fn emit(&mut self, event: Event) {
        let Event::Counter { who, name, value } = event else { return };
        match self.0.iter_mut().find(|it| (it.who, it.name) == (who, name)) {
            Some(counter) => counter.value = value,
            None => self.0.push(Counter { who, name, value }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_result_and_the_last_value_stay() {
        let (mut best, mut counters) = (Best::default(), Counters::default());
        let states = |value| Event::Counter { who: "a", name: "states", value };
        for event in [Event::SafeUpToThreads(3), Event::SafeUpToThreads(2), states(1), states(5)] {
            best.note(&event);
            counters.emit(event);
        }
        assert_eq!(best.threads, Some(3));
        assert_eq!(counters.0, [Counter { who: "a", name: "states", value: 5 }]);
    }
}
