//! The adequacy game (La Torre, Madhusudan and Parlato, CAV 2010, section 5). Eve declares, thread by thread, a run of k+1 rounds; Adam
//! answers each thread with one of k rounds that ends in the same local and shared state. If he can always do so, what is reachable in
//! k+1 rounds is reachable in k, and so is everything. If Eve wins nothing follows: she may adapt her run to Adam's answers.
//!
//! Solved backwards: the states from which Eve wins are an attractor. `alone` is it where Adam has failed already, `ahead` where he
//! has matched everything so far and Eve is to move; Adam's own positions are folded into Eve's moves.

use super::equations::{Equations, Key, Kind};
use super::moves::Place;
use base::Stop;
use solve::bdd::{Bdd, Level};

/// A thread that Eve may declare and how Adam may answer it, both at one place.
struct Choice {
    /// Eve: local state, her inputs and outputs.
    eve: Bdd,
    /// Adam: local state, his inputs and outputs, the last output agreeing with Eve's.
    adam: Bdd,
    /// The same without his outputs: where he has an answer.
    answered: Bdd,
    /// The levels of the local state.
    local: Vec<Level>,
}

/// Eve's part of the game with its columns: u and v, x and y, and the next v and y.
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
    /// Where Eve wins alone, over u and v.
    alone: Bdd,
}

/// Where Eve wins, in a game that Adam wins from the start.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// Adam has matched so far, over u, v, x and y.
    pub ahead: Bdd,
    /// He has given up, over u and v.
    pub alone: Bdd,
}

/// The game for `rounds`, if Adam wins it; needs the relations of one more round.
pub fn adam_wins(equations: &mut Equations<'_, '_>, rounds: usize) -> Result<Option<Regions>, Stop> {
    assert!(equations.rounds() > rounds, "Eve plays one round more");
    let space = &equations.space;
    let levels = |columns: &[crate::fixpoint::Column], most: usize| space.levels(&columns[..most]);
    let [x, y, next_v, next_y] = &space.game;
    let mut game = Game {
        u: levels(&space.u, rounds + 1),
        v: levels(&space.v, rounds + 1),
        x: levels(x, rounds),
        y: levels(y, rounds),
        next_v: levels(next_v, rounds + 1),
        next_y: levels(next_y, rounds),
        equations,
        openings: vec![],
        later: vec![],
        alone: Bdd::FALSE,
    };
    game.choices(rounds)?;
    game.solve_alone()?;
    let ahead = game.solve(rounds)?;
    Ok(ahead.map(|ahead| Regions { ahead, alone: game.alone }))
}

