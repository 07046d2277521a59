//! Recursion by threads (Cook, Kroening and Sharygina, *Verification of Boolean Programs with Unbounded
//! Thread Creation*, TCS 388, 2007, section 4.3): a flat program in which every activation is a thread of its
//! own. A call starts a thread at a copy of the callee and waits for a shared bit ψ of the call site; a
//! return leaves the results in shared variables of the site, sets the bit and ends. Sites are finitely many
//! and activations are not, so that a return may wake the wrong caller: the program does more than the
//! recursive one, which makes it good for proofs and for nothing else.
//!
//! **Every run of the recursive program is one of the flat program**, with more threads. A thread with the
//! activations a₀ … aₙ is the threads a₀ … aₙ, of which all but the last stand at the wait of the site they
//! called from, and no bit ψ is set. A call is one step: `start_thread` gives the child its arguments, and
//! fresh values to the other locals. A return is two steps with nothing between: the child sets the results
//! and ψ, and the caller, who is waiting, takes the results and clears both, so that no bit is set again; the
//! child's end follows. Nobody can be late for a wake-up, since the run that we follow is scheduled so. Every
//! other step is the same step, and no thread that waits can fail. A thread that ends in a called procedure
//! leaves its callers waiting, and a thread that waits for ever changes nothing. `enforce` blocks no more
//! than before: it holds at the same locations, and at no wait. What a thread keeps through all its
//! activations is handed to the callee and back like arguments and results: that is how owner bits of locks
//! get to a callee that unlocks, and such locks are plain bits here.
//!
//! What differs from the paper: a copy of the callee for each site, so that a return knows its site;
//! arguments go with the start, results and ψ change together, in one step each. Inside an atomic section the
//! child could never run, and with a bound on the threads the caller would wait for a child that was refused:
//! both would be *fewer* runs, and are refused.

use crate::sections;
use base::Id;
use ir::bp::{
    Builder, ExprId, Init, Loc, LocalId, LocalScope, LockId, Op, ProcId, Program, Read, SharedId, Spawn, Var,
    Whose,
};
use ir::{Bound, Model, Reason, ReasonKind, Task};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The question about the flat program, or why there is none.
pub fn by_threads(task: &Task) -> Result<Task, Reason> {
    let Model::Program(program) = &task.model else { return Err(unsupported("a net has no calls")) };
    if task.scope.threads != Bound::Any {
        return Err(unsupported(
            "recursion by threads is for any number of threads: a bound would refuse callees",
        ));
    }
    Ok(Task { model: Model::Program(Arc::new(flatten(program)?)), ..task.clone() })
}

/// The flat program, or why there is none.
pub fn flatten(program: &Program) -> Result<Program, Reason> {
    if sections::reaches_others(program) {
        return Err(unsupported(
            "recursion by threads: a broadcast would reach the callers of its own thread",
        ));
    }
    refuse_sections(program)?;
    refuse_init(program)?;
    let mut flattener = Flattener::new(program);
    flattener.declare();
    for index in 0..flattener.copies.len() {
        flattener.body(index);
    }
    flattener.finish()
}

fn unsupported(message: impl Into<String>) -> Reason {
    Reason::new(ReasonKind::Unsupported, message)
}

/// The procedures that are called somewhere.
fn called(program: &Program) -> Vec<bool> {
    let mut called = vec![false; program.procedures().len()];
    for location in program.locations().iter() {
        if let Op::Call { procedure, .. } = location.op {
            called[procedure.index()] = true;
        }
    }
    called
}

fn refuse_init(program: &Program) -> Result<(), Reason> {
    let Some(init) = program.start().init else { return Ok(()) };
    let calls = program.locations_of(init).any(|loc| matches!(program.at(loc).op, Op::Call { .. }));
    if calls { Err(unsupported("recursion by threads: `init` runs alone and cannot call")) } else { Ok(()) }
}

