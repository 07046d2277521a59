//! `selvedge explain`: what a code means. The texts stand beside what they explain: codes in `base::codes`,
//! classes of properties and kinds of `unknown` in `ir`, engines in their own tables.

use crate::exit::SAFE;
use crate::terminal::width;
use crate::work::{self, Code};
use base::codes;
use base::spelling::similar;
use clap::Args;
use ir::ReasonKind;
use ir::property::{CLASSES, meaning};
use report::Text;

/// `explain`
#[derive(Args, Debug)]
pub struct Explain {
    /// A code such as `E0201`, an engine, a class of properties, or a kind of `unknown` [default: list all]
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

/// Something that can be explained.
struct Explained {
    name: &'static str,
    /// What it is, or in a few words what it means.
    title: String,
    text: String,
}

/// The widest that a text is written.
const WIDEST: usize = 100;

/// Prints what the codes mean; or all codes, each on a line.
pub fn run(arguments: &Explain) -> Code {
    let all = all();
    if arguments.codes.is_empty() {
        let list: Text = all.iter().map(|it| format!("{:<14}{}", it.name, it.title)).collect();
        return work::print(&list.into()).map(|()| SAFE);
    }
    let mut text = Text::default();
    for code in &arguments.codes {
        // One word may mean two things: `memory` is a class of properties and a kind of `unknown`.
        let found: Vec<&Explained> = all.iter().filter(|it| it.name.eq_ignore_ascii_case(code)).collect();
        if found.is_empty() {
            let hint = similar(code, all.iter().map(|it| it.name));
            let hint = hint.unwrap_or_else(|| "`selvedge explain` lists all".to_string());
            return Err(format!("there is no code `{code}`; {hint}"));
        }
        for it in found {
            text.push(format!("{}: {}", it.name, it.title));
            wrap(&it.text, width().min(WIDEST)).into_iter().for_each(|line| text.push(format!("  {line}")));
        }
    }
    work::print(&text.into()).map(|()| SAFE)
}

fn all() -> Vec<Explained> {
    let codes = codes::all().map(|it| Explained {
        name: it.code,
        title: it.title.to_string(),
        text: it.text.to_string(),
    });
    let classes = CLASSES.iter().map(|it| Explained {
        name: it.class.word(),
        title: "a class of properties".to_string(),
        text: meaning(it.class).expect("a test compares the texts with the classes").to_string(),
    });
    let kinds = ReasonKind::ALL.into_iter().map(|it| Explained {
        name: it.word(),
        title: "a kind of `unknown`".to_string(),
        text: it.meaning().to_string(),
    });
    codes.chain(engines()).chain(classes).chain(kinds).collect()
}

/// The engines, which say themselves what they do.
fn engines() -> impl Iterator<Item = Explained> {
    let explained = |whom: &'static str| {
        move |engine: &&'static dyn verify::Engine| Explained {
            name: engine.name(),
            title: format!("an engine for {whom}"),
            text: sentences(engine.about(), engine.paper()),
        }
    };
    let programs = verify::engines().iter().map(explained("Boolean programs and nets"));
    programs.chain(verify::c::engines().iter().map(explained("C programs")))
}

/// What an engine does and where it comes from, as sentences.
fn sentences(about: &str, paper: &str) -> String {
    let mut letters = about.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let paper = if paper.is_empty() { String::new() } else { format!(" Paper: {paper}.") };
    format!("{first}{}.{paper}", letters.as_str())
}

/// The words in lines of at most this width, less the indentation.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let most = width.saturating_sub(2);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > most {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_text() {
        let all = all();
        for it in &all {
            assert!(!it.title.is_empty() && !it.text.is_empty(), "{}", it.name);
        }
        for name in ["E0201", "cover", "abstract", "race", "suspect"] {
            assert_eq!(all.iter().filter(|it| it.name == name).count(), 1, "{name}");
        }
        assert_eq!(all.iter().filter(|it| it.name == "memory").count(), 2);
    }

    #[test]
    fn lines_fit() {
        assert_eq!(wrap("aa bb  cc dddddddddd e", 7), ["aa bb", "cc", "dddddddddd", "e"]);
    }
}
