//! A game that Adam wins as a certificate: the interfaces, wants and right blocks one by one, and his answers, played out against
//! everything that Eve may declare. He answers with a position that is listed already, where he can.
//!
//! A message is shown as the thread that it creates. Where that thread also has locals that anything may be in, a message stands for
//! several threads and there is no certificate; nor is there one where fixed threads sleep, or where `init` calls or creates. Otherwise
//! `init` is run by the checker, which needs its states in the view.

use super::equations::{Equations, Key, Kind};
use super::game::Regions;
use super::model::{Bit, width};
use super::moves::Place;
use super::shown::{Shown, keeps};
use base::{Id, Stop};
use ir::bp::{Init, LocalId, Role, Spawn};
use ir::certificate::{Bits, Game, Interface, Rounds, Share, Stand};
use solve::bdd::Level;
use std::collections::{BTreeMap, BTreeSet};

type Shares = Vec<usize>;
/// By inputs: where the thread ends, and its outputs.
type Index = BTreeMap<Shares, Vec<(Stand, Shares)>>;

/// The certificate of a game that Adam wins for `rounds`; `None` if there is none, or none with at most `most` tuples.
pub fn certificate(
    equations: &mut Equations<'_, '_>,
    rounds: usize,
    regions: &Regions,
    most: usize,
) -> Result<Option<Game>, Stop> {
    let model = &equations.model;
    let program = model.program;
    let creates = |init| model.sites.iter().any(|site| program.at(site.loc).procedure == init);
    let calls = |key: &Key| key.kind == Kind::Init && key.entered > 0;
    if !model.late.is_empty()
        || program.start().init.is_some_and(creates)
        || equations.paths.keys().any(calls)
    {
        return Ok(None);
    }
    let mut maker = Maker {
        equations,
        rounds,
        most,
        shown: Shown::new(program),
        shares: BTreeMap::new(),
        bits: vec![],
        count: 0,
        interfaces: BTreeSet::new(),
        unclear: false,
    };
    let Some(parts) = maker.tables()? else { return Ok(None) };
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
        wants: parts.0,
        rights: parts.1,
        matched: matched.into_iter().collect(),
        alone: alone.into_iter().collect(),
    }))
}

struct Maker<'e, 'p, 'b> {
    equations: &'e mut Equations<'p, 'b>,
    rounds: usize,
    most: usize,
    shown: Shown<'p>,
    shares: BTreeMap<Share, usize>,
    /// The engine's own bits of each shared state.
    bits: Vec<Bits>,
    /// The tuples so far.
    count: usize,
    interfaces: BTreeSet<Interface>,
    /// Whether some message stands for several threads.
    unclear: bool,
}

