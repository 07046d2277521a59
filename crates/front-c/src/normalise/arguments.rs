//! What `main` is given, and what standard input holds: strings that the user gives, or any.

use std::collections::HashSet;

use ::c::{
    ChoiceOrigin, Constant, Layout, Object, ObjectId, ObjectScope, Op, OriginKind, Range, Type as Scalar,
};

use super::super::hir::{CastKind, ExprId, ExprKind, VarId};
use super::Normaliser;
use super::facts::whole_variable;

/// The type of a character.
const CHAR: Scalar = Scalar::Bits(8);

impl Normaliser<'_> {
    /// Gives a parameter of `main` its value. Where nothing is said `argc` is any number from 1, `argv` and
    /// what comes after are strings that nobody knows.
    pub fn main_argument(&mut self, position: usize, parameter: VarId) {
        let ty = self.hir.variables[parameter].ty.ty;
        let Some(scalar) = self.scalar_of(ty) else { return };
        let given = &self.options.environment.arguments;
        let value = match (position, scalar, given) {
            (0, Scalar::Bits(_), Some(strings)) => self.number(scalar, strings.len() as u128),
            (1, Scalar::Pointer, Some(strings)) => {
                let object = self.given_arguments(strings);
                self.pool.address(object)
            }
            (0, Scalar::Bits(bits), None) => self.any_count(parameter, bits),
            _ => {
                if position == 1 && self.is_looked_at(parameter) {
                    let name = &self.hir.variables[parameter].name;
                    let message = format!("the strings of `{name}` are not known: reading them is refused");
                    self.warn_with_help("W1812", message, "give them with `--args A B …`");
                }
                let object = self.unknown_object(&self.hir.variables[parameter].name);
                self.pool.address(object)
            }
        };
        let binding = self.bind_local(parameter);
        self.give(binding, ty, value);
    }

    /// Whether a variable is used for more than to say that it is not.
    fn is_looked_at(&self, variable: VarId) -> bool {
        let exprs = &self.hir.exprs;
        let dropped: HashSet<ExprId> = exprs
            .iter()
            .filter_map(|it| match it.kind {
                ExprKind::Cast(CastKind::Void, inner) => Some(inner),
                _ => None,
            })
            .collect();
        exprs.enumerate().any(|(id, it)| match it.kind {
            ExprKind::Load(place) => {
                whole_variable(self.hir, place) == Some(variable) && !dropped.contains(&id)
            }
            _ => false,
        })
    }

    fn any_count(&mut self, parameter: VarId, bits: u8) -> ::c::ExprId {
        let local = self.temporary(Scalar::Bits(bits));
        let high = i128::from(i32::MAX).min((1i128 << (bits.min(64) - 1)) - 1).max(1);
        let name = self.hir.variables[parameter].name.clone();
        let origin = Some(self.pool.origin(ChoiceOrigin::new(OriginKind::Argument, name)));
        self.emit(Op::Choose { local, range: Some(Range { low: 1, high, signed: true }), origin });
        self.pool.read(local)
    }

    /// The array of strings, with a null pointer behind them. The program may write all of it.
    fn given_arguments(&mut self, strings: &[Vec<u8>]) -> ObjectId {
        let mut values = vec![];
        for (number, string) in strings.iter().enumerate() {
            let object = self.bytes_object(&format!("argument_{number}"), string, false);
            values.push((number as u64, Constant::Address(object, 0)));
        }
        let layout = Layout::scalar(Scalar::Pointer, self.pool.exprs().pointer_bits());
        let layout = self.pool.layout(layout);
        let name = self.object_name("arguments");
        let count = strings.len() as u64 + 1;
        let scope = ObjectScope::Static;
        self.pool.object(Object { name, scope, layout, count, init: values, constant: false })
    }

    /// What the user says that standard input holds, with a zero behind it.
    pub fn given_input(&mut self) -> Option<ObjectId> {
        const NAME: &str = "standard_input";
        let bytes = self.options.environment.input.as_ref()?;
        if let Some(&object) = self.specials.get(NAME) {
            return Some(object);
        }
        let object = self.bytes_object(NAME, bytes, true);
        self.specials.insert(NAME, object);
        Some(object)
    }

    fn bytes_object(&mut self, name: &str, bytes: &[u8], constant: bool) -> ObjectId {
        let layout = Layout::scalar(CHAR, self.pool.exprs().pointer_bits());
        let layout = self.pool.layout(layout);
        let values = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let init = values.map(|(at, &byte)| (at as u64, Constant::Bits(u128::from(byte)))).collect();
        let name = self.object_name(name);
        let count = bytes.len() as u64 + 1;
        self.pool.object(Object { name, scope: ObjectScope::Static, layout, count, init, constant })
    }
}
