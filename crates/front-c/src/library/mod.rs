//! What the C library, pthreads, C11 threads and the verifiers' own functions mean (c.md, section 4). A
//! function that the program defines itself is the program's, except for those that are the error.

mod cancellation;
mod copies;
mod errors;
mod external;
mod format;
mod intrinsics;
mod keys;
mod memory;
mod models;
mod origins;
mod print;
mod scan;
mod sync;
mod table;
mod threads;
mod values;

pub(super) use intrinsics::STREAMS;
pub(super) use memory::Life;
pub(super) use models::{Variant, read_models};
pub(crate) use table::is_known;

use ::c::{ChoiceOrigin, ExprId, Op, OriginKind, Range, Type as Scalar};

use super::hir::{self, FunctionId};
use super::normalise::{Normaliser, Spot};
use super::types::TypeId;

impl Normaliser<'_> {
    /// A call of a function that the library defines; `None` if it does not.
    pub fn library_call(
        &mut self,
        id: hir::ExprId,
        function: FunctionId,
        arguments: &[hir::ExprId],
    ) -> Option<ExprId> {
        let declared = &self.hir.functions[function];
        let name = declared.name.as_str();
        let ty = self.hir.exprs[id].ty;
        let defined = declared.body.is_some();
        if (!defined || errors::ALWAYS.contains(&name))
            && let Some(value) = self.error_call(name, arguments)
        {
            return Some(value);
        }
        if defined {
            return None;
        }
        self.intrinsic_call(name, arguments)
            .or_else(|| self.verifier_call(name, arguments))
            .or_else(|| self.mutex_call(name, arguments))
            .or_else(|| self.waiting_call(name, arguments))
            .or_else(|| self.thread_call(name, arguments))
            .or_else(|| self.key_call(name, arguments))
            .or_else(|| self.memory_call(name, arguments))
            .or_else(|| self.print_call(name, arguments, ty))
            .or_else(|| self.scan_call(name, arguments, ty))
            .or_else(|| self.value_call(name, arguments, ty))
            .or_else(|| self.unfit_call(name, arguments, ty))
            .map(|value| self.fit_call(value, ty))
    }

    /// A function that is refused, or one that is known but not with such arguments: it is not external. One
    /// of those that give any value is, if it is given pointers.
    fn unfit_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        if values::is_nondeterministic(name) || !table::is_known(name) || table::is_approximated(name) {
            return None;
        }
        self.evaluate_all(arguments);
        self.refuse(format!("the function `{name}`"));
        Some(self.any_constant(ty))
    }

    /// Refuses a call through a pointer of a function that the library knows and nobody defines.
    pub fn refuse_known(&mut self, function: FunctionId) -> bool {
        let name = &self.hir.functions[function].name;
        let known = table::is_known(name);
        if known {
            self.refuse(format!("`{name}` called through a pointer"));
        }
        known
    }

    /// A call that returns a record: any value is all the library gives.
    pub fn library_call_for_record(
        &mut self,
        function: FunctionId,
        arguments: &[hir::ExprId],
        to: Spot,
    ) -> bool {
        let declared = &self.hir.functions[function];
        let given = self.gives_pointers(arguments);
        if declared.body.is_some() || given || !values::is_nondeterministic(&declared.name) {
            return false;
        }
        self.evaluate_all(arguments);
        self.any_cells(None, to, to.ty);
        true
    }

    /// The result as the type that the declaration gives it.
    fn fit_call(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        match self.scalar_of(ty) {
            Some(scalar) if !scalar.is_float() && !self.type_of(value).is_float() => {
                self.resize(value, scalar, true)
            }
            _ => value,
        }
    }

    /// Whether a pointer is among the arguments.
    fn gives_pointers(&self, arguments: &[hir::ExprId]) -> bool {
        arguments.iter().any(|&argument| self.types().pointee(self.hir.exprs[argument].ty).is_some())
    }

    /// Evaluates arguments for their effects.
    pub fn evaluate_all(&mut self, arguments: &[hir::ExprId]) {
        for &argument in arguments {
            if self.is_record(self.hir.exprs[argument].ty) {
                self.record(argument);
            } else {
                self.value(argument);
            }
        }
    }

    /// An `int`.
    pub fn int(&mut self, value: i128) -> ExprId {
        self.number(Scalar::Bits(32), value as u128)
    }

    /// Any value of a scalar type: what the program itself leaves open.
    pub fn any(&mut self, ty: Scalar) -> ExprId {
        let local = self.temporary(ty);
        self.emit(Op::any(local));
        self.pool.read(local)
    }

    /// Any value that a function of the library takes from the world: each can really come.
    pub fn any_input(&mut self, function: &str, ty: Scalar, range: Option<Range>) -> ExprId {
        self.any_from(&ChoiceOrigin::new(OriginKind::Input, function), ty, range)
    }

    /// Any value for what a function of the library computes and its model does not.
    pub fn any_approximation(&mut self, function: &str, ty: Scalar, range: Option<Range>) -> ExprId {
        self.any_from(&ChoiceOrigin::new(OriginKind::Approximation, function), ty, range)
    }

    /// What a pointer argument points to.
    pub fn target(&mut self, argument: hir::ExprId) -> Spot {
        let ty = self.pointee_type(argument);
        let pointer = self.value(argument);
        self.pointed(pointer, ty)
    }

    /// What an argument points to, seen through conversions to `void *`.
    pub fn pointee_type(&self, argument: hir::ExprId) -> TypeId {
        let outer = self.hir.exprs[argument].ty;
        let mut best = self.types().pointee(outer).map_or(outer, |to| to.ty);
        let mut e = argument;
        while let hir::ExprKind::Cast(hir::CastKind::Pointer | hir::CastKind::Same, inner) =
            self.hir.exprs[e].kind
        {
            e = inner;
            if let Some(to) = self.types().pointee(self.hir.exprs[e].ty)
                && self.types().size(to.ty).is_some()
            {
                best = to.ty;
            }
        }
        if let hir::ExprKind::Load(place) = self.hir.exprs[e].kind
            && let hir::PlaceKind::Variable(variable) = self.hir.places[place].kind
        {
            let given = self.current.frame.pointees.get(&variable).copied();
            best = given.or_else(|| self.use_of(variable)).unwrap_or(best);
        }
        best
    }

    /// Whether the program can look at `errno`.
    pub fn observes_errno(&self) -> bool {
        self.facts.called_names.contains("__errno_location")
            || self.hir.variables.iter().any(|it| it.name == "errno" && it.function.is_none())
    }

    /// Sets `errno`, if the program can look at it.
    pub fn set_errno(&mut self, value: ExprId) {
        if self.facts.called_names.contains("__errno_location") {
            let object = self.special("errno", Scalar::Bits(32), 1, true);
            self.emit(Op::Store { place: ::c::Place::Object { object, offset: 0 }, value, atomic: false });
        }
        let named = self
            .hir
            .variables
            .enumerate()
            .find(|(_, variable)| variable.name == "errno" && variable.function.is_none());
        if let Some((variable, _)) = named {
            let base = self.variable(variable);
            let ty = self.hir.variables[variable].ty.ty;
            self.store(Spot::new(base, ty), value);
        }
    }
}
