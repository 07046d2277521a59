//! The records of a reached set by formulas: `v` and `n` nodes, `i` and `s` pieces.

use super::fields::{counted, id, node, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, Piece, Symbolic};
use base::Id;
use std::fmt::{self, Write};

/// The kind `symbolic`.
pub const FORM: Form = Form {
    word: "symbolic",
    view: true,
    number: Some("bound"),
    records: &[("v", 1), ("n", 1), ("i", 2), ("s", 2)],
    start: || Box::new(Symbolic::default()),
};

impl Records for Symbolic {
    fn form(&self) -> &'static Form {
        &FORM
    }

    fn number(&self) -> u32 {
        self.bound
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write::graph(out, &self.graph)?;
        for piece in &self.pieces {
            let record = if piece.initialising { "i" } else { "s" };
            write!(out, "{record} {}", piece.formula.index())?;
            write::population(out, &piece.controls)?;
        }
        Ok(())
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        if matches!(record, "v" | "n") {
            return self.graph.push(node(record, words)?).map(drop);
        }
        let formula = id(word(words)?)?;
        let controls = words.map(counted).collect::<Result<_, _>>()?;
        self.pieces.push(Piece { initialising: record == "i", controls, formula });
        Ok(())
    }

    fn finish(self: Box<Self>, bound: u32) -> Body {
        Body::Symbolic(Symbolic { bound, ..*self })
    }
}
