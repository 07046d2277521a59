//! The guarded commands of one statement in one slot, after the reference semantics (`ir::bp::machine`).

use super::commands::{Cell, Command, choice, name};
use super::draft::Draft;
use super::formula::Syntax;
use super::starts::{Population, newborn};
use super::unsupported;
use base::Id;
use ir::bp::program::{Loc, LocalId, Op};
use ir::{Program, Reason};

/// Writes commands.
pub(super) struct Generator<'a> {
    pub program: &'a Program,
    pub threads: usize,
    pub syntax: &'a Syntax,
    /// The ways to start the templates' threads.
    pub populations: Vec<Population>,
}

impl Generator<'_> {
    /// All ways in which the thread in a slot executes a statement.
    pub fn commands(&self, thread: usize, at: Loc) -> Result<Vec<Command>, Reason> {
        let begin = || Draft::new(self, thread, at);
        let next = Some(self.program.at(at).next);
        let mut all = vec![];
        match &self.program.at(at).op {
            Op::Goto(targets) => {
                for &target in targets {
                    all.push(begin()?.finish(Some(target))?);
                }
            }
            Op::Branch { cond, target } => {
                for (value, to) in [(true, Some(*target)), (false, next)] {
                    let mut draft = begin()?;
                    let holds = draft.may(*cond, value, None)?;
                    draft.command.guard.push(holds);
                    all.push(draft.finish(to)?);
                }
            }
            Op::Start(spawn) => {
                for slot in (0..self.threads).filter(|&slot| slot != thread).map(Some).chain([None]) {
                    let mut draft = begin()?;
                    draft.spawn(spawn, slot)?;
                    all.push(draft.finish(next)?);
                }
            }
            Op::Return(_) | Op::End => return self.ends(thread, at),
            Op::Call { .. } => return Err(unsupported("the program has procedures")),
            op => {
                let mut draft = begin()?;
                draft.execute(op)?;
                all.push(draft.finish(next)?);
            }
        }
        Ok(all)
    }

    /// The thread ends; when `init` does, the others begin.
    fn ends(&self, thread: usize, at: Loc) -> Result<Vec<Command>, Reason> {
        let Some(init) = self.program.start().init else {
            return Ok(vec![Draft::new(self, thread, at)?.finish(None)?]);
        };
        let running = name(self.program, Cell::Initialising);
        if self.program.at(at).procedure != init {
            let mut draft = Draft::new(self, thread, at)?;
            draft.command.guard.push(format!("!{running}"));
            return Ok(vec![draft.finish(None)?]);
        }
        // A thread may also be started in the procedure later on: then it ends like any other.
        let mut draft = Draft::new(self, thread, at)?;
        draft.command.guard.push(format!("!{running}"));
        let mut all = vec![draft.finish(None)?];
        for population in &self.populations {
            let mut draft = Draft::new(self, thread, at)?;
            draft.command.guard.push(running.clone());
            draft.command.writes.insert(Cell::Initialising, self.syntax.constant(false));
            let mut command = draft.finish(None)?;
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
        let draft = Draft::new(self, thread, at)?;
        let fails = draft.may(e, false, None)?;
        let parts = [&draft.command.guard[..], &[fails]].concat();
        Ok(Some(self.syntax.all(&parts)))
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
