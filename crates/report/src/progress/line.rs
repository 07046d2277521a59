//! The line that shows progress, in words and as JSON (`selvedge-progress/1`, `docs/batch.md`): what is being
//! done, how far it is, and how fast.

use super::line;
use crate::document::Document;
use crate::verdict::counted;
use base::{Event, Progress, Round};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the JSON lines say that they are.
const SCHEMA: &str = "selvedge-progress/1";

/// Follows events and says where the work is.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    states: States,
    predicates: Option<u64>,
    refinements: u64,
}

/// How fast states are found. Events come in bursts, so the rate is that of a while.
#[derive(Clone, Copy, Debug, Default)]
struct States {
    /// The last event.
    threads: u32,
    states: u64,
    /// All states so far, with any bound on threads.
    all: u64,
    /// When the rate was taken last, and all states by then.
    since: f64,
    before: u64,
    per_second: Option<u64>,
}

/// A rate is taken after this time, in seconds.
const WHILE: f64 = 0.5;

/// Where the work is.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgressLine {
    /// What is being done, in one word.
    pub activity: &'static str,
    /// The same in words, with how far it is.
    pub text: String,
    numbers: BTreeMap<&'static str, u64>,
}

/// A line as JSON.
#[derive(Serialize)]
struct LineJson<'a> {
    schema: &'static str,
    time_seconds: f64,
    memory_bytes: Option<u64>,
    activity: &'static str,
    text: &'a str,
    #[serde(flatten)]
    numbers: &'a BTreeMap<&'static str, u64>,
}

impl Tracker {
    /// Takes an event that came after this time; where the work is, if the event says it.
    pub fn take(&mut self, event: &Event, seconds: f64) -> Option<ProgressLine> {
        let (activity, mut numbers) = match event {
            Event::Progress(progress) => {
                self.follow(progress, seconds);
                numbers(progress)
            }
            Event::Round(round) => {
                self.refine(round);
                ("refining", vec![])
            }
            _ => return None,
        };
        if activity == "states" {
            let rate = self.states.per_second;
            numbers.extend(rate.map(|it| ("states_per_second", it)));
        }
        numbers.extend(self.predicates.map(|it| ("predicates", it)));
        numbers.extend((self.refinements > 0).then_some(("refinements", self.refinements)));
        let text = line(event)?;
        Some(ProgressLine { activity, text, numbers: numbers.into_iter().collect() })
    }

    /// Counts states; those with another bound on threads are other states.
    fn follow(&mut self, progress: &Progress, seconds: f64) {
        let Progress::States { threads, states } = *progress else { return };
        let it = &mut self.states;
        let goes_on = it.threads == threads && it.states <= states;
        it.all += if goes_on { states - it.states } else { states };
        (it.threads, it.states) = (threads, states);
        let time = seconds - it.since;
        if time >= WHILE {
            it.per_second = Some(((it.all - it.before) as f64 / time) as u64);
            (it.since, it.before) = (seconds, it.all);
        }
    }

    fn refine(&mut self, round: &Round) {
        match round {
            Round::Closure { predicates, .. } | Round::Abstracted { predicates, .. } => {
                self.predicates = Some(*predicates as u64);
            }
            Round::RuledOut(_) => self.refinements += 1,
            _ => {}
        }
    }
}

impl ProgressLine {
    /// In words, with the memory that is held.
    pub fn words(&self, memory: Option<u64>) -> String {
        let mut text = self.text.clone();
        if let Some(rate) = self.numbers.get("states_per_second") {
            text.push_str(&format!(", {rate} states/s"));
        }
        for (name, unit) in [("predicates", "predicate"), ("refinements", "refinement")] {
            let is_worded = self.activity == "refining" && name == "predicates";
            if let Some(number) = self.numbers.get(name).filter(|_| !is_worded) {
                text.push_str(&format!(", {}", counted(*number as usize, unit)));
            }
        }
        if let Some(bytes) = memory {
            text.push_str(&format!(", {} MiB", bytes >> 20));
        }
        text
    }

    /// As one JSON object on one line.
    pub fn json(&self, seconds: f64, memory: Option<u64>) -> Document {
        let line = LineJson {
            schema: SCHEMA,
            time_seconds: (seconds * 1e3).round() / 1e3,
            memory_bytes: memory,
            activity: self.activity,
            text: &self.text,
            numbers: &self.numbers,
        };
        let mut line = serde_json::to_string(&line).expect("plain data can always be written");
        line.push('\n');
        Document::Data(line)
    }
}

