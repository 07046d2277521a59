//! The adequacy game (La Torre, Madhusudan and Parlato, CAV 2010, section 5). Eve declares, thread by thread,
//! a run of k+1 rounds; Adam answers each thread with one of k rounds that ends in the same local and shared
//! state. If he can always do so, what is reachable in k+1 rounds is reachable in k, and so is everything. If
//! Eve wins nothing follows: she may adapt her run to Adam's answers.
//!
//! Solved backwards: `ahead` are the positions from which Eve wins where Adam has matched everything so far
//! and she is to move; his own positions are folded into her moves. Only positions count that she can reach
//! and from which she can still make a run: elsewhere she never wins, and where he fails there she wins
//! alone. Adam's last output is always Eve's, so that it needs no variables of its own.

use super::equations::{Equations, Kind, PathKey};
use super::moves::Position;
use crate::fixpoint::Calculus;
use base::Stop;
use solve::bdd::{Bdd, Level};

/// Threads that Eve may declare and that Adam may answer alike: which local state it is makes no difference
/// to him.
#[derive(Clone, Copy)]
struct Choice {
    /// Eve: her inputs and outputs.
    eve: Bdd,
    /// Adam: his inputs and outputs.
    adam: Bdd,
}

/// The game with its columns: u and v, x and y, and the next v and y. The last y is the last v.
struct Game<'e, 'p, 'b> {
    equations: &'e mut Equations<'p, 'b>,
    u: Vec<Level>,
    v: Vec<Level>,
    x: Vec<Level>,
    y: Vec<Level>,
    next_v: Vec<Level>,
    next_y: Vec<Level>,
    openings: Vec<Choice>,
    later: Vec<Choice>,
    /// What Eve can reach and make a run of, over u and v.
    open: Bdd,
}

/// Who wins where, in a game that Adam wins from the start; only for positions that are reached in it.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// Adam has matched so far, over u, v, x and y: Eve wins.
    pub ahead: Bdd,
    /// Eve may still make a run, over u and v.
    pub open: Bdd,
}

/// The game for `rounds`, if Adam wins it; needs the relations of one more round.
pub fn adam_wins(equations: &mut Equations<'_, '_>, rounds: usize) -> Result<Option<Regions>, Stop> {
    assert!(equations.rounds() > rounds, "Eve plays one round more");
    let space = &equations.space;
    let levels = |columns: &[crate::fixpoint::Column], most: usize| space.levels(&columns[..most]);
    let [x, y, next_v, next_y] = &space.game;
    let (v, next_v) = (levels(&space.v, rounds + 1), levels(next_v, rounds + 1));
    let bits = equations.model.bits.len();
    let with_last = |own: Vec<Level>, eve: &[Level]| [&own[..], &eve[eve.len() - bits..]].concat();
    let mut game = Game {
        u: levels(&space.u, rounds + 1),
        x: levels(x, rounds),
        y: with_last(levels(y, rounds - 1), &v),
        next_y: with_last(levels(next_y, rounds - 1), &next_v),
        v,
        next_v,
        equations,
        openings: vec![],
        later: vec![],
        open: Bdd::FALSE,
    };
    game.choices(rounds)?;
    game.open = game.open()?;
    let ahead = game.solve()?;
    Ok(ahead.map(|ahead| Regions { ahead, open: game.open }))
}

