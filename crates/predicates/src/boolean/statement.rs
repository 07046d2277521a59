//! The abstraction of one command: one parallel assignment with a guard. The guard is what the predicates
//! allow; each predicate that the command may change becomes `choose(F, F')` over what is known before, where
//! F implies that it holds afterwards and F' that it does not. Predicates of passive threads that read what
//! the command writes are updated by broadcasts, over the shared predicates, those of the passive and those
//! of the active thread (Donaldson et al., CAV 2011). Guard and updates are one statement: the guard is a
//! fact when the updates are computed.

mod order;
mod pairs;
mod values;

use super::cubes::{Question, Solver};
use super::formulas::{Formed, Formulas};
use super::lemmas::Lemmas;
use super::predicates::{Class, Predicates};
use super::{Limits, Treatment};
use base::{Budget, Stop};
use c::ProcId;
use order::in_order;
use pairs::Facts;
use relation::{Command, ControlId, Outcome, Relation};
use solve::aig::Lit;
use values::{Known, select};

/// A Boolean as a statement reads it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bit {
    /// The predicate.
    pub predicate: usize,
    /// Whether the passive thread's copy is meant.
    pub passive: bool,
}

/// A Boolean or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The Boolean.
    pub bit: Bit,
    /// Its value.
    pub value: bool,
}

/// A disjunction of conjunctions.
pub type Cubes = Vec<Vec<Literal>>;

/// What a Boolean becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// This.
    Fixed(bool),
    /// The truth of these cubes.
    Cubes(Cubes),
    /// 1 in the first, 0 in the second, either value elsewhere.
    Choose(Cubes, Cubes),
}

impl Value {
    /// Whether it is not always decided.
    pub fn is_loose(&self) -> bool {
        matches!(self, Value::Choose(..))
    }

    fn is_copy_of(&self, bit: Bit) -> bool {
        matches!(self, Value::Cubes(cubes) if *cubes == [vec![Literal { bit, value: true }]])
    }
}

/// A Boolean gets a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// The predicate that it tracks.
    pub predicate: usize,
    /// Its value.
    pub value: Value,
}

/// The passive threads of a template get a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broadcast {
    /// The template.
    pub template: ProcId,
    /// What they get.
    pub assignment: Assignment,
}

/// A conjunction of Booleans that no passive thread of a template and the active one have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barred {
    /// The template.
    pub template: ProcId,
    /// The conjunction.
    pub cube: Vec<Literal>,
}

/// What becomes of a command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statement {
    /// The cubes in which the guard is impossible.
    pub blocked: Cubes,
    /// The active thread's and the shared Booleans.
    pub targets: Vec<Assignment>,
    /// Those of passive threads.
    pub broadcasts: Vec<Broadcast>,
    /// What no passive thread is like, by the lemmas about it and the active one.
    pub barred: Vec<Barred>,
    /// What no passive thread is like after the command, where that cuts off choices. Used beside lemmas
    /// only.
    pub barred_after: Vec<Barred>,
    /// The first values of the child's Booleans.
    pub child: Vec<Assignment>,
    /// Conjunctions of Booleans of the state after that no state has.
    pub excluded: Vec<Vec<Literal>>,
    /// Changes of the active thread's and the shared Booleans that no concrete step makes, found on paths
    /// that are none of the program.
    pub forbidden: Vec<Transition>,
}

/// A change of Booleans.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// What holds before.
    pub before: Vec<Literal>,
    /// What holds after.
    pub after: Vec<Literal>,
}

/// Abstracts commands.
pub struct Abstracter<'a> {
    /// The commands.
    pub relation: &'a Relation,
    /// The predicates.
    pub predicates: &'a Predicates,
    /// The templates that threads begin in.
    pub templates: &'a [ProcId],
    /// How far to go.
    pub limits: Limits,
    /// Whether to be sound.
    pub treatment: Treatment,
    /// What holds of two threads.
    pub lemmas: &'a Lemmas,
    /// What may be spent.
    pub budget: &'a Budget,
    /// Conjunctions of predicates that no state has.
    pub exclusions: &'a [Vec<Literal>],
    /// The formulas.
    pub formulas: Formulas<'a>,
    /// Calls of the solver.
    pub calls: u64,
}

/// Predicates of the passive threads of a template that may change, with what may be read for them.
struct Notified {
    template: ProcId,
    known: Known,
    predicates: Vec<usize>,
}

