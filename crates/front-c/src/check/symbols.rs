//! What a linker knows: names given by asm labels and pragmas, aliases, weak definitions, and definitions for
//! inlining only.

use std::collections::HashMap;

use base::Span;

use super::super::constructs::functions::is_variant;
use super::super::hir::{ExprKind, FunctionId, PlaceKind, Storage, VarId, Variable};
use super::super::types::Qualified;
use super::declare::{Declared, Definition, StorageClass};
use super::scopes::Entity;
use super::{Checker, Operand};

/// What a pragma says about a name.
#[derive(Clone, Debug)]
pub enum Named {
    /// It is weak.
    Weak(String),
    /// It is a weak alias of another one.
    Alias(String, String),
    /// The linker sees another name.
    Renamed(String, String),
    /// One object for each thread of OpenMP.
    ThreadPrivate(String),
}

/// What a symbol is, by the unit to which it is local, if it is.
type Symbols = HashMap<(Option<u32>, String), Vec<Entity>>;

impl Checker {
    /// `#pragma weak name`.
    pub fn weak_name(&mut self, name: &str) {
        self.names.push(Named::Weak(name.to_string()));
    }

    /// `#pragma weak name = target`.
    pub fn weak_alias(&mut self, name: &str, target: &str) {
        self.names.push(Named::Alias(name.to_string(), target.to_string()));
    }

    /// `#pragma redefine_extname old new`.
    pub fn rename(&mut self, old: &str, new: &str) {
        self.names.push(Named::Renamed(old.to_string(), new.to_string()));
    }

    /// `#pragma omp threadprivate(names)`.
    pub fn thread_private(&mut self, names: &[&str]) {
        self.names.extend(names.iter().map(|name| Named::ThreadPrivate(name.to_string())));
    }

    /// At the end of a unit: what its pragmas say holds of declarations before and after them.
    pub(super) fn apply_names(&mut self) {
        for named in std::mem::take(&mut self.names) {
            let (Named::Weak(name)
            | Named::Alias(name, _)
            | Named::Renamed(name, _)
            | Named::ThreadPrivate(name)) = &named;
            let entity = self.scopes.first().and_then(|scope| scope.names.get(name)).copied();
            match entity {
                Some(Entity::Variable(id)) => apply_to_variable(&mut self.program.variables[id], &named),
                Some(Entity::Function(id)) => self.apply_to_function(id, &named),
                _ => {}
            }
        }
    }

    fn apply_to_function(&mut self, id: FunctionId, named: &Named) {
        let function = &mut self.program.functions[id];
        match named {
            Named::Weak(_) => function.weak = true,
            Named::Alias(_, target) => {
                function.weak = true;
                function.alias = Some(target.clone());
            }
            Named::Renamed(_, new) if !function.internal => function.symbol = Some(new.clone()),
            Named::Renamed(..) | Named::ThreadPrivate(_) => {}
        }
    }

    /// A function that this unit declares weak.
    pub fn weaken(&mut self, id: FunctionId) {
        self.program.functions[id].weak = true;
        self.weak_here.insert(id);
    }

    /// The asm label of a function.
    pub fn label_function(&mut self, id: FunctionId, label: Option<String>) {
        let function = &mut self.program.functions[id];
        function.symbol = label.or(function.symbol.take());
    }

    /// The asm label of a variable; that of a local or of a `register` variable is a register of the machine.
    pub fn label_variable(&mut self, id: VarId, declared: &Declared<'_>) {
        let Some(label) = &declared.label else { return };
        let variable = &mut self.program.variables[id];
        let register = declared.class == Some(StorageClass::Register);
        if register || matches!(variable.storage, Storage::Local | Storage::Parameter) {
            variable.refused = Some("a variable that is a register of the machine".into());
        } else {
            variable.symbol = Some(label.clone());
        }
    }

    /// The variable that stands for the handler of another one: `f(&x)` is called on every way out of the
    /// block in which it stands.
    pub fn guard(&mut self, variable: VarId, function: FunctionId, span: Span) -> VarId {
        let ty = self.program.variables[variable].ty;
        let place = self.place(PlaceKind::Variable(variable), ty, span);
        let address = self.address_of(Operand::Place(place), span);
        let call = self.call(Operand::Function(function, span), vec![address], span);
        let call = self.rvalue(call);
        let declared = Declared::new("", Qualified::plain(self.basic.void), None, span);
        let guard = self.new_variable(&declared, Storage::Local);
        self.program.variables[guard].cleanup = Some(call);
        guard
    }

