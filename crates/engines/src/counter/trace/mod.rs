//! From a path through merged sets to a run with a name for every thread.
//!
//! Backwards: a single state with the error is picked; in the symbolic state that was expanded a single state before it is picked; that
//! one came with an arrival of its own, merged or not, and so on to a start. Forwards: the steps so found are replayed, and each
//! picks a thread that is in the right state. Threads in the same state are interchangeable, so any one will do.

mod deed;
mod replay;
mod run;
mod scene;

use super::broadcast::Broadcasts;
use super::search::{self, Found};
use super::statistics::Work;
use super::store::Origin;
use super::threads::Threads;
use base::Stop;
use deed::{Deed, Finder};
use ir::trace::ProgramTrace;
use scene::Scene;

/// The run to the error that was found, or `None` if the refused threads, created and idle, stand in its way. Without `bounded`
/// the run is one of the program without a bound.
pub fn trace(
    threads: &mut Threads<'_>,
    broadcasts: &mut Broadcasts,
    found: &Found,
    (bound, bounded): (u32, bool),
    work: &mut Work<'_>,
) -> Result<Option<ProgramTrace>, Stop> {
    let (start, deeds) = backwards(threads, broadcasts, found, bound, work)?;
    let finder = Finder { threads, broadcasts, crowds: &found.crowds, bound, budget: work.budget };
    replay::replay(finder, &start, &deeds, bounded)
}

/// The state that the run starts in, and its steps.
fn backwards(
    threads: &mut Threads<'_>,
    broadcasts: &mut Broadcasts,
    found: &Found,
    bound: u32,
    work: &mut Work<'_>,
) -> Result<(Scene, Vec<Deed>), Stop> {
    let store = &found.store;
    let mut arrival = found.error.expect("asked for the trace of an error");
    let piece = &store.arrivals[arrival as usize].piece;
    let error = search::failing(threads, piece, work)?.expect("this arrival has an error");
    let mut scene = scene::pick(&mut threads.symbolic, piece, error, work.budget)?;
    let mut deeds = vec![];
    while let Some((expansion, mover)) = store.arrivals[arrival as usize].from {
        work.budget.spend(1)?;
        let expansion = &store.expansions[expansion as usize];
        let budget = work.budget;
        let mut finder = Finder {
            threads: &mut *threads,
            broadcasts: &mut *broadcasts,
            crowds: &found.crowds,
            bound,
            budget,
        };
        let deed = finder.find(&expansion.piece, mover as usize, &scene)?;
        let deed = deed.expect("the state is one of those that this expansion led to");
        arrival = holder(threads, found, expansion.origin, &deed.before);
        scene = deed.before.clone();
        deeds.push(deed);
        threads.collect(|| found.roots());
    }
    deeds.reverse();
    Ok((scene, deeds))
}

/// The arrival that brought a state, among those that a merged state was made of.
fn holder(threads: &Threads<'_>, found: &Found, origin: u32, scene: &Scene) -> u32 {
    let mut stack = vec![origin];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(origin) = stack.pop() {
        match found.store.origins[origin as usize] {
            Origin::Arrival(arrival) => {
                let piece = &found.store.arrivals[arrival as usize].piece;
                if scene::means(&threads.symbolic, piece, scene) {
                    return arrival;
                }
            }
            Origin::Join(a, b) => stack.extend([b, a].into_iter().filter(|&it| seen.insert(it))),
        }
    }
    unreachable!("a merged state means no more than the states that it was made of")
}
