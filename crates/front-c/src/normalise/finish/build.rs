//! The program from what is still used: registers, objects and expressions that no step names are left
//! behind.

use std::collections::{HashMap, HashSet};

use ::c::{
    Builder, Constant, ExprId, Loc, Local, LocalId, LocalScope, Node, ObjectId, ObjectScope, Op, Place,
    ProcId, Program, SyncOp,
};
use base::{Diagnostics, Id};

use super::super::code::Flow;
use super::super::context::unique;

/// Puts the program together.
pub fn build(pool: &Builder, bodies: &[(ProcId, Vec<Flow>)]) -> Result<Program, Diagnostics> {
    let old = pool.draft();
    let mut copy = Copy {
        old,
        new: Builder::new(old.pointer_bits()),
        procedures: HashMap::new(),
        locals: HashMap::new(),
        objects: HashMap::new(),
        names: HashMap::new(),
    };
    for (id, _) in bodies {
        let procedure = &old.procedures()[*id];
        let made = copy.new.declare(procedure.name.clone(), procedure.result);
        copy.procedures.insert(*id, made);
    }
    if let Some(&main) = copy.procedures.get(&old.main()) {
        copy.new.main(main);
    }
    copy.objects_of(bodies);
    for (id, _) in bodies {
        let params = old.procedures()[*id].params.iter().map(|&param| copy.local(param)).collect();
        let procedure = copy.procedures[id];
        copy.new.params(procedure, params);
    }
    for (id, body) in bodies {
        copy.body(*id, body);
    }
    copy.new.finish()
}

struct Copy<'a> {
    old: &'a Program,
    new: Builder,
    procedures: HashMap<ProcId, ProcId>,
    locals: HashMap<LocalId, LocalId>,
    objects: HashMap<ObjectId, ObjectId>,
    names: HashMap<LocalScope, HashSet<String>>,
}

