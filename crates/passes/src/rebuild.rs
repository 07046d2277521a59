//! Copies a program piece by piece, with some variables left out and locations numbered anew. Procedures keep
//! their ids: locals say by them where they live. Marks of invisible locations are not copied, since they
//! hold for a program as a whole.

use crate::origin::{Origin, Passed};
use base::Id;
use ir::bp::{
    Builder, ExprId, Init, Loc, LocalId, LocalScope, Location, LockId, Op, ProcId, Program, Role, SharedId,
    Spawn, Var,
};
use std::collections::HashMap;

/// A copy under construction.
pub struct Rebuild<'p> {
    old: &'p Program,
    builder: Builder,
    shared: Vec<Option<SharedId>>,
    locals: Vec<Option<LocalId>>,
    locks: Vec<Option<LockId>>,
    exprs: HashMap<ExprId, ExprId>,
    origin: Origin,
}

/// Where the locations that a statement names went.
pub struct Targets<'t> {
    /// Where control goes on or jumps to.
    pub jump: &'t dyn Fn(Loc) -> Loc,
    /// Where a clone begins.
    pub clone: &'t dyn Fn(Loc) -> Loc,
}

/// A location of the copy.
pub struct Place<'s> {
    /// The procedure that the thread began in.
    pub procedure: ProcId,
    /// The further procedures that are active.
    pub active: Vec<ProcId>,
    /// The statement, in terms of the copy.
    pub op: Op,
    /// Where control goes on, in terms of the copy.
    pub next: Loc,
    /// The dead locals, in terms of the original.
    pub dead: Vec<LocalId>,
    /// Where it comes from: the calls that were inlined and the location.
    pub control: Vec<Loc>,
    /// The original, for the rest.
    pub source: &'s Location,
}

impl<'p> Rebuild<'p> {
    /// A copy of the declarations, with the variables that `keep` names. A lock is kept if its shared bit is.
    pub fn new(old: &'p Program, keep: impl Fn(Var) -> bool) -> Self {
        let mut new = Rebuild {
            old,
            builder: Builder::new(),
            shared: vec![None; old.shared().len()],
            locals: vec![None; old.locals().len()],
            locks: vec![None; old.locks().len()],
            exprs: HashMap::new(),
            origin: Origin { controls: vec![], shared: vec![], locals: vec![] },
        };
        new.shared_variables(&keep);
        new.local_variables(&keep);
        new.procedures();
        new
    }

    fn shared_variables(&mut self, keep: &impl Fn(Var) -> bool) {
        for (id, shared) in self.old.shared().enumerate().filter(|&(id, _)| keep(Var::Shared(id))) {
            self.origin.shared.push(id);
            let lock = self.old.locks().enumerate().find(|(_, lock)| lock.taken == id);
            let Some((lock, it)) = lock else {
                self.shared[id.index()] = Some(self.builder.shared(&shared.name, shared.init));
                continue;
            };
            let new = self.builder.lock(&it.name);
            self.locks[lock.index()] = Some(new);
            self.shared[id.index()] = Some(self.builder.draft().locks()[new].taken);
            self.locals[it.owner.index()] = Some(self.builder.draft().locks()[new].owner);
            self.origin.locals.push(it.owner);
        }
    }

    fn local_variables(&mut self, keep: &impl Fn(Var) -> bool) {
        let plain = self.old.locals().enumerate().filter(|(_, local)| local.role == Role::Plain);
        for (id, local) in plain.filter(|&(id, _)| keep(Var::Local(id))) {
            self.origin.locals.push(id);
            self.locals[id.index()] = Some(self.builder.local(&local.name, local.scope, local.init));
        }
    }

    fn procedures(&mut self) {
        for (id, procedure) in self.old.procedures().enumerate() {
            self.builder.declare(&procedure.name, procedure.results);
            let params = procedure.params.iter().filter_map(|local| self.locals[local.index()]).collect();
            self.builder.params(id, params);
        }
        let start = self.old.start();
        start.init.into_iter().for_each(|init| self.builder.init(init));
        start.templates.iter().for_each(|it| self.builder.template(it.procedure, it.count));
        let atomic = self.old.atomic_variable().and_then(|id| self.shared[id.index()]);
        atomic.into_iter().for_each(|id| self.builder.atomic_variable(id));
    }

