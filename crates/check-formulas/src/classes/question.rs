//! The questions about one tuple, or about the starts: each has its own solver, so that memory does not grow
//! with the certificate.

use super::at;
use super::elements::Elements;
use super::index::ClassIndex;
use super::population::Population;
use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use crate::symbolic::sets::Set;
use crate::symbolic::stage::{Landing, Stage, Thread};
use crate::symbolic::state::SymbolicState;
use check::interpret::{beginner, ends};
use check::message::Message;
use check::thread::AbstractThread;
use check::within;
use check::{Refused, reject};
use ir::bp::{Count, Loc, Op, Program, Var};
use ir::certificate::ClassTuple;

/// What is asked, and the solver that answers.
pub struct TupleQuestion<'c, 'f> {
    certificate: &'f ClassIndex<'c>,
    elements: &'f Elements,
    stage: Stage<'c, 'f>,
}

/// A thread that is about to step, and the passive threads.
struct Step<'a> {
    /// That they are together.
    guard: Lit,
    /// Where the thread stands.
    class: usize,
    control: usize,
    /// Its values.
    values: &'a [Lit],
    /// The passive threads, with the shared variables.
    others: &'a Population,
    /// Whether the thread is one of the tuple.
    own: bool,
}

impl<'c, 'f> TupleQuestion<'c, 'f> {
    /// Nothing is asked yet.
    pub fn new(certificate: &'f ClassIndex<'c>, elements: &'f Elements) -> Self {
        TupleQuestion { certificate, elements, stage: certificate.stage() }
    }

