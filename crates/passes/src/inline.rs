//! Inlines procedures that do not call themselves, directly or through others; calls of the others stay. Such
//! a procedure is active at most once in a thread, so its locals need no copies: only its code is copied,
//! once for each string of calls that leads to it. A call becomes an assignment of the callee's locals, a
//! return one of the results; both are one step, as before, so that interleavings, `enforce` and assertions
//! stay what they are.

use crate::origin::Passed;
use crate::rebuild::{Place, Rebuild, Targets, locals_of};
use base::{Budget, Id, Stop};
use ir::bp::{ExprId, Loc, LocalId, LocalScope, Op, ProcId, Program, Var};
use std::collections::HashMap;

/// The program in which only procedures that may call themselves are called; nothing, if it has more than
/// `most` locations.
pub fn inline(program: &Program, most: usize, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let recursive = recursive(program, budget)?;
    let mut layout = Layout { program, recursive, roots: vec![], size: 0, most };
    let roots = program.roots();
    for procedure in program.procedures().ids() {
        budget.spend(1)?;
        // What is called still needs its code.
        let used = roots.contains(&procedure) || layout.recursive[procedure.index()];
        if layout.add(procedure, used).is_err() {
            return Ok(None);
        }
    }
    budget.spend(layout.size as u64)?;
    let mut new = Rebuild::new(program, |_| true);
    for root in &layout.roots {
        Copier { program, layout: &layout, root, new: &mut new }.copy();
    }
    Ok(Some(new.finish()))
}

/// For each procedure whether it may call itself, directly or through others.
fn recursive(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let called = |procedure: ProcId| {
        let mut called: Vec<ProcId> = program
            .locations_of(procedure)
            .filter_map(|loc| match program.at(loc).op {
                Op::Call { procedure, .. } => Some(procedure),
                _ => None,
            })
            .collect();
        called.sort();
        called.dedup();
        called
    };
    let calls: Vec<Vec<ProcId>> = program.procedures().ids().map(called).collect();
    let mut found = vec![];
    for start in program.procedures().ids() {
        let mut seen = vec![false; calls.len()];
        let mut work = calls[start.index()].clone();
        while let Some(callee) = work.pop() {
            budget.spend(1)?;
            if !std::mem::replace(&mut seen[callee.index()], true) {
                work.extend(&calls[callee.index()]);
            }
        }
        found.push(seen[start.index()]);
    }
    Ok(found)
}

/// There would be too many locations.
struct TooLarge;

/// One copy of a procedure's code.
struct Context {
    procedure: ProcId,
    /// The calls that lead here, the outermost first.
    calls: Vec<Loc>,
    /// The procedures called by them.
    active: Vec<ProcId>,
    /// The context of the last call.
    caller: usize,
    /// The number of its first location.
    first: usize,
}

/// A procedure that threads begin in or that is still called, with all that is inlined into it. Its own end
/// comes last.
struct Root {
    procedure: ProcId,
    /// The first is the procedure itself.
    contexts: Vec<Context>,
    /// Which context a call leads to.
    callee: HashMap<(usize, Loc), usize>,
    /// The locals of the procedures inlined.
    inlined: Vec<LocalId>,
    /// Whether its code is needed; if not, only an end is kept to mark the place.
    used: bool,
    end: Loc,
}

struct Layout<'p> {
    program: &'p Program,
    /// For each procedure whether it may call itself.
    recursive: Vec<bool>,
    /// One for each procedure, in order.
    roots: Vec<Root>,
    size: usize,
    most: usize,
}

impl Layout<'_> {
    fn add(&mut self, procedure: ProcId, used: bool) -> Result<(), TooLarge> {
        let first = Context { procedure, calls: vec![], active: vec![], caller: 0, first: self.size };
        let (contexts, callee, end) = (vec![first], HashMap::new(), Loc::from_index(0));
        let mut root = Root { procedure, contexts, callee, inlined: vec![], used, end };
        // The end of the root is counted last.
        self.grow(if used { self.program.locations_of(procedure).len() - 1 } else { 0 })?;
        let mut index = 0;
        while used && index < root.contexts.len() {
            self.expand(&mut root, index)?;
            index += 1;
        }
        root.inlined =
            root.contexts[1..].iter().flat_map(|it| locals_of(self.program, it.procedure)).collect();
        root.inlined.sort();
        root.inlined.dedup();
        root.end = Loc::from_index(self.size);
        self.roots.push(root);
        self.grow(1)
    }

    fn grow(&mut self, locations: usize) -> Result<(), TooLarge> {
        self.size += locations;
        if self.size > self.most { Err(TooLarge) } else { Ok(()) }
    }

    /// Adds a context for each call in the context at `index` that is inlined. That ends: what is inlined
    /// does not call itself.
    fn expand(&mut self, root: &mut Root, index: usize) -> Result<(), TooLarge> {
        for loc in self.program.locations_of(root.contexts[index].procedure) {
            let Op::Call { procedure, .. } = self.program.at(loc).op else { continue };
            if self.recursive[procedure.index()] {
                continue;
            }
            let caller = &root.contexts[index];
            let calls = [&caller.calls[..], &[loc]].concat();
            let active = [&caller.active[..], &[procedure]].concat();
            root.callee.insert((index, loc), root.contexts.len());
            root.contexts.push(Context { procedure, calls, active, caller: index, first: self.size });
            self.grow(self.program.locations_of(procedure).len())?;
        }
        Ok(())
    }

    fn number(&self, root: &Root, context: usize, loc: Loc) -> Loc {
        let Context { procedure, first, .. } = root.contexts[context];
        let procedure = &self.program.procedures()[procedure];
        if context == 0 && loc == procedure.end {
            return root.end;
        }
        Loc::from_index(first + loc.index() - procedure.entry.index())
    }
}

