//! Expressions and places of a step.

use super::super::Problem;
use super::super::abs::Abs;
use super::super::analysis::CellOf;
use super::super::model::{Birth, Missed, Wanted};
use super::super::slots::{SlotId, SlotKind};
use super::super::symbolic::{self, Operator, Sym, Val};
use super::{Emitter, View};
use base::Id;
use c::{self, InstanceId, Node, Place, Type, Value};
use ir::bp::{ExprId, Var};
use std::collections::BTreeMap;

/// Offsets that are compared one by one.
const OFFSETS: usize = 600;

/// The cells that a place is, each under its condition.
pub(super) struct Hits {
    pub list: Vec<(CellOf, ExprId)>,
    pub fault: ExprId,
    pub unsupported: ExprId,
}

/// An address: an object and bytes from its start.
#[derive(Clone, Copy)]
struct Spot {
    instance: InstanceId,
    offset: i64,
}

impl Emitter<'_> {
    /// The value of a variable.
    pub(super) fn read_slot(&mut self, view: &View, slot: SlotId) -> Val {
        let abs = self.analysis.read(&view.locals, slot);
        if slot.index() >= self.coding.len() {
            // Nobody writes it.
            let it = self.analysis.slots.get(slot);
            let sym = Sym::constant(&self.gates, it.first, it.bits);
            return Val { abs: Abs::value(it.first), sym };
        }
        let float = self.analysis.slots.get(slot).float;
        let sym = match abs.single() {
            Some(value) if !float => Sym::constant(&self.gates, value, self.analysis.slots.get(slot).bits),
            _ => self.coding[slot.index()].read(&mut self.gates, &abs),
        };
        if float {
            self.loses("floats are any value");
        }
        Val { abs, sym }
    }

    pub(super) fn read(&mut self, view: &View, kind: SlotKind) -> Val {
        let slot = self.analysis.slot(kind);
        self.read_slot(view, slot)
    }

    /// The assignments that give a variable a value.
    pub(super) fn write(&mut self, kind: SlotKind, value: &Sym) -> Vec<(Var, ExprId)> {
        match self.known_slot(kind) {
            Some(slot) => self.coding[slot.index()].write(&mut self.gates, value),
            None => vec![],
        }
    }

    /// The assignments that give it a value where a condition holds.
    pub(super) fn write_if(&mut self, kind: SlotKind, cond: ExprId, value: &Sym) -> Vec<(Var, ExprId)> {
        let mut made = self.write(kind, value);
        for (var, e) in &mut made {
            let old = self.gates.var(*var);
            *e = self.gates.ite(cond, *e, old);
        }
        made
    }

    pub(super) fn number(&self, value: u128, bits: u8) -> Sym {
        Sym::constant(&self.gates, Value::Bits(value & c::mask(bits)), bits)
    }

    pub(super) fn eval(&mut self, view: &View, e: c::ExprId) -> Result<Val, Problem> {
        let program = self.analysis.model.program;
        let mut done: BTreeMap<c::ExprId, Val> = BTreeMap::new();
        for id in program.exprs().below(e) {
            let value = self.node(view, &done, id)?;
            done.insert(id, value);
        }
        Ok(done.remove(&e).unwrap_or_else(|| Val { abs: Abs::none(), sym: self.number(0, 1) }))
    }

    fn node(&mut self, view: &View, done: &BTreeMap<c::ExprId, Val>, id: c::ExprId) -> Result<Val, Problem> {
        let program = self.analysis.model.program;
        let ty = |e: c::ExprId| program.exprs().ty(e);
        let width = ty(id).bits(program.pointer_bits());
        let (abs, sym) = match program.exprs().node(id) {
            Node::Const(_, value) => (Abs::number(value), self.number(value, width)),
            Node::Local(local, _) => {
                return Ok(match view.new.get(&local) {
                    Some(value) => value.clone(),
                    None => self.read(view, SlotKind::Register(local)),
                });
            }
            Node::Address(object) => {
                let instance = InstanceId::from_index(object.index());
                let value = Value::Address { instance, offset: 0 };
                let mut sym = Sym::constant(&self.gates, value, width);
                let alive = self.alive(view, instance);
                sym.fault = self.gates.not(alive);
                (Abs::value(value), sym)
            }
            Node::Unary(op, a) => {
                let abs = self.analysis.domain.unary(op, ty(a), &done[&a].abs);
                (abs, symbolic::unary(&mut self.gates, op, ty(a), &done[&a].sym))
            }
            Node::Convert(op, to, a) => {
                let abs = self.analysis.domain.convert(op, ty(a), to, &done[&a].abs);
                if ty(a).is_float() || to.is_float() {
                    self.loses("floats are any value");
                }
                let types = [ty(a), to];
                let domain = &self.analysis.domain;
                (abs, symbolic::convert(&mut self.gates, domain, op, types, &done[&a].sym, width))
            }
            Node::Binary(op, a, b) => return self.binary(op, [ty(a), ty(b)], [&done[&a], &done[&b]], width),
            Node::Ite(c, a, b) => {
                let [may, may_not] = done[&c].abs.truth();
                let mut abs = Abs::none();
                if may {
                    abs = abs.join(&done[&a].abs, width);
                }
                if may_not {
                    abs = abs.join(&done[&b].abs, width);
                }
                (abs, symbolic::ite(&mut self.gates, &done[&c].sym, &done[&a].sym, &done[&b].sym))
            }
        };
        Ok(self.simplified(abs, sym, ty(id)))
    }

    fn binary(
        &mut self,
        op: c::Binary,
        types: [Type; 2],
        operands: [&Val; 2],
        width: u8,
    ) -> Result<Val, Problem> {
        let [a, b] = operands;
        let abs = self.analysis.domain.binary(op, types[0], types[1], [&a.abs, &b.abs]);
        let abs = abs.ok_or_else(|| self.analysis.refuse("a pointer with too many possible targets"))?;
        let operator = Operator { domain: &self.analysis.domain, op, ty: types[0], bits: width };
        let (sym, lost) = operator.apply(&mut self.gates, a, b);
        if lost {
            self.loses(if types[0].is_float() {
                "floats are any value"
            } else {
                "handles of like threads are compared"
            });
        }
        let ty = if op.is_comparison() { c::TRUTH } else { types[0] };
        Ok(self.simplified(abs, sym, ty))
    }

    /// A value that is always the same one needs no expression.
    fn simplified(&self, abs: Abs, sym: Sym, ty: Type) -> Val {
        let width = ty.bits(self.analysis.model.program.pointer_bits());
        let sym = match abs.single() {
            Some(value) if !ty.is_float() => {
                let constant = Sym::constant(&self.gates, value, width);
                Sym { fault: sym.fault, unsupported: sym.unsupported, ..constant }
            }
            _ => sym,
        };
        Val { abs, sym }
    }

    /// Whether an object lives.
    pub(super) fn alive(&mut self, view: &View, instance: InstanceId) -> ExprId {
        if self.analysis.model.instance(instance).birth == Birth::Always {
            return self.gates.one();
        }
        let alive = self.read(view, SlotKind::Alive(instance)).sym;
        symbolic::truth(&mut self.gates, &alive)
    }

    pub(super) fn hits(&mut self, view: &View, place: Place, wanted: Wanted) -> Result<Hits, Problem> {
        let (zero, one) = (self.gates.zero(), self.gates.one());
        let mut hits = Hits { list: vec![], fault: zero, unsupported: zero };
        let declared = |object: c::ObjectId| InstanceId::from_index(object.index());
        match place {
            Place::Object { object, offset } => {
                self.hit(view, &mut hits, Spot { instance: declared(object), offset }, wanted, one)
            }
            Place::Indexed { object, offset } => {
                let offset = self.eval(view, offset)?;
                (hits.fault, hits.unsupported) = (offset.sym.fault, offset.sym.unsupported);
                for &(_, cond) in &offset.sym.others {
                    hits.unsupported = self.gates.or(hits.unsupported, cond);
                }
                self.indexed(view, &mut hits, declared(object), &offset, wanted);
            }
            Place::Pointer { pointer, offset } => {
                let pointer = self.eval(view, pointer)?;
                (hits.fault, hits.unsupported) = (pointer.sym.fault, pointer.sym.unsupported);
                hits.fault = self.gates.or(hits.fault, pointer.sym.number);
                for &(target, cond) in &pointer.sym.others {
                    match target {
                        Value::Address { instance, offset: start } => {
                            let spot = Spot { instance, offset: start.wrapping_add(offset) };
                            self.hit(view, &mut hits, spot, wanted, cond);
                        }
                        _ => hits.fault = self.gates.or(hits.fault, cond),
                    }
                }
            }
        }
        Ok(hits)
    }

    /// An address under a condition.
    fn hit(&mut self, view: &View, hits: &mut Hits, spot: Spot, wanted: Wanted, cond: ExprId) {
        if self.gates.known(cond) == Some(false) {
            return;
        }
        let alive = self.alive(view, spot.instance);
        let dead = self.gates.not(alive);
        let dead = self.gates.and(cond, dead);
        hits.fault = self.gates.or(hits.fault, dead);
        match self.analysis.model.cell_at(spot.instance, spot.offset, wanted) {
            Ok(cell) => match hits.list.iter_mut().find(|it| it.0 == (spot.instance, cell)) {
                Some(it) => it.1 = self.gates.or(it.1, cond),
                None => hits.list.push(((spot.instance, cell), cond)),
            },
            Err(Missed::Fault) => hits.fault = self.gates.or(hits.fault, cond),
            Err(Missed::Unsupported) => {
                let here = self.gates.and(cond, alive);
                hits.unsupported = self.gates.or(hits.unsupported, here);
            }
        }
    }

    fn indexed(&mut self, view: &View, hits: &mut Hits, instance: InstanceId, offset: &Val, wanted: Wanted) {
        let pointer_bits = self.analysis.model.program.pointer_bits();
        if let Some(list) = offset.abs.numbers.list(OFFSETS) {
            for number in list {
                let cond = offset.sym.is(&mut self.gates, Value::Bits(number));
                let offset = c::signed(number, pointer_bits) as i64;
                self.hit(view, hits, Spot { instance, offset }, wanted, cond);
            }
            return;
        }
        let bytes = match wanted {
            Wanted::Scalar(bits) => u64::from(bits.div_ceil(8)),
            Wanted::Sync(_) => 1,
        };
        let mut somewhere = self.gates.zero();
        for cell in 0..self.analysis.model.cells(instance) as u32 {
            let start = self.analysis.model.cell_offset(instance, cell);
            let cond = offset.sym.is(&mut self.gates, Value::Bits(start as u128));
            somewhere = self.gates.or(somewhere, cond);
            self.hit(view, hits, Spot { instance, offset: start }, wanted, cond);
        }
        let elsewhere = self.gates.not(somewhere);
        let inside = match self.analysis.model.size(instance).checked_sub(bytes) {
            Some(last) => {
                let last = self.gates.number(u128::from(last), pointer_bits);
                self.gates.less(&offset.sym.bits, &last, true)
            }
            None => self.gates.zero(),
        };
        let outside = self.gates.not(inside);
        hits.fault = self.gates.or(hits.fault, outside);
        let strange = self.gates.and(inside, elsewhere);
        hits.unsupported = self.gates.or(hits.unsupported, strange);
    }
}
