//! A game that Adam wins as a certificate: the interfaces, wants and right blocks one by one, and his
//! answers, played out against everything that Eve may declare. He answers with a position that is listed
//! already, where he can.

use super::equations::Equations;
use super::game::Regions;
use super::listing::Maker;
use super::space::RoundSpace;
use crate::certificate::Proof;
use base::Stop;
use ir::certificate::{Body, Game, Interface, Rounds, Share, Stand};
use solve::bdd::{Bdd, Level};
use std::collections::{BTreeMap, BTreeSet};

type Shares = Vec<usize>;
/// Eve's rounds with Adam's, and hers alone.
type Positions = (BTreeSet<(Rounds, Rounds)>, BTreeSet<Rounds>);
/// Eve's moves by inputs: where the thread ends, and its outputs.
type EveMoves = BTreeMap<Shares, Vec<(Stand, Shares)>>;
/// Adam's answers by where the thread ends and the last output, first of all threads that may be the first,
/// then also by inputs.
type Openings = BTreeMap<(Stand, usize), Vec<(Shares, Shares)>>;
type Answers = BTreeMap<(Shares, Stand, usize), Vec<Shares>>;

/// The certificate of a game that Adam wins for `rounds`; `None` if it would have more than `most` tuples.
pub fn certificate(
    equations: &mut Equations<'_, '_>,
    rounds: usize,
    regions: &Regions,
    most: usize,
) -> Result<Option<Proof>, Stop> {
    let mut maker = Maker::new(equations, rounds, most);
    let Some((wants, rights)) = maker.tables()? else { return Ok(None) };
    let Some((matched, alone)) = maker.play(regions)? else { return Ok(None) };
    let Maker { shown, shares, interfaces, .. } = maker;
    let (view, threads) = shown.finish();
    let mut listed: Vec<(Share, usize)> = shares.into_iter().collect();
    listed.sort_by_key(|it| it.1);
    let game = Game {
        threads,
        rounds: u32::try_from(rounds).expect("rounds are few"),
        shares: listed.into_iter().map(|it| it.0).collect(),
        interfaces: interfaces.into_iter().collect(),
        wants,
        rights,
        matched: matched.into_iter().collect(),
        alone: alone.into_iter().collect(),
    };
    Ok(Some(Proof { view, body: Body::Game(Box::new(game)) }))
}

impl Maker<'_, '_, '_> {
    /// The interfaces of a length that end a turn, the first thread's or the others'.
    fn turns(&self, first: bool, length: usize) -> impl Iterator<Item = (Stand, &Rounds)> {
        let inside = self.shown.insides();
        let outside = move |stand: Stand| !matches!(stand, Stand::At(thread) if inside[thread]);
        let wanted =
            move |it: &&Interface| it.first == first && it.rounds.ins.len() == length && outside(it.stand);
        self.interfaces.iter().filter(wanted).map(|it| (it.stand, &it.rounds))
    }

    fn moves(&self, first: bool) -> EveMoves {
        let mut moves = EveMoves::new();
        for (stand, it) in self.turns(first, self.rounds + 1) {
            moves.entry(it.ins.clone()).or_default().push((stand, it.outs.clone()));
        }
        moves
    }

    fn answers(&self) -> Answers {
        let mut answers = Answers::new();
        for (stand, it) in self.turns(false, self.rounds) {
            answers.entry((it.ins.clone(), stand, last(it))).or_default().push(it.outs.clone());
        }
        answers
    }

    fn opening_answers(&self, first: bool, initial: &BTreeSet<usize>) -> Openings {
        let mut answers = Openings::new();
        for (stand, it) in self.turns(first, self.rounds).filter(|(_, it)| initial.contains(&it.ins[0])) {
            answers.entry((stand, last(it))).or_default().push((it.ins.clone(), it.outs.clone()));
        }
        answers
    }

    fn play(&mut self, regions: &Regions) -> Result<Option<Positions>, Stop> {
        let first = !self.equations.symmetric();
        let initial = self.initial()?;
        let (openings, later) = (self.moves(first), self.moves(false));
        let (begins, answers) = (self.opening_answers(first, &initial), self.answers());
        let spots = spots(&self.equations.space);
        let (matched, alone) = (BTreeSet::new(), BTreeSet::new());
        let mut play = Played { maker: self, regions, spots, matched, alone };
        let mut work = vec![];
        for (u, moves) in openings.iter().filter(|it| initial.contains(&it.0[0])) {
            for (stand, v) in moves {
                let eve = Rounds { ins: u.clone(), outs: v.clone() };
                let ways = begins.get(&(*stand, last(&eve))).into_iter().flatten();
                if !play.answer(eve, ways.map(|it| (&it.0, &it.1)), &mut work)? {
                    return Ok(None);
                }
            }
        }
        while let Some((eve, adam)) = work.pop() {
            for (stand, v) in later.get(&eve.outs).into_iter().flatten() {
                let next = Rounds { ins: eve.ins.clone(), outs: v.clone() };
                match &adam {
                    Some(adam) => {
                        let ways = answers.get(&(adam.outs.clone(), *stand, last(&next)));
                        let ways = ways.into_iter().flatten().map(|outs| (&adam.ins, outs));
                        if !play.answer(next, ways, &mut work)? {
                            return Ok(None);
                        }
                    }
                    None if play.alone.insert(next.clone()) => work.push((next, None)),
                    None => {}
                }
            }
            if play.matched.len() + play.alone.len() > play.maker.most {
                return Ok(None);
            }
        }
        Ok(Some((play.matched, play.alone)))
    }

    /// The shared states at the start.
    fn initial(&mut self) -> Result<BTreeSet<usize>, Stop> {
        let set = self.equations.system.total(self.equations.initial);
        let levels = self.equations.space.levels(&self.equations.space.v[..1]);
        let rows = self.equations.system.calculus.rows(set, &levels, self.most)?;
        Ok(rows.into_iter().flatten().map(|bits| self.share(bits)).collect())
    }
}

