//! The records of proofs about nets: `m` markings of a reached set, `k` classes of places, `c` tuples, `b`
//! elements, `q` traps and `w` weights of a closure.

use super::fields::{counted, id, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, ReachedMarkings, TokenClosure, Tokens, Trap, Weights};
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
    records: &[("k", 1), ("c", 2), ("b", 3), ("q", 4), ("w", 5)],
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
        self.basis.iter().try_for_each(|it| write_tokens(out, "b", it))?;
        self.traps.iter().try_for_each(|it| write_trap(out, it))?;
        self.weights.iter().try_for_each(|it| write_weights(out, it))
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        match record {
            "k" => self.classes.push(words.map(id).collect::<Result<_, _>>()?),
            "c" => self.tuples.push(tokens(words)?),
            "q" => self.traps.push(trap(words)?),
            "w" => self.weights.push(weights(words)?),
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

fn write_trap(out: &mut dyn Write, trap: &Trap) -> fmt::Result {
    write!(out, "q")?;
    trap.states.iter().try_for_each(|it| write!(out, " s{}", it.index()))?;
    trap.places.iter().try_for_each(|it| write!(out, " p{}", it.index()))?;
    writeln!(out)
}

fn trap(words: &mut Words<'_>) -> Result<Trap, String> {
    let mut trap = Trap::default();
    for word in words {
        match lettered(word)? {
            ('s', (state, 1)) => trap.states.push(Id::from_index(state)),
            ('p', (place, 1)) => trap.places.push(Id::from_index(place)),
            _ => return Err(format!("`{word}` is no part of a trap")),
        }
    }
    Ok(trap)
}

fn write_weights(out: &mut dyn Write, weights: &Weights) -> fmt::Result {
    let states = weights.states.iter().map(|it| ('s', it.0.index(), it.1));
    let places = weights.places.iter().map(|it| ('p', it.0.index(), it.1));
    let traps = weights.traps.iter().map(|it| ('q', it.0, it.1));
    write!(out, "w")?;
    for (letter, item, weight) in states.chain(places).chain(traps) {
        write!(out, " {letter}{item}*{weight}")?;
    }
    writeln!(out)
}

fn weights(words: &mut Words<'_>) -> Result<Weights, String> {
    let mut weights = Weights::default();
    for word in words {
        match lettered(word)? {
            ('s', (state, n)) => weights.states.push((Id::from_index(state), n)),
            ('p', (place, n)) => weights.places.push((Id::from_index(place), n)),
            ('q', trap) => weights.traps.push(trap),
            _ => return Err(format!("`{word}` has no weight")),
        }
    }
    Ok(weights)
}

/// A letter, and a number with how many of it.
fn lettered(word: &str) -> Result<(char, (usize, u32)), String> {
    let mut rest = word.chars();
    let letter = rest.next().ok_or_else(|| "something is missing".to_string())?;
    Ok((letter, counted(rest.as_str())?))
}
