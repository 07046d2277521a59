//! Configurations of thread transition systems as BFC writes them: `s|b1,b2/u1,u2` in `--start`, in `.prop`
//! files and in `--target`. The letters `B` and `U` may stand for `|` and `/`, which shells like to eat.

use base::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use std::ops::Range;

/// A shared state and local states, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The shared state.
    pub shared: u32,
    /// One thread in each of these.
    pub fixed: Vec<u32>,
    /// Any number of threads in each of these.
    pub unbounded: Vec<u32>,
}

/// What is wrong with a text, and where in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Flaw {
    pub at: Range<usize>,
    pub message: String,
}

impl Configuration {
    /// Reads `s|b1,b2/u1,u2`; either list may be missing, not both.
    pub(super) fn parse(text: &str) -> Result<Configuration, Flaw> {
        let mut scan = Scanner::new(text);
        let shared = scan.number("the number of a shared state")?;
        let fixed = if scan.eats(&["|", "B"]) { scan.list()? } else { vec![] };
        let unbounded = if scan.eats(&["/", "U"]) { scan.list()? } else { vec![] };
        if fixed.is_empty() && unbounded.is_empty() {
            return Err(scan.flaw("expected `|` or `/` and local states"));
        }
        scan.end()?;
        Ok(Configuration { shared, fixed, unbounded })
    }

    /// Reads a target, which has no unbounded part.
    pub(super) fn parse_target(text: &str) -> Result<Configuration, Flaw> {
        let it = Configuration::parse(text)?;
        if it.unbounded.is_empty() {
            return Ok(it);
        }
        let message = "a target lists local states after `|` alone".to_string();
        Err(Flaw { at: 0..text.len(), message })
    }
}

/// The targets of a `.prop` file, one a line, with their places.
pub fn read_prop(map: &SourceMap, file: FileId) -> Result<Vec<(Configuration, Span)>, Vec<Diagnostic>> {
    let mut found = Diagnostics::new();
    let mut targets = vec![];
    for (start, line) in lines(map.file(file).text()) {
        let (start, line) = trimmed(start, line);
        if line.is_empty() {
            continue;
        }
        match Configuration::parse_target(line) {
            Ok(target) => targets.push((target, span(file, start, 0..line.len()))),
            Err(flaw) => found.push(
                Diagnostic::error("E0501", span(file, start, flaw.at), flaw.message)
                    .help("a target is written `1|2,2`: shared state 1 and two threads in local state 2"),
            ),
        }
    }
    if found.has_errors() { Err(found.into_sorted()) } else { Ok(targets) }
}

/// The lines of a text without their comments (`#` to the end of the line), each with the byte it starts at.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split('\n').map(move |line| {
        let start = next;
        next += line.len() + 1;
        (start, line.split('#').next().unwrap_or_default())
    })
}

/// A line without the space around it, and the byte it starts at.
pub(super) fn trimmed(start: usize, line: &str) -> (usize, &str) {
    let rest = line.trim_start();
    (start + line.len() - rest.len(), rest.trim_end())
}

/// The span of a range within a line that starts at byte `start`.
pub(super) fn span(file: FileId, start: usize, range: Range<usize>) -> Span {
    Span { file, start: (start + range.start) as u32, end: (start + range.end) as u32 }
}

/// Reads one line from left to right.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Where the next word starts.
    pub fn position(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.text.len()
    }

    /// Reads one of these words, if it comes next.
    pub fn eats(&mut self, words: &[&str]) -> bool {
        self.skip_space();
        let word = words.iter().find(|&&word| self.text[self.at..].starts_with(word));
        self.at += word.map_or(0, |word| word.len());
        word.is_some()
    }

    /// Reads a number.
    pub fn number(&mut self, what: &str) -> Result<u32, Flaw> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.flaw(&format!("expected {what}")));
        }
        let at = self.at..self.at + digits;
        self.at = at.end;
        let message = || format!("`{}` is too large", &rest[..digits.min(40)]);
        rest[..digits].parse().map_err(|_| Flaw { at, message: message() })
    }

    fn list(&mut self) -> Result<Vec<u32>, Flaw> {
        let mut all = vec![self.number("the number of a local state")?];
        while self.eats(&[","]) {
            all.push(self.number("the number of a local state")?);
        }
        Ok(all)
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<(), Flaw> {
        if self.at_end() { Ok(()) } else { Err(self.flaw("expected the end of the line")) }
    }

    /// A flaw at the next word.
    pub fn flaw(&mut self, message: &str) -> Flaw {
        self.skip_space();
        let rest = &self.text[self.at..];
        let end = self.at + rest.find(char::is_whitespace).unwrap_or(rest.len());
        let found: String = self.text[self.at..end].chars().take(40).collect();
        let message =
            if found.is_empty() { message.to_string() } else { format!("{message}, found `{found}`") };
        Flaw { at: self.at..end, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(u32, &[u32], &[u32])>) {
        let read = Configuration::parse(text).ok();
        let expected = expected.map(|(shared, fixed, unbounded)| Configuration {
            shared,
            fixed: fixed.to_vec(),
            unbounded: unbounded.to_vec(),
        });
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn configurations() {
        check("0/0", Some((0, &[], &[0])));
        check("0|0,1/2", Some((0, &[0, 1], &[2])));
        check(" 3 B 1 , 1 U 2,4", Some((3, &[1, 1], &[2, 4])));
        for wrong in ["", "0", "0|", "0|1,", "|1", "0|1/", "0/1|2", "0|1 x", "99999999999|0"] {
            check(wrong, None);
        }
    }

    #[test]
    fn all_errors_of_a_prop_file_are_told() {
        let mut map = SourceMap::new();
        let file = map.add("a.prop", "# targets\n1|2,2\n1\n0|1 # why\n0/3\n");
        let found = read_prop(&map, file).expect_err("two lines are wrong");
        let places: Vec<String> = found.iter().filter_map(|it| it.span).map(|it| map.describe(it)).collect();
        assert_eq!(places, ["a.prop:3:2", "a.prop:5:1"]);
    }
}
