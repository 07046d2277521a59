//! Steps that involve passive threads: broadcasts, and conditions over passive copies. What each passive
//! thread may become depends on the active thread's choice and on itself alone.

use crate::interpret::Interpreter;
use crate::logic::Logic;
use crate::thread::{AbstractThread, Change, Side, ThreadState, slot};
use base::Stop;
use ir::bp::{ExprId, LocalId, Op, Program, Read, Values, Var, When, Whose};

/// What a statement says to passive threads.
pub struct Message {
    updates: Vec<(LocalId, ExprId)>,
    /// The condition, if it speaks of passive copies.
    condition: Option<ExprId>,
}

/// What a passive thread may become.
pub type Outcome<L> = (<L as Logic>::Bit, AbstractThread<<L as Logic>::Set>);

impl Message {
    /// The message of a statement; `None` for one that concerns its own thread alone.
    pub fn of(program: &Program, op: &Op) -> Option<Message> {
        let passive = |e: &ExprId| program.exprs().mentions_passive(*e);
        let message = match op {
            Op::Assume(e) => Message { updates: vec![], condition: Some(*e).filter(passive) },
            Op::Assign { broadcast, constrain, .. } => {
                Message { updates: broadcast.clone(), condition: constrain.filter(passive) }
            }
            _ => return None,
        };
        (message.condition.is_some() || !message.updates.is_empty()).then_some(message)
    }

    /// Whether the condition speaks of a thread.
    pub fn asks<S: Copy + From<Values>>(&self, program: &Program, passive: &AbstractThread<S>) -> bool {
        !self.copies_read(program, passive).is_empty()
    }

    /// The activations that the condition speaks of: those that have every copy it mentions.
    fn copies_read<S: Copy + From<Values>>(
        &self,
        program: &Program,
        passive: &AbstractThread<S>,
    ) -> Vec<usize> {
        let Some(e) = self.condition else { return vec![] };
        let reads = program.exprs().reads(e).into_iter().filter(|read| read.whose == Whose::Passive);
        let locals: Vec<LocalId> = reads.filter_map(|read| local_of(read.var)).collect();
        // A local of the whole thread is there beside each of its activations.
        let in_scope = |depth: usize, local| program.in_scope(passive.stack[depth], local);
        let sees_all = |&depth: &usize| locals.iter().all(|&local| in_scope(depth, local));
        (0..passive.stack.len()).filter(sees_all).collect()
    }

    /// Whether the condition may hold when there is nobody to ask: for some values of the passive copies.
    /// With more than `most` of them a set of values is taken for each, which may admit steps that are none.
    pub fn holds_alone<L: Logic>(
        &self,
        interpreter: &mut Interpreter<'_, L>,
        change: Change<'_, L::Set>,
        most: usize,
    ) -> Result<L::Bit, Stop> {
        let program = interpreter.program;
        let logic = &mut interpreter.logic;
        let Some(e) = self.condition else { return Ok(logic.always()) };
        let unknowns = Some(self.unknowns(program, e)).filter(|it| it.len() <= most).unwrap_or_default();
        let mut holds = None;
        for (bit, valuation) in logic.valuations(vec![Values::ANY.into(); unknowns.len()])? {
            let mut read = |read: Read| {
                let side = if read.when == When::Now { change.now.side() } else { change.next.side() };
                let known = unknowns.iter().position(|&it| it == self.free(read));
                known.map_or_else(|| side.read(program, read), |index| valuation[index])
            };
            let values = logic.values(program, e, &mut read)?;
            let so = logic.may_be(values, true);
            let so = logic.both(bit, so);
            holds = Some(holds.map_or(so, |known| logic.either(known, so)));
        }
        Ok(holds.expect("there is a way to valuation from sets that are not empty"))
    }

    /// The passive copies that the condition reads, each once.
    fn unknowns(&self, program: &Program, e: ExprId) -> Vec<Read> {
        let reads = program.exprs().reads(e).into_iter().filter(|read| read.whose == Whose::Passive);
        let mut unknowns: Vec<Read> = reads.map(|read| self.free(read)).collect();
        unknowns.sort();
        unknowns.dedup();
        unknowns
    }

    /// The reading of a passive copy when there is no thread: a new value that is not assigned is the old
    /// one.
    fn free(&self, read: Read) -> Read {
        let assigned = self.updates.iter().any(|&(local, _)| read.var == Var::Local(local));
        if assigned { read } else { Read { when: When::Now, ..read } }
    }

    /// All that a passive thread may become by a step of the active one; `kept` are the slots whose values
    /// must be definite.
    pub fn reactions<L: Logic>(
        &self,
        interpreter: &mut Interpreter<'_, L>,
        change: Change<'_, L::Set>,
        old: &AbstractThread<L::Set>,
        kept: &[usize],
    ) -> Result<Vec<Outcome<L>>, Stop> {
        let program = interpreter.program;
        let copies = self.copies_read(program, old);
        let received = self.received(interpreter, change.now, old)?;
        let pinned = self.pinned(program, old, kept);
        let mut new = old.clone();
        received.iter().for_each(|&(slot, value)| new.set(slot, value));
        let split: Vec<_> = received.into_iter().filter(|it| pinned.contains(&it.0)).collect();
        let mut all = vec![];
        for (mut bit, valuation) in interpreter.logic.valuations(split.iter().map(|it| it.1).collect())? {
            split.iter().zip(valuation).for_each(|(it, value)| new.set(it.0, value));
            for &depth in &copies {
                let e = self.condition.expect("copies are asked only if there is something to ask");
                let now = Side { passive: Some((old, depth)), ..change.now.side() };
                let next = Side { passive: Some((&new, depth)), ..change.next.side() };
                let values = interpreter.values_between(e, now, next)?;
                let holds = interpreter.logic.may_be(values, true);
                bit = interpreter.logic.both(bit, holds);
            }
            if interpreter.logic.possible(bit) {
                let mut settled = new.clone();
                settled.settle(program);
                all.push((bit, settled));
            }
        }
        Ok(all)
    }

    /// What the broadcast writes to a passive thread, in each of its activations.
    fn received<L: Logic>(
        &self,
        interpreter: &mut Interpreter<'_, L>,
        now: &ThreadState<L::Set>,
        passive: &AbstractThread<L::Set>,
    ) -> Result<Vec<(usize, L::Set)>, Stop> {
        let program = interpreter.program;
        let mut all = vec![];
        for depth in 0..passive.stack.len() {
            for &(local, e) in self.updates.iter().filter(|it| passive.sees(program, depth, it.0)) {
                let side = Side { passive: Some((passive, depth)), ..now.side() };
                all.push((slot(program, depth, local), interpreter.values(e, side)?));
            }
        }
        Ok(all)
    }

    /// The slots whose new values must be chosen one by one: those that are kept and those that the condition
    /// reads.
    fn pinned<S>(&self, program: &Program, passive: &AbstractThread<S>, kept: &[usize]) -> Vec<usize> {
        let reads = self.condition.map_or_else(Vec::new, |e| program.exprs().reads(e));
        let new = |read: &Read| read.whose == Whose::Passive && read.when == When::Next;
        let locals = reads.into_iter().filter(new).filter_map(|read| local_of(read.var));
        let slots = |local| (0..passive.stack.len()).map(move |depth| slot(program, depth, local));
        locals.flat_map(slots).chain(kept.iter().copied()).collect()
    }
}

fn local_of(var: Var) -> Option<LocalId> {
    match var {
        Var::Local(local) => Some(local),
        Var::Shared(_) => None,
    }
}
