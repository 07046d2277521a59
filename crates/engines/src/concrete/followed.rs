//! Choices whose numbers may go anywhere, but on most ways do not. `n = any(); if (n < 1 || n > 8) return;`
//! has eight numbers that matter, and a number that is only ever compared with what an array holds falls into
//! as many parts as the array has values. Such a number is followed from its choice through copies to its
//! uses. One number of each part stands for the part, as long as it is met in comparisons alone and none of
//! them divides its part; where that fails, the search says which parts to divide further, and is done again.
//!
//! Why nothing is lost: replace, in any run, each number by the one that stands for its part. Copies carry
//! the new number where they carried the old one; a comparison that divides no part has the same answer; any
//! other use of a number that stands for others was noted.

use super::partition::{Holder, accessed_in_parts, holder_of, source};
use super::touch::TouchColumns;
use base::{Budget, Stop};
use c::{AccessKind, Convert, Effects, ExprId, Loc, LocalId, Node, Program, Type, ValueFrom, mask, signed};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How the numbers that each holder may choose fall into parts.
pub type Divisions = BTreeMap<Holder, Division>;

/// The parts of all numbers of some width.
#[derive(Clone, Debug)]
pub struct Division {
    /// The width.
    pub bits: u8,
    /// The first number of each part.
    pub starts: BTreeSet<u128>,
}

/// What a step does with a register that may hold a chosen number.
#[derive(Clone, Debug)]
pub struct FollowedUse {
    /// The register.
    pub register: LocalId,
    /// What it is compared with: another register, converted or not, that holds no chosen number; `None` if
    /// something else is done with it.
    pub other: Option<ExprId>,
    /// Whose choices the number may be.
    pub sources: Arc<[Holder]>,
}

/// Where chosen numbers go.
#[derive(Debug, Default)]
pub struct Followed {
    /// The parts that the constants of the program make, for each holder whose choices can be followed.
    pub divisions: Divisions,
    /// By location.
    uses: BTreeMap<Loc, Vec<FollowedUse>>,
    /// By location: what holds the integer that its step may choose.
    sources: BTreeMap<Loc, Holder>,
}

impl Followed {
    /// Looks at a program.
    pub fn new(program: &Program, columns: &TouchColumns, budget: &Budget) -> Result<Followed, Stop> {
        let mut flow = NumberFlow::new(program, columns);
        let mut sources_at = BTreeMap::new();
        for loc in program.locations().ids() {
            budget.spend(1)?;
            let effects = program.effects(loc);
            let source = source(&effects).filter(|(_, local)| !program.locals()[*local].ty.is_float());
            sources_at.extend(source.map(|(holder, _)| (loc, holder)));
            flow.step(loc, &effects);
        }
        let mut divisions = Divisions::new();
        let mut sources: BTreeMap<LocalId, BTreeSet<Holder>> = BTreeMap::new();
        let chosen: BTreeSet<Holder> = sources_at.values().copied().collect();
        for holder in chosen {
            let Some(reached) = flow.reached(holder, budget)? else { continue };
            let bits = flow.bits(holder);
            let mut starts = BTreeSet::from([0, (mask(bits) >> 1) + 1]);
            for register in reached.iter().filter_map(|it| it.register()) {
                let constants = flow.constants.get(&register).into_iter().flatten();
                starts.extend(constants.map(|&number| number as u128 & mask(bits)));
                sources.entry(register).or_default().insert(holder);
            }
            divisions.insert(holder, Division { bits, starts });
        }
        Ok(Followed { divisions, uses: flow.uses_of(&sources), sources: sources_at })
    }

    /// What the step at a location does with chosen numbers.
    pub fn uses(&self, loc: Loc) -> &[FollowedUse] {
        self.uses.get(&loc).map_or(&[], Vec::as_slice)
    }

    /// What holds the number that the step at a location may choose, if it is an integer.
    pub fn source(&self, loc: Loc) -> Option<Holder> {
        self.sources.get(&loc).copied()
    }
}

