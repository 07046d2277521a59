//! Whether types are compatible, and the composite of two that are.

use super::super::types::{ArrayLength, FunctionType, Qualified, Type, TypeId};
use super::Checker;

/// Levels to which types are compared: beyond, they count as compatible, which only makes the checker more
/// lenient.
const DEEPEST: u32 = 40;

impl Checker {
    /// Whether two types can stand for each other.
    pub fn compatible(&self, one: TypeId, other: TypeId) -> bool {
        self.compatible_to(one, other, DEEPEST)
    }

    fn compatible_to(&self, one: TypeId, other: TypeId, depth: u32) -> bool {
        if one == other || depth == 0 {
            return true;
        }
        match (self.ty(one), self.ty(other)) {
            (Type::Error | Type::Unsupported(_), _) | (_, Type::Error | Type::Unsupported(_)) => true,
            (Type::Pointer(one), Type::Pointer(other)) => {
                one.qualifiers.same(other.qualifiers) && self.compatible_to(one.ty, other.ty, depth - 1)
            }
            (Type::Array { element: one, length: n }, Type::Array { element: other, length: m }) => {
                let lengths = match (n, m) {
                    (ArrayLength::Known(n), ArrayLength::Known(m)) => n == m,
                    _ => true,
                };
                lengths && self.compatible_to(one.ty, other.ty, depth - 1)
            }
            (Type::Function(one), Type::Function(other)) => self.compatible_functions(one, other, depth - 1),
            (Type::Enum(_), Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
                self.program.types.int_kind(one) == self.program.types.int_kind(other)
            }
            (Type::Enum(first), Type::Enum(second)) => {
                // Units have enumerations of their own, too; one may know only the tag.
                let same_kind = self.program.types.int_kind(one) == self.program.types.int_kind(other);
                let (one, other) = (&self.program.types.enums[*first], &self.program.types.enums[*second]);
                one.tag == other.tag
                    && one.unit != other.unit
                    && (same_kind || !one.complete || !other.complete)
            }
            (Type::Record(one), Type::Record(other)) => {
                // Units have records of their own: those with the same tag and layout are the same.
                let (one, other) = (&self.program.types.records[*one], &self.program.types.records[*other]);
                // One that is incomplete in its unit may be completed by another (C11 6.2.7).
                let open = one.fields.is_none() || other.fields.is_none();
                let names = |fields: &Option<Vec<super::super::types::Field>>| {
                    fields
                        .as_ref()
                        .map(|fields| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>())
                };
                one.tag == other.tag
                    && one.union == other.union
                    && one.unit != other.unit
                    && (open || one.size == other.size && names(&one.fields) == names(&other.fields))
            }
            (Type::Opaque(one, _), Type::Opaque(other, _)) => one == other,
            _ => false,
        }
    }

    fn compatible_functions(&self, one: &FunctionType, other: &FunctionType, depth: u32) -> bool {
        if !self.compatible_to(one.result, other.result, depth) {
            return false;
        }
        if !one.prototype || !other.prototype {
            return true;
        }
        one.variadic == other.variadic
            && one.parameters.len() == other.parameters.len()
            && one
                .parameters
                .iter()
                .zip(&other.parameters)
                .all(|(one, other)| self.compatible_to(one.ty, other.ty, depth))
    }

    /// The type that says all that two compatible types say: the known length of an array, the declared
    /// parameters of a function, the members of what one unit leaves open.
    pub fn composite(&mut self, one: TypeId, other: TypeId) -> TypeId {
        self.composite_to(one, other, DEEPEST)
    }

    fn composite_to(&mut self, one: TypeId, other: TypeId, depth: u32) -> TypeId {
        if one == other || depth == 0 {
            return one;
        }
        match (self.ty(one).clone(), self.ty(other).clone()) {
            (Type::Pointer(first), Type::Pointer(second)) => {
                let ty = self.composite_to(first.ty, second.ty, depth - 1);
                self.program.types.intern(Type::Pointer(Qualified { ty, ..first }))
            }
            (Type::Array { element: first, length }, Type::Array { element: second, length: other }) => {
                let ty = self.composite_to(first.ty, second.ty, depth - 1);
                let length = if length == ArrayLength::Unknown { other } else { length };
                self.program.types.intern(Type::Array { element: Qualified { ty, ..first }, length })
            }
            // What is incomplete in one unit is completed by another.
            (Type::Record(first), Type::Record(second)) => {
                let is_open = |it| self.program.types.records[it].fields.is_none();
                if is_open(first) && !is_open(second) { other } else { one }
            }
            (Type::Enum(first), Type::Enum(second)) => {
                let is_open = |it| !self.program.types.enums[it].complete;
                if is_open(first) && !is_open(second) { other } else { one }
            }
            (Type::Function(first), Type::Function(second)) if !first.prototype && second.prototype => other,
            (Type::Function(first), Type::Function(second)) if second.prototype => {
                self.composite_function(first, &second, depth - 1)
            }
            _ => one,
        }
    }

    fn composite_function(&mut self, one: FunctionType, other: &FunctionType, depth: u32) -> TypeId {
        let result = self.composite_to(one.result, other.result, depth);
        let pairs = one.parameters.iter().zip(&other.parameters);
        let parameters = pairs
            .map(|(one, other)| Qualified { ty: self.composite_to(one.ty, other.ty, depth), ..*one })
            .collect();
        self.program.types.intern(Type::Function(FunctionType { result, parameters, ..one }))
    }

    /// A parameter's type as its function sees it: arrays and functions are pointers.
    pub fn adjust_parameter(&mut self, ty: Qualified) -> Qualified {
        match *self.ty(ty.ty) {
            Type::Array { element, .. } => Qualified::plain(self.pointer_to(element.with(ty.qualifiers))),
            Type::Function(_) => Qualified::plain(self.pointer_to(ty)),
            _ => ty,
        }
    }

    /// The type that `__builtin_types_compatible_p` and `_Generic` compare: without qualifiers at the top.
    pub fn generic_compatible(&self, one: TypeId, other: TypeId) -> bool {
        // `int` and an enumeration of the same kind are compatible, but so are no two distinct enumerations.
        self.compatible(one, other)
    }
}
