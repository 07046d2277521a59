//! Whether a set of tuples is closed. A rule that takes C may be used while the threads U are passive if
//! every part of C and U together that has at most *width* threads is in the set; then every such part of
//! what is there afterwards must be in the set, too. So whatever the number of threads, no run leaves what
//! the set allows. Where an element of the basis lies below C and U nothing is asked: no run gets there
//! without having passed the border that [`super::basis`] looks at.

use super::basis::Basis;
use crate::enumerate::Choices;
use crate::rules::{GONE, Local, Multiset, Pool, Rule, Rules, State, add, size, spread};
use crate::{Refused, Rejected, reject, within};
use base::Budget;
use std::collections::{BTreeMap, HashSet};

/// Wider tuples have too many parts.
const MOST_WIDTH: u32 = 6;

/// A set of tuples with all their parts.
pub struct Tuples<'b> {
    pub width: usize,
    known: HashSet<Box<[u32]>>,
    /// For each shared state the threads met there.
    locals: BTreeMap<State, Vec<Local>>,
    /// The threads that each thread goes together with.
    neighbours: BTreeMap<(State, Local), Vec<Local>>,
    budget: &'b Budget,
}

impl<'b> Tuples<'b> {
    /// No tuples yet.
    pub fn new(width: u32, budget: &'b Budget) -> Result<Self, Rejected> {
        if !(1..=MOST_WIDTH).contains(&width) {
            return reject(format!("the width is not between 1 and {MOST_WIDTH}"));
        }
        let (known, locals, neighbours) = (HashSet::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { width: width as usize, known, locals, neighbours, budget })
    }

    /// Adds a tuple and its parts.
    pub fn add(&mut self, state: State, multiset: &Multiset) -> Result<(), Refused> {
        if size(multiset) > self.width as u64 {
            return Ok(reject("a tuple is larger than the width")?);
        }
        self.add_parts(state, &spread(multiset, self.width))
    }

    fn add_parts(&mut self, state: State, tuple: &[Local]) -> Result<(), Refused> {
        self.budget.spend(1)?;
        if !self.known.insert(key(state, tuple)) {
            return Ok(());
        }
        match *tuple {
            [a] => self.locals.entry(state).or_default().push(a),
            [a, b] => {
                self.neighbours.entry((state, a)).or_default().push(b);
                if a != b {
                    self.neighbours.entry((state, b)).or_default().push(a);
                }
            }
            _ => {}
        }
        (0..tuple.len()).try_for_each(|at| self.add_parts(state, &[&tuple[..at], &tuple[at + 1..]].concat()))
    }

    /// The threads met in a shared state.
    pub fn locals(&self, state: State) -> &[Local] {
        self.locals.get(&state).map_or(&[], |locals| locals)
    }

    /// The shared states met, with their threads.
    pub fn states(&self) -> impl Iterator<Item = (State, &[Local])> {
        self.locals.iter().map(|(&state, locals)| (state, &locals[..]))
    }

    /// Whether all parts of sorted threads that are no larger than the width are in the set.
    pub fn allows(&self, state: State, threads: &[Local]) -> bool {
        self.missing(state, threads).is_none()
    }

    /// A part that is not in the set.
    fn missing(&self, state: State, threads: &[Local]) -> Option<Vec<Local>> {
        if threads.len() <= self.width {
            return (!self.known.contains(&key(state, threads))).then(|| threads.to_vec());
        }
        let mut chosen: Vec<usize> = (0..self.width).collect();
        loop {
            let part: Vec<Local> = chosen.iter().map(|&at| threads[at]).collect();
            if !self.known.contains(&key(state, &part)) {
                return Some(part);
            }
            let last = |at: &usize| chosen[*at] < threads.len() - self.width + at;
            let at = (0..self.width).rev().find(last)?;
            let next = chosen[at] + 1;
            (at..self.width).for_each(|later| chosen[later] = next + later - at);
        }
    }

    fn require(&self, state: State, threads: &[Local]) -> Result<(), Refused> {
        self.budget.spend(1)?;
        match self.missing(state, threads) {
            None => Ok(()),
            Some(part) => Ok(reject(format!("state {state} with threads {part:?} is missing"))?),
        }
    }

    /// Every way to start is in the set.
    pub fn holds_starts(&self, state: State, pools: &[Pool]) -> Result<(), Refused> {
        let mut all: Vec<(Local, usize)> = vec![];
        for (pool, it) in pools.iter().enumerate() {
            all.extend(it.locals.clone()?.into_iter().map(|local| (local, pool)));
        }
        let mut left: Vec<u32> = pools.iter().map(|pool| pool.count.most.unwrap_or(u32::MAX)).collect();
        self.require(state, &[])?;
        self.holds_starts_with(state, &mut vec![], &all, &mut left)
    }

