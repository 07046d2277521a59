//! How certificates of this engine show threads: every local is kept, except those that are dead or out of scope where a thread
//! stands.

use base::Id;
use ir::bp::{Loc, LocalId, Program};
use ir::certificate::{LocalAt, Point, ThreadView, View};
use std::collections::BTreeMap;

/// The view and the threads seen so far.
pub struct Shown<'p> {
    program: &'p Program,
    view: View,
    points: BTreeMap<(Loc, bool), usize>,
    threads: BTreeMap<ThreadView, usize>,
}

/// Whether the view shows the local there.
pub fn keeps(program: &Program, loc: Loc, local: LocalId) -> bool {
    program.in_scope(loc, local) && !program.at(loc).dead.contains(&local)
}

impl<'p> Shown<'p> {
    /// No threads yet; the shared variables are all kept.
    pub fn new(program: &'p Program) -> Self {
        let view = View { shared: program.shared().ids().collect(), points: vec![] };
        Shown { program, view, points: BTreeMap::new(), threads: BTreeMap::new() }
    }

    /// The number of a thread in one activation; `locals` holds a value for each local of the program.
    pub fn thread(&mut self, loc: Loc, inside: bool, locals: &[bool]) -> usize {
        let program = self.program;
        let kept = || program.locals().ids().filter(move |&local| keeps(program, loc, local));
        let point = *self.points.entry((loc, inside)).or_insert_with(|| {
            let kept = kept().map(|local| LocalAt { depth: 0, local }).collect();
            self.view.points.push(Point { stack: vec![loc], inside, kept });
            self.view.points.len() - 1
        });
        let values = kept().map(|local| locals[local.index()]).collect();
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