impl Abstracter<'_> {
    /// The statement of a command; `None` if its guard is impossible, or if nothing happens any more after
    /// it. What no state has is left to others to exclude.
    pub fn statement(&mut self, command: &Command) -> Result<Option<Statement>, Stop> {
        // Where the program ends nothing happens any more.
        if command.outcome == Outcome::Halt {
            return Ok(None);
        }
        let formed = self.formulas.command(command)?;
        let known = self.known(command.from);
        let mut solver = Solver::with(self.impossible(&formed));
        let mut statement = Statement::default();
        let done = self.guard(&formed, &known, &mut solver, &mut statement)?;
        let between = self.between(command.from)?;
        if done {
            self.bar(&between, &formed, &known, &mut solver, &mut statement)?;
        }
        let leads_on = matches!(command.outcome, Outcome::Go(_) | Outcome::End);
        if done && leads_on {
            self.targets(command, &formed, &known, &mut solver, &mut statement)?;
            let facts = Facts { formed: &formed, between: &between };
            self.broadcasts(command, &facts, &known, &mut solver, &mut statement)?;
        }
        self.calls += solver.calls;
        Ok(done.then_some(statement))
    }

    fn known(&self, control: ControlId) -> Known {
        let mut known = Known::default();
        for predicate in in_order(self.predicates, self.predicates.known(self.relation, control)) {
            known.push(Bit { predicate, passive: false }, self.formulas.active[predicate]);
        }
        known
    }

    /// What the predicates say about the guard, part by part; whether it is possible.
    fn guard(
        &mut self,
        formed: &Formed,
        known: &Known,
        solver: &mut Solver,
        statement: &mut Statement,
    ) -> Result<bool, Stop> {
        let mut open = formed.guard.clone();
        while let Some(&first) = open.first() {
            let lits: Vec<Lit> = open.iter().chain(&known.lits).copied().collect();
            let connected = self.formulas.connected(first, &lits);
            // A constant is connected with nothing, not even with itself.
            let in_part = |at: usize| at == 0 || connected[at];
            let part: Vec<Lit> = (0..open.len()).filter(|&at| in_part(at)).map(|at| open[at]).collect();
            open = (0..open.len()).filter(|&at| !in_part(at)).map(|at| open[at]).collect();
            let facts = self.formulas.all(&part);
            if !self.possible(facts, solver)? {
                return Ok(false);
            }
            let near = self.formulas.near(&part, &known.lits);
            let given = select(known, &near);
            let question = Question {
                first: facts,
                second: Lit::TRUE,
                given: given.lits.clone(),
                seen: Default::default(),
                complete: false,
            };
            let split = solver.split(&mut self.formulas, &question, &self.limits, self.budget)?;
            statement.blocked.extend(given.cubes(&split.second));
        }
        Ok(true)
    }

    fn targets(
        &mut self,
        command: &Command,
        formed: &Formed,
        known: &Known,
        solver: &mut Solver,
        statement: &mut Statement,
    ) -> Result<(), Stop> {
        let to = match command.outcome {
            Outcome::Go(to) => Some(to),
            _ => None,
        };
        let (mut requested, mut after) = (vec![], vec![]);
        for predicate in 0..self.predicates.list.len() {
            let about = &self.predicates.list[predicate];
            let lives = to.is_some_and(|to| self.predicates.is_live(to, predicate));
            if !about.is_shared && !lives {
                if to.is_some() && self.predicates.is_live(command.from, predicate) {
                    statement.targets.push(Assignment { predicate, value: Value::Fixed(false) });
                }
                continue;
            }
            let next = self.seen_after(command, formed, predicate);
            if next == self.formulas.active[predicate]
                && (about.is_shared || self.predicates.is_live(command.from, predicate))
            {
                continue;
            }
            requested.push(predicate);
            after.push(next);
        }
        let values = self.values(&formed.guard, &after, known, solver)?;
        for (predicate, value) in requested.into_iter().zip(values) {
            if !value.is_copy_of(Bit { predicate, passive: false }) {
                statement.targets.push(Assignment { predicate, value });
            }
        }
        statement.targets.sort_by_key(|it| it.predicate);
        let Some(creation) = &command.creates else { return Ok(()) };
        let live = |&it: &usize| self.predicates.is_live(creation.entry, it);
        let requested: Vec<usize> = (0..self.predicates.list.len()).filter(live).collect();
        let after: Vec<Lit> = requested.iter().map(|&it| formed.child[it]).collect();
        let values = self.values(&formed.guard, &after, known, solver)?;
        let child = requested.into_iter().zip(values);
        statement.child = child.map(|(predicate, value)| Assignment { predicate, value }).collect();
        Ok(())
    }

    /// A predicate after the command. Where one Boolean stands for the mixed predicate of all threads,
    /// creating one that has it sets it like an assignment.
    fn seen_after(&self, command: &Command, formed: &Formed, predicate: usize) -> Lit {
        let about = &self.predicates.list[predicate];
        let of_child = self.treatment == Treatment::MixedAsShared && about.class == Class::Mixed;
        match &command.creates {
            Some(creation)
                if of_child && self.predicates.known(self.relation, creation.entry).contains(&predicate) =>
            {
                formed.child[predicate]
            }
            _ => formed.active[predicate],
        }
    }

    fn broadcasts(
        &mut self,
        command: &Command,
        known_facts: &Facts<'_>,
        known: &Known,
        solver: &mut Solver,
        statement: &mut Statement,
    ) -> Result<(), Stop> {
        if self.treatment == Treatment::MixedAsLocal {
            return Ok(());
        }
        let formed = known_facts.formed;
        let facts: Vec<Lit> = formed.guard.iter().chain(&formed.others).copied().collect();
        let mut notified: Vec<Notified> = vec![];
        for predicate in 0..self.predicates.list.len() {
            let about = &self.predicates.list[predicate];
            let (before, after) = (self.formulas.passive[predicate], formed.passive[predicate]);
            let as_printed = self.treatment == Treatment::NotifyAsPrinted;
            if about.is_shared
                || before == after
                || as_printed && !self.predicates.is_live(command.from, predicate)
            {
                continue;
            }
            let differ = self.formulas.differ(before, after);
            let changed = self.formulas.all(&[&facts[..], &[differ]].concat());
            if !self.possible(changed, solver)? {
                continue;
            }
            for &template in self.templates {
                if self.has(template, predicate) {
                    let known = self.known_of_passive(known, template, predicate);
                    match notified.iter_mut().find(|it| it.template == template && it.known == known) {
                        Some(same) => same.predicates.push(predicate),
                        None => notified.push(Notified { template, known, predicates: vec![predicate] }),
                    }
                }
            }
        }
        for Notified { template, known, predicates } in notified {
            let after: Vec<Lit> = predicates.iter().map(|&it| formed.passive[it]).collect();
            let facts = [&facts[..], &self.implied(known_facts.between, template)].concat();
            let values = self.values(&facts, &after, &known, solver)?;
            for (predicate, value) in predicates.into_iter().zip(values) {
                if !value.is_copy_of(Bit { predicate, passive: true }) {
                    let assignment = Assignment { predicate, value };
                    statement.broadcasts.push(Broadcast { template, assignment });
                }
            }
        }
        statement.broadcasts.sort_by_key(|it| (it.assignment.predicate, it.template));
        Ok(())
    }

    /// Whether threads of a template have a Boolean for a predicate.
    pub fn has(&self, template: ProcId, predicate: usize) -> bool {
        has(self.relation, self.predicates, template, predicate)
    }

    /// What a broadcast may read: of the passive thread only what has a meaning wherever the predicate has.
    fn known_of_passive(&self, known: &Known, template: ProcId, predicate: usize) -> Known {
        let mut known = known.clone();
        let controls = self.relation.controls.enumerate();
        let controls: Vec<ControlId> =
            controls.filter(|(_, it)| it.template == template).map(|(id, _)| id).collect();
        for other in in_order(self.predicates, (0..self.predicates.list.len()).collect()) {
            let covers = |&control: &ControlId| {
                !self.predicates.is_live(control, predicate) || self.predicates.is_live(control, other)
            };
            if !self.predicates.list[other].is_shared && controls.iter().all(covers) {
                known.push(Bit { predicate: other, passive: true }, self.formulas.passive[other]);
            }
        }
        known
    }
}

/// Whether threads of a template have a Boolean for a predicate: it has a meaning somewhere in it.
pub fn has(relation: &Relation, predicates: &Predicates, template: ProcId, predicate: usize) -> bool {
    relation
        .controls
        .enumerate()
        .any(|(control, about)| about.template == template && predicates.is_live(control, predicate))
}
