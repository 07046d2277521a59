//! Runs one thread of a state: a first step, and then further ones while no other thread can disturb it
//! (transition merging). Every choice that cannot be told beforehand makes a run of its own. What comes out
//! are the states to store.

use super::Tolerated;
use super::independent::{Analysis, Naming, StepKind, publishes};
use super::lazy::Chosen;
use super::numbers::Numbers;
use super::settings::ConcreteOptions;
use super::splits::PartSplits;
use super::state::{Beside, GlobalState, Keeps, NAMELESS, StoredThread, TaggedStep};
use super::statistics::Statistics;
use base::{Id, Stop, TickBatch};
use c::{Blocked, Choice, Done, FailureKind, Fault, InstanceId, Loc, Machine, Refusal, Value, Wait, Wakes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// After this many invisible transitions in a row a thread is stopped, and the state is stored: it may be in
/// a loop.
const LONGEST: u32 = 2_000;

/// What a search has left out or met, beside errors.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// A creation waited because of the bound on threads.
    pub threads: bool,
    /// Numbers were not tried, or calls not followed.
    pub cut: bool,
    /// Where numbers were not tried.
    pub choices: BTreeSet<Loc>,
    /// Something was reached of which the meaning is not known, and where.
    pub unsupported: Option<(Loc, String)>,
    /// Undefined behaviour at which a thread blocks.
    pub undefined: BTreeMap<Loc, Fault>,
    /// Where threads stand in a state in which all of them wait for each other.
    pub waiting: Vec<Loc>,
}

/// A step that fails, after the others.
#[derive(Clone, Debug)]
pub struct FailingRun {
    /// The steps of this expansion, the failing one last; empty if they were not recorded.
    pub steps: Vec<TaggedStep>,
    /// Whether the state before the last step is the error, and not the step.
    pub is_state: bool,
}

/// What running a thread needs.
pub struct Runner<'a> {
    /// The reference semantics, with the bound on threads of this search.
    pub machine: Machine<'a>,
    /// What is known about the program's text.
    pub analysis: &'a Analysis,
    /// The numbers to try.
    pub numbers: Numbers,
    /// The options.
    pub options: ConcreteOptions,
    /// Choices with at most this many parts try one number of each.
    pub parts: usize,
    /// The parts of choices that are followed.
    pub splits: Option<PartSplits>,
    /// The deepest call that is followed.
    pub calls: usize,
    /// What becomes of the choices at each location.
    pub chosen: Arc<Vec<Chosen>>,
    /// Undefined behaviour that is no error.
    pub tolerated: Option<Tolerated<'a>>,
    /// Whether registers may hold values that loads did not choose.
    pub has_unchosen: bool,
    /// What was left out.
    pub limits: Limits,
    /// What is counted.
    pub statistics: Statistics,
}

/// What became of a try to step.
pub(super) enum TriedStep {
    /// The thread went on.
    Went,
    /// The thread ended.
    Ended,
    /// It waits.
    Waits(Blocked),
    /// It needs choices.
    Chooses,
    /// What it does is not known or not followed: it stands there.
    Lost,
    /// Nobody ever steps again.
    Over,
}

/// Where a run is.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    /// The next step is taken whatever others do.
    Forced,
    /// The next step is taken if nobody can disturb it.
    Free,
    /// The thread has just ended.
    Ended,
    /// The thread stops here, perhaps for ever.
    Stopped { stuck: bool },
}

