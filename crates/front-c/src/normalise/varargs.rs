//! Functions with a variable number of arguments: a list is a number that says which argument comes next.
//! Since such functions are inlined, the arguments are known, and `va_arg` is a case split over those of the
//! right type.

use ::c::{Binary, ExprId, LocalId, Op, Type as Scalar};

use super::super::hir::{self, PlaceId};
use super::super::types::TypeId;
use super::Normaliser;
use super::calls::Argument;
use super::places::Spot;

/// The arguments of one call beyond the parameters.
#[derive(Clone, Debug)]
pub struct Varargs {
    /// The number of the first one.
    first: u128,
    /// Where each is kept, if it is a scalar.
    registers: Vec<Option<LocalId>>,
}

impl Normaliser<'_> {
    /// Keeps arguments for `va_arg`.
    pub fn keep_varargs(&mut self, more: &[Argument]) -> Varargs {
        let open: usize = self
            .current
            .frames
            .iter()
            .filter_map(|frame| frame.varargs.as_ref())
            .map(|it| it.registers.len() + 1)
            .sum();
        let registers = more
            .iter()
            .map(|argument| match *argument {
                Argument::Value(value, _) => {
                    let ty = self.type_of(value);
                    let local = self.temporary(ty);
                    self.emit(Op::Assign { local, value });
                    Some(local)
                }
                Argument::Record(_) => None,
            })
            .collect();
        Varargs { first: open as u128 + 1, registers }
    }

    /// `va_start`.
    pub fn va_start(&mut self, list: hir::ExprId) {
        let spot = self.list(list);
        let first = self.current.frames.last().and_then(|frame| frame.varargs.as_ref()).map(|it| it.first);
        match first {
            Some(first) => {
                let value = self.number(self.word(), first);
                self.store_cell(spot, value);
            }
            None => self.refuse("va_start outside a function with a variable number of arguments"),
        }
    }

    /// `va_copy`.
    pub fn va_copy(&mut self, to: hir::ExprId, from: hir::ExprId) {
        let to = self.list(to);
        let from = self.list(from);
        let value = self.list_value(from);
        self.store_cell(to, value);
    }

    fn list(&mut self, address: hir::ExprId) -> Spot {
        let ty = self.hir.exprs[address].ty;
        let pointee = self.types().pointee(ty).map_or(ty, |to| to.ty);
        let pointer = self.value(address);
        self.pointed(pointer, pointee)
    }

    fn list_value(&mut self, spot: Spot) -> ExprId {
        let word = self.word();
        let local = self.temporary(word);
        if let Some(place) = self.memory_place(spot) {
            self.emit(Op::Load { local, place, atomic: false });
        }
        self.pool.read(local)
    }

    /// `va_arg(list, T)`.
    pub fn va_arg(&mut self, list: PlaceId, ty: TypeId) -> ExprId {
        let spot = self.place(list);
        let Some(scalar) = self.scalar_of(ty) else {
            self.refuse("va_arg of a type that is no scalar");
            return self.any_constant(ty);
        };
        let result = self.temporary(scalar);
        let next = self.list_value(spot);
        let one = self.number(self.word(), 1);
        let after = self.binary(Binary::Add, next, one);
        self.store_cell(spot, after);
        let open: Vec<Varargs> =
            self.current.frames.iter().filter_map(|frame| frame.varargs.clone()).collect();
        let end = self.label();
        for varargs in open {
            for (position, local) in varargs.registers.iter().enumerate() {
                let Some(local) = local.filter(|&local| self.fits_list(local, scalar)) else { continue };
                let number = self.number(self.word(), varargs.first + position as u128);
                let hit = self.binary(Binary::Eq, next, number);
                let past = self.label();
                self.jump_if_true(hit, past, false);
                let value = self.pool.read(local);
                let value = self.resize(value, scalar, true);
                self.emit(Op::Assign { local: result, value });
                self.goto(end);
                self.place_label(past);
            }
        }
        self.emit(Op::Undefined("va_arg without an argument of this type".into()));
        self.place_label(end);
        self.pool.read(result)
    }

    /// Whether an argument can be read as a type: the same one, or a pointer for another pointer.
    fn fits_list(&self, local: LocalId, scalar: Scalar) -> bool {
        self.pool.draft().locals()[local].ty == scalar
    }
}
