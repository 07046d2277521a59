//! The canonical text of a program: the same program always gives the same text, and the reader makes of it a program that says the
//! same. A program that the reader made comes back equal. What only passes make is put in other words: a jump that the text
//! does not show becomes a `goto`, and locals of inlined procedures become locals of the thread.

mod exprs;
mod names;

use super::expr::{ExprId, Var, When};
use super::program::{Count, Init, Loc, LocalId, LocalScope, Op, ProcId, Program, Role, Spawn};
use base::Id;
use names::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { program, names: Names::unique(program), labels: vec![], out: String::new() };
    printer.error_labels();
    printer.globals();
    printer.start();
    for procedure in program.procedures().ids() {
        printer.procedure(procedure);
    }
    printer.out
}

/// An expression, with parentheses around every operator of two or more operands.
pub fn expr(program: &Program, e: ExprId) -> String {
    Printer::loose(program).expr(e)
}

/// The statement at a location on one line, without its labels. Jumps name the labels of the source where there are some.
pub fn statement(program: &Program, loc: Loc) -> String {
    let line = Printer::loose(program).statement(loc);
    line.trim_end_matches(';').to_string()
}

struct Printer<'p> {
    program: &'p Program,
    names: Names,
    /// The labels of error locations, for a whole program.
    labels: Vec<(Loc, String)>,
    out: String,
}

