//! Closures as formulas over classes of control locations. What must hold, for tuples of at most k threads:
//!
//! - every few threads that the program may start with are a tuple;
//! - if U with a thread m is a tuple and m steps, then what U becomes is one, with what m becomes and without
//!   it, and with the child of m in its position or, where there is room, beside it;
//! - if U has k threads, and every k of U and m together are a tuple, and m steps, then what U becomes is
//!   one;
//! - no thread of a tuple fails;
//! - threads of one class can be exchanged in a tuple.
//!
//! Then every few threads of every run are a tuple, by induction on its steps. A thread of a class may stand
//! at each of its control locations, so that each statement of each control location is looked at; each of
//! these is a question to a solver: is there a tuple and a step that leads out? What a step leaves as it was
//! is not asked about: it was there before.
//!
//! With elements of the basis ([`elements`]), what comes after threads above one is not asked about, threads
//! above one may fail, and no start and no step from elsewhere leads above one ([`backward`]).

mod backward;
mod elements;
mod index;
mod past;
mod population;
mod question;
mod survey;

use backward::Backward;
use base::Budget;
use check::view_index::ViewIndex;
use check::{Refused, describe, within};
use elements::Elements;
use index::ClassIndex;
use ir::Scope;
use ir::bp::Program;
use ir::certificate::ClassClosure;
use question::TupleQuestion;
use survey::survey;

/// Checks the closure; it speaks of any number of threads.
pub fn check(view: ViewIndex<'_>, closure: &ClassClosure, budget: &Budget) -> Result<Scope, Refused> {
    let certificate = ClassIndex::new(view, closure, budget)?;
    let elements = Elements::new(&certificate)?;
    TupleQuestion::new(&certificate, &elements).starts().map_err(|why| within("at the start", why))?;
    for (index, tuple) in closure.tuples.iter().enumerate() {
        let question = TupleQuestion::new(&certificate, &elements);
        question.tuple(tuple).map_err(|why| within(&format!("tuple {index}"), why))?;
    }
    let behaviours = if closure.basis.is_empty() { vec![] } else { survey(&certificate)? };
    for index in 0..closure.basis.len() {
        let question = Backward::new(&certificate, &elements, &behaviours, index);
        question.check().map_err(|why| within(&format!("element {index}"), why))?;
    }
    Ok(Scope::ANY)
}

/// Names a location for people.
fn at(program: &Program, loc: ir::bp::Loc) -> String {
    format!("a thread {}", describe::location(program, loc))
}
