//! The starts of a program, and the templates' threads that are there when `init` has ended.

use super::Checker;
use super::chart::{Chart, SharedNo, ThreadNo};
use super::crowd::Crowd;
use crate::describe::bits;
use crate::interpret::{beginner, start_values};
use crate::picks::{Picks, Splits};
use crate::{Refused, Rejected, reject};
use base::Budget;
use ir::bp::ProcId;

/// All threads that begin in a procedure.
pub fn newborns(
    chart: &Chart<'_>,
    procedure: ProcId,
    budget: &Budget,
) -> Result<Result<Vec<ThreadNo>, Rejected>, Refused> {
    Ok(chart.numbers(&beginner(chart.program, procedure), budget)?.into_iter().collect())
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
            let none = chart.program.start().init.is_none() && self.population.counts(self.bound()).is_none();
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
        let Some(counts) = room.and_then(|room| self.population.counts(room)) else {
            self.population.cut = true;
            return Ok(());
        };
        for count in counts {
            self.stepper.budget.spend(1)?;
            self.start_so_many(shared, others, &count)?;
        }
        Ok(())
    }

    fn start_so_many(&mut self, shared: SharedNo, others: &Crowd, count: &[u32]) -> Result<(), Refused> {
        let mut groups: Vec<(u32, Vec<ThreadNo>)> = vec![];
        for (newborns, &n) in self.newborns.iter().zip(count) {
            if n > 0 {
                groups.push((n, newborns.clone()?));
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
