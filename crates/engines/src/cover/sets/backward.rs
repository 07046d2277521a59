//! Minimal predecessors of sets of elements, as in [`super::super::backward`]: the thread that stepped is a
//! member, or was nobody's concern afterwards and is one more member before; a thread that it created
//! vanishes; all others keep their locals, or were anything that a broadcast may have made them of.
//!
//! The thread that steps is at the side of the atomic section that the element says somebody is on, before
//! and after: while a thread is inside, nobody else steps, and nobody else can be inside.

use super::elements::{BackwardStep, Name, StepKind};
use super::search::{ElementFlags, SetMember, SetSearch};
use super::start::fitting;
use crate::closure::diagrams::sets::{class_of, control, is_inside};
use crate::closure::diagrams::transitions::{Effect, Execution, Transition};
use crate::command::Section;
use crate::encoding::Slot;
use base::Stop;
use ir::bp::Var;
use solve::bdd::Bdd;

/// Elements, after a step.
struct After {
    name: Name,
    set: Bdd,
    layer: u32,
}

impl After {
    fn threads(&self) -> Vec<SetMember> {
        self.name.controls.iter().copied().zip(0..).collect()
    }

    /// The flags before a step of a thread at a side of the section.
    fn flags(&self, inside: bool) -> ElementFlags {
        ElementFlags { initialising: self.name.initialising, busy: inside }
    }
}

/// One step backward: the threads before it, which of them stepped, and the elements as they are afterwards.
struct Back<'m> {
    way: StepKind,
    one: &'m Transition,
    threads: Vec<SetMember>,
    active: usize,
    after: Bdd,
}

impl SetSearch<'_, '_> {
    /// Adds all minimal predecessors of a layer.
    pub(super) fn expand(&mut self, number: u32) -> Result<(), Stop> {
        let layer = self.elements.layer(number);
        let after = After { name: layer.name.clone(), set: layer.set, layer: number };
        self.starts(&after)?;
        for at in after.name.positions().collect::<Vec<_>>() {
            self.own(&after, at)?;
            self.created(&after, at)?;
        }
        for inside in [false, true] {
            for at in self.singles(after.flags(inside)) {
                if self.end.is_some() {
                    return Ok(());
                }
                self.collect(&[after.set]);
                self.outside(&after, at)?;
            }
        }
        Ok(())
    }

    /// The steps of a member, with or without its child among the members.
    fn own(&mut self, after: &After, at: usize) -> Result<(), Stop> {
        let (class, inside) = (class_of(after.name.controls[at]), is_inside(after.name.controls[at]));
        if inside != after.name.busy {
            return Ok(());
        }
        for from in self.into[class as usize].clone() {
            for before in [false, true] {
                let mut threads = after.threads();
                threads[at].0 = control(from, before);
                if !self.may_meet(after.flags(before), &threads[at..=at]) {
                    continue;
                }
                for one in self.transitions_of(threads[at])?.iter() {
                    if one.to != Some(class) || one.section.side(before).is_some_and(|side| side != inside) {
                        continue;
                    }
                    self.with_child(after, at, one, &threads)?;
                    let threads = threads.clone();
                    let back = Back { way: StepKind::Own, one, threads, active: at, after: after.set };
                    self.back(after, &back)?;
                }
            }
        }
        Ok(())
    }

    /// A member steps and creates another.
    fn with_child(
        &mut self,
        after: &After,
        at: usize,
        one: &Transition,
        threads: &[SetMember],
    ) -> Result<(), Stop> {
        let Some(born) = one.born else { return Ok(()) };
        let child = control(born.class, false);
        let controls = &after.name.controls;
        let Some(other) = (0..controls.len()).find(|&other| other != at && controls[other] == child) else {
            return Ok(());
        };
        let set = self.spare(after.set, other)?;
        let mut threads = threads.to_vec();
        threads.remove(other);
        let active = if other < at { at - 1 } else { at };
        self.back(after, &Back { way: StepKind::Both, one, threads, active, after: set })
    }

    /// A member was created by a thread that does not exist.
    fn created(&mut self, after: &After, at: usize) -> Result<(), Stop> {
        let child = after.name.controls[at];
        if is_inside(child) {
            return Ok(());
        }
        for from in self.creators[class_of(child) as usize].clone() {
            let mut threads = after.threads();
            // To create a thread changes nothing about who is inside.
            threads[at].0 = control(from, after.name.busy);
            if !self.may_meet(after.flags(after.name.busy), &threads) {
                continue;
            }
            for one in self.transitions_of(threads[at])?.iter() {
                if one.born.is_some_and(|born| born.class == class_of(child)) {
                    let set = self.spare(after.set, at)?;
                    let threads = threads.clone();
                    self.back(after, &Back { way: StepKind::Child, one, threads, active: at, after: set })?;
                }
            }
        }
        Ok(())
    }

