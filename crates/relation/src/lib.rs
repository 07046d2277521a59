//! Normalised C as guarded commands over scalar variables: what proofs about any number of threads speak of.
//!
//! The relation covers the machine ([`c::machine`]): every run of the machine is a run of the commands, seen
//! through the variables below. It may have more runs (what it does not follow, such as the heap, has any
//! value), so it serves proofs, never alarms. Steps that only this thread can see are composed with their
//! predecessors: a thread stands at a [`Control`] only, and nobody can tell the difference, because such
//! steps neither read nor write what another thread can.
//!
//! Variables share the identifiers of registers: the first are the program's registers, then come the cells
//! of static objects and the ghosts, which say what the machine keeps outside of cells (who holds a mutex,
//! which threads have ended).

mod access;
mod build;
mod display;
mod external;
mod kinds;
mod live;
mod locks;
mod maker;
mod memory;
mod order;
mod pool;
pub mod proof;
mod sites;
mod symbolic;
mod sync;
mod threads;

#[cfg(test)]
mod tests;

pub use display::operator;
pub use memory::Numbers;
pub use order::{Direction, OUT_OF_ORDER, Order, Resource};
pub use sites::{AccessSite, Accesses};

use base::{Arena, Budget, Stop, define_id};
use c::expr::{ExprId, Exprs};
use c::machine::Options;
use c::program::{Loc, LocalId, ProcId, Program, PropertyId};
use c::types::Type;
use std::fmt;

define_id!(
    /// A place where a thread can stand between two commands.
    pub struct ControlId = "c"
);

/// Who has a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Home {
    /// All threads together.
    Shared,
    /// Each thread, whatever its template.
    Thread,
    /// Each thread of a template.
    Template(ProcId),
    /// Nobody: a value that a command chooses.
    Choice,
}

/// A scalar of the relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in messages and certificates; unique among the variables that a template sees.
    pub name: String,
    /// What it holds. Floats are bits; pointers are numbers (see the construction).
    pub ty: Type,
    /// Whose it is.
    pub home: Home,
    /// Whether messages show it as a signed number.
    pub signed: bool,
    /// Its value at the start of the program (shared) or of its thread; `None`: any.
    pub initial: Option<u128>,
    /// Whether it is no variable of the program: a lock's state, a thread's end.
    pub ghost: bool,
}

/// A place where a thread can stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Control {
    /// The location of the program.
    pub loc: Loc,
    /// 0, or a later part of a step that takes several, such as waking up from a condition variable.
    pub phase: u8,
    /// The procedure that the thread began in.
    pub template: ProcId,
    /// The variables of the thread whose values may still be read, in order; the others are forgotten here.
    pub live: Vec<LocalId>,
}

/// A variable gets a value, computed from the state before the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    /// The variable.
    pub variable: LocalId,
    /// Its new value, over the shared variables, those of the thread and the choices of the command.
    pub value: ExprId,
}

/// A thread begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Creation {
    /// Where it stands first.
    pub entry: ControlId,
    /// Values of its variables, computed from the creator's state before the command; the others have their
    /// initial values.
    pub values: Vec<Update>,
}

/// What becomes of the thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It goes on.
    Go(ControlId),
    /// It ends; the program goes on.
    End,
    /// The program ends.
    Halt,
    /// An assertion fails.
    Fail(PropertyId),
    /// Something that has no translation is reached, and why.
    Refuse(String),
}

/// What a thread can do in one step: if the guard holds, all updates happen at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// Where the thread stands.
    pub from: ControlId,
    /// A truth value over the shared variables, those of the thread and the choices.
    pub guard: ExprId,
    /// A truth value over the shared variables and those of another thread with home [`Home::Thread`]: the
    /// command is possible only if it holds for every other thread.
    pub others: Option<ExprId>,
    /// The values that are chosen: any, each time.
    pub choices: Vec<LocalId>,
    /// What changes; each variable at most once.
    pub updates: Vec<Update>,
    /// The thread that begins, if any.
    pub creates: Option<Creation>,
    /// What becomes of this thread.
    pub outcome: Outcome,
    /// The locations of the program that are passed, in order.
    pub steps: Vec<Loc>,
}

/// A program as guarded commands.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The expressions; [`c::expr::Node::Local`] names a variable.
    pub exprs: Exprs,
    /// The variables.
    pub variables: Arena<LocalId, Variable>,
    /// The places where threads stand.
    pub controls: Arena<ControlId, Control>,
    /// The commands, by the place where they begin.
    pub commands: Vec<Command>,
    /// Where the first thread, that of `main`, stands.
    pub start: ControlId,
    /// The accesses that may race, if data races are asked about.
    pub accesses: Option<Accesses>,
}

/// Why there is no relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoRelation {
    /// The program has something that relations do not have.
    Unsupported(String),
    /// The budget ended.
    Stopped(Stop),
}

impl From<Stop> for NoRelation {
    fn from(stop: Stop) -> Self {
        NoRelation::Stopped(stop)
    }
}

impl fmt::Display for NoRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRelation::Unsupported(why) => f.write_str(why),
            NoRelation::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl Relation {
    /// The relation of a program whose assertions are asked about. The bound on threads and the ban on
    /// spurious wake-ups only take runs away, and are not followed.
    pub fn of(program: &Program, options: &Options, budget: &Budget) -> Result<Relation, NoRelation> {
        Relation::made(program, options, None, budget)
    }

    /// The same with a command that cannot be followed wherever a thread may wait against an order: if none
    /// of them is possible, there is no deadlock.
    pub fn ordered(
        program: &Program,
        options: &Options,
        order: &Order,
        budget: &Budget,
    ) -> Result<Relation, NoRelation> {
        Relation::made(program, options, Some(order), budget)
    }

    fn made(
        program: &Program,
        options: &Options,
        order: Option<&Order>,
        budget: &Budget,
    ) -> Result<Relation, NoRelation> {
        let unsupported = |why: &str| Err(NoRelation::Unsupported(why.into()));
        if options.faults.any() {
            return unsupported("relations do not say where steps are undefined behaviour");
        }
        if options.races.matter() && program.external_functions_access() {
            return unsupported("what an external function accesses");
        }
        if !program.is_flat() {
            return unsupported("a recursive procedure");
        }
        let mut maker = maker::Maker::new(program, options.races, budget)?;
        if let Some(order) = order {
            maker.follow(order).map_err(NoRelation::Unsupported)?;
        }
        let start = maker.explore(budget)?;
        maker.note_standing(budget)?;
        maker.guard_sections();
        maker.forget(budget)?;
        let alone = maker.alone();
        let accesses = maker.sites.map(|it| Accesses { sites: it.found, alone });
        Ok(Relation {
            exprs: maker.pool.exprs,
            variables: maker.variables,
            controls: maker.controls,
            commands: maker.commands,
            start,
            accesses,
        })
    }

    /// The commands of a thread that stands here.
    pub fn commands_at(&self, control: ControlId) -> impl Iterator<Item = &Command> {
        let first = self.commands.partition_point(|command| command.from < control);
        self.commands[first..].iter().take_while(move |command| command.from == control)
    }
}
