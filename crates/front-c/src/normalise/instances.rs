//! What a procedure is written for: a function, who calls it, and what it learns from its caller beside its
//! arguments. The last is no part of C: it says which cells allocated memory has, what a `void *` that is
//! given to the library points to, and on whose behalf the library chooses.

use std::collections::BTreeMap;

use super::super::hir::{FunctionId, VarId};
use super::super::types::TypeId;
use super::Normaliser;

/// For whom a procedure is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// For a thread that begins in it.
    Thread,
    /// For callers that may use its result.
    Called,
    /// For callers that do not: it may end without one.
    Dropped,
}

/// A function of the library that the program called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entered {
    /// The function.
    pub function: FunctionId,
    /// Whether nobody looks at its result.
    pub dropped: bool,
}

/// What a function learns from its caller beside its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Surroundings {
    /// What an allocation is used as.
    pub allocates: Option<TypeId>,
    /// In a function of the library: what the caller's pointers point to, by parameter.
    pub pointees: BTreeMap<VarId, TypeId>,
    /// In a function that the library calls for its own use: what the program called.
    pub entered: Option<Entered>,
}

/// What a procedure is written for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    /// The function.
    pub function: FunctionId,
    /// Who calls it.
    pub role: Role,
    /// What it learns from its caller.
    pub surroundings: Surroundings,
}

impl Instance {
    /// A function for a thread that begins in it.
    pub fn thread(function: FunctionId) -> Instance {
        Instance { function, role: Role::Thread, surroundings: Surroundings::default() }
    }
}

impl Normaliser<'_> {
    /// The instance of a function that the call which comes next needs.
    pub fn called_instance(&mut self, function: FunctionId, dropped: bool) -> Instance {
        let pointees = std::mem::take(&mut self.pointees);
        let unused = self.dropped.take().is_some();
        // Who calls makes a difference where the function may end without a value, stores a struct, or asks
        // whether its result is wanted.
        let model = self.hir.is_model(function);
        let differs = self.facts.without_value.contains(&function) || self.gives_record(function);
        let role = if dropped && differs || model && unused { Role::Dropped } else { Role::Called };
        let allocates = self.frame().allocates;
        let surroundings = Surroundings { allocates, pointees, entered: self.entered().filter(|_| model) };
        Instance { function, role, surroundings }
    }

    /// The function of the library that the program called, if such a one is being written.
    pub fn entered(&self) -> Option<Entered> {
        let frame = &self.current.frame;
        let function = frame.function.filter(|&function| self.hir.is_model(function))?;
        Some(frame.entered.unwrap_or(Entered { function, dropped: frame.dropped }))
    }

    /// Whether a function gives a struct.
    pub fn gives_record(&self, function: FunctionId) -> bool {
        let returned = self.types().function(self.hir.functions[function].ty).map(|ty| ty.result);
        returned.is_some_and(|ty| self.is_record(ty))
    }

    /// Whether a function takes more arguments than it has parameters.
    pub fn is_variadic(&self, function: FunctionId) -> bool {
        self.types().function(self.hir.functions[function].ty).is_some_and(|ty| ty.variadic)
    }
}
