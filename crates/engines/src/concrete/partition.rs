//! Choices of which the program only asks how they compare with constants: `if (any())`, `while (any() > 3)`.
//! One number of each interval between these constants stands for all of it, so that nothing is left out
//! although few numbers are tried.
//!
//! A number is followed through copies into registers, parameters and objects that nothing points to.
//! Wherever else it goes, nothing is known.

use super::touch::TouchColumns;
use base::{Budget, Id, Stop};
use c::{
    AccessKind, Binary, Convert, Effects, ExprId, Loc, LocalId, Move, Node, Number, NumberChoice, ObjectId,
    Program, ValueFrom, ValueTo, mask, signed,
};
use std::collections::{BTreeMap, BTreeSet};

/// By location: numbers that stand for all that its step may choose.
#[derive(Debug, Default)]
pub struct Partitions {
    starts: BTreeMap<Loc, Vec<u128>>,
}

/// A partition has at most this many parts.
const MOST: usize = 64;

impl Partitions {
    /// Looks at a program.
    pub fn new(program: &Program, columns: &TouchColumns, budget: &Budget) -> Result<Partitions, Stop> {
        let uses = NumberUses::new(program, columns, budget)?;
        let mut starts = BTreeMap::new();
        for loc in program.locations().ids() {
            let Some((holder, local)) = source(&program.effects(loc)) else { continue };
            let ty = program.locals()[local].ty;
            if let Some(found) = uses.starts(holder, ty.bits(program.pointer_bits()), budget)? {
                starts.insert(loc, found);
            }
        }
        Ok(Partitions { starts })
    }

    /// The numbers to try for a choice at a location, if at most this many are all that matter.
    pub fn tried(&self, loc: Loc, number: Number, most: usize) -> Option<Vec<u128>> {
        let found = self.starts.get(&loc)?;
        // Where the choice has bounds, its first number begins an interval too.
        let low = number.range.map(|range| range.low as u128 & mask(number.bits));
        let mut values: Vec<u128> =
            found.iter().copied().chain(low).filter(|&value| fits(value, number)).collect();
        smallest_first(&mut values, number.bits);
        values.dedup();
        (values.len() <= most).then_some(values)
    }
}

/// Whether a number may be chosen.
pub fn fits(value: u128, number: Number) -> bool {
    match number.range {
        _ if value & !mask(number.bits) != 0 => false,
        None => true,
        Some(range) if range.signed => (range.low..=range.high).contains(&signed(value, number.bits)),
        Some(range) => i128::try_from(value).is_ok_and(|value| (range.low..=range.high).contains(&value)),
    }
}

/// Orders numbers by how far they are from zero.
pub fn smallest_first(values: &mut [u128], bits: u8) {
    values.sort_by_key(|&value| {
        let value = signed(value, bits);
        (value.unsigned_abs(), value < 0)
    });
}

/// What may hold a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Holder {
    /// A register.
    Register(LocalId),
    /// Some cell of an object.
    Object(ObjectId),
}

impl Holder {
    /// The register that it is.
    pub fn register(self) -> Option<LocalId> {
        match self {
            Holder::Register(local) => Some(local),
            Holder::Object(_) => None,
        }
    }
}

/// What is done with the number that something holds.
#[derive(Clone, Debug, Default)]
struct NumberUse {
    /// Where the answer to a comparison changes.
    starts: BTreeSet<u128>,
    copies: BTreeSet<Holder>,
    /// Something else is done with it.
    escapes: bool,
}

struct NumberUses<'p> {
    program: &'p Program,
    of: BTreeMap<Holder, NumberUse>,
    seen: Vec<bool>,
}

