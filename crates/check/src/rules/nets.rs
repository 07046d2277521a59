//! Nets as rules: places are threads, shared states are shared states.

use super::{Failure, GONE, Local, Multiset, Pool, Reactions, Rule, Rules, State};
use crate::{Rejected, reject};
use base::Id;
use ir::certificate::Tokens;
use ir::net::{self, Interval, Net, PlaceId};

/// A marking of a certificate, if it is well formed.
pub fn read(net: &Net, (shared, tokens): &Tokens) -> Result<(State, Multiset), Rejected> {
    let known = tokens.iter().all(|&(place, n)| net.places().get(place).is_some() && n > 0);
    if net.shared().get(*shared).is_none() || !known || !tokens.is_sorted_by(|a, b| a.0 < b.0) {
        return reject("a state or place is unknown, empty or not in order");
    }
    Ok((shared.index() as State, multiset(tokens)))
}

fn multiset(tokens: &[(PlaceId, u32)]) -> Multiset {
    let mut all: Multiset =
        tokens.iter().filter(|it| it.1 > 0).map(|&(place, n)| (place.index() as Local, n)).collect();
    all.sort_unstable();
    all
}

/// The net.
pub fn rules(net: &Net) -> Rules {
    let start = net.start();
    let impossible = start.tokens.iter().any(|it| it.most.is_some_and(|most| most < it.least));
    let pools = (0..).zip(&start.tokens).map(|(place, &count)| Pool { locals: Ok(vec![place]), count });
    let total = |tokens: &[(PlaceId, u32)]| tokens.iter().map(|it| u64::from(it.1)).sum::<u64>();
    let grows = net.rules().iter().any(|rule| total(&rule.make) > total(&rule.take));
    let states = 0..net.shared().len() as State;
    let errors = net.targets().iter().flat_map(|target| {
        let count = |it: &(PlaceId, Interval)| (it.0.index() as Local, it.1);
        let fits = move |state: &State| target.shared.is_none_or(|it| it.index() as State == *state);
        states.clone().filter(fits).map(move |state| Failure {
            state,
            counts: target.places.iter().map(count).collect(),
            why: "a target is reached".to_string(),
        })
    });
    Rules {
        rules: net.rules().iter().map(rule).collect(),
        starts: if impossible { vec![] } else { vec![Ok(start.shared.index() as State)] },
        first: pools.filter(|pool| pool.count.most != Some(0)).collect(),
        later: None,
        errors: errors.collect(),
        monotone: net.monotone(),
        idle: net.monotone() && !grows,
    }
}

fn rule(rule: &net::Rule) -> Rule {
    let to = |it: &Option<PlaceId>| it.map_or(GONE, |place| place.index() as Local);
    let moved = rule.moves.iter().map(|it| (it.from.index() as Local, Ok(it.to.iter().map(to).collect())));
    let react: Reactions = moved.collect();
    Rule {
        to: rule.to.index() as State,
        take: multiset(&rule.take),
        make: Ok(multiset(&rule.make)),
        react: (!react.is_empty()).then_some(react),
        tests: rule.tests.iter().map(|&(place, it)| (place.index() as Local, it)).collect(),
        ..Rule::idle(rule.from.index() as State)
    }
}
