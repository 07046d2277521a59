//! Expressions of a relation as text of SMT-LIB 2 (logic QF_BV), for solvers that are programs of their own.
//! Each expression is defined once, under a name, so that the text is as long as the pool. Everything means
//! what it means in the circuits ([`crate::terms::circuits`]): truth values are words of one bit, a quotient
//! or remainder by zero is zero, a shift too far gives zeros or copies of the sign bit, and what has no
//! circuit (floats, addresses that the relation does not number) is a variable of its own.

use base::{Budget, Id, Stop};
use c::types::mask;
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, Unary};
use relation::Relation;
use rustc_hash::FxHashMap;
use std::fmt::Write;

#[cfg(test)]
mod tests;

/// A word of the script: a name of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    name: String,
    bits: u8,
}

/// In which state variables are read: what some of them stand for, and the terms of the expressions that were
/// written there.
#[derive(Clone, Debug, Default)]
pub struct SmtView {
    values: FxHashMap<LocalId, Term>,
    memo: FxHashMap<ExprId, Term>,
}

impl SmtView {
    /// A state in which these variables have these values, and all others their first ones.
    pub fn with(values: FxHashMap<LocalId, Term>) -> SmtView {
        SmtView { values, memo: FxHashMap::default() }
    }
}

/// What is needed to write an expression.
pub struct SmtReading<'a> {
    /// The variables.
    pub relation: &'a Relation,
    /// The pool of the expression; it begins with that of the relation.
    pub exprs: &'a Exprs,
    /// In which state.
    pub view: &'a mut SmtView,
    /// What may be spent.
    pub budget: &'a Budget,
}

/// A script on its way.
#[derive(Clone, Debug)]
pub struct Script {
    text: String,
    inputs: FxHashMap<LocalId, Term>,
    names: usize,
}

impl Script {
    /// Nothing but the logic.
    pub fn new() -> Script {
        Script { text: "(set-logic QF_BV)\n".into(), inputs: FxHashMap::default(), names: 0 }
    }

    /// The first value of a variable.
    pub fn input(&mut self, relation: &Relation, variable: LocalId) -> Term {
        if let Some(term) = self.inputs.get(&variable) {
            return term.clone();
        }
        let about = &relation.variables[variable];
        let bits = about.ty.bits(relation.exprs.pointer_bits());
        let plain: String = about.name.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        let term = self.declare(format!("v{}", variable.index()), bits, &plain);
        self.inputs.insert(variable, term.clone());
        term
    }

    /// The term of an expression.
    pub fn word(&mut self, reading: &mut SmtReading<'_>, root: ExprId) -> Result<Term, Stop> {
        for id in reading.exprs.below(root) {
            if !reading.view.memo.contains_key(&id) {
                reading.budget.spend(1)?;
                let term = self.operator(reading, id);
                reading.view.memo.insert(id, term);
            }
        }
        Ok(reading.view.memo[&root].clone())
    }

    /// A truth value holds.
    pub fn hold(&mut self, term: &Term) {
        self.line(format_args!("(assert (= {} #b1))", term.name));
    }

    /// A word has a value.
    pub fn equal(&mut self, term: &Term, value: u128) {
        self.line(format_args!("(assert (= {} {}))", term.name, number(value, term.bits)));
    }

    /// The whole text, which asks whether all of this can be.
    pub fn question(mut self) -> String {
        self.line(format_args!("(check-sat)"));
        self.text
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").expect("writing to a string cannot fail");
    }

    fn declare(&mut self, name: String, bits: u8, what: &str) -> Term {
        self.line(format_args!("(declare-fun {name} () (_ BitVec {bits})) ; {what}"));
        Term { name, bits }
    }

    /// A variable for what has no circuit.
    fn fresh(&mut self, bits: u8) -> Term {
        self.names += 1;
        self.declare(format!("f{}", self.names), bits, "any value")
    }

