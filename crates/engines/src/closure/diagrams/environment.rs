//! Steps of threads outside a tuple. A thread that goes together with each part of the tuple makes a clique
//! with it, in which any thread may be the one that moves; the others are a tuple again, and see what has
//! become of the shared variables, or of themselves.

use super::derive::{DiagramDeriver, Member, Together};
use super::sets::{TupleKey, is_inside};
use base::Stop;
use solve::bdd::Bdd;

/// For each member of a tuple the tuples in which one more thread stands in its place.
struct Near {
    sets: Vec<Bdd>,
    /// The functions that they are.
    numbers: Vec<u32>,
}

impl DiagramDeriver<'_, '_> {
    /// All moves of one more thread that goes together with the tuple, and of those that see it as one more.
    pub(super) fn environment(&mut self, number: u32, fresh: Bdd) -> Result<(), Stop> {
        let key = self.sets.key(number);
        for other in self.sets.singles(&key).to_vec() {
            self.collect(&[fresh]);
            let mut threads: Vec<Member> = key.tuple.as_slice().iter().copied().zip(0..).collect();
            threads.push((other, self.width));
            let positions: Vec<usize> = key.tuple.positions().chain([self.width]).collect();
            let mut noticed = vec![];
            for at in positions {
                if key.may_step(threads[at].0) && self.is_noticed(threads[at], key.busy)? {
                    noticed.push(at);
                }
            }
            if noticed.is_empty() {
                continue;
            }
            let Some(near) = self.together(&key, other)? else { continue };
            let sources = near.numbers.iter().copied().chain([number]).collect();
            let together = Together { key, threads, sources };
            self.clique(&together, &noticed, fresh, &near.sets)?;
        }
        Ok(())
    }

    fn is_noticed(&mut self, thread: Member, busy: bool) -> Result<bool, Stop> {
        Ok(self.transitions_of(thread)?.iter().any(|one| one.is_noticed(is_inside(thread.0), busy)))
    }

    /// For each member of the tuple the tuples in which one more thread stands in its place, that thread's
    /// locals at the place after all members. Nothing if one of them is empty.
    fn together(&mut self, key: &TupleKey, other: u32) -> Result<Option<Near>, Stop> {
        let tuple = key.tuple.as_slice();
        let mut numbers = vec![];
        for left_out in 0..tuple.len() {
            let part = TupleKey { tuple: key.tuple.without(left_out).with(other), ..*key };
            let Some(number) = self.sets.find(&part) else { return Ok(None) };
            numbers.push(number);
        }
        let mut sets = vec![];
        for (left_out, &number) in numbers.iter().enumerate() {
            let rest = (0..tuple.len()).filter(|&at| at != left_out).map(|at| (tuple[at], at));
            let mut threads: Vec<Member> = rest.chain([(other, self.width)]).collect();
            threads.sort_unstable();
            let moves: Vec<(usize, usize)> = (0..).zip(threads.iter().map(|it| it.1)).collect();
            sets.push(self.slots.arrange(self.encoding, self.sets.all(number), &moves, self.budget)?);
        }
        Ok(Some(Near { sets, numbers }))
    }

    /// The moves that others notice of the threads at these positions, as far as all threads can be there
    /// together.
    fn clique(
        &mut self,
        together: &Together,
        positions: &[usize],
        fresh: Bdd,
        near: &[Bdd],
    ) -> Result<(), Stop> {
        let mut set = self.meet(fresh, near)?;
        if set.is_false() {
            return Ok(());
        }
        for &at in positions {
            for one in self.transitions_of(together.threads[at])?.iter() {
                if !one.is_noticed(is_inside(together.threads[at].0), together.key.busy) {
                    continue;
                }
                let new = self.leave(together, at, one, set)?;
                if at == self.width && !new.is_false() {
                    // What is new in the tuple the next move can start from, as within a class.
                    let more = self.meet(new, near)?;
                    set = self.encoding.manager.or(set, more, self.budget)?;
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, set: Bdd, near: &[Bdd]) -> Result<Bdd, Stop> {
        let all = [set].into_iter().chain(near.iter().copied());
        self.encoding.manager.and_all(all, self.budget)
    }
}
