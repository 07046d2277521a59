//! The state equation of a net as pruning: what a rule takes and makes is a column, a marking that is reached is the start plus columns,
//! each some number of times, and a minimal element for which that has no rational solution is dropped (Esparza, Ledesma-Garza, Majumdar, Meyer and
//! Niksic, *An SMT-Based Approach to Coverability Analysis*, CAV 2014; Blondin, Finkel, Haase and Haddad, *Approaching the Coverability
//! Problem Continuously*, TACAS 2016). Traps that a solution empties are added to the equation.
//!
//! What differs: the solver is exact and keeps its tableau from element to element; what it finds are weights that the checker adds up, and each of
//! them is tried on later elements before the solver is. Shared states are places with one token. A transfer is a column for each
//! place that its tokens may go to. Rules that the closure rules out are left out.

mod columns;
mod traps;
mod witness;

use crate::closure::{Group, Tuples};
use base::{Budget, Stop};
use columns::{Columns, Node};
use ir::certificate::TokenClosure;
use ir::net::Net;
use solve::linear::{Failure, Outcome, Simplex, Term, Variable};
use traps::Traps;
use witness::Witness;

/// No more traps are looked for.
const MOST_TRAPS: usize = 400;
/// As many for one element.
const MOST_TRAPS_AT_ONCE: usize = 24;
/// So many elements that the equation allows, for each one it excludes, and it is not asked any more.
const MOST_ALLOWED: u64 = 16;
/// So many elements are free.
const FIRST_QUESTIONS: u64 = 200;

/// What a variable of the solver is.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// How often a column is used.
    Column,
    /// How many more tokens than at the start.
    Tokens(Node),
    /// The same for all tokens of a trap.
    Trap(usize),
}

/// The equation of a net, with what was found about it.
#[derive(Debug)]
pub struct Equation {
    columns: Columns,
    simplex: Simplex,
    meaning: Vec<Meaning>,
    /// For each node the variable that is the change of its tokens.
    changes: Vec<Option<Variable>>,
    /// The nodes of which more than none are demanded at present.
    demanded: Vec<Variable>,
    traps: Option<Traps>,
    witnesses: Vec<Witness>,
    /// Whether a number was too large.
    overflow: bool,
    /// How many elements the solver was asked about, and how many of them it excluded.
    pub questions: u64,
    /// See there.
    pub excluded: u64,
}

impl Equation {
    /// The equation of a net, of which only what the tuples allow is used.
    pub fn new(net: &Net, tuples: &Tuples, with_traps: bool, budget: &Budget) -> Result<Self, Stop> {
        let columns = Columns::new(net, tuples, budget)?;
        let mut simplex = Simplex::default();
        let mut terms: Vec<Vec<Term>> = vec![vec![]; columns.nodes()];
        let mut meaning = vec![];
        for column in &columns.list {
            budget.spend(1)?;
            let variable = simplex.variable(0);
            meaning.push(Meaning::Column);
            column.iter().for_each(|&(node, n)| terms[node as usize].push((variable, n)));
        }
        let mut overflow = false;
        let mut changes = vec![None; columns.nodes()];
        for (node, terms) in terms.iter().enumerate() {
            // What never holds a token is left to the closure.
            let Some(most) = columns.most[node].filter(|&most| most > 0 || !terms.is_empty()) else {
                continue;
            };
            budget.spend(1)?;
            match simplex.sum(terms, -most) {
                Ok(variable) => changes[node] = Some(variable),
                Err(_) => overflow = true,
            }
            meaning.push(Meaning::Tokens(node as Node));
        }
        let traps = with_traps.then(|| Traps::new(net, &columns));
        let (demanded, witnesses) = (vec![], vec![]);
        let (questions, excluded) = (0, 0);
        Ok(Self {
            columns,
            simplex,
            meaning,
            changes,
            demanded,
            traps,
            witnesses,
            overflow,
            questions,
            excluded,
        })
    }

    /// Whether nothing above this element is ever reached, as far as the equation tells.
    pub fn excludes(&mut self, shared: u32, threads: &[Group], budget: &Budget) -> Result<bool, Stop> {
        let demand = self.columns.element(shared, threads);
        budget.spend(self.witnesses.len() as u64 / 8)?;
        // The weights found last are about elements like this one.
        if self.witnesses.iter().rev().any(|it| it.excludes(&demand)) {
            return Ok(true);
        }
        let hopeless = self.questions > FIRST_QUESTIONS + MOST_ALLOWED * self.excluded;
        if self.overflow || hopeless {
            return Ok(false);
        }
        self.questions += 1;
        match self.solve(&demand, budget) {
            Ok(excluded) => {
                self.excluded += u64::from(excluded);
                Ok(excluded)
            }
            Err(Failure::Stopped(stop)) => Err(stop),
            Err(Failure::Overflow) => {
                self.overflow = true;
                Ok(false)
            }
        }
    }

