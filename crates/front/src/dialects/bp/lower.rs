//! From statements to locations: one location for each statement, `if` and `while` become branches and gotos.

use super::ast::{Action, Bytes, Expr, List, Name, Statement, Symbol, Unit};
use super::names::Scopes;
use super::numbered;
use super::report::Report;
use base::Id;
use base::spelling::similar;
use ir::bp::{Builder, ExprId, Loc, Node, Op, ProcId, Spawn, Var};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Writes the bodies of the procedures.
pub struct Lower<'u, 's> {
    pub unit: &'u Unit<'s>,
    pub scopes: &'u Scopes,
    pub builder: &'u mut Builder,
    pub report: &'u mut Report,
    /// Labels at which it is an error to arrive.
    pub error_labels: &'u HashSet<&'u str>,
    /// Those of them that were found.
    pub found_labels: HashSet<Symbol>,
    /// How many targets statements have that assign everything.
    pub open_targets: usize,
}

/// A procedure while its body is written.
pub(super) struct ProcedureContext {
    /// Its position in the file.
    pub index: usize,
    pub id: ProcId,
    labels: HashMap<Symbol, Loc>,
    /// Error labels that several statements have.
    shared_labels: HashSet<Symbol>,
    /// Labels that wait for the next location.
    waiting: Vec<Name>,
    enforce_here: Option<ExprId>,
    enforce: Option<ExprId>,
    /// Locations whose targets are names still.
    jumps: Vec<(Loc, List)>,
    starts: Vec<(Loc, Name)>,
    blocks: Vec<OpenBranch>,
    /// All variables in scope, once they are asked for.
    pub everything: OnceCell<Vec<Var>>,
}

/// An open `if` or `while`.
struct OpenBranch {
    /// Where the condition is tested.
    head: Loc,
    /// The test whose target comes next.
    test: Option<Loc>,
    /// Gotos to the end of the block.
    exits: Vec<Loc>,
}

/// A target that is not known yet.
const SOMEWHERE: usize = 0;

impl Lower<'_, '_> {
    /// Writes all procedures.
    pub fn all(&mut self) {
        for index in 0..self.unit.procedures.len() {
            self.procedure(index);
        }
    }

    fn procedure(&mut self, index: usize) {
        let procedure = &self.unit.procedures[index];
        let id = ProcId::from_index(index);
        let mut context = ProcedureContext {
            index,
            id,
            labels: HashMap::new(),
            shared_labels: HashSet::new(),
            waiting: vec![],
            enforce_here: None,
            enforce: None,
            jumps: vec![],
            starts: vec![],
            blocks: vec![],
            everything: OnceCell::new(),
        };
        self.builder.begin(id);
        let entry = self.builder.here();
        let order = numbered::order(self.unit, procedure, self.report);
        let mut at = 0;
        while let Some(&statement) = order.get(at) {
            at += self.statement(&mut context, statement);
        }
        let span = Some(self.report.span(procedure.end));
        let end = self.builder.end(id, span);
        self.arrive(&mut context, end);
        for (loc, targets) in std::mem::take(&mut context.jumps) {
            self.resolve_jump(&context, loc, targets, end);
        }
        for (loc, target) in std::mem::take(&mut context.starts) {
            let target = self.label(&context, target, true).unwrap_or(end);
            self.builder.at(loc).op = Op::Start(Spawn::Clone(target));
        }
        if let Some(enforce) = context.enforce {
            for loc in entry.index()..=end.index() {
                self.builder.at(Loc::from_index(loc)).enforce = Some(enforce);
            }
        }
    }

    // ---- locations
    // -------------------------------------------------------------------------------------------------

    /// Adds a location for a statement.
    pub(super) fn push(&mut self, context: &mut ProcedureContext, op: Op, bytes: Bytes) -> Loc {
        let span = Some(self.report.span(bytes));
        let loc = self.builder.push(context.id, op, span);
        self.arrive(context, loc);
        loc
    }

    /// Gives a location the labels that wait for one.
    fn arrive(&mut self, context: &mut ProcedureContext, loc: Loc) {
        self.builder.at(loc).enforce = context.enforce_here.take();
        for name in std::mem::take(&mut context.waiting) {
            let text = self.unit.symbols.text(name.symbol);
            match context.labels.insert(name.symbol, loc) {
                None => self.builder.at(loc).labels.push(text.to_string()),
                Some(other) if other == loc => {}
                // Whichever of them is reached is the error: that needs no name of its own, unless a jump
                // asks for it.
                Some(_) if self.error_labels.contains(text) => {
                    context.shared_labels.insert(name.symbol);
                    self.builder.at(loc).labels.push(text.to_string());
                }
                Some(_) => self.report.error("E0205", name.bytes, || {
                    let help = "rename one of them and the jumps to it".to_string();
                    (format!("two statements are labelled `{text}`"), Some(help))
                }),
            }
            if self.error_labels.contains(text) {
                self.found_labels.insert(name.symbol);
                self.builder.at(loc).error = true;
            }
        }
    }

