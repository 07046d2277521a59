//! The records of a closure by formulas: `k` classes, `v` and `n` nodes, `c` tuples, `b` elements of the
//! basis.

use super::fields::{counted, id, marks, node, number, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, ClassClosure, ClassTuple};
use base::Id;
use std::fmt::{self, Write};

/// The kind `symbolic-closure`.
pub const FORM: Form = Form {
    word: "symbolic-closure",
    view: true,
    number: Some("width"),
    records: &[("k", 1), ("v", 2), ("n", 2), ("c", 3), ("b", 4)],
    start: || Box::new(ClassClosure::default()),
};

impl Records for ClassClosure {
    fn form(&self) -> &'static Form {
        &FORM
    }

    fn number(&self) -> u32 {
        self.width
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        for class in &self.classes {
            write!(out, "k")?;
            class.iter().try_for_each(|control| write!(out, " {control}"))?;
            writeln!(out)?;
        }
        write::graph(out, &self.graph)?;
        for (record, tuples) in [("c", &self.tuples), ("b", &self.basis)] {
            for tuple in tuples {
                let marks = write::marks(tuple.initialising, tuple.busy);
                write!(out, "{record} {marks} {}", tuple.formula.index())?;
                write::population(out, &tuple.classes)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        match record {
            "k" => {
                let class = words.map(|it| Ok(number(it)? as usize)).collect::<Result<_, String>>()?;
                self.classes.push(class);
            }
            "v" | "n" => drop(self.graph.push(node(record, words)?)?),
            "c" => self.tuples.push(tuple(words)?),
            _ => self.basis.push(tuple(words)?),
        }
        Ok(())
    }

    fn finish(self: Box<Self>, width: u32) -> Body {
        Body::ClassClosure(ClassClosure { width, ..*self })
    }
}

fn tuple(words: &mut Words<'_>) -> Result<ClassTuple, String> {
    let (initialising, busy) = marks(words)?;
    let formula = id(word(words)?)?;
    let classes = words.map(counted).collect::<Result<_, _>>()?;
    Ok(ClassTuple { initialising, busy, classes, formula })
}
