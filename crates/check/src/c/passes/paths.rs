//! One step of the old program against a path of the new one: steps that nobody notices, the same step if
//! others may notice it, more steps that nobody notices, to a pair whose facts hold again. The path is not
//! searched for: it is the only one that there is, and it may end at any pair.

use super::Validator;
use super::steps::{Chosen, Event, moved};
use super::views::ThreadView;
use crate::{Rejected, reject};
use base::Span;
use c::correspondence::terms::{Symbol, Terms};
use c::{Control, ExprId, Fact, Loc, LocalId, Node, ObjectId, ObjectScope, OriginId, Type, Unary};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A step of the old program and what the new one has done about it so far.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What is known of the thread.
    pub view: ThreadView,
    /// Where the new program is.
    pub at: Loc,
    /// What the old step evaluates: it is defined, or the step is not taken.
    pub defined: HashSet<ExprId>,
    /// What may be undefined in the old step and was not evaluated by the new program yet.
    pub required: HashSet<ExprId>,
    /// The new objects that must end with the old step.
    pub pending: BTreeSet<ObjectId>,
    /// What the old step chose.
    pub chosen: Option<Chosen>,
    /// The operands of the step that both took.
    pub passed: Vec<ExprId>,
    /// The place of the old step.
    pub span: Option<Span>,
    stack: Vec<Loc>,
    known: HashMap<ExprId, bool>,
    visited: HashSet<Loc>,
}

/// What is known of a symbol that a step brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MadeSymbol {
    /// A choice of the new program on somebody's behalf, which is still open.
    pub open: Option<Option<OriginId>>,
    /// A choice of the old program on somebody's behalf, of any number of its type.
    pub chosen: Option<Option<OriginId>>,
}

impl Attempt {
    /// Where the old program is.
    pub fn stack(&self) -> &[Loc] {
        &self.stack
    }

    /// Whether a condition holds, if that is known.
    pub fn truth(&self, terms: &Terms, cond: ExprId) -> Option<bool> {
        let (cond, negated) = positive(terms, cond);
        let known = terms.number(cond).map(|number| number != 0).or_else(|| self.known.get(&cond).copied());
        known.map(|holds| holds != negated)
    }

    /// Takes for granted that a condition holds or not.
    pub fn assume(&mut self, terms: &Terms, cond: ExprId, holds: bool) {
        let (cond, negated) = positive(terms, cond);
        self.known.insert(cond, holds != negated);
    }
}

/// The condition without negations in front, and whether their number is odd.
fn positive(terms: &Terms, cond: ExprId) -> (ExprId, bool) {
    let (mut cond, mut negated) = (cond, false);
    while let Node::Unary(Unary::Not, inner) = terms.node(cond)
        && terms.ty(inner) == c::TRUTH
    {
        (cond, negated) = (inner, !negated);
    }
    (cond, negated)
}

