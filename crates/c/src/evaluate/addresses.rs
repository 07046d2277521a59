//! Operators on addresses and handles. An address is an object and an offset, not a number; what depends on
//! the number is not supported, except that every object starts at a multiple of [`ALIGNMENT`] and lies where
//! no integer of the program points to: low bits can be read, set and cleared (tagged pointers), no address
//! equals an integer, and none lies at the very top, where error codes are.

use crate::expr::{Binary, Convert};
use crate::types::{InstanceId, Type, mask, signed};
use crate::value::{Extended, Fault, Fragment, Trouble, Value, Whole};
use base::Id;

/// What the address of every object is a multiple of.
pub const ALIGNMENT: u128 = 16;

/// So far from its start an address still lies below the top.
const NEAR: i64 = 1 << 24;

const ARITHMETIC: Trouble = Trouble::Unsupported("arithmetic on an address or a handle");

const FRAGMENT: Trouble =
    Trouble::Unsupported("arithmetic on bytes of an address or a handle, or on what was never written");

/// The order of addresses of different objects is total and fixed for their lives, but the numbers of objects
/// that come and go change.
const ORDER: Trouble =
    Trouble::Unsupported("comparing the addresses of different objects of which one is not static");

/// What is known of pointers by their type.
#[derive(Clone, Copy)]
pub(super) struct Pointers<'a> {
    /// Whether the operands are pointers: then the difference of different objects is undefined; for integers
    /// it has one, which the model does not know.
    pub typed: bool,
    /// By number of an instance whether it is a static object; those without an entry come and go.
    pub statics: &'a [bool],
}

impl Pointers<'_> {
    fn is_static(self, instance: InstanceId) -> bool {
        self.statics.get(instance.index()).copied().unwrap_or(false)
    }

    /// An operator on addresses in different objects. Static ones lie in the order of their numbers, before
    /// all others.
    fn apart(self, op: Binary, a: InstanceId, b: InstanceId) -> Result<Value, Trouble> {
        match op {
            _ if !self.typed => Err(ARITHMETIC),
            Binary::Sub => Err(Fault::DifferentObjects.into()),
            _ if self.is_static(a) || self.is_static(b) => {
                let position = |it: InstanceId| (!self.is_static(it), it.index());
                ordered(op, position(a).cmp(&position(b)))
            }
            _ => Err(ORDER),
        }
    }
}

pub(super) fn binary(op: Binary, pointers: Pointers, bits: u8, [a, b]: [Value; 2]) -> Result<Value, Trouble> {
    if [a, b].iter().any(|it| matches!(it, Value::Part(_) | Value::Undetermined)) {
        return fragments(op, a, b);
    }
    if op == Binary::Eq {
        return Ok(Value::truth(a == b));
    }
    match (a, b) {
        (Value::Address { instance, offset }, Value::Address { instance: second, offset: end }) => {
            if instance != second {
                return pointers.apart(op, instance, second);
            }
            match op {
                Binary::Sub => Ok(Value::Bits(offset.wrapping_sub(end) as u128 & mask(bits))),
                _ => ordered(op, offset.cmp(&end)),
            }
        }
        (Value::Address { .. }, Value::Bits(b)) => with_number(op, bits, a, b),
        (Value::Bits(number), Value::Address { .. }) => match op {
            Binary::Add | Binary::And | Binary::Or | Binary::Xor => with_number(op, bits, b, number),
            // Null comes before every object.
            _ if number == 0 => ordered(op, std::cmp::Ordering::Less),
            _ if is_unsigned(op) && is_below_top(b, number, bits) => ordered(op, std::cmp::Ordering::Greater),
            _ => Err(ARITHMETIC),
        },
        _ => Err(ARITHMETIC),
    }
}

/// Bytes of an address or a handle are not known, nor what was never written. But equal bytes are equal,
/// and of addresses into one object the lowest bytes differ as the offsets do.
fn fragments(op: Binary, a: Value, b: Value) -> Result<Value, Trouble> {
    use Binary::{Eq, LeS, LeU, LtS, LtU, Sub, Xor};
    let (Value::Part(x), Value::Part(y)) = (a, b) else { return Err(FRAGMENT) };
    if x == y {
        return match op {
            Eq | LeU | LeS => Ok(Value::truth(true)),
            LtU | LtS => Ok(Value::truth(false)),
            Sub | Xor => Ok(Value::ZERO),
            _ => Err(FRAGMENT),
        };
    }
    let same_bytes = (x.first, x.bytes, x.extended) == (y.first, y.bytes, y.extended);
    match (op, x.of, y.of) {
        (Eq, Whole::Address(one, first), Whole::Address(other, second))
            if one == other && x.first == 0 && same_bytes =>
        {
            let differ = (first.wrapping_sub(second) as u128) & mask(8 * x.bytes) != 0;
            if differ { Ok(Value::ZERO) } else { Err(FRAGMENT) }
        }
        _ => Err(FRAGMENT),
    }
}

