//! Multisets of threads and the set of all states of a certificate, in which successors are looked up.

use super::chart::{Chart, SharedNo, ThreadNo};
use base::{Budget, Stop};
use std::collections::HashSet;

/// Threads with how many there are of each, sorted, none zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Crowd(Vec<(ThreadNo, u32)>);

impl Crowd {
    /// The threads of a state of the certificate.
    pub fn of(threads: &[(usize, u32)]) -> Crowd {
        Crowd(threads.iter().map(|&(thread, n)| (thread as ThreadNo, n)).collect())
    }

    /// The threads.
    pub fn groups(&self) -> &[(ThreadNo, u32)] {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|it| u64::from(it.1)).sum()
    }

    /// Adds `n` of a thread.
    pub fn add(&mut self, thread: ThreadNo, n: u32) {
        if n == 0 {
            return;
        }
        match self.0.binary_search_by_key(&thread, |it| it.0) {
            Ok(index) => self.0[index].1 += n,
            Err(index) => self.0.insert(index, (thread, n)),
        }
    }

    /// Takes one of a thread away, which must be there.
    pub fn without(&self, thread: ThreadNo) -> Crowd {
        let mut rest = self.clone();
        let found = rest.0.binary_search_by_key(&thread, |it| it.0);
        let index = found.expect("only threads of the state step");
        rest.0[index].1 -= 1;
        if rest.0[index].1 == 0 {
            rest.0.remove(index);
        }
        rest
    }
}

/// All states of a certificate.
pub struct States {
    known: HashSet<Box<[u32]>>,
    key: Vec<u32>,
}

impl States {
    /// The states.
    pub fn new(chart: &Chart<'_>, budget: &Budget) -> Result<States, Stop> {
        let mut states = States { known: HashSet::new(), key: vec![] };
        for state in &chart.reached.states {
            budget.spend(1)?;
            let shared = chart.shared_number(&state.shared).expect("all valuations have numbers");
            states.write_key(state.initialising, shared, &Crowd::of(&state.threads));
            states.known.insert(states.key.clone().into_boxed_slice());
        }
        Ok(states)
    }

    /// Whether the state is in the certificate.
    pub fn contains(&mut self, initialising: bool, shared: SharedNo, crowd: &Crowd) -> bool {
        self.write_key(initialising, shared, crowd);
        self.known.contains(&self.key[..])
    }

    fn write_key(&mut self, initialising: bool, shared: SharedNo, crowd: &Crowd) {
        self.key.clear();
        self.key.extend([u32::from(initialising), shared]);
        self.key.extend(crowd.0.iter().flat_map(|&(thread, n)| [thread, n]));
    }
}
