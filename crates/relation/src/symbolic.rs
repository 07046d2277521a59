//! Symbolic execution of one thread from a control location: where it stands, what it has written, and under
//! which condition.

use super::kinds::Kinds;
use super::maker::Maker;
use super::{Home, Update};
use c::expr::{Binary, Convert, ExprId, Node};
use c::program::{Loc, LocalId, ProcId};
use c::types::{ObjectScope, TRUTH, Type, mask};
use std::collections::{BTreeMap, HashMap};

/// A thread that begins.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub template: ProcId,
    pub values: Vec<Update>,
}

/// A thread on its way from one control location to the next.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub template: ProcId,
    pub loc: Loc,
    /// Which part of its step comes next.
    pub phase: u8,
    /// Whether it is inside an atomic section.
    pub section: bool,
    /// What it has written, over the values before the command.
    pub written: BTreeMap<LocalId, ExprId>,
    /// When it comes here.
    pub guard: ExprId,
    /// What the guard says about the truth of other expressions.
    pub facts: BTreeMap<ExprId, bool>,
    /// What must hold of all other threads.
    pub others: Option<ExprId>,
    pub creates: Option<Child>,
    pub steps: Vec<Loc>,
    /// Whether it did something that others can see.
    pub touched: bool,
    /// How many values of each type it has chosen.
    pub used: BTreeMap<Type, u32>,
}

impl Path {
    /// A thread that stands outside of sections and has done nothing yet.
    pub fn at(loc: Loc, template: ProcId, guard: ExprId) -> Path {
        Path {
            template,
            loc,
            phase: 0,
            section: false,
            written: BTreeMap::new(),
            guard,
            facts: BTreeMap::new(),
            others: None,
            creates: None,
            steps: vec![],
            touched: false,
            used: BTreeMap::new(),
        }
    }
}

/// The value of an expression, and when it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning {
    pub value: ExprId,
    pub defined: ExprId,
}

