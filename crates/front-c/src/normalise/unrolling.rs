//! The unrolling of loops that create or join threads, so that each handle has a place of its own. Only the
//! plainest form is unrolled: a variable that starts with a constant in the loop's own head, and that nothing
//! but the head's last expression writes. How often such a loop turns, and with which values, is found by
//! running its head: condition and step are folded in the variable's type by what folds every other constant.
//! Everything else stays a loop.

use ::c::{ExprId, LocalId, Op};

use super::super::hir::{self, BinaryOp, CastKind, ExprKind, PlaceKind, StmtId, StmtKind, Storage, VarId};
use super::Normaliser;
use super::context::{Binding, Jump};
use super::facts::{walk, whole_variable, written_place};

/// Larger conditions and steps are not looked at.
const PARTS: u32 = 32;

/// The head of a loop.
#[derive(Clone, Copy)]
struct Head {
    variable: VarId,
    local: LocalId,
    condition: hir::ExprId,
    step: hir::ExprId,
}

/// The values of a loop's variable: one for each turn, and the one with which the loop ends.
struct Turns {
    values: Vec<ExprId>,
    last: ExprId,
}

impl Normaliser<'_> {
    /// Writes the turns of a loop one after the other, if it creates or joins threads, handles matter
    /// somewhere, and the turns are few.
    pub fn unrolled(&mut self, id: StmtId) -> bool {
        let StmtKind::For { init, condition: Some(condition), step: Some(step), body } =
            self.hir.stmts[id].kind
        else {
            return false;
        };
        let wanted = !self.options.literal && self.handles_matter();
        let Some(variable) = wanted.then(|| stepped(self.hir, step)).flatten() else {
            return false;
        };
        let Some(Binding::Register(local)) = self.frame().env.get(&variable).copied() else { return false };
        let head = Head { variable, local, condition, step };
        if !self.counts(head) || !self.is_plain_body(body, variable) {
            return false;
        }
        let Some(first) = self.first_value_of(id, init, variable) else { return false };
        let Some(turns) = self.turns(head, first) else { return false };
        self.write_turns(head, &turns, body);
        true
    }

    /// Whether somebody joins threads or compares handles.
    fn handles_matter(&self) -> bool {
        let names = ["pthread_join", "thrd_join", "pthread_equal", "thrd_equal"];
        names.iter().any(|name| self.facts.called_names.contains(*name))
    }

    fn write_turns(&mut self, head: Head, turns: &Turns, body: StmtId) {
        let scopes = self.frame().scopes.len();
        let end = self.label();
        // What the body declares is new in each turn.
        let outside = self.frame().env.clone();
        self.frame().breaks.push(Jump { label: end, scopes });
        for &value in &turns.values {
            let next = self.label();
            self.emit(Op::Assign { local: head.local, value });
            self.frame().env = outside.clone();
            self.frame().env.insert(head.variable, Binding::Value(value));
            self.frame().continues.push(Jump { label: next, scopes });
            self.statement(body);
            self.frame().continues.pop();
            self.place_label(next);
        }
        self.frame().env = outside;
        self.frame().breaks.pop();
        self.emit(Op::Assign { local: head.local, value: turns.last });
        self.place_label(end);
    }

    /// Whether the variable is an integer of this activation alone, and the head reads nothing else.
    fn counts(&self, head: Head) -> bool {
        let declared = &self.hir.variables[head.variable];
        let own = matches!(declared.storage, Storage::Local | Storage::Parameter) && !declared.thread_local;
        let alone = !declared.address_taken && declared.cleanup.is_none();
        let mut parts = PARTS;
        own && alone
            && self.types().int_kind(declared.ty.ty).is_some()
            && self.folds(head.condition, head.variable, &mut parts)
            && self.step_folds(head, &mut parts)
    }

    /// Whether an expression is made of constants, the variable and total operators on integers: then its
    /// value is known once the variable's is.
    fn folds(&self, e: hir::ExprId, variable: VarId, parts: &mut u32) -> bool {
        if *parts == 0 {
            return false;
        }
        *parts -= 1;
        let expr = &self.hir.exprs[e];
        let integer = |e: hir::ExprId| self.types().int_kind(self.hir.exprs[e].ty).is_some();
        match expr.kind {
            ExprKind::Integer(_) => integer(e) && !self.overflowed(e),
            ExprKind::Load(place) => whole_variable(self.hir, place) == Some(variable),
            ExprKind::Unary(_, inner) => self.folds(inner, variable, parts),
            ExprKind::Not(inner) => integer(inner) && self.folds(inner, variable, parts),
            ExprKind::Cast(CastKind::Integer | CastKind::Bool | CastKind::Same, inner) => {
                integer(inner) && integer(e) && self.folds(inner, variable, parts)
            }
            ExprKind::Binary { op, left, right } => {
                let total = !op.is_shift() && !matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                total
                    && integer(left)
                    && integer(right)
                    && self.folds(left, variable, parts)
                    && self.folds(right, variable, parts)
            }
            _ => false,
        }
    }

    fn step_folds(&self, head: Head, parts: &mut u32) -> bool {
        match self.hir.exprs[head.step].kind {
            ExprKind::Increment { element: None, .. } => true,
            ExprKind::Assign { value, .. } => self.folds(value, head.variable, parts),
            ExprKind::AssignOp { op: BinaryOp::Add | BinaryOp::Subtract, value, computation, .. } => {
                self.types().int_kind(computation).is_some() && self.folds(value, head.variable, parts)
            }
            _ => false,
        }
    }

    /// Whether a body creates or joins threads itself, leaves the variable alone, and has no labels: a jump
    /// could not say into which turn it goes.
    fn is_plain_body(&self, body: StmtId, variable: VarId) -> bool {
        let found = walk(self.hir, body);
        let threads = found.exprs.iter().any(|&e| match &self.hir.exprs[e].kind {
            ExprKind::Call { callee: hir::Callee::Function(f), .. } => {
                is_thread_call(&self.hir.functions[*f].name)
            }
            _ => false,
        });
        threads && found.labels.is_empty() && !self.is_written(&found, variable)
    }

    fn is_written(&self, found: &super::facts::Walk, variable: VarId) -> bool {
        let places = found.exprs.iter().filter_map(|&e| written_place(self.hir, e));
        places.chain(found.outputs.iter().copied()).any(|place| root(self.hir, place) == Some(variable))
    }

    /// The first value: assigned by the head itself, or the initialiser of a declaration that stands in the
    /// head or directly before the loop.
    fn first_value_of(&mut self, id: StmtId, init: Option<hir::ExprId>, variable: VarId) -> Option<ExprId> {
        let value = match init {
            Some(init) => match self.hir.exprs[init].kind {
                ExprKind::Assign { place, value } if whole_variable(self.hir, place) == Some(variable) => {
                    value
                }
                _ => return None,
            },
            None => self.declared_value(id, variable)?,
        };
        let mut parts = PARTS;
        let known = !self.reads_variables(value) && self.folds(value, variable, &mut parts);
        if known { self.folded(value, variable) } else { None }
    }

    fn reads_variables(&self, e: hir::ExprId) -> bool {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if matches!(self.hir.exprs[e].kind, ExprKind::Load(_)) {
                return true;
            }
            stack.extend(super::facts::expr_parts(self.hir, e));
        }
        false
    }

    /// The initialiser of a variable in a block of declarations and then the loop: no way leads to the loop
    /// but through them.
    fn declared_value(&mut self, id: StmtId, variable: VarId) -> Option<hir::ExprId> {
        let hir = self.hir;
        let block = self.frame().scopes.last()?.block?;
        let StmtKind::Block { variables, statements } = &hir.stmts[block].kind else { return None };
        let (last, before) = statements.split_last()?;
        let declares = |s: &StmtId| matches!(hir.stmts[*s].kind, StmtKind::Declare(_));
        if *last != id || !before.iter().all(declares) || !variables.contains(&variable) {
            return None;
        }
        // Another declaration's initialiser may write the variable.
        if before.iter().any(|&s| self.is_written(&walk(hir, s), variable)) {
            return None;
        }
        match hir.variables[variable].init.as_ref()?.cells.as_slice() {
            [cell] if cell.bits.is_none() => Some(cell.value),
            _ => None,
        }
    }

    /// Runs the head: the value of each turn, if there are few.
    fn turns(&mut self, head: Head, first: ExprId) -> Option<Turns> {
        let ty = self.scalar_of(self.hir.variables[head.variable].ty.ty)?;
        let mut turns = Turns { values: vec![], last: first };
        let outside = self.frame().env.get(&head.variable).copied()?;
        let complete = loop {
            if self.type_of(turns.last) != ty {
                break false;
            }
            self.frame().env.insert(head.variable, Binding::Value(turns.last));
            let Some(goes_on) = self.folded_truth(head.condition, head.variable) else { break false };
            if !goes_on {
                break true;
            }
            if turns.values.len() >= self.options.unroll_threads as usize {
                break false;
            }
            turns.values.push(turns.last);
            let Some(next) = self.next_value(head, turns.last) else { break false };
            turns.last = next;
        };
        self.frame().env.insert(head.variable, outside);
        complete.then_some(turns)
    }

    fn folded_truth(&mut self, e: hir::ExprId, variable: VarId) -> Option<bool> {
        let value = self.folded(e, variable)?;
        self.constant(value).map(|value| value != 0)
    }

    /// The value of an expression that folds. It takes no step.
    fn folded(&mut self, e: hir::ExprId, variable: VarId) -> Option<ExprId> {
        let mut parts = PARTS;
        debug_assert!(self.folds(e, variable, &mut parts));
        self.wrapped = false;
        let wrapping = std::mem::replace(&mut self.wrapping, true);
        let value = self.value(e);
        self.wrapping = wrapping;
        self.constant(value).filter(|_| !self.wrapped).map(|_| value)
    }

    /// The next value of the counter, if that is a number; one that overflows is left to the loop.
    fn next_value(&mut self, head: Head, now: ExprId) -> Option<ExprId> {
        self.wrapped = false;
        let wrapping = std::mem::replace(&mut self.wrapping, true);
        let next = self.counted(head, now);
        self.wrapping = wrapping;
        next.filter(|_| !self.wrapped)
    }

    fn counted(&mut self, head: Head, now: ExprId) -> Option<ExprId> {
        let ty = self.hir.variables[head.variable].ty.ty;
        let next = match self.hir.exprs[head.step].kind {
            ExprKind::Increment { decrement, .. } => self.plus_one(ty, now, decrement),
            ExprKind::Assign { value, .. } => self.folded(value, head.variable)?,
            ExprKind::AssignOp { op, computation, value, .. } => {
                let operand = self.folded(value, head.variable)?;
                self.operated(ty, now, op, computation, operand)
            }
            _ => return None,
        };
        self.constant(next).map(|_| next)
    }
}

/// The variable that the last expression of a head writes.
fn stepped(hir: &hir::Program, step: hir::ExprId) -> Option<VarId> {
    whole_variable(hir, written_place(hir, step)?)
}

/// The variable that a place is a part of.
fn root(hir: &hir::Program, place: hir::PlaceId) -> Option<VarId> {
    let mut place = place;
    loop {
        match hir.places[place].kind {
            PlaceKind::Variable(variable) => return Some(variable),
            PlaceKind::Index { array: base, .. } | PlaceKind::Member { base, .. } => place = base,
            _ => return None,
        }
    }
}

fn is_thread_call(name: &str) -> bool {
    matches!(name, "pthread_create" | "pthread_join" | "thrd_create" | "thrd_join")
}
