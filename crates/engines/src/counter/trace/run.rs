//! The commands of one thread in one step, found backwards through the silent locations that it ran through.

use super::super::group::Control;
use super::super::threads::{Joint, Pending};
use super::deed::{Deed, Finder, Micro};
use super::scene::{Person, Scene, Values, person, person_literals, shared_literals};
use crate::symbolic::{Slot, Step};
use base::{Id, Stop};
use ir::bp::{Loc, Var};
use solve::bdd::Bdd;

/// A run of one thread through its commands.
pub struct Run {
    mover: Person,
    shared: Vec<bool>,
    /// Old and new values of its first command.
    pub active: Values,
    micros: Vec<Micro>,
}

/// Where a thread is on the way back.
#[derive(Clone)]
struct Point {
    shared: Vec<bool>,
    person: Option<Person>,
}

/// The first command of a thread's step, and what of it is asked for.
pub struct First {
    /// Where the thread stands.
    pub at: Control,
    /// Which command of the location.
    pub index: usize,
    /// The command.
    pub step: Step,
    /// Old and new values.
    pub active: Bdd,
}

impl Run {
    /// The step in which these are the other threads, before and after it.
    pub fn deed(self, initialising: bool, others: Vec<Person>) -> Deed {
        let mut people = vec![self.mover.clone()];
        people.extend(others);
        Deed {
            before: Scene { initialising, shared: self.shared, people },
            mover: self.mover,
            micros: self.micros,
            active: self.active,
            child: None,
            refused: false,
            reactions: vec![],
            newborn: vec![],
        }
    }
}

impl Finder<'_, '_> {
    /// The commands that lead a thread from the first one's old values to `own` and these shared values.
    pub fn run(
        &mut self,
        first: &First,
        own: Option<&Person>,
        born: Option<&Person>,
        shared: &[bool],
    ) -> Result<Option<Run>, Stop> {
        let mut active = first.active;
        if let Some(born) = born {
            let cube = person_literals(&self.threads.symbolic, born, Slot::Passive);
            let cube = self.threads.symbolic.manager.cube(&cube)?;
            active = self.threads.symbolic.manager.and(active, cube, self.budget)?;
        }
        let mut point = Point { shared: shared.to_vec(), person: own.cloned() };
        let mut micros = vec![];
        if first.step.to.is_some() {
            let (entries, silent) = self.forward(first, active)?;
            while !self.is_entry(&entries, &point)? {
                let Some((before, micro)) = self.back(&silent, &point)? else { return Ok(None) };
                micros.push(micro);
                point = before;
            }
        }
        let cube = self.cube(&point)?;
        let symbolic = &mut self.threads.symbolic;
        let target = symbolic.retreat(&first.step, cube, self.budget)?;
        let all = symbolic.manager.and(active, target, self.budget)?;
        let Some(active) = Values::pick(symbolic, all) else { return Ok(None) };
        let mover = person(symbolic, &active, first.at, Slot::Own);
        let before = Point { shared: active.shared(symbolic), person: Some(mover.clone()) };
        micros.push(self.micro((first.at.loc(), first.index), &before, &point, Some(&active))?);
        micros.reverse();
        Ok(Some(Run { mover, shared: before.shared, active, micros }))
    }

    /// The sets that the first command leads to, and those of the silent locations that are left again.
    fn forward(&mut self, first: &First, active: Bdd) -> Result<(Pending, Vec<(Control, Bdd)>), Stop> {
        let after = self.threads.symbolic.image_by(&first.step, Bdd::TRUE, active, self.budget)?;
        let mut pending = Pending::new();
        self.threads.arrive(&first.step, first.at, Joint::Mixed(after), &mut pending, self.budget)?;
        let (entries, mut silent) = (pending.clone(), vec![]);
        while let Some(((_, at), set)) = pending.pop_first() {
            if !self.threads.runs_on(at.loc()) || self.threads.symbolic.program.at(at.loc()).error {
                continue;
            }
            let (_, rest) = self.threads.failing(at, set, self.budget)?;
            silent.push((at, self.threads.mixed(rest, self.budget)?));
            self.threads.advance(at, rest, &mut pending, self.budget)?;
        }
        Ok((entries, silent))
    }