    fn operator(&mut self, reading: &SmtReading<'_>, id: ExprId) -> Term {
        let exprs = reading.exprs;
        let bits = exprs.ty(id).bits(exprs.pointer_bits());
        let of = |id: ExprId| &reading.view.memo[&id];
        let body = match exprs.node(id) {
            Node::Local(local, _) => match reading.view.values.get(&local) {
                Some(term) => return term.clone(),
                None => return self.input(reading.relation, local),
            },
            Node::Const(_, value) => Some(number(value, bits)),
            Node::Address(_) => None,
            Node::Unary(Unary::Not, a) => Some(format!("(bvnot {})", of(a).name)),
            Node::Unary(Unary::Neg, a) if !exprs.ty(a).is_float() => Some(format!("(bvneg {})", of(a).name)),
            Node::Unary(Unary::Neg, _) => None,
            Node::Binary(_, a, _) if exprs.ty(a).is_float() => None,
            Node::Binary(op, a, b) => binary(op, of(a), of(b)),
            Node::Convert(op, _, a) => match op {
                Convert::ZeroExtend | Convert::Truncate | Convert::Reinterpret => {
                    Some(resized(of(a), bits, "zero_extend"))
                }
                Convert::SignExtend => Some(resized(of(a), bits, "sign_extend")),
                _ => None,
            },
            Node::Ite(test, a, b) => {
                Some(format!("(ite (= {} #b1) {} {})", of(test).name, of(a).name, of(b).name))
            }
        };
        let Some(body) = body else { return self.fresh(bits) };
        self.names += 1;
        let name = format!("t{}", self.names);
        self.line(format_args!("(define-fun {name} () (_ BitVec {bits}) {body})"));
        Term { name, bits }
    }
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

fn number(value: u128, bits: u8) -> String {
    format!("(_ bv{} {bits})", value & mask(bits))
}

/// The lowest bits, or all with more in front.
fn resized(term: &Term, bits: u8, extension: &str) -> String {
    match bits.cmp(&term.bits) {
        std::cmp::Ordering::Less => format!("((_ extract {} 0) {})", bits - 1, term.name),
        std::cmp::Ordering::Equal => term.name.clone(),
        std::cmp::Ordering::Greater => format!("((_ {extension} {}) {})", bits - term.bits, term.name),
    }
}

fn binary(op: Binary, left: &Term, right: &Term) -> Option<String> {
    use Binary::*;
    let (a, b) = (&left.name, &right.name);
    let zero = number(0, left.bits);
    Some(match op {
        Add => format!("(bvadd {a} {b})"),
        Sub => format!("(bvsub {a} {b})"),
        Mul => format!("(bvmul {a} {b})"),
        // The standard has another value for division by zero.
        DivU => format!("(ite (= {b} {zero}) {zero} (bvudiv {a} {b}))"),
        DivS => format!("(ite (= {b} {zero}) {zero} (bvsdiv {a} {b}))"),
        RemU => format!("(ite (= {b} {zero}) {zero} (bvurem {a} {b}))"),
        RemS => format!("(ite (= {b} {zero}) {zero} (bvsrem {a} {b}))"),
        And => format!("(bvand {a} {b})"),
        Or => format!("(bvor {a} {b})"),
        Xor => format!("(bvxor {a} {b})"),
        Shl => shift("bvshl", "zero_extend", left, right),
        ShrU => shift("bvlshr", "zero_extend", left, right),
        ShrS => shift("bvashr", "sign_extend", left, right),
        Eq => truth(format!("(= {a} {b})")),
        LtU => truth(format!("(bvult {a} {b})")),
        LtS => truth(format!("(bvslt {a} {b})")),
        LeU => truth(format!("(bvule {a} {b})")),
        LeS => truth(format!("(bvsle {a} {b})")),
        DivF | LtF | LeF => return None,
    })
}

fn truth(condition: String) -> String {
    format!("(ite {condition} #b1 #b0)")
}

/// Both operands of a shift must have one width in SMT-LIB; what is shifted out of the wider word is out of
/// the narrower one, too.
fn shift(operator: &str, extension: &str, word: &Term, amount: &Term) -> String {
    let bits = word.bits.max(amount.bits);
    let wide = resized(word, bits, extension);
    let amount = resized(amount, bits, "zero_extend");
    let shifted = format!("({operator} {wide} {amount})");
    if bits == word.bits { shifted } else { format!("((_ extract {} 0) {shifted})", word.bits - 1) }
}