    fn cnf(&mut self) -> &mut Cnf<'c> {
        self.stage.cnf()
    }

    fn width(&self) -> usize {
        self.certificate.closure.width as usize
    }

    /// All threads that the program may start with are tuples.
    pub fn starts(mut self) -> Result<(), Refused> {
        let program = self.certificate.program;
        let (guard, shared) = self.stage.start()?;
        let init = program.start().init;
        let state = SymbolicState { initialising: init.is_some(), shared, threads: vec![] };
        let nobody = Population { busy: false, state };
        match init {
            None => self.populate(guard, &nobody, None),
            Some(init) => match self.joined(guard, &beginner(program, init), None)? {
                Some((guard, thread)) => self.require(guard, &nobody.with(&thread), None),
                None => Ok(()),
            },
        }
    }

    /// Every few threads of the templates are a tuple.
    fn populate(&mut self, guard: Lit, nobody: &Population, step: Option<&Step<'_>>) -> Result<(), Refused> {
        let program = self.certificate.program;
        // Each with the template that its last thread is of, and how many of that template there are.
        let mut grown: Vec<(Lit, Population, usize, u32)> = vec![(guard, nobody.clone(), 0, 0)];
        while let Some((guard, population, last, count)) = grown.pop() {
            self.certificate.budget.spend(1)?;
            if population.len() == self.width() {
                continue;
            }
            for (index, template) in program.start().templates.iter().enumerate().skip(last) {
                let count = if index == last { count } else { 0 };
                if matches!(template.count, Count::Exactly(n) if count >= n) {
                    continue;
                }
                let thread = beginner(program, template.procedure);
                let Some((guard, thread)) = self.joined(guard, &thread, step)? else { continue };
                let more = population.with(&thread);
                self.require(guard, &more, step)?;
                grown.push((guard, more, index, count + 1));
            }
        }
        Ok(())
    }

    /// No thread of the tuple fails, and every step of one of its threads, or of one more, leads to tuples.
    pub fn tuple(mut self, tuple: &ClassTuple) -> Result<(), Refused> {
        let certificate = self.certificate;
        let cnf = self.cnf();
        let population = Population { busy: tuple.busy, state: certificate.state_of(tuple, || cnf.fresh()) };
        let holds = population.holds(cnf, certificate)?;
        cnf.clause(&[holds]);
        if !cnf.solve(&[])? {
            return Ok(());
        }
        for index in 0..population.len() {
            let (class, values) = &population.state.threads[index];
            if index > 0 && *class == population.state.threads[index - 1].0 {
                self.are_alike(tuple, &population, index)?;
                continue;
            }
            let others = population.without(index);
            let class = *class;
            self.steps(Step { guard: Lit::TRUE, class, control: 0, values, others: &others, own: true })?;
        }
        // `init` runs alone.
        if population.len() < self.width() || tuple.initialising {
            return Ok(());
        }
        for class in 0..certificate.closure.classes.len() {
            self.one_more(&population, class)?;
        }
        Ok(())
    }

    /// The threads in this position and the one before can be exchanged. So it does not matter in which order
    /// threads of a class are listed, and what the one can do the other can do as well.
    fn are_alike(
        &mut self,
        tuple: &ClassTuple,
        population: &Population,
        index: usize,
    ) -> Result<(), Refused> {
        if self.certificate.exchangeable(tuple.formula, index)? == Some(true) {
            return Ok(());
        }
        let exchanged = population.exchanged(index - 1, index).holds(self.stage.cnf(), self.certificate)?;
        if self.cnf().solve(&[!exchanged])? {
            return Ok(reject("threads of one class cannot be exchanged")?);
        }
        Ok(())
    }

    /// The steps of one more thread, in this class, that goes together with each part of the tuple.
    fn one_more(&mut self, population: &Population, class: usize) -> Result<(), Refused> {
        let certificate = self.certificate;
        if population.busy && !certificate.is_inside(class) {
            return Ok(());
        }
        let values: Vec<Lit> = (0..certificate.kept_in(class)).map(|_| self.cnf().fresh()).collect();
        let thread: Thread = (class, values);
        let mut guard = Lit::TRUE;
        for index in 0..population.len() {
            let together = population.without(index).with(&thread).holds(self.cnf(), certificate)?;
            guard = self.cnf().and(guard, together);
        }
        if guard == Lit::FALSE || !self.cnf().solve(&[guard])? {
            return Ok(());
        }
        self.steps(Step { guard, class, control: 0, values: &thread.1, others: population, own: false })
    }

    /// The steps of a thread somewhere in a class.
    fn steps(&mut self, step: Step<'_>) -> Result<(), Refused> {
        let certificate = self.certificate;
        for &control in &certificate.closure.classes[step.class] {
            certificate.budget.spend(1)?;
            let (step, loc) = (Step { control, ..step }, certificate.view_index.loc(control));
            let inside = certificate.view_index.view.controls[control].inside;
            if !step.own && step.others.busy == inside && is_private(certificate.program, loc) {
                continue;
            }
            self.step(&step).map_err(|why| within(&at(certificate.program, loc), why))?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step<'_>) -> Result<(), Refused> {
        let (program, view_index) = (self.certificate.program, &self.certificate.view_index);
        let alone = step.own && step.others.len() == 0;
        if alone && program.at(view_index.loc(step.control)).error && self.may_be(Some(step), Lit::TRUE)? {
            return Ok(reject("a thread stands at an error label")?);
        }
        // While a thread is inside an atomic section only that thread may step.
        if step.others.busy && !view_index.view.controls[step.control].inside {
            return Ok(());
        }
        let thread_state = self.stage.thread_state(&step.others.state.shared, step.control, step.values);
        let enforced = self.stage.interpreter.enforced(thread_state.side())?;
        let guard = self.cnf().and(step.guard, enforced);
        if alone && let Some(fails) = self.stage.interpreter.failure(&thread_state)? {
            let fails = self.cnf().and(guard, fails);
            if self.may_be(Some(step), fails)? {
                return Ok(reject("the assertion may fail")?);
            }
        }
        if ends(program, &thread_state.me) {
            return self.ended(guard, step);
        }
        let asks = Message::of(program, &program.at(thread_state.me.loc()).op).is_some();
        let mut placements = self.certificate.placements(step.others, asks);
        while let Some(chosen) = placements.current() {
            let others = self.certificate.placed(step.others, chosen);
            for landing in self.stage.landings(guard, &thread_state, &others)? {
                self.arrive(step, landing)?;
            }
            placements.advance();
        }
        Ok(())
    }

    /// The thread is gone, and with it its section.
    fn ended(&mut self, guard: Lit, step: &Step<'_>) -> Result<(), Refused> {
        let mut others = Population { busy: false, ..step.others.clone() };
        if !others.state.initialising {
            let left = step.others.busy;
            return if left { self.require(guard, &others, Some(step)) } else { Ok(()) };
        }
        others.state.threads.clear();
        others.state.initialising = false;
        self.populate(guard, &others, Some(step))
    }

    /// The thread is where it goes, and so is its child; the passive threads alone, with each of them and
    /// with both.
    fn arrive(&mut self, step: &Step<'_>, landing: Landing) -> Result<(), Refused> {
        let mut seen = Population { busy: landing.me.inside, ..step.others.clone() };
        seen.state.shared = landing.shared;
        seen.state.threads.iter_mut().zip(landing.others).for_each(|(it, values)| it.1 = values);
        let same = |a: &Population, b: &Population| {
            let threads = a.state.threads == b.state.threads;
            a.busy == b.busy && a.state.shared == b.state.shared && threads
        };
        let guard = landing.guard;
        if !same(&seen, step.others) {
            self.require(guard, &seen, Some(step))?;
        }
        if !step.own {
            return Ok(());
        }
        let mine = self.joined(guard, &landing.me, Some(step))?;
        if let Some((guard, me)) = &mine {
            self.require(*guard, &seen.with(me), Some(step))?;
        }
        let Some(child) = landing.child else { return Ok(()) };
        let Some((guard, child)) = self.joined(guard, &child, Some(step))? else { return Ok(()) };
        self.require(guard, &seen.with(&child), Some(step))?;
        match mine {
            Some((own, me)) if seen.len() + 2 <= self.width() => {
                let guard = self.cnf().and(guard, own);
                self.require(guard, &seen.with(&me).with(&child), Some(step))
            }
            _ => Ok(()),
        }
    }

    /// One more thread; `None` if it cannot be. One that stands in no class is refused.
    fn joined(
        &mut self,
        guard: Lit,
        thread: &AbstractThread<Set>,
        step: Option<&Step<'_>>,
    ) -> Result<Option<(Lit, Thread)>, Refused> {
        let certificate = self.certificate;
        match self.stage.named(guard, thread, |control| certificate.class_of(control))? {
            Some(joined) => Ok(Some(joined)),
            None if self.may_be(step, guard)? => Err(certificate.view_index.unknown_control(thread).into()),
            None => Ok(None),
        }
    }

    /// Wherever the guard holds the threads are a tuple; nobody always is. What comes after threads above a
    /// element of the basis is not asked about.
    fn require(
        &mut self,
        guard: Lit,
        population: &Population,
        step: Option<&Step<'_>>,
    ) -> Result<(), Refused> {
        if population.len() == 0 || guard == Lit::FALSE {
            return Ok(());
        }
        let holds = population.holds(self.stage.cnf(), self.certificate)?;
        let lost = self.cnf().and(guard, !holds);
        if self.may_be(step, lost)? {
            let classes: Vec<usize> = population.state.threads.iter().map(|it| it.0).collect();
            return Ok(reject(format!("a step leads to threads in classes {classes:?} that are no tuple"))?);
        }
        Ok(())
    }

    /// Whether something may be so; before a step only where the threads are above no element of the basis.
    fn may_be(&mut self, step: Option<&Step<'_>>, bit: Lit) -> Result<bool, Refused> {
        if bit == Lit::FALSE || !self.cnf().solve(&[bit])? {
            return Ok(false);
        }
        let Some(step) = step else { return Ok(true) };
        let before = step.others.with(&(step.class, step.values.to_vec()));
        let covered = self.elements.cover(self.stage.cnf(), self.certificate, &before)?;
        Ok(covered == Lit::FALSE || self.cnf().solve(&[bit, !covered])?)
    }
}

/// A statement after which the shared variables, the section and all other threads are as they were.
pub fn is_private(program: &Program, loc: Loc) -> bool {
    let op = &program.at(loc).op;
    let plain = match op {
        Op::Skip | Op::Goto(_) | Op::Branch { .. } | Op::Assume(_) | Op::Assert(_) | Op::Start(_) => true,
        Op::Assign { targets, .. } => targets.iter().all(|it| matches!(it.0, Var::Local(_))),
        _ => false,
    };
    plain && Message::of(program, op).is_none()
}
