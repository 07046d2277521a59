//! The closure as a certificate, with or without minimal elements. Only tuples that are no part of another
//! listed one need to be listed; here those of one thread, or none, are left out where there are larger ones.

use super::programs::{Programs, is_inside, valuation};
use super::system::{Group, RuleSystem, Source};
use super::tuples::Tuples;
use crate::certificate::Proof;
use crate::threads::views::Views;
use base::{Budget, Id, Stop};
use ir::certificate::{Body, Closure, TokenClosure, Tokens, TupleView, View};
use ir::net::{PlaceId, SharedStateId};

/// The certificate of a closed set of tuples, computed without transition merging, and of elements from which
/// alone errors can be reached.
pub fn certificate(
    system: &RuleSystem<'_>,
    tuples: &Tuples,
    basis: &[(u32, Vec<Group>)],
    budget: &Budget,
) -> Result<Proof, Stop> {
    let all = listed(tuples, budget)?;
    Ok(match &system.source {
        Source::Program(program) => of_program(program, tuples, &all, basis, budget)?,
        Source::Net(_) => {
            let show = |it: &(u32, Vec<Group>)| tokens(it.0, &it.1);
            let (listed, basis) = (all.iter().map(show).collect(), basis.iter().map(show).collect());
            let closure = TokenClosure {
                width: tuples.width() as u32,
                tuples: listed,
                basis,
                ..TokenClosure::default()
            };
            Proof { view: View::default(), body: Body::TokenClosure(closure) }
        }
    })
}

/// The tuples to be listed.
fn listed(tuples: &Tuples, budget: &Budget) -> Result<Vec<(u32, Vec<Group>)>, Stop> {
    let mut all = vec![];
    for shared in tuples.shared() {
        if tuples.locals(shared).is_empty() {
            all.push((shared, vec![]));
        }
        for &local in tuples.locals(shared) {
            let others = if tuples.width() > 1 { tuples.neighbours(shared, local) } else { vec![] };
            budget.spend(1 + others.len() as u64)?;
            if others.is_empty() {
                all.push((shared, vec![(local, 1)]));
            }
            for other in others.into_iter().filter(|&other| other >= local) {
                let pair = if other == local { vec![(local, 2)] } else { vec![(local, 1), (other, 1)] };
                all.push((shared, pair));
            }
        }
    }
    for row in tuples.larger() {
        budget.spend(1)?;
        all.push((row[0], crate::certificate::counted(row[1..].iter().copied())));
    }
    Ok(all)
}

fn tokens(shared: u32, threads: &[Group]) -> Tokens {
    let place = |&(place, n): &Group| (PlaceId::from_index(place as usize), n);
    (SharedStateId::from_index(shared as usize), threads.iter().map(place).collect())
}

fn of_program(
    program: &Programs<'_>,
    tuples: &Tuples,
    all: &[(u32, Vec<Group>)],
    basis: &[(u32, Vec<Group>)],
    budget: &Budget,
) -> Result<Proof, Stop> {
    let mut views = Views::new(&program.threads);
    let mut show = |list: &[(u32, Vec<Group>)]| {
        let mut shown = vec![];
        for (shared, threads) in list {
            budget.spend(1)?;
            let mut population: Vec<(usize, u32)> = vec![];
            for &(local, n) in threads {
                let number = views.number(local);
                match population.iter_mut().find(|it| it.0 == number) {
                    Some(found) => found.1 += n,
                    None => population.push((number, n)),
                }
            }
            population.sort_unstable();
            shown.push(TupleView {
                initialising: program.threads.semantics.initialising(valuation(*shared)),
                busy: is_inside(*shared),
                shared: views.shared(valuation(*shared)),
                threads: population,
            });
        }
        Ok::<_, Stop>(shown)
    };
    let (listed, basis) = (show(all)?, show(basis)?);
    let width = tuples.width() as u32;
    let closure = Closure { threads: views.index.threads, width, tuples: listed, basis };
    Ok(Proof { view: views.index.view, body: Body::Closure(closure) })
}
