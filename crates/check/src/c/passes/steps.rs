//! The steps of both sides, the only place of the validator that tells kinds of steps apart: what a step of
//! the old program does to its thread, in cases; which steps of the new program go with it unnoticed; and
//! when two steps that others may notice are the same.

use super::Validator;
use super::paths::Attempt;
use super::views::ThreadView;
use crate::{Rejected, reject};
use c::correspondence::terms::{Part, Symbol};
use c::{
    Binary, ExprId, Loc, LocalId, Node, ObjectId, ObjectScope, OldValue, Op, OriginId, Place, PropertyId,
    Range, signed,
};
use std::collections::HashMap;

/// What a step of the old program comes to, beside what it does to registers and promoted cells.
#[derive(Clone, Debug)]
pub enum Event {
    /// Nothing that others notice; then it is here.
    Moves(Vec<Loc>),
    /// The property fails.
    Fails(PropertyId),
    /// Something that the new program must do, too.
    Visible,
    /// A call: of the new program, too, or inlined there.
    Calls,
}

/// A case of a step, with what is known in it.
pub type Case = (Attempt, Event);

/// A choice of the old program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chosen {
    range: Option<Range>,
    origin: Option<OriginId>,
    value: ExprId,
}

impl Validator<'_> {
    /// What the step at the end of a stack does, in cases.
    pub fn cases(&mut self, stack: &[Loc], mut attempt: Attempt) -> Result<Vec<Case>, Rejected> {
        let old = self.old;
        let loc = *stack.last().expect("a stack has a location");
        let location = old.at(loc);
        let frame = (stack.len() - 1) as u32;
        let after = |to: Loc| Event::Moves(moved(stack, to));
        let next = after(location.next);
        match &location.op {
            Op::Skip => {}
            Op::Assign { local, value } => {
                let value = self.evaluate_old(&mut attempt, frame, *value)?;
                attempt.view.old.insert(self.old_register(frame, *local), value);
            }
            // The thread waits for ever.
            &Op::Choose { local, range: Some(range), .. }
                if self.preserve.deadlocks
                    && !range.has_number(old.locals()[local].ty.bits(old.pointer_bits())) =>
            {
                return Ok(vec![(attempt, Event::Visible)]);
            }
            &Op::Choose { local, range, origin } => {
                let open = range.is_none().then_some(origin);
                let value = self.make(old.locals()[local].ty, None, open);
                attempt.chosen = Some(Chosen { range, origin, value });
                attempt.view.old.insert(self.old_register(frame, local), value);
            }
            Op::Branch { cond, target } => {
                let cond = self.evaluate_old(&mut attempt, frame, *cond)?;
                return Ok(self.either(&attempt, cond, [after(*target), next]));
            }
            Op::Assume(cond) => {
                let before = attempt.clone();
                let cond = self.evaluate_old(&mut attempt, frame, *cond)?;
                // Nobody waits where it certainly holds.
                if self.preserve.deadlocks && attempt.truth(&self.terms, cond) != Some(true) {
                    return Ok(vec![(before, Event::Visible)]);
                }
                return Ok(self.assuming(&attempt, cond, true, next).into_iter().collect());
            }
            Op::Assert { cond, property } => {
                let cond = self.evaluate_old(&mut attempt, frame, *cond)?;
                return Ok(self.either(&attempt, cond, [next, Event::Fails(*property)]));
            }
            Op::Error(property) => return Ok(vec![(attempt, Event::Fails(*property))]),
            // The thread waits for ever.
            Op::Undefined(_) if !self.preserve.undefined && !self.preserve.deadlocks => return Ok(vec![]),
            Op::Call { .. } => return Ok(vec![(attempt, Event::Calls)]),
            Op::Return(value) if stack.len() > 1 => return self.return_inlined(stack, attempt, *value),
            Op::Enter(object) if self.is_promoted(*object) => {
                for c::Scalar { offset, ty, .. } in old.scalars(*object) {
                    let value = self.make(ty, None, Some(None));
                    attempt.view.old.insert(self.old_cell(frame, *object, offset), value);
                }
                attempt.view.alive.insert((frame, *object));
            }
            Op::Leave(object) if self.is_promoted(*object) => {
                attempt.view.alive.remove(&(frame, *object));
            }
            _ => {
                if !self.promoted_access(&mut attempt, loc)? {
                    return Ok(vec![(attempt, Event::Visible)]);
                }
            }
        }
        Ok(vec![(attempt, next)])
    }

    /// The cases that a condition holds and that it does not, without what is excluded.
    fn either(&self, attempt: &Attempt, cond: ExprId, [yes, no]: [Event; 2]) -> Vec<Case> {
        let no = self.assuming(attempt, cond, false, no);
        self.assuming(attempt, cond, true, yes).into_iter().chain(no).collect()
    }

    /// The case that a condition holds or not, unless that is excluded.
    fn assuming(&self, attempt: &Attempt, cond: ExprId, value: bool, event: Event) -> Option<Case> {
        if attempt.truth(&self.terms, cond) == Some(!value) {
            return None;
        }
        let mut attempt = attempt.clone();
        attempt.assume(&self.terms, cond, value);
        Some((attempt, event))
    }

    /// An inlined activation ends: its objects end, the caller's register gets the value.
    fn return_inlined(
        &mut self,
        stack: &[Loc],
        mut attempt: Attempt,
        value: Option<ExprId>,
    ) -> Result<Vec<Case>, Rejected> {
        let frame = (stack.len() - 1) as u32;
        let calls = &stack[..stack.len() - 1];
        let value = value.map(|value| self.evaluate_old(&mut attempt, frame, value)).transpose()?;
        let call = self.old.at(*calls.last().expect("somebody called"));
        if let (Op::Call { result: Some(result), .. }, Some(value)) = (&call.op, value) {
            attempt.view.old.insert(self.old_register(frame - 1, *result), value);
        }
        let ended = self.correspondence.objects.iter().filter(|it| it.calls == calls);
        attempt.pending.extend(ended.map(|it| it.new));
        attempt.view.alive.retain(|it| it.0 != frame);
        Ok(vec![(attempt, Event::Moves(moved(calls, call.next)))])
    }

    /// The value of an old expression, which is defined if the step is taken.
    pub fn evaluate_old(&mut self, attempt: &mut Attempt, frame: u32, e: ExprId) -> Result<ExprId, Rejected> {
        let parts = self.old_parts(&attempt.view, attempt.stack(), frame, e);
        let mut last = None;
        for Part { term, may_fault } in parts {
            let Some(term) = term else {
                return reject("the address of a promoted or unknown object is used");
            };
            attempt.defined.insert(term);
            if may_fault && !self.exists(&attempt.view, term) {
                attempt.required.insert(term);
            }
            last = Some(term);
        }
        if self.preserve.first_fault && !self.one_kind(attempt) {
            return reject("a step may be undefined in several ways, which may change places");
        }
        Ok(last.expect("an expression has parts"))
    }

    /// Whether all that may be undefined in the old step is of one kind: the address of an object outside its
    /// lifetime, or an operator without a value. Nothing is known of a conditional, which stays whole.
    fn one_kind(&self, attempt: &Attempt) -> bool {
        let mut nodes = attempt.required.iter().map(|&it| self.terms.node(it));
        attempt.required.len() < 2
            || nodes.clone().all(|it| matches!(it, Node::Address(_)))
            || !nodes.any(|it| matches!(it, Node::Address(_) | Node::Ite(..)))
    }

    /// Whether a term is the address of an object that exists.
    fn exists(&self, view: &ThreadView, term: ExprId) -> bool {
        matches!(self.terms.node(term), Node::Address(object) if view.exists.contains(&object))
    }

    pub fn old_parts(&mut self, view: &ThreadView, stack: &[Loc], frame: u32, e: ExprId) -> Vec<Part> {
        let old = self.old;
        let mapped = |object: ObjectId| self.map_object(stack, frame, object);
        let objects: HashMap<ObjectId, Option<ObjectId>> = old
            .exprs()
            .below(e)
            .into_iter()
            .filter_map(
                |id| if let Node::Address(object) = old.exprs().node(id) { Some(object) } else { None },
            )
            .map(|object| (object, mapped(object)))
            .collect();
        let register = |local: LocalId| self.old_register(frame, local);
        let registers: HashMap<LocalId, OldValue> =
            old.exprs().locals(e).into_iter().map(|local| (local, register(local))).collect();
        self.terms.evaluate(old.exprs(), e, |terms, node| match node {
            Node::Local(local, ty) => {
                let value = registers[&local];
                Some(view.old.get(&value).copied().unwrap_or_else(|| terms.symbol(Symbol::Old(value), ty)))
            }
            Node::Address(object) => Some(terms.add(Node::Address(objects[&object]?))),
            _ => None,
        })
    }

    /// The new object that takes the place of one of an old frame.
    pub fn map_object(&self, stack: &[Loc], frame: u32, object: ObjectId) -> Option<ObjectId> {
        if self.is_promoted(object) {
            return None;
        }
        let inlined = frame > 0 && matches!(self.old.objects()[object].scope, ObjectScope::Procedure(_));
        if !inlined {
            return Some(object);
        }
        let calls = &stack[..frame as usize];
        let pairs = self.correspondence.objects.iter();
        pairs.clone().find(|it| it.old == object && it.calls == calls).map(|it| it.new)
    }

    /// The value of a new expression; `None` if nothing is known of it. It must be defined.
    fn evaluate_new(&mut self, attempt: &mut Attempt, e: ExprId) -> Result<Option<ExprId>, Rejected> {
        let parts = self.new_parts(&attempt.view, e);
        let mut last = None;
        for Part { term, may_fault } in parts {
            let sure = |term: ExprId| attempt.defined.contains(&term) || self.exists(&attempt.view, term);
            if may_fault && !term.is_some_and(sure) {
                return reject("a step of the new program alone may be undefined");
            }
            if let Some(term) = term {
                attempt.required.remove(&term);
            }
            last = term;
        }
        Ok(last)
    }

    fn new_parts(&mut self, view: &ThreadView, e: ExprId) -> Vec<Part> {
        let new = self.new;
        self.terms.evaluate(new.exprs(), e, |terms, node| match node {
            Node::Local(local, _) => view.new.get(&local).copied(),
            node => Some(terms.add(node)),
        })
    }

    /// Takes the next step of the new program if nobody else notices it and it cannot wait, fail or be
    /// undefined; whether it was taken.
    pub fn unnoticed(&mut self, attempt: &mut Attempt) -> Result<bool, Rejected> {
        let new = self.new;
        let location = new.at(attempt.at);
        let required = attempt.required.len();
        match &location.op {
            Op::Skip => {}
            Op::Assign { local, value } => {
                let value = self.evaluate_new(attempt, *value)?;
                set(&mut attempt.view, *local, value);
            }
            &Op::Choose { local, range: None, origin } => {
                let value = self.make(new.locals()[local].ty, Some(origin), None);
                attempt.view.new.insert(local, value);
            }
            &Op::Choose { local, range, origin } => {
                let ty = new.locals()[local].ty;
                let same =
                    |it: &Chosen| (it.range, it.origin) == (range, origin) && self.terms.ty(it.value) == ty;
                let Some(chosen) = attempt.chosen.filter(same) else { return Ok(false) };
                attempt.view.new.insert(local, chosen.value);
            }
            Op::Branch { cond, target } => {
                let cond = self.evaluate_new(attempt, *cond)?;
                let Some(holds) = cond.and_then(|it| attempt.truth(&self.terms, it)) else {
                    return Ok(false);
                };
                attempt.at = if holds { *target } else { location.next };
                return self.place_fits(attempt, required, location.span);
            }
            Op::Assume(cond) | Op::Assert { cond, .. } => {
                let cond = self.evaluate_new(attempt, *cond)?;
                if cond.and_then(|it| attempt.truth(&self.terms, it)) != Some(true) {
                    return Ok(false);
                }
            }
            Op::Leave(object) if attempt.pending.remove(object) => {
                self.outdate(attempt, *object);
                attempt.view.exists.remove(object);
            }
            _ => return Ok(false),
        }
        attempt.at = location.next;
        self.place_fits(attempt, required, location.span)
    }

    /// Where undefined behaviour is an error, it must be one at the same place.
    fn place_fits(
        &self,
        attempt: &Attempt,
        required: usize,
        span: Option<base::Span>,
    ) -> Result<bool, Rejected> {
        let took = attempt.required.len() < required;
        if took && self.preserve.undefined && span != attempt.span {
            return reject("undefined behaviour has moved to another place");
        }
        Ok(true)
    }

    /// Whether the new program's step is the failing property.
    pub fn fails(&mut self, attempt: &mut Attempt, property: PropertyId) -> bool {
        let new = self.new;
        match new.at(attempt.at).op {
            Op::Error(it) => it == property,
            Op::Assert { cond, property: it } if it == property => {
                let cond = self.evaluate_new(attempt, cond).ok().flatten();
                cond.and_then(|it| attempt.truth(&self.terms, it)) == Some(false)
            }
            _ => false,
        }
    }

    /// Takes the old and the new step together if they are the same, with equal operands; whether they were.
    pub fn together(&mut self, stack: &[Loc], attempt: &mut Attempt) -> Result<bool, Rejected> {
        let (old, new) = (self.old, self.new);
        let loc = *stack.last().expect("a stack has a location");
        let frame = (stack.len() - 1) as u32;
        let [old_op, new_op] = [&old.at(loc).op, &new.at(attempt.at).op];
        if old_op.skeleton() != new_op.skeleton() || !self.same_places(stack, attempt, [old_op, new_op])? {
            return Ok(false);
        }
        if let (Some(one), Some(other)) = (old_op.entered_or_left(), new_op.entered_or_left())
            && self.map_object(stack, frame, one) != Some(other)
        {
            return Ok(false);
        }
        let results = self.results(frame, attempt, [old_op, new_op]);
        let Some(results) = results else { return Ok(false) };
        // A read-modify-write computes with what it has just read.
        let mut view = attempt.view.clone();
        if matches!(old_op, Op::Rmw { .. }) {
            results.iter().take(1).for_each(|it| it.write(&mut view));
        }
        for (one, other) in old_op.operands().into_iter().zip(new_op.operands()) {
            let one = self.old_parts(&view, stack, frame, one).last().and_then(|it| it.term);
            let other = self.new_parts(&view, other).last().and_then(|it| it.term);
            if one.is_none() || one != other {
                return Ok(false);
            }
            attempt.passed.extend(one);
        }
        if self.preserve.undefined
            && !old.effects(loc).faults.is_empty()
            && new.at(attempt.at).span != attempt.span
        {
            return reject("undefined behaviour has moved to another place");
        }
        results.iter().for_each(|it| it.write(&mut attempt.view));
        match old_op {
            Op::SectionBegin => attempt.view.outside = false,
            Op::SectionEnd => attempt.view.outside = true,
            _ => {}
        }
        if let Some(object) = new_op.entered_or_left() {
            self.outdate(attempt, object);
            match new_op {
                Op::Enter(_) => attempt.view.exists.insert(object),
                _ => attempt.view.exists.remove(&object),
            };
        }
        Ok(true)
    }

    fn same_places(&mut self, stack: &[Loc], attempt: &Attempt, ops: [&Op; 2]) -> Result<bool, Rejected> {
        let frame = (stack.len() - 1) as u32;
        let [one, other] = ops.map(Op::places);
        for (one, other) in one.into_iter().zip(other) {
            let one = self.place_term(one, |it, part| match part {
                Ok(e) => it.old_parts(&attempt.view, stack, frame, e).last()?.term,
                Err(object) => {
                    let object = it.map_object(stack, frame, object)?;
                    Some(it.terms.add(Node::Address(object)))
                }
            });
            let other = self.place_term(other, |it, part| match part {
                Ok(e) => it.new_parts(&attempt.view, e).last()?.term,
                Err(object) => Some(it.terms.add(Node::Address(object))),
            });
            if one.is_none() || one != other {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A place as a pointer and a number of bytes, however it is written.
    fn place_term(
        &mut self,
        place: Place,
        mut term: impl FnMut(&mut Self, Result<ExprId, ObjectId>) -> Option<ExprId>,
    ) -> Option<(ExprId, i64)> {
        let (mut pointer, mut bytes) = match place {
            Place::Object { object, offset } => (term(self, Err(object))?, offset),
            Place::Pointer { pointer, offset } => (term(self, Ok(pointer))?, offset),
            Place::Indexed { object, offset } => {
                let (object, offset) = (term(self, Err(object))?, term(self, Ok(offset))?);
                (self.terms.add(Node::Binary(Binary::Add, object, offset)), 0)
            }
        };
        while let Node::Binary(Binary::Add, base, by) = self.terms.node(pointer) {
            let Some(by) = self.terms.number(by) else { break };
            bytes = bytes.wrapping_add(signed(by, self.new.pointer_bits()) as i64);
            pointer = base;
        }
        Some((pointer, bytes))
    }

    /// What the results of both steps are; `None` if they do not fit each other.
    fn results(&mut self, frame: u32, attempt: &Attempt, [one, other]: [&Op; 2]) -> Option<Vec<Written>> {
        let (old, new) = (self.old, self.new);
        let certain = one.registers(old).overwrites;
        let mut all = vec![];
        for (one, other) in one.results().into_iter().zip(other.results()) {
            let Some(one) = one else {
                all.push(Written { old: None, new: other, new_value: None });
                continue;
            };
            let ty = old.locals()[one].ty;
            if other.is_some_and(|other| new.locals()[other].ty != ty) {
                return None;
            }
            let value = self.old_register(frame, one);
            let before = self.old_value(&attempt.view, value);
            let made = self.make(ty, None, None);
            // A result that is perhaps not given leaves what was there.
            let same = certain.contains(&one)
                || other.is_some_and(|other| attempt.view.new.get(&other).copied() == before);
            all.push(Written { old: Some((value, made)), new: other, new_value: same.then_some(made) });
        }
        Some(all)
    }
}

/// A result of two steps that are the same.
struct Written {
    old: Option<(OldValue, ExprId)>,
    new: Option<LocalId>,
    new_value: Option<ExprId>,
}

impl Written {
    fn write(&self, view: &mut ThreadView) {
        if let Some((value, term)) = self.old {
            view.old.insert(value, term);
        }
        if let Some(local) = self.new {
            set(view, local, self.new_value);
        }
    }
}

/// A stack after a step at its end.
pub fn moved(stack: &[Loc], to: Loc) -> Vec<Loc> {
    stack[..stack.len() - 1].iter().copied().chain([to]).collect()
}

fn set(view: &mut ThreadView, local: LocalId, value: Option<ExprId>) {
    match value {
        Some(value) => view.new.insert(local, value),
        None => view.new.remove(&local),
    };
}
