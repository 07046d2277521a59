//! What is known about a program before it is translated: which expressions have effects, where labels stand,
//! and as what the members of unions and pointers to `void` are used.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::Id;

use super::super::hir::{
    Callee, CastKind, ExprId, ExprKind, FunctionId, LabelId, PlaceId, PlaceKind, Program, StmtId, StmtKind,
    VarId,
};
use super::super::types::{RecordId, Type, TypeId};

/// What is known.
#[derive(Debug, Default)]
pub struct Facts {
    /// Expressions whose evaluation may change a register or call a function.
    effects: Vec<bool>,
    /// Functions whose address some pointer may hold.
    pub taken: Vec<FunctionId>,
    /// The blocks around each label, outermost first.
    pub label_blocks: HashMap<LabelId, Vec<StmtId>>,
    /// The functions that may be cleanup handlers.
    pub handlers: Vec<FunctionId>,
    /// The blocks that push a cleanup handler directly.
    pub pushing: HashSet<StmtId>,
    /// How often a member of a union is named.
    pub member_uses: HashMap<(RecordId, u32), u32>,
    /// As what a variable that points to `void` or bytes is used, where that is one type only.
    pub pointee_uses: HashMap<VarId, BTreeSet<TypeId>>,
    /// The names of all functions that are called or whose address is taken.
    pub called_names: HashSet<String>,
    /// Functions that may end without giving a value, as far as a look at their last statement and at each
    /// `return` says.
    pub without_value: HashSet<FunctionId>,
    /// Whether somebody wants the result of a thread.
    pub wants_results: bool,
}

impl Facts {
    /// Looks at a program.
    pub fn new(program: &Program) -> Facts {
        let mut facts = Facts { effects: vec![false; program.exprs.len()], ..Facts::default() };
        facts.taken = functions_in_pointers(program);
        facts.exprs(program);
        facts.spread_effects(program);
        for place in program.places.iter() {
            if let PlaceKind::Member { record, field, .. } = place.kind
                && program.types.records[record].union
            {
                *facts.member_uses.entry((record, field)).or_default() += 1;
            }
        }
        let walks: HashMap<FunctionId, Walk> =
            bodies(program).map(|(id, block)| (id, walk(program, block))).collect();
        for walk in walks.values() {
            facts.label_blocks.extend(walk.labels.iter().map(|(label, blocks)| (*label, blocks.clone())));
        }
        let lacking =
            bodies(program).filter(|(id, block)| walks[id].bare || !ends_in_return(program, *block));
        facts.without_value = lacking.map(|(id, _)| id).collect();
        facts.pushing = program.stmts.ids().filter(|&id| pushes(program, id)).collect();
        facts.handlers = facts.find_handlers(program);
        facts
    }

    /// Whether evaluating it may change a register.
    pub fn has_effects(&self, e: ExprId) -> bool {
        self.effects.get(e.index()).copied().unwrap_or(true)
    }

    fn exprs(&mut self, program: &Program) {
        for (id, expr) in program.exprs.enumerate() {
            self.effects[id.index()] = written_place(program, id).is_some()
                || matches!(
                    expr.kind,
                    ExprKind::Call { .. }
                        | ExprKind::Atomic(_)
                        | ExprKind::Builtin { .. }
                        | ExprKind::VaArg(_)
                        | ExprKind::Statements { .. }
                );
            match &expr.kind {
                ExprKind::Call { callee: Callee::Function(f), arguments } => {
                    let name = &program.functions[*f].name;
                    self.called_names.insert(name.clone());
                    if matches!(name.as_str(), "pthread_join" | "thrd_join") {
                        let null = arguments.get(1).is_none_or(|&it| is_null(program, it));
                        self.wants_results |= !null;
                    }
                }
                ExprKind::FunctionAddress(f) => {
                    let name = &program.functions[*f].name;
                    self.called_names.insert(name.clone());
                    self.wants_results |= matches!(name.as_str(), "pthread_join" | "thrd_join");
                }
                ExprKind::Cast(CastKind::Pointer, inner) => self.pointer_cast(program, expr.ty, *inner),
                _ => {}
            }
        }
    }

    /// `(T *)v`: v points to T.
    fn pointer_cast(&mut self, program: &Program, to: TypeId, inner: ExprId) {
        let types = &program.types;
        let ExprKind::Load(place) = program.exprs[inner].kind else { return };
        let Some(variable) = whole_variable(program, place) else { return };
        let Some(to) = types.pointee(to) else { return };
        if !matches!(types.get(to.ty), Type::Void | Type::Function(_)) && types.size(to.ty).is_some() {
            self.pointee_uses.entry(variable).or_default().insert(to.ty);
        }
    }

