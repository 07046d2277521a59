//! One number of threads after the other, until there is an answer: what the engines that explore under a
//! bound have in common. The threads that may start are in [`populations`].

use crate::certificate::{self, Proof};
use base::{Budget, Event, Events, Progress, Stop};
use ir::bp::{Count, Op, Program};
use ir::{Bound, Reason, ReasonKind, Scope, Trace, Verdict, Why};

/// What is known after a search with at most this many threads.
pub enum Attempt {
    /// No error; whether the bound mattered.
    Safe {
        /// More threads might do more.
        refused: bool,
    },
    /// An error.
    Unsafe(Trace),
    /// An error under the bound that is not one without it: the threads that the bound refused would stand in
    /// its way.
    Blocked,
}

/// A model that can be searched under a bound, and what the searches count.
pub trait Bounded<S> {
    /// The fewest threads that it starts with.
    fn fewest(&self) -> u32;

    /// Searches with at most `bound` threads. A trace is one of the bounded model if `bounded`, otherwise of
    /// the unbounded one.
    fn attempt(&mut self, bound: u32, bounded: bool, work: &mut Work<'_, S>) -> Result<Attempt, Stop>;

    /// The reached set, if it is not too large.
    fn certificate(&mut self, bound: u32, work: &mut Work<'_, S>) -> Result<Option<Proof>, Stop>;
}

/// Answers a question about at most this many threads, or about any number by trying up to `most`.
pub fn answer<S: Default + Send>(
    model: &mut dyn Bounded<S>,
    requested: Bound,
    most: u32,
    work: &mut Work<'_, S>,
) -> Result<Verdict, Stop> {
    match requested {
        Bound::AtMost(bound) => Ok(match model.attempt(bound, true, work)? {
            Attempt::Safe { refused } => safe(model, bound, refused, work),
            Attempt::Unsafe(trace) => Verdict::Unsafe(trace),
            Attempt::Blocked => unreachable!("a bounded run has no thread that the bound refused"),
        }),
        Bound::Any => grow(model, most, work),
    }
}

fn grow<S: Default + Send>(
    model: &mut dyn Bounded<S>,
    most: u32,
    work: &mut Work<'_, S>,
) -> Result<Verdict, Stop> {
    let mut proved = None;
    let mut blocked = false;
    // With fewer threads than it starts with the model has no run.
    for bound in model.fewest().max(1)..=most {
        match model.attempt(bound, false, work)? {
            Attempt::Unsafe(trace) => return Ok(Verdict::Unsafe(trace)),
            Attempt::Safe { refused: false } => return Ok(safe(model, bound, false, work)),
            Attempt::Safe { refused: true } if !blocked => {
                work.emit(Event::SafeUpToThreads(bound));
                proved = Some(bound);
            }
            Attempt::Safe { refused: true } => {}
            Attempt::Blocked => blocked = true,
        }
    }
    Ok(Verdict::Unknown(match proved {
        Some(bound) => Why::OutOfScope(Scope::threads(bound)),
        None if blocked => Why::Because(Reason::new(
            ReasonKind::NonMonotone,
            "the errors found under a bound are none without it",
        )),
        None => Why::Because(Reason::new(
            ReasonKind::Bound,
            format!("the program starts with more than {most} threads"),
        )),
    }))
}

/// The answer stands without its certificate: a budget that ends while it is made only leaves it unchecked.
fn safe<S: Default + Send>(
    model: &mut dyn Bounded<S>,
    bound: u32,
    refused: bool,
    work: &mut Work<'_, S>,
) -> Verdict {
    let scope = if refused { Scope::threads(bound) } else { Scope::ANY };
    let (budget, statistics) = (work.budget.evidence(), std::mem::take(&mut work.statistics));
    let mut limited = Work { budget: &budget, events: &mut *work.events, statistics };
    let proof = model.certificate(bound, &mut limited);
    work.statistics = limited.statistics;
    let why = if proof.is_ok() { "too many states to list" } else { "its making reached a limit" };
    let proof = proof.unwrap_or(None);
    if proof.is_none() {
        work.emit(Event::NoCertificate(why));
    }
    certificate::safe(scope, proof)
}

/// How many threads may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// At most this many.
    pub bound: u32,
    /// Exactly this many, where any number may start.
    pub exact: bool,
}

/// The fewest threads that the program may start with.
pub fn fewest(program: &Program) -> u32 {
    let counts = program.start().templates.iter().map(|template| match template.count {
        Count::Exactly(n) | Count::AtLeast(n) => n,
    });
    counts.fold(0, u32::saturating_add)
}

/// Whether any number of threads may start.
pub fn is_unbounded(program: &Program) -> bool {
    program.start().templates.iter().any(|template| matches!(template.count, Count::AtLeast(_)))
}

/// Whether it is enough to start with as many threads as the bound allows: a run with fewer threads is a run
/// with more, of which some never move. Not so in a program that creates threads: there the idle threads
/// would use up the bound, and a child that fewer threads could have created would be refused.
pub fn exact_is_enough(program: &Program) -> bool {
    let creates = program.locations().iter().any(|location| matches!(location.op, Op::Start(_)));
    program.monotone() && !creates && is_unbounded(program)
}

/// All ways to start under the bound: how many threads of each template.
pub fn populations(program: &Program, sizes: Sizes, budget: &Budget) -> Result<Vec<Vec<u32>>, Stop> {
    let templates = &program.start().templates;
    let mut needed = fewest(program);
    if needed > sizes.bound {
        return Ok(vec![]);
    }
    let mut populations: Vec<(u32, Vec<u32>)> = vec![(0, vec![])];
    for (index, template) in templates.iter().enumerate() {
        let (least, unbounded) = match template.count {
            Count::Exactly(n) => (n, false),
            Count::AtLeast(n) => (n, true),
        };
        needed -= least;
        let last = !templates[index + 1..].iter().any(|it| matches!(it.count, Count::AtLeast(_)));
        let mut longer = vec![];
        for (size, counts) in populations {
            let most = if unbounded { sizes.bound - size - needed } else { least };
            let first = if unbounded && sizes.exact && last { most } else { least };
            for count in first..=most {
                budget.spend(1)?;
                longer.push((size + count, [&counts[..], &[count]].concat()));
            }
        }
        populations = longer;
    }
    Ok(populations.into_iter().map(|(_, counts)| counts).collect())
}

/// What a search under a bound works with.
pub struct Work<'a, S> {
    /// What it may spend.
    pub budget: &'a Budget,
    /// Whom it tells.
    pub events: &'a mut dyn Events,
    /// What it counts.
    pub statistics: S,
}

impl<S: Send> Events for Work<'_, S> {
    fn emit(&mut self, event: Event) {
        self.events.emit(event);
    }
}

impl<S: Send> Work<'_, S> {
    /// Says now and then how far the search is.
    pub fn progress(&mut self, states: u64, bound: u32) {
        if states.is_multiple_of(1 << 12) {
            self.emit(Event::Progress(Progress::States { threads: bound, states }));
        }
    }
}
