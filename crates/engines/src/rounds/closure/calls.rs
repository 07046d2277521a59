//! Calls and returns in the closure.

use super::super::calls::Call;
use super::super::equations::{Kind, PathKey};
use super::super::moves::Position;
use super::SummaryClosure;
use crate::fixpoint::{Atom, LevelPairs, RelationId};
use base::Stop;
use solve::bdd::Level;

impl SummaryClosure<'_, '_, '_, '_> {
    pub(super) fn enter(&mut self, kind: Kind, called: bool, call: &Call) -> Result<(), Stop> {
        let (model, space) = (&self.equations.model, &self.equations.space);
        let caller = model.program.at(call.loc).procedure;
        let mut renamed: LevelPairs =
            model.frame(caller).iter().map(|&it| (space.of(it).now, space.of(it).old)).collect();
        renamed.extend(
            self.equations.record_of(caller, 1).into_iter().map(|copies| (copies.entry, copies.call)),
        );
        renamed.extend(space.layout.pairs(space.entry, space.call));
        let may_step = self.may_step(space.inside.now, space.busy.now)?;
        let with = self.system.calculus.and(call.enter, may_step)?;
        let entry = model.program.procedures()[call.callee].entry;
        let body = Atom { relation: self.seen(kind, called, Position::At(call.loc)), renamed };
        let head = self.seen(kind, true, Position::At(entry));
        self.add(head, vec![body], with)
    }

    pub(super) fn leave(&mut self, kind: Kind, called: bool, call: &Call) -> Result<(), Stop> {
        let space = &self.equations.space;
        let key = PathKey { kind, entered: usize::from(called), round: 1, position: Position::At(call.loc) };
        let (mut caller, mut callee) = self.equations.names_in_return(key, 1, call);
        caller.push((space.busy.now, space.busy.call));
        callee.push((space.busy.now, space.busy.old));
        let inside = if call.inside { space.inside.old } else { space.inside.now };
        let at_call = self.may_step(space.inside.call, space.busy.call)?;
        let before = self.may_step(inside, space.busy.old)?;
        let after = self.system.calculus.equal(&[(space.inside.now, space.busy.now)])?;
        let head = self.seen(kind, called, Position::At(call.next));
        for end in call.returns.clone() {
            let with = self.system.calculus.all([end.relation, at_call, before, after])?;
            let waiting = Atom { relation: self.seen(kind, called, key.position), renamed: caller.clone() };
            let ending =
                Atom { relation: self.seen(kind, true, Position::At(end.loc)), renamed: callee.clone() };
            self.add(head, vec![waiting, ending], with)?;
        }
        Ok(())
    }

    /// A return may write shared variables. Who called does not matter for what others see: the caller is
    /// quantified away.
    pub(super) fn changes_by_return(
        &mut self,
        kind: Kind,
        call: &Call,
        change: RelationId,
    ) -> Result<(), Stop> {
        if call.bits.is_empty() && !call.inside {
            return Ok(());
        }
        let (model, space) = (&self.equations.model, &self.equations.space);
        let caller = model.frame(model.program.at(call.loc).procedure);
        let mut hidden: Vec<Level> =
            caller.iter().flat_map(|&it| [space.of(it).now, space.of(it).call]).collect();
        hidden.extend(model.thread_locals().iter().map(|&it| space.of(it).call));
        hidden.extend(model.program.procedures()[call.callee].params.iter().map(|&it| space.of(it).argument));
        hidden.push(space.inside.call);
        hidden.extend(space.layout.levels(space.call));
        let mut renamed: LevelPairs =
            model.frame(call.callee).iter().map(|&it| (space.of(it).now, space.of(it).old)).collect();
        renamed.extend(call.thread_touched.iter().map(|&it| (space.of(it).now, space.of(it).old)));
        renamed.extend(call.inside.then_some((space.inside.now, space.inside.old)));
        renamed.push((space.busy.now, space.busy.old));
        renamed.extend(call.bits.iter().map(|&bit| (space.bit(space.v[0], bit), space.bit(space.old, bit))));
        let inside = if call.inside { space.inside.old } else { space.inside.now };
        let before = self.may_step(inside, space.busy.old)?;
        let after = self.system.calculus.equal(&[(space.inside.now, space.busy.now)])?;
        for end in call.returns.clone() {
            let relation = self.system.calculus.exists(end.relation, &hidden)?;
            let with = self.system.calculus.all([relation, before, after])?;
            let relation = self.seen(kind, true, Position::At(end.loc));
            let owners = self.owners(|local| self.equations.space.of(local).now);
            self.changed(change, Atom { relation, renamed: renamed.clone() }, with, owners, &call.bits)?;
        }
        Ok(())
    }
}
