//! Gates compute what the machine computes.

use super::concrete::{apply, evaluator};
use crate::c::bit_vectors;
use crate::symbolic::cnf::Cnf;
use ::c::{Binary, Convert, Exprs, Node, Type, Unary, mask};
use base::{Budget, Random};

const BINARY: [Binary; 18] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::DivU,
    Binary::DivS,
    Binary::RemU,
    Binary::RemS,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::ShrU,
    Binary::ShrS,
    Binary::Eq,
    Binary::LtU,
    Binary::LeU,
    Binary::LtS,
    Binary::LeS,
];

/// A number in which small ones, large ones and single bits are frequent.
fn number(random: &mut Random, bits: u8) -> u128 {
    let value = u128::from(random.bits()) << 64 | u128::from(random.bits());
    let value = match random.below(5) {
        0 => value % 5,
        1 => u128::MAX - value % 5,
        2 => 1 << (value % u128::from(bits)),
        3 => value % (2 * u128::from(bits)),
        _ => value,
    };
    value & mask(bits)
}

/// The value of gates over constants, or over variables that are assumed to be these numbers.
fn blasted(node: Node, widths: &[u8], values: &[u128], constants: bool) -> u128 {
    let budget = Budget::unlimited();
    let mut cnf = Cnf::new(&budget);
    let mut assumptions = vec![];
    let mut word = |cnf: &mut Cnf<'_>, bits: u8, value: u128| {
        let number = bit_vectors::number(value, bits);
        if constants {
            return number;
        }
        let fresh: Vec<_> = number.iter().map(|_| cnf.fresh()).collect();
        let is_true = |lit| lit == crate::proof::Lit::TRUE;
        assumptions.extend(fresh.iter().zip(&number).map(|(&it, &lit)| if is_true(lit) { it } else { !it }));
        fresh
    };
    let operands: Vec<_> =
        widths.iter().zip(values).map(|(&bits, &value)| word(&mut cnf, bits, value)).collect();
    let result = match (node, &operands[..]) {
        (Node::Unary(op, _), [a]) => bit_vectors::unary(&mut cnf, op, a),
        (Node::Binary(op, ..), [a, b]) => bit_vectors::binary(&mut cnf, op, a, b).expect("no float"),
        (Node::Convert(op, to, _), [a]) => bit_vectors::convert(op, to.bits(64), a).expect("no float"),
        _ => panic!("not tried: {node:?}"),
    };
    assert_eq!(cnf.solve(&assumptions), Ok(true), "{node:?}");
    result.iter().enumerate().map(|(bit, &lit)| u128::from(cnf.value(lit)) << bit).sum()
}

#[test]
fn operators_compute_what_the_machine_does() {
    let mut random = Random::new(11);
    let machine = evaluator();
    for round in 0..4000 {
        let bits = *random.pick(&[1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 128]);
        let op = *random.pick(&BINARY);
        // Long divisions and products of variables are large: few of them.
        let constants = bits > 16 || round % 4 != 0;
        let other = if op.is_shift() { *random.pick(&[1, 3, 8, 32, 128]) } else { bits };
        let values = [number(&mut random, bits), number(&mut random, other)];
        let mut exprs = Exprs::new(64);
        let leaf = |exprs: &mut Exprs, bits, value| exprs.number(Type::Bits(bits), value);
        let [a, b] = [leaf(&mut exprs, bits, values[0]), leaf(&mut exprs, other, values[1])];
        let node = Node::Binary(op, a, b);
        let expected = apply(&machine, &exprs, node, &values);
        let found = blasted(node, &[bits, other], &values, constants);
        assert_eq!(found, expected, "{op:?} b{bits} {values:?}");
        let node = Node::Unary(*random.pick(&[Unary::Not, Unary::Neg]), a);
        let expected = apply(&machine, &exprs, node, &values[..1]);
        assert_eq!(blasted(node, &[bits], &values[..1], constants), expected, "{node:?} {values:?}");
    }
}

#[test]
fn conversions_compute_what_the_machine_does() {
    let mut random = Random::new(12);
    let machine = evaluator();
    for _ in 0..1000 {
        let widths = [1, 2, 7, 8, 16, 32, 64, 128];
        let (from, to) = (*random.pick(&widths), *random.pick(&widths));
        let op = match from.cmp(&to) {
            std::cmp::Ordering::Less => *random.pick(&[Convert::ZeroExtend, Convert::SignExtend]),
            std::cmp::Ordering::Equal => Convert::Reinterpret,
            std::cmp::Ordering::Greater => Convert::Truncate,
        };
        let value = number(&mut random, from);
        let mut exprs = Exprs::new(64);
        let a = exprs.number(Type::Bits(from), value);
        let node = Node::Convert(op, Type::Bits(to), a);
        let expected = apply(&machine, &exprs, node, &[value]);
        assert_eq!(blasted(node, &[from], &[value], true), expected, "{node:?} {value}");
    }
}

#[test]
fn what_is_undefined_is_zero() {
    for op in [Binary::DivU, Binary::DivS, Binary::RemU, Binary::RemS] {
        let node = Node::Binary(
            op,
            Exprs::new(64).number(Type::Bits(8), 0),
            Exprs::new(64).number(Type::Bits(8), 0),
        );
        assert_eq!(blasted(node, &[8, 8], &[200, 0], false), 0, "{op:?}");
    }
    for op in [Binary::Shl, Binary::ShrU, Binary::ShrS] {
        let node = Node::Binary(
            op,
            Exprs::new(64).number(Type::Bits(8), 0),
            Exprs::new(64).number(Type::Bits(8), 0),
        );
        assert_eq!(blasted(node, &[8, 8], &[200, 8], false), 0, "{op:?}");
        assert_eq!(blasted(node, &[8, 16], &[200, 256], false), 0, "{op:?}");
    }
}
