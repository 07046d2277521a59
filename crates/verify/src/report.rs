//! The answer as `verify` gives it: a verdict that was confirmed or says that it was not, with everything a user may ask about it.

use crate::supervise::Counter;
use base::{Diagnostic, SourceMap};
use ir::{Certificate, Model, Reason, Scope, Trace};
use std::time::Duration;

/// Whether a checker that shares no code with the engines agreed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// It did.
    Confirmed,
    /// There was no certificate, or no time to check it.
    Unchecked,
}

impl Outcome {
    /// Whether it is a proof that nobody has checked.
    pub fn is_unchecked(&self) -> bool {
        matches!(self, Outcome::Safe { evidence: Evidence::Unchecked, .. })
    }
}

impl Evidence {
    /// The word in the contract.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Confirmed => "confirmed",
            Evidence::Unchecked => "unchecked",
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The file cannot be used; the diagnostics say why.
    BadInput,
    /// No error within `scope`, which covers what was asked.
    Safe {
        /// How far the proof reaches.
        scope: Scope,
        /// Whether it was confirmed.
        evidence: Evidence,
        /// The proof, about the user's file.
        certificate: Option<Certificate>,
        /// Why it was not confirmed, if it was not.
        why_unchecked: Option<String>,
    },
    /// An error; the trace was replayed on the user's file.
    Unsafe {
        /// The run into the error.
        trace: Trace,
        /// The most threads that are alive at once in it.
        threads: u32,
    },
    /// No answer.
    Unknown(Reason),
}

/// What is known though there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Best {
    /// No error with up to so many threads.
    pub threads: Option<u32>,
    /// No error within so many rounds.
    pub rounds: Option<u32>,
    /// What so many threads can look like together is no proof.
    pub width: Option<u32>,
}

/// All about one file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file's name.
    pub name: String,
    /// The texts that places refer to.
    pub sources: SourceMap,
    /// What was found while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read.
    pub model: Option<Model>,
    /// What was asked.
    pub asked: Scope,
    /// What came out.
    pub outcome: Outcome,
    /// Who found it.
    pub engine: Option<&'static str>,
    /// What is known though there is no answer.
    pub best: Best,
    /// The counters of passes and engines.
    pub counters: Vec<Counter>,
    /// How long it took.
    pub time: Duration,
    /// The most memory that was held, if that is known.
    pub peak_memory: Option<u64>,
}
