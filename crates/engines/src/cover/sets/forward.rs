//! The way forward: from a single start in a part, step by step to the error, each step picked from the sets
//! that the search left. Threads that the elements do not speak of are there only where the start or a step
//! demands them; whatever they do is right, because the program is monotone.

use super::elements::{BackwardStep, ElementPart, StepKind};
use super::picked::{Members, Picked};
use super::search::{SetMember, SetSearch};
use super::start::{SetPool, fitting};
use crate::closure::diagrams::sets::{class_of, control, is_inside};
use crate::command::CommandId;
use crate::encoding::Slot;
use crate::encoding::values::{Values, local_literals, shared_literals};
use crate::trace::{TraceBuilder, thread};
use base::{Id, Stop};
use ir::bp::{LocalId, State, ThreadId};
use ir::trace::ProgramTrace;
use solve::bdd::Bdd;
use std::collections::BTreeMap;

/// A run that was found, or what did not fit (a fault of the engine).
pub type Found<T> = Result<Result<T, &'static str>, Stop>;

impl SetSearch<'_, '_> {
    /// The run that begins in this part.
    pub fn trace(&mut self, number: u32) -> Found<ProgramTrace> {
        let mut part = self.elements.part(number);
        let Some((start, names)) = self.begin(part)? else { return Ok(Err("no start is in the part")) };
        let trace = TraceBuilder::new(self.stage.encoding.program, None, start);
        let mut members = Members { trace, names };
        while members.trace.failure().is_none() {
            let Some(via) = part.via else { return Ok(Err("the chain leads to no error")) };
            let went = match via.way {
                StepKind::Starts => self.populate(&mut members, via)?,
                _ => self.go(&mut members, via)?,
            };
            if let Err(fault) = went {
                return Ok(Err(fault));
            }
            let Some(next) = self.part_of(&members, via.layer) else {
                return Ok(Err("a step of the chain leads elsewhere"));
            };
            part = next;
        }
        Ok(Ok(members.trace.finish().expect("it ends in an error")))
    }

    /// A start in a part, and which of its threads are the members.
    fn begin(&mut self, part: ElementPart) -> Result<Option<(State, Vec<ThreadId>)>, Stop> {
        let name = self.elements.name_of(part).clone();
        let set = self.start.among(&mut self.stage, &name, part.set)?;
        let Some(values) = Values::pick(self.stage.encoding, set) else { return Ok(None) };
        let population = self.population(&values, &name.controls, &self.start.first);
        let program = self.stage.encoding.program;
        let thread = |(at, locals): (u32, Vec<bool>)| {
            let loc = self.closed.classes.members(class_of(at))[0];
            thread(program, loc, false, |local| locals[local.index()])
        };
        let threads: BTreeMap<ThreadId, _> = (0..).zip(population.into_iter().map(thread)).collect();
        let shared = values.shared(self.stage.encoding);
        let members = (0..name.controls.len() as ThreadId).collect();
        Ok(Some((State { initialising: name.initialising, shared, threads }, members)))
    }

    /// The members as picked, and as many more as the pools start with at least.
    fn population(&self, values: &Values, controls: &[u32], pools: &[SetPool]) -> Vec<(u32, Vec<bool>)> {
        let encoding = &*self.stage.encoding;
        let loc = |at: u32| self.closed.classes.members(class_of(at))[0];
        let members = controls.iter().enumerate();
        let members = members.map(|(slot, &at)| (at, values.locals(encoding, loc(at), Slot::Member(slot))));
        let mut population: Vec<(u32, Vec<bool>)> = members.collect();
        for pool in pools {
            let there = controls.iter().filter(|&&at| at == pool.control).count();
            let any = Values::pick(encoding, pool.locals).unwrap_or_default();
            let locals = any.locals(encoding, loc(pool.control), Slot::Own);
            let more = (pool.least as usize).saturating_sub(there);
            population.extend(std::iter::repeat_n((pool.control, locals), more));
        }
        population
    }

    /// The state of the members, as literals.
    fn literals(&self, members: &Members<'_>) -> Vec<(solve::bdd::Level, bool)> {
        let encoding = &*self.stage.encoding;
        let mut literals = shared_literals(encoding, &members.trace.state.shared);
        for (slot, name) in members.names.iter().enumerate() {
            let locals = members.trace.locals(*name);
            literals.extend(local_literals(encoding, members.trace.loc(*name), &locals, Slot::Member(slot)));
        }
        literals
    }

    /// The part of a layer that the members are in.
    fn part_of(&self, members: &Members<'_>, layer: u32) -> Option<ElementPart> {
        let values: Values = self.literals(members).into_iter().collect();
        let manager = &self.stage.encoding.manager;
        let mut parts = self.elements.layer(layer).parts.iter().map(|&number| self.elements.part(number));
        parts.find(|part| manager.eval(part.set, |level| values.get(level)))
    }

