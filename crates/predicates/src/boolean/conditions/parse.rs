//! Conditions by operator precedence. The depth of the recursion is limited.

use super::casts::{self, Cast};
use super::tokens::Token;
use super::{DEEPEST, Operand, Scope, converted, truth};
use c::{Binary, Convert, ExprId, Exprs, Node, TRUTH, Type, Unary};

/// The truth value that a text stands for.
pub fn condition(scope: &Scope<'_>, exprs: &mut Exprs, tokens: &[Token]) -> Result<ExprId, String> {
    let mut parser = Parser { scope, exprs, tokens, at: 0 };
    let operand = parser.whole(0)?;
    match parser.peek() {
        None => Ok(truth(parser.exprs, operand)),
        Some(token) => Err(format!("`{token}` follows the condition")),
    }
}

struct Parser<'a> {
    scope: &'a Scope<'a>,
    exprs: &'a mut Exprs,
    tokens: &'a [Token],
    at: usize,
}

/// The operators by how tightly they bind.
fn precedence(mark: &str) -> Option<usize> {
    Some(match mark {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// A condition with `? :` around it, perhaps.
    fn whole(&mut self, depth: usize) -> Result<Operand, String> {
        let test = self.binary(0, depth)?;
        if !self.takes("?") {
            return Ok(test);
        }
        let test = truth(self.exprs, test);
        let then = self.whole(depth + 1)?;
        if !self.takes(":") {
            return Err("`:` is missing".into());
        }
        let other = self.whole(depth + 1)?;
        let [then, other] = converted(self.exprs, then, other)?;
        let expr = self.exprs.add(Node::Ite(test, then.expr, other.expr));
        Ok(Operand::of(expr, then.signed))
    }

    /// Whether this mark comes next; then it is behind.
    fn takes(&mut self, mark: &'static str) -> bool {
        let there = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(there);
        there
    }

    fn binary(&mut self, least: usize, depth: usize) -> Result<Operand, String> {
        if depth > DEEPEST {
            return Err("it is nested too deeply".into());
        }
        let mut left = self.unary(depth)?;
        while let Some(&Token::Mark(mark)) = self.peek() {
            let Some(level) = precedence(mark).filter(|level| *level > least) else { break };
            self.at += 1;
            let right = self.binary(level, depth + 1)?;
            left = self.apply(mark, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<Operand, String> {
        let token = self.peek().cloned().ok_or("it ends too early")?;
        self.at += 1;
        if depth > DEEPEST {
            return Err("it is nested too deeply".into());
        }
        match token {
            Token::Name(name) => self.scope.named(self.exprs, &name),
            Token::Mark("&") => {
                let Some(Token::Name(name)) = self.peek().cloned() else {
                    return Err("`&` without the name of an object".into());
                };
                self.at += 1;
                self.scope.address(self.exprs, &name)
            }
            Token::Number { value, unsigned, long } => Ok(self.number(value, unsigned, long)),
            Token::Mark("(") => {
                let cast = casts::type_at(&self.tokens[self.at..])?;
                let inner = match &cast {
                    Some(Cast { length, .. }) => {
                        self.at += length;
                        None
                    }
                    None => Some(self.whole(depth + 1)?),
                };
                if !self.takes(")") {
                    return Err("`)` is missing".into());
                }
                match (inner, cast) {
                    (Some(inner), _) => Ok(inner),
                    (None, Some(cast)) => {
                        let operand = self.unary(depth + 1)?;
                        cast.apply(self.exprs, operand)
                    }
                    (None, None) => Err("`(` without anything".into()),
                }
            }
            Token::Mark("!") => {
                let operand = self.unary(depth + 1)?;
                let holds = truth(self.exprs, operand);
                Ok(Operand::of(self.exprs.not(holds), false))
            }
            Token::Mark(mark @ ("-" | "~" | "+")) => {
                let operand = self.unary(depth + 1)?;
                self.sign(mark, operand)
            }
            Token::Mark(mark) => Err(format!("`{mark}` where a variable or a number is expected")),
        }
    }

    fn number(&mut self, value: u128, unsigned: bool, long: bool) -> Operand {
        let narrow = value <= if unsigned { u128::from(u32::MAX) } else { i32::MAX as u128 };
        let ty = Type::Bits(if narrow && !long { 32 } else { 64 });
        Operand::of(self.exprs.number(ty, value), !unsigned && value <= i64::MAX as u128)
    }

    fn sign(&mut self, mark: &str, operand: Operand) -> Result<Operand, String> {
        let zero = Operand::of(self.exprs.number(Type::Bits(32), 0), true);
        let [zero, operand] = converted(self.exprs, zero, operand)?;
        let expr = match mark {
            "-" if let Some(value) = self.exprs.constant(operand.expr) => {
                self.exprs.number(self.exprs.ty(operand.expr), value.wrapping_neg())
            }
            "-" => self.exprs.binary(Binary::Sub, zero.expr, operand.expr),
            "~" => self.exprs.add(Node::Unary(Unary::Not, operand.expr)),
            _ => operand.expr,
        };
        Ok(Operand::of(expr, operand.signed))
    }

    fn apply(&mut self, mark: &str, left: Operand, right: Operand) -> Result<Operand, String> {
        let truths = [left, right].map(|it| self.exprs.ty(it.expr) == TRUTH);
        if mark == "&&"
            || mark == "||"
            || truths == [true, true] && matches!(mark, "&" | "|" | "^" | "==" | "!=")
        {
            return Ok(self.logical(mark, left, right));
        }
        if mark == "<<" || mark == ">>" {
            return self.shift(mark, left, right);
        }
        let is_pointer = |it: Operand| self.exprs.ty(it.expr) == Type::Pointer;
        if matches!(mark, "+" | "-") && (is_pointer(left) || is_pointer(right)) {
            return self.moved(mark, left, right);
        }
        let [a, b] = converted(self.exprs, left, right)?;
        let signed = a.signed;
        let pick = |unsigned: Binary, other: Binary| if signed { other } else { unsigned };
        let (operator, swap, negate) = match mark {
            "==" => (Binary::Eq, false, false),
            "!=" => (Binary::Eq, false, true),
            "<" => (pick(Binary::LtU, Binary::LtS), false, false),
            ">" => (pick(Binary::LtU, Binary::LtS), true, false),
            "<=" => (pick(Binary::LtU, Binary::LtS), true, true),
            ">=" => (pick(Binary::LtU, Binary::LtS), false, true),
            "+" => (Binary::Add, false, false),
            "-" => (Binary::Sub, false, false),
            "*" => (Binary::Mul, false, false),
            "/" => (pick(Binary::DivU, Binary::DivS), false, false),
            "%" => (pick(Binary::RemU, Binary::RemS), false, false),
            "&" => (Binary::And, false, false),
            "|" => (Binary::Or, false, false),
            _ => (Binary::Xor, false, false),
        };
        let [a, b] = if swap { [b, a] } else { [a, b] };
        if self.exprs.ty(a.expr) == Type::Pointer && !operator.is_comparison() {
            return Err(format!("`{mark}` is not defined for pointers"));
        }
        let expr = self.exprs.binary(operator, a.expr, b.expr);
        let expr = if negate { self.exprs.not(expr) } else { expr };
        Ok(Operand::of(expr, signed && !operator.is_comparison()))
    }

    /// A pointer some bytes further, or the bytes between two.
    fn moved(&mut self, mark: &str, left: Operand, right: Operand) -> Result<Operand, String> {
        let bits = self.exprs.pointer_bits();
        let [left, right] = if self.exprs.ty(left.expr) == Type::Pointer || mark == "-" {
            [left, right]
        } else {
            [right, left]
        };
        let operator = if mark == "+" { Binary::Add } else { Binary::Sub };
        match [left, right].map(|it| self.exprs.ty(it.expr)) {
            [Type::Pointer, Type::Bits(own)] if left.bytes => {
                let widen = if right.signed { Convert::SignExtend } else { Convert::ZeroExtend };
                let widen = if own > bits { Convert::Truncate } else { widen };
                let by = self.exprs.convert(widen, Type::Bits(bits), right.expr);
                let expr = self.exprs.binary(operator, left.expr, by);
                Ok(Operand { expr, ..left })
            }
            [Type::Pointer, Type::Pointer] if left.bytes && right.bytes && mark == "-" => {
                Ok(Operand::of(self.exprs.binary(operator, left.expr, right.expr), true))
            }
            _ => Err("sums and differences of pointers are in bytes: `(char *)p + 4`".into()),
        }
    }

    fn logical(&mut self, mark: &str, left: Operand, right: Operand) -> Operand {
        let [a, b] = [left, right].map(|it| truth(self.exprs, it));
        let operator = match mark {
            "&&" | "&" => Binary::And,
            "||" | "|" => Binary::Or,
            "==" => Binary::Eq,
            _ => Binary::Xor,
        };
        Operand::of(self.exprs.binary(operator, a, b), false)
    }

    /// The left operand alone decides the type; an amount that is wider stays so, or a shift too far would
    /// become another one.
    fn shift(&mut self, mark: &str, left: Operand, right: Operand) -> Result<Operand, String> {
        let zero = Operand::of(self.exprs.number(Type::Bits(32), 0), true);
        let [_, left] = converted(self.exprs, zero, left)?;
        let ty = self.exprs.ty(left.expr);
        let amount = match (self.exprs.ty(right.expr), ty) {
            (Type::Bits(own), Type::Bits(bits)) if own < bits => {
                self.exprs.convert(Convert::ZeroExtend, ty, right.expr)
            }
            _ => right.expr,
        };
        let operator = match (mark, left.signed) {
            ("<<", _) => Binary::Shl,
            (_, true) => Binary::ShrS,
            _ => Binary::ShrU,
        };
        Ok(Operand::of(self.exprs.binary(operator, left.expr, amount), left.signed))
    }
}
