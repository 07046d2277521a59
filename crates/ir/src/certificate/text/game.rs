//! The records of the adequacy game: `t` threads, `h` shared states, `l` interfaces, `w` wants, `r` right
//! blocks, `g` and `q` positions.

use super::fields::{bits, number, thread, word};
use super::form::{Form, Records, Words};
use super::write;
use crate::certificate::{Body, Game, Interface, Rounds, Share, Stand};
use std::fmt::{self, Write};

/// The kind `game`.
pub const FORM: Form = Form {
    word: "game",
    view: true,
    number: Some("rounds"),
    records: &[("t", 1), ("h", 2), ("l", 3), ("w", 3), ("r", 3), ("g", 3), ("q", 3)],
    start: || Box::new(Game::default()),
};

impl Records for Game {
    fn form(&self) -> &'static Form {
        &FORM
    }

    fn number(&self) -> u32 {
        self.rounds
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write::threads(out, &self.threads)?;
        self.shares.iter().try_for_each(|it| write_share(out, it))?;
        self.interfaces.iter().try_for_each(|it| write_interface(out, it))?;
        for (record, list) in [("w", &self.wants), ("r", &self.rights)] {
            list.iter().try_for_each(|it| out.write_str(record).and_then(|()| rounds(out, &[it])))?;
        }
        for (eve, adam) in &self.matched {
            out.write_str("g")?;
            rounds(out, &[eve, adam])?;
        }
        self.alone.iter().try_for_each(|it| out.write_str("q").and_then(|()| rounds(out, &[it])))
    }

    fn read(&mut self, record: &str, words: &mut Words<'_>) -> Result<(), String> {
        match record {
            "t" => self.threads.push(thread(words)?),
            "h" => self.shares.push(share(words)?),
            "l" => self.interfaces.push(interface(words)?),
            "w" => self.wants.push(halves(numbers(words)?, 1)?),
            "r" => self.rights.push(halves(numbers(words)?, 0)?),
            "q" => self.alone.push(halves(numbers(words)?, 0)?),
            _ => {
                let mut eve = numbers(words)?;
                // Eve has one round more: 4k + 2 numbers.
                if eve.len() < 6 || eve.len() % 4 != 2 {
                    return Err("Eve does not have one round more than Adam".to_string());
                }
                let adam = eve.split_off(eve.len() / 2 + 1);
                self.matched.push((halves(eve, 0)?, halves(adam, 0)?));
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, rounds: u32) -> Body {
        Body::Game(Box::new(Game { rounds, ..*self }))
    }
}

fn write_share(out: &mut dyn Write, share: &Share) -> fmt::Result {
    out.write_str("h ")?;
    write::bits(out, &share.values)?;
    let message: Vec<String> = share.message.iter().map(usize::to_string).collect();
    write!(out, " {}", if message.is_empty() { "-".to_string() } else { message.join("/") })?;
    share.sleeping.iter().try_for_each(|count| write!(out, " {count}"))?;
    writeln!(out)
}

fn write_interface(out: &mut dyn Write, interface: &Interface) -> fmt::Result {
    write!(out, "l {} ", if interface.first { "f" } else { "o" })?;
    match interface.stand {
        Stand::At(thread) => write!(out, "{thread}")?,
        Stand::Dormant => out.write_str("d")?,
        Stand::Ended => out.write_str("e")?,
    }
    rounds(out, &[&interface.rounds])
}

/// Inputs, then outputs.
fn rounds(out: &mut dyn Write, list: &[&Rounds]) -> fmt::Result {
    for share in list.iter().flat_map(|it| it.ins.iter().chain(&it.outs)) {
        write!(out, " {share}")?;
    }
    writeln!(out)
}

fn share(words: &mut Words<'_>) -> Result<Share, String> {
    let values = bits(word(words)?)?;
    let message = match word(words)? {
        "-" => vec![],
        threads => threads.split('/').map(|it| Ok(number(it)? as usize)).collect::<Result<_, String>>()?,
    };
    let sleeping = words.map(number).collect::<Result<_, _>>()?;
    Ok(Share { values, message, sleeping })
}

fn interface(words: &mut Words<'_>) -> Result<Interface, String> {
    let first = match word(words)? {
        "f" => true,
        "o" => false,
        other => return Err(format!("`{other}` is no kind of thread")),
    };
    let stand = match word(words)? {
        "d" => Stand::Dormant,
        "e" => Stand::Ended,
        thread => Stand::At(number(thread)? as usize),
    };
    Ok(Interface { first, stand, rounds: halves(numbers(words)?, 0)? })
}

fn numbers(words: &mut Words<'_>) -> Result<Vec<usize>, String> {
    words.map(|word| number(word).map(|it| it as usize)).collect()
}

/// Inputs and outputs, `less` fewer outputs than inputs.
fn halves(mut numbers: Vec<usize>, less: usize) -> Result<Rounds, String> {
    let length = (numbers.len() + less) / 2;
    if length == 0 || numbers.len() + less != 2 * length {
        return Err("inputs and outputs do not fit each other".to_string());
    }
    let outs = numbers.split_off(length);
    Ok(Rounds { ins: numbers, outs })
}