    /// The steps of a thread that is no member.
    fn outside(&mut self, after: &After, at: u32) -> Result<(), Stop> {
        let (mut threads, before) = (after.threads(), is_inside(at));
        let active = threads.len();
        threads.push((at, active));
        if !self.may_meet(after.flags(before), &threads) {
            return Ok(());
        }
        for one in self.transitions_of(threads[active])?.iter() {
            let side = if one.to.is_none() { Some(false) } else { one.section.side(before) };
            let starts = one.to.is_none() && after.name.initialising;
            let noticed = one.writes || one.passive.is_some() || before != after.name.busy;
            if starts || !noticed || side.is_some_and(|side| side != after.name.busy) {
                continue;
            }
            let threads = threads.clone();
            self.back(after, &Back { way: StepKind::Leaves, one, threads, active, after: after.set })?;
        }
        Ok(())
    }

    /// The last steps of `init`, if all members may have come then.
    fn starts(&mut self, after: &After) -> Result<(), Stop> {
        if !self.start.initialising || after.name.initialising || after.name.busy {
            return Ok(());
        }
        let mut set = fitting(&mut self.stage, &self.start.later, &after.name.controls, after.set)?;
        for slot in 0..after.name.controls.len() {
            let locals = self.stage.slots.locals(slot);
            set = self.stage.encoding.manager.exists(set, locals, self.stage.budget)?;
        }
        if set.is_false() {
            return Ok(());
        }
        for before in [false, true] {
            for at in self.singles(ElementFlags { initialising: true, busy: before }) {
                for one in self.transitions_of((at, 0))?.iter().filter(|one| one.to.is_none()) {
                    let threads = vec![(at, 0)];
                    self.back(after, &Back { way: StepKind::Starts, one, threads, active: 0, after: set })?;
                }
            }
        }
        Ok(())
    }

    /// The elements with the member at a position moved to the control after all others.
    fn spare(&mut self, set: Bdd, at: usize) -> Result<Bdd, Stop> {
        let spare = [(at, self.most)];
        self.stage.slots.arrange(self.stage.encoding, set, &spare, self.stage.budget)
    }

    /// Adds the predecessors by one step.
    fn back(&mut self, after: &After, back: &Back<'_>) -> Result<(), Stop> {
        let at = back.threads[back.active].0;
        let initialising = after.name.initialising || back.way == StepKind::Starts;
        let flags = ElementFlags { initialising, busy: is_inside(at) };
        if self.end.is_some() || !self.may_meet(flags, &back.threads) {
            return Ok(());
        }
        self.stage.budget.spend(1)?;
        let effect = self.effect(back)?;
        let set = self.followed(back.one, is_inside(at), after.name.busy, back.after)?;
        let retreated = effect.retreat(self.stage.encoding, set, self.stage.budget)?;
        if back.way == StepKind::Leaves && retreated == set && is_inside(at) == after.name.busy {
            // Nobody notices: whatever comes of it lies above the elements themselves.
            return Ok(());
        }
        self.counters.preimages += 1;
        let before = effect.before(self.stage.encoding, retreated, self.stage.budget)?;
        let via = BackwardStep { way: back.way, control: at, layer: after.layer };
        self.meet(flags, &back.threads, back.active, before, via)
    }

    fn effect(&mut self, back: &Back<'_>) -> Result<Effect, Stop> {
        if let (StepKind::Both | StepKind::Child, Some(born)) = (back.way, back.one.born) {
            return Ok(born.both);
        }
        self.effect_on(back.one, &back.threads, back.active)
    }

    /// What a step does to the thread that makes it and to all others; a child is left out.
    pub(super) fn effect_on(
        &mut self,
        one: &Transition,
        threads: &[SetMember],
        active: usize,
    ) -> Result<Effect, Stop> {
        let Some(command) = one.passive else { return Ok(one.kept) };
        let mut passive_threads: Vec<(usize, u32)> =
            threads.iter().map(|&(at, slot)| (slot, class_of(at))).collect();
        let (slot, _) = passive_threads.remove(active);
        let (encoding, budget) = (&mut *self.stage.encoding, self.stage.budget);
        self.transitions.with_passive(
            encoding,
            &self.closed.classes,
            Execution { command, slot, drop: false },
            &passive_threads,
            budget,
        )
    }

    /// The part of a set after a step in which the thread that made it is at the right side of its section.
    pub(super) fn followed(
        &mut self,
        one: &Transition,
        before: bool,
        busy: bool,
        set: Bdd,
    ) -> Result<Bdd, Stop> {
        let section = if one.to.is_none() { Section::Leave } else { one.section };
        if section.side(before).is_some() {
            return Ok(set);
        }
        let encoding = &mut *self.stage.encoding;
        let atomic = encoding.program.atomic_variable().expect("a command follows it");
        let level = encoding.space.now(Var::Shared(atomic), Slot::Own);
        let right = encoding.manager.literal(level, busy)?;
        encoding.manager.and(set, right, self.stage.budget)
    }
}
