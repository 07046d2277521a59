//! Where a program starts: all shared valuations at once, and for each number of threads of each template one group.

use super::group::{Control, Group, Piece, normalise};
use super::threads::Threads;
use crate::bounded::{self, Sizes};
use base::{Budget, Stop};
use ir::bp::Count;

/// The threads that may be there from the start, or when `init` has ended.
pub fn crowds(threads: &mut Threads<'_>, sizes: Sizes, budget: &Budget) -> Result<Vec<Vec<Group>>, Stop> {
    let templates = threads.symbolic.program.start().templates.clone();
    let mut needed = bounded::fewest(threads.symbolic.program);
    if needed > sizes.bound {
        return Ok(vec![]);
    }
    let mut crowds: Vec<(u32, Vec<Group>)> = vec![(0, vec![])];
    for (index, template) in templates.iter().enumerate() {
        let (loc, set) = threads.symbolic.fresh(template.procedure, budget)?;
        threads.symbolic.manager.protect(set);
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
                budget.spend(1)?;
                let group = Group { at: Control::new(loc, false), set, count };
                longer.push((size + count, crowd.iter().copied().chain([group]).collect()));
            }
        }
        crowds = longer;
    }
    let mut crowds: Vec<Vec<Group>> = crowds.into_iter().map(|(_, crowd)| crowd).collect();
    crowds.iter_mut().for_each(normalise);
    Ok(crowds)
}

/// The states that the program starts in.
pub fn pieces(threads: &mut Threads<'_>, crowds: &[Vec<Group>], budget: &Budget) -> Result<Vec<Piece>, Stop> {
    let shared = threads.symbolic.first_shared()?;
    let Some(init) = threads.symbolic.program.start().init else {
        return Ok(crowds.iter().map(|crowd| Piece::new(false, shared, crowd.clone())).collect());
    };
    let (loc, set) = threads.symbolic.fresh(init, budget)?;
    let alone = Group::one((Control::new(loc, false), set));
    Ok(vec![Piece::new(true, shared, vec![alone])])
}
