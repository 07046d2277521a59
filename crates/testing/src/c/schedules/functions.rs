//! Functions of the program beside its threads, and statements that call them.

use super::features::Feature;
use super::maker::{Cell, Kind, Maker};

impl Maker {
    /// All helpers that the features need.
    pub fn helpers(&mut self) {
        use Feature::*;
        self.plain_function();
        if self.has(Scoped) {
            self.name("release");
            self.line("static void release(pthread_mutex_t **p) { pthread_mutex_unlock(*p); }");
            let cell = self.shared_cell();
            self.name("note");
            self.line(format!("static void note(int *p) {{ {}; }}", cell.write("*p")));
        }
        if self.has(Once) {
            self.procedure("first", "void");
        }
        if self.has(Section) {
            self.atomic_function();
        }
        if self.has(Cleanup) {
            self.procedure("handler", "void *unused");
            self.name("leave");
            self.line("static void leave(int n) { if (n == 0) pthread_exit(0); leave(n - 1); }");
            self.name("quit");
            self.line("static void quit(void) { pthread_exit(0); }");
        }
        if self.has(Keys) || self.has(Standard) {
            self.procedure("forget", "void *value");
        }
        if self.has(Calls) {
            self.name("same");
            self.line("static int same(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }");
        }
        if self.has(Noise) {
            self.printer();
        }
        if self.has(AtExit) {
            self.procedure("finally", "void");
        }
        if self.has(Standard) {
            self.standard_functions();
        }
        if self.has(Struct) {
            self.struct_functions();
        }
        if self.has(Recursion) {
            let cell = self.shared_cell();
            let change = cell.write(&format!("{} + 1", cell.read()));
            self.name("again");
            self.line(format!(
                "static int again(int n) {{ if (n <= 0) return 0; {change}; return again(n - 1) + 1; }}"
            ));
        }
        if self.has(FunctionPointer) {
            self.pointed();
        }
        if self.has(Sort) {
            self.compare_function();
        }
        if self.has(External) || self.has(Names) {
            self.external_declarations();
        }
        if self.has(Constructor) {
            self.constructors();
        }
    }

    /// A function with a few statements and no result.
    pub fn procedure(&mut self, name: &str, parameters: &str) {
        self.name(name);
        self.open(format!("static void {name}({parameters}) {{"));
        self.locals.clear();
        self.write_shared();
        if self.random.percent(40) {
            self.statement(0);
        }
        self.close("}");
    }

    fn plain_function(&mut self) {
        if self.random.percent(50) {
            return;
        }
        self.name("help");
        self.open("static int help(int n) {");
        self.locals = vec![Cell { place: "n".into(), kind: Kind::Int, shared: false, atomic: false }];
        if self.random.percent(50) {
            self.line("if (n < 0) return 1;");
        }
        self.write_shared();
        let value = self.value(true);
        self.line(format!("return {value};"));
        self.close("}");
        self.functions.push("help".into());
    }

    /// Its name makes it a section.
    fn atomic_function(&mut self) {
        let name = self.name("__VERIFIER_atomic_change");
        self.open(format!("static void {name}(void) {{"));
        self.locals.clear();
        self.line("«? ¦sv_begin();»");
        self.write_shared();
        self.write_shared();
        self.line("«? ¦sv_end();»");
        self.close("}");
    }

    fn struct_functions(&mut self) {
        self.name("take");
        self.open("static int take(struct pair p, int q) {");
        let condition = match self.random.below(3) {
            0 => format!("p.a != {} || q != {}", self.random.below(3), self.random.below(3)),
            1 => format!("p.b != {} || q != {}", self.random.below(3), self.random.below(3)),
            _ => format!("p.a != {} || p.b != {}", self.random.below(3), self.random.below(3)),
        };
        if self.random.percent(50) {
            self.line(format!("assert({condition});"));
        }
        self.line("p.a = 1;");
        self.line("return p.b + q;");
        self.close("}");
        self.name("make");
        self.line("static struct pair make(int n) { struct pair p = { n, 1 }; return p; }");
    }

