//! What a step does, declared once, so that analyses ask instead of matching on steps: which registers it
//! reads and writes, where values go, which memory it accesses and how, what it chooses, what it may wait
//! for, how it may be undefined, and where control goes.
//!
//! Everything is what the step *may* do, as far as the program's text tells; only [`Effects::overwrites`] is
//! certain. The machine is compared with it step by step (`crates/engines/tests/effects.rs`): what the
//! machine does is declared here.

mod accesses;
mod faults;
mod values;

#[cfg(test)]
mod tests;

pub use accesses::{AccessKind, MemoryAccess, Region, SyncUse};
pub use values::{Move, ValueFrom, ValueTo};

use super::expr::ExprId;
use super::machine::Blocked;
use super::op::{LockMode, Op, Range, SyncOp};
use super::program::{Loc, LocalId, ProcId, Program};
use super::reach::ReachKind;
use super::value::Fault;

/// What a step may do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effects {
    /// The registers whose values before the step matter to it, in order.
    pub reads: Vec<LocalId>,
    /// The registers of the current activation and of the thread that it may write. (What a call gives back
    /// is written when it returns.)
    pub writes: Vec<LocalId>,
    /// Those of them that it writes whenever control goes on, without exception.
    pub overwrites: Vec<LocalId>,
    /// Where values go as they are.
    pub moves: Vec<Move>,
    /// The expressions that decide something, or are computed with: conditions, addresses, counts, handles.
    pub operands: Vec<ExprId>,
    /// The memory that it accesses.
    pub accesses: Vec<MemoryAccess>,
    /// What it chooses.
    pub chooses: Choices,
    /// What it may wait for, atomic sections of other threads and undefined behaviour aside.
    pub waits: Vec<Blocked>,
    /// How it may be undefined.
    pub faults: Vec<Fault>,
    /// Whether it may do something that the model does not know.
    pub unsupported: bool,
    /// Where control goes.
    pub control: Control,
    /// What it does about threads.
    pub threads: Option<ThreadEffect>,
}

/// The registers of the current activation and of the thread that a step reads and writes, as in [`Effects`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    /// Those whose values before the step matter to it.
    pub reads: Vec<LocalId>,
    /// Those that it may write.
    pub writes: Vec<LocalId>,
    /// Those that it writes whenever control goes on.
    pub overwrites: Vec<LocalId>,
}

/// Where control goes after a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// To the next location.
    Next,
    /// To the next location or to this one.
    Branch(Loc),
    /// Into a procedure, and after its return to the next location.
    Call(ProcId),
    /// Back to the caller; the thread ends if there is none.
    Return,
    /// The thread ends.
    Exit,
    /// The program ends.
    Halt,
    /// To the next location unless the property fails.
    Check,
    /// Nowhere: the step is an error, undefined or refused.
    Nowhere,
}

/// What a step does about threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ThreadEffect {
    /// Starts one that runs the procedure.
    Create(ProcId),
    /// Waits for the end of the one with this handle.
    Join(ExprId),
    /// Nobody may join the one with this handle any more.
    Detach(ExprId),
    /// Asks for its own handle.
    Identify,
    /// Nobody else steps from now on.
    SectionBegin,
    /// Others step again.
    SectionEnd,
}

/// The choices of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Choices {
    /// A number.
    pub number: NumberChoice,
    /// Whether it may fail by choice: a weak compare-exchange, a wait that gives up.
    pub fails: bool,
    /// Whether it may choose another thread: whom a signal wakes, who is told at a barrier.
    pub thread: bool,
    /// Whether an object that it makes may get the address of a freed one.
    pub address: bool,
}

/// Which number a step chooses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum NumberChoice {
    /// None.
    #[default]
    Never,
    /// Any of its type, between bounds if there are any.
    Input(Option<Range>),
    /// What an undetermined cell holds that it reads.
    Undetermined,
    /// Which pointer an external function gives.
    Pointer,
}

impl Choices {
    /// Whether there may be something to choose although the step could be taken without choosing.
    pub fn are_open(self) -> bool {
        matches!(self.number, NumberChoice::Input(_) | NumberChoice::Pointer) || self.fails || self.thread
    }

    /// Whether it chooses nothing in any state.
    pub fn are_none(self) -> bool {
        self == Choices::default()
    }
}

impl Effects {
    /// Whether it does nothing but write registers, whatever the registers hold: it neither waits nor stops.
    pub fn only_writes(&self) -> bool {
        self.control == Control::Next
            && self.is_local()
            && self.waits.is_empty()
            && self.faults.is_empty()
            && !self.unsupported
    }

    /// Whether what it does depends on this thread's registers alone and changes nothing else: if it waits,
    /// it waits for ever.
    pub fn is_local(&self) -> bool {
        self.accesses.is_empty() && self.threads.is_none() && self.chooses.are_none()
    }

    /// Whether it may stop for some time or for ever: it waits, or is undefined.
    pub fn may_stop(&self) -> bool {
        !self.waits.is_empty() || !self.faults.is_empty()
    }

    /// Its one access to a scalar, with the place and the width in bits.
    pub fn scalar(&self) -> Option<(&MemoryAccess, super::Place, u8)> {
        self.accesses.iter().find_map(|access| match access.region {
            Region::Scalar { place, bits } => Some((access, place, bits)),
            _ => None,
        })
    }

    /// The thread that it creates.
    pub fn creates(&self) -> Option<ProcId> {
        match self.threads {
            Some(ThreadEffect::Create(template)) => Some(template),
            _ => None,
        }
    }

