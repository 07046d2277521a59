//! Normalisation: from the typed form of a C program to normalised C (`::c`), one shared access a step.
//!
//! Each construct is its steps: a function is a procedure, a call is a call, a loop is a loop, and a local is
//! a register or an object by its declaration alone. Nothing is inlined, unrolled, dropped or merged here:
//! passes on normalised C do that, and each of their results is validated.
//!
//! What cannot be translated becomes a step that refuses, at its place: it counts only if it is reached.

mod arguments;
mod assignments;
mod atomics;
mod builtins;
mod calls;
mod checks;
mod cleanup;
mod code;
mod conditions;
mod constants;
mod context;
mod ending;
mod expressions;
mod facts;
mod finish;
mod initialisers;
mod instances;
mod memory;
mod operators;
mod overflow;
mod places;
mod pointers;
mod procedures;
mod scopes;
mod shapes;
mod statements;
mod threads;
mod varargs;

use base::{Budget, Diagnostic, Diagnostics, Stop};

use super::hir;

pub(super) use calls::Argument;
pub(super) use checks::UNASKED;
pub(super) use context::{Binding, Normaliser};
pub(super) use facts::{expr_parts, is_null, walk};
pub(super) use finish::{NO_ASSERTION, NOTHING_TO_CHECK};
pub(super) use places::{Base, Spot};
pub(super) use shapes::Shape;

/// What the user decides about the meaning of a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether `pthread_create` may fail.
    pub create_may_fail: bool,
    /// Whether `malloc` may give null.
    pub malloc_may_fail: bool,
    /// Labels that are errors when they are reached.
    pub error_labels: Vec<String>,
    /// Functions that it is an error to call.
    pub error_functions: Vec<String>,
    /// Whether signed overflow is an error.
    pub overflow: bool,
    /// Whether that holds of shifts to the left, too.
    pub overflow_of_shifts: bool,
    /// Whether data races are looked for: what an external function may access is no store.
    pub races: bool,
    /// Whether it is an error to end abnormally.
    pub abort: bool,
    /// Whether leaks are looked for: how the program ends matters then.
    pub leaks: bool,
    /// Whether it matters how threads wait, and that they wake for a reason.
    pub waits: bool,
    /// What the program is run with.
    pub environment: Environment,
}

/// What the program is run with, as far as the user says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// The strings of `argv`, the name of the program first. `None`: any number of strings that nobody knows.
    pub arguments: Option<Vec<Vec<u8>>>,
    /// What standard input holds. `None`: anything comes.
    pub input: Option<Vec<u8>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            create_may_fail: false,
            malloc_may_fail: false,
            error_labels: vec![],
            error_functions: vec![],
            overflow: false,
            overflow_of_shifts: true,
            races: false,
            abort: false,
            leaks: false,
            waits: false,
            environment: Environment::default(),
        }
    }
}

pub use ir::c::Refused;

/// A translated program.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The program.
    pub program: ::c::Program,
    /// What is taken for granted, in words; sorted.
    pub assumptions: Vec<String>,
    /// What the user should know.
    pub warnings: Diagnostics,
    /// What could not be translated.
    pub refused: Vec<Refused>,
}

/// Why there is no translation.
#[derive(Debug)]
pub enum Problem {
    /// The budget ended.
    Stop(Stop),
    /// The program cannot be translated as a whole.
    Wrong(Diagnostics),
}

/// The largest stack of the thread that translates. Nesting is bounded (`hir::MAX_DEPTH`, `calls::NESTING`),
/// so this is enough; memory that is not touched costs nothing.
const STACK: usize = 1 << 30;

/// Translates a program.
pub fn translate(program: &hir::Program, options: &Options, budget: &Budget) -> Result<Translation, Problem> {
    let work = || Normaliser::new(program, options, budget).run();
    base::stack::run(STACK, work).unwrap_or_else(|stop| Err(Problem::Stop(stop)))
}

fn wrong(diagnostic: Diagnostic) -> Problem {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    Problem::Wrong(diagnostics)
}
