//! Random programs in the syntax of each dialect: with as few brackets as its operators allow, with numbers
//! for labels, with sections instead of procedures, as far as the dialect can say them. Read back they are
//! the same program, or at least one with the same errors.

mod common;

use common::{program_with, read};
use front::{Dialect, ReadOptions};
use ir::bp::{Count, Machine, Node, Program, print};
use testing::bp::{self as random, Profile};

fn options(dialect: Dialect) -> ReadOptions {
    ReadOptions { dialect: Some(dialect), ..ReadOptions::default() }
}

/// The reader drops an `enforce 1` of a whole procedure, which says nothing.
fn without_idle_enforce(program: &Program) -> Program {
    let mut builder = program.edit();
    for loc in program.locations().ids() {
        let says = |e| program.exprs().node(e) != Node::Const(true);
        builder.at(loc).enforce = program.at(loc).enforce.filter(|&e| says(e));
    }
    builder.finish().expect("it stays valid")
}

/// Whether there is an error with this many threads; `None` if there are too many states.
fn fails(program: &Program, threads: u32) -> Option<bool> {
    let machine = Machine::new(program, Some(threads));
    let states = machine.reachable(800)?;
    Some(states.iter().any(|state| machine.failure(state).is_some()))
}

fn assert_same_errors(made: &Program, text: &str, dialect: Dialect, seed: u64) -> bool {
    let read = program_with(text, &options(dialect));
    let mut compared = false;
    for threads in 1..=2 {
        if let Some(expected) = fails(made, threads) {
            assert_eq!(fails(&read, threads), Some(expected), "seed {seed}, {threads} threads:\n{text}");
            compared = true;
        }
    }
    compared
}

/// The levels of `docs/language.md`, the loosest first, and whether a level associates to the right.
fn levels(dialect: Dialect) -> &'static [(&'static [&'static str], bool)] {
    match dialect {
        Dialect::Satabs | Dialect::Slam => {
            &[(&["?"], true), (&["=>", "=", "!="], true), (&["^"], false), (&["|"], false), (&["&"], false)]
        }
        Dialect::Boom => {
            &[(&["?"], true), (&["|", "=>"], false), (&["^"], false), (&["&"], false), (&["=", "!="], false)]
        }
        Dialect::Bopp => &[
            (&["?"], false),
            (&["=>"], true),
            (&["|"], false),
            (&["^"], false),
            (&["&"], false),
            (&["=", "!="], false),
        ],
        Dialect::Getafix | Dialect::Broadcast => &[
            (&["?"], true),
            (&["=>"], true),
            (&["|"], false),
            (&["^"], false),
            (&["&"], false),
            (&["=", "!="], false),
        ],
    }
}

/// An expression on its way to a text with fewer brackets: its text and the level of its outermost operator,
/// the highest if there is none.
struct Piece {
    text: String,
    level: usize,
}

/// Rewrites a line of the canonical text, where every operator has brackets of its own.
struct Rewriter<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    dialect: Dialect,
}

impl<'t> Rewriter<'t> {
    fn line(line: &'t str, dialect: Dialect) -> String {
        let mut rewriter = Rewriter { tokens: tokens(line), at: 0, dialect };
        let mut text = String::new();
        while rewriter.at < rewriter.tokens.len() {
            let call = rewriter.at > 0 && is_name(rewriter.tokens[rewriter.at - 1]);
            let after_keyword = rewriter.at > 0
                && matches!(rewriter.tokens[rewriter.at - 1], "if" | "enforce" | "constrain" | "return");
            if rewriter.tokens[rewriter.at] == "!"
                || (rewriter.tokens[rewriter.at] == "(" && (!call || after_keyword))
            {
                text += &rewriter.operand().text;
            } else {
                text += rewriter.tokens[rewriter.at];
                rewriter.at += 1;
            }
            text.push(' ');
        }
        text
    }

