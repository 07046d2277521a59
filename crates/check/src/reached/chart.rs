//! What a certificate's numbers mean: looks its threads and states over once, and finds their numbers again for the results
//! of steps.

use crate::atlas::Atlas;
use crate::describe::{bits, place};
use crate::figure::{Figure, Side};
use crate::interpret::Interpreter;
use crate::logic::Plain;
use crate::picks::Picks;
use crate::{Refused, Rejected, reject};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, Program, SharedId, Values};
use ir::certificate::Reached;
use std::collections::{HashMap, HashSet};

/// A thread of the certificate, by number.
pub type ThreadNo = u32;
/// A valuation of the shared variables that occurs in the certificate, by number.
pub type SharedNo = u32;

/// Where a step lands: shared variables and a thread of the certificate, or what it has no number for.
pub type Landing = Result<(SharedNo, ThreadNo), Rejected>;

/// A certificate that is well formed.
pub struct Chart<'c> {
    pub program: &'c Program,
    pub reached: &'c Reached,
    pub atlas: Atlas<'c>,
    threads: HashMap<(usize, &'c [bool]), ThreadNo>,
    valuations: Vec<&'c [bool]>,
    valuation_numbers: HashMap<&'c [bool], SharedNo>,
}

impl<'c> Chart<'c> {
    /// Reads a certificate; an ill-formed one is rejected.
    pub fn new(program: &'c Program, reached: &'c Reached, budget: &Budget) -> Result<Self, Refused> {
        let mut chart = Chart {
            program,
            reached,
            atlas: Atlas::new(program, &reached.view, budget)?,
            threads: HashMap::new(),
            valuations: vec![],
            valuation_numbers: HashMap::new(),
        };
        for (index, _) in reached.threads.iter().enumerate() {
            budget.spend(1)?;
            chart.read_thread(index).map_err(|why| Rejected(format!("thread {index}: {why}")))?;
        }
        for (index, _) in reached.states.iter().enumerate() {
            budget.spend(1)?;
            chart.read_state(index).map_err(|why| Rejected(format!("state {index}: {why}")))?;
        }
        Ok(chart)
    }

    fn read_thread(&mut self, index: usize) -> Result<(), Rejected> {
        let thread = &self.reached.threads[index];
        match self.atlas.slots(thread.point) {
            Some(slots) if slots.len() == thread.values.len() => {}
            _ => return reject("no such point, or other values than are kept there"),
        }
        let Ok(number) = ThreadNo::try_from(index) else { return reject("too many threads") };
        if self.threads.insert((thread.point, &thread.values), number).is_some() {
            return reject("the same thread twice");
        }
        // The semantics never lets such a thread be: asking what it does would have no answer.
        let figure = self.figure(number);
        let mut settled = figure.clone();
        settled.settle(self.program);
        let kept = self.atlas.slots(thread.point).unwrap_or_default();
        if kept.iter().any(|&slot| figure.get(slot) != settled.get(slot)) {
            return reject("a dead local is not 0");
        }
        Ok(())
    }

    fn read_state(&mut self, index: usize) -> Result<(), Rejected> {
        let state = &self.reached.states[index];
        if state.shared.len() != self.reached.view.shared.len() {
            return reject("other shared values than are kept");
        }
        if !state.threads.iter().all(|&(thread, n)| thread < self.reached.threads.len() && n > 0) {
            return reject("no such thread, or none of it");
        }
        if !state.threads.is_sorted_by(|a, b| a.0 < b.0) {
            return reject("the threads are not in order");
        }
        // `init` runs alone under every bound.
        let most = u64::from(self.reached.bound.max(1));
        if state.threads.iter().map(|it| u64::from(it.1)).sum::<u64>() > most {
            return reject("more threads than the bound allows");
        }
        if !self.valuation_numbers.contains_key(&state.shared[..]) {
            let Ok(number) = SharedNo::try_from(self.valuations.len()) else {
                return reject("too many shared valuations");
            };
            self.valuation_numbers.insert(&state.shared, number);
            self.valuations.push(&state.shared);
        }
        Ok(())
    }

    /// Where a thread's control is.
    pub fn loc(&self, thread: usize) -> Loc {
        self.atlas.loc(self.reached.threads[thread].point)
    }

