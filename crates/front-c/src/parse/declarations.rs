//! Declarations, at file scope and in blocks.

use base::Span;

use super::super::check::declare::{Declared, StorageClass};
use super::super::constructs::attributes::On;
use super::super::hir::{StmtId, StmtKind, Storage, VarId};
use super::super::types::{Qualified, Type, TypeId};
use super::attributes::{Attributes, refusal};
use super::declarators::Declarator;
use super::specifiers::Specifiers;
use super::{Fail, Kind, Parsed, Parser};

impl<'a> Parser<'a> {
    /// A declaration or definition at file scope.
    pub fn external_declaration(&mut self) -> Parsed<()> {
        self.budget.spend(1)?;
        self.follow_pragmas();
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
        let start = self.span();
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            if specifiers.attributes.packed {
                self.warn_ignored("packed", "it does not stand behind the type", start);
            }
            return Ok(());
        }
        let mut statements = vec![];
        self.declarators(&specifiers, true, &mut statements)
    }

    /// Whether a declaration may start here that leaves out `int`. A name before another name is a type that
    /// is not declared.
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
        let mut before = Attributes::default();
        loop {
            let declarator = self.declarator(specifiers.ty)?;
            let Some((name, span)) = declarator.name else { return Err(self.unexpected("a name")) };
            let label = self.asm_label()?;
            let mut attributes = specifiers.attributes.clone();
            attributes.merge(std::mem::take(&mut before));
            attributes.merge(declarator.attributes.clone());
            let more = self.attributes()?;
            let label = self.asm_label()?.or(label);
            let ty = self.apply_declarator_mode(declarator.ty, &more);
            attributes.merge(more);
            let ty = self.apply_noreturn(ty, specifiers.noreturn || attributes.noreturn);
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
                label,
                span,
            };
            self.init_declarator(&declared, specifiers, &attributes, statements)?;
            if !self.eat(",") {
                return self.expect(";");
            }
            before = self.attributes()?;
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
            self.declare_typedef(declared, attributes);
            return Ok(());
        }
        if matches!(self.check.ty(declared.ty.ty), Type::Function(_)) {
            let function = self.check.declare_function(declared);
            self.function_attributes(function, specifiers.noreturn, attributes);
            self.check.label_function(function, declared.label.clone());
            return Ok(());
        }
        self.flush_pending(statements);
        if specifiers.auto_type {
            let variable = self.auto_type(declared, statements)?;
            self.variable_attributes(variable, declared, attributes);
            return self.guard(variable, attributes);
        }
        let variable = self.check.declare_object(declared);
        self.variable_attributes(variable, declared, attributes);
        if self.eat("=") {
            let storage = self.check.program.variables[variable].storage;
            let is_static = matches!(storage, Storage::Global | Storage::Static);
            let outer = std::mem::replace(&mut self.check.in_static_initialiser, is_static);
            let tree = self.initialiser()?;
            self.flush_pending(statements);
            let ty = self.check.program.variables[variable].ty.ty;
            let (init, ty) = self.check.layout_init(ty, &tree);
            self.check.in_static_initialiser = outer;
            self.check.initialise(variable, init, ty, declared.span);
        }
        self.finish_object(variable, declared.span, statements);
        self.guard(variable, attributes)
    }

    fn finish_object(&mut self, variable: VarId, span: Span, statements: &mut Vec<StmtId>) {
        self.check.check_complete(variable);
        if self.check.program.variables[variable].storage == Storage::Local {
            statements.push(self.check.stmt(StmtKind::Declare(variable), span));
        }
    }

    /// `__auto_type x = e;`: the name is not in scope in its initialiser.
    fn auto_type(&mut self, declared: &Declared<'_>, statements: &mut Vec<StmtId>) -> Parsed<VarId> {
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
        Ok(variable)
    }

    /// `typedef`: an alignment goes with the name, and may be smaller than that of the type.
    fn declare_typedef(&mut self, declared: &Declared<'_>, attributes: &Attributes) {
        let mut ty = declared.ty;
        if let Type::Record(record) = *self.check.ty(ty.ty) {
            self.check.program.types.records[record].transparent |= attributes.transparent;
        }
        if attributes.align > 0 {
            ty.qualifiers = ty.qualifiers.aligned(attributes.align);
        }
        if attributes.packed {
            self.warn_ignored("packed", "it does not stand behind the type", declared.span);
        }
        if let Type::Function(mut function) = self.check.ty(ty.ty).clone()
            && attributes.noreturn
        {
            function.noreturn = true;
            ty.ty = self.check.program.types.intern(Type::Function(function));
        }
        if let Some(name) = attributes.refused {
            self.refuse_type(ty.ty, name, declared.span);
        }
        self.check.declare_typedef(declared.name, ty, declared.span);
    }

    /// Refuses a type where it is used; one that is no struct or union, at once.
    pub fn refuse_type(&mut self, ty: TypeId, attribute: &str, span: Span) {
        let reason = refusal(attribute, On::TYPE);
        match *self.check.ty(ty) {
            Type::Record(record) => {
                self.check.program.types.records[record].refused.get_or_insert(reason);
            }
            _ => self.refuse_here(reason, span),
        }
    }

    /// What attributes say about a variable.
    fn variable_attributes(&mut self, id: VarId, declared: &Declared<'_>, attributes: &Attributes) {
        self.check.label_variable(id, declared);
        if attributes.packed {
            self.warn_ignored("packed", "it stands on a variable", declared.span);
        }
        let variable = &mut self.check.program.variables[id];
        variable.weak |= attributes.weak;
        if attributes.alias.is_some() {
            variable.alias = attributes.alias.clone();
        }
        if let Some(name) = attributes.refused {
            variable.refused.get_or_insert(refusal(name, On::VARIABLE));
        }
        if let Some(span) = attributes.runs {
            self.check.program.refused.push((span, "a section whose contents run by themselves".into()));
        }
    }

    /// `cleanup(f)`: f is called with the variable's address on every way out of the rest of the block.
    fn guard(&mut self, variable: VarId, attributes: &Attributes) -> Parsed<()> {
        let Some((function, span)) = &attributes.cleanup else { return Ok(()) };
        let span = *span;
        if self.check.program.variables[variable].storage != Storage::Local {
            self.warn_ignored("cleanup", "the variable is no local one", span);
            return Ok(());
        }
        let Some(function) = self.check.named_function(function) else {
            let message = format!("`{function}` is no function");
            self.check.error("E1119", span, message, "name a function that takes a pointer to the variable");
            return Err(Fail::Syntax);
        };
        let guard = self.check.guard(variable, function, span);
        self.guards.push(guard);
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
