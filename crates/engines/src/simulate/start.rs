//! Where a program starts. Data is symbolic, so there is one start for each way to have the templates' threads there.

use crate::bounded::{Sizes, populations};
use base::{Budget, Stop};
use ir::bp::{ProcId, Program};

/// All crowds of the templates' threads: for each how many begin in which procedure.
pub fn crowds(program: &Program, sizes: Sizes, budget: &Budget) -> Result<Vec<Vec<(ProcId, u32)>>, Stop> {
    let procedures = || program.start().templates.iter().map(|template| template.procedure);
    let crowd = |counts: Vec<u32>| procedures().zip(counts).collect();
    Ok(populations(program, sizes, budget)?.into_iter().map(crowd).collect())
}
