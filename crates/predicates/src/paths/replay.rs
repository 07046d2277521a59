//! Whether a path is one of the Boolean program: its statements one after the other, as one formula over the
//! Booleans of all threads of the path. If it is, a model says which values they have on the way. So it is
//! known before any engine is asked whether new predicates rule a path out.

use super::ControlPath;
use crate::boolean::growing::Growing;
use crate::boolean::statement::{Assignment, Barred, Bit, Cubes, Literal, Statement, Value};
use base::{Budget, Stop};
use c::ProcId;
use ir::bp::Init;
use relation::{ControlId, Outcome};
use solve::aig::{Aig, Lit};
use solve::sat::{Answer, Batsat, Encoder, SatSolver};

/// The Booleans before each step of a path, by number of predicate: as the thread that steps sees them,
/// before and after the step. Those without a meaning are false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valuations {
    /// Before each step.
    pub before: Vec<Vec<bool>>,
    /// After each step but the last.
    pub after: Vec<Vec<bool>>,
}

/// Whether the path is possible in the Boolean program; if so, how. The statements of its commands must have
/// been refreshed.
pub fn replay(
    growing: &Growing<'_>,
    path: &ControlPath,
    budget: &Budget,
) -> Result<Option<Valuations>, Stop> {
    let mut replay = Replay {
        growing,
        aig: Aig::new(0),
        shared: vec![],
        threads: vec![],
        must: vec![],
        before: vec![],
        after: vec![],
    };
    replay.start();
    for (at, step) in path.steps.iter().enumerate() {
        budget.spend(1)?;
        let Some(statement) = growing.statement(step.command) else { return Ok(None) };
        replay.step(path, at, &statement);
    }
    replay.solve(budget)
}

struct Thread {
    template: ProcId,
    bits: Vec<Lit>,
    ended: bool,
}

struct Replay<'a> {
    growing: &'a Growing<'a>,
    aig: Aig,
    /// By number of predicate; only those of shared Booleans count.
    shared: Vec<Lit>,
    threads: Vec<Thread>,
    must: Vec<Lit>,
    before: Vec<Vec<Lit>>,
    after: Vec<Vec<Lit>>,
}

/// Who reads.
#[derive(Clone, Copy)]
struct Readers {
    active: usize,
    passive: usize,
}

