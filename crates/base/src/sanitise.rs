//! Sanitises text from files and names for a line of output: it cannot drive a terminal, and it stays on its
//! line. Sanitising twice changes nothing more.

/// Text that cannot drive a terminal: tabs become spaces, other control characters a replacement.
pub fn sanitise(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c {
            '\t' => vec![' '; 4],
            c if c.is_control() || is_direction(c) || is_line_end(c) => vec!['\u{fffd}'],
            c => vec![c],
        })
        .collect()
}

/// Characters that change the direction of writing can make a line show something else than it says.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Some programs begin a new line at these.
fn is_line_end(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_files_cannot_drive_the_terminal() {
        for text in ["a\tb\x1b[31m\u{202e}", "\u{fffd}\r\n"] {
            assert_eq!(sanitise(&sanitise(text)), sanitise(text));
        }
        assert_eq!(sanitise("a\tb\x1b[31m\u{202e}"), "a    b\u{fffd}[31m\u{fffd}");
        assert_eq!(sanitise("a\nsafe\r\u{2028}b\u{9b}"), "a\u{fffd}safe\u{fffd}\u{fffd}b\u{fffd}");
    }
}
