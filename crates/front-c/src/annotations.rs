//! ACSL annotations `//@ assert E;` and `/*@ assert E; */` become assertions, before the preprocessor deletes
//! them with the comments. Lines stay where they are.
//!
//! What is no C is refused where it stands, by a pragma that the parser knows. Whether the rest means the
//! same in both languages is a matter of types: the checker looks at the condition again
//! (`check::annotated`).

/// A text with its annotations as assertions.
pub struct Rewritten {
    /// The text; it has as many lines as before.
    pub text: String,
    /// Whether anything changed.
    pub changed: bool,
}

/// What the scanner has seen so far.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The depth of braces: annotations outside of functions are specifications, no assertions.
    braces: i64,
    /// The last byte that is no space and in no comment.
    last: u8,
    out: Rewritten,
}

/// Turns the assertions of annotations into calls of `__selvedge_assert`.
pub fn rewrite(text: &str) -> Rewritten {
    let out = Rewritten { text: String::with_capacity(text.len()), changed: false };
    if !text.contains("@") {
        return Rewritten { text: text.to_string(), ..out };
    }
    let mut scan = Scan { text, at: 0, braces: 0, last: b';', out };
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
        let made = match assertion {
            Ok(_) if !at_statement => Err("it stands between a condition and its statement"),
            Ok(assertion) => condition(&assertion),
            Err(reason) => Err(reason),
        };
        let made = match made {
            Ok(condition) => format!("__selvedge_assert({condition});"),
            Err(reason) => format!("_Pragma(\"selvedge annotation {reason}\")"),
        };
        self.out.changed = true;
        self.out.text.push_str(&made);
        let lines = whole.bytes().filter(|byte| *byte == b'\n').count();
        let written = made.bytes().filter(|byte| *byte == b'\n').count();
        self.out.text.push_str(&"\n".repeat(lines.saturating_sub(written)));
        self.at += length;
    }
}

/// The condition of `assert name: E;`; `None` if the annotation is no assertion.
fn assertion(annotation: &str) -> Option<Result<String, &'static str>> {
    let rest = annotation.trim().strip_prefix("assert")?;
    if !rest.starts_with(|c: char| c.is_whitespace() || c == '(' || c == '\\' || c == '!') {
        return None;
    }
    let rest = rest.trim().trim_end_matches('@').trim_end();
    let (rest, more) = rest.split_once(';').unwrap_or((rest, ""));
    if !more.trim_matches(|c: char| c.is_whitespace() || c == '@' || c == ';').is_empty() {
        return Some(Err("it says more than one assertion"));
    }
    let rest = rest.trim();
    // A name before the condition.
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let after = rest[name..].trim_start();
    let rest = match after.strip_prefix(':') {
        Some(condition) if name > 0 => condition.trim(),
        _ => rest,
    };
    Some(Ok(rest.to_string()))
}

/// Signs that C does not have, or reads in another way.
const NO_C: &[&str] = &[
    "\\", "<==>", "^^", "-->", "<-->", "?", "{", "}", "@", "#", "//", "/*", "\"", ":", "+", "/", "%", "<<",
    ">>", "~",
];

/// The condition in C; an implication is written out.
fn condition(acsl: &str) -> Result<String, &'static str> {
    let acsl = &constants(acsl);
    if NO_C.iter().any(|sign| acsl.contains(sign)) {
        return Err("it uses logic that is no C");
    }
    if acsl.trim().is_empty() {
        return Err("it has no condition");
    }
    let mut depth = 0i64;
    let bytes = acsl.as_bytes();
    let mut implication = None;
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' => return Err("it uses logic that is no C"),
            _ => {}
        }
        if depth < 0 {
            return Err("its parentheses do not match");
        }
        if depth == 0 && implication.is_none() && bytes[at..].starts_with(b"==>") {
            implication = Some(at);
        }
    }
    if depth != 0 {
        return Err("its parentheses do not match");
    }
    match implication {
        _ if acsl.matches("==>").count() > 1 => Err("it uses several implications"),
        Some(at) => Ok(format!("!({}) || ({})", &acsl[..at], &acsl[at + 3..])),
        None if acsl.contains("==>") => Err("it uses an implication inside of parentheses"),
        None => Ok(acsl.to_string()),
    }
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

    fn refused(text: &str) -> bool {
        let made = rewrite(text);
        made.changed
            && made.text.contains("_Pragma(\"selvedge annotation")
            && !made.text.contains("__selvedge_assert")
    }

    #[test]
    fn what_cannot_be_taken_over_is_refused() {
        assert!(refused("void f() {\n//@ assert \\valid(p);\n}"));
        assert!(refused("void f() { //@ assert \\falsely;\n}"));
        assert!(refused("void f() { if (c) //@ assert x;\n g(); }"));
        assert!(refused("void f() { //@ assert x; assert y;\n}"));
        assert!(refused("void f() { //@ assert a <==> b;\n}"));
        assert!(refused("void f() { //@ assert a ==> b ==> c;\n}"));
        assert!(refused("void f() { //@ assert (a ==> b) && c;\n}"));
        assert!(refused("void f() { //@ assert x) || (y;\n}"));
        assert!(refused("void f() { /*@ assert\n; */ }"));
        assert!(!refused("void f() { //@ loop invariant x;\n}"));
    }
}
