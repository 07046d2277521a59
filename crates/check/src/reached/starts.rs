//! The starts of a program, and the templates' threads that are there when `init` has ended.

use super::chart::{Chart, SharedNo, ThreadNo};
use super::crowd::Crowd;
use super::figure::Figure;
use super::step::start_values;
use super::{Checker, creates_threads};
use crate::describe::bits;
use crate::picks::{Picks, Splits};
use crate::{Refused, Rejected, reject};
use base::Budget;
use ir::bp::{Count, ProcId};

/// What the templates' threads may be.
pub struct Population {
    templates: Vec<Newborns>,
    /// Whether only full crowds need to be looked at.
    full: bool,
    cut: bool,
}

struct Newborns {
    least: u32,
    /// Whether there may be more.
    open: bool,
    threads: Result<Vec<ThreadNo>, Rejected>,
}

impl Population {
    /// The templates of the program.
    ///
    /// In a monotone program that creates no threads, a run with fewer threads than the bound is also one with idle threads added
    /// up to the bound, if more of them may start at all. A program that creates threads is different: idle threads leave no room
    /// for children.
    pub fn new(chart: &Chart<'_>, budget: &Budget) -> Result<Population, Refused> {
        let mut templates = vec![];
        for template in &chart.program.start().templates {
            let (least, open) = match template.count {
                Count::Exactly(n) => (n, false),
                Count::AtLeast(n) => (n, true),
            };
            let threads = newborns(chart, template.procedure, budget)?;
            templates.push(Newborns { least, open, threads });
        }
        let more = templates.iter().any(|it| it.open);
        let full = more && chart.program.monotone() && !creates_threads(chart.program);
        Ok(Population { templates, full, cut: false })
    }

    /// Whether the bound ever left no room for the threads that must start.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    /// All numbers of threads for the templates that leave at most `room` free, one list after the other.
    fn counts(&self, room: u64) -> Counts {
        let least: Vec<u32> = self.templates.iter().map(|it| it.least).collect();
        let total: u64 = least.iter().map(|&n| u64::from(n)).sum();
        let spare = room.checked_sub(total).map(|spare| u32::try_from(spare).unwrap_or(u32::MAX));
        let open: Vec<usize> = (0..least.len()).filter(|&index| self.templates[index].open).collect();
        // One outcome more than there are open templates: a place that does not start.
        let outcomes = open.len() + usize::from(!self.full);
        let spare = if open.is_empty() { spare.map(|_| 0) } else { spare };
        let splits = spare.map(|spare| Splits::new([(spare, outcomes)]));
        Counts { least, open, splits }
    }
}

/// Numbers of threads, one for each template.
struct Counts {
    least: Vec<u32>,
    open: Vec<usize>,
    splits: Option<Splits>,
}

impl Counts {
    fn next(&mut self) -> Option<Vec<u32>> {
        let splits = self.splits.as_mut()?;
        let split = splits.current()?;
        let mut counts = self.least.clone();
        self.open.iter().zip(&split[0]).for_each(|(&index, &n)| counts[index] += n);
        splits.advance();
        Some(counts)
    }
}

/// All threads that begin in a procedure.
pub fn newborns(
    chart: &Chart<'_>,
    procedure: ProcId,
    budget: &Budget,
) -> Result<Result<Vec<ThreadNo>, Rejected>, Refused> {
    let program = chart.program;
    let entry = program.procedures()[procedure].entry;
    let mut figure = Figure::newborn(program, entry, |local| start_values(program.locals()[local].init));
    figure.settle(program);
    Ok(chart.numbers(&figure, budget)?.into_iter().collect())
}

impl Checker<'_> {
    /// Every start of the program is in the set.
    pub(super) fn starts(&mut self) -> Result<(), Refused> {
        let chart = self.stepper.chart;
        let first = |id: &ir::bp::SharedId| start_values(chart.program.shared()[*id].init);
        let mut picks = Picks::new(chart.kept_shared().iter().map(first).collect());
        while let Some(pick) = picks.current() {
            self.stepper.budget.spend(1)?;
            self.starts_with(pick).map_err(|refused| match refused {
                Refused::Rejected(Rejected(why)) => Rejected(format!("at the start: {why}")).into(),
                stopped => stopped,
            })?;
            picks.advance();
        }
        Ok(())
    }

    fn starts_with(&mut self, shared: &[bool]) -> Result<(), Refused> {
        let chart = self.stepper.chart;
        let Some(number) = chart.shared_number(shared) else {
            // Without room for the threads there is no start at all.
            let none =
                chart.program.start().init.is_none() && self.population.counts(self.bound()).next().is_none();
            self.population.cut |= none;
            let why = format!("no state has the shared values {}", bits(shared));
            return if none { Ok(()) } else { Ok(reject(why)?) };
        };
        match chart.program.start().init {
            None => self.populate(number, &Crowd::default()),
            Some(init) => {
                for thread in newborns(chart, init, self.stepper.budget)?? {
                    let mut alone = Crowd::default();
                    alone.add(thread, 1);
                    self.require(true, number, &alone)?;
                }
                Ok(())
            }
        }
    }

    /// With the threads that are there already, the templates' threads come in every number that the bound has room for.
    pub(super) fn populate(&mut self, shared: SharedNo, others: &Crowd) -> Result<(), Refused> {
        let room = self.bound().checked_sub(others.len());
        let counts = room.map(|room| self.population.counts(room));
        let Some(mut counts) = counts.filter(|it| it.splits.is_some()) else {
            self.population.cut = true;
            return Ok(());
        };
        while let Some(count) = counts.next() {
            self.stepper.budget.spend(1)?;
            self.start_so_many(shared, others, &count)?;
        }
        Ok(())
    }

    fn start_so_many(&mut self, shared: SharedNo, others: &Crowd, count: &[u32]) -> Result<(), Refused> {
        let mut groups: Vec<(u32, Vec<ThreadNo>)> = vec![];
        for (newborns, &n) in self.population.templates.iter().zip(count) {
            if n > 0 {
                groups.push((n, newborns.threads.clone()?));
            }
        }
        let mut splits = Splits::new(groups.iter().map(|(n, threads)| (*n, threads.len())));
        while let Some(split) = splits.current() {
            self.stepper.budget.spend(1)?;
            let mut crowd = others.clone();
            for ((_, threads), counts) in groups.iter().zip(split) {
                threads.iter().zip(counts).for_each(|(&thread, &n)| crowd.add(thread, n));
            }
            self.require(false, shared, &crowd)?;
            splits.advance();
        }
        Ok(())
    }
}