/// No call and no return of a called procedure may be inside an atomic section.
fn refuse_sections(program: &Program) -> Result<(), Reason> {
    let (inside, called) = (sections::may_be_inside(program), called(program));
    for (_, location) in program.locations().enumerate().filter(|(loc, _)| inside[loc.index()]) {
        let name = &program.procedures()[location.procedure].name;
        match location.op {
            Op::Call { .. } => {
                let message = format!("recursion by threads: `{name}` may call inside an atomic section");
                return Err(unsupported(message));
            }
            Op::Return(_) if called[location.procedure.index()] => {
                let message = format!("recursion by threads: `{name}` may return inside an atomic section");
                return Err(unsupported(message));
            }
            _ => {}
        }
    }
    let leaves = |location: &ir::bp::Location| match &location.op {
        Op::Start(Spawn::Clone(target)) => program.at(*target).procedure != location.procedure,
        _ => false,
    };
    if program.locations().iter().any(leaves) {
        return Err(unsupported("recursion by threads: a child begins in the code of another procedure"));
    }
    let sets_atomic = |op: &Op| match (op, program.atomic_variable()) {
        (Op::Call { results, .. }, Some(atomic)) => results.contains(&Some(Var::Shared(atomic))),
        _ => false,
    };
    match program.locations().iter().any(|location| sets_atomic(&location.op)) {
        true => Err(unsupported("recursion by threads: a call may enter an atomic section by its result")),
        false => Ok(()),
    }
}

/// What the flat program has a copy of a procedure for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum For {
    /// Threads that begin there.
    Threads(ProcId),
    /// The calls at this location.
    Site(Loc),
}

struct Copy {
    of: ProcId,
    why: For,
    id: ProcId,
    /// Its locals by those of the program: its own and those of the thread.
    locals: HashMap<LocalId, LocalId>,
}

/// The shared variables of a call site.
struct CallSite {
    ready: SharedId,
    results: Vec<SharedId>,
    /// What the callee leaves in the locals of the thread.
    kept: Vec<(LocalId, SharedId)>,
}

/// The locals of other procedures that the code of a procedure uses: those of what was inlined into it.
fn inlined_locals(program: &Program, of: ProcId) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    for loc in program.locations_of(of) {
        let location = program.at(loc);
        let read = location.op.expressions().into_iter().chain(location.enforce);
        let mut vars: Vec<Var> = read.flat_map(|e| program.exprs().reads(e)).map(|read| read.var).collect();
        match &location.op {
            Op::Assign { targets, .. } => vars.extend(targets.iter().map(|it| it.0)),
            Op::Call { results, .. } => vars.extend(results.iter().flatten()),
            _ => {}
        }
        found.extend(vars.into_iter().filter_map(|var| match var {
            Var::Local(local) => Some(local),
            Var::Shared(_) => None,
        }));
    }
    let others = |local: &LocalId| match program.locals()[*local].scope {
        LocalScope::Procedure(owner) => owner != of,
        LocalScope::Thread => false,
    };
    found.retain(others);
    found
}

struct Flattener<'p> {
    program: &'p Program,
    new: Builder,
    copies: Vec<Copy>,
    index: HashMap<For, usize>,
    shared: HashMap<SharedId, SharedId>,
    /// The locks that stay locks: only procedures that nobody calls use them.
    locks: HashMap<LockId, LockId>,
    /// The locals of the thread that are handed on, owner bits of the other locks among them.
    handed: Vec<LocalId>,
    sites: HashMap<Loc, CallSite>,
}

impl<'p> Flattener<'p> {
    fn new(program: &'p Program) -> Self {
        let mut copies = vec![];
        let mut add = |why, of| copies.push(Copy { of, why, id: of, locals: HashMap::new() });
        program.roots().into_iter().for_each(|root| add(For::Threads(root), root));
        for (loc, location) in program.locations().enumerate() {
            if let Op::Call { procedure, .. } = location.op {
                add(For::Site(loc), procedure);
            }
        }
        let index = copies.iter().enumerate().map(|(index, copy)| (copy.why, index)).collect();
        let (shared, locks, sites) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { program, new: Builder::new(), copies, index, shared, locks, handed: vec![], sites }
    }