struct Played<'m, 'e, 'p, 'b> {
    maker: &'m mut Maker<'e, 'p, 'b>,
    regions: &'m Regions,
    spots: Vec<Option<Spot>>,
    matched: BTreeSet<(Rounds, Rounds)>,
    alone: BTreeSet<Rounds>,
}

impl Played<'_, '_, '_, '_> {
    /// Answers what Eve declared, with one of these ways: Adam's inputs and the outputs of his thread. Says
    /// whether there is an answer, or none is needed.
    fn answer<'w>(
        &mut self,
        eve: Rounds,
        ways: impl Iterator<Item = (&'w Shares, &'w Shares)>,
        work: &mut Vec<(Rounds, Option<Rounds>)>,
    ) -> Result<bool, Stop> {
        // Where she cannot make a run any more no answer is needed, and what she does then does not depend on
        // Adam.
        if !self.holds(self.regions.open, &eve, None) {
            if self.alone.insert(eve.clone()) {
                work.push((eve, None));
            }
            return Ok(true);
        }
        let mut best = None;
        for (ins, outs) in ways {
            self.maker.equations.system.calculus.budget.spend(1)?;
            let position = (eve.clone(), Rounds { ins: ins.clone(), outs: outs.clone() });
            if self.matched.contains(&position) {
                return Ok(true);
            }
            if best.is_none() && !self.holds(self.regions.ahead, &position.0, Some(&position.1)) {
                best = Some(position);
            }
        }
        let Some((eve, adam)) = best else { return Ok(false) };
        self.matched.insert((eve.clone(), adam.clone()));
        work.push((eve, Some(adam)));
        Ok(true)
    }

    /// Whether a position is in a region.
    fn holds(&self, region: Bdd, eve: &Rounds, adam: Option<&Rounds>) -> bool {
        let tuples = [Some(&eve.ins), Some(&eve.outs), adam.map(|it| &it.ins), adam.map(|it| &it.outs)];
        let value = |level: Level| {
            let Spot { tuple, round, bit } = self.spots[level as usize].expect("regions are over positions");
            let tuple = tuples[tuple].expect("positions of Adam exist only if he has matched");
            self.maker.bits[tuple[round]][bit]
        };
        self.maker.equations.system.calculus.manager.eval(region, value)
    }
}

/// The shared state at the end.
fn last(rounds: &Rounds) -> usize {
    *rounds.outs.last().expect("rounds have outputs")
}

/// Which bit of which round's shared state a level is, of u, v, x or y.
#[derive(Clone, Copy)]
struct Spot {
    tuple: usize,
    round: usize,
    bit: usize,
}

/// By level.
fn spots(space: &RoundSpace) -> Vec<Option<Spot>> {
    let mut spots = vec![];
    for (tuple, columns) in [&space.u, &space.v, &space.game[0], &space.game[1]].into_iter().enumerate() {
        for (round, &column) in columns.iter().enumerate() {
            for (bit, &level) in space.layout.levels(column).iter().enumerate() {
                let level = level as usize;
                spots.resize(spots.len().max(level + 1), None);
                spots[level] = Some(Spot { tuple, round, bit });
            }
        }
    }
    spots
}
