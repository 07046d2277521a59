//! What is there before a step that leads above an element: the threads that become its members, and the thread that steps.

use super::crowd::Crowd;
use super::family::Family;
use crate::symbolic::cnf::{Cnf, Lit};
use crate::symbolic::places::Places;
use crate::symbolic::stage::Thread;
use base::Stop;
use check::Refused;
use ir::certificate::ClassTuple;
use std::collections::HashMap;

/// Which places of the element the thread that steps, and the one that it creates, come to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Made {
    pub me: Option<usize>,
    pub child: Option<usize>,
}

/// The threads before a step, and that they are allowed.
pub type Before = (Lit, Crowd);

/// The variables of an element's past.
pub struct Past<'c, 'f> {
    family: &'f Family<'c>,
    initialising: bool,
    shared: Vec<Lit>,
    /// The threads that become the members.
    pub members: Vec<Thread>,
    /// The threads that step, by class.
    movers: HashMap<usize, Vec<Lit>>,
    known: HashMap<(usize, Made), Option<Before>>,
}

impl<'c, 'f> Past<'c, 'f> {
    /// New variables for an element.
    pub fn new(family: &'f Family<'c>, element: &ClassTuple, cnf: &mut Cnf<'_>) -> Self {
        let Places { initialising, shared, threads: members } = family.places(element, || cnf.fresh());
        Past { family, initialising, shared, members, movers: HashMap::new(), known: HashMap::new() }
    }

    /// The threads before a step of one in the class, which comes last; none if they are never allowed.
    pub fn before(&mut self, cnf: &mut Cnf<'_>, class: usize, made: Made) -> Result<Option<Before>, Refused> {
        if let Some(known) = self.known.get(&(class, made)) {
            return Ok(known.clone());
        }
        let is_rest = |&place: &usize| made.me != Some(place) && made.child != Some(place);
        let rest: Vec<usize> = (0..self.members.len()).filter(is_rest).collect();
        // `init` runs alone, and a thread inside an atomic section lets nobody else step.
        let crowded = self.initialising && !rest.is_empty();
        let blocked = rest.iter().any(|&place| self.family.is_inside(self.members[place].0));
        let mut found = None;
        if !crowded && !blocked {
            let before = self.crowd(cnf, class, &rest, self.initialising);
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
        let before = self.crowd(cnf, class, &[], true);
        Ok((self.allowed(cnf, &before)?, before))
    }

    fn crowd(&mut self, cnf: &mut Cnf<'_>, class: usize, rest: &[usize], initialising: bool) -> Crowd {
        let kept = self.family.kept_in(class);
        let fresh = || (0..kept).map(|_| cnf.fresh()).collect();
        let mover = self.movers.entry(class).or_insert_with(fresh).clone();
        let mut threads: Vec<Thread> = rest.iter().map(|&place| self.members[place].clone()).collect();
        threads.push((class, mover));
        let busy = self.family.is_inside(class);
        Crowd { busy, places: Places { initialising, shared: self.shared.clone(), threads } }
    }

    /// That every few of the threads are a tuple.
    fn allowed(&self, cnf: &mut Cnf<'_>, crowd: &Crowd) -> Result<Lit, Stop> {
        let width = self.family.closure.width as usize;
        let mut guard = Lit::TRUE;
        let nobody = Crowd { places: Places { threads: vec![], ..crowd.places.clone() }, ..*crowd };
        // Parts, each with the first thread that may still join.
        let mut parts = vec![(nobody, 0)];
        while let Some((part, from)) = parts.pop() {
            for (index, thread) in crowd.places.threads.iter().enumerate().skip(from) {
                self.family.budget.spend(1)?;
                let more = part.with(thread);
                let holds = more.holds(cnf, self.family)?;
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
