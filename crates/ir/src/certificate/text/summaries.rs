//! The records of summaries: `t` threads, `a` states.

use super::fields::{bits, number, thread, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, Summaries, SummaryState, Who};
use std::fmt::{self, Write};

/// The kind `summaries`.
pub const FORM: Form = Form {
    word: "summaries",
    view: true,
    number: None,
    records: &[("t", 1), ("a", 2)],
    start: || Box::new(Summaries::default()),
};

impl Records for Summaries {
    fn form(&self) -> &'static Form {
        &FORM
    }

    fn number(&self) -> u32 {
        0
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write::threads(out, &self.threads)?;
        self.states.iter().try_for_each(|state| write_state(out, state))
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        match record {
            "t" => self.threads.push(thread(words)?),
            _ => self.states.push(state(words)?),
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: u32) -> Body {
        Body::Summaries(*self)
    }
}

fn write_state(out: &mut dyn Write, state: &SummaryState) -> fmt::Result {
    let who = match state.who {
        Who::Init => "n",
        Who::First => "f",
        Who::Other => "o",
    };
    write!(out, "a {who} {} ", if state.busy { "i" } else { "-" })?;
    write::bits(out, &state.shared)?;
    write!(out, " {}", state.thread)?;
    match state.record {
        None => out.write_str(" -")?,
        Some(record) => write!(out, " {record}")?,
    }
    state.calls.iter().try_for_each(|record| write!(out, " {record}"))?;
    writeln!(out)
}

fn state(words: &mut Words<'_>) -> Result<SummaryState, String> {
    let who = match word(words)? {
        "n" => Who::Init,
        "f" => Who::First,
        "o" => Who::Other,
        other => return Err(format!("`{other}` is no kind of thread")),
    };
    let busy = match word(words)? {
        "-" => false,
        "i" => true,
        other => return Err(format!("`{other}` is no mark of a state")),
    };
    let (shared, thread) = (bits(word(words)?)?, number(word(words)?)? as usize);
    let record = match word(words)? {
        "-" => None,
        record => Some(number(record)?),
    };
    let calls = words.map(number).collect::<Result<_, _>>()?;
    Ok(SummaryState { who, record, busy, shared, thread, calls })
}
