//! The baseline of the experiment: plain symbolic exploration. Each thread has its own copy of the locals in
//! one set, program counters stay explicit, and nothing is done about symmetry. It only decides: the trace of
//! an error is left to `counter`.

use base::{Budget, Event, Setting, Stop};
use engines::Commands;
use engines::experiments::{Encoding, EncodingPlan, Sizes, Slot, Step, exact_is_enough, populations};
use engines::{Counter, Cx, Engine};
use ir::bp::{Loc, Program};
use ir::{Bound, Model, Reason, ReasonKind, Scope, Task, Verdict, Why};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level, LevelMap, Limits, VarSet};
use std::collections::{BTreeMap, VecDeque};

/// The bytes that decision diagrams may take.
const BYTES: usize = 4 << 30;

/// The baseline as an engine.
pub struct Plain;

impl Engine for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn about(&self) -> &'static str {
        "at most N threads: one copy of the locals for each thread"
    }

    fn paper(&self) -> &'static str {
        "Basler et al., CAV 2009, the baseline of its tables"
    }

    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        Counter.accepts(task)
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let unknown = |reason| Ok(Verdict::Unknown(Why::Because(reason)));
        let (Model::Program(program), Bound::AtMost(bound)) = (&task.model, task.scope.threads) else {
            return unknown(Reason::new(ReasonKind::Unsupported, "the baseline wants a program and a bound"));
        };
        let commands = match Commands::new(program) {
            Ok(commands) => commands,
            Err(reason) => return unknown(reason),
        };
        let mut exploration = Exploration::new(program, commands, bound, cx.budget)?;
        let error = exploration.search();
        let nodes = exploration.encoding.manager.statistics().peak_nodes as u64;
        let counters =
            [("states", exploration.entries.len() as u64), ("decision diagram nodes (peak)", nodes)];
        for (name, value) in counters {
            cx.events.emit(Event::Counter { who: "plain", name, value });
        }
        match error? {
            true => Counter.run(task, cx),
            false => Ok(Verdict::Safe { scope: Scope::threads(bound), certificate: None }),
        }
    }
}

/// Where a thread stands, and whether it is inside an atomic section.
type Control = (Loc, bool);

/// Whether `init` still runs, and where each thread stands.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    initialising: bool,
    threads: Vec<Option<Control>>,
}

/// A set of states with the same program counters.
struct Entry {
    key: Key,
    reached: Bdd,
    /// The part that is not expanded yet.
    frontier: Bdd,
}

/// A command of one thread, in its own copy of the locals.
#[derive(Clone, Copy)]
struct Copied {
    step: Step,
    relation: Bdd,
    forget: VarSet,
    advance: LevelMap,
}

/// Threads that may start at one place: their locals, and how many of them there are.
#[derive(Clone)]
struct Starting {
    at: Loc,
    locals: Bdd,
    count: u32,
}

/// A step in the making: who makes it, and by which command.
#[derive(Clone, Copy)]
struct Active {
    thread: usize,
    at: Control,
    index: usize,
}

struct Exploration<'p> {
    encoding: Encoding<'p>,
    budget: &'p Budget,
    bound: u32,
    /// All ways to start.
    starts: Vec<Vec<Starting>>,
    entries: Vec<Entry>,
    numbers: FxHashMap<Key, usize>,
    queue: VecDeque<usize>,
    copied: FxHashMap<(Loc, usize, usize), Copied>,
    error: bool,
}

impl<'p> Exploration<'p> {
    fn new(program: &'p Program, commands: Commands, bound: u32, budget: &'p Budget) -> Result<Self, Stop> {
        let plan = EncodingPlan { copies: bound as usize, members: 0, limits: Limits::within(BYTES) };
        let mut encoding = Encoding::new(program, commands, plan, budget)?;
        let mut fresh = vec![];
        for template in &program.start().templates {
            let (at, locals) = encoding.fresh(template.procedure, budget)?;
            fresh.push((at, encoding.manager.protect(locals)));
        }
        let sizes = Sizes { bound, exact: exact_is_enough(program) };
        let start = |counts: Vec<u32>| {
            fresh.iter().zip(counts).map(|(&(at, locals), count)| Starting { at, locals, count }).collect()
        };
        let starts = populations(program, sizes, budget)?.into_iter().map(start).collect();
        let (entries, numbers, queue) = (vec![], FxHashMap::default(), VecDeque::new());
        let copied = FxHashMap::default();
        Ok(Self { encoding, budget, bound, starts, entries, numbers, queue, copied, error: false })
    }

