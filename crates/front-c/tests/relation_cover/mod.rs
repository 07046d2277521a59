//! Whether a relation covers a run of the machine: every thread's steps, cut at control locations, are
//! commands whose guards hold and whose updates give exactly what the machine has in the variables of the
//! relation.

mod enumerate;
pub mod mutants;
mod projection;
mod solve;

pub use enumerate::{Enumeration, enumerate};

use ::c::{
    Blocked, FailureKind, Loc, LocalId, Machine, Op, Options, ProcId, Program, PropertyId, Refusal, State,
    Step, SyncOp, ThreadId, Wait,
};
use base::Random;
use projection::Projection;
use relation::{Command, ControlId, Home, Outcome, Relation};
use solve::{Question, Wanted, solve};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A run of the machine.
#[derive(Clone)]
pub struct Walk {
    /// The states; one more than steps.
    states: Vec<Rc<State>>,
    steps: Vec<Step>,
    /// The step that fails in the last state.
    failure: Option<(Step, PropertyId)>,
    /// Where each thread but the first was created.
    born: Rc<BTreeMap<ThreadId, Loc>>,
}

/// What was seen.
#[derive(Default, Debug)]
pub struct Tally {
    pub steps: usize,
    pub commands: usize,
    pub failures: usize,
    pub stuck: usize,
    pub problems: Vec<String>,
}

/// A random run of this many steps.
pub fn walk(machine: &Machine<'_>, random: &mut Random, length: usize) -> Walk {
    let mut walk =
        Walk { states: vec![Rc::new(machine.start())], steps: vec![], failure: None, born: Rc::default() };
    for _ in 0..length {
        let state = walk.states.last().expect("there is a first state");
        let numbers: Vec<u128> =
            (0..4).map(|_| u128::from(random.bits()) >> random.below(64)).chain([0, 1, 2]).collect();
        let mut candidates = machine.candidates(state, &numbers);
        let mut next = None;
        while !candidates.is_empty() && next.is_none() {
            let step = candidates.swap_remove(random.below(candidates.len()));
            match machine.perform(state, &step) {
                Ok((after, done)) => next = Some((step, after, done)),
                Err(Refusal::Fails(FailureKind::Property(property))) => {
                    walk.failure = Some((step, property));
                    return walk;
                }
                Err(_) => {}
            }
        }
        let Some((step, after, done)) = next else { break };
        Rc::make_mut(&mut walk.born).extend(done.created.map(|child| (child, step.at)));
        walk.steps.push(step);
        walk.states.push(Rc::new(after));
    }
    walk
}

/// One thread's steps in a run, as a relation sees them.
struct Thread {
    id: ThreadId,
    template: ProcId,
    /// The numbers of its steps.
    steps: Vec<usize>,
    /// Whether its last step is the one that fails.
    fails: bool,
}

struct Cover<'a> {
    program: &'a Program,
    machine: &'a Machine<'a>,
    relation: &'a Relation,
    walk: &'a Walk,
    projection: Projection<'a>,
    /// The shared variables that matter.
    shared: Rc<[LocalId]>,
}

/// Checks that the relation covers the run.
pub fn cover(machine: &Machine<'_>, relation: &Relation, walk: &Walk, tally: &mut Tally) {
    let program = machine.program();
    let projection = Projection::new(program, relation).of_threads(&walk.born);
    let shared = read_shared(relation);
    let cover = Cover { program, machine, relation, walk, projection, shared };
    tally.steps += walk.steps.len();
    for thread in cover.threads() {
        cover.thread(&thread, tally);
    }
}

/// Where the threads of a template begin.
fn entry(program: &Program, relation: &Relation, template: ProcId) -> Option<ControlId> {
    let entry = program.procedures()[template].entry;
    let begins = |it: &relation::Control| (it.loc, it.phase, it.template) == (entry, 0, template);
    relation.controls.enumerate().find(|(_, it)| begins(it)).map(|(id, _)| id)
}

/// The shared variables that some command reads.
fn read_shared(relation: &Relation) -> Rc<[LocalId]> {
    let mut read = BTreeSet::new();
    for command in &relation.commands {
        let created = command.creates.iter().flat_map(|creation| &creation.values);
        let values = command.updates.iter().chain(created).map(|update| update.value);
        for e in values.chain([command.guard]).chain(command.others) {
            read.extend(relation.exprs.locals(e));
        }
    }
    read.into_iter().filter(|&it| relation.variables[it].home == Home::Shared).collect()
}

