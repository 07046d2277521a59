//! Random statements.

use super::ProgramMaker;
use ir::bp::expr::{ExprId, Var};
use ir::bp::program::{LocalId, Op, ProcId, Spawn};

impl ProgramMaker {
    pub(super) fn op(&mut self) -> Op {
        if let Some(op) = self.fitting_op() {
            return op;
        }
        loop {
            if let Some(op) = self.try_op() {
                return op;
            }
        }
    }

    fn try_op(&mut self) -> Option<Op> {
        Some(match self.random.below(20) {
            0 => Op::Skip,
            1 => Op::Goto((0..1 + self.random.below(3)).map(|_| self.target()).collect()),
            2 | 3 => Op::Branch { cond: self.expr(1), target: self.target() },
            4..=7 => self.assignment(),
            8 | 9 => Op::Assume(self.condition()),
            10 | 11 => Op::Assert(self.assertion()),
            12 if self.may.procedures > 0 => self.call()?,
            13 => Op::Return(self.return_values()),
            14 | 15 if self.may_start() => Op::Start(self.spawn()),
            16 => Op::End,
            17 if self.may.sections > 0 => Op::AtomicBegin,
            18 if self.may.sections > 0 => Op::AtomicEnd,
            19 if self.may.locks > 0 => {
                let lock = self.locks[0];
                if self.random.percent(50) { Op::Lock(lock) } else { Op::Unlock(lock) }
            }
            _ => return None,
        })
    }

    fn assignment(&mut self) -> Op {
        let mut vars = self.variables();
        let count = 1 + self.random.below(2);
        while vars.len() > count {
            vars.remove(self.random.below(vars.len()));
        }
        let targets: Vec<(Var, ExprId)> = vars.into_iter().map(|var| (var, self.expr(2))).collect();
        self.choose_passive();
        let broadcast =
            if self.may.broadcasts > 0 && self.random.percent(50) { self.broadcast() } else { vec![] };
        let constrain = self.random.percent(35).then(|| {
            if self.may.passive_conditions > 0 && self.random.percent(60) {
                self.wide_expr(2, true, true)
            } else {
                self.wide_expr(2, true, false)
            }
        });
        Op::Assign { targets, broadcast, constrain }
    }

    pub(super) fn broadcast(&mut self) -> Vec<(LocalId, ExprId)> {
        let local = *self.random.pick(&self.passive);
        let mut list = vec![(local, self.received(local))];
        if self.shapes.thread_locals && self.random.percent(40) {
            let other = *self.random.pick(&self.passive);
            if other != local {
                list.push((other, self.received(other)));
            }
        }
        list
    }

    /// What a passive thread's local becomes.
    fn received(&mut self, local: LocalId) -> ExprId {
        if self.mixed || !self.thread_locals.contains(&local) {
            return self.passive_expr(2);
        }
        let all = std::mem::replace(&mut self.passive, self.thread_locals.clone());
        let value = self.passive_expr(2);
        self.passive = all;
        value
    }

    /// Whose locals the passive copies of a statement are.
    pub(super) fn choose_passive(&mut self) {
        let mut home = self.current;
        if self.shapes.far && self.random.percent(40) {
            home = self.random.below(self.procedures.len());
        }
        self.passive = self.procedures[home].locals.clone();
        if self.passive.is_empty() {
            self.passive = self.procedures[0].locals.clone();
        }
    }

    pub(super) fn condition(&mut self) -> ExprId {
        self.choose_passive();
        if self.may.passive_conditions > 0 && self.random.percent(40) {
            self.passive_expr(2)
        } else {
            self.expr(2)
        }
    }

    /// Mostly a disjunction: a random formula alone fails too easily for safe programs to be common.
    pub(super) fn assertion(&mut self) -> ExprId {
        let (a, b) = (self.expr(1), self.expr(1));
        if self.random.percent(80) { self.builder.exprs().or(a, b) } else { a }
    }

    pub(super) fn call(&mut self) -> Option<Op> {
        // `init` is declared last and called by nobody else.
        let last = if self.quiet && self.may.recursion == 0 { self.current } else { self.procedures.len() };
        let first = if self.may.recursion > 0 || self.quiet { 1 } else { self.current + 1 };
        if first >= last {
            return None;
        }
        let callee = first + self.random.below(last - first);
        if self.quiet && !self.is_quiet(callee) {
            return None;
        }
        Some(self.call_of(callee))
    }

    pub(super) fn call_of(&mut self, callee: usize) -> Op {
        let (procedure, params, results) = self.signature(callee);
        let args = (0..params).map(|_| self.expr(1)).collect();
        let results = (0..results).map(|_| self.result()).collect();
        Op::Call { procedure, args, results }
    }

    /// Where a result goes; the variable of the sections above all.
    fn result(&mut self) -> Option<Var> {
        if self.shapes.section_variable && self.random.percent(50) {
            return Some(Var::Shared(self.shared[0]));
        }
        self.random.percent(80).then(|| self.variable())
    }

    /// Whether no thread is started in a procedure and in those that it calls.
    fn is_quiet(&self, index: usize) -> bool {
        let draft = self.builder.draft();
        let mut work = vec![self.procedures[index].id];
        let mut seen = work.clone();
        while let Some(procedure) = work.pop() {
            for loc in draft.locations_of(procedure) {
                match draft.at(loc).op {
                    Op::Start(_) => return false,
                    Op::Call { procedure, .. } if !seen.contains(&procedure) => {
                        seen.push(procedure);
                        work.push(procedure);
                    }
                    _ => {}
                }
            }
        }
        true
    }

    fn signature(&self, index: usize) -> (ProcId, usize, usize) {
        let procedure = &self.procedures[index];
        (procedure.id, procedure.params, procedure.results)
    }

    fn return_values(&mut self) -> Vec<ExprId> {
        (0..self.procedures[self.current].results).map(|_| self.expr(1)).collect()
    }

    pub(super) fn spawn(&mut self) -> Spawn {
        if self.procedures.len() > 1 && self.random.percent(50) {
            let callee = 1 + self.random.below(self.procedures.len() - 1);
            let (procedure, params, _) = self.signature(callee);
            Spawn::Call(procedure, (0..params).map(|_| self.expr(1)).collect())
        } else {
            Spawn::Clone(self.target())
        }
    }

    pub(super) fn variables(&self) -> Vec<Var> {
        let locals = self.procedures[self.current].locals.iter().map(|&local| Var::Local(local));
        self.shared.iter().map(|&shared| Var::Shared(shared)).chain(locals).collect()
    }

    pub(super) fn variable(&mut self) -> Var {
        let all = self.variables();
        *self.random.pick(&all)
    }
}