    fn take(&mut self) -> &'t str {
        self.at += 1;
        self.tokens[self.at - 1]
    }

    fn operand(&mut self) -> Piece {
        let highest = levels(self.dialect).len();
        match self.take() {
            "(" => self.infix(),
            "!" => {
                let of = self.operand();
                Piece { text: format!("! {}", bracketed(&of, of.level < highest)), level: highest }
            }
            "schoose" => {
                let [_, a, _, b, _] = [(); 5].map(|()| {
                    if matches!(self.tokens[self.at], "[" | "," | "]") {
                        self.take().to_string()
                    } else {
                        self.operand().text
                    }
                });
                Piece { text: format!("schoose [ {a} , {b} ]"), level: highest }
            }
            "'" => Piece { text: format!("'{}", self.take()), level: highest },
            name => Piece { text: name.to_string(), level: highest },
        }
    }

    /// Behind an opening bracket.
    fn infix(&mut self) -> Piece {
        let a = self.operand();
        let sign = self.take();
        let all = levels(self.dialect);
        let level =
            all.iter().position(|(signs, _)| signs.contains(&sign)).expect("all operators have a level");
        let right = all[level].1;
        let left_text = bracketed(&a, a.level < level || (a.level == level && right));
        let middle = if sign == "?" {
            let b = self.operand();
            assert_eq!(self.take(), ":");
            format!("? {} :", bracketed(&b, b.level == level))
        } else {
            sign.to_string()
        };
        let b = self.operand();
        assert_eq!(self.take(), ")");
        let right_text = bracketed(&b, b.level < level || (b.level == level && !right));
        Piece { text: format!("{left_text} {middle} {right_text}"), level }
    }
}

