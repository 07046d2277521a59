//! An abstraction whose predicates grow: statements are kept, and only those that a new predicate touches are
//! made again.

mod chunks;

use super::build::{self, Built, Parts};
use super::cubes::Solver;
use super::exclusions::{exclude, exclude_passive, exclusions};
use super::formulas::Formulas;
use super::lemmas::{Lemma, Lemmas, Marker, sets};
use super::predicates::Predicates;
use super::statement::{Literal, Statement, Transition};
use super::{Limits, Treatment, templates};
use base::{Budget, Stop};
use c::{ExprId, Exprs, LocalId, ProcId};
use chunks::Maker;
use ir::bp::Init;
use relation::{Command, ControlId, Outcome, Relation};
use rustc_hash::FxHashSet;
use solve::aig::Lit;

/// What became of a command so far.
#[derive(Clone)]
enum Kept {
    /// A predicate came that may change it, or nobody asked for it yet.
    Stale,
    /// Its statement; none if its guard is impossible.
    Made(Option<Statement>),
}

/// The abstraction of a program over predicates that may grow.
#[derive(Clone)]
pub struct Growing<'a> {
    /// The commands.
    pub relation: &'a Relation,
    /// The predicates.
    pub predicates: Predicates,
    /// How often the solver was asked.
    pub calls: u64,
    /// How many statements were made.
    pub made: usize,
    templates: Vec<ProcId>,
    limits: Limits,
    treatment: Treatment,
    kept: Vec<Kept>,
    forbidden: Vec<Vec<Transition>>,
    exclusions: Vec<Vec<Literal>>,
    /// What holds of two threads.
    pub lemmas: Lemmas,
    /// The conditions of markers.
    slots: Vec<ExprId>,
    /// How many predicates the exclusions and the first values are about.
    seen: usize,
    first: Vec<Init>,
}

