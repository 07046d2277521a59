//! The worklist of the closure. Popping a tuple fires every rule whose premises it completes.

use super::system::{Group, Pool, Rule, RuleSystem};
use super::tuples::{Tuple, Tuples};
use super::{Goal, spread};
use crate::explore::NONE;
use base::{Budget, Event, Events, Progress, Stop};
use ir::net::Interval;
use rustc_hash::FxHashMap;

/// How to close.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// The most threads of a tuple.
    pub width: usize,
    /// Give up as soon as an error is in the set.
    pub stop_at_error: bool,
    /// Give up when there are more tuples.
    pub most_tuples: usize,
}

impl Mode {
    /// Closes until an error is found, however many tuples that takes.
    pub fn until_error(width: usize) -> Mode {
        Mode { width, stop_at_error: true, most_tuples: usize::MAX }
    }

    /// Closes to the end, however many tuples that takes.
    pub fn to_the_end(width: usize) -> Mode {
        Mode { width, stop_at_error: false, most_tuples: usize::MAX }
    }
}

/// The closed set, or as much of it as it took to find an error.
#[derive(Debug)]
pub struct Closure {
    /// The set.
    pub tuples: Tuples,
    /// The thread states in it that are errors.
    pub errors: Vec<(u32, u32)>,
    /// The targets that it does not exclude.
    pub goals: Vec<(u32, Goal)>,
}

impl Closure {
    /// Whether it has no error: then no number of threads has one.
    pub fn is_safe(&self) -> bool {
        self.errors.is_empty() && self.goals.is_empty()
    }
}

