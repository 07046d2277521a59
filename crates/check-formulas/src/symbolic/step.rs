//! The questions about one piece, or about the starts: each has its own solver, so that memory does not grow
//! with the certificate.

use super::cnf::Cnf;
use super::members::{Members, few};
use super::sets::Set;
use super::stage::{Landing, Stage};
use super::state::SymbolicState;
use crate::proof::Lit;
use check::describe::location;
use check::interpret::{beginner, ends};
use check::population::{Population, pools};
use check::thread::AbstractThread;
use check::within;
use check::{Refused, reject};
use ir::certificate::Piece;

/// What is asked, and the solver that answers.
pub struct PieceQuestion<'c, 'm> {
    members: &'m Members<'c>,
    population: &'m mut Population,
    stage: Stage<'c, 'm>,
}

impl<'c, 'm> PieceQuestion<'c, 'm> {
    /// Nothing is asked yet.
    pub fn new(members: &'m Members<'c>, population: &'m mut Population) -> Self {
        let stage = Stage::new(members.program, &members.view_index, members.budget);
        PieceQuestion { members, population, stage }
    }

    fn cnf(&mut self) -> &mut Cnf<'c> {
        self.stage.cnf()
    }

    /// Every start of the program is in the set.
    pub fn starts(mut self) -> Result<(), Refused> {
        let program = self.members.program;
        let (guard, shared) = self.stage.start()?;
        let state = SymbolicState { initialising: program.start().init.is_some(), shared, threads: vec![] };
        match program.start().init {
            None => self.populate(guard, state),
            Some(init) => self.with(guard, state, &beginner(program, init)),
        }
    }

    /// No state of the piece fails, and every step from it leads into the set.
    pub fn piece(mut self, piece: &Piece) -> Result<(), Refused> {
        let members = self.members;
        let cnf = self.cnf();
        let state = members.state_of(piece, || cnf.fresh());
        let order: Vec<usize> = (0..state.threads.len()).collect();
        let formula = members.formula(piece.formula);
        let holds = state.formula(cnf, formula, members.width, &order)?;
        cnf.clause(&[holds]);
        if !cnf.solve(&[])? {
            return Ok(());
        }
        let controls = &members.view_index.view.controls;
        let inside = state.threads.iter().filter(|it| controls[it.0].inside).count();
        for (index, &(control, _)) in state.threads.iter().enumerate() {
            let at = location(members.program, members.view_index.loc(control));
            if members.program.at(members.view_index.loc(control)).error {
                return Ok(reject(format!("a thread stands at an error label, {at}"))?);
            }
            // While a thread is inside an atomic section only that thread may step.
            if inside == 0 || (inside == 1 && controls[control].inside) {
                let again = index > 0 && self.are_alike(piece, &state, index)?;
                if !again {
                    self.thread(&state, index).map_err(|why| within(&format!("a thread {at}"), why))?;
                }
            }
        }
        Ok(())
    }

    /// Whether the thread in this position may be exchanged with the one before: then it can do nothing that
    /// that one cannot.
    fn are_alike(
        &mut self,
        piece: &Piece,
        state: &SymbolicState<Lit>,
        index: usize,
    ) -> Result<bool, Refused> {
        if state.threads[index].0 != state.threads[index - 1].0 {
            return Ok(false);
        }
        let mut order: Vec<usize> = (0..state.threads.len()).collect();
        order.swap(index - 1, index);
        let (formula, width) = (self.members.formula(piece.formula), self.members.width);
        let exchanged = state.formula(self.cnf(), formula, width, &order)?;
        Ok(!self.cnf().solve(&[!exchanged])?)
    }

    /// All that the thread in this position may do.
    fn thread(&mut self, state: &SymbolicState<Lit>, index: usize) -> Result<(), Refused> {
        let (control, values) = &state.threads[index];
        let thread_state = self.stage.thread_state(&state.shared, *control, values);
        let guard = self.stage.interpreter.enforced(thread_state.side())?;
        if let Some(fails) = self.stage.interpreter.failure(&thread_state)?
            && self.cnf().solve(&[guard, fails])?
        {
            return Ok(reject("the assertion may fail")?);
        }
        let mut others = state.clone();
        others.threads.remove(index);
        if ends(self.members.program, &thread_state.me) {
            let ended = SymbolicState { initialising: false, ..others };
            return if state.initialising { self.populate(guard, ended) } else { self.require(guard, ended) };
        }
        let passive: Vec<(usize, &[Lit])> = others.threads.iter().map(|it| (it.0, &it.1[..])).collect();
        for landing in self.stage.landings(guard, &thread_state, &passive)? {
            self.arrive(&others, landing)?;
        }
        Ok(())
    }

    /// The thread is where it goes, and so is its child if there is room for it.
    fn arrive(&mut self, others: &SymbolicState<Lit>, landing: Landing) -> Result<(), Refused> {
        let threads = others.threads.iter().zip(landing.others).map(|(it, values)| (it.0, values)).collect();
        let state = SymbolicState { initialising: others.initialising, shared: landing.shared, threads };
        let guard = landing.guard;
        let Some(child) = landing.child else { return self.with(guard, state, &landing.me) };
        let alive = state.threads.len() as u64 + 1;
        if self.cnf().solve(&[guard])? {
            self.population.note_start(alive);
        }
        if alive >= u64::from(self.members.symbolic.bound) {
            return self.with(guard, state, &landing.me);
        }
        let Some((guard, state)) = self.joined(guard, state, &child)? else { return Ok(()) };
        self.with(guard, state, &landing.me)
    }

    /// The state with one more thread must be in the set.
    fn with(
        &mut self,
        guard: Lit,
        state: SymbolicState<Lit>,
        thread: &AbstractThread<Set>,
    ) -> Result<(), Refused> {
        match self.joined(guard, state, thread)? {
            Some((guard, state)) => self.require(guard, state),
            None => Ok(()),
        }
    }

    /// The state with one more thread; `None` if it cannot be. One that stands at no control location is
    /// refused.
    fn joined(
        &mut self,
        guard: Lit,
        mut state: SymbolicState<Lit>,
        thread: &AbstractThread<Set>,
    ) -> Result<Option<(Lit, SymbolicState<Lit>)>, Refused> {
        match self.stage.named(guard, thread, Some)? {
            Some((guard, thread)) => {
                state.threads.push(thread);
                Ok(Some((guard, state)))
            }
            None if self.cnf().solve(&[guard])? => {
                Err(self.members.view_index.unknown_control(thread).into())
            }
            None => Ok(None),
        }
    }

    /// With the threads that are there already, the templates' threads come in every number that the bound
    /// has room for.
    fn populate(&mut self, guard: Lit, state: SymbolicState<Lit>) -> Result<(), Refused> {
        let capacity = u64::from(self.members.symbolic.bound).checked_sub(state.threads.len() as u64);
        let Some(capacity) = capacity else {
            self.population.cut = true;
            return Ok(());
        };
        let pools = pools(self.members.program);
        for count in self.population.counts(capacity) {
            self.members.budget.spend(1)?;
            few(count.iter().map(|&n| u64::from(n)).sum())?;
            let mut joined = Some((guard, SymbolicState { initialising: false, ..state.clone() }));
            for ((procedure, _), &n) in pools.iter().zip(&count) {
                for _ in 0..n {
                    let Some((guard, state)) = joined else { break };
                    let thread = beginner(self.members.program, *procedure);
                    joined = self.joined(guard, state, &thread)?;
                }
            }
            if let Some((guard, state)) = joined {
                self.require(guard, state)?;
            }
        }
        Ok(())
    }

    /// Wherever the guard holds the state is in the set.
    fn require(&mut self, guard: Lit, mut state: SymbolicState<Lit>) -> Result<(), Refused> {
        state.sort();
        let members = self.members;
        let cnf = self.cnf();
        let outside = cnf.fresh();
        while cnf.solve(&[guard, outside])? {
            let shown = state.map(|lit| cnf.value(lit));
            let Some((formula, order)) = members.find(&shown)? else {
                return Ok(reject(format!("a step leads out of the set: {}", members.words(&shown)))?);
            };
            let inside = state.formula(cnf, members.formula(formula), members.width, &order)?;
            cnf.clause(&[!outside, !inside]);
        }
        cnf.clause(&[!outside]);
        Ok(())
    }
}
