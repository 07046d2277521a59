//! Random sequential programs about bytes: unions read through other members, packed structs, casts of
//! pointers, `memcpy` and `memset` of parts, headers with data behind them, pointers copied in pieces. Every
//! object that is looked at by bytes has 32 of them, all written, none of which is padding; with
//! `-fno-strict-aliasing` all that they do has one meaning.

use super::expression::{Expressions, Kind, Variable};
use super::statement::Statements;
use super::text::Text;
use super::types::{Type, constant};
use base::Random;

/// Types of members with their sizes. A byte may be no truth value.
const MEMBERS: &[(Type, usize)] = &[
    (Type { name: "char", promoted: 32 }, 1),
    (Type { name: "unsigned char", promoted: 32 }, 1),
    (Type { name: "short", promoted: 32 }, 2),
    (Type { name: "unsigned short", promoted: 32 }, 2),
    (Type { name: "int", promoted: 32 }, 4),
    (Type { name: "unsigned", promoted: 32 }, 4),
    (Type { name: "long", promoted: 64 }, 8),
    (Type { name: "unsigned long", promoted: 64 }, 8),
    (Type { name: "__int128", promoted: 128 }, 16),
];
/// The bytes of every object that is looked at by bytes.
const SIZE: usize = 32;

/// The program about bytes with this seed.
pub fn bytes(seed: u64) -> String {
    let expressions = Expressions { random: Random::new(seed), variables: vec![] };
    let statements =
        Statements { expressions, text: Text::default(), functions: vec![], structs: vec![], fresh: 0 };
    let mut maker = BytesMaker { statements, objects: vec![] };
    for line in [
        "#include <stdio.h>",
        "void *memcpy(void *, const void *, unsigned long);",
        "void *memmove(void *, const void *, unsigned long);",
        "void *memset(void *, int, unsigned long);",
        "int memcmp(const void *, const void *, unsigned long);",
        "void *malloc(unsigned long);",
        "void free(void *);",
        "",
    ] {
        maker.line(line);
    }
    maker.union();
    maker.packed();
    maker.globals();
    maker.main();
    maker.statements.text.finish()
}

/// An object that is looked at by bytes.
struct Object {
    /// Its address, as characters.
    address: String,
}

struct BytesMaker {
    statements: Statements,
    objects: Vec<Object>,
}

impl BytesMaker {
    fn random(&mut self) -> &mut Random {
        &mut self.statements.expressions.random
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.statements.text.line(line);
    }

    fn any(&mut self) -> String {
        self.statements.expressions.any(2)
    }

    fn member(&mut self) -> (Type, usize) {
        *self.random().pick(MEMBERS)
    }

    fn variable(&mut self, name: String, ty: Type, kind: Kind) {
        self.statements.expressions.variables.push(Variable { name, ty, kind });
    }

    /// A union type, objects of it, and a function that takes and returns one.
    fn union(&mut self) {
        let mut members = vec![];
        let mut first = "bytes".to_string();
        self.statements.text.open("union Both {");
        for index in 0..1 + self.random().below(3) {
            let ((ty, size), name) = (self.member(), format!("m{index}"));
            match self.random().below(3) {
                0 => {
                    let length = *self.random().pick(&[2, SIZE / size]);
                    self.line(format!("{} {name}[{length}];", ty.name));
                    members.push((name, ty, Kind::Array(length)));
                }
                1 => {
                    let (second, _) = self.member();
                    let shape = format!("{} x; {} y;", ty.name, second.name);
                    self.line(format!("struct __attribute__((packed)) {{ {shape} }} {name};"));
                    members.push((format!("{name}.x"), ty, Kind::Scalar));
                    members.push((format!("{name}.y"), second, Kind::Scalar));
                }
                _ => {
                    self.line(format!("{} {name};", ty.name));
                    members.push((name.clone(), ty, Kind::Scalar));
                    first = name;
                }
            }
        }
        if self.random().percent(50) {
            self.line("struct { unsigned f : 3; int g : 9; unsigned h : 20; } bits;");
            for (name, ty) in [("f", MEMBERS[5].0), ("g", MEMBERS[4].0), ("h", MEMBERS[5].0)] {
                members.push((format!("bits.{name}"), ty, Kind::BitField));
            }
        }
        self.line(format!("unsigned char bytes[{SIZE}];"));
        members.push(("bytes".into(), MEMBERS[1].0, Kind::Array(SIZE)));
        self.statements.text.close("} __attribute__((aligned(16)));");
        let values = if first == "bytes" { "{1, 2, 3}".into() } else { constant(self.random()) };
        self.line(format!("union Both u0 = {{.{first} = {values}}};"));
        self.line("union Both u1 = {.bytes = {9, [4] = 5, [1 ... 2] = 3}};");
        self.turned(&members);
        for object in ["u0", "u1"] {
            for (name, ty, kind) in &members {
                self.variable(format!("{object}.{name}"), *ty, *kind);
            }
            self.statements.structs.push(object.into());
            self.views(object.to_string());
        }
    }

