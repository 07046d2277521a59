//! `sizeof`, `_Alignof` and `__alignof__`.

use base::Span;

use super::super::check::Operand;
use super::super::hir::{ExprId, ExprKind, Place, PlaceId, PlaceKind};
use super::super::types::{ArrayLength, DataModel, FloatKind, IntKind, Qualified, Type};
use super::{Parsed, Parser};

/// What a size or an alignment is asked of.
enum Measured {
    Type(Qualified),
    Place(PlaceId),
}

impl Parser<'_> {
    /// `sizeof e`, `sizeof(T)`.
    pub fn size_of(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        let known = self.check.pending.len();
        let mut evaluated = None;
        let ty = match self.measured()? {
            Measured::Type(ty) => ty.ty,
            Measured::Place(place) => {
                evaluated = self.evaluated_for_size(place);
                if self.check.bit_field(place).is_some() {
                    let help = "ask for the size of its type";
                    self.check.error("E1217", start, "a bit-field has no size of its own", help);
                }
                self.check.program.places[place].ty.ty
            }
        };
        let span = self.from(start);
        if matches!(self.check.ty(ty), Type::Error) {
            return Ok(self.check.error_operand(span));
        }
        let Some(size) = self.check.size_value(ty, span) else { return Ok(self.check.error_operand(span)) };
        let size = match evaluated {
            Some(operand) => self.check.comma(Operand::Value(operand), Operand::Value(size), span),
            None => Operand::Value(size),
        };
        Ok(self.with_lengths(known, size, span))
    }

    /// The operand of a `sizeof` is evaluated if its length is not a constant (C11 6.5.3.4). A variable by
    /// its name does nothing.
    fn evaluated_for_size(&mut self, place: PlaceId) -> Option<ExprId> {
        let Place { kind, ty, span, .. } = self.check.program.places[place].clone();
        let length = match self.check.ty(ty.ty) {
            Type::Array { length, .. } => *length,
            _ => return None,
        };
        let plain = matches!(kind, PlaceKind::Variable(_));
        if plain || !matches!(length, ArrayLength::Variable(_)) {
            return None;
        }
        let pointer = self.check.basic.void_pointer;
        Some(self.check.expr(ExprKind::AddressOf(place), pointer, span))
    }

    /// The lengths of variable-length arrays in the name of a type are worked out where it stands, each time;
    /// `known` says how many there were before it.
    pub fn with_lengths(&mut self, known: usize, operand: Operand, span: Span) -> Operand {
        // Those of parameters are worked out when the function is entered.
        if self.check.in_parameters > 0 || self.check.pending.len() <= known {
            return operand;
        }
        let mut result = operand;
        for variable in self.check.pending.split_off(known).into_iter().rev() {
            let declared = &self.check.program.variables[variable];
            let (ty, init) = (declared.ty, declared.init.clone());
            let place = self.check.place(PlaceKind::Variable(variable), ty, span);
            for cell in init.iter().flat_map(|init| &init.cells) {
                let kind = ExprKind::Assign { place, value: cell.value };
                let length = self.check.expr(kind, ty.ty, span);
                result = self.check.comma(Operand::Value(length), result, span);
            }
        }
        result
    }

    /// `_Alignof(T)`, and in GNU C of an expression; `__alignof__` gives what the compiler prefers outside of
    /// structs.
    pub fn align_of(&mut self) -> Parsed<Operand> {
        let token = self.bump();
        let preferred = self.text_of(token).starts_with("__");
        let measured = self.measured()?;
        let span = self.from(token.span);
        let size = self.check.basic.size;
        let align = match measured {
            Measured::Type(ty) => self.alignment(ty, preferred),
            Measured::Place(place) => match self.check.program.places[place].kind {
                PlaceKind::Variable(variable) => {
                    let variable = &self.check.program.variables[variable];
                    self.alignment(variable.ty, preferred).max(variable.align)
                }
                PlaceKind::Member { .. } => {
                    return Ok(Operand::Value(self.check.refused("the alignment of a member", size, span)));
                }
                _ => self.alignment(self.check.program.places[place].ty, preferred),
            },
        };
        Ok(Operand::Value(self.check.integer(i128::from(align), size, span)))
    }

    fn alignment(&self, ty: Qualified, preferred: bool) -> u64 {
        let wide = matches!(
            self.check.ty(ty.ty),
            Type::Int(IntKind::LongLong | IntKind::UnsignedLongLong) | Type::Float(FloatKind::Double)
        );
        let chosen = ty.qualifiers.align() > 0;
        match self.check.model() {
            DataModel::Ilp32 if preferred && wide && !chosen => 8,
            _ => self.check.program.types.qualified_align(ty),
        }
    }

    /// `(T)`, or an expression that is not evaluated.
    fn measured(&mut self) -> Parsed<Measured> {
        if self.at("(") && self.starts_type(1) {
            let start = self.bump().span;
            let (ty, _) = self.type_name()?;
            self.expect(")")?;
            if !self.at("{") {
                return Ok(Measured::Type(ty));
            }
            let tree = self.initialiser_list()?;
            let span: Span = self.from(start);
            let literal = self.check.compound_literal(ty, &tree, span);
            let operand = self.postfix_of(literal, start)?;
            return Ok(self.measured_operand(operand));
        }
        let operand = self.unary()?;
        Ok(self.measured_operand(operand))
    }

    fn measured_operand(&self, operand: Operand) -> Measured {
        match operand {
            Operand::Place(place) => Measured::Place(place),
            other => Measured::Type(self.check.operand_type(other)),
        }
    }
}