    /// The copy of a variable, if it was kept.
    pub fn var(&self, var: Var) -> Option<Var> {
        match var {
            Var::Shared(id) => self.shared[id.index()].map(Var::Shared),
            Var::Local(id) => self.locals[id.index()].map(Var::Local),
        }
    }

    /// The copy of an expression, all of whose variables were kept.
    pub fn expr(&mut self, e: ExprId) -> ExprId {
        if let Some(&known) = self.exprs.get(&e) {
            return known;
        }
        let (shared, locals) = (&self.shared, &self.locals);
        let copy = self.builder.exprs().import(self.old.exprs(), e, |read| {
            let var = match read.var {
                Var::Shared(id) => shared[id.index()].map(Var::Shared),
                Var::Local(id) => locals[id.index()].map(Var::Local),
            };
            ir::bp::Read { var: var.expect("what a kept expression reads is kept"), ..read }
        });
        self.exprs.insert(e, copy);
        copy
    }

    /// Either value.
    pub fn choice(&mut self) -> ExprId {
        self.builder.exprs().choice()
    }

    /// The expression for the value a variable starts with.
    pub fn init(&mut self, init: Init) -> ExprId {
        match init {
            Init::Fixed(value) => self.builder.exprs().constant(value),
            Init::Any => self.choice(),
        }
    }

    /// An assignment of those right sides whose targets were kept; right sides are those of the copy.
    pub fn assign(&mut self, targets: Vec<(Var, ExprId)>) -> Op {
        if targets.is_empty() {
            return Op::Skip;
        }
        Op::Assign { targets, broadcast: vec![], constrain: None }
    }

    /// The copy of a statement.
    pub fn op(&mut self, op: &Op, to: &Targets<'_>) -> Op {
        match op {
            Op::Skip => Op::Skip,
            Op::Goto(targets) => Op::Goto(targets.iter().map(|&target| (to.jump)(target)).collect()),
            Op::Branch { cond, target } => Op::Branch { cond: self.expr(*cond), target: (to.jump)(*target) },
            Op::Assign { targets, broadcast, constrain } => self.assignment(targets, broadcast, *constrain),
            Op::Assume(e) => Op::Assume(self.expr(*e)),
            Op::Assert(e) => Op::Assert(self.expr(*e)),
            Op::Call { procedure, args, results } => Op::Call {
                procedure: *procedure,
                args: self.arguments(*procedure, args),
                results: results.iter().map(|result| result.and_then(|var| self.var(var))).collect(),
            },
            Op::Return(values) => Op::Return(values.iter().map(|&value| self.result(value)).collect()),
            Op::Start(Spawn::Clone(target)) => Op::Start(Spawn::Clone((to.clone)(*target))),
            Op::Start(Spawn::Call(procedure, args)) => {
                Op::Start(Spawn::Call(*procedure, self.arguments(*procedure, args)))
            }
            Op::End => Op::End,
            Op::AtomicBegin => Op::AtomicBegin,
            Op::AtomicEnd => Op::AtomicEnd,
            Op::Lock(lock) => Op::Lock(self.lock(*lock)),
            Op::Unlock(lock) => Op::Unlock(self.lock(*lock)),
        }
    }

    fn assignment(
        &mut self,
        targets: &[(Var, ExprId)],
        broadcast: &[(LocalId, ExprId)],
        constrain: Option<ExprId>,
    ) -> Op {
        let mut kept = vec![];
        for &(var, e) in targets {
            kept.extend(self.var(var).map(|var| (var, self.expr(e))));
        }
        let mut broadcasts = vec![];
        for &(local, e) in broadcast {
            broadcasts.extend(self.locals[local.index()].map(|local| (local, self.expr(e))));
        }
        let constrain = constrain.map(|e| self.expr(e));
        if kept.is_empty() && broadcasts.is_empty() && constrain.is_none() {
            return Op::Skip;
        }
        Op::Assign { targets: kept, broadcast: broadcasts, constrain }
    }