    fn declare(&mut self) {
        self.declare_shared();
        for index in 0..self.copies.len() {
            self.declare_copy(index);
        }
        for (loc, location) in self.program.locations().enumerate() {
            if let Op::Call { procedure, .. } = location.op {
                self.declare_site(loc, procedure);
            }
        }
        let start = self.program.start().clone();
        for template in start.templates {
            let copy = self.index[&For::Threads(template.procedure)];
            self.new.template(self.copies[copy].id, template.count);
        }
        if let Some(init) = start.init {
            self.new.init(self.copies[self.index[&For::Threads(init)]].id);
        }
        if let Some(atomic) = self.program.atomic_variable() {
            self.new.atomic_variable(self.shared[&atomic]);
        }
    }

    fn declare_shared(&mut self) {
        let called = called(self.program);
        for (id, lock) in self.program.locks().enumerate() {
            let used_in_call = self.program.locations().iter().any(|location| {
                let uses = matches!(location.op, Op::Lock(it) | Op::Unlock(it) if it == id);
                uses && called[location.procedure.index()]
            });
            if used_in_call {
                self.handed.push(lock.owner);
            } else {
                let new = self.new.lock(lock.name.clone());
                self.locks.insert(id, new);
                self.shared.insert(lock.taken, self.new.draft().locks()[new].taken);
            }
        }
        for (id, shared) in self.program.shared().enumerate() {
            if !self.shared.contains_key(&id) {
                let new = self.new.shared(shared.name.clone(), shared.init);
                self.shared.insert(id, new);
            }
        }
        let plain = |(id, local): (LocalId, &ir::bp::Local)| {
            (local.scope == LocalScope::Thread && local.role == ir::bp::Role::Plain).then_some(id)
        };
        self.handed.extend(self.program.locals().enumerate().filter_map(plain));
    }

    fn declare_copy(&mut self, index: usize) {
        let (of, why) = (self.copies[index].of, self.copies[index].why);
        let procedure = &self.program.procedures()[of];
        let id = self.new.declare(format!("{}@{index}", procedure.name), 0);
        let own = self.program.locals().enumerate().filter(|(_, it)| it.scope == LocalScope::Procedure(of));
        let mut all: Vec<LocalId> = own.map(|it| it.0).collect();
        all.extend(&self.handed);
        for old in all {
            let local = &self.program.locals()[old];
            let new = self.new.local(local.name.clone(), LocalScope::Procedure(id), local.init);
            self.copies[index].locals.insert(old, new);
        }
        for old in inlined_locals(self.program, of) {
            // Another procedure's local may have the same name; its first value comes from the call that was
            // inlined.
            let name = format!("{}@{}", self.program.locals()[old].name, old.index());
            let new = self.new.local(name, LocalScope::Procedure(id), Init::Fixed(false));
            self.copies[index].locals.insert(old, new);
        }
        let handed = if matches!(why, For::Site(_)) { &self.handed[..] } else { &[] };
        let params = procedure.params.iter().chain(handed);
        self.new.params(id, params.map(|old| self.copies[index].locals[old]).collect());
        self.copies[index].id = id;
    }

    fn declare_site(&mut self, loc: Loc, procedure: ProcId) {
        let number = loc.index();
        let mut bit = |name: String| self.new.shared(name, Init::Fixed(false));
        let ready = bit(format!("ready@{number}"));
        let results = 0..self.program.procedures()[procedure].results;
        let results = results.map(|result| bit(format!("result{result}@{number}"))).collect();
        let kept = self.handed.iter().map(|&local| {
            let name = &self.program.locals()[local].name;
            (local, bit(format!("{name}@{number}")))
        });
        let kept = kept.collect();
        self.sites.insert(loc, CallSite { ready, results, kept });
    }

    fn body(&mut self, index: usize) {
        let (id, of) = (self.copies[index].id, self.copies[index].of);
        self.new.begin(id);
        // Jumps go to addresses that are not yet laid out: a first round counts.
        let mut addresses: HashMap<Loc, Loc> = HashMap::new();
        let mut at = self.new.here().index();
        for loc in self.program.locations_of(of) {
            addresses.insert(loc, Loc::from_index(at));
            at += self.size(index, loc);
        }
        for loc in self.program.locations_of(of) {
            debug_assert_eq!(
                addresses[&loc],
                self.new.here(),
                "every statement takes as many locations as were counted"
            );
            self.statement(index, loc, &addresses);
        }
        self.new.end(id, None);
    }

