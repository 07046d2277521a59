//! One step of one thread, as formulas: what is asked about reached sets and about closures alike.

use super::cnf::Cnf;
use super::sets::Set;
use crate::proof::Lit;
use base::{Budget, Id, Stop};
use check::interpret::{Interpreter, start_values};
use check::logic::Logic;
use check::message::Message;
use check::thread::{AbstractThread, Change, ThreadState};
use check::view_index::ViewIndex;
use ir::bp::{Op, Program, Whose};

/// A thread: where it stands, by whatever number the certificate has for that, and the values kept there.
pub type Thread = (usize, Vec<Lit>);

/// A solver, and what statements do in it.
pub struct Stage<'c, 'a> {
    pub view_index: &'a ViewIndex<'c>,
    pub interpreter: Interpreter<'c, Cnf<'c>>,
}

/// That a step is possible, and the values kept of passive threads.
type Reacted = (Lit, Vec<Vec<Lit>>);

/// Where a step leads.
pub struct Landing {
    /// That it does.
    pub guard: Lit,
    /// The shared variables kept.
    pub shared: Vec<Lit>,
    /// The values kept of passive threads, in their order.
    pub others: Vec<Vec<Lit>>,
    /// The thread; its values are chosen where its control location keeps them.
    pub me: AbstractThread<Set>,
    /// The thread that it creates.
    pub child: Option<AbstractThread<Set>>,
}

impl<'c, 'a> Stage<'c, 'a> {
    /// Nothing is known yet.
    pub fn new(program: &'c Program, view_index: &'a ViewIndex<'c>, budget: &'c Budget) -> Self {
        Stage { view_index, interpreter: Interpreter { program, logic: Cnf::guided(budget) } }
    }

