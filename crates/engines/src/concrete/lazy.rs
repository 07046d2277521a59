//! Choices that are put off. A number that is chosen and then only stored, as in `a[i] = any()`, need not be
//! chosen at once: the cell becomes undetermined, and its first read chooses. Nobody can tell, and an array
//! of such numbers costs one state instead of one for each content. In traces the number goes back to where
//! it was chosen.

use base::Id;
use c::{
    AccessKind, Effects, Faint, Hit, InstanceId, Live, Loc, LocalId, LocalScope, Machine, Memory, Move, Node,
    NumberChoice, Program, Refusal, Span, State, Step, Thread, ThreadId, Unchosen, Value, ValueFrom, ValueTo,
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
pub fn settle(
    machine: &Machine<'_>,
    choices: &[Chosen],
    has_unchosen: bool,
    steps: &[Step],
) -> Result<Vec<Step>, Refusal> {
    let later = |step: &Step| matches!(choices[step.at.index()], Chosen::Later(_));
    if !has_unchosen && !steps.iter().any(later) {
        return Ok(steps.to_vec());
    }
    let mut state = machine.start();
    let unchosen = Unchosen::new(machine.program());
    let mut settling = Settling { steps: vec![], carried: BTreeMap::new(), open: BTreeMap::new() };
    for &step in steps {
        let mut step = step;
        if let Some(id) = step.choice.reuses {
            settling.open.retain(|byte, _| byte.0 != id);
        }
        let late = matches!(choices[step.at.index()], Chosen::Later(_)) && step.choice.value.is_none();
        if late {
            // Any number, unless a read decides.
            step.choice.value = Some(0);
            settling.carried.insert(step.thread, settling.steps.len());
        } else if let Some(span) = unread(machine, &unchosen, &state, &step) {
            // Any number here as well, unless a later read of the cell decides.
            step.choice.value = Some(0);
            let choice = settling.steps.len();
            let all = (0..span.bytes).map(|at| ((span.instance, span.first + at), (choice, at as u32)));
            settling.open.extend(all);
        } else {
            settling.access(machine, &mut state, &mut step);
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

/// The bytes that a step loads without the number that it must choose.
fn unread(machine: &Machine<'_>, unchosen: &Unchosen, state: &State, step: &Step) -> Option<Span> {
    unchosen.load(step.at).filter(|_| step.choice.value.is_none())?;
    unwritten(machine, &state.memory, state.threads.get(&step.thread)?)
}

/// The bytes of the one cell that the thread's next step accesses, if nobody has written it.
pub fn unwritten(machine: &Machine<'_>, memory: &Memory, thread: &Thread) -> Option<Span> {
    let effects = machine.program().effects(thread.loc());
    let (_, place, bits) = effects.scalar()?;
    let hit = machine.hit(memory, thread, place, bits).ok()?;
    let Hit::Cell(cell) = hit else { return None };
    (memory.read(cell) == Value::Undetermined).then(|| machine.span(memory, hit))
}

/// Late choices on their way.
struct Settling {
    steps: Vec<Step>,
    /// By thread: the choice that it is about to store.
    carried: BTreeMap<ThreadId, usize>,
    /// By byte: the choice that it holds a byte of, and which.
    open: BTreeMap<(InstanceId, u64), (usize, u32)>,
}

impl Settling {
    /// Notes an access; a read of what was chosen late chooses now.
    fn access(&mut self, machine: &Machine<'_>, state: &mut State, step: &mut Step) {
        let effects = machine.program().effects(step.at);
        let Some((access, place, bits)) = effects.scalar() else { return };
        let Some(thread) = state.threads.get(&step.thread) else { return };
        let Ok(hit) = machine.hit(&state.memory, thread, place, bits) else { return };
        let Span { instance, first, bytes } = machine.span(&state.memory, hit);
        let all = (0..bytes).map(|at| ((instance, first + at), at as u32));
        if access.kind == AccessKind::Write {
            let stored = self.carried.remove(&step.thread);
            for (byte, at) in all {
                match stored {
                    Some(choice) => self.open.insert(byte, (choice, at)),
                    None => self.open.remove(&byte),
                };
            }
            return;
        }
        let mut met = false;
        for (byte, at) in all {
            let Some((choice, part)) = self.open.remove(&byte) else { continue };
            let Some(number) = step.choice.value else { continue };
            let chosen = &mut self.steps[choice].choice.value;
            *chosen = chosen.map(|it| it | (number >> (8 * at) & 0xff) << (8 * part));
            met = true;
        }
        if met && let Some(number) = step.choice.value.take() {
            // Where a part was never written the replay refuses the step.
            let written = machine.put(&mut state.memory, hit, bits, Value::Bits(number));
            debug_assert!(written.is_ok(), "what was undetermined can be written");
        }
    }
}
