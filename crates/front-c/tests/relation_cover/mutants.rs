//! Wrong relations: each change is one that a mistake in the construction would make, in every command that
//! it applies to. A relation that allows more is no mistake, so each of these takes something away.

use ::c::{Binary, ExprId, LocalId, Node, Type, Unary};
use base::Id;
use relation::{Command, ControlId, Home, Outcome, Relation, Update};

/// A wrong version of a relation; says whether there was anything to change.
pub type Mutant = fn(&mut Relation) -> bool;

/// All of them, by what is wrong.
pub const MUTANTS: [(&str, Mutant); 17] = [
    ("the other branch is missing", |it| commands(it, |it, command| !is_negated(it, command.guard))),
    ("the last command of a control location is missing", drop_last),
    ("failing assertions are missing", |it| {
        commands(it, |_, command| !matches!(command.outcome, Outcome::Fail(_)))
    }),
    ("a guard is negated", negate),
    ("the first update adds one", add_one),
    ("updates of shared variables are lost", |it| updates(it, |it, name, _| is_ghost(it, name))),
    ("a variable changes that should stay", |it| change_frame(it, Home::Shared)),
    ("locks are not taken", |it| {
        updates(it, |it, name, value| !(ends(it, name, ".taken") && is(it, value, 1)))
    }),
    ("locks are not given back", |it| {
        updates(it, |it, name, value| !(ends(it, name, ".taken") && is(it, value, 0)))
    }),
    ("holders of locks do not know it", |it| updates(it, |it, name, _| !ends(it, name, ".mine"))),
    ("semaphores are not counted", |it| updates(it, |it, name, _| !ends(it, name, ".value"))),
    ("readers are not counted", |it| updates(it, |it, name, _| !ends(it, name, ".reads"))),
    ("nobody has ended", |it| updates(it, |it, name, _| !it.variables[name].name.starts_with("ended@"))),
    ("nobody is created", |it| {
        let found = it.commands.iter().any(|command| command.creates.is_some());
        it.commands.iter_mut().for_each(|command| command.creates = None);
        found
    }),
    ("control goes on elsewhere", redirect),
    ("any value is 0", fix_choices),
    ("the first values are others", |it| {
        let shared = it.variables.ids().filter(|&id| it.variables[id].home == Home::Shared);
        let some: Vec<LocalId> = shared.filter(|&id| it.variables[id].initial == Some(0)).collect();
        some.iter().for_each(|&id| it.variables[id].initial = Some(1));
        !some.is_empty()
    }),
];

/// Keeps some commands, at least one of each control location.
fn commands(relation: &mut Relation, keep: impl Fn(&Relation, &Command) -> bool) -> bool {
    let kept: Vec<Command> =
        relation.commands.iter().filter(|command| keep(relation, command)).cloned().collect();
    let changed = kept.len() < relation.commands.len();
    relation.commands = kept;
    changed
}

fn drop_last(relation: &mut Relation) -> bool {
    let all = relation.commands.clone();
    let last = |at: usize| all.get(at + 1).is_none_or(|next| next.from != all[at].from);
    let several = |at: usize| at > 0 && all[at - 1].from == all[at].from;
    relation.commands =
        (0..all.len()).filter(|&at| !(last(at) && several(at))).map(|at| all[at].clone()).collect();
    relation.commands.len() < all.len()
}

fn is_negated(relation: &Relation, guard: ExprId) -> bool {
    matches!(relation.exprs.node(guard), Node::Unary(Unary::Not, _))
}

fn negate(relation: &mut Relation) -> bool {
    let mut changed = false;
    for at in 0..relation.commands.len() {
        let guard = relation.commands[at].guard;
        if !matches!(relation.exprs.node(guard), Node::Const(..)) {
            relation.commands[at].guard = relation.exprs.add(Node::Unary(Unary::Not, guard));
            changed = true;
        }
    }
    changed
}

/// The value with one more, in its type.
fn more(relation: &mut Relation, value: ExprId) -> Option<ExprId> {
    let Type::Bits(bits) = relation.exprs.ty(value) else { return None };
    let one = relation.exprs.add(Node::Const(Type::Bits(bits), 1));
    Some(relation.exprs.add(Node::Binary(Binary::Add, value, one)))
}

fn add_one(relation: &mut Relation) -> bool {
    let mut changed = false;
    for at in 0..relation.commands.len() {
        let Some(first) = relation.commands[at].updates.first().copied() else { continue };
        if let Some(value) = more(relation, first.value) {
            relation.commands[at].updates[0].value = value;
            changed = true;
        }
    }
    changed
}

/// Keeps some updates.
fn updates(relation: &mut Relation, keep: impl Fn(&Relation, LocalId, ExprId) -> bool) -> bool {
    let mut changed = false;
    for at in 0..relation.commands.len() {
        let all = &relation.commands[at].updates;
        let kept: Vec<Update> =
            all.iter().filter(|it| keep(relation, it.variable, it.value)).copied().collect();
        changed |= kept.len() < all.len();
        relation.commands[at].updates = kept;
    }
    changed
}

fn is_ghost(relation: &Relation, variable: LocalId) -> bool {
    relation.variables[variable].ghost || relation.variables[variable].home != Home::Shared
}

fn ends(relation: &Relation, variable: LocalId, with: &str) -> bool {
    relation.variables[variable].name.ends_with(with)
}

fn is(relation: &Relation, value: ExprId, number: u128) -> bool {
    matches!(relation.exprs.node(value), Node::Const(_, it) if it == number)
}

/// Each command changes the first variable of a home that it leaves alone.
fn change_frame(relation: &mut Relation, home: Home) -> bool {
    let mut changed = false;
    for at in 0..relation.commands.len() {
        let written = |id: LocalId| relation.commands[at].updates.iter().any(|it| it.variable == id);
        let free = |id: &LocalId| {
            let it = &relation.variables[*id];
            it.home == home && !it.ghost && matches!(it.ty, Type::Bits(_)) && !written(*id)
        };
        let Some(variable) = relation.variables.ids().find(free) else { continue };
        let ty = relation.variables[variable].ty;
        let read = relation.exprs.add(Node::Local(variable, ty));
        if let Some(value) = more(relation, read) {
            relation.commands[at].updates.push(Update { variable, value });
            changed = true;
        }
    }
    changed
}

fn redirect(relation: &mut Relation) -> bool {
    let mut changed = false;
    for at in 0..relation.commands.len() {
        let Outcome::Go(to) = relation.commands[at].outcome else { continue };
        let next = ControlId::from_index((to.index() + 1) % relation.controls.len());
        changed |= next != to;
        relation.commands[at].outcome = Outcome::Go(next);
    }
    changed
}

fn fix_choices(relation: &mut Relation) -> bool {
    let mut changed = false;
    for at in 0..relation.commands.len() {
        for choice in relation.commands[at].choices.clone() {
            let Type::Bits(bits) = relation.variables[choice].ty else { continue };
            let exprs = &mut relation.exprs;
            let (read, zero) = (
                exprs.add(Node::Local(choice, Type::Bits(bits))),
                exprs.add(Node::Const(Type::Bits(bits), 0)),
            );
            let is_zero = exprs.add(Node::Binary(Binary::Eq, read, zero));
            let guard = relation.commands[at].guard;
            relation.commands[at].guard = relation.exprs.add(Node::Binary(Binary::And, guard, is_zero));
            changed = true;
        }
    }
    changed
}
