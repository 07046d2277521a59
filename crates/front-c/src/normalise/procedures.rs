//! Procedures: `main`, one for each function that starts a thread, one for each function that is called and
//! not inlined. Each is written when the one before it is done. A struct is passed by its address and copied
//! by the function; one that is returned is stored through the first parameter.

use ::c::{LocalId, LocalScope, Op, ProcId, Type as Scalar};
use base::Diagnostic;

use super::super::hir::{FunctionId, StmtId, VarId};
use super::super::types::TypeId;
use super::context::{Binding, Current, Frame, ReturnTo};
use super::instances::{Instance, Role};
use super::places::{Base, Spot};
use super::{Normaliser, Problem, wrong};

/// A procedure to be written.
#[derive(Debug)]
pub enum Work {
    /// The first thread.
    Main(FunctionId),
    /// A thread that begins in a function; its argument comes as a pointer.
    Thread(FunctionId),
    /// A function that is called.
    Function(Instance),
    /// A statement that runs as a thread with copies of variables.
    Statement {
        /// The statement.
        body: StmtId,
        /// Around it.
        function: Option<FunctionId>,
        /// The variables that are copied.
        copies: Vec<Copied>,
    },
}

/// A variable whose copy a thread gets.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The variable.
    pub variable: VarId,
    /// What stands for it, if it is a constant.
    pub fixed: Option<::c::ExprId>,
    /// Its scalars: where, and of which type.
    pub cells: Vec<(u64, Scalar)>,
}

