//! Programs in the language of NuSMV (Cimatti et al., CAV 2002): N thread slots, one transition relation that
//! lets any one of them step or nothing happen, and the absence of errors as an invariant. Choices are input
//! variables.

use super::commands::{Cell, Command, System, cells_of, choice};
use super::formula::Syntax;
use super::promela::{LONGEST, line};
use super::unsupported;
use base::Budget;
use ir::{Program, Reason};
use std::collections::BTreeMap;

/// How NuSMV writes formulas.
pub(super) const SYNTAX: Syntax = Syntax {
    truth: "TRUE",
    falsity: "FALSE",
    and: " & ",
    or: " | ",
    equal: " <-> ",
    unequal: " xor ",
    same: "=",
};

/// The program with this many threads.
pub(super) fn program(program: &Program, threads: u32, budget: &Budget) -> Result<String, Reason> {
    let system = System::new(program, threads, &SYNTAX, budget)?;
    let mut text = header("threads alive at once", threads);
    line(&mut text, format_args!("VAR"));
    for &cell in &system.cells {
        match cell {
            Cell::Counter(_) => {
                line(&mut text, format_args!("  {} : 0..{};", system.name(cell), program.locations().len()))
            }
            _ => line(&mut text, format_args!("  {} : boolean;", system.name(cell))),
        }
    }
    if system.choices() > 0 {
        line(&mut text, format_args!("IVAR"));
    }
    for index in 0..system.choices() {
        line(&mut text, format_args!("  {} : boolean;", choice(index)));
    }
    let blocks = blocks(&system);
    line(&mut text, format_args!("DEFINE"));
    for (name, cells) in &blocks {
        let kept: Vec<String> = cells.iter().map(|&cell| keeps(&system, cell)).collect();
        line(&mut text, format_args!("  {name} := {};", SYNTAX.all(&kept)));
    }
    start(&mut text, &system);
    relation(&mut text, &system, &blocks)?;
    let failures: Vec<String> = system.failures.iter().map(|it| it.1.clone()).collect();
    line(&mut text, format_args!("INVARSPEC !({})", SYNTAX.any(&failures)));
    Ok(text)
}

/// The first lines of a model.
pub(super) fn header(what: &str, bound: u32) -> String {
    format!(
        "-- Written by selvedge translate, with at most {bound} {what}.\n\
         -- Check: NuSMV FILE; the invariant is true if the model is safe with this many.\n\
         MODULE main\n"
    )
}

/// The variables in groups that most commands leave alone as a whole.
fn blocks(system: &System<'_>) -> Vec<(String, Vec<Cell>)> {
    let common = |cell: &Cell| matches!(cell, Cell::Shared(_) | Cell::Initialising);
    let mut all = vec![("keep".to_string(), system.cells.iter().copied().filter(common).collect())];
    all.extend((0..system.threads).map(|it| (format!("keep_{it}"), cells_of(system.program, it).collect())));
    all
}

fn keeps(system: &System<'_>, cell: Cell) -> String {
    becomes(cell, &system.name(cell), &system.name(cell))
}

fn becomes(cell: Cell, name: &str, value: &str) -> String {
    match cell {
        Cell::Counter(_) => format!("next({name}) = {value}"),
        _ => format!("(next({name}) <-> {value})"),
    }
}

fn start(text: &mut String, system: &System<'_>) {
    line(text, format_args!("INIT\n  FALSE"));
    let falsity = |cell: Cell| if matches!(cell, Cell::Counter(_)) { "0" } else { SYNTAX.falsity };
    for start in &system.starts {
        let all: BTreeMap<Cell, Option<String>> = system
            .cells
            .iter()
            .map(|&cell| (cell, start.get(&cell).cloned().unwrap_or_else(|| Some(falsity(cell).to_string()))))
            .collect();
        let set = all.iter().filter_map(|(&cell, value)| {
            let (name, value) = (system.name(cell), value.as_ref()?);
            Some(if matches!(cell, Cell::Counter(_)) {
                format!("{name} = {value}")
            } else {
                format!("({name} <-> {value})")
            })
        });
        line(text, format_args!("  | {}", SYNTAX.all(&set.collect::<Vec<_>>())));
    }
}

fn relation(text: &mut String, system: &System<'_>, blocks: &[(String, Vec<Cell>)]) -> Result<(), Reason> {
    let nothing: Vec<String> = blocks.iter().map(|it| it.0.clone()).collect();
    line(text, format_args!("TRANS\n  {}", SYNTAX.all(&nothing)));
    for command in &system.commands {
        let at = system.describe(command.at);
        line(text, format_args!("  | {} -- {at}", step(system, command, blocks)));
        if text.len() > LONGEST {
            return Err(unsupported("the model is too long for NuSMV"));
        }
    }
    Ok(())
}

fn step(system: &System<'_>, command: &Command, blocks: &[(String, Vec<Cell>)]) -> String {
    let mut parts = command.guard.clone();
    for (index, (one, zero)) in command.choices.iter().enumerate() {
        let bit = choice(index);
        parts.push(format!("(({bit} & {one}) | (!{bit} & {zero}))"));
    }
    parts.extend(command.conditions.clone());
    for (name, cells) in blocks {
        if cells.iter().any(|cell| command.writes.contains_key(cell)) {
            parts.extend(cells.iter().map(|&cell| match command.writes.get(&cell) {
                Some(value) => becomes(cell, &system.name(cell), value),
                None => keeps(system, cell),
            }));
        } else {
            parts.push(name.clone());
        }
    }
    SYNTAX.all(&parts)
}
