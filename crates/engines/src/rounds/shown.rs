//! How certificates of this engine show threads: every local is kept, except those that are dead or out of scope where a thread
//! stands.

use base::Id;
use ir::bp::{Loc, LocalId, LocalScope, Program, Thread};
use ir::certificate::{LocalAt, Point, ThreadView, View};
use std::collections::BTreeMap;

/// The view and the threads seen so far.
pub struct Shown<'p> {
    program: &'p Program,
    view: View,
    points: BTreeMap<(Vec<Loc>, bool), usize>,
    threads: BTreeMap<ThreadView, usize>,
}

/// Whether the view shows the local there.
pub fn keeps(program: &Program, loc: Loc, local: LocalId) -> bool {
    program.in_scope(loc, local) && !program.at(loc).dead.contains(&local)
}

/// The locals shown of a thread with these activations. The callers wait: what is dead in them is not known to be 0.
fn kept(program: &Program, stack: &[Loc]) -> Vec<LocalAt> {
    let top = stack.len() - 1;
    let mut all = vec![];
    for (depth, &loc) in stack.iter().enumerate() {
        let own = |local: &LocalId| match program.locals()[*local].scope {
            LocalScope::Procedure(_) if depth < top => program.in_scope(loc, *local),
            LocalScope::Thread if depth < top => false,
            _ => keeps(program, loc, *local),
        };
        all.extend(program.locals().ids().filter(own).map(|local| LocalAt { depth, local }));
    }
    all
}

impl<'p> Shown<'p> {
    /// No threads yet; the shared variables are all kept.
    pub fn new(program: &'p Program) -> Self {
        let view = View { shared: program.shared().ids().collect(), points: vec![] };
        Shown { program, view, points: BTreeMap::new(), threads: BTreeMap::new() }
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
        let kept = kept(self.program, &stack);
        let values = kept.iter().map(|it| value(it.depth, it.local)).collect();
        let point = *self.points.entry((stack, inside)).or_insert_with_key(|(stack, inside)| {
            self.view.points.push(Point { stack: stack.clone(), inside: *inside, kept });
            self.view.points.len() - 1
        });
        let fresh = self.threads.len();
        *self.threads.entry(ThreadView { point, values }).or_insert(fresh)
    }

    /// By number, whether the thread is inside a section.
    pub fn insides(&self) -> Vec<bool> {
        let mut insides = vec![false; self.threads.len()];
        self.threads.iter().for_each(|(it, &number)| insides[number] = self.view.points[it.point].inside);
        insides
    }

    /// The view, and the threads by number.
    pub fn finish(self) -> (View, Vec<ThreadView>) {
        let mut threads: Vec<(ThreadView, usize)> = self.threads.into_iter().collect();
        threads.sort_by_key(|it| it.1);
        (self.view, threads.into_iter().map(|it| it.0).collect())
    }
}
