//! Small random nets with rules of every kind, for differential tests: the same seed gives the same net on
//! every machine.

use base::{Id, Random};
use ir::net::rules::{Interval, Move, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};

/// What the nets may contain: each number is how often, in percent.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Rules that move all tokens of a place.
    pub moves: usize,
    /// Rules that test numbers of tokens.
    pub tests: usize,
    /// Rules that make more tokens than they take.
    pub growth: usize,
    /// Places where any number of tokens may start.
    pub unbounded: usize,
    /// Rarer shapes: several tokens taken or at the start, rules that end tokens, tests that never hold,
    /// targets that ask for many.
    pub wild: usize,
}

impl Profile {
    /// Everything.
    pub const ALL: Profile = Profile { moves: 50, tests: 40, growth: 50, unbounded: 50, wild: 0 };
    /// Everything, and the rarer shapes.
    pub const WILD: Profile = Profile { wild: 50, ..Profile::ALL };
    /// Only rules that take one token and make one: thread transition systems without transfers.
    pub const SIMPLE: Profile = Profile { moves: 0, tests: 0, growth: 0, unbounded: 100, wild: 0 };
}

/// The net with this seed.
pub fn net(seed: u64, profile: &Profile) -> Net {
    let mut random = Random::new(seed);
    let mut toss = |percent: usize| if random.percent(percent) { 40 } else { 0 };
    let (moves, tests, growth) = (toss(profile.moves), toss(profile.tests), toss(profile.growth));
    // Each construct is in or out for the whole net.
    // Nothing is drawn where there are no rarer shapes, so that the other profiles keep their nets.
    let wild = if profile.wild > 0 { toss(profile.wild) } else { 0 };
    let may = Profile { moves, tests, growth, wild, ..*profile };
    let shared = 1 + random.below(3);
    let places = 2 + random.below(3);
    let mut maker = NetMaker { random, may, shared, places };
    let rules = (0..2 + maker.random.below(6)).map(|_| maker.rule()).collect();
    let start = maker.start();
    let targets = (0..1 + maker.random.below(2)).map(|_| maker.target()).collect();
    let names = (0..shared).map(|index| index.to_string()).collect();
    let places = (0..places).map(|index| Place { name: format!("p{index}") }).collect();
    Net::new(names, places, rules, start, targets).expect("only valid rules are made")
}

type Arcs = Vec<(PlaceId, u32)>;
type Tests = Vec<(PlaceId, Interval)>;

struct NetMaker {
    random: Random,
    may: Profile,
    shared: usize,
    places: usize,
}

impl NetMaker {
    fn shared(&mut self) -> SharedStateId {
        SharedStateId::from_index(self.random.below(self.shared))
    }

    fn place(&mut self) -> PlaceId {
        PlaceId::from_index(self.random.below(self.places))
    }

    /// Different places, at most `most`.
    fn some_places(&mut self, most: usize) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> = (0..most).map(|_| self.place()).collect();
        places.sort();
        places.dedup();
        places
    }

    fn rule(&mut self) -> Rule {
        let arcs = if self.random.percent(30) { 2 } else { 1 };
        let take: Vec<(PlaceId, u32)> = self.some_places(arcs).into_iter().map(|place| (place, 1)).collect();
        let mut make: Vec<(PlaceId, u32)> =
            self.some_places(take.len()).into_iter().map(|p| (p, 1)).collect();
        if self.random.percent(self.may.growth) {
            make[0].1 += 1;
        }
        // A rule may also take nothing.
        let idle = self.may.growth > 0 && self.random.percent(10);
        let moves = if self.random.percent(self.may.moves) { self.moves() } else { vec![] };
        let tests =
            if self.random.percent(self.may.tests) { vec![(self.place(), self.interval())] } else { vec![] };
        let take = if idle { vec![] } else { take };
        let (take, make, tests) = self.wilder(take, make, tests);
        Rule { from: self.shared(), to: self.shared(), tests, take, moves, make, span: None }
    }

    /// The arcs and tests of a rule, perhaps changed to a rarer shape.
    fn wilder(&mut self, mut take: Arcs, mut make: Arcs, mut tests: Tests) -> (Arcs, Arcs, Tests) {
        if self.may.wild == 0 || !self.random.percent(self.may.wild) {
            return (take, make, tests);
        }
        match self.random.below(4) {
            0 => make.clear(),
            1 => take.iter_mut().for_each(|arc| arc.1 += 1),
            2 => tests.push((self.place(), Interval { least: 2, most: Some(1) })),
            _ => {
                let extra = self.interval();
                tests.extend(take.first().map(|arc| (arc.0, extra)));
            }
        }
        (take, make, tests)
    }

    fn moves(&mut self) -> Vec<Move> {
        let from = self.some_places(2);
        from.into_iter()
            .map(|from| {
                let places = self.some_places(2).into_iter().map(Some);
                let mut to: Vec<Option<PlaceId>> = places.collect();
                if self.random.percent(15) {
                    to.push(None);
                }
                Move { from, to }
            })
            .collect()
    }

    fn interval(&mut self) -> Interval {
        let least = self.random.below(3) as u32;
        match self.random.below(3) {
            0 => Interval::at_least(least),
            1 => Interval::exactly(least),
            _ => Interval { least, most: Some(least + self.random.below(3) as u32) },
        }
    }

    fn start(&mut self) -> NetStart {
        let mut tokens: Vec<Interval> =
            (0..self.places).map(|_| Interval::exactly(u32::from(self.random.percent(20)))).collect();
        if self.random.percent(self.may.unbounded) {
            let place = self.random.below(self.places);
            tokens[place] = Interval::at_least(self.random.below(2) as u32);
        } else {
            tokens[0] = self.interval();
        }
        if self.may.wild > 0 && self.random.percent(30) {
            let place = self.random.below(self.places);
            tokens[place] = Interval::exactly(1 + self.random.below(3) as u32);
        }
        NetStart { shared: self.shared(), tokens }
    }

    fn target(&mut self) -> Target {
        let shared = self.random.percent(60).then(|| self.shared());
        let places = self.some_places(2).into_iter();
        let upward = self.may.tests == 0;
        let places = places.map(|place| {
            let least = 1 + self.random.below(2) as u32;
            (place, if upward { Interval::at_least(least) } else { self.interval() })
        });
        let places: Vec<_> = places.collect();
        Target { shared, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::net::machine::Machine;

    /// Both verdicts must be common, or a differential test would test nothing.
    #[test]
    fn nets_are_varied() {
        let (mut safe, mut reached, mut monotone) = (0, 0, 0);
        for seed in 0..300 {
            let net = net(seed, &Profile::ALL);
            let machine = Machine::new(&net, Some(4));
            let markings = machine.reachable(5000).expect("few tokens in few places");
            let hit = markings.iter().any(|marking| machine.at_target(marking));
            *(if hit { &mut reached } else { &mut safe }) += 1;
            monotone += usize::from(net.monotone());
        }
        assert!(safe > 60 && reached > 60 && monotone > 100, "{safe} safe, {reached} reached, {monotone}");
    }
}