    /// An expression has effects if a part of it has. Parts may come later in the arena, so this is repeated
    /// until nothing changes.
    fn spread_effects(&mut self, program: &Program) {
        loop {
            let mut changed = false;
            for id in program.exprs.ids() {
                if !self.effects[id.index()]
                    && expr_parts(program, id).iter().any(|part| self.effects[part.index()])
                {
                    self.effects[id.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The functions that may be called through a pointer with this many arguments.
    fn taking(&self, program: &Program, count: usize) -> Vec<FunctionId> {
        let all = self.taken.iter().map(|&f| definition(program, f));
        all.filter(|&f| takes(program, f, count)).collect()
    }

    /// The functions that an argument may be: itself, or those that take as many arguments.
    fn given(&self, program: &Program, argument: ExprId) -> Vec<FunctionId> {
        let mut e = argument;
        while let ExprKind::Cast(_, inner) = program.exprs[e].kind {
            e = inner;
        }
        match (&program.exprs[e].kind, program.types.function(program.exprs[e].ty)) {
            (ExprKind::FunctionAddress(f), _) => vec![definition(program, *f)],
            (_, Some(ty)) => self.taking(program, ty.parameters.len()),
            (_, None) => vec![],
        }
    }

    fn find_handlers(&self, program: &Program) -> Vec<FunctionId> {
        let mut found = BTreeSet::new();
        for expr in program.exprs.iter() {
            if let ExprKind::Call { callee: Callee::Function(f), arguments } = &expr.kind
                && PUSHES.contains(&program.functions[*f].name.as_str())
            {
                // The last argument is the handler's own.
                let handler = arguments.len().checked_sub(2).map(|at| arguments[at]);
                found.extend(handler.into_iter().flat_map(|handler| self.given(program, handler)));
            }
        }
        found.into_iter().collect()
    }

    /// Whether the program pushes cleanup handlers.
    pub fn pushes_handlers(&self) -> bool {
        PUSHES.iter().any(|name| self.called_names.contains(*name))
    }
}

/// The functions whose address some pointer may hold: it is taken, and not only to start a thread in it at
/// once. Without that exception a start function that calls through a pointer would seem to call itself.
fn functions_in_pointers(program: &Program) -> Vec<FunctionId> {
    let started: HashSet<ExprId> =
        program.exprs.iter().filter_map(|expr| started_at_once(program, &expr.kind)).collect();
    let mut named = HashSet::new();
    let mut held = HashSet::new();
    for (id, expr) in program.exprs.enumerate() {
        if let ExprKind::FunctionAddress(function) = expr.kind {
            named.insert(function);
            if !started.contains(&id) {
                held.insert(function);
            }
        }
    }
    let may = |id: FunctionId| held.contains(&id) || !named.contains(&id);
    program.functions.enumerate().filter(|&(id, f)| f.address_taken && may(id)).map(|(id, _)| id).collect()
}

/// The address of a function that a call starts a thread in, where the argument names the function itself.
fn started_at_once(program: &Program, kind: &ExprKind) -> Option<ExprId> {
    let ExprKind::Call { callee: Callee::Function(f), arguments } = kind else { return None };
    let called = &program.functions[*f];
    let at = match called.name.as_str() {
        "pthread_create" => 2,
        "thrd_create" => 1,
        _ => return None,
    };
    let mut start = *arguments.get(at).filter(|_| called.body.is_none())?;
    while let ExprKind::Cast(_, inner) = program.exprs[start].kind {
        start = inner;
    }
    matches!(program.exprs[start].kind, ExprKind::FunctionAddress(_)).then_some(start)
}

/// The calls that push a cleanup handler.
const PUSHES: [&str; 3] = ["pthread_cleanup_push", "__selvedge_cleanup_push", "_pthread_cleanup_push"];

/// Whether a block pushes a cleanup handler by one of its own statements.
fn pushes(program: &Program, block: StmtId) -> bool {
    let StmtKind::Block { statements, .. } = &program.stmts[block].kind else { return false };
    statements.iter().any(|&statement| {
        let StmtKind::Expr(e) = program.stmts[statement].kind else { return false };
        matches!(&program.exprs[e].kind, ExprKind::Call { callee: Callee::Function(f), .. }
            if PUSHES.contains(&program.functions[*f].name.as_str()))
    })
}

/// Whether a function can be called with this many arguments.
pub fn takes(program: &Program, f: FunctionId, count: usize) -> bool {
    let function = &program.functions[f];
    let Some(ty) = program.types.function(function.ty) else { return false };
    let known = match &function.body {
        Some(body) => body.parameters.len(),
        None if !ty.prototype => return true,
        None => ty.parameters.len(),
    };
    known == count || ty.variadic && known <= count
}

/// Whether the last statement is a `return`.
fn ends_in_return(program: &Program, block: StmtId) -> bool {
    let mut last = block;
    loop {
        match &program.stmts[last].kind {
            StmtKind::Return(_) => return true,
            StmtKind::Labelled { body, .. } => last = *body,
            StmtKind::Block { statements, .. } => match statements.last() {
                Some(&statement) => last = statement,
                None => return false,
            },
            _ => return false,
        }
    }
}

/// The place that an expression writes, if it is an assignment of some kind.
pub fn written_place(program: &Program, e: ExprId) -> Option<PlaceId> {
    match program.exprs[e].kind {
        ExprKind::Assign { place, .. }
        | ExprKind::AssignOp { place, .. }
        | ExprKind::AssignPointer { place, .. }
        | ExprKind::Increment { place, .. } => Some(place),
        _ => None,
    }
}

/// The function that a name stands for: itself, what it is an alias of, or the library's model of it if
/// nobody else defines it.
pub fn definition(program: &Program, f: FunctionId) -> FunctionId {
    let Some(alias) = &program.functions[f].alias else {
        let model = program.models.get(&program.functions[f].name);
        return model.copied().filter(|_| program.functions[f].body.is_none()).unwrap_or(f);
    };
    let found = program.functions.enumerate().find(|(_, other)| other.name == *alias && other.body.is_some());
    found.map_or(f, |(id, _)| id)
}

/// Whether an expression is the constant 0.
pub fn is_null(program: &Program, e: ExprId) -> bool {
    let mut e = e;
    loop {
        match program.exprs[e].kind {
            ExprKind::Integer(value) => return value == 0,
            ExprKind::Cast(_, inner) => e = inner,
            _ => return false,
        }
    }
}

/// The variable that a place is as a whole.
pub fn whole_variable(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Variable(variable) => Some(variable),
        _ => None,
    }
}

fn bodies(program: &Program) -> impl Iterator<Item = (FunctionId, StmtId)> {
    program
        .functions
        .enumerate()
        .filter_map(|(id, function)| function.body.as_ref().map(|body| (id, body.block)))
}

/// What is found in a function.
#[derive(Debug, Default)]
pub struct Walk {
    /// The expressions.
    pub exprs: Vec<ExprId>,
    /// The labels and the blocks around them.
    pub labels: Vec<(LabelId, Vec<StmtId>)>,
    /// What assembler writes.
    pub outputs: Vec<PlaceId>,
    /// Whether there is a `return` without a value.
    pub bare: bool,
}

/// All expressions and labels of a statement; on a list, since bodies may be nested deeply.
pub fn walk(program: &Program, block: StmtId) -> Walk {
    let mut found = Walk::default();
    let mut stmts: Vec<(StmtId, Vec<StmtId>)> = vec![(block, vec![])];
    let mut exprs: Vec<(ExprId, Vec<StmtId>)> = vec![];
    let mut seen: HashSet<ExprId> = HashSet::new();
    loop {
        if let Some((stmt, blocks)) = stmts.pop() {
            if let StmtKind::Labelled { label, .. } = program.stmts[stmt].kind {
                found.labels.push((label, blocks.clone()));
            }
            found.bare |= matches!(program.stmts[stmt].kind, StmtKind::Return(None));
            if let StmtKind::Asm { outputs, .. } = &program.stmts[stmt].kind {
                found.outputs.extend(outputs);
            }
            let inner = match program.stmts[stmt].kind {
                StmtKind::Block { .. } => blocks.iter().copied().chain([stmt]).collect(),
                _ => blocks,
            };
            let (parts, values) = stmt_parts(program, stmt);
            stmts.extend(parts.into_iter().map(|part| (part, inner.clone())));
            exprs.extend(values.into_iter().map(|value| (value, inner.clone())));
        } else if let Some((e, blocks)) = exprs.pop() {
            if !seen.insert(e) {
                continue;
            }
            found.exprs.push(e);
            if let ExprKind::Statements { block, .. } = program.exprs[e].kind {
                stmts.push((block, blocks.clone()));
            }
            exprs.extend(expr_parts(program, e).into_iter().map(|part| (part, blocks.clone())));
        } else {
            return found;
        }
    }
}

/// The statements and expressions directly inside a statement.
fn stmt_parts(program: &Program, stmt: StmtId) -> (Vec<StmtId>, Vec<ExprId>) {
    match &program.stmts[stmt].kind {
        StmtKind::Block { variables, statements } => {
            let handlers = variables.iter().filter_map(|&variable| program.variables[variable].cleanup);
            (statements.clone(), handlers.collect())
        }
        StmtKind::Declare(variable) => {
            let init = program.variables[*variable].init.as_ref();
            (vec![], init.map_or(vec![], |init| init.cells.iter().map(|cell| cell.value).collect()))
        }
        StmtKind::Expr(e) | StmtKind::ComputedGoto(e) => (vec![], vec![*e]),
        StmtKind::If { condition, then, otherwise } => {
            (std::iter::once(*then).chain(*otherwise).collect(), vec![*condition])
        }
        StmtKind::Switch { value, body, .. } => (vec![*body], vec![*value]),
        StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
            (vec![*body], vec![*condition])
        }
        StmtKind::For { init, condition, step, body } => {
            (vec![*body], [*init, *condition, *step].into_iter().flatten().collect())
        }
        StmtKind::Labelled { body, .. } => (vec![*body], vec![]),
        StmtKind::Return(value) => (vec![], value.iter().copied().collect()),
        StmtKind::Asm { inputs, outputs, .. } => {
            let mut values = inputs.clone();
            outputs.iter().for_each(|&place| place_parts(program, place, &mut values));
            (vec![], values)
        }
        StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Refused(_) => {
            (vec![], vec![])
        }
    }
}

/// The expressions directly inside an expression.
pub fn expr_parts(program: &Program, e: ExprId) -> Vec<ExprId> {
    let mut parts = vec![];
    match &program.exprs[e].kind {
        ExprKind::AddressOf(place)
        | ExprKind::Load(place)
        | ExprKind::Decay(place)
        | ExprKind::VaArg(place) => {
            place_parts(program, *place, &mut parts);
        }
        ExprKind::Unary(_, a) | ExprKind::Not(a) | ExprKind::Cast(_, a) => parts.push(*a),
        ExprKind::Binary { left, right, .. }
        | ExprKind::LogicalAnd(left, right)
        | ExprKind::LogicalOr(left, right) => {
            parts.extend([*left, *right]);
        }
        ExprKind::Comma(left, right) => parts.extend([*left, *right]),
        ExprKind::PointerAdd { pointer, index, element, .. } => parts.extend([*pointer, *index, *element]),
        ExprKind::PointerDifference { left, right, element } => parts.extend([*left, *right, *element]),
        ExprKind::Conditional { condition, then, otherwise } => parts.extend([*condition, *then, *otherwise]),
        ExprKind::Elvis { value, otherwise, .. } => parts.extend([*value, *otherwise]),
        ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
            place_parts(program, *place, &mut parts);
            parts.push(*value);
        }
        ExprKind::AssignPointer { place, index, element, .. } => {
            place_parts(program, *place, &mut parts);
            parts.extend([*index, *element]);
        }
        ExprKind::Increment { place, element, .. } => {
            place_parts(program, *place, &mut parts);
            parts.extend(*element);
        }
        ExprKind::Call { callee, arguments } => {
            if let Callee::Pointer(pointer) = callee {
                parts.push(*pointer);
            }
            parts.extend(arguments);
        }
        ExprKind::Atomic(atomic) => {
            parts.extend(
                atomic.pointer.iter().chain(&atomic.operands).chain(&atomic.orders).chain(&atomic.result),
            );
        }
        ExprKind::Builtin { arguments, .. } => parts.extend(arguments),
        ExprKind::Statements { value, .. } => parts.extend(*value),
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::FunctionAddress(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::Refused(_) => {}
    }
    parts
}

fn place_parts(program: &Program, place: PlaceId, parts: &mut Vec<ExprId>) {
    let mut place = place;
    loop {
        match &program.places[place].kind {
            PlaceKind::Deref(e) | PlaceKind::Temporary(e) => return parts.push(*e),
            PlaceKind::Index { array, index } => {
                parts.push(*index);
                place = *array;
            }
            PlaceKind::Member { base, .. } => place = *base,
            PlaceKind::CompoundLiteral(variable) => {
                let init = program.variables[*variable].init.as_ref();
                return parts.extend(init.iter().flat_map(|init| init.cells.iter().map(|cell| cell.value)));
            }
            PlaceKind::Variable(_) | PlaceKind::String(_) => return,
        }
    }
}
