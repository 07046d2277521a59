//! Statements of sequential programs: all of them end, since loops and jumps backward have a counter of their
//! own.

use super::expression::{Expressions, Kind, Variable};
use super::text::Text;
use super::types::Type;

/// A function that may be called.
pub(super) struct Function {
    pub name: String,
    pub parameters: usize,
}

/// Writes statements.
pub(super) struct Statements {
    pub expressions: Expressions,
    pub text: Text,
    pub functions: Vec<Function>,
    /// Structs that can be assigned to each other.
    pub structs: Vec<String>,
    /// Numbers for fresh names.
    pub fresh: usize,
}

impl Statements {
    fn below(&mut self, bound: usize) -> usize {
        self.expressions.random.below(bound)
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.expressions.random.percent(percent)
    }

    fn any(&mut self, depth: usize) -> String {
        self.expressions.any(depth)
    }

    /// A name that nobody has.
    pub fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// Declares a local and brings it into scope.
    pub fn local(&mut self) {
        let ty = Type::any(&mut self.expressions.random);
        let name = self.name("v");
        let address = if self.percent(30) { self.expressions.address(ty) } else { None };
        let (line, kind) = match address {
            Some(address) => (format!("{} *{name} = {address};", ty.name), Kind::Pointer),
            None => (format!("{} {name} = {};", ty.name, self.any(2)), Kind::Scalar),
        };
        self.text.line(line);
        self.expressions.variables.push(Variable { name, ty, kind });
    }

    /// A block whose locals end with it. `nesting` is how many loops and branches may still stand in it.
    pub fn block(&mut self, nesting: usize, length: usize) {
        let outer = self.expressions.variables.len();
        for _ in 0..self.below(2) {
            self.local();
        }
        for _ in 0..1 + self.below(length) {
            self.statement(nesting);
        }
        self.expressions.variables.truncate(outer);
    }

    /// Any statement.
    pub fn statement(&mut self, nesting: usize) {
        match self.below(if nesting == 0 { 10 } else { 18 }) {
            0..=3 => self.assignment(),
            4 | 5 => self.compound_assignment(),
            6 => self.increment(),
            7 => self.pointer_assignment(),
            8 => self.struct_assignment(),
            9 => self.call(),
            10 | 11 => self.branch(nesting - 1),
            12 => self.for_loop(nesting - 1),
            13 => self.while_loop(nesting - 1),
            14 => self.do_loop(nesting - 1),
            15 => self.switch(nesting - 1),
            16 => self.jump_forward(nesting - 1),
            _ => self.jump_backward(nesting - 1),
        }
    }

    fn assignment(&mut self) {
        let (target, _) = self.expressions.target();
        let value = self.any(3);
        self.text.line(format!("{target} = {value};"));
    }

    fn compound_assignment(&mut self) {
        let (target, ty) = self.expressions.target();
        let line = match self.below(4) {
            0 => format!("{target} <<= {} & {};", self.any(1), ty.shift_mask()),
            1 => format!("{target} >>= {} & {};", self.any(1), ty.shift_mask()),
            2 => {
                let operator = *self.expressions.random.pick(&["/", "%"]);
                format!("{target} {operator}= {};", self.expressions.divisor(1))
            }
            _ => {
                let operator = *self.expressions.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("{target} {operator}= {};", self.any(2))
            }
        };
        self.text.line(line);
    }

    fn increment(&mut self) {
        let (target, _) = self.expressions.target();
        let line = match self.below(4) {
            0 => format!("({target})++;"),
            1 => format!("--({target});"),
            2 => format!("++({target});"),
            _ => format!("({target})--;"),
        };
        self.text.line(line);
    }

    fn pointer_assignment(&mut self) {
        let pointers = self.expressions.variables.iter().filter(|it| it.kind == Kind::Pointer).cloned();
        let pointers: Vec<Variable> = pointers.collect();
        if pointers.is_empty() {
            return self.assignment();
        }
        let pointer = self.expressions.random.pick(&pointers).clone();
        // A pointer must not outlive what it points to: only what was in scope where it was declared.
        let position = self.expressions.variables.iter().position(|it| it.name == pointer.name);
        let later = self.expressions.variables.split_off(position.unwrap_or_default());
        let address = self.expressions.address(pointer.ty);
        self.expressions.variables.extend(later);
        match address {
            Some(address) => self.text.line(format!("{} = {address};", pointer.name)),
            None => self.assignment(),
        }
    }

