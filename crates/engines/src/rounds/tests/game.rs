//! The equations and the game against a plain version over explicit tuples: a game graph solved state by
//! state.

use super::explicit::{Interface, Local, Shares, Tables, Threads, explicit, wrapped};
use super::*;
use crate::rounds::game::adam_wins;
use base::Budget;
use std::collections::{HashMap, HashSet, VecDeque};

impl Threads {
    /// The game, position by position.
    fn adam_wins(&self, tables: &Tables, rounds: usize) -> Option<bool> {
        let mut graph = Graph { threads: self, tables, rounds, moves: HashMap::new() };
        graph.explore()?;
        Some(!graph.attractor().contains(&Position::Start))
    }
}

/// A position; Eve's interface comes first, then Adam's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Position {
    Start,
    /// Adam must answer Eve's first thread.
    Open {
        eve: (Shares, Shares),
        local: Local,
    },
    /// Adam must answer a later one.
    Answer {
        eve: (Shares, Shares),
        local: Local,
        adam: (Shares, Shares),
    },
    /// Eve goes on; all matched.
    Matched {
        eve: (Shares, Shares),
        adam: (Shares, Shares),
    },
    /// Eve goes on; Adam has failed.
    Alone {
        eve: (Shares, Shares),
    },
}

struct Graph<'t> {
    threads: &'t Threads,
    tables: &'t Tables,
    rounds: usize,
    moves: HashMap<Position, Vec<Position>>,
}

impl Graph<'_> {
    fn explore(&mut self) -> Option<()> {
        let mut work = vec![Position::Start];
        while let Some(position) = work.pop() {
            if self.moves.contains_key(&position) {
                continue;
            }
            let moves = self.moves_from(&position);
            work.extend(moves.iter().cloned());
            self.moves.insert(position, moves);
            if self.moves.len() > 30_000 {
                return None;
            }
        }
        Some(())
    }

    fn openings(&self, length: usize) -> Vec<&Interface> {
        let first = self.threads.ends_turn(&self.tables.first[length - 1]);
        let other = self.threads.ends_turn(&self.tables.other[length - 1]);
        first.chain(other.filter(|it| self.threads.opens(&it.1))).collect()
    }

    fn later(&self, length: usize, ins: &Shares) -> Vec<&Interface> {
        self.threads.ends_turn(&self.tables.other[length - 1]).filter(|it| it.1 == *ins).collect()
    }

    fn moves_from(&self, position: &Position) -> Vec<Position> {
        let k = self.rounds;
        match position {
            Position::Start => {
                let open =
                    |it: &&Interface| Position::Open { eve: (it.1.clone(), it.2.clone()), local: it.0 };
                self.openings(k + 1).iter().map(open).collect()
            }
            Position::Matched { eve, adam } => {
                let answer = |it: &&Interface| Position::Answer {
                    eve: (eve.0.clone(), it.2.clone()),
                    local: it.0,
                    adam: adam.clone(),
                };
                self.later(k + 1, &eve.1).iter().map(answer).collect()
            }
            Position::Alone { eve } => {
                let alone = |it: &&Interface| Position::Alone { eve: (eve.0.clone(), it.2.clone()) };
                self.later(k + 1, &eve.1).iter().map(alone).collect()
            }
            Position::Open { eve, local } => {
                let answers =
                    self.openings(k).into_iter().filter(|it| it.0 == *local && it.2[k - 1] == eve.1[k]);
                let matched = answers
                    .map(|it| Position::Matched { eve: eve.clone(), adam: (it.1.clone(), it.2.clone()) });
                or_alone(matched.collect(), Position::Alone { eve: eve.clone() })
            }
            Position::Answer { eve, local, adam } => {
                let answers =
                    self.later(k, &adam.1).into_iter().filter(|it| it.0 == *local && it.2[k - 1] == eve.1[k]);
                let matched = answers
                    .map(|it| Position::Matched { eve: eve.clone(), adam: (adam.0.clone(), it.2.clone()) });
                or_alone(matched.collect(), Position::Alone { eve: eve.clone() })
            }
        }
    }

    fn eve_has_won(position: &Position) -> bool {
        match position {
            Position::Alone { eve } => wrapped(&eve.0, &eve.1),
            Position::Matched { eve, adam } => wrapped(&eve.0, &eve.1) && !wrapped(&adam.0, &adam.1),
            _ => false,
        }
    }

    /// Where Eve wins, by counting down Adam's ways out.
    fn attractor(&self) -> HashSet<Position> {
        let mut before: HashMap<&Position, Vec<&Position>> = HashMap::new();
        let mut out: HashMap<&Position, usize> = HashMap::new();
        for (position, moves) in &self.moves {
            let distinct: HashSet<&Position> = moves.iter().collect();
            out.insert(position, distinct.len());
            distinct.into_iter().for_each(|next| before.entry(next).or_default().push(position));
        }
        let mut won: HashSet<Position> =
            self.moves.keys().filter(|it| Self::eve_has_won(it)).cloned().collect();
        let mut work: VecDeque<Position> = won.iter().cloned().collect();
        while let Some(position) = work.pop_front() {
            for &earlier in before.get(&position).into_iter().flatten() {
                let adams = matches!(earlier, Position::Open { .. } | Position::Answer { .. });
                let left = out.get_mut(earlier).expect("counted above");
                *left -= 1;
                if (!adams || *left == 0) && won.insert(earlier.clone()) {
                    work.push_back(earlier.clone());
                }
            }
        }
        won
    }
}

