//! The bits of a variable: a number of one of its addresses and handles, and the bits of its numbers that are
//! not known beforehand.

use super::abs::Abs;
use super::circuits::Word;
use super::gates::Gates;
use super::numbers::Numbers;
use super::symbolic::Sym;
use c::{Value, mask};
use ir::bp::{ExprId, Var};

/// Where a bit of a number comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It is always this.
    Fixed(bool),
    /// This one of the variables.
    Bit(usize),
    /// It is not kept: any value.
    Any,
}

/// How a variable is kept.
#[derive(Clone, Debug)]
pub struct Coding {
    /// Whether it may hold numbers: then they have tag 0.
    pub has_numbers: bool,
    /// The other values, by tag.
    pub others: Vec<Value>,
    /// The bits of the tag, the lowest first.
    pub tag: Vec<Var>,
    /// By bit of a number.
    pub sources: Vec<Source>,
    /// The bits of the number that are kept.
    pub kept: Vec<Var>,
}

/// The shape of a coding: how many bits, before there are variables.
#[derive(Clone, Debug)]
pub struct Shape {
    pub tags: usize,
    pub kept: usize,
    has_numbers: bool,
    others: Vec<Value>,
    sources: Vec<Source>,
}

/// The shape that a set of values needs.
pub fn shape(value: &Abs, bits: u8, float: bool) -> Shape {
    let has_numbers = !value.numbers.is_empty();
    let others: Vec<Value> = value.others.iter().copied().collect();
    let tags = others.len() + usize::from(has_numbers);
    let sources = match &value.numbers {
        _ if float => vec![Source::Any; usize::from(bits)],
        Numbers::Few(set) => few(&set.iter().copied().collect::<Vec<_>>(), bits),
        Numbers::Many(_) => many(&value.numbers, bits),
    };
    let kept = sources.iter().filter_map(|it| if let Source::Bit(n) = it { Some(n + 1) } else { None }).max();
    Shape { tags: tag_bits(tags), kept: kept.unwrap_or(0), has_numbers, others, sources }
}

fn tag_bits(tags: usize) -> usize {
    (usize::BITS - tags.saturating_sub(1).leading_zeros()) as usize
}

/// Bits that are the same in all numbers, or the same as another bit, are not kept.
fn few(set: &[u128], bits: u8) -> Vec<Source> {
    let mut columns: Vec<Vec<bool>> = vec![];
    (0..bits)
        .map(|bit| {
            let column: Vec<bool> = set.iter().map(|value| value >> bit & 1 != 0).collect();
            if column.iter().all(|&it| it == column.first().copied().unwrap_or(false)) {
                return Source::Fixed(column.first().copied().unwrap_or(false));
            }
            let known = columns.iter().position(|it| *it == column);
            Source::Bit(known.unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            }))
        })
        .collect()
}

fn many(numbers: &Numbers, bits: u8) -> Vec<Source> {
    let it = numbers.bounds(bits);
    let unsigned = 128 - it.high.leading_zeros();
    let size = |value: i128| 129 - (if value < 0 { !value } else { value }).leading_zeros();
    let signed = size(it.signed_low).max(size(it.signed_high));
    let (width, extends) = if signed < unsigned { (signed, true) } else { (unsigned, false) };
    let mut next = 0;
    let mut sources: Vec<Source> = vec![];
    for bit in 0..u32::from(bits) {
        let source = if bit >= width {
            if extends { sources[width as usize - 1] } else { Source::Fixed(false) }
        } else if it.zeros >> bit & 1 != 0 {
            Source::Fixed(false)
        } else {
            next += 1;
            Source::Bit(next - 1)
        };
        sources.push(source);
    }
    sources
}

impl Coding {
    pub fn new(shape: &Shape, tag: Vec<Var>, kept: Vec<Var>) -> Self {
        Self {
            has_numbers: shape.has_numbers,
            others: shape.others.clone(),
            tag,
            sources: shape.sources.clone(),
            kept,
        }
    }

    pub fn vars(&self) -> impl Iterator<Item = Var> {
        self.tag.iter().chain(&self.kept).copied()
    }

    fn tag_of(&self, value: Value) -> Option<u128> {
        let first = u128::from(self.has_numbers);
        match value {
            Value::Bits(_) => self.has_numbers.then_some(0),
            other => self.others.iter().position(|&it| it == other).map(|at| at as u128 + first),
        }
    }

