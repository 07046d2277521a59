//! The shapes of objects: which scalars a type is made of, at which bytes. Adjacent bit-fields are one cell.
//! Of a union's members the one that the program names most comes first. Members with other cells at the same
//! bytes have none there: an access through them is one to parts of cells. Bytes of theirs that the others
//! leave free are cells of one byte.

use std::collections::{BTreeSet, HashMap};

use ::c::{Cell, CellType, Layout, SyncKind, Type as Scalar};

use super::super::types::{ArrayLength, Field, FloatKind, Opaque, RecordId, Type, TypeId, Types};
use super::facts::Facts;

/// More cells than this in one element are not written out.
const CELLS: usize = 1 << 16;
/// This many bytes between cells are copied or set at once.
const GAP: u64 = 16;

/// An object's shape: elements of one layout, one after the other.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The shape of an element.
    pub layout: Layout,
    /// How many elements.
    pub count: u64,
}

impl Shape {
    /// All cells with their places in the object.
    pub fn cells(&self) -> impl Iterator<Item = (u64, CellType)> {
        let of_element = move |element: u64| {
            self.layout.cells.iter().map(move |cell| (element * self.layout.stride + cell.offset, cell.ty))
        };
        (0..self.count).flat_map(of_element)
    }

    /// The cells of an element, and the bytes between them as further scalars.
    pub fn with_gaps(&self, pointer_bits: u8) -> Vec<(u64, CellType)> {
        let mut found = vec![];
        let mut at = 0;
        let ends = [(self.layout.stride, None)];
        let cells = self.layout.cells.iter().map(|cell| (cell.offset, Some(cell.ty)));
        for (offset, cell) in cells.chain(ends) {
            while at < offset {
                let bytes = (offset - at).min(GAP);
                found.push((at, CellType::Scalar(Scalar::Bits(8 * bytes as u8))));
                at += bytes;
            }
            if let Some(ty) = cell {
                found.push((offset, ty));
                at = offset + ty.bytes(pointer_bits);
            }
        }
        found
    }

    /// How many cells there are.
    pub fn len(&self) -> u64 {
        self.count.saturating_mul(self.layout.cells.len() as u64)
    }
}

/// Where a bit-field is: bits of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitSpot {
    /// The byte where the cell starts, from the start of the record.
    pub offset: u64,
    /// The bits of the cell.
    pub cell: u8,
    /// The first bit of the field in the cell.
    pub shift: u32,
    /// How many bits the field has.
    pub width: u32,
}

/// The scalar of a type, or the construct that cannot be translated.
pub fn scalar(types: &Types, ty: TypeId) -> Result<Scalar, &'static str> {
    match types.get(ty) {
        Type::Pointer(_) => Ok(Scalar::Pointer),
        Type::Float(FloatKind::Float) => Ok(Scalar::Float),
        Type::Float(FloatKind::Double) => Ok(Scalar::Double),
        Type::Float(FloatKind::LongDouble) => Err("long double"),
        Type::Float(FloatKind::Float128) => Err("_Float128"),
        Type::Complex(_) => Err("complex numbers"),
        Type::VaList => Ok(Scalar::Bits(pointer_bits(types))),
        Type::Opaque(Opaque::Attributes | Opaque::MutexAttributes, _) => Ok(Scalar::Bits(32)),
        Type::Opaque(..) => Err("a synchronisation object used as a value"),
        Type::Int(_) | Type::Enum(_) => {
            let kind = types.int_kind(ty).ok_or("an integer of unknown kind")?;
            Ok(Scalar::Bits(kind.width(types.model) as u8))
        }
        Type::Unsupported(it) => Err(it.what),
        Type::Void | Type::Array { .. } | Type::Function(_) | Type::Record(_) | Type::Error => {
            Err("a value that is no scalar")
        }
    }
}

/// The width of a pointer.
pub fn pointer_bits(types: &Types) -> u8 {
    types.model.pointer_size() as u8 * 8
}

/// The kind of a library type, if it is a synchronisation object.
pub fn sync_kind(opaque: Opaque) -> Option<SyncKind> {
    Some(match opaque {
        Opaque::Mutex | Opaque::SpinLock => SyncKind::Mutex,
        Opaque::RwLock => SyncKind::RwLock,
        Opaque::Condition => SyncKind::Cond,
        Opaque::Barrier => SyncKind::Barrier,
        Opaque::Semaphore => SyncKind::Semaphore,
        Opaque::Once => SyncKind::Once,
        Opaque::Attributes | Opaque::MutexAttributes => return None,
    })
}

/// The shapes that were asked for.
#[derive(Debug, Default)]
pub struct Shapes {
    made: HashMap<TypeId, Result<Shape, &'static str>>,
    bit_fields: HashMap<RecordId, Vec<Option<BitSpot>>>,
}

