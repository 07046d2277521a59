//! Writes predicates as conditions of C that the reader of predicates takes for the same: what operators mean
//! in C depends on the types of their operands, so there is a cast wherever these are not the ones that the
//! operator has here.

use super::Names;
use c::types::{mask, signed};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, TRUTH, Type, Unary};
use relation::{Home, Relation};

/// Deeper parts of an expression, and what comes after this many characters, are not written.
const DEEPEST: usize = 40;
const LONGEST: usize = 4_000;

/// A condition of a pool that continues that of the relation.
pub fn written(relation: &Relation, exprs: &Exprs, condition: ExprId, names: &dyn Names) -> String {
    let printer = Printer { relation, exprs, names };
    let text = printer.part(condition, DEEPEST).text;
    match text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        // Only the outermost pair of parentheses is one that nothing needs.
        Some(inner) if closes_last(&text) => inner.into(),
        _ => text,
    }
}

/// Whether the first parenthesis is closed by the last character.
fn closes_last(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, it) in text.char_indices() {
        match it {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

struct Printer<'a> {
    relation: &'a Relation,
    exprs: &'a Exprs,
    names: &'a dyn Names,
}

/// A part of a condition, with the type that C gives it.
struct TypedText {
    text: String,
    ty: Type,
    signed: bool,
}

impl TypedText {
    fn truth(text: String) -> TypedText {
        TypedText { text, ty: TRUTH, signed: false }
    }

    /// As a number of its width, read so.
    fn read_as(self, signed: bool) -> String {
        let is_decimal = self.text.starts_with(|it: char| it.is_ascii_digit());
        if self.signed == signed || self.ty == Type::Pointer {
            self.text
        } else if is_decimal && !signed {
            match self.text.strip_suffix('l') {
                Some(digits) => format!("{digits}ul"),
                None => format!("{}u", self.text),
            }
        } else {
            self.cast_to(self.ty, signed)
        }
    }

    fn cast_to(&self, ty: Type, signed: bool) -> String {
        format!("({}){}", type_name(ty, signed), self.text)
    }
}

/// The name of a type in C.
pub fn type_name(ty: Type, signed: bool) -> String {
    let Type::Bits(bits) = ty else { return "void *".into() };
    let plain = match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        128 => "__int128",
        _ => return format!("{} _BitInt({bits})", if signed { "signed" } else { "unsigned" }),
    };
    match (signed, bits) {
        (true, 8) => "signed char".into(),
        (true, _) => plain.into(),
        (false, 32) => "unsigned".into(),
        (false, _) => format!("unsigned {plain}"),
    }
}

impl Printer<'_> {
    fn part(&self, id: ExprId, depth: usize) -> TypedText {
        let ty = self.exprs.ty(id);
        let Some(depth) = depth.checked_sub(1) else {
            return TypedText { text: "…".into(), ty, signed: false };
        };
        let part = match self.exprs.node(id) {
            Node::Const(ty, value) => self.number(ty, value),
            Node::Local(variable, ty) => TypedText {
                text: self.name(variable),
                ty,
                signed: self.relation.variables[variable].signed && ty != TRUTH,
            },
            Node::Address(object) => TypedText { text: format!("&{object:?}"), ty, signed: false },
            Node::Unary(Unary::Not, a) if ty == TRUTH => {
                TypedText::truth(format!("!{}", self.part(a, depth).text))
            }
            // The negative of one bit is that bit.
            Node::Unary(Unary::Neg, a) if ty == TRUTH => self.part(a, depth),
            Node::Unary(operator, a) => {
                let inner = self.part(a, depth);
                let mark = if operator == Unary::Not { "~" } else { "-" };
                narrowed(format!("({mark}{})", inner.text), ty, inner.signed)
            }
            Node::Binary(operator, a, b) => self.binary(operator, self.part(a, depth), self.part(b, depth)),
            Node::Convert(operator, ty, a) => convert(operator, ty, self.part(a, depth)),
            Node::Ite(test, a, b) => {
                let test = self.part(test, depth).text;
                let [a, b] = [a, b].map(|it| self.part(it, depth));
                let signed = a.signed && b.signed;
                let [a, b] = [a, b].map(|it| it.read_as(signed));
                narrowed(format!("({test} ? {a} : {b})"), ty, signed)
            }
        };
        if part.text.len() > LONGEST { TypedText { text: "…".into(), ..part } } else { part }
    }

    fn number(&self, ty: Type, value: u128) -> TypedText {
        let bits = ty.bits(self.exprs.pointer_bits());
        let number = signed(value, bits);
        let (text, signed) = match ty {
            TRUTH => (value.to_string(), false),
            Type::Pointer if value == 0 => ("0".into(), false),
            Type::Pointer if let Some(address) = self.names.address(value) => (address, false),
            Type::Bits(32 | 64)
                if value <= i32::MAX as u128 || number < 0 && number > i128::from(i32::MIN) =>
            {
                (format!("{number}{}", if bits == 64 { "l" } else { "" }), true)
            }
            Type::Bits(32) => (format!("{value}u"), false),
            Type::Bits(64) => (format!("{value}ul"), false),
            _ if value <= u128::from(u64::MAX) => (format!("({}){value}ul", type_name(ty, false)), false),
            _ => {
                let (high, low) = (value >> 64, value & mask(64));
                (format!("((unsigned __int128){high}ul << 64 | {low}ul)"), false)
            }
        };
        // A sign in front is an operator.
        let text = if text.starts_with('-') { format!("({text})") } else { text };
        TypedText { text, ty, signed }
    }

    fn binary(&self, operator: Binary, a: TypedText, b: TypedText) -> TypedText {
        use Binary::*;
        let ty = a.ty;
        if ty == TRUTH && b.ty == TRUTH {
            return of_truths(operator, &a.text, &b.text);
        }
        if ty == TRUTH && operator.is_shift() {
            // Whatever the width of the amount, a bit is shifted out or stays.
            return of_truths(operator, &a.text, &format!("({} != 0)", b.text));
        }
        let mark = mark(operator);
        match operator {
            Add | Sub if ty == Type::Pointer => between(mark, &a, &b, self.exprs.pointer_bits()),
            LtU | LeU | LtS | LeS | DivU | DivS | RemU | RemS => {
                let signed = matches!(operator, LtS | LeS | DivS | RemS);
                let text = format!("({} {mark} {})", a.read_as(signed), b.read_as(signed));
                if operator.is_comparison() { TypedText::truth(text) } else { narrowed(text, ty, signed) }
            }
            ShrU | ShrS | Shl => {
                let signed = if operator == Shl { a.signed } else { operator == ShrS };
                narrowed(format!("({} {mark} {})", a.read_as(signed), b.text), ty, signed)
            }
            _ => {
                let signed = a.signed && b.signed;
                // Narrow operands become `int` by their values, so they must be read alike.
                let [a, b] =
                    if is_narrow(ty) { [a, b].map(|it| it.read_as(signed)) } else { [a.text, b.text] };
                let text = format!("({a} {mark} {b})");
                if operator == Eq { TypedText::truth(text) } else { narrowed(text, ty, signed) }
            }
        }
    }

    /// The name of a variable: plain, if no other has it. That of a variable that is an address begins with
    /// `&`.
    fn name(&self, variable: LocalId) -> String {
        let variables = &self.relation.variables;
        let about = &variables[variable];
        let same = |it: &relation::Variable| it.home != Home::Choice && it.name == about.name;
        match about.home {
            _ if variables.iter().filter(|it| same(it)).count() < 2 => about.name.clone(),
            Home::Template(template) => {
                let (mark, plain) = split(&about.name);
                format!("{mark}{}::{plain}", self.names.function(template))
            }
            _ => {
                let (mark, plain) = split(&about.name);
                format!("{mark}::{plain}")
            }
        }
    }
}