impl Maker<'_, '_, '_> {
    /// Interfaces are noted; gives wants and right blocks.
    fn tables(&mut self) -> Result<Option<(Vec<Rounds>, Vec<Rounds>)>, Stop> {
        let paths: Vec<Key> = self.equations.paths.keys().copied().collect();
        let used = |key: &Key| key.entered == 0 && key.round <= self.rounds + 1;
        for key in paths.into_iter().filter(used).collect::<Vec<_>>() {
            if !self.paths(key)? {
                return Ok(None);
            }
        }
        let (mut wants, mut rights) = (vec![], vec![]);
        for length in 1..=self.rounds + 1 {
            let lists = [
                (&mut wants, self.equations.want[length - 1], length - 1, length > 1),
                (&mut rights, self.equations.right[length - 1], length, length <= self.rounds),
            ];
            for (list, relation, outs, used) in lists {
                if used {
                    let set = self.equations.system.total(relation);
                    let Some(rows) = self.rows(set, &[], (length, outs))? else { return Ok(None) };
                    list.extend(rows.into_iter().map(|it| it.1));
                }
            }
        }
        wants.sort();
        rights.sort();
        Ok((!self.unclear).then_some((wants, rights)))
    }

    fn paths(&mut self, key: Key) -> Result<bool, Stop> {
        let model = &self.equations.model;
        let mut own: Vec<LocalId> = vec![];
        if let Place::At(loc) = key.place {
            let frame = model.frame(model.program.at(loc).procedure);
            own.extend(
                frame.into_iter().chain(model.thread_locals()).filter(|&it| keeps(model.program, loc, it)),
            );
        }
        let space = &self.equations.space;
        let mut levels: Vec<Level> = own.iter().map(|&it| space.of(it).now).collect();
        levels.extend(matches!(key.place, Place::At(_)).then_some(space.inside.now));
        let set = self.equations.system.total(self.equations.paths[&key]);
        let ins = if key.kind == Kind::Init { 0 } else { key.round };
        let Some(rows) = self.rows(set, &levels, (ins, key.round))? else { return Ok(false) };
        let count = self.equations.model.program.locals().len();
        for (mut row, rounds) in rows {
            let stand = match key.place {
                Place::Dormant => Stand::Dormant,
                Place::Ended => Stand::Ended,
                Place::At(loc) => {
                    let inside = row.pop().expect("it comes last");
                    let mut locals = vec![false; count];
                    own.iter().zip(row).for_each(|(local, value)| locals[local.index()] = value);
                    Stand::At(self.shown.thread(loc, inside, &locals))
                }
            };
            if key.kind != Kind::Init {
                self.interfaces.insert(Interface { first: key.kind == Kind::First, stand, rounds });
            }
        }
        Ok(true)
    }

    /// All tuples of a set: these levels, then so many inputs and outputs; `None` if there are too many.
    fn rows(
        &mut self,
        set: solve::bdd::Bdd,
        local: &[Level],
        (ins, outs): (usize, usize),
    ) -> Result<Option<Vec<(Bits, Rounds)>>, Stop> {
        let space = &self.equations.space;
        let shared = space.levels(&[&space.u[..ins], &space.v[..outs]].concat());
        let levels = [local, &shared].concat();
        let room = self.most - self.count;
        let Some(rows) = self.equations.system.calculus.rows(set, &levels, room)? else { return Ok(None) };
        self.count += rows.len();
        let bits = self.equations.model.bits.len();
        let mut all = vec![];
        for mut row in rows {
            let tail = row.split_off(local.len());
            let share = |at: usize| tail[at * bits..(at + 1) * bits].to_vec();
            let rounds = Rounds {
                ins: (0..ins).map(|at| self.share(share(at))).collect(),
                outs: (ins..ins + outs).map(|at| self.share(share(at))).collect(),
            };
            all.push((row, rounds));
        }
        Ok(Some(all))
    }

    /// The number of a shared state.
    fn share(&mut self, bits: Bits) -> usize {
        let model = &self.equations.model;
        let values = model.program.shared().ids().map(|id| bits[model.bit(Bit::Shared(id))]).collect();
        let set = |bit: &usize| bits[model.bit(Bit::Message(*bit))];
        let code: usize = (0..width(model.sites.len())).filter(set).map(|bit| 1 << bit).sum();
        let message = code.checked_sub(1).map(|site| self.child(site, &bits));
        let fresh = self.shares.len();
        let number = *self.shares.entry(Share { values, message }).or_insert(fresh);
        if number == fresh {
            self.bits.push(bits);
        }
        number
    }

    /// The thread that a message creates.
    fn child(&mut self, site: usize, bits: &[bool]) -> usize {
        let model = &self.equations.model;
        let (program, site) = (model.program, &model.sites[site]);
        let mut locals = vec![false; program.locals().len()];
        for (id, local) in program.locals().enumerate().filter(|(id, _)| keeps(program, site.child, *id)) {
            if let Some(place) = site.passed.iter().position(|&it| it == id) {
                locals[id.index()] = bits[model.bit(Bit::Passed(place))];
            } else if matches!(site.spawn, Spawn::Call(..)) && local.role == Role::Plain {
                self.unclear |= local.init == Init::Any;
                locals[id.index()] = local.init == Init::Fixed(true);
            }
        }
        self.shown.thread(site.child, false, &locals)
    }

    // ---- the play --------------------------------------------------------------------------------------------------

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

    fn play(
        &mut self,
        regions: &Regions,
    ) -> Result<Option<(BTreeSet<(Rounds, Rounds)>, BTreeSet<Rounds>)>, Stop> {
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
                let begins = first_answers.iter().filter(|it| it.0[0] == u[0]);
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
