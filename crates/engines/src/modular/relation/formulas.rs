//! Parametric thread states ⟨PC, ω, γ⟩ (section 4.1 of the paper): every variable is a formula over choice
//! variables, and a guard says which choices count. Whether a set holds anything new is the ∀∃ question that
//! [`solve::inclusion`] answers with two SAT solvers.
//!
//! What differs from the paper: all thread states with the same control are one symbolic state, the union of
//! two being an if-then-else over a new choice, so that a new one is compared with all older ones at once;
//! and sets are written anew over their state bits, where decision diagrams stay small, so that equal sets
//! mostly get equal formulas. In case 2 the choices of the active thread are renamed apart from those of the
//! passive thread, with which they may have a past in common.

#[cfg(test)]
mod inspect;

use super::control::{CommandVariant, ThreadControl};
use super::saturate::{Sets, Stepped, ThreadStates};
use super::{Counters, Options};
use crate::command::{Child, Commands};
use crate::evaluate::{Memo, Range};
use crate::formulas::Evaluator;
use crate::formulas::canonical::CanonicalForms;
use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Init, Loc, LocalId, Op, ProcId, Program, Read, SharedId, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use solve::aig::{Aig, Input, Lit, Node, Substitution};
use solve::inclusion::{self, StateSet};
use solve::sat::{Answer, Batsat, Encoder, SatSolver};
use std::rc::Rc;

/// Formulas of this many nodes are small: sets may grow to them when they are written anew.
const SMALL: usize = 100;

/// A symbolic thread state without its location.
#[derive(Clone, Debug)]
pub struct Parametric {
    shared: Rc<[Lit]>,
    locals: Rc<[Lit]>,
    guard: Lit,
    /// Its choice variables, sorted.
    support: Rc<[Input]>,
    /// The shared variables that are choices of their own: nothing else depends on them.
    free: Rc<[bool]>,
}

/// What steps by one command are for the others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EnvironmentStep {
    before: Rc<[Lit]>,
    assigned: Vec<(SharedId, Lit)>,
    /// For each lock whether the active thread holds it before or after.
    busy: Vec<Lit>,
    guard: Lit,
    support: Vec<Input>,
    free: Vec<bool>,
}

/// A program and all formulas.
pub struct FormulaSets<'p> {
    program: &'p Program,
    commands: Commands,
    owner: bool,
    aig: Aig,
    evaluator: Evaluator,
    forms: CanonicalForms,
    alive: Vec<Vec<LocalId>>,
    tests: u64,
    filtered: u64,
    solver_calls: u64,
    rewritten: u64,
}

/// A step: the state before and after.
struct ExecutedCommand {
    shared: Vec<Lit>,
    locals: Vec<Lit>,
    guard: Lit,
    child: Option<(Loc, Vec<Lit>)>,
}

impl<'p> FormulaSets<'p> {
    /// No formulas yet; the seed chooses the simulation patterns.
    pub fn new(program: &'p Program, commands: Commands, options: Options, seed: u64) -> Self {
        let alive = program
            .locations()
            .iter()
            .map(|location| program.locals().ids().filter(|local| !location.dead.contains(local)).collect());
        Self {
            program,
            commands,
            owner: options.owner,
            aig: Aig::new(seed),
            evaluator: Evaluator::default(),
            forms: CanonicalForms::new(),
            alive: alive.collect(),
            tests: 0,
            filtered: 0,
            solver_calls: 0,
            rewritten: 0,
        }
    }

    fn range(
        &mut self,
        e: ExprId,
        memo: &mut Memo<Lit>,
        formula: &dyn Fn(Read) -> Lit,
        budget: &Budget,
    ) -> Result<Range<Lit>, Stop> {
        let mut formulas = crate::evaluate::Formulas { aig: &mut self.aig, formula, budget };
        self.evaluator.range(&mut formulas, self.commands.exprs(), e, memo)
    }

