//! Interfaces, wants and right blocks, and whether they are closed under the equations of S4, section 4, as
//! repaired: a turn ends outside sections. In the comments u and v are the inputs and outputs of some rounds;
//! `T` are the interfaces.

use super::model::{ShareNo, Shares, Threads};
use check::{Refused, Rejected, reject, within};
use ir::certificate::{Game, Interface, Rounds, Stand};
use std::collections::{HashMap, HashSet};

/// What is listed, by length.
#[derive(Default)]
pub struct GameTables {
    /// Those of the first thread and those of others, by length − 1.
    interfaces: [Vec<Vec<Interface>>; 2],
    known: HashSet<Interface>,
    wants: HashSet<(Shares, Shares)>,
    /// By the inputs but the last, and the outputs.
    wanted: HashMap<(Shares, Shares), Vec<ShareNo>>,
    /// By the inputs.
    rights: HashMap<Shares, Vec<Shares>>,
    known_rights: HashSet<(Shares, Shares)>,
    /// Eve's extensions by the inputs.
    pub later: HashMap<Shares, Vec<(Stand, Shares)>>,
    /// Eve's openings.
    pub openings: Vec<(Stand, Shares, Shares)>,
    longest: usize,
}

/// Reads the tables; numbers that mean nothing are rejected.
pub fn read(game: &Game, threads: &Threads<'_>) -> Result<GameTables, Refused> {
    let longest = game.rounds as usize + 1;
    let empty = || vec![vec![]; longest];
    let mut tables = GameTables { interfaces: [empty(), empty()], longest, ..GameTables::default() };
    let fits = |stand: Stand, it: &Rounds, less: usize, most: usize| {
        let lengths = (1..=most).contains(&it.ins.len()) && it.outs.len() + less == it.ins.len();
        lengths && threads.knows(stand, &it.ins) && threads.knows(stand, &it.outs)
    };
    for it in &game.interfaces {
        threads.budget().spend(1)?;
        if !fits(it.stand, &it.rounds, 0, longest) || it.first && threads.first.is_none() {
            return Ok(reject("an interface has a thread, a shared state or a length that is not there")?);
        }
        tables.add(it, threads);
    }
    for (list, less, most) in [(&game.wants, 1, longest), (&game.rights, 0, longest - 1)] {
        for it in list {
            threads.budget().spend(1)?;
            if !fits(Stand::Ended, it, less, most) || it.ins.len() == less {
                return Ok(reject("a block has a shared state or a length that is not there")?);
            }
            let (ins, outs) = (it.ins.clone(), it.outs.clone());
            if less == 1 {
                let (&last, before) = ins.split_last().expect("lengths are at least 1");
                tables.wanted.entry((before.to_vec(), outs.clone())).or_default().push(last);
                tables.wants.insert((ins, outs));
            } else {
                tables.rights.entry(ins.clone()).or_default().push(outs.clone());
                tables.known_rights.insert((ins, outs));
            }
        }
    }
    Ok(tables)
}

/// Whether the outputs of each round are the inputs of the next.
pub fn wrapped(ins: &[ShareNo], outs: &[ShareNo]) -> bool {
    ins[1..].iter().zip(outs).all(|(a, b)| a == b)
}

impl GameTables {
    fn add(&mut self, it: &Interface, threads: &Threads<'_>) {
        let (ins, outs) = (it.rounds.ins.clone(), it.rounds.outs.clone());
        if !self.known.insert(it.clone()) {
            return;
        }
        if ins.len() == self.longest && threads.outside(it.stand) {
            if !it.first {
                self.later.entry(ins.clone()).or_default().push((it.stand, outs.clone()));
            }
            if opens(threads, it.first, &ins) {
                self.openings.push((it.stand, ins.clone(), outs));
            }
        }
        self.interfaces[usize::from(it.first)][ins.len() - 1].push(it.clone());
    }

    /// Checks all equations.
    pub fn check(&self, threads: &Threads<'_>) -> Result<(), Refused> {
        self.begin(threads)?;
        for first in [true, false] {
            for (at, list) in self.interfaces[usize::from(first)].iter().enumerate() {
                for it in list {
                    self.interface(threads, it)
                        .map_err(|why| within(&format!("an interface of {} rounds", at + 1), why))?;
                }
            }
        }
        Ok(())
    }

    fn require(&self, it: &Interface) -> Result<(), Rejected> {
        if self.known.contains(it) {
            return Ok(());
        }
        let Interface { first, stand, rounds: Rounds { ins, outs } } = it;
        let who = if *first { "the first thread" } else { "a thread" };
        reject(format!("the interface {ins:?} to {outs:?} of {who}, {stand:?}, is missing"))
    }

