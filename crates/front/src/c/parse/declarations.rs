//! Declarations, at file scope and in blocks.

use base::Span;

use super::super::check::declare::{Declared, StorageClass};
use super::super::hir::{StmtId, StmtKind, Storage, VarId};
use super::super::types::{Qualified, Type};
use super::attributes::Attributes;
use super::declarators::Declarator;
use super::specifiers::Specifiers;
use super::{Fail, Kind, Parsed, Parser};

impl<'a> Parser<'a> {
    /// A declaration or definition at file scope.
    pub fn external_declaration(&mut self) -> Parsed<()> {
        self.budget.spend(1)?;
        if self.eat(";") {
            return Ok(());
        }
        if self.eat("__extension__") {
            return Ok(());
        }
        if self.at("asm") {
            let span = self.bump().span;
            while !self.at("(") && !self.at_end() {
                self.bump();
            }
            self.skip_balanced()?;
            self.check.program.file_scope_asm.push(span);
            self.eat(";");
            return Ok(());
        }
        if self.at("_Static_assert") {
            return self.static_assert();
        }
        if !self.at_type() && !self.may_be_implicit_int() {
            return Err(self.unexpected("a declaration"));
        }
        self.check.pending.clear();
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            return Ok(());
        }
        let mut statements = vec![];
        self.declarators(&specifiers, true, &mut statements)
    }

    /// Whether a declaration may start here that leaves out `int`. A name before another name is a type that is not declared.
    fn may_be_implicit_int(&mut self) -> bool {
        let Some(name) = self.peek_name() else { return self.at("*") || self.at("(") };
        let next = self.ahead(1);
        if next.kind == Kind::Name || Self::is(next, "*") {
            self.no_type(name);
            return false;
        }
        ["(", ";", "=", ",", "[", "__attribute__", "asm"].iter().any(|fixed| Self::is(next, fixed))
    }

    /// A declaration in a block: the statements that it is.
    pub fn block_declaration(&mut self) -> Parsed<Vec<StmtId>> {
        let mut statements = vec![];
        if self.at("_Static_assert") {
            self.static_assert()?;
            return Ok(statements);
        }
        let specifiers = self.specifiers()?;
        self.flush_pending(&mut statements);
        if self.eat(";") {
            return Ok(statements);
        }
        self.declarators(&specifiers, false, &mut statements)?;
        Ok(statements)
    }

    /// Makes the hidden sizes of variable-length arrays, declared since the last time, known at this point.
    pub fn flush_pending(&mut self, statements: &mut Vec<StmtId>) {
        for variable in std::mem::take(&mut self.check.pending) {
            let span = self.check.program.variables[variable].span;
            statements.push(self.check.stmt(StmtKind::Declare(variable), span));
        }
    }

    fn declarators(
        &mut self,
        specifiers: &Specifiers,
        outside: bool,
        statements: &mut Vec<StmtId>,
    ) -> Parsed<()> {
        let mut first = true;
        loop {
            let declarator = self.declarator(specifiers.ty)?;
            let Some((name, span)) = declarator.name else { return Err(self.unexpected("a name")) };
            self.asm_label()?;
            let mut attributes = specifiers.attributes.clone();
            attributes.merge(declarator.attributes.clone());
            let more = self.attributes()?;
            self.asm_label()?;
            let ty = self.apply_declarator_mode(declarator.ty, &more);
            attributes.merge(more);
            let declarator = Declarator { ty, ..declarator };
            let is_function = matches!(self.check.ty(ty.ty), Type::Function(_))
                && specifiers.class != Some(StorageClass::Typedef);
            if is_function && first && declarator.function.is_some() && (self.at("{") || self.at_type()) {
                return self.function_definition(specifiers, declarator, &attributes, outside);
            }
            let declared = Declared {
                name,
                ty,
                class: specifiers.class,
                thread_local: specifiers.thread_local,
                align: attributes.align,
                span,
            };
            self.init_declarator(&declared, specifiers, &attributes, statements)?;
            if !self.eat(",") {
                return self.expect(";");
            }
            self.attributes()?;
            first = false;
        }
    }

    fn init_declarator(
        &mut self,
        declared: &Declared<'_>,
        specifiers: &Specifiers,
        attributes: &Attributes,
        statements: &mut Vec<StmtId>,
    ) -> Parsed<()> {
        if declared.class == Some(StorageClass::Typedef) {
            self.flush_pending(statements);
            if let Type::Record(record) = *self.check.ty(declared.ty.ty) {
                self.check.program.types.records[record].transparent |= attributes.transparent;
            }
            self.check.declare_typedef(declared.name, declared.ty, declared.span);
            return Ok(());
        }
        if matches!(self.check.ty(declared.ty.ty), Type::Function(_)) {
            let function = self.check.declare_function(declared);
            self.function_attributes(function, specifiers.noreturn, attributes);
            return Ok(());
        }
        self.flush_pending(statements);
        if specifiers.auto_type {
            return self.auto_type(declared, statements);
        }
        let variable = self.check.declare_object(declared);
        if let Some(cleanup) = &attributes.cleanup {
            let function = self.check.named_function(cleanup);
            self.check.program.variables[variable].cleanup = function;
        }
        if self.eat("=") {
            let tree = self.initialiser()?;
            self.flush_pending(statements);
            let ty = self.check.program.variables[variable].ty.ty;
            let (init, ty) = self.check.layout_init(ty, &tree);
            self.check.initialise(variable, init, ty, declared.span);
        }
        self.finish_object(variable, declared.span, statements);
        Ok(())
    }

    fn finish_object(&mut self, variable: VarId, span: Span, statements: &mut Vec<StmtId>) {
        self.check.check_complete(variable);
        if self.check.program.variables[variable].storage == Storage::Local {
            statements.push(self.check.stmt(StmtKind::Declare(variable), span));
        }
    }

    /// `__auto_type x = e;`: the name is not in scope in its initialiser.
    fn auto_type(&mut self, declared: &Declared<'_>, statements: &mut Vec<StmtId>) -> Parsed<()> {
        self.expect("=")?;
        let tree = self.initialiser()?;
        let super::super::check::init::Tree::Value(operand, span) = tree else {
            self.check.error("E1114", declared.span, "`__auto_type` needs a value", "remove the braces");
            return Err(Fail::Syntax);
        };
        let value = self.check.rvalue(operand);
        let ty = Qualified { ty: self.check.type_of(value), ..declared.ty };
        let variable = self.check.declare_object(&Declared { ty, ..declared.clone() });
        let tree = super::super::check::init::Tree::Value(super::super::check::Operand::Value(value), span);
        let (init, ty) = self.check.layout_init(ty.ty, &tree);
        self.check.initialise(variable, init, ty, declared.span);
        self.finish_object(variable, declared.span, statements);
        Ok(())
    }

    /// `_Static_assert(e, "message");`.
    pub fn static_assert(&mut self) -> Parsed<()> {
        let start = self.bump().span;
        self.expect("(")?;
        let value = self.constant_expression()?;
        if self.eat(",") {
            while self.token().kind == Kind::String {
                self.bump();
            }
        }
        self.expect(")")?;
        let span = self.from(start);
        self.eat(";");
        if value == 0 {
            self.check.error(
                "E1115",
                span,
                "this static assertion fails",
                "make its condition true, or remove it",
            );
        }
        Ok(())
    }
}
