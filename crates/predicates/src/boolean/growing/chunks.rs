//! Statements in parallel. What a solver answers may depend on the numbers of formulas, and these on what was
//! asked before: so commands are cut into chunks that do not depend on how many workers there are, each with
//! formulas of its own, and the statements are the same with any number of them.

use crate::boolean::formulas::Formulas;
use crate::boolean::lemmas::Lemmas;
use crate::boolean::predicates::Predicates;
use crate::boolean::statement::{Abstracter, Literal, Statement};
use crate::boolean::{Limits, Treatment};
use base::{Budget, Stop};
use c::ProcId;
use relation::Relation;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The commands of a chunk; so many that their formulas are worth making.
const CHUNK: usize = 4;
/// With a smaller product of commands and predicates there is one chunk: another thread would cost more than
/// it does.
const FEW: usize = 100;
/// Only what is touched costs memory.
const STACK: usize = 1 << 24;

/// What statements are made of.
#[derive(Clone, Copy)]
pub struct Maker<'a> {
    /// The commands.
    pub relation: &'a Relation,
    /// The predicates.
    pub predicates: &'a Predicates,
    /// The templates that threads begin in.
    pub templates: &'a [ProcId],
    /// Conjunctions of predicates that no state has.
    pub exclusions: &'a [Vec<Literal>],
    /// How far to go.
    pub limits: Limits,
    /// Whether to be sound.
    pub treatment: Treatment,
    /// What holds of two threads.
    pub lemmas: &'a Lemmas,
    /// What may be spent.
    pub budget: &'a Budget,
}

/// The statements of some commands, in their order.
#[derive(Default)]
pub struct Made {
    /// The statements; none where a guard is impossible.
    pub statements: Vec<Option<Statement>>,
    /// How often the solver was asked.
    pub calls: u64,
}

impl<'a> Maker<'a> {
    /// Makes the statements of commands; the formulas are for the first of them.
    pub fn statements(&self, commands: &[usize], formulas: Formulas<'a>) -> Result<Made, Stop> {
        let few = commands.len() * self.predicates.list.len() < FEW;
        let size = if few { commands.len().max(1) } else { CHUNK };
        let chunks: Vec<&[usize]> = commands.chunks(size).collect();
        let Some((first, others)) = chunks.split_first() else { return Ok(Made::default()) };
        let found: Vec<Mutex<Option<Result<Made, Stop>>>> = others.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = others.get(at) else { return };
                let formulas = Formulas::new(self.relation, self.predicates, self.budget);
                let made = formulas.and_then(|it| self.chunk(chunk, it));
                *found[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            }
        };
        let mut all = std::thread::scope(|scope| {
            for _ in 1..self.limits.threads().min(chunks.len()) {
                // Without another thread this one does all the work.
                let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            }
            let made = self.chunk(first, formulas)?;
            work();
            Ok(made)
        })?;
        for made in found {
            let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
            let made = made.expect("every chunk was taken, and its worker left what came of it")?;
            all.statements.extend(made.statements);
            all.calls += made.calls;
        }
        Ok(all)
    }

    fn chunk(&self, commands: &[usize], formulas: Formulas<'a>) -> Result<Made, Stop> {
        let mut abstracter = Abstracter {
            relation: self.relation,
            predicates: self.predicates,
            templates: self.templates,
            limits: self.limits,
            treatment: self.treatment,
            lemmas: self.lemmas,
            budget: self.budget,
            exclusions: self.exclusions,
            formulas,
            calls: 0,
        };
        let mut statements = vec![];
        for &number in commands {
            statements.push(abstracter.statement(&self.relation.commands[number])?);
        }
        Ok(Made { statements, calls: abstracter.calls })
    }
}
