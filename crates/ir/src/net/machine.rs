//! The reference semantics of nets.

use super::rules::{Interval, Net, PlaceId, RuleId, SharedStateId};
use crate::bp::machine::Refusal;
use base::Id;
use std::collections::HashSet;

/// A state of a net: the shared state and how many tokens each place holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Marking {
    /// The shared state.
    pub shared: SharedStateId,
    /// One number for each place.
    pub tokens: Vec<u32>,
}

impl Marking {
    /// All tokens.
    pub fn total(&self) -> u64 {
        self.tokens.iter().map(|&n| u64::from(n)).sum()
    }
}

/// A rule applied, with the choice of where tokens were moved spelled out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// The rule.
    pub rule: RuleId,
    /// For each of the rule's moves, in order: how many tokens went to each of its places, in order.
    pub moved: Vec<Vec<u32>>,
}

/// A net with at most `bound` tokens at once, or any number. A rule that would pass the bound is not taken.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'n> {
    net: &'n Net,
    bound: Option<u32>,
}

impl<'n> Machine<'n> {
    /// The net under a bound.
    pub fn new(net: &'n Net, bound: Option<u32>) -> Self {
        Self { net, bound }
    }

    fn fits(&self, marking: &Marking) -> bool {
        self.bound.is_none_or(|bound| marking.total() <= u64::from(bound))
    }

    /// The marking after a move, or why there is none.
    pub fn apply(&self, marking: &Marking, step: &Move) -> Result<Marking, Refusal> {
        let refuse = |why: &str| Err(Refusal(why.to_string()));
        let Some(rule) = self.net.rules().get(step.rule) else { return refuse("there is no such rule") };
        if marking.shared != rule.from {
            return refuse("the rule starts in another shared state");
        }
        if !rule.tests.iter().all(|&(place, test)| test.contains(marking.tokens[place.index()])) {
            return refuse("a test of the rule does not hold");
        }
        let mut left = marking.tokens.clone();
        for &(place, n) in &rule.take {
            match left[place.index()].checked_sub(n) {
                Some(rest) => left[place.index()] = rest,
                None => return refuse("the tokens that the rule takes are not there"),
            }
        }
        let mut tokens = left.clone();
        if step.moved.len() != rule.moves.len() {
            return refuse("other moves than the rule's");
        }
        for (transfer, moved) in rule.moves.iter().zip(&step.moved) {
            tokens[transfer.from.index()] -= left[transfer.from.index()];
            let all: u64 = moved.iter().map(|&n| u64::from(n)).sum();
            if moved.len() != transfer.to.len() || all != u64::from(left[transfer.from.index()]) {
                return refuse("not all tokens of the place are moved");
            }
            for (to, &n) in transfer.to.iter().zip(moved) {
                if let Some(place) = to {
                    tokens[place.index()] = add(tokens[place.index()], n)?;
                }
            }
        }
        for &(place, n) in &rule.make {
            tokens[place.index()] = add(tokens[place.index()], n)?;
        }
        let after = Marking { shared: rule.to, tokens };
        if self.fits(&after) { Ok(after) } else { refuse("more tokens than the bound allows") }
    }

    /// All moves from a marking with the markings they lead to.
    pub fn steps(&self, marking: &Marking) -> Vec<(Move, Marking)> {
        let all = self.net.rules().ids().flat_map(|rule| self.candidates(marking, rule));
        all.filter_map(|step| self.apply(marking, &step).ok().map(|after| (step, after))).collect()
    }

    fn candidates(&self, marking: &Marking, id: RuleId) -> Vec<Move> {
        let rule = &self.net.rules()[id];
        let taken = |place: PlaceId| rule.take.iter().find(|it| it.0 == place).map_or(0, |it| it.1);
        let mut all = vec![Move { rule: id, moved: vec![] }];
        for transfer in &rule.moves {
            let n = marking.tokens[transfer.from.index()].saturating_sub(taken(transfer.from));
            let splits = splits(n, transfer.to.len());
            let longer = |step: Move| {
                let with = |split: &Vec<u32>| Move {
                    moved: [&step.moved[..], std::slice::from_ref(split)].concat(),
                    ..step
                };
                splits.iter().map(with).collect::<Vec<_>>()
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    /// Whether the net may start so.
    pub fn starts_in(&self, marking: &Marking) -> bool {
        let start = self.net.start();
        marking.shared == start.shared
            && marking.tokens.len() == start.tokens.len()
            && start.tokens.iter().zip(&marking.tokens).all(|(interval, &n)| interval.contains(n))
            && self.fits(marking)
    }

    /// All markings that the net may start with. Where any number of tokens may start there must be a bound.
    pub fn starts(&self) -> Vec<Marking> {
        let mut all: Vec<Vec<u32>> = vec![vec![]];
        for &Interval { least, most } in &self.net.start().tokens {
            let most = most.or(self.bound).expect("any number may start: enumerating needs a bound");
            let longer = |tokens: Vec<u32>| {
                let used: u32 = tokens.iter().sum();
                let most = self.bound.map_or(most, |bound| most.min(bound.saturating_sub(used)));
                (least..=most).map(move |n| [&tokens[..], &[n]].concat()).collect::<Vec<_>>()
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        let shared = self.net.start().shared;
        all.into_iter().map(|tokens| Marking { shared, tokens }).collect()
    }

    /// Whether a target is reached.
    pub fn at_target(&self, marking: &Marking) -> bool {
        self.net.targets().iter().any(|target| target.holds_in(marking))
    }

    /// All reachable markings; `None` if there are more than `most`.
    pub fn reachable(&self, most: usize) -> Option<HashSet<Marking>> {
        let mut seen: HashSet<Marking> = self.starts().into_iter().collect();
        let mut work: Vec<Marking> = seen.iter().cloned().collect();
        while let Some(marking) = work.pop() {
            for (_, after) in self.steps(&marking) {
                if seen.insert(after.clone()) {
                    work.push(after);
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(seen)
    }
}

fn add(a: u32, b: u32) -> Result<u32, Refusal> {
    a.checked_add(b).ok_or_else(|| Refusal("more tokens than can be counted".to_string()))
}

/// All ways to split `n` tokens over this many places.
fn splits(n: u32, places: usize) -> Vec<Vec<u32>> {
    match places {
        0 => {
            if n == 0 {
                vec![vec![]]
            } else {
                vec![]
            }
        }
        1 => vec![vec![n]],
        _ => {
            let with = |first: u32| {
                let rest = splits(n - first, places - 1).into_iter();
                rest.map(move |rest| [&[first][..], &rest].concat())
            };
            (0..=n).flat_map(with).collect()
        }
    }
}
