//! What came out: figures for each engine, and the failures, of which the first of each sort are told in
//! full.

use super::Options;
use super::ask::{Failure, Kind, Response};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often a mode answers what, and what that took.
#[derive(Clone, Default)]
pub struct Tally {
    confirmed: u64,
    unchecked: u64,
    failing: u64,
    unknown: u64,
    refused: u64,
    time: Duration,
}

/// All figures.
pub struct Report {
    first: u64,
    programs: u64,
    nets: u64,
    left_out: u64,
    answers: u64,
    tallies: BTreeMap<String, Tally>,
    /// Failures by kind, engine and message: how many, and the first seed.
    failures: BTreeMap<(Kind, String, String), (u64, u64)>,
    shrunk: usize,
}

impl Report {
    /// Nothing yet.
    pub fn new(options: &Options) -> Report {
        Report {
            first: options.first,
            programs: 0,
            nets: 0,
            left_out: 0,
            answers: 0,
            tallies: BTreeMap::new(),
            failures: BTreeMap::new(),
            shrunk: options.shrink,
        }
    }

    /// Counts a program or a net.
    pub fn model(&mut self, net: bool, left_out: bool) {
        self.programs += u64::from(!net);
        self.nets += u64::from(net);
        self.left_out += u64::from(left_out);
        let done = self.programs + self.nets;
        if done.is_multiple_of(1000) {
            // Up to two programs may still be in work: the next run from here begins a little earlier.
            eprintln!("about {done} done, {} sorts of failures", self.failures.len());
        }
    }

    /// Counts an answer.
    pub fn answer(&mut self, engine: &str, response: Option<Response>, time: Duration) {
        self.answers += 1;
        if !self.tallies.contains_key(engine) {
            self.tallies.insert(engine.to_string(), Tally::default());
        }
        let tally = self.tallies.get_mut(engine).expect("it was put there");
        tally.time += time;
        match response {
            Some(Response::Confirmed) => tally.confirmed += 1,
            Some(Response::Unchecked) => tally.unchecked += 1,
            Some(Response::Unsafe) => tally.failing += 1,
            Some(Response::Unknown) => tally.unknown += 1,
            Some(Response::Refused) => tally.refused += 1,
            None => {}
        }
    }

    /// Counts a failure; whether its program is to be shrunk.
    pub fn failure(&mut self, seed: u64, failure: &Failure) -> bool {
        let who = failure.who.split([' ', ',']).next().unwrap_or_default().to_string();
        // Numbers in a message tell programs apart, not sorts of failures.
        let message: String = failure.message.chars().filter(|it| !it.is_ascii_digit()).take(60).collect();
        let entry = self.failures.entry((failure.kind, who, message)).or_insert((0, seed));
        entry.0 += 1;
        entry.1 = entry.1.min(seed);
        let shrinks = entry.0 == 1 && self.shrunk > 0;
        self.shrunk -= usize::from(shrinks);
        if entry.0 <= 3 {
            println!("FAILURE: seed {seed}, {:?}, {}: {}", failure.kind, failure.who, failure.message);
        }
        shrinks
    }

    /// Prints everything; gives the number of failures.
    pub fn finish(self, time: Duration) -> u64 {
        for (engine, it) in &self.tallies {
            println!(
                "{engine:<10} {:>7} safe and confirmed, {} unchecked, {} unsafe, {} unknown, {} not taken or not finished, {:.1} s",
                it.confirmed,
                it.unchecked,
                it.failing,
                it.unknown,
                it.refused,
                it.time.as_secs_f64()
            );
        }
        for ((kind, who, message), (count, seed)) in &self.failures {
            let after = seed - self.first + 1;
            println!(
                "{count:>7} x {kind:?}, {who}, first seen with program {after} (seed {seed}): {message}"
            );
        }
        let failures = self.failures.values().map(|it| it.0).sum();
        println!(
            "soak: {} programs and {} nets from seed {}, {} left out as too large, {} answers, {failures} failures, {:.0} s",
            self.programs,
            self.nets,
            self.first,
            self.left_out,
            self.answers,
            time.as_secs_f64()
        );
        failures
    }
}
