//! Declarators: pointers, arrays, functions, with parentheses; parameters, with prototypes and in the style
//! of K&R.

use base::Span;

use super::super::check::scopes::Scope;
use super::super::constructs::attributes::On;
use super::super::hints;
use super::super::hir::{Init, InitCell, MAX_DEPTH, VarId};
use super::super::types::{ArrayLength, FunctionType, Qualified, Qualifiers, Type};
use super::attributes::{Attributes, refusal};
use super::{Fail, Kind, Parsed, Parser};

/// A declarator with the type that it makes.
pub struct Declarator<'a> {
    /// The name; `None` in a type name.
    pub name: Option<(&'a str, Span)>,
    /// The type.
    pub ty: Qualified,
    /// The parameters, if what is declared is itself a function.
    pub function: Option<Parameters<'a>>,
    /// Attributes inside.
    pub attributes: Attributes,
}

/// The parameters of a function declarator.
#[derive(Clone)]
pub struct Parameters<'a> {
    /// The parameters; for K&R style the names, whose types come later.
    pub parameters: Vec<VarId>,
    /// The scope with their names and tags.
    pub scope: Scope,
    /// The names in a K&R definition.
    pub old_style: Option<Vec<(&'a str, Span)>>,
    types: Vec<Qualified>,
    variadic: bool,
    prototype: bool,
}

/// One step from a name outward.
enum Derivation<'a> {
    Pointer(Qualifiers),
    Array(ArrayLength),
    Function(Box<Parameters<'a>>),
}

#[derive(Default)]
struct Pieces<'a> {
    name: Option<(&'a str, Span)>,
    derivations: Vec<Derivation<'a>>,
    attributes: Attributes,
}

