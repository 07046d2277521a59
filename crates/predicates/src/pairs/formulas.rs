//! The formulas of a command: its guard, and every predicate before and after it, for each thread that takes
//! part.

use crate::pairs::basis::Basis;
use crate::terms::circuits::{Circuits, Reading, View, Who};
use base::{Budget, Stop};
use c::{ExprId, LocalId, Node};
use relation::proof::PairPredicate;
use relation::{Command, Creation, Home, Relation};
use rustc_hash::FxHashMap;
use solve::aig::Lit;
use solve::bv::Word;
use std::rc::Rc;

/// The thread that a command creates; 0 is the active one, 1 and 2 are passive.
pub const CHILD: Who = 3;

/// The predicates in the state before any command.
pub struct Before {
    /// Those over shared variables.
    pub shared: Vec<Lit>,
    /// Those of the active and of the two passive threads.
    pub local: [Vec<Lit>; 3],
    views: [View; 3],
}

/// A command as formulas over the state before.
pub struct Form {
    /// The guard, cut into its conjuncts.
    pub guard: Vec<Lit>,
    /// What must hold for the first and for the second passive thread.
    pub others: [Vec<Lit>; 2],
    /// The predicates over shared variables after the command.
    pub shared: Vec<Lit>,
    /// The predicates of the active thread, the passive ones and the child.
    pub local: [Vec<Lit>; 4],
    /// The views after the command, for relations between threads.
    views: [View; 4],
}

/// Makes formulas.
pub struct Forms<'a> {
    /// The commands.
    pub relation: &'a Relation,
    /// The predicates.
    pub basis: &'a Basis,
    /// The graph.
    pub circuits: Circuits,
    /// What may be spent.
    pub budget: &'a Budget,
    /// The state before.
    pub before: Before,
    known: Vec<Option<Rc<Form>>>,
    pairs: FxHashMap<(usize, Side, Side, usize), Lit>,
}

/// A thread before (of any command) or after a command, in a relation between two threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Before.
    Before(Who),
    /// After.
    After(Who),
}

impl<'a> Forms<'a> {
    /// The formulas of the state before.
    pub fn new(relation: &'a Relation, basis: &'a Basis, budget: &'a Budget) -> Result<Self, Stop> {
        let views = [View::before(0), View::before(1), View::before(2)];
        let before = Before { shared: vec![], local: Default::default(), views };
        let mut forms = Self {
            relation,
            basis,
            circuits: Circuits::new(),
            budget,
            before,
            known: vec![None; relation.commands.len()],
            pairs: FxHashMap::default(),
        };
        let mut views = forms.before.views.clone();
        forms.before.shared = forms.truths(&basis.shared, &mut views[0])?;
        for (who, view) in views.iter_mut().enumerate() {
            forms.before.local[who] = forms.truths(&basis.local, view)?;
        }
        forms.before.views = views;
        Ok(forms)
    }

    /// The formulas of a command.
    pub fn command(&mut self, number: usize) -> Result<Rc<Form>, Stop> {
        if let Some(known) = &self.known[number] {
            return Ok(Rc::clone(known));
        }
        let form = Rc::new(self.make(&self.relation.commands[number])?);
        self.known[number] = Some(Rc::clone(&form));
        Ok(form)
    }

    /// Whether no passive thread can notice a command: no predicate over shared variables changes, and none
    /// of a passive thread.
    pub fn is_private(&mut self, number: usize) -> Result<bool, Stop> {
        let form = self.command(number)?;
        Ok(form.shared == self.before.shared && form.local[1] == self.before.local[1])
    }

    fn make(&mut self, command: &Command) -> Result<Form, Stop> {
        let guard = self.conjuncts(command.guard, 0)?;
        let mut others = [vec![], vec![]];
        if let Some(condition) = command.others {
            others = [self.conjuncts(condition, 1)?, self.conjuncts(condition, 2)?];
        }
        let mut views = self.views_after(command)?;
        let shared = self.truths(&self.basis.shared, &mut views[0])?;
        let mut local: [Vec<Lit>; 4] = Default::default();
        for (who, view) in views.iter_mut().enumerate() {
            if who < 3 || command.creates.is_some() {
                local[who] = self.truths(&self.basis.local, view)?;
            }
        }
        Ok(Form { guard, others, shared, local, views })
    }

