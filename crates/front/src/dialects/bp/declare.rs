//! Declares the variables, locks and procedures of a file, in an order that the canonical text keeps.

use super::ast::{Action, Bytes, First, Global, Name, Symbol, Unit, Variable};
use super::names::{Meaning, Scopes};
use super::report::Report;
use ir::bp::{Builder, Init, LocalScope, ProcId};
use std::collections::HashSet;

/// Makes the declarations of a file.
pub struct Declare<'u, 's> {
    pub unit: &'u Unit<'s>,
    pub builder: &'u mut Builder,
    pub report: &'u mut Report,
    /// What a variable without a first value starts with.
    pub open: Init,
}

impl Declare<'_, '_> {
    /// Declares everything.
    pub fn all(mut self) -> Scopes {
        let mut scopes = Scopes::default();
        let locks = self.lock_names();
        for &global in &self.unit.globals {
            self.global(&mut scopes, &locks, global);
        }
        // Locks come before all locals of procedures, wherever they are declared.
        for procedure in &self.unit.procedures {
            for variable in &procedure.locals {
                if locks.contains(&variable.name.symbol)
                    && !scopes.globals.contains_key(&variable.name.symbol)
                {
                    self.lock(&mut scopes, *variable);
                }
            }
        }
        for index in 0..self.unit.procedures.len() {
            self.procedure(&mut scopes, &locks, index);
        }
        scopes
    }

    /// The operands of `lock` and `unlock`: wherever they are declared, they are locks and nothing else.
    fn lock_names(&self) -> HashSet<Symbol> {
        let operand = |action| match action {
            Action::Lock(name) | Action::Unlock(name) => Some(name.symbol),
            _ => None,
        };
        self.unit.statements.iter().filter_map(|statement| operand(statement.action)).collect()
    }

    fn init(&self, first: First) -> Init {
        match first {
            First::Open => self.open,
            First::Any => Init::Any,
            First::Fixed(value) => Init::Fixed(value),
        }
    }

    fn text(&self, name: Name) -> &str {
        self.unit.symbols.text(name.symbol)
    }

    fn twice(&mut self, name: Name) {
        let text = self.unit.symbols.text(name.symbol);
        let help = Some("rename or remove one of them".to_string());
        self.report.error("E0204", name.bytes, || (format!("`{text}` is declared twice"), help));
    }

    fn global(&mut self, scopes: &mut Scopes, locks: &HashSet<Symbol>, global: Global) {
        let (Global::Shared(Variable { name, .. })
        | Global::ThreadLocal(Variable { name, .. })
        | Global::Lock(name)) = global;
        if scopes.globals.contains_key(&name.symbol) {
            return self.twice(name);
        }
        let text = self.text(name).to_string();
        let meaning = match global {
            Global::Lock(_) => return self.lock(scopes, Variable { name, first: First::Open }),
            Global::Shared(variable) | Global::ThreadLocal(variable) if locks.contains(&name.symbol) => {
                return self.lock(scopes, variable);
            }
            Global::Shared(variable) => {
                let init = self.init(variable.first);
                Meaning::Shared(self.builder.shared(text, init))
            }
            Global::ThreadLocal(variable) => {
                let init = self.init(variable.first);
                Meaning::ThreadLocal(self.builder.local(text, LocalScope::Thread, init))
            }
        };
        scopes.globals.insert(name.symbol, meaning);
    }

    fn lock(&mut self, scopes: &mut Scopes, variable: Variable) {
        if matches!(variable.first, First::Fixed(true)) {
            self.misused(variable.name.bytes, "a lock is free at the start", "start it with 0");
        }
        let lock = self.builder.lock(self.unit.symbols.text(variable.name.symbol));
        scopes.globals.insert(variable.name.symbol, Meaning::Lock(lock));
    }

    fn misused(&mut self, bytes: Bytes, what: &str, help: &str) {
        self.report.error("E0208", bytes, || (what.to_string(), Some(help.to_string())));
    }

    fn procedure(&mut self, scopes: &mut Scopes, locks: &HashSet<Symbol>, index: usize) {
        let procedure = &self.unit.procedures[index];
        let name = self.text(procedure.name).to_string();
        let nameless = name.is_empty();
        let id = self.builder.declare(name, procedure.results);
        if scopes.procedures.insert(procedure.name.symbol, id).is_some() && !nameless {
            self.twice(procedure.name);
        }
        scopes.locals.push(Default::default());
        let mut params = vec![];
        for &name in &procedure.params {
            if locks.contains(&name.symbol) {
                self.misused(name.bytes, "a lock cannot be a parameter", "use another name");
            }
            let before = self.builder.draft().locals().len();
            self.local(scopes, id, name, Init::Any);
            params.extend(self.builder.draft().locals().ids().nth(before));
        }
        self.builder.params(id, params);
        for &variable in &procedure.locals {
            let init = self.init(variable.first);
            if !matches!(scopes.globals.get(&variable.name.symbol), Some(Meaning::Lock(_))) {
                self.local(scopes, id, variable.name, init);
            }
        }
    }

    fn local(&mut self, scopes: &mut Scopes, procedure: ProcId, name: Name, init: Init) {
        let mine = scopes.locals.last().expect("the procedure's scope was opened");
        if mine.contains_key(&name.symbol) {
            return self.twice(name);
        }
        let local = self.builder.local(self.text(name).to_string(), LocalScope::Procedure(procedure), init);
        scopes.locals.last_mut().expect("the procedure's scope was opened").insert(name.symbol, local);
        scopes.owners.entry(name.symbol).and_modify(|owner| *owner = None).or_insert(Some(local));
    }
}
