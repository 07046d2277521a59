//! Steps: what a thread does at a location. **A step touches at most one shared scalar**; everything else
//! happens in registers.

use super::expr::ExprId;
use super::origin::OriginId;
use super::program::{LayoutId, Loc, LocalId, ObjectId, ProcId, PropertyId};
use super::reach::Reach;
use super::types::{Constant, SyncKind};

/// Where an access goes: in the plain case to one cell of its width, else to the bytes there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A declared object and a fixed number of bytes.
    Object {
        /// The object: the only one, this thread's, or this activation's.
        object: ObjectId,
        /// Bytes from its start.
        offset: i64,
    },
    /// A declared object and a computed number of bytes.
    Indexed {
        /// The object.
        object: ObjectId,
        /// Bytes from its start: signed bits of a pointer's width.
        offset: ExprId,
    },
    /// Through a pointer.
    Pointer {
        /// The pointer.
        pointer: ExprId,
        /// Bytes added to it.
        offset: i64,
    },
}

/// How the program ends: it decides which variables are still there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Wherever the thread stands, with all its calls: `exit`.
    Exit,
    /// By the return of `main`, after which no activation is left.
    Return,
}

impl End {
    /// The words of the step in the text form.
    pub fn words(self) -> &'static str {
        match self {
            End::Exit => "halt",
            End::Return => "halt return",
        }
    }
}

/// How long a locking step waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LockMode {
    /// As long as it takes.
    Wait,
    /// Not at all: `EBUSY` (`EAGAIN` for a semaphore) instead.
    Try,
    /// It may give up with `ETIMEDOUT` at any moment at which it would have to wait.
    Timed,
}

/// What kind of mutex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MutexKind {
    /// Locking it twice waits for ever.
    Normal,
    /// Counts.
    Recursive,
    /// Tells: `EDEADLK`, `EPERM`.
    ErrorCheck,
}

impl MutexKind {
    /// All kinds.
    pub const ALL: [MutexKind; 3] = [MutexKind::Normal, MutexKind::Recursive, MutexKind::ErrorCheck];

    /// What the cell of a free mutex of this kind holds: for static initialisers.
    pub fn initial(self) -> Constant {
        Constant::Bits(match self {
            MutexKind::Normal => 0,
            MutexKind::Recursive => 1 << 1,
            MutexKind::ErrorCheck => 2 << 1,
        })
    }
}

/// The first state of a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncInit {
    /// A free mutex.
    Mutex(MutexKind),
    /// A free read-write lock.
    RwLock,
    /// A condition variable.
    Cond,
    /// A barrier for this many threads (an unsigned expression); `EINVAL` for 0.
    Barrier(ExprId),
    /// A semaphore with this value (an unsigned expression).
    Semaphore(ExprId),
    /// `pthread_once` not yet called.
    Once,
}

/// An operation on synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncOp {
    /// Initialises the object. A mutex, read-write lock or barrier that is in use has no second first state:
    /// undefined behaviour.
    Init(SyncInit),
    /// Destroys the object: using it afterwards is undefined behaviour until it is initialised again. `EBUSY`
    /// while it is in use.
    Destroy(SyncKind),
    /// Locks a mutex.
    Lock(LockMode),
    /// Unlocks a mutex.
    Unlock,
    /// Takes a read-write lock for reading.
    ReadLock(LockMode),
    /// Takes a read-write lock for writing.
    WriteLock(LockMode),
    /// Gives a read-write lock back, the writer's or one of this thread's readers'.
    RwUnlock,
    /// Waits on a condition variable: a step that unlocks the mutex and sleeps, and one that wakes and locks
    /// it again. A timed wait may wake with `ETIMEDOUT`.
    CondWait {
        /// The mutex.
        mutex: Place,
        /// Whether it is a timed wait.
        timed: bool,
    },
    /// Wakes one sleeper, if there is one.
    Signal,
    /// Wakes all sleepers.
    Broadcast,
    /// Arrives at a barrier and waits for the others; one of them gets -1 (`PTHREAD_BARRIER_SERIAL_THREAD`),
    /// the others 0.
    BarrierWait,
    /// Takes one from a semaphore.
    SemWait(LockMode),
    /// Gives one to a semaphore.
    SemPost,
    /// Reads a semaphore: the code is its value.
    SemValue,
    /// The first to come gets 1 and must run the function and then do `OnceEnd`; others wait for that and get
    /// 0.
    OnceBegin,
    /// The function of `pthread_once` has run.
    OnceEnd,
}

