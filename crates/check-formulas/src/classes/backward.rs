//! The questions about one element of the basis b. No start is above b; and for each step the fewest threads
//! that it can take to what is above b: those that become members of b, and the thread that steps. Either
//! some few of these are no tuple, or they are above an element already. So no run gets above an element: the
//! first step that did would start from threads that the tuples allow and that are above none. As with
//! explicit elements, nothing here needs the program to be monotone: what other threads may forbid is left
//! out.
//!
//! A thread that steps is inside an atomic section exactly if somebody is, so that it decides the marks
//! before the step and after it, and all others are outside.

use super::at;
use super::elements::{Elements, classes_of};
use super::index::ClassIndex;
use super::past::{Made, Past};
use super::population::Population;
use super::survey::Behaviour;
use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use crate::symbolic::sets::Set;
use crate::symbolic::stage::{Landing, Stage, Thread};
use crate::symbolic::state::SymbolicState;
use base::Stop;
use check::interpret::beginner;
use check::message::Message;
use check::population::pools;
use check::thread::{AbstractThread, ThreadState};
use check::within;
use check::{Refused, reject};
use ir::bp::ProcId;
use ir::certificate::ClassTuple;
use ir::net::Interval;

/// What is asked about an element, and the solver that answers.
pub struct Backward<'c, 'f> {
    certificate: &'f ClassIndex<'c>,
    elements: &'f Elements,
    behaviours: &'f [Behaviour],
    index: usize,
    element: &'c ClassTuple,
    stage: Stage<'c, 'f>,
    past: Past<'c, 'f>,
}

impl<'c, 'f> Backward<'c, 'f> {
    /// Nothing is asked yet.
    pub fn new(
        certificate: &'f ClassIndex<'c>,
        elements: &'f Elements,
        behaviours: &'f [Behaviour],
        index: usize,
    ) -> Self {
        let mut stage = certificate.stage();
        let element = &certificate.closure.basis[index];
        let past = Past::new(certificate, element, stage.cnf());
        Backward { certificate, elements, behaviours, index, element, stage, past }
    }

