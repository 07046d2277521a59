//! The answer.

use crate::certificate::Certificate;
use crate::task::Scope;
use crate::trace::Trace;
use base::{Span, Stop};

/// Why there is no answer, in one word; the words are part of the contract with the user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReasonKind {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The tick limit.
    Ticks,
    /// The user.
    Interrupted,
    /// A bound was proved, more was asked.
    Bound,
    /// An over-approximation found an error that may not be real.
    Suspect,
    /// No refinement rules the error out.
    Refinement,
    /// The engine cannot take such an input.
    Unsupported,
    /// The engine needs a monotone program.
    NonMonotone,
    /// An error depends on a value that is only approximated.
    Approximation,
    /// The checker refused the evidence.
    Rejected,
    /// A fault of the tool.
    Fault,
}

impl ReasonKind {
    /// The word in the contract.
    pub fn word(self) -> &'static str {
        match self {
            ReasonKind::Time => "time",
            ReasonKind::Memory => "memory",
            ReasonKind::Ticks => "ticks",
            ReasonKind::Interrupted => "interrupted",
            ReasonKind::Bound => "bound",
            ReasonKind::Suspect => "suspect",
            ReasonKind::Refinement => "refinement",
            ReasonKind::Unsupported => "unsupported",
            ReasonKind::NonMonotone => "non-monotone",
            ReasonKind::Approximation => "approximation",
            ReasonKind::Rejected => "rejected",
            ReasonKind::Fault => "fault",
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// In one word.
    pub kind: ReasonKind,
    /// In a sentence; where it is about a place, what is there.
    pub message: String,
    /// The place that it is about, if it is about one.
    pub span: Option<Span>,
}

impl Reason {
    /// A reason.
    pub fn new(kind: ReasonKind, message: impl Into<String>) -> Reason {
        Reason { kind, message: message.into(), span: None }
    }
}

/// Why an engine does not know.
#[derive(Clone, Debug)]
pub enum Why<T = Trace> {
    /// The budget ended.
    Stopped(Stop),
    /// An over-approximation reaches an error; the trace, if any, may not be real.
    Suspect(Option<T>),
    /// Proved, but for less than was asked.
    OutOfScope(Scope),
    /// Anything else, with its reason.
    Because(Reason),
}

/// The answer of an engine.
#[derive(Clone, Debug)]
pub enum Verdict<T = Trace, C = Certificate> {
    /// No error within the scope.
    Safe {
        /// How far the proof reaches.
        scope: Scope,
        /// The proof; `None` is printed "unchecked".
        certificate: Option<C>,
    },
    /// An error; the trace can be replayed.
    Unsafe(T),
    /// No answer.
    Unknown(Why<T>),
}
