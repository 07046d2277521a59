//! Threads that are gone: the old program's thread goes on where the new program's stands still. Nothing that
//! it still does may be an error or be noticed by others: it may read, wait and end the program.

use crate::{Rejected, reject};
use base::Id;
use c::{AccessKind, Control, Correspondence, Loc, ObjectId, ObjectScope, Program, Region, ThreadEffect};
use std::collections::HashSet;

/// Where threads are gone.
pub struct Gone<'a> {
    old: &'a Program,
    /// The stacks of gone threads.
    stacks: HashSet<Vec<Loc>>,
    /// The objects that only gone threads use.
    private: Vec<ObjectId>,
    addressed: Vec<bool>,
    /// Whether undefined behaviour is an error.
    undefined: bool,
}

impl<'a> Gone<'a> {
    /// The gone threads of a correspondence; refused if somebody else uses what they alone may.
    pub fn new(
        old: &'a Program,
        correspondence: &'a Correspondence,
        undefined: bool,
    ) -> Result<Self, Rejected> {
        let (gone, there): (Vec<_>, Vec<_>) =
            correspondence.pairs.iter().partition(|pair| pair.new.is_none());
        let addressed = old.addressed();
        for &object in &correspondence.private {
            let known = old.objects().get(object).is_some_and(|_| !addressed[object.index()]);
            let used = |loc: Loc| {
                let op = &old.at(loc).op;
                op.entered_or_left() == Some(object)
                    || op.places().into_iter().any(|it| it.object() == Some(object))
            };
            let outside = there.iter().filter_map(|pair| pair.stack.last()).any(|&loc| used(loc));
            if !known || outside {
                return reject("an object is used by threads that are not gone");
            }
        }
        let stacks = gone.into_iter().map(|pair| pair.stack.clone()).collect();
        Ok(Gone { old, stacks, private: correspondence.private.clone(), addressed, undefined })
    }

    /// Checks the step of a gone thread.
    pub fn check(&self, stack: &[Loc]) -> Result<(), Rejected> {
        let &[loc] = stack else { return reject("a thread is gone inside of a call") };
        let effects = self.old.effects(loc);
        let errs = !effects.faults.is_empty() && self.undefined;
        let stays = match effects.control {
            Control::Next | Control::Branch(_) => {
                self.old.successors(loc).into_iter().all(|next| self.stacks.contains(&vec![next]))
            }
            Control::Halt => true,
            // Undefined behaviour, at which the thread waits; an error and what is not translated have no
            // faults.
            Control::Nowhere => !effects.faults.is_empty(),
            Control::Call(_) | Control::Return | Control::Exit | Control::Check => false,
        };
        let alone = matches!(effects.threads, None | Some(ThreadEffect::Join(_) | ThreadEffect::Identify));
        let unseen = effects.accesses.iter().all(|access| self.is_unseen(access.region, access.kind));
        if errs || !stays || !alone || !unseen {
            return reject("a thread is gone whose steps still matter");
        }
        Ok(())
    }

    fn is_unseen(&self, region: Region, kind: AccessKind) -> bool {
        match kind {
            AccessKind::Read | AccessKind::Exists => true,
            AccessKind::Write => {
                let object = region.place().and_then(|place| place.object());
                object.is_some_and(|object| self.private.contains(&object))
            }
            AccessKind::Begin | AccessKind::End => match region {
                Region::Declared(object) => {
                    let own = matches!(self.old.objects()[object].scope, ObjectScope::Procedure(_));
                    own && !self.addressed[object.index()]
                }
                _ => false,
            },
            AccessKind::Update | AccessKind::Sync(_) => false,
        }
    }
}
