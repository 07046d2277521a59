//! Whether an access certainly hits one scalar of its size, which is the plain case. Of a computed offset it
//! is known by what it can be divided: `12 * i + 4` is 4 more than a multiple of 12 where `i` is narrow
//! enough for the product not to wrap, and else 4 more than a multiple of 4.

use crate::expr::{Binary, Convert, ExprId, Node};
use crate::op::Place;
use crate::program::Program;
use crate::types::{CellType, Layout, SyncKind, signed};
use std::collections::HashMap;

/// More elements or cells than this are not looked at.
const MOST: u64 = 1 << 16;

/// What is known of a number: it is `rest` more than a multiple of `modulus`, which is 0 if it is `rest`
/// itself, and its absolute value is below `bound`, if that is known.
#[derive(Clone, Copy)]
struct Residue {
    modulus: u128,
    rest: i128,
    bound: Option<u128>,
}

const ANY: Residue = Residue { modulus: 1, rest: 0, bound: None };

impl Residue {
    fn new(modulus: u128, rest: i128, bound: Option<u128>) -> Residue {
        let rest = if modulus == 0 { rest } else { rest.rem_euclid(modulus as i128) };
        Residue { modulus, rest, bound }
    }

    fn constant(value: i128) -> Residue {
        Residue::new(0, value, Some(value.unsigned_abs() + 1))
    }

    /// Of a result that is cut to some bits: what is no power of two survives only where nothing is cut.
    fn cut(self, bits: u8) -> Residue {
        if self.bound.is_some_and(|bound| bound <= 1 << (bits.min(100) - 1)) {
            return self;
        }
        let modulus = match self.modulus {
            0 => 1 << 64,
            some => 1 << some.trailing_zeros(),
        };
        Residue::new(modulus, self.rest, None)
    }

    fn plus(self, other: Residue) -> Residue {
        let bound = self.bound.zip(other.bound).map(|(a, b)| a.saturating_add(b));
        Residue::new(gcd(self.modulus, other.modulus), self.rest + other.rest, bound)
    }

