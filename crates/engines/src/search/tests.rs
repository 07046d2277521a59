//! The driver on small spaces of numbers, beside a search by the textbook.

use super::*;

/// Numbers below a limit with some successors each.
struct Numbers {
    limit: u32,
    error: Option<u32>,
    at: u32,
    /// Whether only the first successor is given first.
    reduces: bool,
    requests: u32,
}

impl Numbers {
    fn new(limit: u32, error: Option<u32>) -> Numbers {
        Numbers { limit, error, at: 0, reduces: false, requests: 0 }
    }
}

impl StateSpace for Numbers {
    type State = u32;

    fn starts(&mut self, _: &TickBatch<'_>, found: &mut Vec<u32>) -> Result<Expansion, Stop> {
        found.extend([1, 2, 1]);
        Ok(Expansion::Full)
    }

    fn load(&mut self, row: &[u32]) {
        (self.at, self.requests) = (row[0], 0);
    }

    fn successors(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<u32>) -> Result<Expansion, Stop> {
        ticks.spend(1)?;
        let all = [self.at * 3, self.at + 1, self.at * 2].map(|it| it % self.limit);
        self.requests += 1;
        match (self.reduces, self.requests) {
            (true, 1) => found.push(all[0]),
            (true, _) => found.extend(&all[1..]),
            (false, _) => found.extend(all),
        }
        Ok(if self.reduces && self.requests == 1 { Expansion::Reduced } else { Expansion::Full })
    }

    fn row(&mut self, state: u32, row: &mut Vec<u32>) -> Result<(), Stop> {
        row.push(state);
        Ok(())
    }

    fn is_error(&mut self, row: &[u32], _: &Budget) -> Result<bool, Stop> {
        Ok(Some(row[0]) == self.error)
    }
}

/// The states in the order of their numbers and their distances from a start, by the textbook.
fn textbook(limit: u32) -> Vec<(u32, u32)> {
    let mut order = vec![(1, 0), (2, 0)];
    let mut at = 0;
    while at < order.len() {
        let (state, distance) = order[at];
        for next in [state * 3, state + 1, state * 2].map(|it| it % limit) {
            if !order.iter().any(|it| it.0 == next) {
                order.push((next, distance + 1));
            }
        }
        at += 1;
    }
    order
}

#[test]
fn states_are_numbered_by_level_parent_and_step() {
    let expected = textbook(1000);
    // However often the search is interrupted.
    for turns in [1, 3, 64, 100_000] {
        let (mut space, budget) = (Numbers::new(1000, Some(0)), Budget::unlimited());
        let mut search = StateSearch::new(Order::Levels, usize::MAX);
        let error = loop {
            match search.advance(&mut space, turns, &budget).expect("no limit") {
                TurnEnd::Paused => {}
                TurnEnd::Error(error) => break error,
                other => panic!("{other:?}"),
            }
        };
        let rows: Vec<u32> = (0..search.states().len() as u32).map(|id| search.states().get(id)[0]).collect();
        let numbered: Vec<u32> = expected.iter().map(|it| it.0).take(rows.len()).collect();
        assert_eq!(rows, numbered);
        assert_eq!((rows[error as usize], error as usize + 1), (0, rows.len()));
        assert_eq!(search.path(error).len() as u32, expected[error as usize].1 + 1);
    }
}

#[test]
fn all_states_are_found_in_any_order() {
    for (order, reduces) in [(Order::Levels, false), (Order::Newest, false), (Order::Levels, true)] {
        let mut space = Numbers { reduces, ..Numbers::new(1000, None) };
        let (mut search, budget) = (StateSearch::new(order, usize::MAX), Budget::unlimited());
        let mut ends = vec![];
        while ends.last() != Some(&TurnEnd::Complete) && ends.len() < 10_000 {
            ends.push(search.advance(&mut space, 7, &budget).expect("no limit"));
        }
        if !reduces {
            assert_eq!(search.states().len(), textbook(1000).len(), "{order:?}");
        }
        assert!(!reduces || search.reduced() > 0);
    }
}

#[test]
fn limits_end_a_search() {
    let (mut space, budget) = (Numbers::new(1000, None), Budget::with_ticks(10));
    let mut search = StateSearch::new(Order::Levels, usize::MAX);
    assert_eq!(search.advance(&mut space, u64::MAX, &budget), Err(Stop::Ticks));
    let mut search = StateSearch::new(Order::Levels, 20);
    assert_eq!(search.advance(&mut space, u64::MAX, &Budget::unlimited()), Ok(TurnEnd::TooMany));
    assert_eq!(search.states().len(), 21);
}
