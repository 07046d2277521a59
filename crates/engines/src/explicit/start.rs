//! Where a program starts: all ways to have the templates' threads there.

pub use crate::bounded::{Sizes, exact_is_enough, fewest, is_unbounded};

use super::compact::LocalCount;
use crate::bounded;
use crate::threads::micro::Semantics;
use base::{Budget, Stop};

/// All populations of the templates' threads, each sorted.
pub fn populations(
    semantics: &mut Semantics<'_>,
    sizes: Sizes,
    budget: &Budget,
) -> Result<Vec<Vec<LocalCount>>, Stop> {
    let mut fresh: Vec<Vec<u32>> = vec![];
    for template in &semantics.program.start().templates {
        fresh.push(semantics.fresh(template.procedure, budget)?.iter().map(|it| it.0).collect());
    }
    let mut all = vec![];
    for counts in bounded::populations(semantics.program, sizes, budget)? {
        let mut populations: Vec<Vec<LocalCount>> = vec![vec![]];
        for (states, count) in fresh.iter().zip(counts) {
            let mut longer = vec![];
            for population in populations {
                extend(&population, states, count, budget, |population| longer.push(population))?;
            }
            populations = longer;
        }
        all.extend(populations);
    }
    all.iter_mut().for_each(crate::explore::normalise);
    Ok(all)
}

/// Adds `count` threads to a population, in all ways to give them these states.
fn extend(
    population: &[LocalCount],
    states: &[u32],
    count: u32,
    budget: &Budget,
    mut longer: impl FnMut(Vec<LocalCount>),
) -> Result<(), Stop> {
    let mut splits = super::split::Splits::default();
    splits.add(count, states.len());
    loop {
        budget.spend(1)?;
        let parts = states.iter().copied().zip(splits.parts(0).iter().copied());
        longer(population.iter().copied().chain(parts.filter(|part| part.1 > 0)).collect());
        if !splits.advance() {
            return Ok(());
        }
    }
}
