//! The same program without symmetry, as a baseline: n threads of one template become n templates whose
//! variables are all shared, and every predicate is there once for each of them. Sound, but both the
//! abstraction and its program grow with n.

use crate::terms::circuits::of_thread;
use base::{Arena, Id};
use c::{Binary, ExprId, Exprs, LocalId, Node, ProcId};
use relation::proof::PairPredicate;
use relation::{Command, Control, ControlId, Home, Outcome, Relation, Update, Variable};
use rustc_hash::FxHashMap;

/// A program for a fixed number of threads.
#[derive(Clone, Debug)]
pub struct Oblivious {
    /// The commands.
    pub relation: Relation,
    /// Where the threads stand at the start.
    pub starts: Vec<ControlId>,
    /// The predicates, once for each thread that they can be about.
    pub conditions: Vec<ExprId>,
}

/// The program with this many threads of the one template that is created, and without the thread that
/// creates them; or why there is none. Relations between two threads are predicates like others here, one for
/// each two.
pub fn oblivious(
    relation: &Relation,
    exprs: &Exprs,
    conditions: &[ExprId],
    pairs: &[PairPredicate],
    threads: usize,
) -> Result<Oblivious, String> {
    let mut creations: Vec<_> = relation.commands.iter().filter_map(|it| it.creates.as_ref()).collect();
    creations.dedup();
    let [creation] = creations[..] else { return Err("not one kind of thread is created".into()) };
    let entry = creation.entry;
    let mut first: FxHashMap<LocalId, Option<u128>> = FxHashMap::default();
    for update in &creation.values {
        first.insert(update.variable, exprs.constant(update.value));
    }
    let template = relation.controls[entry].template;
    let creates = |it: &Command| it.creates.is_some() && relation.controls[it.from].template == template;
    if relation.controls[relation.start].template == template || relation.commands.iter().any(creates) {
        return Err("threads of the template that is created create threads".into());
    }
    let mut maker = ObliviousMaker {
        relation,
        from: exprs,
        exprs: exprs.clone(),
        variables: relation.variables.clone(),
        template,
    };
    let copies: Vec<FxHashMap<LocalId, LocalId>> =
        (0..threads).map(|number| maker.copy(number, &first)).collect();
    let controls: Vec<ControlId> =
        relation.controls.enumerate().filter(|(_, it)| it.template == template).map(|(id, _)| id).collect();
    let place = |number: usize, control: ControlId| {
        let at = controls.iter().position(|&it| it == control).unwrap_or(0);
        ControlId::from_index(number * controls.len() + at)
    };
    let mut made = Relation {
        exprs: Exprs::new(exprs.pointer_bits()),
        variables: Arena::new(),
        controls: Arena::new(),
        commands: vec![],
        start: place(0, entry),
        accesses: None,
    };
    for number in 0..threads {
        for &control in &controls {
            let about = &relation.controls[control];
            made.controls.push(Control {
                template: ProcId::from_index(number),
                live: vec![],
                ..about.clone()
            });
            for command in relation.commands_at(control) {
                let go = |it: ControlId| place(number, it);
                made.commands.push(maker.command(command, &copies, number, go));
            }
        }
    }
    let mut all = maker.conditions(conditions, &copies);
    all.extend(maker.pairs(pairs, &copies));
    all.sort();
    all.dedup();
    made.exprs = maker.exprs;
    made.variables = maker.variables;
    let starts = (0..threads).map(|number| place(number, entry)).collect();
    Ok(Oblivious { relation: made, starts, conditions: all })
}

struct ObliviousMaker<'a> {
    relation: &'a Relation,
    from: &'a Exprs,
    exprs: Exprs,
    variables: Arena<LocalId, Variable>,
    template: ProcId,
}

impl ObliviousMaker<'_> {
    /// Shared copies of the variables of a thread.
    fn copy(
        &mut self,
        number: usize,
        first: &FxHashMap<LocalId, Option<u128>>,
    ) -> FxHashMap<LocalId, LocalId> {
        let mut copies = FxHashMap::default();
        for (variable, about) in self.relation.variables.enumerate() {
            if of_thread(self.relation, variable)
                && (about.home == Home::Thread || about.home == Home::Template(self.template))
            {
                let initial = first.get(&variable).copied().unwrap_or(about.initial);
                let name = format!("{}.{}", about.name, number + 1);
                copies.insert(
                    variable,
                    self.variables.push(Variable { name, home: Home::Shared, initial, ..about.clone() }),
                );
            }
        }
        copies
    }

    fn expr(&mut self, id: ExprId, copies: &FxHashMap<LocalId, LocalId>) -> ExprId {
        self.exprs.import(self.from, id, |node| match node {
            Node::Local(variable, ty) => Node::Local(copies.get(&variable).copied().unwrap_or(variable), ty),
            other => other,
        })
    }

    fn command(
        &mut self,
        command: &Command,
        copies: &[FxHashMap<LocalId, LocalId>],
        number: usize,
        go: impl Fn(ControlId) -> ControlId,
    ) -> Command {
        let own = &copies[number];
        let mut guard = self.expr(command.guard, own);
        for (_, copies) in copies.iter().enumerate().filter(|(other, _)| *other != number) {
            if let Some(condition) = command.others {
                let condition = self.expr(condition, copies);
                guard = self.exprs.binary(Binary::And, guard, condition);
            }
        }
        let mut updates = vec![];
        for update in &command.updates {
            let variable = own.get(&update.variable).copied().unwrap_or(update.variable);
            updates.push(Update { variable, value: self.expr(update.value, own) });
        }
        let outcome = match &command.outcome {
            Outcome::Go(to) => Outcome::Go(go(*to)),
            other => other.clone(),
        };
        let (choices, steps) = (command.choices.clone(), command.steps.clone());
        Command {
            from: go(command.from),
            guard,
            others: None,
            choices,
            updates,
            creates: None,
            outcome,
            steps,
        }
    }

    fn conditions(&mut self, conditions: &[ExprId], copies: &[FxHashMap<LocalId, LocalId>]) -> Vec<ExprId> {
        let mut all = vec![];
        for &condition in conditions {
            let read = self.from.locals(condition);
            let foreign = |&it: &LocalId| matches!(self.relation.variables[it].home, Home::Template(template) if template != self.template);
            if !read.iter().any(foreign) {
                for copies in copies {
                    all.push(self.expr(condition, copies));
                }
            }
        }
        all
    }

    fn pairs(&mut self, pairs: &[PairPredicate], copies: &[FxHashMap<LocalId, LocalId>]) -> Vec<ExprId> {
        let mut all = vec![];
        for pair in pairs {
            for (at, second) in copies.iter().enumerate() {
                for first in &copies[..at] {
                    let (left, right) = (self.expr(pair.left, first), self.expr(pair.right, second));
                    all.push(self.exprs.binary(pair.compare, left, right));
                }
            }
        }
        all
    }
}
