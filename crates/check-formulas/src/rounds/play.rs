//! Whether Adam's answers are answers. His positions are listed, so that nothing is searched for except that
//! a thread can really do what he declares: a few turns of one thread.

use super::model::{Shares, Threads};
use super::tables::{GameTables, wrapped};
use check::{Refused, reject};
use ir::certificate::{Game, Rounds, Stand};
use std::collections::{HashMap, HashSet};

/// Checks that no declaration of Eve's goes unanswered.
pub fn check(game: &Game, threads: &Threads<'_>, tables: &GameTables) -> Result<(), Refused> {
    let play = Play::read(game, threads, tables)?;
    for (stand, u, v) in &tables.openings {
        play.opening(*stand, u, v)?;
    }
    for (eve, adam) in &game.matched {
        play.matched(eve, adam)?;
    }
    for eve in &game.alone {
        play.alone(eve)?;
    }
    Ok(())
}

struct Play<'p, 'c> {
    threads: &'p Threads<'c>,
    tables: &'p GameTables,
    /// By Eve's rounds: Adam's.
    matched: HashMap<&'p Rounds, Vec<&'p Rounds>>,
    alone: HashSet<&'p Rounds>,
}

impl<'p, 'c> Play<'p, 'c> {
    fn read(game: &'p Game, threads: &'p Threads<'c>, tables: &'p GameTables) -> Result<Self, Refused> {
        let k = game.rounds as usize;
        let fits = |it: &Rounds, length: usize| {
            it.ins.len() == length
                && it.outs.len() == length
                && threads.knows(Stand::Ended, &it.ins)
                && threads.knows(Stand::Ended, &it.outs)
        };
        let positions = game.matched.iter().all(|(eve, adam)| fits(eve, k + 1) && fits(adam, k));
        if !positions || !game.alone.iter().all(|eve| fits(eve, k + 1)) {
            return Ok(reject("a position has a shared state or a length that is not there")?);
        }
        let mut matched: HashMap<&Rounds, Vec<&Rounds>> = HashMap::new();
        game.matched.iter().for_each(|(eve, adam)| matched.entry(eve).or_default().push(adam));
        Ok(Play { threads, tables, matched, alone: game.alone.iter().collect() })
    }

    /// Eve's first thread.
    fn opening(&self, stand: Stand, u: &Shares, v: &Shares) -> Result<(), Refused> {
        let begins = self.threads.first.as_ref().unwrap_or(&self.threads.other);
        let eve = Rounds { ins: u.clone(), outs: v.clone() };
        for adam in self.matched.get(&eve).into_iter().flatten() {
            let starts = self.threads.initial.contains(&adam.ins[0]);
            if starts && self.answers(stand, v, begins, adam)? {
                return Ok(());
            }
        }
        self.given_up(&eve)
    }

    /// Eve has declared some threads and Adam has answered them all.
    fn matched(&self, eve: &Rounds, adam: &Rounds) -> Result<(), Refused> {
        if wrapped(&eve.ins, &eve.outs) && !wrapped(&adam.ins, &adam.outs) {
            return Ok(reject(format!("Eve has a run, {eve:?}, but Adam has none: {adam:?}"))?);
        }
        for (stand, v) in self.tables.later.get(&eve.outs).into_iter().flatten() {
            self.threads.budget().spend(1)?;
            let next = Rounds { ins: eve.ins.clone(), outs: v.clone() };
            let mut answered = false;
            for answer in self.matched.get(&next).into_iter().flatten() {
                let turns = Rounds { ins: adam.outs.clone(), outs: answer.outs.clone() };
                let same = answer.ins == adam.ins;
                if same && self.answers(*stand, v, &self.threads.other, &turns)? {
                    answered = true;
                    break;
                }
            }
            if !answered {
                self.given_up(&next)?;
            }
        }
        Ok(())
    }

    /// Whether a thread that begins so may take these turns, end there and leave the same shared state as
    /// Eve's.
    fn answers(&self, stand: Stand, eve: &Shares, begins: &[Stand], turns: &Rounds) -> Result<bool, Refused> {
        if turns.outs.last() != eve.last() {
            return Ok(false);
        }
        let mut stands: HashSet<Stand> = begins.iter().copied().collect();
        for (&from, &to) in turns.ins.iter().zip(&turns.outs) {
            let mut after = HashSet::new();
            for stand in stands {
                // What leads out of what is listed is not one of the interfaces: it is no answer, but no
                // error either.
                let turn = match self.threads.turn((stand, from)) {
                    Err(Refused::Rejected(_)) => return Ok(false),
                    turn => turn?,
                };
                self.threads.budget().spend(1 + turn.len() as u64)?;
                after.extend(turn.iter().filter(|at| at.1 == to).map(|at| at.0));
            }
            stands = after;
        }
        Ok(stands.contains(&stand))
    }

    fn given_up(&self, eve: &Rounds) -> Result<(), Refused> {
        if self.alone.contains(eve) {
            return Ok(());
        }
        Ok(reject(format!("Adam has no answer to {eve:?}, and may not give up"))?)
    }

    /// Adam has given up: Eve never has a run.
    fn alone(&self, eve: &Rounds) -> Result<(), Refused> {
        if wrapped(&eve.ins, &eve.outs) {
            return Ok(reject(format!("Adam has given up, but Eve has a run: {eve:?}"))?);
        }
        for (_, v) in self.tables.later.get(&eve.outs).into_iter().flatten() {
            self.threads.budget().spend(1)?;
            self.given_up(&Rounds { ins: eve.ins.clone(), outs: v.clone() })?;
        }
        Ok(())
    }
}