    /// How many locations a statement becomes.
    fn size(&self, index: usize, loc: Loc) -> usize {
        match (&self.program.at(loc).op, self.copies[index].why) {
            (Op::Call { .. }, _) => 2,
            (Op::Return(_), For::Site(_)) => 2 + usize::from(self.clones(index)),
            _ => 1,
        }
    }

    /// Whether a thread that is no callee may be in the copy: a clone, whose return is its end.
    fn clones(&self, index: usize) -> bool {
        let mut locs = self.program.locations_of(self.copies[index].of);
        locs.any(|loc| matches!(self.program.at(loc).op, Op::Start(Spawn::Clone(_))))
    }

    fn statement(&mut self, index: usize, loc: Loc, addresses: &HashMap<Loc, Loc>) {
        let source = self.program.at(loc);
        let next = addresses[&source.next];
        let first = self.new.here();
        match (&source.op, self.copies[index].why) {
            (Op::Call { args, results, .. }, _) => self.call(index, loc, args, results),
            (Op::Return(values), For::Site(site)) => self.give_back(index, site, values),
            (Op::Return(_), For::Threads(_)) => self.push(index, Op::End),
            (op, _) => {
                let op = self.op(index, op, addresses);
                self.push(index, op);
            }
        }
        let last = Loc::from_index(self.new.here().index() - 1);
        let enforce = source.enforce.map(|e| self.expr(index, e));
        self.new.at(last).next = next;
        let location = self.new.at(first);
        (location.error, location.enforce, location.span) = (source.error, enforce, source.span);
        location.labels = source.labels.clone();
    }

    fn push(&mut self, index: usize, op: Op) {
        self.new.push(self.copies[index].id, op, None);
    }

    /// Starts the callee and waits for it.
    fn call(&mut self, index: usize, loc: Loc, args: &[ExprId], results: &[Option<Var>]) {
        let callee = self.copies[self.index[&For::Site(loc)]].id;
        let mut values: Vec<ExprId> = args.iter().map(|&e| self.expr(index, e)).collect();
        for old in self.handed.clone() {
            let local = self.copies[index].locals[&old];
            values.push(self.new.exprs().var(Var::Local(local)));
        }
        self.push(index, Op::Start(Spawn::Call(callee, values)));
        let CallSite { ready, results: given, kept } = &self.sites[&loc];
        let mut taken: Vec<(Var, SharedId)> = vec![];
        for (result, &from) in results.iter().zip(given) {
            taken.extend(result.map(|var| (self.var(index, var), from)));
        }
        for &(old, from) in kept {
            let var = Var::Local(self.copies[index].locals[&old]);
            // A result that goes there comes last.
            if taken.iter().all(|it| it.0 != var) {
                taken.push((var, from));
            }
        }
        let cleared: Vec<SharedId> =
            [*ready].into_iter().chain(given.iter().copied()).chain(kept.iter().map(|it| it.1)).collect();
        let constrain = Some(self.new.exprs().var(Var::Shared(*ready)));
        let exprs = self.new.exprs();
        let mut targets: Vec<(Var, ExprId)> =
            taken.into_iter().map(|(var, from)| (var, exprs.var(Var::Shared(from)))).collect();
        let zero = exprs.constant(false);
        targets.extend(cleared.into_iter().map(|it| (Var::Shared(it), zero)));
        self.push(index, Op::Assign { targets, broadcast: vec![], constrain });
    }

