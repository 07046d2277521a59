//! From a path through merged sets to a run with a name for every thread.
//!
//! Backwards: a single state with the error is picked; in the symbolic state that was expanded a single state
//! before it is picked; that one came with an arrival of its own, merged or not, and so on to a start.
//! Forwards: the steps so found are replayed, and each picks a thread that is in the right state. Threads in
//! the same state are interchangeable, so any one will do.

mod concrete;
mod replay;
mod run;
mod state;

use super::broadcast::Broadcasts;
use super::search::{self, CounterExploration};
use super::statistics::CounterWork;
use super::store::{Departure, StateOrigin};
use super::threads::SymbolicThreads;
use base::Stop;
use concrete::{ConcreteStep, Finder};
use ir::trace::ProgramTrace;
use state::GlobalState;

/// The run to the error that was found, or `None` if the refused threads, created and idle, stand in its way.
/// Without `bounded` the run is one of the program without a bound.
pub fn trace(
    threads: &mut SymbolicThreads<'_>,
    broadcasts: &mut Broadcasts,
    found: &CounterExploration,
    bounded: bool,
    work: &mut CounterWork<'_>,
) -> Result<Option<ProgramTrace>, Stop> {
    let (start, steps) = backwards(threads, broadcasts, found, work)?;
    Ok(replay::replay(&threads.encoding, &start, &steps, bounded.then_some(found.bound)))
}

/// The state that the run starts in, and its steps.
fn backwards(
    threads: &mut SymbolicThreads<'_>,
    broadcasts: &mut Broadcasts,
    found: &CounterExploration,
    work: &mut CounterWork<'_>,
) -> Result<(GlobalState, Vec<ConcreteStep>), Stop> {
    let store = &found.store;
    let mut arrival = found.error.expect("there is an error");
    let piece = &store.arrivals[arrival as usize].piece;
    let (index, set) = search::failing(threads, piece, work)?.expect("this arrival has an error");
    let mut state = state::pick(&mut threads.encoding, piece, index, set, work.budget)?;
    let mut steps = vec![];
    while let Some(Departure { expansion, group: active }) = store.arrivals[arrival as usize].from {
        work.budget.spend(1)?;
        let expansion = &store.expansions[expansion as usize];
        let budget = work.budget;
        let mut finder = Finder {
            threads: &mut *threads,
            broadcasts: &mut *broadcasts,
            populations: &found.populations,
            bound: found.bound,
            budget,
        };
        let step = finder.find(&expansion.piece, active as usize, &state)?;
        let step = step.expect("the state is one of those that this expansion led to");
        arrival = holder(threads, found, expansion.origin, &step.before);
        state = step.before.clone();
        steps.push(step);
        threads.collect(|| found.roots());
    }
    steps.reverse();
    Ok((state, steps))
}

/// The arrival that brought a state, among those that a merged state was made of.
fn holder(
    threads: &SymbolicThreads<'_>,
    found: &CounterExploration,
    origin: u32,
    state: &GlobalState,
) -> u32 {
    let mut stack = vec![origin];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(origin) = stack.pop() {
        match found.store.origins[origin as usize] {
            StateOrigin::Arrival(arrival) => {
                let piece = &found.store.arrivals[arrival as usize].piece;
                if state::means(&threads.encoding, piece, state) {
                    return arrival;
                }
            }
            StateOrigin::Join(a, b) => stack.extend([b, a].into_iter().filter(|&it| seen.insert(it))),
        }
    }
    unreachable!("a merged state means no more than the states that it was made of")
}
