//! Reads certificates. The text may be anything: whatever is not of the form is refused with the number of its line.

use super::HEADER;
use crate::bp::{Loc, LocalId, SharedId};
use crate::certificate::{
    Bits, Body, Certificate, LocalAt, Point, Reached, ReachedMarkings, StateView, ThreadView, View,
};
use crate::net::{PlaceId, SharedStateId};
use crate::task::{Bound, Scope};
use base::Id;
use std::str::SplitWhitespace;

/// The certificate that the text is the form of, or what is wrong with it.
pub fn read(text: &str) -> Result<Certificate, String> {
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, first)) if first.trim_end() == HEADER => {}
        Some((_, first)) if first.starts_with("selvedge-certificate/") => {
            return Err(format!("line 1: another version than `{HEADER}`"));
        }
        _ => return Err(format!("line 1: `{HEADER}` is missing")),
    }
    let mut reader = Reader::default();
    for (index, line) in lines {
        let record = line.split('#').next().unwrap_or_default();
        let mut words = record.split_whitespace();
        if let Some(first) = words.next() {
            reader.record(first, &mut words).map_err(|why| format!("line {}: {why}", index + 1))?;
        }
    }
    reader.finish()
}

/// The records in the order in which they must come. Those of one line each are there once.
const ORDER: [(&str, usize); 10] = [
    ("kind", 1),
    ("scope", 2),
    ("bound", 3),
    ("shared", 4),
    ("p", 5),
    ("t", 6),
    ("s", 7),
    ("i", 7),
    ("m", 7),
    ("end", 8),
];

#[derive(Default)]
struct Reader {
    /// How far in the order we are.
    rank: usize,
    markings_only: bool,
    scope: Option<Scope>,
    bound: Option<u32>,
    shared: Option<Vec<SharedId>>,
    points: Vec<Point>,
    threads: Vec<ThreadView>,
    states: Vec<StateView>,
    markings: Vec<(SharedStateId, Vec<(PlaceId, u32)>)>,
}

impl Reader {
    fn record(&mut self, first: &str, words: &mut SplitWhitespace<'_>) -> Result<(), String> {
        let Some(&(_, rank)) = ORDER.iter().find(|it| it.0 == first) else {
            return Err(format!("unknown record `{first}`"));
        };
        let repeats = first.len() == 1;
        if rank < self.rank || (rank == self.rank && !repeats) {
            return Err(format!("`{first}` comes too late"));
        }
        if rank > 1 && self.rank == 0 {
            return Err("`kind` comes first".to_string());
        }
        self.rank = rank;
        self.fits_kind(first)?;
        match first {
            "kind" => self.markings_only = kind(word(words)?)?,
            "scope" => {
                let [threads, rounds, depth] = [bound(words)?, bound(words)?, bound(words)?];
                self.scope = Some(Scope { threads, rounds, depth });
            }
            "bound" => self.bound = Some(number(word(words)?)?),
            "shared" => self.shared = Some(words.map(id::<SharedId>).collect::<Result<_, _>>()?),
            "p" => self.points.push(point(words)?),
            "t" => {
                let point = number(word(words)?)? as usize;
                self.threads.push(ThreadView { point, values: bits(word(words)?)? });
            }
            "m" => {
                let shared = id(word(words)?)?;
                let place = |it| counted(it).map(|(place, n)| (PlaceId::from_index(place), n));
                self.markings.push((shared, words.map(place).collect::<Result<_, _>>()?));
            }
            "end" => {}
            _ => {
                let shared = bits(word(words)?)?;
                let threads = words.map(counted).collect::<Result<_, _>>()?;
                self.states.push(StateView { initialising: first == "i", shared, threads });
            }
        }
        words.next().map_or(Ok(()), |rest| Err(format!("`{rest}` is too much")))
    }

    fn fits_kind(&self, first: &str) -> Result<(), String> {
        let of_markings = first == "m";
        let of_programs = matches!(first, "shared" | "p" | "t" | "s" | "i");
        if (of_markings && !self.markings_only) || (of_programs && self.markings_only) {
            return Err(format!("a certificate of this kind has no `{first}`"));
        }
        Ok(())
    }

    fn finish(self) -> Result<Certificate, String> {
        let missing = |what: &str| format!("`{what}` is missing");
        if self.rank < ORDER[ORDER.len() - 1].1 {
            return Err(missing("end"));
        }
        let scope = self.scope.ok_or_else(|| missing("scope"))?;
        let bound = self.bound.ok_or_else(|| missing("bound"))?;
        let body = if self.markings_only {
            Body::ReachedMarkings(ReachedMarkings { markings: self.markings, bound })
        } else {
            let shared = self.shared.ok_or_else(|| missing("shared"))?;
            let view = View { shared, points: self.points };
            Body::Reached(Reached { view, threads: self.threads, states: self.states, bound })
        };
        Ok(Certificate { scope, body })
    }
}

/// Whether the body speaks of markings.
fn kind(word: &str) -> Result<bool, String> {
    match word {
        "reached" => Ok(false),
        "reached-markings" => Ok(true),
        other => Err(format!("unknown kind `{other}`")),
    }
}

fn word<'t>(words: &mut SplitWhitespace<'t>) -> Result<&'t str, String> {
    words.next().ok_or_else(|| "something is missing".to_string())
}

fn number(word: &str) -> Result<u32, String> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { word.parse().ok() } else { None };
    number.ok_or_else(|| format!("`{word}` is no number below 2^32"))
}

fn id<I: Id>(word: &str) -> Result<I, String> {
    Ok(I::from_index(number(word)? as usize))
}

fn bound(words: &mut SplitWhitespace<'_>) -> Result<Bound, String> {
    let word = word(words)?;
    if word == "any" { Ok(Bound::Any) } else { Ok(Bound::AtMost(number(word)?)) }
}

fn bits(word: &str) -> Result<Bits, String> {
    let bit = |byte: u8| match byte {
        b'0' => Ok(false),
        b'1' => Ok(true),
        _ => Err(format!("`{word}` are no values")),
    };
    if word == "-" { Ok(vec![]) } else { word.bytes().map(bit).collect() }
}

/// A number, or a number and how many of it.
fn counted(word: &str) -> Result<(usize, u32), String> {
    let (item, n) = word.split_once('*').unwrap_or((word, "1"));
    Ok((number(item)? as usize, number(n)?))
}

fn point(words: &mut SplitWhitespace<'_>) -> Result<Point, String> {
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
    Ok(Point { stack, inside, kept: words.map(kept).collect::<Result<_, String>>()? })
}
