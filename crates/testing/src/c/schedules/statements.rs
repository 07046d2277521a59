//! Statements of the language itself: assignments, branches, loops, jumps, assertions.

use super::maker::{Cell, Kind, Maker};

/// The calls that are an error.
const ERRORS: &[&str] = &[
    "reach_error()",
    "__VERIFIER_error()",
    "__SMACK_error()",
    "__assert_fail(\"x\", \"f\", 1, \"g\")",
    "__assert(\"x\", \"f\", 1)",
    "__assert_rtn(\"g\", \"f\", 1, \"x\")",
    "__assert_perror_fail(1, \"f\", 1, \"g\")",
];

/// The calls that are an error if the condition `@` does not hold.
const ASSERTIONS: &[&str] = &[
    "__VERIFIER_assert(@)",
    "__CPROVER_assert(@, \"text\")",
    "__ESBMC_assert(@, \"text\")",
    "__goblint_assert(@)",
    "__goblint_check(@)",
];

impl Maker {
    /// A few statements of one block.
    pub fn block(&mut self, most: usize, depth: usize) {
        let scope = self.locals.len();
        for _ in 0..1 + self.random.below(most) {
            self.statement(depth);
        }
        self.locals.truncate(scope);
    }

    pub fn statement(&mut self, depth: usize) {
        if self.random.percent(50) && depth > 0 {
            let feature = *self.random.pick(&self.features);
            return self.feature(feature, depth - 1);
        }
        match self.random.below(12) {
            0..=3 => self.write_shared(),
            4 | 5 => self.compound(),
            6 => self.write_local(),
            7 if depth > 0 => self.branch(depth - 1),
            8 => self.assertion(),
            9 if depth > 0 => self.counted(depth - 1),
            _ => self.write_shared(),
        }
    }

    pub fn write_shared(&mut self) {
        let cell = self.shared_cell();
        let value = self.small(true);
        self.line(format!("{};", cell.write(&value)));
    }

    fn write_local(&mut self) {
        if self.locals.is_empty() {
            return self.write_shared();
        }
        let cell = self.random.pick(&self.locals).clone();
        let value = self.small(true);
        self.line(format!("{};", cell.write(&value)));
    }

