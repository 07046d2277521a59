//! After linking: what stands on attributes, qualifiers and types that are not followed is refused where it
//! is used.

use super::super::constructs::functions::{ends_by_itself, is_made_by_linker, is_refused};
use super::super::hir::{
    Builtin, Callee, ExprId, ExprKind, FunctionId, PlaceId, PlaceKind, StmtKind, Storage, VarId,
};
use super::super::types::{Qualified, Qualifiers, RecordId, Type, TypeId};
use super::Checker;

impl Checker {
    /// Rewrites all uses of what is refused.
    pub(super) fn refuse_uses(&mut self) {
        self.refuse_weak();
        self.spread_refusals();
        for id in self.program.places.ids().collect::<Vec<_>>() {
            if let Some(reason) = self.refused_place(id) {
                self.refuse_place(id, &reason);
            }
        }
        for id in self.program.exprs.ids().collect::<Vec<_>>() {
            if let Some(reason) = self.refused_expr(id) {
                self.program.exprs[id].kind = ExprKind::Refused(reason);
            } else {
                self.end_call(id);
            }
        }
        for id in self.program.stmts.ids().collect::<Vec<_>>() {
            if let StmtKind::Declare(variable) = self.program.stmts[id].kind
                && let Some(reason) = self.refused_variable(variable)
            {
                self.program.stmts[id].kind = StmtKind::Refused(reason);
            }
        }
        for id in self.program.functions.ids().collect::<Vec<_>>() {
            self.refuse_body(id);
        }
    }

    /// Weak variables that several units define, and weak names that nobody defines.
    fn refuse_weak(&mut self) {
        for id in self.program.variables.ids().collect::<Vec<_>>() {
            let several = self.definers.get(&id).is_some_and(|units| units.len() > 1);
            let variable = &mut self.program.variables[id];
            let linked = variable.storage == Storage::Global;
            let reason = if variable.weak && several {
                "a weak variable with several definitions"
            } else if variable.weak && linked && !variable.defined {
                "a weak variable that is defined nowhere"
            } else if linked && !variable.defined && is_made_by_linker(&variable.name) {
                "an object that the linker makes"
            } else {
                continue;
            };
            variable.refused.get_or_insert(reason.to_string());
        }
    }

    /// A struct with a member whose type is refused is refused as well.
    fn spread_refusals(&mut self) {
        let mut open: Vec<RecordId> = self.program.types.records.ids().collect();
        open.retain(|id| self.program.types.records[*id].refused.is_none());
        loop {
            let before = open.len();
            open.retain(|id| {
                let fields = self.program.types.records[*id].fields.iter().flatten();
                let reason = fields.into_iter().find_map(|field| self.refused_type(field.ty.ty));
                self.program.types.records[*id].refused = reason;
                self.program.types.records[*id].refused.is_none()
            });
            if open.len() == before {
                return;
            }
        }
    }

    fn refused_variable(&self, id: VarId) -> Option<String> {
        let variable = &self.program.variables[id];
        variable.refused.clone().or_else(|| self.refused_type(variable.ty.ty))
    }

    /// Why objects of a type are refused.
    fn refused_type(&self, ty: TypeId) -> Option<String> {
        let mut ty = ty;
        loop {
            match *self.ty(ty) {
                Type::Array { element, .. } => ty = element.ty,
                Type::Record(record) => return self.program.types.records[record].refused.clone(),
                Type::Unsupported(it) => return Some(it.what.to_string()),
                _ => return None,
            }
        }
    }

    fn refused_place(&self, id: PlaceId) -> Option<String> {
        let place = &self.program.places[id];
        if place.ty.qualifiers.has(Qualifiers::SEGMENT) {
            return Some("an object in another address space".into());
        }
        match place.kind {
            PlaceKind::Variable(variable) | PlaceKind::CompoundLiteral(variable) => {
                self.refused_variable(variable)
            }
            PlaceKind::Member { base, .. } if self.is_atomic_whole(self.program.places[base].ty) => {
                Some("a member of an atomic struct or union".into())
            }
            _ => self.refused_type(place.ty.ty),
        }
    }

