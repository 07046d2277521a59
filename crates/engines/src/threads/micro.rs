//! The single steps of one thread, computed from the commands: what `Threads` memoises and traces replay.

use super::passive::Passive;
use crate::bits;
use crate::code::{Code, Env, Formula};
use crate::command::{Child, Command, Commands};
use crate::explore::{NONE, Store};
use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Loc, LocalId, Op, ProcId, Program, Read, Values, Var, When, Whose};

/// One step of one thread. Numbers name interned shared valuations and thread-local states.
#[derive(Clone, Debug)]
pub struct Micro {
    /// Which command of the location.
    pub command: usize,
    /// The values assigned, in the order of the command.
    pub writes: Vec<bool>,
    /// The shared variables afterwards.
    pub shared: u32,
    /// The thread afterwards; `NONE` if it ends.
    pub local: u32,
    /// The thread created: its state and its values as it is born.
    pub child: Option<(u32, Vec<bool>)>,
    /// What the passive threads have to do with it.
    pub passive: Option<Passive>,
}

/// A command with its formulas.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// Conditions on the old state alone, then those on the new one too.
    pub(super) before: Vec<Formula>,
    pub(super) after: Vec<Formula>,
    pub(super) asks: Option<Formula>,
    /// The locals whose copies `asks` reads.
    pub(super) constrained: Vec<LocalId>,
    /// The readings of copies that are unknown when no passive thread is constrained.
    pub(super) unknown: Vec<Read>,
    pub(super) assign: Vec<Formula>,
    /// For each assignment whether nobody can read the new value: it is dead where control goes, and no
    /// condition asks for it.
    unread: Vec<bool>,
    pub(super) broadcast: Vec<Formula>,
    pub(super) child: Vec<Formula>,
}

/// The thread-level semantics of a flat program.
#[derive(Debug)]
pub struct Semantics<'p> {
    pub program: &'p Program,
    pub commands: Commands,
    /// The interned valuations of the shared variables; the bit after the last says that `init` still runs.
    pub shared: Store,
    /// The interned thread-local states: the location and the section in the first word, then the locals.
    pub locals: Store,
    pub(super) code: Code,
    pub(super) compiled: Vec<Vec<Compiled>>,
    /// Each location's assertion and invariant.
    asserts: Vec<(Option<Formula>, Option<Formula>)>,
    fresh: Vec<Vec<Formula>>,
    scratch: Vec<u8>,
}

impl<'p> Semantics<'p> {
    /// The semantics of a program with these commands.
    pub fn new(program: &'p Program, commands: Commands) -> Self {
        let mut code = Code::new();
        let locs = program.locations().ids();
        let compiled = locs.map(|loc| {
            commands.at(loc).iter().map(|it| compile(&mut code, program, &commands, it)).collect()
        });
        let compiled = compiled.collect();
        let exprs = commands.exprs();
        let asserts = program.locations().iter().map(|location| {
            let assertion = if let Op::Assert(e) = location.op { Some(e) } else { None };
            let mut formula = |e: ExprId| code.compile(exprs, e);
            (assertion.map(&mut formula), location.enforce.map(&mut formula))
        });
        let asserts = asserts.collect();
        let roots = program.roots();
        let fresh = program.procedures().ids().map(|id| {
            let values = if roots.contains(&id) { &commands.fresh(id).values[..] } else { &[] };
            values.iter().map(|&(_, e)| code.compile(exprs, e)).collect()
        });
        let fresh = fresh.collect();
        let (shared, locals, scratch) = (Store::new(), Store::new(), vec![]);
        Self { program, commands, shared, locals, code, compiled, asserts, fresh, scratch }
    }

    /// The location of a thread-local state.
    pub fn loc(&self, local: u32) -> Loc {
        Loc::from_index((self.locals.get(local)[0] >> 1) as usize)
    }

    /// Whether the thread is inside an atomic section.
    pub fn inside(&self, local: u32) -> bool {
        self.locals.get(local)[0] & 1 == 1
    }

    /// The bits of the thread's locals.
    pub fn values(&self, local: u32) -> &[u32] {
        &self.locals.get(local)[1..]
    }

    /// Whether `init` still runs.
    pub fn initialising(&self, shared: u32) -> bool {
        bits::get(self.shared.get(shared), self.program.shared().len())
    }

    /// The valuation without the mark that `init` runs.
    pub fn initialised(&mut self, shared: u32) -> Result<u32, Stop> {
        let mut row = self.shared.get(shared).to_vec();
        bits::set(&mut row, self.program.shared().len(), false);
        Ok(self.shared.insert(&row)?.0)
    }

