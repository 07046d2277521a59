//! Where a program starts: all ways to have the templates' threads there.

pub use crate::bounded::{Sizes, exact_is_enough, fewest, is_unbounded};

use super::crowd::{self, Group};
use crate::threads::micro::Semantics;
use base::{Budget, Stop};
use ir::bp::Count;

/// All crowds of the templates' threads, each sorted.
pub fn crowds(semantics: &mut Semantics<'_>, sizes: Sizes, budget: &Budget) -> Result<Vec<Vec<Group>>, Stop> {
    let templates = semantics.program.start().templates.clone();
    let mut needed = fewest(semantics.program);
    if needed > sizes.bound {
        return Ok(vec![]);
    }
    let mut crowds: Vec<(u32, Vec<Group>)> = vec![(0, vec![])];
    for (index, template) in templates.iter().enumerate() {
        let states: Vec<u32> = semantics.fresh(template.procedure, budget)?.iter().map(|it| it.0).collect();
        let (least, unbounded) = match template.count {
            Count::Exactly(n) => (n, false),
            Count::AtLeast(n) => (n, true),
        };
        needed -= least;
        let last = !templates[index + 1..].iter().any(|it| matches!(it.count, Count::AtLeast(_)));
        let mut longer = vec![];
        for (size, crowd) in crowds {
            let most = if unbounded { sizes.bound - size - needed } else { least };
            let first = if unbounded && sizes.exact && last { most } else { least };
            for count in first..=most {
                extend(&crowd, &states, count, budget, |crowd| longer.push((size + count, crowd)))?;
            }
        }
        crowds = longer;
    }
    let mut crowds: Vec<Vec<Group>> = crowds.into_iter().map(|(_, crowd)| crowd).collect();
    crowds.iter_mut().for_each(crowd::normalise);
    Ok(crowds)
}

/// Adds `count` threads to a crowd, in all ways to give them these states.
fn extend(
    crowd: &[Group],
    states: &[u32],
    count: u32,
    budget: &Budget,
    mut longer: impl FnMut(Vec<Group>),
) -> Result<(), Stop> {
    let mut splits = super::split::Splits::default();
    splits.add(count, states.len());
    loop {
        budget.spend(1)?;
        let parts = states.iter().copied().zip(splits.parts(0).iter().copied());
        longer(crowd.iter().copied().chain(parts.filter(|part| part.1 > 0)).collect());
        if !splits.advance() {
            return Ok(());
        }
    }
}
