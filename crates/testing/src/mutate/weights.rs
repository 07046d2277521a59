//! Mutants of the weights and traps of a net.

use super::{Mutation, picks, without};
use base::{Id, Random};
use ir::certificate::TokenClosure;
use ir::net::PlaceId;

/// At most `most` mutants of a kind that differ from the proof.
pub fn mutants(it: &TokenClosure, kind: Mutation, most: usize, random: &mut Random) -> Vec<TokenClosure> {
    let mut made = vec![];
    if kind == Mutation::WeightsDropped {
        let dropped = |at| TokenClosure { weights: without(&it.weights, at), ..it.clone() };
        return picks(it.weights.len(), most, random).map(dropped).collect();
    }
    let tokens = it.tuples.iter().flat_map(|tuple| &tuple.1);
    let places = tokens.map(|it| it.0.index() + 1).max().unwrap_or(1);
    for _ in 0..most {
        let mut mutant = it.clone();
        match kind {
            Mutation::TrapChanged => change_trap(&mut mutant, places, random),
            _ => change_weight(&mut mutant, places, random),
        }
        if mutant != *it {
            made.push(mutant);
        }
    }
    made
}

fn change_weight(it: &mut TokenClosure, places: usize, random: &mut Random) {
    if it.weights.is_empty() {
        return;
    }
    let at = random.below(it.weights.len());
    let weights = &mut it.weights[at];
    let place = PlaceId::from_index(random.below(places));
    if !weights.places.iter().any(|it| it.0 == place) {
        weights.places.push((place, 0));
        weights.places.sort_unstable();
    }
    let states = weights.states.iter_mut().map(|it| &mut it.1);
    let places = weights.places.iter_mut().map(|it| &mut it.1);
    let mut all: Vec<&mut u32> =
        states.chain(places).chain(weights.traps.iter_mut().map(|it| &mut it.1)).collect();
    let at = random.below(all.len());
    let weight = &mut all[at];
    **weight = if random.percent(50) { weight.saturating_sub(1) } else { **weight + 1 };
}

fn change_trap(it: &mut TokenClosure, places: usize, random: &mut Random) {
    if it.traps.is_empty() {
        return;
    }
    let at = random.below(it.traps.len());
    let trap = &mut it.traps[at];
    let place = PlaceId::from_index(random.below(places));
    match trap.places.binary_search(&place) {
        Ok(at) => drop(trap.places.remove(at)),
        Err(at) => trap.places.insert(at, place),
    }
}
