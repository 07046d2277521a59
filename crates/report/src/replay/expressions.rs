//! Expressions of normalised C as C. Numbers are kept in unsigned types with the bits above their width zero,
//! so that nothing depends on how C promotes and overflows; pointers are `uintptr_t`.

use ::c::{Binary, Constant, Convert, ExprId, Exprs, LocalId, Node, ObjectId, TRUTH, Type, Unary, mask};
use base::Id;
use std::collections::HashMap;

/// A longer text is given a name first: an expression may use another many times.
const LONG: usize = 300;

/// An expression in C, and the declarations that must come before it.
pub struct Rendered {
    /// Declarations, each a line.
    pub before: Vec<String>,
    /// The expression.
    pub text: String,
}

/// What expressions are about.
pub struct Names<'a> {
    /// The pool.
    pub exprs: &'a Exprs,
    /// What a register is called.
    pub local: &'a dyn Fn(LocalId) -> String,
    /// The address of an object.
    pub object: &'a dyn Fn(ObjectId) -> String,
}

impl Names<'_> {
    /// The expression; names of its parts begin with `prefix`.
    pub fn render(&self, root: ExprId, prefix: &str) -> Rendered {
        let mut before = vec![];
        let mut texts: HashMap<ExprId, String> = HashMap::new();
        for id in self.exprs.below(root) {
            let mut text = self.node(self.exprs.node(id), self.exprs.ty(id), &texts);
            if text.len() > LONG && id != root {
                let name = format!("{prefix}_{}", before.len());
                before.push(format!("const {} {name} = {text};", value(self.exprs.ty(id))));
                text = name;
            }
            texts.insert(id, text);
        }
        Rendered { before, text: texts.remove(&root).unwrap_or_default() }
    }

    fn node(&self, node: Node, ty: Type, texts: &HashMap<ExprId, String>) -> String {
        match node {
            Node::Const(ty, bits) => constant(ty, bits),
            Node::Local(local, _) => (self.local)(local),
            Node::Address(object) => format!("((uptr){})", (self.object)(object)),
            Node::Unary(Unary::Not, a) if ty == TRUTH => format!("((uint8_t)!{})", texts[&a]),
            Node::Unary(Unary::Not, a) => self.cut(ty, &format!("~(u128){}", texts[&a])),
            Node::Unary(Unary::Neg, a) if ty.is_float() => format!("(-{})", texts[&a]),
            Node::Unary(Unary::Neg, a) => self.cut(ty, &format!("0 - (u128){}", texts[&a])),
            Node::Binary(op, a, b) => self.binary(op, a, b, texts),
            Node::Convert(op, to, a) => self.convert(op, to, self.exprs.ty(a), &texts[&a]),
            Node::Ite(c, a, b) => format!("({} ? {} : {})", texts[&c], texts[&a], texts[&b]),
        }
    }

    fn binary(&self, op: Binary, a: ExprId, b: ExprId, texts: &HashMap<ExprId, String>) -> String {
        let ty = self.exprs.ty(a);
        let width = ty.bits(self.exprs.pointer_bits());
        let (x, y) = (&texts[&a], &texts[&b]);
        let other = self.exprs.ty(b).bits(self.exprs.pointer_bits());
        let plain = |sign: &str| format!("(u128){x} {sign} (u128){y}");
        let signed = |f: &str| format!("{f}(sv_signed({x}, {width}), sv_signed({y}, {other}))");
        let compare = |sign: &str| format!("((uint8_t)({x} {sign} {y}))");
        let compare_signed =
            |sign: &str| format!("((uint8_t)(sv_signed({x}, {width}) {sign} sv_signed({y}, {other})))");
        match op {
            Binary::Add if ty.is_float() => format!("({x} + {y})"),
            Binary::Sub if ty.is_float() => format!("({x} - {y})"),
            Binary::Mul if ty.is_float() => format!("({x} * {y})"),
            Binary::DivF => format!("({x} / {y})"),
            Binary::Add => self.cut(ty, &plain("+")),
            Binary::Sub => self.cut(ty, &plain("-")),
            Binary::Mul => self.cut(ty, &plain("*")),
            Binary::DivU => self.cut(ty, &format!("sv_div_u({x}, {y})")),
            Binary::RemU => self.cut(ty, &format!("sv_rem_u({x}, {y})")),
            Binary::DivS => self.cut(ty, &signed("sv_div_s")),
            Binary::RemS => self.cut(ty, &signed("sv_rem_s")),
            Binary::And => self.cut(ty, &plain("&")),
            Binary::Or => self.cut(ty, &plain("|")),
            Binary::Xor => self.cut(ty, &plain("^")),
            Binary::Shl => self.cut(ty, &format!("sv_shl({x}, {y}, {width})")),
            Binary::ShrU => self.cut(ty, &format!("sv_shr_u({x}, {y}, {width})")),
            Binary::ShrS => self.cut(ty, &format!("sv_shr_s(sv_signed({x}, {width}), {y}, {width})")),
            Binary::Eq => compare("=="),
            Binary::LtU | Binary::LtF => compare("<"),
            Binary::LeU | Binary::LeF => compare("<="),
            Binary::LtS => compare_signed("<"),
            Binary::LeS => compare_signed("<="),
        }
    }

    fn convert(&self, op: Convert, to: Type, from: Type, x: &str) -> String {
        let width = from.bits(self.exprs.pointer_bits());
        match op {
            Convert::ZeroExtend | Convert::Truncate => self.cut(to, x),
            Convert::SignExtend | Convert::FloatS if !to.is_float() => {
                self.cut(to, &format!("(u128)sv_signed({x}, {width})"))
            }
            Convert::SignExtend | Convert::FloatS => format!("(({})sv_signed({x}, {width}))", value(to)),
            Convert::FloatU | Convert::FloatF => format!("(({}){x})", value(to)),
            Convert::BitsU => self.cut(to, &format!("(u128){x}")),
            Convert::BitsS => self.cut(to, &format!("(u128)(i128){x}")),
            Convert::Reinterpret => match (from, to) {
                (Type::Float, Type::Float) | (Type::Double, Type::Double) => x.to_string(),
                (Type::Float, _) => self.cut(to, &format!("sv_b32({x})")),
                (Type::Double, _) => self.cut(to, &format!("sv_b64({x})")),
                (_, Type::Float) => format!("sv_f32({x})"),
                (_, Type::Double) => format!("sv_f64({x})"),
                _ => self.cut(to, x),
            },
        }
    }

    /// A number cut to the width of a type.
    fn cut(&self, ty: Type, text: &str) -> String {
        let bits = ty.bits(self.exprs.pointer_bits());
        let name = value(ty);
        if matches!(bits, 8 | 16 | 32 | 64 | 128) {
            return format!("(({name})({text}))");
        }
        format!("(({name})(({text}) & {}))", number(mask(bits)))
    }
}

