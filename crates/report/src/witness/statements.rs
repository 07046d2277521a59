//! Where statements of a C text begin: witnesses speak of statements, steps of a run of expressions in them.
//! A small scanner is enough for that: it works on the text that the user has, whatever its macros stand
//! for, and what it does not understand has no statement, so that places in it are those of the steps.

use super::tokens::{Token, TokenKind, tokens};

/// A statement or a declaration in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Where witnesses say that it is: its first character; for the condition of `do`, that of `do`.
    pub anchor: u32,
    /// Its first byte.
    pub start: u32,
    /// The byte after it; of a statement that has others in it, after its parentheses.
    pub end: u32,
    /// The byte after the statement that a condition decides about; none of other statements.
    pub body: Option<u32>,
    /// Whether it repeats its body.
    pub repeats: bool,
    /// The function that it is in.
    pub function: usize,
}

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The first byte of the name.
    pub start: u32,
    /// The byte after its body.
    pub end: u32,
}

/// The statements of a text.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// In the order in which they begin.
    pub all: Vec<Statement>,
    /// In the order of the text.
    pub functions: Vec<Function>,
}

/// What has begun and not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    Block,
    /// The statement that the condition of another one decides about, or that follows `else`.
    Body(Option<usize>),
    /// The statement after `do`, which is here.
    Do(u32),
    /// A statement without others in it.
    Simple {
        statement: usize,
        depth: u32,
    },
    /// The parentheses of a condition.
    Header {
        statement: usize,
        depth: u32,
    },
}

impl Statements {
    /// The statements of a text.
    pub fn of(text: &str) -> Statements {
        let mut scanner = Scanner { text, ..Scanner::default() };
        let all = tokens(text);
        let mut at = 0;
        while at < all.len() {
            at = if scanner.open.is_empty() { scanner.outside(&all, at) } else { scanner.inside(&all, at) };
        }
        let mut found = scanner.found;
        found.all.sort_by_key(|it| it.start);
        found
    }

    /// The innermost statement at a byte.
    pub fn at(&self, offset: u32) -> Option<&Statement> {
        let before = self.all.partition_point(|it| it.start <= offset);
        self.all[..before].iter().rev().find(|it| offset < it.end)
    }

    /// The function at a byte.
    pub fn function_at(&self, offset: u32) -> Option<&Function> {
        self.functions.iter().find(|it| (it.start..it.end).contains(&offset))
    }
}

#[derive(Default)]
struct Scanner<'a> {
    text: &'a str,
    found: Statements,
    open: Vec<Open>,
    /// The name of a function, if what is outside of functions begins as one.
    named: Option<Token>,
    /// Parentheses and braces that are open outside of functions.
    depth: u32,
    /// The `do` whose condition comes next.
    condition_of: Option<u32>,
}

/// What stands before parentheses outside of functions and names none.
const NO_NAMES: [&str; 8] =
    ["__attribute__", "__attribute", "__declspec", "__asm__", "asm", "_Alignas", "__typeof__", "typeof"];

