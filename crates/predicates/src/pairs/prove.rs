//! The schedule: few predicates first, threads one by one first, and more of both while the closure raises an
//! alarm.

mod first;
mod loops;
mod minimise;

use crate::pairs::alarm::{Link, derivation, describe};
use crate::pairs::basis::Basis;
use crate::pairs::closure::{Closed, Limits, close_with};
use crate::pairs::companions::Companions;
use crate::pairs::distinct::Distinct;
use crate::pairs::races::Racing;
use crate::pairs::start::Start;
use crate::pairs::state::States;
use crate::pairs::tables::proof;
use crate::pairs::templates::{EXACT_BITS, Templates, fails};
use base::events::{ClosureResult, Look};
use base::{Budget, Event, Events, Round, Stop};
use c::{ExprId, Exprs, Loc, Program};
use relation::proof::{Count, PairPredicate, Proof};
use relation::{AccessSite, Command, NoRelation, Outcome::Refuse, Relation};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the prover may do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the machine is to be read.
    pub machine: c::Options,
    /// The most states of two threads in one attempt.
    pub states: usize,
    /// The most rounds of refinement after the templates.
    pub rounds: usize,
    /// Variables of at most this many bits are followed bit by bit.
    pub exact_bits: u8,
    /// Whether predicates that the proof does not need are left out.
    pub minimise: bool,
    /// Predicates to begin with.
    pub start: Option<Start>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            machine: c::Options::default(),
            states: 60_000,
            rounds: 12,
            exact_bits: EXACT_BITS,
            minimise: true,
            start: None,
        }
    }
}

/// What the prover found.
#[derive(Debug)]
pub enum Outcome {
    /// No assertion fails, with any number of threads.
    Proved {
        /// The invariant.
        proof: Arc<Proof>,
        /// The commands that it speaks of.
        relation: Arc<Relation>,
        /// The number of predicates, relations between threads included.
        predicates: usize,
        /// How many threads are looked at together.
        width: u8,
        /// The attempts that it took.
        rounds: usize,
    },
    /// The abstraction has a failing command that could not be excluded.
    Alarm {
        /// Why, as text: the failing command and how it is reached.
        why: String,
        /// The step that could not be excluded, if one was found.
        at: Option<Loc>,
        /// The attempts.
        rounds: usize,
    },
    /// Two accesses could not be kept apart.
    Race {
        /// Where they are.
        open: [Loc; 2],
        /// The attempts.
        rounds: usize,
    },
    /// The program cannot be treated this way.
    Unsupported {
        /// Why.
        why: String,
        /// The step that cannot be treated, if it is one.
        at: Option<Loc>,
    },
}

