//! The state equation of a net as pruning: what a rule takes and makes is a column, a marking that is reached
//! is the start plus columns, each some number of times, and a minimal element for which that has no rational
//! solution is dropped (Esparza, Ledesma-Garza, Majumdar, Meyer and Niksic, *An SMT-Based Approach to
//! Coverability Analysis*, CAV 2014; Blondin, Finkel, Haase and Haddad, *Approaching the Coverability Problem
//! Continuously*, TACAS 2016). Traps that a solution empties are added to the equation.
//!
//! What differs: the solver is exact and keeps its tableau from element to element; only nodes of which some
//! solution asked too much are in it; what it finds are weights that the checker adds up, and each of them is
//! tried on later elements before the solver is. Shared states are places with one token. A transfer is a
//! column for each place that its tokens may go to. Rules that the closure rules out are left out.

mod columns;
mod traps;
mod witness;

use crate::closure::{Group, Tuples};
use base::{Budget, Stop};
use columns::{Columns, Node};
use ir::certificate::TokenClosure;
use ir::net::Net;
use solve::linear::{Failure, Outcome, Simplex, Term, Variable};
use std::collections::BTreeMap;
use traps::Traps;
use witness::Witness;

/// No more traps are looked for.
const MOST_TRAPS: usize = 2_000;
/// As many for one element.
const MOST_TRAPS_AT_ONCE: usize = 24;
/// This many elements that the equation allows, for each one it excludes, and it is not asked any more.
const MOST_ALLOWED: u64 = 16;
/// This many elements are free.
const FIRST_QUESTIONS: u64 = 200;

/// Tokens below this are none.
const NEARLY: f64 = 1e-6;

/// What a variable of the solver is.
#[derive(Clone, Copy, Debug)]
enum ColumnMeaning {
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
    meaning: Vec<ColumnMeaning>,
    /// For each node the change of its tokens, as a sum of columns.
    terms: Vec<Vec<Term>>,
    /// For each node the variable that is this sum, once it matters.
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
            meaning.push(ColumnMeaning::Column);
            column.iter().for_each(|&(node, n)| terms[node as usize].push((variable, n)));
        }
        let changes = vec![None; columns.nodes()];
        let traps = with_traps.then(|| Traps::new(net, &columns));
        let (demanded, witnesses) = (vec![], vec![]);
        let (questions, excluded) = (0, 0);
        Ok(Self {
            columns,
            simplex,
            meaning,
            terms,
            changes,
            demanded,
            traps,
            witnesses,
            overflow: false,
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
        let mut traps = 0;
        loop {
            if let Outcome::Conflict(weights) = self.simplex.check(budget)? {
                return Ok(self.learn(&weights));
            }
            let tokens = self.tokens(budget)?;
            if self.add_violated(&tokens)? {
                continue;
            }
            if traps == MOST_TRAPS_AT_ONCE || !self.refine(&tokens, budget)? {
                return Ok(false);
            }
            traps += 1;
        }
    }

    /// The tokens of each node in the solution. They may be rounded: only what is looked for next depends on
    /// them.
    fn tokens(&self, budget: &Budget) -> Result<Vec<Option<f64>>, Stop> {
        budget.spend(1 + self.columns.list.len() as u64 / 64)?;
        let mut tokens: Vec<Option<f64>> =
            self.columns.most.iter().map(|most| most.map(|it| it as f64)).collect();
        for (variable, column) in (0..).zip(&self.columns.list) {
            let (value, scale) = self.simplex.value(variable);
            if value != 0 {
                let times = value as f64 / scale as f64;
                let add = |&(node, n): &(Node, i64)| {
                    tokens[node as usize].iter_mut().for_each(|it| *it += times * n as f64);
                };
                column.iter().for_each(add);
            }
        }
        Ok(tokens)
    }

    /// Adds the nodes that have less than no tokens to the solver's problem; whether there are such. Those
    /// that no solution asks too much of never get there.
    fn add_violated(&mut self, tokens: &[Option<f64>]) -> Result<bool, Failure> {
        let below =
            |node: &usize| self.changes[*node].is_none() && tokens[*node].is_some_and(|n| n < -NEARLY);
        let violated: Vec<usize> = (0..tokens.len()).filter(below).collect();
        for &node in &violated {
            self.change(node as Node)?;
        }
        Ok(!violated.is_empty())
    }

    /// The variable that is the change of a node's tokens, and the most that it starts with. Nothing for any
    /// number; and what never holds a token is left to the closure.
    fn change(&mut self, node: Node) -> Result<Option<(Variable, i64)>, Failure> {
        let terms = &self.terms[node as usize];
        let most = self.columns.most[node as usize].filter(|&most| most > 0 || !terms.is_empty());
        let Some(most) = most else { return Ok(None) };
        let variable = match self.changes[node as usize] {
            Some(variable) => variable,
            None => {
                let variable = self.simplex.sum(terms, -most)?;
                self.meaning.push(ColumnMeaning::Tokens(node));
                *self.changes[node as usize].insert(variable)
            }
        };
        Ok(Some((variable, most)))
    }

    /// Demands these tokens in place of those before; whether that makes sense.
    fn demand(&mut self, demand: &[(Node, i64)]) -> Result<bool, Failure> {
        let before = std::mem::take(&mut self.demanded);
        let mut now = vec![];
        for &(node, count) in demand {
            // A place that has any number of tokens has all that are demanded.
            let Some((variable, most)) = self.change(node)? else { continue };
            self.simplex.set_least(variable, count - most)?;
            now.push(variable);
        }
        for variable in before {
            if let ColumnMeaning::Tokens(node) = self.meaning[variable as usize]
                && !now.contains(&variable)
            {
                self.simplex.set_least(variable, -self.columns.most[node as usize].unwrap_or(0))?;
            }
        }
        self.demanded = now;
        Ok(!self.demanded.is_empty())
    }

    /// Adds a trap that the solution empties; whether there is one.
    fn refine(&mut self, tokens: &[Option<f64>], budget: &Budget) -> Result<bool, Failure> {
        let Some(traps) = self.traps.as_mut().filter(|it| it.found.len() < MOST_TRAPS) else {
            return Ok(false);
        };
        let empty = tokens.iter().map(|it| it.is_some_and(|n| n < NEARLY)).collect();
        let Some(trap) = traps.find(empty, budget)? else { return Ok(false) };
        let mut terms: BTreeMap<Variable, i64> = BTreeMap::new();
        for &(variable, n) in trap.iter().flat_map(|&node| &self.terms[node as usize]) {
            let sum = terms.entry(variable).or_default();
            *sum = sum.checked_add(n).ok_or(Failure::Overflow)?;
        }
        let terms: Vec<Term> = terms.into_iter().filter(|it| it.1 != 0).collect();
        let most: i64 = trap.iter().filter_map(|&node| self.columns.most[node as usize]).sum();
        self.simplex.sum(&terms, 1 - most)?;
        self.meaning.push(ColumnMeaning::Trap(traps.found.len()));
        traps.found.push(trap);
        Ok(true)
    }

    /// Keeps the weights of a conflict, if they are not too large.
    fn learn(&mut self, weights: &[Term]) -> bool {
        let (mut nodes, mut traps) = (vec![], vec![]);
        for &(variable, weight) in weights {
            match self.meaning[variable as usize] {
                ColumnMeaning::Column => {}
                ColumnMeaning::Tokens(node) => nodes.push((node, weight)),
                ColumnMeaning::Trap(trap) => traps.push((trap, weight)),
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
