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
    let mut taken = Taken::new(count, states.len());
    loop {
        budget.spend(1)?;
        let added = taken.groups.iter().map(|&(state, threads)| (states[state], threads));
        longer(population.iter().copied().chain(added).collect());
        if !taken.advance() {
            return Ok(());
        }
    }
}

/// Which states some threads take, and how many threads take each. States that nobody takes are not listed:
/// a thread with much data may begin in any of thousands.
struct Taken {
    groups: Vec<(usize, u32)>,
    last: usize,
}

impl Taken {
    /// All threads in the first of these states.
    fn new(count: u32, states: usize) -> Taken {
        let groups = if count > 0 && states > 0 { vec![(0, count)] } else { vec![] };
        Taken { groups, last: states.saturating_sub(1) }
    }

    /// The next choice in falling lexicographic order; false after the last, which is all threads in the last
    /// state.
    fn advance(&mut self) -> bool {
        let at_last = self.groups.pop_if(|it| it.0 == self.last).map_or(0, |it| it.1);
        let Some((state, threads)) = self.groups.pop() else { return false };
        if threads > 1 {
            self.groups.push((state, threads - 1));
        }
        self.groups.push((state + 1, at_last + 1));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::split::Splits;

    #[test]
    fn threads_take_states_in_the_order_of_splits() {
        for (count, states) in [(0, 0), (0, 3), (1, 1), (4, 1), (3, 4), (5, 3)] {
            let (mut taken, mut splits) = (Taken::new(count, states), Splits::default());
            splits.add(count, states);
            loop {
                let parts = splits.parts(0).iter().copied().enumerate().filter(|it| it.1 > 0);
                assert_eq!(taken.groups, parts.collect::<Vec<_>>());
                if !splits.advance() {
                    break;
                }
                assert!(taken.advance(), "{count} threads, {states} states");
            }
            assert!(!taken.advance(), "{count} threads, {states} states");
        }
    }
}
