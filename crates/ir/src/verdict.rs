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
    /// All of them.
    pub const ALL: [ReasonKind; 12] = [
        ReasonKind::Time,
        ReasonKind::Memory,
        ReasonKind::Ticks,
        ReasonKind::Interrupted,
        ReasonKind::Bound,
        ReasonKind::Suspect,
        ReasonKind::Refinement,
        ReasonKind::Unsupported,
        ReasonKind::NonMonotone,
        ReasonKind::Approximation,
        ReasonKind::Rejected,
        ReasonKind::Fault,
    ];

    /// What it means to the user, and what to do about it.
    pub fn meaning(self) -> &'static str {
        match self {
            ReasonKind::Time => {
                "The time limit was reached. A longer `--timeout` may help, or fewer threads (`--threads N`): what was \
                 proved on the way is shown behind the reason."
            }
            ReasonKind::Memory => {
                "The memory limit was reached: that of `--memory`, 80 % of the machine, or a limit of the system \
                 (`ulimit -v`). A limit on threads (`--threads N`) makes the search smaller."
            }
            ReasonKind::Ticks => {
                "An engine has spent the ticks that it was given, such as those of a small search. Ticks count work \
                 and do not depend on the clock; `selvedge engines` lists the options that set them."
            }
            ReasonKind::Interrupted => "The run was ended from outside, by Ctrl-C or another signal.",
            ReasonKind::Bound => {
                "Something was proved, but for less than was asked: for fewer threads or rounds. What was proved is \
                 shown behind the reason; it answers the question with `--threads N`."
            }
            ReasonKind::Suspect => {
                "An over-approximation reaches an error that could not be confirmed as a run of the program, so it \
                 may not be one. No alarm is raised on it. Another engine or a larger `--width` may decide."
            }
            ReasonKind::Refinement => {
                "A spurious counterexample could not be ruled out: no new predicates were found. Predicates of your \
                 own may help (`--predicate`)."
            }
            ReasonKind::Unsupported => {
                "No engine that was asked takes this program, or a run reaches a construct that is not supported; \
                 the message says which and where. Nothing that is not understood is skipped."
            }
            ReasonKind::NonMonotone => {
                "The engine needs a program in which more threads can do all that fewer can, and this one, by \
                 broadcasts or by counting threads, is not of that kind. Other engines take it."
            }
            ReasonKind::Approximation => {
                "An error depends on a value of a library function that is only approximated, so it may not be one. \
                 The message names the function; a definition of your own (`--with FILE.c`) takes its place."
            }
            ReasonKind::Rejected => {
                "An engine found something and the checker did not agree. No answer is given on it. It is a fault of \
                 Selvedge: please report it with the file and the options."
            }
            ReasonKind::Fault => {
                "An internal fault of Selvedge, with exit code 6. Please report it with the file, the options and \
                 what stands on standard error."
            }
        }
    }

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
