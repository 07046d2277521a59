//! Boolean programs: all variables are Booleans, threads share some of them.

pub mod builder;
pub mod cone;
pub mod expr;
pub mod machine;
pub mod monotone;
pub mod print;
pub mod program;
pub mod state;
mod validate;
pub mod values;

pub use builder::Builder;
pub use expr::{ExprId, Exprs, Node, Read, Var, When, Whose};
pub use machine::{Choices, Machine, Reaction, Refusal};
pub use program::{
    Count, Init, Loc, Local, LocalId, LocalScope, Location, Lock, LockId, Op, ProcId, Procedure, Program,
    Role, Shared, SharedId, Spawn, Start, Template,
};
pub use state::{Birth, Failure, FailureKind, Frame, State, Step, Thread, ThreadId};
pub use values::Values;
