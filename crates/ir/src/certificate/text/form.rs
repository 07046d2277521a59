//! What a kind of certificate is made of in the text: its word, its number, its records and their order. Each
//! kind has one file here, which says this once, for writing and for reading.

use super::{classes, closure, game, markings, reached, summaries, symbolic};
use crate::certificate::Body;
use std::fmt::{self, Write};
use std::str::SplitWhitespace;

/// The words of a record that are not read yet.
pub type Words<'t> = SplitWhitespace<'t>;

/// The form of a kind.
pub struct Form {
    /// What stands after `kind`.
    pub word: &'static str,
    /// Whether it is about programs, and has a view.
    pub view: bool,
    /// The record of its one number, if it has one.
    pub number: Option<&'static str>,
    /// Its records after the view, each with its rank: a record never comes after one of a higher rank.
    pub records: &'static [(&'static str, u8)],
    /// A body without records.
    pub start: fn() -> Box<dyn Records>,
}

/// A body as records.
pub trait Records {
    /// Its form.
    fn form(&self) -> &'static Form;

    /// Its number; whatever it likes if its form has none.
    fn number(&self) -> u32;

    /// Writes the records after the view.
    fn write(&self, out: &mut dyn Write) -> fmt::Result;

    /// Reads one of the records that the form names.
    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String>;

    /// The body with its number, when all records have been read.
    fn finish(self: Box<Self>, number: u32) -> Body;
}

/// All kinds.
pub const FORMS: [&Form; 8] = [
    &reached::FORM,
    &symbolic::FORM,
    &markings::REACHED,
    &closure::FORM,
    &classes::FORM,
    &markings::CLOSURE,
    &summaries::FORM,
    &game::FORM,
];

/// The records of a body; proofs about C have a form of their own.
pub fn records(body: &Body) -> Option<&dyn Records> {
    Some(match body {
        Body::Reached(it) => it,
        Body::Symbolic(it) => it,
        Body::ReachedMarkings(it) => it,
        Body::Closure(it) => it,
        Body::ClassClosure(it) => it,
        Body::TokenClosure(it) => it,
        Body::Summaries(it) => it,
        Body::Game(it) => &**it,
        Body::Predicates(_) | Body::Order(_) | Body::States(_) => return None,
    })
}
