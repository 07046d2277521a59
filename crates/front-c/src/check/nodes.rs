//! Making nodes: each knows how deep it is, and one that is too deep is refused, once, with a diagnostic.

use base::Span;

use super::super::hir::{
    Atomic, Callee, Expr, ExprId, ExprKind, Init, MAX_DEPTH, Place, PlaceId, PlaceKind, Stmt, StmtId,
    StmtKind,
};
use super::super::types::{Qualified, TypeId};
use super::{Checker, Operand};

impl Checker {
    /// Adds a value.
    pub fn expr(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        let depth = self.expr_depth(&kind) + 1;
        if depth > MAX_DEPTH {
            self.too_deep(span);
            let kind = ExprKind::Refused("this expression is nested too deeply".into());
            return self.program.exprs.push(Expr { kind, ty, span, depth: 1 });
        }
        self.program.exprs.push(Expr { kind, ty, span, depth })
    }

    /// Adds an lvalue.
    pub fn place(&mut self, kind: PlaceKind, ty: Qualified, span: Span) -> PlaceId {
        let depth = 1 + match &kind {
            PlaceKind::Variable(_) | PlaceKind::String(_) => 0,
            PlaceKind::CompoundLiteral(variable) => {
                let init = self.program.variables[*variable].init.as_ref();
                init.map_or(0, |init| self.init_depth(init))
            }
            PlaceKind::Deref(expr) | PlaceKind::Temporary(expr) => self.program.exprs[*expr].depth,
            PlaceKind::Index { array, index } => {
                self.program.places[*array].depth.max(self.program.exprs[*index].depth)
            }
            PlaceKind::Member { base, .. } => self.program.places[*base].depth,
        };
        if depth > MAX_DEPTH {
            self.too_deep(span);
            let expr = self.refused("this expression is nested too deeply", ty.ty, span);
            return self.program.places.push(Place { kind: PlaceKind::Temporary(expr), ty, span, depth: 2 });
        }
        self.program.places.push(Place { kind, ty, span, depth })
    }