    fn arguments(&mut self, procedure: ProcId, args: &[ExprId]) -> Vec<ExprId> {
        let params = self.old.procedures()[procedure].params.iter().zip(args);
        let kept: Vec<ExprId> =
            params.filter(|(param, _)| self.locals[param.index()].is_some()).map(|(_, &arg)| arg).collect();
        kept.into_iter().map(|arg| self.expr(arg)).collect()
    }

    /// A result that reads a variable left out is taken by nobody: any value does.
    fn result(&mut self, value: ExprId) -> ExprId {
        let kept = self.old.exprs().reads(value).iter().all(|read| self.var(read.var).is_some());
        if kept { self.expr(value) } else { self.choice() }
    }

    fn lock(&self, lock: LockId) -> LockId {
        self.locks[lock.index()].expect("the bits of a lock in use are kept")
    }

    /// Starts the body of a procedure.
    pub fn begin(&mut self, procedure: ProcId) {
        self.builder.begin(procedure);
    }

    /// Adds a location.
    pub fn push(&mut self, place: Place<'_>) {
        let loc = self.builder.push(place.procedure, place.op.clone(), place.source.span);
        self.dress(loc, place);
    }

    /// Adds the end of a procedure; its statement is a `return` without values.
    pub fn end(&mut self, place: Place<'_>) {
        let loc = self.builder.end(place.procedure, place.source.span);
        self.dress(loc, Place { next: loc, ..place });
    }

    fn dress(&mut self, loc: Loc, place: Place<'_>) {
        let enforce = place.source.enforce.map(|e| self.expr(e));
        let dead = place.dead.iter().filter_map(|local| self.locals[local.index()]).collect();
        let location = self.builder.at(loc);
        location.next = place.next;
        location.active = place.active;
        location.enforce = enforce;
        location.dead = dead;
        location.error = place.source.error;
        location.labels = place.source.labels.clone();
        self.origin.controls.push(place.control);
    }

    /// The copy, and where its parts come from.
    pub fn finish(self) -> Passed {
        let program = self.builder.finish().expect("a copy of a valid program is valid");
        Passed { program, origin: self.origin }
    }
}

/// The program with only some of its locations and variables. The end of every procedure is kept, and
/// whatever control can reach from a location that is kept must be kept too.
pub fn restrict(program: &Program, keep: &[bool], keep_var: impl Fn(Var) -> bool) -> Passed {
    let mut number = vec![None; program.locations().len()];
    let is_end = |loc: Loc| program.procedures()[program.at(loc).procedure].end == loc;
    let kept = program.locations().ids().filter(|&loc| keep[loc.index()] || is_end(loc));
    kept.enumerate().for_each(|(index, loc)| number[loc.index()] = Some(Loc::from_index(index)));
    let jump = |loc: Loc| number[loc.index()].expect("what can be reached is kept");
    let mut new = Rebuild::new(program, keep_var);
    for procedure in program.procedures().ids() {
        new.begin(procedure);
        for loc in program.locations_of(procedure).filter(|loc| number[loc.index()].is_some()) {
            let source = program.at(loc);
            // Control that never goes on stays where it is.
            let next = number[source.next.index()].unwrap_or_else(|| jump(loc));
            let (active, dead, control) = (source.active.clone(), source.dead.clone(), vec![loc]);
            let op = new.op(&source.op, &Targets { jump: &jump, clone: &jump });
            let place = Place { procedure: source.procedure, active, op, next, dead, control, source };
            if is_end(loc) { new.end(place) } else { new.push(place) }
        }
    }
    new.finish()
}

/// The locals of a procedure, parameters included, in order.
pub fn locals_of(program: &Program, procedure: ProcId) -> impl Iterator<Item = LocalId> + '_ {
    let all = program.locals().enumerate();
    all.filter(move |(_, local)| local.scope == LocalScope::Procedure(procedure)).map(|(id, _)| id)
}