impl Game<'_, '_, '_> {
    fn choices(&mut self, rounds: usize) -> Result<(), Stop> {
        let places: Vec<(Kind, Place)> = self
            .equations
            .paths
            .keys()
            .filter(|key| key.round == rounds + 1 && key.kind != Kind::Init)
            .map(|key| (key.kind, key.place))
            .collect();
        let symmetric = self.equations.symmetric();
        for (kind, place) in places {
            if kind == Kind::Other {
                let (eve, adam) = (self.paths(kind, place, rounds + 1)?, self.paths(kind, place, rounds)?);
                let choice = self.later_choice(eve, adam, place)?;
                self.later.extend(choice);
            }
            if kind == Kind::First || symmetric {
                let choice = self.opening(kind, place, rounds)?;
                self.openings.extend(choice);
            }
        }
        Ok(())
    }

    /// The paths that end a turn at a place.
    fn paths(&mut self, kind: Kind, place: Place, round: usize) -> Result<Bdd, Stop> {
        let path = self.equations.path(Key { kind, entered: 0, round, place });
        let all = self.equations.system.total(path);
        if !matches!(place, Place::At(_)) {
            return Ok(all);
        }
        let outside = self.equations.system.calculus.literal(self.equations.space.inside.now, false)?;
        self.equations.system.calculus.and(all, outside)
    }

    fn opening(&mut self, kind: Kind, place: Place, rounds: usize) -> Result<Option<Choice>, Stop> {
        let initial = self.equations.system.total(self.equations.initial);
        let space = &self.equations.space;
        let pairs = space.layout.pairs(space.v[0], space.u[0]);
        let initial = self.equations.system.calculus.rename(initial, &pairs)?;
        let (eve, adam) = (self.paths(kind, place, rounds + 1)?, self.paths(kind, place, rounds)?);
        let last = self.last_outputs(&self.v, &self.y);
        let calculus = &mut self.equations.system.calculus;
        let (eve, adam) = (calculus.and(eve, initial)?, calculus.and(adam, initial)?);
        let pairs = [zip(&self.u, &self.x), zip(&self.v, &self.y)].concat();
        let adam = calculus.rename(adam, &pairs)?;
        let same = calculus.equal(&last)?;
        self.choice(eve, adam, same, place, [self.x.clone(), self.y.clone()].concat())
    }

    fn later_choice(&mut self, eve: Bdd, adam: Bdd, place: Place) -> Result<Option<Choice>, Stop> {
        let onward =
            |u: &[Level], v: &[Level], from: &[Level], to: &[Level]| [zip(u, from), zip(v, to)].concat();
        let eves = onward(&self.u, &self.v, &self.v, &self.next_v);
        let adams = onward(&self.u, &self.v, &self.y, &self.next_y);
        let last = self.last_outputs(&self.next_v, &self.next_y);
        let calculus = &mut self.equations.system.calculus;
        let (eve, adam) = (calculus.rename(eve, &eves)?, calculus.rename(adam, &adams)?);
        let same = calculus.equal(&last)?;
        self.choice(eve, adam, same, place, self.next_y.clone())
    }

    fn choice(
        &mut self,
        eve: Bdd,
        adam: Bdd,
        same: Bdd,
        place: Place,
        outputs: Vec<Level>,
    ) -> Result<Option<Choice>, Stop> {
        if eve.is_false() {
            return Ok(None);
        }
        let local = match place {
            Place::At(loc) => self.equations.local_levels(loc),
            _ => vec![],
        };
        let calculus = &mut self.equations.system.calculus;
        let adam = calculus.and(adam, same)?;
        let answered = calculus.exists(adam, &outputs)?;
        Ok(Some(Choice { eve, adam, answered, local }))
    }

    /// The last output of Eve with the last of Adam.
    fn last_outputs(&self, eve: &[Level], adam: &[Level]) -> Vec<(Level, Level)> {
        let bits = self.equations.model.bits.len();
        zip(&eve[eve.len() - bits..], &adam[adam.len() - bits..])
    }

    /// That inputs and outputs are wrapped.
    fn wrapped(&mut self, ins: &[Level], outs: &[Level]) -> Result<Bdd, Stop> {
        let bits = self.equations.model.bits.len();
        self.equations.system.calculus.equal(&zip(&ins[bits..], &outs[..outs.len() - bits]))
    }

    /// alone(u, v) ← wrapped(u, v); alone(u, v) ← Eve extends v to v', alone(u, v').
    fn solve_alone(&mut self) -> Result<(), Stop> {
        let mut extends = Bdd::FALSE;
        for at in 0..self.later.len() {
            let calculus = &mut self.equations.system.calculus;
            let any = calculus.exists(self.later[at].eve, &self.later[at].local)?;
            extends = calculus.or(extends, any)?;
        }
        let (u, v) = (self.u.clone(), self.v.clone());
        let mut fresh = self.wrapped(&u, &v)?;
        while !fresh.is_false() {
            self.equations.system.calculus.budget.spend(1)?;
            let calculus = &mut self.equations.system.calculus;
            self.alone = calculus.or(self.alone, fresh)?;
            let there = calculus.rename(fresh, &zip(&self.v, &self.next_v))?;
            let found = calculus.and_exists(extends, there, &self.next_v)?;
            fresh = calculus.and(found, !self.alone)?;
            self.collect(&[extends, fresh]);
        }
        Ok(())
    }

    /// Eve's attractor where Adam has matched so far; Adam wins if no opening of hers leads into it.
    fn solve(&mut self, rounds: usize) -> Result<Option<Bdd>, Stop> {
        let (u, v, x, y) = (self.u.clone(), self.v.clone(), self.x.clone(), self.y.clone());
        let bits = self.equations.model.bits.len();
        let wrapped = self.wrapped(&u, &v)?;
        // With one round Adam's interface is wrapped as it is.
        let other = if rounds == 1 { Bdd::TRUE } else { self.wrapped(&x, &y)? };
        debug_assert_eq!(x.len(), bits * rounds);
        let goal = self.equations.system.calculus.and(wrapped, !other)?;
        let mut ahead = goal;
        loop {
            self.equations.system.calculus.budget.spend(1)?;
            if self.eve_opens(ahead)? {
                return Ok(None);
            }
            let mut more = ahead;
            for at in 0..self.later.len() {
                let found = self.eve_goes_on(at, ahead)?;
                more = self.equations.system.calculus.or(more, found)?;
            }
            if more == ahead {
                return Ok(Some(ahead));
            }
            ahead = more;
            self.collect(&[ahead]);
        }
    }

    fn eve_opens(&mut self, ahead: Bdd) -> Result<bool, Stop> {
        let hidden = [self.x.clone(), self.y.clone()].concat();
        for at in 0..self.openings.len() {
            let choice = &self.openings[at];
            let loses = loses(&mut self.equations.system.calculus, choice, ahead, self.alone, &hidden)?;
            if !self.equations.system.calculus.manager.disjoint(
                choice.eve,
                loses,
                self.equations.system.calculus.budget,
            )? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn eve_goes_on(&mut self, at: usize, ahead: Bdd) -> Result<Bdd, Stop> {
        let choice = &self.later[at];
        let calculus = &mut self.equations.system.calculus;
        let next = [zip(&self.v, &self.next_v), zip(&self.y, &self.next_y)].concat();
        let ahead = calculus.rename(ahead, &next)?;
        let alone = calculus.rename(self.alone, &zip(&self.v, &self.next_v))?;
        let loses = loses(calculus, choice, ahead, alone, &self.next_y)?;
        calculus.and_exists(choice.eve, loses, &[&choice.local[..], &self.next_v].concat())
    }

    fn collect(&mut self, others: &[Bdd]) {
        if self.equations.system.calculus.manager.wants_collection() {
            let choices = self.openings.iter().chain(&self.later);
            let mut roots: Vec<Bdd> = choices.flat_map(|it| [it.eve, it.adam, it.answered]).collect();
            roots.extend(others);
            roots.push(self.alone);
            self.equations.system.collect(&roots);
        }
    }
}

/// Where Adam loses after Eve's move: every answer leads to `ahead`, or there is none and she wins alone.
fn loses(
    calculus: &mut crate::fixpoint::Calculus<'_>,
    choice: &Choice,
    ahead: Bdd,
    alone: Bdd,
    answer: &[Level],
) -> Result<Bdd, Stop> {
    let escapes = calculus.and_exists(choice.adam, !ahead, answer)?;
    let stuck = calculus.or(choice.answered, alone)?;
    calculus.and(stuck, !escapes)
}

fn zip(from: &[Level], to: &[Level]) -> Vec<(Level, Level)> {
    from.iter().copied().zip(to.iter().copied()).collect()
}
