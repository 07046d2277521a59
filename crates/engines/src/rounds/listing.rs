//! The relations of a game as lists: interfaces, wants and right blocks, with shared states and threads as
//! numbers.
//!
//! A message is shown as all the threads that it may create, and fixed threads that sleep as how many do.

use super::equations::{Equations, Kind, PathKey};
use super::model::{Bit, width};
use super::moves::Position;
use super::shown::{Shown, keeps};
use base::{Id, Stop};
use ir::bp::{Init, LocalId, Machine, Role, State};
use ir::certificate::{Bits, Interface, Rounds, Share, Stand};
use solve::bdd::Level;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Wants and right blocks.
pub type Blocks = (Vec<Rounds>, Vec<Rounds>);

/// More locals of a created thread that may start with either value than this are too many to try all their
/// values.
const MOST_OPEN: usize = 12;
/// Deeper stacks of `init` are not listed.
const MOST_DEPTH: usize = 64;

/// Lists what the equations have found.
pub struct Maker<'e, 'p, 'b> {
    /// The relations.
    pub equations: &'e mut Equations<'p, 'b>,
    /// Adam's rounds.
    pub rounds: usize,
    /// The most tuples.
    pub most: usize,
    /// The threads.
    pub shown: Shown<'p>,
    /// The shared states, by number.
    pub shares: BTreeMap<Share, usize>,
    /// The engine's own bits of each shared state.
    pub bits: Vec<Bits>,
    pub interfaces: BTreeSet<Interface>,
    /// The tuples so far.
    count: usize,
    /// Whether some message may be too many threads, or stands for several messages.
    unclear: bool,
}

impl<'e, 'p, 'b> Maker<'e, 'p, 'b> {
    /// Nothing yet.
    pub fn new(equations: &'e mut Equations<'p, 'b>, rounds: usize, most: usize) -> Self {
        let shown = Shown::new(equations.model.program);
        let (shares, interfaces) = (BTreeMap::new(), BTreeSet::new());
        Maker { equations, rounds, most, shown, shares, bits: vec![], interfaces, count: 0, unclear: false }
    }

