//! A path as straight-line code over variables of its own: those of each thread have a copy for each thread,
//! and the choices of a command one for each of its steps (Donaldson et al., CAV 2011: every local is indexed
//! by its owner). Broadcasts vanish: they are plain writes of shared variables.

use super::ControlPath;
use crate::terms::atoms::substitute;
use base::{Budget, Stop};
use c::{Binary, ExprId, Exprs, LocalId, Node, ProcId, TRUTH};
use relation::{Command, Home, Outcome, Relation, Update, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whose copy of which variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// A thread's.
    Thread(usize),
    /// That of a step, which chooses it.
    Step(usize),
}

/// A step of straight-line code.
#[derive(Clone, Debug)]
pub struct StraightStep {
    /// The guard.
    pub guard: ExprId,
    /// Its conjuncts.
    pub conjuncts: Vec<ExprId>,
    /// What is asked of each other thread that is there.
    pub others: Vec<ExprId>,
    /// What changes, first values of a new thread included.
    pub updates: Vec<Update>,
}

/// A path as straight-line code.
pub struct Straight {
    /// The variables of the program, followed by the copies, and the pool of all expressions. It has no
    /// commands.
    pub relation: Relation,
    /// The steps.
    pub steps: Vec<StraightStep>,
    /// What a copy is a copy of.
    pub copies: FxHashMap<LocalId, Copied>,
    made: FxHashMap<(Owner, LocalId), LocalId>,
}

/// A copy of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copied {
    /// Whose.
    pub owner: Owner,
    /// The variable.
    pub variable: LocalId,
}

impl Straight {
    /// The code of a path; `exprs` is a pool that begins with that of the relation.
    pub fn of(
        relation: &Relation,
        exprs: &Exprs,
        path: &ControlPath,
        budget: &Budget,
    ) -> Result<Straight, Stop> {
        let own = Relation {
            exprs: exprs.clone(),
            variables: relation.variables.clone(),
            controls: relation.controls.clone(),
            commands: vec![],
            start: relation.start,
            accesses: None,
        };
        let mut straight = Straight {
            relation: own,
            steps: vec![],
            copies: FxHashMap::default(),
            made: FxHashMap::default(),
        };
        let mut alive = vec![0];
        for (at, step) in path.steps.iter().enumerate() {
            budget.spend(1 + relation.variables.len() as u64 / 16)?;
            let command = &relation.commands[step.command];
            let made = straight.step(relation, at, path, &alive, command);
            straight.steps.push(made);
            alive.extend(step.child);
            if command.outcome == Outcome::End {
                alive.retain(|&it| it != step.thread);
            }
        }
        Ok(straight)
    }

    fn step(
        &mut self,
        relation: &Relation,
        at: usize,
        path: &ControlPath,
        alive: &[usize],
        command: &Command,
    ) -> StraightStep {
        let step = path.steps[at];
        let names = |owner: usize| Naming { owner, step: at };
        let own = names(step.thread);
        let guard = self.indexed(relation, command.guard, own);
        let mut others = vec![];
        for &other in alive.iter().filter(|&&it| it != step.thread) {
            others.extend(command.others.map(|it| self.indexed(relation, it, names(other))));
        }
        let mut updates = vec![];
        for update in &command.updates {
            let variable = self.copy(relation, update.variable, own);
            let value = self.indexed(relation, update.value, own);
            updates.push(Update { variable, value });
        }
        if let (Some(creation), Some(child)) = (&command.creates, step.child) {
            for update in &creation.values {
                let variable = self.copy(relation, update.variable, names(child));
                let value = self.indexed(relation, update.value, own);
                updates.push(Update { variable, value });
            }
            let template = relation.controls[creation.entry].template;
            updates.extend(self.first_values(relation, template, names(child), &updates));
        }
        let conjuncts = conjuncts(&self.relation.exprs, guard);
        StraightStep { guard, conjuncts, others, updates }
    }

