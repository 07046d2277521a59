//! From statements to locations: one location for each statement, `if` and `while` become branches and gotos.

use super::ast::{Action, Bytes, Expr, List, Name, Statement, Symbol, Unit};
use super::names::{Scopes, similar};
use super::numbered;
use super::report::Report;
use base::Id;
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
    /// Labels that wait for the next location.
    waiting: Vec<Name>,
    enforce_here: Option<ExprId>,
    enforce: Option<ExprId>,
    /// Locations whose targets are names still.
    jumps: Vec<(Loc, List)>,
    starts: Vec<(Loc, Name)>,
    blocks: Vec<Block>,
    /// All variables in scope, once they are asked for.
    pub everything: OnceCell<Vec<Var>>,
}

/// An open `if` or `while`.
struct Block {
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
        let mut body = ProcedureContext {
            index,
            id,
            labels: HashMap::new(),
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
            at += self.statement(&mut body, statement);
        }
        let span = Some(self.report.span(procedure.end));
        let end = self.builder.end(id, span);
        self.arrive(&mut body, end);
        for (loc, targets) in std::mem::take(&mut body.jumps) {
            self.resolve_jump(&body, loc, targets, end);
        }
        for (loc, target) in std::mem::take(&mut body.starts) {
            let target = self.label(&body, target, true).unwrap_or(end);
            self.builder.at(loc).op = Op::Start(Spawn::Clone(target));
        }
        if let Some(enforce) = body.enforce {
            for loc in entry.index()..=end.index() {
                self.builder.at(Loc::from_index(loc)).enforce = Some(enforce);
            }
        }
    }

    // ---- locations -------------------------------------------------------------------------------------------------

    /// Adds a location for a statement.
    pub(super) fn push(&mut self, body: &mut ProcedureContext, op: Op, bytes: Bytes) -> Loc {
        let span = Some(self.report.span(bytes));
        let loc = self.builder.push(body.id, op, span);
        self.arrive(body, loc);
        loc
    }

    /// Gives a location the labels that wait for one.
    fn arrive(&mut self, body: &mut ProcedureContext, loc: Loc) {
        self.builder.at(loc).enforce = body.enforce_here.take();
        for name in std::mem::take(&mut body.waiting) {
            let text = self.unit.symbols.text(name.symbol);
            match body.labels.insert(name.symbol, loc) {
                None => self.builder.at(loc).labels.push(text.to_string()),
                Some(other) if other == loc => {}
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

    fn label(&mut self, body: &ProcedureContext, name: Name, starts: bool) -> Option<Loc> {
        let found = body.labels.get(&name.symbol).copied();
        if found.is_none() {
            let (symbols, scopes) = (&self.unit.symbols, self.scopes);
            let text = symbols.text(name.symbol);
            self.report.error("E0202", name.bytes, || {
                let numbered = text.starts_with(|c: char| c.is_ascii_digit());
                let labels = body.labels.keys().map(|&symbol| symbols.text(symbol));
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

    fn resolve_jump(&mut self, body: &ProcedureContext, loc: Loc, targets: List, end: Loc) {
        let names = &self.unit.names[targets.range()];
        let found: Vec<Loc> =
            names.iter().map(|&name| self.label(body, name, false).unwrap_or(end)).collect();
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

    // ---- statements ------------------------------------------------------------------------------------------------

    /// Writes the statement at a position; returns how many statements it took.
    fn statement(&mut self, body: &mut ProcedureContext, at: usize) -> usize {
        let statement = self.unit.statements[at];
        body.waiting.extend_from_slice(&self.unit.names[statement.labels.range()]);
        if let Some(enforce) = statement.enforce {
            body.enforce_here = Some(self.expr(body, enforce));
        }
        match statement.action {
            Action::Nothing => {}
            Action::Enforce(e) => self.enforce(body, e),
            Action::Goto(targets) => {
                let loc = self.push(body, Op::Goto(vec![]), statement.bytes);
                body.jumps.push((loc, targets));
            }
            Action::StartAt(target) => {
                let loc = self.push(body, Op::Skip, statement.bytes);
                body.starts.push((loc, target));
            }
            Action::If(cond) => return self.open_if(body, at, cond, statement.bytes),
            Action::Elsif(_) | Action::Else => self.alternative(body, statement),
            Action::While(cond) => {
                let test = self.test(body, cond, statement.bytes);
                body.blocks.push(Block { head: test, test: Some(test), exits: vec![] });
            }
            Action::Fi | Action::Od => self.close(body, statement),
            _ => {
                let op = self.op(body, &statement);
                self.push(body, op, statement.bytes);
            }
        }
        1
    }

    /// `enforce e`; several hold together. `enforce 1` says nothing.
    fn enforce(&mut self, body: &mut ProcedureContext, e: Expr) {
        let e = self.expr(body, e);
        if self.builder.exprs().node(e) == Node::Const(true) {
            return;
        }
        body.enforce = Some(match body.enforce {
            Some(other) => self.builder.exprs().and(other, e),
            None => e,
        });
    }

    /// `if e then goto L; fi` is one location; any other `if` begins with a test of the negated condition.
    fn open_if(&mut self, body: &mut ProcedureContext, at: usize, cond: Expr, bytes: Bytes) -> usize {
        let body = self.unit.procedures[body.index].body.range();
        if let [jump, close, ..] = self.unit.statements[at + 1..body.end] {
            let bare = jump.labels.range().is_empty() && jump.enforce.is_none();
            if let (Action::Goto(targets), Action::Fi, true) = (jump.action, close.action, bare)
                && targets.range().len() == 1
            {
                let op = Op::Branch { cond: self.expr(body, cond), target: Loc::from_index(SOMEWHERE) };
                let loc = self.push(body, op, (bytes.0, close.bytes.1));
                body.jumps.push((loc, targets));
                return 3;
            }
        }
        let test = self.test(body, cond, bytes);
        body.blocks.push(Block { head: test, test: Some(test), exits: vec![] });
        1
    }

    /// Jumps, to where is said later, if the condition may be false.
    fn test(&mut self, body: &mut ProcedureContext, cond: Expr, bytes: Bytes) -> Loc {
        let cond = self.expr(body, cond);
        let exprs = self.builder.exprs();
        let cond = match exprs.node(cond) {
            Node::Choice => cond,
            Node::Not(inner) => inner,
            _ => exprs.not(cond),
        };
        self.push(body, Op::Branch { cond, target: Loc::from_index(SOMEWHERE) }, bytes)
    }

    /// `elsif e then` or `else`
    fn alternative(&mut self, body: &mut ProcedureContext, statement: Statement) {
        let exit = self.push(body, Op::Goto(vec![]), statement.bytes);
        let here = self.builder.here();
        let mut block = body.blocks.pop().expect("the parser matches blocks");
        block.exits.push(exit);
        if let Some(test) = block.test.take() {
            self.aim(test, here);
        }
        if let Action::Elsif(cond) = statement.action {
            block.test = Some(self.test(body, cond, statement.bytes));
        }
        body.blocks.push(block);
    }

    /// `fi` or `od`
    fn close(&mut self, body: &mut ProcedureContext, statement: Statement) {
        let block = body.blocks.pop().expect("the parser matches blocks");
        if matches!(statement.action, Action::Od) {
            self.push(body, Op::Goto(vec![block.head]), statement.bytes);
        }
        let here = self.builder.here();
        for loc in block.test.into_iter().chain(block.exits) {
            self.aim(loc, here);
        }
    }
}
