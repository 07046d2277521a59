//! Choices that are put off. A number that is chosen and then only stored, as in `a[i] = any()`, need not be chosen at once: the cell becomes
//! undetermined, and its first read chooses. Nobody can tell, and an array of such numbers costs one state instead of one for each content.
//! In traces the number goes back to where it was chosen.

use super::live::Live;
use base::Id;
use ir::c::{CellRef, LocalScope, Machine, Node, Op, Place, Program, Refusal, Step, ThreadId, Value};
use std::collections::BTreeMap;

/// What becomes of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// It is made.
    Now,
    /// The next step stores the number, and nothing else reads it: it is made by the first read of the cell.
    Later,
    /// Nothing reads the number: any will do.
    Never,
}

/// By location: what becomes of its choice.
pub fn choices(program: &Program, live: &Live) -> Vec<Chosen> {
    program.locations().ids().map(|loc| chosen(program, live, loc)).collect()
}

fn chosen(program: &Program, live: &Live, loc: ir::c::Loc) -> Chosen {
    let location = program.at(loc);
    let Op::Choose { local, range, .. } = location.op else { return Chosen::Now };
    let register = &program.locals()[local];
    if register.scope == LocalScope::Thread {
        return Chosen::Now;
    }
    let dead = |at: ir::c::Loc| !live.is_live(at, register.slot as usize);
    if dead(location.next) {
        return Chosen::Never;
    }
    let after = program.at(location.next);
    let exprs = program.exprs();
    // A cell does not say between which bounds its number lies.
    match after.op {
        Op::Store { place, value } if range.is_none() && dead(after.next) => {
            let in_place = match place {
                Place::Object { .. } => false,
                Place::Indexed { offset: e, .. } | Place::Pointer { pointer: e, .. } => {
                    exprs.locals(e).contains(&local)
                }
            };
            let only = matches!(exprs.node(value), Node::Local(stored, _) if stored == local);
            if only && !in_place { Chosen::Later } else { Chosen::Now }
        }
        _ => Chosen::Now,
    }
}

/// Puts numbers that were chosen late back to where the program chooses them.
pub fn settle(machine: &Machine<'_>, choices: &[Chosen], steps: &[Step]) -> Result<Vec<Step>, Refusal> {
    let mut state = machine.start();
    let mut settling = Settling { steps: vec![], carried: BTreeMap::new(), open: BTreeMap::new() };
    for &step in steps {
        let mut step = step;
        let late = choices[step.at.index()] == Chosen::Later && step.choice.value.is_none();
        if late {
            // Any number, unless a read decides.
            step.choice.value = Some(0);
            settling.carried.insert(step.thread, settling.steps.len());
        } else if let Some((cell, number)) = settling.access(machine, &state, &mut step) {
            state.memory.write(cell, Value::Bits(number));
        }
        settling.steps.push(step);
        match machine.apply(&state, &step) {
            Ok(after) => state = after,
            Err(Refusal::Fails(_)) => break,
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(settling.steps)
}

/// Late choices on their way.
struct Settling {
    steps: Vec<Step>,
    /// By thread: the choice that it is about to store.
    carried: BTreeMap<ThreadId, usize>,
    /// By cell: the choice that it holds.
    open: BTreeMap<CellRef, usize>,
}

impl Settling {
    /// Notes an access; the cell and its number, if this read chooses it.
    fn access(
        &mut self,
        machine: &Machine<'_>,
        state: &ir::c::State,
        step: &mut Step,
    ) -> Option<(CellRef, u128)> {
        let program = machine.program();
        let ty = |local: ir::c::LocalId| program.locals()[local].ty;
        let (place, ty) = match program.at(step.at).op {
            Op::Load { local, place } | Op::Rmw { old: local, place, .. } => (place, ty(local)),
            Op::Store { place, value } => (place, program.exprs().ty(value)),
            _ => return None,
        };
        let thread = state.threads.get(&step.thread)?;
        let cell = machine.cell(&state.memory, thread, place, ty.bits(program.pointer_bits())).ok()?;
        if matches!(program.at(step.at).op, Op::Store { .. }) {
            match self.carried.remove(&step.thread) {
                Some(choice) => self.open.insert(cell, choice),
                None => self.open.remove(&cell),
            };
            return None;
        }
        let choice = self.open.remove(&cell)?;
        let number = step.choice.value.take()?;
        self.steps[choice].choice.value = Some(number);
        Some((cell, number))
    }
}
