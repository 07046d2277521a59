//! Reached sets of nets, compared with brute force on small random nets.

mod common;

use base::{Budget, Id, Random};
use common::nets::{covers, net, place, rule, shared, task, transfer};
use ir::certificate::{Body, ReachedMarkings, View};
use ir::net::{Interval, Machine, Marking, Net, Rule, Target};
use ir::{Bound, Scope};
use std::collections::HashSet;
use testing::Viewed;

fn body(markings: &HashSet<Marking>, bound: u32) -> ReachedMarkings {
    let sparse = |marking: &Marking| {
        let tokens = marking.tokens.iter().enumerate().filter(|it| *it.1 > 0);
        (marking.shared, tokens.map(|(index, &n)| (place(index), n)).collect::<Vec<_>>())
    };
    let mut markings: Vec<_> = markings.iter().map(sparse).collect();
    markings.sort();
    ReachedMarkings { markings, bound }
}

fn confirm(net: &Net, body: ReachedMarkings) -> Option<Scope> {
    let scope = Scope::threads(body.bound);
    let evidence = Viewed { view: View::default(), body }.certificate(scope, Body::ReachedMarkings);
    check::certificate(&task(net, Bound::Any), &evidence, &Budget::unlimited()).ok()
}

/// Whether smaller starts are covered by full ones.
fn only_full(net: &Net) -> bool {
    let total = |list: &[(ir::net::PlaceId, u32)]| list.iter().map(|it| it.1).sum::<u32>();
    let grows = net.rules().iter().any(|rule| total(&rule.make) > total(&rule.take));
    net.monotone() && !grows && net.start().tokens.iter().any(|it| it.most.is_none())
}

fn is_proof(net: &Net, bound: u32, set: &HashSet<Marking>) -> bool {
    let machine = Machine::new(net, Some(bound));
    let full = |it: &Marking| !only_full(net) || it.total() == u64::from(bound);
    machine.starts().iter().filter(|it| full(it)).all(|it| set.contains(it))
        && set.iter().all(|it| !machine.at_target(it))
        && set.iter().all(|it| machine.steps(it).iter().all(|(_, after)| set.contains(after)))
}

fn random_rule(random: &mut Random, tests: bool) -> Rule {
    let some = |random: &mut Random| {
        let index = random.below(3);
        if random.percent(70) { vec![(index, 1 + random.below(2) as u32)] } else { vec![] }
    };
    let (take, make) = (some(random), some(random));
    let mut made = rule(random.below(2), random.below(2), &take, &make);
    if random.percent(30) {
        let to: Vec<Option<usize>> =
            (0..1 + random.below(2)).map(|_| random.percent(85).then(|| random.below(3))).collect();
        made = transfer(made, random.below(3), &to);
    }
    if tests && random.percent(30) {
        made.tests =
            vec![(place(random.below(3)), Interval { least: 0, most: Some(random.below(2) as u32) })];
    }
    made
}

fn random_net(random: &mut Random) -> Net {
    let interval = |random: &mut Random| match random.below(4) {
        0 => Interval::at_least(random.below(2) as u32),
        1 => Interval { least: 0, most: Some(1) },
        _ => Interval::exactly(random.below(2) as u32),
    };
    let start = (0..3).map(|_| interval(random)).collect();
    let tests = random.percent(40);
    let rules = (0..1 + random.below(4)).map(|_| random_rule(random, tests)).collect();
    let target = Target { shared: Some(shared(1)), ..covers(random.below(3), 1 + random.below(3) as u32) };
    net(2, start, rules, vec![target])
}

#[test]
fn nets_are_judged_as_brute_force_does() {
    let (mut proofs, mut others, mut unbounded) = (0, 0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let net = random_net(&mut random);
        let bound = random.below(5) as u32;
        let machine = Machine::new(&net, Some(bound));
        let Some(set) = machine.reachable(500) else { continue };
        let mut mutants = vec![body(&set, bound)];
        for _ in 0..6 {
            mutants.push(mutate(&mutants[0], &mut random));
        }
        for mutant in mutants {
            let dense = |(shared, tokens): &(_, Vec<(ir::net::PlaceId, u32)>)| {
                let mut marking = Marking { shared: *shared, tokens: vec![0; 3] };
                tokens.iter().for_each(|it| marking.tokens[it.0.index()] = it.1);
                marking
            };
            let set: HashSet<Marking> = mutant.markings.iter().map(dense).collect();
            let within = set.iter().all(|it| it.total() <= u64::from(mutant.bound));
            let expected = within && is_proof(&net, mutant.bound, &set);
            let answer = confirm(&net, mutant.clone());
            assert_eq!(answer.is_some(), expected, "seed {seed} {net:?} {mutant:?}");
            if expected {
                proofs += 1
            } else {
                others += 1
            }
            if answer == Some(Scope::ANY) {
                unbounded += 1;
                assert!(is_proof(&net, mutant.bound + 3, &set), "seed {seed}");
            }
        }
    }
    println!("proofs {proofs}, others {others}, any number {unbounded}");
    assert!(proofs > 500 && others > 500 && unbounded > 100, "{proofs} {others} {unbounded}");
}

fn mutate(body: &ReachedMarkings, random: &mut Random) -> ReachedMarkings {
    let mut mutant = body.clone();
    let index = random.below(body.markings.len());
    if body.markings.is_empty() {
        return mutant;
    }
    match random.below(4) {
        0 => drop(mutant.markings.remove(index)),
        1 => mutant.markings[index].0 = shared(random.below(2)),
        2 => mutant.markings[index].1.iter_mut().take(1).for_each(|it| it.1 += 1),
        _ => mutant.bound = (mutant.bound + 1).saturating_sub(random.below(3) as u32),
    }
    mutant
}

#[test]
fn ill_formed_markings_are_rejected() {
    let net = common::nets::producer();
    let set = Machine::new(&net, Some(2)).reachable(100).expect("it is small");
    let good = body(&set, 2);
    assert_eq!(confirm(&net, good.clone()), Some(Scope::threads(2)));
    let wrong = [
        (shared(1), vec![]),
        (shared(0), vec![(place(2), 1)]),
        (shared(0), vec![(place(0), 0)]),
        (shared(0), vec![(place(1), 1), (place(0), 1)]),
        (shared(0), vec![(place(0), 1), (place(0), 1)]),
        (shared(0), vec![(place(0), u32::MAX), (place(1), u32::MAX)]),
    ];
    for marking in wrong {
        let mut mutant = good.clone();
        mutant.markings.push(marking.clone());
        assert_eq!(confirm(&net, mutant), None, "{marking:?}");
    }
}

/// Counting must not wrap: at the largest bound there is no room for one more token, which is no proof for
/// any number.
#[test]
fn the_largest_bound_is_still_a_bound() {
    let rules = vec![rule(0, 0, &[(0, 1)], &[(0, 2)])];
    let net = net(1, vec![Interval::exactly(u32::MAX)], rules, vec![]);
    let markings = vec![(shared(0), vec![(place(0), u32::MAX)])];
    let scope = confirm(&net, ReachedMarkings { markings, bound: u32::MAX });
    assert_eq!(scope, Some(Scope::threads(u32::MAX)));
}
