//! The program as threads that take turns. What the view forgets is read as either value. A thread that was
//! created waits as a message in the shared state until a dormant thread takes it; its creator may also leave
//! none, and then the child never moves, which makes no difference without broadcasts. A run of the program
//! is one of these threads, as long as a message can always be taken at once: the creator must be outside
//! sections. A message may be any one of several threads: which it is shows when it is taken.
//!
//! Fixed threads, except one of the first template that has any, either are taken as any number, or sleep:
//! the shared state then says how many still do, and a dormant thread may become one of them.

use base::Budget;
use check::enumerate::Valuations;
use check::index::{CertificateIndex, SharedNo, ThreadNo};
use check::interpret::start_values;
use check::step::{Moves, Stepper, newborns};
use check::{Refused, Rejected, reject};
use ir::bp::{Count, ProcId};
use ir::certificate::{Game, Share, Stand};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A shared state, by its number in the certificate.
pub type ShareNo = usize;
/// One shared state for each of some rounds.
pub type Shares = Vec<ShareNo>;
/// A thread's own part and the shared state.
pub type At = (Stand, ShareNo);

/// A shared state: the values, and who has not begun.
type Parts = (SharedNo, Waiting);

/// Who has not begun: what the thread may be that was created last, if it waits; how many sleep of each
/// template.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Waiting {
    message: Vec<usize>,
    sleeping: Vec<u32>,
}

/// Threads of a template that sleep at the start.
struct Late {
    born: Vec<Stand>,
    count: u32,
}

