//! Values of registers and cells, and what can be wrong with an operation on them.

use super::types::InstanceId;
use std::fmt;

/// The name of a thread in a run: `main` is 0, the others are numbered as they are created; no number is used
/// twice.
pub type ThreadId = u32;

/// What a register or a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A number, or the bits of a float; bits above the width are zero.
    Bits(u128),
    /// An address; held by pointers and by integers of at least their width.
    Address {
        /// The object, perhaps a dead one.
        instance: InstanceId,
        /// Bytes from its start; may lie outside, as long as nothing is accessed there.
        offset: i64,
    },
    /// The handle of a thread: a number that nobody can compute with, only compare.
    Thread(ThreadId),
    /// In cells only: any value, chosen by the first read. For a synchronisation object: not initialised.
    Undetermined,
    /// Some bytes of an address or a handle.
    Part(Fragment),
    /// In cells only: bytes that make up no one value. The object keeps them beside its cells.
    Split,
}

/// What has no bytes of its own that are known: they can only be put together again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Whole {
    /// An address: object and offset.
    Address(InstanceId, i64),
    /// A handle.
    Thread(ThreadId),
}

/// Consecutive bytes of an address or a handle, the lowest one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fragment {
    /// Of what.
    pub of: Whole,
    /// The first byte.
    pub first: u8,
    /// How many.
    pub bytes: u8,
    /// How they became a number of more bytes, in registers only.
    pub extended: Extended,
}

/// What was put in front of a fragment to make a wider number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Extended {
    /// Nothing.
    No,
    /// Zeros.
    Zeros,
    /// Copies of the sign bit.
    Signs,
}

impl Whole {
    /// The value itself.
    pub fn value(self) -> Value {
        match self {
            Whole::Address(instance, offset) => Value::Address { instance, offset },
            Whole::Thread(id) => Value::Thread(id),
        }
    }
}

impl Value {
    /// The number 0, and null.
    pub const ZERO: Value = Value::Bits(0);

    /// 1 or 0.
    pub fn truth(value: bool) -> Value {
        Value::Bits(u128::from(value))
    }

