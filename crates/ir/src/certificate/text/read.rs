//! Reads certificates. The text may be anything: whatever is not of the form is refused with the number of its line.

use super::words::{bits, bound, counted, id, number, point, word};
use super::{HEADER, game};
use crate::bp::SharedId;
use crate::certificate::graph::{Graph, Node, NodeId};
use crate::certificate::{
    Body, Certificate, ClassClosure, ClassTuple, Closure, Piece, Point, Reached, ReachedMarkings, StateView,
    Summaries, SummaryState, Symbolic, ThreadView, TokenClosure, Tokens, TupleView, View, Who,
};
use crate::net::PlaceId;
use crate::task::Scope;
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
const ORDER: [(&str, usize); 24] = [
    ("kind", 1),
    ("scope", 2),
    ("bound", 3),
    ("width", 3),
    ("rounds", 3),
    ("shared", 4),
    ("p", 5),
    ("t", 6),
    ("k", 6),
    ("v", 7),
    ("n", 7),
    ("h", 7),
    ("s", 8),
    ("i", 8),
    ("m", 8),
    ("c", 8),
    ("a", 8),
    ("l", 8),
    ("w", 8),
    ("r", 8),
    ("g", 8),
    ("q", 8),
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
    Summaries,
    Game,
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
    summaries: Vec<SummaryState>,
    game: game::Parts,
    /// What is blocked: of a program, of a net, or as formulas.
    blocked: (Vec<TupleView>, Vec<Tokens>, Vec<ClassTuple>),
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
                // Bounds of rounds and steps are read as `any`: the claim only grows, and the checker has the last word on it.
                let [threads, _, _] = [bound(words)?, bound(words)?, bound(words)?];
                self.scope = Some(Scope { threads });
            }
            "bound" | "width" | "rounds" => self.bound = Some(number(word(words)?)?),
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
            "c" if self.kind == Kind::SymbolicClosure => self.class_tuples.push(class_tuple(words)?),
            "c" => self.tuples.push(tuple(words)?),
            "a" => self.summaries.push(summary(words)?),
            "h" | "l" | "w" | "r" | "g" | "q" => self.game.record(first, words)?,
            "b" if self.kind == Kind::ClosureMarkings => self.blocked.1.push(tokens(words)?),
            "b" if self.kind == Kind::SymbolicClosure => self.blocked.2.push(class_tuple(words)?),
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
        let closure = matches!(self.kind, Kind::Closure | Kind::SymbolicClosure | Kind::ClosureMarkings);
        let program = !matches!(self.kind, Kind::ReachedMarkings | Kind::ClosureMarkings);
        let formulas = matches!(self.kind, Kind::Symbolic | Kind::SymbolicClosure);
        let fits = match first {
            "shared" | "p" => program,
            "t" => program && !formulas,
            "v" | "n" => formulas,
            "k" => self.kind == Kind::SymbolicClosure,
            "s" | "i" => matches!(self.kind, Kind::Reached | Kind::Symbolic),
            "m" => self.kind == Kind::ReachedMarkings,
            "bound" => !closure && !matches!(self.kind, Kind::Summaries | Kind::Game),
            "rounds" | "h" | "l" | "w" | "r" | "g" | "q" => self.kind == Kind::Game,
            "width" | "c" | "b" => closure,
            "a" => self.kind == Kind::Summaries,
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
        let bound = self.bound.ok_or_else(|| match self.kind {
            Kind::Closure | Kind::SymbolicClosure | Kind::ClosureMarkings => missing("width"),
            Kind::Game => missing("rounds"),
            _ => missing("bound"),
        });
        let shared = self.shared.ok_or_else(|| missing("shared"));
        let (points, threads, markings) = (self.points, self.threads, self.markings);
        let view = shared.map(|shared| View { shared, points });
        let body = match self.kind {
            Kind::Reached => {
                Body::Reached(Reached { view: view?, threads, states: self.states, bound: bound? })
            }
            Kind::Symbolic => {
                let (graph, pieces) = (self.graph, self.pieces);
                Body::Symbolic(Symbolic { view: view?, graph, pieces, bound: bound? })
            }
            Kind::ReachedMarkings => Body::ReachedMarkings(ReachedMarkings { markings, bound: bound? }),
            Kind::Closure => {
                let (tuples, blocked) = (self.tuples, self.blocked.0);
                Body::Closure(Closure { view: view?, threads, width: bound?, tuples, blocked })
            }
            Kind::SymbolicClosure => {
                let (view, width) = (view?, bound?);
                let (classes, graph, tuples) = (self.classes, self.graph, self.class_tuples);
                let blocked = self.blocked.2;
                Body::ClassClosure(ClassClosure { view, classes, graph, width, tuples, blocked })
            }
            Kind::ClosureMarkings => {
                let blocked = self.blocked.1;
                Body::TokenClosure(TokenClosure { width: bound?, tuples: markings, blocked })
            }
            Kind::Game => Body::Game(Box::new(self.game.finish(view?, threads, bound?))),
            Kind::Summaries => Body::Summaries(Summaries { view: view?, threads, states: self.summaries }),
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
        "summaries" => Ok(Kind::Summaries),
        "game" => Ok(Kind::Game),
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

fn class_tuple(words: &mut SplitWhitespace<'_>) -> Result<ClassTuple, String> {
    let (initialising, busy) = marks(words)?;
    let formula = id(word(words)?)?;
    let classes = words.map(counted).collect::<Result<_, _>>()?;
    Ok(ClassTuple { initialising, busy, classes, formula })
}

fn summary(words: &mut SplitWhitespace<'_>) -> Result<SummaryState, String> {
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
