//! Expressions of a relation as circuits. A [`View`] says in which state the variables are read: before or
//! after a command, and of which of the threads that take part. Updates are functions of the state before, so
//! the state after needs no inputs of its own: a variable that a command writes is read there as the circuit
//! of its new value.

use base::{Budget, Stop};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, Unary};
use relation::{Home, Relation};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use solve::bv::{self, Word};

/// One of the threads that take part in a step: the active one is 0, passive ones are 1 and 2.
pub type Who = u8;

/// The circuits of one relation and their inputs: one word for each shared variable and for each variable of
/// each thread.
pub struct Circuits {
    /// The graph that all formulas are in.
    pub aig: Aig,
    inputs: FxHashMap<(LocalId, Who), Word>,
}

/// Where variables are read.
#[derive(Clone, Debug, Default)]
pub struct View {
    who: Who,
    values: FxHashMap<LocalId, Word>,
    memo: FxHashMap<ExprId, Word>,
}

impl View {
    /// The state before the command, as a thread sees it.
    pub fn before(who: Who) -> View {
        View { who, ..View::default() }
    }

    /// As a thread sees it, with some variables replaced.
    pub fn with(who: Who, values: FxHashMap<LocalId, Word>) -> View {
        View { who, values, memo: FxHashMap::default() }
    }
}

impl Circuits {
    /// No circuit yet.
    pub fn new() -> Self {
        Self { aig: Aig::new(0), inputs: FxHashMap::default() }
    }

    /// The input word of a variable in the state before the command.
    pub fn input(&mut self, relation: &Relation, variable: LocalId, who: Who) -> Word {
        let who = if relation.variables[variable].home == Home::Shared { 0 } else { who };
        let aig = &mut self.aig;
        let bits = relation.variables[variable].ty.bits(relation.exprs.pointer_bits());
        self.inputs.entry((variable, who)).or_insert_with(|| bv::fresh(aig, usize::from(bits))).clone()
    }

    /// The words of all inputs that variables have, in the order in which they were made.
    pub fn inputs(&self) -> Vec<&Word> {
        let mut words: Vec<&Word> = self.inputs.values().collect();
        words.sort_unstable();
        words
    }

    /// A truth value as a formula.
    pub fn truth(&mut self, reading: &mut Reading<'_>, id: ExprId) -> Result<Lit, Stop> {
        let word = self.word(reading, id)?;
        Ok(word.first().copied().unwrap_or(Lit::FALSE))
    }

    /// The circuit of an expression.
    pub fn word(&mut self, reading: &mut Reading<'_>, root: ExprId) -> Result<Word, Stop> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if reading.view.memo.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = reading.exprs.node(id);
            let waiting = stack.len();
            stack.extend(node.children().filter(|child| !reading.view.memo.contains_key(child)));
            if stack.len() == waiting {
                let nodes = self.aig.len();
                let word = self.operator(reading, id, node);
                reading.budget.spend(1 + (self.aig.len() - nodes) as u64 / 16)?;
                reading.view.memo.insert(id, word);
                stack.pop();
            }
        }
        Ok(reading.view.memo[&root].clone())
    }

    fn operator(&mut self, reading: &Reading<'_>, id: ExprId, node: Node) -> Word {
        let bits = usize::from(reading.exprs.ty(id).bits(reading.exprs.pointer_bits()));
        let of = |id: ExprId| reading.view.memo[&id].as_slice();
        match node {
            Node::Const(_, value) => bv::constant(value, bits),
            Node::Local(local, _) => match reading.view.values.get(&local) {
                Some(word) => word.clone(),
                None => self.input(reading.relation, local, reading.view.who),
            },
            // The relation numbers the addresses that it follows; nothing is known of others.
            Node::Address(_) => bv::fresh(&mut self.aig, bits),
            Node::Unary(Unary::Not, a) => bv::not(of(a)),
            Node::Unary(Unary::Neg, a) if !reading.exprs.ty(a).is_float() => bv::neg(&mut self.aig, of(a)),
            Node::Unary(Unary::Neg, _) => bv::fresh(&mut self.aig, bits),
            Node::Binary(_, a, _) if reading.exprs.ty(a).is_float() => bv::fresh(&mut self.aig, bits),
            Node::Binary(op, a, b) => binary(&mut self.aig, op, of(a), of(b)),
            Node::Convert(op, _, a) => match op {
                Convert::ZeroExtend | Convert::Truncate | Convert::Reinterpret => bv::resize(of(a), bits),
                Convert::SignExtend => bv::resize_signed(of(a), bits),
                _ => bv::fresh(&mut self.aig, bits),
            },
            Node::Ite(test, then, other) => {
                let test = of(test).first().copied().unwrap_or(Lit::FALSE);
                bv::ite(&mut self.aig, test, of(then), of(other))
            }
        }
    }
}

impl Default for Circuits {
    fn default() -> Self {
        Self::new()
    }
}

/// What is needed to read an expression.
pub struct Reading<'a> {
    /// The variables.
    pub relation: &'a Relation,
    /// The pool of the expression; it begins with that of the relation.
    pub exprs: &'a Exprs,
    /// In which state.
    pub view: &'a mut View,
    /// What may be spent.
    pub budget: &'a Budget,
}

/// Whether a comparison holds of two words.
pub fn compare(aig: &mut Aig, op: Binary, a: &[Lit], b: &[Lit]) -> Lit {
    binary(aig, op, a, b).first().copied().unwrap_or(Lit::FALSE)
}

pub(crate) fn binary(aig: &mut Aig, op: Binary, a: &[Lit], b: &[Lit]) -> Word {
    use Binary::*;
    match op {
        Add => bv::add(aig, a, b),
        Sub => bv::sub(aig, a, b),
        Mul => bv::mul(aig, a, b),
        DivU => bv::div_unsigned(aig, a, b),
        DivS => bv::div_signed(aig, a, b),
        RemU => bv::rem_unsigned(aig, a, b),
        RemS => bv::rem_signed(aig, a, b),
        And => bv::and(aig, a, b),
        Or => bv::or(aig, a, b),
        Xor => bv::xor(aig, a, b),
        Shl => bv::shift_left(aig, a, b),
        ShrU => bv::shift_right(aig, a, b, Lit::FALSE),
        ShrS => bv::shift_right(aig, a, b, bv::sign(a)),
        Eq => vec![bv::equal(aig, a, b)],
        LtU => vec![bv::less_unsigned(aig, a, b)],
        LtS => vec![bv::less_signed(aig, a, b)],
        LeU => vec![!bv::less_unsigned(aig, b, a)],
        LeS => vec![!bv::less_signed(aig, b, a)],
        // Operators on floats, which were met before.
        DivF | LtF | LeF => bv::fresh(aig, if op == DivF { a.len() } else { 1 }),
    }
}

/// Whether a variable belongs to a thread.
pub fn of_thread(relation: &Relation, variable: LocalId) -> bool {
    matches!(relation.variables[variable].home, Home::Thread | Home::Template(_))
}