impl<'p> Printer<'p> {
    /// For single statements, which nobody reads back: names as they are.
    fn loose(program: &'p Program) -> Self {
        Self { program, names: Names::plain(program), labels: vec![], out: String::new() }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    // ---- outside procedures ----------------------------------------------------------------------------------------

    /// Error locations get the label `SLIC_ERROR`; the second and later ones of a procedure need names of their own.
    fn error_labels(&mut self) {
        let mut most = 1;
        for procedure in self.program.procedures().ids() {
            let errors = self.program.locations_of(procedure).filter(|&loc| self.program.at(loc).error);
            for (count, loc) in (1..).zip(errors) {
                let label = if count == 1 { "SLIC_ERROR".into() } else { format!("SLIC_ERROR_{count}") };
                self.labels.push((loc, label));
                most = most.max(count);
            }
        }
        self.labels.sort();
        for count in 2..=most {
            self.line(&format!("error_label SLIC_ERROR_{count};"));
        }
    }

    /// Shared variables, locks and locals of threads, so that both kinds keep their order.
    fn globals(&mut self) {
        let program = self.program;
        let mut thread: Vec<LocalId> =
            program.locals().ids().filter(|&local| self.is_thread_local(local)).rev().collect();
        let locks: BTreeMap<_, _> =
            program.locks().enumerate().map(|(id, it)| (it.taken, (id, it.owner))).collect();
        for shared in program.shared().ids() {
            if let Some(&(id, owner)) = locks.get(&shared) {
                while thread.last().is_some_and(|&local| local < owner) {
                    self.thread_local(thread.pop().expect("it was just seen"));
                }
                let text = format!("lock {};", self.names.lock(id));
                self.line(&text);
            } else {
                let text =
                    self.declaration("decl", &self.names.shared(shared), program.shared()[shared].init);
                self.line(&text);
            }
        }
        while let Some(local) = thread.pop() {
            self.thread_local(local);
        }
        if let Some(variable) = program.atomic_variable() {
            let text = format!("atomic_variable {};", self.names.shared(variable));
            self.line(&text);
        }
    }

    fn is_thread_local(&self, local: LocalId) -> bool {
        self.program.locals()[local].role == Role::Plain && self.names.is_thread_local(local)
    }

    fn thread_local(&mut self, local: LocalId) {
        let text =
            self.declaration("thread_local", &self.names.local(local), self.program.locals()[local].init);
        self.line(&text);
    }

    fn declaration(&self, word: &str, name: &str, init: Init) -> String {
        match init {
            Init::Any => format!("{word} {name};"),
            Init::Fixed(value) => format!("{word} {name} := {};", u8::from(value)),
        }
    }

    /// Nothing if every reading of the file starts one thread at `main`.
    fn start(&mut self) {
        let start = self.program.start();
        let only_main = matches!(&start.templates[..], [one] if one.count == Count::Exactly(1)
            && self.program.procedures()[one.procedure].name == "main");
        let conventional = |name: &str| name == "init" || name.starts_with("thread");
        let plain = self.program.procedures().iter().all(|it| !conventional(&it.name));
        if start.init.is_none() && only_main && plain {
            return;
        }
        if let Some(init) = start.init {
            let text = format!("start init {};", self.names.procedure(init));
            self.line(&text);
        }
        for template in &start.templates {
            let count = match template.count {
                Count::Exactly(n) => n.to_string(),
                Count::AtLeast(0) => "any".into(),
                Count::AtLeast(1) => "some".into(),
                Count::AtLeast(n) => format!("at_least {n}"),
            };
            let text = format!("start {} {count};", self.names.procedure(template.procedure));
            self.line(&text);
        }
    }

    // ---- procedures ------------------------------------------------------------------------------------------------

    fn procedure(&mut self, id: ProcId) {
        let procedure = &self.program.procedures()[id];
        let kind = match procedure.results {
            0 => "void".to_string(),
            1 => "bool".to_string(),
            n => format!("bool<{n}>"),
        };
        let params: Vec<String> = procedure.params.iter().map(|&local| self.names.local(local)).collect();
        let head = format!("\n{kind} {}({}) begin", self.names.procedure(id), params.join(", "));
        self.line(&head);
        for (local, it) in self.program.locals().enumerate() {
            let mine = it.scope == LocalScope::Procedure(id) && !self.names.is_thread_local(local);
            if mine && !procedure.params.contains(&local) {
                let text = format!("  {}", self.declaration("decl", &self.names.local(local), it.init));
                self.line(&text);
            }
        }
        let common = self.common_enforce(id);
        if let Some(enforce) = common {
            let text = format!("  enforce {};", self.expr(enforce));
            self.line(&text);
        }
        let targets = self.targets(id);
        for loc in self.program.locations_of(id) {
            self.location(loc, &targets, common.is_none());
        }
        self.line("end");
    }

    /// The condition of all locations, if they have the same.
    fn common_enforce(&self, id: ProcId) -> Option<ExprId> {
        let mut all = self.program.locations_of(id).map(|loc| self.program.at(loc).enforce);
        let first = all.next().flatten();
        first.filter(|_| all.all(|enforce| enforce == first))
    }

    /// The locations that need a label.
    fn targets(&self, id: ProcId) -> BTreeSet<Loc> {
        let mut targets = BTreeSet::new();
        for loc in self.program.locations_of(id) {
            match &self.program.at(loc).op {
                Op::Goto(list) => targets.extend(list.iter().copied()),
                Op::Branch { target, .. } | Op::Start(Spawn::Clone(target)) => drop(targets.insert(*target)),
                _ => {}
            }
            targets.extend(self.hidden_jump(loc));
        }
        targets
    }

    /// Where control goes on, if that is not the next location of the text.
    fn hidden_jump(&self, loc: Loc) -> Option<Loc> {
        let location = self.program.at(loc);
        let falls = !matches!(location.op, Op::Goto(_) | Op::Return(_) | Op::End);
        (falls && location.next.index() != loc.index() + 1).then_some(location.next)
    }

    fn location(&mut self, loc: Loc, targets: &BTreeSet<Loc>, own_enforce: bool) {
        let location = self.program.at(loc);
        let end = self.program.procedures()[location.procedure].end;
        let mut text = String::new();
        if location.error || targets.contains(&loc) {
            let _ = write!(text, "{}: ", self.label(loc));
        }
        if let Some(enforce) = location.enforce.filter(|_| own_enforce) {
            let _ = write!(text, "enforce {}: ", self.expr(enforce));
        }
        if loc == end && location.op == Op::Return(vec![]) {
            if !text.is_empty() {
                self.line(text.trim_end());
            }
            return;
        }
        let text = format!("  {text}{}", self.statement(loc));
        self.line(&text);
        if let Some(next) = self.hidden_jump(loc) {
            let text = format!("  goto {};", self.label(next));
            self.line(&text);
        }
    }

    fn label(&self, loc: Loc) -> String {
        if let Ok(at) = self.labels.binary_search_by_key(&loc, |(loc, _)| *loc) {
            return self.labels[at].1.clone();
        }
        let location = self.program.at(loc);
        match location.labels.first().filter(|_| !self.names.are_unique()) {
            Some(label) => label.clone(),
            None => format!("L{}", loc.index() - self.program.procedures()[location.procedure].entry.index()),
        }
    }

    // ---- statements ------------------------------------------------------------------------------------------------

    fn statement(&self, loc: Loc) -> String {
        let join = |texts: Vec<String>| texts.join(", ");
        match &self.program.at(loc).op {
            Op::Skip => "skip;".into(),
            Op::Goto(targets) => {
                format!("goto {};", join(targets.iter().map(|&target| self.label(target)).collect()))
            }
            Op::Branch { cond, target } => {
                format!("if {} then goto {}; fi;", self.expr(*cond), self.label(*target))
            }
            Op::Assign { targets, broadcast, constrain } => self.assign(targets, broadcast, *constrain),
            Op::Assume(e) => format!("assume({});", self.expr(*e)),
            Op::Assert(e) => format!("assert({});", self.expr(*e)),
            Op::Call { procedure, args, results } => {
                let result = |var: &Option<Var>| var.map_or("_".into(), |var| self.names.var(var));
                let left = join(results.iter().map(result).collect());
                let arrow = if left.is_empty() { "" } else { " := " };
                format!("{left}{arrow}{}({});", self.names.procedure(*procedure), self.exprs(args))
            }
            Op::Return(values) if values.is_empty() => "return;".into(),
            Op::Return(values) => format!("return {};", self.exprs(values)),
            Op::Start(Spawn::Clone(target)) => format!("start_thread goto {};", self.label(*target)),
            Op::Start(Spawn::Call(procedure, args)) => {
                format!("start_thread {}({});", self.names.procedure(*procedure), self.exprs(args))
            }
            Op::End => "end_thread;".into(),
            Op::AtomicBegin => "atomic_begin;".into(),
            Op::AtomicEnd => "atomic_end;".into(),
            Op::Lock(lock) => format!("lock {};", self.names.lock(*lock)),
            Op::Unlock(lock) => format!("unlock {};", self.names.lock(*lock)),
        }
    }

    fn assign(
        &self,
        targets: &[(Var, ExprId)],
        broadcast: &[(LocalId, ExprId)],
        constrain: Option<ExprId>,
    ) -> String {
        if targets.is_empty() && broadcast.is_empty() {
            // Nothing changes, so that new values are old ones.
            return constrain.map_or("skip;".into(), |e| format!("assume({});", self.text(e, When::Now)));
        }
        let own = targets.iter().map(|&(var, _)| self.names.var(var));
        let passive = broadcast.iter().map(|&(local, _)| self.names.passive(local));
        let left: Vec<String> = own.chain(passive).collect();
        let values = targets.iter().map(|it| it.1).chain(broadcast.iter().map(|it| it.1));
        let right: Vec<ExprId> = values.collect();
        let constrain = constrain.map_or(String::new(), |e| format!(" constrain {}", self.expr(e)));
        format!("{} := {}{constrain};", left.join(", "), self.exprs(&right))
    }
}