impl Shapes {
    /// The shape of objects of a complete type.
    pub fn of(&mut self, types: &Types, facts: &Facts, ty: TypeId) -> Result<Shape, &'static str> {
        if let Some(made) = self.made.get(&ty) {
            return made.clone();
        }
        let made = self.make(types, facts, ty);
        self.made.insert(ty, made.clone());
        made
    }

    fn make(&mut self, types: &Types, facts: &Facts, ty: TypeId) -> Result<Shape, &'static str> {
        let (mut element, mut count) = (ty, 1u64);
        while let Type::Array { element: inner, length } = types.get(element) {
            count = match length {
                ArrayLength::Known(length) => count.saturating_mul(*length),
                _ => return Err("an array of unknown size"),
            };
            element = inner.ty;
        }
        let size = types.size(element).ok_or("an object of incomplete type")?;
        let mut cells = vec![];
        self.flatten(types, facts, Part { ty: element, offset: 0, name: String::new() }, &mut cells)?;
        let layout = Layout { stride: size.max(1), cells };
        if count.saturating_mul(layout.cells.len().max(1) as u64) > 1 << 24
            || count.saturating_mul(layout.stride) > 1 << 40
        {
            return Err("a very large object");
        }
        Ok(Shape { layout, count })
    }

    /// Adds the cells of a part of an object. Records nest as deeply as their declarations, which the reader
    /// bounds.
    fn flatten(
        &mut self,
        types: &Types,
        facts: &Facts,
        part: Part,
        cells: &mut Vec<Cell>,
    ) -> Result<(), &'static str> {
        let Part { ty, offset, name } = part;
        if cells.len() > CELLS {
            return Err("a struct with very many members");
        }
        match types.get(ty) {
            Type::Opaque(opaque, _) if sync_kind(*opaque).is_some() => {
                let bytes = types.size(ty).unwrap_or(1).max(1) as u32;
                let kind = sync_kind(*opaque).ok_or("a library type")?;
                cells.push(Cell { offset, ty: CellType::Sync(kind, bytes), name });
            }
            Type::Array { element, length } => {
                // A flexible array member has no cells of its own.
                let length = if let ArrayLength::Known(length) = length { *length } else { 0 };
                let stride = types.size(element.ty).ok_or("an object of incomplete type")?;
                for index in 0..length.min(CELLS as u64 + 1) {
                    let part = Part {
                        ty: element.ty,
                        offset: offset + index * stride,
                        name: format!("{name}[{index}]"),
                    };
                    self.flatten(types, facts, part, cells)?;
                }
            }
            Type::Record(record) => {
                self.flatten_record(types, facts, *record, Part { ty, offset, name }, cells)?
            }
            _ => cells.push(Cell { offset, ty: CellType::Scalar(cell_scalar(types, ty)?), name }),
        }
        Ok(())
    }

    fn flatten_record(
        &mut self,
        types: &Types,
        facts: &Facts,
        record: RecordId,
        part: Part,
        cells: &mut Vec<Cell>,
    ) -> Result<(), &'static str> {
        let fields = types.records[record].fields.clone().ok_or("an object of incomplete type")?;
        let bits = self.bit_fields(types, record);
        let mut order: Vec<usize> = (0..fields.len()).collect();
        if types.records[record].union {
            let uses = |field: usize| facts.member_uses.get(&(record, field as u32)).copied().unwrap_or(0);
            order.sort_by_key(|&field| std::cmp::Reverse(uses(field)));
        }
        let mut own: Vec<Cell> = vec![];
        for field in order {
            let mut more = vec![];
            let name = field_name(&part.name, &fields[field]);
            match bits[field] {
                Some(spot) => more.push(Cell {
                    offset: part.offset + spot.offset,
                    ty: CellType::Scalar(Scalar::Bits(spot.cell)),
                    name,
                }),
                None => {
                    let inner =
                        Part { ty: fields[field].ty.ty, offset: part.offset + fields[field].offset, name };
                    self.flatten(types, facts, inner, &mut more)?;
                }
            }
            own.extend_fitting(more, pointer_bits(types));
            if own.len() > CELLS {
                return Err("a struct with very many members");
            }
        }
        own.sort_by_key(|cell| cell.offset);
        cells.extend(own);
        Ok(())
    }

    /// The bytes of an object at which scalars of the members of its unions begin or end, as far as the
    /// program names them.
    pub fn union_borders(types: &Types, facts: &Facts, ty: TypeId) -> BTreeSet<u64> {
        let mut borders = BTreeSet::new();
        let mut work = vec![(ty, 0u64, false)];
        while let Some((ty, offset, in_union)) = work.pop() {
            match types.get(ty) {
                // Bytes are mostly another view of what is written as something else.
                Type::Array { element, .. } if in_union && types.size(element.ty) == Some(1) => {
                    borders.extend([offset, offset + types.size(ty).unwrap_or(0)]);
                }
                Type::Array { element, length: ArrayLength::Known(length) } => {
                    let stride = types.size(element.ty).unwrap_or(0);
                    let all = (0..(*length).min(CELLS as u64)).map(|at| offset + at * stride);
                    work.extend(all.map(|offset| (element.ty, offset, in_union)));
                }
                Type::Record(record) => {
                    let union = types.records[*record].union;
                    let fields = types.records[*record].fields.iter().flatten().enumerate();
                    let used = |field: usize| facts.member_uses.contains_key(&(*record, field as u32));
                    let named = fields.filter(|(field, it)| !union || it.name.is_none() || used(*field));
                    work.extend(named.map(|(_, it)| (it.ty.ty, offset + it.offset, in_union || union)));
                }
                _ if in_union => {
                    borders.extend([offset, offset + types.size(ty).unwrap_or(0)]);
                }
                _ => {}
            }
        }
        borders
    }

    /// Where the bit-fields of a record are, by field.
    pub fn bit_fields(&mut self, types: &Types, record: RecordId) -> Vec<Option<BitSpot>> {
        if let Some(made) = self.bit_fields.get(&record) {
            return made.clone();
        }
        let fields = types.records[record].fields.as_deref().unwrap_or_default();
        let mut spots: Vec<Option<BitSpot>> = vec![None; fields.len()];
        let mut run: Vec<usize> = vec![];
        for index in 0..=fields.len() {
            let field = fields.get(index).filter(|field| field.bits.is_some());
            let joins = field.is_some() && !types.records[record].union && fits(types, fields, &run, index);
            if !joins {
                close_run(fields, &run, &mut spots);
                run.clear();
            }
            if field.is_some() {
                run.push(index);
            }
        }
        self.bit_fields.insert(record, spots.clone());
        spots
    }
}