    /// The variable as a value. `now`: what it may hold here, which may be less than anywhere.
    pub fn read(&self, gates: &mut Gates, now: &Abs) -> Sym {
        let tag: Word = self.tag.iter().map(|&var| gates.var(var)).collect();
        let known = shape(now, self.sources.len() as u8, false);
        let mut bits: Word = vec![];
        for (at, source) in self.sources.iter().enumerate() {
            bits.push(match (source, known.sources.get(at)) {
                (Source::Any, _) => gates.choice(),
                (_, Some(&Source::Fixed(value))) if !now.numbers.is_empty() => gates.constant(value),
                (Source::Fixed(value), _) => gates.constant(*value),
                (Source::Bit(n), _) => gates.var(self.kept[*n]),
            });
        }
        let alone = now.others.len() + usize::from(!now.numbers.is_empty()) == 1;
        let cond = |gates: &mut Gates, value| match self.tag_of(value) {
            None => gates.zero(),
            Some(_) if alone => gates.one(),
            Some(tag_number) => gates.is(&tag, tag_number),
        };
        let number = if now.numbers.is_empty() { gates.zero() } else { cond(gates, Value::ZERO) };
        let others = now.others.iter().map(|&value| (value, cond(gates, value))).collect();
        Sym { bits, number, others, fault: gates.zero(), unsupported: gates.zero() }
    }

    /// The new bits of the variable that gets this value, one for each of its variables.
    pub fn write(&self, gates: &mut Gates, value: &Sym) -> Vec<(Var, ExprId)> {
        let mut tag: Word = vec![gates.zero(); self.tag.len()];
        for &(other, cond) in &value.others {
            let Some(number) = self.tag_of(other) else { continue };
            for (bit, e) in tag.iter_mut().enumerate() {
                if number >> bit & 1 != 0 {
                    *e = gates.or(*e, cond);
                }
            }
        }
        let mut made: Vec<(Var, ExprId)> = self.tag.iter().copied().zip(tag).collect();
        for (n, &var) in self.kept.iter().enumerate() {
            let at = self.sources.iter().position(|source| *source == Source::Bit(n));
            // The bits are canonical: zero where the value is no number.
            let bit = at.and_then(|at| value.bits.get(at).copied()).unwrap_or(gates.zero());
            made.push((var, gates.and(value.number, bit)));
        }
        made
    }

    /// The value that the variables stand for.
    pub fn decode(&self, get: impl Fn(Var) -> bool) -> Option<Value> {
        let bits = |vars: &[Var]| {
            vars.iter().enumerate().fold(0u128, |sum, (at, &var)| sum | u128::from(get(var)) << at)
        };
        let tag = bits(&self.tag);
        if self.has_numbers && tag == 0 {
            let kept = bits(&self.kept);
            let mut number = 0u128;
            for (at, source) in self.sources.iter().enumerate() {
                let set = match source {
                    Source::Fixed(value) => *value,
                    Source::Bit(n) => kept >> n & 1 != 0,
                    Source::Any => false,
                };
                number |= u128::from(set) << at;
            }
            return Some(Value::Bits(number & mask(self.sources.len() as u8)));
        }
        let at = usize::try_from(tag).ok()? - usize::from(self.has_numbers);
        self.others.get(at).copied()
    }

    /// The bits of a value.
    pub fn encode(&self, value: Value) -> Vec<(Var, bool)> {
        let tag = self.tag_of(value).unwrap_or(0);
        let mut made: Vec<(Var, bool)> =
            self.tag.iter().enumerate().map(|(at, &var)| (var, tag >> at & 1 != 0)).collect();
        for (n, &var) in self.kept.iter().enumerate() {
            let at = self.sources.iter().position(|source| *source == Source::Bit(n)).unwrap_or(0);
            made.push((var, value.bits().is_some_and(|bits| bits >> at & 1 != 0)));
        }
        made
    }
}

impl Coding {
    /// The number after the step.
    pub fn next_word(&self, gates: &mut Gates) -> Word {
        let bit = |gates: &mut Gates, source: &Source| match source {
            Source::Fixed(value) => gates.constant(*value),
            Source::Bit(n) => gates.next(self.kept[*n]),
            Source::Any => gates.choice(),
        };
        self.sources.iter().map(|source| bit(gates, source)).collect()
    }
}
