//! Cubes and values as expressions of a Boolean program.

use super::super::statement::{Barred, Bit, Cubes, Literal, Statement, Transition, Value};
use c::ProcId as Template;
use ir::bp::{ExprId, Exprs, LocalId, Node, Op, Read, SharedId, Var, When, Whose};
use rustc_hash::FxHashMap;

/// The variables that track the predicates.
#[derive(Default)]
pub struct Names {
    /// Those of all threads.
    pub shared: FxHashMap<usize, SharedId>,
    /// Those of the threads of a template.
    pub local: FxHashMap<(Template, usize), LocalId>,
}

impl Names {
    fn var(&self, template: Template, predicate: usize) -> Var {
        match self.shared.get(&predicate) {
            Some(&shared) => Var::Shared(shared),
            None => Var::Local(self.local[&(template, predicate)]),
        }
    }
}

/// Who reads: the template of the active thread and, in a broadcast, that of the passive one.
#[derive(Clone, Copy)]
struct Reader {
    active: Template,
    passive: Template,
    when: When,
}

/// The parallel assignment of a statement, with further targets for the first values of a child.
pub fn assignment(
    exprs: &mut Exprs,
    names: &Names,
    template: Template,
    statement: &Statement,
    kept: &[(LocalId, &Value)],
) -> Op {
    let mut targets = vec![];
    for it in &statement.targets {
        targets.push((names.var(template, it.predicate), value(exprs, names, template, &it.value)));
    }
    for &(local, first) in kept {
        targets.push((Var::Local(local), value(exprs, names, template, first)));
    }
    let mut broadcast = vec![];
    for it in &statement.broadcasts {
        let reader = Reader { active: template, passive: it.template, when: When::Now };
        let local = names.local[&(it.template, it.assignment.predicate)];
        broadcast.push((local, read_value(exprs, names, reader, &it.assignment.value)));
    }
    let condition = condition(exprs, names, template, statement);
    match (targets.is_empty() && broadcast.is_empty(), condition) {
        (true, None) => Op::Skip,
        (true, Some(condition)) => Op::Assume(condition),
        (false, constrain) => Op::Assign { targets, broadcast, constrain },
    }
}

/// That no passive thread is barred; `None` if that asks nothing.
pub fn barred(
    exprs: &mut Exprs,
    names: &Names,
    template: Template,
    list: &[Barred],
    when: When,
) -> Option<ExprId> {
    let mut all: Option<ExprId> = None;
    for it in list {
        let reader = Reader { active: template, passive: it.template, when };
        let cube = conjunction(exprs, names, reader, &it.cube);
        all = Some(but_not(exprs, all, cube));
    }
    all
}

/// The guard, and what no state after has.
fn condition(exprs: &mut Exprs, names: &Names, template: Template, statement: &Statement) -> Option<ExprId> {
    let before = barred(exprs, names, template, &statement.barred, When::Now);
    let after = barred(exprs, names, template, &statement.barred_after, When::Next);
    let mut all = match (before, after) {
        (Some(before), Some(after)) => Some(exprs.and(before, after)),
        (before, after) => before.or(after),
    };
    let lists = [(&statement.blocked, When::Now), (&statement.excluded, When::Next)];
    for (list, when) in lists {
        let reader = Reader { active: template, passive: template, when };
        for cube in list {
            let cube = conjunction(exprs, names, reader, cube);
            all = Some(but_not(exprs, all, cube));
        }
    }
    for Transition { before, after } in &statement.forbidden {
        let [now, next] =
            [When::Now, When::Next].map(|when| Reader { active: template, passive: template, when });
        let before = conjunction(exprs, names, now, before);
        let after = conjunction(exprs, names, next, after);
        let both = exprs.and(before, after);
        all = Some(but_not(exprs, all, both));
    }
    all
}

fn but_not(exprs: &mut Exprs, all: Option<ExprId>, excluded: ExprId) -> ExprId {
    let not = exprs.not(excluded);
    match all {
        Some(all) => exprs.and(all, not),
        None => not,
    }
}

/// A value of the active thread or of a shared Boolean.
pub fn value(exprs: &mut Exprs, names: &Names, template: Template, value: &Value) -> ExprId {
    let reader = Reader { active: template, passive: template, when: When::Now };
    read_value(exprs, names, reader, value)
}

/// Cubes that the active thread reads.
pub fn cubes(exprs: &mut Exprs, names: &Names, template: Template, cubes: &Cubes) -> ExprId {
    let reader = Reader { active: template, passive: template, when: When::Now };
    disjunction(exprs, names, reader, cubes)
}

fn read_value(exprs: &mut Exprs, names: &Names, reader: Reader, value: &Value) -> ExprId {
    match value {
        Value::Fixed(value) => exprs.constant(*value),
        Value::Cubes(cubes) => disjunction(exprs, names, reader, cubes),
        Value::Choose(ones, zeros) if ones.is_empty() && zeros.is_empty() => exprs.choice(),
        Value::Choose(ones, zeros) => {
            let ones = disjunction(exprs, names, reader, ones);
            let zeros = disjunction(exprs, names, reader, zeros);
            exprs.add(Node::Choose(ones, zeros))
        }
    }
}

fn disjunction(exprs: &mut Exprs, names: &Names, reader: Reader, cubes: &Cubes) -> ExprId {
    let mut any: Option<ExprId> = None;
    for cube in cubes {
        let cube = conjunction(exprs, names, reader, cube);
        any = Some(match any {
            Some(any) => exprs.or(any, cube),
            None => cube,
        });
    }
    any.unwrap_or_else(|| exprs.constant(false))
}

fn conjunction(exprs: &mut Exprs, names: &Names, reader: Reader, cube: &[Literal]) -> ExprId {
    let mut all: Option<ExprId> = None;
    for &Literal { bit, value } in cube {
        let read = exprs.add(Node::Read(reading(names, reader, bit)));
        let literal = if value { read } else { exprs.not(read) };
        all = Some(match all {
            Some(all) => exprs.and(all, literal),
            None => literal,
        });
    }
    all.unwrap_or_else(|| exprs.constant(true))
}

fn reading(names: &Names, reader: Reader, bit: Bit) -> Read {
    let template = if bit.passive { reader.passive } else { reader.active };
    let whose = if bit.passive { Whose::Passive } else { Whose::Own };
    Read { var: names.var(template, bit.predicate), whose, when: reader.when }
}

/// The locals that are not among some.
pub fn all_but(all: &[LocalId], some: &[LocalId]) -> Vec<LocalId> {
    let mut rest: Vec<LocalId> = all.iter().copied().filter(|it| !some.contains(it)).collect();
    rest.sort();
    rest
}