/// A part of an object.
struct Part {
    ty: TypeId,
    offset: u64,
    name: String,
}

fn field_name(outer: &str, field: &Field) -> String {
    match &field.name {
        Some(name) => format!("{outer}.{name}"),
        None => outer.to_string(),
    }
}

/// Scalars that can be declared but not computed with get a cell that no access hits.
fn cell_scalar(types: &Types, ty: TypeId) -> Result<Scalar, &'static str> {
    match scalar(types, ty) {
        Err(_) if matches!(types.get(ty), Type::Float(_) | Type::Complex(_) | Type::Unsupported(_)) => {
            Ok(Scalar::Bits((types.size(ty).unwrap_or(16) * 8).clamp(8, 120) as u8))
        }
        other => other,
    }
}

/// The absolute bits of a bit-field.
fn bit_range(field: &Field) -> (u64, u64) {
    let bits = field.bits.map_or((0, 0), |bits| (u64::from(bits.start), u64::from(bits.width)));
    let start = field.offset * 8 + bits.0;
    (start, start + bits.1)
}

/// Whether a bit-field still fits into the cell of those before it and is not kept apart from them by `: 0`.
/// That one is gone, but shows: the field starts a new unit although it would have fitted into the one
/// before.
fn fits(types: &Types, fields: &[Field], run: &[usize], index: usize) -> bool {
    let (Some(&first), Some(&last)) = (run.first(), run.last()) else { return true };
    let (start, end) = bit_range(&fields[index]);
    let before = bit_range(&fields[last]).1;
    let unit = types.size(fields[index].ty.ty).unwrap_or(4).max(1) * 8;
    let fitted = before / unit == (before + (end - start) - 1) / unit;
    let apart = before < start && start % unit == 0 && fitted;
    !apart && end.div_ceil(8) - bit_range(&fields[first]).0 / 8 <= 8
}

/// Makes one cell of adjacent bit-fields.
fn close_run(fields: &[Field], run: &[usize], spots: &mut [Option<BitSpot>]) {
    let Some(first) = run.iter().map(|&field| bit_range(&fields[field]).0 / 8).min() else { return };
    let end = run.iter().map(|&field| bit_range(&fields[field]).1.div_ceil(8)).max().unwrap_or(first + 1);
    for &field in run {
        let (start, stop) = bit_range(&fields[field]);
        let cell = ((end - first) * 8).min(128) as u8;
        spots[field] = Some(BitSpot {
            offset: first,
            cell,
            shift: (start - first * 8) as u32,
            width: (stop - start) as u32,
        });
    }
}

trait ExtendFitting {
    fn extend_fitting(&mut self, more: Vec<Cell>, pointer_bits: u8);
}

impl ExtendFitting for Vec<Cell> {
    /// Adds those cells that overlap none, and of scalars that do the bytes that are free.
    fn extend_fitting(&mut self, more: Vec<Cell>, pointer_bits: u8) {
        let known = self.len();
        for cell in more {
            let end = cell.offset + cell.ty.bytes(pointer_bits);
            let taken = |start: u64, end: u64| {
                let ends = |other: &Cell| other.offset + other.ty.bytes(pointer_bits);
                self[..known].iter().any(|other| start < ends(other) && other.offset < end)
            };
            if !taken(cell.offset, end) {
                self.push(cell);
            } else if matches!(cell.ty, CellType::Scalar(_)) {
                let free: Vec<u64> = (cell.offset..end).filter(|&at| !taken(at, at + 1)).collect();
                self.extend(free.into_iter().map(|offset| Cell {
                    offset,
                    ty: CellType::Scalar(Scalar::Bits(8)),
                    name: format!("{} (byte {})", cell.name, offset - cell.offset),
                }));
            }
        }
    }
}
