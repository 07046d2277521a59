//! Pragmas: those that change layouts and names are followed, those that make threads or other layouts are
//! refused where they stand (`constructs::pragmas`). The parser asks for them where a declaration, a member
//! or a statement may begin.

use base::{Diagnostic, Span};

use super::super::constructs::pragmas::{find, only_levels, words};
use super::super::hir::{StmtId, StmtKind};
use super::super::lex::Pragma;
use super::Parser;

/// What pragmas have said so far.
#[derive(Default)]
pub struct Pragmas {
    list: Vec<Pragma>,
    next: usize,
    /// `pack`: the values that are kept, the innermost last, with their names.
    pack: Vec<(Option<String>, u64)>,
    /// `pack` outside of any `push`.
    outer_pack: u64,
    /// The other `scalar_storage_order`.
    pub other_order: bool,
    /// `GCC optimize` with an option that changes the meaning.
    pub other_options: bool,
    kept_options: Vec<bool>,
    /// What is refused before the next statement.
    pending: Vec<(String, Span)>,
}

impl Parser<'_> {
    /// Gives the parser the pragmas of its text.
    pub fn with_pragmas(mut self, list: Vec<Pragma>) -> Self {
        self.pragmas.list = list;
        self
    }

    /// Takes in the pragmas up to here.
    pub fn follow_pragmas(&mut self) {
        while let Some(pragma) = self.pragmas.list.get(self.pragmas.next).filter(|it| it.before <= self.at) {
            let pragma = pragma.clone();
            self.pragmas.next += 1;
            self.follow(&pragma);
        }
    }

    /// The alignment that members have at most, or 0.
    pub fn pack(&self) -> u64 {
        self.pragmas.pack.last().map_or(self.pragmas.outer_pack, |(_, value)| *value)
    }

    /// What pragmas refuse here, as statements.
    pub fn refused_by_pragmas(&mut self) -> Vec<StmtId> {
        self.follow_pragmas();
        let pending = std::mem::take(&mut self.pragmas.pending);
        pending.into_iter().map(|(reason, span)| self.check.stmt(StmtKind::Refused(reason), span)).collect()
    }

    /// Refuses something at the next statement or, outside of functions, at the start of the program.
    pub fn refuse_here(&mut self, reason: String, span: Span) {
        if self.check.function.is_some() {
            self.pragmas.pending.push((reason, span));
        } else {
            self.check.program.refused.push((span, reason));
        }
    }

    fn follow(&mut self, pragma: &Pragma) {
        let text = pragma.text.as_str();
        if let Some(reason) = text.strip_prefix("selvedge annotation") {
            return self.refuse_here(format!("an annotation: {}", reason.trim()), pragma.span);
        }
        let Some(row) = find(text) else {
            let name = words(text).first().copied().unwrap_or_default().to_string();
            let message = format!("the pragma `{name}` is not known and ignored");
            let help = "remove it, or check its spelling: gcc ignores it too";
            return self.check.report.push(Diagnostic::warning("W1410", pragma.span, message).help(help));
        };
        let words = words(text);
        match row.name {
            "pack" => self.follow_pack(&words[1..], pragma.span),
            "scalar_storage_order" => self.pragmas.other_order = words.get(1) == Some(&"big"),
            "GCC optimize" => self.pragmas.other_options |= !only_levels(&options(&words[2..])),
            "GCC push_options" => self.pragmas.kept_options.push(self.pragmas.other_options),
            "GCC pop_options" => {
                self.pragmas.other_options = self.pragmas.kept_options.pop().unwrap_or_default();
            }
            "GCC reset_options" => self.pragmas.other_options = false,
            "weak" | "redefine_extname" => self.follow_name(&words),
            "omp" if words.get(1) == Some(&"threadprivate") => {
                self.check.thread_private(&words[2..]);
            }
            _ if row.treatment == super::super::constructs::Treatment::Refused => {
                self.refuse_here(format!("the pragma `{}`", row.name), pragma.span);
            }
            _ => {}
        }
    }

    fn follow_name(&mut self, words: &[&str]) {
        match words {
            ["weak", name, "=", target] => self.check.weak_alias(name, target),
            ["weak", name] => self.check.weak_name(name),
            ["redefine_extname", old, new] => self.check.rename(old, new),
            _ => {}
        }
    }

    fn follow_pack(&mut self, words: &[&str], span: Span) {
        let inside: Vec<&str> =
            words.iter().copied().filter(|word| !["(", ")", ","].contains(word)).collect();
        let (action, rest) = match inside.split_first() {
            Some((&action @ ("push" | "pop"), rest)) => (action, rest),
            _ => ("set", &inside[..]),
        };
        let number = rest.iter().find_map(|word| word.parse::<u64>().ok());
        let name = rest.iter().find(|word| word.parse::<u64>().is_err()).map(|word| word.to_string());
        let value = number.unwrap_or(if action == "push" { self.pack() } else { 0 });
        if ![0, 1, 2, 4, 8, 16].contains(&value) || action == "set" && name.is_some() {
            let message = "this `pack` is not understood and ignored";
            let help = "use 1, 2, 4, 8 or 16, `push` and `pop`: gcc ignores it too";
            return self.check.report.push(Diagnostic::warning("W1410", span, message).help(help));
        }
        match action {
            "push" => self.pragmas.pack.push((name, value)),
            "pop" => {
                if let Some(at) = name.and_then(|name| self.kept_pack(&name)) {
                    self.pragmas.pack.truncate(at + 1);
                }
                self.pragmas.pack.pop();
            }
            _ => match self.pragmas.pack.last_mut() {
                Some((_, top)) => *top = value,
                None => self.pragmas.outer_pack = value,
            },
        }
    }

    /// Where the innermost value of a name is kept.
    fn kept_pack(&self, name: &str) -> Option<usize> {
        self.pragmas.pack.iter().rposition(|(kept, _)| kept.as_deref() == Some(name))
    }
}

fn options<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().filter(|word| !["(", ")", ","].contains(word)).collect()
}