impl<'p> NumberUses<'p> {
    fn new(program: &'p Program, columns: &TouchColumns, budget: &Budget) -> Result<NumberUses<'p>, Stop> {
        let mut made = NumberUses { program, of: BTreeMap::new(), seen: vec![false; program.exprs().len()] };
        for object in program.objects().ids().filter(|&object| columns.is_pointed(object)) {
            made.at(Holder::Object(object)).escapes = true;
        }
        for loc in program.locations().ids() {
            budget.spend(1)?;
            made.step(&program.effects(loc));
        }
        Ok(made)
    }

    fn at(&mut self, holder: Holder) -> &mut NumberUse {
        self.of.entry(holder).or_default()
    }

    fn step(&mut self, effects: &Effects) {
        if let Some(object) = accessed_in_parts(self.program, effects) {
            self.at(Holder::Object(object)).escapes = true;
        }
        let updates = effects.accesses.iter().any(|access| access.kind == AccessKind::Update);
        for moved in &effects.moves {
            match (moved.from, holder_of(moved.to)) {
                // What is computed from the old number may be anything.
                (_, Some(to @ Holder::Object(_))) if updates => self.at(to).escapes = true,
                (ValueFrom::Expr(value), Some(to)) if !updates => {
                    self.copy(value, to);
                    continue;
                }
                (ValueFrom::Memory(place), Some(to)) if !updates => {
                    if let Some(object) = place.object() {
                        self.at(Holder::Object(object)).copies.insert(to);
                    }
                }
                _ => {}
            }
            if let ValueFrom::Expr(value) = moved.from {
                self.scan(value);
            }
        }
        effects.operands.iter().for_each(|&e| self.scan(e));
    }

    fn copy(&mut self, value: ExprId, to: Holder) {
        match self.program.exprs().node(value) {
            Node::Local(from, _) => {
                self.at(Holder::Register(from)).copies.insert(to);
            }
            _ => self.scan(value),
        }
    }

    /// Notes what an expression does with the registers that it reads.
    fn scan(&mut self, root: ExprId) {
        let exprs = self.program.exprs();
        let mut work = vec![root];
        while let Some(e) = work.pop() {
            if let Node::Local(local, _) = exprs.node(e) {
                self.at(Holder::Register(local)).escapes = true;
                continue;
            }
            if std::mem::replace(&mut self.seen[e.index()], true) {
                continue;
            }
            match self.comparison(e) {
                Some((local, starts)) => self.at(Holder::Register(local)).starts.extend(starts),
                None => work.extend(exprs.node(e).children()),
            }
        }
    }

    /// The register that an expression compares with a constant, and the numbers at which the answer may
    /// change.
    fn comparison(&self, e: ExprId) -> Option<(LocalId, [u128; 2])> {
        use Binary::{Eq, LeS, LeU, LtS, LtU};
        let exprs = self.program.exprs();
        let Node::Binary(Eq | LtU | LeU | LtS | LeS, a, b) = exprs.node(e) else { return None };
        if exprs.ty(a).is_float() {
            return None;
        }
        let (mut side, constant) = match (exprs.constant(a), exprs.constant(b)) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) => (b, constant),
            _ => return None,
        };
        while let Node::Convert(Convert::ZeroExtend | Convert::SignExtend | Convert::Reinterpret, _, inner) =
            exprs.node(side)
        {
            if exprs.ty(inner).is_float() {
                return None;
            }
            side = inner;
        }
        let Node::Local(local, ty) = exprs.node(side) else { return None };
        let cut = mask(ty.bits(self.program.pointer_bits()));
        Some((local, [constant & cut, constant.wrapping_add(1) & cut]))
    }

    /// The first numbers of the intervals that the program can tell apart.
    fn starts(&self, holder: Holder, bits: u8, budget: &Budget) -> Result<Option<Vec<u128>>, Stop> {
        let mut starts = BTreeSet::from([0, 1 << (bits - 1)]);
        let mut met = BTreeSet::from([holder]);
        let mut work = vec![holder];
        while let Some(holder) = work.pop() {
            budget.spend(1)?;
            let Some(used) = self.of.get(&holder) else { continue };
            starts.extend(used.starts.iter().copied());
            if used.escapes || starts.len() > MOST {
                return Ok(None);
            }
            work.extend(used.copies.iter().copied().filter(|&copy| met.insert(copy)));
        }
        Ok(Some(starts.into_iter().collect()))
    }
}

/// The object of which a step may access a part of a scalar, or several: what it reads and writes is then no
/// copy of what the object holds.
pub fn accessed_in_parts(program: &Program, effects: &Effects) -> Option<ObjectId> {
    let (_, place, bits) = effects.scalar()?;
    place.object().filter(|_| !program.hits_scalar(place, bits))
}

/// What a value goes to, if its numbers can be followed there.
pub fn holder_of(to: ValueTo) -> Option<Holder> {
    match to {
        ValueTo::Register(local) | ValueTo::Parameter(local) => Some(Holder::Register(local)),
        ValueTo::Memory(place) => place.object().map(Holder::Object),
        ValueTo::Result => None,
    }
}

/// What holds the number that a step may choose, and the register that gets it.
pub fn source(effects: &Effects) -> Option<(Holder, LocalId)> {
    let [Move { from, to: ValueTo::Register(local) }] = effects.moves[..] else { return None };
    match (effects.chooses.number, from) {
        (NumberChoice::Input(_), _) => Some((Holder::Register(local), local)),
        // The first read of an undetermined cell chooses for all later ones.
        (NumberChoice::Undetermined, ValueFrom::Memory(place)) => {
            Some((Holder::Object(place.object()?), local))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::SourceMap;
    use c::Range;

    const HEAD: &str = "pointer 64 layout 0 stride 4 { 0 b32 \"\" } procedure main main main \
        object g static 0 * 1 local main::a b32 = 0 local main::b b32 = 0 local main::p ptr = 0 property \"it\" ";

    /// What is tried at the first step of `main`.
    fn tried(body: &str, range: Option<Range>) -> Option<Vec<u128>> {
        let text = format!("{HEAD} body main () {{ {body} }}");
        let file = SourceMap::new().add("test.cir", &text);
        let program = c::text::parse(&text, file).unwrap_or_else(|found| panic!("{found:?}"));
        let budget = Budget::unlimited();
        let partitions = Partitions::new(&program, &TouchColumns::new(&program), &budget).expect("no limit");
        partitions.tried(Loc::from_index(0), Number { bits: 32, range }, 8)
    }

    #[test]
    fn compared_with_constants() {
        let half = 1 << 31;
        assert_eq!(tried("a := any assume (eq a 7:b32) return", None), Some(vec![0, 7, 8, half]));
        let copied = "a := any b := a store [g 0] := b a := load [g 0] assume (lts 3:b32 a) return";
        assert_eq!(tried(copied, None), Some(vec![0, 3, 4, half]));
        let range = Range { low: 2, high: 7, signed: true };
        assert_eq!(tried("a := any assume (eq a 7:b32) return", Some(range)), Some(vec![2, 7]));
    }

    #[test]
    fn anything_else_is_no_partition() {
        for body in [
            "a := any assume (eq a b) return",
            "a := any b := (add a 1:b32) assume (eq b 1:b32) return",
            "a := any store [g 0] := a p := &g return",
            "a := any store [g 0] := a b := rmw [g 0] := (add b 1:b32) return",
        ] {
            assert_eq!(tried(body, None), None, "{body}");
        }
    }
}
