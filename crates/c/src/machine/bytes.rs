//! Bytes underneath cells: what an access reads and writes that hits a part of a cell, several cells, or
//! bytes between cells. Numbers are little-endian. Bytes of an address or a handle stay fragments of it.
//!
//! A cell holds one value whenever its bytes make one up; otherwise it is [`Value::Split`], and its bytes
//! stand after the last cell of the object, each at its offset from the object's start. There, too, stand the
//! bytes that no cell covers, if they are not what they were at first. So equal memory is one state.

use super::access::Hit;
use crate::op::Op;
use crate::program::Program;
use crate::state::{Instance, Memory, Origin};
use crate::types::{CellType, InstanceId, Layout, ObjectScope, mask};
use crate::value::{Extended, Fragment, Trouble, Value, Whole};

/// Bytes further from the start of an object are not kept one by one.
pub(super) const FAR: u64 = 1 << 24;
/// A handle is a number of this many bytes.
const HANDLE_BYTES: usize = 2;

const MIXED: Trouble = Trouble::Unsupported("a value of which some bytes belong to an address or a handle");
const PARTLY: Trouble = Trouble::Unsupported("a value of which only some bytes are initialised");
const SYNC: Trouble = Trouble::Unsupported("an access to bytes of a synchronisation object");
const NO_VALUE: Trouble = Trouble::Unsupported("bytes that are no value of the type");

/// Bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The object.
    pub instance: InstanceId,
    /// The first byte, from the start of the object.
    pub first: u64,
    /// How many.
    pub bytes: u64,
}

/// A cell of an object.
#[derive(Clone, Copy)]
struct Covering {
    number: usize,
    start: u64,
    ty: CellType,
}

/// How the bytes of an object lie.
pub(super) struct ObjectBytes<'p> {
    layout: &'p Layout,
    /// The number of cells.
    cells: usize,
    pointer_bits: u8,
    /// What bytes that no cell covers hold at first.
    between: Value,
}

