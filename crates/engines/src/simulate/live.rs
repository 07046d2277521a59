//! Which variables may still be read: the subsumption test compares only these (Cook, Kroening and Sharygina,
//! section 4).
//!
//! A variable is live at a location if some run of a thread from there, or of a thread that it creates, reads
//! it before that thread has written it. A shared variable that is live for no thread is never read before
//! somebody has written it: the first to read it would be a thread for which it is live. Locals that
//! conditions or broadcasts read as passive copies are live everywhere.

use super::state::State;
use crate::bits;
use crate::command::{Command, Commands};
use base::Id;
use ir::bp::{Loc, LocalId, Op, Program, Read, Var, When, Whose};
use solve::aig::Lit;

/// Something that states are compared by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// A shared variable, by its index.
    Shared(usize),
    /// A thread, by its position in the state, and one of its locals, by its index.
    Local(usize, usize),
}

/// The live variables of every location: first the shared ones, then the locals.
#[derive(Clone, Debug)]
pub struct Live {
    shared: usize,
    all: usize,
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
        let mut live = Self { shared, all, rows: vec![first; program.locations().len()] };
        while !everything && live.pass(program, commands) {}
        live
    }

    /// What states with threads at these locations are compared by, in order: shared variables, then each
    /// thread's locals.
    pub fn compared(&self, locs: impl Iterator<Item = Loc> + Clone) -> Vec<Compared> {
        let live = |loc: Loc, bit: usize| bits::get(&self.rows[loc.index()], bit);
        let shared = (0..self.shared).filter(|&index| locs.clone().any(|loc| live(loc, index)));
        let mut compared: Vec<Compared> = shared.map(Compared::Shared).collect();
        for (thread, loc) in locs.enumerate() {
            let locals = (self.shared..self.all).filter(|&bit| live(loc, bit));
            compared.extend(locals.map(|bit| Compared::Local(thread, bit - self.shared)));
        }
        compared
    }

    /// The formulas that states with the same key are compared by.
    pub fn bits(&self, state: &State) -> Vec<Lit> {
        let formula = |it| match it {
            Compared::Shared(index) => state.shared[index],
            Compared::Local(thread, index) => state.threads[thread].locals[index],
        };
        let locs = state.threads.iter().map(|thread| thread.loc);
        self.compared(locs).into_iter().map(formula).collect()
    }

    /// The same state with these formulas in the positions that are compared, and 0 elsewhere.
    pub fn with_bits(&self, state: &State, formulas: &[Lit]) -> State {
        let mut result = state.clone();
        result.shared.fill(Lit::FALSE);
        result.threads.iter_mut().for_each(|thread| thread.locals.fill(Lit::FALSE));
        let locs = state.threads.iter().map(|thread| thread.loc);
        for (it, &formula) in self.compared(locs).into_iter().zip(formulas) {
            match it {
                Compared::Shared(index) => result.shared[index] = formula,
                Compared::Local(thread, index) => result.threads[thread].locals[index] = formula,
            }
        }
        result
    }

    /// Whether a local may still be read by a thread at a location.
    pub fn is_live(&self, loc: Loc, local: LocalId) -> bool {
        bits::get(&self.rows[loc.index()], self.shared + local.index())
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