impl Game<'_, '_, '_> {
    fn choices(&mut self, rounds: usize) -> Result<(), Stop> {
        let positions: Vec<(Kind, Position)> = self
            .equations
            .paths
            .keys()
            .filter(|key| key.round == rounds + 1 && key.kind != Kind::Init)
            .map(|key| (key.kind, key.position))
            .collect();
        let symmetric = self.equations.symmetric();
        for (kind, position) in positions {
            let (eve, adam) = (self.paths(kind, position, rounds + 1)?, self.paths(kind, position, rounds)?);
            if eve.is_false() {
                continue;
            }
            let local = match position {
                Position::At(loc) => self.equations.local_levels(loc),
                _ => vec![],
            };
            if kind == Kind::First || symmetric {
                let initial = self.initial()?;
                let adams = [zip(&self.u, &self.x), zip(&self.v, &self.y)].concat();
                let calculus = &mut self.equations.system.calculus;
                let (eve, adam) = (calculus.and(eve, initial)?, calculus.and(adam, initial)?);
                let adam = calculus.rename(adam, &adams)?;
                split(calculus, Choice { eve, adam }, &local, &mut self.openings)?;
            }
            if kind == Kind::Other {
                let eves = [zip(&self.u, &self.v), zip(&self.v, &self.next_v)].concat();
                let adams = [zip(&self.u, &self.y), zip(&self.v, &self.next_y)].concat();
                let calculus = &mut self.equations.system.calculus;
                let (eve, adam) = (calculus.rename(eve, &eves)?, calculus.rename(adam, &adams)?);
                split(calculus, Choice { eve, adam }, &local, &mut self.later)?;
            }
        }
        let calculus = &mut self.equations.system.calculus;
        self.openings = undominated(calculus, std::mem::take(&mut self.openings))?;
        self.later = undominated(calculus, std::mem::take(&mut self.later))?;
        Ok(())
    }

    /// The paths that end a turn at a position.
    fn paths(&mut self, kind: Kind, position: Position, round: usize) -> Result<Bdd, Stop> {
        let path = self.equations.path(PathKey { kind, entered: 0, round, position });
        let all = self.equations.system.total(path);
        if !matches!(position, Position::At(_)) {
            return Ok(all);
        }
        let outside = self.equations.system.calculus.literal(self.equations.space.inside.now, false)?;
        self.equations.system.calculus.and(all, outside)
    }

    /// That the first input is one of the start.
    fn initial(&mut self) -> Result<Bdd, Stop> {
        let initial = self.equations.system.total(self.equations.initial);
        let space = &self.equations.space;
        let pairs = space.layout.pairs(space.v[0], space.u[0]);
        self.equations.system.calculus.rename(initial, &pairs)
    }

    /// That inputs and outputs are wrapped.
    fn wrapped(&mut self, ins: &[Level], outs: &[Level]) -> Result<Bdd, Stop> {
        let bits = self.equations.model.bits.len();
        self.equations.system.calculus.equal(&zip(&ins[bits..], &outs[..outs.len() - bits]))
    }

    /// Eve's positions that she can reach and from which she can make a run: reached(u, v) ← she opens;
    /// reached(u, v') ← reached(u, v), she extends v to v'; open(u, v) ← reached(u, v), and it is wrapped or
    /// she extends v to v' and open(u, v').
    fn open(&mut self) -> Result<Bdd, Stop> {
        let extends = self.equations.system.calculus.any(self.later.iter().map(|it| it.eve))?;
        let mut fresh = self.equations.system.calculus.any(self.openings.iter().map(|it| it.eve))?;
        let mut reached = Bdd::FALSE;
        while !fresh.is_false() {
            self.equations.system.calculus.budget.spend(1)?;
            let calculus = &mut self.equations.system.calculus;
            reached = calculus.or(reached, fresh)?;
            let found = calculus.and_exists(extends, fresh, &self.v)?;
            let found = calculus.rename(found, &zip(&self.next_v, &self.v))?;
            fresh = calculus.and(found, !reached)?;
            self.collect(&[extends, reached, fresh]);
        }
        let wrapped = self.wrapped(&self.u.clone(), &self.v.clone())?;
        let mut open = Bdd::FALSE;
        let mut fresh = self.equations.system.calculus.and(wrapped, reached)?;
        while !fresh.is_false() {
            self.equations.system.calculus.budget.spend(1)?;
            let calculus = &mut self.equations.system.calculus;
            open = calculus.or(open, fresh)?;
            let there = calculus.rename(fresh, &zip(&self.v, &self.next_v))?;
            let found = calculus.and_exists(extends, there, &self.next_v)?;
            let found = calculus.and(found, reached)?;
            fresh = calculus.and(found, !open)?;
            self.collect(&[extends, reached, open, fresh]);
        }
        Ok(open)
    }

    /// Eve's attractor where Adam has matched so far; Adam wins if no opening of hers leads into it.
    fn solve(&mut self) -> Result<Option<Bdd>, Stop> {
        let (u, v, x, y) = (self.u.clone(), self.v.clone(), self.x.clone(), self.y.clone());
        let (wrapped, other) = (self.wrapped(&u, &v)?, self.wrapped(&x, &y)?);
        let mut ahead = self.equations.system.calculus.all([wrapped, !other, self.open])?;
        // This many choices in a row, in turn, have given nothing new.
        let (mut quiet, mut turn) = (0, 0);
        loop {
            if turn == 0 && self.eve_opens(ahead)? {
                return Ok(None);
            }
            if quiet == self.later.len() {
                return Ok(Some(ahead));
            }
            self.equations.system.calculus.budget.spend(1)?;
            let found = self.eve_goes_on(self.later[turn], ahead)?;
            let more = self.equations.system.calculus.or(ahead, found)?;
            quiet = if more == ahead { quiet + 1 } else { 0 };
            ahead = more;
            turn = (turn + 1) % self.later.len();
            self.collect(&[ahead]);
        }
    }

    fn eve_opens(&mut self, ahead: Bdd) -> Result<bool, Stop> {
        let hidden = [&self.x[..], self.own_outputs(&self.y)].concat();
        for choice in &self.openings {
            let calculus = &mut self.equations.system.calculus;
            let safe = calculus.and(self.open, !ahead)?;
            let escapes = calculus.and_exists(choice.adam, safe, &hidden)?;
            let loses = calculus.and(self.open, !escapes)?;
            if !calculus.manager.disjoint(choice.eve, loses, calculus.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adam's outputs but the last.
    fn own_outputs<'l>(&self, outputs: &'l [Level]) -> &'l [Level] {
        &outputs[..outputs.len() - self.equations.model.bits.len()]
    }

    /// Where Eve has such a move after which every answer leads to `ahead`, or there is none and she wins
    /// alone.
    fn eve_goes_on(&mut self, choice: Choice, ahead: Bdd) -> Result<Bdd, Stop> {
        let hidden = self.own_outputs(&self.next_y).to_vec();
        let next = [zip(&self.v, &self.next_v), zip(&self.y, &self.next_y)].concat();
        let calculus = &mut self.equations.system.calculus;
        let safe = calculus.and(self.open, !ahead)?;
        let safe = calculus.rename(safe, &next)?;
        let escapes = calculus.and_exists(choice.adam, safe, &hidden)?;
        let open = calculus.rename(self.open, &next)?;
        let loses = calculus.and(open, !escapes)?;
        let found = calculus.and_exists(choice.eve, loses, &self.next_v)?;
        calculus.and(found, self.open)
    }

    fn collect(&mut self, others: &[Bdd]) {
        if self.equations.system.calculus.manager.wants_collection() {
            let choices = self.openings.iter().chain(&self.later);
            let mut roots: Vec<Bdd> = choices.flat_map(|it| [it.eve, it.adam]).collect();
            roots.extend(others);
            roots.push(self.open);
            self.equations.system.collect(&roots);
        }
    }
}

