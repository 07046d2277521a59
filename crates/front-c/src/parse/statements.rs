//! Statements and blocks.

use base::Span;

use super::super::check::scopes::Scope;
use super::super::hir::{ExprId, ExprKind, LabelId, StmtId, StmtKind, VarId};
use super::super::types::Type;
use super::{Fail, Kind, Parsed, Parser};

/// What stands between braces, and the names declared there.
pub struct ScopedItems {
    /// The names.
    pub scope: Scope,
    /// The statements.
    pub statements: Vec<StmtId>,
}

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub fn block(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        self.expect("{")?;
        let ScopedItems { scope, statements } = self.scoped_items()?;
        let span = self.from(start);
        Ok(self.check.stmt(StmtKind::Block { variables: scope.variables, statements }, span))
    }

    /// What stands behind a `{`, in a scope of its own, and the `}`.
    pub fn scoped_items(&mut self) -> Parsed<ScopedItems> {
        self.check.enter_scope();
        self.check.enter_labels();
        let mut statements = vec![];
        let result = self.block_items(&mut statements);
        self.check.leave_labels();
        let scope = self.check.leave_scope();
        result?;
        self.expect("}")?;
        Ok(ScopedItems { scope, statements })
    }

    /// The statements and declarations up to `}`. After a mistake it goes on with the next one.
    pub fn block_items(&mut self, statements: &mut Vec<StmtId>) -> Parsed<()> {
        // A block may stand in an initialiser, after declarations with handlers.
        let outer = std::mem::take(&mut self.guards);
        let result = self.items(statements);
        self.guards = outer;
        result
    }

    fn items(&mut self, statements: &mut Vec<StmtId>) -> Parsed<()> {
        self.local_labels()?;
        while !self.at("}") {
            if self.at_end() {
                return Err(self.unexpected("`}`"));
            }
            let refused = self.refused_by_pragmas();
            statements.extend(refused);
            let (scopes, depth, before) = (self.check.scopes.len(), self.depth, self.at);
            match self.block_item(statements) {
                Ok(()) => {}
                Err(Fail::Stop(stop)) => return Err(Fail::Stop(stop)),
                Err(Fail::Syntax) if self.check.gives_up() => return Err(Fail::Syntax),
                Err(Fail::Syntax) => {
                    self.check.scopes.truncate(scopes);
                    self.depth = depth;
                    self.recover_inside();
                    if self.at == before && !self.at("}") {
                        self.bump();
                    }
                }
            }
            if !self.guards.is_empty() {
                let guards = std::mem::take(&mut self.guards);
                return self.deeper(|parser| parser.guarded_items(guards, statements));
            }
        }
        let refused = self.refused_by_pragmas();
        statements.extend(refused);
        Ok(())
    }

    /// The rest of a block after declarations with `cleanup`: a block of its own, whose ways out call the
    /// handlers.
    fn guarded_items(&mut self, guards: Vec<VarId>, statements: &mut Vec<StmtId>) -> Parsed<()> {
        let start = self.span();
        let mut inner = vec![];
        self.block_items(&mut inner)?;
        let span = self.from(start);
        let block = self.check.stmt(StmtKind::Block { variables: guards, statements: inner }, span);
        self.guarded.insert(block);
        statements.push(block);
        Ok(())
    }

    /// Takes the value of a statement expression out of its statements: that of the last one, which may be
    /// under handlers.
    pub fn take_value(&mut self, statements: &mut Vec<StmtId>) -> Option<ExprId> {
        let last = *statements.last()?;
        let (variables, mut inner) = match &self.check.program.stmts[last].kind {
            StmtKind::Expr(value) => {
                let value = *value;
                statements.pop();
                return Some(value);
            }
            StmtKind::Block { variables, statements } if self.guarded.contains(&last) => {
                (variables.clone(), statements.clone())
            }
            _ => return None,
        };
        let value = self.take_value(&mut inner)?;
        statements.pop();
        let span = self.check.program.stmts[last].span;
        let block = self.check.stmt(StmtKind::Block { variables, statements: inner }, span);
        let ty = self.check.type_of(value);
        Some(self.check.expr(ExprKind::Statements { block, value: Some(value) }, ty, span))
    }

    /// `__label__ a, b;`.
    fn local_labels(&mut self) -> Parsed<()> {
        while self.eat("__label__") {
            loop {
                let (name, span) = self.expect_name()?;
                self.check.declare_label(name, span);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        Ok(())
    }

    fn block_item(&mut self, statements: &mut Vec<StmtId>) -> Parsed<()> {
        self.budget.spend(1)?;
        if self.at_declaration() {
            let more = self.block_declaration()?;
            statements.extend(more);
            return Ok(());
        }
        if let Some(name) = self.peek_name()
            && self.ahead(1).kind == Kind::Name
        {
            return Err(self.no_type(name));
        }
        let statement = self.statement()?;
        // Sizes of variable-length arrays in casts and `sizeof`.
        self.flush_pending(statements);
        statements.push(statement);
        Ok(())
    }

    /// Whether a declaration starts here: a type, but no label with the name of a type, and no lone
    /// attribute.
    fn at_declaration(&mut self) -> bool {
        if self.at("__extension__") {
            let mut ahead = 1;
            while Self::is(self.ahead(ahead), "__extension__") {
                ahead += 1;
            }
            if self.starts_type(ahead) {
                for _ in 0..ahead {
                    self.bump();
                }
                return true;
            }
            return false;
        }
        if self.token().kind == Kind::Name && Self::is(self.ahead(1), ":") {
            return false;
        }
        if self.at("__attribute__") || self.at_standard_attribute() {
            return !self.is_attribute_statement();
        }
        self.at("_Static_assert") || self.at_type()
    }

    /// Whether attributes stand before a statement rather than a declaration: no type comes after them.
    fn is_attribute_statement(&self) -> bool {
        let mut depth = 0u64;
        for (ahead, token) in self.tokens[self.at..].iter().enumerate() {
            if Self::is(*token, "(") || Self::is(*token, "[") {
                depth += 1;
            } else if Self::is(*token, ")") || Self::is(*token, "]") {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && !Self::is(*token, "__attribute__") {
                return !self.starts_type(ahead);
            }
        }
        true
    }

    /// A statement, with the labels before it.
    pub fn statement(&mut self) -> Parsed<StmtId> {
        self.deeper(|parser| {
            let start = parser.span();
            let mut labels = vec![];
            while let Some(label) = parser.label()? {
                labels.push(label);
            }
            let labelled = !labels.is_empty();
            // A label may stand before a declaration or the end of a block.
            let empty = labelled && (parser.at("}") || parser.at_declaration());
            let mut body = if empty {
                let span = parser.last_span();
                parser.check.stmt(StmtKind::Empty, span)
            } else {
                parser.plain_statement()?
            };
            let Some((last, others)) = labels.split_last() else { return Ok(body) };
            let span = parser.from(start);
            body = parser.labelled(*last, body, span);
            if others.is_empty() {
                return Ok(body);
            }
            // Many labels in a row are no nesting.
            let mut statements = vec![];
            for label in others {
                let nothing = parser.check.stmt(StmtKind::Empty, start);
                statements.push(parser.labelled(*label, nothing, start));
            }
            statements.push(body);
            Ok(parser.check.stmt(StmtKind::Block { variables: vec![], statements }, span))
        })
    }

    fn labelled(&mut self, label: Option<LabelId>, body: StmtId, span: Span) -> StmtId {
        match label {
            Some(label) => self.check.stmt(StmtKind::Labelled { label, body }, span),
            None => body,
        }
    }

    /// A label: the outer option says whether there is one.
    fn label(&mut self) -> Parsed<Option<Option<LabelId>>> {
        let start = self.span();
        if let Some(name) = self.peek_name() {
            if !Self::is(self.ahead(1), ":") {
                return Ok(None);
            }
            self.bump();
            self.bump();
            if self.at("__attribute__") {
                self.statement_attributes()?;
            }
            return Ok(Some(self.check.define_label(name, start)));
        }
        if self.eat("case") {
            let low = self.conditional()?;
            let low = self.check.rvalue(low);
            let high = if self.eat("...") {
                let high = self.conditional()?;
                Some(self.check.rvalue(high))
            } else {
                None
            };
            self.expect(":")?;
            let span = self.from(start);
            return Ok(Some(self.check.case(low, high, span)));
        }
        if self.eat("default") {
            self.expect(":")?;
            return Ok(Some(self.check.default_case(start)));
        }
        Ok(None)
    }

    fn plain_statement(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        let mut refused = self.refused_by_pragmas();
        if refused.is_empty() {
            return self.unrefused_statement(start);
        }
        let statement = self.unrefused_statement(start)?;
        refused.push(statement);
        let span = self.from(start);
        Ok(self.check.stmt(StmtKind::Block { variables: vec![], statements: refused }, span))
    }

    /// Attributes of a label or statement.
    fn statement_attributes(&mut self) -> Parsed<()> {
        let span = self.span();
        let found = self.attributes()?;
        if let Some(name) = found.refused {
            self.refuse_here(format!("a statement with the attribute `{name}`"), span);
        }
        Ok(())
    }

    fn unrefused_statement(&mut self, start: Span) -> Parsed<StmtId> {
        match self.fixed() {
            Some("{") => self.block(),
            Some("if") => self.own_block(Self::if_statement),
            Some("switch") => self.own_block(Self::switch_statement),
            Some("while") => self.own_block(Self::while_statement),
            Some("do") => self.own_block(Self::do_statement),
            Some("for") => self.for_statement(),
            Some("goto") => self.goto_statement(),
            Some(word @ ("break" | "continue")) => {
                self.bump();
                self.expect(";")?;
                self.check.check_jump(word == "break", start);
                let kind = if word == "break" { StmtKind::Break } else { StmtKind::Continue };
                Ok(self.check.stmt(kind, start))
            }
            Some("return") => self.return_statement(),
            Some("asm") => self.asm_statement(),
            Some(";") => {
                self.bump();
                Ok(self.check.stmt(StmtKind::Empty, start))
            }
            Some("__attribute__" | "[") if self.at("__attribute__") || self.at_standard_attribute() => {
                self.statement_attributes()?;
                self.plain_statement_after_attribute()
            }
            _ => {
                let operand = self.expression()?;
                self.expect(";")?;
                let span = self.from(start);
                let value = self.check.rvalue(operand);
                Ok(self.check.stmt(StmtKind::Expr(value), span))
            }
        }
    }

    fn plain_statement_after_attribute(&mut self) -> Parsed<StmtId> {
        self.deeper(|parser| parser.plain_statement())
    }

    /// `( e )` as a condition.
    fn head(&mut self) -> Parsed<ExprId> {
        self.expect("(")?;
        let start = self.span();
        let operand = self.expression()?;
        let span = self.from(start);
        self.expect(")")?;
        Ok(self.check.condition(operand, span))
    }

    fn if_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        let condition = self.head()?;
        let head = self.from(start);
        let then = self.substatement()?;
        let otherwise = if self.eat("else") { Some(self.substatement()?) } else { None };
        Ok(self.check.stmt(StmtKind::If { condition, then, otherwise }, head))
    }

    fn switch_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        self.expect("(")?;
        let operand = self.expression()?;
        self.expect(")")?;
        let head = self.from(start);
        let value = self.check.promote(operand);
        let ty = self.check.type_of(value);
        if !self.check.is_integer(ty) && !self.check.is_error(ty) {
            let message = format!("a switch over a value of type `{}`", self.check.show(ty));
            self.check.error("E1306", head, message, "use an integer");
        }
        self.check.enter_switch(ty);
        let body = self.substatement();
        match body {
            Ok(body) => Ok(self.check.finish_switch(value, body, head)),
            Err(fail) => {
                self.check.leave_around();
                Err(fail)
            }
        }
    }

    /// The body of a loop.
    fn loop_body(&mut self) -> Parsed<StmtId> {
        self.check.enter_loop();
        let body = self.substatement();
        self.check.leave_around();
        body
    }

    fn while_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        let condition = self.head()?;
        let head = self.from(start);
        let body = self.loop_body()?;
        Ok(self.check.stmt(StmtKind::While { condition, body }, head))
    }

    fn do_statement(&mut self) -> Parsed<StmtId> {
        self.bump();
        let body = self.loop_body()?;
        let start = self.span();
        self.expect("while")?;
        let condition = self.head()?;
        let head = self.from(start);
        self.expect(";")?;
        Ok(self.check.stmt(StmtKind::DoWhile { body, condition }, head))
    }

    fn for_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        self.expect("(")?;
        self.check.enter_scope();
        let result = self.for_rest(start);
        let scope = self.check.leave_scope();
        let (mut statements, statement) = result?;
        if statements.is_empty() && scope.variables.is_empty() {
            return Ok(statement);
        }
        statements.push(statement);
        let span = self.check.program.stmts[statement].span;
        Ok(self.check.stmt(StmtKind::Block { variables: scope.variables, statements }, span))
    }

    fn for_rest(&mut self, start: Span) -> Parsed<(Vec<StmtId>, StmtId)> {
        let mut declarations = vec![];
        let mut guards = vec![];
        let mut init = None;
        if self.at_declaration() {
            declarations = self.block_declaration()?;
            // The loop is all that is left of the block around it.
            guards = std::mem::take(&mut self.guards);
        } else {
            init = self.optional_expression(";")?;
            self.expect(";")?;
        }
        let condition = if self.at(";") {
            None
        } else {
            let from = self.span();
            let operand = self.expression()?;
            let span = self.from(from);
            Some(self.check.condition(operand, span))
        };
        self.expect(";")?;
        let step = self.optional_expression(")")?;
        self.expect(")")?;
        let head = self.from(start);
        let body = self.loop_body()?;
        let mut statement = self.check.stmt(StmtKind::For { init, condition, step, body }, head);
        if !guards.is_empty() {
            let kind = StmtKind::Block { variables: guards, statements: vec![statement] };
            statement = self.check.stmt(kind, head);
        }
        Ok((declarations, statement))
    }

    fn optional_expression(&mut self, end: &str) -> Parsed<Option<ExprId>> {
        if self.at(end) {
            return Ok(None);
        }
        let operand = self.expression()?;
        Ok(Some(self.check.rvalue(operand)))
    }

    fn goto_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        if self.eat("*") {
            let operand = self.expression()?;
            self.expect(";")?;
            let span = self.from(start);
            let void_pointer = self.check.basic.void_pointer;
            let value = self.check.convert(operand, void_pointer, span);
            return Ok(self.check.stmt(StmtKind::ComputedGoto(value), span));
        }
        let (name, at) = self.expect_name()?;
        self.expect(";")?;
        let span = self.from(start);
        match self.check.label(name, at) {
            Some(label) => Ok(self.check.stmt(StmtKind::Goto(label), span)),
            None => Err(Fail::Syntax),
        }
    }

    fn return_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        let result = self.check.function.as_ref().map(|state| state.result);
        let value = if self.at(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let span = self.from(start);
        let void = result.is_some_and(|result| matches!(self.check.ty(result), Type::Void));
        let value = match (value, result) {
            // gcc warns about a value returned from a function without one: it is worked out and dropped.
            (Some(operand), Some(_)) if void => {
                let value = self.check.rvalue(operand);
                let dropped = self.check.stmt(StmtKind::Expr(value), span);
                let back = self.check.stmt(StmtKind::Return(None), span);
                let statements = vec![dropped, back];
                return Ok(self.check.stmt(StmtKind::Block { variables: vec![], statements }, span));
            }
            (Some(operand), Some(result)) => Some(self.check.convert(operand, result, span)),
            _ => None,
        };
        Ok(self.check.stmt(StmtKind::Return(value), span))
    }
}
