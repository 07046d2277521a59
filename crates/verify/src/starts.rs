//! Whether a bound on the threads leaves the model a way to start. Where none of its starts fits, nothing
//! ever runs, and "no error within the bound" would be true of every program: such a proof is vacuous and is
//! never reported as `safe`.

use ir::bp::Count;
use ir::{Model, Reason, ReasonKind, Task};

/// Why no proof within the asked bound says anything, if the model starts with more threads than that.
pub fn too_few_threads(task: &Task) -> Option<Reason> {
    let bound = task.scope.threads.limit()?;
    let fewest = fewest(&task.model);
    let what = |n: u32| match (&task.model, n) {
        (Model::Program(_) | Model::C(_), 1) => "thread",
        (Model::Program(_) | Model::C(_), _) => "threads",
        (Model::Net(_), 1) => "token",
        (Model::Net(_), _) => "tokens",
    };
    (fewest > bound).then(|| {
        let message = format!(
            "the model starts with {fewest} {} or more, so that no start fits into the bound of {bound} {}: ask about at least {fewest}",
            what(fewest),
            what(bound),
        );
        Reason::new(ReasonKind::Bound, message)
    })
}

/// Whether the model can do something before its threads are there.
pub fn runs_before(task: &Task) -> bool {
    matches!(&task.model, Model::Program(program) if program.start().init.is_some())
}

/// The fewest threads, or tokens of a net, that are there when a run begins, or when `init` has ended.
fn fewest(model: &Model) -> u32 {
    let add = |sum: u32, n: u32| sum.saturating_add(n);
    match model {
        Model::Program(program) => {
            let counts = program.start().templates.iter().map(|template| match template.count {
                Count::Exactly(n) | Count::AtLeast(n) => n,
            });
            counts.fold(0, add)
        }
        // `main` alone.
        Model::C(_) => 1,
        Model::Net(net) => net.start().tokens.iter().map(|interval| interval.least).fold(0, add),
    }
}