    /// (1.1) at the start.
    fn begin(&self, threads: &Threads<'_>) -> Result<(), Refused> {
        for &share in &threads.initial {
            for &stand in threads.first.as_ref().unwrap_or(&threads.other) {
                threads.budget().spend(1)?;
                let rounds = Rounds { ins: vec![share], outs: vec![share] };
                self.require(&Interface { first: threads.first.is_some(), stand, rounds })?;
            }
        }
        Ok(())
    }

    fn interface(&self, threads: &Threads<'_>, it: &Interface) -> Result<(), Refused> {
        let Interface { first, stand, rounds: Rounds { ins: u, outs: v } } = it;
        let (&last, before) = v.split_last().expect("lengths are at least 1");
        for &(next, share) in threads.steps((*stand, last))?.iter() {
            // (1.3) a step changes the local state and the last output.
            threads.budget().spend(1)?;
            let rounds = Rounds { ins: u.clone(), outs: longer(before, share) };
            self.require(&Interface { first: *first, stand: next, rounds })?;
        }
        if !threads.outside(*stand) {
            return Ok(());
        }
        if u.len() == 1 {
            // (1.1) the next thread begins with what this one leaves.
            for &born in &threads.other {
                let rounds = Rounds { ins: v.clone(), outs: v.clone() };
                self.require(&Interface { first: false, stand: born, rounds })?;
            }
        } else {
            self.wanted_after(threads, *first, u, v)?;
        }
        if u.len() < self.longest {
            self.resumed(threads, it)?;
            if !*first {
                self.blocks(threads, u, v)?;
            }
        }
        Ok(())
    }

    /// (1.2) T(i, σ, u, v) if T(i−1, σ, u, v), u_i = v_i, right(v, w), and want(u, w) or this is the first
    /// thread and u wraps with w.
    fn resumed(&self, threads: &Threads<'_>, it: &Interface) -> Result<(), Refused> {
        let Interface { first, stand, rounds: Rounds { ins: u, outs: v } } = it;
        let (first, stand) = (*first, *stand);
        for block in self.rights.get(v).into_iter().flatten() {
            threads.budget().spend(1)?;
            let wraps = opens(threads, first, u) && wrapped(u, block);
            let wanted = self.wanted.get(&(u.clone(), block.clone())).filter(|_| !first);
            let wraps = wraps.then_some(block.last().expect("lengths are at least 1"));
            for &next in wanted.into_iter().flatten().chain(wraps) {
                let rounds = Rounds { ins: longer(u, next), outs: longer(v, next) };
                self.require(&Interface { first, stand, rounds })?;
            }
        }
        Ok(())
    }

    /// want(u, v) if T(i, σ, w, u), right(u, v) for i−1, and want(w, v) or this is the first thread and w
    /// wraps with v.
    fn wanted_after(
        &self,
        threads: &Threads<'_>,
        first: bool,
        w: &Shares,
        u: &Shares,
    ) -> Result<(), Refused> {
        for block in self.rights.get(&u[..u.len() - 1]).into_iter().flatten() {
            threads.budget().spend(1)?;
            let wraps = opens(threads, first, w) && wrapped(w, block);
            let wanted = !first && self.wants.contains(&(w.clone(), block.clone()));
            if (wraps || wanted) && !self.wants.contains(&(u.clone(), block.clone())) {
                return Ok(reject(format!("the want {u:?} to {block:?} is missing"))?);
            }
        }
        Ok(())
    }

    /// right(u, v) if T(i, σ, u, v), or T(i, σ, u, w) and right(w, v); and i = 1 or want(u, v).
    fn blocks(&self, threads: &Threads<'_>, u: &Shares, w: &Shares) -> Result<(), Refused> {
        for v in std::iter::once(w).chain(self.rights.get(w).into_iter().flatten()) {
            threads.budget().spend(1)?;
            let wanted = u.len() == 1 || self.wants.contains(&(u.clone(), v[..v.len() - 1].to_vec()));
            if wanted && !self.known_rights.contains(&(u.clone(), v.clone())) {
                return Ok(reject(format!("the right block {u:?} to {v:?} is missing"))?);
            }
        }
        Ok(())
    }
}

/// Whether a thread with these inputs may be the first of a run.
fn opens(threads: &Threads<'_>, first: bool, ins: &[ShareNo]) -> bool {
    (first || threads.first.is_none()) && threads.initial.contains(&ins[0])
}

fn longer(shares: &[ShareNo], last: ShareNo) -> Shares {
    [shares, &[last]].concat()
}