impl Normaliser<'_> {
    /// Writes all procedures.
    pub fn write_all(&mut self) -> Result<(), Problem> {
        let Some(main) = self.hir.main else {
            return Err(wrong(
                Diagnostic::error("E1801", None, "the program has no `main`")
                    .help("define `int main(void)`, or link the file that does"),
            ));
        };
        let name = self.procedure_name("main");
        let procedure = self.pool.declare(name, None);
        self.pool.main(procedure);
        self.work.push_back((procedure, Work::Main(main)));
        while let Some((procedure, work)) = self.work.pop_front() {
            if self.stopped.is_some() {
                break;
            }
            self.current = Current::new(procedure);
            self.write(work);
            self.warn_of_labels();
            self.hide_library_registers();
            let code = std::mem::take(&mut self.current.code);
            self.done.push((procedure, code.resolve()));
        }
        Ok(())
    }

    fn write(&mut self, work: Work) {
        match work {
            Work::Main(function) => self.write_main(function),
            Work::Thread(function) => self.write_thread(function),
            Work::Function(instance) => self.write_function(instance),
            Work::Statement { body, function, copies } => self.write_statement(body, function, &copies),
        }
    }

    fn write_main(&mut self, main: FunctionId) {
        self.current.frame = Frame::new(Some(main), ReturnTo::Program);
        self.span = Some(self.hir.functions[main].span);
        for &asm in &self.hir.file_scope_asm {
            self.span = Some(asm);
            self.refuse("assembler at file scope");
        }
        for (span, reason) in &self.hir.refused {
            self.span = Some(*span);
            self.refuse(reason.clone());
        }
        self.span = Some(self.hir.functions[main].span);
        self.note_first_thread();
        for constructor in self.constructors() {
            self.call_with(constructor, vec![]);
        }
        let parameters = self.parameters(main);
        self.open(None, &parameters);
        for (position, &parameter) in parameters.iter().enumerate() {
            self.main_argument(position, parameter);
        }
        self.body(main);
    }

    /// Stores a value where a variable is.
    pub fn give(&mut self, binding: Binding, ty: TypeId, value: ::c::ExprId) {
        match binding {
            Binding::Register(local) => self.emit(Op::Assign { local, value }),
            Binding::Object(object) => self.store(Spot::new(Base::Object(object), ty), value),
            Binding::Value(_) | Binding::Pointed(_) => {}
        }
    }

    /// The parameters of a function that is defined.
    pub fn parameters(&self, function: FunctionId) -> Vec<VarId> {
        self.hir.functions[function].body.as_ref().map_or(vec![], |body| body.parameters.clone())
    }

    /// The body of a function and what happens at its end.
    pub fn body(&mut self, function: FunctionId) {
        let Some(body) = &self.hir.functions[function].body else { return };
        self.begin_error_function(function);
        self.statement(body.block);
        self.span = Some(body.end);
        self.end_lives(0);
        let returns = self.frame().returns;
        self.leave_without_value(returns);
    }

    fn write_thread(&mut self, function: FunctionId) {
        self.current.frame = Frame::new(Some(function), ReturnTo::Thread);
        self.span = Some(self.hir.functions[function].span);
        let parameters = self.parameters(function);
        let first = parameters.first().copied();
        let own = first.and_then(|it| self.register_of(it, Scalar::Pointer));
        let argument = own.unwrap_or_else(|| self.given_register("argument", Scalar::Pointer, false));
        self.pool.params(self.current.procedure, vec![argument]);
        self.begin_section_of_function();
        let (given, others) = parameters.split_at(usize::from(own.is_some()).min(parameters.len()));
        self.open_with(given.to_vec(), others.to_vec());
        if let Some(parameter) = first.filter(|_| own.is_none()) {
            let ty = self.hir.variables[parameter].ty.ty;
            let binding = self.bind_local(parameter);
            let value = self.pool.read(argument);
            match self.scalar_of(ty) {
                Some(scalar) if !scalar.is_float() => {
                    let value = self.resize(value, scalar, false);
                    self.give(binding, ty, value);
                }
                _ => self.refuse("a thread's parameter that is no pointer"),
            }
        }
        // Nobody gives values for further parameters: they are any.
        for &parameter in parameters.iter().skip(1) {
            if let Binding::Register(local) = self.bind_local(parameter) {
                self.emit(Op::any(local));
            }
        }
        self.body(function);
    }

    fn write_function(&mut self, instance: Instance) {
        let Instance { function, role, surroundings } = instance;
        let mut frame = Frame::new(Some(function), ReturnTo::Procedure);
        frame.allocates = surroundings.allocates;
        frame.pointees = surroundings.pointees;
        frame.entered = surroundings.entered;
        frame.dropped = role == Role::Dropped || self.gives_nothing(function);
        self.current.frame = frame;
        self.span = Some(self.hir.functions[function].span);
        let mut registers = vec![];
        if role == Role::Called && self.gives_record(function) {
            let result = self.given_register("result", Scalar::Pointer, false);
            self.frame().result = Some(Binding::Pointed(result));
            registers.push(result);
        }
        let parameters = self.parameters(function);
        let mut values = vec![];
        for &parameter in &parameters {
            let (declared, passed) = (&self.hir.variables[parameter], self.passed_as(parameter));
            if let Some(own) = self.register_of(parameter, passed) {
                registers.push(own);
                continue;
            }
            let signed = self.is_signed(declared.ty.ty);
            let local = self.given_register(&format!("{}_given", declared.name), passed, signed);
            registers.push(local);
            values.push((parameter, local));
        }
        if self.is_variadic(function) {
            let list = self.given_register("arguments", Scalar::Pointer, false);
            self.frame().varargs = Some(list);
            registers.push(list);
        }
        self.pool.params(self.current.procedure, registers);
        let (others, given) = parameters.iter().partition(|it| values.iter().any(|(other, _)| other == *it));
        self.open_with(given, others);
        for (parameter, local) in values {
            self.take(parameter, local);
        }
        // Arguments are read before the section of an atomic function begins.
        self.begin_section_of_function();
        self.body(function);
    }

    fn gives_nothing(&self, function: FunctionId) -> bool {
        let returned = self.types().function(self.hir.functions[function].ty).map(|ty| ty.result);
        returned.is_none_or(|ty| self.scalar_of(ty).is_none() && !self.is_record(ty))
    }

    /// The register of a parameter that is one by its declaration and comes as such a value: the caller gives
    /// the value in it.
    fn register_of(&mut self, parameter: VarId, passed: Scalar) -> Option<LocalId> {
        let declared = self.scalar_of(self.hir.variables[parameter].ty.ty);
        if declared != Some(passed) {
            return None;
        }
        match self.bind_local(parameter) {
            Binding::Register(local) => Some(local),
            _ => None,
        }
    }

    /// A register in which a caller gives something.
    fn given_register(&mut self, name: &str, ty: Scalar, signed: bool) -> LocalId {
        let local = self.named_register(name, ty, signed);
        self.pool.local_mut(local).temporary = true;
        local
    }

    /// The type in which a parameter comes: a record by its address. What cannot be passed is refused
    /// where it is evaluated.
    pub fn passed_as(&self, parameter: VarId) -> Scalar {
        let ty = self.hir.variables[parameter].ty.ty;
        if self.is_record(ty) { Scalar::Pointer } else { self.scalar_of(ty).unwrap_or(Scalar::Bits(32)) }
    }

    /// Gives a parameter its first value.
    fn take(&mut self, parameter: VarId, local: LocalId) {
        let ty = self.hir.variables[parameter].ty.ty;
        let binding = self.bind_local(parameter);
        let value = self.pool.read(local);
        match binding {
            Binding::Object(object) if self.is_record(ty) => {
                let from = Spot::new(Base::Pointer(value), ty);
                self.copy(Spot::new(Base::Object(object), ty), from);
            }
            _ => self.give(binding, ty, value),
        }
    }

    fn write_statement(&mut self, body: StmtId, function: Option<FunctionId>, copies: &[Copied]) {
        let procedure = self.current.procedure;
        self.current.frame = Frame::new(function, ReturnTo::Thread);
        self.span = Some(self.hir.stmts[body].span);
        let mut params = vec![];
        let mut given = vec![];
        for copied in copies {
            let mut locals = vec![];
            for &(_, ty) in &copied.cells {
                let local =
                    self.pool.local(format!("copy{}", params.len()), LocalScope::Procedure(procedure), ty);
                self.pool.local_mut(local).temporary = true;
                params.push(local);
                locals.push(local);
            }
            given.push(locals);
        }
        self.pool.params(procedure, params);
        let variables: Vec<VarId> =
            copies.iter().filter(|it| it.fixed.is_none()).map(|it| it.variable).collect();
        for copied in copies {
            if let Some(value) = copied.fixed {
                self.frame().env.insert(copied.variable, Binding::Value(value));
            }
        }
        self.open(None, &variables);
        for (copied, locals) in copies.iter().zip(given).filter(|(it, _)| it.fixed.is_none()) {
            self.receive(copied, &locals);
        }
        self.statement(body);
        self.end_lives(0);
        self.end_thread(None, false);
    }

    fn receive(&mut self, copied: &Copied, locals: &[LocalId]) {
        let ty = self.hir.variables[copied.variable].ty.ty;
        let binding = self.bind_local(copied.variable);
        for (&(offset, _), &local) in copied.cells.iter().zip(locals) {
            let value = self.pool.read(local);
            match binding {
                Binding::Object(object) => {
                    self.store_cell(Spot::new(Base::Object(object), ty).at(offset, ty), value)
                }
                _ => self.give(binding, ty, value),
            }
        }
    }

    /// The procedure of a function, for a thread or a call.
    pub fn procedure_of(&mut self, instance: Instance) -> ProcId {
        if let Some(&procedure) = self.procedures.get(&instance) {
            return procedure;
        }
        let function = instance.function;
        let name = self.procedure_name(&self.hir.functions[function].name);
        let result = match instance.role {
            Role::Thread => Some(Scalar::Pointer),
            Role::Called | Role::Dropped => self.scalar_result(function),
        };
        let procedure = self.pool.declare(name, result);
        self.procedures.insert(instance.clone(), procedure);
        let work = match instance.role {
            Role::Thread => Work::Thread(function),
            Role::Called | Role::Dropped => Work::Function(instance),
        };
        self.work.push_back((procedure, work));
        procedure
    }

    /// The type in which a function gives its result, if it is no record.
    pub fn scalar_result(&self, function: FunctionId) -> Option<Scalar> {
        let returned = self.types().function(self.hir.functions[function].ty).map(|ty| ty.result);
        returned.filter(|&ty| !self.is_record(ty)).and_then(|ty| self.scalar_of(ty))
    }
}
