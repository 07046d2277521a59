//! Types in parentheses: `(unsigned)x`, `(signed char)c`, `(unsigned _BitInt(5))f`, `(void *)p`.

use super::tokens::Token;
use super::{NO_FLOATS, Operand, shown, truth};
use c::{Convert, Exprs, TRUTH, Type};

/// A type in parentheses.
pub struct Cast {
    /// How many words it has.
    pub length: usize,
    ty: Type,
    signed: bool,
    /// Whether sums with it count bytes.
    bytes: bool,
}

/// The words that types are made of.
const WORDS: [&str; 11] =
    ["signed", "unsigned", "char", "short", "int", "long", "__int128", "_Bool", "_BitInt", "void", "const"];

/// The type that begins here, if there is one; or what is wrong with it.
pub fn type_at(tokens: &[Token]) -> Result<Option<Cast>, String> {
    let (mut words, mut length, mut width) = (vec![], 0, None);
    while let Some(Token::Name(name)) = tokens.get(length) {
        match name.as_str() {
            "float" | "double" => return Err(format!("`{name}`: {NO_FLOATS}")),
            "struct" | "union" | "enum" => {
                return Err(format!(
                    "`{name}` types have no place in predicates; any pointer is a `(void *)`"
                ));
            }
            _ => {}
        }
        if !WORDS.contains(&name.as_str()) {
            break;
        }
        words.push(name.as_str());
        length += 1;
        if name == "_BitInt"
            && let Some([Token::Mark("("), Token::Number { value, .. }, Token::Mark(")")]) =
                tokens.get(length..length + 3)
        {
            width = Some(*value);
            length += 3;
        }
    }
    if words.is_empty() {
        return Ok(None);
    }
    let stars = tokens[length..].iter().take_while(|it| **it == Token::Mark("*")).count();
    let rest = &tokens[length + stars..];
    let name = shown(&(words.join(" ") + &width.map(|it| format!("({it})")).unwrap_or_default()));
    if let Some(Token::Name(other)) = rest.first() {
        return Err(format!("`{name} {}` is no type", shown(other)));
    }
    let cast = scalar(&words, width).filter(|it| stars > 0 || it.ty != Type::Pointer);
    let cast = cast.ok_or_else(|| format!("`{name}` is no type of numbers with 1 to 128 bits"))?;
    let length = length + stars;
    Ok(Some(if stars == 0 {
        Cast { length, ..cast }
    } else {
        let bytes = stars == 1 && matches!(cast.ty, Type::Bits(8) | Type::Pointer);
        Cast { length, ty: Type::Pointer, signed: false, bytes }
    }))
}

/// The type of these words; `void` is given as a pointer.
fn scalar(words: &[&str], width: Option<u128>) -> Option<Cast> {
    let count = |word: &str| words.iter().filter(|it| **it == word).count();
    let [signed, unsigned, ints, longs] = ["signed", "unsigned", "int", "long"].map(count);
    let kinds = ["char", "short", "__int128", "_Bool", "_BitInt", "void"].map(count);
    let signs = signed + unsigned;
    if signs > 1 || ints > 1 || longs > 2 || kinds.iter().sum::<usize>() + usize::from(longs > 0) > 1 {
        return None;
    }
    let [char, short, wide, truth, exact, void] = kinds.map(|it| it == 1);
    let alone = ints == 0;
    let ty = match () {
        () if char && alone => Type::Bits(8),
        () if short => Type::Bits(16),
        () if wide && alone => Type::Bits(128),
        () if truth && alone && signs == 0 => TRUTH,
        () if void && alone && signs == 0 => Type::Pointer,
        () if exact && alone => Type::Bits(u8::try_from(width?).ok().filter(|it| (1..=128).contains(it))?),
        () if char || wide || truth || exact || void => return None,
        () if longs > 0 => Type::Bits(64),
        () if ints + signs > 0 => Type::Bits(32),
        () => return None,
    };
    let signed = unsigned == 0 && !truth && !void;
    Some(Cast { length: 0, ty, signed, bytes: false })
}

impl Cast {
    /// An operand of this type.
    pub fn apply(&self, exprs: &mut Exprs, operand: Operand) -> Result<Operand, String> {
        let own = exprs.ty(operand.expr);
        if self.ty == TRUTH {
            return Ok(Operand::of(truth(exprs, operand), false));
        }
        let expr = match (own, self.ty) {
            (own, ty) if own == ty => operand.expr,
            (Type::Bits(_), Type::Pointer) if let Some(value) = exprs.constant(operand.expr) => {
                exprs.number(Type::Pointer, value)
            }
            (Type::Pointer, Type::Bits(bits)) | (Type::Bits(bits), Type::Pointer)
                if bits == exprs.pointer_bits() =>
            {
                exprs.convert(Convert::Reinterpret, self.ty, operand.expr)
            }
            (Type::Bits(from), Type::Bits(bits)) => {
                let operator = match (from < bits, operand.signed) {
                    (false, _) => Convert::Truncate,
                    (true, true) => Convert::SignExtend,
                    (true, false) => Convert::ZeroExtend,
                };
                exprs.convert(operator, self.ty, operand.expr)
            }
            _ => return Err("there is no such conversion in predicates".into()),
        };
        Ok(Operand { bytes: self.bytes, ..Operand::of(expr, self.signed) })
    }
}