impl Cover<'_> {
    fn threads(&self) -> Vec<Thread> {
        let mut threads = vec![(0, self.program.main())];
        for (&id, &at) in self.walk.born.iter() {
            let Op::Create { template, .. } = self.program.at(at).op else { continue };
            threads.push((id, template));
        }
        threads.into_iter().map(|(id, template)| self.thread_of(id, template)).collect()
    }

    fn thread_of(&self, id: ThreadId, template: ProcId) -> Thread {
        let mut steps: Vec<usize> =
            (0..self.walk.steps.len()).filter(|&at| self.walk.steps[at].thread == id).collect();
        // Arriving at a barrier is nothing to the relation, which lets everybody pass at any time.
        steps.retain(|&at| {
            let after = self.walk.states[at + 1].threads.get(&id);
            let barrier = matches!(
                self.program.at(self.walk.steps[at].at).op,
                Op::Sync { op: SyncOp::BarrierWait, .. }
            );
            !(barrier && after.is_some_and(|thread| matches!(thread.wait, Some(Wait::Barrier { .. }))))
        });
        let fails = self.walk.failure.is_some_and(|(step, _)| step.thread == id);
        if fails {
            steps.push(self.walk.steps.len());
        }
        Thread { id, template, steps, fails }
    }

    fn loc(&self, at: usize) -> Loc {
        match self.walk.steps.get(at) {
            Some(step) => step.at,
            None => self.walk.failure.expect("only a failing step comes after the last").0.at,
        }
    }

    fn thread(&self, thread: &Thread, tally: &mut Tally) {
        match entry(self.program, self.relation, thread.template) {
            Some(control) => self.follow(thread, control, tally),
            None => {
                tally.problems.push(format!("nobody begins at {:?}", thread.template));
                None
            }
        };
    }

    /// Covers the steps of a thread by commands: where it stands afterwards; `None` if it is on its way or
    /// has ended.
    fn follow(&self, thread: &Thread, from: ControlId, tally: &mut Tally) -> Option<ControlId> {
        let (mut control, mut done) = (from, 0);
        while done < thread.steps.len() {
            let rest = &thread.steps[done..];
            match self.command(thread, control, rest) {
                Some((command, to)) => {
                    tally.commands += 1;
                    tally.failures += usize::from(matches!(command.outcome, Outcome::Fail(_)));
                    done += command.steps.len();
                    control = to?;
                }
                None => match self.stutter(thread, control, rest) {
                    Some(length) => done += length,
                    None => {
                        self.unfinished(thread, control, rest, tally);
                        return None;
                    }
                },
            }
        }
        Some(control)
    }

    /// The steps of the thread that a command makes at once.
    fn matches(&self, command: &Command, rest: &[usize]) -> bool {
        command.steps.len() <= rest.len()
            && command.steps.iter().zip(rest).all(|(&loc, &at)| self.loc(at) == loc)
    }

    /// A command that does what the thread does next.
    fn command(
        &self,
        thread: &Thread,
        from: ControlId,
        rest: &[usize],
    ) -> Option<(&Command, Option<ControlId>)> {
        for command in self.relation.commands_at(from).filter(|command| self.matches(command, rest)) {
            let segment = &rest[..command.steps.len()];
            let last = segment[segment.len() - 1];
            let failing = last == self.walk.steps.len();
            let ends = !failing && !self.walk.states[last + 1].threads.contains_key(&thread.id);
            let to = match command.outcome {
                Outcome::Go(to) if !failing && self.stands(thread.id, last + 1, to) => Some(to),
                Outcome::End if ends => None,
                Outcome::Fail(property) if failing && self.fails_by(property) => None,
                Outcome::Halt if !failing && matches!(self.program.at(self.loc(last)).op, Op::Halt(_)) => {
                    return Some((command, None));
                }
                _ => continue,
            };
            if self.fits(thread, command, segment, to) {
                return Some((command, to));
            }
        }
        None
    }

    fn fails_by(&self, property: PropertyId) -> bool {
        self.walk.failure.is_some_and(|(_, it)| it == property)
    }

    /// Whether the thread stands at a control location in a state.
    fn stands(&self, id: ThreadId, at: usize, control: ControlId) -> bool {
        let control = &self.relation.controls[control];
        self.walk.states[at].threads.get(&id).is_some_and(|thread| {
            let phase = u8::from(matches!(thread.wait, Some(Wait::Cond { .. })))
                | if thread.section { 0x80 } else { 0 };
            (thread.loc(), phase) == (control.loc, control.phase)
        })
    }

    /// Whether the command, with some choices, leads from what the machine has before to what it has
    /// afterwards.
    fn fits(&self, thread: &Thread, command: &Command, segment: &[usize], to: Option<ControlId>) -> bool {
        let (first, last) = (segment[0], segment[segment.len() - 1]);
        let end = (last + 1).min(self.walk.states.len() - 1);
        let state = |at: usize| &self.walk.states[at];
        let mut before = BTreeMap::new();
        for (variable, it) in self.relation.variables.enumerate() {
            let mine = it.home == Home::Thread || it.home == Home::Template(thread.template);
            if it.home != Home::Shared && !mine {
                continue;
            }
            // What is not determined yet is what it will turn out to be.
            let now = self.projection.value(variable, state(first), thread.id);
            let then = now.or_else(|| self.projection.value(variable, state(end), thread.id));
            before.insert(variable, then.unwrap_or(0));
        }
        if command.others.is_some_and(|others| !self.all_others(others, state(first), thread.id, &before)) {
            return false;
        }
        let mut wanted = vec![];
        let after = self.seen_at(thread.id, segment);
        if !matches!(command.outcome, Outcome::Fail(_)) {
            wanted.extend(self.expect(command, &self.shared, state(after), thread.id));
            let live = to.map_or(&[][..], |to| &self.relation.controls[to].live);
            wanted.extend(self.expect(command, live, state(end), thread.id));
        }
        if !self.child_fits(command, segment, &mut wanted) {
            return false;
        }
        let candidates = self.projection.seen(self.walk, segment, thread.id);
        solve(self.machine, self.relation, &Question { command, before, wanted, candidates })
    }

    /// The state in which others see what the command did: after its first step, or after its atomic section.
    fn seen_at(&self, id: ThreadId, segment: &[usize]) -> usize {
        let last = self.walk.states.len() - 1;
        let outside = |&&at: &&usize| {
            let thread = self.walk.states[(at + 1).min(last)].threads.get(&id);
            thread.is_none_or(|thread| !thread.section)
        };
        let at = segment.iter().find(outside).unwrap_or(&segment[segment.len() - 1]);
        (at + 1).min(last)
    }

    /// What the variables should be afterwards.
    fn expect(&self, command: &Command, variables: &[LocalId], state: &State, id: ThreadId) -> Vec<Wanted> {
        let wanted = |&variable: &LocalId| {
            let value = self.projection.value(variable, state, id)?;
            let update = command.updates.iter().find(|update| update.variable == variable);
            Some(Wanted { update: update.map(|update| update.value), variable, value })
        };
        variables.iter().filter_map(wanted).collect()
    }

    /// Whether the thread that begins has its values.
    fn child_fits(&self, command: &Command, segment: &[usize], wanted: &mut Vec<Wanted>) -> bool {
        let child = segment.iter().find_map(|&at| {
            let is_new = |(id, _): &(&ThreadId, &Loc)| {
                at + 1 < self.walk.states.len()
                    && self.walk.states[at + 1].threads.contains_key(id)
                    && !self.walk.states[at].threads.contains_key(id)
            };
            self.walk.born.iter().find(is_new).map(|(&id, _)| (id, at + 1))
        });
        let (Some((id, at)), Some(creation)) = (child, &command.creates) else {
            return child.is_none() == command.creates.is_none();
        };
        for &variable in &self.relation.controls[creation.entry].live {
            let Some(value) = self.projection.value(variable, &self.walk.states[at], id) else { continue };
            match creation.values.iter().find(|update| update.variable == variable) {
                Some(update) => wanted.push(Wanted { update: Some(update.value), variable, value }),
                None if self.relation.variables[variable].initial.is_none_or(|initial| initial == value) => {}
                None => return false,
            }
        }
        true
    }

    fn all_others(
        &self,
        others: ::c::ExprId,
        state: &State,
        me: ThreadId,
        before: &BTreeMap<LocalId, u128>,
    ) -> bool {
        state.threads.keys().filter(|&&id| id != me).all(|&id| {
            let mut values = before.clone();
            for (variable, it) in self.relation.variables.enumerate() {
                if it.home == Home::Thread {
                    values.insert(variable, self.projection.value(variable, state, id).unwrap_or(0));
                }
            }
            solve::evaluate(self.machine, self.relation, others, &values) == 1
        })
    }

    /// Steps after which the thread stands where it stood and nothing that matters has changed: the relation
    /// leaves them out.
    fn stutter(&self, thread: &Thread, control: ControlId, rest: &[usize]) -> Option<usize> {
        let variables = self.shared.iter().chain(&self.relation.controls[control].live);
        let same = |at: usize| {
            let value = |variable: LocalId, at: usize| {
                self.projection.value(variable, &self.walk.states[at], thread.id)
            };
            let is_shared = |variable| self.relation.variables[variable].home == Home::Shared;
            variables.clone().all(|&it| {
                let then = if is_shared(it) { rest[0] + 1 } else { at };
                value(it, rest[0]) == value(it, then)
            })
        };
        (1..=rest.len()).find(|&length| {
            let end = rest[length - 1] + 1;
            end < self.walk.states.len() && self.stands(thread.id, end, control) && same(end)
        })
    }

    /// Whether a thread stands at a control location at the end of the run. If not, what it does may come to
    /// nothing: the way around a loop that changes nothing is no command.
    fn stands_somewhere(&self, thread: &Thread) -> bool {
        let controls = self.relation.controls.enumerate().filter(|(_, it)| it.template == thread.template);
        controls.map(|(id, _)| id).any(|it| self.stands(thread.id, self.walk.states.len() - 1, it))
    }

    /// The run ends before the thread is at a control location again. If it waits there for ever, others must
    /// see what it did.
    fn unfinished(&self, thread: &Thread, from: ControlId, rest: &[usize], tally: &mut Tally) {
        let describe = |why: &str| {
            let locs: Vec<Loc> = rest.iter().take(12).map(|&at| self.loc(at)).collect();
            let commands: Vec<String> = self
                .relation
                .commands_at(from)
                .map(|it| format!("{:?} {}", it.steps, self.relation.show_command(it)))
                .collect();
            format!("{why}: thread {} from {from:?} by {locs:?}\n{}", thread.id, commands.join("\n"))
        };
        let prefix = |command: &&Command| {
            command.steps.len() > rest.len()
                && command.steps.iter().zip(rest).all(|(&loc, &at)| self.loc(at) == loc)
        };
        let mut longer = self.relation.commands_at(from).filter(prefix);
        let last = self.walk.states.last().expect("there is a first state");
        let Some(state) = last.threads.get(&thread.id).filter(|_| !thread.fails) else {
            return tally.problems.push(describe("no command"));
        };
        let steps = self.machine.candidates(last, &[0]).into_iter().filter(|step| step.thread == thread.id);
        let waits = steps.map(|step| self.machine.apply(last, &step)).all(|result| {
            matches!(
                result,
                Err(Refusal::Blocked(Blocked::Assumption | Blocked::Undefined(_)) | Refusal::Mismatch(_))
            )
        });
        let inside = last.threads.values().any(|it| it.excludes_others());
        let unsupported = self.machine.candidates(last, &[0, 1]).iter().any(|step| {
            step.thread == thread.id && matches!(self.machine.apply(last, step), Err(Refusal::Unsupported(_)))
        });
        if unsupported || inside {
            return;
        }
        let changed = self.shared.iter().any(|&it| {
            let value = |at: usize| self.projection.value(it, &self.walk.states[at], thread.id);
            value(rest[0]) != value(rest[0] + 1)
        });
        if waits && changed {
            let stuck = |command: &&Command| {
                command.steps.last() == Some(&state.loc()) && matches!(command.outcome, Outcome::End)
            };
            let found = longer.filter(stuck).any(|command| self.fits(thread, command, rest, None));
            tally.stuck += usize::from(found);
            if !found {
                tally.problems.push(describe("others do not see what a thread did that waits for ever"));
            }
        } else if !waits && longer.next().is_none() && self.stands_somewhere(thread) {
            tally.problems.push(describe("no command goes on"));
        }
    }
}

/// The machine that runs are taken from: few threads, so that something happens in each.
pub fn options() -> Options {
    Options { threads: Some(5), ..Options::default() }
}
