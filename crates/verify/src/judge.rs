//! From an engine's verdict to the answer that is reported. Only here the proved scope is compared with the
//! requested one, and only here the checkers are called, so that a wrong verdict of an engine does not become
//! an answer.

use crate::answer::{Answer, Outcome, Proof};
use crate::limits::stop_kind;
use crate::prepare::WayBack;
use crate::progress::Best;
use crate::starts;
use crate::undefined::Rests;
use base::Budget;
use check::c::states::{Unlisted, explore};
use check::{Refused, Rejected, Run};
use ir::property::{Site, properties};
use ir::{Certificate, Model, Property, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
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
    let back = lift.map_or(WayBack::Same, |it| WayBack::Program(Box::new(it.clone())));
    Court { task, prepared: task, back: &back, budget, states: states::FEW }.judge(verdict, meanwhile)
}

/// Who judges.
pub(crate) struct Court<'a> {
    /// The user's question.
    pub task: &'a Task,
    /// The same about the prepared program. A proof about a C program is about this one, which was validated
    /// step by step.
    pub prepared: &'a Task,
    /// The way back.
    pub back: &'a WayBack,
    /// What checking may cost.
    pub budget: &'a Budget,
    /// This many states of a C program are gone through to confirm a proof that comes without a certificate.
    pub states: u64,
}

/// How many states are worth going through.
pub(crate) mod states {
    /// This many are gone through in a moment.
    pub const FEW: u64 = 3_000;
    /// This many at least for a proof of a search: it takes about a second and 100 MB.
    const MANY: u64 = 50_000;
    /// And at most this many, for a proof that took long.
    const MOST: u64 = 200_000;
    /// A state costs as much as this many ticks of a search.
    const TICKS_OF_A_SEARCH: u64 = 10;
    /// The work for a state.
    pub const TICKS: u64 = 15;

    /// For a proof that took this many ticks: as long as it took, and a second in any case.
    pub fn worth(ticks: u64) -> u64 {
        (ticks / TICKS_OF_A_SEARCH).clamp(MANY, MOST)
    }
}

/// What is said of a proof for which the engine wrote no certificate, unless the engine says more.
pub const NONE_WRITTEN: &str = "none was written";

