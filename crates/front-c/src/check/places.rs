//! Lvalues: names, `*e`, `a[i]`, `e.m`, `e->m`, and taking addresses.

use base::Span;

use super::super::hints;
use super::super::hir::{ExprId, ExprKind, PlaceId, PlaceKind};
use super::super::types::{Qualified, RecordId, Type, TypeId};
use super::scopes::{Entity, Scope};
use super::{Checker, Operand};
use base::spelling::similar;

impl Checker {
    /// A name that is used as an expression.
    pub fn name(&mut self, name: &str, span: Span) -> Operand {
        match self.lookup(name) {
            Some(Entity::Variable(variable)) => {
                let ty = self.program.variables[variable].ty;
                Operand::Place(self.place(PlaceKind::Variable(variable), ty, span))
            }
            Some(Entity::Function(function)) => Operand::Function(function, span),
            Some(Entity::Enumerator(value, ty)) => Operand::Value(self.integer(value, ty, span)),
            Some(Entity::Typedef(_)) => {
                self.error("E1201", span, format!("`{name}` is a type, not a value"), "use a variable here");
                self.error_operand(span)
            }
            None => self.unknown_name(name, span),
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span) -> Operand {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let function = self.function.as_ref().map(|state| state.id);
            let text = function.map_or(String::new(), |id| self.program.functions[id].name.clone());
            return self.string(text.chars().map(u32::from).collect(), self.basic.char, span);
        }
        if self.is_known_function(name) {
            return Operand::Function(self.implicit_function(name, span), span);
        }
        let help = hints::include(name).or_else(|| self.similar_name(name));
        let help = help.unwrap_or_else(|| "declare it, or include the header that does".to_string());
        self.error("E1200", span, format!("`{name}` is not declared"), help);
        self.declare_unknown(name, span);
        self.error_operand(span)
    }

    /// Declares a name of which nothing is known, so that it is told once.
    pub fn declare_unknown(&mut self, name: &str, span: Span) {
        let ty = Qualified::plain(self.basic.error);
        let variable = self.hidden_variable(name, ty, span);
        self.scope().names.insert(name.to_string(), Entity::Variable(variable));
    }

    /// A declared name that is written almost like this, in the innermost scope that has one.
    fn similar_name(&self, name: &str) -> Option<String> {
        let likely = |other: &&String| other.len() > 2 && !other.starts_with("__");
        let names = |scope: &'_ Scope| similar(name, scope.names.keys().filter(likely).map(String::as_str));
        self.scopes.iter().rev().find_map(names).filter(|_| name.len() > 2)
    }

    /// `*e`.
    pub fn deref(&mut self, operand: Operand, span: Span) -> Operand {
        if let Operand::Function(..) = operand {
            return operand;
        }
        let pointer = self.rvalue(operand);
        let ty = self.type_of(pointer);
        let Some(to) = self.program.types.pointee(ty) else {
            if !self.is_error(ty) {
                let message = format!("a value of type `{}` cannot be dereferenced", self.show(ty));
                self.error("E1210", span, message, "apply `*` and `->` to pointers");
            }
            return self.error_operand(span);
        };
        // `*&x` is x.
        if let ExprKind::AddressOf(place) = self.program.exprs[pointer].kind
            && self.program.places[place].ty == to
        {
            return Operand::Place(place);
        }
        Operand::Place(self.place(PlaceKind::Deref(pointer), to, span))
    }

    /// `&e`.
    pub fn address_of(&mut self, operand: Operand, span: Span) -> Operand {
        let place = match operand {
            Operand::Function(..) => return Operand::Value(self.rvalue(operand)),
            Operand::Place(place) => place,
            Operand::Value(value) => {
                if !self.is_error(self.type_of(value)) {
                    self.error(
                        "E1211",
                        span,
                        "the address of a value cannot be taken",
                        "put it into a variable first",
                    );
                }
                return self.error_operand(span);
            }
        };
        if self.bit_field(place).is_some() {
            self.error(
                "E1212",
                span,
                "the address of a bit-field cannot be taken",
                "copy it into a variable first",
            );
            return self.error_operand(span);
        }
        let ty = self.program.places[place].ty;
        let pointer = self.pointer_to(ty);
        if let Some(value) = self.constant_address(place) {
            return Operand::Value(self.integer(value, pointer, span));
        }
        // `&*e` is e.
        if let PlaceKind::Deref(value) = self.program.places[place].kind
            && self.type_of(value) == pointer
        {
            return Operand::Value(value);
        }
        self.take_address(place);
        Operand::Value(self.expr(ExprKind::AddressOf(place), pointer, span))
    }