fn bracketed(piece: &Piece, needed: bool) -> String {
    if needed { format!("( {} )", piece.text) } else { piece.text.clone() }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn tokens(line: &str) -> Vec<&str> {
    let mut all = vec![];
    let mut rest = line.trim();
    while !rest.is_empty() {
        let name =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        let sign = [":=", "=>"].iter().find(|sign| rest.starts_with(**sign)).map_or(1, |sign| sign.len());
        let (token, after) = rest.split_at(if name > 0 { name } else { sign });
        all.push(token);
        rest = after.trim_start();
    }
    all
}

/// Every dialect reads the canonical text alike, and a text with only the brackets that it needs as what was
/// meant.
#[test]
fn few_brackets_mean_the_same() {
    for seed in 0..1500 {
        let profile = [Profile::ALL, Profile::WILD, Profile::TINY][(seed % 3) as usize];
        let made = without_idle_enforce(&random::program(seed, &profile));
        let text = print::program(&made);
        let (_, dialect) = Dialect::ALL[(seed / 3 % 6) as usize];
        for text in [text.clone(), text.lines().map(|line| Rewriter::line(line, dialect) + "\n").collect()] {
            let read = read(&text, &options(dialect));
            let read = read.unwrap_or_else(|found| panic!("seed {seed}, {dialect:?}:\n{text}\n{found:#?}"));
            assert!(
                without_idle_enforce(&read) == made,
                "seed {seed}, {dialect:?}:\n{text}\n{}",
                print::program(&read)
            );
        }
    }
}

/// Boom writes conditions without brackets.
#[test]
fn conditions_without_brackets() {
    let mut changed = 0;
    for seed in 0..600 {
        let made = without_idle_enforce(&random::program(seed, &Profile::WILD));
        let canonical = print::program(&made);
        let line = |line: &str| {
            let bare = ["assume(", "assert("].iter().find_map(|word| {
                let (head, condition) = line.split_once(word)?;
                Some(format!("{head}{} {};\n", &word[..6], condition.strip_suffix(");")?))
            });
            bare.unwrap_or_else(|| format!("{line}\n"))
        };
        let text: String = canonical.lines().map(line).collect();
        let read = program_with(&text, &options(Dialect::Boom));
        assert!(without_idle_enforce(&read) == made, "seed {seed}:\n{text}");
        changed += usize::from(text != canonical);
    }
    assert!(changed > 200, "{changed} programs have conditions");
}

/// BoPP has numbers for labels. The end of a procedure needs one, too, and so a statement.
#[test]
fn numbers_for_labels() {
    let mut compared = 0;
    for seed in 0..600 {
        let made = random::program(seed, &Profile { recursion: 0, ..Profile::WILD });
        let text = numbered(&print::program(&made));
        compared += usize::from(assert_same_errors(&made, &text, Dialect::Bopp, seed));
    }
    assert!(compared > 400, "{compared} programs were compared");
}

fn numbered(canonical: &str) -> String {
    let mut text = String::new();
    let (mut inside, mut number, mut label, mut at_end) = (false, 0, String::new(), String::new());
    for line in canonical.lines() {
        let statement = line.trim();
        let declares = statement.starts_with("decl ")
            || (statement.starts_with("enforce ") && !statement.contains(": "));
        if statement.ends_with("begin") {
            (inside, number) = (true, 0);
            text += line;
        } else if statement == "end" {
            let (label, enforce) = (std::mem::take(&mut label), std::mem::take(&mut at_end));
            text += &format!("{label}{number}: {enforce} return;\nend");
            inside = false;
        } else if inside && !declares {
            let (own, rest) = own_label(statement);
            label += if own.starts_with("SLIC") { own } else { "" };
            // What is said of the end stands before no statement.
            if rest.is_empty() || rest.ends_with(':') {
                at_end = rest.to_string();
            } else {
                text += &format!("{}{number}: {}", std::mem::take(&mut label), numbers_in(rest));
                number += 1;
            }
        } else {
            text += line;
        }
        text.push('\n');
    }
    text
}

/// A statement's own label with its colon, if it has one, and the rest.
fn own_label(statement: &str) -> (&str, &str) {
    let end = statement.find(':').map_or(0, |at| at + 1);
    let label = &statement[..end];
    let is_label = end > 1 && !label.contains(' ') && !statement[end..].starts_with('=');
    if is_label { (label, statement[end..].trim()) } else { ("", statement) }
}

/// Jumps to `L3` go to 3.
fn numbers_in(statement: &str) -> String {
    let place = |token: &str| {
        let digits = token.strip_prefix('L').filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        digits.map_or(token.to_string(), str::to_string)
    };
    if !statement.contains("goto ") {
        return statement.to_string();
    }
    statement.split(' ').map(place).collect::<Vec<_>>().join(" ")
}

/// A program of one procedure that any number of threads start in can be written with sections.
#[test]
fn sections_for_procedures() {
    let mut compared = 0;
    for seed in 0..4000 {
        let profile = Profile { procedures: 0, recursion: 0, locks: 0, broadcasts: 80, ..Profile::ALL };
        let mut builder = random::program(seed, &profile).edit();
        let main = builder.draft().start().templates[0].procedure;
        builder.clear_start();
        builder.template(main, Count::AtLeast(1));
        let made = builder.finish().expect("another start keeps it valid");
        if let Some(text) = sections(&print::program(&made)) {
            compared += usize::from(assert_same_errors(&made, &text, Dialect::Broadcast, seed));
        }
    }
    assert!(compared > 500, "{compared} programs were compared");
}

fn sections(canonical: &str) -> Option<String> {
    if ["thread_local", "void init", "atomic_variable", "enforce"].iter().any(|word| canonical.contains(word))
    {
        return None;
    }
    let (mut shared, mut local, mut statements) = (vec![], vec![], String::new());
    let mut inside = false;
    for line in canonical.lines().map(str::trim) {
        match line {
            "" | "start main some;" => {}
            "end" => statements += "end_thread;\n",
            "void main() begin" => inside = true,
            _ => match line.strip_prefix("decl ") {
                Some(declared) if inside => local.push(declared.trim_end_matches(';')),
                Some(declared) => shared.push(declared.trim_end_matches(';')),
                None => statements += &format!("{}\n", in_square_brackets(line)),
            },
        }
    }
    let list = |word: &str, items: Vec<&str>| format!("{word} {};\n", items.join(", ").replace(":=", "="));
    Some(list("shared", shared) + &list("local", local) + &statements)
}

/// `x$` as `[x]`.
fn in_square_brackets(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        let begin =
            rest[..at].rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |it| it + 1);
        text += &format!("{}[{}]", &rest[..begin], &rest[begin..at]);
        rest = &rest[at + 1..];
    }
    text + rest
}