impl<'a> Growing<'a> {
    /// Without a predicate; `exprs` is the pool of those that will come, which begins with that of the
    /// relation.
    pub fn new(relation: &'a Relation, exprs: Exprs, limits: Limits, treatment: Treatment) -> Growing<'a> {
        let count = relation.commands.len();
        Growing {
            relation,
            predicates: Predicates::new(relation, exprs, &[], treatment),
            calls: 0,
            made: 0,
            templates: templates(relation),
            limits,
            treatment,
            kept: vec![Kept::Stale; count],
            forbidden: vec![vec![]; count],
            exclusions: vec![],
            lemmas: Lemmas::default(),
            slots: vec![],
            seen: 0,
            first: vec![],
        }
    }

    /// Adds conditions, which are in a pool that continues that of the predicates; how many were no
    /// predicates yet, and can be some.
    pub fn add(&mut self, exprs: Exprs, conditions: &[ExprId], budget: &Budget) -> Result<usize, Stop> {
        let mut all: Vec<ExprId> = self.predicates.list.iter().map(|it| it.condition).collect();
        let before = all.len();
        for &condition in conditions {
            if !all.contains(&condition) {
                all.push(condition);
            }
        }
        self.predicates = Predicates::new(self.relation, exprs, &all, self.treatment);
        for number in 0..self.relation.commands.len() {
            budget.spend(1)?;
            if self.touches(&self.relation.commands[number], before) {
                self.kept[number] = Kept::Stale;
            }
        }
        Ok(self.predicates.list.len() - before)
    }

    /// Whether a predicate of number `from` or above may change the statement of a command.
    fn touches(&self, command: &Command, from: usize) -> bool {
        let list = &self.predicates.list;
        let changes = |it: usize| {
            let live = |control: ControlId| self.predicates.is_live(control, it);
            let goes = matches!(command.outcome, Outcome::Go(to) if live(to) != live(command.from));
            goes || command.creates.as_ref().is_some_and(|it| live(it.entry))
        };
        if (from..list.len()).any(changes) {
            return true;
        }
        let mut variables = variables(self.relation, command);
        loop {
            let before = variables.len();
            for (number, it) in list.iter().enumerate() {
                if it.shared.iter().chain(&it.local).any(|it| variables.contains(it)) {
                    if number >= from {
                        return true;
                    }
                    variables.extend(it.shared.iter().chain(&it.local).copied());
                }
            }
            if variables.len() == before {
                return false;
            }
        }
    }

    /// Takes these lemmas in place of those that were there, as far as they are about one template; `slots`
    /// are conditions for markers, in the pool of the relation.
    pub fn assume(&mut self, mut lemmas: Vec<Lemma>, slots: &[ExprId], budget: &Budget) -> Result<(), Stop> {
        // A condition may speak of passive threads of one procedure only.
        let template = lemmas.first().map(|it| it.template);
        lemmas.retain(|it| Some(it.template) == template && !it.at.is_empty());
        let sets = sets(&lemmas, self.relation, slots.len());
        self.slots = slots.to_vec();
        let exprs = self.predicates.exprs.clone();
        self.add(exprs, &slots[..sets.len()], budget)?;
        let number = |slot: &ExprId| self.predicates.list.iter().position(|it| it.condition == *slot);
        let numbers: Vec<Option<usize>> = slots.iter().map(number).collect();
        let markers = numbers.into_iter().flatten().zip(sets);
        let markers = markers.map(|(predicate, set)| Marker { predicate, set }).collect();
        let before = std::mem::replace(&mut self.lemmas, Lemmas { list: lemmas, markers });
        for (number, command) in self.relation.commands.iter().enumerate() {
            budget.spend(1)?;
            if self.lemmas.known_from(command.from) != before.known_from(command.from) {
                self.kept[number] = Kept::Stale;
            }
        }
        // Where the first thread stands may be marked now.
        self.first.clear();
        Ok(())
    }

    /// The conditions that are no markers.
    pub fn conditions(&self) -> Vec<ExprId> {
        let all = self.predicates.list.iter().map(|it| it.condition);
        all.filter(|it| !self.slots.contains(it)).collect()
    }

    /// Forbids a change of Booleans in the statement of a command: no concrete step makes it.
    pub fn forbid(&mut self, command: usize, transition: Transition) {
        self.forbidden[command].push(transition);
    }

    /// How many changes are forbidden in the statement of a command.
    pub fn forbidden(&self, command: usize) -> usize {
        self.forbidden[command].len()
    }

    /// Makes the statements of these commands that are not there yet.
    pub fn refresh(&mut self, commands: impl Iterator<Item = usize>, budget: &Budget) -> Result<(), Stop> {
        let mut stale: Vec<usize> = commands.filter(|&it| matches!(self.kept[it], Kept::Stale)).collect();
        stale.sort_unstable();
        stale.dedup();
        let count = self.predicates.list.len();
        if stale.is_empty() && self.seen == count && self.first.len() == count {
            return Ok(());
        }
        let mut formulas = Formulas::new(self.relation, &self.predicates, budget)?;
        if self.seen < count {
            let known = std::mem::take(&mut self.exclusions);
            self.exclusions = exclusions(&self.predicates, &mut formulas, known, self.seen, budget)?;
            self.seen = count;
        }
        self.first = first_values(&mut formulas, budget)?;
        for marker in &self.lemmas.markers {
            self.first[marker.predicate] = Init::Fixed(marker.holds(self.relation.start));
        }
        let maker = Maker {
            relation: self.relation,
            predicates: &self.predicates,
            templates: &self.templates,
            exclusions: &self.exclusions,
            limits: self.limits,
            treatment: self.treatment,
            lemmas: &self.lemmas,
            budget,
        };
        let made = maker.statements(&stale, formulas)?;
        self.calls += made.calls;
        self.made += stale.len();
        for (number, statement) in stale.into_iter().zip(made.statements) {
            self.kept[number] = Kept::Made(statement);
        }
        Ok(())
    }

    /// The values of the predicates at the start, as of the last refreshing.
    pub fn first(&self) -> &[Init] {
        &self.first
    }

    /// The statement of a command that was refreshed; `None` if its guard is impossible.
    pub fn statement(&self, command: usize) -> Option<Statement> {
        let Kept::Made(Some(statement)) = &self.kept[command] else { return None };
        let mut statement = statement.clone();
        for marker in &self.lemmas.markers {
            marker.follow(&self.relation.commands[command], &mut statement);
        }
        exclude(&self.exclusions, &self.predicates, &self.relation.commands[command], &mut statement);
        exclude_passive(&self.exclusions, &self.predicates, &self.lemmas, &mut statement);
        for it in &self.forbidden[command] {
            if it.after.is_empty() {
                statement.blocked.push(it.before.clone());
            } else {
                statement.forbidden.push(it.clone());
            }
        }
        Some(statement)
    }

    /// The Boolean program; the statements that are not there are made. `starts` are where the threads stand
    /// at the start.
    pub fn program(&mut self, starts: &[ControlId], budget: &Budget) -> Result<Built, Stop> {
        self.refresh(0..self.relation.commands.len(), budget)?;
        let statements: Vec<Option<Statement>> =
            (0..self.relation.commands.len()).map(|it| self.statement(it)).collect();
        let parts = Parts {
            relation: self.relation,
            predicates: &self.predicates,
            templates: &self.templates,
            first: &self.first,
            statements: &statements,
        };
        Ok(build::program(&parts, starts))
    }
}

/// The variables of a command.
fn variables(relation: &Relation, command: &Command) -> FxHashSet<LocalId> {
    let mut found: FxHashSet<LocalId> = relation.exprs.locals(command.guard).into_iter().collect();
    found.extend(command.others.map(|it| relation.exprs.locals(it)).unwrap_or_default());
    let created = command.creates.iter().flat_map(|it| &it.values);
    for update in command.updates.iter().chain(created) {
        found.insert(update.variable);
        found.extend(relation.exprs.locals(update.value));
    }
    found
}

/// The values of the predicates at the start.
fn first_values(formulas: &mut Formulas<'_>, budget: &Budget) -> Result<Vec<Init>, Stop> {
    let lits = formulas.start()?;
    let mut solver = Solver::default();
    let mut possible = |lit: Lit| solver.possible(formulas.aig(), lit, budget);
    let mut values = vec![];
    for lit in lits {
        values.push(match (possible(lit)?, possible(!lit)?) {
            (true, true) => Init::Any,
            (value, _) => Init::Fixed(value),
        });
    }
    Ok(values)
}
