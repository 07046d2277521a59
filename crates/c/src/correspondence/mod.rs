//! What a pass says about its result: which control locations of the old and the new program belong together,
//! and what then holds of the registers of a thread on both sides. `check::c::passes` verifies it step by
//! step; if it holds, every run of the old program into an error is matched by one of the new program (a
//! forward simulation, given by its pairs).

pub mod terms;
mod validate;

use super::expr::{ExprId, Exprs, Node};
use super::program::{Loc, LocalId, ObjectId};
use super::types::Type;
use base::Id;
use std::collections::HashMap;

/// A value of the old program that belongs to one thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OldValue {
    /// What a register holds.
    Register {
        /// The frame of the pair's stack, the outermost is 0; 0 for a register of the thread.
        frame: u32,
        /// The register.
        local: LocalId,
    },
    /// What a cell of a promoted object holds.
    Cell {
        /// The frame, as for registers.
        frame: u32,
        /// The object.
        object: ObjectId,
        /// Bytes from its start.
        offset: i64,
    },
}

/// What holds of one thread at a pair. Expressions are over old values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fact {
    /// The new register holds the value of the expression.
    New {
        /// The new register.
        local: LocalId,
        /// The expression; addresses in it are those of *new* objects.
        value: ExprId,
    },
    /// The old value is that of the expression, whose values have no such fact themselves.
    Old {
        /// The old value.
        value: OldValue,
        /// The expression.
        equals: ExprId,
    },
    /// The promoted object of the frame exists.
    Alive {
        /// The frame.
        frame: u32,
        /// The object.
        object: ObjectId,
    },
    /// The object of the new program's activation exists, and so does the old one that it takes the place of.
    Exists {
        /// The new object.
        object: ObjectId,
    },
    /// The thread is in no atomic section.
    Outside,
}

/// Control locations that belong together, with what then holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The locations of the old program that stand for one frame of the new one, the outermost first: all but
    /// the last are at calls that the new program has inlined.
    pub stack: Vec<Loc>,
    /// The location of the new program; `None`: the thread is gone, nothing that it still does matters.
    pub new: Option<Loc>,
    /// What holds.
    pub facts: Vec<Fact>,
}

/// An object of an inlined activation and the one of the new program that takes its place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectPair {
    /// The inlined calls, the outermost first, that lead to the activation.
    pub calls: Vec<Loc>,
    /// The old object.
    pub old: ObjectId,
    /// The new object.
    pub new: ObjectId,
}

/// What a pass says about its result.
#[derive(Clone, Debug)]
pub struct Correspondence {
    exprs: Exprs,
    values: Vec<OldValue>,
    numbers: HashMap<OldValue, LocalId>,
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// The objects of inlined activations. All other objects keep their numbers.
    pub objects: Vec<ObjectPair>,
    /// The old objects whose cells are registers of the new program, or nothing at all.
    pub promoted: Vec<ObjectId>,
    /// The old objects that only gone threads use.
    pub private: Vec<ObjectId>,
    /// What holds of registers and cells of a thread whenever a call that the new program has, too, returns.
    pub returns: Vec<Fact>,
}

impl Correspondence {
    /// Nothing yet. Pointers have this many bits.
    pub fn new(pointer_bits: u8) -> Self {
        Self {
            exprs: Exprs::new(pointer_bits),
            values: vec![],
            numbers: HashMap::new(),
            pairs: vec![],
            objects: vec![],
            promoted: vec![],
            private: vec![],
            returns: vec![],
        }
    }

    /// The expressions of the facts: registers in them are numbers of old values.
    pub fn exprs(&self) -> &Exprs {
        &self.exprs
    }

    /// The same, open for more.
    pub fn exprs_mut(&mut self) -> &mut Exprs {
        &mut self.exprs
    }

    /// The old value that a register of the expressions stands for.
    pub fn value(&self, number: LocalId) -> Option<OldValue> {
        self.values.get(number.index()).copied()
    }

    /// An old value of a type as an expression.
    pub fn read(&mut self, value: OldValue, ty: Type) -> ExprId {
        let number = *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            LocalId::from_index(self.values.len() - 1)
        });
        self.exprs.add(Node::Local(number, ty))
    }
}
