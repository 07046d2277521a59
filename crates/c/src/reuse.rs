//! Which steps may come after a `free` in some run. Only there can an allocation get an address that was used before; where no
//! `free` comes first, every new object is unlike all that were.
//!
//! The order of steps is known where one thread alone takes them: `main`. Everything else is taken to be possible.

use super::op::Op;
use super::program::{Loc, ProcId, Program};
use base::{Budget, Id, Stop};

/// By location, whether some `free` may come before its step.
#[derive(Clone, Debug)]
pub struct Reuse {
    after_free: Vec<bool>,
}

impl Reuse {
    /// Looks at a program.
    pub fn new(program: &Program, budget: &Budget) -> Result<Reuse, Stop> {
        let is_free = |loc: &Loc| matches!(program.at(*loc).op, Op::Free { automatic: false, .. });
        let frees: Vec<Loc> = program.locations().ids().filter(is_free).collect();
        let number = program.locations().len();
        if frees.is_empty() {
            return Ok(Reuse { after_free: vec![false; number] });
        }
        let creates = |loc: &Loc| matches!(program.at(*loc).op, Op::Create { .. });
        let next = |locs: Vec<Loc>| locs.into_iter().flat_map(|loc| program.successors(loc)).collect();
        let in_order = reached(program, next(frees.clone()), budget)?;
        let created = reached(program, next(program.locations().ids().filter(creates).collect()), budget)?;
        let by_main = taken_by_main_alone(program, budget)?;
        let main_takes = |loc: Loc| by_main[program.at(loc).procedure.index()];
        let only_main_frees = frees.iter().all(|&loc| main_takes(loc));
        let may_follow = |loc: Loc| {
            // Another thread frees, or this thread is another one.
            let beside = if main_takes(loc) { !only_main_frees && created[loc.index()] } else { true };
            in_order[loc.index()] || beside
        };
        Ok(Reuse { after_free: program.locations().ids().map(may_follow).collect() })
    }

    /// Whether a `free` may come before the step.
    pub fn after_free(&self, loc: Loc) -> bool {
        self.after_free[loc.index()]
    }

    /// Whether the step allocates what may get the address of a freed object.
    pub fn may_reuse(&self, program: &Program, loc: Loc) -> bool {
        self.after_free(loc) && matches!(program.at(loc).op, Op::Alloc { automatic: false, .. })
    }
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

/// The locations to which control may come from some, in this thread, in its callers, or in the threads that it creates.
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