    fn holds_starts_with(
        &self,
        state: State,
        threads: &mut Vec<Local>,
        all: &[(Local, usize)],
        left: &mut [u32],
    ) -> Result<(), Refused> {
        if threads.len() == self.width {
            return Ok(());
        }
        for (at, &(local, pool)) in all.iter().enumerate() {
            if left[pool] > 0 {
                left[pool] -= 1;
                threads.push(local);
                let mut sorted = threads.clone();
                sorted.sort_unstable();
                self.require(state, &sorted)?;
                self.holds_starts_with(state, threads, &all[at..], left)?;
                threads.pop();
                left[pool] += 1;
            }
        }
        Ok(())
    }

    /// Whether what a rule takes and tests for may be there.
    pub fn enables(&self, rule: &Rule) -> bool {
        let mut needed = rule.take.clone();
        for &(local, test) in rule.tests.iter().filter(|test| test.1.least > 0) {
            let there = needed.iter().find(|it| it.0 == local).map_or(0, |it| it.1);
            if test.least > there {
                add(&mut needed, local, test.least - there);
            }
        }
        self.allows(rule.from, &spread(&needed, self.width))
    }

    /// Every use of the rule leads back into the set.
    pub fn is_closed_under(&self, rule: &Rule, rules: &Rules, basis: &Basis) -> Result<(), Refused> {
        if !self.enables(rule) {
            return Ok(());
        }
        let limit = if rule.is_noticed() { self.width } else { self.width - 1 };
        let use_ = Use { rule, rules, basis, take: spread(&rule.take, self.width), limit };
        self.uses(&use_, &mut vec![])
    }

    /// Uses the rule while these threads are passive, and while more are.
    fn uses(&self, it: &Use<'_>, others: &mut Vec<Local>) -> Result<(), Refused> {
        self.budget.spend(1)?;
        let mut together: Vec<Local> = it.take.iter().chain(others.iter()).copied().collect();
        together.sort_unstable();
        let count = |local: Local| together.iter().filter(|&&other| other == local).count() as u64;
        let tested =
            it.rule.tests.iter().all(|(l, test)| test.most.is_none_or(|m| count(*l) <= u64::from(m)));
        if !tested || !self.allows(it.rule.from, &together) || it.basis.covers_all(it.rule.from, &together) {
            return Ok(());
        }
        self.successors(it, others)?;
        if others.len() >= it.limit {
            return Ok(());
        }
        let from = others.last().copied().unwrap_or(0);
        let more = match it.take.first() {
            Some(&local) if self.width > 1 => self.neighbours.get(&(it.rule.from, local)),
            _ => self.locals.get(&it.rule.from),
        };
        for &local in more.into_iter().flatten().filter(|&&local| local >= from) {
            others.push(local);
            self.uses(it, others)?;
            others.pop();
        }
        Ok(())
    }

    /// What is there after the rule.
    fn successors(&self, it: &Use<'_>, others: &[Local]) -> Result<(), Refused> {
        if it.rule.starts {
            // `init` runs alone: passive threads are never there.
            let alone = others.is_empty();
            return if alone {
                self.holds_starts(it.rule.to, it.rules.later.as_deref().unwrap_or_default())
            } else {
                Ok(())
            };
        }
        let mut options = vec![];
        for &local in others {
            options.push(it.rule.reaction(local)?);
        }
        let made = spread(&it.rule.make.clone()?, self.width);
        let mut choices = Choices::new(options.iter().map(Vec::len).collect());
        while let Some(chosen) = choices.current() {
            let after = options.iter().zip(chosen).map(|(outcomes, &at)| outcomes[at]);
            let mut after: Vec<Local> = after.filter(|&it| it != GONE).chain(made.iter().copied()).collect();
            after.sort_unstable();
            self.require(it.rule.to, &after)?;
            choices.advance();
        }
        Ok(())
    }
}

/// A rule at work.
struct Use<'r> {
    rule: &'r Rule,
    rules: &'r Rules,
    basis: &'r Basis<'r>,
    take: Vec<Local>,
    /// How many passive threads must be looked at together.
    limit: usize,
}

fn key(state: State, threads: &[Local]) -> Box<[u32]> {
    std::iter::once(state).chain(threads.iter().copied()).collect()
}

/// Checks that the tuples hold every start and are closed, and that no error is allowed that is not above the
/// basis.
pub fn check(tuples: &Tuples<'_>, rules: &Rules, basis: &Basis) -> Result<(), Refused> {
    for state in &rules.starts {
        tuples.holds_starts(state.clone()?, &rules.first).map_err(|it| within("at the start", it))?;
    }
    for (index, rule) in rules.rules.iter().enumerate() {
        let context = format!("rule {index}, which takes {:?} in state {}", rule.take, rule.from);
        tuples.is_closed_under(rule, rules, basis).map_err(|it| within(&context, it))?;
    }
    for error in &rules.errors {
        let (state, least) = (error.state, error.least());
        if tuples.allows(state, &spread(&least, tuples.width)) && !basis.settles(state, &least) {
            return Ok(reject(format!("nothing keeps an error out of state {state}: {}", error.why))?);
        }
    }
    basis.check(tuples, rules)
}
