//! The statements that are one location each, and the expressions in them: names get their meaning here.

use super::ast::{Action, Bytes, Expr, Item, List, Name, Reading, Statement};
use super::lower::{Lower, ProcedureContext};
use super::names::Meaning;
use ir::bp::{ExprId, LocalId, LockId, Node, Op, ProcId, Read, Spawn, Var, When, Whose};

/// A standalone `constrain` assigns all variables; files for which that would fill the memory are refused.
const MOST_TARGETS: usize = 1 << 26;

impl Lower<'_, '_> {
    /// The operation of a simple statement; a `skip` in place of one that is wrong.
    pub(super) fn op(&mut self, context: &ProcedureContext, statement: &Statement) -> Op {
        match statement.action {
            Action::Assign { targets, values, constrain } => self.assign(context, targets, values, constrain),
            Action::Constrain(e) => self.constrain(context, e),
            Action::Assume(e) => Op::Assume(self.expr(context, e)),
            Action::Assert(e) => Op::Assert(self.expr(context, e)),
            Action::AbortIf(e) => {
                let e = self.expr(context, e);
                Op::Assume(self.builder.exprs().not(e))
            }
            Action::Dead(names) => self.dead(context, names),
            Action::Call { .. } => self.call(context, statement).unwrap_or(Op::Skip),
            Action::StartCall { procedure, values } => {
                let args = self.exprs(context, values);
                self.procedure_named(procedure).map_or(Op::Skip, |id| Op::Start(Spawn::Call(id, args)))
            }
            Action::Return(values) => Op::Return(self.exprs(context, values)),
            Action::EndThread => Op::End,
            Action::AtomicBegin => Op::AtomicBegin,
            Action::AtomicEnd => Op::AtomicEnd,
            Action::Lock(name) => self.lock(context, name).map_or(Op::Skip, Op::Lock),
            Action::Unlock(name) => self.lock(context, name).map_or(Op::Skip, Op::Unlock),
            _ => Op::Skip,
        }
    }

    fn wrong(&mut self, code: &'static str, bytes: Bytes, what: &str, help: &str) {
        self.report.error(code, bytes, || (what.to_string(), Some(help.to_string())));
    }

    // ---- assignments
    // -----------------------------------------------------------------------------------------------

    fn assign(
        &mut self,
        context: &ProcedureContext,
        targets: List,
        values: List,
        constrain: Option<Expr>,
    ) -> Op {
        let (mut own, mut broadcast) = (vec![], vec![]);
        for (target, value) in targets.range().zip(values.range()) {
            let value = self.expr(context, self.unit.exprs[value]);
            match self.target(context, self.unit.targets[target]) {
                Some((var, Whose::Own)) => own.push((var, value)),
                Some((Var::Local(local), Whose::Passive)) => broadcast.push((local, value)),
                _ => {}
            }
        }
        let constrain = constrain.map(|e| self.expr(context, e));
        Op::Assign { targets: own, broadcast, constrain }
    }

    fn target(&mut self, context: &ProcedureContext, target: Reading) -> Option<(Var, Whose)> {
        if target.ticked {
            self.wrong("E0114", target.name.bytes, "a new value cannot be assigned", "drop the tick");
            return None;
        }
        if self.unit.symbols.text(target.name.symbol) == "_" {
            self.wrong("E0114", target.name.bytes, "`_` only drops a result of a call", "name a variable");
            return None;
        }
        self.resolve(context, target).map(|read| (read.var, read.whose))
    }

    /// `constrain(e)` on its own: the relation says all, so every variable is left open.
    fn constrain(&mut self, context: &ProcedureContext, e: Expr) -> Op {
        let bytes = e.bytes;
        let e = self.expr(context, e);
        let any = self.builder.exprs().choice();
        let variables = context.everything.get_or_init(|| self.everything(context));
        self.open_targets += variables.len();
        if variables.is_empty() || self.open_targets > MOST_TARGETS {
            if !variables.is_empty() {
                let help = "write assignments with `constrain` that name what they change";
                self.wrong("E0119", bytes, "too many variables are assigned by `constrain` alone", help);
            }
            return Op::Assume(e);
        }
        let targets = variables.iter().map(|&var| (var, any)).collect();
        Op::Assign { targets, broadcast: vec![], constrain: Some(e) }
    }