    /// The procedure that control enters, in this thread or in a new one.
    pub fn begins(&self) -> Option<ProcId> {
        match self.control {
            Control::Call(procedure) => Some(procedure),
            _ => self.creates(),
        }
    }
}

impl Program {
    /// What the step at a location may do.
    pub fn effects(&self, loc: Loc) -> Effects {
        self.at(loc).op.effects(self)
    }
}

impl Op {
    /// What the step may do; the program says what its registers and objects are.
    pub fn effects(&self, program: &Program) -> Effects {
        let (moves, operands) = self.values(program);
        let Registers { reads, writes, overwrites } = self.registers(program);
        let mut effects = Effects {
            reads,
            writes,
            overwrites,
            moves,
            operands,
            accesses: self.accesses(program),
            chooses: self.choices(),
            waits: self.waits(),
            faults: vec![],
            unsupported: false,
            control: self.control(),
            threads: self.thread_effect(),
        };
        faults::find(program, self, &mut effects);
        effects
    }

    /// The registers alone, which costs less.
    pub fn registers(&self, program: &Program) -> Registers {
        let writes = self.writes();
        Registers { reads: self.reads(program), overwrites: self.overwrites(&writes), writes }
    }

    fn reads(&self, program: &Program) -> Vec<LocalId> {
        let exprs = self.exprs().into_iter();
        let mut found: Vec<LocalId> = exprs.flat_map(|e| program.exprs().locals(e)).collect();
        // The guard and the new value see what was just read into the register; the place sees what it held
        // before.
        if let Op::Rmw { old, place, .. } = self {
            let mut place = *place;
            let mut before = false;
            place.for_each_expr(|e| before |= program.exprs().locals(*e).contains(old));
            found.retain(|local| local != old || before);
        }
        found.sort();
        found.dedup();
        found
    }

    fn overwrites(&self, writes: &[LocalId]) -> Vec<LocalId> {
        match self {
            // A thread that joins itself gets no result, and a procedure may return none.
            Op::Join { code, .. } => code.iter().copied().collect(),
            Op::Call { .. } => vec![],
            _ => writes.to_vec(),
        }
    }

    fn control(&self) -> Control {
        match self {
            Op::Branch { target, .. } => Control::Branch(*target),
            Op::Call { procedure, .. } => Control::Call(*procedure),
            Op::Return(_) => Control::Return,
            Op::Exit(_) => Control::Exit,
            Op::Halt(_) => Control::Halt,
            Op::Assert { .. } => Control::Check,
            Op::Error(_) | Op::Undefined(_) | Op::Refuse(_) => Control::Nowhere,
            _ => Control::Next,
        }
    }

    fn thread_effect(&self) -> Option<ThreadEffect> {
        match self {
            Op::Create { template, .. } => Some(ThreadEffect::Create(*template)),
            Op::Join { handle, .. } => Some(ThreadEffect::Join(*handle)),
            Op::Detach(handle) => Some(ThreadEffect::Detach(*handle)),
            Op::Me(_) => Some(ThreadEffect::Identify),
            Op::SectionBegin => Some(ThreadEffect::SectionBegin),
            Op::SectionEnd => Some(ThreadEffect::SectionEnd),
            _ => None,
        }
    }

    fn choices(&self) -> Choices {
        let none = Choices::default();
        match self {
            Op::Choose { range, .. } => Choices { number: NumberChoice::Input(*range), ..none },
            Op::Load { .. } => Choices { number: NumberChoice::Undetermined, ..none },
            Op::Rmw { weak, .. } => Choices { number: NumberChoice::Undetermined, fails: *weak, ..none },
            Op::Reach(reach) if !matches!(reach.kind, ReachKind::Count(_)) => {
                Choices { number: NumberChoice::Pointer, address: true, ..none }
            }
            Op::Alloc { automatic, .. } => Choices { address: !automatic, ..none },
            Op::Sync { op, .. } => match op {
                SyncOp::Signal | SyncOp::BarrierWait => Choices { thread: true, ..none },
                SyncOp::CondWait { timed: fails, .. } => Choices { fails: *fails, ..none },
                SyncOp::Lock(mode)
                | SyncOp::ReadLock(mode)
                | SyncOp::WriteLock(mode)
                | SyncOp::SemWait(mode) => Choices { fails: *mode == LockMode::Timed, ..none },
                _ => none,
            },
            _ => none,
        }
    }

    fn waits(&self) -> Vec<Blocked> {
        match self {
            // Perhaps no number fits.
            Op::Assume(_) | Op::Choose { range: Some(_), .. } => vec![Blocked::Assumption],
            Op::Create { .. } => vec![Blocked::ThreadBound],
            Op::Join { .. } => vec![Blocked::Join],
            Op::Sync { op, .. } => match op {
                SyncOp::Lock(mode) | SyncOp::ReadLock(mode) | SyncOp::WriteLock(mode) => {
                    unless_tried(*mode, Blocked::Lock)
                }
                SyncOp::SemWait(mode) => unless_tried(*mode, Blocked::Semaphore),
                SyncOp::CondWait { .. } => vec![Blocked::Signal, Blocked::Lock],
                SyncOp::BarrierWait => vec![Blocked::Barrier],
                SyncOp::OnceBegin => vec![Blocked::Once],
                _ => vec![],
            },
            _ => vec![],
        }
    }
}

fn unless_tried(mode: LockMode, blocked: Blocked) -> Vec<Blocked> {
    if mode == LockMode::Try { vec![] } else { vec![blocked] }
}
