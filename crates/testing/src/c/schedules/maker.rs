//! What a program is made with: its text, the variables in scope, and expressions over them.

use super::features::Feature;
use super::twin::Twin;
use base::Random;

/// A type of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Uchar,
    Schar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
}

impl Kind {
    const ALL: &[Kind] = &[
        Kind::Bool,
        Kind::Uchar,
        Kind::Uchar,
        Kind::Schar,
        Kind::Short,
        Kind::Ushort,
        Kind::Int,
        Kind::Int,
        Kind::Uint,
        Kind::Long,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "_Bool",
            Kind::Uchar => "unsigned char",
            Kind::Schar => "signed char",
            Kind::Short => "short",
            Kind::Ushort => "unsigned short",
            Kind::Int => "int",
            Kind::Uint => "unsigned",
            Kind::Long => "long",
        }
    }
}

/// Something that can be read and written.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// How it is written in C.
    pub place: String,
    pub kind: Kind,
    pub shared: bool,
    pub atomic: bool,
}

impl Cell {
    /// Its value.
    pub fn read(&self) -> String {
        if self.shared { format!("«r {}»", self.place) } else { self.place.clone() }
    }

    /// An expression that writes it.
    pub fn write(&self, value: &str) -> String {
        if self.shared {
            format!("«w {}¦{value}»", self.place)
        } else {
            format!("{} = {value}", self.place)
        }
    }
}

/// Makes one program.
pub(super) struct Maker {
    pub random: Random,
    pub features: Vec<Feature>,
    lines: Vec<String>,
    depth: usize,
    names: Vec<String>,
    fresh: usize,
    pub shared: Vec<Cell>,
    pub locals: Vec<Cell>,
    /// Functions from `int` to `int`.
    pub functions: Vec<String>,
    /// Whether the thread may end here: not in `main`, whose locals others use.
    pub may_end: bool,
    /// Whether the thread holds a lock or is in a section, so that it should not wait.
    pub holds: bool,
    /// Whether threads count themselves in `count`: so it is seen how many there are.
    pub counts: bool,
    /// How many more assertions there may be: with many, one fails in most programs, and the others say
    /// nothing.
    pub assertions: usize,
    /// Which object is made and destroyed.
    pub lifetime: usize,
}

impl Maker {
    pub fn new(seed: u64) -> Maker {
        let mut random = Random::new(seed);
        let count = 2 + random.below(3);
        let features = (0..count).map(|_| *random.pick(Feature::ALL)).collect();
        let counts = random.percent(35);
        Maker {
            random,
            features,
            counts,
            lines: vec![],
            depth: 0,
            names: vec![],
            fresh: 0,
            shared: vec![],
            locals: vec![],
            functions: vec![],
            may_end: false,
            holds: false,
            assertions: 0,
            lifetime: 0,
        }
    }

    pub fn finish(self) -> Twin {
        Twin { lines: self.lines, names: self.names }
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        self.lines.push("    ".repeat(self.depth) + line.as_ref());
    }

    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    pub fn reopen(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.depth += 1;
    }

