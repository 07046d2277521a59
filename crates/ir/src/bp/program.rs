//! A closed, validated concurrent Boolean program: procedures, each a range of locations; one statement a
//! location.

use super::builder::Builder;
use super::expr::{ExprId, Exprs, Var};
use base::{Arena, Id, Span, define_id};

define_id!(
    /// A shared variable.
    pub struct SharedId = "s"
);
define_id!(
    /// A local variable; numbered through the whole program.
    pub struct LocalId = "v"
);
define_id!(
    /// A lock.
    pub struct LockId = "k"
);
define_id!(
    /// A procedure.
    pub struct ProcId = "p"
);
define_id!(
    /// A location: a value of the program counter.
    pub struct Loc = "l"
);

/// The value a variable starts with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Init {
    /// This value.
    Fixed(bool),
    /// Either value.
    Any,
}

impl Init {
    /// Whether the variable may start with `value`.
    pub fn admits(self, value: bool) -> bool {
        self == Init::Any || self == Init::Fixed(value)
    }
}

/// A variable that all threads share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// Its name; unique among shared variables and locks.
    pub name: String,
    /// Its first value.
    pub init: Init,
}

/// Where a local variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalScope {
    /// One per thread, seen by all its procedures.
    Thread,
    /// One per activation of the procedure.
    Procedure(ProcId),
}

/// What a local variable is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The program's own.
    Plain,
    /// Says that this thread holds the lock. A child starts without it.
    Owner(LockId),
}

/// A variable of which every thread (or activation) has its own copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name; unique in its procedure.
    pub name: String,
    /// Where it lives.
    pub scope: LocalScope,
    /// Its value at each call, unless it is a parameter.
    pub init: Init,
    /// What it is for.
    pub role: Role,
}

/// A lock: a shared bit that says it is taken and a local bit that says by whom. Only `lock` and `unlock`
/// touch them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lock {
    /// The name in the program.
    pub name: String,
    /// The shared bit.
    pub taken: SharedId,
    /// The thread's bit.
    pub owner: LocalId,
}

/// A procedure: a range of locations, the last of which is its end (a `return` without values).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Its parameters, in order; locals of the procedure.
    pub params: Vec<LocalId>,
    /// How many values it returns.
    pub results: usize,
    /// Where it starts.
    pub entry: Loc,
    /// The end: falling off it returns, with any values as results.
    pub end: Loc,
}

/// How a new thread begins.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Spawn {
    /// At a location of the same procedure, with a copy of the creator's locals (owner bits cleared).
    Clone(Loc),
    /// At the entry of a procedure, with fresh locals and these arguments.
    Call(ProcId, Vec<ExprId>),
}

/// A statement. Where it does not say otherwise, control goes on to the location's `next`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Jump to any one of these.
    Goto(Vec<Loc>),
    /// Jump to `target` if the condition may be true, go on if it may be false.
    Branch {
        /// The condition.
        cond: ExprId,
        /// Where to go when it holds.
        target: Loc,
    },
    /// Parallel assignment: all right sides are read in the old state.
    Assign {
        /// The active thread's and the shared targets, each at most once.
        targets: Vec<(Var, ExprId)>,
        /// What every passive thread's local becomes, each at most once.
        broadcast: Vec<(LocalId, ExprId)>,
        /// Keeps the pairs of old and new values for which it may be true.
        constrain: Option<ExprId>,
    },
    /// Waits until the condition may be true.
    Assume(ExprId),
    /// Fails if the condition may be false; goes on in any case.
    Assert(ExprId),
    /// Calls a procedure; a result that is `None` is dropped.
    Call {
        /// Which.
        procedure: ProcId,
        /// One for each parameter.
        args: Vec<ExprId>,
        /// One for each result.
        results: Vec<Option<Var>>,
    },
    /// Returns these values, or any values if there are none; ends the thread in the procedure that it began
    /// in.
    Return(Vec<ExprId>),
    /// Creates a thread.
    Start(Spawn),
    /// Ends the thread.
    End,
    /// Enters the atomic section; changes nothing inside one.
    AtomicBegin,
    /// Leaves the atomic section; changes nothing outside.
    AtomicEnd,
    /// Waits until no thread holds the lock, then takes it.
    Lock(LockId),
    /// Gives the lock back; blocks in a thread that does not hold it.
    Unlock(LockId),
}

