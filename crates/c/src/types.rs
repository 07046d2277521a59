//! Scalar types, the shapes of memory objects, and constants.

use super::program::{LayoutId, ObjectId};
use base::define_id;
use std::fmt;

define_id!(
    /// A memory object that exists in a state: a declared one, an activation's own, or an allocation.
    pub struct InstanceId = "i"
);

/// The type of a scalar. Signedness belongs to the operators, not to the values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// A bit-vector of 1 to 128 bits. Truth values have one bit.
    Bits(u8),
    /// A pointer: an object and a byte offset, or an integer of [`super::Program::pointer_bits`] bits (0 is
    /// null).
    Pointer,
    /// binary32, kept as its 32 bits.
    Float,
    /// binary64, kept as its 64 bits.
    Double,
}

/// A truth value.
pub const TRUTH: Type = Type::Bits(1);

impl Type {
    /// The number of bits.
    pub fn bits(self, pointer_bits: u8) -> u8 {
        match self {
            Type::Bits(bits) => bits,
            Type::Pointer => pointer_bits,
            Type::Float => 32,
            Type::Double => 64,
        }
    }

    /// Whether it is one of the two floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bits(bits) => write!(f, "b{bits}"),
            Type::Pointer => f.write_str("ptr"),
            Type::Float => f.write_str("f32"),
            Type::Double => f.write_str("f64"),
        }
    }
}

/// The lowest `bits` bits set.
pub fn mask(bits: u8) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// The number that a bit-vector of `bits` bits stands for in two's complement.
pub fn signed(value: u128, bits: u8) -> i128 {
    let unused = 128 - u32::from(bits.clamp(1, 128));
    ((value << unused) as i128) >> unused
}

/// The kinds of synchronisation objects. Each is one opaque cell; all bits zero is the state of a static
/// initialiser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SyncKind {
    /// A mutex or a spin lock.
    Mutex,
    /// A read-write lock.
    RwLock,
    /// A condition variable.
    Cond,
    /// A barrier.
    Barrier,
    /// A counting semaphore.
    Semaphore,
    /// The flag of `pthread_once`.
    Once,
}

impl SyncKind {
    /// All kinds.
    pub const ALL: [SyncKind; 6] = [
        SyncKind::Mutex,
        SyncKind::RwLock,
        SyncKind::Cond,
        SyncKind::Barrier,
        SyncKind::Semaphore,
        SyncKind::Once,
    ];

    /// Its word in the text form.
    pub fn word(self) -> &'static str {
        match self {
            SyncKind::Mutex => "mutex",
            SyncKind::RwLock => "rwlock",
            SyncKind::Cond => "cond",
            SyncKind::Barrier => "barrier",
            SyncKind::Semaphore => "semaphore",
            SyncKind::Once => "once",
        }
    }
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CellType {
    /// A scalar, read and written by loads, stores and read-modify-writes.
    Scalar(Type),
    /// A synchronisation object of this many bytes, touched only by [`super::Sync`] steps.
    Sync(SyncKind, u32),
}

impl CellType {
    /// The size in bytes.
    pub fn bytes(self, pointer_bits: u8) -> u64 {
        match self {
            CellType::Scalar(ty) => u64::from(ty.bits(pointer_bits).div_ceil(8)),
            CellType::Sync(_, bytes) => u64::from(bytes),
        }
    }
}

/// One scalar of an element of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// Where it starts, in bytes from the start of the element.
    pub offset: u64,
    /// What it holds.
    pub ty: CellType,
    /// The path in the declared type for messages, such as `.next` or `[2].x`; may be empty.
    pub name: String,
}

/// The shape of one element: cells in the order of their offsets, which do not overlap. An object is a number
/// of such elements, one after the other: a struct is one element, `int a[10]` ten elements of one cell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// The size of an element in bytes, padding included.
    pub stride: u64,
    /// The cells.
    pub cells: Vec<Cell>,
}

impl Layout {
    /// One scalar and nothing else.
    pub fn scalar(ty: Type, pointer_bits: u8) -> Layout {
        Layout::single(CellType::Scalar(ty), pointer_bits)
    }

    /// One cell and nothing else.
    pub fn single(ty: CellType, pointer_bits: u8) -> Layout {
        Layout { stride: ty.bytes(pointer_bits), cells: vec![Cell { offset: 0, ty, name: String::new() }] }
    }
}

/// A constant of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constant {
    /// A number, or the bits of a float.
    Bits(u128),
    /// The address of a static object, and bytes added to it.
    Address(ObjectId, i64),
}

impl Constant {
    /// Whether a cell or register of a type can hold it.
    pub fn fits(self, ty: Type, pointer_bits: u8) -> bool {
        let bits = ty.bits(pointer_bits);
        match self {
            Constant::Bits(number) => number & !mask(bits) == 0,
            Constant::Address(..) => bits >= pointer_bits && !ty.is_float(),
        }
    }
}

/// When an object exists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectScope {
    /// Always: globals, statics, string literals, functions whose address is taken.
    Static,
    /// One for each thread, from its first step to its last: thread-local storage whose address is taken.
    Thread,
    /// One for each activation of the procedure, from `Enter` to `Leave` or to the end of the activation.
    Procedure(super::program::ProcId),
}

/// A declared object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name; unique in the program.
    pub name: String,
    /// When it exists.
    pub scope: ObjectScope,
    /// The shape of its elements.
    pub layout: LayoutId,
    /// The number of elements.
    pub count: u64,
    /// First values of cells by cell number (element number times cells per element, plus the cell's
    /// position), in order; other cells are zero. Only for static and thread scope: an activation's cells
    /// start undetermined.
    pub init: Vec<(u64, Constant)>,
    /// Whether writing it is undefined behaviour, as for string literals.
    pub constant: bool,
}
