//! One guarded command under construction.

use super::commands::{Cell, Command, cells_of, choice, name};
use super::formula::may;
use super::moves::{Generator, any};
use super::starts::newborn;
use super::unsupported;
use base::Id;
use ir::Reason;
use ir::bp::expr::{ExprId, Read, Var, When, Whose};
use ir::bp::program::{Loc, LocalId, Op, Role, Spawn};
use std::collections::BTreeMap;

/// The most passive copies in a condition: without a passive thread it must hold for some values of them, which are written out.
const MOST_COPIES: usize = 8;

/// A command under construction.
pub(super) struct Draft<'a> {
    cx: &'a Generator<'a>,
    pub command: Command,
    /// Passive copies that were written, with whether their thread stands where they are dead.
    settled: Vec<(Cell, String)>,
}

impl<'a> Draft<'a> {
    /// The thread stands at the statement and may step.
    pub fn new(cx: &'a Generator<'a>, thread: usize, at: Loc) -> Result<Self, Reason> {
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
    pub fn finish(mut self, to: Option<Loc>) -> Result<Command, Reason> {
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
            let holds = may(self.cx.syntax, self.cx.program.exprs(), e, true, &read)?;
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

    pub fn may(&self, e: ExprId, value: bool, passive: Option<usize>) -> Result<String, Reason> {
        may(self.cx.syntax, self.cx.program.exprs(), e, value, &|read| self.named(read, passive))
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

    pub fn execute(&mut self, op: &Op) -> Result<(), Reason> {
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
        let passive_reads: Vec<Read> =
            reads.into_iter().filter(|read| read.whose == Whose::Passive).collect();
        if passive_reads.is_empty() {
            let holds = self.may(e, true, None)?;
            self.command.conditions.push(holds);
            return Ok(());
        }
        let locals: Vec<LocalId> = passive_reads
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
        somebody.push(self.holds_alone(e, &passive_reads, assigned)?);
        self.command.conditions.push(self.cx.syntax.any(&somebody));
        Ok(())
    }

    /// Without a thread to ask, the condition must hold for some values of the copies.
    fn holds_alone(&self, e: ExprId, passive_reads: &[Read], assigned: &[LocalId]) -> Result<String, Reason> {
        let free = |read: Read| match read.var {
            Var::Local(local) if assigned.contains(&local) => read,
            _ => Read { when: When::Now, ..read },
        };
        let mut unknowns: Vec<Read> = passive_reads.iter().map(|&read| free(read)).collect();
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
            may(self.cx.syntax, self.cx.program.exprs(), e, true, &read)
        });
        Ok(self.cx.syntax.any(&guesses.collect::<Result<Vec<_>, _>>()?))
    }

    /// A thread in a slot that is free while all before it are taken; `None`: all are taken, nothing happens.
    pub fn spawn(&mut self, spawn: &Spawn, slot: Option<usize>) -> Result<(), Reason> {
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
