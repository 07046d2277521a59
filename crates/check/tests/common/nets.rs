//! Small nets.

use base::Id;
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target, Transfer};
use ir::{Bound, Model, Scope, Task};
use std::sync::Arc;

pub fn place(index: usize) -> PlaceId {
    PlaceId::from_index(index)
}

pub fn shared(index: usize) -> SharedStateId {
    SharedStateId::from_index(index)
}

/// A rule between two shared states that takes and makes tokens.
pub fn rule(from: usize, to: usize, take: &[(usize, u32)], make: &[(usize, u32)]) -> Rule {
    let tokens = |list: &[(usize, u32)]| list.iter().map(|&(index, n)| (place(index), n)).collect();
    Rule {
        from: shared(from),
        to: shared(to),
        tests: vec![],
        take: tokens(take),
        moves: vec![],
        make: tokens(make),
        span: None,
    }
}

/// A rule that also moves all tokens of a place.
pub fn transfer(rule: Rule, from: usize, to: &[Option<usize>]) -> Rule {
    let to = to.iter().map(|it| it.map(place)).collect();
    Rule { moves: vec![Transfer { from: place(from), to }], ..rule }
}

/// A net that starts in shared state 0.
pub fn net(states: usize, start: Vec<Interval>, rules: Vec<Rule>, targets: Vec<Target>) -> Net {
    let names = (0..states).map(|index| format!("s{index}")).collect();
    let places = (0..start.len()).map(|index| Place { name: format!("p{index}") }).collect();
    let start = NetStart { shared: shared(0), tokens: start };
    Net::new(names, places, rules.into_iter().collect(), start, targets).expect("the net is valid")
}

/// The target that covers a place.
pub fn covers(index: usize, n: u32) -> Target {
    Target { shared: None, places: vec![(place(index), Interval::at_least(n))] }
}

/// One producer puts tokens into a place without end, and another rule takes them; the error is three of
/// them.
pub fn producer() -> Net {
    let rules = vec![rule(0, 0, &[(0, 1)], &[(0, 1), (1, 1)]), rule(0, 0, &[(1, 1)], &[])];
    net(1, vec![Interval::exactly(1), Interval::exactly(0)], rules, vec![covers(1, 3)])
}

pub fn task(net: &Net, threads: Bound) -> Task {
    let scope = Scope { threads };
    Task::new(Model::Net(Arc::new(net.clone())), scope)
}