    fn is_entry(&mut self, entries: &Pending, point: &Point) -> Result<bool, Stop> {
        let cube = self.cube(point)?;
        let at = point.person.as_ref().map(|person| person.at);
        for (key, set) in entries {
            let set = self.threads.mixed(*set, self.budget)?;
            if Some(key.1) == at && !self.threads.symbolic.manager.disjoint(set, cube, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One command back, from a silent location.
    fn back(&mut self, silent: &[(Control, Bdd)], point: &Point) -> Result<Option<(Point, Micro)>, Stop> {
        let Some(person) = &point.person else { return Ok(None) };
        let cube = self.cube(point)?;
        for &(at, set) in silent {
            for index in 0..self.threads.symbolic.steps(at.loc()).len() {
                let step = self.threads.symbolic.steps(at.loc())[index];
                if step.to != Some(person.at.loc()) || !self.leads_to(&step, at, point, person) {
                    continue;
                }
                let symbolic = &mut self.threads.symbolic;
                let before = symbolic.preimage(&step, cube, self.budget)?;
                let before = symbolic.manager.and(before, set, self.budget)?;
                if let Some(values) = Values::pick(symbolic, before) {
                    let mover = super::scene::person(symbolic, &values, at, Slot::Own);
                    let before = Point { shared: values.shared(symbolic), person: Some(mover) };
                    let micro = self.micro((at.loc(), index), &before, point, None)?;
                    return Ok(Some((before, micro)));
                }
            }
        }
        Ok(None)
    }

    /// Whether a command leads to the right side of the atomic section.
    fn leads_to(&self, step: &Step, at: Control, point: &Point, person: &Person) -> bool {
        let atomic = self.threads.symbolic.program.atomic_variable();
        let follows = || atomic.is_some_and(|variable| point.shared[variable.index()]);
        step.section.side(at.inside()).unwrap_or_else(follows) == person.at.inside()
    }

    fn cube(&mut self, point: &Point) -> Result<Bdd, Stop> {
        let symbolic = &mut self.threads.symbolic;
        let mut literals = shared_literals(symbolic, &point.shared);
        if let Some(person) = &point.person {
            literals.extend(person_literals(symbolic, person, Slot::Own));
        }
        symbolic.manager.cube(&literals)
    }

    /// The command between two points. Values that are forgotten at once are picked so that all conditions hold, or taken from `chosen`.
    fn micro(
        &mut self,
        (loc, index): (Loc, usize),
        before: &Point,
        after: &Point,
        chosen: Option<&Values>,
    ) -> Result<Micro, Stop> {
        let symbolic = &mut self.threads.symbolic;
        let relation = symbolic.full_relation(loc, index, self.budget)?;
        let mut fixed = shared_literals(symbolic, &before.shared);
        let mover = before.person.as_ref().expect("a thread that steps is there before");
        fixed.extend(person_literals(symbolic, mover, Slot::Own));
        let command = symbolic.commands.at(loc)[index].clone();
        let passive = command.asks.is_some() || !command.broadcast.is_empty();
        for &(var, _) in &command.assign {
            let next = symbolic.space.next(var, Slot::Own);
            let value = match (var, &after.person) {
                (Var::Shared(id), _) => Some(after.shared[id.index()]),
                (Var::Local(id), Some(person)) if symbolic.keeps(person.at.loc(), id) => {
                    Some(person.values[id.index()])
                }
                _ => chosen.filter(|_| passive).map(|values| values.get(next)),
            };
            fixed.extend(value.map(|value| (next, value)));
        }
        let cube = symbolic.manager.cube(&fixed)?;
        let all = symbolic.manager.and(relation, cube, self.budget)?;
        let values = Values::pick(symbolic, all).expect("the two points are related by this command");
        let write = |var: Var| (var, values.get(symbolic.space.next(var, Slot::Own)));
        let writes = command.assign.iter().map(|&(var, _)| write(var)).collect();
        Ok(Micro { loc, index, writes, after: after.person.clone() })
    }
}
