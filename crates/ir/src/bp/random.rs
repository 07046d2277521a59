//! Small random programs over every construct, for differential tests: the same seed gives the same program on every machine.
//! They are small enough for brute force and dense enough that a mistake in a rarely used rule shows within a few hundred of them.

use super::builder::Builder;
use super::expr::{ExprId, Node, Read, Var, When, Whose};
use super::program::{Count, Init, Loc, LocalId, LocalScope, LockId, Op, ProcId, Program, SharedId, Spawn};
use base::{Id, Random};

/// What the programs may contain: each number is how often, in percent.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Further procedures, called or started.
    pub procedures: usize,
    /// Calls that may be recursive.
    pub recursion: usize,
    /// `start_thread`.
    pub spawns: usize,
    /// Atomic sections.
    pub sections: usize,
    /// Locks.
    pub locks: usize,
    /// Broadcast assignments.
    pub broadcasts: usize,
    /// `constrain` and `assume` over passive copies.
    pub passive_conditions: usize,
    /// `enforce`.
    pub enforce: usize,
    /// Starts other than one thread at `main`.
    pub templates: usize,
    /// The most statements of a procedure.
    pub statements: usize,
}

impl Profile {
    /// Everything but recursion.
    pub const ALL: Profile = Profile {
        procedures: 40,
        recursion: 0,
        spawns: 70,
        sections: 40,
        locks: 15,
        broadcasts: 30,
        passive_conditions: 15,
        enforce: 10,
        templates: 30,
        statements: 7,
    };
    /// Everything, recursion included.
    pub const RECURSIVE: Profile = Profile { procedures: 100, recursion: 60, ..Profile::ALL };
    /// Only monotone programs.
    pub const MONOTONE: Profile = Profile { passive_conditions: 0, ..Profile::ALL };
    /// Broadcasts in every program.
    pub const BROADCASTS: Profile = Profile { broadcasts: 100, spawns: 100, procedures: 0, ..Profile::ALL };
    /// Spawning in every program.
    pub const SPAWNING: Profile =
        Profile { spawns: 100, broadcasts: 0, passive_conditions: 0, ..Profile::ALL };
}

/// The program with this seed.
pub fn program(seed: u64, profile: &Profile) -> Program {
    let mut maker = Maker::new(seed, profile);
    maker.declare();
    for index in 0..maker.procedures.len() {
        maker.body(index);
    }
    maker.start();
    maker.builder.finish().expect("only valid statements are made")
}

struct Procedure {
    id: ProcId,
    locals: Vec<LocalId>,
    params: usize,
    results: usize,
}

struct Maker {
    random: Random,
    may: Profile,
    builder: Builder,
    shared: Vec<SharedId>,
    locks: Vec<LockId>,
    /// A local that all procedures of a thread see.
    thread_local: Option<LocalId>,
    procedures: Vec<Procedure>,
    /// The procedure whose body is being written and its range of locations.
    current: usize,
    entry: usize,
    length: usize,
}

impl Maker {
    fn new(seed: u64, profile: &Profile) -> Self {
        let mut random = Random::new(seed);
        let mut toss = |percent: usize| if random.percent(percent) { 100 } else { 0 };
        // Each construct is in or out for the whole program, so that small programs are not a little of everything.
        let may = Profile {
            procedures: toss(profile.procedures),
            recursion: toss(profile.recursion),
            spawns: toss(profile.spawns),
            sections: toss(profile.sections),
            locks: toss(profile.locks),
            broadcasts: toss(profile.broadcasts),
            passive_conditions: toss(profile.passive_conditions),
            enforce: toss(profile.enforce),
            templates: toss(profile.templates),
            statements: profile.statements,
        };
        Self {
            random,
            may,
            builder: Builder::new(),
            shared: vec![],
            locks: vec![],
            thread_local: None,
            procedures: vec![],
            current: 0,
            entry: 0,
            length: 0,
        }
    }

    fn init_value(&mut self) -> Init {
        if self.random.percent(30) { Init::Any } else { Init::Fixed(self.random.percent(50)) }
    }

    fn declare(&mut self) {
        for index in 0..1 + self.random.below(2) {
            let init = self.init_value();
            self.shared.push(self.builder.shared(format!("g{index}"), init));
        }
        if self.may.locks > 0 {
            self.locks.push(self.builder.lock("m"));
        }
        if self.random.percent(15) {
            let init = self.init_value();
            self.thread_local = Some(self.builder.local("t", LocalScope::Thread, init));
        }
        let further = if self.may.procedures > 0 { 1 + self.random.below(2) } else { 0 };
        for index in 0..=further {
            self.declare_procedure(index);
        }
    }

