//! The threads of a program: their functions, and `main`, which creates and joins them in all kinds of loops.

use super::features::Feature;
use super::maker::{Cell, Kind, Maker};

/// What a thread's argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    Nothing,
    Number,
    /// The address of an element of `cells`.
    Element,
    /// An allocation of its own.
    Box,
}

/// Threads that were created at one place.
struct Created {
    /// The array of their handles, or the one handle.
    handle: String,
    is_array: bool,
    /// The elements that have a handle.
    indices: Vec<usize>,
}

/// A loop around statements.
struct Loop {
    before: Vec<String>,
    /// Lines that open blocks.
    heads: Vec<String>,
    /// Lines at the end of the body.
    steps: Vec<String>,
    /// What closes the innermost block.
    end: String,
    /// What comes after it.
    after: Vec<String>,
    /// The number of the turn, as an expression.
    index: String,
    turns: Vec<usize>,
}

impl Maker {
    /// The functions of threads, and what their arguments are.
    pub fn workers(&mut self) -> Vec<Argument> {
        let count = 1 + usize::from(self.random.percent(40));
        let kinds =
            [Argument::Nothing, Argument::Number, Argument::Element, Argument::Element, Argument::Box];
        let arguments: Vec<Argument> = (0..count).map(|_| *self.random.pick(&kinds)).collect();
        if arguments.contains(&Argument::Element) {
            let kind = self.kind();
            self.name("cells");
            self.name("cell");
            self.line(format!("typedef {} cell;", kind.name()));
            self.line("cell cells[4] «g»;");
            for index in 0..3 {
                self.shared.push(Cell {
                    place: format!("cells[{index}]"),
                    kind,
                    shared: true,
                    atomic: false,
                });
            }
        }
        if arguments.contains(&Argument::Box) {
            self.name("box");
            self.line("struct box { unsigned char v; int *p; };");
        }
        self.assertions = self.random.below(2);
        for (index, argument) in arguments.iter().enumerate() {
            self.worker(index, *argument, &arguments);
        }
        arguments
    }

    fn worker(&mut self, index: usize, argument: Argument, all: &[Argument]) {
        let name = self.name(format!("w{index}"));
        self.open(format!("static void *{name}(void *arg) {{"));
        self.locals.clear();
        let scope = self.shared.len();
        let cell = self.shared.iter().find(|it| it.place == "cells[0]").map_or(Kind::Uchar, |it| it.kind);
        let own = |place: &str, kind| Cell { place: place.into(), kind, shared: true, atomic: false };
        match argument {
            Argument::Nothing => {}
            Argument::Number => {
                self.line("int n = (int)(long)arg;");
                self.locals.push(Cell { place: "n".into(), kind: Kind::Int, shared: false, atomic: false });
            }
            Argument::Element => {
                self.line("cell *p = arg;");
                // Most writes go there: so it is seen whose argument it was.
                self.shared.extend([own("*p", cell), own("*p", cell), own("*p", cell)]);
            }
            Argument::Box => {
                self.line("struct box *b = arg;");
                self.shared.extend([own("b->v", Kind::Uchar), own("b->v", Kind::Uchar)]);
            }
        }
        self.local("x", "0");
        if argument == Argument::Element && self.random.percent(60) {
            let value = 1 + self.random.below(2);
            self.line(format!("«w *p¦{value}»;"));
        }
        if self.counts {
            self.count(self.assertions > 0);
        }
        self.may_end = true;
        self.block(if self.counts { 2 } else { 4 }, 2);
        self.may_end = false;
        if self.has(Feature::Children) && index > 0 && all[index - 1] == Argument::Nothing {
            self.child(index - 1);
        }
        self.shared.truncate(scope);
        let result = self.value(false);
        let plain = self.random.percent(50);
        self.line(if plain { "return 0;".into() } else { format!("return (void *)(long)({result});") });
        self.close("}");
    }

