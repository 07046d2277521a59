//! Makes programs. A builder may hold anything; [`Builder::finish`] lets only valid programs through.

use super::expr::{ExprId, Exprs, Node};
use super::op::Op;
use super::origin::{ChoiceOrigin, OriginId};
use super::program::{
    LayoutId, Loc, Local, LocalId, LocalScope, Location, ObjectId, ProcId, Procedure, Program, PropertyId,
    PropertySite,
};
use super::types::{Constant, Layout, Object, Type};
use super::validate;
use base::{Arena, Diagnostics, Id, Span};
use std::collections::HashMap;

/// A program under construction. Declare what is needed, then for each procedure [`Builder::begin`], its
/// steps by [`Builder::push`], and [`Builder::end`]. Jumps forward: push with any target, then set it with
/// [`Builder::at`].
#[derive(Clone, Debug)]
pub struct Builder {
    program: Program,
    layouts: HashMap<Layout, LayoutId>,
}

impl Builder {
    /// Nothing yet. Pointers have this many bits: 64 or 32.
    pub fn new(pointer_bits: u8) -> Self {
        Self::from_program(Program {
            exprs: Exprs::new(pointer_bits),
            locals: Arena::new(),
            layouts: Arena::new(),
            objects: Arena::new(),
            procedures: Arena::new(),
            locations: Arena::new(),
            properties: Arena::new(),
            origins: Arena::new(),
            main: ProcId::from_index(0),
            thread_registers: 0,
        })
    }

    pub(super) fn from_program(program: Program) -> Self {
        let layouts = program.layouts.enumerate().map(|(id, layout)| (layout.clone(), id)).collect();
        Self { program, layouts }
    }

    /// The expression pool.
    pub fn exprs(&mut self) -> &mut Exprs {
        &mut self.program.exprs
    }

    /// The program as it stands, perhaps not valid.
    pub fn draft(&self) -> &Program {
        &self.program
    }

    /// The register as an expression.
    pub fn read(&mut self, local: LocalId) -> ExprId {
        let ty = self.program.locals[local].ty;
        self.program.exprs.add(Node::Local(local, ty))
    }

    /// The address of a declared object as an expression.
    pub fn address(&mut self, object: ObjectId) -> ExprId {
        self.program.exprs.add(Node::Address(object))
    }

    /// Adds a register that starts at zero.
    pub fn local(&mut self, name: impl Into<String>, scope: LocalScope, ty: Type) -> LocalId {
        let registers = match scope {
            LocalScope::Thread => &mut self.program.thread_registers,
            LocalScope::Procedure(procedure) => &mut self.program.procedures[procedure].registers,
        };
        let slot = *registers;
        *registers += 1;
        self.program.locals.push(Local {
            name: name.into(),
            scope,
            ty,
            signed: false,
            temporary: false,
            init: Constant::Bits(0),
            slot,
        })
    }

    /// Adds a register for an intermediate result.
    pub fn temporary(&mut self, procedure: ProcId, ty: Type) -> LocalId {
        let name = format!("t{}", self.program.locals.len());
        let local = self.local(name, LocalScope::Procedure(procedure), ty);
        self.program.locals[local].temporary = true;
        local
    }

    /// A register, open for changes other than of its scope and slot.
    pub fn local_mut(&mut self, local: LocalId) -> &mut Local {
        &mut self.program.locals[local]
    }

    /// The shape, added if it is new.
    pub fn layout(&mut self, layout: Layout) -> LayoutId {
        if let Some(&id) = self.layouts.get(&layout) {
            return id;
        }
        let id = self.program.layouts.push(layout.clone());
        self.layouts.insert(layout, id);
        id
    }

    /// Adds an object.
    pub fn object(&mut self, object: Object) -> ObjectId {
        self.program.objects.push(object)
    }

    /// An object, open for changes.
    pub fn object_mut(&mut self, object: ObjectId) -> &mut Object {
        &mut self.program.objects[object]
    }

    /// Adds something that must not go wrong.
    pub fn property(&mut self, site: PropertySite) -> PropertyId {
        self.program.properties.push(site)
    }