impl Maker<'_> {
    /// A value that the command chooses.
    pub fn choose(&mut self, path: &mut Path, ty: Type) -> ExprId {
        let number = path.used.entry(ty).or_default();
        let variable = self.choice(ty, *number);
        *number += 1;
        self.pool.variable(variable, ty)
    }

    /// A truth value that the command chooses.
    pub fn toss(&mut self, path: &mut Path) -> ExprId {
        self.choose(path, TRUTH)
    }

    /// What a variable holds now.
    pub fn read(&mut self, path: &Path, variable: LocalId) -> ExprId {
        match path.written.get(&variable) {
            Some(&value) => value,
            None => self.pool.variable(variable, self.variables[variable].ty),
        }
    }

    pub fn write(&mut self, path: &mut Path, variable: LocalId, value: ExprId) {
        debug_assert_eq!(
            self.pool.ty(value),
            self.variables[variable].ty,
            "{}",
            self.variables[variable].name
        );
        path.touched |= self.variables[variable].home == Home::Shared;
        path.written.insert(variable, value);
    }

    /// Adds to the condition under which the thread comes here. Whether it can come here at all.
    pub fn assume(&mut self, path: &mut Path, cond: ExprId) -> bool {
        let cond = self.pool.given(cond, &path.facts);
        self.pool.learn(cond, &mut path.facts);
        path.guard = self.pool.and(path.guard, cond);
        !self.pool.is_false(path.guard)
    }

    /// The thread waits for ever unless the condition holds. Others still see what it did before in this
    /// command.
    pub fn require(&mut self, path: &mut Path, cond: ExprId) -> bool {
        if !path.section && (path.touched || path.creates.is_some()) {
            let mut stuck = path.clone();
            let not = self.pool.not(cond);
            if self.assume(&mut stuck, not) {
                self.strand(stuck);
            }
        }
        self.assume(path, cond)
    }

    /// The value of an expression where the thread is; `None` if it never has one.
    pub fn value(&mut self, path: &mut Path, e: ExprId) -> Option<ExprId> {
        let meaning = self.meaning(path, e);
        self.require(path, meaning.defined).then_some(meaning.value)
    }

    /// The value of an expression, and when it has one.
    pub fn meaning(&mut self, path: &mut Path, root: ExprId) -> Meaning {
        let program = self.program;
        let mut done: HashMap<ExprId, Meaning> = HashMap::new();
        for id in program.exprs().below(root) {
            let node = program.exprs().node(id);
            let yes = self.pool.truth(true);
            let mut meaning = Meaning { value: yes, defined: yes };
            if let Node::Ite(cond, then, other) = node {
                let [cond, then, other] = [cond, then, other].map(|child| done[&child]);
                let defined = self.pool.ite(cond.value, then.defined, other.defined);
                meaning.defined = self.pool.and(cond.defined, defined);
                meaning.value = self.pool.ite(cond.value, then.value, other.value);
            } else {
                for child in node.children() {
                    meaning.defined = self.pool.and(meaning.defined, done[&child].defined);
                }
                meaning.value = self.operator(path, id, |child| done[&child].value);
                if let Node::Binary(op, _, b) = node {
                    let allowed = self.allowed(op, program.exprs().ty(id), done[&b].value);
                    meaning.defined = self.pool.and(meaning.defined, allowed);
                }
            }
            done.insert(id, meaning);
        }
        done[&root]
    }

    /// When an operator has a meaning for this second operand.
    fn allowed(&mut self, op: Binary, ty: Type, b: ExprId) -> ExprId {
        match op {
            Binary::DivU | Binary::DivS | Binary::RemU | Binary::RemS => {
                let zero = self.pool.is(b, 0);
                self.pool.not(zero)
            }
            Binary::Shl | Binary::ShrU | Binary::ShrS => {
                let width = u128::from(ty.bits(self.numbers.bits));
                if mask(self.pool.bits(b)) < width {
                    return self.pool.truth(true);
                }
                let width = self.pool.number(self.pool.ty(b), width);
                self.pool.binary(Binary::LtU, b, width)
            }
            _ => self.pool.truth(true),
        }
    }

    /// An operator on operands that were translated. What depends on where objects lie, and floats, have any
    /// value.
    fn operator(&mut self, path: &mut Path, id: ExprId, get: impl Fn(ExprId) -> ExprId) -> ExprId {
        let program = self.program;
        let ty = program.exprs().ty(id);
        match program.exprs().node(id) {
            Node::Const(ty, value) => self.pool.number(ty, value),
            Node::Local(local, _) => self.read(path, local),
            Node::Address(object) if program.objects()[object].scope == ObjectScope::Static => {
                let number = self.numbers.address(object, 0);
                self.pool.number(Type::Pointer, number)
            }
            Node::Address(object) => self.read(path, self.addresses[&object]),
            Node::Unary(op, a) if ty.is_float() || self.values.of(a).tagged() => {
                let _ = op;
                self.choose(path, ty)
            }
            Node::Unary(op, a) => self.pool.unary(op, get(a)),
            Node::Binary(op, a, b) if program.exprs().ty(a).is_float() => {
                let _ = (op, b);
                self.choose(path, ty)
            }
            Node::Binary(op, a, b) if self.values.of(a).with(self.values.of(b)).tagged() => {
                let plain = self.pool.binary(op, get(a), get(b));
                self.careful(path, op, [a, b], plain)
            }
            Node::Binary(op, a, b) => self.pool.binary(op, get(a), get(b)),
            Node::Convert(op, ty, a) => {
                let from = program.exprs().ty(a);
                let float = (from.is_float() || ty.is_float()) && op != Convert::Reinterpret;
                // The machine keeps an address or a handle as it is; its number may not fit.
                let moved = self.values.of(a).tagged()
                    && op != Convert::Reinterpret
                    && from.bits(self.numbers.bits) != ty.bits(self.numbers.bits);
                if float || moved { self.choose(path, ty) } else { self.pool.convert(op, ty, get(a)) }
            }
            Node::Ite(..) => self.choose(path, ty),
        }
    }

    /// An operator one of whose operands may be an address or a handle; `plain` is its value on the numbers.
    fn careful(&mut self, path: &mut Path, op: Binary, [a, b]: [ExprId; 2], plain: ExprId) -> ExprId {
        let (left, right) = (self.values.of(a), self.values.of(b));
        let both = left.with(right);
        let loose = both.has(Kinds::WIDE) || both.has(Kinds::LARGE);
        // Of pointers into different objects the difference is undefined; of integers it depends on where
        // objects lie. Their order is assumed to be that of the numbers.
        let pointers = self.program.exprs().ty(a) == Type::Pointer;
        let exact = match op {
            Binary::Eq => return self.careful_equality(path, [a, b], plain),
            Binary::Add => !(both.has(Kinds::HANDLE) || left.address() && right.address()),
            Binary::Sub => {
                let from_number = !left.address() || left.has(Kinds::LARGE);
                !(both.has(Kinds::HANDLE) || (from_number || !pointers) && right.address())
            }
            Binary::LtU | Binary::LeU => !both.has(Kinds::HANDLE) && !loose,
            Binary::And | Binary::Or | Binary::Xor | Binary::RemU => {
                !both.has(Kinds::HANDLE) && self.is_low(op, a, b)
            }
            _ => false,
        };
        let ty = self.pool.ty(plain);
        if exact { plain } else { self.choose(path, ty) }
    }

    /// Low bits are set, cleared or read: every object starts at a multiple of the alignment.
    fn is_low(&self, op: Binary, a: ExprId, b: ExprId) -> bool {
        let exprs = self.program.exprs();
        let Some(number) = exprs.constant(b) else { return false };
        let low = number < self.numbers.alignment();
        let high = !number & mask(exprs.ty(a).bits(self.numbers.bits)) < self.numbers.alignment();
        match op {
            Binary::And => low || high,
            Binary::RemU => number.is_power_of_two() && number <= self.numbers.alignment(),
            _ => low,
        }
    }

    /// Equal values have equal numbers. Different values have different numbers, except where a number of the
    /// program may happen to be that of an address or a handle, or an offset may lead from one static object
    /// to another.
    fn careful_equality(&mut self, path: &mut Path, [a, b]: [ExprId; 2], plain: ExprId) -> ExprId {
        let exprs = self.program.exprs();
        let both = self.values.of(a).with(self.values.of(b));
        let small = |e| exprs.constant(e).is_some_and(|value| value < self.numbers.area());
        let narrow = exprs.ty(a).bits(self.numbers.bits) < self.numbers.bits;
        let mixed = both.has(Kinds::LARGE) || both.has(Kinds::WIDE);
        let collides = both.has(Kinds::STATIC) && mixed
            || both.has(Kinds::HANDLE) && (both.has(Kinds::LARGE) || both.address() || narrow);
        if !collides || !narrow && (small(a) || small(b)) {
            return plain;
        }
        let toss = self.toss(path);
        self.pool.and(plain, toss)
    }
}