    /// Explores everything, up to the first error; whether there is one.
    fn search(&mut self) -> Result<bool, Stop> {
        let shared = self.encoding.first_shared()?;
        let init = self.encoding.program.start().init;
        let starts = match init {
            None => self.starts.clone(),
            Some(init) => {
                let (at, locals) = self.encoding.fresh(init, self.budget)?;
                vec![vec![Starting { at, locals, count: 1 }]]
            }
        };
        for start in starts {
            let threads = vec![None; self.bound.max(1) as usize];
            self.populate(Key { initialising: init.is_some(), threads }, shared, &start)?;
        }
        while let Some(number) = self.queue.pop_front().filter(|_| !self.error) {
            self.budget.spend(1)?;
            let entry = &mut self.entries[number];
            let (key, set) = (entry.key.clone(), std::mem::replace(&mut entry.frontier, Bdd::FALSE));
            self.expand(&key, set)?;
            self.collect();
        }
        Ok(self.error)
    }

    fn collect(&mut self) {
        if self.encoding.manager.wants_collection() {
            self.encoding.forget();
            let roots = self.entries.iter().flat_map(|entry| [entry.reached, entry.frontier]);
            self.encoding.manager.collect(roots);
        }
    }

    /// Puts threads into free copies.
    fn populate(&mut self, mut key: Key, mut set: Bdd, start: &[Starting]) -> Result<(), Stop> {
        for Starting { at, locals, count } in start {
            for _ in 0..*count {
                let free = key.threads.iter().position(Option::is_none).expect("the bound was looked at");
                let locals = self.in_copy(*locals, Slot::Own, free)?;
                set = self.encoding.manager.and(set, locals, self.budget)?;
                key.threads[free] = Some((*at, false));
            }
        }
        self.insert(key, set)
    }

    /// A function of one thread's locals in the copy of another.
    fn in_copy(&mut self, f: Bdd, from: Slot, thread: usize) -> Result<Bdd, Stop> {
        let map = self.encoding.space.map(&mut self.encoding.manager, from, Slot::Copy(thread));
        self.encoding.manager.rename(f, map, self.budget)
    }

