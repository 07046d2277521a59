//! What is known of C beyond its plain grammar: attributes, pragmas, built-in functions, qualifiers and asm
//! labels, and for each what becomes of it. What is not in these tables is not understood: the reader warns
//! of it by name where the compiler itself ignores it, and refuses it where it is used otherwise. `docs/c.md`
//! shows the tables.

pub mod attributes;
pub mod builtins;
pub mod functions;
pub mod page;
pub mod pragmas;
pub mod specifiers;

/// What becomes of a construct.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Treatment {
    /// The program means what the construct says.
    Honoured,
    /// It does not change what a run of the program can do, as far as a property can tell.
    Harmless,
    /// What it stands on is refused where it is used.
    Refused,
}

impl Treatment {
    /// The word of the page.
    pub fn word(self) -> &'static str {
        match self {
            Treatment::Honoured => "honoured",
            Treatment::Harmless => "harmless",
            Treatment::Refused => "refused where used",
        }
    }
}

/// A name in one of the forms that the compiler takes: `x` and `__x__` are the same, `_x` is another name.
pub fn plain_name(name: &str) -> &str {
    match name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")) {
        Some(inner) if !inner.is_empty() => inner,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn names_have_two_forms() {
        assert_eq!(plain_name("__packed__"), "packed");
        assert_eq!(plain_name("packed"), "packed");
        assert_eq!(plain_name("_packed"), "_packed");
        assert_eq!(plain_name("__packed"), "__packed");
        assert_eq!(plain_name("____"), "____");
    }
}
