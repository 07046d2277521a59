//! Cone of influence: variables on which no condition depends, directly or through assignments and broadcasts, are left out. An
//! assignment without `constrain` never blocks, so leaving out some of its targets leaves all other steps as they are.

use crate::facts::exprs_of;
use crate::frames;
use crate::lift::Guided;
use crate::rebuild::restrict;
use base::Id;
use ir::Lift;
use ir::bp::{ExprId, Op, ProcId, Program, Spawn, Var};

/// The program with only the variables that some condition depends on.
pub fn restrict_to_cone(program: &Program) -> (Program, Box<dyn Lift>) {
    let unframed = frames::drop_frames(program);
    let cone = Cone::of(&unframed);
    let everywhere = vec![true; program.locations().len()];
    let (prepared, origin) = restrict(&unframed, &everywhere, |var| cone.has(var));
    let lift = Guided::new(program, &prepared, origin);
    (prepared, Box::new(lift))
}

struct Cone<'p> {
    program: &'p Program,
    /// For each variable, shared ones first: the right sides that give it its values.
    sources: Vec<Vec<ExprId>>,
    inside: Vec<bool>,
    work: Vec<Var>,
}

impl<'p> Cone<'p> {
    fn of(program: &'p Program) -> Self {
        let variables = program.shared().len() + program.locals().len();
        let (sources, inside) = (vec![vec![]; variables], vec![false; variables]);
        let mut cone = Cone { program, sources, inside, work: vec![] };
        cone.collect_sources();
        cone.add_conditions();
        while let Some(var) = cone.work.pop() {
            let index = cone.index(var);
            std::mem::take(&mut cone.sources[index]).into_iter().for_each(|e| cone.add_reads(e));
        }
        cone
    }

    fn index(&self, var: Var) -> usize {
        match var {
            Var::Shared(id) => id.index(),
            Var::Local(id) => self.program.shared().len() + id.index(),
        }
    }

    fn has(&self, var: Var) -> bool {
        self.inside[self.index(var)]
    }

    fn add(&mut self, var: Var) {
        let index = self.index(var);
        if !std::mem::replace(&mut self.inside[index], true) {
            self.work.push(var);
        }
    }

    fn add_reads(&mut self, e: ExprId) {
        self.program.exprs().reads(e).into_iter().for_each(|read| self.add(read.var));
    }

    /// What can block a thread, fail, decide where it goes or who may step.
    fn add_conditions(&mut self) {
        self.program.atomic_variable().into_iter().for_each(|id| self.add(Var::Shared(id)));
        for location in self.program.locations().iter() {
            location.enforce.into_iter().for_each(|e| self.add_reads(e));
            match &location.op {
                Op::Branch { .. } | Op::Assume(_) | Op::Assert(_) => {
                    exprs_of(&location.op).into_iter().for_each(|e| self.add_reads(e));
                }
                Op::Assign { constrain: Some(e), .. } => self.add_reads(*e),
                Op::Lock(lock) | Op::Unlock(lock) => {
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
        let index = self.index(var);
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
