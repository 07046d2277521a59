//! Where a program starts. Data is symbolic, so there is one start for each way to have the templates' threads there.

use base::{Budget, Stop};
use ir::bp::{Count, Op, ProcId, Program};

/// How many threads may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// At most so many.
    pub bound: u32,
    /// Exactly so many, where any number may start.
    pub exact: bool,
}

/// The fewest threads that the program may start with.
pub fn fewest(program: &Program) -> u32 {
    let counts = program.start().templates.iter().map(|template| match template.count {
        Count::Exactly(n) | Count::AtLeast(n) => n,
    });
    counts.fold(0, u32::saturating_add)
}

/// Whether any number of threads may start.
pub fn is_unbounded(program: &Program) -> bool {
    program.start().templates.iter().any(|template| matches!(template.count, Count::AtLeast(_)))
}

/// Whether it is enough to start with as many threads as the bound allows: a run with fewer threads is a run with more, of which some
/// never move. Not so where threads are created: idle threads would use up the bound.
pub fn exact_is_enough(program: &Program) -> bool {
    let creates = program.locations().iter().any(|location| matches!(location.op, Op::Start(_)));
    program.monotone() && !creates && is_unbounded(program)
}

/// All crowds of the templates' threads: for each how many begin in which procedure.
pub fn crowds(program: &Program, sizes: Sizes, budget: &Budget) -> Result<Vec<Vec<(ProcId, u32)>>, Stop> {
    let templates = &program.start().templates;
    let mut needed = fewest(program);
    if needed > sizes.bound {
        return Ok(vec![]);
    }
    let mut crowds: Vec<(u32, Vec<(ProcId, u32)>)> = vec![(0, vec![])];
    for (index, template) in templates.iter().enumerate() {
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
                longer.push((size + count, [&crowd[..], &[(template.procedure, count)]].concat()));
            }
        }
        crowds = longer;
    }
    Ok(crowds.into_iter().map(|(_, crowd)| crowd).collect())
}
