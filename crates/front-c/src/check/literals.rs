//! Numbers, characters and strings.

use base::Span;

use super::super::hir::{ExprKind, PlaceKind, StringLiteral};
use super::super::types::{ArrayLength, FloatKind, IntKind, Qualified, Type, TypeId};
use super::{Checker, Operand};

impl Checker {
    /// A number as it is written.
    pub fn number(&mut self, text: &str, span: Span) -> Operand {
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let has = |letters: &[char]| text.contains(letters);
        let floating =
            has(&['.']) || has(&['p', 'P']) && hexadecimal || !hexadecimal && is_decimal_exponent(text);
        if floating { self.floating(text, hexadecimal, span) } else { self.integer_literal(text, span) }
    }

    fn integer_literal(&mut self, text: &str, span: Span) -> Operand {
        let lower = text.to_ascii_lowercase();
        let (digits, radix) = match lower.as_bytes() {
            [b'0', b'x', ..] => (&lower[2..], 16),
            [b'0', b'b', ..] => (&lower[2..], 2),
            [b'0', _, ..] => (&lower[1..], 8),
            _ => (&lower[..], 10),
        };
        let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let (digits, suffix) = digits.split_at(length);
        let unsigned = suffix.contains('u');
        let longs = suffix.matches('l').count();
        let rest = suffix.chars().filter(|letter| !matches!(letter, 'u' | 'l')).collect::<String>();
        let digits = if digits.is_empty() && radix == 8 { "0" } else { digits };
        let parsed = u128::from_str_radix(digits, radix).ok();
        let fine = longs <= 2 && suffix.matches('u').count() <= 1 && rest.is_empty();
        let Some(value) = parsed.filter(|_| fine) else {
            if matches!(rest.as_str(), "i" | "j") {
                return Operand::Value(self.refused(
                    "complex numbers are not supported",
                    self.basic.double,
                    span,
                ));
            }
            let message = format!("`{text}` is no number");
            self.error("E1110", span, message, "check its digits and its suffix");
            return self.error_operand(span);
        };
        let ty = self.integer_type(value, unsigned, longs, radix == 10);
        Operand::Value(self.integer(value as i128, ty, span))
    }

    /// The first type of the standard's list that holds the value.
    fn integer_type(&mut self, value: u128, unsigned: bool, longs: usize, decimal: bool) -> TypeId {
        use IntKind::*;
        let model = self.model();
        let ladder =
            [Int, UnsignedInt, Long, UnsignedLong, LongLong, UnsignedLongLong, Int128, UnsignedInt128];
        let fits = |kind: &IntKind| {
            let allowed = if unsigned { !kind.is_signed() } else { kind.is_signed() || !decimal };
            let bits = kind.width(model) - u32::from(kind.is_signed());
            allowed && kind.rank() >= Int.rank() + longs as u32 && (bits >= 128 || value >> bits == 0)
        };
        let kind = ladder.into_iter().find(fits).unwrap_or(UnsignedInt128);
        self.int(kind)
    }

    fn floating(&mut self, text: &str, hexadecimal: bool, span: Span) -> Operand {
        let lower = text.to_ascii_lowercase().replace('\'', "");
        let (number, suffix) = split_suffix(&lower, hexadecimal);
        let kind = match suffix {
            "" | "f64" | "f32x" | "d" => FloatKind::Double,
            "f" | "f32" => FloatKind::Float,
            "l" | "w" | "f64x" => FloatKind::LongDouble,
            "q" | "f128" => FloatKind::Float128,
            "i" | "j" | "fi" | "if" | "li" | "il" => {
                return Operand::Value(self.refused(
                    "complex numbers are not supported",
                    self.basic.double,
                    span,
                ));
            }
            _ => {
                self.error(
                    "E1110",
                    span,
                    format!("`{text}` is no number"),
                    "check its digits and its suffix",
                );
                return self.error_operand(span);
            }
        };
        let value = if hexadecimal { hexadecimal_float(number) } else { number.parse::<f64>().ok() };
        let Some(value) = value else {
            self.error("E1110", span, format!("`{text}` is no number"), "check its digits and its suffix");
            return self.error_operand(span);
        };
        // Straight to single precision: rounding twice may differ.
        let single = (kind == FloatKind::Float && !hexadecimal).then(|| number.parse::<f32>().ok()).flatten();
        let ty = self.program.types.intern(Type::Float(kind));
        let value = single.map_or_else(|| self.round(value, ty), f64::from);
        Operand::Value(self.expr(ExprKind::Float(value), ty, span))
    }

    /// A character constant as it is written, with its prefix.
    pub fn character(&mut self, text: &str, span: Span) -> Operand {
        let (prefix, body) = text.split_once('\'').unwrap_or(("", text));
        let body = body.strip_suffix('\'').unwrap_or(body);
        let ty = match prefix {
            "L" => self.basic.int,
            "u" => self.int(IntKind::UnsignedShort),
            "U" => self.basic.unsigned,
            _ => self.basic.int,
        };
        let wide = !prefix.is_empty();
        let letters = self.unescape(body, wide, span);
        let Some(&last) = letters.last() else {
            self.error(
                "E1111",
                span,
                "this character constant is empty",
                "put one character between the quotes",
            );
            return self.error_operand(span);
        };
        let value = if wide {
            i128::from(last)
        } else if let [single] = letters[..] {
            let char = self.program.types.int_kind(self.basic.char).expect("`char` is an integer type");
            char.wrap(i128::from(single), self.model())
        } else {
            letters.iter().fold(0i128, |value, letter| value << 8 | i128::from(letter & 255))
        };
        Operand::Value(self.integer(value, ty, span))
    }