impl SyncOp {
    /// The kind of the object that it works on.
    pub fn kind(self) -> SyncKind {
        match self {
            SyncOp::Init(SyncInit::Mutex(_)) | SyncOp::Lock(_) | SyncOp::Unlock => SyncKind::Mutex,
            SyncOp::Init(SyncInit::RwLock)
            | SyncOp::ReadLock(_)
            | SyncOp::WriteLock(_)
            | SyncOp::RwUnlock => SyncKind::RwLock,
            SyncOp::Init(SyncInit::Cond) | SyncOp::CondWait { .. } | SyncOp::Signal | SyncOp::Broadcast => {
                SyncKind::Cond
            }
            SyncOp::Init(SyncInit::Barrier(_)) | SyncOp::BarrierWait => SyncKind::Barrier,
            SyncOp::Init(SyncInit::Semaphore(_))
            | SyncOp::SemWait(_)
            | SyncOp::SemPost
            | SyncOp::SemValue => SyncKind::Semaphore,
            SyncOp::Init(SyncInit::Once) | SyncOp::OnceBegin | SyncOp::OnceEnd => SyncKind::Once,
            SyncOp::Destroy(kind) => kind,
        }
    }
}

/// A step. Where it does not say otherwise, control goes on to the location's `next`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// `local := value`
    Assign {
        /// The register.
        local: LocalId,
        /// Its new value.
        value: ExprId,
    },
    /// `local :=` any value of its type (as a pointer: any integer), between the bounds if there are any.
    Choose {
        /// The register.
        local: LocalId,
        /// The bounds.
        range: Option<Range>,
        /// On whose behalf. `None`: an input of the program itself.
        origin: Option<OriginId>,
    },
    /// `local :=` the scalar at the place.
    Load {
        /// The register; its type says how wide the access is.
        local: LocalId,
        /// Where.
        place: Place,
        /// Whether it is an atomic operation: it races with no other one.
        atomic: bool,
    },
    /// The scalar at the place `:= value`.
    Store {
        /// Where.
        place: Place,
        /// The value; its type says how wide the access is.
        value: ExprId,
        /// Whether it is an atomic operation: it races with no other one.
        atomic: bool,
    },
    /// Reads and perhaps writes one scalar in one step: every atomic operation. `old` gets what was there;
    /// then, with the new `old`: if the guard holds, the scalar becomes `value`.
    Rmw {
        /// The register for what was there; its type says how wide the access is.
        old: LocalId,
        /// Where.
        place: Place,
        /// A truth value; may read `old`. `None`: always.
        guard: Option<ExprId>,
        /// What is written if the guard holds; may read `old`.
        value: ExprId,
        /// Gets whether it was written, as 1 or 0 of its type.
        success: Option<LocalId>,
        /// Whether it may also fail although the guard holds (weak compare-exchange).
        weak: bool,
    },
    /// Jumps to `target` if the condition (a truth value) holds, else goes on.
    Branch {
        /// The condition.
        cond: ExprId,
        /// Where to go when it holds.
        target: Loc,
    },
    /// Waits, for ever, if the condition does not hold: registers do not change while one waits.
    Assume(ExprId),
    /// The error, if the condition does not hold.
    Assert {
        /// The condition.
        cond: ExprId,
        /// What is asserted.
        property: PropertyId,
    },
    /// The error.
    Error(PropertyId),
    /// Makes an object of `count` elements and gives its address.
    Alloc {
        /// The register for the address.
        local: LocalId,
        /// The shape of an element.
        layout: LayoutId,
        /// How many: unsigned bits.
        count: ExprId,
        /// Whether all cells are zero; otherwise they are undetermined: any value, chosen by the first read.
        zeroed: bool,
        /// Whether it ends by itself (`alloca`, a variable-length array): giving it to `free` is undefined
        /// behaviour.
        automatic: bool,
    },
    /// Ends the allocated object that the pointer points to the start of. Null: nothing.
    Free {
        /// The pointer.
        pointer: ExprId,
        /// Whether it ends an automatic allocation, at the end of its block, and not one of `malloc`.
        automatic: bool,
    },
    /// `local :=` the size in bytes of the object that the pointer points into, wherever in it.
    Size {
        /// The register: bits, to which the size is cut.
        local: LocalId,
        /// The pointer.
        pointer: ExprId,
    },
    /// Begins the life of an object of this activation, its cells undetermined; ends that of its predecessor.
    Enter(ObjectId),
    /// Ends the life of an object of this activation, if it has begun.
    Leave(ObjectId),
    /// Starts a thread.
    Create {
        /// The procedure that it runs.
        template: ProcId,
        /// One for each parameter.
        args: Vec<ExprId>,
        /// The register for its handle, a number that is not 0. `None`: nobody will ever join or name it by
        /// this handle.
        handle: Option<LocalId>,
    },
    /// Waits for the end of a thread; a handle can be joined once.
    Join {
        /// The handle.
        handle: ExprId,
        /// Gets its result, cut to its width.
        result: Option<LocalId>,
        /// Gets 0, or `EDEADLK` if the handle is this thread's own.
        code: Option<LocalId>,
    },
    /// Nobody may join the thread of this handle any more. A thread that was joined or detached before, or
    /// never was, is undefined behaviour.
    Detach(ExprId),
    /// `local :=` the handle of this thread.
    Me(LocalId),
    /// Ends this thread, whatever the depth of its calls, with this result (`None`: 0).
    Exit(Option<ExprId>),
    /// Ends the program: nobody ever steps again.
    Halt(End),
    /// Enters an atomic section: nobody else steps until it ends. Inside one: nothing.
    SectionBegin,
    /// Ends the atomic section. Outside: nothing.
    SectionEnd,
    /// An operation on a synchronisation object.
    Sync {
        /// What is done.
        op: SyncOp,
        /// To the object here.
        place: Place,
        /// Gets 0 or what the operation returns (`errno` numbers of Linux), cut to its type.
        code: Option<LocalId>,
    },
    /// Calls a procedure.
    Call {
        /// Which.
        procedure: ProcId,
        /// One for each parameter.
        args: Vec<ExprId>,
        /// Gets what it returns.
        result: Option<LocalId>,
    },
    /// Returns from the procedure, ending the objects of the activation. In the procedure that the thread
    /// began in: ends the thread.
    Return(Option<ExprId>),
    /// What a function that nobody defines does with the memory that its arguments lead to.
    Reach(Reach),
    /// Undefined behaviour (`__builtin_unreachable`, falling off a function whose value is used), and why.
    Undefined(String),
    /// Cannot be translated, and why: a run that reaches it has no answer.
    Refuse(String),
}

