//! `__attribute__((mode(M)))`: the type of that width.

use super::super::types::{DataModel, IntKind, Qualified, Type, TypeId, Unsupported};
use super::Parser;
use super::attributes::Attributes;

impl Parser<'_> {
    /// The type that a mode or the size of a vector asks for.
    pub fn apply_mode(&mut self, ty: TypeId, attributes: &Attributes) -> TypeId {
        if let Some(bytes) = attributes.vector {
            let vector = self.vector(bytes);
            return self.check.program.types.intern(Type::Unsupported(vector));
        }
        let Some(mode) = &attributes.mode else { return ty };
        let types = &self.check.program.types;
        let unknown = Unsupported {
            what: "a type with this `mode`",
            size: types.size(ty).unwrap_or(1),
            align: types.align(ty),
        };
        let found = match *types.get(ty) {
            Type::Float(_) => match mode.as_str() {
                "SF" => Some(self.check.basic.float),
                "DF" => Some(self.check.basic.double),
                _ => None,
            },
            _ => types.int_kind(ty).and_then(|kind| self.mode_of_integer(kind, mode)),
        };
        found.unwrap_or_else(|| self.check.program.types.intern(Type::Unsupported(unknown)))
    }

    fn mode_of_integer(&mut self, kind: IntKind, mode: &str) -> Option<TypeId> {
        let long = match self.check.model() {
            DataModel::Lp64 => IntKind::Long,
            DataModel::Ilp32 => IntKind::LongLong,
        };
        let wide = match mode {
            "QI" | "byte" => IntKind::SignedChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" => long,
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" => IntKind::Long,
            _ => return None,
        };
        Some(self.check.int(if kind.is_signed() { wide } else { wide.to_unsigned() }))
    }

    /// The type with what later attributes say about it.
    pub fn apply_declarator_mode(&mut self, ty: Qualified, attributes: &Attributes) -> Qualified {
        let plain: TypeId = self.apply_mode(ty.ty, attributes);
        self.apply_noreturn(Qualified { ty: plain, ..ty }, attributes.noreturn)
    }

    /// A pointer to a function that does not return: the attribute belongs to the type that is called.
    pub fn apply_noreturn(&mut self, ty: Qualified, noreturn: bool) -> Qualified {
        let Type::Pointer(to) = *self.check.ty(ty.ty) else { return ty };
        let Type::Function(mut function) = self.check.ty(to.ty).clone() else { return ty };
        if !noreturn {
            return ty;
        }
        function.noreturn = true;
        let function = self.check.program.types.intern(Type::Function(function));
        Qualified { ty: self.check.pointer_to(Qualified { ty: function, ..to }), ..ty }
    }
}
