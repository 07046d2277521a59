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
}

impl Class {
    /// A condition that must hold.
    pub const ASSERTION: Class = Class(&ClassRow {
        word: "assertion",
        sv_comp: Some("unreach-call"),
        sentence: "assertion{place} fails",
    });
    /// A call that must not be reached.
    pub const ERROR_CALL: Class = Class(&ClassRow {
        word: "error",
        sv_comp: Some("unreach-call"),
        sentence: "`{name}`{place} is reached",
    });
    /// A labelled statement that must not be reached.
    pub const ERROR_LABEL: Class = Class(&ClassRow {
        word: "label",
        sv_comp: Some("unreach-call"),
        sentence: "label {name}{place} is reached",
    });

    /// The word for it in lists and in JSON.
    pub fn word(self) -> &'static str {
        self.0.word
    }

    /// How a verdict says that it is violated: what fails, and ` at FILE:LINE`.
    pub fn sentence(self, name: &str, place: &str) -> String {
        self.0.sentence.replace("{name}", name).replace("{place}", place)
    }
}
