//! What there is in a run, as far as it can be named beforehand: the places where threads are created, the
//! objects, and how often a place is passed.

use super::Unsupported;
use base::Id;
use c::{
    CellType, Constant, InstanceId, LayoutId, Loc, LocalScope, ObjectScope, Op, Place, ProcId, Program,
    SyncKind, Value,
};
use std::collections::{BTreeMap, BTreeSet};

/// A place where threads are created; the first is the start of `main`.
#[derive(Clone, Debug)]
pub struct Site {
    pub at: Option<Loc>,
    pub template: ProcId,
    /// At most one thread of a run is created here.
    pub once: bool,
}

/// An object: a declared one, or the one that an allocation makes.
#[derive(Clone, Debug)]
pub struct Instance {
    pub name: String,
    pub layout: LayoutId,
    pub count: u64,
    pub constant: bool,
    pub birth: Birth,
    /// Who has it.
    pub scope: Scope,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Birth {
    /// It is always there.
    Always,
    /// By entering a block.
    Entered,
    /// By an allocation.
    Allocated,
    /// By an allocation that ends by itself.
    Automatic,
}

/// Who has a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// All threads together.
    Shared,
    /// Each thread.
    Thread,
    /// Each thread of a template.
    Template(ProcId),
}

/// What is looked for at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Scalar(u8),
    Sync(SyncKind),
}

/// Why an address is not that of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missed {
    /// The access is undefined behaviour.
    Fault,
    /// The machine does not know its meaning.
    Unsupported,
}

#[derive(Clone, Debug)]
pub struct Model<'p> {
    pub program: &'p Program,
    pub sites: Vec<Site>,
    /// The sites of a template.
    pub sites_of: BTreeMap<ProcId, Vec<usize>>,
    pub site_at: BTreeMap<Loc, usize>,
    /// By number in abstract addresses: the declared objects, then the allocations.
    pub instances: Vec<Instance>,
    pub allocation: BTreeMap<Loc, InstanceId>,
    /// The cells that are written after the birth of an object before anybody can read them.
    pub written_first: BTreeMap<Loc, BTreeSet<u32>>,
}

impl<'p> Model<'p> {
    pub fn new(program: &'p Program) -> Result<Self, Unsupported> {
        let mut model = Self {
            program,
            sites: vec![Site { at: None, template: program.main(), once: true }],
            sites_of: [(program.main(), vec![0])].into(),
            site_at: BTreeMap::new(),
            instances: vec![],
            allocation: BTreeMap::new(),
            written_first: BTreeMap::new(),
        };
        for (loc, location) in program.locations().enumerate() {
            if let Op::Create { template, .. } = location.op {
                model.site_at.insert(loc, model.sites.len());
                model.sites_of.entry(template).or_default().push(model.sites.len());
                model.sites.push(Site { at: Some(loc), template, once: false });
            }
        }
        model.find_single_sites();
        model.declared();
        model.allocated();
        for loc in program.locations().ids() {
            model.find_written_first(loc);
        }
        Ok(model)
    }

    /// Least solution: a template that creates itself is not run once.
    fn find_single_sites(&mut self) {
        loop {
            let single: Vec<usize> = (1..self.sites.len())
                .filter(|&site| {
                    !self.sites[site].once && self.sites[site].at.is_some_and(|at| self.passed_once(at))
                })
                .collect();
            if single.is_empty() {
                return;
            }
            single.into_iter().for_each(|site| self.sites[site].once = true);
        }
    }

    /// Whether at most one thread of a run begins in the procedure.
    pub fn runs_once(&self, procedure: ProcId) -> bool {
        match self.sites_of.get(&procedure).map(Vec::as_slice) {
            Some(&[site]) => self.sites[site].once,
            _ => false,
        }
    }

    /// Whether a location is passed at most once in a run.
    pub fn passed_once(&self, loc: Loc) -> bool {
        self.runs_once(self.program.at(loc).procedure) && !self.in_cycle(loc)
    }