    /// Whether a definition of a function counts, where there may be another one already: of weak ones
    /// another counts, of inline ones any, as long as they say the same.
    pub fn takes_definition(&mut self, id: FunctionId, new: Definition, span: Span) -> bool {
        let pragma =
            |named: &Named| matches!(named, Named::Weak(name) if *name == self.program.functions[id].name);
        let weak = self.weak_here.contains(&id) || self.names.iter().any(pragma);
        let new = Definition { weak, ..new };
        let Some(old) = self.definitions.get(&id) else {
            self.definitions.insert(id, new);
            self.program.functions[id].definition_order = self.definitions.len() as u32;
            self.program.functions[id].unit = self.unit;
            return true;
        };
        if new.weak || old.weak {
            let replaces = old.weak && !new.weak;
            if replaces {
                self.definitions.insert(id, new);
            }
            return replaces;
        }
        if !new.inline && !old.inline {
            let name = self.program.functions[id].name.clone();
            let message = format!("the function `{name}` is defined twice");
            self.error("E1122", span, message, "remove one of the definitions");
            return true;
        }
        if new.words != old.words {
            let reason = "an inline function with several definitions that differ".to_string();
            self.program.functions[id].refused.get_or_insert(reason);
        }
        false
    }

    /// The name by which the linker knows something, and the unit to which it is local, if it is.
    fn symbol_of(&self, entity: Entity) -> Option<(Option<u32>, String)> {
        match entity {
            Entity::Variable(id) => {
                let it = &self.program.variables[id];
                let named = it.symbol.is_some() || it.function.is_none() && !it.name.is_empty();
                let unit = match it.storage {
                    Storage::Global => None,
                    Storage::Static => Some(it.unit),
                    Storage::Local | Storage::Parameter => return None,
                };
                named.then(|| (unit, it.symbol.clone().unwrap_or_else(|| it.name.clone())))
            }
            Entity::Function(id) => {
                let it = &self.program.functions[id];
                let unit = it.internal.then_some(it.unit);
                Some((unit, it.symbol.clone().unwrap_or_else(|| it.name.clone())))
            }
            Entity::Typedef(_) | Entity::Enumerator(..) => None,
        }
    }

    fn is_defined(&self, entity: Entity) -> bool {
        match entity {
            Entity::Variable(id) => {
                self.program.variables[id].defined && self.program.variables[id].alias.is_none()
            }
            Entity::Function(id) => self.program.functions[id].body.is_some(),
            Entity::Typedef(_) | Entity::Enumerator(..) => false,
        }
    }

    /// Makes one thing of what has one name for the linker.
    pub(super) fn link_symbols(&mut self) {
        let variables = self.program.variables.ids().map(Entity::Variable);
        let functions = self.program.functions.ids().map(Entity::Function);
        let entities: Vec<Entity> = variables.chain(functions).collect();
        let mut symbols = Symbols::new();
        for &entity in &entities {
            if let Some(key) = self.symbol_of(entity) {
                symbols.entry(key).or_default().push(entity);
            }
        }
        let mut instead = Instead::default();
        for &entity in &entities {
            match self.target(entity, &symbols) {
                Some((Entity::Variable(from), Entity::Variable(to))) if from != to => {
                    instead.variables.insert(from, to);
                }
                Some((Entity::Function(from), Entity::Function(to))) if from != to => {
                    instead.functions.insert(from, to);
                }
                Some((Entity::Variable(from), Entity::Function(_))) => {
                    self.program.variables[from].refused =
                        Some("a variable with the symbol of a function".into());
                }
                Some((Entity::Function(from), Entity::Variable(_))) => {
                    self.program.functions[from].refused =
                        Some("a function with the symbol of a variable".into());
                }
                _ => {}
            }
        }
        self.use_instead(&instead);
        self.name_by_symbol();
    }

