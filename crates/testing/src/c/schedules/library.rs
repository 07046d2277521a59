//! Statements that call the library and external functions, on memory that no other thread uses; what comes
//! of them is stored.

use super::maker::Maker;

impl Maker {
    /// Stores a value where others see it.
    pub fn store(&mut self, value: &str) {
        let cell = self.shared_cell();
        self.line(format!("{};", cell.write(value)));
    }

    pub fn heap(&mut self) {
        let (p, i) = (self.fresh("p"), self.fresh("i"));
        match self.random.below(3) {
            0 => {
                self.line(format!("unsigned char *{p} = malloc(2);"));
                let first = self.random.below(8);
                self.line(format!("int {i} = {first};"));
                let fill = "«? __VERIFIER_nondet_uchar()¦0»";
                self.line(format!("for ({i} = 0; {i} < 2; {i}++) {p}[{i}] = {fill};"));
                self.store(&i);
            }
            1 => {
                let (a, b) = (self.small(true), self.small(true));
                self.line(format!("int *{p} = malloc(2 * sizeof(int)); {p}[0] = {a}; {p}[1] = {b};"));
                let index = self.value(false);
                self.store(&format!("{p}[({index}) & 1]"));
            }
            _ => {
                let value = self.small(true);
                self.line(format!(
                    "struct {{ char c; short s; }} *{p} = malloc(4); {p}->c = 1; {p}->s = {value};"
                ));
                self.store(&format!("{p}->s + {p}->c"));
            }
        }
        if self.random.percent(70) {
            self.line(format!("free({p});"));
        }
    }

    pub fn strings(&mut self) {
        let (b, p) = (self.fresh("b"), self.fresh("p"));
        self.line(format!("char {b}[4] = \"abc\";"));
        let call = match self.random.below(8) {
            0 => format!("strstr({b}, \"b\")"),
            1 => format!("(char *)memchr({b}, 'c', 3)"),
            2 => format!("strchr({b}, 'b')"),
            3 => format!("strrchr({b}, 'c')"),
            4 => format!("strpbrk({b}, \"cb\")"),
            5 => return self.store(&format!("strlen({b}) + (strcmp({b}, \"abd\") < 0)")),
            6 => {
                self.line(format!("memmove({b} + 1, {b}, 2);"));
                return self.store(&format!("{b}[2] - 'a'"));
            }
            _ => return self.store(&format!("strspn({b}, \"ab\") + strcspn({b}, \"c\")")),
        };
        self.line(format!("char *{p} = {call};"));
        self.line(format!("if ({p}) *{p} = 'a';"));
        let index = self.random.below(3);
        self.store(&format!("{b}[{index}] - 'a'"));
    }

    pub fn bytes(&mut self) {
        let s = self.fresh("s");
        self.line(format!("unsigned short {s} = 0x0102;"));
        match self.random.below(4) {
            0 => self.line(format!("memmove((char *)&{s}, (char *)&{s} + 1, 1);")),
            1 => self.line(format!("memcpy((char *)&{s} + 1, (char *)&{s}, 1);")),
            2 => self.line(format!("*((char *)&{s} + 1) = 0;")),
            _ => self.line(format!("memset(&{s}, 1, 1);")),
        }
        let shift = 8 * self.random.below(2);
        self.store(&format!("({s} >> {shift}) & 255"));
    }

    pub fn compare_function(&mut self) {
        let cell = self.shared_cell();
        let mark = cell.write(&format!("{}", 1 + self.random.below(3)));
        self.name("order");
        self.line(format!(
            "static int order(const void *x, const void *y) {{ {mark}; return *(const char *)x - *(const char *)y; }}"
        ));
    }

    pub fn sort(&mut self) {
        let b = self.fresh("b");
        self.line(format!("char {b}[2] = {{ 2, 1 }};"));
        if self.random.percent(60) {
            self.line(format!("qsort({b}, 2, 1, order);"));
            let index = self.random.below(2);
            self.store(&format!("{b}[{index}]"));
        } else {
            let (key, found) = (self.fresh("k"), self.fresh("p"));
            self.line(format!("char {key} = 2;"));
            self.line(format!("char *{found} = bsearch(&{key}, {b}, 1, 1, order);"));
            self.store(&format!("{found} ? *{found} : 3"));
        }
    }

