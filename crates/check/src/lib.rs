//! The checker: the last word on all evidence. A trace is replayed on the reference semantics; a certificate
//! is read as a set of abstract states that must hold every start, be closed under every step and be free of
//! errors. States are listed here; those that are given by formulas have checkers of their own, which build
//! on this crate. No engine, pass or solver is used: a reader who trusts `base`, `ir` and this crate needs to
//! trust nobody else.

pub mod c;
mod closure;
pub mod describe;
pub mod enumerate;
pub mod index;
pub mod interpret;
pub mod logic;
pub mod message;
pub mod passive;
pub mod population;
mod reached;
mod replay;
pub mod rules;
pub mod step;
pub mod thread;
pub mod view_index;

use base::{Budget, Span, Stop};
use ir::certificate::Body;
use ir::{Certificate, Model, Scope, Task, Trace};
use std::fmt;
use view_index::ViewIndex;

pub use replay::{Replay, Run};

/// Why evidence is refused: which step, state or thread, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// Where in the source, if it is about a place.
    pub at: Option<Span>,
    /// Why.
    pub why: String,
}

impl Rejected {
    /// Refused for this reason.
    pub fn new(why: impl Into<String>) -> Rejected {
        Rejected { at: None, why: why.into() }
    }

    /// The same, about a place in the source.
    pub fn at(self, at: Option<Span>) -> Rejected {
        Rejected { at, ..self }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Rejected {}

/// Refuses evidence.
pub fn reject<T>(why: impl Into<String>) -> Result<T, Rejected> {
    Err(Rejected::new(why))
}

/// Why a certificate is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It is no proof.
    Rejected(Rejected),
    /// The budget ended before the check did.
    Stopped(Stop),
}

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Refused {
        Refused::Rejected(rejected)
    }
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Refused {
        Refused::Stopped(stop)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Rejected(rejected) => rejected.fmt(f),
            Refused::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

/// Replays a trace on the reference semantics, under the task's bound on threads; what was seen.
pub fn trace(task: &Task, trace: &Trace) -> Result<Replay, Rejected> {
    let bound = task.scope.threads.limit();
    match (&task.model, trace) {
        (Model::Program(program), Trace::Program(trace)) => replay::program(program, bound, trace),
        (Model::Net(net), Trace::Net(trace)) => replay::net(net, bound, trace),
        (Model::C(model), Trace::C(trace)) => c::replay(model.subject(trace), trace),
        (Model::Program(_), Trace::Net(_)) => reject("the trace is one of a net, the model is a program"),
        (_, Trace::C(_)) => reject("the trace is one of a C program, the model is not"),
        (Model::C(_), _) => reject("the trace is one of another model, which is a C program"),
        (Model::Net(_), Trace::Program(_)) => reject("the trace is one of a program, the model is a net"),
    }
}

/// Checks a certificate that lists what it speaks of; the scope that it proves, which is at least what it
/// claims.
pub fn certificate(task: &Task, certificate: &Certificate, budget: &Budget) -> Result<Scope, Refused> {
    let requested = task.scope.threads;
    let view = |program| ViewIndex::new(program, &certificate.view, budget);
    let proved = match (&task.model, &certificate.body) {
        (Model::Program(program), Body::Reached(body)) => {
            reached::program(view(program)?, body, requested, budget)?
        }
        (Model::Net(net), Body::ReachedMarkings(body)) => reached::net(net, body, requested, budget)?,
        (Model::Program(program), Body::Closure(body)) => closure::program(view(program)?, body, budget)?,
        (Model::Net(net), Body::TokenClosure(body)) => closure::net(net, body, budget)?,
        (Model::C(model), Body::States(body)) => c::states::check(model, certificate.scope, body, budget)?,
        (Model::Program(_), _) => return Ok(reject("the certificate lists nothing about a program")?),
        (Model::C(_), _) => return Ok(reject("the certificate lists nothing about a C program")?),
        (Model::Net(_), _) => return Ok(reject("the certificate is one of a program, the model is a net")?),
    };
    Ok(claims(certificate, proved)?)
}

/// That a certificate claims no more than it proves; what it proves.
pub fn claims(certificate: &Certificate, proved: Scope) -> Result<Scope, Rejected> {
    if proved.covers(certificate.scope) {
        return Ok(proved);
    }
    reject(format!("the certificate claims {}, but it proves {proved}", certificate.scope))
}

/// Says where something was refused.
pub fn within(context: &str, refused: impl Into<Refused>) -> Refused {
    match refused.into() {
        Refused::Rejected(Rejected { at, why }) => Rejected { at, why: format!("{context}: {why}") }.into(),
        stopped => stopped,
    }
}
