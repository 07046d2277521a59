//! How random programs start.

use super::{Procedure, ProgramMaker};
use ir::bp::expr::Var;
use ir::bp::program::{Count, Op, ProcId};

impl ProgramMaker {
    pub(super) fn start(&mut self) {
        let main = self.procedures[0].id;
        if self.shapes.section_variable {
            self.builder.atomic_variable(self.shared[0]);
        }
        if self.may.templates == 0 {
            self.builder.template(main, Count::Exactly(1));
            return;
        }
        let other = self.procedures.iter().rev().find(|it| it.params == 0).map_or(main, |it| it.id);
        match self.random.below(4) {
            _ if self.shapes.long_init && self.random.percent(70) => self.with_long_init(main, other),
            _ if self.shapes.several => self.several(main, other),
            0 => self.builder.template(main, Count::AtLeast(1)),
            1 => self.builder.template(main, Count::Exactly(2)),
            2 if other != main => {
                self.builder.template(main, Count::Exactly(1));
                self.builder.template(other, Count::AtLeast(0));
            }
            _ => self.with_init(main, other),
        }
        if self.random.percent(15) {
            self.builder.atomic_variable(self.shared[0]);
        }
    }

    /// A fresh `init` that sets a variable and may fail; it starts no threads.
    fn with_init(&mut self, main: ProcId, other: ProcId) {
        let id = self.builder.declare("init", 0);
        self.procedures.push(Procedure { id, locals: vec![], spare: vec![], params: 0, results: 0 });
        self.current = self.procedures.len() - 1;
        self.builder.begin(id);
        let var = Var::Shared(self.shared[0]);
        let (value, holds) = (self.expr(1), self.assertion());
        self.builder.push(id, Op::assign(var, value), None);
        if self.random.percent(20) {
            self.builder.push(id, Op::Assert(holds), None);
        }
        self.builder.end(id, None);
        self.builder.init(id);
        self.builder.template(main, Count::AtLeast(0));
        if other != main {
            self.builder.template(other, Count::Exactly(1));
        }
    }

    /// An `init` like any other procedure, except that it starts no threads; it need not end.
    fn with_long_init(&mut self, main: ProcId, other: ProcId) {
        let index = self.procedures.len();
        self.quiet = true;
        self.declare_procedure(index, "init".to_string());
        self.body(index);
        self.quiet = false;
        self.builder.init(self.procedures[index].id);
        let least = self.random.below(3) as u32;
        let count = if self.random.percent(50) { Count::AtLeast(least) } else { Count::Exactly(least) };
        self.builder.template(main, count);
        if other != main && self.random.percent(50) {
            self.builder.template(other, Count::AtLeast(0));
        }
    }

    /// Up to three threads from the start, or any number from there on.
    fn several(&mut self, main: ProcId, other: ProcId) {
        let number = 1 + self.random.below(3) as u32;
        let exactly = self.random.percent(70);
        self.builder.template(main, if exactly { Count::Exactly(number) } else { Count::AtLeast(number) });
        if other != main && self.random.percent(50) {
            let number = self.random.below(2) as u32;
            self.builder.template(other, Count::Exactly(number));
        }
    }
}
