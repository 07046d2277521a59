//! The conditions of waypoints: C expressions over numbers without side effects.

use super::tokens::{TokenKind, tokens};

/// An expression, in postfix order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition(Vec<Item>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    Number(i128),
    Name(String),
    Unary(&'static str),
    Binary(&'static str),
}

/// A value with its width in bits; numbers that are written have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// As a signed number, if it has a width.
    pub value: i128,
    /// The width.
    pub width: Option<u8>,
}

/// Binary operators, how tightly they bind.
const BINARY: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

const UNARY: [&str; 4] = ["!", "-", "~", "+"];

/// What waits for its right side.
enum Waiting {
    Open,
    Unary(&'static str),
    Binary(&'static str, u8),
}

impl Condition {
    /// Reads an expression.
    pub fn read(text: &str) -> Result<Condition, String> {
        let mut reader = Reader { items: vec![], waiting: vec![], operand_next: true };
        let wrong = || format!("`{text}` is no condition that can be looked into");
        let mut rest = text.trim().trim_end_matches(';').trim();
        while !rest.is_empty() {
            rest = reader.next(rest).ok_or_else(wrong)?.trim_start();
        }
        reader.end().map(Condition).ok_or_else(wrong)
    }

    /// Whether it holds, or the first name that has no value.
    pub fn holds(&self, value: impl Fn(&str) -> Option<Number>) -> Result<bool, String> {
        let mut stack: Vec<Number> = vec![];
        let plain = |value: i128| Number { value, width: None };
        for item in &self.0 {
            let result = match item {
                Item::Number(number) => plain(*number),
                Item::Name(name) => value(name).ok_or_else(|| name.clone())?,
                Item::Unary(op) => {
                    let it = stack.pop().expect("an operator has its operands");
                    match *op {
                        "!" => plain(i128::from(it.value == 0)),
                        "-" => plain(it.value.wrapping_neg()),
                        "~" => plain(!it.value),
                        _ => it,
                    }
                }
                Item::Binary(op) => {
                    let right = stack.pop().expect("an operator has its operands");
                    let left = stack.pop().expect("an operator has its operands");
                    plain(apply(op, left, right).ok_or_else(|| (*op).to_string())?)
                }
            };
            stack.push(result);
        }
        Ok(stack.pop().is_some_and(|it| it.value != 0))
    }

    /// The variables that it names.
    pub fn names(&self) -> Vec<&str> {
        let all = self.0.iter();
        all.filter_map(|it| if let Item::Name(name) = it { Some(name.as_str()) } else { None }).collect()
    }

    /// The numbers that it names, negative ones as they are meant.
    pub fn numbers(&self) -> Vec<i128> {
        let mut numbers = vec![];
        for (at, item) in self.0.iter().enumerate() {
            if let Item::Number(number) = item {
                let negative = self.0.get(at + 1) == Some(&Item::Unary("-"));
                numbers.push(if negative { number.wrapping_neg() } else { *number });
            }
        }
        numbers
    }
}

/// The same bits, where a number is compared with one of a width.
fn same(left: Number, right: Number) -> bool {
    match left.width.or(right.width) {
        Some(width) if left.width.is_none() || right.width.is_none() => {
            let cut = |it: Number| it.value as u128 & ::c::mask(width);
            cut(left) == cut(right)
        }
        _ => left.value == right.value,
    }
}

/// A value as an unsigned number, if what it is compared with has no place among the signed ones.
fn beside(it: Number, other: Number) -> i128 {
    match it.width {
        Some(width @ 1..=126) if other.width.is_none() && other.value > (::c::mask(width) >> 1) as i128 => {
            (it.value as u128 & ::c::mask(width)) as i128
        }
        _ => it.value,
    }
}

fn apply(op: &str, left: Number, right: Number) -> Option<i128> {
    let truth = |it: bool| Some(i128::from(it));
    let (a, b) = (beside(left, right), beside(right, left));
    match op {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "==" => truth(same(left, right)),
        "!=" => truth(!same(left, right)),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "&" => Some(a & b),
        "<<" => a.checked_shl(u32::try_from(b).ok()?),
        ">>" => a.checked_shr(u32::try_from(b).ok()?),
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        _ => a.checked_rem(b),
    }
}

/// Dijkstra's way from infix to postfix order: nothing recurses.
struct Reader {
    items: Vec<Item>,
    waiting: Vec<Waiting>,
    operand_next: bool,
}

impl Reader {
    /// Takes a token; what is left.
    fn next<'t>(&mut self, rest: &'t str) -> Option<&'t str> {
        if self.operand_next {
            return self.operand(rest);
        }
        if let Some(after) = rest.strip_prefix(')') {
            return self.close().then_some(after);
        }
        let &(op, binds) = BINARY.iter().find(|it| rest.starts_with(it.0))?;
        self.release(binds);
        self.waiting.push(Waiting::Binary(op, binds));
        self.operand_next = true;
        rest.strip_prefix(op)
    }

