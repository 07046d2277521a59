//! What is there before a step that leads above an element: the threads that become its members, and the
//! thread that steps.

use super::index::ClassIndex;
use super::population::Population;
use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use crate::symbolic::stage::Thread;
use crate::symbolic::state::SymbolicState;
use base::Stop;
use check::Refused;
use ir::certificate::ClassTuple;
use std::collections::HashMap;

/// Which positions of the element the thread that steps, and the one that it creates, come to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Made {
    pub me: Option<usize>,
    pub child: Option<usize>,
}

/// The threads before a step, and that they are allowed.
pub type Before = (Lit, Population);

/// The variables of an element's past.
pub struct Past<'c, 'f> {
    certificate: &'f ClassIndex<'c>,
    initialising: bool,
    shared: Vec<Lit>,
    /// The threads that become the members.
    pub members: Vec<Thread>,
    /// The threads that step, by class.
    active: HashMap<usize, Vec<Lit>>,
    known: HashMap<(usize, Made), Option<Before>>,
}

impl<'c, 'f> Past<'c, 'f> {
    /// New variables for an element.
    pub fn new(certificate: &'f ClassIndex<'c>, element: &ClassTuple, cnf: &mut Cnf<'_>) -> Self {
        let SymbolicState { initialising, shared, threads: members } =
            certificate.state_of(element, || cnf.fresh());
        Past { certificate, initialising, shared, members, active: HashMap::new(), known: HashMap::new() }
    }

    /// The threads before a step of one in the class, which comes last; none if they are never allowed.
    pub fn before(&mut self, cnf: &mut Cnf<'_>, class: usize, made: Made) -> Result<Option<Before>, Refused> {
        if let Some(known) = self.known.get(&(class, made)) {
            return Ok(known.clone());
        }
        let is_rest = |&position: &usize| made.me != Some(position) && made.child != Some(position);
        let rest: Vec<usize> = (0..self.members.len()).filter(is_rest).collect();
        // `init` runs alone, and a thread inside an atomic section lets nobody else step.
        let others = self.initialising && !rest.is_empty();
        let blocked = rest.iter().any(|&position| self.certificate.is_inside(self.members[position].0));
        let mut found = None;
        if !others && !blocked {
            let before = self.population(cnf, class, &rest, self.initialising);
            let guard = self.allowed(cnf, &before)?;
            if guard != Lit::FALSE && cnf.solve(&[guard])? {
                found = Some((guard, before));
            }
        }
        self.known.insert((class, made), found.clone());
        Ok(found)
    }

    /// A thread of the class that runs `init`.
    pub fn alone(&mut self, cnf: &mut Cnf<'_>, class: usize) -> Result<Before, Stop> {
        let before = self.population(cnf, class, &[], true);
        Ok((self.allowed(cnf, &before)?, before))
    }

    fn population(
        &mut self,
        cnf: &mut Cnf<'_>,
        class: usize,
        rest: &[usize],
        initialising: bool,
    ) -> Population {
        let kept = self.certificate.kept_in(class);
        let fresh = || (0..kept).map(|_| cnf.fresh()).collect();
        let active = self.active.entry(class).or_insert_with(fresh).clone();
        let mut threads: Vec<Thread> = rest.iter().map(|&position| self.members[position].clone()).collect();
        threads.push((class, active));
        let busy = self.certificate.is_inside(class);
        Population { busy, state: SymbolicState { initialising, shared: self.shared.clone(), threads } }
    }

    /// That every few of the threads are a tuple.
    fn allowed(&self, cnf: &mut Cnf<'_>, population: &Population) -> Result<Lit, Stop> {
        let width = self.certificate.closure.width as usize;
        let mut guard = Lit::TRUE;
        let nobody = Population {
            state: SymbolicState { threads: vec![], ..population.state.clone() },
            ..*population
        };
        // Parts, each with the first thread that may still join.
        let mut parts = vec![(nobody, 0)];
        while let Some((part, from)) = parts.pop() {
            for (index, thread) in population.state.threads.iter().enumerate().skip(from) {
                self.certificate.budget.spend(1)?;
                let more = part.with(thread);
                let holds = more.holds(cnf, self.certificate)?;
                guard = cnf.and(guard, holds);
                if guard == Lit::FALSE {
                    return Ok(guard);
                }
                if more.len() < width {
                    parts.push((more, index + 1));
                }
            }
        }
        Ok(guard)
    }
}
