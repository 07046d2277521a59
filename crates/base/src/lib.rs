//! The ground everything stands on: typed ids, the source map, diagnostics, the budget, events, graphs and
//! programs of the system under limits. This crate knows nothing of programs.

pub mod budget;
pub mod bytes;
pub mod class;
pub mod codes;
pub mod diagnostic;
pub mod events;
pub mod graphs;
pub mod ids;
pub mod memory;
pub mod pace;
pub mod process;
pub mod random;
pub mod sanitise;
pub mod settings;
pub mod sha256;
pub mod source;
pub mod spelling;
pub mod stack;

pub use budget::{Budget, Stop, TickBatch};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use events::{Event, Events, NoEvents, Progress, Round, Warning};
pub use ids::{Arena, Id};
pub use pace::{Bell, Pace};
pub use random::Random;
pub use sanitise::sanitise;
pub use settings::{Setting, Settings};
pub use source::{FileId, SourceMap, Span};