/// What is being done, in one word, and the numbers of it.
fn numbers(progress: &Progress) -> (&'static str, Vec<(&'static str, u64)>) {
    match *progress {
        Progress::Reading { .. } => ("reading", vec![]),
        Progress::Preparing => ("preparing", vec![]),
        Progress::Starting { .. } => ("starting", vec![]),
        Progress::Lowering => ("lowering", vec![]),
        Progress::Checking => ("checking", vec![]),
        Progress::VariableOrder(_) => ("ordering", vec![]),
        Progress::States { threads, states } => {
            ("states", vec![("threads", u64::from(threads)), ("states", states)])
        }
        Progress::SymbolicStates { states, nodes } => {
            ("symbolic-states", vec![("states", states as u64), ("nodes", nodes as u64)])
        }
        Progress::Schedules { rounds, threads, walks } => {
            let numbers = [("rounds", rounds), ("threads", threads), ("walks", walks)];
            ("schedules", numbers.map(|(name, number)| (name, u64::from(number))).to_vec())
        }
        Progress::Tuples { width, tuples } | Progress::Closed { width, tuples } => {
            ("tuples", vec![("width", width as u64), ("tuples", tuples as u64)])
        }
        Progress::Classes { width, classes } => {
            ("classes", vec![("width", width as u64), ("classes", classes as u64)])
        }
        Progress::ClosedClasses { width, tuples } => {
            ("classes", vec![("width", width as u64), ("tuples", tuples as u64)])
        }
        Progress::Saturation { round, sets } => ("saturation", vec![("round", round), ("sets", sets as u64)]),
        Progress::Basis { minimal, all, waiting } => {
            ("basis", vec![("minimal", minimal as u64), ("all", all as u64), ("waiting", waiting as u64)])
        }
        Progress::ElementSets { sets, popped, waiting } => (
            "element-sets",
            vec![("sets", sets as u64), ("popped", popped as u64), ("waiting", waiting as u64)],
        ),
        Progress::Fixpoint { rounds, relations, rules, nodes } => {
            let numbers = [("rounds", rounds), ("relations", relations), ("rules", rules), ("nodes", nodes)];
            ("fixpoint", numbers.map(|(name, number)| (name, number as u64)).to_vec())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Paint;
    use base::events::{RuledOutBy, Taken};

    fn states(threads: u32, states: u64) -> Event {
        Event::Progress(Progress::States { threads, states })
    }

    #[test]
    fn the_rate_is_that_of_a_while() {
        let mut tracker = Tracker::default();
        let mut shown =
            |event: Event, seconds: f64| tracker.take(&event, seconds).map(|it| it.words(Some(5 << 20)));
        assert_eq!(shown(states(2, 100), 0.1).as_deref(), Some("2 threads, 100 states, 5 MiB"));
        assert_eq!(
            shown(states(2, 1000), 0.5).as_deref(),
            Some("2 threads, 1000 states, 2000 states/s, 5 MiB")
        );
        assert_eq!(shown(states(3, 10), 0.51).as_deref(), Some("3 threads, 10 states, 2000 states/s, 5 MiB"));
        assert_eq!(shown(states(3, 490), 1.0).as_deref(), Some("3 threads, 490 states, 980 states/s, 5 MiB"));
        assert_eq!(shown(Event::SafeUpToThreads(2), 2.0), None);
        let by = RuledOutBy::Predicates { from: "a path", taken: Taken::Alone };
        assert!(
            shown(Event::Round(Round::RuledOut(by)), 3.0)
                .is_some_and(|it| it.ends_with(", 1 refinement, 5 MiB"))
        );
    }

    #[test]
    fn a_line_is_one_object() {
        let line = Tracker::default().take(&states(2, 7), 0.5).expect("it says where the work is");
        let json = line.json(0.5, Some(1024)).render(Paint::Plain);
        let expected = "{\"schema\":\"selvedge-progress/1\",\"time_seconds\":0.5,\"memory_bytes\":1024,\"activity\":\"states\",\
                        \"text\":\"2 threads, 7 states\",\"states\":7,\"states_per_second\":14,\"threads\":2}\n";
        assert_eq!(json, expected);
    }
}
