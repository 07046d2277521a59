//! Which registers of an activation may still be read from a location on. All others can be forgotten: two states that differ only there
//! behave alike. Thread-local registers are always taken as live.

use base::{Budget, Id, Stop};
use ir::c::{Loc, LocalId, LocalScope, Op, Place, Program};

/// Live registers by location, as sets of slots.
#[derive(Debug)]
pub struct Live {
    /// Words per location, by procedure.
    width: Vec<usize>,
    /// Where the words of each location begin.
    start: Vec<usize>,
    words: Vec<u64>,
}

impl Live {
    /// Works out the live registers of all procedures.
    pub fn new(program: &Program, budget: &Budget) -> Result<Live, Stop> {
        let width: Vec<usize> =
            program.procedures().iter().map(|it| (it.registers as usize).div_ceil(64)).collect();
        let mut start = vec![];
        let mut total = 0;
        for location in program.locations().iter() {
            start.push(total);
            total += width[location.procedure.index()];
        }
        let mut live = Live { width, start, words: vec![0; total] };
        for procedure in program.procedures().ids() {
            let locations: Vec<Loc> = program.locations_of(procedure).collect();
            let effects: Vec<(Vec<u32>, Vec<u32>)> =
                locations.iter().map(|&loc| effect(program, loc)).collect();
            let mut changed = true;
            while changed {
                budget.spend(locations.len() as u64)?;
                changed = false;
                for (&loc, (reads, writes)) in locations.iter().zip(&effects).rev() {
                    changed |= live.update(program, loc, reads, writes);
                }
            }
        }
        Ok(live)
    }

    fn update(&mut self, program: &Program, loc: Loc, reads: &[u32], writes: &[u32]) -> bool {
        let width = self.width[program.at(loc).procedure.index()];
        let mut words = vec![0; width];
        for successor in program.successors(loc) {
            let from = self.start[successor.index()];
            words.iter_mut().zip(&self.words[from..from + width]).for_each(|(word, &more)| *word |= more);
        }
        for &slot in writes {
            words[slot as usize / 64] &= !(1 << (slot % 64));
        }
        for &slot in reads {
            words[slot as usize / 64] |= 1 << (slot % 64);
        }
        let mine = &mut self.words[self.start[loc.index()]..][..width];
        let changed = mine != words.as_slice();
        mine.copy_from_slice(&words);
        changed
    }

    /// Whether a register may be read before it is written, from the location on.
    pub fn is_live(&self, loc: Loc, slot: usize) -> bool {
        self.words[self.start[loc.index()] + slot / 64] >> (slot % 64) & 1 == 1
    }
}

/// The slots that a step reads before it writes, and those that it writes.
fn effect(program: &Program, loc: Loc) -> (Vec<u32>, Vec<u32>) {
    let op = &program.at(loc).op;
    let slots = |locals: Vec<LocalId>| -> Vec<u32> {
        let own = locals.into_iter().map(|local| &program.locals()[local]);
        own.filter(|local| local.scope != LocalScope::Thread).map(|local| local.slot).collect()
    };
    let writes = slots(match op {
        // These may go on without writing: a join of oneself gives no result, a procedure may return none.
        Op::Join { code, .. } => code.iter().copied().collect(),
        Op::Call { .. } => vec![],
        _ => op.writes(),
    });
    let mut read: Vec<LocalId> = op.exprs().into_iter().flat_map(|e| program.exprs().locals(e)).collect();
    // The guard and the new value see the register that was just read into; the place sees the one before.
    if let Op::Rmw { old, place, .. } = op {
        let before = match place {
            Place::Object { .. } => vec![],
            Place::Indexed { offset: e, .. } | Place::Pointer { pointer: e, .. } => {
                program.exprs().locals(*e)
            }
        };
        read.retain(|local| local != old || before.contains(old));
    }
    (slots(read), writes)
}
