//! The guarded commands of one statement in one slot: what the statement does is said by the engines'
//! commands, here it is said of a slot.

use super::commands::{Cell, Command, choice, name};
use super::draft::Draft;
use super::formula::Syntax;
use super::starts::{Population, newborn};
use base::Id;
use engines::Commands;
use ir::bp::expr::Exprs;
use ir::bp::program::{Loc, LocalId, Op};
use ir::{Program, Reason};

/// Writes commands.
pub(super) struct Generator<'a> {
    pub program: &'a Program,
    /// What the statements do.
    pub statements: &'a Commands,
    pub threads: usize,
    pub syntax: &'a Syntax,
    /// The ways to start the templates' threads.
    pub populations: Vec<Population>,
}

impl Generator<'_> {
    /// The pool of the commands' expressions.
    pub fn exprs(&self) -> &Exprs {
        self.statements.exprs()
    }

    /// All ways in which the thread in a slot executes a statement.
    pub fn commands(&self, thread: usize, at: Loc) -> Result<Vec<Command>, Reason> {
        let mut all = vec![];
        for command in self.statements.at(at) {
            let begin = || {
                let mut draft = Draft::new(self, thread, at);
                draft.execute(command).map(|()| draft)
            };
            match &command.child {
                None if command.to.is_none() => all.extend(self.ends(at, begin)?),
                None => all.push(begin()?.finish(command.to)),
                Some(child) => {
                    for slot in (0..self.threads).filter(|&slot| slot != thread).map(Some).chain([None]) {
                        let mut draft = begin()?;
                        draft.create(child, slot)?;
                        all.push(draft.finish(command.to));
                    }
                }
            }
        }
        Ok(all)
    }

    /// The thread ends; when `init` does, the others begin.
    fn ends<'a>(
        &self,
        at: Loc,
        begin: impl Fn() -> Result<Draft<'a>, Reason>,
    ) -> Result<Vec<Command>, Reason> {
        let Some(init) = self.program.start().init else { return Ok(vec![begin()?.finish(None)]) };
        let running = name(self.program, Cell::Initialising);
        let mut draft = begin()?;
        draft.command.guard.push(format!("!{running}"));
        let mut all = vec![draft.finish(None)];
        // A thread may also be started in the procedure later on: then it ends like any other.
        let populations = if self.program.at(at).procedure == init { &self.populations[..] } else { &[] };
        for population in populations {
            let mut draft = begin()?;
            draft.command.guard.push(running.clone());
            draft.command.writes.insert(Cell::Initialising, self.syntax.constant(false));
            let mut command = draft.finish(None);
            for (slot, &at) in population.iter().enumerate() {
                for (cell, value) in newborn(self.program, self.syntax, slot, at) {
                    let value = value.unwrap_or_else(|| any(&mut command, self.syntax));
                    command.writes.insert(cell, value);
                }
            }
            all.push(command);
        }
        Ok(all)
    }

    /// When the thread in a slot is in error at a location.
    pub fn failure(&self, thread: usize, at: Loc) -> Result<Option<String>, Reason> {
        let location = self.program.at(at);
        if location.error {
            return Ok(Some(self.stands(thread, at)));
        }
        let Op::Assert(e) = location.op else { return Ok(None) };
        let draft = Draft::new(self, thread, at);
        let enforced = location.enforce.map(|e| draft.may(e, true, None)).transpose()?;
        let fails = draft.may(e, false, None)?;
        let parts = draft.command.guard.into_iter().chain(enforced).chain([fails]);
        Ok(Some(self.syntax.all(&parts.collect::<Vec<_>>())))
    }

    pub(super) fn stands(&self, thread: usize, at: Loc) -> String {
        self.counter(thread, self.syntax.same, at.index() + 1)
    }

    pub(super) fn counter(&self, thread: usize, relation: &str, value: usize) -> String {
        format!("{} {relation} {value}", name(self.program, Cell::Counter(thread)))
    }

    /// The thread in a slot stands at a location that fits.
    pub(super) fn stands_where(&self, thread: usize, fits: impl Fn(Loc) -> bool) -> String {
        let mut runs: Vec<(usize, usize)> = vec![];
        for at in self.program.locations().ids().filter(|&at| fits(at)).map(|at| at.index() + 1) {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == at => *last = at,
                _ => runs.push((at, at)),
            }
        }
        let run = |&(first, last): &(usize, usize)| {
            let ends = [self.counter(thread, ">=", first), self.counter(thread, "<=", last)];
            self.syntax.all(&ends)
        };
        self.syntax.any(&runs.iter().map(run).collect::<Vec<_>>())
    }

    /// The thread in a slot lives and has all these locals in scope.
    pub(super) fn sees(&self, thread: usize, locals: &[LocalId]) -> String {
        self.stands_where(thread, |at| locals.iter().all(|&local| self.program.in_scope(at, local)))
    }
}

/// A new bit that may have either value.
pub(super) fn any(command: &mut Command, syntax: &Syntax) -> String {
    command.choices.push((syntax.constant(true), syntax.constant(true)));
    choice(command.choices.len() - 1)
}
