//! Live registers: which registers of an activation matter from a location on, because something that matters
//! may read them. All others can be forgotten: two states that differ only there behave alike. Registers of
//! threads always matter.

use super::effects::Effects;
use super::program::{Loc, LocalId, LocalScope, Program};
use base::graphs::{backward, insert, is_set, remove};
use base::{Budget, Id, Stop};

/// Live registers by location, as sets of slots.
#[derive(Debug)]
pub struct Live {
    /// Where the words of each location begin.
    start: Vec<usize>,
    words: Vec<u64>,
}

/// What a step does to the registers of its activation, as slots.
struct Slots {
    reads: Vec<usize>,
    overwrites: Vec<usize>,
    /// Whether what it reads matters only if what it writes does.
    only_writes: bool,
}

impl Live {
    /// Works out the live registers of all procedures.
    pub fn new(program: &Program, budget: &Budget) -> Result<Live, Stop> {
        let mut live = Live { start: vec![0; program.locations().len()], words: vec![] };
        for procedure in program.procedures().iter() {
            let first = procedure.entry.index();
            let locations = || (first..procedure.end.index()).map(Loc::from_index);
            let steps: Vec<Slots> =
                locations().map(|loc| Slots::of(program, &program.effects(loc))).collect();
            let successors: Vec<Vec<usize>> = locations()
                .map(|loc| program.successors(loc).into_iter().map(|to| to.index() - first).collect())
                .collect();
            let transfer = |at: usize, set: &mut [u64]| steps[at].transfer(set);
            let sets = backward(&successors, procedure.registers as usize, transfer, budget)?;
            for at in 0..steps.len() {
                live.start[first + at] = live.words.len();
                live.words.extend(sets.of(at));
            }
        }
        Ok(live)
    }

    /// Whether a register may be read before it is written, from the location on.
    pub fn is_live(&self, loc: Loc, slot: usize) -> bool {
        is_set(&self.words[self.start[loc.index()]..], slot)
    }
}

impl Slots {
    fn of(program: &Program, effects: &Effects) -> Slots {
        let slots = |locals: &[LocalId]| -> Vec<usize> {
            let own = locals.iter().map(|&local| &program.locals()[local]);
            own.filter(|local| local.scope != LocalScope::Thread).map(|local| local.slot as usize).collect()
        };
        let overwrites = slots(&effects.overwrites);
        // A register of the thread always matters, and so does a step that may leave a register as it was.
        let all = overwrites.len() == effects.writes.len();
        let only_writes = all && effects.only_writes();
        Slots { reads: slots(&effects.reads), overwrites, only_writes }
    }

    fn transfer(&self, set: &mut [u64]) {
        let mut matters = !self.only_writes;
        for &slot in &self.overwrites {
            matters |= is_set(set, slot);
            remove(set, slot);
        }
        for &slot in self.reads.iter().filter(|_| matters) {
            insert(set, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The live registers of `main` before each step, by name.
    fn live(body: &str) -> Vec<String> {
        let source = format!(
            "pointer 64 layout 0 stride 4 {{ 0 b32 \"\" }} procedure main procedure f main main object g static 0 * 1
            local main::a b32 = 0 local main::b b32 = 0 local main::h b64 = 0 local @t b32 = 0 property \"it\"
            body main () {{ {body} }} body f () {{ return }}"
        );
        let file = base::SourceMap::new().add("test.cir", &source);
        let program = text::parse(&source, file).unwrap_or_else(|found| panic!("{found:?}"));
        let live = Live::new(&program, &Budget::unlimited()).expect("no limit");
        let names = |loc: Loc| {
            let own = program.locals().iter().filter(|it| it.scope != LocalScope::Thread);
            own.filter(|it| live.is_live(loc, it.slot as usize)).map(|it| it.name.clone()).collect()
        };
        program.locations_of(program.main()).map(names).collect()
    }

    #[test]
    fn what_only_computes_a_dead_value_reads_nothing() {
        assert_eq!(live("b := (add a 1:b32) return"), ["", ""]);
        // A division may be undefined, and a register of the thread outlives the step.
        assert_eq!(live("b := (divu 1:b32 a) return"), ["a", ""]);
        assert_eq!(live("@t := (add a 1:b32) return"), ["a", ""]);
    }

    #[test]
    fn loops_keep_what_they_read() {
        assert_eq!(live("l: branch (eq a b) then l a := any => l"), ["ab", "b"]);
    }

    #[test]
    fn a_join_may_leave_its_result_alone() {
        assert_eq!(live("join h result a code b assert (eq a b) property 0 return"), ["ah", "ab", ""]);
    }

    #[test]
    fn a_read_modify_write_sees_its_own_new_value() {
        assert_eq!(live("a := rmw [g 0] := (add a b) return"), ["b", ""]);
    }
}
