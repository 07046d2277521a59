//! The way back from a prepared program to the one it was made from.

use crate::certificate::Certificate;
use crate::trace::ProgramTrace;

/// Carries evidence about a transformed program back to the program it was made from.
pub trait Lift: Send + Sync {
    /// A trace of the original program for one of the transformed program, or what failed to fit (a fault of the pass).
    fn trace(&self, trace: ProgramTrace) -> Result<ProgramTrace, String>;

    /// A certificate about the original program, where there is one.
    fn certificate(&self, certificate: Certificate) -> Option<Certificate>;
}
