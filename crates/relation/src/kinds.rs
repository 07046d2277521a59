//! What registers and cells may hold beside plain numbers: addresses and handles of threads. It is found
//! without regard to the order of steps. A cell of a declared object holds what is stored there by name, what
//! is stored by index anywhere in its object, and, if the object's address is taken, what is stored through
//! any pointer. Where only numbers are possible, expressions mean what they say; elsewhere the translation is
//! careful.

use base::{Budget, Id, Stop};
use c::effects::{Move, NumberChoice, ValueFrom, ValueTo};
use c::expr::{Binary, Convert, ExprId, Node};
use c::op::Place;
use c::points_to::PointsTo;
use c::program::{LocalId, ObjectId, Program};
use c::types::{CellType, Constant, ObjectScope};
use std::collections::BTreeMap;

/// A set of kinds of values.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// Numbers below the area of addresses only.
    pub const SMALL: Kinds = Kinds(0);
    /// An address of a static object, at the start or end of a cell of it.
    pub const STATIC: Kinds = Kinds(1);
    /// An address of another object.
    pub const OTHER: Kinds = Kinds(2);
    /// An address that was computed with: its offset may be anything.
    pub const WIDE: Kinds = Kinds(4);
    /// A handle of a thread.
    pub const HANDLE: Kinds = Kinds(8);
    /// A number, perhaps as large as those that stand for addresses and handles.
    pub const LARGE: Kinds = Kinds(16);

    pub fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    fn only(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    /// Whether something else than a number is possible.
    pub fn tagged(self) -> bool {
        self.has(ADDRESS.with(Kinds::HANDLE))
    }

    pub fn address(self) -> bool {
        self.has(ADDRESS)
    }
}

const ADDRESS: Kinds = Kinds(1 | 2 | 4);

/// The kinds of everything in a program.
#[derive(Debug)]
pub(super) struct Values {
    found: Stored,
    exprs: Vec<Kinds>,
    /// The objects whose address is taken.
    addressed: Vec<bool>,
    /// By object: whether a step may access a part of one of its cells, or several: what a cell holds then is
    /// not only what was stored there.
    in_parts: Vec<bool>,
    /// The first number that stands for an address.
    area: u128,
}

/// What grows until nothing changes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stored {
    locals: Vec<Kinds>,
    /// By object: in any of its cells, by name or by index.
    objects: Vec<Kinds>,
    /// By object: in each of its cells, for nobody knows in which.
    indexed: Vec<Kinds>,
    /// By object and offset: stored there by name.
    cells: BTreeMap<(ObjectId, i64), Kinds>,
    /// Stored through a pointer.
    written: Kinds,
    results: Kinds,
}

impl Values {
    pub fn find(program: &Program, addressed: &[bool], area: u128, budget: &Budget) -> Result<Self, Stop> {
        let constant = |constant: &Constant| match constant {
            Constant::Bits(bits) if *bits < area => Kinds::SMALL,
            Constant::Bits(_) => Kinds::LARGE,
            Constant::Address(object, offset) => static_address(program, *object, *offset),
        };
        let mut found = Stored {
            locals: program.locals().iter().map(|local| constant(&local.init)).collect(),
            objects: vec![Kinds::SMALL; program.objects().len()],
            indexed: vec![Kinds::SMALL; program.objects().len()],
            cells: BTreeMap::new(),
            written: Kinds::SMALL,
            results: Kinds::SMALL,
        };
        for (id, object) in program.objects().enumerate() {
            if matches!(object.scope, ObjectScope::Procedure(_)) {
                // Before its first store a cell of an activation holds any number.
                found.objects[id.index()] = Kinds::LARGE;
                found.indexed[id.index()] = Kinds::LARGE;
            }
            let layout = &program.layouts()[object.layout];
            let cells = layout.cells.len().max(1) as u64;
            for (number, value) in &object.init {
                let within = layout.cells.get((number % cells) as usize).map_or(0, |cell| cell.offset);
                let offset = (number / cells * layout.stride + within) as i64;
                found.store(Place::Object { object: id, offset }, constant(value));
            }
        }
        found.give_externals(program);
        let exprs = vec![Kinds::SMALL; program.exprs().len()];
        let in_parts = in_parts(program, addressed, budget)?;
        let mut values = Values { found, exprs, addressed: addressed.to_vec(), in_parts, area };
        let moves: Vec<Vec<Move>> = program.locations().ids().map(|loc| program.effects(loc).moves).collect();
        loop {
            budget.spend((program.exprs().len() + program.locations().len()) as u64)?;
            let before = values.found.clone();
            for id in program.exprs().ids() {
                values.exprs[id.index()] = values.of_node(program, id);
            }
            moves.iter().for_each(|moves| values.step(moves));
            if before == values.found {
                return Ok(values);
            }
        }
    }

