//! The engine on nets: the token game, on the same compact states as for programs.

use super::compact::{self, LocalCount};
use super::fire::{FiredRule, Firing};
use super::search::{self, ExplicitWork, Exploration};
use super::settings::ExplicitOptions;
use super::statistics::Statistics;
use crate::bounded::{Attempt, Bounded};
use crate::certificate::Proof;
use crate::fewer;
use crate::search::{Expansion, StateSpace};
use base::{Budget, Id, Stop, TickBatch};
use ir::Trace;
use ir::certificate::{Body, ReachedMarkings, View};
use ir::net::{Interval, Marking, Move, Net, PlaceId, SharedStateId, Target};
use ir::trace::NetTrace;

/// A net that is searched under bounds.
pub struct BoundedNets<'n> {
    net: &'n Net,
    options: ExplicitOptions,
}

impl<'n> BoundedNets<'n> {
    /// A net.
    pub fn new(net: &'n Net, options: ExplicitOptions) -> Self {
        Self { net, options }
    }

    fn search(
        &self,
        bound: u32,
        exact: bool,
        most: usize,
        work: &mut ExplicitWork<'_>,
    ) -> Result<Exploration<FiredState>, Stop> {
        let starts = starts(self.net, bound, exact, work.budget)?;
        let mut space =
            Markings { net: self.net, firing: Firing::new(self.net, bound), starts, after: vec![] };
        let found = search::explore(&mut space, most, bound, work)?;
        Ok(Exploration { refused: space.firing.refused, ..found })
    }

    fn trace<S>(
        &self,
        found: &Exploration<S>,
        error: u32,
        bound: u32,
        budget: &Budget,
    ) -> Result<NetTrace, Stop> {
        let (states, path) = (found.search.states(), found.search.path(error));
        let mut firing = Firing::new(self.net, bound);
        let (mut steps, mut row) = (vec![], vec![]);
        for pair in path.windows(2) {
            let target = states.get(pair[1]);
            firing.load(states.get(pair[0]));
            let mut taken = None;
            firing.steps(&TickBatch::new(budget), &mut |fired| {
                row.clear();
                compact::encode(fired.shared, fired.tokens, &mut row);
                if taken.is_none() && row == target {
                    let moves = 0..self.net.rules()[fired.rule].moves.len();
                    let moved = moves.map(|index| fired.splits.parts(index).to_vec()).collect();
                    taken = Some(Move { rule: fired.rule, moved });
                }
            })?;
            steps.push(taken.expect("the search took a step from one to the other"));
        }
        Ok(NetTrace { start: self.marking(states.get(path[0])), steps })
    }

    fn marking(&self, row: &[u32]) -> Marking {
        let mut groups = vec![];
        let shared = compact::decode(row, &mut groups);
        let mut tokens = vec![0; self.net.places().len()];
        groups.iter().for_each(|&(place, count)| tokens[place as usize] = count);
        Marking { shared: SharedStateId::from_index(shared as usize), tokens }
    }
}

impl Bounded<Statistics> for BoundedNets<'_> {
    fn fewest(&self) -> u32 {
        self.net.start().tokens.iter().fold(0, |sum, interval| sum.saturating_add(interval.least))
    }

    fn attempt(&mut self, bound: u32, _: bool, work: &mut ExplicitWork<'_>) -> Result<Attempt, Stop> {
        let exact = exact_is_enough(self.net);
        let found = self.search(bound, exact, usize::MAX, work)?;
        work.statistics.count(&found.search);
        Ok(match found.error {
            // A rule that would pass the bound is not taken, so that every bounded run is a run.
            Some(error) => {
                let trace = self.trace(&found, error, bound, work.budget)?;
                let trace = if exact { fewer::drop_tokens(self.net, trace) } else { trace };
                Attempt::Unsafe(Trace::Net(trace))
            }
            None => Attempt::Safe { refused: found.refused || largest_start(self.net) > u64::from(bound) },
        })
    }

    fn certificate(&mut self, bound: u32, work: &mut ExplicitWork<'_>) -> Result<Option<Proof>, Stop> {
        let (budget, statistics) = (work.budget, Default::default());
        let mut quiet = ExplicitWork { budget, events: &mut *work.events, statistics };
        let exact = exact_is_enough(self.net);
        let found = self.search(bound, exact, self.options.certificate_states, &mut quiet)?;
        work.statistics.certificate_states = found.search.states().len() as u64;
        if found.too_many {
            return Ok(None);
        }
        assert!(found.error.is_none(), "the same search finds the same errors");
        let mut groups = vec![];
        let marking = |id| {
            let shared = compact::decode(found.search.states().get(id), &mut groups);
            let places = groups.iter().map(|&(place, count)| (PlaceId::from_index(place as usize), count));
            (SharedStateId::from_index(shared as usize), places.collect())
        };
        let markings = (0..found.search.states().len() as u32).map(marking).collect();
        let body = Body::ReachedMarkings(ReachedMarkings { markings, bound });
        Ok(Some(Proof { view: View::default(), body }))
    }
}

/// The markings of a net.
struct Markings<'n> {
    net: &'n Net,
    firing: Firing<'n>,
    starts: Vec<Vec<LocalCount>>,
    /// The tokens after the steps of the marking that was taken up, and at the start those that it starts
    /// with.
    after: Vec<LocalCount>,
}

