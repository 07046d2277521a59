//! The columns of the equation: what rules change. A node is a shared state or a place.

use crate::closure::{Group, Tuples, spread};
use base::{Budget, Id, Stop};
use ir::certificate::{Trap, Weights};
use ir::net::{Net, PlaceId, Rule, RuleId};
use std::collections::{BTreeMap, HashSet};

/// A shared state, or after them a place.
pub type Node = u32;

/// The columns.
#[derive(Debug)]
pub struct Columns {
    /// What each changes, sorted; each is there once.
    pub list: Vec<Vec<(Node, i64)>>,
    /// The most tokens that each node starts with; nothing for any number, and where rules make any number
    /// from nothing: weights are 0 there.
    pub most: Vec<Option<i64>>,
    /// Whether a node holds a token at every start.
    pub marked: Vec<bool>,
    /// The rules that the tuples allow.
    pub rules: Vec<RuleId>,
    states: usize,
}

impl Columns {
    /// The columns of the rules that the tuples allow.
    pub fn new(net: &Net, tuples: &Tuples, budget: &Budget) -> Result<Self, Stop> {
        let (start, states) = (net.start(), net.shared().len());
        let here = |state: usize| state == start.shared.index();
        let most = (0..states).map(|state| Some(i64::from(here(state))));
        let most = most.chain(start.tokens.iter().map(|it| it.most.map(i64::from))).collect();
        let marked = (0..states).map(here).chain(start.tokens.iter().map(|it| it.least > 0)).collect();
        let mut columns = Self { list: vec![], most, marked, rules: vec![], states };
        let mut changes = vec![];
        for (id, rule) in net.rules().enumerate() {
            budget.spend(1 + rule.moves.len() as u64)?;
            if !is_allowed(rule, tuples) {
                continue;
            }
            columns.rules.push(id);
            changes.extend(columns.of(rule));
        }
        free(&changes, &mut columns.most, budget)?;
        let mut known = HashSet::new();
        for mut column in changes {
            column.retain(|it| columns.most[it.0 as usize].is_some());
            // What only takes tokens away helps nobody.
            if column.iter().any(|it| it.1 > 0) && known.insert(column.clone()) {
                columns.list.push(column);
            }
        }
        Ok(columns)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.most.len()
    }

    /// The node of a place.
    pub fn place(&self, place: PlaceId) -> Node {
        (self.states + place.index()) as Node
    }

    /// What an element demands. A single shared state demands nothing.
    pub fn element(&self, shared: u32, threads: &[Group]) -> Vec<(Node, i64)> {
        let state = (self.states > 1).then_some((shared, 1));
        let places = threads.iter().map(|&(place, n)| (self.states as Node + place, i64::from(n)));
        state.into_iter().chain(places).collect()
    }

    /// Weights of nodes as a certificate has them.
    pub fn weights(&self, nodes: &[(Node, u32)]) -> Weights {
        let (states, places) = nodes.split_at(nodes.partition_point(|it| (it.0 as usize) < self.states));
        Weights {
            states: states.iter().map(|it| (Id::from_index(it.0 as usize), it.1)).collect(),
            places: places.iter().map(|it| (Id::from_index(it.0 as usize - self.states), it.1)).collect(),
            traps: vec![],
        }
    }

    /// A trap as a certificate has it.
    pub fn trap(&self, nodes: &[Node]) -> Trap {
        let (states, places) = nodes.split_at(nodes.partition_point(|&it| (it as usize) < self.states));
        Trap {
            states: states.iter().map(|&it| Id::from_index(it as usize)).collect(),
            places: places.iter().map(|&it| Id::from_index(it as usize - self.states)).collect(),
        }
    }

    /// What a rule changes, and what each of its transfers may change any number of times.
    fn of(&self, rule: &Rule) -> Vec<Vec<(Node, i64)>> {
        let mut change: BTreeMap<Node, i64> = BTreeMap::new();
        *change.entry(rule.from.index() as Node).or_default() -= 1;
        *change.entry(rule.to.index() as Node).or_default() += 1;
        rule.take.iter().for_each(|it| *change.entry(self.place(it.0)).or_default() -= i64::from(it.1));
        rule.make.iter().for_each(|it| *change.entry(self.place(it.0)).or_default() += i64::from(it.1));
        let mut all = vec![self.column(change)];
        for transfer in &rule.moves {
            for to in transfer.to.iter().flatten().filter(|&&to| to != transfer.from) {
                all.push(self.column([(self.place(transfer.from), -1), (self.place(*to), 1)].into()));
            }
        }
        all
    }

    /// Without places that have any number of tokens anyway.
    fn column(&self, change: BTreeMap<Node, i64>) -> Vec<(Node, i64)> {
        change.into_iter().filter(|&(node, n)| n != 0 && self.most[node as usize].is_some()).collect()
    }
}

/// What some column fills and takes nothing for has any number of tokens, as far as the equation tells; and
/// so on with what is filled from there.
fn free(changes: &[Vec<(Node, i64)>], most: &mut [Option<i64>], budget: &Budget) -> Result<(), Stop> {
    let mut takers: Vec<Vec<u32>> = vec![vec![]; most.len()];
    let mut taken: Vec<usize> = vec![];
    let mut worklist = vec![];
    for (number, column) in (0..).zip(changes) {
        let from = column.iter().filter(|it| it.1 < 0);
        from.clone().for_each(|it| takers[it.0 as usize].push(number));
        taken.push(from.count());
        if taken[number as usize] == 0 {
            worklist.push(number);
        }
    }
    while let Some(number) = worklist.pop() {
        for &(node, _) in changes[number as usize].iter().filter(|it| it.1 > 0) {
            budget.spend(1)?;
            if most[node as usize].take().is_none() {
                continue;
            }
            for &taker in &takers[node as usize] {
                taken[taker as usize] -= 1;
                if taken[taker as usize] == 0 {
                    worklist.push(taker);
                }
            }
        }
    }
    Ok(())
}

/// Whether what a rule takes and tests for may be there.
fn is_allowed(rule: &Rule, tuples: &Tuples) -> bool {
    let mut needed: BTreeMap<u32, u32> = BTreeMap::new();
    let taken = rule.take.iter().filter(|it| it.1 > 0);
    needed.extend(taken.map(|it| (it.0.index() as u32, it.1)));
    for (place, test) in rule.tests.iter().filter(|it| it.1.least > 0) {
        let least = needed.entry(place.index() as u32).or_default();
        *least = test.least.max(*least);
    }
    let needed: Vec<Group> = needed.into_iter().collect();
    tuples.consistent(rule.from.index() as u32, &spread(&needed, tuples.width()))
}
