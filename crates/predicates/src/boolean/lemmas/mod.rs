//! Pair lemmas: what holds of the variables of two different threads wherever they stand at certain control
//! locations, such as that no two holders of a ticket have the same. Mixed predicates relate a thread to the
//! shared state and cannot say that. A lemma is used and proved at once: statements are abstracted under it
//! ([`super::statement`]), an engine closes the Boolean program, and in what that reaches every step must
//! keep the lemma ([`obligations`]). Pairs of locations where it may be broken are taken out, and the program
//! is abstracted again, until nothing is left to take out (Houdini: Flanagan and Leino, FME 2001).
//!
//! Why this is no circle: after n steps every few threads look as the closure says, and the lemma holds. Then
//! the lemma holds after the next step, since the obligations are about what the closure has *before* it; and
//! the closure has what comes after it, since the statement covers every step from where the lemma holds.

mod invariant;
mod markers;
mod obligations;
mod proposed;
mod settle;

pub use markers::{Marked, Marker, marked, sets};
pub use proposed::{Proposal, between, proposed};
pub use settle::{Given, Settled, Weakened, settle, under_lemmas, weaken};

use c::{Binary, ExprId, Exprs, ProcId};
use invariant::Invariant;
use obligations::discharge;
use relation::proof::PairPredicate;
use relation::{ControlId, Home, Relation, operator};
use std::collections::BTreeSet;

/// A lemma about more pairs of control locations than this is not tried.
const MOST_PLACES: usize = 10_000;

/// A condition on two different threads of a template, and where it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    /// The relation, over variables of the two threads alone: no third thread can change it.
    pub pair: PairPredicate,
    /// Whether the relation does not hold, rather than holds.
    pub negated: bool,
    /// The template of both threads.
    pub template: ProcId,
    /// Which of several it is.
    number: usize,
    /// Where its first and its second side have a meaning.
    live: [Vec<ControlId>; 2],
    /// Where the first and the second thread stand; in pairs of locations that are not here nothing is said.
    pub at: BTreeSet<(ControlId, ControlId)>,
}

impl Lemma {
    /// The lemma wherever both sides have a meaning; `None` if it is not about variables of one template, or
    /// about too many locations.
    pub fn new(relation: &Relation, exprs: &Exprs, pair: PairPredicate, negated: bool) -> Option<Lemma> {
        let sides = [pair.left, pair.right].map(|it| exprs.locals(it));
        let mut template = None;
        for &variable in sides.iter().flatten() {
            let Home::Template(own) = relation.variables[variable].home else { return None };
            if *template.get_or_insert(own) != own {
                return None;
            }
        }
        let template = template?;
        let [first, second] = sides.map(|read| -> Vec<ControlId> {
            let lives = |control: ControlId| {
                let live = &relation.controls[control].live;
                read.iter().all(|it| live.binary_search(it).is_ok())
            };
            let own = relation.controls.enumerate().filter(|(_, it)| it.template == template);
            own.map(|(id, _)| id).filter(|&it| lives(it)).collect()
        });
        if !(1..=MOST_PLACES).contains(&first.len().saturating_mul(second.len())) {
            return None;
        }
        let at = first.iter().flat_map(|&p| second.iter().map(move |&q| (p, q))).collect();
        Some(Lemma { pair, negated, template, number: 0, live: [first, second], at })
    }

    /// The control locations of a partner of a thread that stands here, by whether that thread is the first
    /// of the two.
    fn partners(&self, control: ControlId, is_first: bool) -> Vec<ControlId> {
        let own = &self.live[usize::from(!is_first)];
        if own.binary_search(&control).is_err() {
            return vec![];
        }
        let partner = |&(p, q): &(ControlId, ControlId)| match is_first {
            true => (p == control).then_some(q),
            false => (q == control).then_some(p),
        };
        self.at.iter().filter_map(partner).collect()
    }

    /// The lemma in words.
    pub fn text(&self, side: impl Fn(ExprId) -> String) -> String {
        let [left, right] = [self.pair.left, self.pair.right].map(side);
        let compare = match (self.pair.compare, self.negated) {
            (Binary::Eq, true) => "!=",
            (compare, _) => operator(compare),
        };
        let not = if self.negated && compare != "!=" { "not " } else { "" };
        format!("{not}{left} of one thread {compare} {right} of another")
    }
}

/// The lemmas of an abstraction, and the Booleans that say where a passive thread stands.
#[derive(Clone, Debug, Default)]
pub struct Lemmas {
    /// The lemmas.
    pub list: Vec<Lemma>,
    /// The markers.
    pub markers: Vec<Marker>,
}

/// A lemma as a thread that steps may use it of a passive one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The number of the lemma.
    pub lemma: usize,
    /// Whether the thread that steps is the first of the two.
    pub active_first: bool,
    /// The predicate that holds where the lemma does.
    pub marker: usize,
}

impl Lemmas {
    /// What a thread that steps from here may use; lemmas without a marker are not used.
    pub fn instances(&self, control: ControlId) -> Vec<Instance> {
        let mut instances = vec![];
        for (number, lemma) in self.list.iter().enumerate() {
            for active_first in [true, false] {
                let partners = lemma.partners(control, active_first);
                if let Some(marker) = self.markers.iter().find(|it| it.set == partners) {
                    instances.push(Instance { lemma: number, active_first, marker: marker.predicate });
                }
            }
        }
        instances
    }

    /// All that the lemmas say to a thread that steps from here.
    pub fn known_from(&self, control: ControlId) -> Vec<(PairPredicate, bool, Instance, &[ControlId])> {
        let instances = self.instances(control).into_iter().map(|it| {
            let lemma = &self.list[it.lemma];
            let marker = self.markers.iter().find(|marker| marker.predicate == it.marker);
            (lemma.pair, lemma.negated, it, marker.map_or(&[][..], |it| &it.set))
        });
        instances.collect()
    }
}
