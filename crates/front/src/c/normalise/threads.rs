//! Threads: their creation, their end, statements that run as threads, and the unrolling of loops that create or join them.

use ir::c::{Binary, CellType, ExprId, Node, ObjectScope, Op, Type as Scalar};

use super::super::hir::{self, BinaryOp, ExprKind, FunctionId, PlaceKind, StmtId, StmtKind, VarId};
use super::super::types::TypeId;
use super::Normaliser;
use super::context::{Binding, Jump};
use super::places::{Base, Spot};
use super::procedures::{Copied, Work};

/// Objects with more scalars than this are not copied into a thread.
const COPIED: u64 = 256;

impl Normaliser<'_> {
    /// Starts a thread in whatever a function pointer points to, and stores its handle.
    pub fn create(&mut self, handle: Spot, function: ExprId, ty: TypeId, argument: ExprId) {
        if let Node::Address(object) = self.pool.exprs().node(function)
            && let Some(function) = self.function_of(object)
        {
            return self.create_in(handle, function, argument);
        }
        let end = self.label();
        for candidate in self.candidates(ty, 1) {
            let object = self.function_object(candidate);
            let address = self.pool.address(object);
            let hit = self.binary(Binary::Eq, function, address);
            let past = self.label();
            self.jump_if_true(hit, past, false);
            self.create_in(handle, candidate, argument);
            self.goto(end);
            self.place_label(past);
        }
        self.emit(Op::Meaningless("a thread in a pointer to no function of this type".into()));
        self.place_label(end);
    }

    fn create_in(&mut self, handle: Spot, function: FunctionId, argument: ExprId) {
        if self.hir.functions[function].body.is_none() {
            return self.refuse(format!(
                "a thread in `{}`, which is not defined",
                self.hir.functions[function].name
            ));
        }
        let template = self.procedure_of(function, true);
        self.assume_silently("sequential consistency");
        let local = self.temporary(self.word());
        let argument = self.resize(argument, Scalar::Pointer, false);
        if let Base::Pointer(pointer) = handle.base
            && self.constant(pointer) == Some(0)
        {
            // Nobody wants the handle.
            return self.emit(Op::Create { template, args: vec![argument], handle: None });
        }
        // Where threads compare themselves with handles, a thread must not run before its handle is stored.
        let names = ["pthread_self", "thrd_current"];
        let together = names.iter().any(|name| self.facts.called_names.contains(*name));
        if together {
            self.assume_silently("the handle of a thread is stored before the thread runs");
            self.emit(Op::SectionBegin);
        }
        self.emit(Op::Create { template, args: vec![argument], handle: Some(local) });
        let value = self.pool.read(local);
        let scalar = self.scalar(handle.ty);
        let value = self.resize(value, scalar, false);
        self.store(handle, value);
        if together {
            self.emit(Op::SectionEnd);
        }
    }

    /// The thread ends with a result: cleanup handlers and the destructors of keys run first.
    pub fn end_thread(&mut self, value: Option<ExprId>, explicit: bool) {
        let value = value.map(|value| self.keep(value));
        if explicit {
            self.run_cleanups();
        }
        self.run_key_destructors();
        let is_main = self.pool.draft().main() == self.current.procedure;
        let value = value.map(|value| {
            if self.type_of(value).is_float() { value } else { self.resize(value, Scalar::Pointer, true) }
        });
        let missing = value.is_none() && self.facts.wants_results && !is_main && !explicit;
        let value = match value {
            None if missing => {
                // The end of the function was reached without a value.
                let local = self.temporary(Scalar::Pointer);
                self.emit(Op::any(local));
                Some(self.pool.read(local))
            }
            other => other,
        };
        self.emit(Op::Exit(value.filter(|_| self.facts.wants_results)));
    }

    /// Runs the handlers that are pushed, the last one first.
    fn run_cleanups(&mut self) {
        let cleanups = self.current.cleanups.clone();
        for cleanup in cleanups.iter().rev() {
            self.call_handler(cleanup.function, cleanup.argument);
        }
    }

    /// Calls a function `void (*)(void *)` through a pointer.
    pub fn call_handler(&mut self, function: ExprId, argument: ExprId) {
        let known = match self.pool.exprs().node(function) {
            Node::Address(object) => self.function_of(object).map(|function| vec![function]),
            _ => None,
        };
        let candidates = known.unwrap_or_else(|| self.handlers());
        let end = self.label();
        for candidate in candidates {
            let object = self.function_object(candidate);
            let address = self.pool.address(object);
            let hit = self.binary(Binary::Eq, function, address);
            let past = self.label();
            self.jump_if_true(hit, past, false);
            let takes = self.parameters(candidate).len();
            self.call_with(candidate, if takes == 0 { vec![] } else { vec![argument] });
            self.goto(end);
            self.place_label(past);
        }
        self.emit(Op::Meaningless("a call through a pointer to no function of this type".into()));
        self.place_label(end);
    }

    /// Functions whose address is taken and that take one pointer or nothing.
    fn handlers(&self) -> Vec<FunctionId> {
        let fits = |&function: &FunctionId| {
            let declared = &self.hir.functions[function];
            let parameters = declared.body.as_ref().map(|body| &body.parameters);
            parameters.is_some_and(|parameters| {
                parameters.len() <= 1
                    && parameters
                        .iter()
                        .all(|&it| self.scalar_of(self.hir.variables[it].ty.ty) == Some(Scalar::Pointer))
            })
        };
        self.facts.taken.iter().copied().filter(fits).collect()
    }

    /// `__CPROVER_ASYNC_n: statement`.
    pub fn asynchronous(&mut self, body: StmtId) {
        let mut bound: Vec<(VarId, Binding)> =
            self.frame().env.iter().map(|(variable, binding)| (*variable, *binding)).collect();
        bound.sort_by_key(|(variable, _)| *variable);
        let open: Vec<VarId> = self.frame().scopes.iter().flat_map(|scope| scope.variables.clone()).collect();
        let mut copies = vec![];
        let mut args = vec![];
        for (variable, binding) in bound {
            if let Some(copied) = self.copied(variable, binding, &open, &mut args) {
                copies.push(copied);
            }
        }
        let function = self.frame().function;
        let name = self.procedure_name("async");
        let template = self.pool.declare(name, Some(Scalar::Pointer));
        self.work.push_back((template, Work::Statement { body, function, copies }));
        self.emit(Op::Create { template, args, handle: None });
    }

    fn copied(
        &mut self,
        variable: VarId,
        binding: Binding,
        open: &[VarId],
        args: &mut Vec<ExprId>,
    ) -> Option<Copied> {
        let ty = self.hir.variables[variable].ty.ty;
        match binding {
            Binding::Value(value) => {
                // An address of an object of this activation means nothing in another one.
                if self.names_own_object(value) {
                    self.refuse("a pointer to a local in a statement that runs as a thread");
                }
                Some(Copied { variable, fixed: Some(value), cells: vec![] })
            }
            _ if !open.contains(&variable) => None,
            Binding::Register(local) => {
                args.push(self.pool.read(local));
                let scalar = self.scalar(ty);
                Some(Copied { variable, fixed: None, cells: vec![(0, scalar)] })
            }
            Binding::Object(object) => {
                self.copied_object(variable, Spot::new(Base::Object(object), ty), args)
            }
            Binding::Pointed(_) => {
                self.refuse("a variable-length array in a statement that runs as a thread");
                None
            }
        }
    }

    fn copied_object(&mut self, variable: VarId, spot: Spot, args: &mut Vec<ExprId>) -> Option<Copied> {
        let shape = self.shape_or_refuse(spot.ty)?;
        if shape.len() > COPIED {
            self.refuse("a large object in a statement that runs as a thread");
            return None;
        }
        let mut cells = vec![];
        for (offset, cell) in shape.cells() {
            // A synchronisation object of the copy starts anew.
            let CellType::Scalar(scalar) = cell else { continue };
            let local = self.temporary(scalar);
            if let Some(place) = self.memory_place(spot.at(offset, spot.ty)) {
                self.emit(Op::Load { local, place });
            }
            args.push(self.pool.read(local));
            cells.push((offset, scalar));
        }
        Some(Copied { variable, fixed: None, cells })
    }

    fn names_own_object(&mut self, value: ExprId) -> bool {
        let below = self.pool.exprs().below(value);
        below.into_iter().any(|e| match self.pool.exprs().node(e) {
            Node::Address(object) => {
                matches!(self.pool.draft().objects()[object].scope, ObjectScope::Procedure(_))
            }
            _ => false,
        })
    }

    /// Unrolls `for (i = a; i < b; i++)` if it creates or joins threads, a handle is joined or compared somewhere, and the turns are few.
    pub fn unrolled(
        &mut self,
        init: Option<hir::ExprId>,
        condition: Option<hir::ExprId>,
        step: Option<hir::ExprId>,
        body: StmtId,
    ) -> bool {
        let Some(counted) = self.counted(init, condition, step, body) else { return false };
        let scopes = self.frame().scopes.len();
        let end = self.label();
        let ty = self.scalar(self.hir.variables[counted.variable].ty.ty);
        let Some(Binding::Register(local)) = self.frame().env.get(&counted.variable).copied() else {
            return false;
        };
        self.frame().breaks.push(Jump { label: end, scopes });
        for turn in counted.first..counted.last {
            let next = self.label();
            let value = self.number(ty, turn as u128);
            self.emit(Op::Assign { local, value });
            self.frame().env.insert(counted.variable, Binding::Value(value));
            self.frame().continues.push(Jump { label: next, scopes });
            self.statement(body);
            self.frame().continues.pop();
            self.place_label(next);
        }
        self.frame().env.insert(counted.variable, Binding::Register(local));
        self.frame().breaks.pop();
        let value = self.number(ty, counted.last.max(counted.first) as u128);
        self.emit(Op::Assign { local, value });
        self.place_label(end);
        true
    }

    fn counted(
        &mut self,
        init: Option<hir::ExprId>,
        condition: Option<hir::ExprId>,
        step: Option<hir::ExprId>,
        body: StmtId,
    ) -> Option<Counted> {
        if !["pthread_join", "thrd_join", "pthread_equal", "thrd_equal"]
            .iter()
            .any(|name| self.facts.called_names.contains(*name))
        {
            return None;
        }
        let (condition, step) = (condition?, step?);
        let hir = self.hir;
        let variable_of = |place| super::facts::whole_variable(hir, place);
        let ExprKind::Increment { place, decrement: false, element: None, .. } = hir.exprs[step].kind else {
            return None;
        };
        let variable = variable_of(place)?;
        let first = self.first_turn(init, variable)?;
        let ExprKind::Binary { op, left, right } = hir.exprs[condition].kind else { return None };
        let (mut e, limit) = (left, constant_of(hir, right)?);
        while let ExprKind::Cast(_, inner) = hir.exprs[e].kind {
            e = inner;
        }
        let ExprKind::Load(place) = hir.exprs[e].kind else { return None };
        let last = match op {
            BinaryOp::Less | BinaryOp::NotEqual => limit,
            BinaryOp::LessEqual => limit.checked_add(1)?,
            _ => return None,
        };
        let few =
            last.checked_sub(first).is_some_and(|turns| turns <= i128::from(self.options.unroll_threads));
        let fits = variable_of(place) == Some(variable) && few && first >= 0 && first <= last;
        let watched = Watched::in_statement(hir, body, variable);
        (fits && watched.threads && !watched.written && !watched.labels).then_some(Counted {
            variable,
            first,
            last,
        })
    }

    /// The first value of a loop's variable: in the head of the loop, or in its declaration just before it.
    pub fn first_turn(&mut self, init: Option<hir::ExprId>, variable: VarId) -> Option<i128> {
        let hir = self.hir;
        match init {
            Some(init) => match hir.exprs[init].kind {
                ExprKind::Assign { place, value }
                    if super::facts::whole_variable(hir, place) == Some(variable) =>
                {
                    constant_of(hir, value)
                }
                _ => None,
            },
            None => {
                let scope = self.frame().scopes.last().cloned()?;
                // `for (int i = 0; …)` is a block of the declaration and the loop.
                let StmtKind::Block { variables, statements } = &hir.stmts[scope.block?].kind else {
                    return None;
                };
                let declares = |s: &StmtId| matches!(hir.stmts[*s].kind, StmtKind::Declare(_));
                let head = statements.split_last()?.1.iter().all(declares);
                let cells = &hir.variables[variable].init.as_ref()?.cells;
                match (head && variables.contains(&variable), cells.as_slice()) {
                    (true, [cell]) => constant_of(hir, cell.value),
                    _ => None,
                }
            }
        }
    }
}

