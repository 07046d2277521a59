//! Loops that are known by their look: `char *p = malloc(n); for (i = 0; i < n; i++) p[i] = any();` says that the allocation holds any values,
//! which it does anyway. Byte by byte it would be refused, since the cells are those of the type that the allocation is used as.

use super::super::hir::{self, BinaryOp, Callee, ExprKind, PlaceKind, StmtId, StmtKind, VarId};
use super::Normaliser;

impl Normaliser<'_> {
    /// Whether the loop sets each byte of a fresh allocation to any value.
    pub fn sets_bytes_to_anything(&mut self, id: StmtId) -> bool {
        let StmtKind::For { condition: Some(condition), body, .. } = self.hir.stmts[id].kind else {
            return false;
        };
        let found = self.written_pointer(body).filter(|(_, index)| self.starts_at_zero(id, *index));
        let Some((pointer, index)) = found else { return false };
        let ExprKind::Binary { op: BinaryOp::Less, left, right } = self.hir.exprs[condition].kind else {
            return false;
        };
        let size = self.loaded(right);
        self.loaded(left) == Some(index)
            && size.is_some()
            && self.allocated_size(pointer) == size
            && self.comes_first(id, pointer)
    }

    /// `p[i] = any();`: p and i.
    fn written_pointer(&self, body: StmtId) -> Option<(VarId, VarId)> {
        let mut body = body;
        while let StmtKind::Block { statements, .. } = &self.hir.stmts[body].kind {
            let [only] = statements[..] else { return None };
            body = only;
        }
        let StmtKind::Expr(e) = self.hir.stmts[body].kind else { return None };
        let ExprKind::Assign { place, value } = self.hir.exprs[e].kind else { return None };
        let ExprKind::Call { callee: Callee::Function(function), .. } =
            &self.hir.exprs[self.without_casts(value)].kind
        else {
            return None;
        };
        let function = &self.hir.functions[*function];
        if function.body.is_some() || !super::super::library::is_nondeterministic(&function.name) {
            return None;
        }
        let PlaceKind::Deref(address) = self.hir.places[place].kind else { return None };
        if self.types().size(self.hir.places[place].ty.ty) != Some(1) {
            return None;
        }
        let ExprKind::PointerAdd { pointer, index, subtract: false, .. } = self.hir.exprs[address].kind
        else {
            return None;
        };
        Some((self.loaded(pointer)?, self.loaded(index)?))
    }

    fn without_casts(&self, e: hir::ExprId) -> hir::ExprId {
        let mut e = e;
        while let ExprKind::Cast(_, inner) = self.hir.exprs[e].kind {
            e = inner;
        }
        e
    }

    /// The variable whose value an expression is.
    fn loaded(&self, e: hir::ExprId) -> Option<VarId> {
        match self.hir.exprs[self.without_casts(e)].kind {
            ExprKind::Load(place) => super::facts::whole_variable(self.hir, place),
            _ => None,
        }
    }

    /// The variable that says how much was allocated, if a pointer's declaration allocates and nothing else is assigned to either.
    fn allocated_size(&self, pointer: VarId) -> Option<VarId> {
        let declared = &self.hir.variables[pointer];
        let [cell] = &declared.init.as_ref()?.cells[..] else { return None };
        let ExprKind::Call { callee: Callee::Function(function), arguments } =
            &self.hir.exprs[self.without_casts(cell.value)].kind
        else {
            return None;
        };
        let function = &self.hir.functions[*function];
        let size = self.loaded(*arguments.first()?)?;
        let fixed = |variable: VarId| {
            !self.facts.assigned.contains(&variable)
                && !self.hir.variables[variable].address_taken
                && self.hir.variables[variable].function.is_some()
        };
        (function.name == "malloc" && function.body.is_none() && fixed(pointer) && fixed(size))
            .then_some(size)
    }

    /// Whether the loop's variable starts at 0.
    fn starts_at_zero(&mut self, id: StmtId, index: VarId) -> bool {
        let StmtKind::For { init, step: Some(step), .. } = self.hir.stmts[id].kind else { return false };
        let counts = match self.hir.exprs[step].kind {
            ExprKind::Increment { place, decrement: false, .. } => {
                super::facts::whole_variable(self.hir, place) == Some(index)
            }
            _ => false,
        };
        counts && self.first_turn(init, index) == Some(0)
    }

    /// Whether the loop follows the declaration of the pointer, so that nothing was written in between.
    fn comes_first(&mut self, id: StmtId, pointer: VarId) -> bool {
        let blocks: Vec<StmtId> = self.frame().scopes.iter().filter_map(|scope| scope.block).collect();
        let mut inner = id;
        for &block in blocks.iter().rev() {
            let StmtKind::Block { statements, .. } = &self.hir.stmts[block].kind else { return false };
            let Some(at) = statements.iter().position(|&it| it == inner) else { return false };
            for &before in statements[..at].iter().rev() {
                match self.hir.stmts[before].kind {
                    StmtKind::Declare(variable) if variable == pointer => return true,
                    StmtKind::Declare(_) | StmtKind::Empty => {}
                    _ => return false,
                }
            }
            inner = block;
        }
        false
    }
}
