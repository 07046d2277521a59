//! Lines that begin with `#` in a preprocessed text: line markers, which `lines` follows, and pragmas.
//! Anything else was meant for the preprocessor, and the file is not what its name says.

use super::token::Kind;
use super::{Lexed, Lexer, Pragma};

impl Lexer<'_, '_> {
    /// A line that begins with `#`.
    pub(super) fn directive(&mut self, text: &str) {
        let start = self.at;
        self.skip_line();
        let line = text.get(start..self.at).unwrap_or_default();
        let rest = line.trim_start_matches(['#', '%', ':']).trim();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        match word {
            "pragma" => {
                let text = rest["pragma".len()..].replace("\\\n", " ").trim().to_string();
                let span = self.lines.span(start, self.at);
                self.pragmas.push(Pragma { before: self.tokens.len(), text, span });
            }
            "line" | "ident" | "sccs" => {}
            "" if rest.is_empty() => {}
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => {
                let span = self.lines.span(start, self.at);
                let help = "preprocess the file with `cc -E`, or give it a name that ends in `.c`";
                self.error("E1007", span, &format!("`#{word}` in a file that should be preprocessed"), help);
            }
        }
    }
}

/// Turns `_Pragma("text")` among the tokens into pragmas.
pub(super) fn take_operators(lexed: &mut Lexed, text: &str) {
    let tokens = std::mem::take(&mut lexed.tokens);
    let mut written = std::mem::take(&mut lexed.pragmas).into_iter().peekable();
    let spelled = |at: usize| tokens.get(at).map_or("", |it| &text[it.start as usize..it.end as usize]);
    let is_operator = |at: usize| {
        spelled(at) == "_Pragma"
            && spelled(at + 1) == "("
            && tokens.get(at + 2).is_some_and(|it| it.kind == Kind::String)
            && spelled(at + 3) == ")"
    };
    let mut at = 0;
    while at < tokens.len() {
        while let Some(pragma) = written.next_if(|it| it.before <= at) {
            lexed.pragmas.push(Pragma { before: lexed.tokens.len(), ..pragma });
        }
        if is_operator(at) {
            let quoted = spelled(at + 2).trim_start_matches('L');
            let text = quoted.trim_matches('"').replace("\\\"", "\"");
            lexed.pragmas.push(Pragma { before: lexed.tokens.len(), text, span: tokens[at].span });
            at += 4;
        } else {
            lexed.tokens.push(tokens[at]);
            at += 1;
        }
    }
}
