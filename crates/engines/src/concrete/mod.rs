//! The concrete way: explores the reference semantics of normalised C itself, word by word. States are
//! multisets of stored thread states beside a stored memory; invisible transitions are merged; names of
//! objects and threads without meaning are forgotten. Nondeterministic numbers are tried in stages, the
//! number of threads grows. It finds errors in programs that no other way takes (heap, recursion, large
//! numbers), and proves programs whose runs it exhausts without having left out a choice.

mod canonical;
mod followed;
mod future;
mod independent;
mod intern;
mod judge;
mod lazy;
mod numbers;
mod partition;
mod search;
pub mod settings;
mod splits;
mod stage;
mod state;
mod statistics;
mod step;
mod touch;
mod trace;
mod unchosen;
mod unread;
mod waiting;

pub use settings::SETTINGS;

use crate::search::TurnEnd;
use base::{Budget, Event, Events, Settings, Stop};
use c::{Fault, Loc, Program, Trace};
use followed::Divisions;
use independent::Analysis;
use ir::{Bound, Reason, ReasonKind, Scope, Verdict, Why};
use search::{BoundedSearch, Setup};
use settings::ConcreteOptions;
use stage::SearchStage;
use statistics::Statistics;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;

/// What the concrete way answers. Its proofs come without certificate.
pub type Answer = Verdict<Trace, Infallible>;

/// An answer, and how far the program is known to be safe in any case.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Answer,
    /// No error with up to this many threads alive.
    pub best: Option<u32>,
    /// Where something was reached of which the meaning is not known.
    pub unsupported: Option<Loc>,
    /// Undefined behaviour that was met and is no error here: threads block there.
    pub undefined: BTreeMap<Loc, Fault>,
    /// Where threads stand in a state in which all of them wait for each other; empty if none was met.
    pub waiting: Vec<Loc>,
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The program.
    pub program: &'a Program,
    /// What C leaves open, and the bound on threads alive at once.
    pub machine: c::Options,
    /// The options that the user set.
    pub settings: &'a Settings,
    /// Undefined behaviour at which a thread blocks although the machine takes it for an error.
    pub tolerated: Option<Tolerated<'a>>,
}

/// Undefined behaviour that is no error of a search.
#[derive(Clone, Copy)]
pub struct Tolerated<'a> {
    /// Of these kinds.
    pub kinds: fn(&Fault) -> bool,
    /// And at these steps.
    pub steps: &'a BTreeSet<Loc>,
}

/// The states that a search takes up in its first turn.
const FIRST_TURN: u64 = 20_000;
/// The same where one number stands for a part: for proofs, so that errors do not wait for them.
const FIRST_TURN_OF_PARTS: u64 = 2_000;

/// Looks for an error, with few threads first.
pub fn search(request: Request<'_>, budget: &Budget, events: &mut dyn Events) -> Outcome {
    let mut gained = Gained::default();
    let result = run(request, &mut gained, budget, events);
    gained.statistics.emit(events);
    let verdict = result.unwrap_or_else(|stop| match (&gained.unsupported, stop) {
        // More of either would give no proof.
        (Some((_, why)), Stop::Time | Stop::Memory | Stop::Ticks) => unsupported(why),
        _ => Verdict::Unknown(Why::Stopped(stop)),
    });
    let unsupported = gained.unsupported.map(|(at, _)| at);
    let Gained { best, undefined, waiting, .. } = gained;
    Outcome { verdict, best, unsupported, undefined, waiting }
}

/// What was gained so far.
#[derive(Default)]
struct Gained {
    best: Option<u32>,
    statistics: Statistics,
    unsupported: Option<(Loc, String)>,
    undefined: BTreeMap<Loc, Fault>,
    waiting: Vec<Loc>,
}

impl Gained {
    /// Notes a search that explored everything; the answer, if it is one.
    fn finished(
        &mut self,
        search: &BoundedSearch<'_>,
        requested: u32,
        events: &mut dyn Events,
    ) -> Option<Answer> {
        let limits = &search.space.runner.limits;
        if limits.cut || limits.unsupported.is_some() {
            return None;
        }
        self.best = self.best.max(Some(search.threads));
        events.emit(Event::SafeUpToThreads(search.threads));
        if limits.threads && search.threads < requested {
            return None;
        }
        let threads = if limits.threads { Bound::AtMost(requested) } else { Bound::Any };
        Some(Verdict::Safe { scope: Scope { threads }, certificate: None })
    }
}

fn unsupported(why: &str) -> Answer {
    Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Unsupported, why)))
}