/// A number of any width.
fn number(value: u128) -> String {
    match u64::try_from(value) {
        Ok(small) => format!("{small}ull"),
        Err(_) => format!("(((u128){}ull << 64) | {}ull)", (value >> 64) as u64, value as u64),
    }
}

/// A constant of a type.
pub fn constant(ty: Type, bits: u128) -> String {
    match ty {
        Type::Float => format!("sv_f32({}u)", bits as u32),
        Type::Double => format!("sv_f64({}ull)", bits as u64),
        Type::Bits(_) | Type::Pointer => format!("(({}){})", value(ty), number(bits)),
    }
}

/// A first value of a type.
pub fn first(ty: Type, value: Constant) -> String {
    match value {
        Constant::Bits(bits) => constant(ty, bits),
        Constant::Address(object, offset) => format!("((uptr)o{} + {offset})", object.index()),
    }
}

/// The C type of a value.
pub fn value(ty: Type) -> &'static str {
    match ty {
        Type::Pointer => "uptr",
        Type::Float => "float",
        Type::Double => "double",
        Type::Bits(0..=8) => "uint8_t",
        Type::Bits(9..=16) => "uint16_t",
        Type::Bits(17..=32) => "uint32_t",
        Type::Bits(33..=64) => "uint64_t",
        Type::Bits(_) => "u128",
    }
}

/// The C type of a cell in memory.
pub fn raw(ty: Type, pointer_bits: u8) -> &'static str {
    match ty {
        Type::Pointer => "mptr",
        Type::Float => "mf32",
        Type::Double => "mf64",
        Type::Bits(_) => match ty.bits(pointer_bits).div_ceil(8) {
            0..=1 => "m8",
            2 => "m16",
            3..=4 => "m32",
            5..=8 => "m64",
            _ => "m128",
        },
    }
}

/// Text that is safe behind `//`.
pub fn comment(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = words.join(" ").chars().filter(|c| !c.is_control() && *c != '\\').collect();
    text.replace("??/", "?? /")
}
