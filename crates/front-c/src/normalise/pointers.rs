//! Calls through pointers: a case split over the functions whose address is taken and that take as many
//! arguments of the same classes and sizes, whatever their declared types. Where none of them is meant, the
//! call is undefined behaviour.

use ::c::{Binary, ExprId, Node, Type as Scalar};

use super::super::hir::FunctionId;
use super::super::library::Variant;
use super::super::types::TypeId;
use super::Normaliser;
use super::calls::Argument;
use super::context::Binding;
use super::facts::{definition, takes};

/// Why a call through a pointer is undefined.
const NO_FUNCTION: &str = "a call through a pointer to no function that takes these arguments";

impl Normaliser<'_> {
    /// Calls whatever a pointer points to.
    pub fn call_pointer(&mut self, pointer: ExprId, arguments: Vec<Argument>, result: Option<Binding>) {
        if let Node::Address(object) = self.pool.exprs().node(pointer)
            && let Some(function) = self.function_of(object)
        {
            return if self.fits(function, &arguments) {
                self.call_address(function, arguments, result)
            } else {
                self.emit(::c::Op::Undefined(NO_FUNCTION.into()))
            };
        }
        let end = self.label();
        for function in self.candidates(&arguments) {
            let past = self.label();
            self.unless_function(pointer, function, past);
            self.call_address(function, arguments.clone(), result);
            self.goto(end);
            self.place_label(past);
        }
        self.emit(::c::Op::Undefined(NO_FUNCTION.into()));
        self.place_label(end);
    }

    /// Jumps to a label unless a pointer points to a function.
    pub fn unless_function(&mut self, pointer: ExprId, function: FunctionId, past: super::code::Label) {
        let object = self.function_object(function);
        let address = self.pool.address(object);
        let hit = self.binary(Binary::Eq, pointer, address);
        self.jump_if_true(hit, past, false);
    }

    /// Calls a function that need not have the type of the pointer.
    pub fn call_address(&mut self, function: FunctionId, arguments: Vec<Argument>, result: Option<Binding>) {
        let returned = self.types().function(self.hir.functions[function].ty).map(|ty| ty.result);
        let have = returned.and_then(|ty| self.scalar_of(ty));
        match result {
            Some(Binding::Register(local)) if have != Some(self.pool.draft().locals()[local].ty) => {
                let own = have.map(|scalar| self.temporary(scalar));
                self.call_fitting(function, arguments, own.map(Binding::Register));
                let value = own.map(|own| self.pool.read(own));
                self.convert_result(value, local);
            }
            Some(Binding::Object(_)) if returned.is_none_or(|ty| !self.is_record(ty)) => {
                self.refuse("a struct from a function that gives none");
            }
            _ => self.call_fitting(function, arguments, result),
        }
    }

    /// What is in the register that the caller looks at: the low bits of a number, and anything where the
    /// function put nothing.
    fn convert_result(&mut self, value: Option<ExprId>, local: ::c::LocalId) {
        let bits = self.pool.exprs().pointer_bits();
        let want = self.pool.draft().locals()[local].ty;
        let value = value.filter(|&value| {
            let have = self.type_of(value);
            !have.is_float() && !want.is_float() && have.bits(bits) >= want.bits(bits)
        });
        let value = match value {
            Some(value) => self.resize(value, want, false),
            None => self.any(want),
        };
        self.emit(::c::Op::Assign { local, value });
    }

    fn call_fitting(&mut self, function: FunctionId, arguments: Vec<Argument>, result: Option<Binding>) {
        if let Some(model) = self.variant(Variant::Taken, function) {
            return self.call_function(model, arguments, result);
        }
        let unknown = self.hir.functions[function].body.is_none();
        if unknown && self.error_through_pointer(function) {
            return;
        }
        if unknown && (self.library_values(function, &arguments) || self.refuse_known(function)) {
            return;
        }
        self.call_function(function, arguments, result);
    }

    /// The function that an object stands for.
    pub fn function_of(&self, object: ::c::ObjectId) -> Option<FunctionId> {
        self.functions.iter().find(|(_, it)| **it == object).map(|(function, _)| *function)
    }

    /// The functions that a pointer may point to that is called with these arguments, in order.
    fn candidates(&self, arguments: &[Argument]) -> Vec<FunctionId> {
        let all = self.facts.taken.iter().map(|&it| definition(self.hir, it));
        let mut found: Vec<FunctionId> = all.filter(|&function| self.fits(function, arguments)).collect();
        found.dedup();
        found
    }

    /// Whether a function takes as many arguments as these, of the same classes and sizes.
    fn fits(&self, function: FunctionId, arguments: &[Argument]) -> bool {
        takes(self.hir, function, arguments.len())
            && arguments.iter().zip(self.parameter_types(function)).all(|(argument, (ty, promoted))| {
                match *argument {
                    Argument::Value(_, given) => self.is_passed_alike(given, ty, promoted),
                    Argument::Record(spot) => self.same_record(spot.ty, ty),
                }
            })
    }

    /// The types of a function's parameters, and whether they are passed promoted: no prototype says
    /// otherwise.
    fn parameter_types(&self, function: FunctionId) -> Vec<(TypeId, bool)> {
        let declared = &self.hir.functions[function];
        let Some(ty) = self.types().function(declared.ty) else { return vec![] };
        match &declared.body {
            Some(body) => {
                let types = body.parameters.iter().map(|&it| self.hir.variables[it].ty.ty);
                types.map(|it| (it, !ty.prototype)).collect()
            }
            None => ty.parameters.iter().map(|it| (it.ty, false)).collect(),
        }
    }

    fn is_passed_alike(&self, given: TypeId, wanted: TypeId, promoted: bool) -> bool {
        let (Some(have), Some(want)) = (self.scalar_of(given), self.scalar_of(wanted)) else { return false };
        let bits = self.pool.draft().pointer_bits();
        let want = match want {
            Scalar::Bits(small) if promoted && small < 32 => Scalar::Bits(32),
            Scalar::Float if promoted => Scalar::Double,
            other => other,
        };
        have.is_float() == want.is_float() && have.bits(bits) == want.bits(bits)
    }

    fn same_record(&self, given: TypeId, wanted: TypeId) -> bool {
        given == wanted
            || self.types().record(given).is_some()
                && self.types().record(given) == self.types().record(wanted)
    }

    /// The functions that can be run with one pointer or none: by a thread, or as a handler.
    pub fn takers_of_pointer(&self) -> Vec<FunctionId> {
        let fits = |function: &FunctionId| {
            let parameters = self.parameters(*function);
            let scalar = |it: &super::super::hir::VarId| self.scalar_of(self.hir.variables[*it].ty.ty);
            let bits = self.pool.draft().pointer_bits();
            self.hir.functions[*function].body.is_some()
                && parameters.len() <= 1
                && parameters
                    .iter()
                    .all(|it| scalar(it).is_some_and(|ty| !ty.is_float() && ty.bits(bits) == bits))
        };
        let mut found: Vec<FunctionId> =
            self.facts.taken.iter().map(|&it| definition(self.hir, it)).filter(fits).collect();
        found.dedup();
        found
    }
}