    /// Whether a thread that may step fails its assertion here.
    pub fn fails(&mut self, shared: u32, local: u32) -> bool {
        let (Some(assertion), enforce) = self.asserts[self.loc(local).index()] else { return false };
        let (s, l) = (self.shared.get(shared), &self.locals.get(local)[1..]);
        let env = Env { shared: [s, s], own: [l, l], passive: [&[], &[]] };
        let enforced = enforce.is_none_or(|e| self.code.values(e, &env, &mut self.scratch).may_be(true));
        enforced && self.code.values(assertion, &env, &mut self.scratch).may_be(false)
    }

    /// All steps of a thread, in a fixed order.
    pub fn steps(&mut self, shared: u32, local: u32, budget: &Budget) -> Result<Vec<Micro>, Stop> {
        let loc = self.loc(local);
        let mut steps = vec![];
        for command in 0..self.compiled[loc.index()].len() {
            self.command_steps(shared, local, command, budget, &mut steps)?;
        }
        Ok(steps)
    }

    fn command_steps(
        &mut self,
        shared: u32,
        local: u32,
        command: usize,
        budget: &Budget,
        steps: &mut Vec<Micro>,
    ) -> Result<(), Stop> {
        let loc = self.loc(local);
        let (s, l) = (self.shared.get(shared).to_vec(), self.values(local).to_vec());
        let env = Env { shared: [&s, &s], own: [&l, &l], passive: [&[], &[]] };
        let it = &self.compiled[loc.index()][command];
        if !it.before.iter().all(|&e| self.code.values(e, &env, &mut self.scratch).may_be(true)) {
            return Ok(());
        }
        let mut evaluate = |e: &Formula| self.code.values(*e, &env, &mut self.scratch);
        let mut possible: Vec<Values> = it.assign.iter().map(&mut evaluate).collect();
        let mut at_birth: Vec<Values> = it.child.iter().map(&mut evaluate).collect();
        possible.iter_mut().zip(&it.unread).for_each(|(values, &unread)| pick_unread(values, unread));
        if let Some(child) = &self.commands.at(loc)[command].child {
            self.pick_dead(child, &mut at_birth);
        }
        let mut chosen = first_choice(&possible);
        loop {
            budget.spend(1)?;
            let mut micro =
                Micro { command, writes: chosen.clone(), shared, local, child: None, passive: None };
            if self.execute(&mut micro, budget)? {
                self.births(loc, micro, &at_birth, budget, steps)?;
            }
            if !next_choice(&possible, &mut chosen) {
                return Ok(());
            }
        }
    }

    /// Adds the step, once for each way to give a child its values.
    fn births(
        &mut self,
        loc: Loc,
        micro: Micro,
        possible: &[Values],
        budget: &Budget,
        steps: &mut Vec<Micro>,
    ) -> Result<(), Stop> {
        let Some(child) = self.commands.at(loc)[micro.command].child.clone() else {
            steps.push(micro);
            return Ok(());
        };
        let mut chosen = first_choice(possible);
        loop {
            budget.spend(1)?;
            let local = self.newborn(&child, &chosen)?;
            steps.push(Micro { child: Some((local, chosen.clone())), ..micro.clone() });
            if !next_choice(possible, &mut chosen) {
                return Ok(());
            }
        }
    }

    /// Carries out a command with the chosen values on a thread whose old state stands in `micro`; whether it
    /// is a step.
    fn execute(&mut self, micro: &mut Micro, budget: &Budget) -> Result<bool, Stop> {
        let loc = self.loc(micro.local);
        let command = &self.commands.at(loc)[micro.command];
        let (old_s, old_l) = (self.shared.get(micro.shared), &self.locals.get(micro.local)[1..]);
        let (mut s, mut l) = (old_s.to_vec(), old_l.to_vec());
        for (&(var, _), &value) in command.assign.iter().zip(&micro.writes) {
            match var {
                Var::Shared(id) => bits::set(&mut s, id.index(), value),
                Var::Local(id) => bits::set(&mut l, id.index(), value),
            }
        }
        let env = Env { shared: [old_s, &s], own: [old_l, &l], passive: [&[], &[]] };
        let it = &self.compiled[loc.index()][micro.command];
        if !it.after.iter().all(|&e| self.code.values(e, &env, &mut self.scratch).may_be(true)) {
            return Ok(false);
        }
        if it.asks.is_some() || !it.broadcast.is_empty() {
            let old = (micro.shared, micro.local);
            let unconstrained = self.holds_unconstrained(loc, micro.command, &env, budget)?;
            let (shared, own) = (s.clone(), l.clone());
            micro.passive = Some(Passive { command: (loc, micro.command), old, shared, own, unconstrained });
        }
        let atomic = self.program.atomic_variable();
        let follows = || atomic.is_some_and(|variable| bits::get(&s, variable.index()));
        let section = self.commands.at(loc)[micro.command].section;
        let inside = section.side(self.inside(micro.local)).unwrap_or_else(follows);
        micro.local = match self.commands.at(loc)[micro.command].to {
            Some(to) => self.settled(to, inside, &l)?,
            None => NONE,
        };
        micro.shared = self.shared.insert(&s)?.0;
        Ok(true)
    }

