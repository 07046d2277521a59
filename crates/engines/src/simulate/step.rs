//! Symbolic execution of one command (Cook, Kroening and Sharygina, Table 2), for every construct of the
//! language. Each step adds as many nodes as its statement has operators, times the passive threads it
//! concerns: formulas grow linearly with the run.

use super::bounded::Simulation;
use super::state::{Birth, State, SymbolicStep, SymbolicThread, ThreadOrigin};
use crate::bounded::{Sizes, populations};
use crate::command::{Child, Command, Commands};
use crate::evaluate::{Formulas, Memo, Range};
use crate::formulas::{Evaluator, choose};
use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Init, Loc, Op, ProcId, Program, Read, Var, Whose};
use solve::aig::{Aig, Lit};

/// Executes commands under a bound on the threads.
pub struct Simulator<'p> {
    pub program: &'p Program,
    pub commands: &'p Commands,
    /// All formulas.
    pub aig: Aig,
    /// Whether the bound has refused a thread in any step so far.
    pub refused: bool,
    pub(super) evaluator: Evaluator,
    bound: u32,
    symmetry: bool,
    populations: Vec<Vec<(ProcId, u32)>>,
    is_merged: Vec<bool>,
}

/// A state and how it was reached.
pub struct Successor {
    pub state: State,
    /// The step.
    pub via: SymbolicStep,
}