/// Tries to prove that no assertion of a program fails.
pub fn prove(
    program: &Program,
    options: &Options,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Outcome, Stop> {
    match Relation::of(program, &options.machine, budget) {
        Ok(relation) => prove_relation(relation, options, budget, events),
        Err(NoRelation::Stopped(stop)) => Err(stop),
        Err(other) => Ok(Outcome::Unsupported { why: other.to_string(), at: None }),
    }
}

/// The same for a program as guarded commands.
pub fn prove_relation(
    relation: Relation,
    options: &Options,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Outcome, Stop> {
    let threads = relation.commands.iter().any(|it| it.creates.is_some());
    let alarm = String::from("there are too many abstract states");
    let mut prover = Prover {
        relation: &relation,
        options,
        budget,
        events,
        rounds: 0,
        threads,
        tried: vec![],
        exprs: relation.exprs.clone(),
        alarm,
        failing: None,
        racing: None,
        companions: None,
        requested: false,
        success: None,
        begun: budget.spent(),
        seen: BTreeSet::new(),
        distinct: Distinct::new(),
    };
    let mut found = prover.schedule()?;
    if let (true, Some((proof, _)), Some(tried)) = (options.minimise, &mut found, prover.success.take()) {
        *proof = prover.minimised(proof.clone(), tried)?;
    }
    let Prover { rounds, alarm, failing, racing, .. } = prover;
    Ok(match found {
        Some((proof, width)) => {
            let predicates = proof.predicates.len() + proof.pairs.len();
            Outcome::Proved {
                proof: Arc::from(proof),
                relation: Arc::new(relation),
                predicates,
                width,
                rounds,
            }
        }
        None if failing.is_none() && racing.is_some() => {
            let sites: Vec<&AccessSite> = relation.accesses.iter().flat_map(|it| &it.sites).collect();
            let Racing { sites: open, .. } = racing.expect("this was just asked");
            Outcome::Race { open: open.map(|it| sites[it].at), rounds }
        }
        None => match failing.map(|command| &relation.commands[command]) {
            Some(Command { outcome: Refuse(why), steps, .. }) if steps.last().is_some() => {
                Outcome::Unsupported { why: why.clone(), at: steps.last().copied() }
            }
            failing => {
                Outcome::Alarm { why: alarm, at: failing.and_then(|it| it.steps.last().copied()), rounds }
            }
        },
    })
}

struct Prover<'a> {
    relation: &'a Relation,
    options: &'a Options,
    budget: &'a Budget,
    events: &'a mut dyn Events,
    rounds: usize,
    /// Whether threads are created at all.
    threads: bool,
    /// Attempts that ended in an alarm.
    tried: Vec<(Tried, Alarm)>,
    /// The pool of all attempts: the same expression has the same number in all of them.
    exprs: Exprs,
    /// The last alarm in words.
    alarm: String,
    /// The command of the last alarm.
    failing: Option<usize>,
    /// The accesses of the last one about a race.
    racing: Option<Racing>,
    /// Who can be there together, and whether that was requested.
    companions: Option<Companions>,
    requested: bool,
    /// The attempt that was a proof.
    success: Option<Tried>,
    /// What had been spent at the beginning.
    begun: u64,
    /// The predicates of all rounds so far.
    seen: BTreeSet<ExprId>,
    /// Which predicates say the same.
    distinct: Distinct,
}

/// The predicates of an attempt, to leave out one that brings nothing new.
#[derive(Clone, PartialEq, Eq)]
struct Tried {
    predicates: Vec<ExprId>,
    pairs: Vec<PairPredicate>,
    counts: Vec<Count>,
    look: Look,
}

/// What is said of several threads together.
struct Between {
    pairs: Vec<PairPredicate>,
    counts: Vec<Count>,
}

/// What an attempt came to.
enum Attempt {
    Proof(Box<Proof>, u8),
    Alarm(Alarm),
    /// Too many states or too much work.
    Nothing,
}

#[derive(Clone)]
struct Alarm {
    /// The guard of the failing command, or the condition of an access.
    goal: ExprId,
    chain: Vec<Link>,
    /// The same for the other access of a race.
    other: Option<(ExprId, Vec<Link>)>,
}

impl Alarm {
    /// Whether one thread alone is to blame.
    fn is_lone(&self) -> bool {
        self.other.is_none() && self.chain.iter().all(|it| it.own)
    }
}

/// How much an attempt may cost in the first pass over the schedule; what was too much is tried again without
/// this limit.
const FIRST_TICKS: u64 = 3_000_000;
const FIRST_STATES: usize = 5_000;
/// The same for states of one thread among those that can be there together: they are cheap, and it is the
/// look that arrays need.
const FIRST_COMPANIONS: usize = 30_000;

impl<'a> Prover<'a> {
    /// No predicates but those to begin with.
    fn templates(&self) -> Templates<'a> {
        let mut templates = Templates::new(self.relation, self.exprs.clone(), self.budget);
        templates.exact_bits = self.options.exact_bits;
        self.options.start.iter().for_each(|it| it.add_to(&mut templates));
        templates
    }
}

