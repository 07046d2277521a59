//! From an engine's verdict to the answer that is reported. Only here the proved scope is compared with the requested one, and only here the
//! checkers are called, so that a wrong verdict of an engine does not become an answer.

use crate::answer::{Answer, Evidence, Outcome};
use crate::limits::stop_kind;
use crate::progress::Best;
use crate::starts;
use base::Budget;
use check::Refused;
use ir::{Certificate, Lift, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use passes::Guided;

/// Judges the answer of an engine about a prepared program; `task` is the user's question.
/// `meanwhile` hears of a proof before the checker has seen it, in case that takes too long.
pub fn judge(
    task: &Task,
    lift: Option<&Guided>,
    verdict: Verdict,
    budget: &Budget,
    meanwhile: impl FnOnce(&Outcome),
) -> Answer {
    // A proof about no run at all is none.
    if let (Verdict::Safe { .. }, Some(reason)) = (&verdict, starts::too_few_threads(task)) {
        return Answer::unknown(reason);
    }
    match verdict {
        Verdict::Safe { scope, certificate } => {
            let proof = match certificate {
                Some(it) => lift_certificate(lift, it).ok_or("it cannot be carried back to the file"),
                None => Err(NONE_WRITTEN),
            };
            if scope.covers(task.scope) {
                let claim = match &proof {
                    Ok(proof) => {
                        Proof::Unchecked(Some(proof.clone()), "there was no time to check it".to_string())
                    }
                    Err(why) => Proof::Unchecked(None, why.to_string()),
                };
                meanwhile(&claim.outcome(scope));
            }
            safe(task, scope, proof, budget)
        }
        Verdict::Unsafe(trace) => match lift_trace(lift, trace) {
            Ok(trace) => unsafe_(task, trace),
            Err(why) => unknown(ReasonKind::Fault, format!("a trace could not be carried back: {why}")),
        },
        Verdict::Unknown(why) => undecided(why),
    }
}

/// What is said of a proof for which the engine wrote no certificate, unless the engine says more.
pub const NONE_WRITTEN: &str = "none was written";

/// A proof, and what came of its check.
enum Proof {
    Confirmed(Certificate),
    /// Perhaps without a certificate, and why nobody has checked it.
    Unchecked(Option<Certificate>, String),
}

impl Proof {
    fn outcome(self, scope: Scope) -> Outcome {
        let (evidence, certificate, why_unchecked) = match self {
            Proof::Confirmed(certificate) => (Evidence::Confirmed, Some(certificate), None),
            Proof::Unchecked(certificate, why) => (Evidence::Unchecked, certificate, Some(why)),
        };
        Outcome::Safe { scope, evidence, certificate, why_unchecked }
    }
}

fn safe(
    task: &Task,
    claimed: Scope,
    certificate: Result<Certificate, &'static str>,
    budget: &Budget,
) -> Answer {
    let proof = match certificate {
        Ok(proof) => proof,
        Err(why) => return within_scope(task.scope, claimed, Proof::Unchecked(None, why.to_string())),
    };
    match check_formulas::certificate(task, &proof, budget) {
        Ok(proved) => within_scope(task.scope, proved, Proof::Confirmed(proof)),
        Err(Refused::Stopped(stop)) => within_scope(
            task.scope,
            claimed,
            Proof::Unchecked(Some(proof), format!("the check ended early, {stop}")),
        ),
        Err(Refused::Rejected(why)) => {
            unknown(ReasonKind::Rejected, format!("the checker refuses the certificate: {}", why.0))
        }
    }
}

/// A proof for which there is no certificate, and why.
pub(crate) fn claimed(requested: Scope, proved: Scope, why: &str) -> Answer {
    within_scope(requested, proved, Proof::Unchecked(None, why.to_string()))
}

/// A proof about a C program that a checker has confirmed, if it covers what was asked.
pub(crate) fn explored(requested: Scope, proved: Scope) -> Option<Outcome> {
    proved.covers(requested).then_some(Outcome::Safe {
        scope: proved,
        evidence: Evidence::Confirmed,
        certificate: None,
        why_unchecked: None,
    })
}

/// No overclaim: the one place where a proved scope meets the asked one.
fn within_scope(requested: Scope, proved: Scope, proof: Proof) -> Answer {
    if proved.covers(requested) {
        return decided(proof.outcome(proved));
    }
    proved_only(proved)
}

fn unsafe_(task: &Task, trace: Trace) -> Answer {
    match check::trace(task, &trace) {
        Ok(replay) => {
            let threads = u32::try_from(replay.threads).unwrap_or(u32::MAX);
            decided(Outcome::Unsafe { trace, threads, run: Some(replay.run) })
        }
        Err(why) => unknown(ReasonKind::Rejected, format!("the trace cannot be replayed: {}", why.0)),
    }
}

/// What is told of an engine that does not know.
pub(crate) fn undecided(why: Why) -> Answer {
    match why {
        Why::Stopped(stop) => unknown(stop_kind(stop), stop.to_string()),
        // No false alarm: an error of an over-approximation is no error yet.
        Why::Suspect(_) => unknown(ReasonKind::Suspect, "a possible error could not be confirmed"),
        Why::OutOfScope(scope) => proved_only(scope),
        Why::Because(reason) => Answer::unknown(reason),
    }
}

fn decided(outcome: Outcome) -> Answer {
    Answer::of(outcome)
}

fn unknown(kind: ReasonKind, message: impl Into<String>) -> Answer {
    Answer::unknown(Reason::new(kind, message))
}

/// No answer, but no error within the scope.
fn proved_only(scope: Scope) -> Answer {
    let reason = Reason::new(ReasonKind::Bound, format!("proved for {scope} only"));
    let best = Best { threads: scope.threads.limit(), ..Best::default() };
    Answer { best, ..Answer::unknown(reason) }
}

fn lift_certificate(lift: Option<&Guided>, certificate: Certificate) -> Option<Certificate> {
    match lift {
        Some(lift) => lift.certificate(certificate),
        None => Some(certificate),
    }
}

fn lift_trace(lift: Option<&Guided>, trace: Trace) -> Result<Trace, String> {
    match (lift, trace) {
        (Some(lift), Trace::Program(trace)) => lift.trace(trace).map(Trace::Program),
        (_, trace) => Ok(trace),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope_claimed(requested: Scope, proved: Scope) -> Result<Scope, (ReasonKind, Option<u32>)> {
        let answer = within_scope(requested, proved, Proof::Unchecked(None, String::new()));
        match answer.outcome {
            Outcome::Safe { scope, .. } => Ok(scope),
            Outcome::Unknown(reason) => Err((reason.kind, answer.best.threads)),
            _ => unreachable!("a proof is no trace"),
        }
    }

    #[test]
    fn a_bounded_proof_never_answers_an_unbounded_question() {
        let three = Scope::threads(3);
        assert_eq!(scope_claimed(Scope::ANY, three), Err((ReasonKind::Bound, Some(3))));
        assert_eq!(scope_claimed(Scope::threads(4), three), Err((ReasonKind::Bound, Some(3))));
        assert_eq!(scope_claimed(three, Scope::ANY), Ok(Scope::ANY));
        assert_eq!(scope_claimed(three, three), Ok(three));
    }

    #[test]
    fn a_suspect_is_never_unsafe() {
        let answer = undecided(Why::Suspect(None));
        assert!(matches!(answer.outcome, Outcome::Unknown(Reason { kind: ReasonKind::Suspect, .. })));
    }
}
