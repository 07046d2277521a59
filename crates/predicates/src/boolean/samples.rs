//! States at random, in which the formulas of a command are evaluated before a solver is asked: whatever is
//! seen there is possible. Comparisons tell states apart where variables are equal or next to each other and
//! at the numbers that the program names, so that is where most of the values are.

mod neighbourhood;

pub use neighbourhood::Neighbourhood;

use crate::terms::circuits::Circuits;
use base::Random;
use c::Exprs;
use rustc_hash::FxHashSet;
use solve::aig::{Lit, Node};
use solve::bv::Word;

/// 64 states each.
const WORDS: usize = 16;
const STATES: usize = 64 * WORDS;

/// The values of a formula, a bit for each state.
type Bits = [u64; WORDS];

/// The states.
pub struct Samples {
    random: Random,
    /// The numbers that the program and the predicates name.
    numbers: Vec<u128>,
    /// The values of each input word, state by state.
    values: Vec<Vec<u128>>,
    /// The values of each node of the graph, as far as they were computed.
    nodes: Vec<Bits>,
}

/// What some formulas are in a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sample {
    /// The predicates that hold.
    pub valuation: u128,
    /// The other formulas that hold.
    pub ones: u128,
}

impl Sample {
    /// What formulas are in one of 64 states; of both lists no more than 128 count.
    fn new(given: &[u64], after: &[u64], state: usize) -> Sample {
        let value = |bits: &[u64]| {
            let bits = bits.iter().take(128).enumerate();
            bits.fold(0, |all, (at, bits)| all | u128::from(bits >> state & 1) << at)
        };
        Sample { valuation: value(given), ones: value(after) }
    }
}

/// A value for a variable, where others have these.
fn value(random: &mut Random, numbers: &[u128], others: &[u128]) -> u128 {
    let kind = random.below(16);
    let near = [0, 0, 1, u128::MAX][random.below(4)];
    let any = u128::from(random.bits());
    let base = match kind {
        0..8 if !others.is_empty() => *random.pick(others),
        8..14 if !numbers.is_empty() => *random.pick(numbers),
        14 => any % 8,
        _ => any,
    };
    base.wrapping_add(near)
}

impl Samples {
    /// No state yet; the numbers are those of a pool.
    pub fn new(exprs: &Exprs) -> Samples {
        let mut numbers: Vec<u128> = exprs.ids().filter_map(|it| exprs.constant(it)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Samples { random: Random::new(0), numbers, values: vec![], nodes: vec![] }
    }

    /// The numbers that are named.
    pub fn numbers(&self) -> &[u128] {
        &self.numbers
    }

    /// Evaluates what the graph has now.
    pub fn extend(&mut self, circuits: &Circuits) {
        let aig = &circuits.aig;
        if self.nodes.len() == aig.len() {
            return;
        }
        let from = self.nodes.len();
        let words = circuits.inputs();
        self.nodes.resize(aig.len(), [0; WORDS]);
        for number in from..aig.len() {
            self.nodes[number] = match aig.node_at(number) {
                Node::False => [0; WORDS],
                Node::Input(_) => std::array::from_fn(|_| self.random.bits()),
                // The bits of words come below.
                Node::And(..) => continue,
            };
        }
        for word in words.into_iter().filter(|it| it.first().is_some_and(|it| it.node() >= from)) {
            self.word(word);
        }
        for number in from..aig.len() {
            if let Node::And(a, b) = aig.node_at(number) {
                let (a, b) = (self.bits(a), self.bits(b));
                self.nodes[number] = std::array::from_fn(|at| a[at] & b[at]);
            }
        }
    }

    /// Values of an input word.
    fn word(&mut self, word: &Word) {
        let mut bits = vec![[0; WORDS]; word.len()];
        let mut values = vec![];
        for state in 0..STATES {
            let others: Vec<u128> = self.values.iter().map(|it| it[state]).collect();
            let value = value(&mut self.random, &self.numbers, &others);
            for (at, bits) in bits.iter_mut().enumerate().take(128) {
                bits[state / 64] |= ((value >> at & 1) as u64) << (state % 64);
            }
            values.push(value);
        }
        for (lit, bits) in word.iter().zip(bits) {
            self.nodes[lit.node()] = bits;
        }
        self.values.push(values);
    }

    fn bits(&self, lit: Lit) -> Bits {
        let flip = if lit.is_negated() { u64::MAX } else { 0 };
        self.nodes[lit.node()].map(|it| it ^ flip)
    }

    /// Whether a formula holds in one of the states.
    pub fn has(&self, lit: Lit) -> bool {
        self.bits(lit).iter().any(|&it| it != 0)
    }

    /// Whether formulas hold in one of the states together.
    pub fn has_all(&self, lits: &[Lit]) -> bool {
        let all = lits.iter().fold([u64::MAX; WORDS], |all, &lit| {
            let bits = self.bits(lit);
            std::array::from_fn(|at| all[at] & bits[at])
        });
        all.iter().any(|&it| it != 0)
    }

    /// What predicates and other formulas are in the states in which the facts hold, each only once.
    pub fn of(&self, facts: Lit, given: &[Lit], after: &[Lit]) -> Vec<Sample> {
        let facts = self.bits(facts);
        let [given, after] =
            [given, after].map(|it| it.iter().map(|&it| self.bits(it)).collect::<Vec<Bits>>());
        let mut found = vec![];
        let mut seen = FxHashSet::default();
        for (number, &facts) in facts.iter().enumerate() {
            let [given, after] =
                [&given, &after].map(|it| it.iter().map(|it| it[number]).collect::<Vec<u64>>());
            for state in (0..64).filter(|state| facts >> state & 1 == 1) {
                let sample = Sample::new(&given, &after, state);
                if seen.insert(sample) {
                    found.push(sample);
                }
            }
        }
        found
    }
}