    fn compound(&mut self) {
        let cell = self.shared_cell();
        let op = *self.random.pick(&["+", "-", "^", "|", "*"]);
        let value = if self.random.percent(60) { "1".to_string() } else { self.value(false) };
        match cell {
            Cell { atomic: true, place, .. } if op != "*" => {
                self.line(format!("«am {place}¦{op}=¦{value}»;"))
            }
            Cell { atomic: true, .. } => self.line(format!("{};", cell.write(&value))),
            Cell { place, .. } => self.line(format!("«m {place}¦{op}¦{value}»;")),
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition(true);
        self.open(format!("if {condition} {{"));
        self.block(2, depth);
        if self.random.percent(40) {
            self.reopen("} else {");
            self.block(2, depth);
        }
        self.close("}");
    }

    /// A loop of two or three turns.
    fn counted(&mut self, depth: usize) {
        let (i, turns) = (self.fresh("i"), 2 + self.random.below(2));
        let kind = *self.random.pick(&[Kind::Int, Kind::Uchar, Kind::Schar]);
        self.open(format!("for ({} {i} = 0; {i} < {turns}; {i}++) {{", kind.name()));
        // In brackets with a sum it cannot be written, so that the loop ends.
        self.locals.push(Cell { place: format!("({i} + 0)"), kind, shared: false, atomic: false });
        self.write_shared();
        if depth > 0 && self.random.percent(30) {
            self.compound();
        }
        if self.random.percent(20) {
            let condition = self.condition(true);
            let word = if self.random.percent(50) { "break" } else { "continue" };
            self.line(format!("if {condition} {word};"));
        }
        self.locals.pop();
        self.close("}");
    }

    /// A loop that waits for others, with few states.
    pub fn repeat(&mut self, depth: usize) {
        if self.holds {
            return self.counted(depth);
        }
        let condition = self.condition(true);
        if !condition.contains('«') {
            return self.counted(depth);
        }
        if self.random.percent(50) {
            self.open(format!("while {condition} {{"));
            self.write_shared();
            self.close("}");
        } else {
            self.open("do {");
            self.write_shared();
            self.close(format!("}} while {condition};"));
        }
    }

    pub fn assume(&mut self) {
        let condition = self.condition(true);
        let call = *self.random.pick(&[
            "__VERIFIER_assume",
            "__CPROVER_assume",
            "__ESBMC_assume",
            "__SMACK_assume",
            "__goblint_assume",
            "assume_abort_if_not",
            "assume",
        ]);
        self.line(format!("{call}({condition});"));
    }

    pub fn nondet(&mut self) {
        let name = self.fresh("n");
        let most = 1 + self.random.below(2);
        self.line(format!("unsigned char {name} = 0;"));
        self.line(format!(
            "«? {name} = __VERIFIER_nondet_uchar(); __VERIFIER_assume({name} <= {most});¦{name} = sv_choose({});»",
            most + 1
        ));
        self.locals.push(Cell { place: name, kind: Kind::Uchar, shared: false, atomic: false });
    }

    pub fn division(&mut self) {
        let divisor = self.small(true);
        let divided = self.small(false);
        match self.random.below(3) {
            0 => self.line(format!("(void)«div ({divided})¦({divisor})»;")),
            1 => {
                let divisor = self.value(false);
                let cell = self.shared_cell();
                self.line(format!("{};", cell.write(&format!("«div ({divided})¦({divisor})»"))));
            }
            _ => self.line(format!("«div ({divided})¦({divisor})»;")),
        }
    }

    pub fn jump(&mut self, depth: usize) {
        match self.random.below(4) {
            0 => self.switch(depth),
            1 => {
                let (label, count) = (self.fresh("again"), self.fresh("k"));
                self.line(format!("int {count} = 0;"));
                self.line(format!("{label}:;"));
                self.write_shared();
                self.line(format!("if (++{count} < 2) goto {label};"));
            }
            2 => {
                let table = self.fresh("k");
                self.line(format!("int {table} = 3;"));
                self.open(format!("while ({table}-- > 1) {{"));
                self.write_shared();
                self.close("}");
            }
            _ => {
                let label = self.fresh("out");
                let condition = self.condition(true);
                self.open("{");
                self.line(format!("if {condition} goto {label};"));
                self.write_shared();
                self.close("}");
                self.line(format!("{label}:;"));
            }
        }
    }

    fn switch(&mut self, depth: usize) {
        let value = self.value(true);
        self.open(format!("switch (({value}) & 3) {{"));
        for label in ["case 0:;", "case 1 ... 2:;", "default:;"] {
            self.line(label);
            self.write_shared();
            if self.random.percent(50) {
                self.line("break;");
            } else if depth > 0 {
                self.compound();
            }
        }
        self.close("}");
    }

    pub fn through_pointer(&mut self) {
        match self.random.below(3) {
            0 => {
                let cell = self.shared.iter().find(|it| it.kind == Kind::Uchar && !it.atomic).cloned();
                let place = cell.map_or("target".into(), |cell| cell.place);
                self.line(format!("«w pointer¦&{place}»;"));
            }
            1 => {
                let value = self.small(false);
                self.line(format!("«w *«r pointer»¦{value}»;"));
            }
            _ => {
                let cell = self.shared_cell();
                self.line(format!("{};", cell.write("«r *«r pointer»»")));
            }
        }
    }

    /// An assertion, as long as there may be more.
    pub fn assertion(&mut self) {
        if self.assertions == 0 {
            return self.write_shared();
        }
        self.assertions -= 1;
        let cell = self.shared_cell();
        let condition = match self.random.below(8) {
            0..=4 => format!("{} != {}", cell.read(), self.random.below(5)),
            5 => format!("{} <= {}", cell.read(), 1 + self.random.below(4)),
            6 => format!("{} == {}", cell.read(), self.random.below(3)),
            _ => format!("{} || {}", self.condition(true), self.condition(true)),
        };
        match self.random.below(6) {
            0 | 1 => {
                let error = *self.random.pick(ERRORS);
                self.line(format!("if (!({condition})) {error};"));
            }
            2 => {
                let assertion = *self.random.pick(ASSERTIONS);
                self.line(format!("{};", assertion.replace('@', &condition)));
            }
            _ => self.line(format!("assert({condition});")),
        }
    }
}
