//! Sets of tuples: for each shared state, multisets of at most k local states. With a multiset every part of
//! it is a member, so that runs with fewer than k threads need no dummies.
//!
//! Pairs lie in rows of bits, one row for each thread state; larger tuples in a table. A tuple is *known*
//! from when it was added and *done* from when it was taken from the worklist, in the order of addition,
//! parts before wholes.

use crate::explore::{NONE, Pairs, Store};
use base::Stop;
use std::collections::VecDeque;

/// The largest width.
pub const MOST_WIDTH: usize = 4;

/// A sorted multiset of local states; one more than the width fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tuple {
    len: u8,
    locals: [u32; MOST_WIDTH + 1],
}

impl Tuple {
    /// The local states.
    pub fn as_slice(&self) -> &[u32] {
        &self.locals[..usize::from(self.len)]
    }

    /// The tuple with one more thread.
    pub fn with(mut self, local: u32) -> Tuple {
        let mut at = usize::from(self.len);
        while at > 0 && self.locals[at - 1] > local {
            self.locals[at] = self.locals[at - 1];
            at -= 1;
        }
        self.locals[at] = local;
        self.len += 1;
        self
    }

    /// The tuple without the thread at a position.
    pub fn without(mut self, position: usize) -> Tuple {
        let len = usize::from(self.len);
        self.locals.copy_within(position + 1..len, position);
        self.len -= 1;
        self.locals[len - 1] = 0;
        self
    }

    /// The positions of different local states, one each.
    pub fn positions(&self) -> impl Iterator<Item = usize> + use<> {
        let tuple = *self;
        (0..usize::from(self.len)).filter(move |&at| at == 0 || tuple.locals[at - 1] != tuple.locals[at])
    }
}

impl FromIterator<u32> for Tuple {
    fn from_iter<I: IntoIterator<Item = u32>>(locals: I) -> Self {
        locals.into_iter().fold(Tuple::default(), Tuple::with)
    }
}

#[derive(Clone, Debug)]
struct TupleNode {
    /// The number among the thread states of the same shared state.
    position: u32,
    done: bool,
    /// The pairs that it is in.
    known: Vec<u64>,
    /// Those that are done.
    finished: Vec<u64>,
}

/// The set.
#[derive(Clone, Debug)]
pub struct Tuples {
    width: usize,
    index: Pairs,
    nodes: Vec<TupleNode>,
    /// For each shared state its local states; `None` if it was not reached.
    states: Vec<Option<Vec<u32>>>,
    larger: Store,
    larger_done: u32,
    worklist: VecDeque<(u32, Tuple)>,
    pairs: usize,
}

impl Tuples {
    /// No tuples yet.
    pub fn new(width: usize) -> Self {
        assert!((1..=MOST_WIDTH).contains(&width), "a width that tuples can have");
        Self {
            width,
            index: Pairs::default(),
            nodes: vec![],
            states: vec![],
            larger: Store::new(),
            larger_done: 0,
            worklist: VecDeque::new(),
            pairs: 0,
        }
    }

    /// The size of the largest tuples.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many tuples there are, by size: thread states, pairs, larger ones.
    pub fn sizes(&self) -> [usize; 3] {
        [self.nodes.len(), self.pairs, self.larger.len()]
    }

