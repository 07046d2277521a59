//! From places in a preprocessed text to places in the user's own files, by the line markers.
//!
//! The file that is being read keeps its own text, and the tokens of a preprocessed line are aligned with
//! those of the lines that the markers name ([`super::align`]). Other files that markers name are never
//! opened (a marker may name anything): their text is put together from the preprocessed lines themselves.

use std::collections::HashMap;
use std::ops::Range;

use base::{FileId, SourceMap, Span};

use super::align::{REFUSED, Sides, Token, align, is_annotation};
use super::scan::{Piece as OwnPiece, PieceKind, scan};

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

/// The most tokens of the user's that lines are taken together for, while a parenthesis is open.
const MOST_TOGETHER: usize = 10_000;

/// Where each line of a preprocessed text comes from.
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<u32>,
    homes: Vec<LineHome>,
    own: FileId,
    /// The text of the user's own file, to look tokens up.
    own_text: String,
    /// Its tokens.
    own_pieces: Vec<OwnPiece>,
    group: Group,
}

/// Lines that were aligned with lines of the user's own file.
#[derive(Default)]
struct Group {
    /// The lines of the preprocessed text.
    lines: Range<usize>,
    /// The places of their tokens, by their first bytes.
    places: Vec<(u32, Span)>,
    /// How far the user's own text has been matched.
    cursor: u32,
}

/// A part of the text: what lies between two line breaks, and the file and line that markers give it.
struct Piece {
    range: Range<usize>,
    file: Option<usize>,
    line: u64,
}

impl<'a> Lines<'a> {
    /// Follows the line markers of `text`. `own` is the user's file, in the map already, which markers call
    /// by its name; with `verbatim` the text is that file's own.
    pub fn new(map: &mut SourceMap, own: FileId, text: &'a str, verbatim: bool) -> Self {
        let mut names: Vec<String> = vec![];
        let pieces = pieces(text, &mut names);
        // The user's own file has its text already; a preprocessed one is put together from its lines like
        // any other.
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
        let own_pieces = scan(&own_text, 0, own_text.len());
        Self { text, starts, homes, own, own_text, own_pieces, group: Group::default() }
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
        if !self.group.lines.contains(&line) {
            self.group = self.aligned(line, home);
        }
        let places = &self.group.places;
        let at = places.partition_point(|(first, _)| *first <= start as u32);
        let (_, span) = at.checked_sub(1).and_then(|at| places.get(at)).or(places.first()).copied().unzip();
        span.unwrap_or(Span { file: home.file, start: home.start, end: home.start })
    }

    /// Aligns a line, and those after it that may belong to the same use of a macro, with the user's own
    /// text.
    fn aligned(&self, line: usize, home: LineHome) -> Group {
        let end = self.together(home);
        let begin =
            if (home.start..end).contains(&self.group.cursor) { self.group.cursor } else { home.start };
        let mut lines = line..line;
        let mut made = vec![];
        while let Some(next) = self.homes.get(lines.end) {
            let range = self.range(lines.end);
            let content = &self.text[range.clone()];
            let is_marker = marker(content).is_some();
            let is_own = !next.exact && (home.start..end).contains(&next.start);
            if !is_marker && !is_own && !content.trim().is_empty() {
                break;
            }
            if content.trim_start().starts_with(REFUSED) {
                let start = (range.end - content.trim_start().len()) as u32;
                let piece = OwnPiece { start, end: range.end as u32, kind: PieceKind::Name, noted: false };
                made.push(Token { piece, text: REFUSED });
            } else if !is_marker {
                let pieces = scan(self.text, range.start, range.end);
                made.extend(pieces.into_iter().map(|it| token(self.text, it)));
            }
            lines.end += 1;
        }
        let is_noted = made.iter().any(|it| is_annotation(it.text));
        // The tokens of an annotation that is refused do not come back.
        let is_asserted = made.iter().any(|it| is_annotation(it.text) && it.text != REFUSED);
        let first = self.own_pieces.partition_point(|it| it.start < begin);
        let own = self.own_pieces[first..].iter().take_while(|it| it.start < end);
        let own = own
            .filter(|it| !it.noted || is_asserted || is_noted && it.kind == PieceKind::Annotation)
            .map(|it| token(&self.own_text, *it))
            .collect();
        self.placed(home, lines, &Sides { own, made })
    }

    fn placed(&self, home: LineHome, lines: Range<usize>, sides: &Sides<'_>) -> Group {
        let span = |piece: OwnPiece| Span { file: home.file, start: piece.start, end: piece.end };
        let otherwise = sides.own.first().map(|token| span(token.piece));
        let otherwise = otherwise.unwrap_or(Span { file: home.file, start: home.start, end: home.start });
        let found = align(sides);
        let cursor = found.iter().flatten().map(|own| sides.own[*own].piece.end).max();
        let place = |found: Option<usize>| found.map_or(otherwise, |own| span(sides.own[own].piece));
        let places = sides.made.iter().zip(found).map(|(made, found)| (made.piece.start, place(found)));
        Group { lines, places: places.collect(), cursor: cursor.unwrap_or(home.start) }
    }