    /// Adjacent string literals as they are written.
    pub fn string_literal(&mut self, parts: &[&str], span: Span) -> Operand {
        let prefix = |part: &str| part.split_once('"').map_or("", |(prefix, _)| prefix).to_string();
        let prefix =
            parts.iter().map(|part| prefix(part)).find(|prefix| !prefix.is_empty()).unwrap_or_default();
        let element = match prefix.as_str() {
            "L" => self.basic.int,
            "u" => self.int(IntKind::UnsignedShort),
            "U" => self.basic.unsigned,
            _ => self.basic.char,
        };
        let wide = matches!(prefix.as_str(), "L" | "u" | "U");
        let mut elements = vec![];
        for part in parts {
            let body = part.split_once('"').map_or("", |(_, body)| body);
            let body = body.strip_suffix('"').unwrap_or(body);
            elements.extend(self.unescape(body, wide, span));
        }
        if prefix == "u" {
            elements = elements.into_iter().flat_map(units).collect();
        }
        self.string(elements, element, span)
    }

    /// A string object.
    pub fn string(&mut self, mut elements: Vec<u32>, element: TypeId, span: Span) -> Operand {
        elements.push(0);
        let length = ArrayLength::Known(elements.len() as u64);
        let ty = self.program.types.intern(Type::Array { element: Qualified::plain(element), length });
        let id = self.program.strings.push(StringLiteral { elements, ty, span });
        Operand::Place(self.place(PlaceKind::String(id), Qualified::plain(ty), span))
    }

    /// The elements of a character constant or string: bytes, or characters if it is wide.
    fn unescape(&mut self, body: &str, wide: bool, span: Span) -> Vec<u32> {
        let mut elements = vec![];
        let mut letters = body.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter != '\\' {
                push_character(&mut elements, letter, wide);
                continue;
            }
            match letters.next() {
                Some(simple) if simple_escape(simple).is_some() => elements.extend(simple_escape(simple)),
                Some('x') => elements.push(digits(&mut letters, 16, usize::MAX, 0)),
                Some(digit @ '0'..='7') => {
                    let first = digit.to_digit(8).unwrap_or(0);
                    elements.push(digits(&mut letters, 8, 2, first));
                }
                Some(kind @ ('u' | 'U')) => {
                    let value = digits(&mut letters, 16, if kind == 'u' { 4 } else { 8 }, 0);
                    push_character(&mut elements, char::from_u32(value).unwrap_or('\u{fffd}'), wide);
                }
                Some('\n') => {}
                Some(other) => push_character(&mut elements, other, wide),
                None => {
                    self.error(
                        "E1112",
                        span,
                        "a backslash at the end of a literal",
                        "write `\\\\` for a backslash",
                    );
                }
            }
        }
        elements
    }
}

/// A character in UTF-16: two units beyond the first 65,536.
fn units(character: u32) -> Vec<u32> {
    match character.checked_sub(0x1_0000) {
        Some(rest) => vec![0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff)],
        None => vec![character],
    }
}

fn push_character(elements: &mut Vec<u32>, letter: char, wide: bool) {
    if wide {
        elements.push(u32::from(letter));
    } else if let Some(byte) = base::bytes::byte_of(letter) {
        elements.push(u32::from(byte));
    } else {
        let mut buffer = [0; 4];
        elements.extend(letter.encode_utf8(&mut buffer).bytes().map(u32::from));
    }
}

fn simple_escape(letter: char) -> Option<u32> {
    Some(match letter {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => u32::from(letter),
        _ => return None,
    })
}

fn digits(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
    first: u32,
) -> u32 {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        letters.next();
    }
    value
}

fn is_decimal_exponent(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    matches!(text.as_bytes().get(digits), Some(b'e' | b'E')) || text.starts_with('.')
}

/// The number and its suffix.
fn split_suffix(text: &str, hexadecimal: bool) -> (&str, &str) {
    let exponent = if hexadecimal { 'p' } else { 'e' };
    let from = text.find(exponent).map_or(0, |at| at + 1);
    let digit = |letter: char| {
        letter.is_ascii_digit()
            || matches!(letter, '.' | '+' | '-')
            || hexadecimal && from == 0 && letter.is_ascii_hexdigit()
    };
    let length = text[from..].find(|letter| !digit(letter) && letter != 'x').unwrap_or(text.len() - from);
    text.split_at(from + length)
}

/// The value of `0x1.8p3`.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let body = text.strip_prefix("0x")?;
    let (mantissa, exponent) = body.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0f64;
    for letter in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(letter.to_digit(16)?);
    }
    let shift = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    Some(value * 2f64.powi(shift))
}