    pub fn in_cycle(&self, loc: Loc) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = self.program.successors(loc);
        while let Some(next) = work.pop() {
            if next == loc {
                return true;
            }
            if seen.insert(next) {
                work.extend(self.program.successors(next));
            }
        }
        false
    }

    fn declared(&mut self) {
        for object in self.program.objects().iter() {
            let (birth, scope) = match object.scope {
                ObjectScope::Static => (Birth::Always, Scope::Shared),
                ObjectScope::Thread => (Birth::Always, Scope::Thread),
                ObjectScope::Procedure(procedure) => {
                    let once = self.runs_once(procedure);
                    let scope = if once { Scope::Shared } else { Scope::Template(procedure) };
                    (Birth::Entered, scope)
                }
            };
            self.instances.push(Instance {
                name: object.name.clone(),
                layout: object.layout,
                count: object.count,
                constant: object.constant,
                birth,
                scope,
            });
        }
    }

    fn allocated(&mut self) {
        for (loc, location) in self.program.locations().enumerate() {
            let Op::Alloc { layout, count, automatic, .. } = location.op else { continue };
            // The number of elements is checked when the step is looked at; here only a constant is known.
            let count = self.program.exprs().constant(count).unwrap_or(0);
            let id = InstanceId::from_index(self.instances.len());
            let once = self.passed_once(loc);
            self.instances.push(Instance {
                name: format!("allocation{}", loc.index()),
                layout,
                count: u64::try_from(count).unwrap_or(u64::MAX),
                constant: false,
                birth: if automatic { Birth::Automatic } else { Birth::Allocated },
                scope: if once { Scope::Shared } else { Scope::Template(location.procedure) },
            });
            self.allocation.insert(loc, id);
        }
    }

    /// The object that the step brings to life.
    pub fn born_at(&self, loc: Loc) -> Option<InstanceId> {
        match self.program.at(loc).op {
            Op::Enter(object) => Some(InstanceId::from_index(object.index())),
            _ => self.allocation.get(&loc).copied(),
        }
    }

    /// Follows the straight line after a birth: stores into the new object, and steps that read nothing of it
    /// and give its address to nobody.
    fn find_written_first(&mut self, birth: Loc) {
        let Some(born) = self.born_at(birth) else { return };
        let holder = match self.program.at(birth).op {
            Op::Alloc { local, .. } => Some(local),
            _ => None,
        };
        let exprs = self.program.exprs();
        let mut found = BTreeSet::new();
        let mut at = self.program.at(birth).next;
        for _ in 0..64 {
            let location = self.program.at(at);
            match &location.op {
                Op::Store { place, value, .. } => {
                    let here = match *place {
                        Place::Object { object, offset } if object.index() == born.index() => Some(offset),
                        Place::Pointer { pointer, offset } => match exprs.node(pointer) {
                            c::Node::Local(local, _) if Some(local) == holder => Some(offset),
                            c::Node::Address(object) if object.index() == born.index() => Some(offset),
                            _ => None,
                        },
                        _ => None,
                    };
                    let bits = exprs.ty(*value).bits(self.program.pointer_bits());
                    let names = self.names(*value, born, holder);
                    match here.map(|offset| self.cell_at(born, offset, Wanted::Scalar(bits))) {
                        Some(Ok(cell)) if !names => found.insert(cell),
                        _ => break,
                    };
                }
                Op::Assign { local, value }
                    if Some(*local) != holder && !self.names(*value, born, holder) => {}
                Op::Choose { local, .. } if Some(*local) != holder => {}
                Op::Skip => {}
                _ => break,
            }
            at = location.next;
        }
        if !found.is_empty() {
            self.written_first.insert(birth, found);
        }
    }

    /// Whether an expression speaks of the address of an object.
    fn names(&self, e: c::ExprId, born: InstanceId, holder: Option<c::LocalId>) -> bool {
        let exprs = self.program.exprs();
        exprs.below(e).into_iter().any(|id| match exprs.node(id) {
            c::Node::Address(object) => object.index() == born.index(),
            c::Node::Local(local, _) => Some(local) == holder,
            _ => false,
        })
    }

    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.index()]
    }

    pub fn cells(&self, id: InstanceId) -> u64 {
        let it = self.instance(id);
        it.count.saturating_mul(self.program.layouts()[it.layout].cells.len() as u64)
    }

    pub fn cell_type(&self, id: InstanceId, cell: u32) -> CellType {
        let cells = &self.program.layouts()[self.instance(id).layout].cells;
        cells[cell as usize % cells.len()].ty
    }

    /// The byte at which a cell starts.
    pub fn cell_offset(&self, id: InstanceId, cell: u32) -> i64 {
        let layout = &self.program.layouts()[self.instance(id).layout];
        let number = layout.cells.len() as u64;
        let (element, position) = (u64::from(cell) / number, u64::from(cell) % number);
        (element * layout.stride + layout.cells[position as usize].offset) as i64
    }

    pub fn cell_name(&self, id: InstanceId, cell: u32) -> String {
        let it = self.instance(id);
        let cells = &self.program.layouts()[it.layout].cells;
        let (element, position) = (cell as usize / cells.len(), cell as usize % cells.len());
        let index = if it.count > 1 { format!("[{element}]") } else { String::new() };
        format!("{}{index}{}", it.name, cells[position].name)
    }

    pub fn size(&self, id: InstanceId) -> u64 {
        let it = self.instance(id);
        self.program.layouts()[it.layout].stride.saturating_mul(it.count)
    }

    /// The cell that starts exactly there and is what is wanted: as the machine finds it.
    pub fn cell_at(&self, id: InstanceId, offset: i64, wanted: Wanted) -> Result<u32, Missed> {
        let it = self.instance(id);
        let layout = &self.program.layouts()[it.layout];
        let bytes = match wanted {
            Wanted::Scalar(bits) => u64::from(bits.div_ceil(8)),
            Wanted::Sync(_) => 1,
        };
        let offset = u64::try_from(offset).map_err(|_| Missed::Fault)?;
        let end = offset.checked_add(bytes).ok_or(Missed::Fault)?;
        if end > self.size(id) {
            return Err(Missed::Fault);
        }
        let (element, within) = (offset / layout.stride, offset % layout.stride);
        let position = layout
            .cells
            .binary_search_by_key(&within, |cell| cell.offset)
            .map_err(|_| Missed::Unsupported)?;
        let fits = match (layout.cells[position].ty, wanted) {
            (CellType::Scalar(ty), Wanted::Scalar(bits)) => ty.bits(self.program.pointer_bits()) == bits,
            (CellType::Sync(kind, _), Wanted::Sync(wanted)) => kind == wanted,
            _ => false,
        };
        if !fits {
            return Err(Missed::Unsupported);
        }
        u32::try_from(element * layout.cells.len() as u64 + position as u64).map_err(|_| Missed::Unsupported)
    }

    /// What a cell of an object that is always there holds at first.
    pub fn first_value(&self, id: InstanceId, cell: u32) -> Value {
        let object = c::ObjectId::from_index(id.index());
        let init = self.program.objects().get(object).map(|object| &object.init);
        let found = init.and_then(|init| init.iter().find(|(number, _)| *number == u64::from(cell)));
        found.map_or(Value::ZERO, |(_, value)| constant(*value))
    }
}

/// The value of a constant, addresses by the numbers of the model.
pub fn constant(value: Constant) -> Value {
    match value {
        Constant::Bits(bits) => Value::Bits(bits),
        Constant::Address(object, offset) => {
            Value::Address { instance: InstanceId::from_index(object.index()), offset }
        }
    }
}

/// The scope of a register.
pub fn scope_of(scope: LocalScope) -> Scope {
    match scope {
        LocalScope::Thread => Scope::Thread,
        LocalScope::Procedure(procedure) => Scope::Template(procedure),
    }
}
