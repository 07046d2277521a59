//! Threads: which creations happen at most once in a run, and what creating, joining and ending does. The
//! thread of such a creation has a known handle, and a shared bit says whether it has ended; all other
//! handles are any numbers but those.

use super::maker::Maker;
use super::symbolic::{Child, Path};
use super::{Home, Update};
use c::expr::ExprId;
use c::machine::errno;
use c::program::{Loc, LocalId, ProcId, Program};
use c::types::{TRUTH, Type};
use std::collections::{BTreeMap, BTreeSet};

/// This many creations are told apart.
const BIRTHS: usize = 60;

/// A thread that begins at most once in a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Birth {
    /// Shared: whether it has ended.
    pub ended: LocalId,
    /// Shared: with which result.
    pub result: LocalId,
}

/// The threads that are told apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    /// By number: 0 is the first thread, that of `main`.
    pub births: Vec<Birth>,
    /// The numbers of creations that happen at most once.
    pub once: BTreeMap<Loc, u32>,
    /// By template: the only number that its threads have, if there is one.
    fixed: BTreeMap<ProcId, Option<u32>>,
    /// By template: the variable that says which number a thread has.
    variable: BTreeMap<ProcId, LocalId>,
}

/// The creations that happen at most once in a run, in order.
pub(super) fn once(program: &Program) -> Vec<Loc> {
    let mut targets: BTreeMap<ProcId, Vec<Loc>> = BTreeMap::new();
    for loc in program.locations().ids() {
        if let Some(template) = program.effects(loc).creates() {
            targets.entry(template).or_default().push(loc);
        }
    }
    let mut single: BTreeSet<ProcId> = BTreeSet::new();
    if !targets.contains_key(&program.main()) {
        single.insert(program.main());
    }
    let all: Vec<Loc> = targets.values().flatten().copied().filter(|&loc| !in_cycle(program, loc)).collect();
    loop {
        let before = single.len();
        for (&template, locs) in &targets {
            if let [only] = locs[..]
                && all.contains(&only)
                && single.contains(&program.at(only).procedure)
            {
                single.insert(template);
            }
        }
        if single.len() == before {
            break;
        }
    }
    let mut found: Vec<Loc> =
        all.into_iter().filter(|&loc| single.contains(&program.at(loc).procedure)).collect();
    found.sort();
    found.truncate(BIRTHS);
    found
}

fn in_cycle(program: &Program, loc: Loc) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = program.successors(loc);
    while let Some(at) = stack.pop() {
        if at == loc {
            return true;
        }
        if seen.insert(at) {
            stack.extend(program.successors(at));
        }
    }
    false
}