    /// Adds a statement.
    pub fn stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let depth = self.stmt_depth(&kind) + 1;
        if depth > MAX_DEPTH {
            self.too_deep(span);
            let kind = StmtKind::Refused("this statement is nested too deeply".into());
            return self.program.stmts.push(Stmt { kind, span, depth: 1 });
        }
        self.program.stmts.push(Stmt { kind, span, depth })
    }

    /// Says, once, that the program is nested too deeply.
    pub fn too_deep(&mut self, span: Span) {
        if !self.depth_reported {
            self.depth_reported = true;
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            self.error("E1010", span, message, "split it into smaller expressions, statements or functions");
        }
    }

    /// Whether reading on is of no use: there are too many errors, or the file is nested too deeply to make
    /// sense of the rest.
    pub fn gives_up(&self) -> bool {
        self.depth_reported || self.report.is_full()
    }

    /// The depth of an initialiser.
    pub fn init_depth(&self, init: &Init) -> u32 {
        init.cells.iter().map(|cell| self.program.exprs[cell.value].depth).max().unwrap_or(0)
    }

    fn expr_depth(&self, kind: &ExprKind) -> u32 {
        let expr = |id: &ExprId| self.program.exprs[*id].depth;
        let place = |id: &PlaceId| self.program.places[*id].depth;
        let all = |ids: &[ExprId]| ids.iter().map(expr).max().unwrap_or(0);
        match kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Refused(_) => 0,
            ExprKind::AddressOf(id) | ExprKind::Load(id) | ExprKind::Decay(id) | ExprKind::VaArg(id) => {
                place(id)
            }
            ExprKind::Unary(_, id) | ExprKind::Not(id) | ExprKind::Cast(_, id) => expr(id),
            ExprKind::Binary { left, right, .. }
            | ExprKind::LogicalAnd(left, right)
            | ExprKind::LogicalOr(left, right)
            | ExprKind::Comma(left, right) => expr(left).max(expr(right)),
            ExprKind::PointerAdd { pointer, index, element, .. } => all(&[*pointer, *index, *element]),
            ExprKind::PointerDifference { left, right, element } => all(&[*left, *right, *element]),
            ExprKind::Conditional { condition, then, otherwise } => all(&[*condition, *then, *otherwise]),
            ExprKind::Elvis { value, otherwise, .. } => expr(value).max(expr(otherwise)),
            ExprKind::Assign { place: to, value } => place(to).max(expr(value)),
            ExprKind::AssignOp { place: to, value, .. } => place(to).max(expr(value)),
            ExprKind::AssignPointer { place: to, index, element, .. } => {
                place(to).max(expr(index)).max(expr(element))
            }
            ExprKind::Increment { place: to, element, .. } => place(to).max(element.as_ref().map_or(0, expr)),
            ExprKind::Call { callee, arguments } => match callee {
                Callee::Function(_) => all(arguments),
                Callee::Pointer(pointer) => expr(pointer).max(all(arguments)),
            },
            ExprKind::Atomic(atomic) => {
                let Atomic { pointer, operands, orders, result, .. } = atomic.as_ref();
                let single = [pointer, result].into_iter().flatten().map(expr).max().unwrap_or(0);
                single.max(all(operands)).max(all(orders))
            }
            ExprKind::Builtin { arguments, .. } => all(arguments),
            ExprKind::Statements { block, value } => {
                self.program.stmts[*block].depth.max(value.as_ref().map_or(0, expr))
            }
        }
    }

    fn stmt_depth(&self, kind: &StmtKind) -> u32 {
        let expr = |id: &ExprId| self.program.exprs[*id].depth;
        let stmt = |id: &StmtId| self.program.stmts[*id].depth;
        let option = |id: &Option<ExprId>| id.as_ref().map_or(0, expr);
        match kind {
            StmtKind::Empty
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Refused(_) => 0,
            StmtKind::Block { statements, .. } => statements.iter().map(stmt).max().unwrap_or(0),
            StmtKind::Declare(variable) => {
                let init = self.program.variables[*variable].init.as_ref();
                init.map_or(0, |init| self.init_depth(init))
            }
            StmtKind::Expr(id) | StmtKind::ComputedGoto(id) => expr(id),
            StmtKind::If { condition, then, otherwise } => {
                expr(condition).max(stmt(then)).max(otherwise.as_ref().map_or(0, stmt))
            }
            StmtKind::Switch { value: head, body, .. }
            | StmtKind::While { condition: head, body }
            | StmtKind::DoWhile { body, condition: head } => expr(head).max(stmt(body)),
            StmtKind::For { init, condition, step, body } => {
                option(init).max(option(condition)).max(option(step)).max(stmt(body))
            }
            StmtKind::Labelled { body, .. } => stmt(body),
            StmtKind::Return(value) => option(value),
            StmtKind::Asm { inputs, outputs, .. } => {
                let places = outputs.iter().map(|id| self.program.places[*id].depth).max().unwrap_or(0);
                inputs.iter().map(expr).max().unwrap_or(0).max(places)
            }
        }
    }

    /// An integer constant, reduced to its type.
    pub fn integer(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        let value = self.wrap(value, ty);
        self.expr(ExprKind::Integer(value), ty, span)
    }

    /// A value that is refused where it is reached.
    pub fn refused(&mut self, reason: &str, ty: TypeId, span: Span) -> ExprId {
        self.expr(ExprKind::Refused(reason.to_string()), ty, span)
    }

    /// The operand that stands for what was refused with a diagnostic.
    pub fn error_operand(&mut self, span: Span) -> Operand {
        let ty = self.basic.error;
        Operand::Value(self.refused("a value of a type that is not supported", ty, span))
    }

    /// The constant that a value is.
    pub fn constant(&self, id: ExprId) -> Option<i128> {
        match self.program.exprs[id].kind {
            ExprKind::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The type of a value.
    pub fn type_of(&self, id: ExprId) -> TypeId {
        self.program.exprs[id].ty
    }

    /// The place of a value in the source.
    pub fn span_of(&self, id: ExprId) -> Span {
        self.program.exprs[id].span
    }

    /// The place of an operand in the source.
    pub fn operand_span(&self, operand: Operand) -> Span {
        match operand {
            Operand::Place(place) => self.program.places[place].span,
            Operand::Value(value) => self.program.exprs[value].span,
            Operand::Function(_, span) => span,
        }
    }
}

/// The span from one to another; of two files, the first.
pub fn join(first: Span, last: Span) -> Span {
    if first.file == last.file { first.to(last) } else { first }
}
