//! Names mean something, objects have a shape, and procedures are ranges of locations.

use super::{CELLS, Found};
use crate::expr::Node;
use crate::op::{MutexKind, Op, Place, SyncOp};
use crate::program::{Loc, LocalId, LocalScope, Location, ObjectId, ProcId, Program};
use crate::types::{CellType, Constant, Layout, Object, ObjectScope, SyncKind, Type};
use base::Id;
use std::collections::HashSet;

pub(super) fn check(program: &Program, found: &mut Found) {
    let bits = program.pointer_bits();
    found.require(matches!(bits, 32 | 64), "E1901", None, "a pointer has 32 or 64 bits");
    program.layouts.iter().for_each(|layout| self::layout(program, found, layout));
    program.objects.iter().for_each(|object| self::object(program, found, object));
    locals(program, found);
    exprs(program, found);
    procedures(program, found);
    for (loc, location) in program.locations.enumerate() {
        self::location(program, found, loc, location);
    }
}

fn layout(program: &Program, found: &mut Found, layout: &Layout) {
    let mut free = 0;
    for cell in &layout.cells {
        if let CellType::Scalar(Type::Bits(bits)) = cell.ty {
            found.require((1..=128).contains(&bits), "E1902", None, "a scalar has 1 to 128 bits");
        }
        let bytes = cell.ty.bytes(program.pointer_bits());
        found.require(bytes > 0, "E1902", None, "a cell has no size");
        found.require(cell.offset >= free, "E1902", None, "cells overlap or are out of order");
        free = cell.offset.saturating_add(bytes);
    }
    found.require(free <= layout.stride, "E1902", None, "a cell lies outside its element");
}

fn object(program: &Program, found: &mut Found, object: &Object) {
    let Some(layout) = program.layouts.get(object.layout) else {
        return found.error("E1903", None, format!("object `{}` has no shape", object.name));
    };
    let cells = object.count.saturating_mul(layout.cells.len() as u64);
    let bytes = object.count.checked_mul(layout.stride).filter(|&bytes| bytes <= i64::MAX as u64);
    if cells > CELLS || bytes.is_none() {
        found.error("E1904", None, format!("object `{}` is too large", object.name));
    }
    if let ObjectScope::Procedure(procedure) = object.scope {
        let known = program.procedures.get(procedure).is_some();
        found.require(known, "E1903", None, "an object belongs to no procedure");
        found.require(object.init.is_empty(), "E1905", None, "an object of an activation has first values");
    }
    let in_order = object.init.windows(2).all(|pair| pair[0].0 < pair[1].0);
    found.require(in_order, "E1905", None, "first values are out of order");
    for &(cell, value) in &object.init {
        if cell >= cells {
            found.error("E1905", None, "a first value belongs to no cell");
            continue;
        }
        match layout.cells[(cell % layout.cells.len() as u64) as usize].ty {
            CellType::Scalar(ty) => constant(program, found, value, ty),
            CellType::Sync(kind, _) => {
                let known = value == Constant::Bits(0)
                    || kind == SyncKind::Mutex && MutexKind::ALL.iter().any(|kind| kind.initial() == value);
                found.require(known, "E1905", None, "a synchronisation object does not start like this");
            }
        }
    }
}

fn constant(program: &Program, found: &mut Found, value: Constant, ty: Type) {
    let fits = value.fits(ty, program.pointer_bits());
    match value {
        Constant::Bits(_) => found.require(fits, "E1906", None, "a constant does not fit its type"),
        Constant::Address(object, _) => {
            let fixed = program.objects.get(object).is_some_and(|object| object.scope == ObjectScope::Static);
            found.require(fixed, "E1906", None, "a constant address is not that of a static object");
            found.require(fits, "E1906", None, "an address does not fit the type of its cell or register");
        }
    }
}

fn locals(program: &Program, found: &mut Found) {
    let mut names = HashSet::new();
    let mut slots = HashSet::new();
    for local in program.locals.iter() {
        let registers = match local.scope {
            LocalScope::Thread => Some(program.thread_registers),
            LocalScope::Procedure(procedure) => program.procedures.get(procedure).map(|it| it.registers),
        };
        let known = registers.is_some_and(|registers| local.slot < registers);
        found.require(known, "E1903", None, "a register has no place");
        found.require(slots.insert((local.scope, local.slot)), "E1903", None, "two registers share a place");
        if !names.insert((local.scope, local.name.as_str())) {
            found.error("E1907", None, format!("two registers are called `{}`", local.name));
        }
        let width_fits = !matches!(local.ty, Type::Bits(bits) if bits == 0 || bits > 128);
        found.require(width_fits, "E1902", None, "a scalar has 1 to 128 bits");
        constant(program, found, local.init, local.ty);
    }
    let mut names = HashSet::new();
    for object in program.objects.iter().filter(|object| !names.insert(object.name.as_str())) {
        found.error("E1907", None, format!("two objects are called `{}`", object.name));
    }
}

