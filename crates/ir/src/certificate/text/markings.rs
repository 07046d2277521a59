//! The records of proofs about nets: `m` markings of a reached set, `k` classes of places, `c` tuples and `b` elements of a closure.

use super::form::{Form, Records, Words};
use super::words::{counted, id, word};
use super::write;
use crate::certificate::{Body, ReachedMarkings, TokenClosure, Tokens};
use crate::net::PlaceId;
use base::Id;
use std::fmt::{self, Write};

/// The kind `reached-markings`.
pub const REACHED: Form = Form {
    word: "reached-markings",
    view: false,
    number: Some("bound"),
    records: &[("m", 1)],
    start: || Box::new(ReachedMarkings::default()),
};

/// The kind `closure-markings`.
pub const CLOSURE: Form = Form {
    word: "closure-markings",
    view: false,
    number: Some("width"),
    records: &[("k", 1), ("c", 2), ("b", 3)],
    start: || Box::new(TokenClosure::default()),
};

impl Records for ReachedMarkings {
    fn form(&self) -> &'static Form {
        &REACHED
    }

    fn number(&self) -> u32 {
        self.bound
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        self.markings.iter().try_for_each(|it| write_tokens(out, "m", it))
    }

    fn read(&mut self, _: &str, words: &mut Words<'_>) -> Result<(), String> {
        self.markings.push(tokens(words)?);
        Ok(())
    }

    fn finish(self: Box<Self>, bound: u32) -> Body {
        Body::ReachedMarkings(ReachedMarkings { bound, ..*self })
    }
}

impl Records for TokenClosure {
    fn form(&self) -> &'static Form {
        &CLOSURE
    }

    fn number(&self) -> u32 {
        self.width
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        for class in &self.classes {
            write!(out, "k")?;
            class.iter().try_for_each(|place| write!(out, " {}", place.index()))?;
            writeln!(out)?;
        }
        self.tuples.iter().try_for_each(|it| write_tokens(out, "c", it))?;
        self.basis.iter().try_for_each(|it| write_tokens(out, "b", it))
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        match record {
            "k" => self.classes.push(words.map(id).collect::<Result<_, _>>()?),
            "c" => self.tuples.push(tokens(words)?),
            _ => self.basis.push(tokens(words)?),
        }
        Ok(())
    }

    fn finish(self: Box<Self>, width: u32) -> Body {
        Body::TokenClosure(TokenClosure { width, ..*self })
    }
}

fn write_tokens(out: &mut dyn Write, record: &str, (shared, tokens): &Tokens) -> fmt::Result {
    write!(out, "{record} {}", shared.index())?;
    tokens.iter().try_for_each(|&(place, n)| write::counted(out, place.index(), n))?;
    writeln!(out)
}

fn tokens(words: &mut Words<'_>) -> Result<Tokens, String> {
    let shared = id(word(words)?)?;
    let place = |it| counted(it).map(|(place, n)| (PlaceId::from_index(place), n));
    Ok((shared, words.map(place).collect::<Result<_, _>>()?))
}
