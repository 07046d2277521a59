//! Predicates as they are written, and read again: random ones over variables of all widths are the same condition, whatever the variables hold.

use base::{Budget, Random};
use cegar::boolean::{Written, of_conditions, written};
use ir::c::relation::{Home, Relation};
use ir::c::types::{mask, signed};
use ir::c::{Binary, Convert, ExprId, Exprs, LocalId, Node, ProcId, Type, Unary};
use std::collections::HashMap;
use testing::programs::normalised;

const PROGRAM: &str = "#include <pthread.h>
#include <assert.h>
unsigned char c; signed char s; short h; unsigned short g; unsigned u; int i, k; long l; unsigned long m; int a[2]; unsigned *p;
void *worker(void *arg) {
    unsigned k = u; long w = l; signed char d = s;
    c++; s--; h = g; g = c; i = a[0]; a[1] = i; l = w + m; m = k; p = &u; w = d;
    assert(k <= u || w == l || d == s || p == 0);
    return 0;
}
int main(void) { pthread_t id; for (k = 0; k < 2; k++) pthread_create(&id, 0, worker, 0); return 0; }
";

#[test]
fn written_predicates_are_read_as_the_same() {
    let program = normalised("written.c", PROGRAM, &[]).expect("it is C").program;
    let budget = Budget::unlimited();
    let mut relation = Relation::of(&program, &ir::c::Options::default(), &budget).expect("it is supported");
    let name = |id: ProcId| program.procedures()[id].name.clone();
    let mut random = Random::new(7);
    let mut maker = Maker { random: &mut random, exprs: relation.exprs.clone(), variables: vec![] };
    let worker = relation.variables.iter().find_map(|it| match it.home {
        Home::Template(template) if name(template) == "worker" => Some(template),
        _ => None,
    });
    let worker = worker.expect("the worker has variables");
    let fits = |home: Home| home == Home::Shared || home == Home::Template(worker);
    let numbers =
        relation.variables.enumerate().filter(|(_, it)| matches!(it.ty, Type::Bits(_)) && fits(it.home));
    maker.variables = numbers.map(|(id, it)| (id, it.ty)).collect();
    assert!(maker.variables.len() >= 12);
    let wanted: Vec<ExprId> = (0..60).map(|_| maker.condition(3)).collect();
    relation.exprs = maker.exprs;
    let mut compared = 0;
    for condition in wanted {
        let text = written(&relation, &relation.exprs, condition, &name);
        if relation.exprs.locals(condition).is_empty() || text.contains('…') {
            continue;
        }
        let requested = Written { texts: std::slice::from_ref(&text), function: &name };
        let read = of_conditions(&relation, &requested, &budget).expect("there is no limit");
        let read = read.unwrap_or_else(|why| panic!("{why}"));
        compared += compare(&relation, condition, &read.exprs, &read.conditions, &text, &mut random);
    }
    assert!(compared > 300, "only {compared} values were compared");
}

/// One of the conditions that were read is the one that was written, or its negation, or it is constant and none was kept; how many valuations said so.
fn compare(
    relation: &Relation,
    condition: ExprId,
    exprs: &Exprs,
    read: &[ExprId],
    text: &str,
    random: &mut Random,
) -> usize {
    let variables = relation.exprs.locals(condition);
    let mut rows: Vec<(bool, Vec<bool>)> = vec![];
    for _ in 0..40 {
        let values: HashMap<LocalId, u128> = variables
            .iter()
            .map(|&it| (it, number(random) & mask(relation.variables[it].ty.bits(64))))
            .collect();
        let about = |id: ExprId| exprs.locals(id).iter().all(|it| values.contains_key(it));
        let Some(first) = value(exprs, condition, &values) else { continue };
        let others = read.iter().map(|&it| about(it) && value(exprs, it, &values) == Some(1));
        rows.push((first == 1, others.collect()));
    }
    let constant = rows.windows(2).all(|pair| pair[0].0 == pair[1].0);
    let same = |at: usize| rows.iter().all(|row| row.0 == row.1[at]);
    assert!(constant || (0..read.len()).any(same), "{text}: {}", relation.show(condition));
    if constant { 0 } else { rows.len() }
}

/// Mostly small and mostly near the limits of types.
fn number(random: &mut Random) -> u128 {
    let bits = u128::from(random.bits()) << 64 | u128::from(random.bits());
    match random.below(4) {
        0 => bits,
        1 => bits & 3,
        2 => (1 << random.below(66)) + (bits & 1),
        _ => (bits & 3).wrapping_neg(),
    }
}

