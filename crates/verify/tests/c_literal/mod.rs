//! A C program read literally, and as it is verified: a search of all states says the same of both wherever
//! it ends.

use base::events::NoEvents;
use base::{Budget, Settings, SourceMap};
use engines::concrete::{self, Request};
use front_c::hir::Program as Typed;
use front_c::{Options, Preprocessor, Source, TranslateOptions, read, translate};
use ir::{ReasonKind, Verdict, Why};
use std::fmt;

/// How much is done for one program.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most threads alive at once.
    pub threads: u32,
    /// Ticks for each search.
    pub ticks: u64,
}

/// What a search said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No error with this many threads.
    Safe,
    /// An error.
    Unsafe,
    /// Something that is not translated was reached.
    Refused(String),
    /// The ticks ended, or numbers were left out.
    Open,
}

/// What became of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Both said the same.
    Same(Outcome),
    /// One of them did not end.
    Open,
    /// The literal reading refuses what the other one translates.
    Refused(String),
    /// The literal reading translates what the other one refuses.
    Gained(String),
    /// They contradict each other.
    Different(Outcome, Outcome),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Safe => f.write_str("safe"),
            Outcome::Unsafe => f.write_str("unsafe"),
            Outcome::Refused(why) => write!(f, "refused ({why})"),
            Outcome::Open => f.write_str("open"),
        }
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compared::Same(outcome) => write!(f, "both {outcome}"),
            Compared::Open => f.write_str("not ended"),
            Compared::Refused(why) => write!(f, "only the literal reading refuses: {why}"),
            Compared::Gained(why) => write!(f, "only the usual reading refuses: {why}"),
            Compared::Different(literal, usual) => write!(f, "literal {literal}, usual {usual}"),
        }
    }
}

/// A program as it was read.
pub fn typed(name: &str, text: &str, args: &[String]) -> Result<Typed, String> {
    let defines = args.iter().filter_map(|arg| arg.strip_prefix("-D")).map(String::from).collect();
    let undefines = args.iter().filter_map(|arg| arg.strip_prefix("-U")).map(String::from).collect();
    let preprocessor = Preprocessor { defines, undefines, ..Preprocessor::default() };
    let units = vec![Source { name: name.into(), text: text.into() }];
    let options = Options { units, model: None, preprocessor };
    let reading = read(&options, &mut SourceMap::new(), &Budget::unlimited());
    Ok(reading.map_err(|why| format!("not read: {why:?}"))?.program)
}

/// Compares the two readings of a program; where undefined behaviour is an error, if that is asked.
pub fn compare(program: &Typed, memory: bool, effort: Effort) -> Result<Compared, String> {
    let literal = outcome(program, true, memory, effort)?;
    if literal == Outcome::Open {
        return Ok(Compared::Open);
    }
    let usual = outcome(program, false, memory, effort)?;
    Ok(match (literal, usual) {
        (_, Outcome::Open) => Compared::Open,
        (Outcome::Refused(_), Outcome::Refused(why)) => Compared::Same(Outcome::Refused(why)),
        (Outcome::Refused(why), _) => Compared::Refused(why),
        (_, Outcome::Refused(why)) => Compared::Gained(why),
        (literal, usual) if literal == usual => Compared::Same(usual),
        (literal, usual) => Compared::Different(literal, usual),
    })
}

fn outcome(program: &Typed, literal: bool, memory: bool, effort: Effort) -> Result<Outcome, String> {
    let options = TranslateOptions { literal, memory, ..TranslateOptions::default() };
    let translation = translate(program, &options, &Budget::with_ticks(20_000_000))
        .map_err(|why| format!("not translated (literal: {literal}): {why:?}"))?;
    let faults = if memory { ::c::Faults::ALL } else { ::c::Faults::NONE };
    let machine = ::c::Options { threads: Some(effort.threads), faults, ..::c::Options::default() };
    let settings = Settings::default();
    let request = Request { program: &translation.program, machine, settings: &settings, tolerated: None };
    let outcome = concrete::search(request, &Budget::with_ticks(effort.ticks), &mut NoEvents);
    Ok(match outcome.verdict {
        Verdict::Safe { .. } => Outcome::Safe,
        Verdict::Unsafe(_) => Outcome::Unsafe,
        Verdict::Unknown(Why::Because(reason)) if reason.kind == ReasonKind::Unsupported => {
            Outcome::Refused(reason.message)
        }
        Verdict::Unknown(_) => Outcome::Open,
    })
}
