//! The value analysis: what each register may hold at each location, and what each shared variable may hold
//! at all. Registers flow with control and are cut by the conditions of branches; a shared variable joins
//! what all threads write.

mod conditions;
mod steps;
mod sync;
mod threads;
mod waiting;

pub use sync::gives_up;
pub use threads::site_of;

use super::abs::Abs;
use super::domain::Domain;
use super::live::Live;
use super::model::{Missed, Model, Scope, Wanted};
use super::slots::{SlotId, SlotKind, Slots};
use super::{Options, Problem, Unsupported};
use base::{Budget, Id};
use c::{ExprId, InstanceId, Loc, LocalId, Node, Place, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Cells of one object that one access may hit, at most.
const HITS: u64 = 512;
/// Offsets that are tried one by one.
const OFFSETS: usize = 600;

/// What the thread's own variables may hold; one that is missing holds its first value.
pub type Locals = BTreeMap<SlotId, Abs>;

/// The cell of an object.
pub type CellOf = (InstanceId, u32);

#[derive(Debug)]
pub struct Analysis<'p> {
    pub model: Model<'p>,
    pub domain: Domain,
    pub slots: Slots,
    pub live: Live,
    pub options: Options,
    /// By location: what the own variables may hold before the step; `None` where nobody comes.
    pub states: Vec<Option<Locals>>,
    /// By slot, shared ones only.
    pub shared: BTreeMap<SlotId, Abs>,
    /// By slot: the locations that read it.
    readers: BTreeMap<SlotId, BTreeSet<Loc>>,
    work: BTreeSet<Loc>,
    /// By location of a wait: what the own variables may hold in its second half.
    pub second: BTreeMap<Loc, Locals>,
    /// The cells that some access may hit. Nobody can tell what is in the others.
    pub touched: BTreeSet<CellOf>,
    /// Where the bounds of numbers are widened to.
    steps: Vec<u128>,
    /// Whether a location closes a cycle.
    heads: Vec<bool>,
    /// The location that is looked at.
    here: Loc,
}

impl<'p> Analysis<'p> {
    pub fn run(model: Model<'p>, options: Options, budget: &Budget) -> Result<Self, Problem> {
        let program = model.program;
        let count = program.locations().len();
        let mut heads = vec![false; count];
        for loc in program.locations().ids() {
            for next in program.successors(loc).into_iter().filter(|&next| next <= loc) {
                heads[next.index()] = true;
            }
        }
        let mut made = Self {
            domain: Domain::new(&model),
            slots: Slots::default(),
            live: Live::new(program, budget)?,
            options,
            states: vec![None; count],
            shared: BTreeMap::new(),
            readers: BTreeMap::new(),
            work: BTreeSet::new(),
            second: BTreeMap::new(),
            touched: BTreeSet::new(),
            steps: widening_steps(&model),
            heads,
            here: Loc::from_index(0),
            model,
        };
        made.begin(program.main(), vec![], 0)?;
        while let Some(loc) = made.work.pop_first() {
            budget.spend(1)?;
            made.here = loc;
            let state = made.states[loc.index()].clone().unwrap_or_default();
            made.step(loc, state)?;
        }
        Ok(made)
    }

    /// A refusal at the location that is looked at.
    pub fn refuse(&self, construct: impl Into<String>) -> Problem {
        Problem::Unsupported(Unsupported {
            construct: construct.into(),
            span: self.model.program.at(self.here).span,
        })
    }

    pub fn slot(&mut self, kind: SlotKind) -> SlotId {
        self.slots.slot(&self.model, kind)
    }

    pub fn bits_of(&self, local: LocalId) -> u8 {
        self.model.program.locals()[local].ty.bits(self.model.program.pointer_bits())
    }

    /// What a variable may hold; a shared one will be looked at again here when that grows.
    pub fn read(&mut self, locals: &Locals, slot: SlotId) -> Abs {
        if self.slots.get(slot).scope == Scope::Shared {
            self.readers.entry(slot).or_default().insert(self.here);
            return self.shared.get(&slot).cloned().unwrap_or_else(|| self.slots.first(slot));
        }
        locals.get(&slot).cloned().unwrap_or_else(|| self.slots.first(slot))
    }

    /// Writes a variable; `surely`: it does not keep its old value.
    pub fn write(&mut self, locals: &mut Locals, slot: SlotId, value: Abs, surely: bool) {
        let bits = self.slots.get(slot).bits;
        if self.slots.get(slot).scope != Scope::Shared {
            let value = if surely { value } else { value.join(&self.read(locals, slot), bits) };
            locals.insert(slot, value);
            return;
        }
        let old = self.shared.get(&slot).cloned().unwrap_or_else(|| self.slots.first(slot));
        let new = old.widen(&value, bits, &self.steps);
        if new != old {
            self.shared.insert(slot, new);
            self.work.extend(self.readers.get(&slot).into_iter().flatten().copied());
        }
    }

    pub fn write_register(&mut self, locals: &mut Locals, local: LocalId, value: Abs) {
        let slot = self.slot(SlotKind::Register(local));
        self.write(locals, slot, value, true);
    }