/// Closes the start of a system under its rules; `None` if there are too many tuples.
pub fn close(
    system: &mut RuleSystem<'_>,
    mode: Mode,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Option<Closure>, Stop> {
    let start = system.start(budget)?;
    let goals = system.goals();
    let mut deriver = Deriver {
        system,
        budget,
        tuples: Tuples::new(mode.width),
        errors: vec![],
        noticed: vec![],
        ranges: vec![],
        joints: vec![],
        later: &start.later,
    };
    for &shared in &start.shared {
        deriver.populate(shared, &start.first)?;
    }
    let mut extensions = vec![];
    let mut count = 0;
    while let Some((shared, tuple)) = deriver.tuples.take() {
        deriver.process(shared, tuple, &mut extensions)?;
        if mode.stop_at_error && !deriver.errors.is_empty() {
            break;
        }
        count += 1;
        if count > mode.most_tuples {
            return Ok(None);
        }
        if count.is_multiple_of(1 << 18) {
            events.emit(Event::Progress(Progress::Tuples { width: mode.width, tuples: count }));
        }
    }
    let Deriver { tuples, errors, .. } = deriver;
    let goals = uncovered(&tuples, goals);
    Ok(Some(Closure { tuples, errors, goals }))
}

/// The targets that the set does not exclude, each with its shared state.
pub(super) fn uncovered(tuples: &Tuples, goals: Vec<Goal>) -> Vec<(u32, Goal)> {
    let mut found = vec![];
    for goal in goals {
        let threads = spread(&goal.threads, tuples.width());
        let fits = |shared: &u32| goal.shared.is_none_or(|it| it == *shared);
        let reached = tuples.shared().filter(fits).filter(|&shared| tuples.consistent(shared, &threads));
        found.extend(reached.map(|shared| (shared, goal.clone())));
    }
    found
}

/// A rule that takes none or several threads, or tests their numbers.
struct JointRule {
    number: usize,
    rule: Rule,
    /// What it takes.
    take: Vec<u32>,
    /// What it takes and what must be there.
    need: Vec<u32>,
    tests: Vec<(u32, Interval)>,
    /// How many threads that it does not take need to be looked at together.
    limit: usize,
    /// Whether what it needs may be there.
    ready: bool,
}

/// The rules of a shared state that take none or several threads, or test their numbers.
#[derive(Default)]
struct Joints {
    rules: Vec<JointRule>,
    /// For each local state the rules that need one: nets have thousands, and most tuples concern few of
    /// them.
    needing: FxHashMap<u32, Vec<usize>>,
    /// For each size of a tuple the rules that all of one so large may be passive for.
    watched: Vec<Vec<usize>>,
}

impl Joints {
    /// The rules that a tuple may have to do with: those that need one of it, and if it is small those that
    /// all of it is passive for.
    fn concerned(&self, tuple: &Tuple) -> Vec<usize> {
        let needing = tuple.as_slice().iter().filter_map(|local| self.needing.get(local));
        let watched = self.watched.get(tuple.as_slice().len());
        let mut found: Vec<usize> = needing.chain(watched).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

struct Deriver<'a, 'm> {
    system: &'a mut RuleSystem<'m>,
    budget: &'a Budget,
    tuples: Tuples,
    errors: Vec<(u32, u32)>,
    /// For each thread state the rules that others notice, each effect once.
    noticed: Vec<u32>,
    ranges: Vec<(u32, u32)>,
    joints: Vec<Option<Joints>>,
    later: &'a [Pool],
}

impl Deriver<'_, '_> {
    fn process(&mut self, shared: u32, tuple: Tuple, extensions: &mut Vec<u32>) -> Result<(), Stop> {
        self.budget.spend(1)?;
        if let [local] = *tuple.as_slice() {
            self.meet(shared, local)?;
        }
        for position in tuple.positions() {
            for number in self.system.single(shared, tuple.as_slice()[position], self.budget)? {
                self.fire(number, tuple.without(position))?;
            }
        }
        if tuple.as_slice().len() == self.tuples.width() {
            self.environment(shared, tuple, extensions)?;
        }
        self.joint(shared, tuple)
    }

    /// A new thread state: whether it is an error, and which of its rules others notice.
    fn meet(&mut self, shared: u32, local: u32) -> Result<(), Stop> {
        if self.system.fails(shared, local, self.budget)? {
            self.errors.push((shared, local));
        }
        let first = self.noticed.len();
        for number in self.system.single(shared, local, self.budget)? {
            let rule = self.system.rule(number);
            let same = |&it: &u32| {
                let other = self.system.rule(it as usize);
                rule.passive == NONE && other.passive == NONE && other.to == rule.to
            };
            if rule.is_noticed() && !self.noticed[first..].iter().any(same) {
                self.noticed.push(number as u32);
            }
        }
        self.ranges.push((first as u32, self.noticed.len() as u32));
        Ok(())
    }

    /// All steps of one more thread that goes together with the tuple, and of those that see it as one more.
    fn environment(&mut self, shared: u32, tuple: Tuple, extensions: &mut Vec<u32>) -> Result<(), Stop> {
        self.tuples.extensions(shared, &tuple, extensions);
        self.budget.spend(extensions.len() as u64 / 8)?;
        for &local in extensions.iter() {
            let together = tuple.with(local);
            for position in together.positions() {
                let active = self.tuples.number(shared, together.as_slice()[position]);
                let (first, end) = self.ranges[active as usize];
                for at in first..end {
                    self.fire(self.noticed[at as usize] as usize, together.without(position))?;
                }
            }
        }
        Ok(())
    }

    /// Uses a rule while the threads in `rest` are passive.
    fn fire(&mut self, number: usize, rest: Tuple) -> Result<(), Stop> {
        let rule = self.system.rule(number);
        if rule.passive == NONE {
            return self.finish(&rule, rest);
        }
        let mut after = vec![Tuple::default()];
        for &local in rest.as_slice() {
            let options = self.system.react(&rule, local, self.budget)?;
            let mut longer: Vec<Tuple> = vec![];
            for tuple in after {
                let with = |&new: &u32| if new == NONE { tuple } else { tuple.with(new) };
                for tuple in options.iter().map(with) {
                    if !longer.contains(&tuple) {
                        longer.push(tuple);
                    }
                }
            }
            self.budget.spend(longer.len() as u64)?;
            after = longer;
        }
        after.into_iter().try_for_each(|tuple| self.finish(&rule, tuple))
    }

    /// Adds what the others became together with what the rule makes.
    fn finish(&mut self, rule: &Rule, rest: Tuple) -> Result<(), Stop> {
        if rule.starts {
            // `init` runs alone: there is no passive thread.
            let later = self.later;
            return self.populate(rule.to, later);
        }
        let left = self.tuples.width() - rest.as_slice().len();
        match *self.system.make(rule) {
            _ if left == 0 => self.tuples.add(rule.to, rest),
            [] => self.tuples.add(rule.to, rest),
            [(local, 1)] => self.tuples.add(rule.to, rest.with(local)),
            ref make => {
                let made = spread(make, left);
                self.choose(rule.to, rest, &made, left.min(made.len()))
            }
        }
    }

    /// Adds the tuple with each choice of this many threads from the sorted ones made.
    fn choose(&mut self, shared: u32, tuple: Tuple, made: &[u32], left: usize) -> Result<(), Stop> {
        if left == 0 {
            return self.tuples.add(shared, tuple);
        }
        for at in 0..=made.len() - left {
            if at == 0 || made[at] != made[at - 1] {
                self.choose(shared, tuple.with(made[at]), &made[at + 1..], left - 1)?;
            }
        }
        Ok(())
    }

    /// Adds all tuples of threads from the pools.
    fn populate(&mut self, shared: u32, pools: &[Pool]) -> Result<(), Stop> {
        let all = pools.iter().enumerate().flat_map(|(pool, it)| it.locals.iter().map(move |&l| (l, pool)));
        let all: Vec<(u32, usize)> = all.collect();
        let mut left: Vec<usize> =
            pools.iter().map(|pool| pool.most.map_or(usize::MAX, |most| most as usize)).collect();
        self.tuples.add(shared, Tuple::default())?;
        self.choose_threads(shared, Tuple::default(), &all, &mut left)
    }

    fn choose_threads(
        &mut self,
        shared: u32,
        tuple: Tuple,
        all: &[(u32, usize)],
        left: &mut [usize],
    ) -> Result<(), Stop> {
        if tuple.as_slice().len() == self.tuples.width() {
            return Ok(());
        }
        for (at, &(local, pool)) in all.iter().enumerate() {
            if left[pool] > 0 {
                self.budget.spend(1)?;
                left[pool] -= 1;
                self.tuples.add(shared, tuple.with(local))?;
                self.choose_threads(shared, tuple.with(local), &all[at..], left)?;
                left[pool] += 1;
            }
        }
        Ok(())
    }

    /// The rules that take none or several threads.
    fn joint(&mut self, shared: u32, tuple: Tuple) -> Result<(), Stop> {
        let mut joints = self.joints(shared);
        for index in joints.concerned(&tuple) {
            let joint = &mut joints.rules[index];
            let outside = difference(tuple.as_slice(), &joint.need);
            // A tuple that is no part of what the rule takes is itself what is passive.
            let grow = outside.as_slice().len() < tuple.as_slice().len();
            if outside.as_slice().len() > joint.limit || tuple == Tuple::default() && !joint.need.is_empty() {
                continue;
            }
            joint.ready = joint.ready || self.tuples.consistent(shared, &joint.need);
            if joint.ready {
                self.extend(joint, outside, grow.then_some(0))?;
            }
        }
        self.joints[shared as usize] = Some(joints);
        Ok(())
    }

    fn joints(&mut self, shared: u32) -> Joints {
        if self.joints.len() <= shared as usize {
            self.joints.resize_with(shared as usize + 1, || None);
        }
        if let Some(joints) = self.joints[shared as usize].take() {
            return joints;
        }
        let rules: Vec<JointRule> = self.system.joint(shared).map(|number| self.prepare(number)).collect();
        let mut needing: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, joint) in rules.iter().enumerate() {
            joint.need.iter().for_each(|&local| needing.entry(local).or_default().push(index));
        }
        let passive = |size| (0..rules.len()).filter(|&it| rules[it].limit >= size).collect();
        let watched = (0..=self.tuples.width()).map(passive).collect();
        Joints { rules, needing, watched }
    }

    fn prepare(&self, number: usize) -> JointRule {
        let (rule, width) = (self.system.rule(number), self.tuples.width());
        let tests = self.system.tests(&rule);
        let taken = self.system.take(&rule);
        let mut needed: Vec<Group> = taken.to_vec();
        for &(local, Interval { least, .. }) in tests.iter().filter(|test| test.1.least > 0) {
            match needed.iter_mut().find(|it| it.0 == local) {
                Some(found) => found.1 = found.1.max(least),
                None => needed.push((local, least)),
            }
        }
        needed.sort_unstable();
        let (take, need) = (spread(taken, width), spread(&needed, width));
        let limit = if rule.is_noticed() { width } else { width - 1 };
        JointRule { number, rule, take, need, tests, limit, ready: false }
    }

    /// Uses the rule while `rest` is passive and, with `from`, more threads from that number on, too.
    fn extend(&mut self, joint: &JointRule, rest: Tuple, from: Option<u32>) -> Result<(), Stop> {
        self.budget.spend(1)?;
        let shared = joint.rule.from;
        let mut together: Vec<u32> = joint.take.iter().chain(rest.as_slice()).copied().collect();
        together.sort_unstable();
        if !self.tuples.consistent(shared, &together) {
            return Ok(());
        }
        // The numbers that were cut off at the width can only be larger.
        let most = |&(local, it): &(u32, Interval)| {
            it.most
                .is_none_or(|most| together.iter().filter(|&&other| other == local).count() <= most as usize)
        };
        if !joint.tests.iter().all(most) {
            return Ok(());
        }
        self.fire(joint.number, rest)?;
        let Some(from) = from.filter(|_| rest.as_slice().len() < joint.limit) else { return Ok(()) };
        let more = match together.first() {
            Some(&local) => self.tuples.neighbours(shared, local),
            None => self.tuples.locals(shared).to_vec(),
        };
        more.into_iter()
            .filter(|&local| local >= from)
            .try_for_each(|local| self.extend(joint, rest.with(local), Some(local)))
    }
}

/// What is left of a sorted tuple without what a sorted multiset takes away.
fn difference(tuple: &[u32], take: &[u32]) -> Tuple {
    let mut take = take.iter().peekable();
    let left = tuple.iter().filter(|&&local| {
        while take.next_if(|&&it| it < local).is_some() {}
        take.next_if(|&&it| it == local).is_none()
    });
    left.copied().collect()
}
