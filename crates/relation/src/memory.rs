//! Which memory the relation follows, and the numbers that stand for addresses and handles.
//!
//! Followed are cells of static objects, and of objects of threads and activations whose address is never
//! taken, if the object has few cells or only fixed ones are touched. Everything else has any value whenever
//! it is read.
//!
//! Numbers: integers stand for themselves. The byte `o` of static object `k` has the number `(k + 1) <<
//! shift` plus `o`. Other objects lie somewhere above those of all static ones, and handles of threads above
//! [`Numbers::handles`]: where, each run chooses, so that what the machine tells apart can have different
//! numbers.

use super::Home;
use base::Id;
use c::evaluate::addresses::ALIGNMENT;
use c::op::Place;
use c::program::{LocalId, ObjectId, Program};
use c::types::{CellType, Constant, ObjectScope, Type, mask};
use std::collections::{BTreeMap, BTreeSet};

/// Objects with at most this many cells are followed as a whole.
const CELLS: u64 = 16;

/// The numbers of addresses and handles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// The width of pointers.
    pub bits: u8,
    shift: u32,
    /// The first number of an object that is not static.
    pub others: u128,
    /// The first number of a handle.
    pub handles: u128,
}

impl Numbers {
    /// `None` if the static objects are too large or too many.
    pub fn of(program: &Program) -> Option<Numbers> {
        let bits = program.pointer_bits();
        let handles = mask(bits) - (mask(bits) >> 4);
        let number = program.objects().len() as u128 + 2;
        // Half of the numbers below the handles are for other objects.
        let shift = (1..=u32::from(bits) / 2).rev().find(|&shift| number << shift <= handles / 2)?;
        // Nobody gets at an object that no step names.
        let sizes = named(program).into_iter().map(|object| size(program, object));
        let fits = sizes.max().unwrap_or(0) < 1 << (shift - 1);
        fits.then_some(Numbers { bits, shift, others: (number - 1) << shift, handles })
    }

    /// The first number of an address.
    pub fn area(self) -> u128 {
        1 << self.shift
    }

    /// The number of a byte of a static object.
    pub fn address(self, object: ObjectId, offset: i64) -> u128 {
        let start = (object.index() as u128 + 1) << self.shift;
        start.wrapping_add(offset as i128 as u128) & mask(self.bits)
    }

    /// The number of a constant.
    pub fn constant(self, value: Constant) -> u128 {
        match value {
            Constant::Bits(bits) => bits,
            Constant::Address(object, offset) => self.address(object, offset),
        }
    }

    /// What the number of the start of every object is a multiple of.
    pub fn alignment(self) -> u128 {
        ALIGNMENT
    }
}

/// The objects that steps or first values name.
fn named(program: &Program) -> BTreeSet<ObjectId> {
    let ops = program.locations().iter().map(|location| &location.op);
    let places = ops.clone().flat_map(|op| op.places()).filter_map(Place::object);
    let addressed = program.addressed();
    let by_address = program.objects().ids().filter(|it| addressed[it.index()]);
    places.chain(ops.filter_map(|op| op.entered_or_left())).chain(by_address).collect()
}

/// One cell of a declared object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct CellKey {
    pub object: ObjectId,
    pub cell: u32,
}

/// What is kept about a mutex.
#[derive(Clone, Copy, Debug)]
pub(super) struct MutexVars {
    /// Shared: whether somebody holds it.
    pub taken: LocalId,
    /// Of the thread: how many times it holds it.
    pub mine: LocalId,
    /// Shared: its kind as a number, if it is not always the same.
    pub kind: Result<u128, LocalId>,
    /// Whether it can be a recursive one.
    pub counts: bool,
}

/// What is kept about a read-write lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct RwVars {
    /// Shared: whether somebody holds it for writing.
    pub writer: LocalId,
    /// Of the thread: whether it does.
    pub writes: LocalId,
    /// Of the thread: how many times it holds it for reading.
    pub reads: LocalId,
}

