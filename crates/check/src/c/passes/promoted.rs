//! Accesses to promoted objects: nobody else can have their address, so their cells are like registers of the
//! thread.

use super::Validator;
use super::paths::Attempt;
use crate::{Rejected, reject};
use c::{
    AccessKind, Convert, ExprId, Loc, Node, ObjectId, ObjectScope, OldValue, Place, TRUTH, Type, signed,
};

impl Validator<'_> {
    /// Does an access to a promoted object on terms; whether it was one.
    pub fn promoted_access(&mut self, attempt: &mut Attempt, loc: Loc) -> Result<bool, Rejected> {
        let old = self.old;
        let frame = (attempt.stack().len() - 1) as u32;
        let op = &old.at(loc).op;
        let mut objects = op.places().into_iter().filter_map(Place::object);
        let Some(object) = objects.find(|&it| self.is_promoted(it)) else { return Ok(false) };
        let effects = old.effects(loc);
        let Some((access, place, bits)) = effects.scalar().filter(|_| !effects.chooses.fails) else {
            return reject("a promoted object is used by a step that is no plain access");
        };
        let cell = self.promoted_cell(attempt, object, place, bits)?;
        let ty = self.old_type(cell).expect("the cell was found");
        let before = self.old_value(&attempt.view, cell).expect("the cell has a type");
        let (results, operands) = (op.results(), op.operands());
        match (access.kind, &results[..], &operands[..]) {
            (AccessKind::Read, [Some(local)], []) => {
                let value = self.reinterpreted(before, old.locals()[*local].ty);
                attempt.view.old.insert(self.old_register(frame, *local), value);
            }
            (AccessKind::Write, [], [value]) => {
                let value = self.evaluate_old(attempt, frame, *value)?;
                let value = self.reinterpreted(value, ty);
                attempt.view.old.insert(cell, value);
            }
            (AccessKind::Update, [Some(read), success], [guard @ .., value]) => {
                let was = self.reinterpreted(before, old.locals()[*read].ty);
                attempt.view.old.insert(self.old_register(frame, *read), was);
                let guard = match guard {
                    [guard, ..] => self.evaluate_old(attempt, frame, *guard)?,
                    [] => self.terms.add(Node::Const(TRUTH, 1)),
                };
                // It is computed only if the guard holds.
                let parts = self.old_parts(&attempt.view, attempt.stack(), frame, *value);
                if parts.iter().any(|it| it.may_fault) && self.terms.number(guard) != Some(1) {
                    return reject("what is written to a promoted object may be undefined");
                }
                let value = self.evaluate_old(attempt, frame, *value)?;
                let value = self.reinterpreted(value, ty);
                let after = self.terms.add(Node::Ite(guard, value, before));
                attempt.view.old.insert(cell, after);
                if let Some(success) = *success {
                    let flag = self.truth_as(guard, old.locals()[success].ty);
                    attempt.view.old.insert(self.old_register(frame, success), flag);
                }
            }
            _ => return reject("a promoted object is used by a step that is no plain access"),
        }
        Ok(true)
    }

    /// The cell of a promoted object that an access hits: the object must exist, and the cell have the
    /// access's width.
    fn promoted_cell(
        &mut self,
        attempt: &mut Attempt,
        object: ObjectId,
        place: Place,
        bits: u8,
    ) -> Result<OldValue, Rejected> {
        let frame = (attempt.stack().len() - 1) as u32;
        let width = self.old.pointer_bits();
        let offset = match place {
            Place::Object { offset, .. } => Some(offset),
            Place::Indexed { offset, .. } => {
                let offset = self.evaluate_old(attempt, frame, offset)?;
                self.terms.number(offset).map(|number| signed(number, width) as i64)
            }
            Place::Pointer { .. } => None,
        };
        let Some(offset) = offset else { return reject("a promoted object has a computed index") };
        let cell = self.old_cell(frame, object, offset);
        let lives = self.old.objects()[object].scope == ObjectScope::Thread
            || attempt.view.alive.contains(&(frame, object));
        match lives && self.old_type(cell).is_some_and(|ty| ty.bits(width) == bits) {
            true => Ok(cell),
            false => reject("an access to a promoted object does not certainly hit a cell of its width"),
        }
    }

    fn truth_as(&mut self, truth: ExprId, ty: Type) -> ExprId {
        match ty == TRUTH {
            true => truth,
            false => self.terms.add(Node::Convert(Convert::ZeroExtend, ty, truth)),
        }
    }

    /// The bits of a term as another type.
    pub fn reinterpreted(&mut self, term: ExprId, ty: Type) -> ExprId {
        if self.terms.ty(term) == ty {
            return term;
        }
        // Back and forth is nothing: bits stay bits.
        match self.terms.node(term) {
            Node::Convert(Convert::Reinterpret, _, from) if self.terms.ty(from) == ty => from,
            _ => self.terms.add(Node::Convert(Convert::Reinterpret, ty, term)),
        }
    }
}