    /// The origin of chosen values, added if it is new.
    pub fn origin(&mut self, origin: ChoiceOrigin) -> OriginId {
        let known = self.program.origins.enumerate().find(|(_, it)| **it == origin).map(|(id, _)| id);
        known.unwrap_or_else(|| self.program.origins.push(origin))
    }

    /// Declares a procedure; its body and parameters come later.
    pub fn declare(&mut self, name: impl Into<String>, result: Option<Type>) -> ProcId {
        let nowhere = Loc::from_index(0);
        self.program.procedures.push(Procedure {
            name: name.into(),
            params: vec![],
            result,
            entry: nowhere,
            end: nowhere,
            registers: 0,
        })
    }

    /// Sets the parameters of a procedure, which are registers of it.
    pub fn params(&mut self, procedure: ProcId, params: Vec<LocalId>) {
        self.program.procedures[procedure].params = params;
    }

    /// Sets what a procedure returns.
    pub fn result(&mut self, procedure: ProcId, result: Option<Type>) {
        self.program.procedures[procedure].result = result;
    }

    /// Makes a procedure the one of the first thread.
    pub fn main(&mut self, procedure: ProcId) {
        self.program.main = procedure;
    }

    /// Starts the body of a procedure: its first step comes next. Bodies are written one after the other.
    pub fn begin(&mut self, procedure: ProcId) {
        self.program.procedures[procedure].entry = self.here();
    }

    /// Drops all steps: the bodies are written anew.
    pub fn clear(&mut self) {
        self.program.locations = Arena::new();
    }

    /// The location of the step that is pushed next.
    pub fn here(&self) -> Loc {
        Loc::from_index(self.program.locations.len())
    }

    /// Adds a step that goes on to the one pushed after it.
    pub fn push(&mut self, procedure: ProcId, op: Op, span: Option<Span>) -> Loc {
        let next = Loc::from_index(self.program.locations.len() + 1);
        self.program.locations.push(Location { op, next, procedure, span, private: false })
    }

    /// Adds a step that goes on to `next`, which may not be there yet.
    pub fn jump(&mut self, procedure: ProcId, op: Op, next: Loc, span: Option<Span>) -> Loc {
        self.program.locations.push(Location { op, next, procedure, span, private: false })
    }

    /// Ends the body of a procedure. Its last step must not go on.
    pub fn end(&mut self, procedure: ProcId) {
        self.program.procedures[procedure].end = self.here();
    }

    /// A location, open for changes.
    pub fn at(&mut self, loc: Loc) -> &mut Location {
        &mut self.program.locations[loc]
    }

    /// The program, if it is valid; otherwise all that is wrong with it.
    pub fn finish(mut self) -> Result<Program, Diagnostics> {
        let found = validate::problems(&self.program);
        if found.has_errors() {
            return Err(found);
        }
        for loc in self.program.locations.ids() {
            // A `next` that is never taken says nothing: equal programs must not differ in it.
            if !self.program.locations[loc].op.goes_on() {
                self.program.locations[loc].next = loc;
            }
        }
        self.renumber();
        Ok(self.program)
    }

    /// Renumbers expressions in the order of their use and drops unused ones: equal programs get equal ids.
    fn renumber(&mut self) {
        let mut exprs = Exprs::new(self.program.pointer_bits());
        let old = &self.program.exprs;
        let mut renamed: HashMap<ExprId, ExprId> = HashMap::new();
        for location in self.program.locations.iter_mut() {
            location.op.for_each_expr(|id| *id = import_in_order(&mut exprs, old, *id, &mut renamed));
        }
        self.program.exprs = exprs;
    }
}

/// Copies an expression, numbering operands from left to right whatever their old numbers were.
fn import_in_order(
    exprs: &mut Exprs,
    old: &Exprs,
    root: ExprId,
    copied: &mut HashMap<ExprId, ExprId>,
) -> ExprId {
    let mut stack = vec![(root, false)];
    while let Some((id, ready)) = stack.pop() {
        if copied.contains_key(&id) {
            continue;
        }
        if ready {
            let node = old.node(id).map_children(|child| copied[&child]);
            copied.insert(id, exprs.add(node));
        } else {
            stack.push((id, true));
            stack.extend(old.node(id).children().rev().map(|child| (child, false)));
        }
    }
    copied[&root]
}
