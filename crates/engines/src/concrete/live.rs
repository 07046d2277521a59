//! Which registers of an activation matter from a location on: something that matters may read them. All others can be forgotten: two states
//! that differ only there behave alike. Thread-local registers always matter.

use base::{Budget, Id, Stop};
use ir::c::{Binary, Convert, ExprId, Loc, LocalId, LocalScope, Node, Op, Place, Program, Type};

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
            let effects: Vec<Effect> = locations.iter().map(|&loc| effect(program, loc)).collect();
            let mut changed = true;
            while changed {
                budget.spend(locations.len() as u64)?;
                changed = false;
                for (&loc, effect) in locations.iter().zip(&effects).rev() {
                    changed |= live.update(program, loc, effect);
                }
            }
        }
        Ok(live)
    }

    fn update(&mut self, program: &Program, loc: Loc, effect: &Effect) -> bool {
        let width = self.width[program.at(loc).procedure.index()];
        let mut words = vec![0; width];
        for successor in program.successors(loc) {
            let from = self.start[successor.index()];
            words.iter_mut().zip(&self.words[from..from + width]).for_each(|(word, &more)| *word |= more);
        }
        let mut matters = !effect.only_writes;
        for &slot in &effect.writes {
            let (word, bit) = (&mut words[slot as usize / 64], 1 << (slot % 64));
            matters |= *word & bit != 0;
            *word &= !bit;
        }
        for &slot in effect.reads.iter().filter(|_| matters) {
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

/// What a step does to registers.
struct Effect {
    /// The slots that it reads before it writes.
    reads: Vec<u32>,
    /// The slots that it writes.
    writes: Vec<u32>,
    /// It does nothing else, whatever it reads: it does not even stop.
    only_writes: bool,
}

fn effect(program: &Program, loc: Loc) -> Effect {
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
    let only_writes = match op {
        // One of the thread's own is no slot.
        Op::Assign { value, .. } => !writes.is_empty() && always_has_a_value(program, *value),
        _ => false,
    };
    Effect { reads: slots(read), writes, only_writes }
}

/// Whether an expression has a value whatever its registers hold. Addresses may be in every register that is wide enough.
fn always_has_a_value(program: &Program, root: ExprId) -> bool {
    let (exprs, pointer_bits) = (program.exprs(), program.pointer_bits());
    if matches!(exprs.node(root), Node::Local(..) | Node::Const(..)) {
        return true;
    }
    exprs.below(root).into_iter().all(|e| match exprs.node(e) {
        Node::Const(..) => true,
        Node::Local(_, ty) => matches!(ty, Type::Bits(bits) if bits < pointer_bits),
        Node::Unary(..) | Node::Ite(..) => true,
        Node::Binary(op, a, b) => {
            use Binary::{DivF, DivS, DivU, RemS, RemU};
            let divides = matches!(op, DivF | DivS | DivU | RemS | RemU);
            let by = exprs.constant(b);
            let width = u128::from(exprs.ty(a).bits(pointer_bits));
            !(divides && by.is_none_or(|by| by == 0) || op.is_shift() && by.is_none_or(|by| by >= width))
        }
        Node::Convert(op, ..) => !matches!(op, Convert::BitsU | Convert::BitsS),
        Node::Address(_) => false,
    })
}