/// The threads.
pub struct Threads<'c> {
    stepper: Stepper<'c>,
    shares: HashMap<Parts, ShareNo>,
    listed: Vec<Parts>,
    /// The messages that occur.
    messages: BTreeSet<Vec<usize>>,
    /// Where fixed threads sleep: who, and how many at the start.
    late: Vec<Late>,
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
    pub fn new(
        certificate: &'c CertificateIndex<'c>,
        game: &Game,
        budget: &'c Budget,
    ) -> Result<Self, Refused> {
        let number =
            |values: &[bool]| certificate.shared_number(values).expect("all valuations have numbers");
        let parts = |share: &Share| {
            let waiting = Waiting { message: share.message.clone(), sleeping: share.sleeping.clone() };
            (number(&share.values), waiting)
        };
        let listed: Vec<Parts> = game.shares.iter().map(parts).collect();
        let shares: HashMap<_, _> =
            listed.iter().enumerate().map(|(index, it)| (it.clone(), index)).collect();
        if shares.len() != listed.len() {
            return Ok(reject("a shared state is listed twice")?);
        }
        let messages = game.shares.iter().map(|share| share.message.clone());
        let mut threads = Threads {
            stepper: Stepper { certificate, budget },
            shares,
            listed,
            messages: messages.filter(|it| !it.is_empty()).collect(),
            late: vec![],
            initial: HashSet::new(),
            first: None,
            other: vec![],
            steps: RefCell::default(),
            turns: RefCell::default(),
        };
        threads.begin()?;
        // Where no message is listed, no step leaves one: whether somebody waits for one makes no difference.
        let waits = game.interfaces.iter().any(|it| it.stand == Stand::Dormant);
        if waits || !threads.messages.is_empty() || !threads.late.is_empty() {
            threads.other.push(Stand::Dormant);
        }
        Ok(threads)
    }

    /// What pays for the work.
    pub fn budget(&self) -> &'c Budget {
        self.stepper.budget
    }

    fn begin(&mut self) -> Result<(), Refused> {
        if self.stepper.certificate.program.start().is_empty() {
            return Ok(());
        }
        let missing = self.populate()?;
        let (certificate, budget) = (self.stepper.certificate, self.stepper.budget);
        let values =
            certificate.view().shared.iter().map(|&id| start_values(certificate.program.shared()[id].init));
        let waiting = Waiting { message: vec![], sleeping: self.late.iter().map(|it| it.count).collect() };
        let mut valuations = Valuations::new(values.collect());
        while let Some(valuation) = valuations.current() {
            budget.spend(1)?;
            let share =
                certificate.shared_number(valuation).and_then(|it| self.shares.get(&(it, waiting.clone())));
            let Some(&share) = share else {
                return Ok(reject("a start has shared values that are not listed")?);
            };
            self.initial.insert(share);
            valuations.advance();
        }
        if let Some(init) = certificate.program.start().init {
            self.initial = self.after_init(init)?;
        }
        match missing {
            // Where `init` never ends, nobody else ever begins.
            Some(missing) if !self.initial.is_empty() => Err(missing.into()),
            _ => Ok(()),
        }
    }

    /// The threads of the templates. They sleep if the first shared state that is listed counts them; the
    /// others must then, too, as no step leads from a state with a count to one without. The first of them
    /// that is not listed is given back.
    fn populate(&mut self) -> Result<Option<Rejected>, Refused> {
        let (certificate, budget) = (self.stepper.certificate, self.stepper.budget);
        let sleep = self.listed.first().is_some_and(|it| !it.1.sleeping.is_empty());
        let mut missing = None;
        let templates = certificate.program.start().templates.iter();
        // Of a template without a thread nobody is ever born: the proof need not list one.
        for template in templates.filter(|it| it.count != Count::Exactly(0)) {
            let born = newborns(certificate, template.procedure, budget)?;
            let born = born.unwrap_or_else(|why| {
                missing.get_or_insert(why);
                vec![]
            });
            let born: Vec<Stand> = born.into_iter().map(|thread| Stand::At(thread as usize)).collect();
            let mut more = true;
            if let Count::Exactly(n) = template.count {
                let one = n > 0 && self.first.is_none();
                let count = n - u32::from(one);
                more = count > 0 && !sleep;
                if one {
                    self.first = Some(born.clone());
                }
                if count > 0 && sleep {
                    self.late.push(Late { born: born.clone(), count });
                }
            }
            if more {
                self.other.extend(born);
            }
        }
        if self.listed.iter().any(|it| it.1.sleeping.len() != self.late.len()) {
            return Ok(reject("a shared state does not count the threads that sleep")?);
        }
        Ok(missing)
    }

    /// The shared states in which `init` may end: its thread alone, from all starts.
    fn after_init(&self, init: ProcId) -> Result<HashSet<ShareNo>, Refused> {
        let (certificate, budget) = (self.stepper.certificate, self.stepper.budget);
        let mut work = vec![];
        for thread in newborns(certificate, init, budget)?? {
            work.extend(self.initial.iter().map(|&share| (Stand::At(thread as usize), share)));
        }
        let mut seen: HashSet<At> = work.iter().copied().collect();
        let mut ends = HashSet::new();
        while let Some(at) = work.pop() {
            budget.spend(1)?;
            match at.0 {
                Stand::Ended => drop(ends.insert(at.1)),
                _ => work.extend(self.steps(at)?.iter().filter(|&&next| seen.insert(next))),
            }
        }
        Ok(ends)
    }

    /// Whether a turn may end there.
    pub fn outside(&self, stand: Stand) -> bool {
        !matches!(stand, Stand::At(thread) if self.stepper.certificate.inside(thread))
    }

    /// Whether there is such a thread and such a shared state.
    pub fn knows(&self, stand: Stand, shares: &[ShareNo]) -> bool {
        let threads = self.stepper.certificate.thread_count();
        !matches!(stand, Stand::At(thread) if thread >= threads)
            && shares.iter().all(|&share| share < self.listed.len())
    }

    /// The steps of a thread in its turn; rejected if it fails, or does what others would notice.
    pub fn steps(&self, (stand, share): At) -> Result<Rc<Vec<At>>, Refused> {
        if let Some(known) = self.steps.borrow().get(&(stand, share)) {
            return Ok(known.clone());
        }
        let (shared, waiting) = &self.listed[share];
        let found = match stand {
            Stand::Dormant => self.wake(*shared, waiting)?,
            Stand::Ended => vec![],
            Stand::At(thread) => self.thread(thread, *shared, waiting)?,
        };
        let found = Rc::new(found);
        self.steps.borrow_mut().insert((stand, share), found.clone());
        Ok(found)
    }

    /// A dormant thread takes the message or becomes one that sleeps.
    fn wake(&self, shared: SharedNo, waiting: &Waiting) -> Result<Vec<At>, Refused> {
        let mut found = vec![];
        if !waiting.message.is_empty() {
            let taken = self.share(shared, Waiting { message: vec![], ..waiting.clone() })?;
            found.extend(waiting.message.iter().map(|&child| (Stand::At(child), taken)));
        }
        for (index, late) in self.late.iter().enumerate() {
            let mut left = waiting.clone();
            if let Some(fewer) = left.sleeping[index].checked_sub(1) {
                left.sleeping[index] = fewer;
                let share = self.share(shared, left)?;
                found.extend(late.born.iter().map(|&born| (born, share)));
            }
        }
        Ok(found)
    }

    fn thread(&self, thread: usize, shared: SharedNo, waiting: &Waiting) -> Result<Vec<At>, Refused> {
        self.stepper.budget.spend(1)?;
        let number = u32::try_from(thread).expect("threads that are listed have numbers");
        if self.stepper.is_error(shared, number, true)? {
            return Ok(reject(format!("thread {thread} fails"))?);
        }
        let mut found = vec![];
        match self.stepper.moves(shared, number)? {
            Moves::Go(landings) => {
                for (shared, thread) in landings {
                    found.push((Stand::At(thread as usize), self.share(shared, waiting.clone())?));
                }
            }
            Moves::End => found.push((Stand::Ended, self.share(shared, waiting.clone())?)),
            Moves::Start { .. } if self.stepper.certificate.inside(thread) => {
                return Ok(reject(
                    "a thread is created inside a section, where nobody can take the message",
                )?);
            }
            Moves::Start { me, children } => {
                let leaves = !me.is_empty() && waiting.message.is_empty();
                let messages = if leaves { self.messages_for(children)? } else { vec![] };
                for &(shared, thread) in &me {
                    let stand = Stand::At(thread as usize);
                    found.push((stand, self.share(shared, waiting.clone())?));
                    for message in &messages {
                        let left = Waiting { message: message.to_vec(), ..waiting.clone() };
                        found.push((stand, self.share(shared, left)?));
                    }
                }
            }
            Moves::Broadcast(_) => return Ok(reject("a step changes or asks other threads")?),
        }
        Ok(found)
    }

    /// The messages that a creation may leave: those that are some of what it creates. Together they must be
    /// all of that.
    fn messages_for(&self, children: Vec<Result<ThreadNo, Rejected>>) -> Result<Vec<&Vec<usize>>, Refused> {
        let mut created = BTreeSet::new();
        for child in children {
            created.insert(child? as usize);
        }
        let fits = |it: &&Vec<usize>| it.iter().all(|child| created.contains(child));
        let messages: Vec<&Vec<usize>> = self.messages.iter().filter(fits).collect();
        let named: BTreeSet<usize> = messages.iter().flat_map(|it| it.iter().copied()).collect();
        if named != created {
            return Ok(reject("no message is one of the threads that are created")?);
        }
        Ok(messages)
    }

    fn share(&self, shared: SharedNo, waiting: Waiting) -> Result<ShareNo, Rejected> {
        let found = self.shares.get(&(shared, waiting)).copied();
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