    /// Control comes to a location with these variables.
    fn arrive(&mut self, loc: Loc, mut locals: Locals) -> Result<(), Problem> {
        let (slots, live) = (&self.slots, &self.live);
        locals.retain(|&slot, _| match slots.get(slot).kind {
            SlotKind::Register(local) => live.is_live(loc, local),
            _ => true,
        });
        if locals.values().any(Abs::is_empty) {
            return Ok(());
        }
        let Some(old) = self.states[loc.index()].take() else {
            self.states[loc.index()] = Some(locals);
            self.work.insert(loc);
            return Ok(());
        };
        let mut joined = Locals::new();
        let keys: BTreeSet<SlotId> = old.keys().chain(locals.keys()).copied().collect();
        for slot in keys {
            let bits = self.slots.get(slot).bits;
            let get = |it: &Locals| it.get(&slot).cloned().unwrap_or_else(|| self.slots.first(slot));
            let (before, now) = (get(&old), get(&locals));
            let all = if self.heads[loc.index()] {
                before.widen(&now, bits, &self.steps)
            } else {
                before.join(&now, bits)
            };
            joined.insert(slot, all);
        }
        if joined != old {
            self.work.insert(loc);
        }
        self.states[loc.index()] = Some(joined);
        Ok(())
    }

    /// What an expression may be.
    pub fn eval(&mut self, locals: &Locals, e: ExprId) -> Result<Abs, Problem> {
        let program = self.model.program;
        let mut done: BTreeMap<ExprId, Abs> = BTreeMap::new();
        for id in program.exprs().below(e) {
            let ty = |e: ExprId| program.exprs().ty(e);
            let value = match program.exprs().node(id) {
                Node::Const(_, value) => Abs::number(value),
                Node::Local(local, _) => {
                    let slot = self.slot(SlotKind::Register(local));
                    self.read(locals, slot)
                }
                Node::Address(object) => {
                    Abs::value(Value::Address { instance: InstanceId::from_index(object.index()), offset: 0 })
                }
                Node::Unary(op, a) => self.domain.unary(op, ty(a), &done[&a]),
                Node::Convert(op, to, a) => self.domain.convert(op, ty(a), to, &done[&a]),
                Node::Binary(op, a, b) => {
                    let found = self.domain.binary(op, ty(a), ty(b), [&done[&a], &done[&b]]);
                    found.ok_or_else(|| self.refuse("a pointer with too many possible targets"))?
                }
                Node::Ite(a, b, c) => {
                    let bits = ty(b).bits(program.pointer_bits());
                    let [may, may_not] = done[&a].truth();
                    let mut value = Abs::none();
                    if may {
                        value = value.join(&done[&b], bits);
                    }
                    if may_not {
                        value = value.join(&done[&c], bits);
                    }
                    value
                }
            };
            done.insert(id, value);
        }
        Ok(done.remove(&e).unwrap_or_else(Abs::none))
    }

    /// The cells that a place may be.
    pub fn cells(&mut self, locals: &Locals, place: Place, wanted: Wanted) -> Result<Vec<CellOf>, Problem> {
        let declared = |object: c::ObjectId| InstanceId::from_index(object.index());
        let found: BTreeSet<CellOf> = match place {
            Place::Object { object, offset } => {
                self.cell(declared(object), offset, wanted).into_iter().collect()
            }
            Place::Indexed { object, offset } => {
                let offsets = self.eval(locals, offset)?;
                let instance = declared(object);
                match offsets.numbers.list(OFFSETS) {
                    Some(list) => {
                        let bits = self.model.program.pointer_bits();
                        let list = list.into_iter().map(|it| c::signed(it, bits) as i64);
                        list.filter_map(|offset| self.cell(instance, offset, wanted)).collect()
                    }
                    None => self.all_cells(instance, wanted)?,
                }
            }
            Place::Pointer { pointer, offset } => {
                let targets = self.eval(locals, pointer)?.others;
                let cell = |target| match target {
                    Value::Address { instance, offset: start } => {
                        self.cell(instance, start.wrapping_add(offset), wanted)
                    }
                    _ => None,
                };
                targets.into_iter().filter_map(cell).collect()
            }
        };
        if found.len() as u64 > HITS {
            return Err(self.refuse("an access to a large array"));
        }
        self.touched.extend(&found);
        Ok(found.into_iter().collect())
    }

    fn cell(&self, instance: InstanceId, offset: i64, wanted: Wanted) -> Option<CellOf> {
        let found: Result<u32, Missed> = self.model.cell_at(instance, offset, wanted);
        found.ok().map(|cell| (instance, cell))
    }

    fn all_cells(&self, instance: InstanceId, wanted: Wanted) -> Result<BTreeSet<CellOf>, Problem> {
        if self.model.cells(instance) > HITS {
            return Err(
                self.refuse(format!("an index into an array of {} cells", self.model.cells(instance)))
            );
        }
        let offsets =
            (0..self.model.cells(instance) as u32).map(|cell| self.model.cell_offset(instance, cell));
        Ok(offsets.filter_map(|offset| self.cell(instance, offset, wanted)).collect())
    }
}

/// The numbers of the program and their neighbours, and powers of two.
fn widening_steps(model: &Model<'_>) -> Vec<u128> {
    let mut found = BTreeSet::new();
    for id in model.program.exprs().ids() {
        if let Some(value) = model.program.exprs().constant(id) {
            found.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
        }
    }
    // Many constants would mean many rounds.
    if found.len() > 64 {
        found.clear();
    }
    found.extend((0..128).map(|bit| (1u128 << bit) - 1));
    found.into_iter().collect()
}