impl Court<'_> {
    /// The answer that a verdict is.
    pub fn judge(&self, verdict: Verdict, meanwhile: impl FnOnce(&Outcome)) -> Answer {
        // A proof about no run at all proves nothing.
        if let (Verdict::Safe { .. }, Some(reason)) = (&verdict, starts::too_few_threads(self.task)) {
            return Answer::unknown(reason);
        }
        match verdict {
            Verdict::Safe { scope, certificate } => {
                let proof = match certificate {
                    Some(it) => self.back.certificate(it).ok_or("it cannot be carried back to the file"),
                    None => Err(NONE_WRITTEN),
                };
                let no_time = "there was no time to check it".to_string();
                let claim = match &proof {
                    Ok(proof) => Proof::Unchecked { certificate: Some(proof.clone()), why: no_time },
                    Err(why) => Proof::without_certificate(*why),
                };
                let claim = self.within_scope(scope, claim);
                if claim.outcome.is_unchecked() {
                    meanwhile(&claim.outcome);
                }
                self.safe(scope, proof)
            }
            Verdict::Unsafe(trace) => match self.back.trace(trace.clone()) {
                Ok(trace) => self.replayed(trace),
                Err(why) => self.not_carried_back(&trace, &why),
            },
            Verdict::Unknown(why) => undecided(why),
        }
    }

    /// Either the way back is wrong, or the trace does not fit the program that the engine was given.
    fn not_carried_back(&self, trace: &Trace, why: &str) -> Answer {
        match check::trace(self.prepared, trace) {
            Err(why) if matches!(trace, Trace::C(_)) => unreplayed(why),
            _ => unknown(ReasonKind::Fault, format!("a trace could not be carried back: {why}")),
        }
    }

    fn safe(&self, claimed: Scope, certificate: Result<Certificate, &'static str>) -> Answer {
        let certificate = match certificate {
            Ok(certificate) => certificate,
            Err(why) => return self.uncertified(claimed, why),
        };
        match check_formulas::certificate(self.subject(), &certificate, self.budget) {
            Ok(proved) => self.within_scope(proved, Proof::confirmed(certificate)),
            Err(Refused::Stopped(stop)) => {
                let why = format!("the check ended early, {stop}");
                self.within_scope(claimed, Proof::Unchecked { certificate: Some(certificate), why })
            }
            Err(Refused::Rejected(why)) => Answer::unknown(Reason {
                span: why.at,
                ..Reason::new(
                    ReasonKind::Rejected,
                    format!("the checker refuses the certificate: {}", why.why),
                )
            }),
        }
    }

    /// A proof without a certificate. Of a C program the checker goes through all states, if they are not too
    /// many.
    fn uncertified(&self, claimed: Scope, why: &str) -> Answer {
        let unchecked = |why: &str| self.within_scope(claimed, Proof::without_certificate(why));
        let Model::C(model) = &self.subject().model else { return unchecked(why) };
        let options = model.options(self.task.scope.threads.limit());
        let budget = Budget::new(states::TICKS * self.states, self.budget.handle().clone());
        match explore(&model.program, options, self.states, &budget) {
            Ok(certificate) => match self.back.certificate(certificate) {
                Some(certificate) => self.within_scope(certificate.scope, Proof::confirmed(certificate)),
                None => unchecked(why),
            },
            Err(Unlisted::Fails(why)) => {
                let message = format!("the proof is refused: going through all states, {why}");
                unknown(ReasonKind::Rejected, message)
            }
            Err(Unlisted::Beyond(why)) => unchecked(&why),
            Err(Unlisted::Stopped(_)) => unchecked("its states are too many to list"),
        }
    }

    /// No overclaim: the one place where a proved scope meets the asked one.
    fn within_scope(&self, proved: Scope, proof: Proof) -> Answer {
        if reaches(proved, self.task.scope) {
            return Answer::of(Outcome::Safe { scope: proved, proof });
        }
        proved_only(proved)
    }

    fn replayed(&self, trace: Trace) -> Answer {
        let replay = match check::trace(self.task, &trace) {
            Ok(replay) => replay,
            Err(why) => return unreplayed(why),
        };
        let mut assumptions = vec![];
        if let (Model::C(model), Trace::C(trace)) = (&self.task.model, &trace) {
            let rests = Rests::of(model.subject(trace), trace);
            if let Some(reason) = rests.refusal(&trace.failure.kind) {
                return Answer::unknown(reason);
            }
            assumptions = rests.given();
        }
        let Some(property) = self.violated(&trace, &replay.run) else {
            return unknown(ReasonKind::Rejected, "the trace violates nothing that was asked about");
        };
        let threads = u32::try_from(replay.threads).unwrap_or(u32::MAX);
        let outcome = Outcome::Unsafe { property, trace, threads, run: replay.run };
        Answer { assumptions, ..Answer::of(outcome) }
    }

    /// The property that a run violates.
    fn violated(&self, trace: &Trace, run: &Run) -> Option<Property> {
        let literal = match (&self.task.model, trace) {
            (Model::C(model), Trace::C(trace)) => {
                Some(model.subject(trace)).filter(|it| !std::ptr::eq(*it, model))
            }
            _ => None,
        };
        let all = literal.map_or_else(
            || self.task.properties.clone(),
            |it| properties(&Model::C(it.clone()), self.task.classes),
        );
        let is_violated = |it: &&Property| match (&it.site, &self.task.model, run) {
            (Site::Target(target), Model::Net(net), Run::Net(markings)) => {
                markings.last().is_some_and(|last| net.targets()[*target].holds_in(last))
            }
            _ => it.is_violated_by(trace),
        };
        all.iter().find(is_violated).cloned()
    }

    /// What a certificate speaks of.
    fn subject(&self) -> &Task {
        match self.back {
            WayBack::C { .. } => self.prepared,
            WayBack::Same | WayBack::Program(_) => self.task,
        }
    }
}

/// Whether what is known reaches as far as what was asked.
pub(crate) fn reaches(known: Scope, requested: Scope) -> bool {
    known.covers(requested)
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

fn unknown(kind: ReasonKind, message: impl Into<String>) -> Answer {
    Answer::unknown(Reason::new(kind, message))
}

fn unreplayed(why: Rejected) -> Answer {
    let message = format!("the trace cannot be replayed: {}", why.why);
    Answer::unknown(Reason { span: why.at, ..Reason::new(ReasonKind::Rejected, message) })
}

/// No answer, but no error within the scope.
fn proved_only(scope: Scope) -> Answer {
    let reason = Reason::new(ReasonKind::Bound, format!("proved for {scope} only"));
    let best = Best { threads: scope.threads.limit(), ..Best::default() };
    Answer { best, ..Answer::unknown(reason) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::net::{Interval, Net, NetStart, Place, SharedStateId};
    use std::sync::Arc;

    fn scope_claimed(requested: Scope, proved: Scope) -> Result<Scope, (ReasonKind, Option<u32>)> {
        let places = [Place { name: "a".to_string() }].into_iter().collect();
        let start = NetStart { shared: base::Id::from_index(0), tokens: vec![Interval::exactly(1)] };
        let shared: base::Arena<SharedStateId, _> = ["s".to_string()].into_iter().collect();
        let net =
            Net::new(shared, places, [].into_iter().collect(), start, vec![]).expect("the net is valid");
        let task = Task::new(Model::Net(Arc::new(net)), requested);
        let court = Court {
            task: &task,
            prepared: &task,
            back: &WayBack::Same,
            budget: &Budget::unlimited(),
            states: 0,
        };
        let answer = court.within_scope(proved, Proof::without_certificate(""));
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
