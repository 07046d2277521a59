//! Reads certificates. The text may be anything: whatever is not of the form is refused with the number of its line.

use super::HEADER;
use crate::bp::{Loc, LocalId, SharedId};
use crate::certificate::graph::{Graph, Node, NodeId};
use crate::certificate::{
    Bits, Body, Certificate, ClassClosure, ClassTuple, Closure, LocalAt, Piece, Point, Reached,
    ReachedMarkings, StateView, Symbolic, ThreadView, TokenClosure, Tokens, TupleView, View,
};
use crate::net::PlaceId;
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
const ORDER: [(&str, usize); 16] = [
    ("kind", 1),
    ("scope", 2),
    ("bound", 3),
    ("width", 3),
    ("shared", 4),
    ("p", 5),
    ("t", 6),
    ("k", 6),
    ("v", 7),
    ("n", 7),
    ("s", 8),
    ("i", 8),
    ("m", 8),
    ("c", 8),
    ("b", 9),
    ("end", 10),
];

#[derive(Clone, Copy, PartialEq, Default)]
enum Kind {
    #[default]
    Reached,
    Symbolic,
    ReachedMarkings,
    Closure,
    SymbolicClosure,
    ClosureMarkings,
}

#[derive(Default)]
struct Reader {
    /// How far in the order we are.
    rank: usize,
    kind: Kind,
    scope: Option<Scope>,
    bound: Option<u32>,
    shared: Option<Vec<SharedId>>,
    points: Vec<Point>,
    threads: Vec<ThreadView>,
    graph: Graph,
    pieces: Vec<Piece>,
    states: Vec<StateView>,
    markings: Vec<Tokens>,
    tuples: Vec<TupleView>,
    classes: Vec<Vec<usize>>,
    class_tuples: Vec<ClassTuple>,
    /// What is blocked: of a program, or of a net.
    blocked: (Vec<TupleView>, Vec<Tokens>),
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
            "kind" => self.kind = kind(word(words)?)?,
            "scope" => {
                let [threads, rounds, depth] = [bound(words)?, bound(words)?, bound(words)?];
                self.scope = Some(Scope { threads, rounds, depth });
            }
            "bound" | "width" => self.bound = Some(number(word(words)?)?),
            "shared" => self.shared = Some(words.map(id::<SharedId>).collect::<Result<_, _>>()?),
            "p" => self.points.push(point(words)?),
            "t" => {
                let point = number(word(words)?)? as usize;
                self.threads.push(ThreadView { point, values: bits(word(words)?)? });
            }
            "v" | "n" => drop(self.graph.push(node(first, words)?)?),
            "s" | "i" if self.kind == Kind::Symbolic => {
                let formula = id(word(words)?)?;
                let points = words.map(counted).collect::<Result<_, _>>()?;
                self.pieces.push(Piece { initialising: first == "i", points, formula });
            }
            "m" => self.markings.push(tokens(words)?),
            "c" if self.kind == Kind::ClosureMarkings => self.markings.push(tokens(words)?),
            "k" => {
                self.classes.push(words.map(|it| Ok(number(it)? as usize)).collect::<Result<_, String>>()?)
            }
            "c" if self.kind == Kind::SymbolicClosure => {
                let (initialising, busy) = marks(words)?;
                let formula = id(word(words)?)?;
                let classes = words.map(counted).collect::<Result<_, _>>()?;
                self.class_tuples.push(ClassTuple { initialising, busy, classes, formula });
            }
            "c" => self.tuples.push(tuple(words)?),
            "b" if self.kind == Kind::ClosureMarkings => self.blocked.1.push(tokens(words)?),
            "b" => self.blocked.0.push(tuple(words)?),
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
        let (program, closure) = match self.kind {
            Kind::Reached | Kind::Symbolic => (true, false),
            Kind::ReachedMarkings => (false, false),
            Kind::Closure | Kind::SymbolicClosure => (true, true),
            Kind::ClosureMarkings => (false, true),
        };
        let fits = match first {
            "shared" | "p" => program,
            "t" => matches!(self.kind, Kind::Reached | Kind::Closure),
            "v" | "n" => matches!(self.kind, Kind::Symbolic | Kind::SymbolicClosure),
            "k" => self.kind == Kind::SymbolicClosure,
            "b" => closure && self.kind != Kind::SymbolicClosure,
            "s" | "i" => program && !closure,
            "m" => !program && !closure,
            "bound" => !closure,
            "width" | "c" => closure,
            _ => true,
        };
        if !fits {
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
        let closure = !matches!(self.kind, Kind::Reached | Kind::Symbolic | Kind::ReachedMarkings);
        let bound = self.bound.ok_or_else(|| missing(if closure { "width" } else { "bound" }))?;
        let shared = self.shared.ok_or_else(|| missing("shared"));
        let (points, threads, markings) = (self.points, self.threads, self.markings);
        let view = shared.map(|shared| View { shared, points });
        let body = match self.kind {
            Kind::Reached => Body::Reached(Reached { view: view?, threads, states: self.states, bound }),
            Kind::Symbolic => {
                let (graph, pieces) = (self.graph, self.pieces);
                Body::Symbolic(Symbolic { view: view?, graph, pieces, bound })
            }
            Kind::ReachedMarkings => Body::ReachedMarkings(ReachedMarkings { markings, bound }),
            Kind::Closure => {
                let (tuples, blocked) = (self.tuples, self.blocked.0);
                Body::Closure(Closure { view: view?, threads, width: bound, tuples, blocked })
            }
            Kind::SymbolicClosure => {
                let (classes, graph, tuples) = (self.classes, self.graph, self.class_tuples);
                Body::ClassClosure(ClassClosure { view: view?, classes, graph, width: bound, tuples })
            }
            Kind::ClosureMarkings => {
                let blocked = self.blocked.1;
                Body::TokenClosure(TokenClosure { width: bound, tuples: markings, blocked })
            }
        };
        Ok(Certificate { scope, body })
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    match word {
        "reached" => Ok(Kind::Reached),
        "symbolic" => Ok(Kind::Symbolic),
        "reached-markings" => Ok(Kind::ReachedMarkings),
        "closure" => Ok(Kind::Closure),
        "symbolic-closure" => Ok(Kind::SymbolicClosure),
        "closure-markings" => Ok(Kind::ClosureMarkings),
        other => Err(format!("unknown kind `{other}`")),
    }
}

fn node(record: &str, words: &mut SplitWhitespace<'_>) -> Result<Node, String> {
    if record == "v" {
        return Ok(Node::Input(number(word(words)?)?));
    }
    let mut operand = || id::<NodeId>(word(words)?);
    Ok(Node::Ite { test: operand()?, then: operand()?, other: operand()? })
}

fn tokens(words: &mut SplitWhitespace<'_>) -> Result<Tokens, String> {
    let shared = id(word(words)?)?;
    let place = |it| counted(it).map(|(place, n)| (PlaceId::from_index(place), n));
    Ok((shared, words.map(place).collect::<Result<_, _>>()?))
}

/// Whether `init` runs, and whether somebody is inside.
fn marks(words: &mut SplitWhitespace<'_>) -> Result<(bool, bool), String> {
    match word(words)? {
        "-" => Ok((false, false)),
        "i" => Ok((false, true)),
        "n" => Ok((true, false)),
        "ni" => Ok((true, true)),
        other => Err(format!("`{other}` are no marks of a tuple")),
    }
}

fn tuple(words: &mut SplitWhitespace<'_>) -> Result<TupleView, String> {
    let (initialising, busy) = marks(words)?;
    let shared = bits(word(words)?)?;
    let threads = words.map(counted).collect::<Result<_, _>>()?;
    Ok(TupleView { initialising, busy, shared, threads })
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
