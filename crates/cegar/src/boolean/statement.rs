//! The abstraction of one command: one parallel assignment with a guard. The guard is what the predicates allow; each predicate that the command may
//! change becomes `choose(F, F')` over what is known before, where F implies that it holds afterwards and F' that it does not. Predicates of
//! passive threads that read what the command writes are updated by broadcasts, over the shared predicates, those of the passive and those of the
//! active thread (Donaldson et al., CAV 2011). Guard and updates are one statement: the guard is a fact when the updates are computed.

use super::cubes::{Cube, MOST, Question, Solver};
use super::formulas::{Formed, Formulas};
use super::predicates::{Class, Predicates};
use super::{Limits, Treatment};
use base::{Budget, Stop};
use ir::c::ProcId;
use ir::c::relation::{Command, ControlId, Outcome, Relation};
use solve::aig::Lit;

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

/// With more predicates than this there are more valuations than can be listed.
const MOST_LISTED: usize = 24;

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

/// What becomes of a command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statement {
    /// The cubes in which the guard is impossible.
    pub blocked: Cubes,
    /// The active thread's and the shared Booleans.
    pub targets: Vec<Assignment>,
    /// Those of passive threads.
    pub broadcasts: Vec<Broadcast>,
    /// The first values of the child's Booleans.
    pub child: Vec<Assignment>,
    /// Conjunctions of Booleans of the state after that no state has.
    pub excluded: Vec<Vec<Literal>>,
    /// Changes of the active thread's and the shared Booleans that no concrete step makes, found on paths that are none of the program.
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
    /// What may be spent.
    pub budget: &'a Budget,
    /// The formulas.
    pub formulas: Formulas<'a>,
    /// Calls of the solver.
    pub calls: u64,
}

/// Booleans that are known before a command, with their formulas.
#[derive(Clone, Default)]
struct Known {
    bits: Vec<Bit>,
    lits: Vec<Lit>,
}

impl Known {
    fn push(&mut self, bit: Bit, lit: Lit) {
        if lit.as_constant().is_none() && self.bits.len() < MOST {
            self.bits.push(bit);
            self.lits.push(lit);
        }
    }

    fn cubes(&self, cubes: &[Cube]) -> Cubes {
        let literals = |cube: &Cube| {
            let there = self.bits.iter().enumerate().filter(|(at, _)| cube.bits >> at & 1 == 1);
            there.map(|(at, &bit)| Literal { bit, value: cube.values >> at & 1 == 1 }).collect()
        };
        cubes.iter().map(literals).collect()
    }
}