    fn insert(&mut self, key: Key, set: Bdd) -> Result<(), Stop> {
        let next = self.entries.len();
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.entries.push(Entry { key: key.clone(), reached: Bdd::FALSE, frontier: Bdd::FALSE });
        }
        let (manager, entry) = (&mut self.encoding.manager, &mut self.entries[number]);
        let new = manager.diff(set, entry.reached, self.budget)?;
        if new.is_false() {
            return Ok(());
        }
        if entry.frontier.is_false() {
            self.queue.push_back(number);
        }
        entry.reached = manager.or(entry.reached, new, self.budget)?;
        entry.frontier = manager.or(entry.frontier, new, self.budget)?;
        self.error |= self.fails(&key, new)?;
        Ok(())
    }

    fn fails(&mut self, key: &Key, set: Bdd) -> Result<bool, Stop> {
        let inside = inside(key);
        for (thread, at) in key.threads.iter().enumerate() {
            let Some((loc, _)) = *at else { continue };
            if self.encoding.program.at(loc).error {
                return Ok(true);
            }
            let fails = self.encoding.failing(loc);
            if !fails.is_false() && inside.is_none_or(|inside| inside == thread) {
                let fails = self.in_copy(fails, Slot::Own, thread)?;
                if !self.encoding.manager.disjoint(fails, set, self.budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn expand(&mut self, key: &Key, set: Bdd) -> Result<(), Stop> {
        let inside = inside(key);
        for (thread, at) in key.threads.iter().enumerate() {
            let Some(at) = at.filter(|_| inside.is_none_or(|inside| inside == thread)) else { continue };
            for index in 0..self.encoding.steps(at.0).len() {
                self.step(key, set, Active { thread, at, index })?;
            }
        }
        Ok(())
    }

    /// All states after one command of a thread.
    fn step(&mut self, key: &Key, set: Bdd, active: Active) -> Result<(), Stop> {
        let Active { thread, at, index } = active;
        let copied = self.copied(at.0, index, thread)?;
        let mut key = key.clone();
        let full = key.threads.iter().flatten().count() >= self.bound as usize;
        let after = match copied.step.child.filter(|_| !full) {
            Some(child) => {
                let free = key.threads.iter().position(Option::is_none).expect("below the bound");
                key.threads[free] = Some((child.at, false));
                let relation = self.in_copy(child.relation, Slot::Own, thread)?;
                let relation = self.in_copy(relation, Slot::Passive, free)?;
                self.image(&copied, relation, set)?
            }
            None if copied.step.is_passive => self.with_passive(&copied, set, active, &key)?,
            None => self.image(&copied, copied.relation, set)?,
        };
        if after.is_false() {
            return Ok(());
        }
        if copied.step.to.is_some() {
            return self.advance(key, active, copied.step, after);
        }
        key.threads[thread] = None;
        if !key.initialising {
            return self.insert(key, after);
        }
        key.initialising = false;
        let present = key.threads.iter().flatten().count() as u32;
        for start in self.starts.clone() {
            if present + start.iter().map(|it| it.count).sum::<u32>() <= self.bound {
                self.populate(key.clone(), after, &start)?;
            }
        }
        Ok(())
    }

    /// Follows invisible transitions and stores the states where they end.
    fn advance(&mut self, key: Key, active: Active, first: Step, set: Bdd) -> Result<(), Stop> {
        let mut pending: BTreeMap<Control, Bdd> = BTreeMap::new();
        self.arrive(&mut pending, first, active.at, set)?;
        while let Some((at, set)) = pending.pop_first() {
            let mut key = key.clone();
            key.threads[active.thread] = Some(at);
            if !self.is_invisible(at.0) || self.fails(&key, set)? {
                self.insert(key, set)?;
                continue;
            }
            for index in 0..self.encoding.steps(at.0).len() {
                let copied = self.copied(at.0, index, active.thread)?;
                let after = self.image(&copied, copied.relation, set)?;
                self.arrive(&mut pending, copied.step, at, after)?;
            }
        }
        Ok(())
    }

    fn is_invisible(&self, loc: Loc) -> bool {
        let alone = |step: &Step| step.to.is_some() && step.child.is_none() && !step.is_passive;
        self.encoding.program.at(loc).invisible && self.encoding.steps(loc).iter().all(alone)
    }

    fn arrive(
        &mut self,
        pending: &mut BTreeMap<Control, Bdd>,
        step: Step,
        from: Control,
        set: Bdd,
    ) -> Result<(), Stop> {
        let to = step.to.expect("asked for steps that go on");
        let sides = self.encoding.sides(step.section, from.1, set, self.budget)?;
        for (inside, set) in sides.into_iter().filter(|it| !it.1.is_false()) {
            let old = pending.get(&(to, inside)).copied().unwrap_or(Bdd::FALSE);
            pending.insert((to, inside), self.encoding.manager.or(old, set, self.budget)?);
        }
        Ok(())
    }

    fn image(&mut self, copied: &Copied, relation: Bdd, set: Bdd) -> Result<Bdd, Stop> {
        let manager = &mut self.encoding.manager;
        let after = manager.and_exists(set, relation, copied.forget, self.budget)?;
        manager.rename(after, copied.advance, self.budget)
    }

    /// A command in the copy of a thread, made once.
    fn copied(&mut self, loc: Loc, index: usize, thread: usize) -> Result<Copied, Stop> {
        if let Some(&known) = self.copied.get(&(loc, index, thread)) {
            return Ok(known);
        }
        let step = self.encoding.steps(loc)[index];
        let relation = self.in_copy(step.relation, Slot::Own, thread)?;
        let forget = self.levels(&self.encoding.manager.levels_of(step.forget), thread);
        let written = self.levels(&self.encoding.manager.levels_of(step.written()), thread);
        let pairs: Vec<(Level, Level)> = written.into_iter().map(|next| (next, next - 1)).collect();
        let manager = &mut self.encoding.manager;
        let relation = manager.protect(relation);
        let (forget, advance) = (manager.var_set(&forget)?, manager.level_map(&pairs));
        let copied = Copied { step, relation, forget, advance };
        self.copied.insert((loc, index, thread), copied);
        Ok(copied)
    }

    /// Levels of the active thread as those of a copy; shared ones stay.
    fn levels(&self, levels: &[Level], thread: usize) -> Vec<Level> {
        let pairs = self.encoding.space.pairs(Slot::Own, Slot::Copy(thread));
        let copies: FxHashMap<Level, Level> = pairs.into_iter().collect();
        levels.iter().map(|level| copies.get(level).copied().unwrap_or(*level)).collect()
    }

    /// A broadcast: the relations of all passive threads at once.
    fn with_passive(&mut self, copied: &Copied, set: Bdd, active: Active, key: &Key) -> Result<Bdd, Stop> {
        let (loc, index) = (active.at.0, active.index);
        let mut relation = copied.relation;
        let (mut forget, mut pairs) = (vec![], vec![]);
        let mut constrained = false;
        for (other, at) in key.threads.iter().enumerate().filter(|it| it.0 != active.thread) {
            let Some((at, _)) = *at else { continue };
            let passive = self.encoding.passive_step(loc, index, at, self.budget)?;
            constrained |= passive.constrained;
            let theirs = self.in_copy(passive.relation, Slot::Own, active.thread)?;
            let theirs = self.in_copy(theirs, Slot::Passive, other)?;
            relation = self.encoding.manager.and(relation, theirs, self.budget)?;
            let levels = self.levels(&self.encoding.manager.levels_of(passive.forget), other);
            pairs.extend(levels.iter().map(|&now| (now + 1, now)));
            forget.extend(levels);
        }
        if !constrained {
            let condition = self.encoding.unconstrained(loc, index, self.budget)?;
            let condition = self.in_copy(condition, Slot::Own, active.thread)?;
            relation = self.encoding.manager.and(relation, condition, self.budget)?;
        }
        let after = self.image(copied, relation, set)?;
        let manager = &mut self.encoding.manager;
        let (forget, advance) = (manager.var_set(&forget)?, manager.level_map(&pairs));
        let after = manager.exists(after, forget, self.budget)?;
        manager.rename(after, advance, self.budget)
    }
}

/// The thread inside an atomic section.
fn inside(key: &Key) -> Option<usize> {
    key.threads.iter().position(|at| at.is_some_and(|it| it.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{NoEvents, Settings};
    use engines::Facts;
    use std::sync::Arc;
    use testing::bp::{Profile, program};

    /// The verdict in a word: `counter` and the baseline are both exact.
    fn verdict(engine: &dyn Engine, task: &Task) -> &'static str {
        let (budget, facts, settings) = (Budget::unlimited(), Facts::default(), Settings::default());
        let mut cx =
            Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings: &settings, seed: 0 };
        match engine.run(task, &mut cx).expect("the budget has no end") {
            Verdict::Safe { .. } => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }

    #[test]
    fn decides_as_counter_does() {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for seed in 0..60 {
            let profile = [Profile::ALL, Profile::BROADCASTS, Profile::SPAWNING][seed as usize % 3];
            let program = program(700_000 + seed, &profile);
            if !program.is_flat() {
                continue;
            }
            let model = Model::Program(Arc::new(program));
            for bound in 1..=3 {
                let scope = Scope::threads(bound);
                let task = Task::new(model.clone(), scope);
                let expected = verdict(&Counter, &task);
                assert_eq!(verdict(&Plain, &task), expected, "seed {seed}, {bound} threads");
                *found.entry(expected).or_default() += 1;
            }
        }
        assert!(found["safe"] > 20 && found["unsafe"] > 20, "{found:?}");
    }
}
