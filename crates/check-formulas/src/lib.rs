//! Checkers whose proof obligations are formulas, or which build on the rules of the listing checkers: sets
//! of states by formulas, closures over classes, summaries and games. They ask a SAT solver of their own
//! ([`sat`]), and believe it only where it says that a formula has a model: when it says that there is none,
//! it writes a proof, and [`proof`] checks every step of it. Nothing of the engines' side is used.

pub mod c;
mod classes;
mod places;
pub mod proof;
mod rounds;
pub mod sat;
mod summaries;
mod symbolic;

use base::Budget;
use check::Refused;
use check::view_index::ViewIndex;
use ir::certificate::Body;
use ir::{Certificate, Model, Scope, Task};

/// Who checks a certificate, and so what is believed when it is confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checker {
    /// The kernel, `check`, alone.
    Kernel,
    /// The kernel and a checker of this crate.
    Formulas,
}

impl Checker {
    /// Who checks certificates of this kind.
    pub fn of(body: &Body) -> Checker {
        match body {
            Body::Symbolic(_)
            | Body::ClassClosure(_)
            | Body::Summaries(_)
            | Body::Game(_)
            | Body::Predicates(_)
            | Body::Order(_) => Checker::Formulas,
            Body::TokenClosure(closure) if !closure.classes.is_empty() => Checker::Formulas,
            Body::Reached(_)
            | Body::ReachedMarkings(_)
            | Body::Closure(_)
            | Body::TokenClosure(_)
            | Body::States(_) => Checker::Kernel,
        }
    }

    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Checker::Kernel => "kernel",
            Checker::Formulas => "formulas",
        }
    }
}

/// Checks a certificate of any kind; the scope that it proves, which is at least what it claims.
pub fn certificate(task: &Task, certificate: &Certificate, budget: &Budget) -> Result<Scope, Refused> {
    let program = match (&task.model, &certificate.body) {
        (Model::Program(program), _) => program,
        (Model::C(model), Body::Predicates(_) | Body::Order(_)) if model.machine.leaks.matter() => {
            return Ok(check::reject("such a proof is not about leaks")?);
        }
        (Model::C(model), Body::Predicates(_)) if model.machine.deadlocks.matter() => {
            return Ok(check::reject("such a proof is not about deadlocks")?);
        }
        (Model::C(model), Body::Predicates(body)) => {
            c::about(model, &body.proof, budget)?;
            return Ok(check::claims(certificate, Scope::ANY)?);
        }
        (Model::C(model), Body::Order(_)) if !model.machine.deadlocks.matter() => {
            return Ok(check::reject("such a proof is about deadlocks")?);
        }
        (Model::C(model), Body::Order(body)) => {
            c::order::waits(model, body, budget)?;
            return Ok(check::claims(certificate, Scope::ANY)?);
        }
        (Model::C(_), _) => return check::certificate(task, certificate, budget),
        (Model::Net(net), Body::TokenClosure(closure)) if !closure.classes.is_empty() => {
            return places::check(task, net, certificate, closure, budget);
        }
        (Model::Net(_), _) => return check::certificate(task, certificate, budget),
    };
    let view = || ViewIndex::new(program, &certificate.view, budget);
    let proved = match &certificate.body {
        Body::Symbolic(body) => symbolic::check(view()?, body, task.scope.threads, budget)?,
        Body::ClassClosure(body) => classes::check(view()?, body, budget)?,
        Body::Summaries(body) => summaries::check(view()?, body, budget)?,
        Body::Game(body) => rounds::check(view()?, body, budget)?,
        _ => return check::certificate(task, certificate, budget),
    };
    Ok(check::claims(certificate, proved)?)
}
