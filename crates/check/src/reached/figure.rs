//! A thread as the checker sees it: every local has a set of possible values. What the view forgets may have either value, so
//! that reading it covers whatever the thread really holds.

use base::Id;
use ir::bp::{ExprId, Loc, LocalId, LocalScope, Program, Read, Values, Var, When, Whose};

/// A thread with sets for values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Whether it is inside an atomic section.
    pub inside: bool,
    /// Where its activations stand, the oldest first.
    pub stack: Vec<Loc>,
    /// The values of the thread's own locals, then those of each activation.
    values: Vec<Values>,
}

/// Where a figure keeps the value of a local in the activation at `depth`.
pub fn slot(program: &Program, depth: usize, local: LocalId) -> usize {
    match program.locals()[local].scope {
        LocalScope::Thread => local.index(),
        LocalScope::Procedure(_) => (depth + 1) * program.locals().len() + local.index(),
    }
}

impl Figure {
    /// A thread of which only the place is known; `outside` is what locals out of scope may hold.
    pub fn unknown(program: &Program, stack: &[Loc], inside: bool, outside: Values) -> Figure {
        let values = vec![Values::ANY; (stack.len() + 1) * program.locals().len()];
        let mut figure = Figure { inside, stack: stack.to_vec(), values };
        for (depth, &loc) in stack.iter().enumerate() {
            for local in program.locals().ids().filter(|&local| !program.in_scope(loc, local)) {
                figure.set(slot(program, depth, local), outside);
            }
        }
        figure
    }

    /// A new thread at `at`; `value` says what each local in scope there may be, all others are 0.
    pub fn newborn(program: &Program, at: Loc, value: impl Fn(LocalId) -> Values) -> Figure {
        let values = vec![Values::FALSE; 2 * program.locals().len()];
        let mut figure = Figure { inside: false, stack: vec![at], values };
        for local in program.locals().ids().filter(|&local| program.in_scope(at, local)) {
            figure.set(slot(program, 0, local), value(local));
        }
        figure
    }

    /// Adds an activation at `entry`, all of its locals 0.
    pub fn enter(&mut self, program: &Program, entry: Loc) {
        self.stack.push(entry);
        self.values.resize((self.stack.len() + 1) * program.locals().len(), Values::FALSE);
    }

    /// Drops the current activation.
    pub fn leave(&mut self, program: &Program) {
        self.stack.pop();
        self.values.truncate((self.stack.len() + 1) * program.locals().len());
    }

    /// The depth of the current activation.
    pub fn depth(&self) -> usize {
        self.stack.len() - 1
    }

    /// Where control is.
    pub fn loc(&self) -> Loc {
        self.stack[self.depth()]
    }

    /// Sends control on.
    pub fn go(&mut self, to: Loc) {
        let depth = self.depth();
        self.stack[depth] = to;
    }

    /// What a slot may hold.
    pub fn get(&self, slot: usize) -> Values {
        self.values[slot]
    }

    /// Sets a slot.
    pub fn set(&mut self, slot: usize, values: Values) {
        self.values[slot] = values;
    }

    /// Whether the activation at `depth` has the local; one of the whole thread counts for the current activation alone.
    pub fn sees(&self, program: &Program, depth: usize, local: LocalId) -> bool {
        match program.locals()[local].scope {
            LocalScope::Thread => depth == self.depth(),
            LocalScope::Procedure(_) => program.in_scope(self.stack[depth], local),
        }
    }

    /// Dead locals are 0.
    pub fn settle(&mut self, program: &Program) {
        let depth = self.depth();
        for &local in &program.at(self.loc()).dead {
            self.set(slot(program, depth, local), Values::FALSE);
        }
    }
}

/// What can be read before a step, or after it: the shared variables, the active thread and perhaps an activation of a passive
/// one.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The shared variables.
    pub shared: &'a [Values],
    /// The thread that steps.
    pub me: &'a Figure,
    /// A thread that looks on, and which of its activations.
    pub passive: Option<(&'a Figure, usize)>,
}

impl Side<'_> {
    /// What a variable may be on this side, whatever the tick of the reading.
    pub fn read(&self, program: &Program, read: Read) -> Values {
        let local = match read.var {
            Var::Shared(id) => return self.shared[id.index()],
            Var::Local(local) => local,
        };
        match (read.whose, self.passive) {
            (Whose::Own, _) => self.me.get(slot(program, self.me.depth(), local)),
            (Whose::Passive, Some((passive, depth))) => passive.get(slot(program, depth, local)),
            (Whose::Passive, None) => Values::ANY,
        }
    }
}

/// What an expression may be in a state.
pub fn values(program: &Program, e: ExprId, now: Side<'_>) -> Values {
    values_between(program, e, now, now)
}

/// What an expression may be in a step from one state to another.
pub fn values_between(program: &Program, e: ExprId, now: Side<'_>, next: Side<'_>) -> Values {
    let side = |when| if when == When::Now { now } else { next };
    program.exprs().values(e, |read| side(read.when).read(program, read))
}