impl Maker<'_> {
    /// Makes the variables of threads.
    pub fn declare_threads(&mut self) {
        let once = once(self.program);
        let pointer = Type::Bits(self.numbers.bits);
        let names = std::iter::once("main".to_string()).chain(once.iter().map(|loc| format!("{loc:?}")));
        for name in names.collect::<Vec<_>>() {
            let ended = self.ghost(format!("ended@{name}"), TRUTH, Home::Shared, Some(0));
            let result = self.ghost(format!("result@{name}"), pointer, Home::Shared, Some(0));
            self.threads.births.push(Birth { ended, result });
        }
        self.threads.once = once.into_iter().zip(1..).collect();
        let mut kinds: BTreeMap<ProcId, Vec<Option<u32>>> = BTreeMap::new();
        kinds.entry(self.program.main()).or_default().push(Some(0));
        for loc in self.program.locations().ids() {
            if let Some(template) = self.program.effects(loc).creates() {
                kinds.entry(template).or_default().push(self.threads.once.get(&loc).copied());
            }
        }
        for (template, numbers) in kinds {
            if numbers.iter().all(|number| number.is_none()) || numbers.len() == 1 {
                self.threads.fixed.insert(template, numbers[0]);
                continue;
            }
            let initial = (template == self.program.main()).then_some(0);
            let variable = self.ghost("birth".into(), BIRTH, Home::Template(template), initial);
            self.threads.variable.insert(template, variable);
        }
    }

    /// When this thread is the one with this number.
    fn is_born(&mut self, path: &Path, number: u32) -> ExprId {
        match self.threads.variable.get(&path.template) {
            Some(&variable) => {
                let birth = self.read(path, variable);
                self.pool.is(birth, u128::from(number))
            }
            None => {
                let fixed = self.threads.fixed.get(&path.template).copied().flatten();
                self.pool.truth(fixed == Some(number))
            }
        }
    }

    /// The templates that at most one thread begins in.
    pub fn alone(&self) -> BTreeSet<ProcId> {
        self.threads.fixed.iter().filter(|(_, number)| number.is_some()).map(|(&it, _)| it).collect()
    }

    /// The numbers that a thread of a template may have.
    fn births_of(&self, template: ProcId) -> Vec<u32> {
        match self.threads.fixed.get(&template) {
            Some(fixed) => fixed.iter().copied().collect(),
            None => (0..self.threads.births.len() as u32)
                .filter(|&number| self.begins(number, template))
                .collect(),
        }
    }

    fn begins(&self, number: u32, template: ProcId) -> bool {
        if number == 0 {
            return template == self.program.main();
        }
        self.threads
            .once
            .iter()
            .any(|(&loc, &other)| other == number && self.program.effects(loc).creates() == Some(template))
    }

    /// Whether others can see a thread of this template end.
    pub fn end_is_visible(&self, template: ProcId) -> bool {
        self.joins && !self.births_of(template).is_empty()
    }

    /// A handle of no thread that is told apart.
    fn other_handle(&mut self, path: &mut Path) -> ExprId {
        let ty = Type::Bits(self.numbers.bits);
        let handle = self.choose(path, ty);
        let first = self.numbers.handles + self.threads.births.len() as u128;
        let fits = self.pool.at_least(handle, first);
        self.assume(path, fits);
        handle
    }

    fn set_handle(&mut self, path: &mut Path, local: LocalId, handle: ExprId) {
        let ty = self.variables[local].ty;
        // A narrow register cannot hold the number; the machine lets it hold the handle.
        let fits = ty.bits(self.numbers.bits) >= self.numbers.bits;
        let value = if fits { self.pool.fit(handle, ty) } else { self.choose(path, ty) };
        self.write(path, local, value);
    }

    pub fn create(
        &mut self,
        path: &mut Path,
        template: ProcId,
        args: &[ExprId],
        handle: Option<LocalId>,
    ) -> bool {
        let mut values = vec![];
        let params = self.program.procedures()[template].params.clone();
        for (variable, &arg) in params.into_iter().zip(args) {
            let Some(value) = self.value(path, arg) else { return false };
            values.push(Update { variable, value });
        }
        let number = self.threads.once.get(&path.loc).copied();
        if let Some(&variable) = self.threads.variable.get(&template) {
            let none = self.threads.births.len() as u32;
            let value = self.pool.number(BIRTH, u128::from(number.unwrap_or(none)));
            values.push(Update { variable, value });
        }
        if let Some(local) = handle {
            let handle = match number {
                Some(number) => self.known_handle(number),
                None => self.other_handle(path),
            };
            self.set_handle(path, local, handle);
        }
        path.creates = Some(Child { template, values });
        true
    }

    fn known_handle(&mut self, number: u32) -> ExprId {
        self.pool.number(Type::Bits(self.numbers.bits), self.numbers.handles + u128::from(number))
    }

    pub fn me(&mut self, path: &mut Path, local: LocalId) {
        let births = self.births_of(path.template);
        let only = self.threads.fixed.get(&path.template).is_some_and(|fixed| fixed.is_some());
        let mut handle = if only { self.known_handle(births[0]) } else { self.other_handle(path) };
        for number in births {
            let (mine, known) = (self.is_born(path, number), self.known_handle(number));
            handle = self.pool.ite(mine, known, handle);
        }
        self.set_handle(path, local, handle);
    }

    pub fn join(
        &mut self,
        path: &mut Path,
        handle: ExprId,
        result: Option<LocalId>,
        code: Option<LocalId>,
    ) -> bool {
        let Some(value) = self.value(path, handle) else { return false };
        let full = self.pool.bits(value) >= self.numbers.bits;
        let toss = self.toss(path);
        let (mut may_pass, mut myself) = (self.pool.truth(true), toss);
        let any = Type::Bits(self.numbers.bits);
        let mut gets = self.choose(path, any);
        let births = if full { self.threads.births.clone() } else { vec![] };
        for (number, birth) in births.into_iter().enumerate() {
            let known = self.numbers.handles + number as u128;
            let this = self.pool.is(value, known);
            let mine = self.is_born(path, number as u32);
            let ended = self.read(path, birth.ended);
            let passes = self.pool.or(mine, ended);
            may_pass = self.pool.ite(this, passes, may_pass);
            myself = self.pool.ite(this, mine, myself);
            let its = self.read(path, birth.result);
            gets = self.pool.ite(this, its, gets);
        }
        // Whatever is no handle is undefined behaviour here.
        let is_handle = if full { self.pool.at_least(value, self.numbers.handles) } else { may_pass };
        let may_pass = self.pool.and(is_handle, may_pass);
        if !self.require(path, may_pass) {
            return false;
        }
        if let Some(local) = result {
            let ty = self.variables[local].ty;
            let bits = ty.bits(self.numbers.bits);
            let loses =
                bits > self.numbers.bits || bits < self.numbers.bits && self.values.results().tagged();
            let cut = if loses { self.choose(path, ty) } else { self.pool.fit(gets, ty) };
            // Joining oneself gives no result.
            let before = self.read(path, local);
            let value = self.pool.ite(myself, before, cut);
            self.write(path, local, value);
        }
        if let Some(local) = code {
            let ty = self.variables[local].ty;
            let (deadlock, fine) = (self.pool.number(ty, errno::EDEADLK), self.pool.number(ty, 0));
            let value = self.pool.ite(myself, deadlock, fine);
            self.write(path, local, value);
        }
        true
    }

    /// When a handle may be that of a thread of a template.
    pub fn may_be_handle(&mut self, path: &mut Path, handle: ExprId, template: ProcId) -> ExprId {
        let value = self.meaning(path, handle).value;
        if self.pool.bits(value) < self.numbers.bits {
            return self.pool.truth(true);
        }
        let births = self.threads.births.len() as u128;
        let own_births = self.births_of(template);
        let only_these = self.threads.fixed.get(&template).is_some_and(|it| it.is_some());
        let mut may = match only_these {
            true => self.pool.truth(false),
            false => self.pool.at_least(value, self.numbers.handles + births),
        };
        for number in own_births {
            let this = self.pool.is(value, self.numbers.handles + u128::from(number));
            may = self.pool.or(may, this);
        }
        may
    }

    /// Notes the end of the thread.
    pub fn end(&mut self, path: &mut Path, value: Option<ExprId>) -> bool {
        let ty = Type::Bits(self.numbers.bits);
        let result = match value {
            None => self.pool.number(ty, 0),
            Some(value) => match self.value(path, value) {
                // Wider results keep bits that a register of the joining thread may see.
                Some(value) if self.pool.bits(value) > self.numbers.bits => self.choose(path, ty),
                Some(value) => self.pool.fit(value, ty),
                None => return false,
            },
        };
        if !self.joins {
            return true;
        }
        for number in self.births_of(path.template) {
            let mine = self.is_born(path, number);
            let birth = self.threads.births[number as usize];
            let yes = self.pool.truth(true);
            for (variable, value) in [(birth.ended, yes), (birth.result, result)] {
                let before = self.read(path, variable);
                let after = self.pool.ite(mine, value, before);
                self.write(path, variable, after);
            }
        }
        true
    }
}

/// The number of a thread that is told apart.
const BIRTH: Type = Type::Bits(8);