fn or_alone(matched: Vec<Position>, alone: Position) -> Vec<Position> {
    if matched.is_empty() { vec![alone] } else { matched }
}

#[derive(Default, Debug)]
struct Tally {
    /// Systems whose tables were compared, and those whose games were.
    systems: usize,
    played: usize,
    /// Games by who wins, for each k.
    adam: [usize; 3],
    eve: [usize; 3],
}

fn compare(program: &Program, tally: &mut Tally) -> Result<(), Stop> {
    let Some(model) = model(program) else { return Ok(()) };
    let Some(threads) = explicit(&model) else { return Ok(()) };
    let longest = [4, 3].into_iter().find_map(|most| Some((threads.tables(most)?, most)));
    let Some((tables, most)) = longest else { return Ok(()) };
    let budget = Budget::unlimited();
    let bits = 2 * u32::try_from(model.bits.len()).expect("few");
    let mut equations = Equations::new(model, most, 1 << 20, &budget)?;
    tally.systems += 1;
    let mut played = false;
    for length in 1..=most {
        equations.next_round()?;
        let count = |equations: &Equations<'_, '_>, relation, bits| {
            let total = equations.system.total(relation);
            equations.system.calculus.manager.sat_count_exact(total, bits).map(|count| count as usize)
        };
        let long = bits * u32::try_from(length).expect("few");
        let short = long - bits / 2;
        assert_eq!(
            count(&equations, equations.right[length - 1], long),
            Some(tables.right[length - 1].len())
        );
        assert_eq!(count(&equations, equations.want[length - 1], short), Some(tables.want[length - 1].len()));
        if length == 1 {
            continue;
        }
        let k = length - 1;
        if let Some(expected) = threads.adam_wins(&tables, k) {
            assert_eq!(adam_wins(&mut equations, k)?.is_some(), expected, "{program:#?}");
            (if expected { &mut tally.adam } else { &mut tally.eve })[k - 1] += 1;
            played = true;
        }
    }
    tally.played += usize::from(played);
    Ok(())
}

#[test]
fn tables_and_winners_agree_with_explicit_tuples() -> Result<(), Stop> {
    let mut tally = Tally::default();
    for seed in (0..440).step_by(4) {
        compare(&transition_system(seed), &mut tally)?;
        compare(&harmless(&random_program(seed, &STATIC)), &mut tally)?;
    }
    assert!(tally.systems >= 120 && tally.played >= 120, "{tally:?}");
    assert!(tally.adam.iter().all(|&won| won > 90), "{tally:?}");
    assert!(tally.eve[0] > 20 && tally.eve[1] > 8 && tally.eve[2] > 0, "{tally:?}");
    Ok(())
}