    /// Whether a thread is inside an atomic section.
    pub fn inside(&self, thread: usize) -> bool {
        self.reached.view.points[self.reached.threads[thread].point].inside
    }

    /// The number of shared values, if they occur.
    pub fn shared_number(&self, values: &[bool]) -> Option<SharedNo> {
        self.valuation_numbers.get(values).copied()
    }

    /// All shared variables; those that are forgotten may have either value.
    pub fn shared_values(&self, number: SharedNo) -> Vec<Values> {
        self.atlas.shared(self.valuations[number as usize].iter().map(|&value| Values::only(value)))
    }

    /// The values of the shared variables kept.
    pub fn shared_values_kept(&self, number: SharedNo) -> &'c [bool] {
        self.valuations[number as usize]
    }

    /// The shared variables kept.
    pub fn kept_shared(&self) -> &'c [SharedId] {
        &self.reached.view.shared
    }

    /// A thread with all its locals; those that are forgotten may have either value.
    pub fn figure(&self, number: ThreadNo) -> Figure {
        let thread = &self.reached.threads[number as usize];
        self.atlas.figure(thread.point, thread.values.iter().map(|&value| Values::only(value)))
    }

    /// Where a figure keeps the values that are listed where it stands; `None` if the certificate has no such point.
    pub fn kept(&self, figure: &Figure) -> Option<&[usize]> {
        self.atlas.point(figure).and_then(|point| self.atlas.slots(point))
    }

    /// All threads of the certificate that the figure stands for. Each value kept must be picked: a set is split into its members.
    pub fn numbers(
        &self,
        figure: &Figure,
        budget: &Budget,
    ) -> Result<Vec<Result<ThreadNo, Rejected>>, Refused> {
        let Some((point, slots)) = self.atlas.point(figure).zip(self.kept(figure)) else {
            return Ok(vec![Err(self.atlas.no_point(figure))]);
        };
        let mut found = vec![];
        let mut picks = Picks::new(slots.iter().map(|&slot| figure.get(slot)).collect());
        while let Some(pick) = picks.current() {
            budget.spend(1)?;
            let Some(&number) = self.threads.get(&(point, pick)) else {
                let at = place(self.program, figure.loc());
                found.push(reject(format!("there is no thread {at} with values {}", bits(pick))));
                break;
            };
            found.push(Ok(number));
            picks.advance();
        }
        Ok(found)
    }

    /// Where the active thread may be after a step: every value kept is picked, `enforce` is asked, dead locals become 0.
    pub fn land(&self, shared: &[Values], me: &Figure, budget: &Budget) -> Result<Vec<Landing>, Refused> {
        let Some(kept) = self.kept(me) else {
            let enforced = enforced(self.program, Side { shared, me, passive: None }, budget)?;
            return Ok(if enforced { vec![Err(self.atlas.no_point(me))] } else { vec![] });
        };
        let view = self.kept_shared();
        let sets = view.iter().map(|id| shared[id.index()]).chain(kept.iter().map(|&slot| me.get(slot)));
        let mut picks = Picks::new(sets.collect());
        let (mut shared, mut me) = (shared.to_vec(), me.clone());
        let mut landings = vec![];
        let mut seen = HashSet::new();
        while let Some(pick) = picks.current() {
            budget.spend(1)?;
            let (shared_pick, my_pick) = pick.split_at(view.len());
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
            picks.advance();
        }
        Ok(landings)
    }

    fn landing(&self, shared: &[bool], me: &Figure, budget: &Budget) -> Result<Landing, Refused> {
        let mut settled = me.clone();
        settled.settle(self.program);
        let Some(number) = self.shared_number(shared) else {
            return Ok(reject(format!("no state has the shared values {}", bits(shared))));
        };
        let mut threads = self.numbers(&settled, budget)?;
        let thread = threads.pop().expect("every value was picked: there is one thread");
        Ok(thread.map(|thread| (number, thread)))
    }
}

/// Whether the invariant of the thread's current activation may hold.
pub fn enforced(program: &Program, side: Side<'_>, budget: &Budget) -> Result<bool, Stop> {
    Interpreter { program, logic: Plain(budget) }.enforced(side)
}
