//! From places in a preprocessed text to places in the user's own files, by the line markers.
//!
//! The file that is being read keeps its own text: a token is looked for in the line that the marker names, from left to right; one that a
//! macro made is put where the macro's name stands, as well as one can tell. Other files that markers name are never opened (a marker may
//! name anything): their text is put together from the preprocessed lines themselves.

use std::collections::HashMap;
use std::ops::Range;

use base::{FileId, SourceMap, Span};

/// Blank lines that may be made up to put lines at the numbers that markers give them.
const MOST_BLANK_LINES: u64 = 20_000_000;

/// What stands for a file that is named by a marker.
#[derive(Clone, Copy)]
struct LineHome {
    file: FileId,
    /// The byte of the file where the line starts.
    start: u32,
    /// The length of the line.
    length: u32,
    /// Whether the file holds the preprocessed line itself, so that columns agree.
    exact: bool,
}

/// Where each line of a preprocessed text comes from.
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<u32>,
    homes: Vec<LineHome>,
    own: FileId,
    /// The text of the user's own file, to look tokens up.
    own_text: String,
    cursor: Cursor,
}

/// How far the current line of the user's own file has been matched.
#[derive(Clone, Copy, Default)]
struct Cursor {
    line_start: u32,
    at: u32,
    /// The use of a macro that the last token came from which the line does not hold.
    made: Option<MacroUse>,
}

/// A macro's name in a line, and where its use ends, arguments included.
#[derive(Clone, Copy)]
struct MacroUse {
    name: Span,
    end: u32,
}

/// A part of the text: what lies between two line breaks, and the file and line that markers give it.
struct Piece {
    range: Range<usize>,
    file: Option<usize>,
    line: u64,
}

impl<'a> Lines<'a> {
    /// Follows the line markers of `text`. `own` is the user's file, in the map already, which markers call by its name; with
    /// `verbatim` the text is that file's own.
    pub fn new(map: &mut SourceMap, own: FileId, text: &'a str, verbatim: bool) -> Self {
        let mut names: Vec<String> = vec![];
        let pieces = pieces(text, &mut names);
        // The user's own file has its text already; a preprocessed one is put together from its lines like any other.
        let own_name = (!verbatim).then(|| map.file(own).name().to_string());
        let made = make_files(map, &Marked { text, pieces: &pieces, names: &names }, own_name.as_deref());
        let own_starts = line_starts(map.file(own).text());
        let mut homes = Vec::with_capacity(pieces.len());
        for (piece, place) in pieces.iter().zip(&made.places) {
            let home = match place {
                Some((file, start)) => {
                    LineHome { file: *file, start: *start, length: piece.range.len() as u32, exact: true }
                }
                None if verbatim => LineHome {
                    file: own,
                    start: piece.range.start as u32,
                    length: piece.range.len() as u32,
                    exact: true,
                },
                None => own_line(&own_starts, own, piece.line),
            };
            homes.push(home);
        }
        let starts = pieces.iter().map(|piece| piece.range.start as u32).collect();
        let own_text = if verbatim { String::new() } else { map.file(own).text().to_string() };
        Self { text, starts, homes, own, own_text, cursor: Cursor::default() }
    }

    /// The place of some bytes of the preprocessed text in the user's own file. Asked from left to right.
    pub fn span(&mut self, start: usize, end: usize) -> Span {
        let line = self.starts.partition_point(|&first| first as usize <= start).max(1) - 1;
        let Some(&home) = self.homes.get(line) else { return Span { file: self.own, start: 0, end: 0 } };
        if home.exact {
            let column = (start as u32).saturating_sub(self.starts[line]);
            let length = (end - start) as u32;
            let start = home.start + column.min(home.length);
            return Span {
                file: home.file,
                start,
                end: start + length.min(home.length.saturating_sub(column)),
            };
        }
        self.look_up(home, &self.text[start..end])
    }