    /// The solver.
    pub fn cnf(&mut self) -> &mut Cnf<'c> {
        &mut self.interpreter.logic
    }

    /// The values of the shared variables kept at a start, and that they may be these.
    pub fn start(&mut self) -> Result<(Lit, Vec<Lit>), Stop> {
        let program = self.interpreter.program;
        let kept = self.view_index.view.shared.iter();
        self.definite(kept.map(|&id| start_values(program.shared()[id].init).into()).collect())
    }

    /// The shared variables and a thread at a control location. A variable that is forgotten may have either
    /// value, but it is the same wherever the statement reads it.
    pub fn thread_state(&mut self, shared: &[Lit], control: usize, values: &[Lit]) -> ThreadState<Set> {
        let program = self.interpreter.program;
        let shared = self.view_index.shared(shared.iter().map(|&lit| Set::only(lit)));
        let me = self.view_index.abstract_thread(control, values.iter().map(|&lit| Set::only(lit)));
        let mut thread_state = ThreadState { shared, me };
        let location = program.at(thread_state.me.loc());
        let read = location.op.expressions().into_iter().chain(location.enforce);
        for read in read.flat_map(|e| program.exprs().reads(e)).filter(|read| read.whose == Whose::Own) {
            if thread_state.side().read(program, read).definite().is_none() {
                thread_state.write(program, read.var, Set::only(self.cnf().fresh()));
            }
        }
        thread_state
    }

    /// All that the thread may do while passive threads are at these control locations with these values.
    /// Whether it may step at all, and whether it ends or fails, is for the caller to say.
    pub fn landings(
        &mut self,
        guard: Lit,
        thread_state: &ThreadState<Set>,
        others: &[(usize, &[Lit])],
    ) -> Result<Vec<Landing>, Stop> {
        let op = &self.interpreter.program.at(thread_state.me.loc()).op;
        let message = Message::of(self.interpreter.program, op);
        let mut landings = vec![];
        for (bit, after) in self.interpreter.executed(thread_state)? {
            let guard = self.cnf().and(guard, bit);
            let reacted = match &message {
                Some(message) => {
                    self.reacted(message, guard, Change { now: thread_state, next: &after }, others)?
                }
                None => Some((guard, others.iter().map(|it| it.1.to_vec()).collect())),
            };
            if let Some((guard, others)) = reacted {
                let child = match op {
                    Op::Start(spawn) => Some(self.interpreter.child(thread_state, spawn)?),
                    _ => None,
                };
                landings.push(Landing { others, child, ..self.landing(guard, after)? });
            }
        }
        Ok(landings)
    }

    /// What becomes of the passive threads, if the step is possible at all.
    fn reacted(
        &mut self,
        message: &Message,
        mut guard: Lit,
        change: Change<'_, Set>,
        others: &[(usize, &[Lit])],
    ) -> Result<Option<Reacted>, Stop> {
        let view_index = self.view_index;
        let mut after = vec![];
        for &(control, values) in others {
            self.cnf().budget.spend(1)?;
            let old = view_index.abstract_thread(control, values.iter().map(|&lit| Set::only(lit)));
            let kept = view_index.slots(control).unwrap_or_default();
            let outcomes = message.reactions(&mut self.interpreter, change, &old, kept)?;
            // All outcomes are in one formula; without one the thread blocks the step.
            let Some((bit, new)) = outcomes.into_iter().next() else { return Ok(None) };
            guard = self.cnf().and(guard, bit);
            after.push(kept.iter().map(|&slot| definite(new.get(slot))).collect());
        }
        // No matter who is asked, of these or of others: the condition holds for some values.
        let alone = message.holds_alone(&mut self.interpreter, change, usize::MAX)?;
        Ok(Some((self.cnf().and(guard, alone), after)))
    }

    /// The thread goes on: every value kept gets one value, `enforce` is asked, dead locals become 0.
    fn landing(&mut self, guard: Lit, mut after: ThreadState<Set>) -> Result<Landing, Stop> {
        let view_index = self.view_index;
        let kept =
            view_index.control(&after.me).and_then(|control| view_index.slots(control)).unwrap_or_default();
        let sets = view_index.view.shared.iter().map(|&id| after.shared[id.index()]);
        let sets = sets.chain(kept.iter().map(|&slot| after.me.get(slot))).collect();
        let (possible, mut shared) = self.definite(sets)?;
        let mine = shared.split_off(view_index.view.shared.len());
        after.shared = view_index.shared(shared.iter().map(|&lit| Set::only(lit)));
        kept.iter().zip(mine).for_each(|(&slot, lit)| after.me.set(slot, Set::only(lit)));
        let enforced = self.interpreter.enforced(after.side())?;
        let guard = self.cnf().and(guard, possible);
        let guard = self.cnf().and(guard, enforced);
        after.me.settle(self.interpreter.program);
        Ok(Landing { guard, shared, others: vec![], me: after.me, child: None })
    }

    /// A thread with its values chosen; `None` if `name` has no number for its control location.
    pub fn named(
        &mut self,
        guard: Lit,
        thread: &AbstractThread<Set>,
        name: impl Fn(usize) -> Option<usize>,
    ) -> Result<Option<(Lit, Thread)>, Stop> {
        let view_index = self.view_index;
        let position =
            view_index.control(thread).and_then(|control| Some((name(control)?, view_index.slots(control)?)));
        let Some((number, kept)) = position else { return Ok(None) };
        let (possible, values) = self.definite(kept.iter().map(|&slot| thread.get(slot)).collect())?;
        Ok(Some((self.cnf().and(guard, possible), (number, values))))
    }

    /// One value for each set, and whether they may have these.
    fn definite(&mut self, sets: Vec<Set>) -> Result<(Lit, Vec<Lit>), Stop> {
        let valuations = self.cnf().valuations(sets)?;
        let (possible, chosen) =
            valuations.into_iter().next().expect("formulas valuation all values at once");
        Ok((possible, chosen.into_iter().map(definite).collect()))
    }
}

fn definite(set: Set) -> Lit {
    set.definite().expect("kept values are chosen")
}
