//! The records of a closure: `t` threads, `c` tuples, `b` elements of the basis.

use super::fields::{bits, counted, marks, thread, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, Closure, TupleView};
use std::fmt::{self, Write};

/// The kind `closure`.
pub const FORM: Form = Form {
    word: "closure",
    view: true,
    number: Some("width"),
    records: &[("t", 1), ("c", 2), ("b", 3)],
    start: || Box::new(Closure::default()),
};

impl Records for Closure {
    fn form(&self) -> &'static Form {
        &FORM
    }

    fn number(&self) -> u32 {
        self.width
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write::threads(out, &self.threads)?;
        for (record, tuples) in [("c", &self.tuples), ("b", &self.basis)] {
            for tuple in tuples {
                write!(out, "{record} {} ", write::marks(tuple.initialising, tuple.busy))?;
                write::bits(out, &tuple.shared)?;
                write::population(out, &tuple.threads)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        match record {
            "t" => self.threads.push(thread(words)?),
            "c" => self.tuples.push(tuple(words)?),
            _ => self.basis.push(tuple(words)?),
        }
        Ok(())
    }

    fn finish(self: Box<Self>, width: u32) -> Body {
        Body::Closure(Closure { width, ..*self })
    }
}

fn tuple(words: &mut Words<'_>) -> Result<TupleView, String> {
    let (initialising, busy) = marks(words)?;
    let shared = bits(word(words)?)?;
    let threads = words.map(counted).collect::<Result<_, _>>()?;
    Ok(TupleView { initialising, busy, shared, threads })
}
