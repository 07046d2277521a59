//! Programs as rules: each step of a thread that may be there is a rule. A shared state is the kept shared
//! values, whether `init` still runs, and how many threads are inside an atomic section; if it is one, only
//! that thread may step.

use super::{Failure, Local, Multiset, Pool, Reactions, Rule, Rules, State, add};
use crate::describe::location;
use crate::enumerate::Valuations;
use crate::index::{CertificateIndex, Landing, SharedNo};
use crate::interpret::start_values;
use crate::passive::Broadcast;
use crate::population::{is_idle, pools};
use crate::step::{Moves, Stepper, newborns};
use crate::{Refused, reject, within};
use base::Budget;
use ir::bp::ProcId;
use ir::net::Interval;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A shared state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// How many threads are inside an atomic section; more than one never is, and then nobody may step.
    pub inside: u8,
    /// The shared values.
    pub shared: SharedNo,
}

/// The threads that a certificate has in each shared state.
pub type Present = BTreeMap<State, BTreeSet<Local>>;

/// Turns a program into rules.
pub struct Translator<'c> {
    stepper: Stepper<'c>,
    states: Vec<Key>,
    numbers: HashMap<Key, State>,
    rules: Vec<Rule>,
}

/// A thread that steps in a shared state.
#[derive(Clone, Copy)]
struct Active {
    from: State,
    local: Local,
}

impl<'c> Translator<'c> {
    /// No rules yet.
    pub fn new(certificate: &'c CertificateIndex<'c>, budget: &'c Budget) -> Self {
        let stepper = Stepper { certificate, budget };
        Translator { stepper, states: vec![], numbers: HashMap::new(), rules: vec![] }
    }

    /// The number of a shared state.
    pub fn number(&mut self, key: Key) -> State {
        *self.numbers.entry(key).or_insert_with(|| {
            self.states.push(key);
            self.states.len() as State - 1
        })
    }

    /// A shared state in words.
    pub fn words(&self, state: State) -> String {
        let (key, certificate) = (self.states[state as usize], self.stepper.certificate);
        let values = certificate.view().shared.iter().zip(certificate.shared_values_kept(key.shared));
        let named = |(&id, &value)| format!("{}={}", certificate.program.shared()[id].name, u8::from(value));
        let values: Vec<String> = values.map(named).collect();
        let phase = if key.initialising { "during init, " } else { "" };
        format!("{phase}shared {}", if values.is_empty() { "nothing".to_string() } else { values.join(", ") })
    }

    /// The steps of all threads that may be there, except where `passed` says that nothing needs to be known
    /// of them.
    pub fn rules(
        &mut self,
        present: &Present,
        passed: impl Fn(State, Local) -> bool,
    ) -> Result<Rules, Refused> {
        let certificate = self.stepper.certificate;
        let mut errors = vec![];
        for (&from, locals) in present {
            let key = self.states[from as usize];
            for &local in locals {
                self.stepper.budget.spend(1)?;
                let may_step = match key.inside {
                    0 => true,
                    inside => inside == 1 && certificate.inside(local as usize),
                };
                let loc = certificate.loc(local as usize);
                let thread = || format!("thread {local} {}", location(certificate.program, loc));
                if self.stepper.is_error(key.shared, local, may_step)? {
                    let label = certificate.program.at(loc).error;
                    let why = if label { "an error label" } else { "the assertion may fail" };
                    let counts = vec![(local, Interval::at_least(1))];
                    errors.push(Failure { state: from, counts, why: format!("{}: {why}", thread()) });
                } else if may_step && !passed(from, local) {
                    self.thread(Active { from, local }, locals).map_err(|why| within(&thread(), why))?;
                }
            }
        }
        Ok(Rules { rules: std::mem::take(&mut self.rules), errors, ..self.start()? })
    }

