//! Types in parentheses: `(unsigned)x`, `(signed char)c`, `(unsigned _BitInt(5))f`, `(void *)p`.

use super::tokens::Token;
use super::{Operand, truth};
use ir::c::{Convert, Exprs, TRUTH, Type};

/// A type in parentheses.
pub struct Cast {
    /// How many words it has.
    pub length: usize,
    ty: Type,
    signed: bool,
}

/// The type that begins here, if there is one.
pub fn type_at(tokens: &[Token]) -> Option<Cast> {
    let (mut sign, mut bits, mut length) = (None, None, 0);
    let mut longs = 0;
    while let Some(Token::Name(name)) = tokens.get(length) {
        length += 1;
        match name.as_str() {
            "signed" => sign = Some(true),
            "unsigned" => sign = Some(false),
            "char" => bits = Some(8),
            "short" => bits = Some(16),
            "int" => bits = bits.or(Some(32)),
            "long" => {
                longs += 1;
                bits = Some(64);
            }
            "__int128" => bits = Some(128),
            "_Bool" => return Some(Cast { length, ty: TRUTH, signed: false }),
            "void" if tokens.get(length) == Some(&Token::Mark("*")) => {
                return Some(Cast { length: length + 1, ty: Type::Pointer, signed: false });
            }
            "_BitInt" => {
                let [Token::Mark("("), Token::Number { value, .. }, Token::Mark(")")] =
                    tokens.get(length..length + 3)?
                else {
                    return None;
                };
                bits = Some(u8::try_from(*value).ok().filter(|it| (1..=128).contains(it))?);
                length += 3;
            }
            _ => return None,
        }
    }
    if longs > 2 || sign.is_none() && bits.is_none() {
        return None;
    }
    let ty = Type::Bits(bits.unwrap_or(32));
    Some(Cast { length, ty, signed: sign.unwrap_or(true) })
}

impl Cast {
    /// An operand of this type.
    pub fn apply(&self, exprs: &mut Exprs, operand: Operand) -> Result<Operand, String> {
        let (own, signed) = (exprs.ty(operand.expr), self.signed);
        if self.ty == TRUTH {
            return Ok(Operand { expr: truth(exprs, operand), signed: false });
        }
        let expr = match (own, self.ty) {
            (own, ty) if own == ty => operand.expr,
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
        Ok(Operand { expr, signed })
    }
}
