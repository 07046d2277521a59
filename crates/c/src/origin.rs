//! Where a chosen value comes from. A program chooses freely for three reasons: its inputs are not known
//! (`nondet`, an uninitialised local; these have no origin), a library function's result is not computed, or
//! a function is not defined at all. What a verdict that rests on such a value is worth depends on which it
//! is.

use base::define_id;
use std::fmt;

define_id!(
    /// An origin of chosen values.
    pub struct OriginId = "g"
);

/// What kind of function gives a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OriginKind {
    /// Every value in the stated range can really come: an error that depends on it is one.
    Input,
    /// The function computes one value, the model any: an error that depends on it may be none.
    Approximation,
    /// Nobody defines the function: an error that depends on it is one if the function gives that value.
    External,
    /// What the program is started with (`argc`): like a value of an external function.
    Argument,
    /// Whether a function of the library fails, which the system decides: an assertion must hold either way,
    /// but that programs do not ask whether `fopen` failed is no error that a run of them shows.
    Failure,
}

impl OriginKind {
    /// Whether nothing is known of what gives the value.
    pub fn is_unknown(self) -> bool {
        matches!(self, OriginKind::External | OriginKind::Argument)
    }

    /// All kinds, with the words of the text form.
    pub const ALL: [(&'static str, OriginKind); 5] = [
        ("input", OriginKind::Input),
        ("approximation", OriginKind::Approximation),
        ("external", OriginKind::External),
        ("argument", OriginKind::Argument),
        ("failure", OriginKind::Failure),
    ];
}

/// A function on whose behalf values are chosen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChoiceOrigin {
    /// What kind of function it is.
    pub kind: OriginKind,
    /// Its name.
    pub function: String,
    /// Whether it stores the values where its arguments lead to; otherwise it returns them.
    pub stores: bool,
}

impl ChoiceOrigin {
    /// The origin of what a function returns.
    pub fn new(kind: OriginKind, function: impl Into<String>) -> ChoiceOrigin {
        ChoiceOrigin { kind, function: function.into(), stores: false }
    }

    /// The origin of what the same function stores.
    pub fn stored(&self) -> ChoiceOrigin {
        ChoiceOrigin { stores: true, ..self.clone() }
    }
}

impl fmt::Display for OriginKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = OriginKind::ALL.iter().find(|(_, kind)| kind == self);
        f.write_str(found.map_or("", |(word, _)| word))
    }
}
