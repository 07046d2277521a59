//! What an engine is.

use crate::facts::Facts;
use base::{Budget, Events, Setting, Settings, Stop};
use ir::{Reason, ReasonKind, Task, Verdict};

/// What an engine works with.
pub struct Cx<'a> {
    /// What it may spend.
    pub budget: &'a Budget,
    /// Whom it tells.
    pub events: &'a mut dyn Events,
    /// What others have learnt.
    pub facts: &'a Facts,
    /// The options that the user set.
    pub settings: &'a Settings,
    /// Where its random choices start.
    pub seed: u64,
}

/// An algorithm that answers tasks.
pub trait Engine: Send + Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// What it can prove, in one line.
    fn about(&self) -> &'static str;

    /// Where it comes from.
    fn paper(&self) -> &'static str;

    /// Its options.
    fn settings(&self) -> &'static [Setting];

    /// Whether it can work on the task at all; called before any work.
    fn accepts(&self, task: &Task) -> Result<(), Reason>;

    /// Works on the task.
    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop>;
}

/// Why an engine for Boolean programs or nets does not take a C program.
pub fn no_c() -> Reason {
    Reason::new(ReasonKind::Unsupported, "it takes C programs only after they were translated")
}
