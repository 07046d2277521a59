//! What registers are known to hold: numbers along the paths of a procedure (Kildall, POPL 1973), and
//! expressions over such registers, computed by the machine's own operators.

use super::rebuild::reachable;
use base::{Budget, Id, Stop};
use c::{
    Builder, Constant, Control, Evaluator, ExprId, Exprs, Loc, LocalId, LocalScope, Node, Program, Value,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The registers that hold a known number.
pub type Known = BTreeMap<LocalId, u128>;

/// A program with the operators of its machine.
pub struct Folder<'p> {
    pub program: &'p Program,
    evaluator: Evaluator,
}

impl<'p> Folder<'p> {
    pub fn new(program: &'p Program) -> Self {
        Folder { program, evaluator: Evaluator::new(program) }
    }

    /// The number that an operator gives on numbers.
    pub fn apply(&self, exprs: &Exprs, node: Node, number: impl Fn(ExprId) -> Option<u128>) -> Option<u128> {
        let value = |e: ExprId| number(e).map(Value::Bits);
        let result = match node {
            Node::Const(_, value) => return Some(value),
            Node::Unary(op, a) => self.evaluator.unary(op, exprs.ty(a), value(a)?),
            Node::Binary(op, a, b) => self.evaluator.binary(op, exprs.ty(a), value(a)?, value(b)?),
            Node::Convert(op, to, a) => self.evaluator.convert(op, exprs.ty(a), to, value(a)?),
            Node::Ite(cond, a, b) => return if number(cond)? != 0 { number(a) } else { number(b) },
            Node::Local(..) | Node::Address(_) => return None,
        };
        result.ok().and_then(Value::bits)
    }

    /// The number that an expression of the program is, if that is known.
    pub fn number(&self, e: ExprId, known: &Known) -> Option<u128> {
        let exprs = self.program.exprs();
        let mut found: HashMap<ExprId, Option<u128>> = HashMap::new();
        for id in exprs.below(e) {
            let value = match exprs.node(id) {
                Node::Local(local, _) => known.get(&local).copied(),
                node => self.apply(exprs, node, |child| found[&child]),
            };
            found.insert(id, value);
        }
        found[&e]
    }

    /// The expression with numbers for what is known.
    pub fn folded(&self, builder: &mut Builder, e: ExprId, known: &Known) -> ExprId {
        let mut made: HashMap<ExprId, ExprId> = HashMap::new();
        for id in self.program.exprs().below(e) {
            let node = match self.program.exprs().node(id) {
                Node::Local(local, ty) => {
                    known.get(&local).map_or(Node::Local(local, ty), |&it| Node::Const(ty, it))
                }
                node => node.map_children(|child| made[&child]),
            };
            let exprs = builder.exprs();
            let new = match self.apply(exprs, node, |child| exprs.constant(child)) {
                Some(number) => exprs.number(self.program.exprs().ty(id), number),
                None => exprs.add(node),
            };
            made.insert(id, new);
        }
        made[&e]
    }

    /// What is known after a step, of these registers.
    pub fn after(&self, loc: Loc, known: &Known, tracked: &BTreeSet<LocalId>) -> Known {
        let op = &self.program.at(loc).op;
        let mut after = known.clone();
        op.writes().iter().for_each(|local| {
            after.remove(local);
        });
        if let Some((local, value)) = op.assignment()
            && tracked.contains(&local)
            && let Some(number) = self.number(value, known)
        {
            after.insert(local, number);
        }
        after
    }

    /// Where control goes from a location, if its condition is known.
    pub fn decided(&self, loc: Loc, known: &Known) -> Option<Loc> {
        let Control::Branch(target) = self.program.effects(loc).control else { return None };
        let cond = *self.program.at(loc).op.operands().first()?;
        let number = self.number(cond, known)?;
        Some(if number != 0 { target } else { self.program.at(loc).next })
    }

    /// What is known of registers when a procedure begins.
    pub fn first(&self, entry: Loc, tracked: &BTreeSet<LocalId>) -> Known {
        let procedure = self.program.at(entry).procedure;
        let params = &self.program.procedures()[procedure].params;
        let own = tracked.iter().filter(|it| {
            self.program.locals()[**it].scope == LocalScope::Procedure(procedure) && !params.contains(it)
        });
        let number = |it: LocalId| match self.program.locals()[it].init {
            Constant::Bits(bits) => Some((it, bits)),
            Constant::Address(..) => None,
        };
        own.filter_map(|&it| number(it)).collect()
    }

    /// By location: what is known whichever way control came.
    pub fn everywhere(&self, tracked: &BTreeSet<LocalId>, budget: &Budget) -> Result<Vec<Known>, Stop> {
        let mut found: Vec<Option<Known>> = vec![None; self.program.locations().len()];
        let mut work: Vec<Loc> = vec![];
        for procedure in self.program.procedures().iter() {
            found[procedure.entry.index()] = Some(self.first(procedure.entry, tracked));
            work.push(procedure.entry);
        }
        while let Some(loc) = work.pop() {
            budget.spend(1)?;
            let known = found[loc.index()].clone().expect("it was reached");
            let after = self.after(loc, &known, tracked);
            for next in self.program.successors(loc) {
                let met = match &found[next.index()] {
                    Some(before) => before
                        .iter()
                        .filter(|(it, n)| after.get(it) == Some(n))
                        .map(|(&it, &n)| (it, n))
                        .collect(),
                    None => after.clone(),
                };
                if found[next.index()].as_ref() != Some(&met) {
                    found[next.index()] = Some(met);
                    work.push(next);
                }
            }
        }
        debug_assert!(reachable(self.program).iter().all(|it| found[it.index()].is_some()));
        Ok(found.into_iter().map(Option::unwrap_or_default).collect())
    }
}