fn exprs(program: &Program, found: &mut Found) {
    for id in program.exprs.ids() {
        let known = match program.exprs.node(id) {
            Node::Local(local, _) => program.locals.get(local).is_some(),
            Node::Address(object) => program.objects.get(object).is_some(),
            node => node.children().all(|child| child.index() < id.index()),
        };
        found.require(known, "E1903", None, "an expression names nothing");
    }
}

fn procedures(program: &Program, found: &mut Found) {
    let mut names = HashSet::new();
    for (id, procedure) in program.procedures.enumerate() {
        let fits = procedure.entry < procedure.end && procedure.end.index() <= program.locations.len();
        if !fits {
            found.error("E1908", None, format!("procedure `{}` has no body", procedure.name));
            continue;
        }
        if !names.insert(procedure.name.as_str()) {
            found.error("E1907", None, format!("two procedures are called `{}`", procedure.name));
        }
        let own = program.locations_of(id).all(|loc| program.at(loc).procedure == id);
        found.require(own, "E1908", None, "a procedure contains locations of another one");
        let params_fit = procedure.params.iter().all(|&param| {
            program.locals.get(param).is_some_and(|local| local.scope == LocalScope::Procedure(id))
        });
        let distinct = procedure.params.iter().collect::<HashSet<_>>().len() == procedure.params.len();
        found.require(params_fit && distinct, "E1909", None, "a parameter is no register of its procedure");
    }
    match program.procedures.get(program.main) {
        None => found.error("E1910", None, "the program has no `main`"),
        Some(main) => {
            found.require(main.params.is_empty(), "E1910", None, "the first thread gets no arguments");
        }
    }
}

fn location(program: &Program, found: &mut Found, loc: Loc, location: &Location) {
    let inside = program.procedures.get(location.procedure).map(|it| it.entry..it.end);
    let Some(inside) = inside.filter(|range| range.contains(&loc)) else {
        return found.error("E1908", location.span, "a location belongs to no procedure");
    };
    let target = if let Op::Branch { target, .. } = location.op { target } else { loc };
    let stays = inside.contains(&target) && (!location.op.goes_on() || inside.contains(&location.next));
    found.require(stays, "E1911", location.span, "control leaves the procedure");
    let scope = Scope { program, procedure: location.procedure };
    let locals = location.op.writes().into_iter().all(|local| scope.local(local));
    let roots = location.op.exprs();
    let exprs = roots.iter().all(|&e| e.index() < program.exprs.len());
    if !exprs || !locals {
        return found.error("E1912", location.span, "a register or an expression is not known here");
    }
    let readable =
        roots.into_iter().flat_map(|e| program.exprs.below(e)).all(|e| match program.exprs.node(e) {
            Node::Local(local, _) => scope.local(local),
            Node::Address(object) => scope.object(object),
            _ => true,
        });
    found.require(readable, "E1912", location.span, "a register or an object is not known here");
    found.require(scope.names(&location.op), "E1912", location.span, "a name is not known here");
}

/// What a step of a procedure may name.
struct Scope<'p> {
    program: &'p Program,
    procedure: ProcId,
}

impl Scope<'_> {
    fn local(&self, local: LocalId) -> bool {
        self.program.locals.get(local).is_some_and(|local| match local.scope {
            LocalScope::Thread => true,
            LocalScope::Procedure(procedure) => procedure == self.procedure,
        })
    }

    fn object(&self, object: ObjectId) -> bool {
        self.program.objects.get(object).is_some_and(|object| match object.scope {
            ObjectScope::Static | ObjectScope::Thread => true,
            ObjectScope::Procedure(procedure) => procedure == self.procedure,
        })
    }

    fn place(&self, place: Place) -> bool {
        match place {
            Place::Object { object, .. } | Place::Indexed { object, .. } => self.object(object),
            Place::Pointer { .. } => true,
        }
    }

    fn names(&self, op: &Op) -> bool {
        match op {
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => self.place(*place),
            Op::Sync { op: SyncOp::CondWait { mutex, .. }, place, .. } => {
                self.place(*place) && self.place(*mutex)
            }
            Op::Sync { place, .. } => self.place(*place),
            Op::Assert { property, .. } | Op::Error(property) => {
                self.program.properties.get(*property).is_some()
            }
            Op::Choose { origin, .. } => origin.is_none_or(|it| self.program.origins.get(it).is_some()),
            Op::Reach(reach) => {
                self.program.origins.get(reach.origin).is_some()
                    && self.program.layouts.get(reach.layout).is_some_and(|it| it.stride > 0)
            }
            Op::Alloc { layout, .. } => {
                // An element without size would leave the number of elements undefined.
                self.program.layouts.get(*layout).is_some_and(|layout| layout.stride > 0)
            }
            Op::Enter(object) | Op::Leave(object) => self
                .program
                .objects
                .get(*object)
                .is_some_and(|it| it.scope == ObjectScope::Procedure(self.procedure)),
            Op::Create { template: procedure, .. } | Op::Call { procedure, .. } => {
                self.program.procedures.get(*procedure).is_some()
            }
            _ => true,
        }
    }
}
