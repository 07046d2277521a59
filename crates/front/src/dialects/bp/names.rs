//! Who is meant by a name, and who might have been meant.

use super::ast::{Symbol, Symbols};
use base::spelling::similar;
use ir::bp::{LocalId, LockId, ProcId, SharedId};
use std::collections::HashMap;

/// What a name outside procedures stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A shared variable.
    Shared(SharedId),
    /// A variable that each thread has.
    ThreadLocal(LocalId),
    /// A lock.
    Lock(LockId),
}

/// All declared names.
#[derive(Default)]
pub struct Scopes {
    /// Names outside procedures.
    pub globals: HashMap<Symbol, Meaning>,
    /// The locals of each procedure.
    pub locals: Vec<HashMap<Symbol, LocalId>>,
    /// For a local's name: who has it, if only one procedure does.
    pub owners: HashMap<Symbol, Option<LocalId>>,
    /// The procedures.
    pub procedures: HashMap<Symbol, ProcId>,
}

impl Scopes {
    /// The local of this name whose passive copy a statement of a procedure can mean: its own, or that of the
    /// only procedure that has one. `Err` if several others have one.
    pub fn passive(&self, procedure: usize, symbol: Symbol) -> Result<Option<LocalId>, ()> {
        if let Some(&local) = self.locals[procedure].get(&symbol) {
            return Ok(Some(local));
        }
        match (self.globals.get(&symbol), self.owners.get(&symbol)) {
            (Some(&Meaning::ThreadLocal(local)), _) => Ok(Some(local)),
            (_, Some(None)) => Err(()),
            (_, Some(&owner)) => Ok(owner),
            (_, None) => Ok(None),
        }
    }

    /// A declared variable that is written almost like this.
    pub fn similar_variable(&self, symbols: &Symbols, procedure: usize, name: &str) -> Option<String> {
        let all = self.locals[procedure].keys().chain(self.globals.keys());
        similar(name, all.map(|&symbol| symbols.text(symbol)))
    }

    /// A procedure that is written almost like this.
    pub fn similar_procedure(&self, symbols: &Symbols, name: &str) -> Option<String> {
        similar(name, self.procedures.keys().map(|&symbol| symbols.text(symbol)))
    }
}
