//! The net itself: places, rules, start and targets.

use super::machine::Marking;
use base::{Arena, Diagnostic, Diagnostics, Id, Span, define_id};
use std::collections::HashSet;

define_id!(
    /// A shared state of a net.
    pub struct SharedStateId = "s"
);
define_id!(
    /// A local state of a thread: a place that holds tokens.
    pub struct PlaceId = "p"
);
define_id!(
    /// A rule.
    pub struct RuleId = "r"
);

/// A place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its name.
    pub name: String,
}

/// How many tokens: from `least` to `most`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// At least this many.
    pub least: u32,
    /// At most this many; `None` is any number.
    pub most: Option<u32>,
}

impl Interval {
    /// `>= least`
    pub fn at_least(least: u32) -> Interval {
        Interval { least, most: None }
    }

    /// `= n`
    pub fn exactly(n: u32) -> Interval {
        Interval { least: n, most: Some(n) }
    }

    /// Whether the number lies in the interval.
    pub fn contains(self, n: u32) -> bool {
        self.least <= n && self.most.is_none_or(|most| n <= most)
    }
}

/// Where the tokens of a place go when a rule moves them: each to any one of `to`; `None` is out of the net.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The place that is emptied.
    pub from: PlaceId,
    /// Where each of its tokens may go; never empty.
    pub to: Vec<Option<PlaceId>>,
}

/// A rule: when the shared state is `from`, the tests hold and the taken tokens are there, it takes them,
/// moves the rest of the tokens, and makes new ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The shared state before.
    pub from: SharedStateId,
    /// The shared state after.
    pub to: SharedStateId,
    /// Conditions on the numbers of tokens before the rule. One with an upper end makes the net non-monotone.
    pub tests: Vec<(PlaceId, Interval)>,
    /// The tokens taken: each place once, with how many.
    pub take: Vec<(PlaceId, u32)>,
    /// What happens to the tokens that are not taken: each place once; a place without a move keeps its
    /// tokens.
    pub moves: Vec<Move>,
    /// The tokens made: each place once, with how many.
    pub make: Vec<(PlaceId, u32)>,
    /// The rule's text in the source.
    pub span: Option<Span>,
}

/// Where a net starts: for each place how many tokens it holds at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetStart {
    /// The shared state.
    pub shared: SharedStateId,
    /// One for each place.
    pub tokens: Vec<Interval>,
}

/// A target: reached when the shared state fits and every listed place holds a number in its interval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The shared state, or any.
    pub shared: Option<SharedStateId>,
    /// The places; those not listed may hold any number.
    pub places: Vec<(PlaceId, Interval)>,
}

impl Target {
    /// Whether it is reached in this marking.
    pub fn holds_in(&self, marking: &Marking) -> bool {
        let holds =
            |&(place, interval): &(PlaceId, Interval)| interval.contains(marking.tokens[place.index()]);
        self.shared.is_none_or(|shared| shared == marking.shared) && self.places.iter().all(holds)
    }
}

impl Target {
    /// Whether more tokens never leave the target.
    pub fn is_upward_closed(&self) -> bool {
        self.places.iter().all(|(_, interval)| interval.most.is_none())
    }
}

/// A validated net with its start and its targets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    shared: Arena<SharedStateId, String>,
    places: Arena<PlaceId, Place>,
    rules: Arena<RuleId, Rule>,
    start: NetStart,
    targets: Vec<Target>,
}

impl Net {
    /// The net, if it is valid; otherwise all that is wrong with it.
    pub fn new(
        shared: Arena<SharedStateId, String>,
        places: Arena<PlaceId, Place>,
        rules: Arena<RuleId, Rule>,
        start: NetStart,
        targets: Vec<Target>,
    ) -> Result<Net, Diagnostics> {
        let net = Net { shared, places, rules, start, targets };
        let mut found = Diagnostics::new();
        if net.start.tokens.len() != net.places.len() || net.shared.get(net.start.shared).is_none() {
            found.push(Diagnostic::error("E0401", None, "the start speaks of other places or shared states"));
        }
        for rule in net.rules.iter() {
            net.check_rule(rule, &mut found);
        }
        for target in &net.targets {
            let known = target.shared.is_none_or(|s| net.shared.get(s).is_some());
            if !known || target.places.iter().any(|&(place, _)| net.places.get(place).is_none()) {
                found.push(Diagnostic::error(
                    "E0402",
                    None,
                    "a target speaks of a state that does not exist",
                ));
            }
        }
        if found.has_errors() { Err(found) } else { Ok(net) }
    }

    fn check_rule(&self, rule: &Rule, found: &mut Diagnostics) {
        let places = rule.take.iter().chain(&rule.make).map(|it| it.0);
        let moved = rule.moves.iter().flat_map(|it| it.to.iter().flatten().copied().chain([it.from]));
        let tested = rule.tests.iter().map(|it| it.0);
        let known = places.chain(moved).chain(tested).all(|place| self.places.get(place).is_some());
        if !known || self.shared.get(rule.from).is_none() || self.shared.get(rule.to).is_none() {
            found.push(Diagnostic::error(
                "E0403",
                rule.span,
                "the rule speaks of a state that does not exist",
            ));
        }
        if has_twice(rule.take.iter().map(|it| it.0))
            || has_twice(rule.make.iter().map(|it| it.0))
            || has_twice(rule.moves.iter().map(|it| it.from))
        {
            found.push(Diagnostic::error("E0404", rule.span, "the rule lists a place twice"));
        }
        if rule.moves.iter().any(|it| it.to.is_empty()) {
            found.push(Diagnostic::error("E0405", rule.span, "the rule moves tokens nowhere"));
        }
    }

    /// The names of the shared states.
    pub fn shared(&self) -> &Arena<SharedStateId, String> {
        &self.shared
    }

    /// The places.
    pub fn places(&self) -> &Arena<PlaceId, Place> {
        &self.places
    }

    /// The rules.
    pub fn rules(&self) -> &Arena<RuleId, Rule> {
        &self.rules
    }

    /// Where it starts.
    pub fn start(&self) -> &NetStart {
        &self.start
    }

    /// The targets: reaching any one is the error.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The same net with other targets.
    pub fn with_targets(self, targets: Vec<Target>) -> Result<Net, Diagnostics> {
        Net::new(self.shared, self.places, self.rules, self.start, targets)
    }

    /// Whether more tokens never disable a rule or leave a target.
    pub fn monotone(&self) -> bool {
        let tests_below = self.rules.iter().all(|rule| rule.tests.iter().all(|(_, it)| it.most.is_none()));
        tests_below && self.targets.iter().all(Target::is_upward_closed)
    }
}

fn has_twice(mut places: impl Iterator<Item = PlaceId>) -> bool {
    let mut seen = HashSet::new();
    !places.all(|place| seen.insert(place))
}
