//! The reached set as a certificate, one formula for each symbolic state: where there are too many states to
//! list.
//!
//! A symbolic state is a product, so that its formula is a conjunction: one conjunct for the shared
//! variables, one for each thread. Decision diagrams are if-then-else graphs as they are.

use super::certify::number;
use super::group::Piece;
use super::store::StateStore;
use crate::certificate::CertificateIndex;
use crate::encoding::{Encoding, Slot};
use base::{Budget, Stop};
use ir::bp::Var;
use ir::certificate::graph::{Builder, NodeId};
use ir::certificate::{self, View};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level};

/// All states of a complete search without reduction and without transition merging; `None` if it takes more
/// than `most` symbolic states.
pub fn symbolic(
    encoding: &Encoding<'_>,
    store: &StateStore,
    bound: u32,
    most: usize,
    budget: &Budget,
) -> Result<Option<(View, certificate::Symbolic)>, Stop> {
    let pieces: Vec<&Piece> = store.pieces().take(most.saturating_add(1)).collect();
    if pieces.len() > most {
        return Ok(None);
    }
    let mut index = CertificateIndex::new(encoding.program);
    let threads: Vec<Vec<(usize, Bdd)>> =
        pieces.iter().map(|piece| threads(encoding, piece, &mut index)).collect();
    let view = index.view;
    let mut writer = FormulaWriter {
        encoding,
        view: &view,
        builder: Builder::default(),
        known: FxHashMap::default(),
        budget,
    };
    let mut written = vec![];
    for (piece, threads) in pieces.iter().zip(&threads) {
        let Some(formula) = writer.formula(piece, threads)? else { return Ok(None) };
        let controls = crate::certificate::counted(threads.iter().map(|it| it.0));
        written.push(certificate::Piece { initialising: piece.initialising, controls, formula });
    }
    let graph = writer.builder.finish();
    Ok(Some((view, certificate::Symbolic { graph, pieces: written, bound })))
}

/// The points and sets of the threads, each on its own, in the order of the points.
fn threads(encoding: &Encoding<'_>, piece: &Piece, index: &mut CertificateIndex) -> Vec<(usize, Bdd)> {
    let mut threads = vec![];
    for group in piece.groups.iter() {
        let control = number(index, encoding, group.at);
        threads.extend((0..group.count).map(|_| (control, group.set)));
    }
    threads.sort_by_key(|it| it.0);
    threads
}

struct FormulaWriter<'s, 'p> {
    encoding: &'s Encoding<'p>,
    view: &'s View,
    builder: Builder,
    /// The formula of a set for the thread in a slot; no slot for the shared part.
    known: FxHashMap<(Bdd, Option<(usize, usize)>), NodeId>,
    budget: &'s Budget,
}

impl FormulaWriter<'_, '_> {
    /// What a state says of its threads in their slots; `None` if there are too many of them to number.
    fn formula(&mut self, piece: &Piece, threads: &[(usize, Bdd)]) -> Result<Option<NodeId>, Stop> {
        let Some(mut all) = self.set(piece.shared, None)? else { return Ok(None) };
        for (slot, &(control, set)) in threads.iter().enumerate() {
            let Some(set) = self.set(set, Some((slot, control)))? else { return Ok(None) };
            all = self.builder.and(set, all);
        }
        Ok(Some(all))
    }

    fn set(&mut self, set: Bdd, slot: Option<(usize, usize)>) -> Result<Option<NodeId>, Stop> {
        if let Some(&known) = self.known.get(&(set, slot)) {
            return Ok(Some(known));
        }
        let Some(inputs) = self.inputs(slot) else { return Ok(None) };
        let root = crate::certificate::add(
            &mut self.builder,
            &self.encoding.manager,
            set,
            |level| inputs[&level],
            self.budget,
        )?;
        self.known.insert((set, slot), root);
        Ok(Some(root))
    }

    /// Which input is which variable: of the shared part, or of the thread in a slot at a point.
    fn inputs(&self, slot: Option<(usize, usize)>) -> Option<FxHashMap<Level, u32>> {
        let level = |var| self.encoding.space.now(var, Slot::Own);
        match slot {
            None => Some(
                (0..).zip(&self.view.shared).map(|(input, &id)| (level(Var::Shared(id)), input)).collect(),
            ),
            Some((slot, control)) => {
                let kept = self.view.controls[control].kept.iter().enumerate();
                let input = |index| self.view.input(slot, index);
                kept.map(|(index, it)| Some((level(Var::Local(it.local)), input(index)?))).collect()
            }
        }
    }
}
