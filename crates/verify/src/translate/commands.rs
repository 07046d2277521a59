//! A program with N threads as guarded commands over Boolean cells and program counters: the common ground of
//! Promela and NuSMV. Thread i is a slot: its counter is 0 while it does not live, and one more than its
//! location while it does.

use super::formula::Syntax;
use super::moves::Generator;
use super::starts::{self, Initial};
use super::{plain, stopped, unsupported};
use base::{Budget, Id};
use engines::Commands;
use ir::bp::program::{Loc, LocalId, Op, SharedId};
use ir::{Program, Reason};
use std::collections::BTreeMap;

/// A variable of the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Cell {
    /// Whether `init` still runs.
    Initialising,
    Shared(SharedId),
    /// The program counter of a slot.
    Counter(usize),
    /// Whether the thread in a slot is inside an atomic section.
    Inside(usize),
    /// A local of the thread in a slot.
    Local(usize, LocalId),
}

/// One way to step. Choice k picks a bit, named [`choice`]`(k)`, that one of its two formulas allows.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub thread: usize,
    /// The statement.
    pub at: Loc,
    /// Over the old state.
    pub guard: Vec<String>,
    /// When the bit may be 1, and when it may be 0; over the old state.
    pub choices: Vec<(String, String)>,
    /// Over the old state and the chosen bits.
    pub conditions: Vec<String>,
    /// New values, over the old state and the chosen bits.
    pub writes: BTreeMap<Cell, String>,
}

/// A whole program with N threads.
pub(super) struct System<'p> {
    pub program: &'p Program,
    pub threads: usize,
    /// All variables, in order.
    pub cells: Vec<Cell>,
    pub commands: Vec<Command>,
    /// A thread, and the condition under which it is in error.
    pub failures: Vec<(usize, String)>,
    /// The ways to start.
    pub starts: Vec<Initial>,
}

impl<'p> System<'p> {
    /// Writes out the program.
    pub fn new(program: &'p Program, threads: u32, syntax: &Syntax, budget: &Budget) -> Result<Self, Reason> {
        refuse_spawning_init(program)?;
        let threads = threads as usize;
        let statements = &Commands::new(program)?;
        let populations = starts::populations(program, threads)?;
        let generator = Generator { program, statements, threads, syntax, populations };
        let (mut commands, mut failures) = (vec![], vec![]);
        for thread in 0..threads {
            for at in program.locations().ids() {
                budget.spend(1).map_err(stopped)?;
                commands.extend(generator.commands(thread, at)?);
                failures.extend(generator.failure(thread, at)?.map(|it| (thread, it)));
            }
        }
        let starts = starts::initial(program, syntax, &generator.populations);
        Ok(Self { program, threads, cells: cells(program, threads), commands, failures, starts })
    }

    /// The most choices of a command.
    pub fn choices(&self) -> usize {
        self.commands.iter().map(|it| it.choices.len()).max().unwrap_or(0)
    }

    /// The name of a variable, the same in both languages.
    pub fn name(&self, cell: Cell) -> String {
        name(self.program, cell)
    }

    /// Where a statement stands, in words.
    pub fn describe(&self, at: Loc) -> String {
        let location = self.program.at(at);
        let procedure = plain(&self.program.procedures()[location.procedure].name);
        let labels: Vec<String> = location.labels.iter().map(|it| plain(it)).collect();
        format!("{procedure} {} {}", at.index() + 1, labels.join(" ")).trim_end().to_string()
    }
}

/// The name of a variable.
pub(super) fn name(program: &Program, cell: Cell) -> String {
    match cell {
        Cell::Initialising => "initialising".to_string(),
        Cell::Shared(id) => format!("s{}_{}", id.index(), plain(&program.shared()[id].name)),
        Cell::Counter(thread) => format!("pc_{thread}"),
        Cell::Inside(thread) => format!("inside_{thread}"),
        Cell::Local(thread, id) => format!("l{}_{}_{thread}", id.index(), plain(&program.locals()[id].name)),
    }
}

/// The name of a chosen bit.
pub(super) fn choice(index: usize) -> String {
    format!("c{index}")
}

/// The variables of a thread.
pub(super) fn cells_of(program: &Program, thread: usize) -> impl Iterator<Item = Cell> {
    let locals = program.locals().ids().map(move |local| Cell::Local(thread, local));
    [Cell::Counter(thread), Cell::Inside(thread)].into_iter().chain(locals)
}

fn cells(program: &Program, threads: usize) -> Vec<Cell> {
    let init = program.start().init.map(|_| Cell::Initialising);
    let shared = program.shared().ids().map(Cell::Shared);
    init.into_iter().chain(shared).chain((0..threads).flat_map(|it| cells_of(program, it))).collect()
}

/// `init` runs alone: threads that it starts have no place before the others are there.
pub(super) fn refuse_spawning_init(program: &Program) -> Result<(), Reason> {
    let Some(init) = program.start().init else { return Ok(()) };
    let spawns = |loc: Loc| matches!(program.at(loc).op, Op::Start(_));
    if program.locations_of(init).any(spawns) {
        return Err(unsupported("`init` starts threads"));
    }
    Ok(())
}
