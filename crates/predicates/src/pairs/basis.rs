//! The predicates of an abstraction and where they have a meaning: a predicate that reads a variable of the
//! thread counts only where that variable is live, and its bit is 0 elsewhere; a relation between two threads
//! counts where both its sides do.

use crate::terms::circuits::of_thread;
use base::Id;
use c::{Binary, ExprId, Exprs, LocalId};
use relation::proof::{Count, PairPredicate};
use relation::{ControlId, Relation};

/// The most predicates of each kind: their bits fill a word.
pub const MOST: usize = 64;
/// The most relations between threads: each has two bits, for the two orders of the threads.
pub const MOST_PAIRS: usize = 32;

/// The predicates.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The pool of the predicates; it begins with that of the relation.
    pub exprs: Exprs,
    /// Over shared variables only.
    pub shared: Vec<ExprId>,
    /// Over variables of one thread, and perhaps shared ones.
    pub local: Vec<ExprId>,
    /// Relations between two threads, over variables of threads only: no third thread can change them.
    pub pairs: Vec<PairPredicate>,
    /// Variables that are taken to count threads; whether they do is asked at the end.
    pub counts: Vec<Count>,
    live: Vec<Live>,
    symmetric: u64,
}

/// What counts at a control location, as bit sets.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    local: u64,
    left: u64,
    right: u64,
}

impl Basis {
    /// The predicates of an abstraction; the first [`MOST`] of each kind.
    pub fn new(relation: &Relation, exprs: Exprs, predicates: &[ExprId], pairs: &[PairPredicate]) -> Basis {
        let reads_thread = |&id: &ExprId| exprs.locals(id).into_iter().any(|it| of_thread(relation, it));
        let (local, shared): (Vec<ExprId>, Vec<ExprId>) = predicates.iter().partition(|id| reads_thread(id));
        let (pairs, counts) = (pairs.to_vec(), vec![]);
        let mut basis = Basis { exprs, shared, local, pairs, counts, live: vec![], symmetric: 0 };
        basis.shared.truncate(MOST);
        basis.local.truncate(MOST);
        basis.pairs.truncate(MOST_PAIRS);
        for (at, pair) in basis.pairs.iter().enumerate() {
            if pair.left == pair.right && pair.compare == Binary::Eq {
                basis.symmetric |= 1 << (2 * at);
            }
        }
        basis.live = relation.controls.ids().map(|control| basis.live_at(relation, control)).collect();
        basis
    }

    /// The same with variables that count threads.
    pub fn counting(self, counts: &[Count]) -> Basis {
        Basis { counts: counts.to_vec(), ..self }
    }

    fn live_at(&self, relation: &Relation, control: ControlId) -> Live {
        let live = &relation.controls[control].live;
        let counts = |id: ExprId| {
            let read = self.exprs.locals(id);
            read.into_iter().all(|it: LocalId| !of_thread(relation, it) || live.binary_search(&it).is_ok())
        };
        let set = |list: &mut dyn Iterator<Item = ExprId>| {
            list.enumerate().fold(0, |set, (at, id)| set | u64::from(counts(id)) << at)
        };
        Live {
            local: set(&mut self.local.iter().copied()),
            left: set(&mut self.pairs.iter().map(|pair| pair.left)),
            right: set(&mut self.pairs.iter().map(|pair| pair.right)),
        }
    }

    /// The bits of all shared predicates.
    pub fn shared_bits(&self) -> u64 {
        low(self.shared.len())
    }

    /// The bits of the predicates that count for a thread here.
    pub fn local_bits(&self, control: ControlId) -> u64 {
        self.live[control.index()].local
    }

    /// The bits of the relations that count for two threads here: bit 2k says that relation k holds of the
    /// first and the second, bit 2k + 1 that it holds of the second and the first. Equality of the same
    /// variable needs only the former.
    pub fn pair_bits(&self, first: ControlId, second: ControlId) -> u64 {
        let (a, b) = (self.live[first.index()], self.live[second.index()]);
        let (forward, backward) = (a.left & b.right, b.left & a.right);
        (0..self.pairs.len()).fold(0, |set, at| {
            let backward = backward >> at & 1 == 1 && self.symmetric >> (2 * at) & 1 == 0;
            set | (forward >> at & 1) << (2 * at) | u64::from(backward) << (2 * at + 1)
        })
    }

    /// The bits of two threads, seen from the other one.
    pub fn mirror(&self, bits: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let kept = bits & self.symmetric;
        let moved = bits & !self.symmetric;
        kept | (moved & EVEN) << 1 | moved >> 1 & EVEN
    }
}

/// This many ones.
fn low(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