/// Where the answer changes when an integer, or the float that it is converted to, is compared with a value
/// of a type.
pub fn divides(ty: Type, value: u128, pointer_bits: u8) -> Vec<i128> {
    match ty {
        Type::Double => {
            let float = f64::from_bits(value as u64);
            // Integers of 32 bits are exact as floats; beyond them, and beside numbers, no answer changes.
            if float.abs() > 1e12 || float.is_nan() {
                return vec![];
            }
            vec![float.ceil() as i128, float.floor() as i128 + 1]
        }
        _ => {
            let number = signed(value, ty.bits(pointer_bits));
            vec![number, number.wrapping_add(1)]
        }
    }
}

/// How numbers flow.
struct NumberFlow<'p> {
    program: &'p Program,
    copies: BTreeMap<Holder, BTreeSet<Holder>>,
    /// What is written or read in ways that are not followed.
    lost: BTreeSet<Holder>,
    /// By register: the numbers at which comparisons with constants change their answers.
    constants: BTreeMap<LocalId, BTreeSet<i128>>,
    uses: Vec<(Loc, LocalId, Option<ExprId>)>,
}

impl<'p> NumberFlow<'p> {
    fn new(program: &'p Program, columns: &TouchColumns) -> NumberFlow<'p> {
        let pointed = program.objects().ids().filter(|&object| columns.is_pointed(object));
        NumberFlow {
            program,
            copies: BTreeMap::new(),
            lost: pointed.map(Holder::Object).collect(),
            constants: BTreeMap::new(),
            uses: vec![],
        }
    }

    fn bits(&self, holder: Holder) -> u8 {
        match holder {
            Holder::Register(local) => self.program.locals()[local].ty.bits(self.program.pointer_bits()),
            // The registers that it is read into say.
            Holder::Object(_) => self.copies.get(&holder).map_or(1, |copies| {
                copies.iter().filter(|it| it.register().is_some()).map(|&it| self.bits(it)).max().unwrap_or(1)
            }),
        }
    }

    /// All that may hold what a holder chooses; `None` where it gets lost.
    fn reached(&self, holder: Holder, budget: &Budget) -> Result<Option<BTreeSet<Holder>>, Stop> {
        let bits = self.bits(holder);
        let mut met = BTreeSet::from([holder]);
        let mut work = vec![holder];
        while let Some(at) = work.pop() {
            budget.spend(1)?;
            let fits = at.register().is_none_or(|register| match self.program.locals()[register].ty {
                Type::Double => bits <= 32,
                Type::Float => false,
                ty => ty.bits(self.program.pointer_bits()) == bits,
            });
            if self.lost.contains(&at) || !fits {
                return Ok(None);
            }
            let copies = self.copies.get(&at).into_iter().flatten();
            work.extend(copies.copied().filter(|&copy| met.insert(copy)));
        }
        Ok(Some(met))
    }

    /// What is done with the registers that may hold chosen numbers.
    fn uses_of(&self, sources: &BTreeMap<LocalId, BTreeSet<Holder>>) -> BTreeMap<Loc, Vec<FollowedUse>> {
        let sources: BTreeMap<LocalId, Arc<[Holder]>> =
            sources.iter().map(|(&register, of)| (register, of.iter().copied().collect())).collect();
        let free = |other: &ExprId| self.number(*other).is_some_and(|(it, _)| !sources.contains_key(&it));
        let mut uses: BTreeMap<Loc, Vec<FollowedUse>> = BTreeMap::new();
        for &(loc, register, other) in &self.uses {
            if let Some(sources) = sources.get(&register) {
                let sources = Arc::clone(sources);
                uses.entry(loc).or_default().push(FollowedUse {
                    register,
                    other: other.filter(free),
                    sources,
                });
            }
        }
        uses
    }

    fn step(&mut self, loc: Loc, effects: &Effects) {
        let updates = effects.accesses.iter().any(|access| access.kind == AccessKind::Update);
        self.lost.extend(accessed_in_parts(self.program, effects).map(Holder::Object));
        for moved in &effects.moves {
            let to = holder_of(moved.to);
            match (moved.from, to) {
                (_, Some(to @ Holder::Object(_))) if updates => {
                    self.lost.insert(to);
                }
                (ValueFrom::Expr(value), Some(to)) if !updates && !self.is_lost_object(to) => {
                    self.copy(loc, value, to);
                    continue;
                }
                (ValueFrom::Memory(place), Some(to)) if !updates => {
                    if let Some(object) = place.object() {
                        self.copies.entry(Holder::Object(object)).or_default().insert(to);
                    }
                }
                _ => {}
            }
            if let ValueFrom::Expr(value) = moved.from {
                self.scan(loc, value);
            }
        }
        effects.operands.iter().for_each(|&e| self.scan(loc, e));
    }

    fn is_lost_object(&self, holder: Holder) -> bool {
        matches!(holder, Holder::Object(_)) && self.lost.contains(&holder)
    }

    fn copy(&mut self, loc: Loc, value: ExprId, to: Holder) {
        match self.number(value) {
            // Of a register as it is, or as a float where that is exact.
            Some((from, true)) => {
                self.copies.entry(Holder::Register(from)).or_default().insert(to);
            }
            _ => self.scan(loc, value),
        }
    }

    /// Notes what an expression does with the registers that it reads.
    fn scan(&mut self, loc: Loc, root: ExprId) {
        let exprs = self.program.exprs();
        let mut work = vec![root];
        let mut seen = BTreeSet::new();
        while let Some(e) = work.pop() {
            if !seen.insert(e) {
                continue;
            }
            if let Node::Local(local, _) = exprs.node(e) {
                self.uses.push((loc, local, None));
            } else if !self.comparison(loc, e) {
                work.extend(exprs.node(e).children());
            }
        }
    }

    /// Notes a comparison of a register with a constant or with another register, if it is one.
    fn comparison(&mut self, loc: Loc, e: ExprId) -> bool {
        let exprs = self.program.exprs();
        let Node::Binary(op, a, b) = exprs.node(e) else { return false };
        let ty = exprs.ty(a);
        if !op.is_comparison() {
            return false;
        }
        let [left, right] = [a, b].map(|side| self.number(side).map(|(register, _)| register));
        let mut met = false;
        for (register, other) in [(left, b), (right, a)] {
            let Some(register) = register else { continue };
            match exprs.node(other) {
                Node::Const(_, value) => {
                    let found = divides(ty, value, self.program.pointer_bits());
                    self.constants.entry(register).or_default().extend(found);
                    met = true;
                }
                _ if left.is_some() && right.is_some() => {
                    self.uses.push((loc, register, Some(other)));
                    met = true;
                }
                _ => {}
            }
        }
        met
    }

    /// The register whose number an expression is, and whether it is that as it is or as a float.
    fn number(&self, e: ExprId) -> Option<(LocalId, bool)> {
        let exprs = self.program.exprs();
        let mut at = e;
        if let Node::Convert(Convert::FloatS | Convert::FloatU, Type::Double, inner) = exprs.node(at)
            && exprs.ty(inner).bits(self.program.pointer_bits()) <= 32
            && let Node::Local(local, _) = exprs.node(inner)
        {
            return Some((local, true));
        }
        while let Node::Convert(Convert::ZeroExtend | Convert::SignExtend | Convert::Reinterpret, to, inner) =
            exprs.node(at)
        {
            if to.is_float() || exprs.ty(inner).is_float() {
                return None;
            }
            at = inner;
        }
        let Node::Local(local, ty) = exprs.node(at) else { return None };
        (ty != Type::Float).then_some((local, at == e))
    }
}
