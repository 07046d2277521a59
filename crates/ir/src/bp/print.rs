//! The canonical text of a program: the same program always gives the same text, and the reader makes of it a
//! program that says the same. A program that the reader made comes back equal. What only passes make is put
//! in other words: a jump that the text does not show becomes a `goto`, and locals of inlined procedures
//! become locals of the thread.

mod exprs;
mod globals;
mod names;

use super::expr::{ExprId, Var, When};
use super::program::{Loc, LocalId, LocalScope, Op, ProcId, Program, Spawn};
use base::Id;
use names::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { names: Names::unique(program), ..Printer::loose(program) };
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

/// The statement at a location on one line, without its labels. Jumps name the labels of the source where
/// there are some.
pub fn statement(program: &Program, loc: Loc) -> String {
    let line = Printer::loose(program).statement(loc);
    line.trim_end_matches(';').to_string()
}

/// How a location stands in the text.
#[derive(Clone, Copy)]
struct Place {
    /// Nothing follows: what returns here need not say so.
    last: bool,
    /// Its condition is written with it.
    own_enforce: bool,
}

struct Printer<'p> {
    program: &'p Program,
    names: Names,
    /// The procedures whose locations make up the body that is written, with the number of locations before
    /// them.
    parts: Vec<(ProcId, usize)>,
    /// The labels of error locations in it.
    errors: BTreeMap<Loc, String>,
    out: String,
}

impl<'p> Printer<'p> {
    /// For single statements, which nobody reads back: names as they are.
    fn loose(program: &'p Program) -> Self {
        Self {
            program,
            names: Names::plain(program),
            parts: vec![],
            errors: BTreeMap::new(),
            out: String::new(),
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    // ---- outside procedures
    // ----------------------------------------------------------------------------------------

    /// Error locations get the label `SLIC_ERROR`; the second and later ones of a body need names of their
    /// own.
    fn error_labels(&mut self) {
        let most = self.program.procedures().ids().map(|id| self.errors_in(&self.parts_of(id)).len()).max();
        for count in 2..=most.unwrap_or(0) {
            self.line(&format!("error_label SLIC_ERROR_{count};"));
        }
    }

    fn errors_in(&self, parts: &[(ProcId, usize)]) -> BTreeMap<Loc, String> {
        let all = parts.iter().flat_map(|&(id, _)| self.program.locations_of(id));
        let errors = all.filter(|&loc| self.program.at(loc).error);
        let label = |count| if count == 1 { "SLIC_ERROR".into() } else { format!("SLIC_ERROR_{count}") };
        errors.zip((1..).map(label)).collect()
    }

    // ---- procedures
    // ------------------------------------------------------------------------------------------------

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
        self.parts = self.parts_of(id);
        self.errors = self.errors_in(&self.parts);
        let common = self.common_enforce(id).filter(|_| self.parts.len() == 1);
        if let Some(enforce) = common {
            let text = format!("  enforce {};", self.expr(enforce));
            self.line(&text);
        }
        let body: Vec<Loc> = self.parts.iter().flat_map(|&(id, _)| self.program.locations_of(id)).collect();
        let targets = self.targets(&body);
        for (left, &loc) in (0..body.len()).rev().zip(&body) {
            self.location(loc, &targets, Place { last: left == 0, own_enforce: common.is_none() });
        }
        self.line("end");
    }

    /// The procedure, and those that it starts threads inside of: inlining makes such, and no text can jump
    /// into another procedure, so that their locations are written once more behind its own.
    fn parts_of(&self, id: ProcId) -> Vec<(ProcId, usize)> {
        let mut parts = vec![(id, 0)];
        let (mut next, mut length) = (0, 0);
        while let Some(part) = parts.get_mut(next) {
            part.1 = length;
            let part = part.0;
            for loc in self.program.locations_of(part) {
                length += 1;
                if let Op::Start(Spawn::Clone(target)) = self.program.at(loc).op {
                    let procedure = self.program.at(target).procedure;
                    if parts.iter().all(|&(known, _)| known != procedure) {
                        parts.push((procedure, 0));
                    }
                }
            }
            next += 1;
        }
        parts
    }

    /// The condition of all locations, if they have the same.
    fn common_enforce(&self, id: ProcId) -> Option<ExprId> {
        let mut all = self.program.locations_of(id).map(|loc| self.program.at(loc).enforce);
        let first = all.next().flatten();
        first.filter(|_| all.all(|enforce| enforce == first))
    }

    /// The locations that need a label.
    fn targets(&self, body: &[Loc]) -> BTreeSet<Loc> {
        let mut targets = BTreeSet::new();
        for &loc in body {
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

    fn location(&mut self, loc: Loc, targets: &BTreeSet<Loc>, place: Place) {
        let location = self.program.at(loc);
        let mut text = String::new();
        if location.error || targets.contains(&loc) {
            let _ = write!(text, "{}: ", self.label(loc));
        }
        if let Some(enforce) = location.enforce.filter(|_| place.own_enforce) {
            let _ = write!(text, "enforce {}: ", self.expr(enforce));
        }
        if place.last && location.op == Op::Return(vec![]) {
            if !text.is_empty() {
                self.line(text.trim_end());
            }
            return;
        }
        // A thread that began inside another procedure has no activation below that one: to return is to end.
        let foreign = self.parts.first().is_some_and(|&(id, _)| id != location.procedure);
        let text = match location.op {
            Op::Return(_) if foreign => format!("  {text}end_thread;"),
            _ => format!("  {text}{}", self.statement(loc)),
        };
        self.line(&text);
        if let Some(next) = self.hidden_jump(loc) {
            let text = format!("  goto {};", self.label(next));
            self.line(&text);
        }
    }

    fn label(&self, loc: Loc) -> String {
        if let Some(label) = self.errors.get(&loc) {
            return label.clone();
        }
        let location = self.program.at(loc);
        let before = self.parts.iter().find(|part| part.0 == location.procedure).map_or(0, |part| part.1);
        match location.labels.first().filter(|_| !self.names.are_unique()) {
            Some(label) => label.clone(),
            None => {
                let entry = self.program.procedures()[location.procedure].entry;
                format!("L{}", before + loc.index() - entry.index())
            }
        }
    }

    // ---- statements
    // ------------------------------------------------------------------------------------------------

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
