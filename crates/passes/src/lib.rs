//! Program transformations that keep every verdict, each with its way back for traces and certificates.
//! `docs/passes.md` says why each is exact.

pub mod cone;
mod facts;
mod frames;
mod guide;
pub mod inline;
pub mod lift;
pub mod live;
pub mod lower;
pub mod merging;
pub mod movers;
pub mod origin;
pub mod prepare;
mod rebuild;
pub mod unreachable;

pub use lift::{Guided, ProgramLift};
pub use origin::{Origin, Passed};
pub use prepare::{Prepared, SETTINGS, prepare};
