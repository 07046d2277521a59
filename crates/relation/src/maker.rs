//! Makes the variables of a relation, and keeps what all parts of the construction need.

use super::kinds::Values;
use super::memory::{self, CellKey, Content, MutexVars, Numbers, RwVars, Slot};
use super::order::Ordering;
use super::pool::Pool;
use super::sites::SiteMaker;
use super::sync::kind_number;
use super::threads::Threads;
use super::{Command, Control, ControlId, Home, NoRelation, Variable};
use base::{Arena, Budget, Id};
use c::evaluate::Evaluator;
use c::machine::Races;
use c::op::{MutexKind, Op, SyncInit, SyncOp};
use c::points_to::PointsTo;
use c::program::{Loc, LocalId, LocalScope, ObjectId, ProcId, Program};
use c::types::{CellType, Constant, ObjectScope, SyncKind, TRUTH, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A relation under construction.
pub(super) struct Maker<'p> {
    pub program: &'p Program,
    pub pool: Pool,
    pub variables: Arena<LocalId, Variable>,
    pub numbers: Numbers,
    pub values: Values,
    /// By object: whether its address is taken.
    pub addressed: Vec<bool>,
    /// The cells of followed objects.
    pub slots: BTreeMap<ObjectId, Vec<Slot>>,
    pub cells: BTreeMap<CellKey, Content>,
    /// The variables that hold the addresses of objects of threads and activations.
    pub addresses: BTreeMap<ObjectId, LocalId>,
    pub threads: Threads,
    /// Whether threads are joined.
    pub joins: bool,
    choices: BTreeMap<(Type, u32), LocalId>,
    names: BTreeSet<String>,
    pub controls: Arena<ControlId, Control>,
    pub index: HashMap<(Loc, u8, ProcId), ControlId>,
    pub commands: Vec<Command>,
    /// Where the commands that are being made begin.
    pub from: ControlId,
    /// The accesses that may race, if that is asked.
    pub sites: Option<SiteMaker>,
    /// In which order threads may wait, if deadlocks are asked about.
    pub order: Option<Ordering>,
}

impl<'p> Maker<'p> {
    pub fn new(program: &'p Program, races: Races, budget: &Budget) -> Result<Self, NoRelation> {
        let too_large = || NoRelation::Unsupported("the static objects are too large or too many".into());
        let numbers = Numbers::of(program).ok_or_else(too_large)?;
        let addressed = program.addressed();
        let values = Values::find(program, &addressed, numbers.area(), budget)?;
        let slots = memory::followed(program, &addressed);
        let sites = match races.matter() {
            true => Some(SiteMaker::new(PointsTo::new(program, budget)?, races.with_ends())),
            false => None,
        };
        let mut maker = Maker {
            program,
            pool: Pool::new(program.pointer_bits(), Evaluator::new(program)),
            variables: Arena::new(),
            numbers,
            values,
            addressed,
            slots,
            cells: BTreeMap::new(),
            addresses: BTreeMap::new(),
            threads: Threads::default(),
            joins: program.locations().iter().any(|location| matches!(location.op, Op::Join { .. })),
            choices: BTreeMap::new(),
            names: BTreeSet::new(),
            controls: Arena::new(),
            index: HashMap::new(),
            commands: vec![],
            from: ControlId::from_index(0),
            sites,
            order: None,
        };
        maker.declare();
        Ok(maker)
    }

    fn declare(&mut self) {
        self.declare_registers();
        self.declare_cells();
        self.declare_addresses();
        self.declare_threads();
    }

    fn declare_registers(&mut self) {
        let program = self.program;
        let cells = self.slots.values().flatten().map(|slot| slot.name.clone());
        let taken: BTreeSet<String> = cells.collect();
        for local in program.locals().iter() {
            let (home, scope) = match local.scope {
                LocalScope::Thread => (Home::Thread, "@".to_string()),
                LocalScope::Procedure(id) => {
                    (Home::Template(id), format!("{}::", program.procedures()[id].name))
                }
            };
            let clashes = taken.contains(&local.name) || home == Home::Thread;
            let name = if clashes { scope + &local.name } else { local.name.clone() };
            self.variables.push(Variable {
                name,
                ty: local.ty,
                home,
                signed: local.signed,
                initial: Some(self.numbers.constant(local.init)),
                ghost: false,
            });
        }
    }

    fn declare_cells(&mut self) {
        let kinds = MutexKinds::of(self.program);
        let slots: Vec<Slot> = self.slots.values().flatten().cloned().collect();
        for slot in slots {
            let content = self.declare_cell(&slot, &kinds);
            self.cells.insert(slot.key, content);
        }
    }

