//! The ways back of the passes.

use crate::guide;
use crate::origin::{Origin, Passed, lift_view};
use ir::bp::{ExprId, Op, Program};
use ir::certificate::{Body, Certificate, View};
use ir::trace::ProgramTrace;
use ir::{Lift, certificate};

/// The way back along an [`Origin`], over one pass or several: traces by one guided replay, certificates by renaming.
#[derive(Debug)]
pub struct Guided {
    original: Program,
    prepared: Program,
    origin: Origin,
}

impl Guided {
    /// The way back to `original` from what passes made of it.
    pub fn new(original: &Program, passed: &Passed) -> Self {
        Guided { original: original.clone(), prepared: passed.program.clone(), origin: passed.origin.clone() }
    }

    /// The same view of the original program; see [`lift_view`].
    pub fn view(&self, view: &View) -> Option<View> {
        lift_view(&self.original, &self.prepared, &self.origin, view)
    }
}

impl Lift for Guided {
    type From = ProgramTrace;
    type To = ProgramTrace;

    fn trace(&self, trace: ProgramTrace) -> Result<ProgramTrace, String> {
        guide::replay(&self.original, &self.prepared, &self.origin, &trace)
    }

    fn certificate(&self, certificate: Certificate) -> Option<Certificate> {
        let body = match certificate.body {
            Body::Reached(reached) => {
                Body::Reached(certificate::Reached { view: self.view(&reached.view)?, ..reached })
            }
            Body::Symbolic(symbolic) => {
                Body::Symbolic(certificate::Symbolic { view: self.view(&symbolic.view)?, ..symbolic })
            }
            Body::Closure(closure) => {
                Body::Closure(certificate::Closure { view: self.view(&closure.view)?, ..closure })
            }
            Body::ClassClosure(closure) => {
                Body::ClassClosure(certificate::ClassClosure { view: self.view(&closure.view)?, ..closure })
            }
            // What threads look like one by one does not show steps that change or ask others, whatever the pass made of them.
            Body::Summaries(_) | Body::Game(_) if addresses_others(&self.original) => return None,
            Body::Summaries(summaries) => {
                Body::Summaries(certificate::Summaries { view: self.view(&summaries.view)?, ..summaries })
            }
            Body::Game(game) => {
                Body::Game(Box::new(certificate::Game { view: self.view(&game.view)?, ..*game }))
            }
            Body::ReachedMarkings(_) | Body::TokenClosure(_) => return None,
        };
        Some(Certificate { body, ..certificate })
    }
}

/// Whether a statement of the program changes other threads, or asks them.
fn addresses_others(program: &Program) -> bool {
    let asks = |e: ExprId| program.exprs().mentions_passive(e);
    program.locations().iter().any(|location| match &location.op {
        Op::Assign { broadcast, constrain, .. } => !broadcast.is_empty() || constrain.is_some_and(asks),
        Op::Assume(e) => asks(*e),
        _ => false,
    })
}

/// The way back from a program to the program that it was made from.
pub type ProgramLift = dyn Lift<From = ProgramTrace, To = ProgramTrace>;
