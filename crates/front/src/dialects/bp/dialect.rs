//! The dialects and what they differ in. They share one grammar here; a dialect decides how operators bind
//! and how threads start, and the contents of a file tell the dialect (its name is only a hint).

use super::lexer::Lexer;
use super::token::{Kind, Word};
use std::collections::HashSet;
use std::str::FromStr;

/// The tool family that a Boolean program was written for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// SatAbs and Boppo.
    Satabs,
    /// SLAM's c2bp and bebop.
    Slam,
    /// BoPP's normal form: statements are numbered.
    Bopp,
    /// Boom.
    Boom,
    /// Getafix: `init` and thread templates.
    Getafix,
    /// Boolean broadcast programs with `shared` and `local` sections.
    Broadcast,
}

impl Dialect {
    /// All of them with the names that `--dialect` takes.
    pub const ALL: [(&'static str, Dialect); 6] = [
        ("satabs", Dialect::Satabs),
        ("slam", Dialect::Slam),
        ("bopp", Dialect::Bopp),
        ("boom", Dialect::Boom),
        ("getafix", Dialect::Getafix),
        ("broadcast", Dialect::Broadcast),
    ];

    /// The name that `--dialect` takes.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, dialect)| *dialect == self).map_or("", |(name, _)| name)
    }

    /// How an infix operator binds here.
    pub(super) fn binding(self, operator: Kind) -> Option<Binding> {
        let level = match (self, operator) {
            (_, Kind::Question) => 1,
            (Dialect::Satabs | Dialect::Slam, Kind::Implies | Kind::Equal | Kind::Unequal) => 2,
            (Dialect::Satabs | Dialect::Slam, Kind::Xor) => 3,
            (Dialect::Satabs | Dialect::Slam, Kind::Or) => 4,
            (Dialect::Satabs | Dialect::Slam, Kind::And) => 5,
            (Dialect::Boom, Kind::Implies) => 3,
            (_, Kind::Implies) => 2,
            (_, Kind::Or) => 3,
            (_, Kind::Xor) => 4,
            (_, Kind::And) => 5,
            (_, Kind::Equal | Kind::Unequal) => 6,
            _ => return None,
        };
        let right = match self {
            Dialect::Satabs | Dialect::Slam => level <= 2,
            Dialect::Bopp => level == 2,
            _ => level <= 2,
        };
        Some(Binding { level, right })
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|&(_, dialect)| dialect);
        let names = || Self::ALL.map(|(name, _)| name).join(", ");
        found.ok_or_else(|| format!("`{text}` is no dialect; there are {}", names()))
    }
}

/// How an infix operator binds: tighter at a higher level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Binding {
    pub level: u8,
    /// Whether `a op b op c` is `a op (b op c)`.
    pub right: bool,
}

/// What a first look at a file tells.
#[derive(Default)]
pub(super) struct Facts {
    numbered: bool,
    sections: bool,
    bare_conditions: bool,
    schoose: bool,
    init: bool,
    main: bool,
    threads: bool,
    /// Whether a procedure `print` is there; otherwise `print(...)` says nothing about the program.
    pub defines_print: bool,
}

impl Facts {
    /// Reads the file once.
    pub fn of(text: &str) -> Facts {
        let mut facts = Facts::default();
        let mut lexer = Lexer::new(text);
        let mut used: HashSet<&str> = HashSet::new();
        let mut defined: HashSet<&str> = HashSet::new();
        let word = |kind: Kind| matches!(kind, Kind::Word(Word::Void | Word::Bool) | Kind::Greater);
        let (mut before, mut token) = (Kind::Semicolon, lexer.next(None));
        while token.kind != Kind::End {
            let next = lexer.next(None);
            let spelled = &text[token.start as usize..token.end as usize];
            match (token.kind, next.kind) {
                (Kind::Number, Kind::Colon) => facts.numbered |= starts_statement(before),
                (Kind::Name, Kind::Open) if word(before) => drop(defined.insert(spelled)),
                (Kind::Name, Kind::Open) => drop(used.insert(spelled)),
                (Kind::Name, Kind::Name) if before == Kind::Semicolon && defined.is_empty() => {
                    facts.sections |= matches!(spelled, "shared" | "local");
                }
                (Kind::Word(Word::Assert | Word::Assume), after) => {
                    facts.bare_conditions |= after != Kind::Open
                }
                (Kind::Word(Word::Schoose), _) => facts.schoose = true,
                _ => {}
            }
            (before, token) = (token.kind, next);
        }
        facts.init = defined.contains("init") && !used.contains("init");
        facts.threads = defined.difference(&used).any(|name| is_template(name));
        facts.main = defined.contains("main");
        facts.defines_print = defined.contains("print");
        facts
    }

    /// The dialect that the file is most likely written in.
    pub fn dialect(&self, file_name: &str) -> Dialect {
        if self.sections {
            Dialect::Broadcast
        } else if self.numbered {
            Dialect::Bopp
        } else if self.init || (self.threads && !self.main) {
            Dialect::Getafix
        } else if self.schoose {
            Dialect::Slam
        } else if file_name.ends_with(".nbp") {
            Dialect::Bopp
        } else if self.bare_conditions {
            Dialect::Boom
        } else {
            Dialect::Satabs
        }
    }
}

/// Whether a procedure of this name is a thread template in Getafix.
pub(super) fn is_template(name: &str) -> bool {
    name.starts_with("thread")
}

fn starts_statement(before: Kind) -> bool {
    matches!(
        before,
        Kind::Semicolon
            | Kind::Colon
            | Kind::Word(Word::Begin | Word::Fi | Word::Od | Word::Then | Word::Else | Word::Do)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: Dialect) {
        assert_eq!(Facts::of(text).dialect(name), expected, "{text}");
    }

    #[test]
    fn contents_tell_the_dialect() {
        check("a.bp", "void main() begin x := 1 ? 0 : 1; end", Dialect::Satabs);
        check("a.nbp", "void main() begin skip; end", Dialect::Bopp);
        check("a.bp", "void main() begin 0: skip; end", Dialect::Bopp);
        check("a.bp", "shared s = 0; local l; 1: l := s;", Dialect::Broadcast);
        check("a.nbp", "void init() begin end void thread0() begin end", Dialect::Getafix);
        check("a.bp", "void init() begin end void main() begin init(); end", Dialect::Satabs);
        check(
            "a.bp",
            "void main() begin start_thread thread1(); end void thread1() begin end",
            Dialect::Satabs,
        );
        check("a.bp", "decl local; void main() begin local := schoose[F,T]; end", Dialect::Slam);
        check("a.bp", "void main() begin assert F; end", Dialect::Boom);
    }

    #[test]
    fn names_are_read_back() {
        for (name, dialect) in Dialect::ALL {
            assert_eq!((name.parse(), dialect.name()), (Ok(dialect), name));
        }
        assert!("pascal".parse::<Dialect>().is_err());
    }
}