/// What the relation knows of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Scalar(LocalId, Type),
    Constant(u128, Type),
    Mutex(MutexVars),
    RwLock(RwVars),
    Semaphore(LocalId),
    Once(LocalId),
    /// Nothing that matters.
    Plain,
}

/// A cell with its place in its object.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub key: CellKey,
    /// Bytes from the start of the object.
    pub offset: u64,
    pub bytes: u64,
    pub ty: CellType,
    pub name: String,
    /// What it holds at first.
    pub initial: Constant,
}

/// The cells of an object.
pub(super) fn slots(program: &Program, id: ObjectId) -> impl Iterator<Item = Slot> + '_ {
    let object = &program.objects()[id];
    let layout = &program.layouts()[object.layout];
    let cells = layout.cells.len() as u64;
    (0..object.count.saturating_mul(cells)).map(move |number| {
        let (element, position) = (number / cells, (number % cells) as usize);
        let cell = &layout.cells[position];
        let index = if object.count > 1 { format!("[{element}]") } else { String::new() };
        let initial =
            object.init.iter().find(|(at, _)| *at == number).map_or(Constant::Bits(0), |(_, value)| *value);
        Slot {
            key: CellKey { object: id, cell: number as u32 },
            offset: element * layout.stride + cell.offset,
            bytes: cell.ty.bytes(program.pointer_bits()),
            ty: cell.ty,
            name: format!("{}{index}{}", object.name, cell.name),
            initial,
        }
    })
}

/// The size of an object in bytes.
pub(super) fn size(program: &Program, object: ObjectId) -> u64 {
    let object = &program.objects()[object];
    program.layouts()[object.layout].stride.saturating_mul(object.count)
}

/// Whose the cells of a followed object are.
pub(super) fn home(program: &Program, object: ObjectId) -> Home {
    match program.objects()[object].scope {
        ObjectScope::Static => Home::Shared,
        ObjectScope::Thread => Home::Thread,
        ObjectScope::Procedure(procedure) => Home::Template(procedure),
    }
}

/// The cells that are followed, by object, in order.
pub(super) fn followed(program: &Program, addressed: &[bool]) -> BTreeMap<ObjectId, Vec<Slot>> {
    let touched = touched(program);
    let mut found = BTreeMap::new();
    for (id, object) in program.objects().enumerate() {
        let is_static = object.scope == ObjectScope::Static;
        let cells = object.count.saturating_mul(program.layouts()[object.layout].cells.len() as u64);
        let any = touched.indexed.contains(&id) || addressed[id.index()];
        if !is_static && addressed[id.index()]
            || cells > CELLS && any
            || !any && !touched.offsets.contains_key(&id)
        {
            continue;
        }
        let offsets = touched.offsets.get(&id);
        let wanted = |slot: &Slot| any || offsets.is_some_and(|offsets| offsets.contains(&slot.offset));
        if offsets.map_or(0, BTreeSet::len) > 4 * CELLS as usize || cells > 1 << 16 {
            continue;
        }
        found.insert(id, slots(program, id).filter(wanted).collect());
    }
    found
}

/// How declared objects are touched.
#[derive(Default)]
struct Touched {
    offsets: BTreeMap<ObjectId, BTreeSet<u64>>,
    indexed: BTreeSet<ObjectId>,
}

fn touched(program: &Program) -> Touched {
    let mut touched = Touched::default();
    let accesses = program.locations().ids().flat_map(|loc| program.effects(loc).accesses);
    for place in accesses.filter_map(|access| access.region.place()) {
        match place {
            Place::Object { object, offset } => {
                let offsets = touched.offsets.entry(object).or_default();
                offsets.extend(u64::try_from(offset).ok());
            }
            Place::Indexed { object, .. } => {
                touched.indexed.insert(object);
            }
            Place::Pointer { .. } => {}
        }
    }
    touched
}