    /// The states that a thread which begins in a procedure may be in, each once, with the values it is born
    /// with.
    pub fn fresh(&mut self, procedure: ProcId, budget: &Budget) -> Result<Vec<(u32, Vec<bool>)>, Stop> {
        let formulas = self.fresh[procedure.index()].clone();
        let mut scratch = vec![];
        let env = Env::default();
        let mut possible: Vec<Values> =
            formulas.iter().map(|&e| self.code.values(e, &env, &mut scratch)).collect();
        let child = self.commands.fresh(procedure).clone();
        self.pick_dead(&child, &mut possible);
        let mut chosen = first_choice(&possible);
        let mut all = vec![];
        loop {
            budget.spend(1)?;
            all.push((self.newborn(&child, &chosen)?, chosen.clone()));
            if !next_choice(&possible, &mut chosen) {
                return Ok(all);
            }
        }
    }

    /// One value for each of a new thread's locals that is dead where it begins.
    fn pick_dead(&self, child: &Child, possible: &mut [Values]) {
        let dead = &self.program.at(child.at).dead;
        for ((local, _), values) in child.values.iter().zip(possible) {
            pick_unread(values, dead.contains(local));
        }
    }

    fn newborn(&mut self, child: &Child, values: &[bool]) -> Result<u32, Stop> {
        let mut row = vec![0; bits::words(self.program.locals().len())];
        for (&(local, _), &value) in child.values.iter().zip(values) {
            bits::set(&mut row, local.index(), value);
        }
        self.settled(child.at, false, &row)
    }

    /// The thread-local state with dead locals 0.
    pub(super) fn settled(&mut self, loc: Loc, inside: bool, values: &[u32]) -> Result<u32, Stop> {
        let mut row = Vec::with_capacity(values.len() + 1);
        row.push((loc.index() as u32) << 1 | u32::from(inside));
        row.extend_from_slice(values);
        for local in &self.program.at(loc).dead {
            bits::set(&mut row[1..], local.index(), false);
        }
        Ok(self.locals.insert(&row)?.0)
    }
}

fn compile(code: &mut Code, program: &Program, commands: &Commands, command: &Command) -> Compiled {
    let exprs = commands.exprs();
    let conditions =
        command.requires.iter().chain(&command.asks).chain(command.broadcast.iter().map(|it| &it.1));
    let reads_new_value: Vec<Read> =
        conditions.flat_map(|&e| exprs.reads(e)).filter(|read| read.when == When::Next).collect();
    let is_unread = |&(var, _): &(Var, ExprId)| {
        let Var::Local(local) = var else { return false };
        command.to.is_none_or(|to| program.at(to).dead.contains(&local))
            && reads_new_value.iter().all(|read| read.var != var)
    };
    let reads_new = |e: &ExprId| exprs.reads(*e).iter().any(|read| read.when == When::Next);
    let (after, before): (Vec<ExprId>, Vec<ExprId>) = command.requires.iter().partition(|e| reads_new(e));
    let unknown: Vec<Read> = command.asks.map_or(vec![], |e| exprs.reads(e));
    let unknown: Vec<Read> = unknown.into_iter().filter(|read| read.whose == Whose::Passive).collect();
    let mut constrained: Vec<LocalId> = unknown
        .iter()
        .filter_map(|read| if let Var::Local(local) = read.var { Some(local) } else { None })
        .collect();
    constrained.dedup();
    let mut formula = |e: ExprId| code.compile(exprs, e);
    Compiled {
        before: before.into_iter().map(&mut formula).collect(),
        after: after.into_iter().map(&mut formula).collect(),
        asks: command.asks.map(&mut formula),
        constrained,
        unknown,
        assign: command.assign.iter().map(|&(_, e)| formula(e)).collect(),
        unread: command.assign.iter().map(is_unread).collect(),
        broadcast: command.broadcast.iter().map(|&(_, e)| formula(e)).collect(),
        child: command.child.iter().flat_map(|child| &child.values).map(|&(_, e)| formula(e)).collect(),
    }
}

/// Of a value that nobody can read, and that becomes 0 at once, one choice stands for all: k of them would
/// make 2^k equal steps.
pub(super) fn pick_unread(values: &mut Values, unread: bool) {
    if unread && *values == Values::ANY {
        *values = Values::FALSE;
    }
}

/// The first way to pick a value from each set; the sets are not empty.
pub fn first_choice(possible: &[Values]) -> Vec<bool> {
    possible.iter().map(|values| !values.may_be(false)).collect()
}

/// Goes on to the next way to pick; false after the last.
pub fn next_choice(possible: &[Values], chosen: &mut [bool]) -> bool {
    for (values, value) in possible.iter().zip(chosen).rev() {
        if *values == Values::ANY {
            *value = !*value;
            if *value {
                return true;
            }
        }
    }
    false
}
