//! The equations and the game against a plain version over explicit tuples: sets of interfaces, and a game graph solved state by state.

use super::*;
use crate::rounds::game::adam_wins;
use base::Budget;
use ir::bp::{Machine, State, Thread};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

type Shared = usize;
type Local = usize;
type Shares = Vec<Shared>;
/// A local state, inputs and outputs.
type Interface = (Local, Shares, Shares);

/// The threads of a program as a transition system over numbers.
struct Threads {
    steps: HashMap<(Shared, Local), Vec<(Shared, Local)>>,
    outside: Vec<bool>,
    initial: Vec<Shared>,
    first: Option<Vec<Local>>,
    other: Vec<Local>,
}

/// All thread interfaces, wants and right blocks up to a length.
#[derive(Default)]
struct Tables {
    first: Vec<HashSet<Interface>>,
    other: Vec<HashSet<Interface>>,
    want: Vec<HashSet<(Shares, Shares)>>,
    right: Vec<HashSet<(Shares, Shares)>>,
}

const MOST_TUPLES: usize = 1500;

fn explicit(model: &Model<'_>) -> Option<Threads> {
    let program = model.program;
    if program.start().init.is_some() || !model.late.is_empty() || !program.is_flat() {
        return None;
    }
    let machine = Machine::new(program, None);
    let starting = Machine::new(program, Some(3)).starts();
    let begins = |procedure| {
        let entry = program.procedures()[procedure].entry;
        let threads = starting.iter().flat_map(|state| state.threads.values());
        threads.filter(|thread| thread.loc() == entry).cloned().collect::<BTreeSet<Thread>>()
    };
    let number = |bits: &[bool]| bits.iter().rev().fold(0, |sum, &bit| 2 * sum + usize::from(bit));
    let initial: BTreeSet<Shared> = starting.iter().map(|state| number(&state.shared)).collect();
    let first: Option<BTreeSet<Thread>> = model.first.map(begins);
    let other: BTreeSet<Thread> = model.crowd.iter().flat_map(|&procedure| begins(procedure)).collect();
    // Local state 0 is an ended thread.
    let mut known: Vec<Thread> = vec![];
    let mut ids: BTreeMap<Thread, Local> = BTreeMap::new();
    let mut id = |thread: &Thread, known: &mut Vec<Thread>| {
        *ids.entry(thread.clone()).or_insert_with(|| {
            known.push(thread.clone());
            known.len()
        })
    };
    let first = first.map(|set| set.iter().map(|thread| id(thread, &mut known)).collect());
    let other = other.iter().map(|thread| id(thread, &mut known)).collect();
    let mut steps = HashMap::new();
    let mut at = 0;
    while at < known.len() {
        for shared in 0..1 << program.shared().len() {
            let bits = (0..program.shared().len()).map(|bit| shared >> bit & 1 == 1).collect();
            let state = State {
                initialising: false,
                shared: bits,
                threads: BTreeMap::from([(0, known[at].clone())]),
            };
            let after = machine.steps(&state, 0).into_iter().map(|(_, after)| {
                let local = after.threads.get(&0).map_or(0, |thread| id(thread, &mut known));
                (number(&after.shared), local)
            });
            let after: Vec<_> = after.collect();
            steps.insert((shared, at + 1), after);
        }
        at += 1;
    }
    let outside = std::iter::once(true).chain(known.iter().map(|thread| !thread.inside)).collect();
    Some(Threads { steps, outside, initial: initial.into_iter().collect(), first, other })
}

fn wrapped(ins: &[Shared], outs: &[Shared]) -> bool {
    ins[1..].iter().zip(outs).all(|(a, b)| a == b)
}

fn index<'t>(pairs: impl Iterator<Item = (&'t Shares, &'t Shares)>) -> HashMap<&'t Shares, Vec<&'t Shares>> {
    let mut map: HashMap<&Shares, Vec<&Shares>> = HashMap::new();
    pairs.for_each(|(from, to)| map.entry(from).or_default().push(to));
    map
}