    fn count(&mut self, asserts: bool) {
        let value = "«a2 __sync_add_and_fetch¦&count¦1»";
        if asserts && self.random.percent(50) {
            let number = 1 + self.random.below(5);
            return self.line(format!("assert({value} != {number});"));
        }
        self.line(format!("{value};"));
    }

    /// The assertion at the end of `main`: about what the threads did, if that can be seen.
    fn last_assertion(&mut self, has_cells: bool) {
        if self.counts && self.random.percent(60) {
            let number = self.random.below(5);
            return self.line(format!("assert(«r count» != {number});"));
        }
        if has_cells && self.random.percent(60) {
            let (index, value) = (self.random.below(3), self.random.below(3));
            let op = *self.random.pick(&["!=", "=="]);
            return self.line(format!("assert(«r cells[{index}]» {op} {value});"));
        }
        self.assertions = 1;
        self.assertion();
    }

    fn child(&mut self, worker: usize) {
        self.line("pthread_t child = 0;");
        self.line(format!("pthread_create(&child, 0, w{worker}, 0);"));
        if self.random.percent(60) {
            self.write_shared();
            self.line("pthread_join(child, 0);");
            self.write_shared();
        }
    }

    pub fn main(&mut self, workers: &[Argument]) {
        self.open("int main(void) {");
        self.locals.clear();
        self.feature_start();
        self.local("x", "0");
        if self.random.percent(30) {
            self.statement(1);
        }
        self.assertions = self.random.below(2);
        let mut left = *self.random.pick(&[1, 2, 2, 3]);
        let mut created = vec![];
        for (index, argument) in workers.iter().enumerate() {
            let turns = if index + 1 == workers.len() { left } else { left.min(1) };
            left -= turns.min(left);
            if turns > 0 {
                created.push(self.create(index, *argument, turns));
            }
            if self.random.percent(40) {
                self.statement(2);
            }
        }
        for it in created {
            self.join(&it);
        }
        if self.random.percent(50) {
            self.statement(2);
        }
        self.last_assertion(workers.contains(&Argument::Element));
        let ends = ["exit(0);", "_exit(0);", "_Exit(0);", "quick_exit(0);", "abort();"];
        let end = if self.random.percent(10) { *self.random.pick(&ends) } else { "return 0;" };
        self.line(end);
        self.close("}");
    }

    /// Creates as many threads as there are turns.
    fn create(&mut self, worker: usize, argument: Argument, turns: usize) -> Created {
        let handle = self.fresh("t");
        let is_array = self.random.percent(70);
        self.line(if is_array {
            format!("pthread_t {handle}[4] = {{ 0 }};")
        } else {
            format!("pthread_t {handle} = 0;")
        });
        let sections = self.has(Feature::SectionThreads) && self.random.percent(60);
        if sections {
            self.line("__VERIFIER_atomic_begin();");
        }
        let mut indices = if turns == 1 && self.random.percent(50) {
            self.create_one(
                worker,
                argument,
                &if is_array { format!("{handle}[0]") } else { handle.clone() },
                "0",
            );
            vec![0]
        } else {
            let it = self.shape(turns);
            it.before.iter().for_each(|line| self.line(line));
            it.heads.iter().for_each(|line| self.open(line));
            let place = if is_array { format!("{handle}[{}]", it.index) } else { handle.clone() };
            self.create_one(worker, argument, &place, &it.index);
            it.steps.iter().for_each(|line| self.line(line));
            self.close(&it.end);
            (1..it.heads.len()).for_each(|_| self.close("}"));
            it.after.iter().for_each(|line| self.line(line));
            it.turns
        };
        if sections {
            if self.random.percent(30) {
                self.join(&Created { handle: handle.clone(), is_array, indices });
                indices = vec![];
            }
            self.line("__VERIFIER_atomic_end();");
        }
        Created { handle, is_array, indices }
    }

