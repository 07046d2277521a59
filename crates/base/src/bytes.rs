//! Texts that are not UTF-8, such as C sources in Latin-1: each byte that is no part of a character is kept
//! as a character of its own, from the last ones of the second private plane, so that nothing is lost and
//! columns count it once. It is shown as the replacement character.

use std::borrow::Cow;

/// What stands for the byte 0; bytes from 0x80 on occur.
const BASE: u32 = 0x0010_ff00;

/// The text of some bytes.
pub fn decode(bytes: Vec<u8>) -> String {
    let text = match String::from_utf8(bytes) {
        // A character that would mean a byte is taken as the bytes that it is written with.
        Ok(text) if !text.contains(is_byte) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut decoded = String::with_capacity(text.len() + text.len() / 8);
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if is_byte(letter) {
                decoded.extend(letter.encode_utf8(&mut [0; 4]).bytes().map(of_byte));
            } else {
                decoded.push(letter);
            }
        }
        decoded.extend(chunk.invalid().iter().copied().map(of_byte));
    }
    decoded
}

/// The bytes that a text was decoded from.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(is_byte) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match byte_of(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// The byte that a character stands for, if it stands for one.
pub fn byte_of(letter: char) -> Option<u8> {
    let byte = u32::from(letter).checked_sub(BASE)?;
    u8::try_from(byte).ok().filter(|byte| *byte >= 0x80)
}

/// Whether a character stands for a byte.
pub fn is_byte(letter: char) -> bool {
    byte_of(letter).is_some()
}

/// The text as it can be shown.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_byte) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|it| if is_byte(it) { char::REPLACEMENT_CHARACTER } else { it }).collect())
}

fn of_byte(byte: u8) -> char {
    char::from_u32(BASE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        let all: [&[u8]; 6] = [
            b"plain",
            "é→☃".as_bytes(),
            b"caf\xe9 \xc3\xa9 \xf0\x9f",
            "\u{10ffe9}".as_bytes(),
            b"\xff\x80",
            b"",
        ];
        for bytes in all {
            let text = decode(bytes.to_vec());
            assert_eq!(encode(&text).as_ref(), bytes);
        }
    }

    #[test]
    fn a_byte_is_one_character_and_is_shown_as_one() {
        let text = decode(b"a\xe9b".to_vec());
        assert_eq!((text.chars().count(), shown(&text).as_ref()), (3, "a\u{fffd}b"));
        assert_eq!(text.chars().filter_map(byte_of).collect::<Vec<_>>(), [0xe9]);
        assert_eq!(shown("é"), "é");
    }
}
