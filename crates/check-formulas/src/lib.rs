//! Checkers whose proof obligations are formulas, or which build on the rules of the listing checkers: sets of states by formulas,
//! closures over classes, summaries and games. They ask a SAT solver of their own ([`sat`]), and believe it only where it says that
//! a formula has a model: when it says that there is none, it writes a proof, and [`proof`] checks every step of it. Nothing of the
//! engines' side is used.

pub mod c;
mod classes;
pub mod proof;
mod rounds;
pub mod sat;
mod summaries;
mod symbolic;

use base::Budget;
use check::Refused;
use ir::certificate::Body;
use ir::{Certificate, Model, Scope, Task};

/// Checks a certificate of any kind; the scope that it proves, which is at least what it claims.
pub fn certificate(task: &Task, certificate: &Certificate, budget: &Budget) -> Result<Scope, Refused> {
    let Model::Program(program) = &task.model else {
        return check::certificate(task, certificate, budget);
    };
    let proved = match &certificate.body {
        Body::Symbolic(body) => symbolic::check(program, body, task.scope.threads, budget)?,
        Body::ClassClosure(body) => classes::check(program, body, budget)?,
        Body::Summaries(body) => summaries::check(program, body, budget)?,
        Body::Game(body) => rounds::check(program, body, budget)?,
        Body::Reached(_) | Body::Closure(_) | Body::ReachedMarkings(_) | Body::TokenClosure(_) => {
            return check::certificate(task, certificate, budget);
        }
    };
    Ok(check::claims(certificate, proved)?)
}
