//! The exit codes.

use ir::ReasonKind;
use verify::{Outcome, Report};

/// No error.
pub const SAFE: u8 = 0;
/// Wrong usage, or a result that cannot be written.
pub const USAGE: u8 = 1;
/// Bad input.
pub const BAD_INPUT: u8 = 2;
/// No answer.
pub const UNKNOWN: u8 = 5;
/// Internal fault.
pub const FAULT: u8 = 6;
/// An error.
pub const UNSAFE: u8 = 10;

/// The exit code of a report.
pub fn code(report: &Report) -> u8 {
    match report.outcome() {
        None => BAD_INPUT,
        Some(Outcome::Safe { .. }) => SAFE,
        Some(Outcome::Unsafe { .. }) => UNSAFE,
        Some(Outcome::Unknown(reason)) if reason.kind == ReasonKind::Fault => FAULT,
        Some(Outcome::Unknown(_)) => UNKNOWN,
    }
}

/// The worse of two exit codes.
pub fn worse(a: u8, b: u8) -> u8 {
    let order = [FAULT, BAD_INPUT, USAGE, UNSAFE, UNKNOWN, SAFE];
    order.into_iter().find(|&code| code == a || code == b).unwrap_or(FAULT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Reason, Scope};
    use verify::Answer;

    #[test]
    fn the_worst_code_wins() {
        let order = [FAULT, BAD_INPUT, USAGE, UNSAFE, UNKNOWN, SAFE];
        for (i, &a) in order.iter().enumerate() {
            for &b in &order[i..] {
                assert_eq!((worse(a, b), worse(b, a)), (a, a));
            }
        }
    }

    #[test]
    fn a_fault_has_its_own_code() {
        let unknown = |kind| Report::unknown("a.bp".to_string(), Scope::ANY, Reason::new(kind, "a reason"));
        assert_eq!(code(&unknown(ReasonKind::Interrupted)), UNKNOWN);
        assert_eq!(code(&unknown(ReasonKind::Rejected)), UNKNOWN);
        assert_eq!(code(&unknown(ReasonKind::Fault)), FAULT);
        assert_eq!(code(&Report { answer: None, ..unknown(ReasonKind::Fault) }), BAD_INPUT);
        let both = Answer::unknown(Reason::new(ReasonKind::Bound, "too few"));
        let answer = Some(Answer::contradiction(both.clone(), both));
        assert_eq!(code(&Report { answer, ..unknown(ReasonKind::Bound) }), FAULT);
    }
}