/// Splits what Eve declares by what Adam may answer, one choice for each of his answers, and adds it to those
/// that are there.
fn split(
    calculus: &mut Calculus<'_>,
    choice: Choice,
    local: &[Level],
    choices: &mut Vec<Choice>,
) -> Result<(), Stop> {
    let mut work = vec![choice];
    while let Some(Choice { eve, adam }) = work.pop() {
        calculus.budget.spend(1)?;
        if eve.is_false() {
            continue;
        }
        let read = calculus.manager.support(adam).into_iter().find(|level| local.contains(level));
        if let Some(level) = read {
            for value in [true, false] {
                let with = calculus.literal(level, value)?;
                let eve = calculus.and(eve, with)?;
                let adam = calculus.manager.cofactor(adam, &[(level, value)], calculus.budget)?;
                work.push(Choice { eve, adam });
            }
            continue;
        }
        let eve = calculus.exists(eve, local)?;
        match choices.iter_mut().find(|it| it.adam == adam) {
            Some(same) => same.eve = calculus.or(same.eve, eve)?,
            None => choices.push(Choice { eve, adam }),
        }
    }
    Ok(())
}

/// The choices without those that Eve need not take: what she can declare where Adam has fewer answers.
fn undominated(calculus: &mut Calculus<'_>, mut choices: Vec<Choice>) -> Result<Vec<Choice>, Stop> {
    for at in 0..choices.len() {
        for other in 0..choices.len() {
            let (mine, better) = (choices[at], choices[other]);
            if at != other && calculus.manager.leq(better.adam, mine.adam, calculus.budget)? {
                choices[at].eve = calculus.and(mine.eve, !better.eve)?;
            }
        }
    }
    choices.retain(|it| !it.eve.is_false());
    Ok(choices)
}

fn zip(from: &[Level], to: &[Level]) -> Vec<(Level, Level)> {
    from.iter().copied().zip(to.iter().copied()).collect()
}
