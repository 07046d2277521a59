//! How certificates of this engine show threads: every local is kept, except those that are dead or out of
//! scope where a thread stands.

use crate::certificate::CertificateIndex;
use base::Id;
use ir::bp::{Loc, LocalId, LocalScope, Program, Thread};
use ir::certificate::{LocalAt, ThreadView, View};

/// The threads seen so far.
pub struct Shown<'p> {
    program: &'p Program,
    index: CertificateIndex,
}

/// Whether the view shows the local there.
pub fn keeps(program: &Program, loc: Loc, local: LocalId) -> bool {
    program.in_scope(loc, local) && !program.at(loc).dead.contains(&local)
}

/// The locals shown of a thread with these activations. What is dead in a caller at its call is written
/// before it is read again.
fn kept(program: &Program, stack: &[Loc]) -> Vec<LocalAt> {
    let top = stack.len() - 1;
    let mut all = vec![];
    for (depth, &loc) in stack.iter().enumerate() {
        let own = |local: &LocalId| match program.locals()[*local].scope {
            LocalScope::Thread if depth < top => false,
            _ => keeps(program, loc, *local),
        };
        all.extend(program.locals().ids().filter(own).map(|local| LocalAt { depth, local }));
    }
    all
}

impl<'p> Shown<'p> {
    /// No threads yet.
    pub fn new(program: &'p Program) -> Self {
        Shown { program, index: CertificateIndex::new(program) }
    }

    /// The number of a thread in one activation; `locals` holds a value for each local of the program.
    pub fn thread(&mut self, loc: Loc, inside: bool, locals: &[bool]) -> usize {
        self.number(vec![loc], inside, |_, local| locals[local.index()])
    }

    /// The number of a thread with its callers.
    pub fn stacked(&mut self, thread: &Thread) -> usize {
        let program = self.program;
        let stack = thread.stack.iter().map(|frame| frame.loc).collect();
        self.number(stack, thread.inside, |depth, local| thread.value(program, depth, local))
    }

    fn number(&mut self, stack: Vec<Loc>, inside: bool, value: impl Fn(usize, LocalId) -> bool) -> usize {
        let control = self.index.control(stack, inside, |stack| kept(self.program, stack));
        let kept = self.index.view.controls[control].kept.iter();
        let values = kept.map(|it| value(it.depth, it.local)).collect();
        self.index.thread(control, values)
    }

    /// By number, whether the thread is inside a section.
    pub fn insides(&self) -> Vec<bool> {
        self.index.threads.iter().map(|it| self.index.view.controls[it.control].inside).collect()
    }

    /// The view, and the threads by number.
    pub fn finish(self) -> (View, Vec<ThreadView>) {
        (self.index.view, self.index.threads)
    }
}
