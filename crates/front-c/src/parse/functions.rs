//! Definitions of functions.

use super::super::check::declare::{Declared, Definition};
use super::super::check::labels::FunctionState;
use super::super::check::scopes::Scope;
use super::super::constructs::attributes::On;
use super::super::hir::{Body, FunctionId, StmtKind, VarId};
use super::super::types::{FunctionType, Qualified, Type};
use super::attributes::{Attributes, refusal};
use super::declarators::{Declarator, Parameters};
use super::specifiers::Specifiers;
use super::{Fail, Parsed, Parser};

impl<'a> Parser<'a> {
    /// What attributes say about a function.
    pub fn function_attributes(&mut self, id: FunctionId, noreturn: bool, attributes: &Attributes) {
        let function = &mut self.check.program.functions[id];
        function.noreturn |= noreturn || attributes.noreturn;
        function.constructor = attributes.constructor.or(function.constructor);
        function.destructor = attributes.destructor.or(function.destructor);
        function.gnu_inline |= attributes.gnu_inline;
        if attributes.alias.is_some() {
            function.alias = attributes.alias.clone();
        }
        if let Some(name) = attributes.refused {
            function.refused.get_or_insert(refusal(name, On::FUNCTION));
        }
        if attributes.weak {
            self.check.weaken(id);
        }
        if let Some(span) = attributes.runs {
            self.check.program.refused.push((span, "a section whose contents run by themselves".into()));
        }
    }

    /// A definition, the declarator having been read. Inside of another function it is refused where it is
    /// called.
    pub fn function_definition(
        &mut self,
        specifiers: &Specifiers,
        declarator: Declarator<'a>,
        attributes: &Attributes,
        outside: bool,
    ) -> Parsed<()> {
        let (Some((name, span)), Some(mut parameters)) = (declarator.name, declarator.function) else {
            return Err(self.unexpected("a function's name"));
        };
        let pending = std::mem::take(&mut self.check.pending);
        let mut ty = declarator.ty;
        if let Some(names) = parameters.old_style.take() {
            ty = self.old_style_parameters(&names, &mut parameters, ty)?;
        } else if !self.at("{") {
            return Err(self.unexpected("`{`"));
        }
        let declared = Declared::new(name, ty, specifiers.class, span);
        let id = self.check.declare_function(&declared);
        self.function_attributes(id, specifiers.noreturn, attributes);
        if self.pragmas.other_options {
            let reason = "a function under options that change its meaning".to_string();
            self.check.program.functions[id].refused.get_or_insert(reason);
        }
        let definition = self.definition(specifiers);
        if !self.check.takes_definition(id, definition, span) {
            self.skip_balanced()?;
            return Ok(());
        }
        self.check.program.functions[id].span = span;
        if !outside {
            return self.nested_function(id, parameters.parameters);
        }
        let result = match self.check.ty(ty.ty) {
            Type::Function(function) => function.result,
            _ => return Err(Fail::Syntax),
        };
        self.check.function = Some(FunctionState::new(id, result));
        self.check.scopes.push(parameters.scope);
        for &parameter in &parameters.parameters {
            self.check.program.variables[parameter].function = Some(id);
        }
        self.body(id, parameters.parameters, pending)
    }

    /// What kind of definition stands here: its words are compared with those of another one.
    fn definition(&self, specifiers: &Specifiers) -> Definition {
        let mut depth = 0u64;
        let mut words = String::new();
        for token in &self.tokens[self.at.min(self.tokens.len())..] {
            words.push_str(self.text_of(*token));
            words.push(' ');
            depth += u64::from(Self::is(*token, "{"));
            if Self::is(*token, "}") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
        }
        Definition { inline: specifiers.inline, weak: false, words }
    }

