//! Normalisation: from the typed form of a C program to normalised C (`::c`), one shared access a step.
//!
//! Functions are translated where they are called: every call that is not recursive is inlined, with its
//! constant arguments (`&x` above all) put in place of the parameters. What cannot be translated becomes a
//! step that refuses, at its place: it counts only if it is reached. Locals whose address is taken are
//! objects at first; `finish` turns those into registers of which no address is left.

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
mod memory;
mod operators;
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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            create_may_fail: false,
            malloc_may_fail: false,
            unroll_threads: 16,
            error_labels: vec![],
            memory: false,
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
