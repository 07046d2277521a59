//! Normalised C: the form in which concurrent C programs are verified. `docs/formats/c-ir.md` describes it.

pub mod builder;
pub mod canonical;
pub mod correspondence;
pub mod dependence;
mod describe;
pub mod effects;
pub mod evaluate;
pub mod expr;
pub mod faint;
mod hits;
pub mod live;
pub mod locksets;
pub mod machine;
pub mod op;
pub mod origin;
pub mod points_to;
pub mod program;
pub mod reach;
pub mod reuse;
mod shape;
pub mod state;
pub mod text;
pub mod trace;
pub mod types;
pub mod unchosen;
mod validate;
pub mod value;

pub use builder::Builder;
pub use canonical::Renaming;
pub use correspondence::{Correspondence, Fact, ObjectPair, OldValue, Pair};
pub use dependence::{Reliance, dependence};
pub use effects::{
    AccessKind, Choices, Control, Effects, MemoryAccess, Move, NumberChoice, Region, Registers, SyncUse,
    ThreadEffect, ValueFrom, ValueTo,
};
pub use evaluate::Evaluator;
pub use expr::{Binary, Convert, ExprId, Exprs, Node, Unary};
pub use faint::Faint;
pub use live::Live;
pub use locksets::Locksets;
pub use machine::{
    Access, AccessMode, Blocked, Choice, Deadlock, Deadlocks, Done, Failure, FailureKind, Hit, Leak,
    LeakKind, Leaks, Machine, Needs, NextAccess, Number, Options, Others, Party, Race, Races, RacingAccess,
    Refusal, Seen, Span, Step, Waiting, WaitsOn, Wakes,
};
pub use op::{End, LockMode, MutexKind, Op, Place, Range, SyncInit, SyncOp};
pub use origin::{ChoiceOrigin, OriginId, OriginKind};
pub use points_to::PointsTo;
pub use program::{
    LayoutId, Loc, Local, LocalId, LocalScope, Location, ObjectId, ProcId, Procedure, Program, PropertyId,
    PropertySite, Scalar,
};
pub use reach::{Lead, Reach, ReachKind};
pub use reuse::Reuse;
pub use state::{Frame, Held, Hold, Instance, Memory, Origin, State, Thread, Wait};
pub use trace::{Trace, TraceStep};
pub use types::{
    Cell, CellType, Constant, InstanceId, Layout, Object, ObjectScope, SyncKind, TRUTH, Type, mask, signed,
};
pub use unchosen::Unchosen;
pub use value::{CellRef, Extended, Fault, Faults, Fragment, ThreadId, Trouble, Value, Whole};