    /// Of an expression of the program.
    pub fn of(&self, e: ExprId) -> Kinds {
        self.exprs[e.index()]
    }

    /// Of the result of any thread.
    pub fn results(&self) -> Kinds {
        self.found.results
    }

    fn of_node(&self, program: &Program, id: ExprId) -> Kinds {
        let exprs = program.exprs();
        let of = |e: ExprId| self.exprs[e.index()];
        let bits = exprs.ty(id).bits(exprs.pointer_bits());
        let number = if bits < exprs.pointer_bits() { Kinds::SMALL } else { Kinds::LARGE };
        match exprs.node(id) {
            Node::Const(_, value) if value < self.area => Kinds::SMALL,
            Node::Const(..) => number,
            Node::Local(local, _) => self.found.locals[local.index()],
            Node::Address(object) if program.objects()[object].scope == ObjectScope::Static => Kinds::STATIC,
            Node::Address(_) => Kinds::OTHER,
            Node::Unary(..) => number,
            Node::Binary(op, ..) if op.is_comparison() => Kinds::SMALL,
            Node::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                if let (Node::Address(object), Some(by), Binary::Add) = (exprs.node(a), exprs.constant(b), op)
                    && program.objects()[object].scope == ObjectScope::Static
                {
                    return static_address(program, object, by as i64);
                }
                computed(of(a).with(of(b)), number)
            }
            Node::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => computed(of(a).with(of(b)), number),
            Node::Binary(..) => number,
            Node::Convert(Convert::ZeroExtend, _, a) => {
                let from = exprs.ty(a).bits(exprs.pointer_bits());
                let fits = from < 128 && 1u128 << from <= self.area;
                of(a).with(if fits { Kinds::SMALL } else { number })
            }
            Node::Convert(Convert::Truncate, ..) if bits < exprs.pointer_bits() => {
                Kinds::HANDLE.only(match exprs.node(id) {
                    Node::Convert(_, _, a) => of(a),
                    _ => Kinds::SMALL,
                })
            }
            Node::Convert(Convert::Reinterpret, _, a) if !exprs.ty(a).is_float() => of(a),
            Node::Convert(Convert::Truncate | Convert::Reinterpret | Convert::SignExtend, _, a) => {
                of(a).with(number)
            }
            Node::Convert(..) => number,
            Node::Ite(_, a, b) => of(a).with(of(b)),
        }
    }

    fn step(&mut self, moves: &[Move]) {
        for moved in moves {
            let kinds = match moved.from {
                ValueFrom::Expr(e) => self.of(e),
                ValueFrom::Memory(place) => self.read(place),
                ValueFrom::Choice | ValueFrom::Number => Kinds::LARGE,
                ValueFrom::Result => self.found.results.with(Kinds::LARGE),
                ValueFrom::Handle => Kinds::HANDLE,
                ValueFrom::NewObject => Kinds::OTHER,
                ValueFrom::Truth => Kinds::SMALL,
            };
            match moved.to {
                ValueTo::Register(local) | ValueTo::Parameter(local) => self.give(local, kinds),
                ValueTo::Memory(place) => self.found.store(place, kinds),
                ValueTo::Result => self.found.results = self.found.results.with(kinds),
            }
        }
    }

    fn give(&mut self, local: LocalId, kinds: Kinds) {
        let slot = &mut self.found.locals[local.index()];
        *slot = slot.with(kinds);
    }

    fn read(&self, place: Place) -> Kinds {
        let found = &self.found;
        let by_pointer = |object: ObjectId| {
            if self.addressed[object.index()] { found.written } else { Kinds::SMALL }
        };
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } if self.in_parts[object.index()] => {
                let all = found.objects[object.index()].with(by_pointer(object)).with(Kinds::LARGE);
                if all.tagged() { all.with(ADDRESS).with(Kinds::HANDLE) } else { all }
            }
            Place::Object { object, offset } => {
                let named = found.cells.get(&(object, offset)).copied().unwrap_or_default();
                named.with(found.indexed[object.index()]).with(by_pointer(object))
            }
            Place::Indexed { object, .. } => found.objects[object.index()].with(by_pointer(object)),
            Place::Pointer { .. } => {
                // Allocations hold any number at first.
                let first = found.written.with(Kinds::LARGE);
                let taken = found.objects.iter().zip(&self.addressed).filter(|(_, addressed)| **addressed);
                taken.fold(first, |all, (kinds, _)| all.with(*kinds))
            }
        }
    }
}

