//! The memory that a step accesses.

use crate::expr::ExprId;
use crate::op::{LockMode, Op, Place, SyncOp};
use crate::program::{ObjectId, Program};
use crate::reach::{Lead, ReachKind};
use crate::types::SyncKind;

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryAccess {
    /// To what.
    pub region: Region,
    /// How.
    pub kind: AccessKind,
    /// Whether it is an atomic operation, or one of a synchronisation object that orders threads: two such do
    /// not race. Others are plain.
    pub atomic: bool,
}

/// The part of memory that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Region {
    /// One scalar of this many bits.
    Scalar {
        /// Where.
        place: Place,
        /// How wide.
        bits: u8,
    },
    /// A synchronisation object.
    Sync {
        /// Where.
        place: Place,
        /// Which.
        kind: SyncKind,
    },
    /// The whole object that the pointer points into.
    Pointed(ExprId),
    /// What the pointer leads to, directly and through the pointers there.
    Reachable {
        /// The pointer.
        pointer: ExprId,
        /// Whether the object that it points to is only read.
        constant: bool,
    },
    /// The whole object of this activation.
    Declared(ObjectId),
    /// A new object.
    New,
    /// All objects of the activation, and those of the thread if it ends with it.
    Activation,
    /// All objects of the thread and of its activations.
    Thread,
}

impl Region {
    /// The place, if it is one.
    pub fn place(self) -> Option<Place> {
        match self {
            Region::Scalar { place, .. } | Region::Sync { place, .. } => Some(place),
            _ => None,
        }
    }

    /// The place with which it begins, also if that is only where a pointer points to.
    pub fn start(self) -> Option<Place> {
        match self {
            Region::Pointed(pointer) | Region::Reachable { pointer, .. } => {
                Some(Place::Pointer { pointer, offset: 0 })
            }
            _ => self.place(),
        }
    }

    /// How many bytes of a scalar.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Region::Scalar { bits, .. } => Some(u64::from(bits.div_ceil(8))),
            _ => None,
        }
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and perhaps writes, in one step.
    Update,
    /// Begins the life of an object.
    Begin,
    /// Ends the life of an object.
    End,
    /// Reads no byte, but is defined only while the object lives.
    Exists,
    /// Does this to a synchronisation object.
    Sync(SyncUse),
}

impl AccessKind {
    /// Whether it may change what others read there.
    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Read | AccessKind::Exists)
    }
}

/// What is done to a synchronisation object, whatever its kind: a release comes before the acquisition that
/// it makes possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncUse {
    /// Initialises it.
    Init,
    /// Destroys it.
    Destroy,
    /// Takes the lock for itself alone, one from a semaphore, or the right to run the function of
    /// `pthread_once`.
    Acquire(LockMode),
    /// Takes the lock for reading.
    AcquireShared(LockMode),
    /// Gives back what `Acquire` and `AcquireShared` take.
    Release,
    /// The mutex of a condition variable's sleeper: released, and acquired again when it wakes.
    Reacquire,
    /// Sleeps on a condition variable.
    Sleep,
    /// Wakes sleepers of a condition variable.
    Wake,
    /// Waits at a barrier for the others.
    Meet,
    /// Reads its state.
    Inspect,
}

impl SyncOp {
    /// What it does to its object.
    pub fn role(self) -> SyncUse {
        match self {
            SyncOp::Init(_) => SyncUse::Init,
            SyncOp::Destroy(_) => SyncUse::Destroy,
            SyncOp::Lock(mode) | SyncOp::WriteLock(mode) | SyncOp::SemWait(mode) => SyncUse::Acquire(mode),
            SyncOp::OnceBegin => SyncUse::Acquire(LockMode::Wait),
            SyncOp::ReadLock(mode) => SyncUse::AcquireShared(mode),
            SyncOp::Unlock | SyncOp::RwUnlock | SyncOp::SemPost | SyncOp::OnceEnd => SyncUse::Release,
            SyncOp::CondWait { .. } => SyncUse::Sleep,
            SyncOp::Signal | SyncOp::Broadcast => SyncUse::Wake,
            SyncOp::BarrierWait => SyncUse::Meet,
            SyncOp::SemValue => SyncUse::Inspect,
        }
    }
}

impl Op {
    /// The memory that the step accesses.
    pub(crate) fn accesses(&self, program: &Program) -> Vec<MemoryAccess> {
        let plain = |region: Region, kind: AccessKind| MemoryAccess { region, kind, atomic: false };
        let bits = |ty: crate::Type| ty.bits(program.pointer_bits());
        let width = |local: crate::LocalId| bits(program.locals()[local].ty);
        match *self {
            Op::Load { local, place, atomic } => {
                let region = Region::Scalar { place, bits: width(local) };
                vec![MemoryAccess { atomic, ..plain(region, AccessKind::Read) }]
            }
            Op::Store { place, value, atomic } => {
                let region = Region::Scalar { place, bits: bits(program.exprs().ty(value)) };
                vec![MemoryAccess { atomic, ..plain(region, AccessKind::Write) }]
            }
            Op::Rmw { old, place, .. } => {
                let region = Region::Scalar { place, bits: width(old) };
                vec![MemoryAccess { atomic: true, ..plain(region, AccessKind::Update) }]
            }
            Op::Alloc { .. } => vec![plain(Region::New, AccessKind::Begin)],
            Op::Free { pointer, .. } => vec![plain(Region::Pointed(pointer), AccessKind::End)],
            Op::Size { pointer, .. } => vec![plain(Region::Pointed(pointer), AccessKind::Exists)],
            Op::Enter(object) => {
                let own = Region::Declared(object);
                vec![plain(own, AccessKind::End), plain(own, AccessKind::Begin)]
            }
            Op::Leave(object) => vec![plain(Region::Declared(object), AccessKind::End)],
            Op::Return(_) => vec![plain(Region::Activation, AccessKind::End)],
            Op::Exit(_) => vec![plain(Region::Thread, AccessKind::End)],
            Op::Sync { op, place, .. } => sync(op, place),
            Op::Reach(ref reach) => {
                let region = |it: &Lead| Region::Reachable { pointer: it.pointer, constant: it.constant };
                let led = reach.leads.iter().map(|it| plain(region(it), AccessKind::Update));
                // What it writes or gives may point to an object of its own.
                let own = !matches!(reach.kind, ReachKind::Count(_));
                led.chain(own.then(|| plain(Region::New, AccessKind::Begin))).collect()
            }
            _ => vec![],
        }
    }
}

fn sync(op: SyncOp, place: Place) -> Vec<MemoryAccess> {
    let used = |place: Place, kind: SyncKind, role: SyncUse| {
        // Initialising and destroying order nobody.
        let atomic = !matches!(role, SyncUse::Init | SyncUse::Destroy);
        MemoryAccess { region: Region::Sync { place, kind }, kind: AccessKind::Sync(role), atomic }
    };
    let own = used(place, op.kind(), op.role());
    match op {
        SyncOp::CondWait { mutex, .. } => {
            vec![used(mutex, SyncKind::Mutex, SyncUse::Reacquire), own]
        }
        _ => vec![own],
    }
}