impl Scanner<'_> {
    fn word(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// A token outside of functions; the number of the next one.
    fn outside(&mut self, all: &[Token], at: usize) -> usize {
        let token = all[at];
        let next = all.get(at + 1);
        match token.kind {
            TokenKind::Word if self.depth == 0 && self.named.is_none() => {
                let called = next.is_some_and(|it| it.kind == TokenKind::Mark(b'('));
                if called && !NO_NAMES.contains(&self.word(token)) {
                    self.named = Some(token);
                }
            }
            TokenKind::Mark(b'(' | b'[') => self.depth += 1,
            TokenKind::Mark(b')' | b']' | b'}') => self.depth = self.depth.saturating_sub(1),
            TokenKind::Mark(b'{') => {
                let after_list = at > 0 && all[at - 1].kind == TokenKind::Mark(b')');
                match self.named.take_if(|_| self.depth == 0 && after_list) {
                    Some(name) => {
                        let named = self.word(name).to_string();
                        self.found.functions.push(Function { name: named, start: name.start, end: u32::MAX });
                        self.open.push(Open::Block);
                    }
                    None => self.depth += 1,
                }
            }
            TokenKind::Mark(b';' | b'=') if self.depth == 0 => self.named = None,
            _ => {}
        }
        at + 1
    }

    /// A token of a function; the number of the next one.
    fn inside(&mut self, all: &[Token], at: usize) -> usize {
        let token = all[at];
        let after_parenthesis = at > 0 && all[at - 1].kind == TokenKind::Mark(b'(');
        let Some(top) = self.open.last_mut() else { return at + 1 };
        match top {
            Open::Simple { depth, .. } | Open::Header { depth, .. } => match token.kind {
                // A statement as an expression has statements of its own.
                TokenKind::Mark(b'{') if after_parenthesis => self.open.push(Open::Block),
                TokenKind::Mark(b'(' | b'[' | b'{') => *depth += 1,
                TokenKind::Mark(b')' | b']' | b'}') => {
                    *depth = depth.saturating_sub(1);
                    self.close(token);
                }
                TokenKind::Mark(b';') => self.end_simple(token),
                _ => {}
            },
            Open::Block | Open::Body(_) | Open::Do(_) => return self.begin(all, at),
        }
        at + 1
    }

    /// The end of the parentheses of a condition, if it is that.
    fn close(&mut self, token: Token) {
        let Some(&Open::Header { statement, depth: 0 }) = self.open.last() else { return };
        self.found.all[statement].end = token.end;
        self.open.pop();
        self.open.push(Open::Body(Some(statement)));
    }

    /// The end of a statement without others in it, if it is that.
    fn end_simple(&mut self, token: Token) {
        let Some(&Open::Simple { statement, depth: 0 }) = self.open.last() else { return };
        self.found.all[statement].end = token.end;
        self.open.pop();
        self.complete(token);
    }

    /// A statement has ended, and with it those whose last part it is.
    fn complete(&mut self, token: Token) {
        while let Some(top) = self.open.last().copied() {
            match top {
                Open::Body(condition) => {
                    if let Some(statement) = condition {
                        self.found.all[statement].body = Some(token.end);
                    }
                }
                Open::Do(place) => {
                    self.condition_of = Some(place);
                    self.open.pop();
                    return;
                }
                _ => return,
            }
            self.open.pop();
        }
    }

    /// A token where a statement may begin.
    fn begin(&mut self, all: &[Token], at: usize) -> usize {
        let token = all[at];
        let condition_of = self.condition_of.take();
        match token.kind {
            TokenKind::Mark(b'{') => self.open.push(Open::Block),
            TokenKind::Mark(b'}') => self.end_block(token),
            TokenKind::Mark(b';') => self.complete(token),
            TokenKind::Word => return self.begin_word(all, at, condition_of),
            _ => {
                self.simple(token, token.start);
                // Its own parenthesis is counted with the rest of it.
                return at;
            }
        }
        at + 1
    }

    fn begin_word(&mut self, all: &[Token], at: usize, condition_of: Option<u32>) -> usize {
        let token = all[at];
        let next = all.get(at + 1).map(|it| it.kind);
        match (self.word(token), condition_of) {
            ("while", Some(place)) => {
                self.simple(token, place);
                if let Some(it) = self.found.all.last_mut() {
                    it.repeats = true;
                }
            }
            (word @ ("if" | "switch" | "while" | "for"), _) => {
                let repeats = matches!(word, "while" | "for");
                let statement = self.push(token, token.start);
                self.found.all[statement].repeats = repeats;
                self.open.push(Open::Header { statement, depth: 0 });
            }
            ("do", _) => self.open.push(Open::Do(token.start)),
            ("else", before) => {
                // The statement after `do` was not at its end.
                self.open.extend(before.map(Open::Do));
                self.open.push(Open::Body(None));
            }
            ("case" | "default", _) => return after_colon(all, at),
            _ if next == Some(TokenKind::Mark(b':')) => return at + 2,
            _ => self.simple(token, token.start),
        }
        at + 1
    }

    fn end_block(&mut self, token: Token) {
        while self.open.last().is_some_and(|it| *it != Open::Block) {
            self.open.pop();
        }
        self.open.pop();
        match self.open.last() {
            // It was a statement as an expression.
            Some(Open::Simple { .. } | Open::Header { .. }) => {}
            Some(_) => self.complete(token),
            None => {
                if let Some(function) = self.found.functions.last_mut() {
                    function.end = token.end;
                }
            }
        }
    }

    fn simple(&mut self, token: Token, anchor: u32) {
        let statement = self.push(token, anchor);
        self.open.push(Open::Simple { statement, depth: 0 });
    }

    fn push(&mut self, token: Token, anchor: u32) -> usize {
        let function = self.found.functions.len().saturating_sub(1);
        let statement =
            Statement { anchor, start: token.start, end: u32::MAX, body: None, repeats: false, function };
        self.found.all.push(statement);
        self.found.all.len() - 1
    }
}

