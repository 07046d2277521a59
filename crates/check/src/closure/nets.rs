//! Nets as rules: places are threads' states, shared states are shared states.

use super::blocked::Blocked;
use super::proof::{self, Tuples};
use super::rules::{Crowd, GONE, Local, Pool, Reactions, Rule, Rules, State};
use crate::{Refused, Rejected, reject};
use base::{Budget, Id};
use ir::Scope;
use ir::certificate::{TokenClosure, Tokens};
use ir::net::{self, Net, PlaceId};

/// Checks the closure; it proves everything or nothing.
pub fn check(net: &Net, closure: &TokenClosure, budget: &Budget) -> Result<Scope, Refused> {
    let mut tuples = Tuples::new(closure.width, budget)?;
    for tuple in &closure.tuples {
        let (state, crowd) = read(net, tuple)?;
        tuples.add(state, &crowd)?;
    }
    let blocked = closure.blocked.iter().map(|it| read(net, it)).collect::<Result<Vec<_>, _>>()?;
    let blocked = Blocked::new(blocked, budget);
    proof::check(&tuples, &rules(net), &blocked)?;
    Ok(Scope::ANY)
}

fn read(net: &Net, (shared, tokens): &Tokens) -> Result<(State, Crowd), Rejected> {
    let known = tokens.iter().all(|&(place, n)| net.places().get(place).is_some() && n > 0);
    if net.shared().get(*shared).is_none() || !known || !tokens.is_sorted_by(|a, b| a.0 < b.0) {
        return reject("a state or place is unknown, empty or not in order");
    }
    Ok((shared.index() as State, crowd(tokens)))
}

fn crowd(tokens: &[(PlaceId, u32)]) -> Crowd {
    let mut crowd: Crowd =
        tokens.iter().filter(|it| it.1 > 0).map(|&(place, n)| (place.index() as Local, n)).collect();
    crowd.sort_unstable();
    crowd
}

fn rules(net: &Net) -> Rules {
    let start = net.start();
    let impossible = start.tokens.iter().any(|it| it.most.is_some_and(|most| most < it.least));
    let pools = (0..).zip(&start.tokens).map(|(place, it)| Pool { locals: vec![place], most: it.most });
    let states = 0..net.shared().len() as State;
    let errors = net.targets().iter().flat_map(|target| {
        let mut least: Vec<(PlaceId, u32)> = target.places.iter().map(|it| (it.0, it.1.least)).collect();
        least.sort_unstable();
        // A place that is listed twice must hold the larger number.
        least.reverse();
        least.dedup_by_key(|it| it.0);
        let fits = move |state: &State| target.shared.is_none_or(|it| it.index() as State == *state);
        states.clone().filter(fits).map(move |state| (state, crowd(&least)))
    });
    Rules {
        rules: net.rules().iter().map(rule).collect(),
        starts: if impossible { vec![] } else { vec![start.shared.index() as State] },
        first: pools.filter(|pool| pool.most != Some(0)).collect(),
        later: vec![],
        errors: errors.collect(),
    }
}

fn rule(rule: &net::Rule) -> Rule {
    let to = |it: &Option<PlaceId>| it.map_or(GONE, |place| place.index() as Local);
    let moved = rule.moves.iter().map(|it| (it.from.index() as Local, Ok(it.to.iter().map(to).collect())));
    let react: Reactions = moved.collect();
    Rule {
        from: rule.from.index() as State,
        to: rule.to.index() as State,
        take: crowd(&rule.take),
        make: crowd(&rule.make),
        react: (!react.is_empty()).then_some(react),
        tests: rule.tests.iter().map(|&(place, it)| (place.index() as Local, it)).collect(),
        starts: false,
    }
}
