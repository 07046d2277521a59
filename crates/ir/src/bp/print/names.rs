//! Names that can be read back. A name of the source is kept wherever that is possible; only passes make
//! programs in which two variables of one name meet, and then the later one gets a number.

use super::super::expr::{ExprId, Var, Whose};
use super::super::program::{LocalId, LocalScope, LockId, Op, ProcId, Program, Role, SharedId};
use base::Id;
use std::collections::{HashMap, HashSet};

/// The names of everything in a program.
pub struct Names {
    shared: Vec<String>,
    locals: Vec<String>,
    procedures: Vec<String>,
    locks: Vec<SharedId>,
    /// Locals that are declared for the thread: by the program, or since an inlined procedure had them.
    thread_local: Vec<bool>,
    /// All names of variables, to tell whether a passive copy can be written with `$`.
    all: HashSet<String>,
    unique: bool,
}

impl Names {
    /// The names as they are.
    pub fn plain(program: &Program) -> Names {
        let name = |text: &String| text.clone();
        let shared: Vec<String> = program.shared().iter().map(|it| name(&it.name)).collect();
        let locals: Vec<String> = program.locals().iter().map(|it| name(&it.name)).collect();
        Names {
            all: HashSet::new(),
            shared,
            locals,
            procedures: program.procedures().iter().map(|it| name(&it.name)).collect(),
            locks: program.locks().iter().map(|it| it.taken).collect(),
            thread_local: vec![],
            unique: false,
        }
    }

    /// Names that the reader takes for the same things.
    pub fn unique(program: &Program) -> Names {
        let mut names = Names { unique: true, ..Names::plain(program) };
        names.thread_local = thread_locals(program);
        names.separate_procedures();
        names.separate_variables(program);
        names.all = names.shared.iter().chain(&names.locals).cloned().collect();
        names
    }

    /// Whether the names were made to be read back.
    pub fn are_unique(&self) -> bool {
        self.unique
    }

    /// Whether the local is declared for the thread.
    pub fn is_thread_local(&self, local: LocalId) -> bool {
        self.thread_local[local.index()]
    }

    /// A shared variable.
    pub fn shared(&self, id: SharedId) -> String {
        spell(&self.shared[id.index()])
    }

    /// A lock.
    pub fn lock(&self, id: LockId) -> String {
        self.shared(self.locks[id.index()])
    }

    /// A local variable.
    pub fn local(&self, id: LocalId) -> String {
        spell(&self.locals[id.index()])
    }

    /// A variable.
    pub fn var(&self, var: Var) -> String {
        match var {
            Var::Shared(id) => self.shared(id),
            Var::Local(id) => self.local(id),
        }
    }

    /// The passive copy of a local.
    pub fn passive(&self, id: LocalId) -> String {
        let copy = format!("{}$", self.locals[id.index()]);
        if self.all.contains(&copy) { format!("[{}]", self.local(id)) } else { spell(&copy) }
    }

    /// A procedure.
    pub fn procedure(&self, id: ProcId) -> String {
        spell(&self.procedures[id.index()])
    }

    fn separate_procedures(&mut self) {
        let mut taken = HashSet::new();
        for name in &mut self.procedures {
            *name = fresh(&mut taken, name);
        }
    }

    /// Names outside procedures are all different; a local differs from the locals and the outside names that
    /// its procedure uses, and from all locals if another procedure speaks of its passive copies.
    fn separate_variables(&mut self, program: &Program) {
        let mut global = HashSet::new();
        for name in &mut self.shared {
            *name = fresh(&mut global, name);
        }
        for (local, it) in program.locals().enumerate() {
            match it.role {
                Role::Owner(lock) => {
                    self.locals[local.index()] = self.shared[program.locks()[lock].taken.index()].clone();
                }
                Role::Plain if self.thread_local[local.index()] => {
                    self.locals[local.index()] = fresh(&mut global, &it.name);
                }
                Role::Plain => {}
            }
        }
        self.separate_locals(program, &global);
    }

    fn separate_locals(&mut self, program: &Program, global: &HashSet<String>) {
        let uses = Uses::of(program, self);
        let mut everything: HashSet<String> = self.locals.iter().chain(global).cloned().collect();
        let mut taken: HashMap<ProcId, HashSet<String>> = HashMap::new();
        let mut watched: HashSet<&str> = HashSet::new();
        for (local, it) in program.locals().enumerate() {
            let LocalScope::Procedure(procedure) = it.scope else { continue };
            if self.thread_local[local.index()] {
                continue;
            }
            let hides = uses.globals.get(&procedure).is_some_and(|used| used.contains(&it.name));
            let confused = uses.watched.contains(it.name.as_str())
                && (!watched.insert(&it.name) || global.contains(&it.name));
            let mine = taken.entry(procedure).or_default();
            let name = fresh(if hides || confused { &mut everything } else { &mut *mine }, &it.name);
            mine.insert(name.clone());
            self.locals[local.index()] = name;
        }
    }
}