    /// One of the possible values, chosen by a variable that is not in use: the first such, so that equal
    /// sets have equal steps.
    fn choose(&mut self, range: Range<Lit>, used: &mut FxHashSet<Input>) -> Lit {
        if range.is_fixed() {
            return range.one;
        }
        let choice = self.spare(used, 1)[0];
        used.insert(choice);
        let choice = self.aig.input(choice);
        self.aig.ite(choice, range.one, !range.zero)
    }

    fn execute(
        &mut self,
        loc: Loc,
        set: &Parametric,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<ExecutedCommand, Stop> {
        let command = self.commands.at(loc)[way.command].clone();
        let now = |read: Read| look(read, &set.shared, &set.locals);
        let (mut memo, mut used) = (Memo::default(), set.support.iter().copied().collect());
        let (mut shared, mut locals) = (set.shared.to_vec(), set.locals.to_vec());
        for &(var, e) in &command.assign {
            let range = self.range(e, &mut memo, &now, budget)?;
            let value = self.choose(range, &mut used);
            match var {
                Var::Shared(id) => shared[id.index()] = value,
                Var::Local(id) => locals[id.index()] = value,
            }
        }
        let mut child = None;
        if let Some(it) = &command.child {
            child = Some((it.at, self.newborn(it, &mut memo, &mut used, &now, budget)?));
        }
        let between = |read: Read| match read.when {
            ir::bp::When::Now => look(read, &set.shared, &set.locals),
            ir::bp::When::Next => look(read, &shared, &locals),
        };
        let mut guard = set.guard;
        for &e in &command.requires {
            let may_hold = self.range(e, &mut memo, &between, budget)?.one;
            guard = self.aig.and(guard, may_hold);
        }
        if let Some((atomic, value)) = self.program.atomic_variable().zip(way.atomic) {
            guard = self.aig.and(guard, shared[atomic.index()].negate_if(!value));
        }
        if let Some(to) = command.to {
            self.settle(to, &mut locals);
        }
        Ok(ExecutedCommand { shared, locals, guard, child })
    }

    fn newborn(
        &mut self,
        child: &Child,
        memo: &mut Memo<Lit>,
        used: &mut FxHashSet<Input>,
        now: &dyn Fn(Read) -> Lit,
        budget: &Budget,
    ) -> Result<Vec<Lit>, Stop> {
        let mut locals = vec![Lit::FALSE; self.program.locals().len()];
        for &(local, e) in &child.values {
            let range = self.range(e, memo, now, budget)?;
            locals[local.index()] = self.choose(range, used);
        }
        self.settle(child.at, &mut locals);
        Ok(locals)
    }

    /// Dead locals are 0.
    fn settle(&self, loc: Loc, locals: &mut [Lit]) {
        self.program.at(loc).dead.iter().for_each(|local| locals[local.index()] = Lit::FALSE);
    }

    fn parametric(&self, shared: Vec<Lit>, locals: Vec<Lit>, guard: Lit) -> Parametric {
        let all = || shared.iter().chain(&locals).copied().chain([guard]);
        let support = self.aig.support(all()).into();
        let free = free(&self.aig, &shared, locals.iter().copied().chain([guard])).into();
        Parametric { shared: shared.into(), locals: locals.into(), guard, support, free }
    }

    /// The formulas that sets at a location are compared by.
    fn state_set(&self, loc: Loc, set: &Parametric) -> StateSet {
        let locals = self.alive[loc.index()].iter().map(|local| set.locals[local.index()]);
        StateSet { bits: set.shared.iter().copied().chain(locals).collect(), guard: set.guard }
    }

    fn satisfiable(&mut self, lit: Lit, budget: &Budget) -> Result<bool, Stop> {
        if let Some(value) = lit.as_constant() {
            return Ok(value);
        }
        if self.aig.simulation(lit).iter().any(|&word| word != 0) {
            return Ok(true);
        }
        self.solver_calls += 1;
        let (mut solver, mut encoder) = (Batsat::new(), Encoder::new());
        let literal = encoder.literal(&self.aig, lit, &mut solver, budget)?;
        Ok(solver.solve_under(&[literal], budget)? == Answer::Sat)
    }

    fn covered(&mut self, new: &StateSet, old: &StateSet, budget: &Budget) -> Result<bool, Stop> {
        self.tests += 1;
        if let Some(answer) = inclusion::filter(&self.aig, new, old) {
            self.filtered += 1;
            return Ok(answer);
        }
        let options = inclusion::Options { filters: false, ..inclusion::Options::default() };
        let answer = inclusion::answer(&self.aig, new, old, &options, budget)?;
        self.solver_calls += answer.calls;
        Ok(answer.included)
    }

    /// Both sets as one: a new choice says which.
    fn union(&mut self, old: &Parametric, new: &Parametric) -> Parametric {
        let avoid: FxHashSet<Input> = old.support.iter().chain(new.support.iter()).copied().collect();
        let choice = self.spare(&avoid, 1)[0];
        let choice = self.aig.input(choice);
        let mut both = |old: &[Lit], new: &[Lit]| -> Vec<Lit> {
            old.iter().zip(new).map(|(&old, &new)| self.aig.ite(choice, new, old)).collect()
        };
        let (shared, locals) = (both(&old.shared, &new.shared), both(&old.locals, &new.locals));
        let guard = self.aig.ite(choice, new.guard, old.guard);
        self.parametric(shared, locals, guard)
    }

    /// This many choice variables that are not in use where these are.
    fn spare(&mut self, avoid: &FxHashSet<Input>, count: usize) -> Vec<Input> {
        let known = (0..self.aig.input_count()).map(Input::from_index);
        let mut spare: Vec<Input> = known.filter(|input| !avoid.contains(input)).take(count).collect();
        while spare.len() < count {
            spare.push(self.aig.new_input());
        }
        spare
    }

    /// The same set written over its own bits, where decision diagrams stay small and the formulas, too.
    fn rewrite(&mut self, loc: Loc, set: Parametric, budget: &Budget) -> Result<Parametric, Stop> {
        let compared = self.state_set(loc, &set);
        let Some(valuations) = self.forms.of(&self.aig, &compared, budget)? else { return Ok(set) };
        let new = self.forms.anew(&mut self.aig, &compared, valuations, budget)?;
        let size = |set: &StateSet| self.aig.cone_size(set.bits.iter().copied().chain([set.guard]));
        if size(&new) > size(&compared).max(SMALL) {
            return Ok(set);
        }
        self.rewritten += 1;
        let (shared, alive) = new.bits.split_at(set.shared.len());
        let mut locals = vec![Lit::FALSE; set.locals.len()];
        let places = self.alive[loc.index()].iter().zip(alive);
        places.for_each(|(local, &value)| locals[local.index()] = value);
        Ok(self.parametric(shared.to_vec(), locals, new.guard))
    }

    /// The effect with its choices renamed, where the passive thread has the same.
    fn apart(
        &mut self,
        effect: &EnvironmentStep,
        passive: &Parametric,
        budget: &Budget,
    ) -> Result<EnvironmentStep, Stop> {
        let own: FxHashSet<Input> = passive.support.iter().copied().collect();
        let clash: Vec<Input> = effect.support.iter().copied().filter(|it| own.contains(it)).collect();
        if clash.is_empty() {
            return Ok(effect.clone());
        }
        let avoid = own.into_iter().chain(effect.support.iter().copied()).collect();
        let spare = self.spare(&avoid, clash.len());
        let pairs = clash.into_iter().zip(spare).map(|(from, to)| (from, self.aig.input(to)));
        let mut by = Substitution::new(pairs.collect::<Vec<_>>());
        let mut rename = |lit: Lit| self.aig.substitute(lit, &mut by, budget);
        let mut renamed = effect.clone();
        renamed.before = effect.before.iter().map(|&lit| rename(lit)).collect::<Result<_, Stop>>()?;
        for it in &mut renamed.assigned {
            it.1 = rename(it.1)?;
        }
        for it in &mut renamed.busy {
            *it = rename(*it)?;
        }
        renamed.guard = rename(renamed.guard)?;
        Ok(renamed)
    }

    /// The shared part that passive and active thread agree on, and the guard under which they do.
    fn agree(&mut self, passive: &Parametric, effect: &EnvironmentStep) -> (Vec<Lit>, Lit) {
        let mut guard = self.aig.and(passive.guard, effect.guard);
        let mut shared = passive.shared.to_vec();
        for (index, bit) in shared.iter_mut().enumerate() {
            let theirs = effect.before[index];
            if passive.free[index] {
                // Whatever it is there, it may be here, too.
                *bit = theirs;
            } else if !effect.free[index] {
                let same = self.aig.iff(*bit, theirs);
                guard = self.aig.and(guard, same);
            }
        }
        (shared, guard)
    }
}

impl Sets for FormulaSets<'_> {
    type Set = Parametric;
    type EnvironmentStep = EnvironmentStep;