    /// What something is an alias of, or which definition its symbol leads to.
    fn target(&mut self, entity: Entity, symbols: &Symbols) -> Option<(Entity, Entity)> {
        let (alias, unit, span, name) = match entity {
            Entity::Variable(id) => {
                let it = &self.program.variables[id];
                (it.alias.clone(), it.unit, it.span, it.name.clone())
            }
            Entity::Function(id) => {
                let it = &self.program.functions[id];
                (it.alias.clone(), it.unit, it.span, it.name.clone())
            }
            _ => return None,
        };
        let find = |checker: &Self, symbol: &str| {
            let local = symbols.get(&(Some(unit), symbol.to_string())).into_iter().flatten();
            let global = symbols.get(&(None, symbol.to_string())).into_iter().flatten();
            let all: Vec<Entity> = local.chain(global).copied().collect();
            all.iter().copied().find(|it| checker.is_defined(*it)).or(all.first().copied())
        };
        if let Some(alias) = alias {
            let found = find(self, &alias);
            if found.is_none() {
                let message = format!("`{name}` is an alias of `{alias}`, which is not defined");
                self.error("E1125", span, message, "define it in the same file");
            }
            return found.map(|to| (entity, to));
        }
        if self.is_defined(entity) {
            return None;
        }
        let (_, symbol) = self.symbol_of(entity)?;
        Some((entity, find(self, &symbol)?))
    }

    /// Puts what is meant in place of what is named.
    fn use_instead(&mut self, instead: &Instead) {
        for id in self.program.places.ids().collect::<Vec<_>>() {
            if let PlaceKind::Variable(from) = self.program.places[id].kind
                && let Some(to) = follow(&instead.variables, from)
            {
                self.redirect(id, from, to);
            }
        }
        for id in self.program.exprs.ids().collect::<Vec<_>>() {
            match &mut self.program.exprs[id].kind {
                ExprKind::Call { callee: super::super::hir::Callee::Function(function), .. }
                | ExprKind::FunctionAddress(function) => {
                    if let Some(to) = follow(&instead.functions, *function) {
                        *function = to;
                    }
                }
                _ => {}
            }
        }
        for &from in instead.functions.keys() {
            let Some(to) = follow(&instead.functions, from) else { continue };
            let (taken, noreturn) =
                (self.program.functions[from].address_taken, self.program.functions[from].noreturn);
            self.program.functions[to].address_taken |= taken;
            self.program.functions[to].noreturn |= noreturn && self.program.functions[to].body.is_none();
            self.program.functions[from].alias = None;
            self.program.functions[from].address_taken = false;
        }
    }

    /// A place of one variable as a place of another one, which may have another type.
    fn redirect(&mut self, id: super::super::hir::PlaceId, from: VarId, to: VarId) {
        let (ty, span) = (self.program.places[id].ty, self.program.places[id].span);
        let whole = self.program.variables[to].ty;
        let taken = self.program.variables[from].address_taken;
        self.program.variables[to].address_taken |= taken;
        if whole.ty == ty.ty {
            self.program.places[id].kind = PlaceKind::Variable(to);
            return;
        }
        let place = self.place(PlaceKind::Variable(to), whole, span);
        let pointer = self.pointer_to(whole);
        let wanted = self.pointer_to(ty);
        self.program.variables[to].address_taken = true;
        let address = self.expr(ExprKind::AddressOf(place), pointer, span);
        let cast = self.expr(ExprKind::Cast(super::super::hir::CastKind::Pointer, address), wanted, span);
        self.program.places[id].kind = PlaceKind::Deref(cast);
    }

    /// A function that nobody defines is the library's by the name that the linker sees, but for the names
    /// that headers give to variants.
    fn name_by_symbol(&mut self) {
        for id in self.program.functions.ids().collect::<Vec<_>>() {
            let function = &mut self.program.functions[id];
            if let Some(symbol) = &function.symbol
                && function.body.is_none()
                && !is_variant(&function.name, symbol)
            {
                function.name = symbol.clone();
            }
        }
    }
}

fn apply_to_variable(variable: &mut Variable, named: &Named) {
    match named {
        Named::Weak(_) => variable.weak = true,
        Named::Alias(_, target) => {
            variable.weak = true;
            variable.alias = Some(target.clone());
        }
        Named::Renamed(_, new) if variable.storage == Storage::Global => variable.symbol = Some(new.clone()),
        Named::Renamed(..) => {}
        Named::ThreadPrivate(_) => {
            variable.refused = Some("a variable that is private to threads of OpenMP".into());
        }
    }
}

/// What is put in place of what.
#[derive(Default)]
struct Instead {
    variables: HashMap<VarId, VarId>,
    functions: HashMap<FunctionId, FunctionId>,
}

/// The end of a chain of aliases; none for a circle.
fn follow<Id: Copy + Eq + std::hash::Hash>(instead: &HashMap<Id, Id>, from: Id) -> Option<Id> {
    let mut at = *instead.get(&from)?;
    for _ in 0..instead.len() {
        match instead.get(&at) {
            Some(&next) => at = next,
            None => return Some(at),
        }
    }
    None
}
