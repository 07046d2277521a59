//! `sizeof`, `_Alignof` and `__alignof__`.

use base::Span;

use super::super::check::Operand;
use super::super::hir::{PlaceId, PlaceKind};
use super::super::types::{DataModel, FloatKind, IntKind, Qualified, Type};
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
        let ty = match self.measured()? {
            Measured::Type(ty) => ty.ty,
            Measured::Place(place) => {
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
        match self.check.size_value(ty, span) {
            Some(size) => Ok(Operand::Value(size)),
            None => Ok(self.check.error_operand(span)),
        }
    }

    /// `_Alignof(T)`, and in GNU C of an expression; `__alignof__` gives what the compiler prefers outside of structs.
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
        let asked = ty.qualifiers.align() > 0;
        match self.check.model() {
            DataModel::Ilp32 if preferred && wide && !asked => 8,
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