    fn declare_procedure(&mut self, index: usize) {
        let name = if index == 0 { "main".to_string() } else { format!("f{index}") };
        let params = if index == 0 { 0 } else { self.random.below(2) };
        let results = if index == 0 { 0 } else { self.random.below(2) };
        let id = self.builder.declare(name, results);
        let count = (1 + self.random.below(2)).max(params);
        let locals: Vec<LocalId> = (0..count)
            .map(|local| {
                let init = if local < params { Init::Any } else { self.init_value() };
                self.builder.local(format!("x{local}"), LocalScope::Procedure(id), init)
            })
            .collect();
        self.builder.params(id, locals[..params].to_vec());
        let locals = locals.into_iter().chain(self.thread_local).collect();
        self.procedures.push(Procedure { id, locals, params, results });
    }

    fn body(&mut self, index: usize) {
        self.current = index;
        let id = self.procedures[index].id;
        self.builder.begin(id);
        self.entry = self.builder.here().index();
        self.length = 2 + self.random.below(self.may.statements - 1);
        let enforce = (self.may.enforce > 0 && self.random.percent(50)).then(|| self.expr(1));
        for _ in 0..self.length {
            let op = self.op();
            self.builder.push(id, op, None);
        }
        let end = self.builder.end(id, None);
        for loc in self.entry..=end.index() {
            self.builder.at(Loc::from_index(loc)).enforce = enforce;
        }
        if self.random.percent(10) {
            let loc = self.target();
            self.builder.at(loc).error = true;
            self.builder.at(loc).labels.push("SLIC_ERROR".to_string());
        }
    }

    /// Any location of the current procedure.
    fn target(&mut self) -> Loc {
        Loc::from_index(self.entry + self.random.below(self.length + 1))
    }

    fn op(&mut self) -> Op {
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
            14 | 15 if self.may.spawns > 0 => Op::Start(self.spawn()),
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
        let broadcast = if self.may.broadcasts > 0 && self.random.percent(50) {
            let local = *self.random.pick(&self.procedures[self.current].locals);
            // A thread-local variable takes no copies of activations.
            let whole = self.thread_local == Some(local);
            vec![(local, if whole { self.expr(2) } else { self.passive_expr(2) })]
        } else {
            vec![]
        };
        let constrain = self.random.percent(35).then(|| {
            if self.may.passive_conditions > 0 && self.random.percent(60) {
                self.wide_expr(2, true, true)
            } else {
                self.wide_expr(2, true, false)
            }
        });
        Op::Assign { targets, broadcast, constrain }
    }

    fn condition(&mut self) -> ExprId {
        if self.may.passive_conditions > 0 && self.random.percent(40) {
            self.passive_expr(2)
        } else {
            self.expr(2)
        }
    }

    /// Mostly a disjunction: a random formula alone fails too easily for safe programs to be common.
    fn assertion(&mut self) -> ExprId {
        let (a, b) = (self.expr(1), self.expr(1));
        if self.random.percent(80) { self.builder.exprs().or(a, b) } else { a }
    }

    fn call(&mut self) -> Option<Op> {
        let first = if self.may.recursion > 0 { 1 } else { self.current + 1 };
        if first >= self.procedures.len() {
            return None;
        }
        let callee = first + self.random.below(self.procedures.len() - first);
        let (procedure, params, results) = self.signature(callee);
        let args = (0..params).map(|_| self.expr(1)).collect();
        let results = (0..results).map(|_| self.random.percent(80).then(|| self.variable())).collect();
        Some(Op::Call { procedure, args, results })
    }

    fn signature(&self, index: usize) -> (ProcId, usize, usize) {
        let procedure = &self.procedures[index];
        (procedure.id, procedure.params, procedure.results)
    }

    fn return_values(&mut self) -> Vec<ExprId> {
        (0..self.procedures[self.current].results).map(|_| self.expr(1)).collect()
    }

    fn spawn(&mut self) -> Spawn {
        if self.procedures.len() > 1 && self.random.percent(50) {
            let callee = 1 + self.random.below(self.procedures.len() - 1);
            let (procedure, params, _) = self.signature(callee);
            Spawn::Call(procedure, (0..params).map(|_| self.expr(1)).collect())
        } else {
            Spawn::Clone(self.target())
        }
    }

