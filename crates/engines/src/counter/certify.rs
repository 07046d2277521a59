//! The reached set as a certificate, one state after the other: only where there are few.

use super::group::{Control, Piece, ThreadGroup};
use super::store::StateStore;
use crate::certificate::{CertificateIndex, counted};
use crate::encoding::{Encoding, Slot};
use base::{Budget, Stop};
use ir::bp::Var;
use ir::certificate::{Bits, LocalAt, Reached, StateView, View};
use solve::bdd::{Bdd, Level};
use std::collections::BTreeSet;

/// All states of a complete search without reduction and without transition merging; `None` if there are more
/// than `most`, or if none is to be listed.
pub fn reached(
    encoding: &Encoding<'_>,
    store: &StateStore,
    bound: u32,
    most: usize,
    budget: &Budget,
) -> Result<Option<(View, Reached)>, Stop> {
    if most == 0 {
        return Ok(None);
    }
    let mut writer = CounterWriter {
        encoding,
        index: CertificateIndex::new(encoding.program),
        states: BTreeSet::new(),
        left: most.saturating_mul(8),
        budget,
    };
    for piece in store.pieces() {
        if !writer.add(piece)? || writer.states.len() > most {
            return Ok(None);
        }
    }
    let CounterWriter { index, states, .. } = writer;
    let CertificateIndex { view, threads, .. } = index;
    Ok(Some((view, Reached { threads, states: states.into_iter().collect(), bound })))
}

/// The number of a control location in the certificate.
pub fn number(index: &mut CertificateIndex, encoding: &Encoding<'_>, at: Control) -> usize {
    let kept = || encoding.kept(at.loc()).iter().map(|&local| LocalAt { depth: 0, local });
    index.control(vec![at.loc()], at.inside(), |_| kept().collect())
}

struct CounterWriter<'s, 'p> {
    encoding: &'s Encoding<'p>,
    index: CertificateIndex,
    states: BTreeSet<StateView>,
    /// How many more states may be looked at; those of different symbolic states may be the same.
    left: usize,
    budget: &'s Budget,
}

impl CounterWriter<'_, '_> {
    /// Adds all states that a symbolic one means; false if there are too many.
    fn add(&mut self, piece: &Piece) -> Result<bool, Stop> {
        let space = &self.encoding.space;
        let levels: Vec<Level> =
            self.index.view.shared.iter().map(|&id| space.now(Var::Shared(id), Slot::Own)).collect();
        let Some(shared) = self.assignments(piece.shared, &levels)? else { return Ok(false) };
        let mut populations: Vec<Vec<usize>> = vec![vec![]];
        for group in piece.groups.iter() {
            let Some(members) = self.members(group)? else { return Ok(false) };
            let chosen = multisets(&members, group.count as usize, self.left / populations.len().max(1));
            let Some(chosen) = chosen else { return Ok(false) };
            let longer = populations
                .iter()
                .flat_map(|population| chosen.iter().map(move |more| [&population[..], more].concat()));
            populations = longer.collect();
        }
        if shared.len().saturating_mul(populations.len()) > self.left {
            return Ok(false);
        }
        self.left -= shared.len() * populations.len();
        self.budget.spend((shared.len() * populations.len()) as u64)?;
        for mut population in populations {
            population.sort_unstable();
            let threads = counted(population);
            for shared in &shared {
                let (shared, threads) = (shared.clone(), threads.clone());
                self.states.insert(StateView { initialising: piece.initialising, shared, threads });
            }
        }
        Ok(true)
    }

    /// The numbers of the threads in a group's set.
    fn members(&mut self, group: &ThreadGroup) -> Result<Option<Vec<usize>>, Stop> {
        let control = number(&mut self.index, self.encoding, group.at);
        let space = &self.encoding.space;
        let kept = self.encoding.kept(group.at.loc()).iter();
        let levels: Vec<Level> = kept.map(|&local| space.now(Var::Local(local), Slot::Own)).collect();
        let Some(all) = self.assignments(group.set, &levels)? else { return Ok(None) };
        Ok(Some(all.into_iter().map(|values| self.index.thread(control, values)).collect()))
    }

    /// The assignments to these variables that satisfy a function of them; `None` if there are too many.
    fn assignments(&self, set: Bdd, levels: &[Level]) -> Result<Option<Vec<Bits>>, Stop> {
        if self.encoding.manager.sat_count(set, levels.len() as u32) > self.left as f64 {
            return Ok(None);
        }
        let mut all: Vec<Bits> = vec![];
        for cube in self.encoding.manager.cubes(set) {
            let mut some: Vec<Bits> = vec![vec![]];
            for level in levels {
                let fixed = cube.iter().find(|it| it.0 == *level).map(|it| it.1);
                let values = fixed.map_or(&[false, true][..], |value| if value { &[true] } else { &[false] });
                let longer = |bits: Bits| values.iter().map(move |&value| [&bits[..], &[value]].concat());
                some = some.into_iter().flat_map(longer).collect();
                self.budget.spend(some.len() as u64)?;
            }
            all.extend(some);
        }
        Ok(Some(all))
    }
}

/// All multisets of this many of the items; `None` if there are more than `most`.
fn multisets(items: &[usize], count: usize, most: usize) -> Option<Vec<Vec<usize>>> {
    // Each with the position from which it may go on.
    let mut all: Vec<(usize, Vec<usize>)> = vec![(0, vec![])];
    for _ in 0..count {
        let mut longer = vec![];
        for (first, chosen) in all {
            for (at, &item) in items.iter().enumerate().skip(first) {
                longer.push((at, [&chosen[..], &[item]].concat()));
            }
            if longer.len() > most {
                return None;
            }
        }
        all = longer;
    }
    Some(all.into_iter().map(|it| it.1).collect())
}
