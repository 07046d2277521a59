//! Values as Boolean expressions: which kind of value, its bits if it is a number, and where there is none.

use super::abs::Abs;
use super::circuits::Word;
use super::domain::Domain;
use super::gates::Gates;
use c::{Binary, Convert, Trouble, Type, Unary, Value};
use ir::bp::ExprId;

/// A value. Where it is undefined (`fault`) and where the machine does not know it (`unsupported`), the rest
/// does not count.
#[derive(Clone, Debug)]
pub struct Sym {
    pub bits: Word,
    /// Whether it is a number.
    pub number: ExprId,
    /// Whether it is this address or handle.
    pub others: Vec<(Value, ExprId)>,
    pub fault: ExprId,
    pub unsupported: ExprId,
}

/// A value with what it may be.
#[derive(Clone, Debug)]
pub struct Val {
    pub abs: Abs,
    pub sym: Sym,
}

/// An address that a value may be, and when it is.
#[derive(Clone, Copy)]
struct Address {
    value: Value,
    holds: ExprId,
}

impl Sym {
    pub fn constant(gates: &Gates, value: Value, bits: u8) -> Sym {
        let (number, others) = match value {
            Value::Bits(_) => (gates.one(), vec![]),
            other => (gates.zero(), vec![(other, gates.one())]),
        };
        let word = gates.number(value.bits().unwrap_or(0), bits);
        Sym { bits: word, number, others, fault: gates.zero(), unsupported: gates.zero() }
    }

    pub fn word(gates: &Gates, bits: Word) -> Sym {
        Sym { bits, number: gates.one(), others: vec![], fault: gates.zero(), unsupported: gates.zero() }
    }

    /// Whether it is this value.
    pub fn is(&self, gates: &mut Gates, value: Value) -> ExprId {
        match value {
            Value::Bits(number) => {
                let equal = gates.is(&self.bits, number);
                gates.and(self.number, equal)
            }
            other => self.others.iter().find(|it| it.0 == other).map_or(gates.zero(), |it| it.1),
        }
    }

    /// Troubles of operands come first, in order.
    fn troubles(gates: &mut Gates, a: &Sym, b: &Sym) -> [ExprId; 2] {
        let (fine_a, known_a) = (gates.not(a.fault), gates.not(a.unsupported));
        let (later_fault, later_unknown) = (gates.and(b.fault, known_a), gates.and(b.unsupported, fine_a));
        [gates.or(a.fault, later_fault), gates.or(a.unsupported, later_unknown)]
    }
}

/// One of several values, each under its condition.
pub fn mux(gates: &mut Gates, bits: u8, cases: &[(ExprId, Sym)]) -> Sym {
    if let [(_, only)] = cases {
        return only.clone();
    }
    let zero = gates.zero();
    let mut made = Sym {
        bits: vec![zero; usize::from(bits)],
        number: zero,
        others: vec![],
        fault: zero,
        unsupported: zero,
    };
    for (cond, case) in cases {
        let number = gates.and(*cond, case.number);
        made.number = gates.or(made.number, number);
        for (all, &bit) in made.bits.iter_mut().zip(&case.bits) {
            let bit = gates.and(number, bit);
            *all = gates.or(*all, bit);
        }
        for &(value, holds) in &case.others {
            let holds = gates.and(*cond, holds);
            add_case(gates, &mut made.others, value, holds);
        }
        let (fault, unsupported) = (gates.and(*cond, case.fault), gates.and(*cond, case.unsupported));
        made.fault = gates.or(made.fault, fault);
        made.unsupported = gates.or(made.unsupported, unsupported);
    }
    made
}

fn add_case(gates: &mut Gates, others: &mut Vec<(Value, ExprId)>, value: Value, holds: ExprId) {
    match others.iter_mut().find(|it| it.0 == value) {
        Some(it) => it.1 = gates.or(it.1, holds),
        None => others.push((value, holds)),
    }
}

/// Collects the results of an operator case by case.
struct Cases {
    made: Sym,
}

impl Cases {
    fn new(gates: &Gates, bits: u8, troubles: [ExprId; 2]) -> Self {
        let zero = gates.zero();
        let bits = vec![zero; usize::from(bits)];
        Self {
            made: Sym { bits, number: zero, others: vec![], fault: troubles[0], unsupported: troubles[1] },
        }
    }

    fn add(&mut self, gates: &mut Gates, cond: ExprId, result: Result<Value, Trouble>) {
        if gates.known(cond) == Some(false) {
            return;
        }
        match result {
            Ok(Value::Bits(number)) => {
                let word = gates.number(number, self.made.bits.len() as u8);
                self.add_word(gates, cond, &word);
            }
            Ok(other) => add_case(gates, &mut self.made.others, other, cond),
            Err(trouble) => {
                let unknown = matches!(trouble, Trouble::Unsupported(_));
                self.add_trouble(gates, cond, unknown);
            }
        }
    }

    fn add_word(&mut self, gates: &mut Gates, cond: ExprId, word: &[ExprId]) {
        self.made.number = gates.or(self.made.number, cond);
        for (all, &bit) in self.made.bits.iter_mut().zip(word) {
            let bit = gates.and(cond, bit);
            *all = gates.or(*all, bit);
        }
    }

    fn add_trouble(&mut self, gates: &mut Gates, cond: ExprId, unknown: bool) {
        let before = gates.or(self.made.fault, self.made.unsupported);
        let fine = gates.not(before);
        let cond = gates.and(cond, fine);
        let side = if unknown { &mut self.made.unsupported } else { &mut self.made.fault };
        *side = gates.or(*side, cond);
    }
}

