//! Rewrites a program or a net for another tool. Nothing is approximated: the text has an error exactly if
//! the model has one, within the bound where there is one. What a format cannot say is refused with a reason.

mod commands;
mod draft;
mod formula;
mod moves;
mod net_counters;
mod net_tts;
mod promela;
mod smv;
mod starts;
mod tts;
mod tts_explore;

use base::{Budget, NoEvents, Settings, Stop};
use ir::{Model, Program, Reason, ReasonKind};

/// The format to write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// Boolean program.
    Bp,
    /// Thread transition system.
    Tts,
    /// Promela, the language of Spin.
    Promela,
    /// NuSMV.
    Smv,
}

/// The threads of a Promela or NuSMV model for which no bound is given.
const DEFAULT_BOUND: u32 = 2;

/// The most threads of a Promela or NuSMV model: each has its own text.
const MOST_THREADS: u32 = 64;

/// The model as text for another tool. `bound` is the number of threads (of tokens, for a net) in Promela and
/// NuSMV, which cannot speak of any number.
///
/// ```
/// use verify::base::Budget;
/// use verify::translate::{Target, translate};
/// use verify::{Origin, ReadOptions, read};
///
/// let file = Origin::File("../../examples/race.bp".into());
/// let model = read(&file, &ReadOptions::default()).expect("a program").source.model();
/// let text = translate(&model, Target::Promela, Some(3), &Budget::unlimited()).expect("it can be said");
/// assert!(text.contains("proctype"));
/// ```
pub fn translate(model: &Model, to: Target, bound: Option<u32>, budget: &Budget) -> Result<String, Reason> {
    let threads = bound.unwrap_or(DEFAULT_BOUND);
    if matches!(to, Target::Promela | Target::Smv) && !(1..=MOST_THREADS).contains(&threads) {
        return Err(unsupported(format!("{threads} threads: from 1 to {MOST_THREADS} can be written out")));
    }
    match (model, to) {
        (Model::Program(program), Target::Bp) => Ok(ir::bp::print::program(program)),
        (Model::Program(program), Target::Tts) => tts::program(&flat(program, budget)?, budget),
        (Model::Program(program), Target::Promela) => {
            promela::program(&flat(program, budget)?, threads, budget)
        }
        (Model::Program(program), Target::Smv) => smv::program(&flat(program, budget)?, threads, budget),
        (Model::C(_), _) => Err(unsupported("such a file cannot be translated")),
        (Model::Net(_), Target::Bp) => Err(unsupported(
            "a net has rules without a thread that executes them: write it as tts, promela or smv instead",
        )),
        (Model::Net(net), Target::Tts) => net_tts::net(net),
        (Model::Net(net), Target::Promela) => net_counters::promela(net, threads, budget),
        (Model::Net(net), Target::Smv) => net_counters::smv(net, threads, budget),
    }
}

/// The program without calls and without what its verdict does not depend on.
fn flat(program: &Program, budget: &Budget) -> Result<Program, Reason> {
    let prepared = passes::prepare(program, &Settings::default(), budget, &mut NoEvents);
    let prepared = prepared.map_err(stopped)?.program;
    if prepared.is_flat() {
        return Ok(prepared);
    }
    Err(unsupported(match prepared.recursive_procedure() {
        Some(procedure) => {
            let name = &prepared.procedures()[procedure].name;
            format!("`{name}` may call itself and cannot be inlined")
        }
        None => "inlining makes too many locations".to_string(),
    }))
}

/// How a transition system begins: where it starts is a line of its own, which its reader heeds and other
/// tools take for a comment.
fn tts_head(start: &str) -> String {
    format!("# Written by selvedge translate. Other tools need --start '{start}'\n#selvedge start {start}\n")
}

fn unsupported(message: impl Into<String>) -> Reason {
    Reason::new(ReasonKind::Unsupported, message)
}

/// The reason for a budget that ended.
fn stopped(stop: Stop) -> Reason {
    let kind = match stop {
        Stop::Time => ReasonKind::Time,
        Stop::Memory | Stop::Refused => ReasonKind::Memory,
        Stop::Ticks => ReasonKind::Ticks,
        Stop::Interrupted | Stop::Cancelled => ReasonKind::Interrupted,
    };
    Reason::new(kind, stop.to_string())
}

/// A name of the source made of letters, digits and `_` alone.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