/// Bounds of a chosen number, both included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// The smallest.
    pub low: i128,
    /// The largest.
    pub high: i128,
    /// Whether the bits are read as a signed number.
    pub signed: bool,
}

impl Range {
    /// Whether some number of this many bits is in it: nobody waits for a choice then.
    pub fn has_number(self, bits: u8) -> bool {
        let (low, high) = match self.signed {
            true => (-(1i128 << (bits - 1).min(126)), (1i128 << (bits - 1).min(126)) - 1),
            false => (0, (1i128 << bits.min(126)) - 1),
        };
        self.low.max(low) <= self.high.min(high)
    }
}

impl Place {
    /// The object that it names.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Place::Object { object, .. } | Place::Indexed { object, .. } => Some(object),
            Place::Pointer { .. } => None,
        }
    }

    /// Calls `f` on its expression.
    pub fn for_each_expr(&mut self, mut f: impl FnMut(&mut ExprId)) {
        match self {
            Place::Object { .. } => {}
            Place::Indexed { offset: e, .. } | Place::Pointer { pointer: e, .. } => f(e),
        }
    }
}

impl Op {
    /// Any value of the register's type, as an input of the program.
    pub fn any(local: LocalId) -> Op {
        Op::Choose { local, range: None, origin: None }
    }

