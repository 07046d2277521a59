//! One guarded command under construction.

use super::commands::{Cell, Command, cells_of, choice, name};
use super::formula::may;
use super::moves::Generator;
use super::unsupported;
use base::Id;
use engines::{Child, Section};
use ir::Reason;
use ir::bp::expr::{ExprId, Read, Var, When, Whose};
use ir::bp::program::{Loc, LocalId};
use std::collections::BTreeMap;

/// The most passive copies in a condition: without a passive thread it must hold for some values of them,
/// which are written out.
const MOST_COPIES: usize = 8;

/// A command under construction.
pub(super) struct Draft<'a> {
    cx: &'a Generator<'a>,
    pub command: Command,
    /// Passive copies that were written, with whether their thread stands where they are dead.
    settled: Vec<(Cell, String)>,
}

impl<'a> Draft<'a> {
    /// The thread stands at the statement and nobody else is inside an atomic section.
    pub fn new(cx: &'a Generator<'a>, thread: usize, at: Loc) -> Self {
        let others = (0..cx.threads).filter(|&other| other != thread);
        let outside = others.map(|other| format!("!{}", name(cx.program, Cell::Inside(other))));
        let guard = std::iter::once(cx.stands(thread, at)).chain(outside).collect();
        let command =
            Command { thread, at, guard, choices: vec![], conditions: vec![], writes: BTreeMap::new() };
        Self { cx, command, settled: vec![] }
    }

    /// Control goes on, or the thread ends.
    pub fn finish(mut self, to: Option<Loc>) -> Command {
        let thread = self.command.thread;
        let falsity = self.cx.syntax.constant(false);
        let Some(to) = to else {
            let cells = cells_of(self.cx.program, thread);
            self.command.writes.extend(cells.map(|cell| (cell, falsity.clone())));
            self.command.writes.insert(Cell::Counter(thread), "0".to_string());
            return self.command;
        };
        for (cell, dead) in std::mem::take(&mut self.settled) {
            let value = self.command.writes[&cell].clone();
            self.command.writes.insert(cell, format!("({value}{}!({dead}))", self.cx.syntax.and));
        }
        for &local in &self.cx.program.at(to).dead {
            self.command.writes.insert(Cell::Local(thread, local), falsity.clone());
        }
        self.command.writes.insert(Cell::Counter(thread), (to.index() + 1).to_string());
        self.command
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
        may(self.cx.syntax, self.cx.exprs(), e, value, &|read| self.named(read, passive))
    }

    /// A value of the expression: a formula, or a chosen bit.
    fn value(&mut self, e: ExprId, passive: Option<usize>) -> Result<String, Reason> {
        let one = self.may(e, true, passive)?;
        if !self.cx.exprs().has_choice(e) {
            return Ok(one);
        }
        let zero = self.may(e, false, passive)?;
        self.command.choices.push((one, zero));
        Ok(choice(self.command.choices.len() - 1))
    }

    /// What the command does to the shared variables, its thread and the other threads, and what it asks of
    /// them.
    pub fn execute(&mut self, command: &engines::Command) -> Result<(), Reason> {
        self.assign(&command.assign)?;
        let inside = match command.section {
            Section::Keep => None,
            Section::Enter => Some(self.cx.syntax.constant(true)),
            Section::Leave => Some(self.cx.syntax.constant(false)),
            Section::Follow => {
                let atomic = self.cx.program.atomic_variable().expect("only the atomic variable is followed");
                Some(self.command.writes[&Cell::Shared(atomic)].clone())
            }
        };
        let cell = Cell::Inside(self.command.thread);
        self.command.writes.extend(inside.map(|value| (cell, value)));
        self.broadcast(&command.broadcast)?;
        for &e in &command.requires {
            let holds = self.may(e, true, None)?;
            let next = self.cx.exprs().reads(e).iter().any(|read| read.when == When::Next);
            if next { &mut self.command.conditions } else { &mut self.command.guard }.push(holds);
        }
        command.asks.map_or(Ok(()), |e| self.holds_for_others(e))
    }

    fn assign(&mut self, targets: &[(Var, ExprId)]) -> Result<(), Reason> {
        let values: Vec<String> =
            targets.iter().map(|&(_, e)| self.value(e, None)).collect::<Result<_, _>>()?;
        for (&(var, _), value) in targets.iter().zip(values) {
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
                if let Some(last) = self.command.choices.last_mut().filter(|_| self.cx.exprs().has_choice(e))
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

    /// A condition that speaks of passive copies, for each passive thread on its own.
    fn holds_for_others(&mut self, e: ExprId) -> Result<(), Reason> {
        let reads = self.cx.exprs().reads(e);
        let mut copies: Vec<Read> = reads.into_iter().filter(|read| read.whose == Whose::Passive).collect();
        copies.sort();
        copies.dedup();
        let local = |read: &Read| if let Var::Local(local) = read.var { Some(local) } else { None };
        let locals: Vec<LocalId> = copies.iter().filter_map(local).collect();
        let mut somebody = vec![];
        for other in self.others() {
            let sees = self.cx.sees(other, &locals);
            let holds = self.may(e, true, Some(other))?;
            self.command.conditions.push(self.cx.syntax.any(&[format!("!({sees})"), holds]));
            somebody.push(sees);
        }
        somebody.push(self.holds_alone(e, &copies)?);
        self.command.conditions.push(self.cx.syntax.any(&somebody));
        Ok(())
    }

    /// Without a thread to ask, the condition must hold for some values of the copies.
    fn holds_alone(&self, e: ExprId, copies: &[Read]) -> Result<String, Reason> {
        if copies.len() > MOST_COPIES {
            return Err(unsupported("a condition speaks of too many passive copies"));
        }
        let guesses = (0u32..1 << copies.len()).map(|bits| {
            let read = |read: Read| match copies.iter().position(|&it| it == read) {
                None => self.named(read, None),
                Some(index) => self.cx.syntax.constant(bits >> index & 1 == 1),
            };
            may(self.cx.syntax, self.cx.exprs(), e, true, &read)
        });
        Ok(self.cx.syntax.any(&guesses.collect::<Result<Vec<_>, _>>()?))
    }

    /// A thread in a slot that is free while all before it are taken; `None`: all are taken, nothing happens.
    pub fn create(&mut self, child: &Child, slot: Option<usize>) -> Result<(), Reason> {
        let before = (0..slot.unwrap_or(self.cx.threads)).filter(|&it| it != self.command.thread);
        let taken: Vec<String> = before.map(|it| self.cx.counter(it, "!=", 0)).collect();
        self.command.guard.extend(taken);
        let Some(slot) = slot else { return Ok(()) };
        self.command.guard.push(self.cx.counter(slot, self.cx.syntax.same, 0));
        let falsity = self.cx.syntax.constant(false);
        let cells = cells_of(self.cx.program, slot).map(|cell| (cell, falsity.clone()));
        self.command.writes.extend(cells);
        self.command.writes.insert(Cell::Counter(slot), (child.at.index() + 1).to_string());
        let dead = &self.cx.program.at(child.at).dead;
        for &(local, e) in child.values.iter().filter(|it| !dead.contains(&it.0)) {
            let value = self.value(e, None)?;
            self.command.writes.insert(Cell::Local(slot, local), value);
        }
        Ok(())
    }
}