    /// The shared states that were reached, in order.
    pub fn shared(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.states).filter(|(_, locals)| locals.is_some()).map(|(shared, _)| shared)
    }

    /// The local states met in a shared state, in the order of discovery.
    pub fn locals(&self, shared: u32) -> &[u32] {
        self.states.get(shared as usize).and_then(Option::as_ref).map_or(&[], |locals| locals)
    }

    /// The larger tuples, each after its shared state.
    pub fn larger(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.larger.len() as u32).map(|id| self.larger.get(id))
    }

    fn node(&self, shared: u32, local: u32) -> Option<&TupleNode> {
        self.index.get(shared, local).map(|node| &self.nodes[node as usize])
    }

    /// Whether a tuple no larger than the width is known.
    pub fn contains(&self, shared: u32, tuple: &[u32]) -> bool {
        match *tuple {
            [] => self.states.get(shared as usize).is_some_and(Option::is_some),
            [a] => self.index.get(shared, a).is_some(),
            [a, b] => match (self.node(shared, a), self.node(shared, b)) {
                (Some(a), Some(b)) => bit(&a.known, b.position),
                _ => false,
            },
            _ => self.larger_id(shared, tuple).is_some(),
        }
    }

    fn larger_id(&self, shared: u32, tuple: &[u32]) -> Option<u32> {
        let mut row = [0; MOST_WIDTH + 1];
        row[0] = shared;
        row[1..=tuple.len()].copy_from_slice(tuple);
        self.larger.find(&row[..=tuple.len()])
    }

    /// Whether all parts of a sorted multiset that are no larger than the width are known.
    pub fn consistent(&self, shared: u32, threads: &[u32]) -> bool {
        if threads.len() <= self.width {
            return self.contains(shared, threads);
        }
        self.parts_known(shared, threads, Tuple::default())
    }

    fn parts_known(&self, shared: u32, rest: &[u32], chosen: Tuple) -> bool {
        if chosen.as_slice().len() == self.width {
            return self.contains(shared, chosen.as_slice());
        }
        let missing = self.width - chosen.as_slice().len();
        (0..=rest.len() - missing).all(|at| {
            let again = at > 0 && rest[at] == rest[at - 1];
            again || self.parts_known(shared, &rest[at + 1..], chosen.with(rest[at]))
        })
    }

    /// Adds a tuple no larger than the width, and its parts.
    pub fn add(&mut self, shared: u32, tuple: Tuple) -> Result<(), Stop> {
        if self.contains(shared, tuple.as_slice()) {
            return Ok(());
        }
        for position in tuple.positions() {
            self.add(shared, tuple.without(position))?;
        }
        match *tuple.as_slice() {
            [] => {
                let missing = (shared as usize + 1).saturating_sub(self.states.len());
                self.states.extend(std::iter::repeat_n(None, missing));
                self.states[shared as usize] = Some(vec![]);
            }
            [a] => self.add_node(shared, a),
            [a, b] => {
                self.pairs += 1;
                self.set_pair(shared, [a, b], false);
            }
            [..] => {
                let row: Vec<u32> = std::iter::once(shared).chain(tuple.as_slice().iter().copied()).collect();
                self.larger.insert(&row)?;
            }
        }
        self.worklist.push_back((shared, tuple));
        Ok(())
    }

    fn add_node(&mut self, shared: u32, local: u32) {
        let locals = self.states[shared as usize].as_mut().expect("the empty tuple was added first");
        let node = TupleNode { position: locals.len() as u32, done: false, known: vec![], finished: vec![] };
        locals.push(local);
        self.index.put(shared, local, self.nodes.len() as u32);
        self.nodes.push(node);
    }

    fn set_pair(&mut self, shared: u32, pair: [u32; 2], done: bool) {
        let ids = pair.map(|local| self.index.get(shared, local).expect("its parts were added first"));
        let positions = ids.map(|id| self.nodes[id as usize].position);
        for (id, other) in [(ids[0], positions[1]), (ids[1], positions[0])] {
            let node = &mut self.nodes[id as usize];
            let row = if done { &mut node.finished } else { &mut node.known };
            let word = other as usize / 64;
            if row.len() <= word {
                row.resize(word + 1, 0);
            }
            row[word] |= 1 << (other % 64);
        }
    }

    /// The next tuple to work on; it is done from now on.
    pub fn take(&mut self) -> Option<(u32, Tuple)> {
        let (shared, tuple) = self.worklist.pop_front()?;
        match *tuple.as_slice() {
            [] => {}
            [a] => {
                let node = self.index.get(shared, a).expect("it was added");
                self.nodes[node as usize].done = true;
            }
            [a, b] => self.set_pair(shared, [a, b], true),
            [..] => self.larger_done += 1,
        }
        Some((shared, tuple))
    }

    /// The local states that go together with all of a tuple of full width, as far as tuples are done.
    pub fn extensions(&self, shared: u32, tuple: &Tuple, into: &mut Vec<u32>) {
        into.clear();
        let locals = self.locals(shared);
        if self.width == 1 {
            into.extend(locals.iter().filter(|&&it| self.node(shared, it).is_some_and(|node| node.done)));
            return;
        }
        let nodes = tuple.positions().filter_map(|at| self.node(shared, tuple.as_slice()[at]));
        let rows: Vec<&[u64]> =
            nodes.map(|node| if self.width == 2 { &node.finished[..] } else { &node.known[..] }).collect();
        let words = rows.iter().map(|row| row.len()).min().unwrap_or(0);
        for word in 0..words {
            let mut bits = rows.iter().fold(u64::MAX, |bits, row| bits & row[word]);
            while bits != 0 {
                into.push(locals[word * 64 + bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
        if self.width > 2 {
            into.retain(|&local| {
                let clique = tuple.with(local);
                clique.positions().all(|at| self.is_done(shared, &clique.without(at)))
            });
        }
    }

    fn is_done(&self, shared: u32, tuple: &Tuple) -> bool {
        self.larger_id(shared, tuple.as_slice()).is_some_and(|id| id < self.larger_done)
    }

    /// The local states that are known to go together with this one, in the order of discovery; all if there
    /// are no pairs.
    pub fn neighbours(&self, shared: u32, local: u32) -> Vec<u32> {
        let locals = self.locals(shared);
        if self.width == 1 {
            return locals.to_vec();
        }
        let Some(node) = self.node(shared, local) else { return vec![] };
        locals
            .iter()
            .enumerate()
            .filter(|&(position, _)| bit(&node.known, position as u32))
            .map(|it| *it.1)
            .collect()
    }

    /// The number of a thread state.
    pub fn number(&self, shared: u32, local: u32) -> u32 {
        self.index.get(shared, local).unwrap_or(NONE)
    }
}

fn bit(row: &[u64], index: u32) -> bool {
    row.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}
