//! Sums that do not overflow: where one step takes from a variable what it adds to another (`batch--,
//! counter++`), the two together stay what they were, and that they are no negative number is what keeps the
//! one that grows from wrapping.

use crate::pairs::templates::Templates;
use crate::terms::atoms::simplify;
use base::Stop;
use c::{Binary, ExprId, Exprs, LocalId, Node, Type, signed};
use relation::{Home, Update};

/// A variable becomes another, or itself, and a number.
#[derive(Clone, Copy)]
struct Shift {
    variable: LocalId,
    from: LocalId,
    by: i128,
}

impl Templates<'_> {
    /// All guards, what is compared or copied, and that sums of variables which grow and shrink together are
    /// not negative. Whether there are such sums. They come last: what is carried along copies or completed
    /// from them makes many predicates, each of which is dear.
    pub(crate) fn sums(&mut self) -> Result<bool, Stop> {
        let relation = self.relation;
        let mut sums = vec![];
        for command in &relation.commands {
            let shifts: Vec<Shift> =
                command.updates.iter().filter_map(|it| shift(&relation.exprs, it)).collect();
            for shrinks in shifts.iter().filter(|it| it.variable == it.from && it.by < 0) {
                for grows in shifts.iter().filter(|it| it.by == -shrinks.by) {
                    self.budget.spend(1)?;
                    sums.push([grows.variable, shrinks.variable]);
                    sums.push([grows.from, shrinks.variable]);
                }
            }
        }
        sums.retain(|sum| self.is_sum(*sum));
        if sums.is_empty() {
            return Ok(false);
        }
        self.assertions()?;
        self.guards()?;
        self.neighbours()?;
        self.complete()?;
        sums.into_iter().for_each(|sum| self.no_overflow(sum));
        Ok(true)
    }

    fn is_sum(&self, [a, b]: [LocalId; 2]) -> bool {
        let [left, right] = [a, b].map(|it| &self.relation.variables[it]);
        let wide = matches!(left.ty, Type::Bits(bits) if bits > self.exact_bits);
        a != b && left.ty == right.ty && wide && [left, right].iter().all(|it| it.home != Home::Choice)
    }

    fn no_overflow(&mut self, sum: [LocalId; 2]) {
        let ty = self.relation.variables[sum[0]].ty;
        let [left, right] = sum.map(|it| self.exprs.add(Node::Local(it, ty)));
        let sum = self.exprs.binary(Binary::Add, left, right);
        let zero = self.exprs.number(ty, 0);
        let negative = simplify(&mut self.exprs, Node::Binary(Binary::LtS, sum, zero));
        self.add(negative);
    }
}

/// What an update adds to which variable, if it is that.
fn shift(exprs: &Exprs, update: &Update) -> Option<Shift> {
    let Node::Binary(op @ (Binary::Add | Binary::Sub), a, b) = exprs.node(update.value) else { return None };
    let number = |id: ExprId| {
        let bits = exprs.ty(id).bits(exprs.pointer_bits());
        exprs.constant(id).map(|value| signed(value, bits)).filter(|&it| it != 0)
    };
    let variable = update.variable;
    match (op, exprs.node(a), exprs.node(b)) {
        (_, Node::Local(from, _), _) => {
            let by = number(b)?;
            Some(Shift { variable, from, by: if op == Binary::Sub { -by } else { by } })
        }
        (Binary::Add, _, Node::Local(from, _)) => Some(Shift { variable, from, by: number(a)? }),
        _ => None,
    }
}