    fn times(self, factor: u128) -> Residue {
        // Moduli stay at most 2^64, so that no product overflows.
        if factor > 1 << 32 || factor == 0 || self.modulus > 1 << 32 || self.rest.unsigned_abs() > 1 << 64 {
            return ANY;
        }
        let bound = self.bound.and_then(|bound| bound.checked_mul(factor));
        Residue::new(self.modulus * factor, self.rest * factor as i128, bound)
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Program {
    /// Whether an access to a scalar of this many bits certainly hits one cell of its size, if it hits
    /// anything. Of pointers nothing is known.
    pub fn hits_scalar(&self, place: Place, bits: u8) -> bool {
        let wanted = |cell: CellType| match cell {
            CellType::Scalar(ty) => ty.bits(self.pointer_bits()) == bits,
            CellType::Sync(..) => false,
        };
        self.hits(place, u64::from(bits.div_ceil(8)), wanted)
    }

    /// Whether an operation on a synchronisation object certainly hits one of its kind, if it hits anything.
    pub fn hits_sync(&self, place: Place, kind: SyncKind) -> bool {
        self.hits(place, 1, |cell| matches!(cell, CellType::Sync(of, _) if of == kind))
    }

    fn hits(&self, place: Place, bytes: u64, wanted: impl Fn(CellType) -> bool) -> bool {
        let Some(object) = place.object() else { return false };
        let declared = &self.objects()[object];
        let Layout { stride, ref cells } = self.layouts()[declared.layout];
        let fits = |offset: u64| {
            let within = offset.checked_rem(stride).unwrap_or(0);
            let found = cells.binary_search_by_key(&within, |cell| cell.offset);
            found.is_ok_and(|at| wanted(cells[at].ty))
        };
        let Some(last) = stride.saturating_mul(declared.count).checked_sub(bytes) else { return true };
        let offset = match place {
            Place::Object { offset, .. } => return u64::try_from(offset).map_or(true, fits),
            Place::Indexed { offset, .. } | Place::Pointer { pointer: offset, .. } => offset,
        };
        let Residue { modulus, rest, .. } = self.residue(offset);
        let (Ok(first), Ok(step)) = (u64::try_from(rest), u64::try_from(modulus)) else {
            return u64::try_from(rest).map_or(true, fits);
        };
        // A multiple of 2^64 is nothing more.
        if step == 0 {
            return fits(first);
        }
        // After this many bytes all elements look the same again.
        let period = stride.saturating_mul(step / gcd(u128::from(stride), modulus) as u64);
        let end = last.min(first.saturating_add(period));
        end.saturating_sub(first) / step <= MOST && (first..=end).step_by(step as usize).all(fits)
    }

    fn residue(&self, root: ExprId) -> Residue {
        let exprs = self.exprs();
        let mut known: HashMap<ExprId, Residue> = HashMap::new();
        for id in exprs.below(root) {
            let get = |e: ExprId| known.get(&e).copied().unwrap_or(ANY);
            let bits = exprs.ty(id).bits(self.pointer_bits());
            let found = match exprs.node(id) {
                Node::Const(_, value) if bits <= 64 => Residue::constant(signed(value, bits)),
                Node::Binary(Binary::Add, a, b) => get(a).plus(get(b)),
                Node::Binary(Binary::Mul, a, b) => match (exprs.constant(a), exprs.constant(b)) {
                    (_, Some(factor)) => get(a).times(factor),
                    (Some(factor), _) => get(b).times(factor),
                    _ => ANY,
                },
                Node::Binary(Binary::Shl, a, b) => match exprs.constant(b) {
                    Some(by) if by < 32 => get(a).times(1 << by),
                    _ => ANY,
                },
                Node::Convert(Convert::ZeroExtend | Convert::SignExtend, _, a) => {
                    let from = exprs.ty(a).bits(self.pointer_bits());
                    // Which multiple it is may change by a power of two.
                    let inner = Residue { bound: None, ..get(a) }.cut(from);
                    let modulus = gcd(inner.modulus, 1 << from.min(64));
                    Residue::new(modulus, inner.rest, Some(1 << from.min(100)))
                }
                _ => ANY,
            };
            known.insert(id, if bits <= 64 { found.cut(bits) } else { ANY });
        }
        known.get(&root).copied().unwrap_or(ANY)
    }
}

#[cfg(test)]
mod tests {
    use crate::op::Op;
    use crate::text;

    /// Whether the one load of a program, at an offset in an array of a layout, certainly hits a cell.
    fn hits(layout: &str, offset: &str) -> bool {
        let source = format!(
            "pointer 64 layout 0 {layout} procedure main main main object a static 0 * 10
             local main::i b32 = 0 local main::n b64 = 0 local main::r b32 = 0
             body main () {{ r := load [a at {offset}] halt }}"
        );
        let file = base::SourceMap::new().add("test.cir", &source);
        let program = text::parse(&source, file).unwrap_or_else(|_| panic!("it is valid: {source}"));
        let place = program.locations().iter().find_map(|it| match it.op {
            Op::Load { place, .. } => Some(place),
            _ => None,
        });
        program.hits_scalar(place.expect("there is a load"), 32)
    }

    #[test]
    fn offsets_are_multiples() {
        let words = r#"stride 4 { 0 b32 "" }"#;
        let pairs = r#"stride 12 { 0 b8 ".c" 4 b32 ".x" 8 b32 ".y" }"#;
        let narrow = "(mul (sext b64 i) 12:b64)";
        assert!(hits(words, "(mul n 4:b64)"));
        assert!(hits(words, "(shl n 2:b64)"));
        assert!(!hits(words, "n"));
        assert!(!hits(words, "(add (mul n 4:b64) 2:b64)"));
        assert!(hits(pairs, &format!("(add {narrow} 4:b64)")));
        assert!(hits(pairs, &format!("(add {narrow} -8:b64)")));
        assert!(!hits(pairs, narrow));
        // A product that may wrap is a multiple of 4 only.
        assert!(!hits(pairs, "(add (mul n 12:b64) 4:b64)"));
    }
}