struct Maker<'a> {
    random: &'a mut Random,
    exprs: Exprs,
    variables: Vec<(LocalId, Type)>,
}

impl Maker<'_> {
    fn condition(&mut self, depth: usize) -> ExprId {
        use Binary::*;
        if depth > 1 && self.random.percent(30) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let operator = *self.random.pick(&[And, Or, Xor, Eq]);
            return self.exprs.binary(operator, a, b);
        }
        if depth > 1 && self.random.percent(10) {
            let a = self.condition(depth - 1);
            return self.exprs.not(a);
        }
        let ty = Type::Bits(*self.random.pick(&[8, 16, 32, 32, 64]));
        let (a, b) = (self.word(ty, depth), self.word(ty, depth));
        let operator = *self.random.pick(&[Eq, LtU, LeU, LtS, LeS]);
        self.exprs.binary(operator, a, b)
    }

    fn word(&mut self, ty: Type, depth: usize) -> ExprId {
        use Binary::*;
        let Type::Bits(bits) = ty else { panic!("words have bits") };
        let own: Vec<(LocalId, Type)> = self.variables.iter().copied().filter(|it| it.1 == ty).collect();
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 => {
                let value = number(self.random);
                self.exprs.number(ty, value)
            }
            1 if !own.is_empty() => {
                let (variable, ty) = *self.random.pick(&own);
                self.exprs.add(Node::Local(variable, ty))
            }
            2 => {
                let a = self.word(ty, depth - 1);
                let operator = *self.random.pick(&[Unary::Not, Unary::Neg]);
                self.exprs.add(Node::Unary(operator, a))
            }
            3 => {
                let from = *self.random.pick(&[8, 16, 32, 64, 128]);
                let a = self.word(Type::Bits(from), depth - 1);
                let extend = *self.random.pick(&[Convert::ZeroExtend, Convert::SignExtend]);
                self.exprs.convert(if from > bits { Convert::Truncate } else { extend }, ty, a)
            }
            4 => {
                let test = self.condition(depth - 1);
                let (a, b) = (self.word(ty, depth - 1), self.word(ty, depth - 1));
                self.exprs.add(Node::Ite(test, a, b))
            }
            1 => self.exprs.number(ty, 5),
            _ => {
                let (a, b) = (self.word(ty, depth - 1), self.word(ty, depth - 1));
                let operators = [Add, Sub, Mul, And, Or, Xor, DivU, DivS, RemU, RemS, Shl, ShrU, ShrS];
                let operator = *self.random.pick(&operators);
                self.exprs.binary(operator, a, b)
            }
        }
    }
}

/// The value of an expression; none where it has no meaning.
fn value(exprs: &Exprs, root: ExprId, values: &HashMap<LocalId, u128>) -> Option<u128> {
    let mut found: HashMap<ExprId, u128> = HashMap::new();
    for id in exprs.below(root) {
        let ty = exprs.ty(id);
        let bits = ty.bits(64);
        let value = match exprs.node(id) {
            Node::Const(_, value) => value,
            Node::Local(variable, _) => values[&variable],
            Node::Unary(Unary::Not, a) => !found[&a],
            Node::Unary(Unary::Neg, a) => found[&a].wrapping_neg(),
            Node::Binary(operator, a, b) => binary(operator, exprs.ty(a).bits(64), found[&a], found[&b])?,
            Node::Convert(Convert::SignExtend, _, a) => signed(found[&a], exprs.ty(a).bits(64)) as u128,
            Node::Convert(_, _, a) => found[&a],
            Node::Ite(test, a, b) => found[if found[&test] == 1 { &a } else { &b }],
            Node::Address(_) => return None,
        };
        found.insert(id, value & mask(bits));
    }
    Some(found[&root])
}

fn binary(operator: Binary, bits: u8, a: u128, b: u128) -> Option<u128> {
    use Binary::*;
    let (x, y) = (signed(a, bits), signed(b, bits));
    let shift = || u32::try_from(b).ok().filter(|&it| it < u32::from(bits));
    Some(match operator {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        DivU => a.checked_div(b)?,
        RemU => a.checked_rem(b)?,
        DivS if y == 0 => return None,
        RemS if y == 0 => return None,
        DivS => x.wrapping_div(y) as u128,
        RemS => x.wrapping_rem(y) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => a << shift()?,
        ShrU => a >> shift()?,
        ShrS => (x >> shift()?) as u128,
        Eq => u128::from(a == b),
        LtU => u128::from(a < b),
        LeU => u128::from(a <= b),
        LtS => u128::from(x < y),
        LeS => u128::from(x <= y),
        _ => return None,
    })
}