/// What readings stand for; old values first.
pub(super) struct Reading<'a> {
    pub shared: [&'a [Lit]; 2],
    pub own: [&'a [Lit]; 2],
    pub passive: [&'a [Lit]; 2],
}

impl<'a> Reading<'a> {
    /// A thread that reads old values only.
    pub fn now(state: &'a State, thread: usize) -> Self {
        let own: &[Lit] = &state.threads[thread].locals;
        Self { shared: [&state.shared; 2], own: [own; 2], passive: [&[]; 2] }
    }

    /// The value of a reading.
    pub fn look(&self, read: Read) -> Lit {
        let when = read.when as usize;
        match (read.var, read.whose) {
            (Var::Shared(id), _) => self.shared[when][id.index()],
            (Var::Local(id), Whose::Own) => self.own[when][id.index()],
            (Var::Local(id), Whose::Passive) => self.passive[when][id.index()],
        }
    }
}

/// A command that passive threads react to.
#[derive(Clone, Copy)]
struct Reacting<'a> {
    state: &'a State,
    command: &'a Command,
    /// Before the command and after it.
    between: &'a Reading<'a>,
}

/// What a command makes of a state, before threads come and go.
struct Executed {
    shared: Vec<Lit>,
    own: Vec<Lit>,
    /// The locals of the other threads.
    others: Vec<Vec<Lit>>,
    guard: Lit,
    via: SymbolicStep,
}

impl<'p> Simulator<'p> {
    /// Executes a program's commands.
    pub fn new(simulation: &Simulation<'p>, sizes: Sizes, budget: &Budget) -> Result<Self, Stop> {
        let Simulation { program, commands, options, seed } = *simulation;
        let procedures = || program.start().templates.iter().map(|template| template.procedure);
        let population = |counts: Vec<u32>| procedures().zip(counts).collect();
        let populations = populations(program, sizes, budget)?.into_iter().map(population).collect();
        let locs = program.locations().ids();
        let is_merged =
            locs.map(|loc| options.merging && crate::threads::is_merged(program, commands, loc)).collect();
        let evaluator = Evaluator::default();
        let (aig, bound, symmetry) = (Aig::new(seed), sizes.bound, options.symmetry);
        Ok(Self {
            program,
            commands,
            aig,
            refused: false,
            evaluator,
            bound,
            symmetry,
            populations,
            is_merged,
        })
    }

    /// Whether the transitions from a location are merged with those that lead there.
    pub fn is_merged(&self, loc: Loc) -> bool {
        self.is_merged[loc.index()]
    }

    /// All states that the program starts in.
    pub fn starts(&mut self, budget: &Budget) -> Result<Vec<State>, Stop> {
        let mut shared = vec![];
        for variable in self.program.shared().iter() {
            shared.push(match variable.init {
                Init::Fixed(value) => Lit::constant(value),
                Init::Any => choose(&mut self.aig, Range { one: Lit::TRUE, zero: Lit::TRUE }),
            });
        }
        let init = self.program.start().init;
        let populations = init.map_or_else(|| self.populations.clone(), |init| vec![vec![(init, 1)]]);
        let mut starts = vec![];
        for population in populations {
            let births = self.births(&population, budget)?;
            let born = births.iter().map(|born| (self.newborn(born), ThreadOrigin::Birth(0))).collect();
            let guard = Lit::TRUE;
            let empty = State {
                initialising: init.is_some(),
                running: None,
                threads: vec![],
                shared: shared.clone(),
                guard,
            };
            starts.push(self.arranged(empty, born).0);
        }
        Ok(starts)
    }

    /// All states after one step of a thread.
    pub fn steps(&mut self, state: &State, thread: usize, budget: &Budget) -> Result<Vec<Successor>, Stop> {
        let mut successors = vec![];
        let commands = self.commands.at(state.threads[thread].loc);
        for (number, command) in commands.iter().enumerate() {
            budget.spend(1)?;
            if let Some(effect) = self.execute(state, thread, number, budget)? {
                self.conclude(state, command, effect, budget, &mut successors)?;
            }
        }
        Ok(successors)
    }

    /// Where a thread is in an error, whatever the guard says: at a label, or at an assertion that fails
    /// while it may step. `None` where there is nothing to fail.
    pub fn fails(&mut self, state: &State, thread: usize, budget: &Budget) -> Result<Option<Lit>, Stop> {
        let location = self.program.at(state.threads[thread].loc);
        if location.error {
            return Ok(Some(Lit::TRUE));
        }
        let Op::Assert(e) = location.op else { return Ok(None) };
        let (now, mut memo) = (Reading::now(state, thread), Memo::default());
        let mut fails = self.range(e, &now, &mut memo, budget)?.zero;
        if let Some(e) = location.enforce {
            let enforced = self.range(e, &now, &mut memo, budget)?.one;
            fails = self.aig.and(fails, enforced);
        }
        Ok(Some(fails))
    }

    /// The range of an expression.
    pub(super) fn range(
        &mut self,
        e: ExprId,
        reading: &Reading<'_>,
        memo: &mut Memo<Lit>,
        budget: &Budget,
    ) -> Result<Range<Lit>, Stop> {
        let mut formulas = Formulas { aig: &mut self.aig, formula: |read| reading.look(read), budget };
        self.evaluator.range(&mut formulas, self.commands.exprs(), e, memo)
    }

    fn value(
        &mut self,
        e: ExprId,
        now: &Reading<'_>,
        memo: &mut Memo<Lit>,
        budget: &Budget,
    ) -> Result<Lit, Stop> {
        let range = self.range(e, now, memo, budget)?;
        Ok(choose(&mut self.aig, range))
    }

    fn execute(
        &mut self,
        state: &State,
        thread: usize,
        number: usize,
        budget: &Budget,
    ) -> Result<Option<Executed>, Stop> {
        let command = &self.commands.at(state.threads[thread].loc)[number];
        let (now, mut memo) = (Reading::now(state, thread), Memo::default());
        let (mut shared, mut own) = (state.shared.clone(), state.threads[thread].locals.clone());
        let mut writes = vec![];
        for &(var, e) in &command.assign {
            let value = self.value(e, &now, &mut memo, budget)?;
            writes.push(value);
            match var {
                Var::Shared(id) => shared[id.index()] = value,
                Var::Local(id) => own[id.index()] = value,
            }
        }
        let mut births = vec![];
        if let Some(child) = &command.child {
            let refused = state.threads.len() >= self.bound as usize;
            births.push(Birth { refused, ..self.child(child, &now, &mut memo, budget)? });
        }
        let between = Reading { shared: [&state.shared, &shared], own: [now.own[0], &own], ..now };
        let mut guard = state.guard;
        for &e in &command.requires {
            let may_hold = self.range(e, &between, &mut memo, budget)?.one;
            guard = self.aig.and(guard, may_hold);
        }
        let mut via =
            SymbolicStep { thread, command: number, writes, passive: vec![], births, origins: vec![] };
        let others =
            self.react(Reacting { state, command, between: &between }, &mut guard, &mut via, budget)?;
        Ok((guard != Lit::FALSE).then_some(Executed { shared, own, others, guard, via }))
    }

    /// Broadcasts, and conditions over passive copies: each passive thread on its own. Gives the locals of
    /// all threads.
    fn react(
        &mut self,
        Reacting { state, command, between }: Reacting<'_>,
        guard: &mut Lit,
        via: &mut SymbolicStep,
        budget: &Budget,
    ) -> Result<Vec<Vec<Lit>>, Stop> {
        let mut all: Vec<Vec<Lit>> = state.threads.iter().map(|thread| thread.locals.clone()).collect();
        if command.broadcast.is_empty() && command.asks.is_none() {
            return Ok(all);
        }
        let program = self.program;
        let unknown = command.asks.map_or(vec![], |e| passive_reads(self.commands, e));
        let mut is_constrained = false;
        for (other, member) in state.threads.iter().enumerate().filter(|&(other, _)| other != via.thread) {
            let mut memo = Memo::default();
            let (before, mut updates) = (&member.locals, vec![]);
            let now = Reading { passive: [before; 2], ..*between };
            for &(local, e) in command.broadcast.iter().filter(|it| program.in_scope(member.loc, it.0)) {
                updates.push((local, self.value(e, &now, &mut memo, budget)?));
            }
            updates.iter().for_each(|&(local, value)| all[other][local.index()] = value);
            let sees =
                |read: &Read| matches!(read.var, Var::Local(local) if program.in_scope(member.loc, local));
            if let Some(e) = command.asks.filter(|_| unknown.iter().all(sees)) {
                let reading = Reading { passive: [before, &all[other]], ..*between };
                let may_hold = self.range(e, &reading, &mut memo, budget)?.one;
                *guard = self.aig.and(*guard, may_hold);
                is_constrained = true;
            }
            if !updates.is_empty() {
                via.passive.push((other, updates));
            }
        }
        if let Some(e) = command.asks.filter(|_| !is_constrained) {
            let may_hold = self.unconstrained(e, &unknown, between, budget)?;
            *guard = self.aig.and(*guard, may_hold);
        }
        Ok(all)
    }

    /// A condition over passive copies when there is nobody to ask: it must hold for some values of the
    /// copies.
    fn unconstrained(
        &mut self,
        e: ExprId,
        unknown: &[Read],
        between: &Reading<'_>,
        budget: &Budget,
    ) -> Result<Lit, Stop> {
        let mut copies = [0, 1].map(|_| vec![Lit::FALSE; self.program.locals().len()]);
        for read in unknown {
            if let Var::Local(local) = read.var {
                let input = self.aig.new_input();
                copies[read.when as usize][local.index()] = self.aig.input(input);
            }
        }
        let reading = Reading { passive: [&copies[0], &copies[1]], ..*between };
        Ok(self.range(e, &reading, &mut Memo::default(), budget)?.one)
    }

    /// The section and the coming and going of threads.
    fn conclude(
        &mut self,
        state: &State,
        command: &Command,
        effect: Executed,
        budget: &Budget,
        successors: &mut Vec<Successor>,
    ) -> Result<(), Stop> {
        let was_inside = state.threads[effect.via.thread].inside;
        let ways = match command.section.side(was_inside) {
            Some(inside) => vec![(inside, effect.guard)],
            None => {
                let atomic = self.program.atomic_variable().expect("a section follows the atomic variable");
                let inside = effect.shared[atomic.index()];
                let guards = [inside, !inside].map(|it| self.aig.and(effect.guard, it));
                vec![(true, guards[0]), (false, guards[1])]
            }
        };
        for (inside, guard) in ways.into_iter().filter(|&(_, guard)| guard != Lit::FALSE) {
            let active = command.to.map(|to| SymbolicThread { loc: to, inside, locals: effect.own.clone() });
            if active.is_none() && state.initialising {
                self.start_others(state, &effect, guard, budget, successors)?;
                continue;
            }
            self.refused |= effect.via.births.iter().any(|born| born.refused);
            successors.push(self.compose(state, &effect, guard, active, effect.via.births.clone()));
        }
        Ok(())
    }

    /// The last step of `init`: all ways to start the other threads.
    fn start_others(
        &mut self,
        state: &State,
        effect: &Executed,
        guard: Lit,
        budget: &Budget,
        successors: &mut Vec<Successor>,
    ) -> Result<(), Stop> {
        let left = (self.bound as usize).saturating_sub(state.threads.len() - 1);
        for population in self.populations.clone() {
            if population.iter().map(|&(_, count)| count as usize).sum::<usize>() > left {
                self.refused = true;
                continue;
            }
            let births = self.births(&population, budget)?;
            let mut next = self.compose(state, effect, guard, None, births);
            next.state.initialising = false;
            successors.push(next);
        }
        Ok(())
    }

    fn compose(
        &self,
        state: &State,
        effect: &Executed,
        guard: Lit,
        active: Option<SymbolicThread>,
        births: Vec<Birth>,
    ) -> Successor {
        let mut members = vec![];
        for (index, (before, locals)) in state.threads.iter().zip(&effect.others).enumerate() {
            let passive = || SymbolicThread { locals: locals.clone(), ..before.clone() };
            let member = if index == effect.via.thread { active.clone() } else { Some(passive()) };
            members.extend(member.map(|member| (self.settled(member), ThreadOrigin::Before(index))));
        }
        for (index, born) in births.iter().enumerate().filter(|(_, born)| !born.refused) {
            members.push((self.newborn(born), ThreadOrigin::Birth(index)));
        }
        let shared = effect.shared.clone();
        let next = State { initialising: state.initialising, running: None, threads: vec![], shared, guard };
        let (mut next, origins) = self.arranged(next, members);
        let stepped = origins.iter().position(|&origin| origin == ThreadOrigin::Before(effect.via.thread));
        next.running = stepped.filter(|&index| self.is_merged(next.threads[index].loc));
        Successor { state: next, via: SymbolicStep { births, origins, ..effect.via.clone() } }
    }

    /// Puts threads into a state, in canonical order if threads are a multiset.
    fn arranged(
        &self,
        state: State,
        mut members: Vec<(SymbolicThread, ThreadOrigin)>,
    ) -> (State, Vec<ThreadOrigin>) {
        if self.symmetry {
            members.sort();
        }
        let (threads, origins) = members.into_iter().unzip();
        (State { threads, ..state }, origins)
    }

    fn births(&mut self, population: &[(ProcId, u32)], budget: &Budget) -> Result<Vec<Birth>, Stop> {
        let nothing = Reading { shared: [&[]; 2], own: [&[]; 2], passive: [&[]; 2] };
        let mut births = vec![];
        for &(procedure, count) in population {
            let child = self.commands.fresh(procedure);
            for _ in 0..count {
                budget.spend(1)?;
                births.push(self.child(child, &nothing, &mut Memo::default(), budget)?);
            }
        }
        Ok(births)
    }

    fn child(
        &mut self,
        child: &Child,
        now: &Reading<'_>,
        memo: &mut Memo<Lit>,
        budget: &Budget,
    ) -> Result<Birth, Stop> {
        let mut values = vec![];
        for &(local, e) in &child.values {
            values.push((local, self.value(e, now, memo, budget)?));
        }
        Ok(Birth { at: child.at, values, refused: false })
    }

    fn newborn(&self, born: &Birth) -> SymbolicThread {
        let mut locals = vec![Lit::FALSE; self.program.locals().len()];
        born.values.iter().for_each(|&(local, value)| locals[local.index()] = value);
        self.settled(SymbolicThread { loc: born.at, inside: false, locals })
    }

    /// Dead locals are 0.
    fn settled(&self, mut member: SymbolicThread) -> SymbolicThread {
        for &local in &self.program.at(member.loc).dead {
            member.locals[local.index()] = Lit::FALSE;
        }
        member
    }
}

/// The readings of passive copies in a condition.
fn passive_reads(commands: &Commands, e: ExprId) -> Vec<Read> {
    commands.exprs().reads(e).into_iter().filter(|read| read.whose == Whose::Passive).collect()
}
