//! The progress of a run: counters of passes and engines, and the best bounded result so far.

use base::{Event, Events};
use std::time::Instant;

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

    /// The same with an event taken into account.
    pub fn with(self, event: &Event) -> Best {
        let none = Best::default();
        self.or(match event {
            Event::SafeUpToThreads(threads) => Best { threads: Some(*threads), ..none },
            Event::SafeUpToRounds(rounds) => Best { rounds: Some(*rounds), ..none },
            Event::WidthReached(width) => Best { width: Some(*width), ..none },
            Event::Progress(_)
            | Event::Round(_)
            | Event::Warning(_)
            | Event::Counter { .. }
            | Event::FoundBy(_)
            | Event::Waiting(_)
            | Event::NoCertificate(_) => none,
        })
    }
}

/// Something that was told, and when.
pub struct ReportedEvent {
    /// What.
    pub event: Event,
    /// When, by the clock.
    pub at: Instant,
}

/// When an engine told something, in the time that engines share, and which engine.
type Stamp = (u64, &'static str);

/// What was told. Engines that work side by side go on until they hear that one of them has settled the
/// question; what they tell after that time must not count, or the same question would not always have the
/// same answer, counters included. How far it counts is known when all have ended.
#[derive(Default)]
pub struct Ledger {
    kept: Vec<ReportedEvent>,
    waiting: Vec<(Stamp, ReportedEvent)>,
}

impl Ledger {
    /// Keeps something that counts in any case.
    pub fn keep(&mut self, event: &Event) {
        self.kept.extend(reported(event));
    }

    /// Keeps what an engine tells until it is known whether it counts.
    pub fn wait(&mut self, stamp: Stamp, event: &Event) {
        self.waiting.extend(reported(event).map(|it| (stamp, it)));
    }

    /// What engines told up to this time counts, in the order of that time.
    pub fn close(&mut self, time: u64) {
        self.waiting.sort_by_key(|it| it.0);
        self.kept.extend(self.waiting.drain(..).filter(|it| it.0.0 <= time).map(|it| it.1));
    }

    /// All that counts: everything, where the work was stopped before it had an end.
    pub fn take(&mut self) -> Vec<ReportedEvent> {
        self.close(u64::MAX);
        std::mem::take(&mut self.kept)
    }
}

/// What is kept of an event: how far the work is does not matter afterwards.
fn reported(event: &Event) -> Option<ReportedEvent> {
    let matters = !matches!(event, Event::Progress(_));
    matters.then(|| ReportedEvent { event: event.clone(), at: Instant::now() })
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
            best = best.with(&event);
            counters.emit(event);
        }
        assert_eq!(best.threads, Some(3));
        assert_eq!(counters.0, [Counter { who: "a", name: "states", value: 5 }]);
    }

    #[test]
    fn what_is_told_too_late_does_not_count() {
        let safe = Event::SafeUpToThreads;
        let mut ledger = Ledger::default();
        ledger.wait((7, "one"), &safe(7));
        ledger.wait((8, "one"), &safe(8));
        ledger.keep(&safe(1));
        ledger.wait((2, "two"), &safe(2));
        ledger.close(7);
        ledger.wait((9, "one"), &safe(9));
        let reported: Vec<Event> = ledger.take().into_iter().map(|it| it.event).collect();
        assert_eq!(reported, [safe(1), safe(2), safe(7), safe(9)]);
    }
}
