//! Programs in Promela (Holzmann, *The Spin Model Checker*, 2003): one process for each of N thread slots. A
//! step is an `atomic` block that first chooses, then either writes everything or, if a condition fails,
//! nothing; so that no process blocks half-way.

use super::commands::{Cell, Command, System, choice};
use super::formula::Syntax;
use super::{stopped, unsupported};
use base::Budget;
use ir::{Program, Reason};
use std::fmt::Write;

/// How Promela writes formulas.
pub(super) const SYNTAX: Syntax =
    Syntax { truth: "1", falsity: "0", and: " && ", or: " || ", equal: " == ", unequal: " != ", same: "==" };

/// The longest text.
pub(super) const LONGEST: usize = 1 << 26;

/// The program with this many threads.
pub(super) fn program(program: &Program, threads: u32, budget: &Budget) -> Result<String, Reason> {
    let system = System::new(program, threads, &SYNTAX, budget)?;
    let mut text = header("threads alive at once", threads);
    let counter = if program.locations().len() < 255 { "byte" } else { "short" };
    if program.locations().len() >= i16::MAX as usize {
        return Err(unsupported("the program has too many statements for a counter in Promela"));
    }
    for &cell in &system.cells {
        let kind = if matches!(cell, Cell::Counter(_)) { counter } else { "bit" };
        line(&mut text, format_args!("{kind} {};", system.name(cell)));
    }
    for thread in 0..system.threads {
        budget.spend(1).map_err(stopped)?;
        process(&mut text, &system, thread)?;
    }
    start(&mut text, &system);
    Ok(text)
}

/// The first lines of a model.
pub(super) fn header(what: &str, bound: u32) -> String {
    format!(
        "/* Written by selvedge translate, with at most {bound} {what}.\n   \
         Check: spin -a FILE && cc -O2 -DSAFETY -o pan pan.c && ./pan -m1000000\n   \
         An assertion violation means unsafe, no error means safe with this many. */\n"
    )
}

pub(super) fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes every text");
}

fn process(text: &mut String, system: &System<'_>, thread: usize) -> Result<(), Reason> {
    let commands: Vec<&Command> = system.commands.iter().filter(|it| it.thread == thread).collect();
    let temporaries = commands.iter().map(|it| written(system, it).1.len()).max().unwrap_or(0);
    line(text, format_args!("\nactive proctype thread_{thread}() {{"));
    let names = (0..system.choices()).map(choice).chain((0..temporaries).map(new_value));
    for name in names {
        line(text, format_args!("  bit {name};"));
    }
    line(text, format_args!("end:"));
    line(text, format_args!("  do"));
    for (_, failure) in system.failures.iter().filter(|it| it.0 == thread) {
        line(text, format_args!("  :: {failure} -> assert(0)"));
    }
    for it in commands {
        command(text, system, it);
        if text.len() > LONGEST {
            return Err(unsupported("the model is too long for Promela"));
        }
    }
    line(text, format_args!("  :: 0 -> skip"));
    line(text, format_args!("  od\n}}"));
    Ok(())
}

fn new_value(index: usize) -> String {
    format!("n{index}")
}

/// Names of variables with their new values.
type Writes = Vec<(String, String)>;

/// What a command writes: constants, and the rest, which is read off the old state first.
fn written(system: &System<'_>, command: &Command) -> (Writes, Writes) {
    let writes = command.writes.iter().map(|(&cell, value)| (system.name(cell), value.clone()));
    writes.partition(|(_, value)| value.bytes().all(|byte| byte.is_ascii_digit()))
}

fn command(text: &mut String, system: &System<'_>, command: &Command) {
    let (constant, computed) = written(system, command);
    let mut commit: Vec<String> = vec![];
    let through = computed.len() > 1;
    for (index, (name, value)) in computed.iter().enumerate() {
        commit.push(format!("{} = {value}", if through { new_value(index) } else { name.clone() }));
    }
    for (index, (name, _)) in computed.iter().enumerate().filter(|_| through) {
        commit.push(format!("{name} = {0}; {0} = 0", new_value(index)));
    }
    commit.extend(constant.iter().map(|(name, value)| format!("{name} = {value}")));
    let commit = commit.join("; ");
    let mut guard = command.guard.clone();
    if command.choices.is_empty() {
        guard.extend(command.conditions.clone());
    }
    let mut body = String::new();
    for (index, (one, zero)) in command.choices.iter().enumerate() {
        body += &format!("if :: {one} -> {0} = 1 :: {zero} -> {0} = 0 fi; ", choice(index));
    }
    if command.choices.is_empty() || command.conditions.is_empty() {
        body += &commit;
    } else {
        let conditions = SYNTAX.all(&command.conditions);
        body += &format!("if :: {conditions} -> {commit} :: else -> skip fi");
    }
    for index in 0..command.choices.len() {
        body += &format!("; {} = 0", choice(index));
    }
    let at = system.describe(command.at);
    line(text, format_args!("  :: atomic {{ {} -> {body} }} /* {at} */", SYNTAX.all(&guard)));
}

fn start(text: &mut String, system: &System<'_>) {
    line(text, format_args!("\ninit {{\n  atomic {{\n    if"));
    for start in &system.starts {
        let set = start.iter().map(|(&cell, value)| match value {
            Some(value) => format!("{} = {value}", system.name(cell)),
            None => format!("if :: {0} = 0 :: {0} = 1 fi", system.name(cell)),
        });
        let all: Vec<String> = std::iter::once("skip".to_string()).chain(set).collect();
        line(text, format_args!("    :: {}", all.join("; ")));
    }
    if system.starts.is_empty() {
        line(text, format_args!("    :: skip /* no start fits into the bound: nothing ever runs */"));
    }
    line(text, format_args!("    fi\n  }}\n}}"));
}