impl<'a> Parser<'a> {
    /// Reads a declarator, with or without a name, and applies it to a type.
    pub fn declarator(&mut self, base: Qualified) -> Parsed<Declarator<'a>> {
        let start = self.span();
        let mut pieces = Pieces::default();
        self.pieces(&mut pieces)?;
        let mut ty = base;
        for derivation in pieces.derivations.iter().rev() {
            ty = self.derive(ty, derivation, start);
        }
        let function = match pieces.derivations.into_iter().next() {
            Some(Derivation::Function(parameters)) => Some(*parameters),
            _ => None,
        };
        Ok(Declarator { name: pieces.name, ty, function, attributes: pieces.attributes })
    }

    fn pieces(&mut self, pieces: &mut Pieces<'a>) -> Parsed<()> {
        let mut pointers = vec![];
        loop {
            let more = self.attributes()?;
            pieces.attributes.merge(more);
            if self.eat("*") {
                pointers.push(Qualifiers::NONE);
            } else if let Some(qualifiers) = self.qualifier()
                && let Some(last) = pointers.last_mut()
            {
                *last = last.union(qualifiers);
            } else {
                break;
            }
            if pointers.len() > MAX_DEPTH as usize {
                let span = self.span();
                self.check.too_deep(span);
                return Err(Fail::Syntax);
            }
        }
        if let Some(name) = self.peek_name() {
            pieces.name = Some((name, self.bump().span));
        } else if self.at("(") && self.nested_declarator() {
            self.bump();
            self.deeper(|parser| parser.pieces(pieces))?;
            self.expect(")")?;
        }
        self.suffixes(pieces)?;
        pieces.derivations.extend(pointers.into_iter().rev().map(Derivation::Pointer));
        Ok(())
    }

    /// A qualifier of a pointer.
    fn qualifier(&mut self) -> Option<Qualifiers> {
        let qualifiers = match self.fixed()? {
            "const" => Qualifiers::CONST,
            "volatile" => Qualifiers::VOLATILE,
            "_Atomic" => Qualifiers::ATOMIC,
            "__seg_fs" | "__seg_gs" => Qualifiers::SEGMENT,
            "restrict" => Qualifiers::NONE,
            _ => return None,
        };
        self.bump();
        Some(qualifiers)
    }

    /// Whether a parenthesis opens a declarator rather than parameters.
    fn nested_declarator(&self) -> bool {
        let next = self.ahead(1);
        if Self::is(next, "__attribute__") {
            return true;
        }
        next.kind == Kind::Name && self.check.typedef(self.text_of(next)).is_none()
            || Self::is(next, "*")
            || Self::is(next, "(")
            || Self::is(next, "[")
    }

    fn suffixes(&mut self, pieces: &mut Pieces<'a>) -> Parsed<()> {
        loop {
            if self.at_standard_attribute() {
                let more = self.attributes()?;
                pieces.attributes.merge(more);
            } else if self.at("[") {
                let length = self.array_length()?;
                pieces.derivations.push(Derivation::Array(length));
            } else if self.at("(") {
                let parameters = self.deeper(|parser| parser.parameters())?;
                pieces.derivations.push(Derivation::Function(Box::new(parameters)));
            } else {
                return Ok(());
            }
            if pieces.derivations.len() > MAX_DEPTH as usize {
                let span = self.span();
                self.check.too_deep(span);
                return Err(Fail::Syntax);
            }
        }
    }

    fn array_length(&mut self) -> Parsed<ArrayLength> {
        let start = self.span();
        self.expect("[")?;
        while self.eat("static") || self.qualifier().is_some() {}
        if self.eat("]") {
            return Ok(ArrayLength::Unknown);
        }
        if self.at("*") && Self::is(self.ahead(1), "]") {
            self.bump();
            self.bump();
            return Ok(ArrayLength::Unknown);
        }
        let operand = self.assignment()?;
        self.expect("]")?;
        let span = self.from(start);
        let value = self.check.rvalue(operand);
        let ty = self.check.type_of(value);
        if self.check.is_error(ty) {
            return Ok(ArrayLength::Unknown);
        }
        if !self.check.is_integer(ty) {
            self.check.error("E1107", span, "the length of an array is no integer", "use an integer");
            return Ok(ArrayLength::Unknown);
        }
        let Some(length) = self.check.constant(value) else { return Ok(self.variable_length(value, span)) };
        match u64::try_from(length) {
            Ok(length) if length < 1 << 48 => Ok(ArrayLength::Known(length)),
            _ => {
                self.check.error(
                    "E1107",
                    span,
                    "the length of an array is negative or too large",
                    "use a smaller length",
                );
                Ok(ArrayLength::Known(1))
            }
        }
    }

    /// The hidden variable that holds the length of a variable-length array.
    fn variable_length(&mut self, value: super::super::hir::ExprId, span: Span) -> ArrayLength {
        if self.check.function.is_none() && self.check.in_parameters == 0 {
            self.check.error(
                "E1107",
                span,
                "the length of an array at file scope is no constant",
                "use a constant expression",
            );
            return ArrayLength::Known(1);
        }
        let size = self.check.basic.size;
        let value = self.check.cast(value, size);
        let variable = self.check.hidden_variable("", Qualified::plain(size), span);
        let cell = InitCell { offset: 0, bits: None, ty: size, value };
        self.check.program.variables[variable].init = Some(Init { zero: false, cells: vec![cell] });
        self.check.pending.push(variable);
        ArrayLength::Variable(variable)
    }

    fn parameters(&mut self) -> Parsed<Parameters<'a>> {
        self.expect("(")?;
        let mut found = Parameters {
            parameters: vec![],
            scope: Scope::default(),
            old_style: None,
            types: vec![],
            variadic: false,
            prototype: true,
        };
        self.check.enter_scope();
        self.check.in_parameters += 1;
        let result = self.parameter_list(&mut found);
        self.check.in_parameters -= 1;
        found.scope = self.check.leave_scope();
        result?;
        Ok(found)
    }

    fn parameter_list(&mut self, found: &mut Parameters<'a>) -> Parsed<()> {
        if self.eat(")") {
            found.prototype = false;
            return Ok(());
        }
        if self.at("void") && Self::is(self.ahead(1), ")") {
            self.bump();
            self.bump();
            return Ok(());
        }
        if self.token().kind == Kind::Name && !self.at_type() {
            return self.old_style_names(found);
        }
        loop {
            if self.eat("...") {
                found.variadic = true;
                return self.expect(")");
            }
            self.parameter(found)?;
            if !self.eat(",") {
                return self.expect(")");
            }
        }
    }

    fn old_style_names(&mut self, found: &mut Parameters<'a>) -> Parsed<()> {
        found.prototype = false;
        let mut names = vec![];
        loop {
            names.push(self.expect_name()?);
            if !self.eat(",") {
                break;
            }
            if Self::is(self.ahead(0), "...") || self.at_type() {
                return Err(self.unexpected("a name"));
            }
        }
        if !self.at(")") {
            // `f(unknown x)`: the first name was meant as a type.
            if let [(name, span)] = names[..] {
                self.check.error("E1202", span, format!("`{name}` is no type"), hints::declare_type(name));
                return Err(Fail::Syntax);
            }
        }
        found.old_style = Some(names);
        self.expect(")")
    }

    fn parameter(&mut self, found: &mut Parameters<'a>) -> Parsed<()> {
        if !self.at_type() && !self.at("__extension__") {
            if let Some(name) = self.peek_name() {
                return Err(self.no_type(name));
            }
            return Err(self.unexpected("a parameter"));
        }
        let start = self.span();
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(specifiers.ty)?;
        let mut attributes = self.attributes()?;
        let ty = self.apply_declarator_mode(declarator.ty, &attributes);
        attributes.merge(specifiers.attributes);
        attributes.merge(declarator.attributes);
        let ty = self.check.adjust_parameter(ty);
        let ty = self.apply_noreturn(ty, attributes.noreturn);
        let (name, span) = declarator.name.unwrap_or(("", start));
        let parameter = self.check.declare_parameter(name, ty, span);
        self.parameter_attributes(parameter, &attributes);
        found.parameters.push(parameter);
        found.types.push(ty);
        Ok(())
    }

    /// What attributes say about a parameter.
    fn parameter_attributes(&mut self, parameter: VarId, attributes: &Attributes) {
        if let Some(name) = attributes.refused {
            self.check.program.variables[parameter].refused = Some(refusal(name, On::VARIABLE));
        }
        if let Some((_, span)) = &attributes.cleanup {
            self.warn_ignored("cleanup", "the variable is a parameter", *span);
        }
    }

    fn derive(&mut self, ty: Qualified, derivation: &Derivation<'a>, span: Span) -> Qualified {
        let new = match derivation {
            Derivation::Pointer(qualifiers) => {
                return Qualified::plain(self.check.pointer_to(ty)).with(*qualifiers);
            }
            Derivation::Array(length) => {
                let incomplete = !self.check.is_complete(ty.ty) && !self.check.is_error(ty.ty);
                if incomplete {
                    let message =
                        format!("an array of elements of the incomplete type `{}`", self.check.show(ty.ty));
                    self.check.error("E1109", span, message, "define the type first");
                    return Qualified::plain(self.check.basic.error);
                }
                Type::Array { element: ty, length: *length }
            }
            Derivation::Function(parameters) => {
                if matches!(self.check.ty(ty.ty), Type::Array { .. } | Type::Function(_)) {
                    self.check.error(
                        "E1108",
                        span,
                        "a function cannot return an array or a function",
                        "return a pointer",
                    );
                    return Qualified::plain(self.check.basic.error);
                }
                Type::Function(FunctionType {
                    result: ty.ty,
                    parameters: parameters.types.clone(),
                    variadic: parameters.variadic,
                    prototype: parameters.prototype,
                    noreturn: false,
                })
            }
        };
        Qualified::plain(self.check.program.types.intern(new))
    }
}
