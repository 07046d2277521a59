//! Makes programs. A builder may hold anything; [`Builder::finish`] lets only valid programs through.

use super::expr::{ExprId, Exprs, Var};
use super::program::{
    Count, Init, Loc, Local, LocalId, LocalScope, Location, Lock, LockId, Op, ProcId, Procedure, Program,
    Role, Shared, SharedId, Spawn, Start, Template,
};
use super::{monotone, validate};
use base::{Arena, Diagnostics, Id, Span};
use std::collections::HashMap;

/// A program under construction. Procedures are written one after the other: [`Builder::declare`] all of
/// them, then for each [`Builder::begin`], its statements by [`Builder::push`], and [`Builder::end`].
#[derive(Clone, Debug)]
pub struct Builder {
    program: Program,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::from_program(Program {
            exprs: Exprs::new(),
            shared: Arena::new(),
            locals: Arena::new(),
            locks: Arena::new(),
            procedures: Arena::new(),
            locations: Arena::new(),
            start: Start::default(),
            atomic_variable: None,
            monotone: true,
        })
    }

    pub(super) fn from_program(program: Program) -> Self {
        Self { program }
    }

    /// The expression pool.
    pub fn exprs(&mut self) -> &mut Exprs {
        &mut self.program.exprs
    }

    /// The program as it stands, perhaps not valid.
    pub fn draft(&self) -> &Program {
        &self.program
    }

    /// Adds a shared variable.
    pub fn shared(&mut self, name: impl Into<String>, init: Init) -> SharedId {
        self.program.shared.push(Shared { name: name.into(), init })
    }

    /// Adds a local variable.
    pub fn local(&mut self, name: impl Into<String>, scope: LocalScope, init: Init) -> LocalId {
        self.program.locals.push(Local { name: name.into(), scope, init, role: Role::Plain })
    }

    /// Adds a lock with its two bits, both 0 at the start.
    pub fn lock(&mut self, name: impl Into<String>) -> LockId {
        let name = name.into();
        let taken = self.shared(name.clone(), Init::Fixed(false));
        let id = LockId::from_index(self.program.locks.len());
        let (scope, init) = (LocalScope::Thread, Init::Fixed(false));
        let owner =
            self.program.locals.push(Local { name: name.clone(), scope, init, role: Role::Owner(id) });
        self.program.locks.push(Lock { name, taken, owner })
    }

    /// Declares a procedure; its body and parameters come later.
    pub fn declare(&mut self, name: impl Into<String>, results: usize) -> ProcId {
        let nowhere = Loc::from_index(0);
        let name = name.into();
        self.program.procedures.push(Procedure {
            name,
            params: vec![],
            results,
            entry: nowhere,
            end: nowhere,
        })
    }

    /// Sets the parameters of a procedure.
    pub fn params(&mut self, procedure: ProcId, params: Vec<LocalId>) {
        self.program.procedures[procedure].params = params;
    }

    /// Starts the body of a procedure: its first statement comes next.
    pub fn begin(&mut self, procedure: ProcId) {
        self.program.procedures[procedure].entry = self.here();
    }

    /// The location of the statement that is pushed next.
    pub fn here(&self) -> Loc {
        Loc::from_index(self.program.locations.len())
    }

    /// Adds a statement that goes on to the one pushed after it.
    pub fn push(&mut self, procedure: ProcId, op: Op, span: Option<Span>) -> Loc {
        let next = Loc::from_index(self.program.locations.len() + 1);
        self.program.locations.push(Location {
            op,
            next,
            procedure,
            active: vec![],
            error: false,
            enforce: None,
            dead: vec![],
            invisible: false,
            labels: vec![],
            span,
        })
    }

    /// Ends the body of a procedure.
    pub fn end(&mut self, procedure: ProcId, span: Option<Span>) -> Loc {
        let end = self.push(procedure, Op::Return(vec![]), span);
        self.program.locations[end].next = end;
        self.program.procedures[procedure].end = end;
        end
    }

    /// A location, open for changes.
    pub fn at(&mut self, loc: Loc) -> &mut Location {
        &mut self.program.locations[loc]
    }

    /// The locals, open for changes.
    pub fn locals_mut(&mut self) -> &mut Arena<LocalId, Local> {
        &mut self.program.locals
    }

    /// The shared variables, open for changes.
    pub fn shared_mut(&mut self) -> &mut Arena<SharedId, Shared> {
        &mut self.program.shared
    }

    /// Runs `procedure` alone before the templates' threads are there.
    pub fn init(&mut self, procedure: ProcId) {
        self.program.start.init = Some(procedure);
    }

    /// Adds threads that are there from the start; those of one procedure are counted together.
    pub fn template(&mut self, procedure: ProcId, count: Count) {
        let templates = &mut self.program.start.templates;
        match templates.iter_mut().find(|template| template.procedure == procedure) {
            Some(template) => template.count = template.count.plus(count),
            None => templates.push(Template { procedure, count }),
        }
    }

    /// Forgets the templates and `init`, for a start of one's own.
    pub fn clear_start(&mut self) {
        self.program.start = Start::default();
    }

    /// Makes a shared variable the one whose assignment enters and leaves atomic sections.
    pub fn atomic_variable(&mut self, variable: SharedId) {
        self.program.atomic_variable = Some(variable);
    }

    /// The program, if it is valid; otherwise all that is wrong with it.
    pub fn finish(mut self) -> Result<Program, Diagnostics> {
        let found = validate::problems(&self.program);
        if found.has_errors() {
            return Err(found);
        }
        self.renumber();
        self.program.monotone = monotone::is_monotone(&self.program);
        Ok(self.program)
    }

    /// Renumbers expressions in the order of their use and drops unused ones: equal programs get equal ids.
    fn renumber(&mut self) {
        let old = std::mem::take(&mut self.program.exprs);
        let mut exprs = Exprs::new();
        let mut renamed: HashMap<ExprId, ExprId> = HashMap::new();
        for location in self.program.locations.iter_mut() {
            for_each_expr(location, |id| {
                *id = *renamed.entry(*id).or_insert_with(|| import_in_order(&mut exprs, &old, *id));
            });
        }
        self.program.exprs = exprs;
    }
}

