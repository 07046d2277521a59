//! One worker: makes the model of a seed, has it tried in every way, and shrinks what fails.

use super::ask::{self, Failure, Kind, Question, Response, TICKS};
use super::auto::Together;
use super::modes::{Mode, Modes};
use super::oracle::Truth;
use super::report::Report;
use super::shrink::shrink;
use super::tool::Tool;
use super::{Options, texts};
use anyhow::Result;
use base::Random;
use ir::bp::print;
use ir::{Bound, Model};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use testing::bp::{Profile, program};

/// One after the other by the seed; the last is for a net.
const PROFILES: [Option<&Profile>; 10] = [
    Some(&Profile::ALL),
    Some(&Profile::WILD),
    Some(&Profile::TINY),
    Some(&Profile::MONOTONE),
    Some(&Profile::RECURSIVE),
    Some(&Profile::TINY),
    Some(&Profile::SPAWNING),
    Some(&Profile::BROADCASTS),
    Some(&Profile::WILD),
    None,
];
/// Locals that do not matter: more than an engine may enumerate, few enough for one that does to come back.
const SPARE: usize = 16;
/// What may be spent on a program with many locals that do not matter.
const SPARE_TICKS: u64 = 20 * TICKS;
const BOUNDS: [Bound; 4] = [Bound::AtMost(1), Bound::AtMost(2), Bound::AtMost(3), Bound::Any];

/// Nothing that takes less is slow.
const SLOW: Duration = Duration::from_millis(60);

/// A worker.
pub struct Worker<'a> {
    options: &'a Options,
    modes: &'a Modes,
    report: &'a Mutex<Report>,
    tool: Option<Tool>,
}

/// A way to try a program that can be repeated on a smaller one.
enum Trial<'t> {
    Mode(&'t Mode, Bound),
    Together(Together, Bound),
    Text,
    Tool(Bound),
}

impl Trial<'_> {
    /// Who has failed if there is a panic that nobody has caught.
    fn who(&self) -> &'static str {
        match self {
            Trial::Mode(..) | Trial::Together(..) => "comparison with brute force",
            Trial::Text => "reader and translations",
            Trial::Tool(_) => "evidence of the command line",
        }
    }
}

impl<'a> Worker<'a> {
    /// A worker with this number.
    pub fn new(
        options: &'a Options,
        modes: &'a Modes,
        report: &'a Mutex<Report>,
        index: usize,
    ) -> Result<Worker<'a>> {
        let tool = options.tool.as_ref().map(|path| Tool::new(path, index)).transpose()?;
        Ok(Worker { options, modes, report, tool })
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries the model of a seed in every way. A panic where the model is made or brute force looks at it is
    /// a failure as well.
    pub fn seed(&self, seed: u64) -> Result<()> {
        caught("generator and brute force", || self.try_seed(seed)).unwrap_or_else(|failure| {
            self.report().failure(seed, &failure);
            Ok(())
        })
    }

    fn try_seed(&self, seed: u64) -> Result<()> {
        let profile = PROFILES[(seed % PROFILES.len() as u64) as usize];
        let model = match profile {
            Some(profile) => Model::Program(Arc::new(program(seed, profile))),
            None => Model::Net(Arc::new(testing::net::net(seed, &testing::net::Profile::WILD))),
        };
        let truth = Truth::of(&model);
        self.report().model(profile.is_none(), truth.is_none());
        let Some(truth) = truth else { return Ok(()) };
        let mut random = Random::new(seed ^ 0x50a_c0de);
        for (mode, bound) in self.questions(&mut random) {
            self.trial(seed, &model, &truth, &Trial::Mode(&mode, bound))?;
        }
        self.trial(seed, &model, &truth, &Trial::Text)?;
        if let Some(profile) = profile {
            self.spare(seed, profile, &model);
            let bound = *random.pick(&BOUNDS);
            let vacuous = bound.limit().is_some_and(|n| n < truth.least);
            if vacuous || seed % self.options.every == seed / self.options.every % self.options.every {
                self.trial(seed, &model, &truth, &Trial::Tool(bound))?;
            }
            let together = Together::any(&mut random, self.modes).filter(|_| self.options.engine.is_empty());
            if let Some(together) = together {
                self.trial(seed, &model, &truth, &Trial::Together(together, BOUNDS[random.below(3)]))?;
            }
        }
        Ok(())
    }

    /// Each engine as it is and without certificates, with few threads and with any number, and some modes
    /// more.
    fn questions(&self, random: &mut Random) -> Vec<(Mode, Bound)> {
        let few = BOUNDS[random.below(3)];
        let mut all = vec![];
        for mode in &self.modes.always {
            all.extend([few, Bound::Any].map(|bound| (mode.clone(), bound)));
        }
        let some = self.modes.some(random, self.options.sample);
        all.extend(some.into_iter().map(|mode| (mode, *random.pick(&BOUNDS))));
        all
    }

