//! Functions that nobody defines: they return any value and write what their pointer arguments point to.

use ir::c::{ChoiceOrigin, Op, OriginKind};

use super::super::hir::FunctionId;
use super::super::normalise::{Argument, Base, Binding, Normaliser, Spot};
use super::super::types::{Qualifiers, Type};

const REFUSED: &[&str] = &[
    "pthread_",
    "thrd_",
    "mtx_",
    "cnd_",
    "tss_",
    "sem_",
    "atomic_",
    "__atomic_",
    "__sync_",
    "__c11_atomic_",
    "__CPROVER_uninterpreted_",
];

impl Normaliser<'_> {
    /// A call of a function that nobody defines.
    pub fn external(&mut self, function: FunctionId, arguments: &[Argument], result: Option<Binding>) {
        let declared = &self.hir.functions[function];
        let name = &declared.name;
        let known = REFUSED.iter().any(|prefix| name.starts_with(prefix));
        if known
            || matches!(
                name.as_str(),
                "signal"
                    | "sigaction"
                    | "fork"
                    | "vfork"
                    | "setjmp"
                    | "_setjmp"
                    | "longjmp"
                    | "sigsetjmp"
                    | "siglongjmp"
                    | "clone"
            )
        {
            return self.refuse(format!("the function `{name}`"));
        }
        let message = format!(
            "`{name}` is not defined: it is taken to return any value and to write what its arguments point to"
        );
        self.warn_with_help("W1810", message, "give the file that defines it with `--with FILE.c`");
        self.assume_silently(format!(
            "external function `{name}`: returns any value, writes no more than what its arguments point to"
        ));
        let origin = ChoiceOrigin::new(OriginKind::External, name);
        for argument in arguments {
            self.scribble(&origin, *argument);
        }
        self.any_result(Some(&origin), result);
    }

    /// Any value for the result of a call.
    pub(super) fn any_result(&mut self, origin: Option<&ChoiceOrigin>, result: Option<Binding>) {
        match result {
            Some(Binding::Register(local)) => self.choose(origin, local, None),
            Some(Binding::Object(object)) => {
                // The object was entered just now: its cells are undetermined.
                let _ = object;
            }
            _ => {}
        }
    }

    /// Writes any values where a pointer points to.
    pub(super) fn scribble(&mut self, origin: &ChoiceOrigin, argument: Argument) {
        let Argument::Value(pointer, ty) = argument else { return };
        let Some(to) = self.types().pointee(ty) else { return };
        let function = matches!(self.types().get(to.ty), Type::Function(_));
        if function || to.qualifiers.has(Qualifiers::CONST) || self.constant(pointer).is_some() {
            return;
        }
        if self.types().size(to.ty).is_none() {
            // What there is to write is not known, unless the pointer is null.
            let given = self.is_true(pointer);
            let end = self.label();
            self.jump_if_true(given, end, false);
            self.refuse("a pointer to an unknown type given to an unknown function");
            return self.place_label(end);
        }
        let spot = self.pointed(pointer, to.ty);
        if let Base::Object(object) = spot.base
            && self.pool.draft().objects()[object].constant
        {
            return;
        }
        let given = self.is_true(pointer);
        let end = self.label();
        self.jump_if_true(given, end, false);
        self.any_cells(Some(origin), Spot { ..spot }, to.ty);
        self.place_label(end);
    }

    /// A library function called through a pointer that has no model in C: those that take plain values. The others are refused.
    pub fn library_values(&mut self, function: FunctionId, arguments: &[Argument]) -> bool {
        match (self.hir.functions[function].name.as_str(), arguments) {
            ("free", [Argument::Value(pointer, _)]) => {
                self.emit(Op::Free { pointer: *pointer, automatic: false })
            }
            ("exit", _) => self.end_program(),
            ("abort" | "_exit", _) => self.emit(Op::Halt),
            _ => return false,
        }
        true
    }
}