    /// Interfaces are noted; gives wants and right blocks, or nothing if there is too much.
    pub fn tables(&mut self) -> Result<Option<Blocks>, Stop> {
        let paths: Vec<PathKey> = self.equations.paths.keys().copied().collect();
        if self.size() > self.most as f64 || !self.init()? {
            return Ok(None);
        }
        let used = |key: &PathKey| key.kind != Kind::Init && key.round <= self.rounds + 1;
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
                    let Some(rows) = self.rows(set, &[], length, outs)? else { return Ok(None) };
                    list.extend(rows.into_iter().map(|it| it.1));
                }
            }
        }
        wants.sort();
        rights.sort();
        Ok((!self.unclear).then_some((wants, rights)))
    }

    /// How many tuples there are to list: counting them is much less than listing them.
    fn size(&self) -> f64 {
        let Equations { paths, want, right, system, .. } = &*self.equations;
        let used = |key: &PathKey| key.kind != Kind::Init && key.round <= self.rounds + 1;
        let paths = paths.iter().filter(|it| used(it.0)).map(|it| *it.1);
        let blocks = want[1..=self.rounds].iter().chain(&right[..self.rounds]).copied();
        paths.chain(blocks).map(|relation| system.count(relation)).sum()
    }

    fn paths(&mut self, key: PathKey) -> Result<bool, Stop> {
        let model = &self.equations.model;
        let mut own: Vec<LocalId> = vec![];
        if let Position::At(loc) = key.position {
            let frame = model.frame(model.program.at(loc).procedure);
            own.extend(
                frame.into_iter().chain(model.thread_locals()).filter(|&it| keeps(model.program, loc, it)),
            );
        }
        let space = &self.equations.space;
        let mut levels: Vec<Level> = own.iter().map(|&it| space.of(it).now).collect();
        levels.extend(matches!(key.position, Position::At(_)).then_some(space.inside.now));
        let set = self.equations.system.total(self.equations.paths[&key]);
        let Some(rows) = self.rows(set, &levels, key.round, key.round)? else { return Ok(false) };
        let count = self.equations.model.program.locals().len();
        for (mut row, rounds) in rows {
            let stand = match key.position {
                Position::Dormant => Stand::Dormant,
                Position::Ended => Stand::Ended,
                Position::At(loc) => {
                    let inside = row.pop().expect("it comes last");
                    let mut locals = vec![false; count];
                    own.iter().zip(row).for_each(|(local, value)| locals[local.index()] = value);
                    Stand::At(self.shown.thread(loc, inside, &locals))
                }
            };
            self.interfaces.insert(Interface { first: key.kind == Kind::First, stand, rounds });
        }
        Ok(true)
    }

    /// All tuples of a set: these levels, then this many inputs and outputs; `None` if there are too many.
    fn rows(
        &mut self,
        set: solve::bdd::Bdd,
        local: &[Level],
        ins: usize,
        outs: usize,
    ) -> Result<Option<Vec<(Bits, Rounds)>>, Stop> {
        let space = &self.equations.space;
        let shared = space.levels(&[&space.u[..ins], &space.v[..outs]].concat());
        let levels = [local, &shared].concat();
        let left = self.most - self.count;
        let Some(rows) = self.equations.system.calculus.rows(set, &levels, left)? else { return Ok(None) };
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
    pub fn share(&mut self, bits: Bits) -> usize {
        let model = &self.equations.model;
        let values = model.program.shared().ids().map(|id| bits[model.bit(Bit::Shared(id))]).collect();
        let count = |most: usize, bit: &dyn Fn(usize) -> Bit| {
            let set = |position: &usize| bits[model.bit(bit(*position))];
            (0..width(most)).filter(set).map(|position| 1 << position).sum::<usize>()
        };
        let late = model.late.iter().enumerate();
        let sleeping =
            late.map(|(index, it)| count(it.count, &|position| Bit::Sleeping(index, position)) as u32);
        let sleeping = sleeping.collect();
        let message = count(model.messages.len(), &Bit::Message);
        let message = message.checked_sub(1).map_or(vec![], |message| self.children(message, &bits));
        let fresh = self.shares.len();
        let number = *self.shares.entry(Share { values, message, sleeping }).or_insert(fresh);
        if number == fresh {
            self.bits.push(bits);
        } else {
            // The regions of the game are read at these bits: they must not stand for others.
            self.unclear |= self.bits[number] != bits;
        }
        number
    }

    /// What the thread may be that a message creates, in order.
    fn children(&mut self, message: usize, bits: &[bool]) -> Vec<usize> {
        let model = &self.equations.model;
        let (program, message) = (model.program, &model.messages[message]);
        let mut locals = vec![false; program.locals().len()];
        let mut open = vec![];
        for (id, local) in program.locals().enumerate().filter(|(id, _)| keeps(program, message.child, *id)) {
            if let Some(position) = message.passed.iter().position(|&it| it == id) {
                locals[id.index()] = bits[model.bit(Bit::Passed(position))];
            } else if !message.copies && local.role == Role::Plain {
                open.extend((local.init == Init::Any).then_some(id));
                locals[id.index()] = local.init == Init::Fixed(true);
            }
        }
        if open.len() > MOST_OPEN {
            self.unclear = true;
            return vec![];
        }
        let mut children: Vec<usize> = (0..1usize << open.len())
            .map(|pick| {
                open.iter().enumerate().for_each(|(at, id)| locals[id.index()] = pick >> at & 1 == 1);
                self.shown.thread(message.child, false, &locals)
            })
            .collect();
        children.sort_unstable();
        children
    }

    /// `init` runs alone and is checked by running it, so that its states are listed, call stacks included.
    /// Says whether they fit.
    fn init(&mut self) -> Result<bool, Stop> {
        let program = self.equations.model.program;
        let Some(init) = program.start().init else { return Ok(true) };
        let open = |init: Init| usize::from(init == Init::Any);
        let entry = program.procedures()[init].entry;
        let locals = program.locals().enumerate().filter(|(id, _)| program.in_scope(entry, *id));
        let starts = program.shared().iter().map(|it| open(it.init)).sum::<usize>()
            + locals.map(|(_, it)| open(it.init)).sum::<usize>();
        if 1usize.checked_shl(starts as u32).is_none_or(|starts| starts > self.most) {
            return Ok(false);
        }
        // The bound allows its thread alone: nobody comes when it has ended, and where that is has been
        // listed.
        let machine = Machine::new(program, Some(1));
        let mut work = machine.starts();
        let mut seen: HashSet<State> = work.iter().cloned().collect();
        while let Some(state) = work.pop() {
            self.equations.system.calculus.budget.spend(1)?;
            let Some(thread) = state.threads.get(&0).filter(|_| state.initialising) else { continue };
            if seen.len() > self.most || thread.stack.len() > MOST_DEPTH {
                return Ok(false);
            }
            self.shown.stacked(thread);
            self.share(self.at_the_start(&state.shared));
            work.extend(
                machine.steps(&state, 0).into_iter().map(|it| it.1).filter(|it| seen.insert(it.clone())),
            );
        }
        self.count += seen.len();
        Ok(self.count <= self.most)
    }

    /// The bits of a shared state in which nobody has been created and nobody has woken.
    fn at_the_start(&self, shared: &[bool]) -> Bits {
        let model = &self.equations.model;
        let bit = |&bit: &Bit| match bit {
            Bit::Shared(id) => shared[id.index()],
            Bit::Sleeping(late, position) => model.late[late].count >> position & 1 == 1,
            Bit::Message(_) | Bit::Passed(_) => false,
        };
        model.bits.iter().map(bit).collect()
    }
}