impl Prover<'_> {
    fn schedule(&mut self) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        for limited in [true, false] {
            let limits = if limited {
                Cost { ticks: FIRST_TICKS, states: FIRST_STATES }
            } else {
                Cost { ticks: u64::MAX, states: self.options.states }
            };
            let stages = [
                Prover::given,
                Prover::owned,
                Prover::counting,
                Prover::layers,
                Prover::sums,
                Prover::thresholds,
                Prover::refined,
            ];
            for stage in stages {
                let found = stage(self, limits)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// How to look in each layer. A race is between two threads: what keeps them apart may be a relation
    /// between them, with which there are fewer states.
    fn looks(&self, related: &[PairPredicate]) -> [Look; 4] {
        if self.relation.accesses.is_some() && !related.is_empty() {
            [Look::One, Look::Companions, Look::Related, Look::Two]
        } else {
            [Look::One, Look::Companions, Look::Two, Look::Related]
        }
    }

    /// The templates, layer by layer.
    fn layers(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = self.templates();
        for layer in 0..4 {
            match layer {
                0 => templates.assertions()?,
                1 => templates.connected()?,
                2 => templates.guards()?,
                _ => templates.linked()?,
            }
            let related = if layer > 0 && self.threads { templates.pairs(layer == 3)? } else { vec![] };
            for look in self.looks(&related) {
                if look != Look::One && !self.threads || look == Look::Related && layer == 0 {
                    continue;
                }
                let relations = if look == Look::Related { related.clone() } else { vec![] };
                match self.attempt(&templates, relations, look, cost)? {
                    Attempt::Proof(proof, width) => return Ok(Some((proof, width))),
                    // Looking at more threads together does not help where no other thread is to blame.
                    Attempt::Alarm(alarm) if alarm.is_lone() => break,
                    _ => {}
                }
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }

    /// From the assertions, with what the alarms themselves say.
    fn refined(&mut self, cost: Cost) -> Result<Option<(Box<Proof>, u8)>, Stop> {
        let mut templates = self.templates();
        templates.assertions()?;
        // What locks keep out need not be refined away.
        let looks: &[Look] = match self.threads {
            true => &[Look::Companions, Look::One, Look::Two, Look::Related],
            false => &[Look::One],
        };
        let mut stage = 0;
        let mut rounds = 0;
        while rounds < self.options.rounds {
            let look = looks[stage];
            let relations = if look == Look::Related { templates.pairs(true)? } else { vec![] };
            let learnt = match self.attempt(&templates, relations, look, cost)? {
                Attempt::Proof(proof, width) => return Ok(Some((proof, width))),
                Attempt::Alarm(alarm) => {
                    let mut learnt = templates.along(alarm.goal, &alarm.chain)?;
                    if let Some((goal, chain)) = &alarm.other {
                        learnt |= templates.along(*goal, chain)?;
                    }
                    learnt
                }
                Attempt::Nothing => false,
            };
            rounds += 1;
            if !learnt {
                stage += 1;
                if stage == looks.len() {
                    break;
                }
            }
        }
        self.exprs = templates.exprs;
        Ok(None)
    }

    fn attempt(
        &mut self,
        templates: &Templates<'_>,
        pairs: Vec<PairPredicate>,
        look: Look,
        cost: Cost,
    ) -> Result<Attempt, Stop> {
        self.attempt_with(templates, Between { pairs, counts: vec![] }, look, cost)
    }

    fn attempt_with(
        &mut self,
        templates: &Templates<'_>,
        Between { pairs, counts }: Between,
        look: Look,
        cost: Cost,
    ) -> Result<Attempt, Stop> {
        let all = templates.predicates();
        let predicates = self.distinct.among(self.relation, &templates.exprs, all, self.budget)?;
        let width = look.width();
        let tried = Tried { predicates, pairs, counts, look };
        if let Some((_, alarm)) = self.tried.iter().find(|it| it.0 == tried) {
            return Ok(Attempt::Alarm(alarm.clone()));
        }
        let basis = Basis::new(self.relation, templates.exprs.clone(), &tried.predicates, &tried.pairs)
            .counting(&tried.counts);
        if look == Look::Companions && !self.find_companions(&basis)? {
            return Ok(Attempt::Nothing);
        }
        self.rounds += 1;
        let companions = self.companions.as_ref().filter(|_| look == Look::Companions);
        let states = if companions.is_some() { cost.states.max(FIRST_COMPANIONS) } else { cost.states };
        let limits = Limits { width, states, all: false };
        let part = self.budget.part(cost.ticks);
        let closed = match close_with(self.relation, &basis, companions, limits, &part) {
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => self.budget.spend(0).map(|()| Closed::Large)?,
            other => other?,
        };
        if let Closed::Alarm { states, command, single } = &closed
            && fails(&self.relation.commands[*command])
        {
            self.alarm = describe(self.relation, &basis, states, *command, *single);
            self.failing = Some(*command);
        }
        if let Closed::Race { racing, .. } = &closed {
            self.racing = Some(*racing);
            self.failing = None;
        }
        self.tell(&basis, look, &closed);
        Ok(match closed {
            Closed::Safe(states) => {
                let mut proof = proof(&basis, &states, width, self.budget)?;
                proof.races = self.relation.accesses.is_some();
                if let (Look::Companions, Some(companions)) = (look, &self.companions) {
                    proof.doubles = Some(companions.doubles(&basis, self.budget)?);
                }
                self.exprs = basis.exprs;
                self.success = Some(tried);
                Attempt::Proof(Box::new(proof), if look == Look::One { 1 } else { 2 })
            }
            Closed::Alarm { states, command, single } => {
                let goal = self.relation.commands[command].guard;
                let alarm = Alarm { goal, chain: derivation(&states, single), other: None };
                self.tried.push((tried, alarm.clone()));
                Attempt::Alarm(alarm)
            }
            Closed::Race { states, racing } => {
                let sites = self.relation.accesses.iter().flat_map(|it| &it.sites);
                let guards: Vec<ExprId> = sites.map(|it| it.guard).collect();
                let [one, two] = racing.singles.map(|it| derivation(&states, it));
                let [goal, second] = racing.sites.map(|it| guards[it]);
                let alarm = Alarm { goal, chain: one, other: Some((second, two)) };
                self.tried.push((tried, alarm.clone()));
                Attempt::Alarm(alarm)
            }
            Closed::Large => Attempt::Nothing,
        })
    }

    /// Works out who can be there together, once; whether that is known and says something about this basis.
    fn find_companions(&mut self, basis: &Basis) -> Result<bool, Stop> {
        if !self.requested {
            self.requested = true;
            let mut templates = Templates::new(self.relation, self.exprs.clone(), self.budget);
            templates.small();
            let all = templates.predicates();
            let predicates = self.distinct.among(self.relation, &templates.exprs, all, self.budget)?;
            let part = self.budget.part(FIRST_TICKS);
            let found = Companions::new(self.relation, &templates.exprs, &predicates, FIRST_STATES, &part);
            self.companions = match found {
                Err(Stop::Ticks) => self.budget.spend(0).map(|()| None)?,
                other => other?,
            };
        }
        Ok(self.companions.as_mut().is_some_and(|it| it.place(basis)))
    }

    fn tell_smaller(&mut self, before: usize, after: usize, attempts: usize) {
        self.events.emit(Event::Round(Round::Minimised { before, after, attempts }));
    }

    fn tell(&mut self, basis: &Basis, look: Look, closed: &Closed) {
        let size = |states: &States| (states.singles.len(), states.pair_causes.len());
        let result = match closed {
            Closed::Safe(states) => {
                let (singles, pairs) = size(states);
                ClosureResult::Proved { singles, pairs }
            }
            Closed::Alarm { states, .. } | Closed::Race { states, .. } => {
                let (singles, pairs) = size(states);
                ClosureResult::Alarm { singles, pairs }
            }
            Closed::Large => ClosureResult::TooLarge,
        };
        let new = [&basis.shared, &basis.local].into_iter().flatten().filter(|it| self.seen.insert(**it));
        self.events.emit(Event::Round(Round::Closure {
            number: self.rounds,
            new: new.count(),
            predicates: basis.shared.len() + basis.local.len(),
            relations: basis.pairs.len(),
            commands: self.relation.commands.len(),
            look,
            result,
        }));
    }
}

/// What an attempt may cost.
#[derive(Clone, Copy)]
struct Cost {
    ticks: u64,
    states: usize,
}
