//! The classes of properties, one table: whoever lists, tells or counts properties asks it. It is here because normalised C names the
//! classes of its assertions and every other model does, too.

/// What class a property is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A condition that must hold.
    Assertion,
    /// A call that must not be reached.
    ErrorCall,
    /// A labelled statement that must not be reached.
    ErrorLabel,
    /// A target that must not be covered.
    Target,
    /// A C program has no undefined behaviour.
    Memory,
    /// No run of a C program comes to undefined behaviour that somebody has looked for.
    Undefined,
}

/// What is said of a class.
pub struct ClassRow {
    /// The class.
    pub class: Class,
    /// The word for it in lists and in JSON.
    pub word: &'static str,
    /// The property of the competition on software verification that it belongs to.
    pub sv_comp: Option<&'static str>,
    /// How a verdict says that it is violated: `{name}` is what fails, `{place}` is ` at FILE:LINE`.
    pub sentence: &'static str,
}

/// All classes.
pub const CLASSES: &[ClassRow] = &[
    ClassRow {
        class: Class::Assertion,
        word: "assertion",
        sv_comp: Some("unreach-call"),
        sentence: "assertion{place} fails",
    },
    ClassRow {
        class: Class::ErrorCall,
        word: "error",
        sv_comp: Some("unreach-call"),
        sentence: "`{name}`{place} is reached",
    },
    ClassRow {
        class: Class::ErrorLabel,
        word: "label",
        sv_comp: Some("unreach-call"),
        sentence: "label {name}{place} is reached",
    },
    ClassRow { class: Class::Target, word: "target", sv_comp: None, sentence: "the target is covered" },
    ClassRow {
        class: Class::Memory,
        word: "memory",
        sv_comp: Some("valid-memsafety"),
        sentence: "undefined behaviour ({name}){place}",
    },
    ClassRow {
        class: Class::Undefined,
        word: "undefined",
        sv_comp: None,
        sentence: "undefined behaviour ({name}){place}",
    },
];

impl Class {
    /// What is said of it.
    pub fn row(self) -> &'static ClassRow {
        CLASSES.iter().find(|row| row.class == self).expect("the table has every class")
    }

    /// The word for it in lists and in JSON.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The class of this word.
    pub fn named(word: &str) -> Option<Class> {
        CLASSES.iter().find(|row| row.word == word).map(|row| row.class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_classes() {
        for row in CLASSES {
            assert_eq!((Class::named(row.word), row.class.row().word), (Some(row.class), row.word));
        }
    }
}
