//! How threads come into being: by a message in the slot that its creator leaves and a dormant thread takes,
//! or by waking a fixed thread that sleeps.

use super::model::{Bit, Message, width};
use super::moves::{Draft, Lifecycle, Move, Moves, Position, Reader, Touched};
use crate::evaluate::Range;
use base::Stop;
use ir::bp::{Init, Loc, LocalId, ProcId, Spawn};
use solve::bdd::{Bdd, Level};

impl Moves<'_, '_, '_> {
    pub(super) fn creation(&mut self, loc: Loc, spawn: &Spawn) -> Result<Vec<Move>, Stop> {
        let program = self.model.program;
        let next = Position::At(program.at(loc).next);
        let site = self.model.sites.iter().find(|site| site.loc == loc).expect("every start is a site");
        let (index, passed) = (site.message, self.model.messages[site.message].passed.clone());
        let draft = |effect| Draft { from: loc, to: next, root_only: false, effect };
        let idle = self.finish(draft(Lifecycle::CreateIdle), Touched::default(), |_, _| Ok(Bdd::TRUE))?;
        let touched = Touched { bits: self.slot(passed.len()), ..Touched::default() };
        let posts = self.finish(draft(Lifecycle::Create), touched, |it, old| {
            let mut relation = it.posted(index, old)?;
            for (position, &local) in passed.iter().enumerate() {
                let value = match spawn {
                    Spawn::Call(procedure, args) => {
                        let mut params = it.model.program.procedures()[*procedure].params.iter();
                        let arg =
                            params.position(|&param| param == local).expect("only parameters are passed");
                        it.truth(args[arg], old)?
                    }
                    Spawn::Clone(_) => {
                        let one = it.calculus.literal((old.local)(local), true)?;
                        Range::fixed(one)
                    }
                };
                let bit = it.space.bit(it.space.v[0], it.model.bit(Bit::Passed(position)));
                relation = it.gets(relation, bit, value)?;
            }
            Ok(relation)
        })?;
        Ok(vec![posts, idle])
    }

    /// The bits of the slot that a message with this many values uses.
    fn slot(&self, values: usize) -> Vec<usize> {
        let message = (0..width(self.model.messages.len())).map(Bit::Message);
        message.chain((0..values).map(Bit::Passed)).map(|bit| self.model.bit(bit)).collect()
    }

    /// The slot was empty and now holds this message.
    fn posted(&mut self, message: usize, old: &Reader<'_>) -> Result<Bdd, Stop> {
        let bits: Vec<usize> = self.slot(0);
        let before: Vec<Level> = bits.iter().map(|&bit| (old.shared)(bit)).collect();
        let after: Vec<Level> = bits.iter().map(|&bit| self.space.bit(self.space.v[0], bit)).collect();
        let (before, after) = (self.calculus.number(&before, 0)?, self.calculus.number(&after, message + 1)?);
        self.calculus.and(before, after)
    }

    pub(super) fn wake_child(&mut self, index: usize) -> Result<Move, Stop> {
        let Message { child, passed, copies } = self.model.messages[index].clone();
        let bits = self.slot(passed.len());
        let (before, after) = (self.space.old, self.space.v[0]);
        let code: Vec<Level> = self.slot(0).iter().map(|&bit| self.space.bit(before, bit)).collect();
        let emptied: Vec<Level> = bits.iter().map(|&bit| self.space.bit(after, bit)).collect();
        let mut given = vec![];
        for (position, &local) in passed.iter().enumerate() {
            let bit = self.model.bit(Bit::Passed(position));
            given.push((self.space.bit(before, bit), self.space.of(local).now));
        }
        let message = self.calculus.number(&code, index + 1)?;
        let emptied = self.calculus.number(&emptied, 0)?;
        let given = self.calculus.equal(&given)?;
        let born = self.newborn(child, &passed, copies)?;
        let relation = self.calculus.all([message, emptied, given, born])?;
        let relation = self.settle(child, relation)?;
        Ok(self.wake(child, bits, Lifecycle::WakeChild, relation))
    }

    pub(super) fn wake_late(&mut self, index: usize) -> Result<Move, Stop> {
        let late = self.model.late[index];
        let bits: Vec<usize> =
            (0..width(late.count)).map(|bit| self.model.bit(Bit::Sleeping(index, bit))).collect();
        let levels = |column| bits.iter().map(|&bit| self.space.bit(column, bit)).collect::<Vec<Level>>();
        let (before, after) = (levels(self.space.old), levels(self.space.v[0]));
        let mut counts = Bdd::FALSE;
        for count in 1..=late.count {
            let (from, to) =
                (self.calculus.number(&before, count)?, self.calculus.number(&after, count - 1)?);
            let one = self.calculus.and(from, to)?;
            counts = self.calculus.or(counts, one)?;
        }
        let fresh = self.fresh(late.procedure)?;
        let relation = self.calculus.and(counts, fresh)?;
        let entry = self.model.program.procedures()[late.procedure].entry;
        Ok(self.wake(entry, bits, Lifecycle::WakeLate, relation))
    }

    fn wake(&mut self, to: Loc, bits: Vec<usize>, effect: Lifecycle, relation: Bdd) -> Move {
        self.calculus.manager.protect(relation);
        let touched = Touched { bits, ..Touched::default() };
        Move { from: Position::Dormant, to: Position::At(to), root_only: true, effect, touched, relation }
    }

    /// The local states in which a thread begins at the entry of a procedure.
    pub fn fresh(&mut self, procedure: ProcId) -> Result<Bdd, Stop> {
        let entry = self.model.program.procedures()[procedure].entry;
        let born = self.newborn(entry, &[], false)?;
        self.settle(entry, born)
    }

    /// The locals of a new thread except those `given`: copies lack owner bits, other locals start as
    /// declared, and what is not in scope is 0.
    fn newborn(&mut self, at: Loc, given: &[LocalId], copies: bool) -> Result<Bdd, Stop> {
        let program = self.model.program;
        let procedure = program.at(at).procedure;
        let all = [self.model.frame(procedure), self.model.thread_locals()].concat();
        let mut fixed = vec![(self.space.inside.now, false)];
        for local in all.into_iter().filter(|local| !given.contains(local)) {
            match program.locals()[local].init {
                _ if copies || !program.in_scope(at, local) => fixed.push((self.space.of(local).now, false)),
                Init::Fixed(value) => fixed.push((self.space.of(local).now, value)),
                Init::Any => {}
            }
        }
        self.calculus.manager.cube(&fixed)
    }
}