    /// The number, if it is one.
    pub fn bits(self) -> Option<u128> {
        match self {
            Value::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// What it is, or is a part of, if that is no number.
    pub fn whole(self) -> Option<Whole> {
        match self {
            Value::Address { instance, offset } => Some(Whole::Address(instance, offset)),
            Value::Thread(id) => Some(Whole::Thread(id)),
            Value::Part(fragment) => Some(fragment.of),
            Value::Bits(_) | Value::Undetermined | Value::Split => None,
        }
    }

    /// The object that it, or what it is a part of, points into.
    pub fn instance(self) -> Option<InstanceId> {
        match self.whole() {
            Some(Whole::Address(instance, _)) => Some(instance),
            _ => None,
        }
    }

    /// The thread that it, or what it is a part of, is the handle of.
    pub fn handle(self) -> Option<ThreadId> {
        match self.whole() {
            Some(Whole::Thread(id)) => Some(id),
            _ => None,
        }
    }

    /// The same with another address or handle in it, if there is one.
    pub fn map_whole(self, f: impl FnOnce(Whole) -> Whole) -> Value {
        match self {
            Value::Address { .. } | Value::Thread(_) => self.whole().map_or(self, |of| f(of).value()),
            Value::Part(fragment) => Value::Part(Fragment { of: f(fragment.of), ..fragment }),
            Value::Bits(_) | Value::Undetermined | Value::Split => self,
        }
    }

    /// The same with the object renamed that it points into.
    pub fn map_instance(self, f: impl FnOnce(InstanceId) -> InstanceId) -> Value {
        self.map_whole(|whole| match whole {
            Whole::Address(instance, offset) => Whole::Address(f(instance), offset),
            thread => thread,
        })
    }

    /// The same with the thread renamed that it is a handle of.
    pub fn map_handle(self, f: impl FnOnce(ThreadId) -> ThreadId) -> Value {
        self.map_whole(|whole| match whole {
            Whole::Thread(id) => Whole::Thread(f(id)),
            address => address,
        })
    }
}

/// Undefined behaviour: what is wrong with an operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// Division by zero, or its remainder.
    DivisionByZero,
    /// A shift by the width or more.
    ShiftTooFar,
    /// A float that does not fit the integer type it is converted to.
    FloatConversion,
    /// Subtracting pointers into different objects.
    DifferentObjects,
    /// An access through null or another integer.
    BadPointer,
    /// An access outside its object.
    OutOfBounds,
    /// An access to an object that does not exist any more, or not yet.
    DeadObject,
    /// A write to a constant.
    ReadOnly,
    /// `free` of what is not the start of a living allocation.
    BadFree,
    /// Unlocking, or waiting with, a lock that the thread does not hold.
    NotHeld,
    /// Using a synchronisation object that is not initialised.
    NotInitialised,
    /// Initialising or destroying a synchronisation object that is in use.
    InUse,
    /// Joining what is no thread, or a thread that was joined before.
    BadHandle,
    /// What the program itself says is undefined.
    Stated(String),
}

impl Fault {
    /// Whether it is an access or a `free` that goes wrong; everything else is undefined behaviour of another
    /// kind.
    pub fn is_memory(&self) -> bool {
        match self {
            Fault::BadPointer | Fault::OutOfBounds | Fault::DeadObject | Fault::ReadOnly | Fault::BadFree => {
                true
            }
            // The index of an array that nobody reads is compared with its size in a step of its own.
            Fault::Stated(why) => *why == Fault::OutOfBounds.to_string(),
            Fault::DivisionByZero
            | Fault::ShiftTooFar
            | Fault::FloatConversion
            | Fault::DifferentObjects
            | Fault::NotHeld
            | Fault::NotInitialised
            | Fault::InUse
            | Fault::BadHandle => false,
        }
    }
}

/// Which steps without meaning are errors; at the others a thread waits for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Faults {
    /// Accesses and `free` (property memory).
    pub memory: bool,
    /// All others (property undefined).
    pub other: bool,
}

impl Faults {
    /// None.
    pub const NONE: Faults = Faults { memory: false, other: false };
    /// All.
    pub const ALL: Faults = Faults { memory: true, other: true };

    /// Whether this one is an error.
    pub fn has(self, fault: &Fault) -> bool {
        if fault.is_memory() { self.memory } else { self.other }
    }

    /// Whether some are.
    pub fn any(self) -> bool {
        self != Faults::NONE
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::DivisionByZero => "division by zero",
            Fault::ShiftTooFar => "shift too far",
            Fault::FloatConversion => "conversion of a float that does not fit",
            Fault::DifferentObjects => "difference of pointers into different objects",
            Fault::BadPointer => "invalid pointer",
            Fault::OutOfBounds => "out of bounds",
            Fault::DeadObject => "use of an object outside its lifetime",
            Fault::ReadOnly => "write to a constant",
            Fault::BadFree => "invalid free",
            Fault::NotHeld => "unlocking a lock that is not held",
            Fault::NotInitialised => "use of a synchronisation object that is not initialised",
            Fault::InUse => "initialising or destroying a synchronisation object that is in use",
            Fault::BadHandle => "joining or detaching a thread that cannot be joined",
            Fault::Stated(why) => why,
        })
    }
}

/// Why an operation gives no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// It is undefined behaviour.
    Fault(Fault),
    /// It may have one, but this model of memory does not say which.
    Unsupported(&'static str),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

/// One cell of an object in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellRef {
    /// The object.
    pub instance: InstanceId,
    /// Its number: element number times cells per element, plus the cell's position in the element. After the
    /// last cell come the bytes of the object, counted from its start.
    pub cell: u32,
}
