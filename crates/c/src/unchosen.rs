//! Values of cells that nobody has written, which a load gives without choosing: `next = old->next` of a
//! node that another thread has just allocated. As long as no step computes with the value, runs that choose
//! other values differ in nothing else, so that one run stands for all of them. A value that is copied into
//! another register is not used by that.

use crate::effects::{AccessKind, Control, Effects, Move, NumberChoice, ValueFrom, ValueTo};
use crate::expr::Node;
use crate::program::{Loc, LocalId, LocalScope, Program};
use crate::state::Thread;
use crate::value::Value;
use base::Id;

/// What is known of the program's steps.
#[derive(Debug)]
pub struct Unchosen {
    /// By location: the register that a plain load writes.
    loads: Vec<Option<LocalId>>,
    /// By location: the registers whose values the step uses.
    uses: Vec<Vec<LocalId>>,
}

impl Unchosen {
    /// Looks at all steps.
    pub fn new(program: &Program) -> Unchosen {
        let effects = || program.locations().ids().map(|loc| program.effects(loc));
        Unchosen {
            loads: effects().map(|it| loaded(program, &it)).collect(),
            uses: effects().map(|it| used(program, it)).collect(),
        }
    }

    /// The register that gets the value, if the step is a load that need not choose it.
    pub fn load(&self, loc: Loc) -> Option<LocalId> {
        self.loads[loc.index()]
    }

    /// Whether the thread's next step uses a value that was not chosen.
    pub fn is_used(&self, program: &Program, thread: &Thread) -> bool {
        let unchosen = |&local: &LocalId| thread.get(program, local) == Value::Undetermined;
        self.uses[thread.loc().index()].iter().any(unchosen)
    }
}

fn loaded(program: &Program, effects: &Effects) -> Option<LocalId> {
    let [Move { from: ValueFrom::Memory(_), to: ValueTo::Register(local) }] = effects.moves[..] else {
        return None;
    };
    let reads = effects.scalar().is_some_and(|(access, ..)| access.kind == AccessKind::Read);
    let plain = effects.chooses.number == NumberChoice::Undetermined
        && effects.writes == [local]
        && effects.control == Control::Next
        && program.locals()[local].scope != LocalScope::Thread;
    (plain && reads).then_some(local)
}

fn used(program: &Program, effects: Effects) -> Vec<LocalId> {
    if let [Move { from: ValueFrom::Expr(value), to: ValueTo::Register(to) }] = effects.moves[..]
        && effects.only_writes()
        && effects.operands.is_empty()
        && let Node::Local(from, _) = program.exprs().node(value)
        && program.locals()[from].ty == program.locals()[to].ty
        && program.locals()[to].scope != LocalScope::Thread
    {
        return vec![];
    }
    effects.reads
}
