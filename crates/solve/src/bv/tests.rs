//! Every circuit against machine arithmetic: all operands at small widths, random ones at the widths of C.

use super::*;
use crate::aig::Node;
use crate::random::Random;
use base::Id;

/// An operator and what it should give: operands and result as numbers of this many bits.
struct Case {
    name: &'static str,
    build: fn(&mut Aig, &[Lit], &[Lit]) -> Word,
    expected: fn(u128, u128, u32) -> u128,
}

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn signed(value: u128, bits: u32) -> i128 {
    ((value << (128 - bits)) as i128) >> (128 - bits)
}

const CASES: &[Case] = &[
    Case { name: "and", build: and, expected: |a, b, _| a & b },
    Case { name: "or", build: or, expected: |a, b, _| a | b },
    Case { name: "xor", build: xor, expected: |a, b, _| a ^ b },
    Case { name: "not", build: |_, a, _| not(a), expected: |a, _, _| !a },
    Case { name: "add", build: add, expected: |a, b, _| a.wrapping_add(b) },
    Case { name: "sub", build: sub, expected: |a, b, _| a.wrapping_sub(b) },
    Case { name: "neg", build: |aig, a, _| neg(aig, a), expected: |a, _, _| a.wrapping_neg() },
    Case { name: "mul", build: mul, expected: |a, b, _| a.wrapping_mul(b) },
    Case { name: "div_u", build: div_unsigned, expected: |a, b, _| a.checked_div(b).unwrap_or(0) },
    Case { name: "rem_u", build: rem_unsigned, expected: |a, b, _| a.checked_rem(b).unwrap_or(0) },
    Case {
        name: "div_s",
        build: div_signed,
        expected: |a, b, bits| match signed(b, bits) {
            0 => 0,
            b => signed(a, bits).wrapping_div(b) as u128,
        },
    },
    Case {
        name: "rem_s",
        build: rem_signed,
        expected: |a, b, bits| match signed(b, bits) {
            0 => 0,
            b => signed(a, bits).wrapping_rem(b) as u128,
        },
    },
    Case {
        name: "shl",
        build: shift_left,
        expected: |a, b, bits| if b < u128::from(bits) { a << b } else { 0 },
    },
    Case {
        name: "shr_u",
        build: |aig, a, b| shift_right(aig, a, b, Lit::FALSE),
        expected: |a, b, bits| if b < u128::from(bits) { a >> b } else { 0 },
    },
    Case {
        name: "shr_s",
        build: |aig, a, b| shift_right(aig, a, b, sign(a)),
        expected: |a, b, bits| (signed(a, bits) >> b.min(u128::from(bits) - 1)) as u128,
    },
    Case {
        name: "comparisons",
        build: |aig, a, b| vec![equal(aig, a, b), less_unsigned(aig, a, b), less_signed(aig, a, b)],
        expected: |a, b, bits| {
            u128::from(a == b) | u128::from(a < b) << 1 | u128::from(signed(a, bits) < signed(b, bits)) << 2
        },
    },
    Case {
        name: "resize",
        build: |_, a, _| [resize(a, 3), resize_signed(a, 70)].concat(),
        expected: |a, _, bits| (a & 7) | (signed(a, bits) as u128 & mask(70)) << 3,
    },
    Case {
        name: "ite",
        build: |aig, a, b| ite(aig, a[0], a, b),
        expected: |a, b, _| if a & 1 == 1 { a } else { b },
    },
];

/// A circuit over two words of inputs, to be evaluated many times.
struct Circuit {
    aig: Aig,
    result: Word,
    bits: u32,
}

impl Circuit {
    fn new(case: &Case, bits: u32) -> Self {
        let mut aig = Aig::new(7);
        let [a, b] = [0, 1].map(|_| fresh(&mut aig, bits as usize));
        let result = (case.build)(&mut aig, &a, &b);
        Self { aig, result, bits }
    }

    /// All nodes once, operands first.
    fn value(&self, a: u128, b: u128) -> u128 {
        let bits = self.bits as usize;
        let mut values = Vec::with_capacity(self.aig.len());
        for number in 0..self.aig.len() {
            let of = |lit: Lit, values: &[bool]| values[lit.node()] != lit.is_negated();
            let value = match self.aig.node_at(number) {
                Node::False => false,
                Node::Input(input) if input.index() < bits => a >> input.index() & 1 == 1,
                Node::Input(input) => b >> (input.index() - bits) & 1 == 1,
                Node::And(left, right) => of(left, &values) && of(right, &values),
            };
            values.push(value);
        }
        let value = |lit: Lit| u128::from(values[lit.node()] != lit.is_negated());
        self.result.iter().enumerate().fold(0, |sum, (at, &lit)| sum | value(lit) << at)
    }
}

fn compare(case: &Case, circuit: &Circuit, a: u128, b: u128) {
    let bits = u32::try_from(circuit.result.len()).expect("words are short");
    let expected = (case.expected)(a, b, circuit.bits) & mask(bits);
    assert_eq!(circuit.value(a, b), expected, "{} of {a} and {b}, {} bits", case.name, circuit.bits);
}

#[test]
fn all_operands_of_few_bits() {
    for case in CASES {
        for bits in 1..=4 {
            let circuit = Circuit::new(case, bits);
            for a in 0..1 << bits {
                for b in 0..1 << bits {
                    compare(case, &circuit, a, b);
                }
            }
        }
    }
}

#[test]
fn random_operands_of_many_bits() {
    let mut random = Random::new(11);
    for case in CASES {
        for bits in [5, 8, 16, 32, 64] {
            let circuit = Circuit::new(case, bits);
            for turn in 0..40 {
                let mut operand = |small: bool| {
                    let word = u128::from(random.word());
                    if small { word % 70 } else { word >> (word % 60) }
                };
                let (a, b) = (operand(turn % 5 == 0) & mask(bits), operand(turn % 3 == 0) & mask(bits));
                compare(case, &circuit, a, b);
            }
        }
    }
}

#[test]
fn constants_fold() {
    for case in CASES.iter().filter(|case| case.name != "resize") {
        let mut aig = Aig::new(1);
        let result = (case.build)(&mut aig, &constant(13, 8), &constant(250, 8));
        assert!(result.iter().all(|lit| lit.as_constant().is_some()), "{}", case.name);
    }
}

#[test]
fn amounts_may_have_another_width() {
    let mut aig = Aig::new(1);
    for (amount, bits, expected) in [(3u128, 2usize, 8u128), (4, 3, 16), (1 << 70, 100, 0), (0, 0, 1)] {
        let word = shift_left(&mut aig, &constant(1, 16), &constant(amount, bits));
        assert_eq!(word, constant(expected, 16));
    }
}
