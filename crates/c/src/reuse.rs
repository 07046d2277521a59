//! Which steps may come after a `free`, or after a thread was joined or detached, in some run. Only there can
//! an allocation get an address that was used before, or a thread a handle; where nothing of the kind comes
//! first, what is new is unlike all that was.
//!
//! The order of steps is known where one thread alone takes them: `main`. Everything else is taken to be
//! possible.

use super::op::Op;
use super::program::{Loc, ProcId, Program};
use base::{Budget, Id, Stop};

/// By location, what may come before its step.
#[derive(Clone, Debug)]
pub struct Reuse {
    after_free: Vec<bool>,
    after_join: Vec<bool>,
}

impl Reuse {
    /// Looks at a program.
    pub fn new(program: &Program, budget: &Budget) -> Result<Reuse, Stop> {
        Ok(Reuse {
            after_free: after(program, |op| matches!(op, Op::Free { automatic: false, .. }), budget)?,
            after_join: after(program, |op| matches!(op, Op::Join { .. } | Op::Detach(_)), budget)?,
        })
    }

    /// Whether a `free` may come before the step.
    pub fn after_free(&self, loc: Loc) -> bool {
        self.after_free[loc.index()]
    }

    /// Whether the step allocates what may get the address of a freed object.
    pub fn may_reuse(&self, program: &Program, loc: Loc) -> bool {
        self.after_free(loc) && matches!(program.at(loc).op, Op::Alloc { automatic: false, .. })
    }

    /// Whether the step creates a thread after another one was joined or detached.
    pub fn creates_again(&self, program: &Program, loc: Loc) -> bool {
        self.after_join[loc.index()] && matches!(program.at(loc).op, Op::Create { .. })
    }
}

/// By location: whether one of some steps may come before.
fn after(program: &Program, wanted: impl Fn(&Op) -> bool, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let all = |wanted: &dyn Fn(&Op) -> bool| -> Vec<Loc> {
        program.locations().ids().filter(|&loc| wanted(&program.at(loc).op)).collect()
    };
    let first = all(&wanted);
    if first.is_empty() {
        return Ok(vec![false; program.locations().len()]);
    }
    let next = |locs: &[Loc]| locs.iter().flat_map(|&loc| program.successors(loc)).collect();
    let in_order = reached(program, next(&first), budget)?;
    let created = reached(program, next(&all(&|op| matches!(op, Op::Create { .. }))), budget)?;
    let by_main = taken_by_main_alone(program, budget)?;
    let main_takes = |loc: Loc| by_main[program.at(loc).procedure.index()];
    let only_main = first.iter().all(|&loc| main_takes(loc));
    let may_follow = |loc: Loc| {
        // Another thread takes the first step, or this thread is another one.
        let beside = if main_takes(loc) { !only_main && created[loc.index()] } else { true };
        in_order[loc.index()] || beside
    };
    Ok(program.locations().ids().map(may_follow).collect())
}

/// By procedure: whether only `main` itself runs it, not a thread that was created.
fn taken_by_main_alone(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let mut by_others = vec![false; program.procedures().len()];
    let mut work: Vec<ProcId> = program
        .locations()
        .iter()
        .filter_map(|location| match location.op {
            Op::Create { template, .. } => Some(template),
            _ => None,
        })
        .collect();
    while let Some(procedure) = work.pop() {
        if std::mem::replace(&mut by_others[procedure.index()], true) {
            continue;
        }
        for loc in program.locations_of(procedure) {
            budget.spend(1)?;
            if let Op::Call { procedure, .. } = program.at(loc).op {
                work.push(procedure);
            }
        }
    }
    Ok(by_others.into_iter().map(|it| !it).collect())
}

/// The locations to which control may come from some, in this thread, in its callers, or in the threads that
/// it creates.
fn reached(program: &Program, from: Vec<Loc>, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let mut callers: Vec<Vec<Loc>> = vec![vec![]; program.procedures().len()];
    for location in program.locations().iter() {
        if let Op::Call { procedure, .. } = location.op {
            callers[procedure.index()].push(location.next);
        }
    }
    let mut found = vec![false; program.locations().len()];
    let mut work = from;
    while let Some(loc) = work.pop() {
        if std::mem::replace(&mut found[loc.index()], true) {
            continue;
        }
        budget.spend(1)?;
        work.extend(program.successors(loc));
        match program.at(loc).op {
            Op::Call { procedure: begun, .. } | Op::Create { template: begun, .. } => {
                work.push(program.procedures()[begun].entry);
            }
            Op::Return(_) => work.extend(&callers[program.at(loc).procedure.index()]),
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The steps of a program after a `free`, as numbers of locations.
    fn after(main: &str, worker: &str) -> Vec<usize> {
        let source = format!(
            "pointer 64 layout 0 stride 4 {{ 0 b32 \"\" }} procedure main procedure f main main
            local main::p ptr = 0 local f::q ptr = 0 body main () {{ {main} }} body f () {{ {worker} }}"
        );
        let file = base::SourceMap::new().add("test.cir", &source);
        let program = text::parse(&source, file).unwrap_or_else(|found| panic!("{found:?}"));
        let reuse = Reuse::new(&program, &Budget::unlimited()).expect("no limit");
        program.locations().ids().filter(|&loc| reuse.after_free(loc)).map(|loc| loc.index()).collect()
    }

    const ALLOC: &str = "alloc 0 * 1:b64";

    #[test]
    fn main_alone_is_in_order() {
        assert_eq!(after(&format!("p := {ALLOC} free p return"), "return"), [2]);
        assert_eq!(
            after(&format!("p := {ALLOC} create f() free p return"), &format!("q := {ALLOC} return")),
            [3, 4, 5]
        );
        assert_eq!(after(&format!("l: p := {ALLOC} free p => l"), "return"), [0, 1]);
    }

    #[test]
    fn other_threads_come_in_any_order() {
        let worker = format!("q := {ALLOC} free q return");
        assert_eq!(after(&format!("p := {ALLOC} create f() p := {ALLOC} return"), &worker), [2, 3, 4, 5, 6]);
    }

    #[test]
    fn what_ends_by_itself_is_not_freed() {
        assert_eq!(after("p := alloc 0 * 1:b64 automatic free automatic p return", "return"), [0; 0]);
    }
}
