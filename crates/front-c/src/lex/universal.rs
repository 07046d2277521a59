//! Universal character names: `\\u00e9` in a name is the character itself. Some preprocessors write names so
//! whatever the user wrote.

use std::borrow::Cow;

/// The text with the characters that are meant. Strings and characters in quotes, which have escapes of their
/// own, stay as they are.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") && !text.contains("\\U") {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len());
    let (mut rest, mut quote) = (text, None);
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        match (letter, quote) {
            ('\\', None) => {
                if let Some((meant, taken)) = universal(rest) {
                    made.push(meant);
                    rest = &rest[taken..];
                    continue;
                }
            }
            ('\\', Some(_)) => length += rest[1..].chars().next().map_or(0, char::len_utf8),
            ('\n', _) => quote = None,
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        made.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(made)
}

/// The character that a text begins with as a universal character name, and the length of that.
fn universal(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes().get(1)? {
        b'u' => 4,
        b'U' => 8,
        _ => return None,
    };
    let number = text.get(2..2 + digits).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let meant = char::from_u32(u32::from_str_radix(number, 16).ok()?)?;
    // The standard allows no other characters, and those that stand for bytes are none of a text.
    (u32::from(meant) >= 0xa0 && !base::bytes::is_byte(meant)).then_some((meant, 2 + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_strings_stay() {
        assert_eq!(
            plain(r#"gr\U000000f6\u00dfe = "\u00e9\"\u00e9" '\u00e9' x\u00e9"#),
            r#"größe = "\u00e9\"\u00e9" '\u00e9' xé"#
        );
        assert_eq!(plain(r"\u00 \u0041 \q \"), r"\u00 \u0041 \q \");
        assert!(matches!(plain("plain é"), Cow::Borrowed(_)));
    }
}
