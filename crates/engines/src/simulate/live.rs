//! Which variables may still be read: the subsumption test compares only these (Cook, Kroening and Sharygina, section 4).
//!
//! A variable is live at a location if some run of a thread from there, or of a thread that it creates, reads it before that
//! thread has written it. A shared variable that is live for no thread is never read before somebody has written it: the first to read
//! it would be a thread for which it is live. Locals that conditions or broadcasts read as passive copies are live everywhere.

use super::state::State;
use crate::bits;
use crate::command::{Command, Commands};
use base::Id;
use ir::bp::{Loc, Op, Program, Read, Var, When, Whose};
use solve::aig::Lit;

/// The live variables of every location: first the shared ones, then the locals.
#[derive(Clone, Debug)]
pub struct Live {
    shared: usize,
    rows: Vec<Vec<u32>>,
}

impl Live {
    /// The live variables of a flat program; all of them if `everything`.
    pub fn new(program: &Program, commands: &Commands, everything: bool) -> Self {
        let (shared, all) = (program.shared().len(), program.shared().len() + program.locals().len());
        let mut first = vec![0; bits::words(all)];
        if everything {
            (0..all).for_each(|bit| bits::set(&mut first, bit, true));
        } else {
            spoken(program, commands).for_each(|bit| bits::set(&mut first, bit, true));
        }
        let mut live = Self { shared, rows: vec![first; program.locations().len()] };
        while !everything && live.pass(program, commands) {}
        live
    }

    /// The formulas that states with the same key are compared by.
    pub fn bits(&self, state: &State) -> Vec<Lit> {
        let mut compared = vec![];
        for (index, &formula) in state.shared.iter().enumerate() {
            if state.threads.iter().any(|thread| bits::get(&self.rows[thread.loc.index()], index)) {
                compared.push(formula);
            }
        }
        for thread in &state.threads {
            let row = &self.rows[thread.loc.index()];
            let alive = thread.locals.iter().enumerate();
            compared.extend(alive.filter(|&(index, _)| bits::get(row, self.shared + index)).map(|it| it.1));
        }
        compared
    }

    /// The same state with these formulas in the places that are compared, and 0 elsewhere.
    pub fn with_bits(&self, state: &State, formulas: &[Lit]) -> State {
        let mut next = formulas.iter().copied();
        let mut take = |live: bool| if live { next.next().expect("one formula per bit") } else { Lit::FALSE };
        let mut result = state.clone();
        for (index, formula) in result.shared.iter_mut().enumerate() {
            let row = |loc: Loc| &self.rows[loc.index()];
            *formula = take(state.threads.iter().any(|thread| bits::get(row(thread.loc), index)));
        }
        for thread in &mut result.threads {
            let row = &self.rows[thread.loc.index()];
            for (index, formula) in thread.locals.iter_mut().enumerate() {
                *formula = take(bits::get(row, self.shared + index));
            }
        }
        result
    }

    /// One pass against the flow of control; whether anything changed.
    fn pass(&mut self, program: &Program, commands: &Commands) -> bool {
        let mut changed = false;
        for loc in program.locations().ids().rev() {
            let mut row = self.rows[loc.index()].clone();
            if let Op::Assert(e) = program.at(loc).op {
                let reads = commands.exprs().reads(e);
                reads.into_iter().filter_map(|it| self.bit(it)).for_each(|it| bits::set(&mut row, it, true));
            }
            for command in commands.at(loc) {
                bits::unite(&mut row, &self.before(program, commands, command));
            }
            changed |= bits::unite(&mut self.rows[loc.index()], &row);
        }
        changed
    }

    /// What is live before a command.
    fn before(&self, program: &Program, commands: &Commands, command: &Command) -> Vec<u32> {
        let mut row = match command.to {
            Some(to) => self.rows[to.index()].clone(),
            None => vec![0; self.rows[command.from.index()].len()],
        };
        for &(var, _) in &command.assign {
            bits::set(&mut row, self.variable(var), false);
        }
        let mut begins: Vec<Loc> = command.child.iter().map(|child| child.at).collect();
        if command.to.is_none() && program.start().init.is_some() {
            let templates = program.start().templates.iter();
            begins.extend(templates.map(|it| program.procedures()[it.procedure].entry));
        }
        for begin in begins {
            let shared = (0..self.shared).filter(|&index| bits::get(&self.rows[begin.index()], index));
            shared.for_each(|index| bits::set(&mut row, index, true));
        }
        let child = command.child.iter().flat_map(|child| {
            let wanted = |local: &Var| bits::get(&self.rows[child.at.index()], self.variable(*local));
            child.values.iter().filter(move |it| wanted(&Var::Local(it.0))).map(|it| it.1)
        });
        let expressions = command.requires.iter().copied().chain(command.asks);
        let expressions = expressions
            .chain(command.assign.iter().map(|it| it.1))
            .chain(command.broadcast.iter().map(|it| it.1))
            .chain(child);
        for read in expressions.flat_map(|e| commands.exprs().reads(e)) {
            self.bit(read).into_iter().for_each(|bit| bits::set(&mut row, bit, true));
        }
        row
    }

    fn variable(&self, var: Var) -> usize {
        match var {
            Var::Shared(id) => id.index(),
            Var::Local(id) => self.shared + id.index(),
        }
    }

    /// The bit of a reading of the active thread's old value.
    fn bit(&self, read: Read) -> Option<usize> {
        (read.whose == Whose::Own && read.when == When::Now).then(|| self.variable(read.var))
    }
}

/// The bits of all locals that are read as passive copies somewhere.
fn spoken(program: &Program, commands: &Commands) -> impl Iterator<Item = usize> {
    let all = program.locations().ids().flat_map(|loc| commands.at(loc));
    let expressions = all.flat_map(|command| command.broadcast.iter().map(|it| it.1).chain(command.asks));
    let reads = expressions.flat_map(|e| commands.exprs().reads(e));
    let shared = program.shared().len();
    reads.filter_map(move |read| match read.var {
        Var::Local(local) if read.whose == Whose::Passive => Some(shared + local.index()),
        _ => None,
    })
}