/// A loop that counts.
struct Counted {
    variable: VarId,
    first: i128,
    last: i128,
}

fn constant_of(hir: &hir::Program, e: hir::ExprId) -> Option<i128> {
    match hir.exprs[e].kind {
        ExprKind::Integer(value) => Some(value),
        _ => None,
    }
}

/// What a loop's body does.
#[derive(Default)]
struct Watched {
    /// It creates or joins threads, itself.
    threads: bool,
    /// It writes the loop's variable, or takes its address.
    written: bool,
    /// It has labels, which cannot be written twice.
    labels: bool,
}

impl Watched {
    fn in_statement(hir: &hir::Program, body: StmtId, variable: VarId) -> Watched {
        let mut watched = Watched { written: hir.variables[variable].address_taken, ..Watched::default() };
        let walk = super::facts::walk(hir, body);
        watched.labels = !walk.labels.is_empty();
        for e in walk.exprs {
            match &hir.exprs[e].kind {
                ExprKind::Call { callee: hir::Callee::Function(f), .. } => {
                    watched.threads |= is_thread_call(&hir.functions[*f].name);
                }
                ExprKind::Assign { place, .. }
                | ExprKind::AssignOp { place, .. }
                | ExprKind::AssignPointer { place, .. }
                | ExprKind::Increment { place, .. } => {
                    watched.written |=
                        matches!(hir.places[*place].kind, PlaceKind::Variable(it) if it == variable);
                }
                _ => {}
            }
        }
        watched
    }
}

fn is_thread_call(name: &str) -> bool {
    matches!(name, "pthread_create" | "pthread_join" | "thrd_create" | "thrd_join")
}