    fn trial(&self, seed: u64, model: &Model, truth: &Truth, trial: &Trial<'_>) -> Result<()> {
        let begin = Instant::now();
        let result = self.attempt(model, truth, trial)?;
        let engine = match trial {
            Trial::Mode(mode, _) => Some(mode.engine.name()),
            Trial::Together(..) => Some("auto"),
            Trial::Text | Trial::Tool(_) => None,
        };
        if let Some(engine) = engine {
            self.report().answer(engine, result.as_ref().ok().copied(), begin.elapsed());
        }
        if let Err(failure) = result
            && self.report().failure(seed, &failure)
        {
            self.show(seed, model, &failure, trial);
        }
        Ok(())
    }

    /// What comes of a trial; a panic outside the engines fails, too, and its program is shrunk like others.
    fn attempt(&self, model: &Model, truth: &Truth, trial: &Trial<'_>) -> Result<Result<Response, Failure>> {
        caught(trial.who(), || self.attempt_once(model, truth, trial))
            .unwrap_or_else(|failure| Ok(Err(failure)))
    }

    fn attempt_once(
        &self,
        model: &Model,
        truth: &Truth,
        trial: &Trial<'_>,
    ) -> Result<Result<Response, Failure>> {
        Ok(match trial {
            Trial::Mode(mode, bound) => {
                ask::ask(Question { model, bound: *bound, ticks: ask::ticks(mode, *bound) }, mode, truth)
            }
            Trial::Together(together, bound) => {
                let question = Question { model, bound: *bound, ticks: TICKS };
                together.ask(question, self.modes, truth)
            }
            Trial::Text => texts::check(model).map_or(Ok(Response::Unknown), Err),
            Trial::Tool(bound) => match (&self.tool, model) {
                (Some(tool), Model::Program(program)) => {
                    tool.check(&print::program(program), *bound, truth)?.map_or(Ok(Response::Unknown), Err)
                }
                _ => Ok(Response::Unknown),
            },
        })
    }

    /// Prints the program, as small as it gets.
    fn show(&self, seed: u64, model: &Model, failure: &Failure, trial: &Trial<'_>) {
        let Model::Program(program) = model else {
            println!("--- seed {seed}:\n{model:?}");
            return;
        };
        let fails = |text: &str| self.fails_alike(text, failure.kind, trial).unwrap_or(false);
        let text = shrink(&print::program(program), fails);
        println!("--- seed {seed}, {:?}, {}, shrunk:\n{text}\n---", failure.kind, failure.who);
    }

    fn fails_alike(&self, text: &str, kind: Kind, trial: &Trial<'_>) -> Option<bool> {
        let model = Model::Program(Arc::new(texts::read(text)?));
        let truth = Truth::of(&model)?;
        let failure = self.attempt(&model, &truth, trial).ok()?.err()?;
        Some(failure.kind == kind)
    }

    /// What `explicit` decides it decides with many more locals that do not matter.
    fn spare(&self, seed: u64, profile: &Profile, model: &Model) {
        let many = Model::Program(Arc::new(program(seed, &Profile { spare: SPARE, ..*profile })));
        let (Model::Program(few), Model::Program(more)) = (model, &many) else { return };
        let found = self.modes.always.iter().find(|mode| mode.engine.name() == "explicit");
        let Some(mode) = found.filter(|_| few.locals().len() < more.locals().len()) else { return };
        let Some(truth) = Truth::of(model) else { return };
        let bound = Bound::AtMost(2);
        let (first, quick) = timed(|| ask::ask(Question { model, bound, ticks: TICKS }, mode, &truth));
        let Ok(first @ (Response::Confirmed | Response::Unsafe)) = first else { return };
        let (second, slow) =
            timed(|| ask::ask(Question { model: &many, bound, ticks: SPARE_TICKS }, mode, &truth));
        let who = format!("{} with {SPARE} spare locals", mode.engine.name());
        let failure = match second {
            Ok(second) if second == first && slow < SLOW.max(30 * quick) => return,
            Err(failure) => Failure { who, ..failure },
            Ok(second) => {
                let message = format!("{second:?} after {slow:?} instead of {first:?} after {quick:?}");
                Failure { kind: Kind::SpareLocals, who, message }
            }
        };
        self.report().answer("explicit", None, Duration::ZERO);
        if self.report().failure(seed, &failure) {
            println!("--- seed {seed}, with one of them:\n{}\n---", print::program(few));
        }
    }
}

/// What comes out, or what a panic says.
fn caught<T>(who: &str, work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let message = ask::panic_text(&*payload);
        Failure { kind: Kind::Fault, who: who.to_string(), message }
    })
}

/// What comes out, and the shortest time on the processor of some attempts: other work on the machine only
/// makes it longer.
fn timed<T>(mut work: impl FnMut() -> T) -> (T, Duration) {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let begin = (processor_time(), Instant::now());
        let result = work();
        let on_processor = processor_time().zip(begin.0).map(|(end, begin)| end.saturating_sub(begin));
        best = best.min(on_processor.unwrap_or_else(|| begin.1.elapsed()));
        if best < SLOW {
            return (result, best);
        }
    }
    (work(), best)
}

/// The time that this thread has had on a processor, where the system tells.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure() {
        assert_eq!(caught("nobody", || 7).ok(), Some(7));
        let failure = caught("the reader", || panic!("line {}", 3)).expect_err("it panics");
        assert_eq!(
            (failure.kind, failure.who, failure.message),
            (Kind::Fault, "the reader".into(), "line 3".into())
        );
    }
}