/// Copies an expression, numbering operands from left to right whatever their old numbers were.
fn import_in_order(exprs: &mut Exprs, old: &Exprs, root: ExprId) -> ExprId {
    let mut copied: HashMap<ExprId, ExprId> = HashMap::new();
    let mut stack = vec![(root, false)];
    while let Some((id, ready)) = stack.pop() {
        if copied.contains_key(&id) {
            continue;
        }
        if ready {
            let node = old.node(id).map_children(|child| copied[&child]);
            copied.insert(id, exprs.add(node));
        } else {
            stack.push((id, true));
            stack.extend(old.node(id).children().rev().map(|child| (child, false)));
        }
    }
    copied[&root]
}

/// Calls `f` on every expression of a location, in a fixed order.
pub(super) fn for_each_expr(location: &mut Location, mut f: impl FnMut(&mut ExprId)) {
    location.enforce.iter_mut().for_each(&mut f);
    match &mut location.op {
        Op::Branch { cond, .. } => f(cond),
        Op::Assign { targets, broadcast, constrain } => {
            targets.iter_mut().for_each(|(_, e)| f(e));
            broadcast.iter_mut().for_each(|(_, e)| f(e));
            constrain.iter_mut().for_each(&mut f);
        }
        Op::Assume(e) | Op::Assert(e) => f(e),
        Op::Call { args, .. } | Op::Start(Spawn::Call(_, args)) => args.iter_mut().for_each(&mut f),
        Op::Return(values) => values.iter_mut().for_each(&mut f),
        Op::Skip
        | Op::Goto(_)
        | Op::Start(Spawn::Clone(_))
        | Op::End
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Lock(_)
        | Op::Unlock(_) => {}
    }
}

impl Op {
    /// `x := e`
    pub fn assign(var: Var, value: ExprId) -> Op {
        Op::Assign { targets: vec![(var, value)], broadcast: vec![], constrain: None }
    }
}
