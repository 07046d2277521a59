//! Where a program starts: all shared valuations at once, and for each number of threads of each template one group.

use super::group::{Control, Group, Piece, normalise};
use super::threads::Threads;
use crate::bounded::{Sizes, populations};
use base::{Budget, Stop};

/// The threads that may be there from the start, or when `init` has ended.
pub fn crowds(threads: &mut Threads<'_>, sizes: Sizes, budget: &Budget) -> Result<Vec<Vec<Group>>, Stop> {
    let mut fresh = vec![];
    for template in &threads.symbolic.program.start().templates {
        let (loc, set) = threads.symbolic.fresh(template.procedure, budget)?;
        fresh.push((Control::new(loc, false), threads.symbolic.manager.protect(set)));
    }
    let group = |(&(at, set), count)| Group { at, set, count };
    let crowd = |counts: Vec<u32>| {
        let mut crowd: Vec<Group> = fresh.iter().zip(counts).map(group).collect();
        normalise(&mut crowd);
        crowd
    };
    Ok(populations(threads.symbolic.program, sizes, budget)?.into_iter().map(crowd).collect())
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