    /// Finds a token in the line of the user's own file, after what was found there before.
    fn look_up(&mut self, home: LineHome, token: &str) -> Span {
        if self.cursor.line_start != home.start {
            let line = &self.own_text[home.start as usize..(home.start + home.length) as usize];
            let indent = line.len() - line.trim_start().len();
            self.cursor = Cursor { line_start: home.start, at: home.start + indent as u32, made: None };
        }
        let line_end = home.start + home.length;
        let rest = self.own_text.get(self.cursor.at as usize..line_end as usize).unwrap_or_default();
        if let Some(found) = find_token(rest, token) {
            let start = self.cursor.at + found as u32;
            self.cursor.at = start + token.len() as u32;
            return Span { file: home.file, start, end: self.cursor.at };
        }
        // The rest of the line holds no such token: a macro made it, the one among whose arguments the cursor still is, or the next one.
        if let Some(made) = self.cursor.made.filter(|made| self.cursor.at <= made.end) {
            return made.name;
        }
        let word = rest.trim_start();
        let start = self.cursor.at + (rest.len() - word.len()) as u32;
        let length = word.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let name = Span { file: home.file, start, end: (start + length as u32).min(line_end) };
        let end = name.end + arguments(&word[length..]) as u32;
        self.cursor.made = (length > 0).then_some(MacroUse { name, end });
        name
    }
}

/// How many bytes the arguments in parentheses take that a text begins with, the last parenthesis included.
fn arguments(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth > 1 => depth -= 1,
            b')' => return at + 1,
            b' ' | b'\t' => {}
            _ if depth == 0 => return 0,
            _ => {}
        }
    }
    text.len()
}

/// Where a token stands in a line, not inside of a longer word. Punctuation counts only if nothing but spaces comes before it: it is too common.
fn find_token(line: &str, token: &str) -> Option<usize> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_word = token.bytes().next().is_some_and(word);
    if !is_word {
        let spaces = line.len() - line.trim_start().len();
        return line[spaces..].starts_with(token).then_some(spaces);
    }
    let bytes = line.as_bytes();
    line.match_indices(token).map(|(at, _)| at).find(|&at| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let after = bytes.get(at + token.len()).copied();
        !before.is_some_and(word) && !after.is_some_and(word)
    })
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(breaks).chain([text.len() as u32 + 1]).collect()
}

fn own_line(starts: &[u32], file: FileId, line: u64) -> LineHome {
    let last = starts.len() - 2;
    let index = usize::try_from(line.saturating_sub(1)).unwrap_or(last).min(last);
    let length = starts[index + 1] - starts[index] - 1;
    LineHome { file, start: starts[index], length, exact: false }
}

/// Cuts a text at its line breaks and follows the markers.
fn pieces(text: &str, names: &mut Vec<String>) -> Vec<Piece> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut file = None;
    let mut line = 1;
    let mut pieces = vec![];
    let mut start = 0;
    for content in text.split('\n') {
        let range = start..start + content.len();
        start += content.len() + 1;
        match marker(content) {
            Some((number, name)) => {
                pieces.push(Piece { range, file, line });
                line = number;
                if let Some(name) = name {
                    let next = names.len();
                    let index = *numbers.entry(name.clone()).or_insert(next);
                    if index == next {
                        names.push(name);
                    }
                    file = Some(index);
                }
            }
            None => {
                pieces.push(Piece { range, file, line });
                line += 1;
            }
        }
    }
    pieces
}

/// Reads `# 12 "file.c" 3 4` and `#line 12 "file.c"`.
fn marker(line: &str) -> Option<(u64, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim();
    let Some(quoted) = rest.strip_prefix('"') else { return Some((number, None)) };
    let mut name = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => name.extend(letters.next()),
            _ => name.push(letter),
        }
    }
    Some((number, Some(name)))
}

struct Made {
    /// For each piece, the file made up for it and the byte where it stands there.
    places: Vec<Option<(FileId, u32)>>,
}

/// A text cut at its line breaks, and the files that its markers name.
struct Marked<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    names: &'a [String],
}

