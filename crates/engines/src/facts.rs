//! What engines learn that others can use. An engine posts here and reads here; it never calls another engine.

/// Facts about the task at hand.
#[derive(Debug, Default)]
pub struct Facts {}
