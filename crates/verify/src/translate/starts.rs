//! How a program with N threads starts: which threads there may be, and with which values.

use super::commands::{Cell, cells_of};
use super::formula::Syntax;
use super::unsupported;
use base::Id;
use ir::bp::program::{Count, Init, Loc};
use ir::{Program, Reason};
use std::collections::BTreeMap;

/// Where the threads of a start begin; they fill the slots from the first on.
pub(super) type Population = Vec<Loc>;

/// A way to start: the value of each variable; `None` is either value.
pub(super) type Initial = BTreeMap<Cell, Option<String>>;

/// The most ways to divide the slots among templates.
const MOST_POPULATIONS: usize = 10_000;

/// All ways to start the templates' threads with at most this many.
pub(super) fn populations(program: &Program, threads: usize) -> Result<Vec<Population>, Reason> {
    let mut all: Vec<Population> = vec![vec![]];
    for template in &program.start().templates {
        let entry = program.procedures()[template.procedure].entry;
        let (least, most) = match template.count {
            Count::Exactly(n) => (n as usize, n as usize),
            Count::AtLeast(n) => (n as usize, threads),
        };
        let longer = |population: Population| {
            let most = most.min(threads.saturating_sub(population.len()));
            (least..=most).map(move |n| [&population[..], &vec![entry; n]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
        if all.len() > MOST_POPULATIONS {
            return Err(unsupported("there are too many ways to divide the threads among the templates"));
        }
    }
    Ok(all)
}

/// All ways to start.
pub(super) fn initial(program: &Program, syntax: &Syntax, populations: &[Population]) -> Vec<Initial> {
    let mut shared = Initial::new();
    for (id, variable) in program.shared().enumerate() {
        shared.insert(Cell::Shared(id), fixed(syntax, variable.init));
    }
    if program.start().init.is_some() {
        shared.insert(Cell::Initialising, Some(syntax.constant(program.start().init.is_some())));
    }
    let with = |population: &Population| {
        let mut all = shared.clone();
        population.iter().enumerate().for_each(|(slot, &at)| all.extend(newborn(program, syntax, slot, at)));
        all
    };
    match program.start().init {
        Some(init) => vec![with(&vec![program.procedures()[init].entry])],
        None => populations.iter().map(with).collect(),
    }
}

/// The variables of a thread that begins with fresh locals.
pub(super) fn newborn(program: &Program, syntax: &Syntax, slot: usize, at: Loc) -> Initial {
    let value = |cell: Cell| match cell {
        Cell::Counter(_) => Some((at.index() + 1).to_string()),
        Cell::Local(_, local) if program.in_scope(at, local) && !program.at(at).dead.contains(&local) => {
            fixed(syntax, program.locals()[local].init)
        }
        _ => Some(syntax.constant(false)),
    };
    cells_of(program, slot).map(|cell| (cell, value(cell))).collect()
}

fn fixed(syntax: &Syntax, init: Init) -> Option<String> {
    match init {
        Init::Fixed(value) => Some(syntax.constant(value)),
        Init::Any => None,
    }
}