/// A marking that was reached, before it is a row: the tokens are a range of those that were put down.
#[derive(Clone, Copy, Debug)]
pub struct FiredState {
    shared: u32,
    tokens: [u32; 2],
}

impl FiredState {
    /// Puts tokens down.
    fn new(shared: u32, tokens: &[LocalCount], after: &mut Vec<LocalCount>) -> FiredState {
        let first = after.len() as u32;
        after.extend_from_slice(tokens);
        FiredState { shared, tokens: [first, after.len() as u32] }
    }
}

impl StateSpace for Markings<'_> {
    type State = FiredState;

    fn starts(&mut self, _: &TickBatch<'_>, found: &mut Vec<FiredState>) -> Result<Expansion, Stop> {
        let shared = self.net.start().shared.index() as u32;
        found.extend(self.starts.iter().map(|tokens| FiredState::new(shared, tokens, &mut self.after)));
        Ok(Expansion::Full)
    }

    fn load(&mut self, row: &[u32]) {
        self.after.clear();
        self.firing.load(row);
    }

    fn successors(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<FiredState>) -> Result<Expansion, Stop> {
        ticks.spend(1)?;
        let after = &mut self.after;
        let mut visit = |fired: FiredRule<'_>| found.push(FiredState::new(fired.shared, fired.tokens, after));
        self.firing.steps(ticks, &mut visit)?;
        Ok(Expansion::Full)
    }

    fn row(&mut self, FiredState { shared, tokens }: FiredState, row: &mut Vec<u32>) -> Result<(), Stop> {
        compact::encode(shared, &self.after[tokens[0] as usize..tokens[1] as usize], row);
        Ok(())
    }

    fn is_error(&mut self, row: &[u32], _: &Budget) -> Result<bool, Stop> {
        Ok(self.is_target(row))
    }
}

impl Markings<'_> {
    fn is_target(&self, row: &[u32]) -> bool {
        let targets = self.net.targets();
        let fits = |target: &&Target| target.shared.is_none_or(|shared| shared.index() as u32 == row[0]);
        if !targets.iter().any(|target| fits(&target)) {
            return false;
        }
        let mut groups = vec![];
        compact::decode(row, &mut groups);
        let covers = |target: &Target| {
            target.places.iter().all(|&(place, interval)| interval.contains(tokens(&groups, place)))
        };
        targets.iter().filter(fits).any(covers)
    }
}

/// The tokens of a place.
pub fn tokens(groups: &[LocalCount], place: PlaceId) -> u32 {
    let place = place.index() as u32;
    groups.binary_search_by_key(&place, |group| group.0).map_or(0, |index| groups[index].1)
}

/// The most tokens that the net may start with.
fn largest_start(net: &Net) -> u64 {
    net.start().tokens.iter().fold(0, |sum: u64, interval| {
        interval.most.map_or(u64::MAX, |most| sum.saturating_add(u64::from(most)))
    })
}

/// Whether it is enough to start with as many tokens as the bound allows: fewer tokens do what more can do,
/// unless a rule makes more than it takes; then the tokens that stay idle would use up the bound.
fn exact_is_enough(net: &Net) -> bool {
    let grows = |rule: &ir::net::Rule| {
        let sum = |list: &[(PlaceId, u32)]| list.iter().map(|it| u64::from(it.1)).sum::<u64>();
        sum(&rule.make) > sum(&rule.take)
    };
    net.monotone()
        && net.start().tokens.iter().any(|interval| interval.most.is_none())
        && !net.rules().iter().any(grows)
}

/// All markings that the net may start with under the bound; with `exact` only those that reach it, where any
/// number may start.
fn starts(net: &Net, bound: u32, exact: bool, budget: &Budget) -> Result<Vec<Vec<LocalCount>>, Stop> {
    let places: Vec<(u32, Interval)> =
        (0..).zip(net.start().tokens.iter().copied()).filter(|(_, it)| it.most != Some(0)).collect();
    let needed: u64 = places.iter().map(|(_, it)| u64::from(it.least)).sum();
    if needed > u64::from(bound) || net.start().tokens.iter().any(|it| it.most.is_some_and(|m| m < it.least))
    {
        return Ok(vec![]);
    }
    let mut needed = needed as u32;
    let mut all: Vec<(u32, Vec<LocalCount>)> = vec![(0, vec![])];
    let filler = places.iter().rposition(|(_, it)| it.most.is_none()).filter(|_| exact);
    // The place that fills up the bound comes last.
    let order = (0..places.len()).filter(|&index| Some(index) != filler).chain(filler);
    for index in order {
        let (place, Interval { least, most }) = places[index];
        needed -= least;
        let mut longer = vec![];
        for (sum, groups) in all {
            let left = bound - sum - needed;
            let most = most.map_or(left, |most| most.min(left));
            for count in if Some(index) == filler { most } else { least }..=most {
                budget.spend(1)?;
                let more = (count > 0).then_some((place, count));
                longer.push((sum + count, groups.iter().copied().chain(more).collect()));
            }
        }
        all = longer;
    }
    let mut all: Vec<Vec<LocalCount>> = all.into_iter().map(|(_, groups)| groups).collect();
    all.iter_mut().for_each(|groups| groups.sort_unstable());
    Ok(all)
}
