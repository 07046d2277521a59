//! The program as threads that take turns. What the view forgets is read as either value. A thread that was created waits as a message in
//! the shared state until a dormant thread takes it; its creator may also leave none, and then the child never moves, which makes no
//! difference without broadcasts. A run of the program is one of these threads, as long as a message can always be taken at once: the
//! creator must be outside sections. Fixed threads, except one of the first template that has any, are taken as any number.

use crate::interpret::start_values;
use crate::picks::Picks;
use crate::reached::{Chart, Moves, SharedNo, Stepper, newborns};
use crate::{Refused, Rejected, reject};
use base::Budget;
use ir::bp::{Count, Op, ProcId};
use ir::certificate::{Game, Stand};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A shared state, by its number in the certificate.
pub type ShareNo = usize;
/// A thread's own part and the shared state.
pub type At = (Stand, ShareNo);

/// The threads.
pub struct Threads<'c> {
    stepper: Stepper<'c>,
    shares: HashMap<(SharedNo, Option<usize>), ShareNo>,
    listed: Vec<(SharedNo, Option<usize>)>,
    /// The shared states at the start.
    pub initial: HashSet<ShareNo>,
    /// How the first thread begins, if there is one.
    pub first: Option<Vec<Stand>>,
    /// How all others begin.
    pub other: Vec<Stand>,
    steps: RefCell<HashMap<At, Rc<Vec<At>>>>,
    turns: RefCell<HashMap<At, Rc<HashSet<At>>>>,
}

impl<'c> Threads<'c> {
    /// The threads of a program.
    pub fn new(chart: &'c Chart<'c>, game: &Game, budget: &'c Budget) -> Result<Self, Refused> {
        let number = |values: &[bool]| chart.shared_number(values).expect("all valuations have numbers");
        let listed: Vec<(SharedNo, Option<usize>)> =
            game.shares.iter().map(|share| (number(&share.values), share.message)).collect();
        let shares: HashMap<_, _> = listed.iter().enumerate().map(|(index, &it)| (it, index)).collect();
        if shares.len() != listed.len() {
            return Ok(reject("a shared state is listed twice")?);
        }
        let mut threads = Threads {
            stepper: Stepper { chart, budget },
            shares,
            listed,
            initial: HashSet::new(),
            first: None,
            other: vec![],
            steps: RefCell::default(),
            turns: RefCell::default(),
        };
        threads.begin()?;
        // Where no message is listed, no step leaves one: whether somebody waits for one makes no difference.
        let waits = game.interfaces.iter().any(|it| it.stand == Stand::Dormant);
        if waits || game.shares.iter().any(|share| share.message.is_some()) {
            threads.other.push(Stand::Dormant);
        }
        Ok(threads)
    }

