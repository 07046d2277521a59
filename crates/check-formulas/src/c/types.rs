//! Which expressions have formulas: operators on numbers of the right widths. Pointers are numbers here;
//! floats are bits that are copied and never computed with. The relation is held to it as well as the proof,
//! so that gates never see words that do not fit.

use ::c::{Binary, Convert, ExprId, Exprs, LocalId, Node, ProcId, TRUTH, Type, mask};
use base::Id;
use check::{Rejected, reject};
use relation::proof::{PairPredicate, Proof};
use relation::{AccessSite, Command, ControlId, Home, Outcome, Relation, Update};

/// That threads stay in their templates and write what they have, and that guards and values fit.
pub fn commands(relation: &Relation) -> Result<(), Rejected> {
    match relation.commands.iter().position(|command| !is_good(relation, command)) {
        Some(number) => reject(format!("command {number} of the program is malformed")),
        None if !sites(relation).all(|it| is_access(relation, it)) => {
            reject("an access of the program is malformed")
        }
        None => Ok(()),
    }
}

fn sites(relation: &Relation) -> impl Iterator<Item = &AccessSite> {
    relation.accesses.iter().flat_map(|it| &it.sites)
}

/// Whether the condition of an access is a truth value and its address has the width of one.
fn is_access(relation: &Relation, site: &AccessSite) -> bool {
    let exprs = &relation.exprs;
    let pointer = exprs.pointer_bits();
    relation.controls.get(site.control).is_some()
        && is_truth(exprs, site.guard)
        && site.address.index() < exprs.len()
        && exprs.ty(site.address).bits(pointer) == pointer
}

/// That the expressions of the proof begin with those of the relation, and that all that are used have
/// formulas. The predicates must be in the pool.
pub fn formulas(relation: &Relation, proof: &Proof) -> Result<(), Rejected> {
    let (ours, theirs) = (&relation.exprs, &proof.exprs);
    let is_prefix = ours.pointer_bits() == theirs.pointer_bits()
        && ours.len() <= theirs.len()
        && ours.ids().all(|id| ours.node(id) == theirs.node(id));
    if !is_prefix {
        return reject("the expressions of the proof do not begin with those of the program");
    }
    let mut used = vec![false; theirs.len()];
    let sides = proof.pairs.iter().flat_map(|pair| [pair.left, pair.right]);
    let of_commands = relation.commands.iter().flat_map(roots);
    let of_sites = sites(relation).flat_map(|it| [it.guard, it.address]);
    for root in proof.predicates.iter().copied().chain(sides).chain(of_commands).chain(of_sites) {
        used[root.index()] = true;
    }
    // Operands come before what they are part of.
    for id in theirs.ids().rev() {
        if !used[id.index()] {
            continue;
        }
        let node = theirs.node(id);
        if !has_formula(relation, theirs, node) {
            return reject(format!("an expression has no formula: {node:?}"));
        }
        node.children().for_each(|child| used[child.index()] = true);
    }
    Ok(())
}

/// Whether it is a truth value of the pool.
pub fn is_truth(exprs: &Exprs, e: ExprId) -> bool {
    e.index() < exprs.len() && exprs.ty(e) == TRUTH
}

/// Whether it compares numbers of the pool.
pub fn is_comparison(exprs: &Exprs, pair: &PairPredicate) -> bool {
    [pair.left, pair.right].iter().all(|it| it.index() < exprs.len())
        && pair.compare.is_comparison()
        && binary(exprs, pair.compare, [exprs.ty(pair.left), exprs.ty(pair.right)])
}

/// The expressions of a command.
fn roots(command: &Command) -> impl Iterator<Item = ExprId> {
    let created = command.creates.iter().flat_map(|creation| &creation.values);
    let values = command.updates.iter().chain(created).map(|update| update.value);
    values.chain([command.guard]).chain(command.others)
}

fn is_good(relation: &Relation, command: &Command) -> bool {
    let template = |control: ControlId| relation.controls.get(control).map(|it| it.template);
    let own = template(command.from);
    own.is_some()
        && is_truth(&relation.exprs, command.guard)
        && command.others.is_none_or(|others| is_truth(&relation.exprs, others))
        && !matches!(command.outcome, Outcome::Go(to) if template(to) != own)
        && command.updates.iter().all(|update| fits(relation, update, own))
        && command.creates.as_ref().is_none_or(|creation| {
            let entry = template(creation.entry);
            let is_own = |variable: LocalId| relation.variables[variable].home != Home::Shared;
            let good = |update: &Update| fits(relation, update, entry) && is_own(update.variable);
            entry.is_some() && creation.values.iter().all(good)
        })
}

/// Whether a thread of the template has the variable, and the value its width.
fn fits(relation: &Relation, update: &Update, template: Option<ProcId>) -> bool {
    let Some(variable) = relation.variables.get(update.variable) else { return false };
    let exprs = &relation.exprs;
    let has = match variable.home {
        Home::Shared | Home::Thread => true,
        Home::Template(home) => template == Some(home),
        Home::Choice => false,
    };
    let bits = |ty: Type| ty.bits(exprs.pointer_bits());
    has && update.value.index() < exprs.len() && bits(exprs.ty(update.value)) == bits(variable.ty)
}

fn has_formula(relation: &Relation, exprs: &Exprs, node: Node) -> bool {
    let ty = |e: ExprId| exprs.ty(e);
    let bits = |ty: Type| ty.bits(exprs.pointer_bits());
    match node {
        Node::Const(ty, value) => (1..=128).contains(&bits(ty)) && value & !mask(bits(ty)) == 0,
        Node::Local(variable, ty) => relation.variables.get(variable).is_some_and(|it| it.ty == ty),
        Node::Address(_) => false,
        Node::Unary(_, a) => !ty(a).is_float(),
        Node::Binary(op, a, b) => binary(exprs, op, [ty(a), ty(b)]),
        Node::Convert(op, to, a) => convert(exprs, op, [ty(a), to]),
        Node::Ite(a, b, c) => ty(a) == TRUTH && bits(ty(b)) == bits(ty(c)),
    }
}

fn binary(exprs: &Exprs, op: Binary, types: [Type; 2]) -> bool {
    let [a, b] = types.map(|ty| ty.bits(exprs.pointer_bits()));
    let is_on_floats =
        matches!(op, Binary::DivF | Binary::LtF | Binary::LeF) || types.iter().any(|ty| ty.is_float());
    !is_on_floats && (op.is_shift() || a == b)
}

fn convert(exprs: &Exprs, op: Convert, types: [Type; 2]) -> bool {
    let is_on_floats = types.iter().any(|ty| ty.is_float());
    let [from, to] = types.map(|ty| ty.bits(exprs.pointer_bits()));
    (1..=128).contains(&to)
        && match op {
            Convert::ZeroExtend | Convert::SignExtend => !is_on_floats && from <= to,
            Convert::Truncate => !is_on_floats && from >= to,
            Convert::Reinterpret => from == to,
            _ => false,
        }
}