    /// The steps of a thread that may step; `others` are those that may be there.
    fn thread(&mut self, active: Active, others: &BTreeSet<Local>) -> Result<(), Refused> {
        let key = self.states[active.from as usize];
        match self.stepper.moves(key.shared, active.local)? {
            Moves::Go(landings) => landings.into_iter().for_each(|it| self.go(active, Ok(it), None)),
            Moves::Start { me, children } => {
                for (shared, me) in me {
                    let to = self.after(active, shared, me);
                    for child in &children {
                        let mut make = child.clone().map(|child| vec![(child, 1)]);
                        make.iter_mut().for_each(|it| add(it, me, 1));
                        let take = vec![(active.local, 1)];
                        let at_bound = Some(vec![(me, 1)]);
                        self.rules.push(Rule { to, take, make, at_bound, ..Rule::idle(active.from) });
                    }
                }
            }
            Moves::End => {
                let starts = key.initialising;
                let to = self.number(Key { initialising: false, inside: 0, ..key });
                let take = vec![(active.local, 1)];
                self.rules.push(Rule { to, take, starts, ..Rule::idle(active.from) });
            }
            Moves::Broadcast(broadcast) => self.broadcast(active, others, &broadcast)?,
        }
        Ok(())
    }

    /// The shared state after a step.
    fn after(&mut self, active: Active, shared: SharedNo, me: Local) -> State {
        let inside = u8::from(self.stepper.certificate.inside(me as usize));
        self.number(Key { shared, inside, ..self.states[active.from as usize] })
    }

    /// The thread goes on.
    fn go(&mut self, active: Active, landing: Landing, react: Option<Reactions>) {
        let to = landing.as_ref().map_or(active.from, |&(shared, me)| self.after(active, shared, me));
        let make = landing.map(|(_, me)| vec![(me, 1)]);
        self.rules.push(Rule { to, take: vec![(active.local, 1)], make, react, ..Rule::idle(active.from) });
    }

    /// Without anybody to ask the condition must be one that somebody could meet: a thread that meets it
    /// shows that.
    fn broadcast(
        &mut self,
        active: Active,
        others: &BTreeSet<Local>,
        broadcast: &Broadcast,
    ) -> Result<(), Refused> {
        for choice in broadcast.choices.iter().filter(|choice| choice.alone) {
            let mut react = Reactions::new();
            for &other in others {
                react.insert(other, broadcast.reaction(&self.stepper, choice, other)?);
            }
            for landing in &choice.landings {
                self.go(active, landing.clone(), Some(react.clone()));
            }
        }
        Ok(())
    }

    /// The start alone, without rules.
    fn start(&mut self) -> Result<Rules, Refused> {
        let (certificate, budget) = (self.stepper.certificate, self.stepper.budget);
        let program = certificate.program;
        let pool = |(procedure, count): (ProcId, Interval)| {
            Ok::<_, Refused>(Pool { locals: newborns(certificate, procedure, budget)?, count })
        };
        let all = pools(program).into_iter().map(pool).collect::<Result<Vec<_>, _>>()?;
        let init = program.start().init;
        let (first, later) = match init {
            None => (all, None),
            Some(init) => (vec![pool((init, Interval::exactly(1)))?], Some(all)),
        };
        let values = certificate.view().shared.iter().map(|&id| start_values(program.shared()[id].init));
        let mut valuations = Valuations::new(values.collect());
        let mut starts = vec![];
        while let Some(valuation) = valuations.current() {
            budget.spend(1)?;
            starts.push(match certificate.shared_number(valuation) {
                Some(shared) => Ok(self.number(Key { initialising: init.is_some(), inside: 0, shared })),
                None => reject("a start has shared values that are not listed"),
            });
            valuations.advance();
        }
        let (monotone, idle) = (program.monotone(), is_idle(program));
        Ok(Rules { rules: vec![], starts, first, later, errors: vec![], monotone, idle })
    }
}

/// Threads in words.
pub fn words(threads: &Multiset) -> String {
    let threads: Vec<String> = threads.iter().map(|(thread, n)| format!("{n} of thread {thread}")).collect();
    if threads.is_empty() { "nobody".to_string() } else { threads.join(", ") }
}
