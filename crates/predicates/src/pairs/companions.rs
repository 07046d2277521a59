//! Which threads can be there together, over few predicates: a closure over states of two threads that knows
//! only locks and other small variables. With it, threads that are looked at one by one over many predicates
//! are disturbed only by those that can be there at the same time: nobody by the holder of a lock that it
//! holds itself, or by `main` before it creates threads.

use crate::pairs::basis::Basis;
use crate::pairs::closure::{Closed, Limits, close};
use crate::pairs::state::{Single, States};
use base::{Budget, Stop};
use c::{ExprId, Exprs};
use relation::Relation;
use relation::proof::{Column, Double};

/// The closure over few predicates, and where these stand among the many.
pub struct Companions {
    basis: Basis,
    states: States,
    shared: Vec<usize>,
    local: Vec<usize>,
}

impl Companions {
    /// The closure over these predicates; none if it is too large.
    pub fn new(
        relation: &Relation,
        exprs: &Exprs,
        predicates: &[ExprId],
        states: usize,
        budget: &Budget,
    ) -> Result<Option<Companions>, Stop> {
        let basis = Basis::new(relation, exprs.clone(), predicates, &[]);
        let limits = Limits { width: 2, states, all: true };
        Ok(match close(relation, &basis, limits, budget)? {
            Closed::Safe(states) => Some(Companions { basis, states, shared: vec![], local: vec![] }),
            _ => None,
        })
    }

    /// Finds the few predicates among those of another basis; whether they are all there.
    pub fn place(&mut self, basis: &Basis) -> bool {
        let among = |few: &[ExprId], many: &[ExprId]| -> Option<Vec<usize>> {
            few.iter().map(|id| many.iter().position(|it| it == id)).collect()
        };
        let found = among(&self.basis.shared, &basis.shared).zip(among(&self.basis.local, &basis.local));
        let all = found.is_some();
        (self.shared, self.local) = found.unwrap_or_default();
        all
    }

    /// Whether two threads in these states, of the basis that was given last, can be there together.
    pub fn allow(&self, one: Single, other: Single) -> bool {
        !self.states.between(self.few(one), self.few(other)).is_empty()
    }

    fn few(&self, many: Single) -> Single {
        let gather = |bits: u64, places: &[usize]| {
            places.iter().enumerate().fold(0, |few, (at, &place)| few | (bits >> place & 1) << at)
        };
        Single {
            control: many.control,
            shared: gather(many.shared, &self.shared),
            local: gather(many.local, &self.local),
        }
    }

    /// The states of two threads as tables of a proof over the basis that was given last.
    pub fn doubles(&self, basis: &Basis, budget: &Budget) -> Result<Vec<Double>, Stop> {
        let place = |at: usize| match at.checked_sub(self.shared.len()) {
            None => self.shared[at],
            Some(at) => basis.shared.len() + self.local[at],
        };
        let mut doubles = crate::pairs::tables::doubles(&self.basis, &self.states, budget)?;
        for column in doubles.iter_mut().flat_map(|it| &mut it.table.columns) {
            *column = match *column {
                Column::First(at) => Column::First(place(at)),
                Column::Second(at) => Column::Second(place(at)),
                Column::Pair(at) => Column::Pair(at),
            };
        }
        Ok(doubles)
    }
}
