//! Reached sets as formulas: every start is in the union of the pieces, every step from a piece leads into
//! the union, nothing in it fails. Each of these is a question to a solver: is there a state of the piece and
//! a step that leads out?
//!
//! Which pieces the results of a step lie in, and in which order their threads, is found as it is needed: the
//! solver shows a result, a piece that holds it is looked up by evaluation, and the solver is asked for a
//! result outside that piece, until there is none. A result that no piece holds refuses the certificate. So
//! only orders that matter are ever tried.

pub mod cnf;
mod diagrams;
pub mod exchange;
mod guide;
mod members;
pub mod sets;
pub mod stage;
pub mod state;
mod step;

use base::Budget;
use check::population::Population;
use check::view_index::ViewIndex;
use check::{Refused, within};
use ir::certificate::Symbolic;
use ir::{Bound, Scope};
use members::Members;
use step::PieceQuestion;

/// Checks the set; the scope that it proves. `asked` is the bound of the task.
pub fn check(
    view: ViewIndex<'_>,
    symbolic: &Symbolic,
    requested: Bound,
    budget: &Budget,
) -> Result<Scope, Refused> {
    let program = view.program;
    let members = Members::new(view, symbolic, budget)?;
    let mut population = Population::of(program);
    PieceQuestion::new(&members, &mut population).starts().map_err(|why| within("at the start", why))?;
    for (index, piece) in symbolic.pieces.iter().enumerate() {
        let question = PieceQuestion::new(&members, &mut population);
        question.piece(piece).map_err(|why| within(&format!("piece {index}"), why))?;
    }
    Ok(population.scope(program.monotone(), symbolic.bound, requested)?)
}