impl Abstracter<'_> {
    /// The statement of a command; `None` if its guard is impossible, or if nothing happens any more after it. What no state has is left to others to exclude.
    pub fn statement(&mut self, command: &Command) -> Result<Option<Statement>, Stop> {
        // Where the program ends nothing happens any more.
        if command.outcome == Outcome::Halt {
            return Ok(None);
        }
        let formed = self.formulas.command(command)?;
        let known = self.known(command.from);
        let mut solver = Solver::default();
        let mut statement = Statement::default();
        let done = self.guard(&formed, &known, &mut solver, &mut statement)?;
        let leads_on = matches!(command.outcome, Outcome::Go(_) | Outcome::End);
        if done && leads_on {
            self.targets(command, &formed, &known, &mut solver, &mut statement)?;
            self.broadcasts(command, &formed, &known, &mut solver, &mut statement)?;
        }
        self.calls += solver.calls;
        Ok(done.then_some(statement))
    }

    fn known(&self, control: ControlId) -> Known {
        let mut known = Known::default();
        for predicate in self.predicates.known(self.relation, control) {
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
            if !solver.possible(self.formulas.aig(), facts, self.budget)? {
                return Ok(false);
            }
            let near = self.formulas.near(&part, &known.lits);
            let given = select(known, &near);
            let question = Question { first: facts, second: Lit::TRUE, given: given.lits.clone() };
            let split = solver.split(self.formulas.aig(), &question, &self.limits, self.budget)?;
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
        for predicate in 0..self.predicates.list.len() {
            let about = &self.predicates.list[predicate];
            let lives = to.is_some_and(|to| self.predicates.is_live(to, predicate));
            if !about.is_shared && !lives {
                if to.is_some() && self.predicates.is_live(command.from, predicate) {
                    statement.targets.push(Assignment { predicate, value: Value::Fixed(false) });
                }
                continue;
            }
            let after = self.seen_after(command, formed, predicate);
            if after == self.formulas.active[predicate]
                && (about.is_shared || self.predicates.is_live(command.from, predicate))
            {
                continue;
            }
            let value = self.value(&formed.guard, after, known, solver)?;
            if !value.is_copy_of(Bit { predicate, passive: false }) {
                statement.targets.push(Assignment { predicate, value });
            }
        }
        let Some(creation) = &command.creates else { return Ok(()) };
        for predicate in 0..self.predicates.list.len() {
            if self.predicates.is_live(creation.entry, predicate) {
                let value = self.value(&formed.guard, formed.child[predicate], known, solver)?;
                statement.child.push(Assignment { predicate, value });
            }
        }
        Ok(())
    }

    /// A predicate after the command. Where one Boolean stands for the mixed predicate of all threads, creating one that has it sets it like an assignment.
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

    /// What is known about a formula after the command, from what is known before and the facts: over all predicates that are connected with it, directly or
    /// through others, if few valuations of them are possible; else over those that read what the formula or its facts read.
    fn value(
        &mut self,
        facts: &[Lit],
        after: Lit,
        known: &Known,
        solver: &mut Solver,
    ) -> Result<Value, Stop> {
        if let Some(value) = after.as_constant() {
            return Ok(Value::Fixed(value));
        }
        if let Some(at) = known.lits.iter().position(|&it| it == after || it == !after) {
            let literal = Literal { bit: known.bits[at], value: known.lits[at] == after };
            return Ok(Value::Cubes(vec![vec![literal]]));
        }
        let lits: Vec<Lit> = facts.iter().chain(&known.lits).copied().collect();
        let connected = self.formulas.connected(after, &lits);
        let mut roots = choose(facts, &connected);
        roots.push(after);
        let far = select(known, &connected[facts.len()..]);
        let direct = self.formulas.connected(after, facts);
        let mut close = choose(facts, &direct);
        close.push(after);
        let near = select(known, &self.formulas.near(&close, &known.lits));
        if near.bits.len() < far.bits.len() && far.bits.len() <= MOST_LISTED {
            let listed = Limits { cube: 0, ..self.limits };
            if let Some(value) = self.over(&roots, &far, solver, listed)? {
                return Ok(value);
            }
        }
        let value = self.over(&roots, &near, solver, self.limits)?;
        Ok(value.unwrap_or(Value::Choose(vec![], vec![])))
    }

    /// The same over these predicates; the last of the roots is the formula, the others are the facts. `None` if that was given up.
    fn over(
        &mut self,
        roots: &[Lit],
        given: &Known,
        solver: &mut Solver,
        limits: Limits,
    ) -> Result<Option<Value>, Stop> {
        let Some((&after, facts)) = roots.split_last() else { return Ok(None) };
        let facts = self.formulas.all(facts);
        let [first, second] = [after, !after].map(|it| self.formulas.all(&[facts, it]));
        let question = Question { first, second, given: given.lits.clone() };
        let split = solver.split(self.formulas.aig(), &question, &limits, self.budget)?;
        let (ones, zeros) = (given.cubes(&split.first), given.cubes(&split.second));
        Ok(match (split.decided, ones.is_empty(), zeros.is_empty()) {
            _ if split.given_up => None,
            (true, true, _) => Some(Value::Fixed(false)),
            (true, _, true) => Some(Value::Fixed(true)),
            (true, ..) => Some(Value::Cubes(ones)),
            _ => Some(Value::Choose(ones, zeros)),
        })
    }

    fn broadcasts(
        &mut self,
        command: &Command,
        formed: &Formed,
        known: &Known,
        solver: &mut Solver,
        statement: &mut Statement,
    ) -> Result<(), Stop> {
        if self.treatment == Treatment::MixedAsLocal {
            return Ok(());
        }
        let facts: Vec<Lit> = formed.guard.iter().chain(&formed.others).copied().collect();
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
            if !solver.possible(self.formulas.aig(), changed, self.budget)? {
                continue;
            }
            for &template in self.templates {
                if self.has(template, predicate) {
                    let known = self.known_of_passive(known, template, predicate);
                    let value = self.value(&facts, after, &known, solver)?;
                    if !value.is_copy_of(Bit { predicate, passive: true }) {
                        let assignment = Assignment { predicate, value };
                        statement.broadcasts.push(Broadcast { template, assignment });
                    }
                }
            }
        }
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
        for other in 0..self.predicates.list.len() {
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

fn choose(lits: &[Lit], chosen: &[bool]) -> Vec<Lit> {
    lits.iter().zip(chosen).filter(|it| *it.1).map(|it| *it.0).collect()
}

fn select(known: &Known, chosen: &[bool]) -> Known {
    let mut part = Known::default();
    for (at, (&bit, &lit)) in known.bits.iter().zip(&known.lits).enumerate() {
        if chosen[at] {
            part.push(bit, lit);
        }
    }
    part
}