    /// A name at file scope.
    pub fn name(&mut self, name: impl Into<String>) -> String {
        let name = name.into();
        if !self.names.contains(&name) {
            self.names.push(name.clone());
        }
        name
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    pub fn kind(&mut self) -> Kind {
        *self.random.pick(Kind::ALL)
    }

    /// A global variable without initialiser.
    pub fn global(&mut self, ty: &str, name: &str, initial: &str) {
        let name = self.name(name);
        self.line(format!("{ty} {name} «g»{initial};"));
    }

    /// The shared variables that there always are.
    pub fn globals(&mut self) {
        for index in 0..2 + self.random.below(2) {
            let kind = self.kind();
            let first =
                if self.random.percent(70) { String::new() } else { format!(" = {}", self.random.below(3)) };
            let name = format!("g{index}");
            self.global(kind.name(), &name, &first);
            self.shared.push(Cell { place: name, kind, shared: true, atomic: false });
        }
        if self.random.percent(40) {
            let kind = self.kind();
            self.global(kind.name(), "a[3]", "");
            self.names.retain(|name| name != "a[3]");
            self.name("a");
            for index in 0..3 {
                self.shared.push(Cell { place: format!("a[{index}]"), kind, shared: true, atomic: false });
            }
        }
        if self.counts {
            self.global("unsigned char", "count", "");
        }
        if self.has(Feature::Atomics) {
            self.global("_Atomic unsigned char", "atom", "");
            self.shared.push(Cell { place: "atom".into(), kind: Kind::Uchar, shared: true, atomic: true });
        }
        if self.has(Feature::Pointer) {
            self.global("unsigned char", "target", "");
            self.global("unsigned char *", "pointer", " = &target");
            self.shared.push(Cell { place: "target".into(), kind: Kind::Uchar, shared: true, atomic: false });
        }
        self.feature_globals();
    }

    pub fn shared_cell(&mut self) -> Cell {
        self.random.pick(&self.shared).clone()
    }

    /// A local variable, declared here.
    pub fn local(&mut self, stem: &str, initial: &str) -> Cell {
        let kind = self.kind();
        let place = self.fresh(stem);
        self.line(format!("{} {place} = {initial};", kind.name()));
        let cell = Cell { place, kind, shared: false, atomic: false };
        self.locals.push(cell.clone());
        cell
    }

    fn leaf(&mut self, shared: bool) -> String {
        match self.random.below(5) {
            0 | 1 if shared => self.shared_cell().read(),
            2 | 3 if !self.locals.is_empty() => self.random.pick(&self.locals).place.clone(),
            _ => self.random.below(4).to_string(),
        }
    }

    /// A value; `shared` says whether it may have an access to shared memory, or a call of a function that
    /// has.
    pub fn value(&mut self, shared: bool) -> String {
        self.value_of_depth(2, shared)
    }

    fn value_of_depth(&mut self, depth: usize, shared: bool) -> String {
        if depth == 0 || self.random.percent(35) {
            return self.leaf(shared);
        }
        let here = depth - 1;
        match self.random.below(12) {
            0..=4 => {
                let left = shared && self.random.percent(50);
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^", "<", "=="]);
                let (a, b) = (self.value_of_depth(here, left), self.value_of_depth(here, shared && !left));
                format!("({a} {op} {b})")
            }
            5 => {
                let kind = self.kind();
                format!("({})({})", kind.name(), self.value_of_depth(here, shared))
            }
            6 => {
                let op = *self.random.pick(&["!", "-", "~"]);
                format!("{op}({})", self.value_of_depth(here, shared))
            }
            7 => {
                let (c, a, b) = (self.condition(shared), self.leaf(shared), self.leaf(shared));
                format!("({c} ? {a} : {b})")
            }
            8 => {
                let op = *self.random.pick(&["&&", "||"]);
                format!("({} {op} {})", self.leaf(shared), self.leaf(shared))
            }
            9 => format!("({} >> {})", self.value_of_depth(here, shared), self.random.below(3)),
            10 if shared && !self.functions.is_empty() => {
                let function = self.random.pick(&self.functions).clone();
                format!("{function}({})", self.value_of_depth(here, shared))
            }
            _ => self.leaf(shared),
        }
    }

    pub fn condition(&mut self, shared: bool) -> String {
        let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let left = self.leaf(shared);
        let right = if left.contains('«') { self.leaf(false) } else { self.leaf(shared) };
        format!("({left} {op} {right})")
    }

    /// A value that has few bits, most of the time.
    pub fn small(&mut self, shared: bool) -> String {
        match self.random.below(10) {
            0..=3 => self.random.below(4).to_string(),
            4..=7 => format!("({}) & {}", self.value(shared), 1 + 2 * self.random.below(2)),
            _ => self.value(shared),
        }
    }
}
