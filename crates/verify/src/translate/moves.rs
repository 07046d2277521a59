//! The guarded commands of one statement in one slot, after the reference semantics (`ir::bp::machine`).

use super::commands::{Cell, Command, cells_of, choice, name};
use super::formula::{Syntax, may};
use super::starts::{Crowd, newborn};
use super::unsupported;
use base::Id;
use ir::bp::expr::{ExprId, Read, Var, When, Whose};
use ir::bp::program::{Loc, LocalId, Op, Role, Spawn};
use ir::{Program, Reason};
use std::collections::BTreeMap;

/// The most passive copies in a condition: without a passive thread it must hold for some values of them, which are written out.
const MOST_COPIES: usize = 8;

/// Writes commands.
pub(super) struct Generator<'a> {
    pub program: &'a Program,
    pub threads: usize,
    pub syntax: &'a Syntax,
    /// The ways to start the templates' threads.
    pub crowds: Vec<Crowd>,
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
        for crowd in &self.crowds {
            let mut draft = Draft::new(self, thread, at)?;
            draft.command.guard.push(running.clone());
            draft.command.writes.insert(Cell::Initialising, self.syntax.constant(false));
            let mut command = draft.finish(None)?;
            for (slot, &at) in crowd.iter().enumerate() {
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

    fn stands(&self, thread: usize, at: Loc) -> String {
        self.counter(thread, self.syntax.same, at.index() + 1)
    }

    fn counter(&self, thread: usize, relation: &str, value: usize) -> String {
        format!("{} {relation} {value}", name(self.program, Cell::Counter(thread)))
    }

    /// The thread in a slot stands at a location that fits.
    fn stands_where(&self, thread: usize, fits: impl Fn(Loc) -> bool) -> String {
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
    fn sees(&self, thread: usize, locals: &[LocalId]) -> String {
        self.stands_where(thread, |at| locals.iter().all(|&local| self.program.in_scope(at, local)))
    }
}

/// A new bit that may have either value.
fn any(command: &mut Command, syntax: &Syntax) -> String {
    command.choices.push((syntax.constant(true), syntax.constant(true)));
    choice(command.choices.len() - 1)
}

/// A command under construction.
struct Draft<'a> {
    cx: &'a Generator<'a>,
    command: Command,
    /// Passive copies that were written, with whether their thread stands where they are dead.
    settled: Vec<(Cell, String)>,
}

impl<'a> Draft<'a> {
    /// The thread stands at the statement and may step.
    fn new(cx: &'a Generator<'a>, thread: usize, at: Loc) -> Result<Self, Reason> {
        let others = (0..cx.threads).filter(|&other| other != thread);
        let outside = others.map(|other| format!("!{}", name(cx.program, Cell::Inside(other))));
        let guard = std::iter::once(cx.stands(thread, at)).chain(outside).collect();
        let command =
            Command { thread, at, guard, choices: vec![], conditions: vec![], writes: BTreeMap::new() };
        let mut draft = Self { cx, command, settled: vec![] };
        if let Some(e) = cx.program.at(at).enforce {
            let holds = draft.may(e, true, None)?;
            draft.command.guard.push(holds);
        }
        Ok(draft)
    }

    /// Control goes on, or the thread ends.
    fn finish(mut self, to: Option<Loc>) -> Result<Command, Reason> {
        let thread = self.command.thread;
        let falsity = self.cx.syntax.constant(false);
        let Some(to) = to else {
            let cells = cells_of(self.cx.program, thread);
            self.command.writes.extend(cells.map(|cell| (cell, falsity.clone())));
            self.command.writes.insert(Cell::Counter(thread), "0".to_string());
            return Ok(self.command);
        };
        if let Some(e) = self.cx.program.at(to).enforce {
            let read = |read: Read| self.named(Read { when: When::Next, ..read }, None);
            let holds = may(self.cx.syntax, self.cx.program.exprs(), (e, true), &read)?;
            self.command.conditions.push(holds);
        }
        for (cell, dead) in std::mem::take(&mut self.settled) {
            let value = self.command.writes[&cell].clone();
            self.command.writes.insert(cell, format!("({value}{}!({dead}))", self.cx.syntax.and));
        }
        for &local in &self.cx.program.at(to).dead {
            self.command.writes.insert(Cell::Local(thread, local), falsity.clone());
        }
        self.command.writes.insert(Cell::Counter(thread), (to.index() + 1).to_string());
        Ok(self.command)
    }

    /// The other slots.
    fn others(&self) -> Vec<usize> {
        (0..self.cx.threads).filter(|&other| other != self.command.thread).collect()
    }

    fn cell(&self, read: Read, passive: Option<usize>) -> Cell {
        match (read.var, read.whose) {
            (Var::Shared(id), _) => Cell::Shared(id),
            (Var::Local(id), Whose::Own) => Cell::Local(self.command.thread, id),
            (Var::Local(id), Whose::Passive) => {
                Cell::Local(passive.expect("passive copies are read where a passive thread is at hand"), id)
            }
        }
    }

    /// A variable as a statement reads it.
    fn named(&self, read: Read, passive: Option<usize>) -> String {
        let cell = self.cell(read, passive);
        match read.when {
            When::Next if self.command.writes.contains_key(&cell) => self.command.writes[&cell].clone(),
            _ => name(self.cx.program, cell),
        }
    }

    fn may(&self, e: ExprId, value: bool, passive: Option<usize>) -> Result<String, Reason> {
        may(self.cx.syntax, self.cx.program.exprs(), (e, value), &|read| self.named(read, passive))
    }

    /// A value of the expression: a formula, or a chosen bit.
    fn value(&mut self, e: ExprId, passive: Option<usize>) -> Result<String, Reason> {
        let one = self.may(e, true, passive)?;
        if !self.cx.program.exprs().has_choice(e) {
            return Ok(one);
        }
        let zero = self.may(e, false, passive)?;
        self.command.choices.push((one, zero));
        Ok(choice(self.command.choices.len() - 1))
    }

    fn execute(&mut self, op: &Op) -> Result<(), Reason> {
        let thread = self.command.thread;
        let constant = |value| self.cx.syntax.constant(value);
        match op {
            Op::Assume(e) => self.holds(*e, &[])?,
            Op::Assign { targets, broadcast, constrain } => {
                self.assign(targets)?;
                self.broadcast(broadcast)?;
                let assigned: Vec<LocalId> = broadcast.iter().map(|it| it.0).collect();
                constrain.map_or(Ok(()), |e| self.holds(e, &assigned))?;
            }
            Op::AtomicBegin | Op::AtomicEnd => {
                let inside = constant(*op == Op::AtomicBegin);
                self.command.writes.insert(Cell::Inside(thread), inside);
            }
            Op::Lock(id) | Op::Unlock(id) => {
                let lock = &self.cx.program.locks()[*id];
                let takes = matches!(op, Op::Lock(_));
                let (taken, owner) = (Cell::Shared(lock.taken), Cell::Local(thread, lock.owner));
                let guard = match takes {
                    true => format!("!{}", name(self.cx.program, taken)),
                    false => name(self.cx.program, owner),
                };
                self.command.writes.extend([(taken, constant(takes)), (owner, constant(takes))]);
                self.command.guard.push(guard);
            }
            _ => {}
        }
        Ok(())
    }

    fn assign(&mut self, targets: &[(Var, ExprId)]) -> Result<(), Reason> {
        let values: Vec<String> =
            targets.iter().map(|&(_, e)| self.value(e, None)).collect::<Result<_, _>>()?;
        for (&(var, _), value) in targets.iter().zip(values) {
            if self.cx.program.atomic_variable().map(Var::Shared) == Some(var) {
                self.command.writes.insert(Cell::Inside(self.command.thread), value.clone());
            }
            let cell = self.cell(Read::now(var), None);
            self.command.writes.insert(cell, value);
        }
        Ok(())
    }

    fn broadcast(&mut self, broadcast: &[(LocalId, ExprId)]) -> Result<(), Reason> {
        let syntax = self.cx.syntax;
        for other in self.others() {
            for &(local, e) in broadcast {
                let cell = Cell::Local(other, local);
                let (sees, old) = (self.cx.sees(other, &[local]), name(self.cx.program, cell));
                let mut value = self.value(e, Some(other))?;
                if let Some(last) =
                    self.command.choices.last_mut().filter(|_| self.cx.program.exprs().has_choice(e))
                {
                    // A slot that the broadcast does not reach has nothing to choose.
                    last.0 = syntax.all(&[sees.clone(), last.0.clone()]);
                    last.1 = syntax.any(&[format!("!({sees})"), last.1.clone()]);
                    value = choice(self.command.choices.len() - 1);
                }
                let reached = syntax.all(&[sees.clone(), value]);
                let missed = syntax.all(&[format!("!({sees})"), old]);
                self.command.writes.insert(cell, syntax.any(&[reached, missed]));
                let dead = |at: Loc| self.cx.program.at(at).dead.contains(&local);
                if self.cx.program.locations().ids().any(dead) {
                    self.settled.push((cell, self.cx.stands_where(other, dead)));
                }
            }
        }
        Ok(())
    }

    /// A condition, for each passive thread on its own where it speaks of passive copies.
    fn holds(&mut self, e: ExprId, assigned: &[LocalId]) -> Result<(), Reason> {
        let reads = self.cx.program.exprs().reads(e);
        let asked: Vec<Read> = reads.into_iter().filter(|read| read.whose == Whose::Passive).collect();
        if asked.is_empty() {
            let holds = self.may(e, true, None)?;
            self.command.conditions.push(holds);
            return Ok(());
        }
        let locals: Vec<LocalId> = asked
            .iter()
            .filter_map(|read| if let Var::Local(local) = read.var { Some(local) } else { None })
            .collect();
        let mut somebody = vec![];
        for other in self.others() {
            let sees = self.cx.sees(other, &locals);
            let holds = self.may(e, true, Some(other))?;
            self.command.conditions.push(self.cx.syntax.any(&[format!("!({sees})"), holds]));
            somebody.push(sees);
        }
        somebody.push(self.holds_alone(e, &asked, assigned)?);
        self.command.conditions.push(self.cx.syntax.any(&somebody));
        Ok(())
    }

    /// Without a thread to ask, the condition must hold for some values of the copies.
    fn holds_alone(&self, e: ExprId, asked: &[Read], assigned: &[LocalId]) -> Result<String, Reason> {
        let free = |read: Read| match read.var {
            Var::Local(local) if assigned.contains(&local) => read,
            _ => Read { when: When::Now, ..read },
        };
        let mut unknowns: Vec<Read> = asked.iter().map(|&read| free(read)).collect();
        unknowns.sort();
        unknowns.dedup();
        if unknowns.len() > MOST_COPIES {
            return Err(unsupported("a condition speaks of too many passive copies"));
        }
        let guesses = (0u32..1 << unknowns.len()).map(|bits| {
            let read = |read: Read| match read.whose {
                Whose::Own => self.named(read, None),
                Whose::Passive => {
                    let index = unknowns.iter().position(|&it| it == free(read)).expect("listed above");
                    self.cx.syntax.constant(bits >> index & 1 == 1)
                }
            };
            may(self.cx.syntax, self.cx.program.exprs(), (e, true), &read)
        });
        Ok(self.cx.syntax.any(&guesses.collect::<Result<Vec<_>, _>>()?))
    }

    /// A thread in a slot that is free while all before it are taken; `None`: all are taken, nothing happens.
    fn spawn(&mut self, spawn: &Spawn, slot: Option<usize>) -> Result<(), Reason> {
        let before = (0..slot.unwrap_or(self.cx.threads)).filter(|&it| it != self.command.thread);
        let taken: Vec<String> = before.map(|it| self.cx.counter(it, "!=", 0)).collect();
        self.command.guard.extend(taken);
        let Some(slot) = slot else { return Ok(()) };
        self.command.guard.push(self.cx.counter(slot, self.cx.syntax.same, 0));
        let program = self.cx.program;
        let (at, args): (Loc, &[ExprId]) = match spawn {
            Spawn::Clone(at) => (*at, &[]),
            Spawn::Call(procedure, args) => (program.procedures()[*procedure].entry, args),
        };
        for (cell, value) in newborn(program, self.cx.syntax, slot, at) {
            let value = match (cell, spawn) {
                (Cell::Local(_, local), _)
                    if !program.in_scope(at, local) || program.at(at).dead.contains(&local) =>
                {
                    self.cx.syntax.constant(false)
                }
                (Cell::Local(_, local), Spawn::Clone(_)) if program.locals()[local].role == Role::Plain => {
                    name(program, Cell::Local(self.command.thread, local))
                }
                (Cell::Local(..), Spawn::Clone(_)) => self.cx.syntax.constant(false),
                (Cell::Local(_, local), Spawn::Call(procedure, _)) => {
                    let params = &program.procedures()[*procedure].params;
                    match params.iter().position(|&param| param == local) {
                        Some(index) => self.value(args[index], None)?,
                        None => value.unwrap_or_else(|| any(&mut self.command, self.cx.syntax)),
                    }
                }
                _ => value.unwrap_or_else(|| any(&mut self.command, self.cx.syntax)),
            };
            self.command.writes.insert(cell, value);
        }
        Ok(())
    }
}
