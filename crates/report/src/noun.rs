//! How many threads: in the words of the file that is spoken of. A Petri net has tokens, not threads, and a
//! run may create more threads than are ever alive at once.

use crate::verdict::counted;
use ir::{Bound, Model, Scope, Trace};
use verify::{Report, Source};

/// What is counted in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noun {
    /// Threads.
    Thread,
    /// Tokens of a net whose places have names; those of a transition system are threads in numbered states.
    Token,
}

impl Noun {
    /// What is counted in the file of a report.
    pub fn of(report: &Report) -> Noun {
        report.source.as_ref().map(Source::model).as_ref().map_or(Noun::Thread, Noun::of_model)
    }

    /// What is counted in a model.
    pub fn of_model(model: &Model) -> Noun {
        let numbered = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        match model {
            Model::Net(net) if net.places().iter().any(|place| !numbered(&place.name)) => Noun::Token,
            _ => Noun::Thread,
        }
    }

    /// The word for one.
    pub fn word(self) -> &'static str {
        match self {
            Noun::Thread => "thread",
            Noun::Token => "token",
        }
    }

    /// A scope in words.
    pub fn scope(self, scope: Scope) -> String {
        match (self, scope.threads) {
            (Noun::Thread, _) => scope.to_string(),
            (Noun::Token, Bound::Any) => "any number of tokens".to_string(),
            (Noun::Token, Bound::AtMost(1)) => "one token".to_string(),
            (Noun::Token, Bound::AtMost(n)) => format!("up to {n} tokens"),
        }
    }

    /// The same text, with this word for what is counted.
    pub fn reword(self, text: &str) -> String {
        match self {
            Noun::Thread => text.to_string(),
            Noun::Token => text.replace("thread", "token"),
        }
    }

    /// `3 threads`, or `3 threads at once (5 in all)` where the run creates more than are alive together.
    pub fn needed(self, at_once: u32, trace: &Trace) -> String {
        let (at_once, all) = (at_once as usize, in_all(trace));
        let counted = counted(at_once, self.word());
        if all > at_once { format!("{counted} at once ({all} in all)") } else { counted }
    }
}

/// All threads of a run.
fn in_all(trace: &Trace) -> usize {
    match trace {
        Trace::Program(trace) => {
            trace.start.threads.len() + trace.steps.iter().map(|step| step.births.len()).sum::<usize>()
        }
        Trace::C(trace) => 1 + trace.steps.iter().filter(|step| step.created.is_some()).count(),
        Trace::Net(_) => 0,
    }
}