    fn turned(&mut self, members: &[(String, Type, Kind)]) {
        let outer = std::mem::take(&mut self.statements.expressions.variables);
        self.variable("x".into(), MEMBERS[6].0, Kind::Scalar);
        for (name, ty, kind) in members {
            self.variable(format!("s.{name}"), *ty, *kind);
        }
        self.statements.text.open("static union Both turned(union Both s, long x) {");
        for _ in 0..1 + self.random().below(2) {
            let (target, _) = self.statements.expressions.target();
            let value = self.any();
            self.line(format!("{target} = {value};"));
        }
        self.line("return s;");
        self.statements.text.close("}");
        self.statements.expressions.variables = outer;
    }

    /// A packed struct of members that lie at odd offsets.
    fn packed(&mut self) {
        let (mut members, mut size) = (vec![], 0);
        self.statements.text.open("struct __attribute__((packed)) P {");
        for index in 0..5 {
            let (ty, bytes) = self.member();
            if size + bytes < SIZE {
                self.line(format!("{} p{index};", ty.name));
                members.push((format!("p{index}"), ty));
                size += bytes;
            }
        }
        self.line(format!("unsigned char rest[{}];", SIZE - size));
        self.statements.text.close("} __attribute__((aligned(16)));");
        let value = constant(self.random());
        self.line(format!("struct P q0 = {{{value}}};"));
        self.line("struct P q1;");
        for object in ["q0", "q1"] {
            for (name, ty) in &members {
                // The address of a packed member may be odd.
                self.variable(format!("{object}.{name}"), *ty, Kind::BitField);
            }
            self.views(object.into());
        }
    }

    /// An object as arrays of other types.
    fn views(&mut self, object: String) {
        self.views_at(format!("&{object}"));
    }

    fn views_at(&mut self, address: String) {
        for _ in 0..2 {
            let (ty, size) = self.member();
            self.variable(format!("(({} *){address})", ty.name), ty, Kind::Array(SIZE / size));
        }
        self.objects.push(Object { address: format!("((unsigned char *){address})") });
    }

    fn globals(&mut self) {
        for index in 0..3 {
            let ((ty, _), value) = (self.member(), constant(self.random()));
            self.line(format!("{} g{index} = {value};", ty.name));
            self.variable(format!("g{index}"), ty, Kind::Scalar);
        }
        self.line(format!("unsigned char pool[{SIZE}] __attribute__((aligned(16))) = \"bytes\";"));
        self.views_at("pool".into());
        self.line("int words[4] = {1, 2, 3, 4};");
        self.variable("words".into(), MEMBERS[4].0, Kind::Array(4));
        self.line("struct H { int n; long m; };");
        self.line("struct F { short n; int d[]; };");
        self.line("int *pointer = words, *other = words + 1;");
        self.line("struct N { char tag; union { int *to; long number; } at; } node;");
    }

    fn main(&mut self) {
        self.line("long long result[256];");
        self.statements.text.open("int main(void) {");
        self.heap();
        self.line("union Both local = u1;");
        self.views("local".into());
        for _ in 0..2 {
            self.statements.local();
        }
        for _ in 0..6 + self.random().below(10) {
            if self.random().percent(60) {
                self.bytes_statement();
            } else {
                self.statements.statement(1);
            }
        }
        let values = self.values();
        for (index, value) in values.iter().enumerate() {
            self.line(format!("result[{index}] = (long long){value};"));
        }
        for index in 0..values.len() {
            self.line(format!("printf(\"%lld\\n\", result[{index}]);"));
        }
        self.line("return 0;");
        self.statements.text.close("}");
    }

