//! Normalisation: from the typed form of a C program to normalised C (`::c`), one shared access a step.
//!
//! There are two ways to read a program. The literal one ([`Options::literal`]) makes each construct its
//! steps: a function is a procedure, a call is a call, a loop is a loop, and a local is a register or an
//! object by its declaration alone. The other one translates functions where they are called: every call that
//! is not recursive is inlined, with its constant arguments (`&x` above all) put in place of the parameters;
//! locals whose address is taken are objects at first, and `finish` turns those into registers of which no
//! address is left.
//!
//! What cannot be translated becomes a step that refuses, at its place: it counts only if it is reached.

mod assignments;
mod atomics;
mod builtins;
mod calls;
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
mod unrolling;
mod varargs;

use base::{Budget, Diagnostic, Diagnostics, Stop};

use super::hir;

pub(super) use calls::Argument;
pub(super) use context::{Binding, Normaliser};
pub(super) use facts::is_null;
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
    /// Loops that create or join threads are unrolled up to this many turns.
    pub unroll_threads: u32,
    /// Labels that are errors when they are reached.
    pub error_labels: Vec<String>,
    /// Whether undefined behaviour is an error.
    pub memory: bool,
    /// Whether signed overflow is an error.
    pub overflow: bool,
    /// Whether that holds of shifts to the left, too.
    pub overflow_of_shifts: bool,
    /// Whether data races are looked for: what an external function may access is no store.
    pub races: bool,
    /// Whether it is an error to end abnormally.
    pub abort: bool,
    /// Whether each construct is its steps: nothing is inlined, unrolled, dropped or merged.
    pub literal: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            create_may_fail: false,
            malloc_may_fail: false,
            unroll_threads: 16,
            error_labels: vec![],
            memory: false,
            overflow: false,
            overflow_of_shifts: true,
            races: false,
            abort: false,
            literal: false,
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
