//! What a function that nobody defines does with memory. It may write any values into every cell of every
//! object that its pointer arguments lead to, and on through the pointers in them; a pointer that it writes
//! or returns is null, one into such an object, or one to an object of its own.
//!
//! The cells that pointers lead to have numbers: objects in the order in which they are found, breadth first,
//! each cell after cell. One step writes one cell, the last one first, so that the pointers that lead to the
//! others are still there.

use super::expr::ExprId;
use super::origin::OriginId;
use super::program::{LayoutId, LocalId};

/// A pointer that leads somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lead {
    /// The pointer, or an integer that may hold one.
    pub pointer: ExprId,
    /// Whether the object that it points to is not to be written: a pointer to `const`. What the pointers in
    /// it lead to is.
    pub constant: bool,
}

/// A step of an external function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reach {
    /// Where it starts.
    pub leads: Vec<Lead>,
    /// What an element of an object of its own looks like.
    pub layout: LayoutId,
    /// How many elements such an object has. An access behind them has no answer: how large it is nobody
    /// knows.
    pub count: u32,
    /// On whose behalf.
    pub origin: OriginId,
    /// What is done.
    pub kind: ReachKind,
}

/// What a step of an external function does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReachKind {
    /// The register gets the number of cells that can be written.
    Count(LocalId),
    /// The cell of this number gets any value; nothing if there is none.
    Write(ExprId),
    /// The register gets any pointer: one into what the leads lead to must fit the layout.
    Pick(LocalId),
}

impl Reach {
    /// Calls `f` on every expression, in a fixed order.
    pub fn for_each_expr(&mut self, mut f: impl FnMut(&mut ExprId)) {
        self.leads.iter_mut().for_each(|lead| f(&mut lead.pointer));
        if let ReachKind::Write(number) = &mut self.kind {
            f(number);
        }
    }

    /// Whether it may access memory of the program: a function that is given no pointers has only its own.
    pub fn leads_anywhere(&self) -> bool {
        !self.leads.is_empty()
    }

    /// The register that it writes.
    pub fn local(&self) -> Option<LocalId> {
        match self.kind {
            ReachKind::Count(local) | ReachKind::Pick(local) => Some(local),
            ReachKind::Write(_) => None,
        }
    }

    /// The same, open for changes.
    pub fn local_mut(&mut self) -> Option<&mut LocalId> {
        match &mut self.kind {
            ReachKind::Count(local) | ReachKind::Pick(local) => Some(local),
            ReachKind::Write(_) => None,
        }
    }
}