    /// Memory with a header and data behind it, and a struct with an array of its own length.
    fn heap(&mut self) {
        let data = self.random().below(3) * 4 + SIZE;
        self.line(format!("struct H *h = malloc(sizeof(struct H) + {data});"));
        self.line(format!("memset(h, 0, sizeof(struct H) + {data});"));
        self.variable("h->n".into(), MEMBERS[4].0, Kind::Scalar);
        self.variable("h->m".into(), MEMBERS[6].0, Kind::Scalar);
        self.views_at("(h + 1)".into());
        let value = self.any();
        self.line(format!("int length = (({value}) & 3) + {};", SIZE / 4));
        self.line("struct F *f = malloc(sizeof(struct F) + length * sizeof(int));");
        self.line("f->n = length;");
        self.line("for (int i = 0; i < length; i++) f->d[i] = i * 0x01020304;");
        self.variable("f->n".into(), MEMBERS[2].0, Kind::Scalar);
        self.variable("f->d".into(), MEMBERS[4].0, Kind::Array(SIZE / 4));
        self.views_at("f->d".into());
    }

    /// A place in an object and how many bytes may be touched there.
    fn part(&mut self) -> (String, usize) {
        let number = self.objects.len();
        let at = self.random().below(number);
        let start = self.random().below(SIZE);
        let address = self.objects[at].address.clone();
        (format!("{address} + {start}"), SIZE - start)
    }

    fn bytes_statement(&mut self) {
        let (to, capacity) = self.part();
        let (from, length) = self.part();
        let most = capacity.min(length);
        let fixed = 1 + self.random().below(most);
        let value = self.any();
        let line = match self.random().below(9) {
            // Two places in one object may overlap.
            0 => format!("memmove({to}, {from}, {fixed});"),
            1 => format!(
                "{{ unsigned char t[{SIZE}]; memcpy(t, {from}, {fixed}); memcpy({to}, t, {fixed}); }}"
            ),
            2 => format!("memset({to}, {value}, {});", 1 + self.random().below(capacity)),
            3 => format!(
                "memset({to}, {value}, ({value}) & {});",
                (capacity.next_power_of_two() / 2).max(1) - 1
            ),
            4 => format!("*({to}) = {value};"),
            5 => format!("for (int i = 0; i < {most}; i++) ({to})[i] ^= i;"),
            6 => self.pointer(),
            7 => {
                let (ty, bytes) = self.member();
                let (wide, part) = (ty.name, bytes.min(most));
                format!(
                    "{{ {wide} t = {value}; memcpy({to}, &t, {part}); memcpy(&t, {from}, {part}); g0 = t; }}"
                )
            }
            _ => format!("g0 = memcmp({to}, {from}, {fixed}) == 0;"),
        };
        self.line(line);
    }

    /// A pointer goes in pieces, and what it points to is changed.
    fn pointer(&mut self) -> String {
        let value = self.any();
        let copied = *self.random().pick(&[
            "for (int i = 0; i < 8; i++) ((char *)&t)[i] = ((char *)&pointer)[i];",
            "((unsigned *)&t)[0] = ((unsigned *)&pointer)[0]; ((unsigned *)&t)[1] = ((unsigned *)&pointer)[1];",
            "for (int i = 3; i >= 0; i--) ((short *)&t)[i] = ((short *)&pointer)[i];",
            "memcpy((char *)&t, (char *)&pointer, 3); memcpy((char *)&t + 3, (char *)&pointer + 3, 5);",
            "struct N n; node.at.to = pointer; memcpy(&n, &node, sizeof n); t = n.at.to;",
            "struct N n; n.at.to = pointer; n.tag = 1; node = n; t = (int *)node.at.number;",
            "t = (int *)(((unsigned long)pointer | 1) & ~3UL);",
            "memcpy(pool + 5, &pointer, 8); memcpy(&t, pool + 5, 8); memset(pool + 5, 1, 8);",
            "memcpy(&t, &pointer, 8); if (memcmp(&t, &pointer, 8)) t = other;",
        ]);
        format!("{{ int *t = other; {copied} *t = {value}; pointer = t == words + 3 ? words : t + 1; }}")
    }

    /// What can be read at the end, in parts of 64 bits.
    fn values(&self) -> Vec<String> {
        let words = |it: &Object| {
            let address = it.address.clone();
            (0..SIZE / 8).map(move |at| format!("((long *){address})[{at}]"))
        };
        let mut values: Vec<String> = self.objects.iter().flat_map(words).collect();
        for variable in &self.statements.expressions.variables {
            match variable.kind {
                Kind::Array(_) => {}
                Kind::Pointer => values.push(format!("*{}", variable.name)),
                _ => values.push(variable.name.clone()),
            }
        }
        values.extend((0..4).map(|at| format!("words[{at}]")));
        values.push("(pointer - words)".into());
        values
    }
}
