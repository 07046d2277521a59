//! What is known of one thread on both sides: the values of the old program's registers and promoted cells
//! and of the new program's registers, as terms.

use super::Validator;
use crate::{Rejected, reject};
use c::correspondence::terms::{Symbol, Terms};
use c::{Constant, ExprId, Fact, LocalId, LocalScope, Node, ObjectId, ObjectScope, OldValue, ProcId, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A thread as both programs have it.
#[derive(Clone, Debug, Default)]
pub struct ThreadView {
    /// Old values; what is not listed is its own symbol.
    pub old: HashMap<OldValue, ExprId>,
    /// New registers; of those that are not listed nothing is known.
    pub new: HashMap<LocalId, ExprId>,
    /// The promoted objects that exist, by frame.
    pub alive: BTreeSet<(u32, ObjectId)>,
    /// The objects of the new program's activation that exist.
    pub exists: BTreeSet<ObjectId>,
    /// Whether it is certainly in no atomic section.
    pub outside: bool,
}

/// Choices of the new program that are still open, with what they must be.
pub type Bindings = BTreeMap<u32, ExprId>;

impl Validator<'_> {
    /// The type of an old value, if it is one.
    pub fn old_type(&self, value: OldValue) -> Option<Type> {
        match value {
            OldValue::Register { local, .. } => self.old.locals().get(local).map(|it| it.ty),
            OldValue::Cell { object, offset, .. } => {
                self.old.scalars(object).into_iter().find(|it| it.offset == offset).map(|it| it.ty)
            }
        }
    }

    /// An old value as a term.
    pub fn old_value(&mut self, view: &ThreadView, value: OldValue) -> Option<ExprId> {
        match view.old.get(&value) {
            Some(&term) => Some(term),
            None => {
                let ty = self.old_type(value)?;
                Some(self.terms.symbol(Symbol::Old(value), ty))
            }
        }
    }

    /// The register of an old frame: those of threads belong to no frame.
    pub fn old_register(&self, frame: u32, local: LocalId) -> OldValue {
        let own = self.old.locals()[local].scope != LocalScope::Thread;
        OldValue::Register { frame: if own { frame } else { 0 }, local }
    }

    /// A cell of a promoted object of an old frame.
    pub fn old_cell(&self, frame: u32, object: ObjectId, offset: i64) -> OldValue {
        let own = self.old.objects()[object].scope != ObjectScope::Thread;
        OldValue::Cell { frame: if own { frame } else { 0 }, object, offset }
    }

    /// The value of a fact's expression.
    pub fn fact_value(&mut self, view: &ThreadView, e: ExprId) -> Result<ExprId, Rejected> {
        let correspondence = self.correspondence;
        let exprs = correspondence.exprs();
        // Most facts say that a register holds what it held.
        if let Node::Local(number, ty) = exprs.node(e) {
            return self.fact_leaf(view, number, ty);
        }
        let mut made: HashMap<ExprId, ExprId> = HashMap::new();
        for id in exprs.below(e) {
            let term = match exprs.node(id) {
                Node::Local(number, ty) => self.fact_leaf(view, number, ty)?,
                node @ Node::Address(object) => {
                    if self.new.objects().get(object).is_none() {
                        return reject("a fact is about an object that does not exist");
                    }
                    self.terms.add(node)
                }
                node => self.terms.add(node.map_children(|child| made[&child])),
            };
            made.insert(id, term);
        }
        Ok(made[&e])
    }

    fn fact_leaf(&mut self, view: &ThreadView, number: LocalId, ty: Type) -> Result<ExprId, Rejected> {
        let value = self.correspondence.value(number).filter(|&it| self.old_type(it) == Some(ty));
        match value {
            Some(value) => Ok(self.old_value(view, value).expect("it has a type")),
            None => reject("a fact is about a value that does not exist"),
        }
    }

    /// What facts say of a thread.
    pub fn view(&mut self, facts: &[Fact]) -> Result<ThreadView, Rejected> {
        let mut view = ThreadView::default();
        let mut defined = vec![];
        for fact in facts {
            match *fact {
                Fact::Old { value, equals } => {
                    let term = self.fact_value(&ThreadView::default(), equals)?;
                    if self.old_type(value) != Some(self.terms.ty(term)) {
                        return reject("a fact is about values of different types");
                    }
                    defined.push((value, term));
                }
                Fact::Alive { frame, object } => {
                    view.alive.insert((frame, object));
                }
                Fact::Exists { object } => {
                    view.exists.insert(object);
                }
                Fact::Outside => view.outside = true,
                Fact::New { .. } => {}
            }
        }
        let named: HashSet<OldValue> = defined.iter().map(|(value, _)| *value).collect();
        for &(value, term) in &defined {
            let mut depends = false;
            let own = |terms: &mut Terms, leaf| {
                depends |= matches!(terms.as_symbol(leaf), Some(Symbol::Old(it)) if named.contains(&it));
                Some(leaf)
            };
            self.terms.replace(term, own);
            if depends || view.old.insert(value, term).is_some() {
                return reject("facts about old values depend on each other");
            }
        }
        for fact in facts {
            if let Fact::New { local, value } = *fact {
                let term = self.fact_value(&view, value)?;
                if self.new.locals().get(local).map(|it| it.ty) != Some(self.terms.ty(term)) {
                    return reject("a fact is about values of different types");
                }
                view.new.insert(local, term);
            }
        }
        Ok(view)
    }

    /// Whether facts hold; choices of the new program that are still open may be made so that they do.
    pub fn holds(&mut self, facts: &[Fact], view: &ThreadView) -> Result<(), Rejected> {
        let mut bindings = Bindings::new();
        for fact in facts {
            let holds = match *fact {
                Fact::New { local, value } => {
                    let wanted = self.fact_value(view, value)?;
                    match view.new.get(&local) {
                        Some(&found) => found == wanted || self.bind(&mut bindings, found, wanted),
                        None => false,
                    }
                }
                Fact::Old { value, equals } => {
                    let wanted = self.fact_value(view, equals)?;
                    self.old_value(view, value) == Some(wanted)
                }
                Fact::Alive { frame, object } => view.alive.contains(&(frame, object)),
                Fact::Exists { object } => view.exists.contains(&object),
                Fact::Outside => view.outside,
            };
            if !holds {
                return reject(format!("{fact:?} does not hold"));
            }
        }
        Ok(())
    }

    /// Makes an open choice of the new program, if there is one and it may be made like this.
    fn bind(&self, bindings: &mut Bindings, found: ExprId, wanted: ExprId) -> bool {
        let Some(Symbol::Made(number)) = self.terms.as_symbol(found) else { return false };
        let Some(open) = self.made[number as usize].open else { return false };
        let number_or_choice = match self.terms.as_symbol(wanted) {
            Some(Symbol::Made(other)) => self.made[other as usize].chosen == Some(open),
            _ => self.terms.number(wanted).is_some(),
        };
        let fits = number_or_choice && self.terms.ty(found) == self.terms.ty(wanted);
        fits && *bindings.entry(number).or_insert(wanted) == wanted
    }

    /// A constant of the program as a term.
    pub fn constant(&mut self, value: Constant, ty: Type) -> ExprId {
        match value {
            Constant::Bits(bits) => self.terms.add(Node::Const(ty, bits)),
            Constant::Address(object, offset) => {
                let address = self.terms.add(Node::Address(object));
                let bits = self.new.pointer_bits();
                let wide = Type::Bits(bits);
                let offset = self.terms.add(Node::Const(wide, offset as u128 & c::mask(bits)));
                let moved = self.terms.add(Node::Binary(c::Binary::Add, address, offset));
                self.reinterpreted(moved, ty)
            }
        }
    }

    /// A thread at its first step, or with a new activation: all registers have their first values.
    /// Parameters come later.
    pub fn begin(&mut self, view: &mut ThreadView, frame: u32, procedure: Option<ProcId>) {
        let scope = procedure.map_or(LocalScope::Thread, LocalScope::Procedure);
        let old = self.old;
        for (local, it) in old.locals().enumerate().filter(|(_, it)| it.scope == scope) {
            let term = self.constant(it.init, it.ty);
            view.old.insert(self.old_register(frame, local), term);
        }
    }

    /// The same of the new program.
    pub fn begin_new(&mut self, view: &mut ThreadView, procedure: Option<ProcId>) {
        let scope = procedure.map_or(LocalScope::Thread, LocalScope::Procedure);
        let new = self.new;
        for (local, it) in new.locals().enumerate().filter(|(_, it)| it.scope == scope) {
            let term = self.constant(it.init, it.ty);
            view.new.insert(local, term);
        }
    }

    /// The cells of a thread's promoted objects have their first values.
    pub fn begin_cells(&mut self, view: &mut ThreadView) {
        let (old, correspondence) = (self.old, self.correspondence);
        for &object in &correspondence.promoted {
            let declared = &old.objects()[object];
            if declared.scope != ObjectScope::Thread {
                continue;
            }
            for c::Scalar { offset, ty, number } in old.scalars(object) {
                let first = declared.init.iter().find(|(cell, _)| *cell == number).map(|it| it.1);
                let term = self.constant(first.unwrap_or(Constant::Bits(0)), ty);
                view.old.insert(OldValue::Cell { frame: 0, object, offset }, term);
            }
        }
    }
}
