//! Few threads together, as formulas.

use super::family::Family;
use crate::symbolic::cnf::{Cnf, Lit};
use crate::symbolic::places::Places;
use base::Stop;

/// Threads, each in a class, with the shared variables and the flags.
#[derive(Clone)]
pub struct Crowd {
    /// Whether somebody is inside an atomic section.
    pub busy: bool,
    /// The rest; numbers of classes in the place of points.
    pub places: Places<Lit>,
}

impl Crowd {
    /// Whether the certificate holds them.
    pub fn holds(&self, cnf: &mut Cnf<'_>, family: &Family<'_>) -> Result<Lit, Stop> {
        let mut places = self.places.clone();
        places.sort();
        let formula = family.formula(places.initialising, self.busy, &places.points());
        let order: Vec<usize> = (0..places.threads.len()).collect();
        places.formula(cnf, (&family.closure.graph, formula), family.kept, &order)
    }

    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.places.threads.len()
    }

    /// The same without a thread.
    pub fn without(&self, index: usize) -> Crowd {
        let mut rest = self.clone();
        rest.places.threads.remove(index);
        rest
    }

    /// The same with one more thread.
    pub fn with(&self, thread: &(usize, Vec<Lit>)) -> Crowd {
        let mut more = self.clone();
        more.places.threads.push(thread.clone());
        more
    }

    /// The same with two threads exchanged.
    pub fn exchanged(&self, a: usize, b: usize) -> Crowd {
        let mut other = self.clone();
        other.places.threads.swap(a, b);
        other
    }
}
