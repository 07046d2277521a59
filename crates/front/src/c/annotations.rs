//! ACSL annotations `//@ assert E;` and `/*@ assert E; */` become assertions, before the preprocessor deletes them with the comments. Lines stay where they are.

/// A text with its annotations as assertions.
pub struct Rewritten {
    /// The text; it has as many lines as before.
    pub text: String,
    /// Lines with assertions that could not be taken over, with the reason.
    pub ignored: Vec<(u32, &'static str)>,
    /// Whether anything changed.
    pub changed: bool,
}

/// What the scanner has seen so far.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// The depth of braces: annotations outside of functions are specifications, no assertions.
    braces: i64,
    /// The last byte that is no space and in no comment.
    last: u8,
    out: Rewritten,
}

/// Turns the assertions of annotations into calls of `__selvedge_assert`.
pub fn rewrite(text: &str) -> Rewritten {
    let out = Rewritten { text: String::with_capacity(text.len()), ignored: vec![], changed: false };
    if !text.contains("@") {
        return Rewritten { text: text.to_string(), ..out };
    }
    let mut scan = Scan { text, at: 0, line: 1, braces: 0, last: b';', out };
    scan.run();
    scan.out
}

impl Scan<'_> {
    fn run(&mut self) {
        while self.at < self.text.len() {
            let rest = &self.text.as_bytes()[self.at..];
            match rest {
                [b'/', b'/', ..] => {
                    let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    self.comment(length, 2, 0);
                }
                [b'/', b'*', ..] => {
                    let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                    self.comment(end.map_or(rest.len(), |end| end + 4), 2, 2);
                }
                [quote @ (b'"' | b'\''), ..] => self.literal(*quote),
                _ => self.other(),
            }
        }
    }

    fn copy(&mut self, length: usize) {
        let piece = &self.text[self.at..self.at + length];
        self.line += piece.bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.out.text.push_str(piece);
        self.at += length;
    }

    fn other(&mut self) {
        let letter = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        let byte = self.text.as_bytes()[self.at];
        if !byte.is_ascii_whitespace() {
            self.last = byte;
            match byte {
                b'{' => self.braces += 1,
                b'}' => self.braces -= 1,
                _ => {}
            }
        }
        self.copy(letter);
    }

    fn literal(&mut self, quote: u8) {
        let bytes = &self.text.as_bytes()[self.at..];
        let mut length = 1;
        while length < bytes.len() && bytes[length] != quote && bytes[length] != b'\n' {
            length += if bytes[length] == b'\\' && length + 1 < bytes.len() { 2 } else { 1 };
        }
        let mut end = (length + 1).min(bytes.len());
        while !self.text.is_char_boundary(self.at + end) {
            end += 1;
        }
        self.last = quote;
        self.copy(end);
    }

    fn comment(&mut self, length: usize, open: usize, close: usize) {
        let length = length.min(self.text.len() - self.at);
        let whole = &self.text[self.at..self.at + length];
        let inside = whole.get(open..length.saturating_sub(close)).unwrap_or_default();
        let assertion = inside.strip_prefix('@').and_then(assertion);
        let Some(assertion) = assertion.filter(|_| self.braces > 0) else { return self.copy(length) };
        let at_statement = matches!(self.last, b';' | b'{' | b'}' | b':');
        let made = if at_statement {
            condition(&assertion)
        } else {
            Err("it stands between a condition and its statement")
        };
        match made {
            Ok(condition) => {
                self.out.changed = true;
                self.out.text.push_str(&format!("__selvedge_assert({condition});"));
                let lines = whole.bytes().filter(|byte| *byte == b'\n').count();
                let written = condition.bytes().filter(|byte| *byte == b'\n').count();
                self.out.text.push_str(&"\n".repeat(lines.saturating_sub(written)));
                self.line += lines as u32;
                self.at += length;
            }
            Err(reason) => {
                self.out.ignored.push((self.line, reason));
                self.copy(length);
            }
        }
    }
}

/// The condition of `assert name: E;`.
fn assertion(annotation: &str) -> Option<String> {
    let rest = annotation.trim().strip_prefix("assert")?;
    if !rest.starts_with([' ', '\t', '(', '\n']) {
        return None;
    }
    let rest = rest.trim().trim_end_matches('@').trim_end();
    let rest = rest.split_once(';').map_or(rest, |(condition, _)| condition).trim();
    // A name before the condition.
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let after = rest[name..].trim_start();
    let rest = match after.strip_prefix(':') {
        Some(condition) if name > 0 => condition.trim(),
        _ => rest,
    };
    Some(rest.to_string())
}

/// The condition in C; implications are written out.
fn condition(acsl: &str) -> Result<String, &'static str> {
    let acsl = &constants(acsl);
    if acsl.contains('\\') || acsl.contains("<==>") || acsl.contains("^^") {
        return Err("it uses logic that is no C");
    }
    let mut depth = 0i64;
    let bytes = acsl.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && bytes[at..].starts_with(b"==>") {
            let (left, right) = (&acsl[..at], &acsl[at + 3..]);
            if right.contains("==>") {
                return Err("it uses several implications");
            }
            return Ok(format!("!({left}) || ({right})"));
        }
    }
    if acsl.contains("==>") {
        return Err("it uses an implication inside of parentheses");
    }
    if acsl.is_empty() { Err("it has no condition") } else { Ok(acsl.to_string()) }
}

/// `\true` and `\false` in C.
fn constants(acsl: &str) -> String {
    let mut made = String::new();
    let mut rest = acsl;
    while let Some(at) = rest.find('\\') {
        let (before, word) = rest.split_at(at);
        let length =
            1 + word[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        made.push_str(before);
        made.push_str(match &word[..length] {
            "\\true" => "1",
            "\\false" => "0",
            other => other,
        });
        rest = &word[length..];
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let made = rewrite(text);
        assert_eq!(made.text, expected);
        assert_eq!(made.text.lines().count(), text.lines().count());
    }

    #[test]
    fn assertions_of_annotations() {
        check("void f() {\n  //@ assert x == 1;\n}", "void f() {\n  __selvedge_assert(x == 1);\n}");
        check("void f() { /*@ assert a: x > 0\n; */ g(); }", "void f() { __selvedge_assert(x > 0);\n g(); }");
        check("void f() { //@ assert x ==> y;\n}", "void f() { __selvedge_assert(!(x ) || ( y));\n}");
        check("void f() { //@ assert \\false || x;\n}", "void f() { __selvedge_assert(0 || x);\n}");
        check("//@ assert x;\nint x;", "//@ assert x;\nint x;");
        check("char *s = \"//@ assert x;\";", "char *s = \"//@ assert x;\";");
    }

    #[test]
    fn what_cannot_be_taken_over_is_said() {
        let made = rewrite("void f() {\n//@ assert \\valid(p);\n}");
        assert_eq!(rewrite("void f() { //@ assert \\falsely;\n}").ignored.len(), 1);
        assert_eq!(made.ignored.len(), 1);
        assert_eq!(made.ignored[0].0, 2);
        assert!(!made.changed);
        assert_eq!(rewrite("void f() { if (c) //@ assert x;\n g(); }").ignored.len(), 1);
    }
}