    /// All variables in scope, locks left out.
    fn everything(&self, context: &ProcedureContext) -> Vec<Var> {
        let global = |meaning: &Meaning| match *meaning {
            Meaning::Shared(shared) => Some(Var::Shared(shared)),
            Meaning::ThreadLocal(local) => Some(Var::Local(local)),
            Meaning::Lock(_) => None,
        };
        let locals = self.scopes.locals[context.index].values().map(|&local| Var::Local(local));
        let mut all: Vec<Var> = self.scopes.globals.values().filter_map(global).chain(locals).collect();
        all.sort();
        all
    }

    fn dead(&mut self, context: &ProcedureContext, names: List) -> Op {
        let any = self.builder.exprs().choice();
        let found = self.unit.names[names.range()].iter().filter_map(|&name| {
            let read = self.resolve(context, Reading { name, ticked: false, bracketed: false })?;
            if read.whose == Whose::Passive {
                self.wrong("E0114", name.bytes, "only own variables can be dead", "drop the `$`");
                return None;
            }
            Some((read.var, any))
        });
        let targets: Vec<_> = found.collect();
        Op::Assign { targets, broadcast: vec![], constrain: None }
    }

    // ---- procedures and locks
    // --------------------------------------------------------------------------------------

    /// A call, or a new thread if a label of the statement begins with `ASYNC_`.
    fn call(&mut self, context: &ProcedureContext, statement: &Statement) -> Option<Op> {
        let Action::Call { procedure, targets, values } = statement.action else { return None };
        let args = self.exprs(context, values);
        let results: Vec<Option<Var>> =
            self.unit.targets[targets.range()].iter().map(|&target| self.result(context, target)).collect();
        let procedure = self.procedure_named(procedure)?;
        let labels = &self.unit.names[statement.labels.range()];
        if !labels.iter().any(|label| self.unit.symbols.text(label.symbol).starts_with("ASYNC_")) {
            return Some(Op::Call { procedure, args, results });
        }
        if !results.is_empty() {
            let help = "drop the left side, or the label that begins with `ASYNC_`";
            self.wrong("E0116", statement.bytes, "a new thread gives no results", help);
        }
        Some(Op::Start(Spawn::Call(procedure, args)))
    }

    fn result(&mut self, context: &ProcedureContext, target: Reading) -> Option<Var> {
        if self.unit.symbols.text(target.name.symbol) == "_" {
            return None;
        }
        let (var, whose) = self.target(context, target)?;
        if whose == Whose::Passive {
            let help = "take the result in a variable first";
            self.wrong("E0114", target.name.bytes, "a passive copy cannot take a result", help);
        }
        (whose == Whose::Own).then_some(var)
    }

    fn procedure_named(&mut self, name: Name) -> Option<ProcId> {
        let found = self.scopes.procedures.get(&name.symbol).copied();
        if found.is_none() {
            let (symbols, scopes) = (&self.unit.symbols, self.scopes);
            let text = symbols.text(name.symbol);
            self.report.error("E0203", name.bytes, || {
                let help = match text {
                    "lock" | "unlock" => {
                        Some(format!("a lock is taken and given back without parentheses: `{text} m;`"))
                    }
                    _ => scopes.similar_procedure(symbols, text),
                };
                (format!("there is no procedure `{text}`"), help)
            });
        }
        found
    }

    fn lock(&mut self, context: &ProcedureContext, name: Name) -> Option<LockId> {
        match self.scopes.globals.get(&name.symbol) {
            Some(&Meaning::Lock(lock)) => Some(lock),
            _ => {
                self.undeclared(context, name, "lock");
                None
            }
        }
    }

    // ---- expressions
    // -----------------------------------------------------------------------------------------------

    fn exprs(&mut self, context: &ProcedureContext, list: List) -> Vec<ExprId> {
        self.unit.exprs[list.range()].iter().map(|&e| self.expr(context, e)).collect()
    }

