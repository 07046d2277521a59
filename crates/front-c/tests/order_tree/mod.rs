//! Trees of expressions with effects: made at random, written as C, and evaluated from left to right.

use base::Random;

/// A number or a struct of two numbers.
#[derive(Clone, Debug)]
pub enum Tree {
    Number(i32),
    Load(Box<Place>),
    Assign(Box<Place>, Box<Tree>),
    Update(char, Box<Place>, Box<Tree>),
    Increment {
        up: bool,
        postfix: bool,
        place: Box<Place>,
    },
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Comma(Box<Tree>, Box<Tree>),
    Choose(Box<Tree>, Box<Tree>, Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    /// `f`, `k`, `sf`, `sg` or `mk` of the prologue.
    Call(&'static str, Vec<Tree>),
}

/// An lvalue.
#[derive(Clone, Debug)]
pub enum Place {
    /// A variable or a member: `s1.x`, or the struct `s1` itself.
    Name(&'static str),
    /// An element of `t` or `u`, or the struct `r[…]`.
    Element(&'static str, Box<Tree>),
}

/// Makes trees.
pub struct Maker {
    pub random: Random,
}

const NAMES: [&str; 9] = ["a", "b", "c", "g", "h", "s1.x", "s1.y", "s2.x", "s2.y"];
const OPERATORS: [&str; 7] = ["+", "-", "*", "^", "&", "<", "=="];

impl Maker {
    /// A number.
    pub fn number(&mut self, depth: usize) -> Tree {
        if depth == 0 || self.random.percent(12) {
            let name = *self.random.pick(&NAMES);
            let number = self.random.below(9) as i32 - 3;
            return if self.random.percent(30) {
                Tree::Number(number)
            } else {
                Tree::Load(Place::Name(name).into())
            };
        }
        let mut part = || Box::new(self.number(depth - 1));
        let (a, b, c) = (part(), part(), part());
        match self.random.below(14) {
            0 => Tree::Load(self.place(depth - 1)),
            1 | 2 => Tree::Assign(self.place(depth - 1), a),
            3 => Tree::Update(*self.random.pick(&['+', '-', '^', '*']), self.place(depth - 1), a),
            4 => {
                let (up, postfix) = (self.random.percent(50), self.random.percent(50));
                Tree::Increment { up, postfix, place: self.place(depth - 1) }
            }
            5 | 6 => Tree::Binary(OPERATORS[self.random.below(OPERATORS.len())], a, b),
            7 => Tree::Comma(a, b),
            8 => Tree::Choose(a, b, c),
            9 => {
                if self.random.percent(50) {
                    Tree::And(a, b)
                } else {
                    Tree::Or(a, b)
                }
            }
            10 => Tree::Call("f", vec![*a]),
            11 => Tree::Call("k", vec![*a, *b]),
            12 => Tree::Call("sf", vec![self.pair(depth - 1), *a]),
            _ => Tree::Call("sg", vec![*a, self.pair(depth - 1), self.pair(depth - 1)]),
        }
    }

    /// A struct.
    fn pair(&mut self, depth: usize) -> Tree {
        let name = *self.random.pick(&["s1", "s2"]);
        let kind = if depth == 0 { 0 } else { self.random.below(7) };
        if kind < 2 {
            return Tree::Load(Place::Name(name).into());
        }
        let inner = Box::new(self.pair(depth - 1));
        let number = Box::new(self.number(depth - 1));
        match kind {
            2 => Tree::Assign(Place::Name(name).into(), inner),
            3 => Tree::Call("mk", vec![*number, self.number(depth - 1)]),
            4 => Tree::Choose(number, inner, Box::new(self.pair(depth - 1))),
            5 => Tree::Comma(number, inner),
            _ => Tree::Assign(Place::Element("r", number).into(), inner),
        }
    }

    fn place(&mut self, depth: usize) -> Box<Place> {
        let name = *self.random.pick(&NAMES);
        Box::new(match self.random.below(4) {
            0 => Place::Element("t", self.number(depth).into()),
            1 => Place::Element("u", self.number(depth).into()),
            _ => Place::Name(name),
        })
    }
}

/// A tree as C.
pub fn show(tree: &Tree) -> String {
    match tree {
        Tree::Number(number) => format!("({number})"),
        Tree::Load(place) => show_place(place),
        Tree::Assign(place, value) => format!("({} = {})", show_place(place), show(value)),
        Tree::Update(op, place, value) => format!("({} {op}= {})", show_place(place), show(value)),
        Tree::Increment { up, postfix, place } => {
            let (op, place) = (if *up { "++" } else { "--" }, show_place(place));
            if *postfix { format!("({place}{op})") } else { format!("({op}{place})") }
        }
        Tree::Binary(op, a, b) => format!("({} {op} {})", show(a), show(b)),
        Tree::Comma(a, b) => format!("({}, {})", show(a), show(b)),
        Tree::Choose(a, b, c) => format!("({} ? {} : {})", show(a), show(b), show(c)),
        Tree::And(a, b) => format!("({} && {})", show(a), show(b)),
        Tree::Or(a, b) => format!("({} || {})", show(a), show(b)),
        Tree::Call(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(show).collect();
            format!("{name}({})", arguments.join(", "))
        }
    }
}

fn show_place(place: &Place) -> String {
    match place {
        Place::Name(name) => name.to_string(),
        Place::Element("r", index) => format!("r[{} & 1]", show(index)),
        Place::Element(array, index) => format!("{array}[{} & 3]", show(index)),
    }
}

/// What a variable, member or element holds, by name as C writes it.
pub struct Memory(std::collections::BTreeMap<String, i32>);

impl Memory {
    /// The first values of the prologue.
    pub fn new() -> Memory {
        let mut cells = std::collections::BTreeMap::new();
        let first = ["a", "b", "c", "g", "h"].into_iter().zip(1..);
        cells.extend(first.map(|(name, value)| (name.to_string(), value)));
        cells.extend((0..4).flat_map(|at| [(format!("t[{at}]"), at), (format!("u[{at}]"), at + 4)]));
        cells.extend((0..2).flat_map(|at| [(format!("r[{at}].x"), 0), (format!("r[{at}].y"), 0)]));
        cells.extend(NAMES[5..].iter().zip(1..).map(|(name, value)| (name.to_string(), value)));
        Memory(cells)
    }

    /// Everything, by name.
    pub fn contents(&self) -> Vec<(String, i32)> {
        self.0.iter().map(|(name, value)| (name.clone(), *value)).collect()
    }

    /// Evaluates a number.
    pub fn number(&mut self, tree: &Tree) -> i32 {
        match tree {
            Tree::Number(number) => *number,
            Tree::Load(place) => {
                let name = self.place(place);
                self.0[&name]
            }
            Tree::Assign(place, value) => {
                let name = self.place(place);
                let value = self.number(value);
                self.set(name, value)
            }
            Tree::Update(op, place, value) => {
                let name = self.place(place);
                let old = self.0[&name];
                let value = binary(&op.to_string(), old, self.number(value));
                self.set(name, value)
            }
            Tree::Increment { up, postfix, place } => {
                let name = self.place(place);
                let old = self.0[&name];
                let new = self.set(name, old.wrapping_add(if *up { 1 } else { -1 }));
                if *postfix { old } else { new }
            }
            Tree::Binary(op, a, b) => {
                let a = self.number(a);
                binary(op, a, self.number(b))
            }
            Tree::Comma(a, b) => {
                self.number(a);
                self.number(b)
            }
            Tree::Choose(a, b, c) => {
                if self.number(a) != 0 {
                    self.number(b)
                } else {
                    self.number(c)
                }
            }
            Tree::And(a, b) => i32::from(self.number(a) != 0 && self.number(b) != 0),
            Tree::Or(a, b) => i32::from(self.number(a) != 0 || self.number(b) != 0),
            Tree::Call(name, arguments) => self.call(name, arguments),
        }
    }

    fn set(&mut self, name: String, value: i32) -> i32 {
        self.0.insert(name, value);
        value
    }

    /// The name of a place, its index evaluated.
    fn place(&mut self, place: &Place) -> String {
        match place {
            Place::Name(name) => name.to_string(),
            Place::Element(array, index) => {
                let most = if *array == "r" { 1 } else { 3 };
                format!("{array}[{}]", self.number(index) & most)
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Tree]) -> i32 {
        match (name, arguments) {
            ("f", [x]) => {
                let x = self.number(x);
                let g = self.0["g"].wrapping_add(x);
                self.set("g".into(), g) ^ 3
            }
            ("k", [x, y]) => {
                let (x, y) = (self.number(x), self.number(y));
                self.set("h".into(), x.wrapping_sub(y));
                x.wrapping_add(1).wrapping_mul(2).wrapping_add(y)
            }
            ("sf", [s, x]) => {
                let (s, x) = (self.pair(s), self.number(x));
                let next = self.0["s1.x"].wrapping_add(1);
                self.set("s1.x".into(), next);
                s[0].wrapping_add(x).wrapping_sub(s[1])
            }
            (_, [x, s, z]) => {
                let (x, s, z) = (self.number(x), self.pair(s), self.pair(z));
                let sum = x.wrapping_add(s[0].wrapping_mul(3)).wrapping_sub(z[1]);
                sum.wrapping_sub(z[0]).wrapping_add(s[1])
            }
            _ => panic!("no such function: {name}"),
        }
    }

    fn pair(&mut self, tree: &Tree) -> [i32; 2] {
        match tree {
            Tree::Load(place) => {
                let name = self.place(place);
                ["x", "y"].map(|member| self.0[&format!("{name}.{member}")])
            }
            Tree::Assign(place, value) => {
                let name = self.place(place);
                let value = self.pair(value);
                for (member, value) in ["x", "y"].into_iter().zip(value) {
                    self.set(format!("{name}.{member}"), value);
                }
                value
            }
            Tree::Call(_, numbers) => [self.number(&numbers[0]), self.number(&numbers[1])],
            Tree::Choose(a, b, c) => {
                if self.number(a) != 0 {
                    self.pair(b)
                } else {
                    self.pair(c)
                }
            }
            Tree::Comma(a, b) => {
                self.number(a);
                self.pair(b)
            }
            other => panic!("no struct: {other:?}"),
        }
    }
}

fn binary(op: &str, a: i32, b: i32) -> i32 {
    match op {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "^" => a ^ b,
        "&" => a & b,
        "<" => i32::from(a < b),
        _ => i32::from(a == b),
    }
}