    fn create_one(&mut self, worker: usize, argument: Argument, handle: &str, index: &str) {
        let name = self.fresh("p");
        let (before, value) = match (argument, self.random.below(3)) {
            (Argument::Nothing, _) => (vec![], "0".to_string()),
            (Argument::Number, 0) => (vec![], format!("(void *)(long)({index})")),
            (Argument::Number, _) => (vec![format!("long {name} = {index};")], format!("(void *){name}")),
            (Argument::Element, 0) => (vec![], format!("&cells[{index}]")),
            (Argument::Element, 1) => (vec![], format!("cells + ({index})")),
            (Argument::Element, _) => (vec![format!("cell *{name} = &cells[{index}];")], name),
            (Argument::Box, _) => {
                // On one line: the shrinker leaves nothing without a value.
                let line = format!(
                    "struct box *{name} = malloc(sizeof *{name}); {name}->v = {index}; {name}->p = 0;"
                );
                (vec![line], name)
            }
        };
        before.iter().for_each(|line| self.line(line));
        self.line(format!("pthread_create(&{handle}, 0, w{worker}, {value});"));
    }

    /// One of many ways to write a loop of this many turns.
    fn shape(&mut self, n: usize) -> Loop {
        let (i, j) = (self.fresh("i"), self.fresh("j"));
        let types =
            ["int", "int", "unsigned char", "signed char", "short", "unsigned", "long", "unsigned long"];
        let ty = *self.random.pick(&types);
        let plain = |head: String, index: &str| Loop {
            before: vec![],
            heads: vec![head + " {"],
            steps: vec![],
            end: "}".into(),
            after: vec![],
            index: index.into(),
            turns: (0..n).collect(),
        };
        let declared = |lines: &[String], it: Loop| Loop { before: lines.to_vec(), ..it };
        let first = self.random.below(8);
        match self.random.below(25) {
            0 => plain(format!("for ({ty} {i} = 0; {i} <= {}; {i}++)", n - 1), &i),
            1 => plain(format!("for ({ty} {i} = 0; {i} != {n}; {i}++)"), &i),
            2 => plain(format!("for ({ty} {i} = {n}; {i} > 0; {i}--)"), &format!("{i} - 1")),
            3 => plain(format!("for ({ty} {i} = {n}; {i}-- > 0;)"), &i),
            4 => plain(format!("for ({ty} {i} = 0; {i} < {}; {i} += 2)", 2 * n), &format!("{i} / 2")),
            5 => {
                let lines = [format!("{ty} {i} = {first};"), format!("{i} = 0;")];
                declared(&lines, plain(format!("for (; {i} < {n}; {i}++)"), &i))
            }
            6 => {
                let lines = [format!("{ty} {i} = {first};")];
                declared(&lines, plain(format!("if ({i} = 0, 1) for (; {i} < {n}; {i}++)"), &i))
            }
            7 => Loop {
                before: vec![format!("{ty} {i} = 0;")],
                steps: vec![format!("{i}++;")],
                ..plain(format!("while ({i} < {n})"), &i)
            },
            8 => Loop {
                before: vec![format!("{ty} {i} = 0;")],
                heads: vec!["do {".into()],
                end: format!("}} while (++{i} < {n});"),
                ..plain(String::new(), &i)
            },
            9 => plain(
                format!("for (unsigned char {i} = 255; {i} != {}; {i}++)", n - 1),
                &format!("(unsigned char)({i} + 1)"),
            ),
            10 => plain(format!("for ({ty} {i} = 0; (unsigned char){i} < {n}; {i}++)"), &i),
            11 => plain(format!("for (signed char {i} = -{n}; {i} < 0; {i}++)"), &format!("{i} + {n}")),
            12 => {
                let lines = [format!("int {j} = {first};"), format!("{j} = {n};")];
                declared(&lines, plain(format!("for ({ty} {i} = 0; {i} < {j}; {i}++)"), &i))
            }
            13 => Loop {
                heads: vec![
                    format!("for ({ty} {j} = 0; {j} < {n}; {j}++) {{"),
                    format!("for (int {i} = 0; {i} < 1; {i}++) {{"),
                ],
                ..plain(String::new(), &format!("{j} + {i}"))
            },
            14 => Loop {
                before: vec![format!("{ty} {i} = 0;")],
                heads: vec![
                    format!("for (int {j} = 0; {j} < 2; {j}++) {{"),
                    format!("for (; {i} < {n}; {i}++) {{"),
                ],
                ..plain(String::new(), &i)
            },
            15 => Loop {
                before: vec![],
                heads: vec![format!("for ({ty} {i} = 0; {i} < {}; {i}++) {{ if ({i} == 1) continue;", n + 1)],
                turns: (0..=n).filter(|it| *it != 1).collect(),
                ..plain(String::new(), &i)
            },
            16 => Loop {
                heads: vec![format!("for ({ty} {i} = 0;; {i}++) {{ if ({i} == {n}) break;")],
                ..plain(String::new(), &i)
            },
            17 => Loop {
                before: vec![format!("{ty} {i} = 0;"), format!("again{i}:;")],
                heads: vec!["{".into()],
                after: vec![format!("if (++{i} < {n}) goto again{i};")],
                ..plain(String::new(), &i)
            },
            18 => Loop {
                turns: vec![],
                ..plain(format!("for (unsigned char {i} = 254; {i} < 257; {i}++)"), &format!("({i} & 1)"))
            },
            19 => plain(format!("for ({ty} {i} = 0, {j} = 5; {i} < {n}; {i}++, {j}--)"), &i),
            20 => declared(&[format!("{ty} {i} = {n};")], plain(format!("while ({i}--)"), &i)),
            21 => Loop {
                before: vec![format!("{ty} {i} = 0;")],
                heads: vec!["while («? 1¦(sv_step(), 1)») {".into(), format!("for (; {i} < {n}; {i}++) {{")],
                turns: vec![],
                ..plain(String::new(), &i)
            },
            22 => Loop {
                steps: vec![format!("{i}++;")],
                ..plain(format!("for ({ty} {i} = 0; {i} < {}; {i}++)", 2 * n), &format!("{i} / 2"))
            },
            23 => plain(
                format!("for ({ty} {i} = {first}; {i} < {}; {i}++)", first + n),
                &format!("{i} - {first}"),
            ),
            _ => plain(format!("for ({ty} {i} = 0; {i} < {n}; {i}++)"), &i),
        }
    }