    /// Builds an expression from its postfix form.
    pub(super) fn expr(&mut self, context: &ProcedureContext, e: Expr) -> ExprId {
        let mut done: Vec<ExprId> = vec![];
        for &item in &self.unit.items[e.items.range()] {
            let node = self.node(context, item, &mut done);
            done.push(self.builder.exprs().add(node));
        }
        done.pop().expect("an expression is not empty")
    }

    fn node(&mut self, context: &ProcedureContext, item: Item, done: &mut Vec<ExprId>) -> Node {
        let mut pop = || done.pop().expect("operands come before their operator");
        match item {
            Item::Const(value) => Node::Const(value),
            Item::Choice => Node::Choice,
            Item::Read(reading) => self.resolve(context, reading).map_or(Node::Const(false), Node::Read),
            Item::Not => Node::Not(pop()),
            Item::Ite => {
                let (c, b, a) = (pop(), pop(), pop());
                Node::Ite(a, b, c)
            }
            _ => {
                let (b, a) = (pop(), pop());
                match item {
                    Item::And => Node::And(a, b),
                    Item::Or => Node::Or(a, b),
                    Item::Xor => Node::Xor(a, b),
                    Item::Equal => Node::Equal(a, b),
                    Item::Implies => Node::Implies(a, b),
                    _ => Node::Choose(a, b),
                }
            }
        }
    }

    /// Who is meant: a local before a global, and `x$` is a passive copy if no variable has that very name.
    fn resolve(&mut self, context: &ProcedureContext, reading: Reading) -> Option<Read> {
        let when = if reading.ticked { When::Next } else { When::Now };
        let passive = |local: LocalId| Read { var: Var::Local(local), whose: Whose::Passive, when };
        let (name, symbols) = (reading.name, &self.unit.symbols);
        if reading.bracketed {
            return self.passive(context, name, symbols.text(name.symbol)).map(passive);
        }
        let own = |var| Some(Read { var, whose: Whose::Own, when });
        if let Some(&local) = self.scopes.locals[context.index].get(&name.symbol) {
            return own(Var::Local(local));
        }
        match self.scopes.globals.get(&name.symbol) {
            Some(&Meaning::Shared(shared)) => own(Var::Shared(shared)),
            Some(&Meaning::ThreadLocal(local)) => own(Var::Local(local)),
            Some(&Meaning::Lock(_)) => {
                let help = "only `lock` and `unlock` may name it; use another variable for data";
                self.wrong("E0208", name.bytes, "a lock cannot be read or assigned", help);
                None
            }
            None => match symbols.text(name.symbol).strip_suffix('$') {
                Some(stem) if symbols.get(stem).is_some() => self.passive(context, name, stem).map(passive),
                _ => {
                    self.undeclared(context, name, "variable");
                    None
                }
            },
        }
    }

    /// The local whose passive copy is meant.
    fn passive(&mut self, context: &ProcedureContext, name: Name, stem: &str) -> Option<LocalId> {
        let symbol = self.unit.symbols.get(stem)?;
        match self.scopes.passive(context.index, symbol) {
            Ok(Some(local)) => return Some(local),
            Err(()) => {
                let what = format!("several procedures have a local `{stem}`");
                self.wrong("E0212", name.bytes, &what, "rename all but the one that is meant");
            }
            Ok(None) if self.scopes.globals.contains_key(&symbol) => {
                let what = format!("`{stem}` is shared: there is no passive copy of it");
                self.wrong("E0210", name.bytes, &what, "drop the `$` or the brackets");
            }
            Ok(None) => self.undeclared(context, name, "local variable"),
        }
        None
    }

    fn undeclared(&mut self, context: &ProcedureContext, name: Name, what: &str) {
        let (symbols, scopes) = (&self.unit.symbols, self.scopes);
        let text = symbols.text(name.symbol);
        let code = if what == "lock" { "E0209" } else { "E0201" };
        self.report.error(code, name.bytes, || {
            let help = match text.to_ascii_lowercase().as_str() {
                "true" => Some("the constants are written `T` and `F`, or 1 and 0: use `T`".to_string()),
                "false" => Some("the constants are written `T` and `F`, or 1 and 0: use `F`".to_string()),
                _ => scopes.similar_variable(symbols, context.index, text),
            };
            (format!("the {what} `{text}` is not declared"), help.or(Some("declare it with `decl`".into())))
        });
    }
}
