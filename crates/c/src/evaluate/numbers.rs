//! Operators on bit-vectors and floats. Floats are computed by the machine's own binary32 and binary64
//! arithmetic, rounding to nearest; a NaN that comes out is always the same one, so that runs do not depend
//! on the processor.

use crate::expr::{Binary, Convert, Unary};
use crate::types::{Type, mask, signed};
use crate::value::{Fault, Trouble, Value};

pub(super) fn unary(op: Unary, ty: Type, pointer_bits: u8, a: u128) -> u128 {
    let bits = ty.bits(pointer_bits);
    match op {
        Unary::Not => !a & mask(bits),
        // Changing the sign of a float changes its first bit, also of a NaN.
        Unary::Neg if ty.is_float() => a ^ (1 << (bits - 1)),
        Unary::Neg => a.wrapping_neg() & mask(bits),
    }
}

pub(super) fn binary(op: Binary, bits: u8, a: u128, b: u128) -> Result<Value, Trouble> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = |f: fn(u128, u32) -> u128| {
        if b < u128::from(bits) { Ok(f(a, b as u32)) } else { Err(Fault::ShiftTooFar) }
    };
    let divide = |result: Option<u128>| result.ok_or(Fault::DivisionByZero);
    let number = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::DivU => divide(a.checked_div(b))?,
        Binary::RemU => divide(a.checked_rem(b))?,
        Binary::DivS => divide((sb != 0).then(|| sa.wrapping_div(sb) as u128))?,
        Binary::RemS => divide((sb != 0).then(|| sa.wrapping_rem(sb) as u128))?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => shift(|a, b| a << b)?,
        Binary::ShrU => shift(|a, b| a >> b)?,
        Binary::ShrS if b < u128::from(bits) => (sa >> b) as u128,
        Binary::ShrS => return Err(Fault::ShiftTooFar.into()),
        Binary::Eq => return Ok(Value::truth(a == b)),
        Binary::LtU => return Ok(Value::truth(a < b)),
        Binary::LeU => return Ok(Value::truth(a <= b)),
        Binary::LtS => return Ok(Value::truth(sa < sb)),
        Binary::LeS => return Ok(Value::truth(sa <= sb)),
        Binary::DivF | Binary::LtF | Binary::LeF => return Err(ILL_TYPED),
    };
    Ok(Value::Bits(number & mask(bits)))
}

/// The validator lets no such operation through.
const ILL_TYPED: Trouble = Trouble::Unsupported("an operator has operands of wrong types");

pub(super) fn float(op: Binary, ty: Type, a: u128, b: u128) -> Result<Value, Trouble> {
    if ty == Type::Float {
        let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::DivF => a / b,
            _ => return compare(op, a.partial_cmp(&b)),
        };
        return Ok(Value::Bits(from_f32(result)));
    }
    let (a, b) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
    let result = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::DivF => a / b,
        _ => return compare(op, a.partial_cmp(&b)),
    };
    Ok(Value::Bits(from_f64(result)))
}

fn compare(op: Binary, order: Option<std::cmp::Ordering>) -> Result<Value, Trouble> {
    match op {
        Binary::Eq => Ok(Value::truth(order.is_some_and(|order| order.is_eq()))),
        Binary::LtF => Ok(Value::truth(order.is_some_and(|order| order.is_lt()))),
        Binary::LeF => Ok(Value::truth(order.is_some_and(|order| order.is_le()))),
        _ => Err(ILL_TYPED),
    }
}

fn from_f32(value: f32) -> u128 {
    if value.is_nan() { 0x7fc0_0000 } else { u128::from(value.to_bits()) }
}

fn from_f64(value: f64) -> u128 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { u128::from(value.to_bits()) }
}

pub(super) fn convert(
    op: Convert,
    from: Type,
    to: Type,
    pointer_bits: u8,
    a: u128,
) -> Result<Value, Trouble> {
    let (from_bits, to_bits) = (from.bits(pointer_bits), to.bits(pointer_bits));
    Ok(Value::Bits(match op {
        Convert::ZeroExtend | Convert::Reinterpret => a,
        Convert::SignExtend => signed(a, from_bits) as u128 & mask(to_bits),
        Convert::Truncate => a & mask(to_bits),
        Convert::FloatU if to == Type::Float => from_f32(a as f32),
        Convert::FloatU => from_f64(a as f64),
        Convert::FloatS if to == Type::Float => from_f32(signed(a, from_bits) as f32),
        Convert::FloatS => from_f64(signed(a, from_bits) as f64),
        Convert::FloatF if from == to => a,
        Convert::FloatF if to == Type::Float => from_f32(f64::from_bits(a as u64) as f32),
        Convert::FloatF => from_f64(f64::from(f32::from_bits(a as u32))),
        Convert::BitsU | Convert::BitsS => {
            let is_signed = op == Convert::BitsS;
            // Every binary32 number is a binary64 number.
            let value = if from == Type::Float {
                f64::from(f32::from_bits(a as u32))
            } else {
                f64::from_bits(a as u64)
            };
            return to_integer(value.trunc(), to_bits, is_signed).map(Value::Bits);
        }
    }))
}

/// An integral float as bits, if it fits. Powers of two are exact floats, so the comparisons are exact.
fn to_integer(value: f64, bits: u8, is_signed: bool) -> Result<u128, Trouble> {
    let power = |n: u8| 2f64.powi(i32::from(n));
    let fits = if is_signed {
        value >= -power(bits - 1) && value < power(bits - 1)
    } else {
        value >= 0.0 && value < power(bits)
    };
    match fits {
        false => Err(Fault::FloatConversion.into()),
        true if is_signed => Ok(value as i128 as u128 & mask(bits)),
        true => Ok(value as u128),
    }
}