    /// Whether a struct or union is atomic as a whole.
    fn is_atomic_whole(&self, ty: Qualified) -> bool {
        ty.qualifiers.is_atomic() && matches!(self.ty(ty.ty), Type::Record(_))
    }

    /// A place that refuses when it is evaluated.
    fn refuse_place(&mut self, id: PlaceId, reason: &str) {
        let (ty, span) = (self.program.places[id].ty, self.program.places[id].span);
        let pointer = self.pointer_to(ty);
        let refused = self.refused(reason, pointer, span);
        self.program.places[id].kind = PlaceKind::Deref(refused);
    }

    fn refused_expr(&self, id: ExprId) -> Option<String> {
        let whole = |place: PlaceId| {
            let atomic = self.is_atomic_whole(self.program.places[place].ty);
            atomic.then(|| "an access to an atomic struct or union".to_string())
        };
        match &self.program.exprs[id].kind {
            ExprKind::Load(place) | ExprKind::Assign { place, .. } => whole(*place),
            ExprKind::Call { callee: Callee::Function(function), .. } => {
                let function = &self.program.functions[*function];
                let named = function.body.is_none() && is_refused(&function.name);
                let named = named.then(|| format!("the function `{}`", function.name));
                named.or_else(|| function.refused.clone().filter(|_| function.body.is_none()))
            }
            ExprKind::FunctionAddress(function) => {
                let function = &self.program.functions[*function];
                let nowhere = function.weak && function.body.is_none();
                let nowhere =
                    nowhere.then(|| "the address of a weak function that is defined nowhere".to_string());
                nowhere.or_else(|| function.refused.clone().filter(|_| function.body.is_none()))
            }
            _ => None,
        }
    }

    /// A function that is refused and has a body is refused when that begins.
    fn refuse_body(&mut self, id: FunctionId) {
        let function = &self.program.functions[id];
        let (Some(reason), Some(block), span) =
            (function.refused.clone(), function.body.as_ref().map(|body| body.block), function.span)
        else {
            return;
        };
        let refused = self.stmt(StmtKind::Refused(reason), span);
        if let StmtKind::Block { statements, .. } = &mut self.program.stmts[block].kind {
            statements.insert(0, refused);
        }
    }

    /// A call of what does not return: nothing comes after it.
    fn end_call(&mut self, id: ExprId) {
        let ExprKind::Call { callee, .. } = &self.program.exprs[id].kind else { return };
        let builtin = match *callee {
            Callee::Function(function) => self.end_of_function(function),
            Callee::Pointer(pointer) => self.end_of_pointer(pointer),
        };
        let call = self.program.exprs[id].clone();
        let Some(builtin) = builtin.filter(|_| !matches!(self.ty(call.ty), Type::Record(_))) else { return };
        let (ty, span) = (call.ty, call.span);
        let call = self.program.exprs.push(call);
        let end = self.expr(ExprKind::Builtin { builtin, arguments: vec![] }, ty, span);
        let depth = self.program.exprs[call].depth + 1;
        self.program.exprs[id].kind = ExprKind::Comma(call, end);
        self.program.exprs[id].depth = depth;
    }

    fn end_of_function(&self, id: FunctionId) -> Option<Builtin> {
        let function = &self.program.functions[id];
        let declared = self.program.types.function(function.ty).is_some_and(|ty| ty.noreturn);
        if !function.noreturn && !declared || ends_by_itself(&function.name, function.body.is_some()) {
            return None;
        }
        Some(if function.body.is_some() { Builtin::ReturnsAnyway } else { Builtin::NeverReturns })
    }

    /// Through a pointer a function of the program or one that nobody defines may be called.
    fn end_of_pointer(&self, pointer: ExprId) -> Option<Builtin> {
        let ty = self.program.types.function(self.type_of(pointer))?;
        let external = self.program.functions.iter().any(|it| it.address_taken && it.body.is_none());
        let builtin = if external { Builtin::NeverReturns } else { Builtin::ReturnsAnyway };
        ty.noreturn.then_some(builtin)
    }
}
