//! The reached set as a certificate: every variable is kept, except the locals that are dead or out of scope where a
//! thread stands.

use super::crowd;
use crate::bits;
use crate::explore::{Explored, NONE};
use crate::threads::Threads;
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId};
use ir::certificate::{Bits, LocalAt, Point, Reached, StateView, ThreadView, View};
use std::collections::HashMap;

/// The certificate of a complete search without reduction and without running on.
pub fn reached(
    threads: &Threads<'_>,
    explored: &Explored,
    bound: u32,
    budget: &Budget,
) -> Result<Reached, Stop> {
    let mut views = Views {
        threads,
        view: View { shared: threads.semantics.program.shared().ids().collect(), points: vec![] },
        points: HashMap::new(),
        numbers: vec![NONE; threads.semantics.locals.len()],
        seen: vec![],
    };
    let mut states = Vec::with_capacity(explored.states().len());
    let mut groups = vec![];
    for id in 0..explored.states().len() as u32 {
        budget.spend(1)?;
        let shared = crowd::decode(explored.states().get(id), &mut groups);
        let mut threads: Vec<(usize, u32)> =
            groups.iter().map(|&(local, count)| (views.number(local), count)).collect();
        threads.sort_unstable();
        states.push(StateView {
            initialising: views.threads.semantics.initialising(shared),
            shared: views.shared(shared),
            threads,
        });
    }
    Ok(Reached { view: views.view, threads: views.seen, states, bound })
}

struct Views<'t, 'p> {
    threads: &'t Threads<'p>,
    view: View,
    points: HashMap<(Loc, bool), usize>,
    /// For each local state its number in the certificate.
    numbers: Vec<u32>,
    seen: Vec<ThreadView>,
}

impl Views<'_, '_> {
    fn shared(&self, shared: u32) -> Bits {
        let row = self.threads.semantics.shared.get(shared);
        (0..self.view.shared.len()).map(|index| bits::get(row, index)).collect()
    }

    fn number(&mut self, local: u32) -> usize {
        if self.numbers[local as usize] == NONE {
            let semantics = &self.threads.semantics;
            let point = self.point(semantics.loc(local), semantics.inside(local));
            let row = semantics.values(local);
            let kept = &self.view.points[point].kept;
            let values = kept.iter().map(|it| bits::get(row, it.local.index())).collect();
            self.numbers[local as usize] = self.seen.len() as u32;
            self.seen.push(ThreadView { point, values });
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