    /// How many traps and weights were found.
    pub fn sizes(&self) -> (usize, usize) {
        (self.traps.as_ref().map_or(0, |it| it.found.len()), self.witnesses.len())
    }

    /// Adds the weights, and the traps that they speak of, to a certificate.
    pub fn certify(&self, closure: &mut TokenClosure) {
        let mut numbers: Vec<Option<usize>> = vec![];
        for witness in &self.witnesses {
            let mut weights = self.columns.weights(&witness.nodes);
            for &(trap, weight) in &witness.traps {
                numbers.resize(numbers.len().max(trap + 1), None);
                let number = *numbers[trap].get_or_insert_with(|| {
                    let nodes = self.traps.as_ref().map_or(&[][..], |it| &it.found[trap]);
                    closure.traps.push(self.columns.trap(nodes));
                    closure.traps.len() - 1
                });
                weights.traps.push((number, weight));
            }
            closure.weights.push(weights);
        }
    }

    fn solve(&mut self, demand: &[(Node, i64)], budget: &Budget) -> Result<bool, Failure> {
        if !self.demand(demand)? {
            return Ok(false);
        }
        for _ in 0..MOST_TRAPS_AT_ONCE {
            match self.simplex.check(budget)? {
                Outcome::Conflict(weights) => return Ok(self.learn(&weights)),
                Outcome::Solution if self.refine(budget)? => {}
                Outcome::Solution => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Demands these tokens in place of those before; whether that makes sense.
    fn demand(&mut self, demand: &[(Node, i64)]) -> Result<bool, Failure> {
        let before = std::mem::take(&mut self.demanded);
        let mut now = vec![];
        for &(node, count) in demand {
            // A place that starts with any number of tokens has all that are demanded.
            let (Some(variable), Some(most)) =
                (self.changes[node as usize], self.columns.most[node as usize])
            else {
                continue;
            };
            self.simplex.set_least(variable, count - most)?;
            now.push(variable);
        }
        for variable in before {
            if let Meaning::Tokens(node) = self.meaning[variable as usize]
                && !now.contains(&variable)
            {
                self.simplex.set_least(variable, -self.columns.most[node as usize].unwrap_or(0))?;
            }
        }
        self.demanded = now;
        Ok(!self.demanded.is_empty())
    }

    /// Adds a trap that the solution empties; whether there is one.
    fn refine(&mut self, budget: &Budget) -> Result<bool, Failure> {
        let Some(traps) = self.traps.as_mut().filter(|it| it.found.len() < MOST_TRAPS) else {
            return Ok(false);
        };
        let empty: Vec<bool> = (self.changes.iter().zip(&self.columns.most))
            .map(|(change, most)| {
                let (Some(variable), Some(most)) = (*change, *most) else { return false };
                let (change, scale) = self.simplex.value(variable);
                change == -i128::from(most) * i128::from(scale)
            })
            .collect();
        let Some(trap) = traps.find(empty, budget)? else { return Ok(false) };
        let change = |&node: &Node| self.changes[node as usize].map(|variable| (variable, 1));
        let terms: Vec<Term> = trap.iter().filter_map(change).collect();
        let most: i64 = trap.iter().filter_map(|&node| self.columns.most[node as usize]).sum();
        self.simplex.sum(&terms, 1 - most)?;
        self.meaning.push(Meaning::Trap(traps.found.len()));
        traps.found.push(trap);
        Ok(true)
    }

    /// Keeps the weights of a conflict, if they are not too large.
    fn learn(&mut self, weights: &[Term]) -> bool {
        let (mut nodes, mut traps) = (vec![], vec![]);
        for &(variable, weight) in weights {
            match self.meaning[variable as usize] {
                Meaning::Column => {}
                Meaning::Tokens(node) => nodes.push((node, weight)),
                Meaning::Trap(trap) => traps.push((trap, weight)),
            }
        }
        let found = self.traps.as_ref().map_or(&[][..], |it| &it.found);
        match Witness::new(nodes, traps, found, &self.columns.most) {
            Some(witness) => {
                self.witnesses.push(witness);
                true
            }
            None => false,
        }
    }
}