impl Validator<'_> {
    /// A symbol that a step brings.
    pub fn make(
        &mut self,
        ty: Type,
        open: Option<Option<OriginId>>,
        chosen: Option<Option<OriginId>>,
    ) -> ExprId {
        self.made.push(MadeSymbol { open, chosen });
        self.terms.symbol(Symbol::Made(self.made.len() as u32 - 1), ty)
    }

    /// Checks every step of the old program at a pair.
    pub fn pair(&mut self, stack: &[Loc], at: Loc, facts: &[Fact]) -> Result<(), Rejected> {
        self.made.clear();
        let view = self.view(facts)?;
        let loc = *stack.last().expect("a stack has a location");
        let attempt = Attempt {
            view,
            at,
            defined: HashSet::new(),
            required: HashSet::new(),
            pending: BTreeSet::new(),
            chosen: None,
            passed: vec![],
            span: self.old.at(loc).span,
            stack: stack.to_vec(),
            known: HashMap::new(),
            visited: HashSet::new(),
        };
        for (attempt, event) in self.cases(stack, attempt)? {
            match event {
                Event::Moves(after) => self.arrive(attempt, &after)?,
                Event::Fails(property) => self.fail(attempt, property)?,
                Event::Visible => self.visible(stack, attempt)?,
                Event::Calls => self.call(stack, attempt)?,
            }
        }
        Ok(())
    }

    /// Goes on by steps that nobody notices to a pair whose facts hold.
    fn arrive(&mut self, mut attempt: Attempt, stack: &[Loc]) -> Result<(), Rejected> {
        attempt.visited.clear();
        let mut why = Rejected::new("there is no pair for what the old program does next");
        loop {
            if attempt.pending.is_empty() && attempt.required.is_empty() {
                match self.some_pair(stack, attempt.at, &attempt.view) {
                    Ok(()) => return Ok(()),
                    Err(Some(found)) => why = found,
                    Err(None) => {}
                }
            }
            if !attempt.visited.insert(attempt.at) || !self.unnoticed(&mut attempt)? {
                return Err(why);
            }
        }
    }

    /// Whether some pair of these locations has facts that hold; if not, why the last one has none.
    fn some_pair(&mut self, stack: &[Loc], at: Loc, view: &ThreadView) -> Result<(), Option<Rejected>> {
        let correspondence = self.correspondence;
        let mut why = None;
        for new in [Some(at), None] {
            let found = self.index.get(&(stack.to_vec(), new)).cloned().unwrap_or_default();
            for number in found {
                match self.holds(&correspondence.pairs[number].facts, view) {
                    Ok(()) if new.is_some() || view.outside => return Ok(()),
                    Ok(()) => why = Some(Rejected::new("the thread is gone inside of an atomic section")),
                    Err(found) => why = Some(found),
                }
            }
        }
        Err(why)
    }

    /// The new program must fail, too.
    fn fail(&mut self, mut attempt: Attempt, property: c::PropertyId) -> Result<(), Rejected> {
        while !self.fails(&mut attempt, property) {
            if !attempt.visited.insert(attempt.at) || !self.unnoticed(&mut attempt)? {
                return reject("the new program does not fail where the old one does");
            }
        }
        Ok(())
    }

    /// Goes on by steps that nobody notices to the same step, and takes both.
    fn meet(&mut self, stack: &[Loc], attempt: &mut Attempt) -> Result<Loc, Rejected> {
        loop {
            let at = attempt.at;
            if self.together(stack, attempt)? {
                attempt.at = self.new.at(at).next;
                return Ok(at);
            }
            if !attempt.visited.insert(at) || !self.unnoticed(attempt)? {
                return reject("the new program does not do what the old one does");
            }
        }
    }

    fn visible(&mut self, stack: &[Loc], mut attempt: Attempt) -> Result<(), Rejected> {
        let loc = *stack.last().expect("a stack has a location");
        let at = self.meet(stack, &mut attempt)?;
        let effects = self.old.effects(loc);
        if let Some(template) = effects.creates() {
            let new = self.new.effects(at).creates().expect("both create a thread");
            self.created(&attempt, template, new)?;
        }
        if effects.control == Control::Return {
            let correspondence = self.correspondence;
            self.holds(&correspondence.returns, &attempt.view)?;
        }
        if !self.old.at(loc).op.goes_on() {
            return Ok(());
        }
        self.arrive(attempt, &moved(stack, self.old.at(loc).next))
    }

    /// The entries of a thread that both create: a pair whose facts hold of the arguments.
    fn created(&mut self, attempt: &Attempt, old: c::ProcId, new: c::ProcId) -> Result<(), Rejected> {
        let mut view = ThreadView { outside: true, ..ThreadView::default() };
        self.begin(&mut view, 0, None);
        self.begin_new(&mut view, None);
        self.begin_cells(&mut view);
        let passed = self.elsewhere(&attempt.passed, |scope| scope != ObjectScope::Static);
        self.enter(view, [old, new], &passed, 0)
    }

    /// A call: inlined, if the correspondence has a stack for it; of both programs otherwise.
    fn call(&mut self, stack: &[Loc], mut attempt: Attempt) -> Result<(), Rejected> {
        let loc = *stack.last().expect("a stack has a location");
        let Control::Call(procedure) = self.old.effects(loc).control else {
            return reject("a call calls nothing");
        };
        let entry = self.old.procedures()[procedure].entry;
        let inside: Vec<Loc> = stack.iter().copied().chain([entry]).collect();
        let frame = stack.len() as u32;
        if self.stacks.contains(&inside) {
            let args = self.old.at(loc).op.operands();
            let mut values = vec![];
            for arg in args {
                values.push(self.evaluate_old(&mut attempt, frame - 1, arg)?);
            }
            self.begin(&mut attempt.view, frame, Some(procedure));
            let params = self.old.procedures()[procedure].params.iter();
            attempt.view.old.extend(params.map(|&it| self.old_register(frame, it)).zip(values));
            return self.arrive(attempt, &inside);
        }
        let at = self.meet(stack, &mut attempt)?;
        let Control::Call(new) = self.new.effects(at).control else { return reject("a call calls nothing") };
        self.called(&attempt, procedure, new)?;
        self.returned(&mut attempt)?;
        self.arrive(attempt, &moved(stack, self.old.at(loc).next))
    }

    /// The entries of a procedure that both call.
    fn called(&mut self, attempt: &Attempt, old: c::ProcId, new: c::ProcId) -> Result<(), Rejected> {
        let mut view = ThreadView { outside: attempt.view.outside, ..ThreadView::default() };
        let is_thread = |it: &c::OldValue| match *it {
            c::OldValue::Register { local, .. } => self.old.locals()[local].scope == c::LocalScope::Thread,
            c::OldValue::Cell { object, .. } => self.old.objects()[object].scope == ObjectScope::Thread,
        };
        // What belongs to the thread stays; addresses of the caller's objects are values like any other.
        let old_values =
            attempt.view.old.iter().filter(|(it, _)| is_thread(it)).map(|(&it, &term)| (it, term));
        let (names, terms): (Vec<_>, Vec<_>) = old_values.unzip();
        let is_thread = |it: &LocalId| self.new.locals()[*it].scope == c::LocalScope::Thread;
        let new_values =
            attempt.view.new.iter().filter(|(it, _)| is_thread(it)).map(|(&it, &term)| (it, term));
        let (new_names, new_terms): (Vec<_>, Vec<_>) = new_values.unzip();
        let all: Vec<ExprId> = [&terms[..], &new_terms, &attempt.passed].concat();
        let all = self.elsewhere(&all, |scope| matches!(scope, ObjectScope::Procedure(_)));
        view.old.extend(names.iter().copied().zip(all.iter().copied()));
        view.new.extend(new_names.iter().copied().zip(all[names.len()..].iter().copied()));
        let passed = all[names.len() + new_names.len()..].to_vec();
        self.enter(view, [old, new], &passed, 0)
    }

    /// A new activation on both sides.
    fn enter(
        &mut self,
        mut view: ThreadView,
        [old, new]: [c::ProcId; 2],
        passed: &[ExprId],
        frame: u32,
    ) -> Result<(), Rejected> {
        self.begin(&mut view, frame, Some(old));
        self.begin_new(&mut view, Some(new));
        let (old, new) = (&self.old.procedures()[old], &self.new.procedures()[new]);
        let types = |program: &c::Program, params: &[LocalId]| -> Vec<Type> {
            params.iter().map(|&it| program.locals()[it].ty).collect()
        };
        if types(self.old, &old.params) != types(self.new, &new.params) || old.result != new.result {
            return reject("two procedures that belong together take or give different types");
        }
        for ((&one, &other), &value) in old.params.iter().zip(&new.params).zip(passed) {
            view.old.insert(self.old_register(frame, one), value);
            view.new.insert(other, value);
        }
        self.some_pair(&[old.entry], new.entry, &view)
            .map_err(|why| why.unwrap_or(Rejected::new("there is no pair for the entries of two procedures")))
    }

    /// After a call that both have made: what belongs to the thread may have changed, but for what holds at
    /// every return.
    fn returned(&mut self, attempt: &mut Attempt) -> Result<(), Rejected> {
        let (old, new, correspondence) = (self.old, self.new, self.correspondence);
        for (local, it) in old.locals().enumerate().filter(|(_, it)| it.scope == c::LocalScope::Thread) {
            let value = self.make(it.ty, None, None);
            attempt.view.old.insert(c::OldValue::Register { frame: 0, local }, value);
        }
        for &object in &correspondence.promoted {
            if old.objects()[object].scope == ObjectScope::Thread {
                for c::Scalar { offset, ty, .. } in old.scalars(object) {
                    let value = self.make(ty, None, None);
                    attempt.view.old.insert(c::OldValue::Cell { frame: 0, object, offset }, value);
                }
            }
        }
        attempt.view.new.retain(|local, _| new.locals()[*local].scope != c::LocalScope::Thread);
        attempt.view.outside = false;
        for fact in &correspondence.returns {
            match *fact {
                Fact::New { local, value } => {
                    let value = self.fact_value(&attempt.view, value)?;
                    attempt.view.new.insert(local, value);
                }
                Fact::Outside => attempt.view.outside = true,
                Fact::Old { .. } | Fact::Alive { .. } | Fact::Exists { .. } => {
                    return reject("a fact is not about a return");
                }
            }
        }
        Ok(())
    }

    /// Values as another activation or thread sees them: addresses of the objects there have other names
    /// here.
    fn elsewhere(&mut self, values: &[ExprId], hidden: impl Fn(ObjectScope) -> bool) -> Vec<ExprId> {
        let mut names: HashMap<ObjectId, ExprId> = HashMap::new();
        let new = self.new;
        for object in new.objects().ids().filter(|&it| hidden(new.objects()[it].scope)) {
            let mentioned = values.iter().any(|&it| self.terms.mentions(it, object));
            if mentioned {
                let name = self.make(Type::Pointer, None, None);
                names.insert(object, name);
            }
        }
        values.iter().map(|&value| self.renamed(value, &names)).collect()
    }

    fn renamed(&mut self, value: ExprId, names: &HashMap<ObjectId, ExprId>) -> ExprId {
        let leaf = |terms: &mut Terms, leaf: ExprId| match terms.node(leaf) {
            Node::Address(object) => Some(names.get(&object).copied().unwrap_or(leaf)),
            _ => Some(leaf),
        };
        self.terms.replace(value, leaf).expect("every leaf has a replacement")
    }

    /// An object begins or ends: what held its address holds that of another one from now on.
    pub fn outdate(&mut self, attempt: &mut Attempt, object: ObjectId) {
        attempt.defined.clear();
        let view = &attempt.view;
        if !view.old.values().chain(view.new.values()).any(|&it| self.terms.mentions(it, object)) {
            return;
        }
        let names = HashMap::from([(object, self.make(Type::Pointer, None, None))]);
        let old: Vec<_> = attempt.view.old.iter().map(|(&it, &term)| (it, term)).collect();
        let new: Vec<_> = attempt.view.new.iter().map(|(&it, &term)| (it, term)).collect();
        attempt.view.old = old.into_iter().map(|(it, term)| (it, self.renamed(term, &names))).collect();
        attempt.view.new = new.into_iter().map(|(it, term)| (it, self.renamed(term, &names))).collect();
    }

    /// The start of the program: the entries of both `main` are a pair whose facts hold.
    pub fn start(&mut self) -> Result<(), Rejected> {
        self.made.clear();
        let mut view = ThreadView { outside: true, ..ThreadView::default() };
        self.begin(&mut view, 0, None);
        self.begin_new(&mut view, None);
        self.begin_cells(&mut view);
        self.enter(view, [self.old.main(), self.new.main()], &[], 0)
    }
}