    pub fn numbers(&mut self) {
        let (text, end) = (*self.random.pick(&["1", "2x", "03", "-1", "0x2", "q"]), self.fresh("end"));
        match self.random.below(9) {
            0 | 1 => {
                let value = self.fresh("v");
                self.line(format!("char *{end} = 0;"));
                let radix = *self.random.pick(&[0, 10]);
                self.line(format!("long {value} = strtol(\"{text}\", &{end}, {radix});"));
                self.store(&format!("{value} + (*{end} == 'x')"));
            }
            2 => self.store(&format!("atoi(\"{text}\")")),
            3 => self.store(&format!("(isdigit('{}') != 0)", &text[..1])),
            4 => self.store(&format!("(toupper('{}') == 'Q')", &text[..1])),
            5 => self.store("abs(-2)"),
            6 => self.store("ffs(4)"),
            7 => {
                let value = self.small(true);
                self.line(format!("div_t {end} = div(7, 1 + (({value}) & 1));"));
                self.store(&format!("{end}.quot + {end}.rem"));
            }
            _ => {
                let value = self.value(false);
                self.store(&format!("(isalpha('0' + (({value}) & 3)) != 0)"));
            }
        }
    }

    pub fn print(&mut self) {
        let n = self.fresh("n");
        if self.random.percent(50) {
            self.line(format!("int {n} = 0;"));
            let value = self.value(false);
            self.line(format!("printf(\"%d%n.\", ({value}) & 1, &{n});"));
        } else {
            self.line(format!("int {n} = printf(\"%s\", \"ab\");"));
        }
        self.store(&n);
    }

    /// Inputs: any value of a small range, in both texts.
    pub fn time(&mut self) {
        let t = self.fresh("t");
        match self.random.below(3) {
            0 => {
                self.line(format!("unsigned {t} = 7;"));
                self.line(format!("«? rand_r(&{t}); __VERIFIER_assume({t} <= 1);¦{t} = sv_choose(2);»"));
            }
            1 => {
                self.line(format!("time_t {t} = 5;"));
                self.line(format!("«? time(&{t}); __VERIFIER_assume({t} >= 0 && {t} <= 1);¦time(&{t});»"));
            }
            _ => {
                self.line(format!("int {t} = 5;"));
                self.line(format!("«? {t} = rand(); __VERIFIER_assume({t} <= 1);¦{t} = sv_choose(2);»"));
            }
        }
        self.store(&t);
    }

    pub fn external_declarations(&mut self) {
        for name in ["fill", "nondet_fill", "trap", "die", "_assert"] {
            self.name(name);
        }
        self.line("«? extern void fill(unsigned char *);¦»");
        self.line("«? extern void nondet_fill(unsigned char *);¦»");
        self.line("«? extern void trap(void);¦static void trap(void) {}»");
        self.line(
            "«? extern void die(void) __attribute__((noreturn));¦static void die(void) { sv_stop(); }»",
        );
        let cell = self.shared_cell();
        self.line(format!("static void _assert(int n) {{ {}; }}", cell.write("n")));
    }

    pub fn external(&mut self) {
        let b = self.fresh("b");
        self.line(format!("unsigned char {b}[2] = {{ 2, 2 }};"));
        let call = match self.random.below(3) {
            0 => format!("fill(&{b}[1])"),
            1 => format!("nondet_fill({b})"),
            _ => format!("fill({b})"),
        };
        self.line(format!("«? {call}; __VERIFIER_assume({b}[0] <= 1 && {b}[1] <= 1);¦sv_fill({b}, 2, 2);»"));
        let value = *self.random.pick(&["0", "1"]);
        self.store(&format!("{b}[{value}]"));
    }

    /// Functions whose names have a meaning elsewhere.
    pub fn names(&mut self) {
        match self.random.below(3) {
            0 => {
                let value = self.small(true);
                self.line(format!("_assert({value});"));
            }
            1 => self.line("trap();"),
            _ => {
                let condition = self.condition(true);
                self.line(format!("if {condition} die();"));
            }
        }
    }
}
