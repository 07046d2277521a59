//! Few threads together, as formulas.

use super::index::ClassIndex;
use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use crate::symbolic::stage::Thread;
use crate::symbolic::state::SymbolicState;
use base::Stop;

/// Threads, each in a class, with the shared variables and the flags.
#[derive(Clone)]
pub struct Population {
    /// Whether somebody is inside an atomic section.
    pub busy: bool,
    /// The rest; numbers of classes where it has control locations.
    pub state: SymbolicState<Lit>,
}

impl Population {
    /// Whether the certificate holds them.
    pub fn holds(&self, cnf: &mut Cnf<'_>, certificate: &ClassIndex<'_>) -> Result<Lit, Stop> {
        let mut state = self.state.clone();
        state.sort();
        let formula = certificate.formula_of(state.initialising, self.busy, &state.controls());
        let order: Vec<usize> = (0..state.threads.len()).collect();
        state.formula(cnf, formula, certificate.kept, &order)
    }

    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.state.threads.len()
    }

    /// The same without a thread.
    pub fn without(&self, index: usize) -> Population {
        let mut rest = self.clone();
        rest.state.threads.remove(index);
        rest
    }

    /// The same with one more thread.
    pub fn with(&self, thread: &Thread) -> Population {
        let mut more = self.clone();
        more.state.threads.push(thread.clone());
        more
    }

    /// The same with two threads exchanged.
    pub fn exchanged(&self, a: usize, b: usize) -> Population {
        let mut other = self.clone();
        other.state.threads.swap(a, b);
        other
    }
}
