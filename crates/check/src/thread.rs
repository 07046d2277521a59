//! A thread as the checker sees it: every local has a set of possible values. What the view forgets may have
//! either value, so that reading it covers whatever the thread really holds. A set is one of [`Values`], or a
//! formula that says which.

use base::Id;
use ir::bp::{Loc, LocalId, LocalScope, Program, Read, Values, Var, Whose};

/// A thread with sets for values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractThread<S = Values> {
    /// Whether it is inside an atomic section.
    pub inside: bool,
    /// Where its activations stand, the oldest first.
    pub stack: Vec<Loc>,
    /// The values of the thread's own locals, then those of each activation.
    values: Vec<S>,
}

/// Where an abstract thread keeps the value of a local in the activation at `depth`.
pub fn slot(program: &Program, depth: usize, local: LocalId) -> usize {
    match program.locals()[local].scope {
        LocalScope::Thread => local.index(),
        LocalScope::Procedure(_) => (depth + 1) * program.locals().len() + local.index(),
    }
}

impl<S: Copy + From<Values>> AbstractThread<S> {
    /// A thread of which only the control location is known; `outside` is what locals out of scope may hold.
    pub fn unknown(program: &Program, stack: &[Loc], inside: bool, outside: Values) -> Self {
        let values = vec![S::from(Values::ANY); (stack.len() + 1) * program.locals().len()];
        let mut abstract_thread = AbstractThread { inside, stack: stack.to_vec(), values };
        for (depth, &loc) in stack.iter().enumerate() {
            for local in program.locals().ids().filter(|&local| !program.in_scope(loc, local)) {
                abstract_thread.set(slot(program, depth, local), S::from(outside));
            }
        }
        abstract_thread
    }

    /// A new thread at `at`; `value` says what each local in scope there may be, all others are 0.
    pub fn newborn(program: &Program, at: Loc, mut value: impl FnMut(LocalId) -> S) -> Self {
        let values = vec![S::from(Values::FALSE); 2 * program.locals().len()];
        let mut abstract_thread = AbstractThread { inside: false, stack: vec![at], values };
        for local in program.locals().ids().filter(|&local| program.in_scope(at, local)) {
            abstract_thread.set(slot(program, 0, local), value(local));
        }
        abstract_thread
    }

    /// Adds an activation at `entry`, all of its locals 0.
    pub fn enter(&mut self, program: &Program, entry: Loc) {
        self.stack.push(entry);
        self.values.resize((self.stack.len() + 1) * program.locals().len(), S::from(Values::FALSE));
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
    pub fn get(&self, slot: usize) -> S {
        self.values[slot]
    }

    /// Sets a slot.
    pub fn set(&mut self, slot: usize, values: S) {
        self.values[slot] = values;
    }

    /// Whether the activation at `depth` has the local; one of the whole thread counts for the current
    /// activation alone.
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
            self.set(slot(program, depth, local), S::from(Values::FALSE));
        }
    }
}

/// The shared variables and the active thread, before a step or after it.
#[derive(Clone)]
pub struct ThreadState<S = Values> {
    /// The shared variables.
    pub shared: Vec<S>,
    /// The thread that steps.
    pub me: AbstractThread<S>,
}

impl<S: Copy + From<Values>> ThreadState<S> {
    /// What can be read.
    pub fn side(&self) -> Side<'_, S> {
        Side { shared: &self.shared, me: &self.me, passive: None }
    }

    /// The same with control elsewhere.
    pub fn gone(&self, to: Loc) -> Self {
        let mut after = self.clone();
        after.me.go(to);
        after
    }

    /// Writes a variable of the current activation.
    pub fn write(&mut self, program: &Program, var: Var, value: S) {
        match var {
            Var::Shared(id) => self.shared[id.index()] = value,
            Var::Local(local) => self.me.set(slot(program, self.me.depth(), local), value),
        }
    }
}

/// What a step does to the shared variables and the active thread.
#[derive(Clone, Copy)]
pub struct Change<'a, S = Values> {
    /// Before it.
    pub now: &'a ThreadState<S>,
    /// After it.
    pub next: &'a ThreadState<S>,
}

/// What can be read before a step, or after it: the shared variables, the active thread and perhaps an
/// activation of a passive one.
#[derive(Clone, Copy)]
pub struct Side<'a, S = Values> {
    /// The shared variables.
    pub shared: &'a [S],
    /// The thread that steps.
    pub me: &'a AbstractThread<S>,
    /// A passive thread, and which of its activations.
    pub passive: Option<(&'a AbstractThread<S>, usize)>,
}

impl<S: Copy + From<Values>> Side<'_, S> {
    /// What a variable may be on this side, whatever the tick of the reading.
    pub fn read(&self, program: &Program, read: Read) -> S {
        let local = match read.var {
            Var::Shared(id) => return self.shared[id.index()],
            Var::Local(local) => local,
        };
        match (read.whose, self.passive) {
            (Whose::Own, _) => self.me.get(slot(program, self.me.depth(), local)),
            (Whose::Passive, Some((passive, depth))) => passive.get(slot(program, depth, local)),
            (Whose::Passive, None) => S::from(Values::ANY),
        }
    }
}