    fn operand<'t>(&mut self, rest: &'t str) -> Option<&'t str> {
        if let Some(after) = rest.strip_prefix('(') {
            self.waiting.push(Waiting::Open);
            return Some(after);
        }
        if let Some(op) = UNARY.iter().find(|it| rest.starts_with(**it)) {
            self.waiting.push(Waiting::Unary(op));
            return rest.strip_prefix(op);
        }
        self.operand_next = false;
        if let Some(after) = rest.strip_prefix("\\result") {
            self.items.push(Item::Name("\\result".to_string()));
            return Some(after);
        }
        let first = *tokens(rest).first()?;
        let word = rest.get(first.start as usize..first.end as usize)?;
        match first.kind {
            TokenKind::Constant => {
                self.items.push(Item::Number(number(word)?));
                rest.get(first.end as usize..)
            }
            TokenKind::Word => {
                let name = name(rest);
                self.items.push(Item::Name(name.to_string()));
                rest.get(name.len()..)
            }
            TokenKind::Mark(_) => None,
        }
    }

    fn close(&mut self) -> bool {
        self.release(0);
        matches!(self.waiting.pop(), Some(Waiting::Open))
    }

    /// Writes what binds at least this tightly.
    fn release(&mut self, least: u8) {
        while let Some(top) = self.waiting.last() {
            match *top {
                Waiting::Unary(op) => self.items.push(Item::Unary(op)),
                Waiting::Binary(op, binds) if binds >= least => self.items.push(Item::Binary(op)),
                _ => return,
            }
            self.waiting.pop();
        }
    }

    fn end(mut self) -> Option<Vec<Item>> {
        self.release(0);
        (self.waiting.is_empty() && !self.operand_next).then_some(self.items)
    }
}

/// A whole number as C writes it.
fn number(word: &str) -> Option<i128> {
    let bare = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None if bare.len() > 1 && bare.starts_with('0') => i128::from_str_radix(&bare[1..], 8).ok(),
        None => bare.parse().ok(),
    }
}

/// A variable with the members and elements of fixed numbers that it is followed by.
fn name(text: &str) -> &str {
    let is_name = |it: char| it.is_alphanumeric() || "_$.".contains(it);
    let mut end = 0;
    loop {
        let rest = &text[end..];
        end += rest.find(|it| !is_name(it)).unwrap_or(rest.len());
        let element = text[end..].strip_prefix('[').and_then(|it| it.split_once(']'));
        match element {
            Some((digits, _)) if digits.bytes().all(|it| it.is_ascii_digit()) => end += digits.len() + 2,
            _ => return &text[..end],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Result<bool, String> {
        Condition::read(text)?.holds(|name| match name {
            "x" => Some(Number { value: 7, width: Some(32) }),
            "m" => Some(Number { value: -1, width: Some(32) }),
            "a[2].n" => Some(Number { value: 3, width: Some(8) }),
            _ => None,
        })
    }

    #[test]
    fn conditions_are_those_of_c() {
        for text in [
            "x == 7;",
            "(x == (7))",
            "!(x != 7) && 1",
            "x + 2 * 3 == 13",
            "0 || x > -1",
            "m == 4294967295",
            "m == 0xffffffffu && m == -1 && m < 0",
            "m > 3000000000",
            "a[2].n == 3L",
            "1 << 3 == 010",
        ] {
            assert_eq!(holds(text), Ok(true), "{text}");
        }
        assert_eq!(holds("x == 8"), Ok(false));
        assert_eq!(holds("y == 8"), Err("y".to_string()));
        assert_eq!(holds("x / 0"), Err("/".to_string()));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "x ==", "(x", "x)", "x y", "f(x)", "1.5 == x", "x = 1", "*p", "\"a\""] {
            assert!(Condition::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn its_numbers_are_known() {
        let condition = Condition::read("\\result == -5 || x == 3").expect("it is one");
        assert_eq!(condition.numbers(), [-5, 3]);
    }
}
