//! The records of a reached set: `t` threads, `i` and `s` states.

use super::fields::{bits, counted, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, Reached, StateView};
use std::fmt::{self, Write};

/// The kind `reached`.
pub const FORM: Form = Form {
    word: "reached",
    view: true,
    number: Some("bound"),
    records: &[("t", 1), ("i", 2), ("s", 2)],
    start: || Box::new(Reached::default()),
};

impl Records for Reached {
    fn form(&self) -> &'static Form {
        &FORM
    }

    fn number(&self) -> u32 {
        self.bound
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write::threads(out, &self.threads)?;
        for state in &self.states {
            out.write_str(if state.initialising { "i " } else { "s " })?;
            write::bits(out, &state.shared)?;
            write::population(out, &state.threads)?;
        }
        Ok(())
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        if record == "t" {
            self.threads.push(super::fields::thread(words)?);
            return Ok(());
        }
        let shared = bits(word(words)?)?;
        let threads = words.map(counted).collect::<Result<_, _>>()?;
        self.states.push(StateView { initialising: record == "i", shared, threads });
        Ok(())
    }

    fn finish(self: Box<Self>, bound: u32) -> Body {
        Body::Reached(Reached { bound, ..*self })
    }
}
