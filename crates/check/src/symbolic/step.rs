//! The questions about one piece, or about the starts: each has its own solver, so that memory does not grow with the certificate.

use super::cnf::{Cnf, Lit};
use super::members::{Members, few};
use super::places::Places;
use super::sets::Set;
use super::within;
use crate::describe::place;
use crate::figure::{Figure, Scene};
use crate::interpret::{Interpreter, beginner, start_values};
use crate::logic::Logic;
use crate::message::Message;
use crate::population::Population;
use crate::{Refused, reject};
use ir::bp::Op;
use ir::certificate::Piece;

type Thread = (usize, Vec<Lit>);

/// What is asked, and the solver that answers.
pub struct Question<'c, 'm> {
    members: &'m Members<'c>,
    population: &'m mut Population,
    interpreter: Interpreter<'c, Cnf<'c>>,
}

impl<'c, 'm> Question<'c, 'm> {
    /// Nothing is asked yet.
    pub fn new(members: &'m Members<'c>, population: &'m mut Population) -> Self {
        let interpreter = Interpreter { program: members.program, logic: Cnf::new(members.budget) };
        Question { members, population, interpreter }
    }

    fn cnf(&mut self) -> &mut Cnf<'c> {
        &mut self.interpreter.logic
    }

    /// Every start of the program is in the set.
    pub fn starts(mut self) -> Result<(), Refused> {
        let program = self.members.program;
        let kept = self.members.symbolic.view.shared.iter();
        let shared = kept.map(|&id| start_values(program.shared()[id].init).into()).collect();
        let (guard, shared) = self.definite(shared)?;
        let state = Places { initialising: program.start().init.is_some(), shared, threads: vec![] };
        match program.start().init {
            None => self.populate(guard, state),
            Some(init) => self.with(guard, state, beginner(program, init)),
        }
    }

    /// No state of the piece fails, and every step from it leads into the set.
    pub fn piece(mut self, piece: &Piece) -> Result<(), Refused> {
        let members = self.members;
        let cnf = self.cnf();
        let state = members.places(piece, || cnf.fresh());
        let order: Vec<usize> = (0..state.threads.len()).collect();
        let formula = (&members.symbolic.graph, piece.formula);
        let holds = state.formula(cnf, formula, members.width, &order)?;
        cnf.clause(&[holds]);
        if !cnf.solve(&[])? {
            return Ok(());
        }
        let points = &members.symbolic.view.points;
        let inside = state.threads.iter().filter(|it| points[it.0].inside).count();
        for (index, &(point, _)) in state.threads.iter().enumerate() {
            let at = place(members.program, members.atlas.loc(point));
            if members.program.at(members.atlas.loc(point)).error {
                return Ok(reject(format!("a thread stands at an error label, {at}"))?);
            }
            // While a thread is inside an atomic section only that thread may step.
            if inside == 0 || (inside == 1 && points[point].inside) {
                let again = index > 0 && self.are_alike(piece, &state, index)?;
                if !again {
                    self.thread(&state, index).map_err(|why| within(&format!("a thread {at}"), why))?;
                }
            }
        }
        Ok(())
    }

    /// Whether the thread in this place may be exchanged with the one before: then it can do nothing that that one cannot.
    fn are_alike(&mut self, piece: &Piece, state: &Places<Lit>, index: usize) -> Result<bool, Refused> {
        if state.threads[index].0 != state.threads[index - 1].0 {
            return Ok(false);
        }
        let mut order: Vec<usize> = (0..state.threads.len()).collect();
        order.swap(index - 1, index);
        let (formula, width) = ((&self.members.symbolic.graph, piece.formula), self.members.width);
        let exchanged = state.formula(self.cnf(), formula, width, &order)?;
        Ok(!self.cnf().solve(&[!exchanged])?)
    }

    /// All that the thread in this place may do.
    fn thread(&mut self, state: &Places<Lit>, index: usize) -> Result<(), Refused> {
        let (program, atlas) = (self.members.program, &self.members.atlas);
        let (point, values) = &state.threads[index];
        let shared = atlas.shared(state.shared.iter().map(|&lit| Set::only(lit)));
        let scene = Scene { shared, me: atlas.figure(*point, values.iter().map(|&lit| Set::only(lit))) };
        let guard = self.interpreter.enforced(scene.side())?;
        if let Some(fails) = self.interpreter.failure(&scene)?
            && self.cnf().solve(&[guard, fails])?
        {
            return Ok(reject("the assertion may fail")?);
        }
        let mut others = state.clone();
        others.threads.remove(index);
        let op = &program.at(scene.me.loc()).op;
        if matches!(op, Op::End) || matches!(op, Op::Return(_)) && scene.me.depth() == 0 {
            let ended = Places { initialising: false, ..others };
            return if state.initialising { self.populate(guard, ended) } else { self.require(guard, ended) };
        }
        let message = Message::of(program, op);
        for (bit, after) in self.interpreter.executed(&scene)? {
            let guard = self.cnf().and(guard, bit);
            let reached = match &message {
                Some(message) => self.told(message, guard, (&scene, &after), &others)?,
                None => Some((guard, others.clone())),
            };
            if let Some((guard, others)) = reached {
                self.land(guard, others, &scene, after)?;
            }
        }
        Ok(())
    }

    /// What becomes of the threads that look on, if the step is possible at all.
    fn told(
        &mut self,
        message: &Message,
        mut guard: Lit,
        (now, next): (&Scene<Set>, &Scene<Set>),
        others: &Places<Lit>,
    ) -> Result<Option<(Lit, Places<Lit>)>, Refused> {
        let mut after = others.clone();
        let mut nobody = true;
        for (point, values) in &mut after.threads {
            let old = self.members.atlas.figure(*point, values.iter().map(|&lit| Set::only(lit)));
            nobody &= !message.asks(self.members.program, &old);
            let kept = self.members.atlas.slots(*point).unwrap_or_default();
            let outcomes = message.reactions(&mut self.interpreter, (now, next), &old, kept)?;
            // All outcomes are in one formula; without one the thread blocks the step.
            let Some((bit, new)) = outcomes.into_iter().next() else { return Ok(None) };
            guard = self.cnf().and(guard, bit);
            *values = kept.iter().map(|&slot| definite(new.get(slot))).collect();
        }
        if nobody {
            let alone = message.holds_alone(&mut self.interpreter, (now, next), usize::MAX)?;
            guard = self.cnf().and(guard, alone);
        }
        Ok(Some((guard, after)))
    }

    /// The thread goes on: every value kept gets one value, `enforce` is asked, dead locals become 0.
    fn land(
        &mut self,
        guard: Lit,
        others: Places<Lit>,
        before: &Scene<Set>,
        mut after: Scene<Set>,
    ) -> Result<(), Refused> {
        let (program, atlas) = (self.members.program, &self.members.atlas);
        let view = &atlas.view.shared;
        let point = atlas.point(&after.me);
        let kept = point.and_then(|point| atlas.slots(point)).unwrap_or_default();
        let shared = view.iter().map(|&id| after.shared[base::Id::index(id)]);
        let sets = shared.chain(kept.iter().map(|&slot| after.me.get(slot))).collect();
        let (possible, values) = self.definite(sets)?;
        let (shared, mine) = values.split_at(view.len());
        after.shared = atlas.shared(shared.iter().map(|&lit| Set::only(lit)));
        kept.iter().zip(mine).for_each(|(&slot, &lit)| after.me.set(slot, Set::only(lit)));
        let enforced = self.interpreter.enforced(after.side())?;
        let guard = self.cnf().and(guard, possible);
        let guard = self.cnf().and(guard, enforced);
        let state = Places { shared: shared.to_vec(), ..others };
        let mut me = after.me;
        me.settle(program);
        let alive = state.threads.len() as u64 + 1;
        match &program.at(before.me.loc()).op {
            Op::Start(spawn) => {
                if self.cnf().solve(&[guard])? {
                    self.population.note_start(alive);
                }
                if alive >= u64::from(self.members.symbolic.bound) {
                    return self.with(guard, state, me);
                }
                let child = self.interpreter.child(before, spawn)?;
                let Some((guard, state)) = self.joined(guard, state, child)? else { return Ok(()) };
                self.with(guard, state, me)
            }
            _ => self.with(guard, state, me),
        }
    }

    /// The state with one more thread must be in the set.
    fn with(&mut self, guard: Lit, state: Places<Lit>, thread: Figure<Set>) -> Result<(), Refused> {
        match self.joined(guard, state, thread)? {
            Some((guard, state)) => self.require(guard, state),
            None => Ok(()),
        }
    }

    /// The state with one more thread, whose values are picked; `None` if it cannot be. One that stands at no point is refused.
    fn joined(
        &mut self,
        guard: Lit,
        mut state: Places<Lit>,
        thread: Figure<Set>,
    ) -> Result<Option<(Lit, Places<Lit>)>, Refused> {
        let atlas = &self.members.atlas;
        let Some((point, kept)) = atlas.point(&thread).and_then(|it| Some((it, atlas.slots(it)?))) else {
            return if self.cnf().solve(&[guard])? { Err(atlas.no_point(&thread).into()) } else { Ok(None) };
        };
        let (possible, values) = self.definite(kept.iter().map(|&slot| thread.get(slot)).collect())?;
        let joined: Thread = (point, values);
        state.threads.push(joined);
        Ok(Some((self.cnf().and(guard, possible), state)))
    }

    /// With the threads that are there already, the templates' threads come in every number that the bound has room for.
    fn populate(&mut self, guard: Lit, state: Places<Lit>) -> Result<(), Refused> {
        let room = u64::from(self.members.symbolic.bound).checked_sub(state.threads.len() as u64);
        let Some(counts) = room.and_then(|room| self.population.counts(room)) else {
            self.population.cut = true;
            return Ok(());
        };
        for count in counts {
            self.members.budget.spend(1)?;
            few(count.iter().map(|&n| u64::from(n)).sum())?;
            let mut joined = Some((guard, Places { initialising: false, ..state.clone() }));
            for (template, &n) in self.members.program.start().templates.iter().zip(&count) {
                for _ in 0..n {
                    let Some((guard, state)) = joined else { break };
                    let thread = beginner(self.members.program, template.procedure);
                    joined = self.joined(guard, state, thread)?;
                }
            }
            if let Some((guard, state)) = joined {
                self.require(guard, state)?;
            }
        }
        Ok(())
    }

    /// One value for each set, and whether they may have these.
    fn definite(&mut self, sets: Vec<Set>) -> Result<(Lit, Vec<Lit>), Refused> {
        let picks = self.cnf().picks(sets)?;
        let (possible, picked) = picks.into_iter().next().expect("formulas pick all values at once");
        Ok((possible, picked.into_iter().map(definite).collect()))
    }

    /// Wherever the guard holds the state is in the set.
    fn require(&mut self, guard: Lit, mut state: Places<Lit>) -> Result<(), Refused> {
        state.sort();
        let members = self.members;
        let cnf = self.cnf();
        let outside = cnf.fresh();
        while cnf.solve(&[guard, outside])? {
            let shown = state.map(|lit| cnf.value(lit));
            let Some((formula, order)) = members.find(&shown)? else {
                return Ok(reject(format!("a step leads out of the set: {}", members.words(&shown)))?);
            };
            let formula = (&members.symbolic.graph, formula);
            let inside = state.formula(cnf, formula, members.width, &order)?;
            cnf.clause(&[!outside, !inside]);
        }
        cnf.clause(&[!outside]);
        Ok(())
    }
}

fn definite(set: Set) -> Lit {
    set.definite().expect("kept values are picked")
}