impl Replay<'_> {
    fn count(&self) -> usize {
        self.growing.predicates.list.len()
    }

    fn fresh(&mut self) -> Lit {
        let input = self.aig.new_input();
        self.aig.input(input)
    }

    fn start(&mut self) {
        let control = self.growing.relation.start;
        let mut bits = vec![];
        for predicate in 0..self.count() {
            let first = match self.growing.first()[predicate] {
                Init::Fixed(value) => Lit::constant(value),
                Init::Any => self.fresh(),
            };
            self.shared.push(first);
            bits.push(if self.is_live(control, predicate) { first } else { Lit::FALSE });
        }
        let template = self.growing.relation.controls[control].template;
        self.threads.push(Thread { template, bits, ended: false });
    }

    fn is_live(&self, control: ControlId, predicate: usize) -> bool {
        self.growing.predicates.is_live(control, predicate)
    }

    fn step(&mut self, path: &ControlPath, at: usize, statement: &Statement) {
        let step = path.steps[at];
        let command = &self.growing.relation.commands[step.command];
        let own = Readers { active: step.thread, passive: step.thread };
        let before = self.seen(step.thread);
        self.before.push(before);
        let blocked = self.disjunction(&statement.blocked, own);
        self.must.push(!blocked);
        self.bar(step.thread, &statement.barred);
        let (Outcome::Go(_) | Outcome::End) = command.outcome else { return };
        let targets = self.values(&statement.targets, own);
        let child = self.values(&statement.child, own);
        let mut passive = vec![];
        for (thread, about) in self.threads.iter().enumerate() {
            if thread != step.thread && !about.ended {
                passive.extend(
                    statement
                        .broadcasts
                        .iter()
                        .filter(|it| it.template == about.template)
                        .map(|it| (thread, &it.assignment)),
                );
            }
        }
        let mut updated = vec![];
        for (thread, assignment) in passive {
            let readers = Readers { active: step.thread, passive: thread };
            updated.push((thread, assignment.predicate, self.value(&assignment.value, readers)));
        }
        let forbidden: Vec<Lit> =
            statement.forbidden.iter().map(|it| self.conjunction(&it.before, own)).collect();
        for (thread, predicate, lit) in updated {
            self.threads[thread].bits[predicate] = lit;
        }
        for (predicate, lit) in targets {
            if self.growing.predicates.list[predicate].is_shared {
                self.shared[predicate] = lit;
            } else {
                self.threads[step.thread].bits[predicate] = lit;
            }
        }
        self.arrive(step.thread, &command.outcome);
        for (transition, before) in statement.forbidden.iter().zip(forbidden) {
            let after = self.conjunction(&transition.after, own);
            let both = self.aig.and(before, after);
            self.must.push(!both);
        }
        let excluded = self.disjunction(&statement.excluded, own);
        self.must.push(!excluded);
        self.bar(step.thread, &statement.barred_after);
        let after = self.seen(step.thread);
        self.after.push(after);
        if let Some(creation) = &command.creates {
            let mut bits = vec![Lit::FALSE; self.count()];
            for (predicate, lit) in child {
                bits[predicate] = lit;
            }
            let template = self.growing.relation.controls[creation.entry].template;
            self.threads.push(Thread { template, bits, ended: false });
        }
    }

    /// No passive thread is what the lemmas exclude.
    fn bar(&mut self, active: usize, list: &[Barred]) {
        for barred in list {
            for passive in 0..self.threads.len() {
                let other = &self.threads[passive];
                if passive != active && !other.ended && other.template == barred.template {
                    let excluded = self.conjunction(&barred.cube, Readers { active, passive });
                    self.must.push(!excluded);
                }
            }
        }
    }

    /// Where a thread arrives, Booleans without a meaning are 0.
    fn arrive(&mut self, thread: usize, outcome: &Outcome) {
        match outcome {
            Outcome::Go(to) => {
                for predicate in 0..self.count() {
                    if !self.is_live(*to, predicate) {
                        self.threads[thread].bits[predicate] = Lit::FALSE;
                    }
                }
            }
            _ => self.threads[thread].ended = true,
        }
    }

    fn seen(&self, thread: usize) -> Vec<Lit> {
        let lit = |it: usize| {
            if self.growing.predicates.list[it].is_shared {
                self.shared[it]
            } else {
                self.threads[thread].bits[it]
            }
        };
        (0..self.count()).map(lit).collect()
    }

    fn values(&mut self, assignments: &[Assignment], readers: Readers) -> Vec<(usize, Lit)> {
        let mut values = vec![];
        for it in assignments {
            values.push((it.predicate, self.value(&it.value, readers)));
        }
        values
    }

    fn value(&mut self, value: &Value, readers: Readers) -> Lit {
        match value {
            Value::Fixed(value) => Lit::constant(*value),
            Value::Cubes(cubes) => self.disjunction(cubes, readers),
            Value::Choose(ones, zeros) => {
                let [ones, zeros] = [ones, zeros].map(|it| self.disjunction(it, readers));
                let any = self.fresh();
                let rest = self.aig.and(!zeros, any);
                self.aig.or(ones, rest)
            }
        }
    }

    fn disjunction(&mut self, cubes: &Cubes, readers: Readers) -> Lit {
        let lits: Vec<Lit> = cubes.iter().map(|cube| self.conjunction(cube, readers)).collect();
        self.aig.or_all(lits)
    }

    fn conjunction(&mut self, cube: &[Literal], readers: Readers) -> Lit {
        let lits: Vec<Lit> = cube.iter().map(|it| self.read(it.bit, readers).negate_if(!it.value)).collect();
        self.aig.and_all(lits)
    }

    fn read(&self, bit: Bit, readers: Readers) -> Lit {
        let thread = if bit.passive { readers.passive } else { readers.active };
        match self.growing.predicates.list[bit.predicate].is_shared {
            true => self.shared[bit.predicate],
            false => self.threads[thread].bits[bit.predicate],
        }
    }

    fn solve(mut self, budget: &Budget) -> Result<Option<Valuations>, Stop> {
        let (mut solver, mut encoder) = (Batsat::new(), Encoder::new());
        for &lit in &self.must {
            let literal = encoder.literal(&self.aig, lit, &mut solver, budget)?;
            solver.add_clause(&[literal]);
        }
        let lists = [std::mem::take(&mut self.before), std::mem::take(&mut self.after)];
        // What is read off the model must be in the solver.
        for &lit in lists.iter().flatten().flatten() {
            encoder.literal(&self.aig, lit, &mut solver, budget)?;
        }
        if solver.solve_under(&[], budget)? == Answer::Unsat {
            return Ok(None);
        }
        let value = |lit: &Lit| encoder.known(*lit).is_some_and(|it| solver.value(it));
        let [before, after] =
            lists.map(|list| list.iter().map(|bits| bits.iter().map(value).collect()).collect());
        Ok(Some(Valuations { before, after }))
    }
}
