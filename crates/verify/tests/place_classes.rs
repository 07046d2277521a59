//! Classes of places in proofs about nets: long sequences cost no more than short ones, and whatever classes
//! a certificate claims, it is refused or brute force agrees that it is a proof.

mod support;

use base::{Budget, Event, Id, Random, Settings};
use engines::{Cx, Engine, Facts, Modular};
use ir::certificate::{Body, TokenClosure, Tokens};
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};
use ir::{Certificate, Model, Scope, Task, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;
use support::{any_number, meaning, proof};
use testing::net as nets;

/// Threads that make `length` steps on their own, take a lock, leave it, and make as many again; never two
/// are inside.
fn sequence(length: usize) -> Task {
    let place = PlaceId::from_index;
    let shared = SharedStateId::from_index;
    let rule = |from: usize, to: usize, at: usize| Rule {
        from: shared(from),
        to: shared(to),
        tests: vec![],
        take: vec![(place(at), 1)],
        moves: vec![],
        make: vec![(place(at + 1), 1)],
        span: None,
    };
    let mut rules = vec![rule(0, 1, length), rule(1, 0, length + 1)];
    let alone = (0..length).chain(length + 2..2 * length + 2);
    rules.extend(alone.flat_map(|at| [rule(0, 0, at), rule(1, 1, at)]));
    let places = 2 * length + 3;
    let mut tokens = vec![Interval::exactly(0); places];
    tokens[0] = Interval::at_least(0);
    let net = Net::new(
        ["free", "taken"].map(String::from).into_iter().collect(),
        (0..places).map(|at| Place { name: format!("p{at}") }).collect(),
        rules.into_iter().collect(),
        NetStart { shared: shared(0), tokens },
        vec![Target { shared: None, places: vec![(place(length + 1), Interval::at_least(2))] }],
    );
    any_number(Model::Net(Arc::new(net.expect("the net is valid"))))
}

/// The pairs that the engine lists, and its certificate.
fn pairs(task: &Task) -> (u64, Certificate) {
    let (budget, facts, settings) = (Budget::unlimited(), Facts::default(), Settings::default());
    let mut events: Vec<Event> = vec![];
    let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
    let verdict = Modular.run(task, &mut cx);
    let Ok(Verdict::Safe { certificate: Some(certificate), .. }) = verdict else { panic!("{verdict:?}") };
    let count = |event: &Event| match *event {
        Event::Counter { name: "pairs", value, .. } => Some(value),
        _ => None,
    };
    (events.iter().filter_map(count).next_back().expect("pairs are counted"), certificate)
}

#[test]
fn long_sequences_cost_no_more_than_short_ones() {
    let (short, long) = (sequence(3), sequence(300));
    let ((few, _), (many, certificate)) = (pairs(&short), pairs(&long));
    assert_eq!(few, many, "pairs of places in sequences of 3 and of 300");
    let checked = check_formulas::certificate(&long, &certificate, &Budget::unlimited());
    assert_eq!(checked, Ok(Scope::ANY));
    let text = ir::certificate::text::write(&certificate, &long.model);
    assert_eq!(ir::certificate::text::read(&text).as_ref(), Ok(&certificate));
}

/// A step that waits for something is not merged away: here the second step of a sequence needs the lock
/// free.
#[test]
fn waiting_places_are_told_apart() {
    let (_, certificate) = pairs(&sequence(3));
    let Body::TokenClosure(closure) = &certificate.body else { panic!("the closure of a net") };
    let classes: Vec<Vec<usize>> =
        closure.classes.iter().map(|class| class.iter().map(|place| place.index()).collect()).collect();
    assert_eq!(classes, [vec![0, 1, 2, 3], vec![5, 6, 7, 8]]);
}

/// The closure with one more class, of any two places that it names; tuples and elements are renamed.
fn coarser(closure: &TokenClosure, places: usize, random: &mut Random) -> TokenClosure {
    let pair = [random.below(places), random.below(places)].map(PlaceId::from_index);
    let mut of: BTreeMap<PlaceId, PlaceId> = BTreeMap::new();
    closure.classes.iter().for_each(|class| of.extend(class.iter().map(|&place| (place, class[0]))));
    let [a, b] = pair.map(|place| of.get(&place).copied().unwrap_or(place));
    let (first, second) = (a.min(b), a.max(b));
    let mut members: BTreeMap<PlaceId, Vec<PlaceId>> = BTreeMap::new();
    for place in (0..places).map(PlaceId::from_index) {
        let class = of.get(&place).copied().unwrap_or(place);
        members.entry(if class == second { first } else { class }).or_default().push(place);
    }
    let rename = |(shared, tokens): &Tokens| {
        let mut renamed: BTreeMap<PlaceId, u32> = BTreeMap::new();
        for &(place, n) in tokens {
            *renamed.entry(if place == second { first } else { place }).or_default() += n;
        }
        (*shared, renamed.into_iter().collect())
    };
    TokenClosure {
        width: closure.width,
        classes: members.into_values().filter(|class| class.len() > 1).collect(),
        tuples: closure.tuples.iter().map(rename).collect(),
        basis: closure.basis.iter().map(rename).collect(),
        ..TokenClosure::default()
    }
}

/// The net with a place before the first one: what a rule would put there waits in between, so that there is
/// something to merge.
fn stretched(net: &Net) -> Net {
    let (place, between) = (PlaceId::from_index(0), PlaceId::from_index(net.places().len()));
    let mut places = net.places().clone();
    places.push(Place { name: "between".to_string() });
    let mut start = net.start().clone();
    start.tokens.push(Interval::exactly(0));
    let mut rules = net.rules().clone();
    for rule in rules.iter_mut() {
        rule.make.iter_mut().filter(|it| it.0 == place).for_each(|it| it.0 = between);
    }
    for state in net.shared().ids() {
        let (take, make) = (vec![(between, 1)], vec![(place, 1)]);
        let (from, to, tests, moves) = (state, state, vec![], vec![]);
        rules.push(Rule { from, to, tests, take, moves, make, span: None });
    }
    let stretched = Net::new(net.shared().clone(), places, rules, start, net.targets().to_vec());
    stretched.expect("the net is valid")
}

#[test]
fn coarser_classes_are_refused_or_proofs() {
    let (mut merged, mut refused, mut confirmed) = (0, 0, 0);
    for seed in 0..400 {
        for profile in [nets::Profile::ALL, nets::Profile::WILD, nets::Profile::SIMPLE] {
            let net = stretched(&nets::net(seed, &profile));
            let places = net.places().len();
            let task = any_number(Model::Net(Arc::new(net)));
            let Some(certificate) = proof(&Modular, &[], &task) else { continue };
            let check = |it: &Certificate| check_formulas::certificate(&task, it, &Budget::unlimited());
            assert_eq!(check(&certificate), Ok(Scope::ANY), "seed {seed}\n{task:#?}\n{certificate:#?}");
            assert_ne!(meaning::is_proof(&task.model, &certificate), Some(false), "seed {seed}");
            let Body::TokenClosure(closure) = &certificate.body else { panic!("the closure of a net") };
            merged += usize::from(!closure.classes.is_empty());
            let mut random = Random::new(seed);
            for _ in 0..4 {
                let body = Body::TokenClosure(coarser(closure, places, &mut random));
                let mutant = Certificate { body, ..certificate.clone() };
                if mutant == certificate || check(&mutant).is_err() {
                    refused += usize::from(mutant != certificate);
                    continue;
                }
                let judged = meaning::is_proof(&task.model, &mutant);
                assert_ne!(judged, Some(false), "seed {seed}\n{task:#?}\n{mutant:#?}");
                confirmed += usize::from(judged.is_some());
            }
        }
    }
    assert!(merged > 20 && refused > 100 && confirmed > 100, "{merged} {refused} {confirmed}");
}

#[test]
fn classes_that_are_none_are_refused() {
    let task = sequence(3);
    let (_, certificate) = pairs(&task);
    let Body::TokenClosure(closure) = &certificate.body else { panic!("the closure of a net") };
    let refused = |change: &dyn Fn(&mut TokenClosure), why: &str| {
        let mut body = closure.clone();
        change(&mut body);
        let changed = Certificate { body: Body::TokenClosure(body), ..certificate.clone() };
        let checked = check_formulas::certificate(&task, &changed, &Budget::unlimited());
        assert!(checked.as_ref().is_err_and(|it| it.to_string().contains(why)), "{why}: {checked:?}");
    };
    let place = PlaceId::from_index;
    refused(&|it| it.classes[0].truncate(1), "fewer than two");
    refused(&|it| it.classes[0].reverse(), "not in order");
    refused(&|it| it.classes[0].push(place(9)), "unknown");
    refused(&|it| it.classes.push(vec![place(0), place(4)]), "two classes");
    refused(&|it| it.tuples.push((SharedStateId::from_index(0), vec![(place(1), 1)])), "not the first");
    // The place before the lock and the one inside are two things.
    refused(&|it| it.classes[0].push(place(4)), "not the first");
    refused(&|it| it.classes.clear(), "is missing");
}
