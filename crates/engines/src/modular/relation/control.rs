//! What stays explicit in every representation: where a thread stands, the atomic section, and the flags.

use crate::command::{Command, Commands, Section};
use base::Id;
use ir::bp::{Count, Loc, Op, Program, Read, Var};

/// The explicit part of a thread state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadControl {
    /// Where the thread stands.
    pub loc: Loc,
    /// Whether it is inside the atomic section.
    pub inside: bool,
    /// Whether somebody is: the shared bit beside the local one, as with locks.
    pub section: bool,
    /// The flag of the paper: there may be other threads.
    pub started: bool,
    /// Whether `init` still runs.
    pub initialising: bool,
}

impl ThreadControl {
    /// Whether the thread may step, as far as the section is concerned.
    pub fn may_step(self) -> bool {
        !self.section || self.inside
    }

    /// What an active and a passive thread must agree on, beside the shared variables.
    pub fn context(self) -> (bool, bool) {
        (self.section, self.initialising)
    }
}

/// One way to execute a command: those that follow the atomic variable have two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandVariant {
    /// Which command of the location.
    pub command: usize,
    /// Whether the thread is inside afterwards.
    pub inside: bool,
    /// What the atomic variable must be afterwards, where that decides.
    pub atomic: Option<bool>,
}

/// All ways to step.
pub fn ways(commands: &Commands, control: ThreadControl) -> Vec<CommandVariant> {
    let mut ways = vec![];
    for (index, command) in commands.at(control.loc).iter().enumerate() {
        let mut way = |inside: bool, atomic| ways.push(CommandVariant { command: index, inside, atomic });
        match command.section.side(control.inside) {
            Some(inside) => way(inside, None),
            None => [false, true].into_iter().for_each(|value| way(value, Some(value))),
        }
    }
    // A thread that ends leaves its section.
    ways.iter_mut()
        .filter(|way| commands.at(control.loc)[way.command].to.is_none())
        .for_each(|way| way.inside = false);
    ways
}

/// Whether a command changes shared variables or passive threads.
pub fn is_visible(command: &Command) -> bool {
    !command.broadcast.is_empty() || command.assign.iter().any(|it| matches!(it.0, Var::Shared(_)))
}

/// Whether there may be several threads once the program has started: the first value of the flag.
pub fn starts_several(program: &Program) -> bool {
    let counts = program.start().templates.iter().map(|template| template.count);
    counts.fold(Count::Exactly(0), Count::plus) != Count::Exactly(1)
}

/// Whether some step updates or asks passive threads.
pub fn has_passive(program: &Program, commands: &Commands) -> bool {
    let all = program.locations().ids().flat_map(|loc| commands.at(loc));
    all.into_iter().any(|command| command.asks.is_some() || !command.broadcast.is_empty())
}

/// The locations at which a thread hears of every change of the shared state at once: its next statement
/// reads or writes the shared state, or may fail. Elsewhere it may hear of it later, and it hears of all
/// changes in their order (the reduction of the paper, section 4.2, corrected: it passed on only variables
/// that the next statement reads, and then later changes did not fit any more). A thread that stands outside
/// while somebody is inside a section hears of everything, too: each of its steps reads that bit.
pub fn attentive(program: &Program, commands: &Commands, reduction: bool) -> Vec<bool> {
    let everywhere = !reduction || has_passive(program, commands);
    let locs = program.locations().ids();
    locs.map(|loc| everywhere || is_attentive(program, commands, loc)).collect()
}

fn is_attentive(program: &Program, commands: &Commands, loc: Loc) -> bool {
    let location = program.at(loc);
    let reads = |read: &Read| matches!(read.var, Var::Shared(_));
    let touches = |command: &Command| {
        let child = command.child.iter().flat_map(|child| child.values.iter().map(|it| it.1));
        let mut read =
            command.requires.iter().copied().chain(command.assign.iter().map(|it| it.1)).chain(child);
        // A thread that enters a section takes what it knows of the shared variables inside, where it hears
        // of nothing.
        let enters = command.section != Section::Keep;
        // The thread that ends `init` hands it to the threads that begin then.
        let hands_on = command.to.is_none() && program.start().init.is_some();
        is_visible(command) || enters || hands_on || read.any(|e| commands.exprs().reads(e).iter().any(reads))
    };
    // Locks count even where they have no shared bit: which changes a thread may hear of depends on what it
    // holds.
    let watched = matches!(location.op, Op::Assert(_) | Op::Lock(_) | Op::Unlock(_));
    location.error || watched || commands.at(loc).iter().any(touches)
}

/// The number of a location in tables.
pub fn at(loc: Loc) -> usize {
    loc.index()
}