    fn program(&self) -> &Program {
        self.program
    }

    fn commands(&self) -> &Commands {
        &self.commands
    }

    fn begin(
        &mut self,
        procedure: ProcId,
        shared: Option<&Parametric>,
        budget: &Budget,
    ) -> Result<Parametric, Stop> {
        let mut used: FxHashSet<Input> = shared.iter().flat_map(|set| set.support.iter().copied()).collect();
        let (shared, guard) = match shared {
            Some(set) => (set.shared.to_vec(), set.guard),
            None => {
                let any = Range { one: Lit::TRUE, zero: Lit::TRUE };
                let first = self.program.shared().iter().map(|shared| match shared.init {
                    Init::Fixed(value) => Lit::constant(value),
                    Init::Any => self.choose(any, &mut used),
                });
                (first.collect(), Lit::TRUE)
            }
        };
        let child = self.commands.fresh(procedure).clone();
        let nothing = |_: Read| Lit::FALSE;
        let locals = self.newborn(&child, &mut Memo::default(), &mut used, &nothing, budget)?;
        Ok(self.parametric(shared, locals, guard))
    }

    fn step(
        &mut self,
        ThreadStates { control, set }: ThreadStates<'_, Parametric>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<Stepped<Parametric>>, Stop> {
        let ExecutedCommand { shared, locals, guard, child } = self.execute(control.loc, set, way, budget)?;
        if guard == Lit::FALSE {
            return Ok(None);
        }
        let child = child.map(|(at, locals)| (at, self.parametric(shared.clone(), locals, guard)));
        Ok(Some(Stepped { after: self.parametric(shared, locals, guard), child }))
    }