    /// Where the lines end that belong together with a line of the user's: as long as a parenthesis is open,
    /// which may be that of a macro.
    fn together(&self, home: LineHome) -> u32 {
        let first = self.own_pieces.partition_point(|it| it.start < home.start);
        let (mut end, mut depth) = (home.start + home.length, 0);
        for piece in self.own_pieces[first..].iter().take(MOST_TOGETHER) {
            if piece.start >= end {
                if depth <= 0 {
                    break;
                }
                let rest = &self.own_text.as_bytes()[piece.start as usize..];
                let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                end = piece.start + length as u32;
            }
            match &self.own_text[piece.start as usize..piece.end as usize] {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
        // An empty line is a line, too.
        end.max(home.start + 1)
    }

    /// The bytes of a line, without its end.
    fn range(&self, line: usize) -> Range<usize> {
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| *next as usize - 1);
        self.starts[line] as usize..end
    }
}

fn token(text: &str, piece: OwnPiece) -> Token<'_> {
    Token { piece, text: &text[piece.start as usize..piece.end as usize] }
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
    Some((number, Some(unquoted(quoted))))
}

/// The name up to the closing quote. Some preprocessors write what is not ASCII as octal numbers.
fn unquoted(text: &str) -> String {
    let encoded = base::bytes::encode(text);
    let mut rest = encoded.as_ref();
    let mut name = vec![];
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'"', _) => break,
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                name.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = after;
            }
            (b'\\', [escaped, after @ ..]) => {
                name.push(*escaped);
                rest = after;
            }
            (byte, _) => name.push(*byte),
        }
    }
    base::bytes::decode(name)
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
    fn names_in_markers_may_be_escaped() {
        let all =
            [(r#"gr\303\274n.c" 1"#, "grün.c"), (r#"a\\b\"c" "#, "a\\b\"c"), ("ü", "ü"), (r"\08", "08")];
        for (text, name) in all {
            assert_eq!(unquoted(text), name);
        }
    }

    /// Where tokens of a line stand after preprocessing, by their columns.
    fn columns(own: &str, text: &str, tokens: &[&str]) -> Vec<String> {
        let mut map = SourceMap::new();
        let own = map.add("a.c", own);
        let mut lines = Lines::new(&mut map, own, text, false);
        let mut from = 0;
        let mut found = vec![];
        for token in tokens {
            from += text[from..].find(token).expect("the token is there");
            let span = lines.span(from, from + token.len());
            from += token.len();
            found.push(map.describe(span)["a.c:".len()..].to_string());
        }
        found
    }

    #[test]
    fn comments_are_no_tokens() {
        let own = "/* fail x é */ CHECK(x); /* fail */ y;\n";
        let text = "# 1 \"a.c\"\n ((x) ? 0 : fail(\"x\")); y;\n";
        assert_eq!(columns(own, text, &["((", "x", "fail", "y"]), ["1:16", "1:22", "1:16", "1:37"]);
        let own = "f(); /*@ assert x == 1; */ CHECK(x);\n";
        let text = "# 1 \"a.c\"\nf(); __selvedge_assert(x == 1); ((x) ? 0 : fail());\n";
        let found = columns(own, text, &["__selvedge_assert", "1", "x", "fail"]);
        assert_eq!(found, ["1:6", "1:22", "1:34", "1:28"]);
        let own = "f(); /*@ assert \\valid(x); */ x;\n";
        let text =
            "# 1 \"a.c\"\nf();\n# 1 \"a.c\"\n#pragma selvedge annotation it is no C\n# 1 \"a.c\"\n x;\n";
        assert_eq!(columns(own, text, &["f", "#pragma", "x"]), ["1:1", "1:6", "1:31"]);
    }

    #[test]
    fn macros_may_go_over_lines_and_into_each_other() {
        let own = "  CHECK(x\n   == ONE); CHECK(y);\n";
        let text = "# 1 \"a.c\"\n  ((\n# 1 \"a.c\"\nx\n# 2 \"a.c\"\n == 1\n# 1 \"a.c\" 3 4\n) ? 0 : fail())\n# 2 \"a.c\"\n \
                    ; ((y) ? 0 : fail());\n";
        let found = columns(own, text, &["x", "==", "fail", "y", "fail"]);
        assert_eq!(found, ["1:9", "2:4", "1:3", "2:19", "2:13"]);
        let own = "((CHECK(y))); BOTH(CHECK(x), y);\n";
        let text = "# 1 \"a.c\"\n((((y) ? 0 : fail()))); ((x) ? 0 : fail()); fail(y);\n";
        let found = columns(own, text, &["y", "fail", "x", "fail", "fail"]);
        assert_eq!(found, ["1:9", "1:3", "1:26", "1:15", "1:15"]);
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
