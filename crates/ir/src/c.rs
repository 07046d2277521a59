//! A C program as it is verified: its normalised form, what its steps mean, and what its reader says of it.

use crate::property::PropertySet;
use ::c::{Options, Program, Trace};
use base::{Budget, FileId, Span};
use relation::{NoRelation, Relation};
use std::sync::{Arc, Mutex, PoisonError};

/// What is looked for in a C program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sought {
    /// Failing assertions, and undefined behaviour that happens.
    #[default]
    Default,
    /// Failing assertions: a thread blocks at undefined behaviour.
    Assert,
    /// What a list names, and nothing else.
    List(PropertySet),
}

impl Sought {
    /// The word in traces.
    pub fn word(self) -> String {
        match self {
            Sought::Default => "undefined".to_string(),
            Sought::Assert => "assert".to_string(),
            Sought::List(set) => set.to_string(),
        }
    }
}

/// What could not be translated and can be reached, as far as the graph of the program tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The construct, for the user and for counting.
    pub construct: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A C program in its normalised form.
#[derive(Clone, Debug)]
pub struct Model {
    /// The program.
    pub program: Program,
    /// What C leaves open; the bound on threads belongs to the question.
    pub machine: Options,
    /// What is looked for.
    pub property: Sought,
    /// The same with nothing dropped and undefined behaviour as an error, where that is looked for apart from
    /// assertions. A dropped step may be undefined.
    pub literal: Option<Arc<Model>>,
    /// Whether it was read literally, so that passes are run before engines work on it.
    pub wants_passes: bool,
    /// The most turns to which a pass unrolls loops that create or join threads.
    pub unroll_threads: u32,
    /// What is taken for granted, in words; sorted.
    pub assumptions: Vec<String>,
    /// What could not be translated and may be reached.
    pub refused: Vec<Refused>,
    /// The file that was asked about.
    pub file: FileId,
    /// The program as guarded commands, once somebody has asked for it.
    pub made: Made,
}

/// What is made of a program once, for all who ask for it. A copy of the program may be changed: it begins
/// anew.
#[derive(Debug, Default)]
pub struct Made {
    relation: Mutex<Option<Arc<Commands>>>,
}

/// A program as guarded commands, or why there are none, and what making them took.
#[derive(Debug)]
struct Commands {
    relation: Result<Arc<Relation>, String>,
    ticks: u64,
}

impl Clone for Made {
    fn clone(&self) -> Made {
        Made::default()
    }
}

impl Model {
    /// What C leaves open, with at most this many threads.
    pub fn options(&self, threads: Option<u32>) -> Options {
        Options { threads, ..self.machine }
    }

    /// The program that a run is one of: a run into undefined behaviour is one of the program with nothing
    /// dropped.
    pub fn subject(self: &Arc<Model>, trace: &Trace) -> &Arc<Model> {
        let literal =
            self.literal.as_ref().filter(|_| trace.options.faults.any() && !self.machine.faults.any());
        literal.unwrap_or(self)
    }

    /// The program as guarded commands. They are made once; everybody pays for them, so that nobody's ticks
    /// depend on who came first.
    pub fn relation(&self, budget: &Budget) -> Result<Arc<Relation>, NoRelation> {
        // A panic elsewhere leaves whole values behind.
        let mut made = self.made.relation.lock().unwrap_or_else(PoisonError::into_inner);
        let commands = match &*made {
            Some(commands) => Arc::clone(commands),
            None => {
                let own = Budget::new(u64::MAX, budget.handle().clone());
                let relation = match Relation::of(&self.program, &self.machine, &own) {
                    Ok(relation) => Ok(Arc::new(relation)),
                    Err(NoRelation::Unsupported(why)) => Err(why),
                    Err(stopped) => return Err(stopped),
                };
                Arc::clone(made.insert(Arc::new(Commands { relation, ticks: own.spent() })))
            }
        };
        drop(made);
        budget.spend(commands.ticks).map_err(NoRelation::Stopped)?;
        commands.relation.clone().map_err(NoRelation::Unsupported)
    }
}
