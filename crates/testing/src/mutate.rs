//! Proofs with something missing or changed, for tests of the checkers: what is no proof any more must be
//! refused.

mod classes;
mod weights;

use base::{Id, Random};
use ir::certificate::{Body, Certificate, Tokens, TupleView};

/// What was done to a proof by tuples.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mutation {
    /// A tuple that is no part of another is missing.
    TupleDropped,
    /// An element of the basis is missing.
    ElementDropped,
    /// The width is lowered and the tuples are cut down to it.
    WidthLowered,
    /// An element of the basis has one thread less.
    ElementLowered,
    /// A thread of a tuple or an element was replaced.
    ThreadReplaced,
    /// A tuple or an element is in the shared state of another.
    StateReplaced,
    /// A tuple is in the basis too.
    TupleInBasis,
    /// A formula holds elsewhere.
    FormulaChanged,
    /// Weights are missing.
    WeightsDropped,
    /// A weight of a state, a place or a trap is another.
    WeightChanged,
    /// A place came to a trap or left it.
    TrapChanged,
}

/// All kinds; the last is for formulas alone.
pub const MUTATIONS: [Mutation; 8] = [
    Mutation::TupleDropped,
    Mutation::ElementDropped,
    Mutation::WidthLowered,
    Mutation::ElementLowered,
    Mutation::ThreadReplaced,
    Mutation::StateReplaced,
    Mutation::TupleInBasis,
    Mutation::FormulaChanged,
];

/// The kinds for the weights and traps of nets.
pub const NET_MUTATIONS: [Mutation; 3] =
    [Mutation::WeightsDropped, Mutation::WeightChanged, Mutation::TrapChanged];

/// At most `most` mutants of each kind that differ from the certificate; all drops and lowered elements if
/// there are no more.
pub fn mutants(certificate: &Certificate, most: usize, random: &mut Random) -> Vec<(Mutation, Certificate)> {
    let mut found = vec![];
    for mutation in MUTATIONS.into_iter().chain(NET_MUTATIONS) {
        let bodies = match &certificate.body {
            Body::Closure(it) => {
                let parts = Parts { width: it.width, tuples: &it.tuples, basis: &it.basis };
                let made = parts.mutants(mutation, it.threads.len(), most, random).into_iter();
                let body = |(width, tuples, basis)| {
                    Body::Closure(ir::certificate::Closure { width, tuples, basis, ..it.clone() })
                };
                made.map(body).collect()
            }
            Body::TokenClosure(it) if NET_MUTATIONS.contains(&mutation) => {
                weights::mutants(it, mutation, most, random).into_iter().map(Body::TokenClosure).collect()
            }
            Body::TokenClosure(it) => {
                let parts = Parts { width: it.width, tuples: &it.tuples, basis: &it.basis };
                let places = it.tuples.iter().flat_map(|tuple| &tuple.1).map(|it| it.0.index() + 1).max();
                let made = parts.mutants(mutation, places.unwrap_or(0), most, random).into_iter();
                let body = |(width, tuples, basis)| {
                    Body::TokenClosure(ir::certificate::TokenClosure { width, tuples, basis, ..it.clone() })
                };
                made.map(body).collect()
            }
            Body::ClassClosure(it) => classes::mutants(it, &certificate.view, mutation, most, random)
                .into_iter()
                .map(Body::ClassClosure)
                .collect(),
            // The others are no proofs by tuples.
            _ => vec![],
        };
        found.extend(bodies.into_iter().map(|body| (mutation, Certificate { body, ..certificate.clone() })));
    }
    found
}

/// Threads with how many there are of each.
type Population = Vec<(usize, u32)>;

/// A tuple or an element of the basis.
trait Piece: Clone + PartialEq {
    fn population(&self) -> Population;
    fn with(&self, population: Population) -> Self;
    fn same_state(&self, other: &Self) -> bool;
}

impl Piece for TupleView {
    fn population(&self) -> Population {
        self.threads.clone()
    }
    fn with(&self, threads: Population) -> Self {
        TupleView { threads, ..self.clone() }
    }
    fn same_state(&self, other: &Self) -> bool {
        self.with(vec![]) == other.with(vec![])
    }
}

