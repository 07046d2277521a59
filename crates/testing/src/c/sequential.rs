//! Random sequential programs, to compare a machine with a compiler: everything they do has one meaning under
//! `-fwrapv`, they read no input, they end, and at their end all variables stand in the global array
//! `result`, which is also printed, one value a line.

use super::expression::{Expressions, Kind, Variable};
use super::statement::{Function, Statements};
use super::text::Text;
use super::types::{Type, constant};
use base::Random;

/// The sequential program with this seed.
pub fn sequential(seed: u64) -> String {
    let expressions = Expressions { random: Random::new(seed), variables: vec![] };
    let statements =
        Statements { expressions, text: Text::default(), functions: vec![], structs: vec![], fresh: 0 };
    let mut maker = SequentialMaker { statements };
    maker.text().line("#include <stdio.h>");
    maker.text().line("");
    maker.structs();
    maker.globals();
    for index in 0..maker.random().below(3) {
        maker.function(index);
    }
    maker.main();
    maker.statements.text.finish()
}

/// Types of bit-fields with their largest width. All of them are promoted to `int` or `unsigned`.
const FIELDS: &[(&str, usize)] = &[("int", 31), ("unsigned", 31), ("_Bool", 1), ("unsigned char", 8)];
const INT: Type = Type { name: "int", promoted: 32 };

struct SequentialMaker {
    statements: Statements,
}

impl SequentialMaker {
    fn random(&mut self) -> &mut Random {
        &mut self.statements.expressions.random
    }

    fn text(&mut self) -> &mut Text {
        &mut self.statements.text
    }

    fn variable(&mut self, name: String, ty: Type, kind: Kind) {
        self.statements.expressions.variables.push(Variable { name, ty, kind });
    }

    fn constants(&mut self, count: usize) -> String {
        let values: Vec<String> = (0..count).map(|_| constant(self.random())).collect();
        values.join(", ")
    }

    /// A struct type, two objects of it and an array of two, and a function that takes and returns one.
    fn structs(&mut self) {
        let mut members: Vec<(String, Type, Kind)> = vec![];
        self.text().open("struct S {");
        for index in 0..2 + self.random().below(4) {
            let name = format!("m{index}");
            // The first is always plain, so that there is one whose address can be taken.
            if index > 0 && self.random().percent(40) {
                let (ty, most) = *self.random().pick(FIELDS);
                let width = 1 + self.random().below(most);
                self.text().line(format!("{ty} {name} : {width};"));
                members.push((name, INT, Kind::BitField));
            } else {
                let ty = Type::any(self.random());
                self.text().line(format!("{} {name};", ty.name));
                members.push((name, ty, Kind::Scalar));
            }
        }
        self.text().close("};");
        for (object, length) in [("s0", 1), ("s1", 1), ("r", 2)] {
            self.objects(object, length, &members);
        }
        self.turned(&members);
    }

    fn objects(&mut self, object: &str, length: usize, members: &[(String, Type, Kind)]) {
        let mut values: Vec<String> = (0..length).map(|_| self.constants(members.len())).collect();
        if length == 1 {
            let value = values.remove(0);
            self.text().line(format!("struct S {object} = {{{value}}};"));
            self.statements.structs.push(object.to_string());
        } else {
            let values: Vec<String> = values.iter().map(|it| format!("{{{it}}}")).collect();
            self.text().line(format!("struct S {object}[{length}] = {{{}}};", values.join(", ")));
            self.statements.structs.extend((0..length).map(|index| format!("{object}[{index}]")));
        }
        for (name, ty, kind) in members {
            match (length, kind) {
                (1, _) => self.variable(format!("{object}.{name}"), *ty, *kind),
                (_, Kind::Scalar) => self.variable(format!("{object}[@].{name}"), *ty, Kind::Element(length)),
                // An element's bit-field has no address; its place in the array is fixed.
                _ => (0..length)
                    .for_each(|index| self.variable(format!("{object}[{index}].{name}"), *ty, *kind)),
            }
        }
    }

    fn turned(&mut self, members: &[(String, Type, Kind)]) {
        let ty = Type::any(self.random());
        let outer = std::mem::take(&mut self.statements.expressions.variables);
        self.variable("x".into(), ty, Kind::Scalar);
        for (name, ty, kind) in members {
            self.variable(format!("s.{name}"), *ty, *kind);
        }
        self.text().open(format!("static struct S turned(struct S s, {} x) {{", ty.name));
        let nobody = std::mem::replace(&mut self.statements.structs, vec!["s".to_string()]);
        for _ in 0..1 + self.random().below(2) {
            let (target, _) = self.statements.expressions.target();
            let value = self.statements.expressions.any(2);
            self.text().line(format!("{target} = {value};"));
        }
        self.text().line("return s;");
        self.text().close("}");
        self.statements.structs = nobody;
        self.statements.expressions.variables = outer;
    }

    fn globals(&mut self) {
        for index in 0..3 + self.random().below(4) {
            let ty = Type::any(self.random());
            let (name, value) = (format!("g{index}"), constant(self.random()));
            self.text().line(format!("{} {name} = {value};", ty.name));
            self.variable(name, ty, Kind::Scalar);
        }
        for index in 0..1 + self.random().below(2) {
            let ty = Type::any(self.random());
            let length = *self.random().pick(&[2, 4]);
            let (name, values) = (format!("a{index}"), self.constants(length));
            self.text().line(format!("{} {name}[{length}] = {{{values}}};", ty.name));
            self.variable(name, ty, Kind::Array(length));
        }
    }

    fn function(&mut self, index: usize) {
        let outer = self.statements.expressions.variables.len();
        let result = Type::any(self.random());
        let count = 1 + self.random().below(3);
        let mut parameters = vec![];
        for parameter in 0..count {
            let ty = Type::any(self.random());
            let name = format!("p{parameter}");
            parameters.push(format!("{} {name}", ty.name));
            self.variable(name, ty, Kind::Scalar);
        }
        let name = format!("f{index}");
        self.text().open(format!("static {} {name}({}) {{", result.name, parameters.join(", ")));
        self.statements.block(1, 3);
        let value = self.statements.expressions.any(2);
        self.text().line(format!("return {value};"));
        self.text().close("}");
        self.statements.expressions.variables.truncate(outer);
        self.statements.functions.push(Function { name, parameters: count });
    }

    fn main(&mut self) {
        self.text().line("long long result[128];");
        self.text().open("int main(void) {");
        for _ in 0..2 + self.random().below(4) {
            self.statements.local();
        }
        for _ in 0..4 + self.random().below(8) {
            self.statements.statement(2);
        }
        let values = self.values();
        for (index, value) in values.iter().enumerate() {
            self.text().line(format!("result[{index}] = (long long){value};"));
        }
        for index in 0..values.len() {
            self.text().line(format!("printf(\"%lld\\n\", result[{index}]);"));
        }
        self.text().line("return 0;");
        self.text().close("}");
    }

    /// What can be read at the end, in parts of 64 bits.
    fn values(&self) -> Vec<String> {
        let mut values = vec![];
        for variable in &self.statements.expressions.variables {
            let places = match variable.kind {
                Kind::Array(length) => (0..length).map(|it| format!("{}[{it}]", variable.name)).collect(),
                Kind::Element(length) => {
                    (0..length).map(|it| variable.name.replace('@', &it.to_string())).collect()
                }
                Kind::Pointer => vec![format!("*{}", variable.name)],
                _ => vec![variable.name.clone()],
            };
            for place in places {
                if variable.ty.promoted == 128 {
                    values.push(format!("({place} >> 64)"));
                }
                values.push(place);
            }
        }
        values
    }
}