    /// The values of a new thread that its creator does not give it.
    fn first_values(
        &mut self,
        relation: &Relation,
        template: ProcId,
        names: Naming,
        given: &[Update],
    ) -> Vec<Update> {
        let mut values = vec![];
        for (variable, about) in relation.variables.enumerate() {
            let has = matches!(about.home, Home::Thread) || about.home == Home::Template(template);
            let Some(initial) = about.initial.filter(|_| has) else { continue };
            let copy = self.copy(relation, variable, names);
            if given.iter().all(|it| it.variable != copy) {
                let value = self.relation.exprs.number(about.ty, initial);
                values.push(Update { variable: copy, value });
            }
        }
        values
    }

    /// The values that the variables of the path have at the start, where they are known.
    pub fn start(&self) -> Vec<FirstValue> {
        let mut values = vec![];
        for (variable, about) in self.relation.variables.enumerate() {
            let at_start = match self.copies.get(&variable) {
                Some(copy) => copy.owner == Owner::Thread(0),
                None => about.home == Home::Shared,
            };
            if let Some(value) = about.initial.filter(|_| at_start) {
                values.push(FirstValue { variable, value });
            }
        }
        values
    }

    fn indexed(&mut self, relation: &Relation, id: ExprId, names: Naming) -> ExprId {
        let mut values = FxHashMap::default();
        for variable in self.relation.exprs.locals(id) {
            let copy = self.copy(relation, variable, names);
            if copy != variable {
                let ty = relation.variables[variable].ty;
                values.insert(variable, self.relation.exprs.add(Node::Local(copy, ty)));
            }
        }
        substitute(&mut self.relation.exprs, id, &values)
    }

    /// The copy of a variable; a shared one is its own.
    fn copy(&mut self, relation: &Relation, variable: LocalId, names: Naming) -> LocalId {
        let about = &relation.variables[variable];
        let owner = match about.home {
            Home::Shared => return variable,
            Home::Choice => Owner::Step(names.step),
            Home::Thread | Home::Template(_) => Owner::Thread(names.owner),
        };
        let variables = &mut self.relation.variables;
        let copies = &mut self.copies;
        *self.made.entry((owner, variable)).or_insert_with(|| {
            let name = match owner {
                Owner::Thread(thread) => format!("{}#{}", about.name, thread + 1),
                Owner::Step(step) => format!("{}@{}", about.name, step + 1),
            };
            let copy = variables.push(Variable { name, ..about.clone() });
            copies.insert(copy, Copied { owner, variable });
            copy
        })
    }

    /// The threads and choices whose variables an expression reads.
    pub fn owners(&self, id: ExprId) -> Vec<Owner> {
        let read = self.relation.exprs.locals(id);
        let mut owners: Vec<Owner> =
            read.iter().filter_map(|it| self.copies.get(it)).map(|it| it.owner).collect();
        owners.sort_unstable();
        owners.dedup();
        owners
    }

    /// An expression about one thread at most, without the index, in another pool; `None` if it is about
    /// more, or about a choice.
    pub fn plain(&self, id: ExprId, exprs: &mut Exprs) -> Option<ExprId> {
        let owners = self.owners(id);
        if owners.len() > 1 || owners.iter().any(|it| matches!(it, Owner::Step(_))) {
            return None;
        }
        Some(exprs.import(&self.relation.exprs, id, |node| match node {
            Node::Local(variable, ty) => {
                Node::Local(self.copies.get(&variable).map_or(variable, |it| it.variable), ty)
            }
            other => other,
        }))
    }
}

/// The value of a variable at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstValue {
    /// The variable or copy.
    pub variable: LocalId,
    /// Its value.
    pub value: u128,
}

/// What names of variables mean in an expression.
#[derive(Clone, Copy)]
struct Naming {
    owner: usize,
    step: usize,
}

/// A condition cut at its conjunctions.
fn conjuncts(exprs: &Exprs, id: ExprId) -> Vec<ExprId> {
    let (mut found, mut stack) = (vec![], vec![id]);
    let mut seen = FxHashSet::default();
    while let Some(id) = stack.pop() {
        match exprs.node(id) {
            _ if !seen.insert(id) || exprs.constant(id) == Some(1) => {}
            Node::Binary(Binary::And, a, b) if exprs.ty(id) == TRUTH => stack.extend([b, a]),
            _ => found.push(id),
        }
    }
    found
}