impl Piece for Tokens {
    fn population(&self) -> Population {
        self.1.iter().map(|&(place, n)| (place.index(), n)).collect()
    }
    fn with(&self, population: Population) -> Self {
        (self.0, population.into_iter().map(|(place, n)| (Id::from_index(place), n)).collect())
    }
    fn same_state(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// A proof by tuples; what a mutant is made of.
struct Parts<'c, T> {
    width: u32,
    tuples: &'c [T],
    basis: &'c [T],
}

type Made<T> = (u32, Vec<T>, Vec<T>);

impl<T: Piece> Parts<'_, T> {
    fn mutants(&self, kind: Mutation, threads: usize, most: usize, random: &mut Random) -> Vec<Made<T>> {
        let (tuples, basis) = (self.tuples, self.basis);
        let made: Vec<Made<T>> = match kind {
            Mutation::TupleDropped => picks(tuples.len(), most, random)
                .filter(|&at| !self.is_implied(at))
                .map(|at| (self.width, without(tuples, at), basis.to_vec()))
                .collect(),
            Mutation::ElementDropped => picks(basis.len(), most, random)
                .map(|at| (self.width, tuples.to_vec(), without(basis, at)))
                .collect(),
            Mutation::WidthLowered if self.width > 1 => {
                vec![(self.width - 1, cut(tuples, self.width - 1), basis.to_vec())]
            }
            Mutation::WidthLowered => vec![],
            Mutation::ElementLowered => picks(basis.len(), most, random)
                .filter_map(|at| {
                    let fewer = fewer(&basis[at], random)?;
                    Some((self.width, tuples.to_vec(), replaced(basis, at, fewer)))
                })
                .collect(),
            Mutation::ThreadReplaced => self.changed(most, random, |it, _, random| {
                let mut population = it.population();
                let at = random.below(population.len());
                population.get_mut(at)?.0 = random.below(threads);
                population.sort_unstable();
                population.dedup_by_key(|it| it.0);
                Some(it.with(population))
            }),
            Mutation::StateReplaced => {
                self.changed(most, random, |it, other, _| Some(other.with(it.population())))
            }
            Mutation::TupleInBasis => picks(tuples.len(), most, random)
                .map(|at| (self.width, tuples.to_vec(), [basis, &tuples[at..=at]].concat()))
                .collect(),
            _ => vec![],
        };
        made.into_iter().filter(|it| (it.0, &it.1[..], &it.2[..]) != (self.width, tuples, basis)).collect()
    }

    /// Whether a tuple is part of another.
    fn is_implied(&self, at: usize) -> bool {
        let small = self.tuples[at].population();
        self.tuples.iter().enumerate().any(|(other, it)| {
            let population = it.population();
            let has = |local: usize| population.iter().find(|it| it.0 == local).map_or(0, |it| it.1);
            other != at && it.same_state(&self.tuples[at]) && small.iter().all(|&(local, n)| has(local) >= n)
        })
    }

    /// Mutants in which one tuple or element is another.
    fn changed(
        &self,
        most: usize,
        random: &mut Random,
        change: impl Fn(&T, &T, &mut Random) -> Option<T>,
    ) -> Vec<Made<T>> {
        let mut made = vec![];
        for _ in 0..most {
            let element = !self.basis.is_empty() && random.percent(30);
            let list = if element { self.basis } else { self.tuples };
            if list.is_empty() {
                continue;
            }
            let at = random.below(list.len());
            let Some(new) = change(&list[at], &self.tuples[random.below(self.tuples.len())], random) else {
                continue;
            };
            let list = replaced(list, at, new);
            made.push(match element {
                true => (self.width, self.tuples.to_vec(), list),
                false => (self.width, list, self.basis.to_vec()),
            });
        }
        made
    }
}

/// At most this many numbers below `len`, all of them if there are no more.
fn picks(len: usize, most: usize, random: &mut Random) -> std::vec::IntoIter<usize> {
    let all: Vec<usize> = match len <= most {
        true => (0..len).collect(),
        false => (0..most).map(|_| random.below(len)).collect(),
    };
    all.into_iter()
}

fn without<T: Clone>(list: &[T], at: usize) -> Vec<T> {
    [&list[..at], &list[at + 1..]].concat()
}

fn replaced<T: Clone>(list: &[T], at: usize, new: T) -> Vec<T> {
    let mut list = list.to_vec();
    list[at] = new;
    list
}

/// An element with one thread less.
fn fewer<T: Piece>(it: &T, random: &mut Random) -> Option<T> {
    let mut population = it.population();
    if population.is_empty() {
        return None;
    }
    let at = random.below(population.len());
    population[at].1 -= 1;
    population.retain(|it| it.1 > 0);
    Some(it.with(population))
}

/// The parts of the tuples that have no more threads than the width.
fn cut<T: Piece>(tuples: &[T], width: u32) -> Vec<T> {
    let mut parts: Vec<T> = vec![];
    for tuple in tuples {
        let population = tuple.population();
        if population.iter().map(|it| it.1).sum::<u32>() <= width {
            parts.push(tuple.clone());
            continue;
        }
        for at in 0..population.len() {
            let mut less = population.clone();
            less[at].1 -= 1;
            less.retain(|it| it.1 > 0);
            parts.push(tuple.with(less));
        }
    }
    parts
}