impl Op {
    /// The expressions of the statement.
    pub fn expressions(&self) -> Vec<ExprId> {
        match self {
            Op::Branch { cond, .. } => vec![*cond],
            Op::Assume(e) | Op::Assert(e) => vec![*e],
            Op::Assign { targets, broadcast, constrain } => {
                let broadcasts = broadcast.iter().map(|&(_, e)| e);
                targets.iter().map(|&(_, e)| e).chain(broadcasts).chain(*constrain).collect()
            }
            Op::Call { args, .. } | Op::Start(Spawn::Call(_, args)) => args.clone(),
            Op::Return(values) => values.clone(),
            _ => vec![],
        }
    }
}

/// A location: a statement and where it stands.
#[derive(Clone, Debug)]
pub struct Location {
    /// The statement.
    pub op: Op,
    /// Where control goes on; the location itself where it never does.
    pub next: Loc,
    /// The procedure (in an inlined program: the one the thread began in).
    pub procedure: ProcId,
    /// In an inlined program: the further procedures that are active here, outermost first.
    pub active: Vec<ProcId>,
    /// Whether arriving here is an error.
    pub error: bool,
    /// A step of the thread out of or into a state at this location needs this to hold (`enforce`).
    pub enforce: Option<ExprId>,
    /// Locals that are never read again before they are written: they are 0 while a thread stands here.
    pub dead: Vec<LocalId>,
    /// An engine may run a thread that has just stepped here on at once, without storing the state and
    /// without a step of another thread in between; every failure of the states on the way still counts.
    /// Either no other thread can tell whether the thread has left and it always can leave, or it is inside
    /// an atomic section, where nobody else can step: there it may also be blocked, and then the run simply
    /// has no successor. No thread begins here, and every cycle has a location that is not invisible.
    pub invisible: bool,
    /// The labels in the source.
    pub labels: Vec<String>,
    /// The statement's text in the source.
    pub span: Option<Span>,
}

/// How many threads of a template there are at the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// Just this many.
    Exactly(u32),
    /// Any number from here on.
    AtLeast(u32),
}

impl Count {
    /// Both together.
    pub fn plus(self, other: Count) -> Count {
        match (self, other) {
            (Count::Exactly(a), Count::Exactly(b)) => Count::Exactly(a.saturating_add(b)),
            (Count::Exactly(a) | Count::AtLeast(a), Count::Exactly(b) | Count::AtLeast(b)) => {
                Count::AtLeast(a.saturating_add(b))
            }
        }
    }
}

/// Threads that are there from the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Template {
    /// Where they begin; it has no parameters.
    pub procedure: ProcId,
    /// How many there are.
    pub count: Count,
}

/// How the program starts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Start {
    /// Runs alone to its end before the templates' threads are there.
    pub init: Option<ProcId>,
    /// The threads.
    pub templates: Vec<Template>,
}

impl Start {
    /// Whether nobody is ever there: no `init`, and no thread of any template.
    pub fn is_empty(&self) -> bool {
        self.init.is_none() && self.templates.iter().all(|it| it.count == Count::Exactly(0))
    }
}

/// A closed, validated concurrent Boolean program. There is no invalid `Program`: only [`Builder::finish`]
/// makes one.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) exprs: Exprs,
    pub(super) shared: Arena<SharedId, Shared>,
    pub(super) locals: Arena<LocalId, Local>,
    pub(super) locks: Arena<LockId, Lock>,
    pub(super) procedures: Arena<ProcId, Procedure>,
    pub(super) locations: Arena<Loc, Location>,
    pub(super) start: Start,
    pub(super) atomic_variable: Option<SharedId>,
    pub(super) monotone: bool,
}

impl Program {
    /// The expressions.
    pub fn exprs(&self) -> &Exprs {
        &self.exprs
    }

    /// The shared variables, the taken bits of locks among them.
    pub fn shared(&self) -> &Arena<SharedId, Shared> {
        &self.shared
    }

    /// The local variables, the owner bits of locks among them.
    pub fn locals(&self) -> &Arena<LocalId, Local> {
        &self.locals
    }

    /// The locks.
    pub fn locks(&self) -> &Arena<LockId, Lock> {
        &self.locks
    }

    /// The procedures.
    pub fn procedures(&self) -> &Arena<ProcId, Procedure> {
        &self.procedures
    }

    /// The locations of all procedures.
    pub fn locations(&self) -> &Arena<Loc, Location> {
        &self.locations
    }