    fn struct_assignment(&mut self) {
        let (to, from) = (
            self.expressions.random.pick(&self.structs).clone(),
            self.expressions.random.pick(&self.structs).clone(),
        );
        let line = if self.percent(50) {
            format!("{to} = {from};")
        } else {
            format!("{to} = turned({from}, {});", self.any(2))
        };
        self.text.line(line);
    }

    fn call(&mut self) {
        if self.functions.is_empty() {
            return self.assignment();
        }
        let chosen = self.below(self.functions.len());
        let arguments: Vec<String> = (0..self.functions[chosen].parameters).map(|_| self.any(2)).collect();
        let call = format!("{}({})", self.functions[chosen].name, arguments.join(", "));
        // The index of an array element would be unsequenced with what the call writes.
        let plain = |it: &&Variable| matches!(it.kind, Kind::Scalar | Kind::BitField);
        let plain: Vec<String> =
            self.expressions.variables.iter().filter(plain).map(|it| it.name.clone()).collect();
        let target = self.expressions.random.pick(&plain).clone();
        self.text.line(format!("{target} = {call};"));
    }

    fn branch(&mut self, nesting: usize) {
        let condition = self.any(2);
        self.text.open(format!("if ({condition}) {{"));
        self.block(nesting, 3);
        if self.percent(50) {
            self.text.reopen("} else {");
            self.block(nesting, 3);
        }
        self.text.close("}");
    }

    fn loop_body(&mut self, nesting: usize) {
        self.block(nesting, 2);
        if self.percent(40) {
            let leave = *self.expressions.random.pick(&["break", "continue"]);
            let condition = self.any(2);
            self.text.line(format!("if ({condition}) {leave};"));
            self.block(0, 2);
        }
    }

    fn counter(&mut self, stem: &str) -> String {
        let name = self.name(stem);
        let int = Type { name: "int", promoted: 32 };
        self.expressions.variables.push(Variable { name: name.clone(), ty: int, kind: Kind::Counter });
        name
    }

    fn for_loop(&mut self, nesting: usize) {
        let counter = self.counter("i");
        let turns = 1 + self.below(4);
        self.text.open(format!("for (int {counter} = 0; {counter} < {turns}; {counter}++) {{"));
        self.loop_body(nesting);
        self.text.close("}");
        self.expressions.variables.pop();
    }

    fn while_loop(&mut self, nesting: usize) {
        let counter = self.counter("w");
        let (turns, condition) = (1 + self.below(4), self.any(2));
        self.text.open("{");
        self.text.line(format!("int {counter} = {turns};"));
        self.text.open(format!("while ({counter}-- > 0 && {condition}) {{"));
        self.loop_body(nesting);
        self.text.close("}");
        self.text.close("}");
        self.expressions.variables.pop();
    }

    fn do_loop(&mut self, nesting: usize) {
        let counter = self.counter("d");
        let turns = 1 + self.below(4);
        self.text.open("{");
        self.text.line(format!("int {counter} = 0;"));
        self.text.open("do {");
        self.loop_body(nesting);
        let condition = self.any(1);
        self.text.close(format!("}} while (++{counter} < {turns} && {condition});"));
        self.text.close("}");
        self.expressions.variables.pop();
    }

    fn switch(&mut self, nesting: usize) {
        let ty = *self.expressions.random.pick(&["int", "unsigned char", "long", "unsigned"]);
        let value = self.any(2);
        self.text.open(format!("switch (({ty}){value} & 7) {{"));
        let labels = ["case 0:", "case 1: case 6:", "case 2 ... 4:", "default:"];
        let first = self.below(labels.len());
        for index in 0..1 + self.below(labels.len()) {
            self.text.open(format!("{} {{", labels[(first + index) % labels.len()]));
            self.block(nesting, 2);
            self.text.close("}");
            if self.percent(60) {
                self.text.line("break;");
            }
        }
        self.text.close("}");
    }

    fn jump_forward(&mut self, nesting: usize) {
        let label = self.name("L");
        let condition = self.any(2);
        self.text.line(format!("if ({condition}) goto {label};"));
        self.text.open("{");
        self.block(nesting, 3);
        self.text.close("}");
        self.text.line(format!("{label}: ;"));
    }

    fn jump_backward(&mut self, nesting: usize) {
        let label = self.name("L");
        let counter = self.counter("k");
        self.text.open("{");
        self.text.line(format!("int {counter} = 0;"));
        self.text.line(format!("{label}: ;"));
        self.block(nesting, 2);
        let condition = self.any(2);
        self.text.line(format!("if (++{counter} < 3 && {condition}) goto {label};"));
        self.text.close("}");
        self.expressions.variables.pop();
    }
}