pub fn unary(gates: &mut Gates, op: Unary, ty: Type, a: &Sym) -> Sym {
    let zero = gates.zero();
    let bits = match op {
        _ if ty.is_float() => gates.choices(a.bits.len() as u8),
        Unary::Not => gates.invert(&a.bits),
        Unary::Neg => {
            let zeros = vec![zero; a.bits.len()];
            gates.subtract(&zeros, &a.bits)
        }
    };
    let mut cases = Cases { made: Sym { bits, others: vec![], ..a.clone() } };
    for &(_, cond) in &a.others {
        cases.add_trouble(gates, cond, true);
    }
    cases.made
}

pub fn convert(
    gates: &mut Gates,
    domain: &Domain,
    op: Convert,
    types: [Type; 2],
    a: &Sym,
    to_bits: u8,
) -> Sym {
    let [from, to] = types;
    if from.is_float() || to.is_float() {
        let bits = gates.choices(to_bits);
        return Sym { bits, ..a.clone() };
    }
    let zero = gates.zero();
    let fill = if op == Convert::SignExtend { a.bits.last().copied().unwrap_or(zero) } else { zero };
    let mut bits = a.bits.clone();
    bits.resize(usize::from(to_bits), fill);
    if a.others.is_empty() {
        return Sym { bits, ..a.clone() };
    }
    let mut cases = Cases::new(gates, to_bits, [a.fault, a.unsupported]);
    cases.add_word(gates, a.number, &bits);
    for &(value, cond) in &a.others {
        cases.add(gates, cond, domain.single_convert(op, from, to, value));
    }
    cases.made
}

/// The condition as one expression.
pub fn truth(gates: &mut Gates, a: &Sym) -> ExprId {
    gates.any(a.bits.iter().copied())
}

pub fn ite(gates: &mut Gates, cond: &Sym, a: &Sym, b: &Sym) -> Sym {
    let holds = truth(gates, cond);
    let fails = gates.not(holds);
    let bits = a.bits.len() as u8;
    let mut made = match gates.known(holds) {
        Some(true) => a.clone(),
        Some(false) => b.clone(),
        None => mux(gates, bits, &[(holds, a.clone()), (fails, b.clone())]),
    };
    let strange = gates.not(cond.number);
    let strange = if cond.others.is_empty() { gates.zero() } else { strange };
    let first = Sym { fault: cond.fault, unsupported: gates.or(cond.unsupported, strange), ..made.clone() };
    [made.fault, made.unsupported] = Sym::troubles(gates, &first, &made);
    made
}

/// How an operator is applied.
pub struct Operator<'d> {
    pub domain: &'d Domain,
    pub op: Binary,
    pub ty: Type,
    /// The width of the result.
    pub bits: u8,
}

impl Operator<'_> {
    /// The result and whether it has more values than it should.
    pub fn apply(&self, gates: &mut Gates, a: &Val, b: &Val) -> (Sym, bool) {
        let troubles = Sym::troubles(gates, &a.sym, &b.sym);
        let both = gates.and(a.sym.number, b.sym.number);
        if self.ty.is_float() {
            let bits = gates.choices(self.bits);
            let made = Sym {
                bits,
                number: gates.one(),
                others: vec![],
                fault: troubles[0],
                unsupported: troubles[1],
            };
            return (made, true);
        }
        let mut cases = Cases::new(gates, self.bits, troubles);
        if gates.known(both) != Some(false) {
            let fault = gates.fault(self.op, &a.sym.bits, &b.sym.bits);
            let fault = gates.and(both, fault);
            cases.add_trouble(gates, fault, false);
            let word = gates.binary(self.op, &a.sym.bits, &b.sym.bits);
            if a.sym.others.is_empty() && b.sym.others.is_empty() {
                cases.made.number = gates.one();
                cases.made.bits = word;
                return (cases.made, false);
            }
            cases.add_word(gates, both, &word);
        }
        let lost = self.addresses(gates, &mut cases, a, b);
        (cases.made, lost)
    }

    /// The cases in which not both operands are numbers.
    fn addresses(&self, gates: &mut Gates, cases: &mut Cases, a: &Val, b: &Val) -> bool {
        let mut lost = false;
        for &(x, holds) in &a.sym.others {
            for &(y, too) in &b.sym.others {
                let cond = gates.and(holds, too);
                match self.domain.pair(self.op, self.ty, x, y) {
                    Some(result) => cases.add(gates, cond, result),
                    None => {
                        let word = gates.choices(self.bits);
                        cases.add_word(gates, cond, &word);
                        lost = true;
                    }
                }
            }
        }
        for (one, other, swapped) in [(a, b, false), (b, a, true)] {
            if gates.known(other.sym.number) == Some(false) {
                continue;
            }
            for &(x, holds) in &one.sym.others {
                self.with_numbers(gates, cases, Address { value: x, holds }, other, swapped);
            }
        }
        lost
    }

    fn with_numbers(
        &self,
        gates: &mut Gates,
        cases: &mut Cases,
        address: Address,
        other: &Val,
        swapped: bool,
    ) {
        let Address { value: x, holds } = address;
        let cond = gates.and(holds, other.sym.number);
        // No address equals a number.
        if self.op == Binary::Eq {
            cases.add(gates, cond, Ok(Value::Bits(0)));
            return;
        }
        // The analysis has refused what cannot be listed.
        for number in other.abs.numbers.list(4 * super::domain::TARGETS).unwrap_or_default() {
            let equal = gates.is(&other.sym.bits, number);
            let cond = gates.and(cond, equal);
            let y = Value::Bits(number);
            let [first, second] = if swapped { [y, x] } else { [x, y] };
            if let Some(result) = self.domain.pair(self.op, self.ty, first, second) {
                cases.add(gates, cond, result);
            }
        }
    }
}