impl<'p> ObjectBytes<'p> {
    pub fn of(program: &'p Program, object: &Instance) -> ObjectBytes<'p> {
        let layout = &program.layouts()[object.layout];
        let zero = match object.origin {
            Origin::Declared(id) => !matches!(program.objects()[id].scope, ObjectScope::Procedure(_)),
            Origin::Allocated(loc) => matches!(program.at(loc).op, Op::Alloc { zeroed: true, .. }),
            Origin::Freed => false,
        };
        ObjectBytes {
            layout,
            cells: layout.cells.len() * object.count as usize,
            pointer_bits: program.pointer_bits(),
            between: if zero { Value::ZERO } else { Value::Undetermined },
        }
    }

    /// The bytes of a span as one value of this many bits.
    pub fn read(&self, object: &Instance, first: u64, bits: u8) -> Result<Value, Trouble> {
        let bytes: Result<Vec<Value>, Trouble> =
            (first..first + u64::from(bits.div_ceil(8))).map(|at| self.byte(object, at)).collect();
        self.compose(&bytes?, bits)
    }

    /// Writes the bytes of a value of this many bits.
    pub fn write(&self, object: &mut Instance, first: u64, bits: u8, value: Value) -> Result<(), Trouble> {
        let bytes = self.decompose(value, usize::from(bits.div_ceil(8)))?;
        let end = first + bytes.len() as u64;
        // Nothing may be written if something is refused.
        let mut at = first;
        while at < end {
            at = match self.covering(at) {
                Some(cell) if matches!(cell.ty, CellType::Sync(..)) => return Err(SYNC),
                Some(cell) => cell.start + cell.ty.bytes(self.pointer_bits),
                None => at + 1,
            };
        }
        let mut at = first;
        while at < end {
            let byte = bytes[(at - first) as usize];
            at = match self.covering(at) {
                Some(cell) => self.patch(object, cell, first, &bytes)?,
                None => {
                    self.put(object, at, byte);
                    at + 1
                }
            };
        }
        while let Some(last) = object.cells.len().checked_sub(1).filter(|&last| last >= self.cells) {
            if object.cells[last] != self.default((last - self.cells) as u64) {
                break;
            }
            object.cells.pop();
        }
        Ok(())
    }

    /// Whether no cell covers a byte of a span.
    pub fn is_between(&self, first: u64, bytes: u64) -> bool {
        (first..first + bytes).all(|at| self.covering(at).is_none())
    }

    /// Changes the bytes of one cell that lie in a span; gives the byte after the cell.
    fn patch(
        &self,
        object: &mut Instance,
        cell: Covering,
        first: u64,
        bytes: &[Value],
    ) -> Result<u64, Trouble> {
        let CellType::Scalar(ty) = cell.ty else { return Err(SYNC) };
        let end = cell.start + cell.ty.bytes(self.pointer_bits);
        let byte = |at: u64| match at.checked_sub(first).and_then(|at| bytes.get(at as usize)) {
            Some(&byte) => Ok(byte),
            None => self.byte(object, at),
        };
        let all = (cell.start..end).map(byte).collect::<Result<Vec<Value>, Trouble>>()?;
        let whole = self.compose(&all, ty.bits(self.pointer_bits));
        object.cells[cell.number] = *whole.as_ref().unwrap_or(&Value::Split);
        for (at, &byte) in (cell.start..end).zip(&all) {
            self.put(object, at, if whole.is_ok() { Value::Undetermined } else { byte });
        }
        Ok(end)
    }

    /// Sets a byte that is kept after the cells.
    fn put(&self, object: &mut Instance, at: u64, byte: Value) {
        let slot = self.cells + at as usize;
        if slot >= object.cells.len() {
            if byte == self.default(at) {
                return;
            }
            let known = (object.cells.len() - self.cells) as u64;
            object.cells.extend((known..=at).map(|at| self.default(at)));
        }
        object.cells[slot] = byte;
    }

    /// What is kept for a byte of which nothing is known.
    fn default(&self, at: u64) -> Value {
        if self.covering(at).is_some() { Value::Undetermined } else { self.between }
    }

    fn covering(&self, at: u64) -> Option<Covering> {
        let (element, within) = (at / self.layout.stride, at % self.layout.stride);
        let position = self.layout.cells.partition_point(|cell| cell.offset <= within).checked_sub(1)?;
        let cell = &self.layout.cells[position];
        (within < cell.offset + cell.ty.bytes(self.pointer_bits)).then(|| Covering {
            number: element as usize * self.layout.cells.len() + position,
            start: at - (within - cell.offset),
            ty: cell.ty,
        })
    }

    /// One byte: a number, a fragment, or undetermined.
    fn byte(&self, object: &Instance, at: u64) -> Result<Value, Trouble> {
        let kept = || object.cells.get(self.cells + at as usize).copied().unwrap_or_else(|| self.default(at));
        match self.covering(at) {
            None => Ok(kept()),
            Some(cell) => match (object.cells[cell.number], cell.ty) {
                (_, CellType::Sync(..)) => Err(SYNC),
                (Value::Split, _) => Ok(kept()),
                (value, _) => self.byte_of(value, (at - cell.start) as u8),
            },
        }
    }

    /// A byte of a value of a cell.
    fn byte_of(&self, value: Value, at: u8) -> Result<Value, Trouble> {
        let beyond = at >= self.pointer_bits / 8;
        let part =
            |of: Whole, first: u8| Value::Part(Fragment { of, first, bytes: 1, extended: Extended::No });
        Ok(match value {
            Value::Bits(bits) => Value::Bits(bits >> (8 * u32::from(at)) & 0xff),
            // Only zeros are in front of an address in a wider cell.
            Value::Address { .. } if beyond => Value::ZERO,
            Value::Address { instance, offset } => part(Whole::Address(instance, offset), at),
            Value::Thread(id) => part(Whole::Thread(id), at),
            Value::Part(Fragment { extended: Extended::No, of, first, bytes }) if at < bytes => {
                part(of, first + at)
            }
            Value::Part(_) => return Err(MIXED),
            Value::Undetermined | Value::Split => Value::Undetermined,
        })
    }

    fn decompose(&self, value: Value, bytes: usize) -> Result<Vec<Value>, Trouble> {
        (0..bytes as u8).map(|at| self.byte_of(value, at)).collect()
    }

    /// The one value that bytes make up.
    fn compose(&self, bytes: &[Value], bits: u8) -> Result<Value, Trouble> {
        match bytes.first() {
            Some(Value::Bits(_)) => {
                let mut number = 0u128;
                for (at, byte) in bytes.iter().enumerate() {
                    number |= byte.bits().ok_or_else(|| mixed(bytes))? << (8 * at);
                }
                if number & !mask(bits) == 0 { Ok(Value::Bits(number)) } else { Err(NO_VALUE) }
            }
            Some(Value::Part(fragment)) => self.joined(*fragment, bytes),
            _ if bytes.iter().all(|byte| *byte == Value::Undetermined) => Ok(Value::Undetermined),
            _ => Err(mixed(bytes)),
        }
    }

    /// Fragments that follow each other.
    fn joined(&self, start: Fragment, bytes: &[Value]) -> Result<Value, Trouble> {
        let pointer = usize::from(self.pointer_bits / 8);
        let long = bytes.len() > pointer && matches!(start.of, Whole::Address(..));
        let (parts, rest) = bytes.split_at(if long { pointer } else { bytes.len() });
        let follows = |(at, byte): (usize, &Value)| {
            *byte == Value::Part(Fragment { first: start.first + at as u8, ..start })
        };
        if !parts.iter().enumerate().all(follows) || rest.iter().any(|byte| *byte != Value::ZERO) {
            return Err(mixed(bytes));
        }
        let enough = match start.of {
            Whole::Address(..) => pointer,
            Whole::Thread(_) => HANDLE_BYTES,
        };
        Ok(match start.first == 0 && parts.len() >= enough {
            true => start.of.value(),
            false => Value::Part(Fragment { bytes: parts.len() as u8, ..start }),
        })
    }
}

fn mixed(bytes: &[Value]) -> Trouble {
    if bytes.contains(&Value::Undetermined) { PARTLY } else { MIXED }
}

impl super::Machine<'_> {
    /// What the bytes of a span make up.
    pub(super) fn read_bytes(&self, memory: &Memory, span: Span, bits: u8) -> Result<Value, Trouble> {
        let Some(object) = memory.get(span.instance) else { return Ok(Value::Undetermined) };
        ObjectBytes::of(self.program, object).read(object, span.first, bits)
    }

    /// Whether bytes between cells are hit: where they hold nothing, nothing is read, so that they can be
    /// copied.
    pub(super) fn is_between(&self, memory: &Memory, hit: Hit) -> bool {
        match (hit, memory.get(hit.instance())) {
            (Hit::Bytes(span), Some(object)) => {
                ObjectBytes::of(self.program, object).is_between(span.first, span.bytes)
            }
            _ => false,
        }
    }

    /// Writes a value to the bytes of a span.
    pub(super) fn write_bytes(
        &self,
        memory: &mut Memory,
        span: Span,
        bits: u8,
        value: Value,
    ) -> Result<(), Trouble> {
        let Some(object) = memory.get_mut(span.instance) else { return Ok(()) };
        ObjectBytes::of(self.program, object).write(object, span.first, bits, value)
    }
}