/// Puts together the files that markers name, other than the user's own.
fn make_files(map: &mut SourceMap, marked: &Marked<'_>, own: Option<&str>) -> Made {
    let Marked { text, pieces, names } = *marked;
    let mut by_file: Vec<Vec<usize>> = vec![vec![]; names.len()];
    for (index, piece) in pieces.iter().enumerate() {
        if let Some(file) = piece.file {
            by_file[file].push(index);
        }
    }
    let mut places = vec![None; pieces.len()];
    let mut blank = 0;
    for (name, mut members) in names.iter().zip(by_file) {
        if Some(name.as_str()) == own {
            continue;
        }
        members.sort_by_key(|&index| pieces[index].line);
        let last = members.last().map_or(0, |&index| pieces[index].line);
        blank += last;
        if blank > MOST_BLANK_LINES {
            break;
        }
        let (made, offsets) = put_together(&members, pieces, text);
        let file = map.add(name.clone(), made);
        for (index, offset) in members.into_iter().zip(offsets) {
            places[index] = Some((file, offset));
        }
    }
    Made { places }
}

/// The text of one file, and where each piece went. Pieces of the same line stand one after the other.
fn put_together(members: &[usize], pieces: &[Piece], text: &str) -> (String, Vec<u32>) {
    let mut made = String::new();
    let mut line = 1;
    let mut offsets = vec![];
    for &index in members {
        let content = &text[pieces[index].range.clone()];
        let content = if marker(content).is_some() { "" } else { content };
        while line < pieces[index].line {
            made.push('\n');
            line += 1;
        }
        if !made.is_empty() && !made.ends_with('\n') && !content.is_empty() {
            made.push(' ');
        }
        offsets.push(made.len() as u32);
        made.push_str(content);
    }
    (made, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_lead_to_the_users_lines() {
        let mut map = SourceMap::new();
        let own = map.add("a.c", "#define ONE 1\nint x = ONE; int y;\n");
        let text = "# 1 \"a.c\"\n# 1 \"h.h\" 1\nint h;\n# 2 \"a.c\" 2\nint x = 1; int y;\n";
        let mut lines = Lines::new(&mut map, own, text, false);
        let mut at = |token: &str| {
            let start = text.find(token).expect("the token is there");
            lines.span(start, start + token.len())
        };
        let header = at("h;");
        let one = at("1;");
        let y = at("y;");
        assert_eq!(map.describe(header), "h.h:1:5");
        assert!(map.describe(one).starts_with("a.c:2:"), "{}", map.describe(one));
        assert_eq!(map.describe(y), "a.c:2:18");
    }

    #[test]
    fn what_a_macro_makes_stands_at_its_name() {
        let mut map = SourceMap::new();
        let own = map.add("a.c", "#define CHECK(e) ((e) ? 0 : stop(#e))\n  CHECK(f(x) == 3); y;\n");
        let text = "# 2 \"a.c\"\n  ((f(x) == 3) ? 0 : stop(\"f(x) == 3\")); y;\n";
        let mut lines = Lines::new(&mut map, own, text, false);
        let (mut from, mut found) = (text.find('(').expect("it begins so"), vec![]);
        for token in
            ["(", "(", "f", "(", "x", ")", "==", "3", ")", "?", "0", ":", "stop", "(", ")", ")", ";", "y"]
        {
            let start = from + text[from..].find(token).expect("the token is there");
            from = start + token.len();
            let span = lines.span(start, from);
            found.push((token, map.describe(span)));
        }
        let at = |number: usize| found[number].1.as_str();
        assert_eq!(
            [at(0), at(12), at(2), at(7), at(17)],
            ["a.c:2:3", "a.c:2:3", "a.c:2:9", "a.c:2:17", "a.c:2:21"]
        );
    }

    #[test]
    fn a_file_without_markers_is_its_own() {
        let mut map = SourceMap::new();
        let text = "int x;\nint y;\n";
        let own = map.add("a.i", text);
        let mut lines = Lines::new(&mut map, own, text, true);
        let span = lines.span(11, 12);
        assert_eq!(map.describe(span), "a.i:2:5");
    }

    #[test]
    fn huge_line_numbers_cost_nothing() {
        let mut map = SourceMap::new();
        let text = "# 4000000000 \"x.c\"\nint x;\n";
        let own = map.add("a.i", text);
        let mut lines = Lines::new(&mut map, own, text, true);
        assert_eq!(map.describe(lines.span(23, 24)), "a.i:2:5");
    }
}
