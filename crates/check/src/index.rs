//! What a certificate's numbers mean: looks its threads and shared values over once, and finds their numbers
//! again for the results of steps.

use crate::describe::{bits, location};
use crate::enumerate::Valuations;
use crate::interpret::Interpreter;
use crate::logic::Plain;
use crate::rules::Multiset;
use crate::thread::{AbstractThread, Side};
use crate::view_index::ViewIndex;
use crate::{Refused, Rejected, reject};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, Program, Values};
use ir::certificate::{ThreadView, View};
use std::collections::{HashMap, HashSet};

/// A thread of the certificate, by number.
pub type ThreadNo = u32;
/// A valuation of the shared variables that occurs in the certificate, by number.
pub type SharedNo = u32;

/// A thread of the certificate, or what it has no number for.
pub type Numbered = Result<ThreadNo, Rejected>;

/// Where a step lands: shared variables and a thread of the certificate, or what it has no number for.
pub type Landing = Result<(SharedNo, ThreadNo), Rejected>;

/// A certificate that is well formed.
pub struct CertificateIndex<'c> {
    /// The program.
    pub program: &'c Program,
    view_index: ViewIndex<'c>,
    listed: &'c [ThreadView],
    threads: HashMap<(usize, &'c [bool]), ThreadNo>,
    valuations: Vec<&'c [bool]>,
    valuation_numbers: HashMap<&'c [bool], SharedNo>,
}

impl<'c> CertificateIndex<'c> {
    /// Reads the threads of a certificate; ill-formed ones are rejected.
    pub fn new(view: ViewIndex<'c>, listed: &'c [ThreadView], budget: &Budget) -> Result<Self, Refused> {
        let (threads, valuations, valuation_numbers) = (HashMap::new(), vec![], HashMap::new());
        let (program, view_index) = (view.program, view);
        let mut index =
            CertificateIndex { program, view_index, listed, threads, valuations, valuation_numbers };
        for number in 0..listed.len() {
            budget.spend(1)?;
            index.read_thread(number).map_err(|why| Rejected::new(format!("thread {number}: {why}")))?;
        }
        Ok(index)
    }

    /// Takes shared values that occur in the certificate; their number.
    pub fn add_valuation(&mut self, values: &'c [bool]) -> Result<SharedNo, Rejected> {
        if values.len() != self.view().shared.len() {
            return reject("other shared values than are kept");
        }
        if let Some(known) = self.shared_number(values) {
            return Ok(known);
        }
        let Ok(number) = SharedNo::try_from(self.valuations.len()) else {
            return reject("too many shared valuations");
        };
        self.valuation_numbers.insert(values, number);
        self.valuations.push(values);
        Ok(number)
    }

    /// Threads of the certificate with how many there are of each.
    pub fn multiset(&self, threads: &[(usize, u32)]) -> Result<Multiset, Rejected> {
        if !threads.iter().all(|&(thread, n)| thread < self.listed.len() && n > 0) {
            return reject("no such thread, or none of it");
        }
        if !threads.is_sorted_by(|a, b| a.0 < b.0) {
            return reject("the threads are not in order");
        }
        Ok(threads.iter().map(|&(thread, n)| (thread as ThreadNo, n)).collect())
    }

    /// How many threads are listed.
    pub fn thread_count(&self) -> usize {
        self.listed.len()
    }

