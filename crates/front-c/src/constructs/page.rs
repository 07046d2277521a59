//! The section "Known constructs" of `docs/c.md`, written from the tables.

use super::attributes::ATTRIBUTES;
use super::builtins::{FAMILIES, library_names};
use super::pragmas::PRAGMAS;
use super::specifiers::WORDS;

/// The section.
pub fn known_constructs() -> String {
    let mut page = String::from(
        "Made from the tables in `crates/front-c/src/constructs`. *Honoured*: the program means what the construct says. *Harmless*: it \
         changes nothing that a property can see. *Refused where used*: `unknown: unsupported` if a run can reach a use of what it stands \
         on. A name that is not here and that gcc does not know either is ignored with a warning, as gcc does.\n",
    );
    page.push_str(
        "\n### Attributes\n\nAs `__attribute__((x))`, `__attribute__((__x__))`, `[[gnu::x]]`, `[[x]]`.\n\n",
    );
    table(
        &mut page,
        ["attribute", "on", "treatment", "what it says"],
        ATTRIBUTES.iter().map(|row| {
            [
                format!("`{}`", row.name),
                row.on.words(),
                row.treatment.word().to_string(),
                row.note.to_string(),
            ]
        }),
    );
    page.push_str("\n### Pragmas\n\nAs `#pragma` and `_Pragma`.\n\n");
    table(
        &mut page,
        ["pragma", "treatment", "what it says"],
        PRAGMAS
            .iter()
            .map(|row| [format!("`{}`", row.name), row.treatment.word().to_string(), row.note.to_string()]),
    );
    page.push_str("\n### Words\n\n");
    table(
        &mut page,
        ["word", "treatment", "what it says"],
        WORDS
            .iter()
            .map(|row| [row.name.to_string(), row.treatment.word().to_string(), row.note.to_string()]),
    );
    page.push_str("\n### Built-in functions\n\n");
    table(
        &mut page,
        ["names", "treatment", "what they mean"],
        FAMILIES
            .iter()
            .map(|row| [row.names.to_string(), row.treatment.word().to_string(), row.note.to_string()]),
    );
    let names: Vec<String> = library_names().map(|name| format!("`{name}`")).collect();
    page.push_str("\nLibrary functions with a built-in form, those on `double` also with `f` and `l`: ");
    page.push_str(&names.join(" "));
    page.push_str(".\n");
    page
}

fn table<const N: usize>(page: &mut String, head: [&str; N], rows: impl Iterator<Item = [String; N]>) {
    page.push_str(&format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N)));
    for row in rows {
        page.push_str(&format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | ")));
    }
}