    fn join(&mut self, created: &Created) {
        let Created { handle, is_array, indices } = created;
        if indices.is_empty() || self.random.percent(15) {
            return;
        }
        if !is_array {
            let word = if self.has(Feature::Detach) && self.random.percent(50) { "detach" } else { "join" };
            let rest = if word == "join" { ", 0" } else { "" };
            return self.line(format!("pthread_{word}({handle}{rest});"));
        }
        let count = indices.len();
        let is_dense = indices.iter().copied().eq(0..count);
        match self.random.below(5) {
            0 | 1 if is_dense => {
                let it = self.shape(count);
                if !it.turns.iter().copied().eq(0..count) {
                    return;
                }
                it.before.iter().for_each(|line| self.line(line));
                it.heads.iter().for_each(|line| self.open(line));
                self.line(format!("pthread_join({handle}[{}], 0);", it.index));
                it.steps.iter().for_each(|line| self.line(line));
                self.close(&it.end);
                (1..it.heads.len()).for_each(|_| self.close("}"));
                it.after.iter().for_each(|line| self.line(line));
            }
            2 => {
                let last = indices[count - 1];
                let result = self.fresh("r");
                self.line(format!("void *{result} = 0;"));
                self.line(format!("pthread_join({handle}[{last}], &{result});"));
                let cell = self.shared_cell();
                self.line(format!("{};", cell.write(&format!("(long){result}"))));
            }
            3 => indices
                .iter()
                .rev()
                .for_each(|index| self.line(format!("pthread_join({handle}[{index}], 0);"))),
            _ => indices.iter().for_each(|index| self.line(format!("pthread_join({handle}[{index}], 0);"))),
        }
    }
}