    fn cnf(&mut self) -> &mut Cnf<'c> {
        self.stage.cnf()
    }

    /// No start is above the element, and every step that leads above it comes from above an element.
    pub fn check(mut self) -> Result<(), Refused> {
        self.starts()?;
        for (class, controls) in self.certificate.closure.classes.iter().enumerate() {
            for &control in controls {
                self.certificate.budget.spend(1)?;
                let loc = self.certificate.view_index.loc(control);
                let position = || at(self.certificate.program, loc);
                self.control(class, control).map_err(|why| within(&position(), why))?;
            }
        }
        Ok(())
    }

    fn starts(&mut self) -> Result<(), Refused> {
        let init = self.certificate.program.start().init;
        if self.element.busy || self.element.initialising != init.is_some() {
            return Ok(());
        }
        let (guard, shared) = self.stage.start()?;
        let pools = match init {
            None => pools(self.certificate.program),
            Some(init) => vec![(init, Interval::exactly(1))],
        };
        if self.fits(guard, &shared, &pools, None)? {
            return Ok(reject("it can be there at the start")?);
        }
        Ok(())
    }

    /// Whether the members can be among the threads that begin together, where those before them, if any, are
    /// above no element.
    fn fits(
        &mut self,
        guard: Lit,
        shared: &[Lit],
        pools: &[(ProcId, Interval)],
        before: Option<&Population>,
    ) -> Result<bool, Refused> {
        let (certificate, element) = (self.certificate, self.element);
        let classes: Vec<usize> = classes_of(element).collect();
        let nobody = SymbolicState { initialising: false, shared: shared.to_vec(), threads: vec![] };
        let mut grown = vec![(guard, nobody, vec![0; pools.len()])];
        while let Some((guard, population, used)) = grown.pop() {
            certificate.budget.spend(1)?;
            let Some(&class) = classes.get(population.threads.len()) else {
                if self.is_reached(guard, &population, before)? {
                    return Ok(true);
                }
                continue;
            };
            for (pool, &(procedure, count)) in pools.iter().enumerate() {
                let thread = beginner(certificate.program, procedure);
                if count.most.is_some_and(|most| used[pool] >= most) || self.class(&thread) != Some(class) {
                    continue;
                }
                let Some((guard, thread)) = self.named(guard, &thread)? else { continue };
                let (mut more, mut used) = (population.clone(), used.clone());
                more.threads.push(thread);
                used[pool] += 1;
                grown.push((guard, more, used));
            }
        }
        Ok(false)
    }

    /// The steps of a thread at a control location.
    fn control(&mut self, class: usize, control: usize) -> Result<(), Refused> {
        let behaviours = self.behaviours;
        let behaviour = &behaviours[control];
        let nothing = Made { me: None, child: None };
        if behaviour.ends {
            return match self.element.initialising {
                true => Ok(()),
                false => self.end(class, control),
            };
        }
        if !behaviour.private {
            self.step(class, control, nothing)?;
        }
        let mine: Vec<usize> = self.positions(|it| behaviour.next.contains(&it)).collect();
        for &me in &mine {
            self.step(class, control, Made { me: Some(me), child: None })?;
        }
        // SymbolicState of one class that can be exchanged count once, unless both are filled.
        let all: Vec<usize> = classes_of(self.element).collect();
        for child in self.positions(|it| Some(it) == behaviour.child).collect::<Vec<_>>() {
            self.step(class, control, Made { me: None, child: Some(child) })?;
            for me in (0..all.len()).filter(|&me| me != child && behaviour.next.contains(&all[me])) {
                self.step(class, control, Made { me: Some(me), child: Some(child) })?;
            }
        }
        Ok(())
    }

    /// The positions in such classes, one for all that can be exchanged.
    fn positions(&self, fits: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
        let (index, elements) = (self.index, self.elements);
        let all = classes_of(self.element).enumerate().filter(move |it| fits(it.1));
        all.map(|it| it.0).filter(move |&position| !elements.repeats(index, position))
    }

    /// The thread ends: what it leaves is its section, and where it ran `init` the program starts.
    fn end(&mut self, class: usize, control: usize) -> Result<(), Refused> {
        if self.element.busy {
            return Ok(());
        }
        let program = self.certificate.program;
        if program.start().init.is_some() {
            let (guard, before) = self.past.alone(self.stage.cnf(), class)?;
            let (guard, _) = self.thread_state(guard, control, &before)?;
            let shared = before.state.shared.clone();
            if self.cnf().solve(&[guard])? && self.fits(guard, &shared, &pools(program), Some(&before))? {
                return Ok(reject("the element can be there when `init` has ended")?);
            }
        }
        if !self.certificate.is_inside(class) {
            return Ok(());
        }
        let Some((guard, before)) =
            self.past.before(self.stage.cnf(), class, Made { me: None, child: None })?
        else {
            return Ok(());
        };
        let (guard, _) = self.thread_state(guard, control, &before)?;
        let after = SymbolicState { threads: self.past.members.clone(), ..before.state.clone() };
        self.refuse(guard, &after, &before)
    }

    /// The thread that steps, and that its `enforce` holds.
    fn thread_state(
        &mut self,
        guard: Lit,
        control: usize,
        before: &Population,
    ) -> Result<(Lit, ThreadState<Set>), Stop> {
        let (_, active) = before.state.threads.last().expect("the thread that steps comes last");
        let thread_state = self.stage.thread_state(&before.state.shared, control, active);
        let enforced = self.stage.interpreter.enforced(thread_state.side())?;
        Ok((self.cnf().and(guard, enforced), thread_state))
    }

    /// A step after which the thread and its child are in these positions of the element.
    fn step(&mut self, class: usize, control: usize, made: Made) -> Result<(), Refused> {
        let (certificate, program) = (self.certificate, self.certificate.program);
        let Some((guard, before)) = self.past.before(self.stage.cnf(), class, made)? else { return Ok(()) };
        let (guard, thread_state) = self.thread_state(guard, control, &before)?;
        let mut others = before.clone();
        others.state.threads.pop();
        let notified = Message::of(program, &program.at(thread_state.me.loc()).op).is_some();
        let mut placements = certificate.placements(&others, notified);
        while let Some(chosen) = placements.current() {
            certificate.budget.spend(1)?;
            let passive = certificate.placed(&others, chosen);
            for landing in self.stage.landings(guard, &thread_state, &passive)? {
                if landing.me.inside == self.element.busy {
                    self.arrive(&before, made, landing)?;
                }
            }
            placements.advance();
        }
        Ok(())
    }

    /// Whether what is there after the step is above the element.
    fn arrive(&mut self, before: &Population, made: Made, landing: Landing) -> Result<(), Refused> {
        let mut threads: Vec<Option<Thread>> = vec![None; self.past.members.len()];
        let mut guard = landing.guard;
        for (position, abstract_thread) in
            [(made.me, Some(&landing.me)), (made.child, landing.child.as_ref())]
        {
            let (Some(position), Some(abstract_thread)) = (position, abstract_thread) else { continue };
            // It may go elsewhere in another way of the same statement.
            let joined =
                self.named(guard, abstract_thread)?.filter(|it| it.1.0 == self.past.members[position].0);
            let Some((possible, thread)) = joined else { return Ok(()) };
            (guard, threads[position]) = (possible, Some(thread));
        }
        let mut rest = before.state.threads.iter().zip(landing.others).map(|(it, values)| (it.0, values));
        let threads = threads.into_iter().map(|it| it.or_else(|| rest.next())).collect::<Option<Vec<_>>>();
        let threads = threads.expect("all members that are not made are there before");
        let after =
            SymbolicState { initialising: before.state.initialising, shared: landing.shared, threads };
        self.refuse(guard, &after, before)
    }

    fn refuse(&mut self, guard: Lit, after: &SymbolicState<Lit>, before: &Population) -> Result<(), Refused> {
        if self.is_reached(guard, after, Some(before))? {
            return Ok(reject("a step leads above the element")?);
        }
        Ok(())
    }

    /// Whether the element can be what is there after a step, where what is there before is above no element.
    fn is_reached(
        &mut self,
        guard: Lit,
        after: &SymbolicState<Lit>,
        before: Option<&Population>,
    ) -> Result<bool, Refused> {
        let (certificate, elements) = (self.certificate, self.elements);
        let order: Vec<usize> = (0..after.threads.len()).collect();
        let formula = certificate.formula(self.element.formula);
        let above = after.formula(self.cnf(), formula, certificate.kept, &order)?;
        let reached = self.cnf().and(guard, above);
        if reached == Lit::FALSE || !self.cnf().solve(&[reached])? {
            return Ok(false);
        }
        let Some(before) = before else { return Ok(true) };
        let covered = elements.cover(self.cnf(), certificate, before)?;
        self.cnf().solve(&[reached, !covered])
    }

    fn class(&self, abstract_thread: &AbstractThread<Set>) -> Option<usize> {
        self.certificate
            .view_index
            .control(abstract_thread)
            .and_then(|control| self.certificate.class_of(control))
    }

    fn named(
        &mut self,
        guard: Lit,
        abstract_thread: &AbstractThread<Set>,
    ) -> Result<Option<(Lit, Thread)>, Stop> {
        let certificate = self.certificate;
        self.stage.named(guard, abstract_thread, |control| certificate.class_of(control))
    }
}