    /// What pays for the work.
    pub fn budget(&self) -> &'c Budget {
        self.stepper.budget
    }

    fn begin(&mut self) -> Result<(), Refused> {
        let (chart, budget) = (self.stepper.chart, self.stepper.budget);
        let values = chart.kept_shared().iter().map(|&id| start_values(chart.program.shared()[id].init));
        let mut picks = Picks::new(values.collect());
        while let Some(pick) = picks.current() {
            budget.spend(1)?;
            let share = chart.shared_number(pick).and_then(|it| self.shares.get(&(it, None)));
            let Some(&share) = share else {
                return Ok(reject("a start has shared values that are not listed")?);
            };
            self.initial.insert(share);
            picks.advance();
        }
        if let Some(init) = chart.program.start().init {
            self.initial = self.after_init(init)?;
        }
        for template in &chart.program.start().templates {
            let born = newborns(chart, template.procedure, budget)??;
            let born: Vec<Stand> = born.into_iter().map(|thread| Stand::At(thread as usize)).collect();
            let mut more = true;
            if let Count::Exactly(n) = template.count {
                let one = n > 0 && self.first.is_none();
                more = n > u32::from(one);
                if one {
                    self.first = Some(born.clone());
                }
            }
            if more {
                self.other.extend(born);
            }
        }
        Ok(())
    }

    /// The shared states in which `init` may end: its thread alone, from all starts.
    fn after_init(&self, init: ProcId) -> Result<HashSet<ShareNo>, Refused> {
        let (chart, budget) = (self.stepper.chart, self.stepper.budget);
        let mut work = vec![];
        for thread in newborns(chart, init, budget)?? {
            work.extend(self.initial.iter().map(|&share| (Stand::At(thread as usize), share)));
        }
        let mut seen: HashSet<At> = work.iter().copied().collect();
        let mut ends = HashSet::new();
        while let Some(at) = work.pop() {
            budget.spend(1)?;
            match at.0 {
                Stand::At(thread) if matches!(chart.program.at(chart.loc(thread)).op, Op::Start(_)) => {
                    return Ok(reject("`init` starts a thread")?);
                }
                Stand::Ended => drop(ends.insert(at.1)),
                _ => work.extend(self.steps(at)?.iter().filter(|&&next| seen.insert(next))),
            }
        }
        Ok(ends)
    }

    /// Whether a turn may end there.
    pub fn outside(&self, stand: Stand) -> bool {
        !matches!(stand, Stand::At(thread) if self.stepper.chart.inside(thread))
    }

    /// Whether there is such a thread and such a shared state.
    pub fn knows(&self, stand: Stand, shares: &[ShareNo]) -> bool {
        let threads = self.stepper.chart.reached.threads.len();
        !matches!(stand, Stand::At(thread) if thread >= threads)
            && shares.iter().all(|&share| share < self.listed.len())
    }

    /// The steps of a thread in its turn; rejected if it fails, or does what others would notice.
    pub fn steps(&self, (stand, share): At) -> Result<Rc<Vec<At>>, Refused> {
        if let Some(known) = self.steps.borrow().get(&(stand, share)) {
            return Ok(known.clone());
        }
        let (shared, message) = self.listed[share];
        let found = match (stand, message) {
            (Stand::Dormant, Some(child)) => vec![(Stand::At(child), self.share(shared, None)?)],
            (Stand::Dormant | Stand::Ended, _) => vec![],
            (Stand::At(thread), _) => self.thread(thread, shared, message)?,
        };
        let found = Rc::new(found);
        self.steps.borrow_mut().insert((stand, share), found.clone());
        Ok(found)
    }

    fn thread(&self, thread: usize, shared: SharedNo, message: Option<usize>) -> Result<Vec<At>, Refused> {
        self.stepper.budget.spend(1)?;
        let number = u32::try_from(thread).expect("threads that are listed have numbers");
        if self.stepper.is_error(shared, number, true)? {
            return Ok(reject(format!("thread {thread} fails"))?);
        }
        let mut found = vec![];
        match self.stepper.moves(shared, number)? {
            Moves::Go(landings) => {
                for (shared, thread) in landings {
                    found.push((Stand::At(thread as usize), self.share(shared, message)?));
                }
            }
            Moves::End => found.push((Stand::Ended, self.share(shared, message)?)),
            Moves::Start { .. } if self.stepper.chart.inside(thread) => {
                return Ok(reject(
                    "a thread is created inside a section, where nobody can take the message",
                )?);
            }
            Moves::Start { me, children } => {
                for &(shared, thread) in &me {
                    let stand = Stand::At(thread as usize);
                    found.push((stand, self.share(shared, message)?));
                    for child in children.iter().filter(|_| message.is_none()) {
                        found.push((stand, self.share(shared, Some(child.clone()? as usize))?));
                    }
                }
            }
            Moves::Broadcast(_) => return Ok(reject("a step changes or asks other threads")?),
        }
        Ok(found)
    }

    fn share(&self, shared: SharedNo, message: Option<usize>) -> Result<ShareNo, Rejected> {
        let found = self.shares.get(&(shared, message)).copied();
        found.map_or_else(|| reject("a step leads to a shared state that is not listed"), Ok)
    }

    /// Where a turn may lead that starts there, its end included only where it may end.
    pub fn turn(&self, from: At) -> Result<Rc<HashSet<At>>, Refused> {
        if let Some(known) = self.turns.borrow().get(&from) {
            return Ok(known.clone());
        }
        let (mut seen, mut work) = (HashSet::from([from]), vec![from]);
        while let Some(at) = work.pop() {
            for &next in self.steps(at)?.iter() {
                self.stepper.budget.spend(1)?;
                if seen.insert(next) {
                    work.push(next);
                }
            }
        }
        seen.retain(|at| self.outside(at.0));
        let seen = Rc::new(seen);
        self.turns.borrow_mut().insert(from, seen.clone());
        Ok(seen)
    }
}
