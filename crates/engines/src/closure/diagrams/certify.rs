//! The symbolic closure as a certificate: its classes with their control locations, and one formula for each
//! tuple of classes.

use super::sets::{TupleKey, class_of, is_inside};
use super::{Classes, Closed};
use crate::certificate::Proof;
use crate::encoding::{Encoding, Slot};
use base::{Budget, Stop};
use ir::bp::{LocalId, Var};
use ir::certificate::graph::Builder;
use ir::certificate::{Body, ClassClosure, ClassTuple, ControlLocation, LocalAt, View};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level};

/// Threads together as a certificate names them.
#[derive(Clone, Copy)]
pub struct ShownTuple<'s> {
    /// Whether `init` runs.
    pub initialising: bool,
    /// Whether somebody is inside an atomic section.
    pub busy: bool,
    /// Their controls, in order.
    pub controls: &'s [u32],
    /// The set.
    pub set: Bdd,
}

/// The certificate of a closed set and the minimal elements, which the encoding has slots for; `None` if it
/// takes more than `most` nodes and tuples.
pub fn certificate(
    encoding: &mut Encoding<'_>,
    closed: &Closed,
    basis: &[ShownTuple<'_>],
    most: usize,
    budget: &Budget,
) -> Result<Option<Proof>, Stop> {
    let mut writer = RegionWriter::new(encoding, closed);
    let tuples = closed.sets.iter();
    let tuples: Vec<ShownTuple<'_>> = tuples.map(|(key, set)| shown(key, set)).collect();
    let mut written = vec![];
    for &it in tuples.iter().chain(basis) {
        let Some(tuple) = writer.tuple(encoding, it, budget)? else { return Ok(None) };
        written.push(tuple);
        if writer.builder.graph().len() + written.len() > most {
            return Ok(None);
        }
    }
    let basis = written.split_off(tuples.len());
    let RegionWriter { view, controls, builder, .. } = writer;
    let width = u32::try_from(closed.width).expect("a small number");
    let closure = ClassClosure { classes: controls, graph: builder.finish(), width, tuples: written, basis };
    Ok(Some(Proof { view, body: Body::ClassClosure(closure) }))
}

fn shown<'k>(key: &'k TupleKey, set: Bdd) -> ShownTuple<'k> {
    let TupleKey { initialising, busy, tuple } = key;
    ShownTuple { initialising: *initialising, busy: *busy, controls: tuple.as_slice(), set }
}

struct RegionWriter<'c> {
    classes: &'c Classes,
    view: View,
    /// The number of each control in the certificate.
    numbers: FxHashMap<u32, usize>,
    /// For each of them its points.
    controls: Vec<Vec<usize>>,
    builder: Builder,
}

impl<'c> RegionWriter<'c> {
    /// The controls that occur, as classes of points.
    fn new(encoding: &Encoding<'_>, closed: &'c Closed) -> Self {
        let mut controls: Vec<u32> =
            closed.sets.iter().flat_map(|(key, _)| key.tuple.as_slice().to_vec()).collect();
        controls.sort_unstable();
        controls.dedup();
        let view = View { shared: encoding.program.shared().ids().collect(), controls: vec![] };
        let numbers = controls.iter().copied().zip(0..).collect();
        let mut writer = RegionWriter {
            classes: &closed.classes,
            view,
            numbers,
            controls: vec![],
            builder: Builder::default(),
        };
        for at in controls {
            let kept: Vec<LocalAt> =
                writer.kept(encoding, at).map(|local| LocalAt { depth: 0, local }).collect();
            let first = writer.view.controls.len();
            for &loc in writer.classes.members(class_of(at)) {
                let kept = kept.clone();
                writer.view.controls.push(ControlLocation { stack: vec![loc], inside: is_inside(at), kept });
            }
            writer.controls.push((first..writer.view.controls.len()).collect());
        }
        writer
    }

    /// The locals that are shown of a thread at a control: those in scope. What is left in the others nobody
    /// reads.
    fn kept<'a>(&'a self, encoding: &'a Encoding<'_>, at: u32) -> impl Iterator<Item = LocalId> + 'a {
        let loc = self.classes.members(class_of(at))[0];
        let kept = self.classes.kept(class_of(at)).iter().copied();
        kept.filter(move |&local| encoding.program.in_scope(loc, local))
    }

    /// A tuple; `None` if its inputs cannot be numbered.
    fn tuple(
        &mut self,
        encoding: &mut Encoding<'_>,
        it: ShownTuple<'_>,
        budget: &Budget,
    ) -> Result<Option<ClassTuple>, Stop> {
        let ShownTuple { initialising, busy, controls, set } = it;
        let level =
            |encoding: &Encoding<'_>, local, slot| encoding.space.now(Var::Local(local), Slot::Member(slot));
        let shared = (0..).zip(&self.view.shared);
        let mut inputs: FxHashMap<Level, u32> =
            shared.map(|(input, &id)| (encoding.space.now(Var::Shared(id), Slot::Own), input)).collect();
        let mut lost: Vec<Level> = vec![];
        for (slot, &at) in controls.iter().enumerate() {
            let shown: Vec<LocalId> = self.kept(encoding, at).collect();
            for (index, &local) in shown.iter().enumerate() {
                let Some(input) = self.view.input(slot, index) else {
                    return Ok(None);
                };
                inputs.insert(level(encoding, local, slot), input);
            }
            let hidden = self.classes.kept(class_of(at)).iter().filter(|local| !shown.contains(local));
            lost.extend(hidden.map(|&local| level(encoding, local, slot)));
        }
        let lost = encoding.manager.var_set(&lost)?;
        let set = encoding.manager.exists(set, lost, budget)?;
        let formula = crate::certificate::add(
            &mut self.builder,
            &encoding.manager,
            set,
            |level| inputs[&level],
            budget,
        )?;
        let classes = crate::certificate::counted(controls.iter().map(|at| self.numbers[at]));
        Ok(Some(ClassTuple { initialising, busy, classes, formula }))
    }
}
