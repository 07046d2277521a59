//! Writes the text form. Expressions that occur more than once get names: written out they could be
//! exponentially long.

use super::lex::{is_bare, quote};
use super::operators::{BINARY, CONVERT, UNARY, word};
use crate::expr::{ExprId, Node};
use crate::program::{LocalId, LocalScope, ObjectId, ProcId, Program};
use crate::types::{CellType, Constant, ObjectScope};
use base::Id;
use base::class::Class;
use std::fmt::Write;

/// The text of a program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, text: String::new(), named: named(program) };
    printer.declarations();
    printer.shared_expressions();
    printer.bodies();
    printer.text
}

pub(super) struct Printer<'p> {
    pub program: &'p Program,
    pub text: String,
    /// By expression: whether it has a name of its own.
    named: Vec<bool>,
}

/// The operators that are used more than once.
fn named(program: &Program) -> Vec<bool> {
    let mut uses = vec![0u32; program.exprs().len()];
    let mut count = |e: ExprId| uses[e.index()] = uses[e.index()].saturating_add(1);
    for id in program.exprs().ids() {
        program.exprs().node(id).children().for_each(&mut count);
    }
    program.locations().iter().flat_map(|location| location.op.exprs()).for_each(&mut count);
    let inner = |id: ExprId| program.exprs().node(id).children().next().is_some();
    program.exprs().ids().map(|id| uses[id.index()] > 1 && inner(id)).collect()
}

pub(super) fn name(name: &str) -> String {
    if is_bare(name) { name.to_string() } else { quote(name) }
}

impl Printer<'_> {
    /// Adds to the text.
    pub fn put(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{text}").expect("writing to a string cannot fail");
    }

    pub fn procedure(&self, id: ProcId) -> String {
        name(&self.program.procedures()[id].name)
    }

    pub fn object(&self, id: ObjectId) -> String {
        name(&self.program.objects()[id].name)
    }

    /// A register; qualified by its procedure where that is not clear.
    pub fn local(&self, id: LocalId, qualified: bool) -> String {
        let local = &self.program.locals()[id];
        match local.scope {
            LocalScope::Thread => format!("@{}", name(&local.name)),
            LocalScope::Procedure(procedure) if qualified => {
                format!("{}::{}", self.procedure(procedure), name(&local.name))
            }
            LocalScope::Procedure(_) => name(&local.name),
        }
    }

    fn constant(&self, value: Constant) -> String {
        match value {
            Constant::Bits(bits) => bits.to_string(),
            Constant::Address(object, offset) => format!("&{} {offset}", self.object(object)),
        }
    }

    fn declarations(&mut self) {
        let program = self.program;
        self.line(format_args!("pointer {}", program.pointer_bits()));
        for (id, layout) in program.layouts().enumerate() {
            let mut cells = String::new();
            for cell in &layout.cells {
                let ty = match cell.ty {
                    CellType::Scalar(ty) => ty.to_string(),
                    CellType::Sync(kind, bytes) => format!("{} {bytes}", kind.word()),
                };
                cells += &format!(" {} {ty} {}", cell.offset, quote(&cell.name));
            }
            self.line(format_args!("layout {} stride {} {{{cells} }}", id.index(), layout.stride));
        }
        for procedure in program.procedures().iter() {
            let result = procedure.result.map_or(String::new(), |ty| format!(" => {ty}"));
            self.line(format_args!("procedure {}{result}", name(&procedure.name)));
        }
        self.line(format_args!("main {}", self.procedure(program.main())));
        self.objects();
        for (id, local) in program.locals().enumerate() {
            let signed = if local.signed { " signed" } else { "" };
            let temporary = if local.temporary { " temporary" } else { "" };
            let (local_name, init) = (self.local(id, true), self.constant(local.init));
            self.line(format_args!("local {local_name} {}{signed}{temporary} = {init}", local.ty));
        }
        for property in program.properties().iter() {
            let class = match property.class {
                Class::ASSERTION => String::new(),
                other => format!(" {}", other.word()),
            };
            self.line(format_args!("property {}{class}", quote(&property.text)));
        }
        for origin in program.origins().iter() {
            let stores = if origin.stores { " stores" } else { "" };
            self.line(format_args!("origin {} {}{stores}", origin.kind, quote(&origin.function)));
        }
    }

    fn objects(&mut self) {
        // First all names, then first values: these may be addresses of later objects.
        for object in self.program.objects().iter() {
            let scope = match object.scope {
                ObjectScope::Static => "static".to_string(),
                ObjectScope::Thread => "thread".to_string(),
                ObjectScope::Procedure(procedure) => format!("of {}", self.procedure(procedure)),
            };
            let constant = if object.constant { " constant" } else { "" };
            let (object_name, layout) = (name(&object.name), object.layout.index());
            self.line(format_args!("object {object_name} {scope} {layout} * {}{constant}", object.count));
        }
        for object in self.program.objects().iter() {
            for &(cell, value) in &object.init {
                let value = self.constant(value);
                self.line(format_args!("init {} {cell} = {value}", name(&object.name)));
            }
        }
    }

    fn shared_expressions(&mut self) {
        for id in self.program.exprs().ids() {
            if self.named[id.index()] {
                self.put(format!("expr {} = ", id.index()));
                self.node(id, true);
                self.put("\n");
            }
        }
    }

    /// An expression where a step uses it.
    pub fn expr(&mut self, id: ExprId) {
        if self.named[id.index()] {
            self.put(format!("={}", id.index()));
        } else {
            self.node(id, false);
        }
    }

    /// An expression written out, down to those that have names.
    fn node(&mut self, root: ExprId, qualified: bool) {
        enum Work {
            Node(ExprId),
            Close,
        }
        let mut work = vec![Work::Node(root)];
        while let Some(item) = work.pop() {
            let Work::Node(id) = item else {
                self.put(")");
                continue;
            };
            if !self.text.ends_with([' ', '(', '[', '*']) {
                self.put(" ");
            }
            if id != root && self.named[id.index()] {
                self.put(format!("={}", id.index()));
                continue;
            }
            let node = self.program.exprs().node(id);
            match node {
                Node::Const(ty, value) => self.put(format!("{value}:{ty}")),
                Node::Local(local, _) => self.put(self.local(local, qualified)),
                Node::Address(object) => self.put(format!("&{}", self.object(object))),
                Node::Unary(op, _) => self.put(format!("({}", word(&UNARY, &op))),
                Node::Binary(op, ..) => self.put(format!("({}", word(&BINARY, &op))),
                Node::Convert(op, ty, _) => self.put(format!("({} {ty}", word(&CONVERT, &op))),
                Node::Ite(..) => self.put("(ite"),
            }
            if node.children().next().is_some() {
                work.push(Work::Close);
                work.extend(node.children().rev().map(Work::Node));
            }
        }
    }

    fn bodies(&mut self) {
        let mut procedures: Vec<ProcId> = self.program.procedures().ids().collect();
        procedures.sort_by_key(|&id| self.program.procedures()[id].entry);
        for id in procedures {
            let params = &self.program.procedures()[id].params;
            let params: Vec<String> = params.iter().map(|&param| self.local(param, false)).collect();
            self.line(format_args!("body {} ({}) {{", self.procedure(id), params.join(", ")));
            for loc in self.program.locations_of(id) {
                self.step(loc);
            }
            self.line(format_args!("}}"));
        }
    }
}
