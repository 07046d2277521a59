//! Choices that are put off. A number that is chosen and then only stored, as in `a[i] = any()`, need not be
//! chosen at once: the cell becomes undetermined, and its first read chooses. Nobody can tell, and an array
//! of such numbers costs one state instead of one for each content. In traces the number goes back to where
//! it was chosen.

use base::Id;
use c::{
    AccessKind, CellRef, Effects, Faint, Live, Loc, LocalId, LocalScope, Machine, Move, Node, NumberChoice,
    Program, Refusal, State, Step, ThreadId, Unchosen, Value, ValueFrom, ValueTo,
};
use std::collections::BTreeMap;

/// What becomes of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// It is made.
    Now,
    /// The next step stores the number, which is in this register, and nothing else reads it: it is made by
    /// the first read of the cell.
    Later(LocalId),
    /// The number decides nothing: any will do.
    Never,
}

/// By location: what becomes of its choice.
pub fn choices(program: &Program, live: &Live) -> Vec<Chosen> {
    let faint = Faint::new(program);
    let chosen = |loc| {
        let effects = program.effects(loc);
        if faint.is_free(&effects) { Chosen::Never } else { chosen(program, live, loc, &effects) }
    };
    program.locations().ids().map(chosen).collect()
}

fn chosen(program: &Program, live: &Live, loc: Loc, effects: &Effects) -> Chosen {
    let (NumberChoice::Input(range), [local]) = (effects.chooses.number, &effects.writes[..]) else {
        return Chosen::Now;
    };
    let register = &program.locals()[*local];
    if register.scope == LocalScope::Thread {
        return Chosen::Now;
    }
    let dead = |at: Loc| !live.is_live(at, register.slot as usize);
    let next = program.at(loc).next;
    if dead(next) {
        return Chosen::Never;
    }
    // A cell does not say between which bounds its number lies.
    if range.is_none() && dead(program.at(next).next) && only_stores(program, next, *local) {
        return Chosen::Later(*local);
    }
    Chosen::Now
}

/// Whether a step stores what a register holds, and does nothing else with it.
fn only_stores(program: &Program, loc: Loc, local: LocalId) -> bool {
    let exprs = program.exprs();
    let effects = program.effects(loc);
    let [Move { from: ValueFrom::Expr(value), to: ValueTo::Memory(_) }] = effects.moves[..] else {
        return false;
    };
    let in_place = effects.operands.iter().any(|&e| exprs.locals(e).contains(&local));
    matches!(exprs.node(value), Node::Local(stored, _) if stored == local) && !in_place
}

/// Puts numbers that were chosen late back to where the program chooses them.
pub fn settle(machine: &Machine<'_>, choices: &[Chosen], steps: &[Step]) -> Result<Vec<Step>, Refusal> {
    let mut state = machine.start();
    let unchosen = Unchosen::new(machine.program());
    let mut settling = Settling { steps: vec![], carried: BTreeMap::new(), open: BTreeMap::new() };
    for &step in steps {
        let mut step = step;
        if let Some(id) = step.choice.reuses {
            settling.open.retain(|cell, _| cell.instance != id);
        }
        let late = matches!(choices[step.at.index()], Chosen::Later(_)) && step.choice.value.is_none();
        if late {
            // Any number, unless a read decides.
            step.choice.value = Some(0);
            settling.carried.insert(step.thread, settling.steps.len());
        } else if let Some(cell) = unread(machine, &unchosen, &state, &step) {
            // Any number here as well, unless a later read of the cell decides.
            step.choice.value = Some(0);
            settling.open.insert(cell, settling.steps.len());
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

/// The cell that a step loads without the number that it must choose.
fn unread(machine: &Machine<'_>, unchosen: &Unchosen, state: &State, step: &Step) -> Option<CellRef> {
    unchosen.load(step.at).filter(|_| step.choice.value.is_none())?;
    let thread = state.threads.get(&step.thread)?;
    machine.needs(&state.memory, thread).number?;
    let effects = machine.program().effects(step.at);
    let (_, place, bits) = effects.scalar()?;
    machine.cell(&state.memory, thread, place, bits).ok()
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
    fn access(&mut self, machine: &Machine<'_>, state: &State, step: &mut Step) -> Option<(CellRef, u128)> {
        let effects = machine.program().effects(step.at);
        let (access, place, bits) = effects.scalar()?;
        let thread = state.threads.get(&step.thread)?;
        let cell = machine.cell(&state.memory, thread, place, bits).ok()?;
        if access.kind == AccessKind::Write {
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
