//! Source text to sources that can be asked about. This crate knows no solver and no engine.

pub mod dialects;
pub mod error_labels;
mod options;
mod registry;
mod source;

pub use dialects::bp::{Dialect, read_program};
pub use options::{COptions, CProperty, DIALECT, InitReading, OPTIONS, ReadOption, ReadOptions};
pub use registry::{Beginning, Failure, Files, NoFiles, Reader, Reading, Request, read, valid_text};
pub use source::{CProgram, Source};