    fn effect(
        &mut self,
        ThreadStates { control, set }: ThreadStates<'_, Parametric>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<EnvironmentStep>, Stop> {
        let ExecutedCommand { shared, locals, guard, .. } = self.execute(control.loc, set, way, budget)?;
        if guard == Lit::FALSE {
            return Ok(None);
        }
        let ends = self.commands.at(control.loc)[way.command].to.is_none();
        let owners: Vec<LocalId> = self.program.locks().iter().map(|lock| lock.owner).collect();
        let busy = owners.iter().map(|owner| {
            let (before, after) = (set.locals[owner.index()], locals[owner.index()]);
            if ends { before } else { self.aig.or(before, after) }
        });
        let busy: Vec<Lit> = busy.collect();
        let assign = self.commands.at(control.loc)[way.command].assign.iter();
        let assigned = assign.filter_map(|it| if let Var::Shared(id) = it.0 { Some(id) } else { None });
        let assigned: Vec<(SharedId, Lit)> = assigned.map(|id| (id, shared[id.index()])).collect();
        let rest = || assigned.iter().map(|it| it.1).chain(busy.iter().copied()).chain([guard]);
        let support = self.aig.support(set.shared.iter().copied().chain(rest()));
        let free = free(&self.aig, &set.shared, rest());
        Ok(Some(EnvironmentStep { before: set.shared.clone(), assigned, busy, guard, support, free }))
    }

