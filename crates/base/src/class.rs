//! The classes of properties. A class is its row: lists, messages and counters ask it, and a
//! new class takes no change here. It is in this crate because normalised C names the classes of its
//! assertions; the table of all classes is `ir::property::CLASSES`.

/// What class a property is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class(pub &'static ClassRow);

/// What is said of a class.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClassRow {
    /// The word for it in lists and in JSON; no two classes have the same.
    pub word: &'static str,
    /// The property of the competition on software verification that it belongs to.
    pub sv_comp: Option<&'static str>,
    /// How a verdict says that it is violated: `{name}` is what fails, `{place}` is ` at FILE:LINE`.
    pub sentence: &'static str,
    /// The rules that results for code scanning (SARIF) give as the reason; the first one if nothing more is
    /// known. There is one at least.
    pub rules: &'static [Rule],
}

/// What results for code scanning are told under.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rule {
    /// Its id; other tools remember it, so it never changes.
    pub id: &'static str,
    /// A name in one word.
    pub name: &'static str,
    /// What goes wrong, in a few words.
    pub short: &'static str,
    /// The same in a sentence.
    pub full: &'static str,
    /// The entries of the Common Weakness Enumeration, the broadest first.
    pub cwe: &'static [u16],
}

/// An assertion, an error call, an error label or a target.
pub const ASSERT_RULE: Rule = Rule {
    id: "SV-ASSERT",
    name: "ReachableError",
    short: "An assertion can fail",
    full: "A run of the program reaches an error: an assertion that does not hold, a call that must not be \
           reached, or a label or state that stands for one.",
    cwe: &[617],
};

impl Class {
    /// A condition that must hold.
    pub const ASSERTION: Class = Class(&ClassRow {
        word: "assertion",
        sv_comp: Some("unreach-call"),
        sentence: "assertion{place} fails",
        rules: &[ASSERT_RULE],
    });
    /// A call that must not be reached.
    pub const ERROR_CALL: Class = Class(&ClassRow {
        word: "error",
        sv_comp: Some("unreach-call"),
        sentence: "`{name}`{place} is reached",
        rules: &[ASSERT_RULE],
    });
    /// A labelled statement that must not be reached.
    pub const ERROR_LABEL: Class = Class(&ClassRow {
        word: "label",
        sv_comp: Some("unreach-call"),
        sentence: "label {name}{place} is reached",
        rules: &[ASSERT_RULE],
    });

    /// The word for it in lists and in JSON.
    pub fn word(self) -> &'static str {
        self.0.word
    }

    /// The rule that results are told under if nothing more is known.
    pub fn rule(self) -> &'static Rule {
        self.0.rules.first().expect("every class has a rule")
    }

    /// How a verdict says that it is violated: what fails, and ` at FILE:LINE`.
    pub fn sentence(self, name: &str, place: &str) -> String {
        self.0.sentence.replace("{name}", name).replace("{place}", place)
    }
}