/// Copies a root and what is inlined into it.
struct Copier<'c, 'p> {
    program: &'p Program,
    layout: &'c Layout<'p>,
    root: &'c Root,
    new: &'c mut Rebuild<'p>,
}

impl Copier<'_, '_> {
    fn copy(&mut self) {
        self.new.begin(self.root.procedure);
        let end = self.program.procedures()[self.root.procedure].end;
        for context in 0..self.root.contexts.len() {
            for loc in self.program.locations_of(self.root.contexts[context].procedure) {
                if self.root.used && (context, loc) != (0, end) {
                    let place = self.place(context, loc);
                    self.new.push(place);
                }
            }
        }
        let place = self.place(0, end);
        self.new.end(place);
    }

    fn place<'s>(&mut self, context: usize, loc: Loc) -> Place<'s>
    where
        Self: 's,
    {
        let it = &self.root.contexts[context];
        let source = self.program.at(loc);
        let (op, next) = self.statement(context, loc);
        let active = it.active.clone();
        let control = [&it.calls[..], &[loc]].concat();
        let dead = self.dead(it, loc);
        Place { procedure: self.root.procedure, active, op, next, dead, control, source }
    }

    /// The statement without the calls that are inlined, and where control goes on.
    fn statement(&mut self, context: usize, loc: Loc) -> (Op, Loc) {
        let (layout, root) = (self.layout, self.root);
        let source = self.program.at(loc);
        let jump = |target| layout.number(root, context, target);
        match &source.op {
            Op::Call { procedure, args, .. } if !layout.recursive[procedure.index()] => {
                let callee = root.callee[&(context, loc)];
                let entry = layout.number(root, callee, self.program.procedures()[*procedure].entry);
                (self.call(*procedure, args), entry)
            }
            Op::Return(values) if context > 0 => {
                let it = &root.contexts[context];
                let call = *it.calls.last().expect("an inlined context was called");
                let next = layout.number(root, it.caller, self.program.at(call).next);
                (self.give_back(call, values), next)
            }
            op => {
                let current = root.contexts[context].procedure;
                // A clone's stack is the current activation alone.
                let clone = |target| layout.number(&layout.roots[current.index()], 0, target);
                (self.new.op(op, &Targets { jump: &jump, clone: &clone }), jump(source.next))
            }
        }
    }

    fn call(&mut self, procedure: ProcId, args: &[ExprId]) -> Op {
        let params = &self.program.procedures()[procedure].params;
        let mut targets = vec![];
        for local in locals_of(self.program, procedure) {
            let value = match params.iter().position(|&param| param == local) {
                Some(index) => self.new.expr(args[index]),
                None => self.new.init(self.program.locals()[local].init),
            };
            targets.extend(self.new.var(Var::Local(local)).map(|var| (var, value)));
        }
        self.new.assign(targets)
    }

    fn give_back(&mut self, call: Loc, values: &[ExprId]) -> Op {
        let Op::Call { results, .. } = &self.program.at(call).op else {
            unreachable!("a caller stands at its call")
        };
        let mut targets = vec![];
        for (index, result) in results.iter().enumerate() {
            let Some(var) = result.and_then(|var| self.new.var(var)) else { continue };
            let value = match values.get(index) {
                Some(&value) => self.new.expr(value),
                None => self.new.choice(),
            };
            targets.push((var, value));
        }
        self.new.assign(targets)
    }

    /// Locals of procedures that are inlined into this root but not active here are 0, so that equal states
    /// look equal.
    fn dead(&self, context: &Context, loc: Loc) -> Vec<LocalId> {
        let scope = |local: LocalId| self.program.locals()[local].scope;
        let own = |local: &LocalId| match scope(*local) {
            LocalScope::Thread => true,
            LocalScope::Procedure(owner) => owner == context.procedure,
        };
        let passed = |local: &LocalId| match scope(*local) {
            LocalScope::Thread => false,
            LocalScope::Procedure(owner) => !context.active.contains(&owner),
        };
        let mut dead: Vec<LocalId> = self.program.at(loc).dead.iter().copied().filter(own).collect();
        dead.extend(self.root.inlined.iter().copied().filter(passed));
        dead.sort();
        dead
    }
}
