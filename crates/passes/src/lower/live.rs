//! Which registers may still be read: what a dead one holds does not count.

use base::{Budget, Id, Stop};
use c::{Loc, LocalId, Op, Program};

/// Sets of registers by location.
#[derive(Clone, Debug)]
pub struct Live {
    words: usize,
    sets: Vec<u64>,
}

impl Live {
    pub fn new(program: &Program, budget: &Budget) -> Result<Self, Stop> {
        let words = program.locals().len().div_ceil(64).max(1);
        let mut made = Self { words, sets: vec![0; words * program.locations().len()] };
        let mut changed = true;
        while changed {
            changed = false;
            for loc in program.locations().ids().rev() {
                budget.spend(1)?;
                changed |= made.update(program, loc);
            }
        }
        Ok(made)
    }

    fn update(&mut self, program: &Program, loc: Loc) -> bool {
        let mut set = vec![0u64; self.words];
        for next in program.successors(loc) {
            let from = next.index() * self.words;
            set.iter_mut().zip(&self.sets[from..from + self.words]).for_each(|(word, other)| *word |= other);
        }
        let op = &program.at(loc).op;
        for local in kills(op) {
            set[local.index() / 64] &= !(1 << (local.index() % 64));
        }
        for local in reads(program, op) {
            set[local.index() / 64] |= 1 << (local.index() % 64);
        }
        let at = loc.index() * self.words;
        let changed = self.sets[at..at + self.words] != set;
        self.sets[at..at + self.words].copy_from_slice(&set);
        changed
    }

    pub fn is_live(&self, loc: Loc, local: LocalId) -> bool {
        self.sets[loc.index() * self.words + local.index() / 64] >> (local.index() % 64) & 1 != 0
    }
}

/// The registers that the step writes in any case. A join of oneself leaves the result alone.
fn kills(op: &Op) -> Vec<LocalId> {
    match op {
        Op::Join { .. } => vec![],
        op => op.writes(),
    }
}

fn reads(program: &Program, op: &Op) -> Vec<LocalId> {
    let all = op.exprs().into_iter().flat_map(|e| program.exprs().locals(e));
    match op {
        // Guard and value see the new `old`; the place does not, but then it may be live for nothing.
        Op::Rmw { old, place, .. } => {
            let mut place = *place;
            let mut own = vec![];
            place.for_each_expr(|e| own.extend(program.exprs().locals(*e)));
            all.filter(|local| local != old).chain(own).collect()
        }
        _ => all.collect(),
    }
}
