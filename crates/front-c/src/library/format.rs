//! Formats of `printf` and `scanf`, taken apart.

/// What a conversion does with its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An integer of this many bytes.
    Integer(u64),
    /// `%c`.
    Character,
    /// A floating number; `long double` has 16 bytes.
    Float(u64),
    /// A string.
    Text,
    /// A pointer as such.
    Pointer,
    /// `%n`: the number of characters so far, in this many bytes.
    Count(u64),
}

/// A width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    /// None is given.
    None,
    /// A number in the format.
    Fixed(u64),
    /// `*`: an argument.
    Argument,
}

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conversion {
    /// What is converted.
    pub kind: Kind,
    /// The least width, or for `scanf` the most characters.
    pub width: Number,
    /// What comes after the point.
    pub precision: Number,
    /// `scanf`: the value is dropped.
    pub dropped: bool,
    /// How many characters of the format itself stand before it, `%%` counting as one.
    pub before: u64,
}

/// A format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Format {
    /// The conversions, in order.
    pub conversions: Vec<Conversion>,
    /// How many characters of its own it prints.
    pub own: u64,
}

/// Takes a format apart; `None` if it has what is not known here. `long` says how many bytes a `long` has,
/// `scan` that it is one of `scanf`, where `*` drops a value and the widths of floating numbers count.
pub(super) fn parse(text: &str, long: u64, scan: bool) -> Option<Format> {
    let mut rest = text.chars().peekable();
    let mut format = Format { conversions: vec![], own: 0 };
    while let Some(c) = rest.next() {
        if c != '%' {
            format.own += 1;
            continue;
        }
        let mut dropped = false;
        while let Some(&flag) = rest.peek()
            && (!scan && "-+ #0'".contains(flag) || scan && flag == '*')
        {
            dropped |= scan;
            rest.next();
        }
        let width = number(&mut rest)?;
        let mut precision = Number::None;
        if rest.next_if_eq(&'.').is_some() {
            precision = match number(&mut rest)? {
                Number::None => Number::Fixed(0),
                given => given,
            };
        }
        let mut length = String::new();
        while let Some(modifier) = rest.next_if(|&c| "hlLqjzt".contains(c)) {
            length.push(modifier);
        }
        let conversion = rest.next()?;
        if conversion == '%' {
            format.own += 1;
            continue;
        }
        let kind = kind(conversion, &length, long, scan)?;
        format.conversions.push(Conversion { kind, width, precision, dropped, before: format.own });
    }
    Some(format)
}

fn number(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Number> {
    if rest.next_if_eq(&'*').is_some() {
        return Some(Number::Argument);
    }
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    // `%1$d` names its argument.
    if rest.peek() == Some(&'$') {
        return None;
    }
    if digits.is_empty() { Some(Number::None) } else { digits.parse().ok().map(Number::Fixed) }
}

fn kind(conversion: char, length: &str, long: u64, scan: bool) -> Option<Kind> {
    let size = match length {
        "hh" if scan => 1,
        "h" if scan => 2,
        "" | "h" | "hh" => 4,
        "l" | "z" | "t" => long,
        "ll" | "q" | "j" | "L" => 8,
        _ => return None,
    };
    Some(match conversion {
        'd' | 'i' | 'u' | 'o' | 'x' | 'X' => Kind::Integer(size),
        'c' if length.is_empty() => Kind::Character,
        's' if length.is_empty() => Kind::Text,
        'p' => Kind::Pointer,
        'n' => Kind::Count(match length {
            "hh" => 1,
            "h" => 2,
            _ => size,
        }),
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => Kind::Float(match (length, scan) {
            ("L", _) => 16,
            ("", true) => 4,
            ("" | "l", _) => 8,
            _ => return None,
        }),
        _ => return None,
    })
}

impl Conversion {
    /// The least and the greatest number of characters that it prints, as far as the format says.
    pub fn printed(&self) -> (u64, Option<u64>) {
        let (least, most) = match (self.kind, self.precision) {
            (Kind::Integer(bytes), Number::None) => (1, Some(if bytes == 8 { 25 } else { 13 })),
            (Kind::Character, _) => (1, Some(1)),
            (Kind::Text, Number::Fixed(limit)) => (0, Some(limit)),
            (Kind::Text, _) => (0, None),
            (Kind::Count(_), _) => return (0, Some(0)),
            (Kind::Integer(_), _) => (0, None),
            (Kind::Float(_) | Kind::Pointer, _) => (1, None),
        };
        match self.width {
            Number::None => (least, most),
            Number::Fixed(width) => (least.max(width), most.map(|most| most.max(width))),
            Number::Argument => (least, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Number, parse};

    #[test]
    fn formats_are_taken_apart() {
        let format = parse("a%%b%-5ld%.*s%n", 8, false).expect("the format is known");
        let kinds: Vec<_> = format.conversions.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [Kind::Integer(8), Kind::Text, Kind::Count(4)]);
        assert_eq!(format.own, 3);
        assert_eq!(format.conversions[0].width, Number::Fixed(5));
        assert_eq!(format.conversions[0].printed(), (5, Some(25)));
        assert_eq!(format.conversions[1].precision, Number::Argument);
        assert_eq!(parse("%1$d", 8, false), None);
        assert_eq!(parse("%", 8, false), None);
        let scanned = parse("%*d %4s %hhd %lf", 8, true).expect("the format is known");
        assert!(scanned.conversions[0].dropped);
        let kinds: Vec<_> = scanned.conversions.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [Kind::Integer(4), Kind::Text, Kind::Integer(1), Kind::Float(8)]);
    }
}
