//! All engines together, in rounds so short that small programs take several of them: what the engines post
//! for each other between rounds is used, and a proof that nobody can check has to wait for evidence that
//! somebody can.

use super::ask::{self, Answer, Failure, Kind, Question, Response, bound_text};
use super::modes::{Mode, Modes};
use super::oracle::Truth;
use base::{NoEvents, Random};
use ir::{Model, Scope, Task};
use verify::{Limits, Plan};

/// A proof that nobody has checked has waited for the others for 0.3 s of the time that they share: each had
/// more ticks than these, and what it was told by others may cost some.
const WAITED: u64 = 5_000;

/// How engines are asked together.
pub struct Together {
    /// One of them writes no certificates.
    mode: Mode,
    /// The length of the first round, in the time that engines share: a few ticks of each.
    first_round: u64,
}

impl Together {
    /// Any way.
    pub fn any(random: &mut Random, modes: &Modes) -> Option<Together> {
        let without_certificates: Vec<&Mode> =
            modes.always.iter().filter(|mode| !mode.set.is_empty()).collect();
        let first_round = [300, 1_000, 3_000, 10_000][random.below(4)];
        (!without_certificates.is_empty())
            .then(|| Together { mode: (*random.pick(&without_certificates)).clone(), first_round })
    }

    /// Asks, and compares with brute force and with what single engines say.
    pub fn ask(&self, question: Question<'_>, modes: &Modes, truth: &Truth) -> Result<Response, Failure> {
        // Where the states have no end the engines need not come to one.
        if matches!(question.model, Model::Program(program) if program.recursive_procedure().is_some()) {
            return Ok(Response::Refused);
        }
        let title = format!("auto, rounds of {}, with {}", self.first_round, self.mode.title());
        let response = ask::compare(question, &title, truth, || self.decide(question))?;
        if response != Response::Unchecked {
            return Ok(response);
        }
        let question = Question { ticks: WAITED, ..question };
        let others = modes.always.iter().filter(|it| it.set.is_empty());
        for mode in others.filter(|it| it.engine.name() != self.mode.engine.name()) {
            if let Response::Confirmed | Response::Unsafe = ask::ask(question, mode, truth)? {
                let message = format!("unchecked, but {} has evidence", mode.engine.name());
                let who = format!("{title}, {}", bound_text(question.bound));
                return Err(Failure { kind: Kind::Unchecked, who, message });
            }
        }
        Ok(response)
    }

    fn decide(&self, question: Question<'_>) -> Answer {
        let task = Task::new(question.model.clone(), Scope { threads: question.bound });
        let plan = Plan {
            settings: self.mode.settings(),
            first_round: self.first_round,
            ..Plan::of(verify::engines().to_vec())
        };
        let answer = verify::answer(&task, &plan, &Limits::default(), &mut NoEvents);
        Answer {
            outcome: Some(answer.outcome),
            safe_up_to_threads: answer.best.threads,
            safe_up_to_rounds: answer.best.rounds,
        }
    }
}
