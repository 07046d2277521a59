//! A game that Adam wins as a certificate: the interfaces, wants and right blocks one by one, and his answers, played out against
//! everything that Eve may declare. He answers with a position that is listed already, where he can.

use super::equations::Equations;
use super::game::Regions;
use super::listing::Maker;
use base::Stop;
use ir::certificate::{Game, Rounds, Share, Stand};
use solve::bdd::Level;
use std::collections::{BTreeMap, BTreeSet};

type Shares = Vec<usize>;
/// Eve's rounds with Adam's, and hers alone.
type Positions = (BTreeSet<(Rounds, Rounds)>, BTreeSet<Rounds>);
/// By inputs: where the thread ends, and its outputs.
type Index = BTreeMap<Shares, Vec<(Stand, Shares)>>;

/// The certificate of a game that Adam wins for `rounds`; `None` if it would have more than `most` tuples.
pub fn certificate(
    equations: &mut Equations<'_, '_>,
    rounds: usize,
    regions: &Regions,
    most: usize,
) -> Result<Option<Game>, Stop> {
    let mut maker = Maker::new(equations, rounds, most);
    let Some((wants, rights)) = maker.tables()? else { return Ok(None) };
    let Some((matched, alone)) = maker.play(regions)? else { return Ok(None) };
    let Maker { shown, shares, interfaces, .. } = maker;
    let (view, threads) = shown.finish();
    let mut listed: Vec<(Share, usize)> = shares.into_iter().collect();
    listed.sort_by_key(|it| it.1);
    Ok(Some(Game {
        view,
        threads,
        rounds: u32::try_from(rounds).expect("rounds are few"),
        shares: listed.into_iter().map(|it| it.0).collect(),
        interfaces: interfaces.into_iter().collect(),
        wants,
        rights,
        matched: matched.into_iter().collect(),
        alone: alone.into_iter().collect(),
    }))
}

impl Maker<'_, '_, '_> {
    /// The interfaces of a length that end a turn, the first thread's or the others', by their inputs.
    fn index(&self, first: bool, length: usize, inside: &[bool]) -> Index {
        let mut index = Index::new();
        let outside = |stand: Stand| !matches!(stand, Stand::At(thread) if inside[thread]);
        for it in &self.interfaces {
            if it.first == first && it.rounds.ins.len() == length && outside(it.stand) {
                index.entry(it.rounds.ins.clone()).or_default().push((it.stand, it.rounds.outs.clone()));
            }
        }
        index
    }

    fn play(&mut self, regions: &Regions) -> Result<Option<Positions>, Stop> {
        let (k, first) = (self.rounds, !self.equations.symmetric());
        let inside = self.shown.insides();
        let initial = self.initial()?;
        let (later, answers) = (self.index(false, k + 1, &inside), self.index(false, k, &inside));
        let openings = self.index(first, k + 1, &inside);
        let first_answers = self.index(first, k, &inside);
        let mut play = Played { maker: self, regions, matched: BTreeSet::new(), alone: BTreeSet::new() };
        let mut work = vec![];
        for (u, moves) in openings.iter().filter(|it| initial.contains(&it.0[0])) {
            for (stand, v) in moves {
                let eve = Rounds { ins: u.clone(), outs: v.clone() };
                let begins = first_answers.iter().filter(|it| initial.contains(&it.0[0]));
                let ways = begins.flat_map(|(x, all)| all.iter().map(move |it| (x, it)));
                if !play.answer(*stand, eve, ways, &mut work)? {
                    return Ok(None);
                }
            }
        }
        while let Some((eve, adam)) = work.pop() {
            for (stand, v) in later.get(&eve.outs).into_iter().flatten() {
                let next = Rounds { ins: eve.ins.clone(), outs: v.clone() };
                match &adam {
                    Some(adam) => {
                        let all = answers.get(&adam.outs).into_iter().flatten();
                        let ways = all.map(|it| (&adam.ins, it));
                        if !play.answer(*stand, next, ways, &mut work)? {
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
    matched: BTreeSet<(Rounds, Rounds)>,
    alone: BTreeSet<Rounds>,
}

impl Played<'_, '_, '_, '_> {
    /// Answers what Eve declared, with one of these ways: Adam's inputs, where his thread ends, and its outputs. Says
    /// whether there is an answer, or she may be left alone.
    fn answer<'w>(
        &mut self,
        stand: Stand,
        eve: Rounds,
        ways: impl Iterator<Item = (&'w Shares, &'w (Stand, Shares))>,
        work: &mut Vec<(Rounds, Option<Rounds>)>,
    ) -> Result<bool, Stop> {
        let mut best = None;
        let fits = |it: &(Stand, Shares)| it.0 == stand && it.1.last() == eve.outs.last();
        for (ins, (_, outs)) in ways.filter(|it| fits(it.1)) {
            self.maker.equations.system.calculus.budget.spend(1)?;
            let position = (eve.clone(), Rounds { ins: ins.clone(), outs: outs.clone() });
            if self.matched.contains(&position) {
                return Ok(true);
            }
            if best.is_none() && !self.loses(&position.0, Some(&position.1)) {
                best = Some(position);
            }
        }
        match best {
            Some((eve, adam)) => {
                self.matched.insert((eve.clone(), adam.clone()));
                work.push((eve, Some(adam)));
            }
            None if self.loses(&eve, None) => return Ok(false),
            None if self.alone.insert(eve.clone()) => work.push((eve, None)),
            None => {}
        }
        Ok(true)
    }

    /// Whether Eve wins from there, Adam having answered so or given up.
    fn loses(&self, eve: &Rounds, adam: Option<&Rounds>) -> bool {
        let space = &self.maker.equations.space;
        let mut values: BTreeMap<Level, bool> = BTreeMap::new();
        let mut set = |columns: &[crate::fixpoint::Column], shares: &[usize]| {
            for (&column, &share) in columns.iter().zip(shares) {
                let levels = space.layout.levels(column).iter().copied();
                values.extend(levels.zip(self.maker.bits[share].iter().copied()));
            }
        };
        set(&space.u, &eve.ins);
        set(&space.v, &eve.outs);
        if let Some(adam) = adam {
            set(&space.game[0], &adam.ins);
            set(&space.game[1], &adam.outs);
        }
        let region = if adam.is_some() { self.regions.ahead } else { self.regions.alone };
        self.maker.equations.system.calculus.manager.eval(region, |level| values[&level])
    }
}
