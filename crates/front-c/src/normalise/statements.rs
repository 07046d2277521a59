//! Statements.

use ::c::{Binary, End, ExprId, Op, Type as Scalar};
use ir::Class;

use super::super::hir::{self, ExprKind, LabelId, StmtId, StmtKind, SwitchCase};
use super::super::types::TypeId;
use super::Normaliser;
use super::context::{Binding, Jump, ReturnTo, SuspectLabel};
use super::places::{Base, Spot};
use front::error_labels::{looks_like_error, unnamed};

impl Normaliser<'_> {
    /// Translates a statement.
    pub fn statement(&mut self, id: StmtId) {
        if !self.may_go_deeper() {
            return;
        }
        let before = self.span;
        let mark = self.mark();
        self.span = Some(self.hir.stmts[id].span);
        self.statement_kind(id);
        self.release(mark);
        self.span = before;
    }

    fn statement_kind(&mut self, id: StmtId) {
        match &self.hir.stmts[id].kind {
            StmtKind::Empty => {}
            StmtKind::Block { .. } => {
                self.enter_block(id);
                self.block_statements(id);
                self.end_of_handlers();
                self.leave_block();
            }
            StmtKind::Declare(variable) => self.declare(*variable),
            StmtKind::Expr(e) => self.full_expression(*e),
            StmtKind::If { condition, then, otherwise } => self.if_statement(*condition, *then, *otherwise),
            StmtKind::Switch { value, cases, default, body } => self.switch(*value, cases, *default, *body),
            StmtKind::While { condition, body } => self.loop_statement(Some(*condition), None, *body, false),
            StmtKind::DoWhile { body, condition } => self.loop_statement(Some(*condition), None, *body, true),
            StmtKind::For { init, condition, step, body } => {
                if let Some(init) = init {
                    self.full_expression(*init);
                }
                self.loop_statement(*condition, *step, *body, false);
            }
            StmtKind::Labelled { label, body } => self.labelled(*label, *body),
            StmtKind::Goto(label) => self.goto_label(*label),
            StmtKind::ComputedGoto(e) => self.computed_goto(*e),
            StmtKind::Break => {
                let jump = self.frame().breaks.last().copied();
                self.jump(jump);
            }
            StmtKind::Continue => {
                let jump = self.frame().continues.last().copied();
                self.jump(jump);
            }
            StmtKind::Return(value) => self.return_statement(*value),
            StmtKind::Asm { empty: true, inputs, .. } => {
                for &input in inputs {
                    self.full_expression(input);
                }
            }
            StmtKind::Asm { .. } => self.refuse("assembler"),
            StmtKind::Refused(reason) => self.refuse(reason.clone()),
        }
    }

    /// An expression whose value is dropped.
    pub fn full_expression(&mut self, e: hir::ExprId) {
        let mark = self.mark();
        self.drop_value(e);
        self.release(mark);
    }

    /// Evaluates an expression that nobody looks at: nor at the results of the calls that its value would
    /// come from.
    pub fn drop_value(&mut self, e: hir::ExprId) {
        let before = self.span;
        self.span = Some(self.hir.exprs[e].span);
        match self.hir.exprs[e].kind {
            ExprKind::Cast(hir::CastKind::Void, inner) if !self.is_record(self.hir.exprs[inner].ty) => {
                self.drop_value(inner);
            }
            ExprKind::Comma(left, right) => {
                self.drop_value(left);
                self.drop_value(right);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let (other, end) = (self.label(), self.label());
                self.jump_if(condition, other, false);
                self.drop_value(then);
                self.goto(end);
                self.place_label(other);
                self.drop_value(otherwise);
                self.place_label(end);
            }
            ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right) => {
                let or = matches!(self.hir.exprs[e].kind, ExprKind::LogicalOr(..));
                let end = self.label();
                self.jump_if(left, end, or);
                self.drop_value(right);
                self.place_label(end);
            }
            ExprKind::Statements { block, value } => {
                self.enter_block(block);
                self.block_statements(block);
                if let Some(value) = value {
                    self.drop_value(value);
                }
                self.leave_block();
            }
            _ => {
                self.dropped = Some(e);
                self.value(e);
                self.dropped = None;
            }
        }
        self.span = before;
    }

    fn jump(&mut self, jump: Option<Jump>) {
        match jump {
            Some(jump) => {
                self.leave_handlers(jump.scopes);
                self.end_lives(jump.scopes);
                self.goto(jump.label);
            }
            None => self.refuse("a jump out of nothing"),
        }
    }

    fn if_statement(&mut self, condition: hir::ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let (other, end) = (self.label(), self.label());
        self.jump_if(condition, other, false);
        self.statement(then);
        if otherwise.is_some() {
            self.goto(end);
        }
        self.place_label(other);
        if let Some(otherwise) = otherwise {
            self.statement(otherwise);
        }
        self.place_label(end);
    }

    fn loop_statement(
        &mut self,
        condition: Option<hir::ExprId>,
        step: Option<hir::ExprId>,
        body: StmtId,
        first: bool,
    ) {
        let (top, test, next, end) = (self.label(), self.label(), self.label(), self.label());
        if first {
            self.goto(top);
        }
        self.place_label(test);
        if let Some(condition) = condition {
            self.jump_if(condition, end, false);
        }
        self.place_label(top);
        let scopes = self.frame().scopes.len();
        self.frame().breaks.push(Jump { label: end, scopes });
        self.frame().continues.push(Jump { label: next, scopes });
        self.statement(body);
        self.frame().breaks.pop();
        self.frame().continues.pop();
        self.place_label(next);
        if let Some(step) = step {
            self.full_expression(step);
        }
        self.goto(test);
        self.place_label(end);
    }

    fn switch(&mut self, value: hir::ExprId, cases: &[SwitchCase], default: Option<LabelId>, body: StmtId) {
        let ty = self.hir.exprs[value].ty;
        let value = self.value(value);
        let value = self.keep(value);
        let scopes = self.frame().scopes.len();
        let end = self.label();
        // A case jumps into the body: `jump_to` enters the blocks on the way.
        for case in cases {
            let hit = self.case_hit(value, ty, case);
            let past = self.label();
            self.jump_if_true(hit, past, false);
            self.goto_label(case.label);
            self.place_label(past);
        }
        match default {
            Some(label) => self.goto_label(label),
            None => self.goto(end),
        }
        self.frame().breaks.push(Jump { label: end, scopes });
        self.statement(body);
        self.frame().breaks.pop();
        self.place_label(end);
    }

    fn case_hit(&mut self, value: ExprId, ty: TypeId, case: &SwitchCase) -> ExprId {
        let scalar = self.scalar(ty);
        let low = self.number(scalar, case.low as u128);
        if case.low == case.high {
            return self.binary(Binary::Eq, value, low);
        }
        let high = self.number(scalar, case.high as u128);
        let at_most = if self.is_signed(ty) { Binary::LeS } else { Binary::LeU };
        let from = self.binary(at_most, low, value);
        let to = self.binary(at_most, value, high);
        self.pool.exprs().binary(Binary::And, from, to)
    }

    fn labelled(&mut self, label: LabelId, body: StmtId) {
        self.come_to(label);
        if let Some(name) = &self.hir.labels[label].name {
            if name.starts_with("__CPROVER_ASYNC_") {
                return self.asynchronous(body);
            }
            if self.options.error_labels.contains(name) {
                let property = self.property(Class::ERROR_LABEL, name.to_string());
                self.emit(Op::Error(property));
            // `error:` and `fail:` are how C programs clean up.
            } else if looks_like_error(name) && !name.contains(|c: char| c.is_ascii_lowercase()) {
                let position = self.current.code.len();
                self.current.suspects.push(SuspectLabel { label, position });
            }
        }
        self.statement(body);
    }

    /// Warns of the first label that looks like one of an error, unless an error stands at it already.
    pub fn warn_of_labels(&mut self) {
        let code = &self.current.code;
        let is_error = |it: &SuspectLabel| {
            matches!(code.op(it.position), Some(Op::Error(_) | Op::Assert { .. } | Op::Branch { .. }))
        };
        let suspect = self.current.suspects.iter().find(|it| !is_error(it));
        let label = suspect.map(|it| &self.hir.labels[it.label]);
        if let Some(hir::Label { name: Some(name), span, .. }) = label {
            self.warn_once(unnamed(name, *span));
        }
    }

    /// The number that stands for a label's address.
    pub fn label_number(&mut self, label: LabelId) -> ExprId {
        let number = self.label_constant(label);
        self.number(Scalar::Pointer, number)
    }

    /// The number that stands for a label's address, in initialisers too.
    pub fn label_constant(&self, label: LabelId) -> u128 {
        let function = self.hir.labels[label].function;
        let body = self.hir.functions[function].body.as_ref();
        let position =
            body.and_then(|body| body.taken_labels.iter().position(|&it| it == label)).unwrap_or(0);
        position as u128 + 1
    }

    fn computed_goto(&mut self, e: hir::ExprId) {
        let value = self.value(e);
        let value = self.keep(value);
        let function = self.frame().function;
        let body = function.and_then(|function| self.hir.functions[function].body.as_ref());
        for &label in body.map_or(&[][..], |body| &body.taken_labels) {
            let number = self.label_number(label);
            let hit = self.binary(Binary::Eq, value, number);
            let past = self.label();
            self.jump_if_true(hit, past, false);
            self.goto_label(label);
            self.place_label(past);
        }
        self.emit(Op::Undefined("a jump to what is no label".into()));
    }

    fn return_statement(&mut self, value: Option<hir::ExprId>) {
        let returns = self.frame().returns;
        let result = self.frame().result;
        let mut returned = None;
        if let Some(id) = value {
            let ty = self.hir.exprs[id].ty;
            match result {
                Some(Binding::Object(object)) => {
                    let from = self.record(id);
                    self.copy(Spot::new(Base::Object(object), ty), from);
                }
                Some(Binding::Pointed(local)) => {
                    let from = self.record(id);
                    let to = self.pool.read(local);
                    self.copy(Spot::new(Base::Pointer(to), ty), from);
                }
                Some(Binding::Register(local)) => {
                    let value = self.value_for_result(id);
                    self.emit(Op::Assign { local, value });
                }
                _ if self.scalar_of(ty).is_none() => {
                    self.value(id);
                }
                _ => {
                    let value = self.value_for_result(id);
                    // Objects end before the value is used.
                    returned = Some(self.keep(value));
                }
            }
        }
        self.leave_handlers(0);
        self.end_lives(0);
        if value.is_none() {
            return self.leave_without_value(returns);
        }
        self.leave_function(returns, returned);
    }

    fn value_for_result(&mut self, id: hir::ExprId) -> ExprId {
        let allocates = self.frame().allocates;
        match allocates {
            Some(ty) if !matches!(self.hir.exprs[id].kind, ExprKind::Load(_)) => {
                self.with_allocation_hint(ty, id)
            }
            _ => self.value(id),
        }
    }

    /// The end of a function is reached, or a `return` without a value: undefined behaviour if the caller
    /// uses the value (C11 6.9.1).
    pub fn leave_without_value(&mut self, returns: ReturnTo) {
        let Some(function) = self.frame().function.filter(|_| self.value_is_used(returns)) else {
            return self.leave_function(returns, None);
        };
        if self.hir.main != Some(function) {
            return self.emit(Op::Undefined("a function gives no value to a caller that uses it".into()));
        }
        // `main` returns 0, to itself, too.
        let zero = self.int(0);
        if let Some(Binding::Register(local)) = self.frame().result {
            self.emit(Op::Assign { local, value: zero });
        }
        self.leave_function(returns, Some(zero).filter(|_| returns == ReturnTo::Procedure));
    }

    fn value_is_used(&mut self, returns: ReturnTo) -> bool {
        let frame = self.frame();
        match returns {
            ReturnTo::Procedure => !frame.dropped,
            ReturnTo::Thread | ReturnTo::Program => false,
        }
    }

    /// What happens after the last statement of a function.
    pub fn leave_function(&mut self, returns: ReturnTo, value: Option<ExprId>) {
        match returns {
            ReturnTo::Procedure => {
                self.end_section_of_function();
                self.emit(Op::Return(value));
            }
            ReturnTo::Thread => self.end_thread(value, false),
            ReturnTo::Program => self.end_program(End::Return),
        }
    }
}
