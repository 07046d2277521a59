//! The adequacy game (La Torre, Madhusudan and Parlato, CAV 2010), played over explicit interfaces.
//!
//! The program is seen as [`model::Threads`]: threads that take turns and share a state, with more behaviour
//! than the program's. A *round* gives each thread one turn, in a fixed order; an *interface* is what one
//! thread does in its turns of some rounds. Three things are checked, and together they are a proof:
//!
//! 1. The interfaces, wants and right blocks are closed under the equations ([`tables`]). So every thread of
//!    every run of k+1 rounds has its interface among them; and none of them passes a failure.
//! 2. Adam answers ([`play`]): whatever threads Eve declares one after the other, each with an interface of
//!    k+1 rounds, he has for each an interface of k rounds that ends in the same local state and leaves the
//!    same shared state in the end, and that the thread can really have; and when hers are wrapped to a run,
//!    so are his. He may give up only where she can never get that far.
//! 3. Adam starts from a shared state in which the program may start, so that his run is one if hers is.
//!
//! So every state at the end of k+1 rounds is one at the end of k, and by induction of any number; a failure
//! is at most one turn after such a state, in round k+1 at the latest, and there is none.

mod model;
mod play;
mod tables;

use base::Budget;
use check::index::CertificateIndex;
use check::view_index::ViewIndex;
use check::{Refused, reject, within};
use ir::Scope;
use ir::certificate::Game;
use model::Threads;

/// More rounds than this are out of reach anyway.
const MOST_ROUNDS: u32 = 16;

/// Checks the game; it proves everything or nothing.
pub fn check(view: ViewIndex<'_>, game: &Game, budget: &Budget) -> Result<Scope, Refused> {
    if !(1..=MOST_ROUNDS).contains(&game.rounds) {
        return Ok(reject(format!("the number of rounds is not between 1 and {MOST_ROUNDS}"))?);
    }
    let mut certificate = CertificateIndex::new(view, &game.threads, budget)?;
    for (index, share) in game.shares.iter().enumerate() {
        budget.spend(1)?;
        let message: Vec<(usize, u32)> = share.message.iter().map(|&thread| (thread, 1)).collect();
        let read = certificate.add_valuation(&share.values).and_then(|_| certificate.multiset(&message));
        read.map_err(|why| within(&format!("shared state {index}"), why))?;
    }
    let threads = Threads::new(&certificate, game, budget)?;
    let tables = tables::read(game, &threads)?;
    tables.check(&threads)?;
    play::check(game, &threads, &tables)?;
    Ok(Scope::ANY)
}
