//! Expressions and lvalues of sequential programs. They have no effects, so their order of evaluation is
//! free, and every division, shift and index is guarded: with `-fwrapv` each of them has one meaning.

use super::types::{Type, constant};
use base::Random;

/// Something that can be read.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub ty: Type,
    pub kind: Kind,
}

/// How a variable is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A scalar.
    Scalar,
    /// A counter of a loop: read only, or the loop might not end.
    Counter,
    /// A member that is a bit-field: it has no address.
    BitField,
    /// An array with this many elements, a power of two.
    Array(usize),
    /// A pointer that always points to something.
    Pointer,
    /// A member of the elements of an array of structs: its name has `@` for the index.
    Element(usize),
}

/// Writes expressions over the variables in scope.
pub(super) struct Expressions {
    pub random: Random,
    pub variables: Vec<Variable>,
}

impl Expressions {
    /// An expression of some depth.
    pub fn any(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.percent(15) {
            return self.leaf();
        }
        match self.random.below(16) {
            0..=4 => self.binary(depth),
            5 => self.division(depth),
            6 | 7 => self.shift(depth),
            8 | 9 => self.cast(depth),
            10 => format!("({}{})", self.random.pick(&["-", "~", "!", "+"]).to_owned(), self.any(depth - 1)),
            11 | 12 => self.comparison(depth),
            13 => format!("({} ? {} : {})", self.any(depth - 1), self.any(depth - 1), self.any(depth - 1)),
            14 => self.logical(depth),
            _ => self.address_or_size(depth),
        }
    }

    fn leaf(&mut self) -> String {
        if self.random.percent(30) {
            return constant(&mut self.random);
        }
        let index = self.random.below(self.variables.len());
        self.read(index)
    }

    /// The text that reads (or, but for counters, writes) a variable.
    pub fn read(&mut self, index: usize) -> String {
        let variable = self.variables[index].clone();
        match variable.kind {
            Kind::Scalar | Kind::Counter | Kind::BitField => variable.name,
            Kind::Array(length) => format!("{}[{}]", variable.name, self.index(length)),
            Kind::Pointer => format!("*{}", variable.name),
            Kind::Element(length) => variable.name.replace('@', &self.index(length)),
        }
    }

    fn index(&mut self, length: usize) -> String {
        if self.random.percent(50) {
            return self.random.below(length).to_string();
        }
        let plain: Vec<usize> = (0..self.variables.len())
            .filter(|&it| matches!(self.variables[it].kind, Kind::Scalar | Kind::Counter))
            .collect();
        let chosen = *self.random.pick(&plain);
        format!("{} & {}", self.variables[chosen].name, length - 1)
    }

    /// An lvalue that may be written, with the type of its value.
    pub fn target(&mut self) -> (String, Type) {
        let writable: Vec<usize> =
            (0..self.variables.len()).filter(|&it| self.variables[it].kind != Kind::Counter).collect();
        let chosen = *self.random.pick(&writable);
        (self.read(chosen), self.variables[chosen].ty)
    }

    /// The address of an object of just this type, if there is one.
    pub fn address(&mut self, ty: Type) -> Option<String> {
        let fit = |it: &Variable| {
            it.ty == ty && matches!(it.kind, Kind::Scalar | Kind::Array(_) | Kind::Element(_) | Kind::Pointer)
        };
        let fitting: Vec<usize> = (0..self.variables.len()).filter(|&it| fit(&self.variables[it])).collect();
        if fitting.is_empty() {
            return None;
        }
        let chosen = *self.random.pick(&fitting);
        Some(format!("&{}", self.read(chosen)))
    }

    fn binary(&mut self, depth: usize) -> String {
        let operator = *self.random.pick(&["+", "-", "*", "&", "|", "^", "+", "-"]);
        format!("({} {operator} {})", self.any(depth - 1), self.any(depth - 1))
    }

    fn comparison(&mut self, depth: usize) -> String {
        let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        format!("({} {operator} {})", self.any(depth - 1), self.any(depth - 1))
    }

    fn logical(&mut self, depth: usize) -> String {
        let operator = *self.random.pick(&["&&", "||", ","]);
        format!("({} {operator} {})", self.any(depth - 1), self.any(depth - 1))
    }

    fn division(&mut self, depth: usize) -> String {
        let operator = *self.random.pick(&["/", "%"]);
        format!("({} {operator} {})", self.any(depth - 1), self.divisor(depth - 1))
    }

    /// Neither 0 nor -1: the smallest number divided by -1 traps.
    pub fn divisor(&mut self, depth: usize) -> String {
        let operand = self.any(depth);
        if self.random.percent(70) {
            format!("(({operand} & 15) + 1)")
        } else {
            format!("(-(({operand} & 15) + 2))")
        }
    }

    fn shift(&mut self, depth: usize) -> String {
        let ty = Type::any(&mut self.random);
        let operator = *self.random.pick(&["<<", ">>"]);
        let (left, right) = (self.any(depth - 1), self.any(depth - 1));
        format!("(({}){left} {operator} ({right} & {}))", ty.name, ty.shift_mask())
    }

    fn cast(&mut self, depth: usize) -> String {
        format!("(({}){})", Type::any(&mut self.random).name, self.any(depth - 1))
    }

    fn address_or_size(&mut self, depth: usize) -> String {
        let pointers: Vec<usize> =
            (0..self.variables.len()).filter(|&it| self.variables[it].kind == Kind::Pointer).collect();
        if pointers.is_empty() || self.random.percent(30) {
            return format!("(int)sizeof({})", Type::any(&mut self.random).name);
        }
        let pointer = self.variables[*self.random.pick(&pointers)].clone();
        match self.address(pointer.ty) {
            Some(address) => format!("({} == {address})", pointer.name),
            None => self.any(depth - 1),
        }
    }
}