    pub fn structs(&mut self) {
        match self.random.below(6) {
            0 | 1 => {
                let (cell, value) = (self.private("0"), self.value(true));
                self.line(format!("{} = «call take¦«rs both»¦({value})»;", cell.place));
            }
            2 => {
                let name = self.fresh("p");
                self.line(format!("struct pair {name} = «rs both»;"));
                let cell = self.shared_cell();
                self.line(format!("{};", cell.write(&format!("{name}.a + {name}.b"))));
            }
            3 => {
                let value = self.small(true);
                self.line(format!("«ws both¦make({value})»;"));
            }
            4 => {
                let name = self.fresh("p");
                self.line(format!("struct pair {name} = {{ 2 }};"));
                let value = self.small(true);
                self.line(format!("{name}.b = {value};"));
                self.line(format!("«ws both¦{name}»;"));
            }
            _ => {
                let (cell, other) = (self.private("0"), self.shared_cell());
                let change = other.write("2");
                self.line(format!("{} = «call take¦«rs both»¦({change}, 1)»;", cell.place));
            }
        }
    }

    fn pointed(&mut self) {
        for name in ["f0", "f1"] {
            self.name(name);
            self.open(format!("static int {name}(int n) {{"));
            self.locals = vec![Cell { place: "n".into(), kind: Kind::Int, shared: false, atomic: false }];
            self.write_shared();
            let value = self.value(false);
            self.line(format!("return {value};"));
            self.close("}");
        }
        self.name("table");
        self.line("int (*table[2])(int) «g» = { f0, f1 };");
        self.name("chosen");
        self.line("int (*chosen)(int) «g» = f0;");
    }

    pub fn function_pointer(&mut self) {
        let value = self.small(false);
        match self.random.below(3) {
            0 => {
                let index = self.random.below(2);
                self.line(format!("«w chosen¦f{index}»;"));
            }
            1 => {
                let cell = self.shared_cell();
                self.line(format!("{};", cell.write(&format!("(«r chosen»)({value})"))));
            }
            _ => {
                let index = self.value(false);
                self.line(format!("(«r table[({index}) & 1]»)({value});"));
            }
        }
    }

    pub fn recursion(&mut self) {
        let cell = self.private("0");
        let depth = 1 + self.random.below(2);
        self.line(format!("{} = again({depth});", cell.place));
    }

    fn constructors(&mut self) {
        let count = 1 + self.random.below(2);
        for index in 0..count {
            let priority = 101 + self.random.below(3) * 10 + index;
            let name = self.name(format!("begin{index}"));
            let cell = self.shared_cell();
            let change = cell.write(&format!("{} * 2 + {}", cell.read(), 1 + self.random.below(2)));
            self.line(format!("«c {priority} {name}» static void {name}(void) {{ {change}; }}"));
        }
        for index in 0..self.random.below(3) {
            let priority = 101 + self.random.below(3) * 10 + index;
            let name = self.name(format!("end{index}"));
            let cell = self.shared_cell();
            let body = if self.random.percent(50) {
                format!("assert({} != {});", cell.read(), self.random.below(4))
            } else {
                format!("{};", cell.write(&format!("{} + 1", cell.read())))
            };
            self.line(format!("«d {priority} {name}» static void {name}(void) {{ {body} }}"));
        }
    }

    /// Handlers that run when the thread ends in between, or are taken off the list.
    pub fn cleanup(&mut self, depth: usize) {
        self.open("{");
        self.line("pthread_cleanup_push(handler, 0);");
        let scope = self.locals.len();
        self.write_shared();
        if self.may_end {
            let condition = self.condition(true);
            let call = match self.random.below(4) {
                0 => "pthread_exit(0)".to_string(),
                1 => "quit()".to_string(),
                _ => format!("leave({})", self.random.below(3)),
            };
            if self.random.percent(60) {
                self.line(format!("if {condition} {call};"));
            } else {
                self.line(format!("{call};"));
            }
        }
        if depth > 0 {
            self.write_shared();
        }
        self.locals.truncate(scope);
        let runs = self.random.below(2);
        self.line(format!("pthread_cleanup_pop({runs});"));
        self.close("}");
    }
}