fn longer(tuple: &[Shared], last: Shared) -> Shares {
    [tuple, &[last]].concat()
}

impl Threads {
    fn starts(&self, shared: Shared) -> bool {
        self.initial.contains(&shared)
    }

    /// Whether an interface of `other` may be the first thread's.
    fn opens(&self, ins: &[Shared]) -> bool {
        self.first.is_none() && self.starts(ins[0])
    }

    fn ends_turn<'t>(&'t self, set: &'t HashSet<Interface>) -> impl Iterator<Item = &'t Interface> {
        set.iter().filter(|it| self.outside[it.0])
    }

    fn tables(&self, most: usize) -> Option<Tables> {
        let mut tables = Tables::default();
        for length in 1..=most {
            tables.first.push(HashSet::new());
            tables.other.push(HashSet::new());
            tables.want.push(HashSet::new());
            tables.right.push(HashSet::new());
            loop {
                let before = tables.size(length - 1);
                self.thread_interfaces(&mut tables, length);
                if length > 1 {
                    self.wants(&mut tables, length);
                }
                self.rights(&mut tables, length);
                if tables.size(length - 1) == before {
                    break;
                }
                if tables.size(length - 1) > MOST_TUPLES {
                    return None;
                }
            }
        }
        Some(tables)
    }

    fn thread_interfaces(&self, tables: &mut Tables, length: usize) {
        let last = length - 1;
        let step = |set: &HashSet<Interface>| {
            let next = |(local, ins, outs): &Interface| {
                let after = self.steps.get(&(outs[last], *local)).cloned().unwrap_or_default();
                let (ins, outs) = (ins.clone(), outs[..last].to_vec());
                after.into_iter().map(move |(shared, local)| (local, ins.clone(), longer(&outs, shared)))
            };
            set.iter().flat_map(next).collect::<Vec<_>>()
        };
        let (first, other) = (step(&tables.first[last]), step(&tables.other[last]));
        tables.first[last].extend(first);
        tables.other[last].extend(other);
        if length == 1 {
            let begin = |locals: &[Local], shared: Shared| {
                locals.iter().map(|&local| (local, vec![shared], vec![shared])).collect::<Vec<_>>()
            };
            let starts = self.initial.iter();
            match &self.first {
                Some(first) => tables.first[0].extend(starts.flat_map(|&shared| begin(first, shared))),
                None => tables.other[0].extend(starts.flat_map(|&shared| begin(&self.other, shared))),
            }
            let left = self.ends_turn(&tables.first[0]).chain(self.ends_turn(&tables.other[0]));
            let after: Vec<Interface> = left.flat_map(|it| begin(&self.other, it.2[0])).collect();
            tables.other[0].extend(after);
            return;
        }
        let rights = index(tables.right[last - 1].iter().map(|it| (&it.0, &it.1)));
        let resume = |set: &HashSet<Interface>, opens: &dyn Fn(&Shares) -> bool, wanted: bool| {
            let mut found = vec![];
            for (local, ins, outs) in self.ends_turn(set) {
                for &block in rights.get(outs).into_iter().flatten() {
                    if opens(ins) && wrapped(ins, block) {
                        let next = block[last - 1];
                        found.push((*local, longer(ins, next), longer(outs, next)));
                    }
                    let wants = tables.want[last]
                        .iter()
                        .filter(|it| wanted && it.0[..last] == ins[..] && it.1 == *block);
                    found.extend(wants.map(|it| (*local, it.0.clone(), longer(outs, it.0[last]))));
                }
            }
            found
        };
        let first = resume(&tables.first[last - 1], &|_| true, false);
        let other = resume(&tables.other[last - 1], &|ins| self.opens(ins), true);
        tables.first[last].extend(first);
        tables.other[last].extend(other);
    }