    /// What is kept.
    pub fn view(&self) -> &'c View {
        self.view_index.view
    }

    fn read_thread(&mut self, index: usize) -> Result<(), Rejected> {
        let thread = &self.listed[index];
        match self.view_index.slots(thread.control) {
            Some(slots) if slots.len() == thread.values.len() => {}
            _ => return reject("no such control location, or other values than are kept there"),
        }
        let Ok(number) = ThreadNo::try_from(index) else { return reject("too many threads") };
        if self.threads.insert((thread.control, &thread.values), number).is_some() {
            return reject("the same thread twice");
        }
        // The semantics never lets such a thread be: asking what it does would have no answer.
        let abstract_thread = self.abstract_thread(number);
        let mut settled = abstract_thread.clone();
        settled.settle(self.program);
        let kept = self.view_index.slots(thread.control).unwrap_or_default();
        if kept.iter().any(|&slot| abstract_thread.get(slot) != settled.get(slot)) {
            return reject("a dead local is not 0");
        }
        Ok(())
    }

    /// Where a thread's control is.
    pub fn loc(&self, thread: usize) -> Loc {
        self.view_index.loc(self.listed[thread].control)
    }

    /// Whether a thread is inside an atomic section.
    pub fn inside(&self, thread: usize) -> bool {
        self.view().controls[self.listed[thread].control].inside
    }

    /// The number of shared values, if they occur.
    pub fn shared_number(&self, values: &[bool]) -> Option<SharedNo> {
        self.valuation_numbers.get(values).copied()
    }

    /// All shared variables; those that are forgotten may have either value.
    pub fn shared_values(&self, number: SharedNo) -> Vec<Values> {
        self.view_index.shared(self.valuations[number as usize].iter().map(|&value| Values::only(value)))
    }

    /// The values of the shared variables kept.
    pub fn shared_values_kept(&self, number: SharedNo) -> &'c [bool] {
        self.valuations[number as usize]
    }

    /// A thread with all its locals; those that are forgotten may have either value.
    pub fn abstract_thread(&self, number: ThreadNo) -> AbstractThread {
        let thread = &self.listed[number as usize];
        self.view_index.abstract_thread(thread.control, thread.values.iter().map(|&it| Values::only(it)))
    }

    /// Where an abstract thread keeps the values that are listed where it stands; `None` if the certificate
    /// has no such control location.
    pub fn kept(&self, abstract_thread: &AbstractThread) -> Option<&[usize]> {
        self.view_index.control(abstract_thread).and_then(|control| self.view_index.slots(control))
    }

    /// All threads of the certificate that the abstract thread stands for. Each value kept must be chosen: a
    /// set is split into its members.
    pub fn numbers(&self, thread: &AbstractThread, budget: &Budget) -> Result<Vec<Numbered>, Refused> {
        let Some((control, slots)) = self.view_index.control(thread).zip(self.kept(thread)) else {
            return Ok(vec![Err(self.view_index.unknown_control(thread))]);
        };
        let mut found = vec![];
        let mut valuations = Valuations::new(slots.iter().map(|&slot| thread.get(slot)).collect());
        while let Some(valuation) = valuations.current() {
            budget.spend(1)?;
            let Some(&number) = self.threads.get(&(control, valuation)) else {
                let at = location(self.program, thread.loc());
                found.push(reject(format!("there is no thread {at} with values {}", bits(valuation))));
                break;
            };
            found.push(Ok(number));
            valuations.advance();
        }
        Ok(found)
    }

    /// Where the active thread may be after a step: every value kept is chosen, `enforce` is asked, dead
    /// locals become 0.
    pub fn land(
        &self,
        shared: &[Values],
        me: &AbstractThread,
        budget: &Budget,
    ) -> Result<Vec<Landing>, Refused> {
        let Some(kept) = self.kept(me) else {
            let enforced = enforced(self.program, Side { shared, me, passive: None }, budget)?;
            return Ok(if enforced { vec![Err(self.view_index.unknown_control(me))] } else { vec![] });
        };
        let view = &self.view().shared;
        let sets = view.iter().map(|id| shared[id.index()]).chain(kept.iter().map(|&slot| me.get(slot)));
        let mut valuations = Valuations::new(sets.collect());
        let (mut shared, mut me) = (shared.to_vec(), me.clone());
        let mut landings = vec![];
        let mut seen = HashSet::new();
        while let Some(valuation) = valuations.current() {
            budget.spend(1)?;
            let (shared_pick, my_pick) = valuation.split_at(view.len());
            view.iter().zip(shared_pick).for_each(|(id, &value)| shared[id.index()] = Values::only(value));
            kept.iter().zip(my_pick).for_each(|(&slot, &value)| me.set(slot, Values::only(value)));
            if enforced(self.program, Side { shared: &shared, me: &me, passive: None }, budget)? {
                let landing = self.landing(shared_pick, &me, budget)?;
                let missing = landing.is_err();
                if landing.as_ref().map_or(true, |&it| seen.insert(it)) {
                    landings.push(landing);
                }
                // One way out is enough to reject the step, if it can be taken at all.
                if missing {
                    break;
                }
            }
            valuations.advance();
        }
        Ok(landings)
    }

    fn landing(&self, shared: &[bool], me: &AbstractThread, budget: &Budget) -> Result<Landing, Refused> {
        let mut settled = me.clone();
        settled.settle(self.program);
        let Some(number) = self.shared_number(shared) else {
            return Ok(reject(format!("no state has the shared values {}", bits(shared))));
        };
        let mut threads = self.numbers(&settled, budget)?;
        let thread = threads.pop().expect("every value was chosen: there is one thread");
        Ok(thread.map(|thread| (number, thread)))
    }
}

/// Whether the invariant of the thread's current activation may hold.
pub fn enforced(program: &Program, side: Side<'_>, budget: &Budget) -> Result<bool, Stop> {
    Interpreter { program, logic: Plain(budget) }.enforced(side)
}
