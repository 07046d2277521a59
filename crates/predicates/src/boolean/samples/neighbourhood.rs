//! States around one that a solver found: a variable gets another value, alone or together with all that have
//! the same value. Formulas are evaluated in 64 of them at once, which costs less than asking the solver once
//! more.

use super::{Sample, value};
use crate::terms::circuits::Circuits;
use base::Random;
use rustc_hash::FxHashSet;
use solve::aig::{Aig, Input, Lit, Node};
use solve::bv::Word;

/// The states that are looked at together.
const STATES: usize = 64;

/// Formulas that are evaluated around states.
pub struct Neighbourhood<'a> {
    aig: &'a Aig,
    numbers: &'a [u128],
    facts: Lit,
    given: &'a [Lit],
    after: &'a [Lit],
    /// What the formulas are made of, operands first.
    cone: Vec<usize>,
    /// The words that they read.
    words: Vec<&'a Word>,
    random: Random,
    /// The value of each node of the cone, a bit for each state.
    nodes: Vec<u64>,
}

impl<'a> Neighbourhood<'a> {
    /// Of some predicates and other formulas where the facts hold.
    pub fn new(
        circuits: &'a Circuits,
        numbers: &'a [u128],
        facts: Lit,
        given: &'a [Lit],
        after: &'a [Lit],
    ) -> Self {
        let aig = &circuits.aig;
        let cone = aig.cone(given.iter().chain(after).copied().chain([facts]));
        let reads = |word: &&Word| word.iter().any(|it| cone.binary_search(&it.node()).is_ok());
        let words = circuits.inputs().into_iter().filter(reads).collect();
        let nodes = vec![0; aig.len()];
        Neighbourhood { aig, numbers, facts, given, after, cone, words, random: Random::new(1), nodes }
    }

    /// What the formulas are around a state.
    pub fn of(&mut self, state: impl Fn(Input) -> bool) -> Vec<Sample> {
        for &number in &self.cone {
            if let Node::Input(input) = self.aig.node_at(number) {
                self.nodes[number] = if state(input) { u64::MAX } else { 0 };
            }
        }
        let word =
            |word: &&Word| word.iter().rev().fold(0, |value, it| value << 1 | u128::from(self.bits(*it) & 1));
        let values: Vec<u128> = self.words.iter().map(word).collect();
        for state in 1..if values.is_empty() { 1 } else { STATES } {
            self.change(state, &values);
        }
        for &number in &self.cone {
            if let Node::And(a, b) = self.aig.node_at(number) {
                self.nodes[number] = self.bits(a) & self.bits(b);
            }
        }
        self.collect()
    }

    /// Changes one value, or all that are equal.
    fn change(&mut self, state: usize, values: &[u128]) {
        let chosen = self.random.below(values.len());
        let together = self.random.percent(50);
        let new = value(&mut self.random, self.numbers, values);
        for (at, word) in self.words.iter().enumerate() {
            if at == chosen || together && values[at] == values[chosen] {
                for (bit, lit) in word.iter().enumerate().take(128) {
                    self.nodes[lit.node()] ^= (((new ^ values[at]) >> bit & 1) as u64) << state;
                }
            }
        }
    }

    fn bits(&self, lit: Lit) -> u64 {
        self.nodes[lit.node()] ^ if lit.is_negated() { u64::MAX } else { 0 }
    }

    /// What is seen in the states in which the facts hold, each only once.
    fn collect(&self) -> Vec<Sample> {
        let [given, after] =
            [self.given, self.after].map(|it| it.iter().map(|&it| self.bits(it)).collect::<Vec<u64>>());
        let facts = self.bits(self.facts);
        let mut seen = FxHashSet::default();
        let states = (0..STATES).filter(|state| facts >> state & 1 == 1);
        let samples = states.map(|state| Sample::new(&given, &after, state));
        samples.filter(|it| seen.insert(*it)).collect()
    }
}