/// Which names procedures use.
struct Uses<'p> {
    /// The names from outside that a procedure speaks of.
    globals: HashMap<ProcId, HashSet<String>>,
    /// The names of locals whose passive copies another procedure speaks of.
    watched: HashSet<&'p str>,
}

impl<'p> Uses<'p> {
    fn of(program: &'p Program, names: &Names) -> Uses<'p> {
        let mut uses = Uses { globals: HashMap::new(), watched: HashSet::new() };
        for location in program.locations().iter() {
            for (var, whose) in variables(program, &location.op, location.enforce) {
                let name = match var {
                    Var::Shared(id) => &names.shared[id.index()],
                    Var::Local(id) if names.thread_local[id.index()] => &names.locals[id.index()],
                    Var::Local(id) => {
                        let local = &program.locals()[id];
                        let elsewhere = local.scope != LocalScope::Procedure(location.procedure);
                        if whose == Whose::Passive && elsewhere {
                            uses.watched.insert(&local.name);
                        }
                        continue;
                    }
                };
                let used = uses.globals.entry(location.procedure).or_default();
                if !used.contains(name) {
                    used.insert(name.clone());
                }
            }
        }
        uses
    }
}

/// The variables that a statement speaks of.
fn variables(program: &Program, op: &Op, enforce: Option<ExprId>) -> Vec<(Var, Whose)> {
    let mut found: Vec<(Var, Whose)> = vec![];
    let mut exprs: Vec<ExprId> = enforce.into_iter().collect();
    match op {
        Op::Branch { cond: e, .. } | Op::Assume(e) | Op::Assert(e) => exprs.push(*e),
        Op::Assign { targets, broadcast, constrain } => {
            found.extend(targets.iter().map(|it| (it.0, Whose::Own)));
            found.extend(broadcast.iter().map(|it| (Var::Local(it.0), Whose::Passive)));
            exprs.extend(
                targets.iter().map(|it| it.1).chain(broadcast.iter().map(|it| it.1)).chain(*constrain),
            );
        }
        Op::Call { args, results, .. } => {
            exprs.extend(args);
            found.extend(results.iter().flatten().map(|&var| (var, Whose::Own)));
        }
        Op::Return(list) | Op::Start(super::Spawn::Call(_, list)) => exprs.extend(list),
        Op::Lock(lock) | Op::Unlock(lock) => {
            found.push((Var::Shared(program.locks()[*lock].taken), Whose::Own))
        }
        _ => {}
    }
    let reads = exprs.into_iter().flat_map(|e| program.exprs().reads(e));
    found.extend(reads.map(|read| (read.var, read.whose)));
    found
}

/// Locals of threads, and locals of procedures that are active inside others.
fn thread_locals(program: &Program) -> Vec<bool> {
    let active: HashSet<ProcId> =
        program.locations().iter().flat_map(|it| it.active.iter().copied()).collect();
    let lives = |scope| match scope {
        LocalScope::Thread => true,
        LocalScope::Procedure(procedure) => active.contains(&procedure),
    };
    program.locals().iter().map(|local| lives(local.scope)).collect()
}

/// The name, with a number if it is taken, and without signs that no name can have.
fn fresh(taken: &mut HashSet<String>, name: &str) -> String {
    let name: String = name.chars().map(|c| if matches!(c, '{' | '}' | '\n') { '_' } else { c }).collect();
    let name = if name.is_empty() { "_empty".to_string() } else { name };
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.expect("there is always another number");
    taken.insert(free.clone());
    free
}

/// The words that no name may be without braces.
const RESERVED: [&str; 30] = [
    "abortif",
    "assert",
    "assume",
    "atomic_begin",
    "atomic_end",
    "begin",
    "bool",
    "constrain",
    "dead",
    "decl",
    "do",
    "else",
    "elsif",
    "end",
    "end_thread",
    "enforce",
    "fi",
    "goto",
    "if",
    "od",
    "return",
    "schoose",
    "skip",
    "start_thread",
    "then",
    "void",
    "while",
    "T",
    "F",
    "_",
];

/// A name as it is written: in braces if it would be read as something else.
fn spell(name: &str) -> String {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let inside = |c: char| c.is_ascii_alphanumeric() || "_$#".contains(c);
    let plain = name.starts_with(start) && name.chars().all(inside) && !RESERVED.contains(&name);
    if plain { name.to_string() } else { format!("{{{name}}}") }
}