    /// `a[i]`, also written `i[a]`.
    pub fn index(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        let (base, index) =
            if self.is_integer(self.operand_type(base).ty) { (index, base) } else { (base, index) };
        let array = match base {
            Operand::Place(place) => match *self.ty(self.program.places[place].ty.ty) {
                Type::Array { element, .. } => Some((place, element)),
                _ => None,
            },
            _ => None,
        };
        match array {
            Some((array, element)) => {
                let qualifiers = self.program.places[array].ty.qualifiers;
                let Some(index) = self.index_value(index, span) else { return self.error_operand(span) };
                let kind = PlaceKind::Index { array, index };
                Operand::Place(self.place(kind, element.with(qualifiers), span))
            }
            None => {
                let sum = self.binary_add(base, index, false, span);
                self.deref(sum, span)
            }
        }
    }

    /// An index or the operand of pointer arithmetic: an integer as wide as a pointer.
    pub fn index_value(&mut self, index: Operand, span: Span) -> Option<ExprId> {
        let value = self.promote(index);
        let ty = self.type_of(value);
        let Some(kind) = self.program.types.int_kind(ty) else {
            if !self.is_error(ty) {
                let message = format!("an index of type `{}` is no integer", self.show(ty));
                self.error("E1213", span, message, "use an integer as the index");
            }
            return None;
        };
        let wide = if kind.is_signed() { self.basic.difference } else { self.basic.size };
        Some(self.cast(value, wide))
    }

    /// `e.m`.
    pub fn member(&mut self, operand: Operand, name: &str, span: Span) -> Operand {
        let ty = self.operand_type(operand);
        let Some(record) = self.program.types.record(ty.ty) else {
            if !self.is_error(ty.ty) {
                let help = match self.program.types.pointee(ty.ty) {
                    Some(_) => format!("write `->{name}` for a pointer"),
                    None => "only structs and unions have members".into(),
                };
                let message = format!("a value of type `{}` has no member `{name}`", self.show(ty.ty));
                self.error("E1214", span, message, help);
            }
            return self.error_operand(span);
        };
        let place = match operand {
            Operand::Place(place) => place,
            _ => {
                let value = self.rvalue(operand);
                self.place(PlaceKind::Temporary(value), ty, span)
            }
        };
        match self.find_member(record, name) {
            Some(path) => Operand::Place(self.walk(place, &path, span)),
            None => {
                self.no_member(record, name, ty.ty, span);
                self.error_operand(span)
            }
        }
    }

    fn no_member(&mut self, record: RecordId, name: &str, ty: TypeId, span: Span) {
        let record = &self.program.types.records[record];
        let help = match &record.fields {
            None => "the type is only declared: define it before its members are used".to_string(),
            Some(fields) => {
                let names: Vec<&str> =
                    fields.iter().filter_map(|field| field.name.as_deref()).take(8).collect();
                format!("its members are: {}", names.join(", "))
            }
        };
        let message = format!("`{}` has no member `{name}`", self.show(ty));
        self.error("E1215", span, message, help);
    }

    /// Follows a path of members from an lvalue.
    pub fn walk(&mut self, base: PlaceId, path: &[u32], span: Span) -> PlaceId {
        let mut place = base;
        for &field in path {
            let ty = self.program.places[place].ty;
            let Some(record) = self.program.types.record(ty.ty) else { return place };
            let fields = self.program.types.records[record].fields.as_ref();
            let Some(member) = fields.and_then(|fields| fields.get(field as usize)) else { return place };
            let ty = member.ty.with(ty.qualifiers);
            place = self.place(PlaceKind::Member { base: place, record, field }, ty, span);
        }
        place
    }
}