/// The number of the token after the next colon.
fn after_colon(all: &[Token], at: usize) -> usize {
    let rest = &all[at..];
    at + rest.iter().position(|it| it.kind == TokenKind::Mark(b':')).map_or(rest.len(), |it| it + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each statement as its text, those with others in them up to their parentheses.
    fn all(text: &str) -> Vec<&str> {
        let found = Statements::of(text);
        found.all.iter().map(|it| &text[it.start as usize..it.end as usize]).collect()
    }

    #[test]
    fn statements_begin_where_they_are_written() {
        let text = "struct s { int a; } v = { 1 };\n#define X {\nint g(void);\nint main(void) {\n  int x = 1, y[] = {1, 2};\n\
                    if (x == (1)) { x = 2; } else if (y) x++; else *y = 3;\n  for (int i = 0; i < 3; i++) f(i);\n\
                    again: x += ({ int z = 2; z; }); // no { here\n  switch (x) { case 1: return 0; default: x = 4; }\n}\nvoid h() {}";
        let expected = [
            "int x = 1, y[] = {1, 2};",
            "if (x == (1))",
            "x = 2;",
            "if (y)",
            "x++;",
            "*y = 3;",
            "for (int i = 0; i < 3; i++)",
            "f(i);",
            "x += ({ int z = 2; z; });",
            "int z = 2;",
            "z;",
            "switch (x)",
            "return 0;",
            "x = 4;",
        ];
        assert_eq!(all(text), expected);
        let found = Statements::of(text);
        let names: Vec<&str> = found.functions.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["main", "h"]);
        let inside = text.find("z; })").expect("it is there") as u32;
        assert_eq!(found.at(inside).map(|it| it.start), Some(inside));
        assert_eq!(found.function_at(inside).map(|it| it.name.as_str()), Some("main"));
    }

    #[test]
    fn the_condition_of_do_is_where_do_is() {
        let text = "int main() { do { x++; } while (x < 3); do if (a) b; else c; while (d); }";
        let found = Statements::of(text);
        let anchors: Vec<u32> = found.all.iter().filter(|it| it.repeats).map(|it| it.anchor).collect();
        let places: Vec<u32> = text.match_indices("do ").map(|it| it.0 as u32).collect();
        assert_eq!(anchors, places);
    }

    #[test]
    fn a_condition_knows_what_it_decides_about() {
        let text = "int main() { if (a) { b; } c; while (d) e; }";
        let found = Statements::of(text);
        let body = |at: usize| {
            let it = found.all[at];
            it.body.map(|end| &text[it.end as usize..end as usize])
        };
        assert_eq!((body(0), body(1), body(3)), (Some(" { b; }"), None, Some(" e;")));
    }

    #[test]
    fn a_text_that_is_no_c_has_no_end() {
        for text in ["int main( {", "}}}", "int f() { if (", "int f() { \"", "/*", "do"] {
            let found = Statements::of(text);
            assert!(found.all.len() < 3, "{text}");
        }
    }
}