/// The `&` in front of a name, and the name.
fn split(name: &str) -> (&str, &str) {
    name.split_at(usize::from(name.starts_with('&')))
}

/// A pointer some bytes further, or the bytes between two.
fn between(mark: &str, a: &TypedText, b: &TypedText, pointer_bits: u8) -> TypedText {
    let left = format!("(char *){}", a.text);
    match b.ty {
        Type::Pointer => TypedText {
            text: format!("({left} {mark} (char *){})", b.text),
            ty: Type::Bits(pointer_bits),
            signed: true,
        },
        _ => TypedText { text: format!("({left} {mark} {})", b.text), ty: Type::Pointer, signed: false },
    }
}

fn is_narrow(ty: Type) -> bool {
    matches!(ty, Type::Bits(bits) if bits < 32)
}

/// A result that C computes as an `int`, or as what it is.
fn narrowed(text: String, ty: Type, signed: bool) -> TypedText {
    let part = TypedText { text, ty, signed };
    if is_narrow(ty) && ty != TRUTH { TypedText { text: part.cast_to(ty, signed), ..part } } else { part }
}

fn convert(operator: Convert, ty: Type, from: TypedText) -> TypedText {
    let signed = operator == Convert::SignExtend;
    if ty == TRUTH && operator == Convert::Truncate {
        return TypedText::truth(format!("(({} & 1) != 0)", from.text));
    }
    if from.ty == TRUTH && signed {
        return TypedText { text: format!("({})({} ? -1 : 0)", type_name(ty, true), from.text), ty, signed };
    }
    let own = from.ty;
    let text = match operator {
        Convert::ZeroExtend | Convert::SignExtend if own != TRUTH => from.read_as(signed),
        _ => from.text,
    };
    TypedText { text: TypedText { text, ty: own, signed }.cast_to(ty, signed), ty, signed }
}

fn of_truths(operator: Binary, a: &str, b: &str) -> TypedText {
    use Binary::*;
    TypedText::truth(match operator {
        And | Mul => format!("({a} && {b})"),
        Or => format!("({a} || {b})"),
        Eq => format!("({a} == {b})"),
        LtU => format!("(!{a} && {b})"),
        LeU => format!("(!{a} || {b})"),
        // As a signed number of one bit, 1 is less than 0.
        LtS => format!("({a} && !{b})"),
        LeS => format!("({a} || !{b})"),
        Xor | Add | Sub => format!("({a} != {b})"),
        // A quotient by 0 is 0, and so is every remainder by one bit. Nothing is left out: what reads no
        // variable is no predicate.
        DivU | DivS | DivF => format!("({a} && {b})"),
        RemU | RemS => format!("({a} && !{a} && {b})"),
        // A shift by 1 is out of the width.
        Shl | ShrU => format!("({a} && !{b})"),
        ShrS => format!("({a} || ({a} && {b}))"),
        LtF | LeF => format!("({a} < {b})"),
    })
}

fn mark(operator: Binary) -> &'static str {
    use Binary::*;
    match operator {
        Add => "+",
        Sub => "-",
        Mul => "*",
        DivU | DivS | DivF => "/",
        RemU | RemS => "%",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => "<<",
        ShrU | ShrS => ">>",
        Eq => "==",
        LtU | LtS | LtF => "<",
        LeU | LeS | LeF => "<=",
    }
}