    fn body(&mut self, id: FunctionId, parameters: Vec<VarId>, pending: Vec<VarId>) -> Parsed<()> {
        let start = self.span();
        self.expect("{")?;
        let mut statements = vec![];
        for variable in pending {
            self.check.program.variables[variable].function = Some(id);
            self.check.note_local(variable);
            let span = self.check.program.variables[variable].span;
            statements.push(self.check.stmt(StmtKind::Declare(variable), span));
        }
        self.block_items(&mut statements)?;
        let end = self.span();
        self.expect("}")?;
        self.check.leave_labels();
        let Scope { variables, .. } = self.check.leave_scope();
        let span = self.from(start);
        let block = self.check.stmt(StmtKind::Block { variables, statements }, span);
        let Some(state) = self.check.function.take() else { return Err(Fail::Syntax) };
        let body = Body {
            parameters,
            locals: state.locals,
            labels: state.labels,
            taken_labels: state.taken,
            block,
            end,
        };
        self.check.program.functions[id].body = Some(body);
        if self.check.program.functions[id].name == "main" && !self.check.program.functions[id].internal {
            self.check.program.main = Some(id);
        }
        Ok(())
    }

    /// GNU C: a function in a function. Its body is skipped, and calls of it are refused.
    fn nested_function(&mut self, id: FunctionId, parameters: Vec<VarId>) -> Parsed<()> {
        let start = self.span();
        self.skip_balanced()?;
        let end = self.last_span();
        let span = self.from(start);
        let refused =
            self.check.stmt(StmtKind::Refused("a function defined inside of another function".into()), span);
        let block = self.check.stmt(StmtKind::Block { variables: vec![], statements: vec![refused] }, span);
        let body = Body { parameters, locals: vec![], labels: vec![], taken_labels: vec![], block, end };
        self.check.program.functions[id].body = Some(body);
        Ok(())
    }

    /// The declarations between `f(a, b)` and `{`.
    fn old_style_parameters(
        &mut self,
        names: &[(&'a str, base::Span)],
        parameters: &mut Parameters<'a>,
        ty: Qualified,
    ) -> Parsed<Qualified> {
        self.check.scopes.push(std::mem::take(&mut parameters.scope));
        let mut types: Vec<Option<Qualified>> = vec![None; names.len()];
        let result = self.old_style_declarations(names, &mut types);
        let mut scope = self.check.leave_scope();
        result?;
        let int = Qualified::plain(self.check.basic.int);
        let types: Vec<Qualified> = types.into_iter().map(|ty| ty.unwrap_or(int)).collect();
        self.check.scopes.push(scope);
        for ((name, span), ty) in names.iter().zip(&types) {
            parameters.parameters.push(self.check.declare_parameter(name, *ty, *span));
        }
        scope = self.check.leave_scope();
        parameters.scope = scope;
        let Type::Function(function) = self.check.ty(ty.ty).clone() else { return Ok(ty) };
        let function = FunctionType { parameters: types, prototype: false, ..function };
        Ok(Qualified { ty: self.check.program.types.intern(Type::Function(function)), ..ty })
    }

    fn old_style_declarations(
        &mut self,
        names: &[(&'a str, base::Span)],
        types: &mut [Option<Qualified>],
    ) -> Parsed<()> {
        while !self.at("{") {
            if !self.at_type() {
                return Err(self.unexpected("`{` or a parameter's declaration"));
            }
            let specifiers = self.specifiers()?;
            while !self.at(";") {
                let declarator = self.declarator(specifiers.ty)?;
                self.attributes()?;
                let Some((name, span)) = declarator.name else {
                    return Err(self.unexpected("a parameter's name"));
                };
                let ty = self.check.adjust_parameter(declarator.ty);
                match names.iter().position(|(other, _)| *other == name) {
                    Some(index) => types[index] = Some(ty),
                    None => {
                        let message = format!("there is no parameter `{name}`");
                        self.check.error(
                            "E1116",
                            span,
                            message,
                            "declare the parameters that the function names",
                        );
                    }
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        Ok(())
    }
}