    /// Calls `f` on every expression, in a fixed order.
    pub fn for_each_expr(&mut self, mut f: impl FnMut(&mut ExprId)) {
        match self {
            Op::Assign { value, .. } => f(value),
            Op::Load { place, .. } => place.for_each_expr(f),
            Op::Store { place, value, .. } => {
                place.for_each_expr(&mut f);
                f(value);
            }
            Op::Rmw { place, guard, value, .. } => {
                place.for_each_expr(&mut f);
                guard.iter_mut().for_each(&mut f);
                f(value);
            }
            Op::Branch { cond: e, .. }
            | Op::Assume(e)
            | Op::Assert { cond: e, .. }
            | Op::Alloc { count: e, .. }
            | Op::Free { pointer: e, .. }
            | Op::Size { pointer: e, .. }
            | Op::Detach(e)
            | Op::Join { handle: e, .. } => f(e),
            Op::Create { args, .. } | Op::Call { args, .. } => args.iter_mut().for_each(f),
            Op::Exit(value) | Op::Return(value) => value.iter_mut().for_each(f),
            Op::Sync { op, place, .. } => {
                place.for_each_expr(&mut f);
                match op {
                    SyncOp::Init(SyncInit::Barrier(e) | SyncInit::Semaphore(e)) => f(e),
                    SyncOp::CondWait { mutex, .. } => mutex.for_each_expr(f),
                    _ => {}
                }
            }
            Op::Reach(reach) => reach.for_each_expr(f),
            Op::Skip
            | Op::Choose { .. }
            | Op::Error(_)
            | Op::Enter(_)
            | Op::Leave(_)
            | Op::Me(_)
            | Op::Halt(_)
            | Op::SectionBegin
            | Op::SectionEnd
            | Op::Undefined(_)
            | Op::Refuse(_) => {}
        }
    }

    /// Whether control can go on to the location's `next`.
    pub fn goes_on(&self) -> bool {
        !matches!(
            self,
            Op::Return(_) | Op::Exit(_) | Op::Halt(_) | Op::Error(_) | Op::Undefined(_) | Op::Refuse(_)
        )
    }

    /// All expressions, in a fixed order.
    pub fn exprs(&self) -> Vec<ExprId> {
        let mut found = vec![];
        self.clone().for_each_expr(|&mut e| found.push(e));
        found
    }

    /// The registers that the step writes.
    pub fn writes(&self) -> Vec<LocalId> {
        match self {
            Op::Assign { local, .. }
            | Op::Choose { local, .. }
            | Op::Load { local, .. }
            | Op::Alloc { local, .. }
            | Op::Size { local, .. }
            | Op::Me(local) => vec![*local],
            Op::Rmw { old, success, .. } => [Some(*old), *success].into_iter().flatten().collect(),
            Op::Create { handle, .. } => handle.iter().copied().collect(),
            Op::Join { result, code, .. } => [*result, *code].into_iter().flatten().collect(),
            Op::Sync { code, .. } => code.iter().copied().collect(),
            Op::Call { result, .. } => result.iter().copied().collect(),
            Op::Reach(reach) => reach.local().into_iter().collect(),
            _ => vec![],
        }
    }
}