    /// How each thread sees the state after a command.
    fn views_after(&mut self, command: &Command) -> Result<[View; 4], Stop> {
        let (mut own, mut all) = (FxHashMap::default(), FxHashMap::default());
        for update in &command.updates {
            let word = self.value(update.value)?;
            if self.relation.variables[update.variable].home == Home::Shared {
                all.insert(update.variable, word.clone());
            }
            own.insert(update.variable, word);
        }
        let mut child = all.clone();
        if let Some(creation) = &command.creates {
            self.child(creation, &mut child)?;
        }
        Ok([View::with(0, own), View::with(1, all.clone()), View::with(2, all), View::with(CHILD, child)])
    }

    fn child(&mut self, creation: &Creation, values: &mut FxHashMap<LocalId, Word>) -> Result<(), Stop> {
        for update in &creation.values {
            let word = self.value(update.value)?;
            values.insert(update.variable, word);
        }
        for (variable, about) in self.relation.variables.enumerate() {
            self.budget.spend(1)?;
            if !crate::terms::circuits::of_thread(self.relation, variable) || values.contains_key(&variable) {
                continue;
            }
            // Without an initial value it has an input that nobody else reads.
            if let Some(value) = about.initial {
                let bits = about.ty.bits(self.relation.exprs.pointer_bits());
                values.insert(variable, solve::bv::constant(value, usize::from(bits)));
            }
        }
        Ok(())
    }

    fn value(&mut self, id: ExprId) -> Result<Word, Stop> {
        let mut view = std::mem::take(&mut self.before.views[0]);
        let word = self.circuits.word(&mut self.reading(&mut view), id);
        self.before.views[0] = view;
        word
    }

    pub(super) fn conjuncts(&mut self, id: ExprId, who: Who) -> Result<Vec<Lit>, Stop> {
        let mut view = std::mem::take(&mut self.before.views[usize::from(who)]);
        let truth = self.circuits.truth(&mut self.reading(&mut view), id);
        self.before.views[usize::from(who)] = view;
        Ok(conjuncts(&self.circuits, truth?))
    }

    fn truths(&mut self, list: &[ExprId], view: &mut View) -> Result<Vec<Lit>, Stop> {
        list.iter().map(|&id| self.circuits.truth(&mut self.reading(view), id)).collect()
    }

    fn reading<'b>(&self, view: &'b mut View) -> Reading<'b>
    where
        'a: 'b,
    {
        Reading { relation: self.relation, exprs: &self.basis.exprs, view, budget: self.budget }
    }

    /// The first values of the variables of the first thread, as a view, for the start of the program.
    pub fn start(&mut self) -> Result<Vec<Vec<Lit>>, Stop> {
        let bits = self.relation.exprs.pointer_bits();
        let values = self.relation.variables.enumerate().filter_map(|(variable, about)| {
            let value = about.initial?;
            Some((variable, solve::bv::constant(value, usize::from(about.ty.bits(bits)))))
        });
        let mut view = View::with(0, values.collect());
        Ok(vec![self.truths(&self.basis.shared, &mut view)?, self.truths(&self.basis.local, &mut view)?])
    }

    /// A relation between two threads, before a command or after command `number`.
    pub fn pair(&mut self, number: usize, sides: [Side; 2], at: usize) -> Result<Lit, Stop> {
        let key = (number, sides[0], sides[1], at);
        if let Some(&known) = self.pairs.get(&key) {
            return Ok(known);
        }
        let PairPredicate { left, compare, right } = self.basis.pairs[at];
        let a = self.side(number, sides[0], left)?;
        let b = self.side(number, sides[1], right)?;
        let lit = crate::terms::circuits::compare(&mut self.circuits.aig, compare, &a, &b);
        self.pairs.insert(key, lit);
        Ok(lit)
    }

    pub(super) fn side(&mut self, number: usize, side: Side, id: ExprId) -> Result<Word, Stop> {
        let mut view = match side {
            Side::Before(who) => self.before.views[usize::from(who)].clone(),
            Side::After(who) => self.command(number)?.views[usize::from(who)].clone(),
        };
        self.circuits.word(&mut self.reading(&mut view), id)
    }
}

/// The conjuncts of a formula: it is cut at conjunctions that are not negated.
fn conjuncts(circuits: &Circuits, lit: Lit) -> Vec<Lit> {
    let (mut found, mut stack) = (vec![], vec![lit]);
    while let Some(lit) = stack.pop() {
        match circuits.aig.node(lit) {
            solve::aig::Node::And(a, b) if !lit.is_negated() => stack.extend([a, b]),
            _ if lit == Lit::TRUE || found.contains(&lit) => {}
            _ => found.push(lit),
        }
    }
    found.sort_unstable();
    found
}

/// Whether an expression is a variable.
pub fn as_variable(exprs: &c::Exprs, id: ExprId) -> Option<LocalId> {
    match exprs.node(id) {
        Node::Local(local, _) => Some(local),
        _ => None,
    }
}
