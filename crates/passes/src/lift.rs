//! The ways back of the passes.

use crate::guide;
use crate::origin::{Origin, Passed, lift_view};
use ir::Lift;
use ir::bp::{ExprId, Op, Program};
use ir::certificate::{Body, Certificate, View};
use ir::trace::ProgramTrace;

/// The way back along an [`Origin`], over one pass or several: traces by one guided replay, certificates by
/// renaming.
#[derive(Clone, Debug)]
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

    fn certificate(&self, mut certificate: Certificate) -> Option<Certificate> {
        // What threads look like one by one does not show steps that change or ask others, whatever the pass
        // made of them.
        let one_by_one = matches!(certificate.body, Body::Summaries(_) | Body::Game(_));
        if one_by_one && addresses_others(&self.original) {
            return None;
        }
        certificate.view = self.view(&certificate.view)?;
        Some(certificate)
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