impl Copy<'_> {
    /// Declares all objects that are named by a step, or by the first value of one that is; in the order of
    /// the old numbers.
    fn objects_of(&mut self, bodies: &[(ProcId, Vec<Flow>)]) {
        let mut used: HashSet<ObjectId> = HashSet::new();
        let mut work: Vec<ObjectId> = vec![];
        let mut seen: HashSet<ExprId> = HashSet::new();
        for flow in bodies.iter().flat_map(|(_, body)| body) {
            work.extend(named_objects(&flow.op));
            let mut stack = flow.op.exprs();
            let locals = flow.op.writes();
            work.extend(locals.iter().filter_map(|&local| first_address(self.old.locals()[local].init)));
            while let Some(e) = stack.pop() {
                if !seen.insert(e) {
                    continue;
                }
                match self.old.exprs().node(e) {
                    Node::Address(object) => work.push(object),
                    Node::Local(local, _) => work.extend(first_address(self.old.locals()[local].init)),
                    node => stack.extend(node.children()),
                }
            }
        }
        while let Some(object) = work.pop() {
            if used.insert(object) {
                work.extend(
                    self.old.objects()[object].init.iter().filter_map(|(_, value)| first_address(*value)),
                );
            }
        }
        let mut used: Vec<ObjectId> = used.into_iter().collect();
        used.sort();
        for object in &used {
            let declared = &self.old.objects()[*object];
            let layout = self.new.layout(self.old.layouts()[declared.layout].clone());
            let scope = match declared.scope {
                ObjectScope::Procedure(procedure) => ObjectScope::Procedure(self.procedures[&procedure]),
                scope => scope,
            };
            let made = self.new.object(::c::Object { layout, scope, init: vec![], ..declared.clone() });
            self.objects.insert(*object, made);
        }
        for object in used {
            let init = self.old.objects()[object]
                .init
                .iter()
                .map(|(cell, value)| (*cell, self.constant(*value)))
                .collect();
            let made = self.objects[&object];
            self.new.object_mut(made).init = init;
        }
    }

    fn constant(&self, value: Constant) -> Constant {
        match value {
            Constant::Address(object, offset) => Constant::Address(self.objects[&object], offset),
            number => number,
        }
    }

    fn local(&mut self, local: LocalId) -> LocalId {
        if let Some(&made) = self.locals.get(&local) {
            return made;
        }
        let old: &Local = &self.old.locals()[local];
        let scope = match old.scope {
            LocalScope::Procedure(procedure) => LocalScope::Procedure(self.procedures[&procedure]),
            LocalScope::Thread => LocalScope::Thread,
        };
        let base = if old.temporary && old.name.starts_with('t') { "t" } else { &old.name };
        let name = unique(self.names.entry(scope).or_default(), base);
        let made = self.new.local(name, scope, old.ty);
        let init = self.constant(old.init);
        let new = self.new.local_mut(made);
        new.signed = old.signed;
        new.temporary = old.temporary;
        new.init = init;
        self.locals.insert(local, made);
        made
    }

    fn body(&mut self, id: ProcId, body: &[Flow]) {
        let procedure = self.procedures[&id];
        self.new.begin(procedure);
        let start = self.new.here().index();
        for flow in body {
            let op = self.step(&flow.op, start);
            let at = self.new.jump(procedure, op, Loc::from_index(start + flow.next), flow.span);
            self.new.at(at).private = flow.private;
        }
        self.new.end(procedure);
    }

    fn step(&mut self, op: &Op, start: usize) -> Op {
        let mut op = op.clone();
        op.for_each_expr(|e| *e = self.expr(*e));
        self.rename(&mut op);
        match &mut op {
            Op::Branch { target, .. } => *target = Loc::from_index(start + target.index()),
            Op::Assert { property, .. } | Op::Error(property) => {
                let site = self.old.properties()[*property].clone();
                *property = self.new.property(site);
            }
            Op::Create { template: procedure, .. } | Op::Call { procedure, .. } => {
                *procedure = self.procedures[&*procedure]
            }
            Op::Choose { origin: Some(origin), .. } => {
                *origin = self.new.origin(self.old.origins()[*origin].clone());
            }
            Op::Reach(reach) => {
                reach.origin = self.new.origin(self.old.origins()[reach.origin].clone());
                reach.layout = self.new.layout(self.old.layouts()[reach.layout].clone());
            }
            Op::Alloc { layout, .. } => *layout = self.new.layout(self.old.layouts()[*layout].clone()),
            Op::Enter(object) | Op::Leave(object) => *object = self.objects[&*object],
            _ => {}
        }
        op
    }

    fn expr(&mut self, root: ExprId) -> ExprId {
        for local in self.old.exprs().locals(root) {
            self.local(local);
        }
        let (locals, objects) = (&self.locals, &self.objects);
        self.new.exprs().import(self.old.exprs(), root, |leaf| match leaf {
            Node::Local(local, ty) => Node::Local(locals[&local], ty),
            Node::Address(object) => Node::Address(objects[&object]),
            other => other,
        })
    }

    /// New names for the registers that a step writes and the objects that it touches.
    fn rename(&mut self, op: &mut Op) {
        let place = |place: &mut Place| {
            if let Place::Object { object, .. } | Place::Indexed { object, .. } = place {
                *object = self.objects[&*object];
            }
        };
        match op {
            Op::Load { place: at, .. } | Op::Store { place: at, .. } | Op::Rmw { place: at, .. } => place(at),
            Op::Sync { op, place: at, .. } => {
                place(at);
                if let SyncOp::CondWait { mutex, .. } = op {
                    place(mutex);
                }
            }
            _ => {}
        }
        match op {
            Op::Assign { local, .. }
            | Op::Choose { local, .. }
            | Op::Load { local, .. }
            | Op::Alloc { local, .. }
            | Op::Size { local, .. }
            | Op::Me(local) => {
                *local = self.local(*local);
            }
            Op::Rmw { old, success, .. } => {
                *old = self.local(*old);
                *success = success.map(|local| self.local(local));
            }
            Op::Create { handle, .. } => *handle = handle.map(|local| self.local(local)),
            Op::Join { result, code, .. } => {
                *result = result.map(|local| self.local(local));
                *code = code.map(|local| self.local(local));
            }
            Op::Sync { code, .. } => *code = code.map(|local| self.local(local)),
            Op::Reach(reach) => {
                if let Some(local) = reach.local_mut() {
                    *local = self.local(*local);
                }
            }
            Op::Call { result, .. } => *result = result.map(|local| self.local(local)),
            _ => {}
        }
    }
}

/// The object that a first value is the address of.
pub fn first_address(value: Constant) -> Option<ObjectId> {
    match value {
        Constant::Address(object, _) => Some(object),
        Constant::Bits(_) => None,
    }
}

/// The object that a place names.
pub fn place_object(place: Place) -> Option<ObjectId> {
    match place {
        Place::Object { object, .. } | Place::Indexed { object, .. } => Some(object),
        Place::Pointer { .. } => None,
    }
}

/// The objects whose address a step computes.
pub fn addressed_objects(pool: &Builder, bodies: &[(ProcId, Vec<Flow>)]) -> HashSet<ObjectId> {
    let exprs = pool.draft().exprs();
    let (mut addressed, mut seen): (HashSet<ObjectId>, HashSet<ExprId>) = Default::default();
    for flow in bodies.iter().flat_map(|(_, body)| body) {
        let mut stack = flow.op.exprs();
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                let node = exprs.node(e);
                if let Node::Address(object) = node {
                    addressed.insert(object);
                }
                stack.extend(node.children());
            }
        }
    }
    addressed
}

/// The objects that a step names itself.
pub fn named_objects(op: &Op) -> Vec<ObjectId> {
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => {
            place_object(*place).into_iter().collect()
        }
        Op::Sync { op, place, .. } => {
            let mutex = if let SyncOp::CondWait { mutex, .. } = op { place_object(*mutex) } else { None };
            place_object(*place).into_iter().chain(mutex).collect()
        }
        Op::Enter(object) | Op::Leave(object) => vec![*object],
        _ => vec![],
    }
}
