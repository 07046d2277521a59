//! The cone of influence (Clarke, Grumberg and Peled, *Model Checking*): the variables on which some
//! condition depends, directly or through assignments and broadcasts. What is outside changes nothing that
//! anybody can notice, in whichever order and by whomever it is written.

use super::expr::{ExprId, Var};
use super::program::{Op, ProcId, Program, Spawn};
use base::Id;

/// What the cone begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeds {
    /// What can block a thread, fail, decide where it goes or who may step.
    Conditions,
    /// What can fail.
    Assertions,
}

/// The variables of a cone.
#[derive(Clone, Debug)]
pub struct Cone {
    /// Shared variables come first.
    locals_at: usize,
    inside: Vec<bool>,
}

impl Cone {
    /// The variables that flow into these.
    pub fn of(program: &Program, seeds: Seeds) -> Cone {
        let locals_at = program.shared().len();
        let variables = locals_at + program.locals().len();
        let cone = Cone { locals_at, inside: vec![false; variables] };
        let mut grower = Grower { program, cone, sources: vec![vec![]; variables], work: vec![] };
        grower.collect_sources();
        grower.add_seeds(seeds);
        while let Some(var) = grower.work.pop() {
            let index = grower.cone.index(var);
            std::mem::take(&mut grower.sources[index]).into_iter().for_each(|e| grower.add_reads(e));
        }
        grower.cone
    }

    /// Whether a variable is inside.
    pub fn has(&self, var: Var) -> bool {
        self.inside[self.index(var)]
    }

    fn index(&self, var: Var) -> usize {
        match var {
            Var::Shared(id) => id.index(),
            Var::Local(id) => self.locals_at + id.index(),
        }
    }
}

struct Grower<'p> {
    program: &'p Program,
    cone: Cone,
    /// For each variable the right sides that give it its values.
    sources: Vec<Vec<ExprId>>,
    work: Vec<Var>,
}

impl Grower<'_> {
    fn add(&mut self, var: Var) {
        let index = self.cone.index(var);
        if !std::mem::replace(&mut self.cone.inside[index], true) {
            self.work.push(var);
        }
    }

    fn add_reads(&mut self, e: ExprId) {
        self.program.exprs().reads(e).into_iter().for_each(|read| self.add(read.var));
    }

    fn add_seeds(&mut self, seeds: Seeds) {
        let conditions = seeds == Seeds::Conditions;
        let atomic = self.program.atomic_variable().filter(|_| conditions);
        atomic.into_iter().for_each(|id| self.add(Var::Shared(id)));
        for location in self.program.locations().iter() {
            if conditions || matches!(location.op, Op::Assert(_)) {
                location.enforce.into_iter().for_each(|e| self.add_reads(e));
            }
            match &location.op {
                Op::Assert(e) => self.add_reads(*e),
                Op::Branch { cond: e, .. } | Op::Assume(e) if conditions => self.add_reads(*e),
                Op::Assign { constrain: Some(e), .. } if conditions => self.add_reads(*e),
                Op::Lock(lock) | Op::Unlock(lock) if conditions => {
                    let lock = &self.program.locks()[*lock];
                    self.add(Var::Shared(lock.taken));
                    self.add(Var::Local(lock.owner));
                }
                _ => {}
            }
        }
    }

    fn collect_sources(&mut self) {
        for location in self.program.locations().iter() {
            match &location.op {
                Op::Assign { targets, broadcast, .. } => {
                    targets.iter().for_each(|&(var, e)| self.source(var, e));
                    broadcast.iter().for_each(|&(local, e)| self.source(Var::Local(local), e));
                }
                Op::Call { procedure, args, results } => {
                    self.arguments(*procedure, args);
                    self.results(*procedure, results);
                }
                Op::Start(Spawn::Call(procedure, args)) => self.arguments(*procedure, args),
                _ => {}
            }
        }
    }

    fn source(&mut self, var: Var, e: ExprId) {
        let index = self.cone.index(var);
        self.sources[index].push(e);
    }

    fn arguments(&mut self, procedure: ProcId, args: &[ExprId]) {
        let params = &self.program.procedures()[procedure].params;
        params.iter().zip(args).for_each(|(&param, &arg)| self.source(Var::Local(param), arg));
    }

    fn results(&mut self, procedure: ProcId, results: &[Option<Var>]) {
        for loc in self.program.locations_of(procedure) {
            if let Op::Return(values) = &self.program.at(loc).op {
                let taken = results.iter().zip(values).filter_map(|(var, &e)| var.map(|var| (var, e)));
                taken.for_each(|(var, e)| self.source(var, e));
            }
        }
    }
}
