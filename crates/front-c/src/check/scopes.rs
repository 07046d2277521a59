//! Scopes: what names and tags mean where.

use std::collections::HashMap;

use super::super::hir::{FunctionId, VarId};
use super::super::types::{EnumId, Qualified, RecordId, TypeId};
use super::Checker;

/// What an ordinary name means.
#[derive(Clone, Copy, Debug)]
pub enum Entity {
    /// A type's name.
    Typedef(Qualified),
    /// A variable.
    Variable(VarId),
    /// A function.
    Function(FunctionId),
    /// An enumeration constant.
    Enumerator(i128, TypeId),
}

/// What a tag means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
}

/// One scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The ordinary names.
    pub names: HashMap<String, Entity>,
    /// The tags.
    pub tags: HashMap<String, Tag>,
    /// The variables with automatic storage that were declared here, in order.
    pub variables: Vec<VarId>,
}

impl Checker {
    /// What a name means here.
    pub fn lookup(&self, name: &str) -> Option<Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    /// Whether a name is the name of a type here.
    pub fn typedef(&self, name: &str) -> Option<Qualified> {
        match self.lookup(name)? {
            Entity::Typedef(ty) => Some(ty),
            _ => None,
        }
    }

    /// What a tag means here, or only in the innermost scope.
    pub fn lookup_tag(&self, tag: &str, innermost: bool) -> Option<Tag> {
        let depth = if innermost { 1 } else { self.scopes.len() };
        self.scopes.iter().rev().take(depth).find_map(|scope| scope.tags.get(tag)).copied()
    }

    /// Opens a scope.
    pub fn enter_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes the innermost scope, and gives the variables that were declared in it. That of the file stays.
    pub fn leave_scope(&mut self) -> Scope {
        if self.scopes.len() > 1 { self.scopes.pop().unwrap_or_default() } else { Scope::default() }
    }

    /// The innermost scope.
    pub fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        self.scopes.last_mut().expect("a scope was pushed if there was none")
    }

    /// Whether declarations are at file scope.
    pub fn at_file_scope(&self) -> bool {
        self.scopes.len() <= 1
    }
}
