//! How certificates show the states of a program: every variable is kept, except the locals that are dead or out of scope where a
//! thread stands.

use super::Threads;
use crate::bits;
use crate::explore::NONE;
use base::Id;
use ir::bp::{Loc, LocalId};
use ir::certificate::{Bits, LocalAt, Point, ThreadView, View};
use std::collections::HashMap;

/// The view that certificates have of a program's threads.
pub struct Views<'t, 'p> {
    threads: &'t Threads<'p>,
    /// What is kept.
    pub view: View,
    points: HashMap<(Loc, bool), usize>,
    /// For each local state its number in the certificate.
    numbers: Vec<u32>,
    shown: HashMap<ThreadView, u32>,
    /// The threads, by number.
    pub seen: Vec<ThreadView>,
}

impl<'t, 'p> Views<'t, 'p> {
    /// No threads seen yet; the shared variables are all kept.
    pub fn new(threads: &'t Threads<'p>) -> Self {
        Views {
            threads,
            view: View { shared: threads.semantics.program.shared().ids().collect(), points: vec![] },
            points: HashMap::new(),
            numbers: vec![NONE; threads.semantics.locals.len()],
            shown: HashMap::new(),
            seen: vec![],
        }
    }

    /// The values of the shared variables.
    pub fn shared(&self, shared: u32) -> Bits {
        let row = self.threads.semantics.shared.get(shared);
        (0..self.view.shared.len()).map(|index| bits::get(row, index)).collect()
    }

    /// The number of a thread-local state in the certificate.
    pub fn number(&mut self, local: u32) -> usize {
        if self.numbers[local as usize] == NONE {
            let semantics = &self.threads.semantics;
            let point = self.point(semantics.loc(local), semantics.inside(local));
            let row = semantics.values(local);
            let kept = &self.view.points[point].kept;
            let values = kept.iter().map(|it| bits::get(row, it.local.index())).collect();
            // Two states may differ in what a view never shows.
            let thread = ThreadView { point, values };
            let fresh = self.seen.len() as u32;
            let number = *self.shown.entry(thread.clone()).or_insert(fresh);
            if number == fresh {
                self.seen.push(thread);
            }
            self.numbers[local as usize] = number;
        }
        self.numbers[local as usize] as usize
    }

    fn point(&mut self, loc: Loc, inside: bool) -> usize {
        *self.points.entry((loc, inside)).or_insert_with(|| {
            let program = self.threads.semantics.program;
            let alive =
                |local: &LocalId| program.in_scope(loc, *local) && !program.at(loc).dead.contains(local);
            let kept = program.locals().ids().filter(alive).map(|local| LocalAt { depth: 0, local });
            self.view.points.push(Point { stack: vec![loc], inside, kept: kept.collect() });
            self.view.points.len() - 1
        })
    }
}