fn is_unsigned(op: Binary) -> bool {
    matches!(op, Binary::LtU | Binary::LeU)
}

/// Whether the number is in the last part of all numbers, and the address is not.
fn is_below_top(address: Value, number: u128, bits: u8) -> bool {
    let top = mask(bits) - (mask(bits) >> 5);
    number >= top && matches!(address, Value::Address { offset, .. } if (0..NEAR).contains(&offset))
}

fn ordered(op: Binary, order: std::cmp::Ordering) -> Result<Value, Trouble> {
    match op {
        Binary::LtU | Binary::LtS => Ok(Value::truth(order.is_lt())),
        Binary::LeU | Binary::LeS => Ok(Value::truth(order.is_le())),
        _ => Err(ARITHMETIC),
    }
}

fn with_number(op: Binary, bits: u8, address: Value, number: u128) -> Result<Value, Trouble> {
    let Value::Address { instance, offset } = address else { return Err(ARITHMETIC) };
    let moved = |offset| Ok(Value::Address { instance, offset });
    let low = number < ALIGNMENT;
    match op {
        Binary::Add => moved(offset.wrapping_add(signed(number, bits) as i64)),
        Binary::Sub => moved(offset.wrapping_sub(signed(number, bits) as i64)),
        Binary::And if low => Ok(Value::Bits(offset as u128 & number)),
        // All high bits kept: low bits cleared.
        Binary::And if !number & mask(bits) < ALIGNMENT => moved(offset & signed(number, bits) as i64),
        Binary::Or if low => moved(offset | number as i64),
        Binary::Xor if low => moved(offset ^ number as i64),
        Binary::RemU if number.is_power_of_two() && number <= ALIGNMENT => {
            Ok(Value::Bits(offset as u128 & (number - 1)))
        }
        _ if number == 0 => ordered(op, std::cmp::Ordering::Greater),
        _ if is_unsigned(op) && is_below_top(address, number, bits) => ordered(op, std::cmp::Ordering::Less),
        _ => Err(ARITHMETIC),
    }
}

pub(super) fn convert(
    op: Convert,
    [from, to]: [Type; 2],
    pointer_bits: u8,
    a: Value,
) -> Result<Value, Trouble> {
    let bits = to.bits(pointer_bits);
    if let Value::Part(fragment) = a {
        let wider = bits > from.bits(pointer_bits);
        return convert_fragment(op, to, bits, wider, fragment);
    }
    if a == Value::Undetermined && matches!(op, Convert::ZeroExtend | Convert::SignExtend) {
        return Err(FRAGMENT);
    }
    match (op, a) {
        (Convert::ZeroExtend | Convert::SignExtend | Convert::Reinterpret, _) if !to.is_float() => Ok(a),
        (Convert::Truncate, _) if bits >= pointer_bits => Ok(a),
        // A handle is a small number.
        (Convert::Truncate, Value::Thread(_)) if bits >= 16 => Ok(a),
        (Convert::Truncate, Value::Address { offset, .. }) if mask(bits) < ALIGNMENT => {
            Ok(Value::Bits(offset as u128 & mask(bits)))
        }
        _ => Err(ARITHMETIC),
    }
}

/// A fragment becomes a wider number, and from that itself again.
fn convert_fragment(
    op: Convert,
    to: Type,
    bits: u8,
    wider: bool,
    fragment: Fragment,
) -> Result<Value, Trouble> {
    let own = 8 * fragment.bytes;
    let as_now = Ok(Value::Part(fragment));
    let extended = |extended| Ok(Value::Part(Fragment { extended, ..fragment }));
    match (op, fragment.extended) {
        _ if to.is_float() => Err(FRAGMENT),
        (Convert::Reinterpret, _) => as_now,
        (Convert::ZeroExtend | Convert::SignExtend, _) if !wider => as_now,
        (Convert::ZeroExtend, Extended::No | Extended::Zeros) => extended(Extended::Zeros),
        (Convert::SignExtend, Extended::Zeros) => as_now,
        (Convert::SignExtend, Extended::No | Extended::Signs) => extended(Extended::Signs),
        (Convert::Truncate, _) if bits == own => extended(Extended::No),
        (Convert::Truncate, _) if bits > own => as_now,
        _ => Err(FRAGMENT),
    }
}