/// Takes turns with all searches that are under way.
fn run(
    request: Request<'_>,
    gained: &mut Gained,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Answer, Stop> {
    let Request { program, machine, tolerated, .. } = request;
    let options = ConcreteOptions::new(request.settings);
    let analysis = Analysis::new(program, !machine.signals_matter(), budget)?;
    let chosen = Arc::new(lazy::choices(program, &analysis.live));
    let setup = Setup { program, machine, analysis: &analysis, options, chosen: &chosen, tolerated };
    let requested = machine.threads.unwrap_or(u32::MAX);
    let most = requested.min(options.most_threads).max(1);
    let divisions = analysis.followed.divisions.clone();
    let mut plan = StagePlan { setup, most, begun: vec![], divisions, queue: VecDeque::new() };
    plan.begin(1, SearchStage::Two, false);
    let mut last = None;
    while let Some(mut under_way) = plan.queue.pop_front() {
        let search = &mut under_way.search;
        let turn = search.advance(budget, under_way.turn);
        let limits = &search.space.runner.limits;
        if let Some(what) = &limits.unsupported {
            gained.unsupported.get_or_insert(what.clone());
        }
        gained.undefined.extend(limits.undefined.iter().map(|(&at, fault)| (at, fault.clone())));
        if gained.waiting.is_empty() {
            gained.waiting.clone_from(&limits.waiting);
        }
        if !matches!(turn, Ok(TurnEnd::Paused)) {
            gained.statistics.add(search.statistics());
        }
        match turn {
            Err(stop) => {
                plan.queue.iter().for_each(|other| gained.statistics.add(other.search.statistics()));
                return Err(stop);
            }
            Ok(TurnEnd::Failed(from)) => return found(search, machine, from, budget),
            Ok(TurnEnd::Paused) => {
                plan.spread(search);
                plan.begin(search.threads, search.stage, true);
                under_way.turn *= 2;
                plan.queue.push_back(under_way);
            }
            Ok(TurnEnd::TooMany | TurnEnd::Error(_)) => {
                unreachable!("steps fail, and states have no limit here")
            }
            Ok(TurnEnd::Complete) => {
                if let Some(answer) = gained.finished(search, requested, events) {
                    return Ok(answer);
                }
                plan.drop_twins(search);
                plan.spread(search);
                last = Some(Ending { threads: search.threads, limits: search.space.runner.limits.clone() });
            }
        }
    }
    Ok(last.expect("the first search has ended").answer())
}

/// The trace, once the search has met an error.
fn found(
    search: &mut BoundedSearch<'_>,
    requested: c::Options,
    from: u32,
    budget: &Budget,
) -> Result<Answer, Stop> {
    Ok(match trace::trace(search, requested, from, &budget.evidence())? {
        Ok(trace) => Verdict::Unsafe(trace),
        Err(why) => {
            let message = format!("the error that was found cannot be replayed: {why:?}");
            Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Fault, message)))
        }
    })
}

/// How the last search ended that did not decide.
struct Ending {
    threads: u32,
    limits: step::Limits,
}

impl Ending {
    fn answer(&self) -> Answer {
        let reason = match &self.limits {
            step::Limits { unsupported: Some((_, why)), .. } => return unsupported(why),
            step::Limits { cut: true, .. } => {
                Reason::new(ReasonKind::Bound, "not all values of a nondeterministic choice were tried")
            }
            _ => return Verdict::Unknown(Why::OutOfScope(Scope::threads(self.threads))),
        };
        Verdict::Unknown(Why::Because(reason))
    }
}

/// A search and how many states it takes up in its next turn.
struct UnderWay<'a> {
    search: BoundedSearch<'a>,
    turn: u64,
}

/// Which searches there were and which are under way.
struct StagePlan<'a> {
    setup: Setup<'a>,
    most: u32,
    begun: Vec<(u32, SearchStage, bool)>,
    /// How the numbers of choices fall into parts, as far as that is known.
    divisions: Divisions,
    queue: VecDeque<UnderWay<'a>>,
}

impl<'a> StagePlan<'a> {
    /// Begins a search, unless there was one like it.
    fn begin(&mut self, threads: u32, stage: SearchStage, deep: bool) {
        if threads > self.most || self.begun.contains(&(threads, stage, deep)) {
            return;
        }
        self.begun.push((threads, stage, deep));
        let search = BoundedSearch::new(self.setup, threads, stage, deep, &self.divisions);
        let turn = if search.space.runner.splits.is_some() { FIRST_TURN_OF_PARTS } else { FIRST_TURN };
        self.queue.push_back(UnderWay { search, turn });
    }

    /// Begins those searches that go further than one which left something out.
    fn spread(&mut self, search: &BoundedSearch<'_>) {
        if search.space.runner.limits.threads {
            self.begin(search.threads + 1, search.stage, false);
        }
        let limits = &search.space.runner.limits;
        let further = match &search.space.runner.splits {
            Some(splits) => splits.refine(&mut self.divisions),
            None => limits.cut,
        };
        if let (true, Some(stage)) = (further, search.stage.next()) {
            self.begin(search.threads, stage, false);
        }
        // Parts are for proofs; most errors are found before.
        if search.stage >= SearchStage::Interesting
            && search.space.runner.splits.is_none()
            && self.are_followed(&limits.choices)
        {
            self.begin(search.threads, SearchStage::Parted(0), false);
        }
    }

    /// Whether numbers were left out, and all of them at choices whose numbers are followed.
    fn are_followed(&self, choices: &BTreeSet<Loc>) -> bool {
        let followed = |&loc: &Loc| {
            self.setup.analysis.followed.source(loc).is_some_and(|it| self.divisions.contains_key(&it))
        };
        !choices.is_empty() && choices.iter().all(followed)
    }

    /// Ends the search in the other order: everything was explored.
    fn drop_twins(&mut self, done: &BoundedSearch<'_>) {
        self.queue.retain(|other| (other.search.threads, other.search.stage) != (done.threads, done.stage));
    }
}