    fn wants(&self, tables: &mut Tables, length: usize) {
        let last = length - 1;
        let rights = index(tables.right[last - 1].iter().map(|it| (&it.0, &it.1)));
        let mut found = vec![];
        let left = self.ends_turn(&tables.first[last]).map(|it| (it, true));
        for ((_, ins, outs), first) in left.chain(self.ends_turn(&tables.other[last]).map(|it| (it, false))) {
            for &block in rights.get(&outs[..last].to_vec()).into_iter().flatten() {
                let opens = (first || self.opens(ins)) && wrapped(ins, block);
                if opens || !first && tables.want[last].contains(&(ins.clone(), block.clone())) {
                    found.push((outs.clone(), block.clone()));
                }
            }
        }
        tables.want[last].extend(found);
    }

    fn rights(&self, tables: &mut Tables, length: usize) {
        let last = length - 1;
        let rest = index(tables.right[last].iter().map(|it| (&it.0, &it.1)));
        let mut found = vec![];
        for (_, ins, outs) in self.ends_turn(&tables.other[last]) {
            for end in std::iter::once(&outs).chain(rest.get(outs).into_iter().flatten()) {
                let wanted = (ins.clone(), end[..last].to_vec());
                if length == 1 || tables.want[last].contains(&wanted) {
                    found.push((ins.clone(), (*end).clone()));
                }
            }
        }
        tables.right[last].extend(found);
    }

    /// The game, position by position.
    fn adam_wins(&self, tables: &Tables, rounds: usize) -> Option<bool> {
        let mut graph = Graph { threads: self, tables, rounds, moves: HashMap::new() };
        graph.explore()?;
        Some(!graph.attractor().contains(&Position::Start))
    }
}

impl Tables {
    fn size(&self, at: usize) -> usize {
        self.first[at].len() + self.other[at].len() + self.want[at].len() + self.right[at].len()
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
                or_alone(matched.collect(), eve)
            }
            Position::Answer { eve, local, adam } => {
                let answers =
                    self.later(k, &adam.1).into_iter().filter(|it| it.0 == *local && it.2[k - 1] == eve.1[k]);
                let matched = answers
                    .map(|it| Position::Matched { eve: eve.clone(), adam: (adam.0.clone(), it.2.clone()) });
                or_alone(matched.collect(), eve)
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

fn or_alone(matched: Vec<Position>, eve: &(Shares, Shares)) -> Vec<Position> {
    if matched.is_empty() { vec![Position::Alone { eve: eve.clone() }] } else { matched }
}

#[derive(Default, Debug)]
struct Tally {
    tables: usize,
    adam: usize,
    eve: usize,
}

fn compare(program: &Program, tally: &mut Tally) -> Result<(), Stop> {
    let Some(model) = model(program) else { return Ok(()) };
    let Some(threads) = explicit(&model) else { return Ok(()) };
    let Some(tables) = threads.tables(3) else { return Ok(()) };
    let budget = Budget::unlimited();
    let bits = 2 * u32::try_from(model.bits.len()).expect("few");
    let mut equations = Equations::new(model, 3, 1 << 20, &budget)?;
    for length in 1..=3usize {
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
        tally.tables += 1;
        if length == 1 {
            continue;
        }
        if let Some(expected) = threads.adam_wins(&tables, length - 1) {
            assert_eq!(adam_wins(&mut equations, length - 1)?.is_some(), expected, "{program:#?}");
            *(if expected { &mut tally.adam } else { &mut tally.eve }) += 1;
        }
    }
    Ok(())
}

#[test]
fn tables_and_winners_agree_with_explicit_tuples() -> Result<(), Stop> {
    let mut tally = Tally::default();
    for seed in 0..520 {
        compare(&transition_system(seed), &mut tally)?;
        compare(&harmless(&random_program(seed, &STATIC)), &mut tally)?;
    }
    assert!(tally.tables > 500 && tally.adam > 100 && tally.eve > 20, "{tally:?}");
    Ok(())
}
