//! Where a program starts: all shared valuations at once, and for each number of threads of each template one
//! group.

use super::group::{Control, Piece, ThreadGroup, normalise};
use super::threads::SymbolicThreads;
use crate::bounded::{self, Sizes};
use base::{Budget, Stop};

/// The threads that may be there from the start, or when `init` has ended.
pub fn populations(
    threads: &mut SymbolicThreads<'_>,
    sizes: Sizes,
    budget: &Budget,
) -> Result<Vec<Vec<ThreadGroup>>, Stop> {
    let mut fresh = vec![];
    for template in &threads.encoding.program.start().templates {
        let (loc, set) = threads.encoding.fresh(template.procedure, budget)?;
        fresh.push((Control::new(loc, false), threads.encoding.manager.protect(set)));
    }
    let group = |(&(at, set), count)| ThreadGroup { at, set, count };
    let population = |counts: Vec<u32>| {
        let mut population: Vec<ThreadGroup> = fresh.iter().zip(counts).map(group).collect();
        normalise(&mut population);
        population
    };
    Ok(bounded::populations(threads.encoding.program, sizes, budget)?.into_iter().map(population).collect())
}

/// The states that the program starts in.
pub fn pieces(
    threads: &mut SymbolicThreads<'_>,
    populations: &[Vec<ThreadGroup>],
    budget: &Budget,
) -> Result<Vec<Piece>, Stop> {
    let shared = threads.encoding.first_shared()?;
    let Some(init) = threads.encoding.program.start().init else {
        return Ok(populations
            .iter()
            .map(|population| Piece::new(false, shared, population.clone()))
            .collect());
    };
    let (loc, set) = threads.encoding.fresh(init, budget)?;
    let alone = ThreadGroup::one(Control::new(loc, false), set);
    Ok(vec![Piece::new(true, shared, vec![alone])])
}
