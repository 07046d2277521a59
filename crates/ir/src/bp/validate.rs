//! What a program must keep to. Front-ends report unknown names and bad syntax themselves; here is the rest.

use super::expr::{ExprId, Read, Var, When, Whose};
use super::program::{Loc, LocalId, LocalScope, Location, Op, ProcId, Program, Role, SharedId, Spawn};
use base::{Diagnostic, Diagnostics, Span};
use std::collections::{HashMap, HashSet};

/// Everything that is wrong with a draft.
pub fn problems(program: &Program) -> Diagnostics {
    let taken = program.locks.iter().map(|lock| (lock.taken, lock.name.as_str())).collect();
    let mut validator = Validator { program, taken, found: Diagnostics::new() };
    validator.start();
    for (loc, location) in program.locations.enumerate() {
        validator.location(loc, location);
    }
    validator.found
}

struct Validator<'p> {
    program: &'p Program,
    /// The names of the locks, by their taken bits.
    taken: HashMap<SharedId, &'p str>,
    found: Diagnostics,
}

/// Which readings an expression may have.
#[derive(Clone, Copy)]
struct Allowed {
    next: bool,
    passive: bool,
}

const PLAIN: Allowed = Allowed { next: false, passive: false };

impl Validator<'_> {
    fn error(&mut self, code: &'static str, span: Option<Span>, message: String, help: &str) {
        self.found.push(Diagnostic::error(code, span, message).help(help));
    }

    fn start(&mut self) {
        let start = &self.program.start;
        if start.templates.is_empty() && start.init.is_none() {
            let help = "add `void main() begin ... end`, or name a procedure with --entry";
            self.error("E0301", None, "the program starts no thread".into(), help);
        }
        for root in start.init.into_iter().chain(start.templates.iter().map(|template| template.procedure)) {
            let procedure = &self.program.procedures[root];
            if !procedure.params.is_empty() {
                let message = format!("`{}` has parameters, but threads start in it", procedure.name);
                let span = self.program.at(procedure.entry).span;
                self.error("E0302", span, message, "start it by `start_thread` with arguments instead");
            }
        }
        if let Some(init) = start.init {
            self.init_starts_nobody(init);
        }
    }

    /// `init` runs alone to its end, so neither it nor what it calls may start threads.
    fn init_starts_nobody(&mut self, init: ProcId) {
        let mut seen = HashSet::from([init]);
        let mut work = vec![init];
        while let Some(procedure) = work.pop() {
            for loc in self.program.locations_of(procedure) {
                let location = self.program.at(loc);
                match &location.op {
                    Op::Call { procedure, .. } if seen.insert(*procedure) => work.push(*procedure),
                    Op::Start(_) => {
                        let message = "`init` runs alone and cannot start threads".to_string();
                        self.error(
                            "E0314",
                            location.span,
                            message,
                            "start threads in `main` or in a template",
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    fn location(&mut self, loc: Loc, location: &Location) {
        if let Some(enforce) = location.enforce {
            self.expr(location, enforce, PLAIN);
        }
        for target in self.program.successors(loc) {
            self.same_procedure(location, target);
        }
        match &location.op {
            Op::Goto(targets) if targets.is_empty() => {
                self.error("E0303", location.span, "`goto` has no target".into(), "name at least one label");
            }
            Op::Branch { cond, .. } | Op::Assert(cond) => self.expr(location, *cond, PLAIN),
            Op::Assume(cond) => {
                self.expr(location, *cond, Allowed { next: false, passive: true });
                self.one_passive_scope(location, *cond);
            }
            Op::Assign { targets, broadcast, constrain } => {
                self.assign(location, targets, broadcast, *constrain)
            }
            Op::Call { procedure, args, results } => {
                self.arguments(location, *procedure, args);
                self.results(location, *procedure, results);
            }
            Op::Return(values) => self.returned(location, values),
            Op::Start(Spawn::Clone(target)) => self.child_begins(location, *target),
            Op::Start(Spawn::Call(procedure, args)) => self.arguments(location, *procedure, args),
            _ => {}
        }
    }

    fn same_procedure(&mut self, location: &Location, target: Loc) {
        let known = self.program.locations.get(target);
        if known.is_none_or(|target| target.procedure != location.procedure) {
            let message = "control leaves the procedure".to_string();
            self.error("E0304", location.span, message, "jump to a label of the same procedure");
        }
    }

    /// A clone's stack is the creator's current activation alone, also where that activation was inlined.
    fn child_begins(&mut self, location: &Location, target: Loc) {
        let current = location.active.last().copied().unwrap_or(location.procedure);
        let known = self.program.locations.get(target);
        if known.is_none_or(|target| target.procedure != current || !target.active.is_empty()) {
            let message = "the new thread begins in another procedure".to_string();
            self.error("E0304", location.span, message, "name a label of the same procedure");
        }
    }

    fn assign(
        &mut self,
        location: &Location,
        targets: &[(Var, ExprId)],
        broadcast: &[(LocalId, ExprId)],
        constrain: Option<ExprId>,
    ) {
        self.distinct(location, targets.iter().map(|&(var, _)| var), "assigned");
        self.distinct(location, broadcast.iter().map(|&(local, _)| Var::Local(local)), "broadcast");
        for &(var, value) in targets {
            self.own_variable(location, var);
            self.expr(location, value, PLAIN);
        }
        for &(local, value) in broadcast {
            self.plain_local(location, local);
            self.expr(location, value, Allowed { next: false, passive: true });
            let scopes = self.passive_scopes(value);
            match self.procedure_scope(local) {
                Some(procedure) => {
                    self.one_scope(location, scopes.into_iter().chain([procedure]).collect());
                }
                None if scopes.is_empty() => {}
                None => self.one_activation(location, local),
            }
        }
        if let Some(constrain) = constrain {
            self.expr(location, constrain, Allowed { next: true, passive: true });
            self.one_passive_scope(location, constrain);
        }
    }

    fn distinct(&mut self, location: &Location, vars: impl Iterator<Item = Var>, what: &str) {
        let mut seen = HashSet::new();
        for var in vars {
            if !seen.insert(var) {
                let message = format!("`{}` is {what} twice in one statement", self.program.name(var));
                self.error("E0305", location.span, message, "drop one of the two");
            }
        }
    }

    /// A target or a reading: it must be in scope, and locks are for `lock` and `unlock` alone.
    fn own_variable(&mut self, location: &Location, var: Var) {
        match var {
            Var::Shared(id) => {
                if let Some(name) = self.taken.get(&id) {
                    let message = format!("`{name}` is a lock and cannot be read or assigned");
                    self.error("E0306", location.span, message, "use another variable for the data");
                }
            }
            Var::Local(id) => {
                self.plain_local(location, id);
                self.in_scope(location, id);
            }
        }
    }

    fn plain_local(&mut self, location: &Location, local: LocalId) {
        let name = &self.program.locals[local].name;
        if self.program.locals[local].role != Role::Plain {
            let message = format!("`{name}` is a lock and cannot be read or assigned");
            self.error("E0306", location.span, message, "use another variable for the data");
        }
    }

    /// The active thread's own local must be in scope where it is used, or where control goes on: an inlined
    /// call assigns parameters.
    fn in_scope(&mut self, location: &Location, local: LocalId) {
        let next = self.program.locations.get(location.next);
        let visible = |at: &Location| match self.program.locals[local].scope {
            LocalScope::Thread => true,
            LocalScope::Procedure(owner) => at.procedure == owner || at.active.contains(&owner),
        };
        if !visible(location) && !next.is_some_and(visible) {
            let message = format!("`{}` belongs to another procedure", self.program.locals[local].name);
            self.error("E0315", location.span, message, "pass its value as an argument");
        }
    }

    fn expr(&mut self, location: &Location, e: ExprId, allowed: Allowed) {
        for read in self.program.exprs.reads(e) {
            match (read.whose, read.var) {
                (Whose::Passive, Var::Local(local)) => self.plain_local(location, local),
                (_, var) => self.own_variable(location, var),
            }
            self.reading(location, read, allowed);
        }
    }

    fn reading(&mut self, location: &Location, read: Read, allowed: Allowed) {
        let name = self.program.name(read.var);
        if read.when == When::Next && !allowed.next {
            let message = format!("`'{name}` is a new value, which only `constrain` can speak of");
            self.error(
                "E0307",
                location.span,
                message,
                "drop the tick, or move the condition into `constrain`",
            );
        }
        if read.whose == Whose::Passive && !allowed.passive {
            let message = format!("`{name}$` is a passive thread's copy, which cannot be read here");
            let help = "passive copies stand on the right of a broadcast, in `constrain` and in `assume`";
            self.error("E0308", location.span, message, help);
        }
        if read.whose == Whose::Passive && matches!(read.var, Var::Shared(_)) {
            let message = format!("`{name}` is shared: there is no passive copy of it");
            self.error("E0309", location.span, message, "drop the `$` or the brackets");
        }
    }

    fn procedure_scope(&self, local: LocalId) -> Option<ProcId> {
        match self.program.locals[local].scope {
            LocalScope::Thread => None,
            LocalScope::Procedure(procedure) => Some(procedure),
        }
    }

    fn passive_scopes(&self, e: ExprId) -> Vec<ProcId> {
        let reads = self.program.exprs.reads(e);
        let passive = reads.iter().filter(|read| read.whose == Whose::Passive);
        let scope = |read: &Read| match read.var {
            Var::Local(local) => self.procedure_scope(local),
            Var::Shared(_) => None,
        };
        passive.filter_map(scope).collect()
    }

    fn one_passive_scope(&mut self, location: &Location, e: ExprId) {
        let scopes = self.passive_scopes(e);
        self.one_scope(location, scopes);
    }

    fn one_scope(&mut self, location: &Location, mut scopes: Vec<ProcId>) {
        scopes.sort();
        scopes.dedup();
        if scopes.len() > 1 {
            let message = "passive copies of two procedures meet in one expression".to_string();
            self.error("E0310", location.span, message, "no thread has both in scope: write two statements");
        }
    }

    /// A thread has one copy of a thread-local variable, but may have several activations of a procedure, or
    /// none: which of their locals the new value is made of would depend on where the thread stands.
    fn one_activation(&mut self, location: &Location, local: LocalId) {
        let name = &self.program.locals[local].name;
        let message =
            format!("`{name}$` belongs to a whole thread, its new value to activations of a procedure");
        let help =
            "read only shared and thread-local variables here, or declare the other one `thread_local`";
        self.error("E0316", location.span, message, help);
    }

    fn arguments(&mut self, location: &Location, procedure: ProcId, args: &[ExprId]) {
        let callee = &self.program.procedures[procedure];
        if callee.params.len() != args.len() {
            let (name, want, have) = (&callee.name, callee.params.len(), args.len());
            let message = format!("`{name}` takes {want} argument(s), {have} given");
            self.error("E0311", location.span, message, "give one argument for each parameter");
        }
        for &arg in args {
            self.expr(location, arg, PLAIN);
        }
    }

    fn results(&mut self, location: &Location, procedure: ProcId, results: &[Option<Var>]) {
        let callee = &self.program.procedures[procedure];
        if !results.is_empty() && callee.results != results.len() {
            let (name, want, have) = (&callee.name, callee.results, results.len());
            let message = format!("`{name}` returns {want} value(s), {have} taken");
            self.error("E0312", location.span, message, "take each result; `_` drops one");
        }
        self.distinct(location, results.iter().flatten().copied(), "assigned");
        for var in results.iter().flatten() {
            self.own_variable(location, *var);
        }
    }

    fn returned(&mut self, location: &Location, values: &[ExprId]) {
        let procedure = &self.program.procedures[location.procedure];
        if !values.is_empty() && values.len() != procedure.results {
            let (name, want, have) = (&procedure.name, procedure.results, values.len());
            let message = format!("`{name}` returns {want} value(s), here it gives {have}");
            self.error("E0313", location.span, message, "return as many values as the procedure declares");
        }
        for &value in values {
            self.expr(location, value, PLAIN);
        }
    }
}
