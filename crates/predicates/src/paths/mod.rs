//! Paths: which thread does which command, from the start to a failing one. Whether a path is one of the
//! program is decided by the solver over all values that its variables can have ([`feasibility`]); if it is
//! not, what is to blame gives new predicates ([`preconditions`], [`forward`]), until the path is not one of
//! the Boolean program either ([`replay`]). A solver of another house can be asked for a second opinion
//! ([`opinion`]).

pub(crate) mod candidates;
pub(crate) mod feasibility;
pub(crate) mod forward;
pub mod opinion;
pub(crate) mod preconditions;
pub(crate) mod replay;
mod run;
pub(crate) mod straight;
pub(crate) mod transitions;

pub use opinion::{Compared, Decided, SecondOpinion};
pub use run::RealPath;

use ir::bp::Loc;
use ir::bp::state::ThreadId;
use ir::trace::ProgramTrace;
use relation::{ControlId, Outcome, Relation};
use rustc_hash::FxHashMap;

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStep {
    /// Who: threads are numbered in the order of their creation, the first is 0.
    pub thread: usize,
    /// The number of the command.
    pub command: usize,
    /// The thread that it creates.
    pub child: Option<usize>,
}

/// The steps to a failing command, which is the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ControlPath {
    /// The steps; there is at least one.
    pub steps: Vec<PathStep>,
    /// How many threads there are.
    pub threads: usize,
}

impl ControlPath {
    /// The path of a run of a Boolean program; `commands` says which command is done by which statement.
    pub fn of(relation: &Relation, commands: &[Option<usize>], trace: &ProgramTrace) -> Option<ControlPath> {
        let mut names: FxHashMap<ThreadId, usize> = FxHashMap::default();
        let command = |at: Loc| commands.get(base::Id::index(at)).copied().flatten();
        let mut path = ControlPath { steps: vec![], threads: 1 };
        for step in &trace.steps {
            let number = command(step.at);
            let creates = number.is_some_and(|it| relation.commands[it].creates.is_some());
            let Some(number) = number else {
                // A thread that only starts the first one is no thread of the program.
                for birth in &step.births {
                    names.insert(birth.thread, 0);
                }
                continue;
            };
            let child = creates.then_some(path.threads);
            path.threads += usize::from(creates);
            let thread = *names.entry(step.thread).or_insert(0);
            for birth in &step.births {
                names.insert(birth.thread, child?);
            }
            path.steps.push(PathStep { thread, command: number, child });
        }
        let failing = command(trace.failure.at)?;
        let thread = *names.entry(trace.failure.thread).or_insert(0);
        path.steps.push(PathStep { thread, command: failing, child: None });
        path.is_one(relation).then_some(path)
    }

    /// Whether every step begins where its thread stands, and only the last one fails.
    fn is_one(&self, relation: &Relation) -> bool {
        let mut stands: Vec<Option<ControlId>> = vec![None; self.threads];
        stands[0] = Some(relation.start);
        let last = self.steps.len() - 1;
        for (at, step) in self.steps.iter().enumerate() {
            let command = &relation.commands[step.command];
            if stands[step.thread] != Some(command.from)
                || crate::pairs::templates::fails(command) != (at == last)
            {
                return false;
            }
            stands[step.thread] = match command.outcome {
                Outcome::Go(to) => Some(to),
                _ => None,
            };
            if let (Some(child), Some(creation)) = (step.child, &command.creates) {
                stands[child] = Some(creation.entry);
            }
        }
        true
    }

    /// The commands of the path, each once.
    pub fn commands(&self) -> Vec<usize> {
        let mut commands: Vec<usize> = self.steps.iter().map(|it| it.command).collect();
        commands.sort_unstable();
        commands.dedup();
        commands
    }
}