impl Stored {
    /// External functions give pointers, and write them where pointers lead.
    fn give_externals(&mut self, program: &Program) {
        let any = ADDRESS.with(Kinds::LARGE);
        for loc in program.locations().ids() {
            let effects = program.effects(loc);
            if effects.chooses.number == NumberChoice::Pointer {
                self.written = self.written.with(any);
                for local in effects.writes {
                    self.locals[local.index()] = self.locals[local.index()].with(any);
                }
            }
        }
    }

    fn store(&mut self, place: Place, kinds: Kinds) {
        let add = |slot: &mut Kinds| *slot = slot.with(kinds);
        match place {
            Place::Object { object, offset } => {
                add(&mut self.objects[object.index()]);
                add(self.cells.entry((object, offset)).or_default());
            }
            Place::Indexed { object, .. } => {
                add(&mut self.objects[object.index()]);
                add(&mut self.indexed[object.index()]);
            }
            Place::Pointer { .. } => add(&mut self.written),
        }
    }
}

/// By object: whether a step may access a part of one of its cells, or several. Through a pointer that may be
/// so where the object has wider cells that may hold an address, or as wide ones that lie otherwise.
fn in_parts(program: &Program, addressed: &[bool], budget: &Budget) -> Result<Vec<bool>, Stop> {
    let mut found = vec![false; program.objects().len()];
    let mut written: Vec<(Place, u8)> = vec![];
    for loc in program.locations().ids() {
        let effects = program.effects(loc);
        let Some((access, place, bits)) = effects.scalar() else { continue };
        match place.object() {
            Some(object) => found[object.index()] |= !program.hits_scalar(place, bits),
            None if access.kind.writes() => written.push((place, bits)),
            None => {}
        }
    }
    let width = program.pointer_bits();
    let holds = |object: ObjectId, bits: u8| {
        let cells = &program.layouts()[program.objects()[object].layout].cells;
        cells.iter().any(|cell| match cell.ty {
            CellType::Scalar(ty) => ty.bits(width) >= width && ty.bits(width) != bits,
            CellType::Sync(..) => false,
        })
    };
    if written.is_empty() || !addressed.contains(&true) {
        return Ok(found);
    }
    let points_to = PointsTo::new(program, budget)?;
    for (place, bits) in written {
        for target in points_to.targets(place) {
            let object = ObjectId::from_index(target as usize);
            if (target as usize) < found.len() && holds(object, bits) {
                found[object.index()] = true;
            }
        }
    }
    Ok(found)
}

/// What arithmetic makes of operands of these kinds.
fn computed(operands: Kinds, number: Kinds) -> Kinds {
    if operands.address() { operands.only(ADDRESS).with(Kinds::WIDE).with(number) } else { number }
}

/// The address of a static object plus some bytes.
fn static_address(program: &Program, object: ObjectId, offset: i64) -> Kinds {
    let object = &program.objects()[object];
    let size = program.layouts()[object.layout].stride.saturating_mul(object.count);
    match u64::try_from(offset) {
        Ok(offset) if offset <= size => Kinds::STATIC,
        _ => Kinds::STATIC.with(Kinds::WIDE),
    }
}
