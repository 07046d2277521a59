//! The variables of the Boolean program before they have bits: registers, cells, and what the machine keeps
//! beside them.

use super::abs::Abs;
use super::model::{Birth, Model, Scope, constant, scope_of};
use base::{Id, define_id};
use c::{CellType, InstanceId, LocalId, ProcId, Type, Value};
use std::collections::BTreeMap;

define_id!(
    /// A variable.
    pub struct SlotId = "w"
);

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SlotKind {
    /// A register.
    Register(LocalId),
    /// A cell of an object.
    Cell(InstanceId, u32),
    /// Whether an object lives.
    Alive(InstanceId),
    /// How often the thread holds the mutex in a cell.
    Hold(InstanceId, u32),
    /// How the thread waits at the object in a cell.
    Wait(InstanceId, u32),
    /// Whether the thread of a site has ended and was not joined.
    Ended(usize),
    /// Whether it was joined.
    Joined(usize),
    /// Its result.
    Result(usize),
    /// Which of the sites of the template created this thread.
    Site(ProcId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Slot {
    pub kind: SlotKind,
    pub name: String,
    pub scope: Scope,
    pub bits: u8,
    pub float: bool,
    /// What it holds at the start of the program, the thread or the template.
    pub first: Value,
}

/// All variables, made when they are first asked for.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    list: Vec<Slot>,
    index: BTreeMap<SlotKind, SlotId>,
}

impl Slots {
    pub fn ids(&self) -> impl Iterator<Item = SlotId> + use<> {
        (0..self.list.len()).map(SlotId::from_index)
    }

    pub fn get(&self, id: SlotId) -> &Slot {
        &self.list[id.index()]
    }

    pub fn known(&self, kind: SlotKind) -> Option<SlotId> {
        self.index.get(&kind).copied()
    }

    pub fn slot(&mut self, model: &Model<'_>, kind: SlotKind) -> SlotId {
        if let Some(&id) = self.index.get(&kind) {
            return id;
        }
        let id = SlotId::from_index(self.list.len());
        self.list.push(make(model, kind));
        self.index.insert(kind, id);
        id
    }

    pub fn first(&self, id: SlotId) -> Abs {
        Abs::value(self.get(id).first)
    }
}

fn make(model: &Model<'_>, kind: SlotKind) -> Slot {
    let program = model.program;
    let pointer = program.pointer_bits();
    let small = |name: String, scope: Scope, bits: u8| Slot {
        kind,
        name,
        scope,
        bits,
        float: false,
        first: Value::ZERO,
    };
    match kind {
        SlotKind::Register(local) => {
            let it = &program.locals()[local];
            let owner = match it.scope {
                c::LocalScope::Thread => String::new(),
                c::LocalScope::Procedure(procedure) => {
                    format!("{}::", program.procedures()[procedure].name)
                }
            };
            Slot {
                kind,
                name: format!("{owner}{}", it.name),
                scope: scope_of(it.scope),
                bits: it.ty.bits(pointer),
                float: it.ty.is_float(),
                first: constant(it.init),
            }
        }
        SlotKind::Cell(instance, cell) => {
            let (bits, float) = match model.cell_type(instance, cell) {
                CellType::Scalar(ty) => (ty.bits(pointer), ty.is_float()),
                CellType::Sync(..) => (64, false),
            };
            let it = model.instance(instance);
            let first = match (it.birth, model.cell_type(instance, cell)) {
                (Birth::Always, _) => model.first_value(instance, cell),
                (_, CellType::Scalar(_)) => Value::ZERO,
                (_, CellType::Sync(..)) => Value::Undetermined,
            };
            Slot { kind, name: model.cell_name(instance, cell), scope: it.scope, bits, float, first }
        }
        SlotKind::Alive(instance) => {
            let it = model.instance(instance);
            let first = if it.birth == Birth::Always { Value::Bits(1) } else { Value::ZERO };
            Slot { first, ..small(format!("alive {}", it.name), it.scope, 1) }
        }
        SlotKind::Hold(instance, cell) => {
            small(format!("mine {}", model.cell_name(instance, cell)), Scope::Thread, 32)
        }
        SlotKind::Wait(instance, cell) => {
            small(format!("waits {}", model.cell_name(instance, cell)), Scope::Thread, 16)
        }
        SlotKind::Ended(site) => small(format!("ended {site}"), Scope::Shared, 1),
        SlotKind::Joined(site) => small(format!("joined {site}"), Scope::Shared, 1),
        SlotKind::Result(site) => {
            let ty = program.procedures()[model.sites[site].template].result.unwrap_or(Type::Pointer);
            Slot { float: ty.is_float(), ..small(format!("result {site}"), Scope::Shared, ty.bits(pointer)) }
        }
        SlotKind::Site(procedure) => {
            let name = format!("site {}", program.procedures()[procedure].name);
            small(name, Scope::Template(procedure), 16)
        }
    }
}