    /// Leaves the results, wakes a caller and ends.
    fn give_back(&mut self, index: usize, site: Loc, values: &[ExprId]) {
        if self.clones(index) {
            let here = self.new.here().index();
            self.push(index, Op::Goto([here + 1, here + 2].map(Loc::from_index).to_vec()));
        }
        let values: Vec<ExprId> = values.iter().map(|&e| self.expr(index, e)).collect();
        let CallSite { ready, results, kept } = &self.sites[&site];
        let locals = &self.copies[index].locals;
        let exprs = self.new.exprs();
        let mut targets = vec![(Var::Shared(*ready), exprs.constant(true))];
        for (at, &result) in results.iter().enumerate() {
            let value = values.get(at).copied().unwrap_or_else(|| exprs.choice());
            targets.push((Var::Shared(result), value));
        }
        for &(old, to) in kept {
            targets.push((Var::Shared(to), exprs.var(Var::Local(locals[&old]))));
        }
        self.push(index, Op::Assign { targets, broadcast: vec![], constrain: None });
        self.push(index, Op::End);
    }

    /// A statement that stays what it is.
    fn op(&mut self, index: usize, op: &Op, addresses: &HashMap<Loc, Loc>) -> Op {
        match op {
            Op::Goto(targets) => Op::Goto(targets.iter().map(|target| addresses[target]).collect()),
            Op::Branch { cond, target } => {
                Op::Branch { cond: self.expr(index, *cond), target: addresses[target] }
            }
            Op::Assume(e) => Op::Assume(self.expr(index, *e)),
            Op::Assert(e) => Op::Assert(self.expr(index, *e)),
            Op::Assign { targets, constrain, .. } => {
                let targets = targets.iter().map(|&(var, e)| (self.var(index, var), self.expr(index, e)));
                let targets = targets.collect();
                let constrain = constrain.map(|e| self.expr(index, e));
                Op::Assign { targets, broadcast: vec![], constrain }
            }
            Op::Start(Spawn::Clone(target)) => Op::Start(Spawn::Clone(addresses[target])),
            Op::Start(Spawn::Call(procedure, args)) => {
                let args = args.iter().map(|&e| self.expr(index, e)).collect();
                Op::Start(Spawn::Call(self.copies[self.index[&For::Threads(*procedure)]].id, args))
            }
            Op::Lock(id) => self.hold(index, *id, true),
            Op::Unlock(id) => self.hold(index, *id, false),
            Op::Skip | Op::End | Op::AtomicBegin | Op::AtomicEnd => op.clone(),
            Op::Call { .. } | Op::Return(_) => unreachable!("calls and returns have their own translation"),
        }
    }

    /// A lock, or what it does to its two bits where they are plain.
    fn hold(&mut self, index: usize, id: LockId, value: bool) -> Op {
        if let Some(&lock) = self.locks.get(&id) {
            return if value { Op::Lock(lock) } else { Op::Unlock(lock) };
        }
        let lock = &self.program.locks()[id];
        let taken = Var::Shared(self.shared[&lock.taken]);
        let owner = Var::Local(self.copies[index].locals[&lock.owner]);
        let exprs = self.new.exprs();
        let requires = if value { taken } else { owner };
        let requires = exprs.var(requires);
        let requires = if value { exprs.not(requires) } else { requires };
        let constant = exprs.constant(value);
        let targets = vec![(taken, constant), (owner, constant)];
        Op::Assign { targets, broadcast: vec![], constrain: Some(requires) }
    }

    fn var(&self, index: usize, var: Var) -> Var {
        match var {
            Var::Shared(id) => Var::Shared(self.shared[&id]),
            Var::Local(id) => Var::Local(self.copies[index].locals[&id]),
        }
    }

    fn expr(&mut self, index: usize, e: ExprId) -> ExprId {
        let (shared, locals) = (&self.shared, &self.copies[index].locals);
        self.new.exprs().import(self.program.exprs(), e, |read: Read| {
            debug_assert_eq!(read.whose, Whose::Own, "passive copies were refused");
            let var = match read.var {
                Var::Shared(id) => Var::Shared(shared[&id]),
                Var::Local(id) => Var::Local(locals[&id]),
            };
            Read { var, ..read }
        })
    }

    fn finish(self) -> Result<Program, Reason> {
        self.new.finish().map_err(|found| {
            let first = found.into_sorted().into_iter().next().map_or(String::new(), |it| it.message);
            Reason::new(ReasonKind::Fault, format!("recursion by threads makes a wrong program: {first}"))
        })
    }
}