    fn label(&mut self, context: &ProcedureContext, name: Name, starts: bool) -> Option<Loc> {
        let found = context.labels.get(&name.symbol).copied();
        if context.shared_labels.contains(&name.symbol) {
            let text = self.unit.symbols.text(name.symbol);
            self.report.error("E0205", name.bytes, || {
                let help = "give the one that is meant a second label and jump there".to_string();
                (format!("several statements are labelled `{text}`"), Some(help))
            });
        }
        if found.is_none() {
            let (symbols, scopes) = (&self.unit.symbols, self.scopes);
            let text = symbols.text(name.symbol);
            self.report.error("E0202", name.bytes, || {
                let numbered = text.starts_with(|c: char| c.is_ascii_digit());
                let labels = context.labels.keys().map(|&symbol| symbols.text(symbol));
                let help = if starts && scopes.procedures.contains_key(&name.symbol) {
                    Some(format!("to start a thread in the procedure write `{text}()`"))
                } else if numbered {
                    None
                } else {
                    similar(text, labels)
                };
                (format!("there is no label `{text}` in this procedure"), help)
            });
        }
        found
    }

    fn resolve_jump(&mut self, context: &ProcedureContext, loc: Loc, targets: List, end: Loc) {
        let names = &self.unit.names[targets.range()];
        let found: Vec<Loc> =
            names.iter().map(|&name| self.label(context, name, false).unwrap_or(end)).collect();
        let first = found[0];
        match &mut self.builder.at(loc).op {
            Op::Branch { target, .. } => *target = first,
            op => *op = Op::Goto(found),
        }
    }

    fn aim(&mut self, loc: Loc, at: Loc) {
        match &mut self.builder.at(loc).op {
            Op::Branch { target, .. } => *target = at,
            op => *op = Op::Goto(vec![at]),
        }
    }

    // ---- statements
    // ------------------------------------------------------------------------------------------------

    /// Writes the statement at a position; returns how many statements it took.
    fn statement(&mut self, context: &mut ProcedureContext, at: usize) -> usize {
        let statement = self.unit.statements[at];
        context.waiting.extend_from_slice(&self.unit.names[statement.labels.range()]);
        if let Some(enforce) = statement.enforce {
            context.enforce_here = Some(self.expr(context, enforce));
        }
        match statement.action {
            Action::Nothing => {}
            Action::Enforce(e) => self.enforce(context, e),
            Action::Goto(targets) => {
                let loc = self.push(context, Op::Goto(vec![]), statement.bytes);
                context.jumps.push((loc, targets));
            }
            Action::StartAt(target) => {
                let loc = self.push(context, Op::Skip, statement.bytes);
                context.starts.push((loc, target));
            }
            Action::If(cond) => return self.open_if(context, at, cond, statement.bytes),
            Action::Elsif(_) | Action::Else => self.alternative(context, statement),
            Action::While(cond) => {
                let test = self.test(context, cond, statement.bytes);
                context.blocks.push(OpenBranch { head: test, test: Some(test), exits: vec![] });
            }
            Action::Fi | Action::Od => self.close(context, statement),
            _ => {
                let op = self.op(context, &statement);
                self.push(context, op, statement.bytes);
            }
        }
        1
    }

    /// `enforce e`; several hold together. `enforce 1` says nothing.
    fn enforce(&mut self, context: &mut ProcedureContext, e: Expr) {
        let e = self.expr(context, e);
        if self.builder.exprs().node(e) == Node::Const(true) {
            return;
        }
        context.enforce = Some(match context.enforce {
            Some(other) => self.builder.exprs().and(other, e),
            None => e,
        });
    }

    /// `if e then goto L; fi` is one location; any other `if` begins with a test of the negated condition.
    fn open_if(&mut self, context: &mut ProcedureContext, at: usize, cond: Expr, bytes: Bytes) -> usize {
        let body = self.unit.procedures[context.index].body.range();
        if let [jump, close, ..] = self.unit.statements[at + 1..body.end] {
            let bare = jump.labels.range().is_empty() && jump.enforce.is_none();
            if let (Action::Goto(targets), Action::Fi, true) = (jump.action, close.action, bare)
                && targets.range().len() == 1
            {
                let op = Op::Branch { cond: self.expr(context, cond), target: Loc::from_index(SOMEWHERE) };
                let loc = self.push(context, op, (bytes.0, close.bytes.1));
                context.jumps.push((loc, targets));
                return 3;
            }
        }
        let test = self.test(context, cond, bytes);
        context.blocks.push(OpenBranch { head: test, test: Some(test), exits: vec![] });
        1
    }

    /// Jumps, to where is said later, if the condition may be false.
    fn test(&mut self, context: &mut ProcedureContext, cond: Expr, bytes: Bytes) -> Loc {
        let cond = self.expr(context, cond);
        let exprs = self.builder.exprs();
        let cond = match exprs.node(cond) {
            Node::Choice => cond,
            Node::Not(inner) => inner,
            _ => exprs.not(cond),
        };
        self.push(context, Op::Branch { cond, target: Loc::from_index(SOMEWHERE) }, bytes)
    }

    /// `elsif e then` or `else`
    fn alternative(&mut self, context: &mut ProcedureContext, statement: Statement) {
        let exit = self.push(context, Op::Goto(vec![]), statement.bytes);
        let here = self.builder.here();
        let mut block = context.blocks.pop().expect("the parser matches blocks");
        block.exits.push(exit);
        if let Some(test) = block.test.take() {
            self.aim(test, here);
        }
        if let Action::Elsif(cond) = statement.action {
            block.test = Some(self.test(context, cond, statement.bytes));
        }
        context.blocks.push(block);
    }

    /// `fi` or `od`
    fn close(&mut self, context: &mut ProcedureContext, statement: Statement) {
        let block = context.blocks.pop().expect("the parser matches blocks");
        if matches!(statement.action, Action::Od) {
            self.push(context, Op::Goto(vec![block.head]), statement.bytes);
        }
        let here = self.builder.here();
        for loc in block.test.into_iter().chain(block.exits) {
            self.aim(loc, here);
        }
    }
}
