//! Interfaces, wants and right blocks as plain sets of tuples, computed clause by clause.

use super::*;
use ir::bp::{Machine, State, Thread};
use std::collections::{BTreeMap, HashMap, HashSet};

pub type Shared = usize;
pub type Local = usize;
pub type Shares = Vec<Shared>;
/// A local state, inputs and outputs.
pub type Interface = (Local, Shares, Shares);

/// The threads of a program as a transition system over numbers.
pub struct Threads {
    steps: HashMap<(Shared, Local), Vec<(Shared, Local)>>,
    pub outside: Vec<bool>,
    initial: Vec<Shared>,
    pub first: Option<Vec<Local>>,
    pub other: Vec<Local>,
}

/// All thread interfaces, wants and right blocks up to a length.
#[derive(Default)]
pub struct Tables {
    pub first: Vec<HashSet<Interface>>,
    pub other: Vec<HashSet<Interface>>,
    pub want: Vec<HashSet<(Shares, Shares)>>,
    pub right: Vec<HashSet<(Shares, Shares)>>,
}

pub const MOST_TUPLES: usize = 1500;

pub fn explicit(model: &Model<'_>) -> Option<Threads> {
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
    let other: BTreeSet<Thread> = model.unbounded.iter().flat_map(|&procedure| begins(procedure)).collect();
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

pub fn wrapped(ins: &[Shared], outs: &[Shared]) -> bool {
    ins[1..].iter().zip(outs).all(|(a, b)| a == b)
}

pub fn index<'t>(
    pairs: impl Iterator<Item = (&'t Shares, &'t Shares)>,
) -> HashMap<&'t Shares, Vec<&'t Shares>> {
    let mut map: HashMap<&Shares, Vec<&Shares>> = HashMap::new();
    pairs.for_each(|(from, to)| map.entry(from).or_default().push(to));
    map
}

pub fn longer(tuple: &[Shared], last: Shared) -> Shares {
    [tuple, &[last]].concat()
}

impl Threads {
    pub fn starts(&self, shared: Shared) -> bool {
        self.initial.contains(&shared)
    }

    /// Whether an interface of `other` may be the first thread's.
    pub fn opens(&self, ins: &[Shared]) -> bool {
        self.first.is_none() && self.starts(ins[0])
    }

    pub fn ends_turn<'t>(&'t self, set: &'t HashSet<Interface>) -> impl Iterator<Item = &'t Interface> {
        set.iter().filter(|it| self.outside[it.0])
    }

    pub fn tables(&self, most: usize) -> Option<Tables> {
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
}

impl Tables {
    fn size(&self, at: usize) -> usize {
        self.first[at].len() + self.other[at].len() + self.want[at].len() + self.right[at].len()
    }
}
