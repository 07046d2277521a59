//! The records of the adequacy game: `h` shared states, `l` interfaces, `w` wants, `r` right blocks, `g` and `q` positions.

use super::words::{bits, number, word};
use super::write::bits as write_bits;
use crate::certificate::{Game, Interface, Rounds, Share, Stand, ThreadView, View};
use std::fmt::{self, Write};
use std::str::SplitWhitespace;

/// Writes all but the view and the threads.
pub fn write(out: &mut dyn Write, game: &Game) -> fmt::Result {
    for share in &game.shares {
        out.write_str("h ")?;
        write_bits(out, &share.values)?;
        let message: Vec<String> = share.message.iter().map(usize::to_string).collect();
        write!(out, " {}", if message.is_empty() { "-".to_string() } else { message.join("/") })?;
        share.sleeping.iter().try_for_each(|count| write!(out, " {count}"))?;
        writeln!(out)?;
    }
    for interface in &game.interfaces {
        write!(out, "l {} ", if interface.first { "f" } else { "o" })?;
        match interface.stand {
            Stand::At(thread) => write!(out, "{thread}")?,
            Stand::Dormant => out.write_str("d")?,
            Stand::Ended => out.write_str("e")?,
        }
        rounds(out, &[&interface.rounds])?;
    }
    for (record, list) in [("w", &game.wants), ("r", &game.rights)] {
        list.iter().try_for_each(|it| out.write_str(record).and_then(|()| rounds(out, &[it])))?;
    }
    for (eve, adam) in &game.matched {
        out.write_str("g")?;
        rounds(out, &[eve, adam])?;
    }
    game.alone.iter().try_for_each(|it| out.write_str("q").and_then(|()| rounds(out, &[it])))
}

/// Inputs, then outputs.
fn rounds(out: &mut dyn Write, list: &[&Rounds]) -> fmt::Result {
    for share in list.iter().flat_map(|it| it.ins.iter().chain(&it.outs)) {
        write!(out, " {share}")?;
    }
    writeln!(out)
}

/// What has been read.
#[derive(Default)]
pub struct Parts {
    shares: Vec<Share>,
    interfaces: Vec<Interface>,
    wants: Vec<Rounds>,
    rights: Vec<Rounds>,
    matched: Vec<(Rounds, Rounds)>,
    alone: Vec<Rounds>,
}

impl Parts {
    /// One record.
    pub fn record(&mut self, first: &str, words: &mut SplitWhitespace<'_>) -> Result<(), String> {
        match first {
            "h" => {
                let values = bits(word(words)?)?;
                let message = match word(words)? {
                    "-" => vec![],
                    threads => threads
                        .split('/')
                        .map(|it| Ok(number(it)? as usize))
                        .collect::<Result<_, String>>()?,
                };
                let sleeping = words.map(number).collect::<Result<_, _>>()?;
                self.shares.push(Share { values, message, sleeping });
            }
            "l" => {
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
                self.interfaces.push(Interface { first, stand, rounds: halves(numbers(words)?, 0)? });
            }
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

    /// The game.
    pub fn finish(self, view: View, threads: Vec<ThreadView>, rounds: u32) -> Game {
        let Parts { shares, interfaces, wants, rights, matched, alone } = self;
        Game { view, threads, rounds, shares, interfaces, wants, rights, matched, alone }
    }
}

fn numbers(words: &mut SplitWhitespace<'_>) -> Result<Vec<usize>, String> {
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
