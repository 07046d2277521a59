//! The engine against brute force on random nets.

mod support;

use base::Id;
use ir::certificate::{Body, ReachedMarkings};
use ir::net::random::{Profile, net};
use ir::net::{Machine, Marking};
use ir::trace::NetTrace;
use ir::{Bound, Net, Scope, Trace, Verdict};
use std::collections::HashSet;
use support::run_net;

struct Truth {
    shortest: Option<usize>,
    markings: HashSet<Marking>,
}

fn truth(net: &Net, bound: u32) -> Truth {
    let machine = Machine::new(net, Some(bound));
    let mut level = machine.starts();
    let mut markings: HashSet<Marking> = level.iter().cloned().collect();
    let mut depth = 0;
    while !level.is_empty() {
        if level.iter().any(|marking| machine.at_target(marking)) {
            return Truth { shortest: Some(depth), markings };
        }
        let after = level.iter().flat_map(|marking| machine.steps(marking));
        level = after.map(|(_, after)| after).filter(|after| markings.insert(after.clone())).collect();
        depth += 1;
    }
    Truth { shortest: None, markings }
}

fn replay(net: &Net, bound: Option<u32>, trace: &NetTrace) {
    let machine = Machine::new(net, bound);
    assert!(machine.starts_in(&trace.start));
    let last = trace.steps.iter().fold(trace.start.clone(), |marking, step| {
        machine.apply(&marking, step).expect("every move is one of the net")
    });
    assert!(machine.at_target(&last));
}

/// The certificate lists reachable markings, and all that a start with as many tokens as the bound allows leads to; where starting with
/// fewer could lead elsewhere, all markings.
fn same_markings(net: &Net, reached: &ReachedMarkings, markings: &HashSet<Marking>) {
    let listed: HashSet<_> = reached.markings.iter().cloned().collect();
    let grows = net.rules().iter().any(|rule| sum(&rule.make) > sum(&rule.take));
    let mut missing = 0;
    for marking in markings {
        let places = (0..).map(ir::net::PlaceId::from_index).zip(marking.tokens.iter().copied());
        missing += usize::from(!listed.contains(&(marking.shared, places.filter(|it| it.1 > 0).collect())));
    }
    assert_eq!(listed.len(), markings.len() - missing);
    assert!(missing == 0 || (net.monotone() && !grows));
}

fn sum(tokens: &[(ir::net::PlaceId, u32)]) -> u32 {
    tokens.iter().map(|it| it.1).sum()
}

fn check(net: &Net, bound: u32) {
    let truth = truth(net, bound);
    match (run_net(net, Bound::AtMost(bound)), truth.shortest) {
        (Verdict::Unsafe(Trace::Net(trace)), Some(length)) => {
            assert_eq!(trace.steps.len(), length);
            replay(net, Some(bound), &trace);
        }
        (Verdict::Safe { certificate: Some(certificate), .. }, None) => match certificate.body {
            Body::ReachedMarkings(reached) => same_markings(net, &reached, &truth.markings),
            _ => panic!("a net has reached markings"),
        },
        (verdict, shortest) => panic!("{verdict:?}, but brute force finds {shortest:?}"),
    }
}

fn check_any(net: &Net) {
    let found = (1..=5).any(|bound| truth(net, bound).shortest.is_some());
    match run_net(net, Bound::Any) {
        Verdict::Unsafe(Trace::Net(trace)) => replay(net, None, &trace),
        Verdict::Safe { scope, .. } => assert!(scope == Scope::ANY && !found),
        Verdict::Unknown(_) => assert!(!found),
        Verdict::Unsafe(_) => panic!("the trace of a net"),
    }
}

#[test]
fn agrees_on_random_nets() {
    for (profile, first) in [(Profile::ALL, 0), (Profile::SIMPLE, 10_000)] {
        for seed in first..first + 700 {
            let net = net(seed, &profile);
            (1..=4).for_each(|bound| check(&net, bound));
            check_any(&net);
        }
    }
}
