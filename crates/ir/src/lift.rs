//! The way back from what a pass made to what it was given. The two need not be the same language: a trace of
//! a Boolean program may be lifted to a trace of the C program that it was made from.

use crate::certificate::Certificate;

/// Carries evidence about what a pass made back to what the pass was given.
pub trait Lift: Send + Sync {
    /// A trace of what the pass was given.
    type From;
    /// A trace of what the pass made.
    type To;

    /// The trace of the original for one of what was made from it, or what failed to fit (a fault of the
    /// pass).
    fn trace(&self, trace: Self::To) -> Result<Self::From, String>;

    /// A certificate about the original, where there is one.
    fn certificate(&self, certificate: Certificate) -> Option<Certificate>;
}
