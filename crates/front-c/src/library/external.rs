//! Functions that nobody defines: they return any value and write any values into everything that their
//! pointer arguments lead to.

use ::c::{
    Binary, CellType, ChoiceOrigin, End, ExprId, Layout, Lead, LocalId, Node, ObjectId, Op, OriginKind,
    Place, Reach, ReachKind, Type as Scalar,
};

use super::super::hir::FunctionId;
use super::super::normalise::{Argument, Base, Binding, Normaliser};
use super::super::types::{Qualifiers, Type, TypeId};
use super::table;

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

/// An object with more cells than these is not written by a step for each.
const MOST_CELLS: u64 = 1_024;
/// This many elements of an object of an external function are followed, if it gives a pointer to a scalar.
const ELEMENTS: u32 = 16;
/// The size of an object of an external function of which nobody knows what is in it.
const OPAQUE_BYTES: u64 = 4_096;

/// What an argument leads to.
enum Given {
    /// Nothing.
    Nothing,
    /// This object alone, and no pointers are in it.
    Object(ObjectId),
    /// What the machine finds.
    Lead(Lead),
}

impl Normaliser<'_> {
    /// A call of a function that nobody defines.
    pub fn external(&mut self, function: FunctionId, arguments: &[Argument], result: Option<Binding>) {
        let declared = &self.hir.functions[function];
        let (name, noreturn) = (declared.name.clone(), declared.noreturn);
        let begins_section = matches!(name.as_str(), "atomic_begin" | "atomic_end") && arguments.is_empty();
        if !begins_section && is_refused(&name) {
            return self.refuse(format!("the function `{name}`"));
        }
        if begins_section {
            let message = format!("`{name}` is not defined: it begins or ends no atomic section");
            self.warn_with_help(
                "W1810",
                message,
                "use `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end`",
            );
        }
        let approximated = table::is_approximated(&name);
        let message = format!(
            "`{name}` is not defined: it is taken to return any value and to write what its arguments lead to"
        );
        self.warn_with_help("W1810", message, "give the file that defines it with `--with FILE.c`");
        self.assume_silently(format!(
            "external function `{name}`: returns any value; writes any values into the objects that its arguments lead to, one cell after the \
             other; touches no other globals, keeps no pointers, calls no functions that it finds"
        ));
        let kind = if approximated { OriginKind::Approximation } else { OriginKind::External };
        let origin = ChoiceOrigin::new(kind, name);
        self.write_through(&origin, arguments);
        if noreturn {
            let never = self.number(::c::TRUTH, 0);
            return self.emit(Op::Assume(never));
        }
        let ty = self.types().function(self.hir.functions[function].ty).map(|ty| ty.result);
        self.any_result(&origin, arguments, ty, result);
    }

    /// Any values into everything that the arguments of a function lead to.
    pub(super) fn write_through(&mut self, origin: &ChoiceOrigin, arguments: &[Argument]) {
        let mut leads = vec![];
        let mut objects = vec![];
        for &argument in arguments {
            for given in self.given(argument) {
                match given {
                    Given::Nothing => {}
                    Given::Object(object) if objects.contains(&object) => {}
                    Given::Object(object) => objects.push(object),
                    Given::Lead(lead) => leads.push(lead),
                }
            }
        }
        for object in objects {
            self.write_object(&origin.stored(), object);
        }
        if !leads.is_empty() {
            self.write_leads(&origin.stored(), leads);
        }
    }

    /// What an argument leads to. A function of the program would have to be called: that is refused.
    fn given(&mut self, argument: Argument) -> Vec<Given> {
        match argument {
            Argument::Value(value, ty) => vec![self.given_value(value, ty)],
            Argument::Record(spot) => {
                let Some(shape) = self.shape_or_refuse(spot.ty) else { return vec![] };
                let mut found = vec![];
                for (offset, cell) in shape.cells() {
                    if cell == CellType::Scalar(Scalar::Pointer) {
                        let local = self.load_cell(spot.at(offset, spot.ty), Scalar::Pointer);
                        let pointer = self.pool.read(local);
                        found.push(Given::Lead(Lead { pointer, constant: false }));
                    }
                }
                found
            }
        }
    }

    fn given_value(&mut self, pointer: ExprId, ty: TypeId) -> Given {
        if matches!(self.types().get(ty), Type::VaList) {
            self.refuse("a list of arguments given to an unknown function");
        }
        let Some(to) = self.types().pointee(ty) else {
            self.refuse_address(pointer, ty);
            return Given::Nothing;
        };
        if self.constant(pointer).is_some() {
            return Given::Nothing;
        }
        let constant = to.qualifiers.has(Qualifiers::CONST);
        if matches!(self.types().get(to.ty), Type::Function(_)) || self.is_function(pointer) {
            self.refuse_unless_null(pointer, "a function given to an unknown function");
            return Given::Nothing;
        }
        match self.pointed(pointer, to.ty).base {
            Base::Object(object) if self.pool.draft().objects()[object].constant && self.is_plain(object) => {
                Given::Nothing
            }
            // The function may access it and need not: a store would say that it does.
            _ if self.options.races => Given::Lead(Lead { pointer, constant }),
            Base::Object(object) if self.is_plain(object) => {
                if constant {
                    Given::Nothing
                } else {
                    Given::Object(object)
                }
            }
            // There are no pointers in what is read as constant numbers.
            Base::Pointer(_) if constant && self.is_number(to.ty) => Given::Nothing,
            _ => Given::Lead(Lead { pointer, constant }),
        }
    }

    /// An address in an integer leads somewhere too.
    fn refuse_address(&mut self, value: ExprId, ty: TypeId) {
        let wide = self.types().size(ty) == Some(self.types().model.pointer_size());
        let exprs = self.pool.exprs();
        let is_address = |it: ExprId| matches!(exprs.node(it), Node::Address(_));
        if wide && exprs.below(value).into_iter().any(is_address) {
            self.refuse("an address given to an unknown function as a number");
        }
    }

    fn is_function(&mut self, pointer: ExprId) -> bool {
        match self.pool.exprs().node(pointer) {
            Node::Address(object) => self.functions.values().any(|&it| it == object),
            _ => false,
        }
    }

    fn is_number(&self, ty: TypeId) -> bool {
        matches!(self.scalar_of(ty), Some(scalar) if scalar != Scalar::Pointer)
    }

    fn refuse_unless_null(&mut self, pointer: ExprId, construct: &str) {
        let given = self.is_true(pointer);
        let end = self.label();
        self.jump_if_true(given, end, false);
        self.refuse(construct);
        self.place_label(end);
    }

    /// Whether an object is small and has no pointers in it.
    fn is_plain(&self, object: ObjectId) -> bool {
        let program = self.pool.draft();
        let declared = &program.objects()[object];
        let layout = &program.layouts()[declared.layout];
        let wide = |ty: CellType| matches!(ty, CellType::Scalar(Scalar::Pointer));
        declared.count.saturating_mul(layout.cells.len() as u64) <= MOST_CELLS
            && !layout.cells.iter().any(|cell| wide(cell.ty))
    }

    /// Any values into all cells of a declared object, one step a cell. Synchronisation objects are left
    /// alone.
    fn write_object(&mut self, origin: &ChoiceOrigin, object: ObjectId) {
        let program = self.pool.draft();
        let (count, layout) = (program.objects()[object].count, program.objects()[object].layout);
        let Layout { stride, cells } = program.layouts()[layout].clone();
        for element in 0..count {
            for cell in &cells {
                let CellType::Scalar(scalar) = cell.ty else { continue };
                let mark = self.mark();
                let value = self.any_from(origin, scalar, None);
                let offset = i64::try_from(element * stride + cell.offset).unwrap_or(i64::MAX);
                self.emit(Op::Store { place: Place::Object { object, offset }, value, atomic: false });
                self.release(mark);
            }
        }
    }

    /// A loop over all cells that pointers lead to, the last one first.
    fn write_leads(&mut self, origin: &ChoiceOrigin, leads: Vec<Lead>) {
        let word = self.word();
        let number = self.temporary(word);
        let layout = self.opaque_layout();
        let reach = self.reach(origin, leads, layout, 1, ReachKind::Count(number));
        self.emit(Op::Reach(reach.clone()));
        let (next, end) = (self.label(), self.label());
        self.place_label(next);
        let (left, zero, one) = (self.pool.read(number), self.number(word, 0), self.number(word, 1));
        let done = self.binary(Binary::Eq, left, zero);
        self.jump_if_true(done, end, true);
        let value = self.binary(Binary::Sub, left, one);
        self.emit(Op::Assign { local: number, value });
        self.emit(Op::Reach(Reach { kind: ReachKind::Write(left), ..reach }));
        self.goto(next);
        self.place_label(end);
    }

    fn reach(
        &mut self,
        origin: &ChoiceOrigin,
        leads: Vec<Lead>,
        layout: ::c::LayoutId,
        count: u32,
        kind: ReachKind,
    ) -> Reach {
        Reach { leads, layout, count, origin: self.pool.origin(origin.clone()), kind }
    }

    fn opaque_layout(&mut self) -> ::c::LayoutId {
        self.pool.layout(Layout { stride: OPAQUE_BYTES, cells: vec![] })
    }

    /// Any value for the result of a call.
    fn any_result(
        &mut self,
        origin: &ChoiceOrigin,
        arguments: &[Argument],
        ty: Option<TypeId>,
        result: Option<Binding>,
    ) {
        match result {
            Some(Binding::Register(local)) if self.pool.draft().locals()[local].ty == Scalar::Pointer => {
                self.any_pointer(origin, arguments, ty, local);
            }
            Some(Binding::Register(local)) => self.choose(Some(origin), local, None),
            Some(Binding::Object(object)) if self.is_plain(object) => self.write_object(origin, object),
            Some(Binding::Object(_)) => self.refuse("a struct with pointers from an unknown function"),
            _ => {}
        }
    }

    /// Null, a pointer into what the arguments lead to, or one to an object of the function's own.
    fn any_pointer(
        &mut self,
        origin: &ChoiceOrigin,
        arguments: &[Argument],
        ty: Option<TypeId>,
        local: LocalId,
    ) {
        let to = ty.and_then(|ty| self.types().pointee(ty)).map(|to| to.ty);
        if to.is_some_and(|to| matches!(self.types().get(to), Type::Function(_))) {
            return self.refuse("a pointer to a function from an unknown function");
        }
        let shape = to.and_then(|to| self.shape(to).ok()).filter(|shape| !shape.layout.cells.is_empty());
        let (layout, count) = match shape {
            Some(shape) => {
                let scalar = shape.layout.cells.len() == 1;
                let count = u32::try_from(shape.count).unwrap_or(u32::MAX);
                (self.pool.layout(shape.layout), if scalar { count.max(ELEMENTS) } else { count })
            }
            None => (self.opaque_layout(), 1),
        };
        let mut leads = vec![];
        for argument in arguments {
            if let Argument::Value(pointer, ty) = *argument
                && self.types().pointee(ty).is_some()
                && self.constant(pointer).is_none()
            {
                leads.push(Lead { pointer, constant: true });
            }
        }
        let reach = self.reach(origin, leads, layout, count, ReachKind::Pick(local));
        self.emit(Op::Reach(reach));
    }

    /// A library function called through a pointer that has no model in C: those that take plain values. The
    /// others are refused.
    pub fn library_values(&mut self, function: FunctionId, arguments: &[Argument]) -> bool {
        match (self.hir.functions[function].name.as_str(), arguments) {
            ("free", [Argument::Value(pointer, _)]) => {
                self.emit(Op::Free { pointer: *pointer, automatic: false })
            }
            ("exit" | "_exit", _) if self.options.abort => {
                self.refuse("a call through a pointer of what ends the program")
            }
            ("exit", _) => self.end_program(End::Exit),
            ("abort", _) => self.abort("abort"),
            ("_exit", _) => self.emit(Op::Halt(End::Exit)),
            _ => return false,
        }
        true
    }
}

fn is_refused(name: &str) -> bool {
    REFUSED.iter().any(|prefix| name.starts_with(prefix))
        || name.contains("setjmp")
        || name.contains("longjmp")
        || matches!(name, "signal" | "sigaction" | "fork" | "vfork" | "clone")
}
