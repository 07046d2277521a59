//! Blocks without braces: what an `if`, a `switch` or a loop is, and what it governs.

use super::super::hir::{StmtId, StmtKind};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// A statement that is a block of its own although it has no braces (C11 6.8.4, 6.8.5): compound literals
    /// in it live as long as it.
    pub fn own_block(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<StmtId>) -> Parsed<StmtId> {
        self.check.enter_scope();
        let result = parse(self);
        let variables = self.check.leave_scope().variables;
        let statement = result?;
        if variables.is_empty() {
            return Ok(statement);
        }
        let span = self.check.program.stmts[statement].span;
        Ok(self.check.stmt(StmtKind::Block { variables, statements: vec![statement] }, span))
    }

    /// What an `if`, `switch` or loop governs.
    pub fn substatement(&mut self) -> Parsed<StmtId> {
        self.own_block(Self::statement)
    }
}
