//! The words of which records are made.

use super::form::Words;
use crate::bp::{Loc, LocalId};
use crate::certificate::graph::{Node, NodeId};
use crate::certificate::{Bits, ControlLocation, LocalAt, ThreadView};
use crate::task::Bound;
use base::Id;

/// The next word.
pub fn word<'t>(words: &mut Words<'t>) -> Result<&'t str, String> {
    words.next().ok_or_else(|| "something is missing".to_string())
}

/// A number.
pub fn number(word: &str) -> Result<u32, String> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { word.parse().ok() } else { None };
    number.ok_or_else(|| format!("`{word}` is no number below 2^32"))
}

/// A number of something.
pub fn id<I: Id>(word: &str) -> Result<I, String> {
    Ok(I::from_index(number(word)? as usize))
}

/// A number, or any.
pub fn bound(words: &mut Words<'_>) -> Result<Bound, String> {
    let word = word(words)?;
    if word == "any" { Ok(Bound::Any) } else { Ok(Bound::AtMost(number(word)?)) }
}

/// Values.
pub fn bits(word: &str) -> Result<Bits, String> {
    let bit = |byte: u8| match byte {
        b'0' => Ok(false),
        b'1' => Ok(true),
        _ => Err(format!("`{word}` are no values")),
    };
    if word == "-" { Ok(vec![]) } else { word.bytes().map(bit).collect() }
}

/// A number, or a number and how many of it.
pub fn counted(word: &str) -> Result<(usize, u32), String> {
    let (item, n) = word.split_once('*').unwrap_or((word, "1"));
    Ok((number(item)? as usize, number(n)?))
}

/// A point.
pub fn control(words: &mut Words<'_>) -> Result<ControlLocation, String> {
    let inside = match word(words)? {
        "i" => true,
        "o" => false,
        other => return Err(format!("`{other}` is neither inside nor outside")),
    };
    let stack = word(words)?.split('/').map(id::<Loc>).collect::<Result<_, _>>()?;
    let kept = |word: &str| {
        let (depth, local) = word.split_once('.').ok_or_else(|| format!("`{word}` is no local"))?;
        Ok(LocalAt { depth: number(depth)? as usize, local: id::<LocalId>(local)? })
    };
    Ok(ControlLocation { stack, inside, kept: words.map(kept).collect::<Result<_, String>>()? })
}

/// A thread.
pub fn thread(words: &mut Words<'_>) -> Result<ThreadView, String> {
    let control = number(word(words)?)? as usize;
    Ok(ThreadView { control, values: bits(word(words)?)? })
}

/// A node of the graph: the record `v` or `n`.
pub fn node(record: &str, words: &mut Words<'_>) -> Result<Node, String> {
    if record == "v" {
        return Ok(Node::Input(number(word(words)?)?));
    }
    let mut operand = || id::<NodeId>(word(words)?);
    Ok(Node::Ite { test: operand()?, then: operand()?, other: operand()? })
}

/// Whether `init` runs, and whether somebody is inside.
pub fn marks(words: &mut Words<'_>) -> Result<(bool, bool), String> {
    match word(words)? {
        "-" => Ok((false, false)),
        "i" => Ok((false, true)),
        "n" => Ok((true, false)),
        "ni" => Ok((true, true)),
        other => Err(format!("`{other}` are no marks of a tuple")),
    }
}