    /// A location.
    pub fn at(&self, loc: Loc) -> &Location {
        &self.locations[loc]
    }

    /// How the program starts.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// A shared variable whose assignment enters (true) or leaves (false) an atomic section.
    pub fn atomic_variable(&self) -> Option<SharedId> {
        self.atomic_variable
    }

    /// Whether adding threads never disables a step.
    pub fn monotone(&self) -> bool {
        self.monotone
    }

    /// The locations of a procedure, in order.
    pub fn locations_of(
        &self,
        procedure: ProcId,
    ) -> impl DoubleEndedIterator<Item = Loc> + ExactSizeIterator + use<> {
        let procedure = &self.procedures[procedure];
        (procedure.entry.index()..procedure.end.index() + 1).map(Loc::from_index)
    }

    /// Whether a thread at `loc` has the local in scope.
    pub fn in_scope(&self, loc: Loc, local: LocalId) -> bool {
        match self.locals[local].scope {
            LocalScope::Thread => true,
            LocalScope::Procedure(procedure) => {
                self.at(loc).procedure == procedure || self.at(loc).active.contains(&procedure)
            }
        }
    }

    /// The locations that control may go to from `loc` inside the same activation (after the call, for a
    /// call).
    pub fn successors(&self, loc: Loc) -> Vec<Loc> {
        let location = self.at(loc);
        match &location.op {
            Op::Goto(targets) => targets.clone(),
            Op::Branch { target, .. } => vec![*target, location.next],
            Op::Return(_) | Op::End => vec![],
            _ => vec![location.next],
        }
    }

    /// Whether no procedure is called: each thread stays in the procedure that it began in.
    pub fn is_flat(&self) -> bool {
        self.locations.iter().all(|location| !matches!(location.op, Op::Call { .. }))
    }

    /// A procedure that may call itself, directly or through others.
    pub fn recursive_procedure(&self) -> Option<ProcId> {
        let calls = |from: ProcId| {
            self.locations_of(from).filter_map(|loc| match self.at(loc).op {
                Op::Call { procedure, .. } => Some(procedure),
                _ => None,
            })
        };
        self.procedures.ids().find(|&start| {
            let mut seen = vec![false; self.procedures.len()];
            let mut work: Vec<ProcId> = calls(start).collect();
            while let Some(callee) = work.pop() {
                if !std::mem::replace(&mut seen[callee.index()], true) {
                    work.extend(calls(callee));
                }
            }
            seen[start.index()]
        })
    }

    /// The procedures that a thread may begin in: templates, `init`, and targets of `start_thread`.
    pub fn roots(&self) -> Vec<ProcId> {
        let spawned = self.locations.iter().filter_map(|location| match &location.op {
            Op::Start(Spawn::Call(procedure, _)) => Some(*procedure),
            Op::Start(Spawn::Clone(target)) => Some(self.at(*target).procedure),
            _ => None,
        });
        let templates = self.start.templates.iter().map(|template| template.procedure);
        let mut roots: Vec<ProcId> = self.start.init.into_iter().chain(templates).chain(spawned).collect();
        roots.sort();
        roots.dedup();
        roots
    }

    /// The same program, open for changes.
    pub fn edit(&self) -> Builder {
        Builder::from_program(self.clone())
    }

    /// The name of a variable.
    pub fn name(&self, var: Var) -> &str {
        match var {
            Var::Shared(id) => &self.shared[id].name,
            Var::Local(id) => &self.locals[id].name,
        }
    }
}

/// Two programs are equal if they say the same: source places and labels do not count.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        let say = |program: &Program| {
            let nodes: Vec<_> =
                (0..program.exprs.len()).map(|i| program.exprs.node(ExprId::from_index(i))).collect();
            (nodes, program.start.clone(), program.atomic_variable)
        };
        self.shared == other.shared
            && self.locals == other.locals
            && self.locks == other.locks
            && self.procedures == other.procedures
            && self.locations == other.locations
            && say(self) == say(other)
    }
}

/// Source places and labels do not count.
impl PartialEq for Location {
    fn eq(&self, other: &Self) -> bool {
        (&self.op, self.next, self.procedure, self.error, self.enforce)
            == (&other.op, other.next, other.procedure, other.error, other.enforce)
            && (&self.active, &self.dead, self.invisible) == (&other.active, &other.dead, other.invisible)
    }
}
