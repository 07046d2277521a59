//! The end of normalisation: sections that do not nest; then the program is put together from what is used.

mod build;
mod flow;
mod layout;
mod private;
mod sections;

pub use layout::ASSUMPTION as ADDRESS_LAYOUT;

use super::code::{END, Flow};
use super::{Normaliser, Problem, Refused, Translation};
use ::c::{Op, ProcId};
use base::{Diagnostic, Span};

/// What a proof about a program without assertions takes for granted.
pub const NO_ASSERTION: &str = "no assertion found";
/// The code of the warning about a program without assertions.
pub const NOTHING_TO_CHECK: &str = "W1811";

/// Puts the program together.
pub fn finish(mut normaliser: Normaliser<'_>) -> Result<Translation, Problem> {
    let mut bodies = std::mem::take(&mut normaliser.done);
    // What no path leads to is gone before anybody is told of it.
    bodies.iter_mut().for_each(|(_, body)| flow::tidy(body));
    let stops = stops(&bodies);
    sections::flatten(&mut normaliser.pool, &mut bodies);
    if let Some(stop) = normaliser.stopped {
        return Err(Problem::Stop(stop));
    }
    private::mark_private(&normaliser.pool, &mut bodies);
    let mut refused: Vec<Refused> = vec![];
    for flow in bodies.iter().flat_map(|(_, body)| body) {
        if let Op::Refuse(construct) = &flow.op {
            refused.push(Refused { construct: construct.clone(), span: flow.span });
        }
    }
    let is_error = |flow: &Flow| matches!(flow.op, Op::Assert { .. } | Op::Error(_));
    // Behind what cannot be translated there may be an assertion.
    let nothing = refused.is_empty() && !bodies.iter().flat_map(|(_, body)| body).any(is_error);
    if nothing {
        normaliser.assume_silently(NO_ASSERTION);
        normaliser.warn_once(nothing_to_check(stops));
    }
    normaliser.warn_of_checks(nothing);
    let program = build::build(&normaliser.pool, &bodies).map_err(Problem::Wrong)?;
    if layout::matters(&program) {
        normaliser.assume_silently(ADDRESS_LAYOUT);
    }
    let assumptions = normaliser.assumptions.into_iter().collect();
    Ok(Translation { program, assumptions, warnings: normaliser.warnings, refused })
}

/// A step that is undefined behaviour, whatever the values are.
struct FalseStep {
    why: String,
    span: Span,
}

/// The first step that is undefined behaviour whatever the values are.
fn stops(bodies: &[(ProcId, Vec<Flow>)]) -> Option<FalseStep> {
    bodies.iter().flat_map(|(_, body)| body).find_map(|flow| match (&flow.op, flow.span) {
        (Op::Undefined(why), Some(span)) if why != END => Some(FalseStep { why: why.clone(), span }),
        _ => None,
    })
}

/// The warning about a program without assertions.
fn nothing_to_check(stops: Option<FalseStep>) -> Diagnostic {
    let message = "no assertion, error call or error label can be reached: there is nothing to prove";
    let found = Diagnostic::warning(NOTHING_TO_CHECK, stops.as_ref().map(|it| it.span), message);
    match stops {
        Some(FalseStep { why, span }) => found.label(span, format!("undefined behaviour: {why}")),
        None => found.help(
            "write `assert(CONDITION)`, name a label with `--error-label` or a function with `--error-function`, or ask about more, such as \
             `--property race,deadlock,memory`",
        ),
    }
}
