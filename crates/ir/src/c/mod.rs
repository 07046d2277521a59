//! Normalised C: the form in which concurrent C programs are verified. `docs/formats/c-ir.md` describes it.

pub mod builder;
pub mod expr;
pub mod op;
pub mod program;
pub mod types;
mod validate;

pub use builder::Builder;
pub use expr::{Binary, Convert, ExprId, Exprs, Node, Unary};
pub use op::{LockMode, MutexKind, Op, Place, Range, SyncInit, SyncOp};
pub use program::{
    LayoutId, Loc, Local, LocalId, LocalScope, Location, ObjectId, ProcId, Procedure, Program, PropertyId,
    PropertySite,
};
pub use types::{
    Cell, CellType, Constant, InstanceId, Layout, Object, ObjectScope, SyncKind, TRUTH, Type, mask, signed,
};