    /// A step of a member into a layer.
    fn go(&mut self, members: &mut Members<'_>, via: BackwardStep) -> Found<()> {
        let loc = self.closed.classes.members(class_of(via.control))[0];
        let at = |name| {
            let inside = members.trace.state.threads[name].inside;
            control(self.closed.classes.of(members.trace.loc(*name)), inside)
        };
        let threads: Vec<SetMember> = members.names.iter().map(at).zip(0..).collect();
        let here = self.literals(members);
        let here = self.stage.encoding.manager.cube(&here)?;
        for active in (0..threads.len()).filter(|&at| threads[at].0 == via.control) {
            for index in 0..self.stage.encoding.steps(loc).len() {
                self.stage.budget.spend(1)?;
                let picked = Picked { command: CommandId { loc, index }, active, spare: self.most };
                let Some((set, order)) = self.steps(via, &threads, &picked, here)? else { continue };
                let Some(values) = Values::pick(self.stage.encoding, set) else { continue };
                return Ok(members.perform(&picked, &values, &order, self.stage.encoding));
            }
        }
        Ok(Err("a step of the chain is not one of the program"))
    }

    /// Old and new values of all steps by one command of one member that lead into a layer, and where its
    /// members come from.
    fn steps(
        &mut self,
        via: BackwardStep,
        threads: &[SetMember],
        picked: &Picked,
        here: Bdd,
    ) -> Result<Option<(Bdd, Vec<usize>)>, Stop> {
        let CommandId { loc, index } = picked.command;
        let (slot, before) = (picked.active, is_inside(via.control));
        let (encoding, budget) = (&mut *self.stage.encoding, self.stage.budget);
        let one = self.transitions.make(encoding, &self.closed.classes, picked.command, slot, budget)?;
        let layer = self.elements.layer(via.layer);
        let (name, set) = (layer.name.clone(), layer.set);
        let side = if one.to.is_none() { Some(false) } else { one.section.side(before) };
        if side.is_some_and(|side| side != name.busy) {
            return Ok(None);
        }
        let mut after = threads.to_vec();
        match (via.way, one.to) {
            (StepKind::Own | StepKind::Both, Some(to)) => after[slot].0 = control(to, name.busy),
            (StepKind::Leaves | StepKind::Child, _) => drop(after.remove(slot)),
            _ => return Ok(None),
        }
        let born = one.born.filter(|_| matches!(via.way, StepKind::Both | StepKind::Child));
        after.extend(born.map(|born| (control(born.class, false), picked.spare)));
        after.sort_unstable();
        if !after.iter().map(|it| it.0).eq(name.controls.iter().copied()) {
            return Ok(None);
        }
        let order: Vec<usize> = after.iter().map(|it| it.1).collect();
        let moves: Vec<(usize, usize)> = (0..).zip(order.iter().copied()).collect();
        let set = self.stage.slots.arrange(self.stage.encoding, set, &moves, self.stage.budget)?;
        let set = self.followed(&one, before, name.busy, set)?;
        let effect = match born {
            Some(born) => born.both,
            None => self.effect_on(&one, threads, slot)?,
        };
        let (encoding, budget) = (&mut *self.stage.encoding, self.stage.budget);
        let set = effect.retreat(encoding, set, budget)?;
        // What is forgotten at once has a value, too, and a trace says which.
        let full = encoding.full_relation(loc, index, budget)?;
        let map = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Member(slot));
        let full = encoding.manager.rename(full, map, budget)?;
        let all = encoding.manager.and_all([here, full, effect.relation, set], budget)?;
        Ok(Some((all, order)))
    }

    /// The last step of `init`, into a layer.
    fn populate(&mut self, members: &mut Members<'_>, via: BackwardStep) -> Found<()> {
        let layer = self.elements.layer(via.layer);
        let (controls, set) = (layer.name.controls.clone(), layer.set);
        let here = self.literals(members);
        let here = self.stage.encoding.manager.cube(&here)?;
        let fit = fitting(&mut self.stage, &self.start.later, &controls, set)?;
        let mut shared = fit;
        for slot in 0..controls.len() {
            let locals = self.stage.slots.locals(slot);
            shared = self.stage.encoding.manager.exists(shared, locals, self.stage.budget)?;
        }
        let loc = self.closed.classes.members(class_of(via.control))[0];
        for index in 0..self.stage.encoding.steps(loc).len() {
            let (encoding, budget) = (&mut *self.stage.encoding, self.stage.budget);
            let command = CommandId { loc, index };
            let one = self.transitions.make(encoding, &self.closed.classes, command, 0, budget)?;
            let set = one.kept.retreat(encoding, shared, budget)?;
            let set = encoding.manager.and_all([here, one.kept.relation, set], budget)?;
            if set.is_false() || one.to.is_some() {
                continue;
            }
            // An end assigns nothing.
            let now = shared_literals(encoding, &members.trace.state.shared);
            let now = encoding.manager.cube(&now)?;
            let fit = encoding.manager.and(fit, now, budget)?;
            let Some(values) = Values::pick(encoding, fit) else { continue };
            let mut step = members.trace.step(members.names[0], None);
            let mut names = vec![];
            for (at, locals) in self.population(&values, &controls, &self.start.later) {
                let (encoding, loc) = (&*self.stage.encoding, self.closed.classes.members(class_of(at))[0]);
                let wanted = |local: LocalId| encoding.keeps(loc, local).then(|| locals[local.index()]);
                names.push(members.trace.starter(&mut step, loc, wanted));
            }
            names.truncate(controls.len());
            members.names = names;
            return Ok(members.apply(step));
        }
        Ok(Err("a step of the chain is not one of the program"))
    }
}
