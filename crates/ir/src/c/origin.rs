//! Where a chosen value comes from. A program chooses freely for three reasons: its inputs are not known (`nondet`, an uninitialised local; these
//! have no origin), a library function's result is not computed, or a function is not defined at all. What a verdict that rests on
//! such a value is worth depends on which it is.

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
}

impl OriginKind {
    /// All kinds, with the words of the text form.
    pub const ALL: [(&'static str, OriginKind); 3] = [
        ("input", OriginKind::Input),
        ("approximation", OriginKind::Approximation),
        ("external", OriginKind::External),
    ];
}

/// A function on whose behalf values are chosen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChoiceOrigin {
    /// What kind of function it is.
    pub kind: OriginKind,
    /// Its name.
    pub function: String,
}

impl ChoiceOrigin {
    /// The origin.
    pub fn new(kind: OriginKind, function: impl Into<String>) -> ChoiceOrigin {
        ChoiceOrigin { kind, function: function.into() }
    }
}

impl fmt::Display for OriginKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = OriginKind::ALL.iter().find(|(_, kind)| kind == self);
        f.write_str(found.map_or("", |(word, _)| word))
    }
}