    fn react(
        &mut self,
        ThreadStates { set, .. }: ThreadStates<'_, Parametric>,
        effect: &EnvironmentStep,
        stays: bool,
        budget: &Budget,
    ) -> Result<Option<Parametric>, Stop> {
        // What changes may be anything already, whatever the rest is.
        if stays && effect.assigned.iter().all(|&(id, _)| set.free[id.index()]) {
            return Ok(None);
        }
        budget.spend(set.shared.len() as u64)?;
        let effect = self.apart(effect, set, budget)?;
        let (mut shared, mut guard) = self.agree(set, &effect);
        for &(id, value) in &effect.assigned {
            shared[id.index()] = value;
        }
        for (lock, &busy) in self.program.locks().iter().zip(&effect.busy).filter(|_| self.owner) {
            let both = self.aig.and(set.locals[lock.owner.index()], busy);
            guard = self.aig.and(guard, !both);
        }
        Ok((guard != Lit::FALSE).then(|| self.parametric(shared, set.locals.to_vec(), guard)))
    }

    fn unite(
        &mut self,
        control: ThreadControl,
        old: Option<&Parametric>,
        new: Parametric,
        budget: &Budget,
    ) -> Result<Option<Parametric>, Stop> {
        let Some(old) = old else {
            let there = self.satisfiable(new.guard, budget)?;
            return if there { self.rewrite(control.loc, new, budget).map(Some) } else { Ok(None) };
        };
        let (new_set, old_set) = (self.state_set(control.loc, &new), self.state_set(control.loc, old));
        if self.covered(&new_set, &old_set, budget)? {
            return Ok(None);
        }
        let all = match inclusion::filter(&self.aig, &old_set, &new_set) {
            Some(true) => new,
            _ => self.union(old, &new),
        };
        self.rewrite(control.loc, all, budget).map(Some)
    }

    fn fails(&mut self, control: ThreadControl, set: &Parametric, budget: &Budget) -> Result<bool, Stop> {
        let location = self.program.at(control.loc);
        if location.error {
            return Ok(true);
        }
        let Op::Assert(assertion) = location.op else { return Ok(false) };
        let now = |read: Read| look(read, &set.shared, &set.locals);
        let mut memo = Memo::default();
        let mut fails = self.range(assertion, &mut memo, &now, budget)?.zero;
        if let Some(e) = location.enforce {
            let enforced = self.range(e, &mut memo, &now, budget)?.one;
            fails = self.aig.and(fails, enforced);
        }
        let fails = self.aig.and(set.guard, fails);
        self.satisfiable(fails, budget)
    }

    fn count(&self, counters: &mut Counters) {
        counters.extend([
            ("inclusion tests", self.tests),
            ("inclusion tests without a solver", self.filtered),
            ("solver calls", self.solver_calls),
            ("sets written anew", self.rewritten),
            ("formula nodes", self.aig.len() as u64),
            ("choice variables", self.aig.input_count() as u64),
        ]);
    }
}

fn look(read: Read, shared: &[Lit], locals: &[Lit]) -> Lit {
    match read.var {
        Var::Shared(id) => shared[id.index()],
        Var::Local(id) => locals[id.index()],
    }
}

/// Which of the formulas are choices of their own, that occur neither in another nor in the rest.
fn free(aig: &Aig, formulas: &[Lit], rest: impl Iterator<Item = Lit>) -> Vec<bool> {
    let plain = |lit: Lit| match aig.node(lit) {
        Node::Input(input) => Some(input),
        _ => None,
    };
    let others = formulas.iter().copied().filter(|&lit| plain(lit).is_none()).chain(rest);
    let used: FxHashSet<Input> = aig.support(others).into_iter().collect();
    let mut times: FxHashMap<Input, u32> = FxHashMap::default();
    formulas.iter().filter_map(|&lit| plain(lit)).for_each(|input| *times.entry(input).or_insert(0) += 1);
    let free = |lit: Lit| plain(lit).is_some_and(|input| times[&input] == 1 && !used.contains(&input));
    formulas.iter().map(|&lit| free(lit)).collect()
}
