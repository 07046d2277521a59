//! Statements under pair lemmas: what a lemma says of the active and a passive thread is a fact where the
//! passive one is marked, and what it excludes together with the predicates becomes a condition over passive
//! copies. With such conditions the program is not monotone any more.

use super::super::cubes::{Question, Solver};
use super::super::formulas::Formed;
use super::{Abstracter, Barred, Bit, Known, Literal, Statement, select};
use base::Stop;
use c::ProcId;
use relation::ControlId;
use solve::aig::Lit;

/// What lemmas say of the active and a passive thread of a template, wherever a marker holds of that.
pub struct Between {
    template: ProcId,
    /// The predicate of the marker.
    marker: usize,
    /// Where it holds.
    set: Vec<ControlId>,
    /// What the lemmas say, over the state before.
    holds: Vec<Lit>,
}

/// What is known when broadcasts are computed.
pub struct Facts<'a> {
    /// The command.
    pub formed: &'a Formed,
    /// The lemmas.
    pub between: &'a [Between],
}

impl Abstracter<'_> {
    /// The lemmas that a thread which steps from here may use, by marker.
    pub(super) fn between(&mut self, from: ControlId) -> Result<Vec<Between>, Stop> {
        let mut found: Vec<Between> = vec![];
        for it in self.lemmas.instances(from) {
            let lemma = &self.lemmas.list[it.lemma];
            let holds = self.formulas.between(&lemma.pair, it.active_first)?.negate_if(lemma.negated);
            match found.iter_mut().find(|other| other.marker == it.marker) {
                Some(same) => same.holds.push(holds),
                None => {
                    let set = self.lemmas.markers.iter().find(|marker| marker.predicate == it.marker);
                    let set = set.map(|it| it.set.clone()).unwrap_or_default();
                    found.push(Between {
                        template: lemma.template,
                        marker: it.marker,
                        set,
                        holds: vec![holds],
                    });
                }
            }
        }
        Ok(found)
    }

    /// What the lemmas say of passive threads of a template, as facts.
    pub(super) fn implied(&mut self, between: &[Between], template: ProcId) -> Vec<Lit> {
        let own = between.iter().filter(|it| it.template == template);
        let own: Vec<(Lit, Vec<Lit>)> =
            own.map(|it| (self.formulas.passive[it.marker], it.holds.clone())).collect();
        own.into_iter().map(|(marked, holds)| self.formulas.implied(marked, &holds)).collect()
    }

    /// Which Booleans of the active and a passive thread the lemmas exclude, where the guard alone does not.
    pub(super) fn bar(
        &mut self,
        between: &[Between],
        formed: &Formed,
        known: &Known,
        solver: &mut Solver,
        statement: &mut Statement,
    ) -> Result<(), Stop> {
        for it in between {
            let mut both = known.clone();
            for (predicate, about) in self.predicates.list.iter().enumerate() {
                let lives = |&at: &ControlId| self.predicates.is_live(at, predicate);
                if !about.is_shared && predicate != it.marker && it.set.iter().all(lives) {
                    both.push(Bit { predicate, passive: true }, self.formulas.passive[predicate]);
                }
            }
            let guard = self.formulas.all(&formed.guard);
            let lemma = self.formulas.all(&it.holds);
            let near = self.formulas.near(&[lemma], &both.lits);
            let given = select(&both, &near);
            let question = Question {
                first: self.formulas.all(&[guard, lemma]),
                second: guard,
                given: given.lits.clone(),
                seen: Default::default(),
                complete: false,
            };
            let split = solver.split(&mut self.formulas, &question, &self.limits, self.budget)?;
            let marked = Literal { bit: Bit { predicate: it.marker, passive: true }, value: true };
            for mut cube in given.cubes(&split.second) {
                cube.push(marked);
                statement.barred.push(Barred { template: it.template, cube });
            }
        }
        Ok(())
    }
}