impl Runner<'_> {
    /// Runs the thread that was taken, and those that are pending; the states in which all of them have
    /// stopped are added to `found`. With `forced` the first step is taken whatever others do.
    pub fn run(
        &mut self,
        run: GlobalState,
        forced: bool,
        ticks: &TickBatch<'_>,
        found: &mut Vec<GlobalState>,
    ) -> Result<Option<FailingRun>, Stop> {
        let mut work = vec![(run, if forced { Phase::Forced } else { Phase::Free })];
        while let Some((mut run, mut phase)) = work.pop() {
            let before = run.steps;
            let mut ended_at;
            loop {
                ended_at = run.steps;
                let next = match phase {
                    Phase::Forced | Phase::Free if let Some(failing) = self.races_now(&run) => {
                        return Ok(Some(failing));
                    }
                    Phase::Free if !self.goes_on(&mut run) => Some(Phase::Stopped { stuck: false }),
                    Phase::Forced | Phase::Free => match self.attempt(&mut run, None) {
                        Err(failing) => return Ok(Some(failing)),
                        // In a loop with choices, runs that do not meet would be exponentially many.
                        Ok(TriedStep::Chooses) if run.chose => Some(Phase::Stopped { stuck: false }),
                        Ok(TriedStep::Chooses) => {
                            if let Some(failing) = self.choose(&run, phase, &mut work) {
                                return Ok(Some(failing));
                            }
                            break;
                        }
                        Ok(tried) => self.follow(&run, phase, tried),
                    },
                    Phase::Ended => {
                        run.slots.remove(run.at);
                        self.take_pending(&mut run)
                    }
                    // Who waits inside a section for ever stops everybody.
                    Phase::Stopped { stuck: true } if run.thread.section => {
                        if let Some(failing) = self.leaks_unstored(run) {
                            return Ok(Some(failing));
                        }
                        break;
                    }
                    Phase::Stopped { stuck } => {
                        self.put_back(&mut run, stuck);
                        // While the thread stands in a section, its children do not begin either.
                        if run.thread.section { None } else { self.take_pending(&mut run) }
                    }
                };
                match (next, phase) {
                    (Some(next), _) => phase = next,
                    (None, Phase::Ended | Phase::Stopped { .. }) => {
                        if let Some(failing) = self.judged(&run) {
                            return Ok(Some(failing));
                        }
                        found.push(run);
                        break;
                    }
                    (None, _) => {
                        if let Some(failing) = self.leaks_unstored(run) {
                            return Ok(Some(failing));
                        }
                        break;
                    }
                }
            }
            ticks.spend(1 + u64::from(ended_at - before))?;
        }
        Ok(None)
    }

    /// Where a run is after a try to step; `None` if it goes no further.
    fn follow(&self, run: &GlobalState, phase: Phase, tried: TriedStep) -> Option<Phase> {
        match (tried, phase) {
            (TriedStep::Went, _) => Some(Phase::Free),
            (TriedStep::Ended, _) => Some(Phase::Ended),
            // Nothing happened: there is no such step.
            (TriedStep::Waits(_) | TriedStep::Lost, Phase::Forced)
            | (TriedStep::Over | TriedStep::Chooses, _) => None,
            // The others go on.
            (TriedStep::Lost, _) => Some(Phase::Stopped { stuck: true }),
            (TriedStep::Waits(blocked), _) => Some(Phase::Stopped { stuck: self.stuck(run, &blocked) }),
        }
    }

    /// Whether the next transition of the thread that runs may be merged.
    fn goes_on(&mut self, run: &mut GlobalState) -> bool {
        self.options.reduction && run.steps < LONGEST && self.runs_alone(run)
    }

    /// Whether no other thread can disturb the next step. A sleeper that wakes by itself leaves a deadlock
    /// that it would be part of; who waits inside a section is helped by nobody, however soon he would be.
    pub(super) fn runs_alone(&self, run: &mut GlobalState) -> bool {
        let asleep = matches!(run.thread.wait, Some(Wait::Cond { woken: false, .. }));
        let needed = self.analysis.waits_in_sections && !run.thread.section;
        let leaves = self.machine.options().deadlocks.matter() && (asleep || needed);
        !leaves
            && !self.analysis.shows_at_the_end(&self.machine, run)
            && self.analysis.undisturbed(&self.machine, run)
    }

    /// Whether the thread waits for something that will never come, whatever others do.
    fn stuck(&self, run: &GlobalState, blocked: &Blocked) -> bool {
        let forever = matches!(blocked, Blocked::Assumption | Blocked::Undefined(_));
        forever && self.analysis.is_local(run.thread.loc())
    }

    /// Puts the thread that runs back to the others.
    pub(super) fn put_back(&self, run: &mut GlobalState, stuck: bool) {
        let halts = self.analysis.kind(run.thread.loc()) == StepKind::Halts && self.options.reduction;
        self.forget_dead(run);
        // A thread that waits for a lock of one that is stuck waits for one that has not ended, and what that
        // one has leads to memory.
        let options = self.machine.options();
        let keeps = match (options.leaks.matter(), options.deadlocks.matter()) {
            (true, _) => Keeps::All,
            (false, true) => Keeps::Locks,
            (false, false) => Keeps::Nothing,
        };
        run.put_back(stuck || halts, keeps);
    }

    /// Takes the next thread that is pending, if there is one.
    fn take_pending(&self, run: &mut GlobalState) -> Option<Phase> {
        while let Some(tag) = run.pending.pop() {
            if let Some(at) = run.slots.iter().position(|slot| slot.tag == tag) {
                run.take(at);
                return Some(Phase::Free);
            }
        }
        None
    }

    /// Forgets registers that are not read again.
    fn forget_dead(&self, run: &mut GlobalState) {
        if !self.options.liveness {
            return;
        }
        let leaks = self.machine.options().leaks.matter();
        for frame in &mut run.thread.frames {
            for (slot, value) in frame.registers.iter_mut().enumerate() {
                let is_live = self.analysis.live.is_live(frame.loc, slot);
                // It is the only name that such an allocation has.
                let is_name = leaks && self.machine.is_automatic(&run.memory, *value);
                if !is_live && !is_name {
                    *value = Value::ZERO;
                }
            }
        }
    }

    /// Tries the next step, with these choices if some are given.
    pub(super) fn attempt(
        &mut self,
        run: &mut GlobalState,
        given: Option<Choice>,
    ) -> Result<TriedStep, FailingRun> {
        let loc = run.thread.loc();
        // It may wait with the end of the program for ever, and nothing comes after it.
        if self.analysis.kind(loc) == StepKind::Halts {
            return Ok(if run.thread.section { TriedStep::Over } else { TriedStep::Waits(Blocked::Section) });
        }
        if self.analysis.calls(loc) && run.thread.frames.len() >= self.calls {
            self.limits.cut = true;
            return Ok(TriedStep::Lost);
        }
        if self.stores_for_nobody(run) {
            run.thread.top_mut().loc = self.machine.program().at(loc).next;
            return self.after(run, loc, given, Ok(Done::default()));
        }
        if self.is_beyond_races(run) || self.uses_unchosen(run) {
            return Ok(TriedStep::Lost);
        }
        let lazily = self.options.liveness && given.is_none();
        let given = match self.chosen[loc.index()] {
            Chosen::Later(local) if lazily => {
                run.thread.set(self.machine.program(), local, Value::Undetermined);
                run.thread.top_mut().loc = self.machine.program().at(loc).next;
                return self.after(run, loc, None, Ok(Done::default()));
            }
            Chosen::Never if lazily => self.any_number(run),
            _ => given,
        };
        if self.analysis.is_open(loc) && given.is_none() {
            return Ok(TriedStep::Chooses);
        }
        let may_reuse = self.analysis.kind(loc) == StepKind::Reuses;
        if may_reuse && given.is_none() && !self.reusable(run).is_empty() {
            return Ok(TriedStep::Chooses);
        }
        if let Some(splits) = &mut self.splits {
            let uses = self.analysis.followed.uses(loc);
            self.limits.cut |= splits.meet(&self.machine, &run.thread, uses);
        }
        let choice = given.unwrap_or_default();
        let result = self.execute(run, choice);
        self.after(run, loc, given, result)
    }

    /// One number that the next step may choose.
    fn any_number(&self, run: &GlobalState) -> Option<Choice> {
        let number = self.machine.needs(&run.memory, &run.thread).number?;
        let value = self.numbers.tried(number).values.first().copied();
        value.map(|value| Choice { value: Some(value), ..Choice::default() })
    }

    fn execute(&self, run: &mut GlobalState, choice: Choice) -> Result<Done, Refusal> {
        let names = self.analysis.names(run.thread.loc());
        let mut fresh = NAMELESS;
        if names != Naming::Nobody {
            fresh = run.fresh_name();
            let state = &run.slots[run.at].state;
            if names == Naming::Itself && state.name == NAMELESS {
                let state = StoredThread { name: fresh, ..(**state).clone() };
                run.slots[run.at].state = Arc::new(state);
            }
        }
        let mut beside = Beside {
            slots: &mut run.slots,
            at: run.at,
            ended: &mut run.ended,
            fresh,
            next_tag: &mut run.next_tag,
        };
        self.machine.execute(&mut run.memory, &mut run.thread, &mut beside, choice)
    }

    /// Notes what a step did.
    pub(super) fn after(
        &mut self,
        run: &mut GlobalState,
        loc: Loc,
        given: Option<Choice>,
        result: Result<Done, Refusal>,
    ) -> Result<TriedStep, FailingRun> {
        let created = |run: &GlobalState| run.slots.last().map(|slot| slot.tag);
        let choice = given.unwrap_or_default();
        match result {
            Ok(done) => {
                run.steps += 1;
                self.statistics.steps += 1;
                let child = done.created.and_then(|_| created(run));
                let tag = run.tag();
                if let Some(log) = &mut run.log {
                    log.push(TaggedStep { tag, at: loc, choice, created: child });
                }
                run.pending.extend(child);
                if publishes(run, &done) {
                    run.reached = None;
                }
                let Some(result) = done.ended else { return Ok(TriedStep::Went) };
                let name = run.slots[run.at].state.name;
                if run.thread.joinable && name != NAMELESS {
                    let at = run.ended.partition_point(|(other, _)| *other < name);
                    run.ended.insert(at, (name, result));
                }
                Ok(TriedStep::Ended)
            }
            Err(Refusal::Fails(FailureKind::Undefined(fault))) if self.tolerates(loc, &fault) => {
                self.limits.undefined.entry(loc).or_insert_with(|| fault.clone());
                Ok(TriedStep::Waits(Blocked::Undefined(fault)))
            }
            Err(Refusal::Fails(_)) => {
                let mut steps = run.log.clone().unwrap_or_default();
                steps.push(TaggedStep { tag: run.tag(), at: loc, choice, created: None });
                Err(FailingRun { steps, is_state: false })
            }
            Err(Refusal::Blocked(blocked)) => {
                self.limits.threads |= blocked == Blocked::ThreadBound;
                if let Blocked::Undefined(fault) = &blocked {
                    self.limits.undefined.entry(loc).or_insert_with(|| fault.clone());
                }
                Ok(TriedStep::Waits(blocked))
            }
            Err(Refusal::Unsupported(why)) => {
                self.limits.unsupported.get_or_insert((loc, why));
                Ok(TriedStep::Lost)
            }
            Err(Refusal::Mismatch(_)) if given.is_none() => Ok(TriedStep::Chooses),
            Err(Refusal::Mismatch(_)) => Ok(TriedStep::Over),
        }
    }

    fn tolerates(&self, loc: Loc, fault: &Fault) -> bool {
        self.tolerated.is_some_and(|it| (it.kinds)(fault) || it.steps.contains(&loc))
    }

    /// Makes a run for each choice of the next step.
    fn choose(
        &mut self,
        run: &GlobalState,
        phase: Phase,
        work: &mut Vec<(GlobalState, Phase)>,
    ) -> Option<FailingRun> {
        let mut made = vec![];
        let mut otherwise = TriedStep::Lost;
        let late = self.loads_unchosen(run);
        let (cut, places) = (self.limits.cut, self.limits.choices.clone());
        let choices = self.choices(run);
        let late = late.filter(|_| self.limits.cut && !choices.is_empty());
        if late.is_some() {
            // A further run stands for the numbers that are left out.
            (self.limits.cut, self.limits.choices) = (cut, places);
        }
        for choice in choices {
            let mut chosen = run.clone();
            chosen.chose = true;
            match self.attempt(&mut chosen, Some(choice)) {
                Err(failing) => return Some(failing),
                Ok(waits @ TriedStep::Waits(_)) => otherwise = waits,
                Ok(TriedStep::Lost) => {}
                Ok(tried) => {
                    if let Some(next) = self.follow(&chosen, phase, tried) {
                        made.push((chosen, next));
                    }
                }
            }
        }
        if let Some(local) = late
            && !made.is_empty()
        {
            made.push(self.without_choice(run, local));
        }
        if made.is_empty()
            && let Some(next) = self.follow(run, phase, otherwise)
        {
            made.push((run.clone(), next));
        }
        // The last one is taken up first.
        work.extend(made.into_iter().rev());
        None
    }

    /// The choices of the next step that are tried.
    fn choices(&mut self, run: &GlobalState) -> Vec<Choice> {
        let needs = self.machine.needs(&run.memory, &run.thread);
        let mut values = vec![None];
        if let Some(number) = needs.number {
            values = self.numbers(run.thread.loc(), number).into_iter().map(Some).collect();
        }
        let mut threads = vec![None];
        if needs.wakes != Wakes::Nobody {
            let others = run.slots.iter().enumerate().filter(|&(at, _)| at != run.at);
            threads.extend(others.map(|(_, slot)| Some(slot.tag)));
        }
        let mut addresses = vec![None];
        if needs.may_reuse {
            addresses.extend(self.reusable(run).into_iter().map(Some));
        }
        let mut found = vec![];
        for value in values {
            for &fails in if needs.may_fail { &[false, true][..] } else { &[false] } {
                for &thread in &threads {
                    found.extend(addresses.iter().map(|&reuses| Choice { value, fails, thread, reuses }));
                }
            }
        }
        found
    }

    /// The freed objects whose address somebody still has. All others are like fresh ones.
    fn reusable(&self, run: &GlobalState) -> Vec<InstanceId> {
        let mut freed: Vec<InstanceId> = run.memory.freed().collect();
        if freed.is_empty() {
            return freed;
        }
        let mut held = BTreeSet::new();
        let mut note = |value: Value| held.extend(value.instance());
        run.memory.instances.iter().flatten().flat_map(|it| &it.cells).for_each(|&value| note(value));
        run.others().flat_map(|other| other.thread.values()).for_each(&mut note);
        run.ended.iter().for_each(|&(_, value)| note(value));
        run.thread.registers.iter().for_each(|&value| note(value));
        for frame in &run.thread.frames {
            for (slot, &value) in frame.registers.iter().enumerate() {
                if !self.options.liveness || self.analysis.live.is_live(frame.loc, slot) {
                    note(value);
                }
            }
        }
        freed.retain(|id| held.contains(id));
        freed
    }
}