    fn declare_cell(&mut self, slot: &Slot, kinds: &MutexKinds) -> Content {
        let object = &self.program.objects()[slot.key.object];
        let home = memory::home(self.program, slot.key.object);
        let number = self.numbers.constant(slot.initial);
        let sync = match slot.ty {
            CellType::Scalar(ty) if object.constant => return Content::Constant(number, ty),
            CellType::Scalar(ty) => {
                let undetermined = matches!(object.scope, ObjectScope::Procedure(_));
                let initial = (!undetermined).then_some(number);
                let variable = self.add(slot.name.clone(), ty, home, initial);
                return Content::Scalar(variable, ty);
            }
            CellType::Sync(kind, _) => kind,
        };
        if home != Home::Shared {
            return Content::Plain;
        }
        let name = |part: &str| format!("{}.{part}", slot.name);
        match sync {
            SyncKind::Mutex => Content::Mutex(self.declare_mutex(slot, number, kinds)),
            SyncKind::RwLock => Content::RwLock(RwVars {
                writer: self.ghost(name("writer"), TRUTH, Home::Shared, Some(number & 1)),
                writes: self.ghost(name("writes"), TRUTH, Home::Thread, Some(0)),
                reads: self.ghost(name("reads"), COUNT, Home::Thread, Some(0)),
            }),
            SyncKind::Semaphore => {
                Content::Semaphore(self.ghost(name("value"), Type::Bits(32), Home::Shared, Some(number)))
            }
            SyncKind::Once => {
                Content::Once(self.ghost(name("once"), Type::Bits(2), Home::Shared, Some(number)))
            }
            SyncKind::Cond | SyncKind::Barrier => Content::Plain,
        }
    }

    fn declare_mutex(&mut self, slot: &Slot, number: u128, kinds: &MutexKinds) -> MutexVars {
        let name = |part: &str| format!("{}.{part}", slot.name);
        let first = number >> 1;
        let possible: BTreeSet<u128> =
            kinds.possible(slot.key.object, self.addressed[slot.key.object.index()]).chain([first]).collect();
        let counts = possible.contains(&kind_number(MutexKind::Recursive));
        let taken = self.ghost(name("taken"), TRUTH, Home::Shared, Some(number & 1));
        let mine = self.ghost(name("mine"), if counts { COUNT } else { TRUTH }, Home::Thread, Some(0));
        let kind = if possible.len() == 1 {
            Ok(first)
        } else {
            Err(self.ghost(name("kind"), Type::Bits(2), Home::Shared, Some(first)))
        };
        MutexVars { taken, mine, kind, counts }
    }

    /// Whether no mutex is recursive or tells errors.
    pub fn only_plain_mutexes(&self) -> bool {
        let kinds = MutexKinds::of(self.program);
        let given = kinds.by_object.values().flatten().chain(&kinds.through_pointers);
        let plain = kind_number(MutexKind::Normal);
        given.copied().all(|it| it == plain) && !has_other_mutexes(self.program)
    }

    /// Objects of threads and activations whose address is taken lie somewhere.
    fn declare_addresses(&mut self) {
        for (id, object) in self.program.objects().enumerate() {
            if object.scope == ObjectScope::Static || !self.addressed[id.index()] {
                continue;
            }
            let home = memory::home(self.program, id);
            let initial = if home == Home::Thread { None } else { Some(0) };
            let variable = self.ghost(format!("&{}", object.name), Type::Pointer, home, initial);
            self.addresses.insert(id, variable);
        }
    }

    /// A variable that the program does not have.
    pub fn ghost(&mut self, name: String, ty: Type, home: Home, initial: Option<u128>) -> LocalId {
        let variable = self.add(name, ty, home, initial);
        self.variables[variable].ghost = true;
        variable
    }

    fn add(&mut self, name: String, ty: Type, home: Home, initial: Option<u128>) -> LocalId {
        // A template's own variables may have the names of those of another.
        let scoped = match home {
            Home::Template(id) => format!("{name} {id:?}"),
            _ => name.clone(),
        };
        let name = if self.names.insert(scoped) { name } else { format!("{name}#{}", self.variables.len()) };
        self.variables.push(Variable { name, ty, home, signed: false, initial, ghost: false })
    }

    /// The choice with a number among those of a type; commands share them.
    pub fn choice(&mut self, ty: Type, number: u32) -> LocalId {
        if let Some(&variable) = self.choices.get(&(ty, number)) {
            return variable;
        }
        let variable = self.add(format!("?{ty}.{number}"), ty, Home::Choice, None);
        self.choices.insert((ty, number), variable);
        variable
    }
}

/// A count of locks.
const COUNT: Type = Type::Bits(8);

/// Whether a mutex that is not plain is there from the beginning.
fn has_other_mutexes(program: &Program) -> bool {
    program.objects().ids().any(|id| {
        let has_mutex = program.layouts()[program.objects()[id].layout]
            .cells
            .iter()
            .any(|cell| matches!(cell.ty, CellType::Sync(SyncKind::Mutex, _)));
        has_mutex && program.objects()[id].init.iter().any(|(_, value)| *value != Constant::Bits(0))
    })
}

/// The kinds that `Init` steps give to mutexes.
struct MutexKinds {
    by_object: BTreeMap<ObjectId, BTreeSet<u128>>,
    through_pointers: BTreeSet<u128>,
}

impl MutexKinds {
    fn of(program: &Program) -> Self {
        let mut kinds = MutexKinds { by_object: BTreeMap::new(), through_pointers: BTreeSet::new() };
        for location in program.locations().iter() {
            let Op::Sync { op: SyncOp::Init(SyncInit::Mutex(kind)), place, .. } = location.op else {
                continue;
            };
            let set = match place {
                c::op::Place::Object { object, .. } | c::op::Place::Indexed { object, .. } => {
                    kinds.by_object.entry(object).or_default()
                }
                c::op::Place::Pointer { .. } => &mut kinds.through_pointers,
            };
            set.insert(kind_number(kind));
        }
        kinds
    }

    fn possible(&self, object: ObjectId, addressed: bool) -> impl Iterator<Item = u128> + '_ {
        let through = self.through_pointers.iter().filter(move |_| addressed);
        self.by_object.get(&object).into_iter().flatten().chain(through).copied()
    }
}