    fn variables(&self) -> Vec<Var> {
        let locals = self.procedures[self.current].locals.iter().map(|&local| Var::Local(local));
        self.shared.iter().map(|&shared| Var::Shared(shared)).chain(locals).collect()
    }

    fn variable(&mut self) -> Var {
        let all = self.variables();
        *self.random.pick(&all)
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        self.wide_expr(depth, false, false)
    }

    fn passive_expr(&mut self, depth: usize) -> ExprId {
        self.wide_expr(depth, false, true)
    }

    /// An expression that may read new values and passive copies.
    fn wide_expr(&mut self, depth: usize, next: bool, passive: bool) -> ExprId {
        if depth == 0 || self.random.percent(25) {
            return self.leaf(next, passive);
        }
        let a = self.wide_expr(depth - 1, next, passive);
        let b = self.wide_expr(depth - 1, next, passive);
        let node = match self.random.below(12) {
            0..=2 => Node::Not(a),
            3..=4 => Node::And(a, b),
            5..=6 => Node::Or(a, b),
            7 => Node::Xor(a, b),
            8 => Node::Equal(a, b),
            9 => Node::Implies(a, b),
            10 => Node::Choose(a, b),
            _ => Node::Ite(a, b, self.wide_expr(depth - 1, next, passive)),
        };
        self.builder.exprs().add(node)
    }

    fn leaf(&mut self, next: bool, passive: bool) -> ExprId {
        if self.random.percent(12) {
            return self.builder.exprs().choice();
        }
        if self.random.percent(8) {
            let value = self.random.percent(50);
            return self.builder.exprs().constant(value);
        }
        let when = if next && self.random.percent(50) { When::Next } else { When::Now };
        let read = if passive && self.random.percent(50) {
            let local = *self.random.pick(&self.procedures[self.current].locals);
            Read { var: Var::Local(local), whose: Whose::Passive, when }
        } else {
            Read { var: self.variable(), whose: Whose::Own, when }
        };
        self.builder.exprs().add(Node::Read(read))
    }

    fn start(&mut self) {
        let main = self.procedures[0].id;
        if self.may.templates == 0 {
            self.builder.template(main, Count::Exactly(1));
            return;
        }
        let other = self.procedures.iter().rev().find(|it| it.params == 0).map_or(main, |it| it.id);
        match self.random.below(4) {
            0 => self.builder.template(main, Count::AtLeast(1)),
            1 => self.builder.template(main, Count::Exactly(2)),
            2 if other != main => {
                self.builder.template(main, Count::Exactly(1));
                self.builder.template(other, Count::AtLeast(0));
            }
            _ => self.with_init(main, other),
        }
        if self.random.percent(15) {
            self.builder.atomic_variable(self.shared[0]);
        }
    }

    /// A fresh `init` that sets a variable and may fail; it starts no threads.
    fn with_init(&mut self, main: ProcId, other: ProcId) {
        let id = self.builder.declare("init", 0);
        self.procedures.push(Procedure { id, locals: vec![], params: 0, results: 0 });
        self.current = self.procedures.len() - 1;
        self.builder.begin(id);
        let var = Var::Shared(self.shared[0]);
        let (value, holds) = (self.expr(1), self.assertion());
        self.builder.push(id, Op::assign(var, value), None);
        if self.random.percent(20) {
            self.builder.push(id, Op::Assert(holds), None);
        }
        self.builder.end(id, None);
        self.builder.init(id);
        self.builder.template(main, Count::AtLeast(0));
        if other != main {
            self.builder.template(other, Count::Exactly(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::*;

    /// Both verdicts must be common, or a differential test would test nothing.
    #[test]
    fn programs_are_varied() {
        let (mut safe, mut failing, mut large) = (0, 0, 0);
        for seed in 0..300 {
            let program = program(seed, &Profile::ALL);
            let machine = Machine::new(&program, Some(2));
            match machine.reachable(3000) {
                None => large += 1,
                Some(states) if states.iter().any(|state| machine.failure(state).is_some()) => failing += 1,
                Some(_) => safe += 1,
            }
        }
        assert!(safe > 60 && failing > 60 && large < 60, "safe {safe}, failing {failing}, large {large}");
    }
}
