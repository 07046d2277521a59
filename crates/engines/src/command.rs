//! Guarded commands: what a thread of a flat program may do at a location, with every construct of the
//! language spelled out as conditions and assignments. The engines that execute or encode programs work on
//! these; they agree step by step with [`ir::bp::Machine`].

use base::Id;
use ir::bp::{
    ExprId, Exprs, Init, Loc, LocalId, Location, Op, ProcId, Program, Read, Role, Spawn, Var, When, Whose,
};
use ir::{Reason, ReasonKind};

/// What a command does to the atomic section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// Nothing.
    Keep,
    /// The thread is inside afterwards.
    Enter,
    /// The thread is outside afterwards.
    Leave,
    /// The thread is inside afterwards if the atomic variable is 1 then.
    Follow,
}

impl Section {
    /// Whether the thread is inside afterwards; `None` if the atomic variable says so.
    pub fn side(self, inside: bool) -> Option<bool> {
        match self {
            Section::Keep => Some(inside),
            Section::Enter => Some(true),
            Section::Leave => Some(false),
            Section::Follow => None,
        }
    }
}

/// A thread that a command creates: at this location, each local in scope there with a value that its
/// expression may have in the creator's old state. All other locals are 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// Where it begins.
    pub at: Loc,
    /// Its locals, in order.
    pub values: Vec<(LocalId, ExprId)>,
}

/// One way to step from a location. New values (`When::Next`) are read only of variables that the command
/// assigns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The statement.
    pub from: Loc,
    /// Where control goes; `None` if the thread ends.
    pub to: Option<Loc>,
    /// Each must hold for some choice of its own `*`; over old and new values of the active thread.
    pub requires: Vec<ExprId>,
    /// Must hold for each passive thread that has all copies it speaks of; if there is none, for some values
    /// of the copies.
    pub asks: Option<ExprId>,
    /// The active thread's and the shared targets; right sides are read in the old state.
    pub assign: Vec<(Var, ExprId)>,
    /// What each passive thread's local becomes, where it is in scope.
    pub broadcast: Vec<(LocalId, ExprId)>,
    /// The atomic section.
    pub section: Section,
    /// The thread created; below the bound only.
    pub child: Option<Child>,
}

/// One of the commands at a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CommandId {
    /// The statement.
    pub loc: Loc,
    /// Which of its commands.
    pub index: usize,
}

/// The commands of a flat program.
#[derive(Clone, Debug)]
pub struct Commands {
    exprs: Exprs,
    at: Vec<Vec<Command>>,
    fresh: Vec<Option<Child>>,
}

impl Commands {
    /// The commands of a program without calls, or why there are none.
    pub fn new(program: &Program) -> Result<Commands, Reason> {
        require_flat(program)?;
        let mut translator = Translator { program, exprs: program.exprs().clone() };
        let at = program.locations().enumerate().map(|(loc, it)| translator.location(loc, it)).collect();
        let roots = program.roots();
        let fresh = program.procedures().ids().map(|id| roots.contains(&id).then(|| translator.fresh(id)));
        let fresh = fresh.collect();
        Ok(Commands { exprs: translator.exprs, at, fresh })
    }

    /// The same with locks as the paper on thread states prints them: `lock` asks and sets the thread's own
    /// bit alone, and nobody sees that it is taken. What keeps two threads from holding it is then up to the
    /// engine.
    pub fn without_taken_bits(mut self, program: &Program) -> Commands {
        for (loc, location) in program.locations().enumerate() {
            let (Op::Lock(id) | Op::Unlock(id)) = location.op else { continue };
            let lock = &program.locks()[id];
            let (owner, taken) =
                (self.exprs.var(Var::Local(lock.owner)), self.exprs.var(Var::Shared(lock.taken)));
            let (free, unowned) = (self.exprs.not(taken), self.exprs.not(owner));
            for command in &mut self.at[loc.index()] {
                command.assign.retain(|it| it.0 != Var::Shared(lock.taken));
                command.requires.iter_mut().filter(|e| **e == free).for_each(|e| *e = unowned);
            }
        }
        self
    }

    /// The pool of the commands' expressions: the program's, and the negations and shifted copies made here.
    pub fn exprs(&self) -> &Exprs {
        &self.exprs
    }

    /// The commands at a location.
    pub fn at(&self, loc: Loc) -> &[Command] {
        &self.at[loc.index()]
    }

    /// A thread that is there from the start, in a procedure that threads begin in.
    pub fn fresh(&self, procedure: ProcId) -> &Child {
        self.fresh[procedure.index()].as_ref().expect("threads begin in the procedure")
    }
}

/// Whether a program has commands, or why not.
pub fn require_flat(program: &Program) -> Result<(), Reason> {
    let call = program.locations().iter().find_map(|location| match location.op {
        Op::Call { procedure, .. } => Some(procedure),
        _ => None,
    });
    let Some(called) = call else { return Ok(()) };
    let name = |id: ProcId| &program.procedures()[id].name;
    let message = match program.recursive_procedure() {
        Some(id) => format!("`{}` is recursive, which this engine does not support", name(id)),
        None => format!("`{}` is called and was not inlined", name(called)),
    };
    Err(Reason::new(ReasonKind::Unsupported, message))
}

struct Translator<'p> {
    program: &'p Program,
    exprs: Exprs,
}

impl Translator<'_> {
    fn location(&mut self, loc: Loc, location: &Location) -> Vec<Command> {
        let mut commands = self.operation(loc, location);
        for command in &mut commands {
            self.complete(location, command);
        }
        commands
    }

    /// The commands without `enforce`, new values as the program writes them.
    fn operation(&mut self, loc: Loc, location: &Location) -> Vec<Command> {
        let plain = plain(loc, Some(location.next));
        match &location.op {
            Op::Skip | Op::Assert(_) => vec![plain],
            Op::Goto(targets) => {
                let mut targets = targets.clone();
                targets.sort();
                targets.dedup();
                targets.into_iter().map(|to| Command { to: Some(to), ..plain.clone() }).collect()
            }
            Op::Branch { cond, target } => {
                let jump = Command { to: Some(*target), requires: vec![*cond], ..plain.clone() };
                vec![jump, Command { requires: vec![self.exprs.not(*cond)], ..plain }]
            }
            Op::Assume(e) => vec![self.condition(plain, *e)],
            Op::Assign { targets, broadcast, constrain } => {
                let (assign, broadcast) = (targets.clone(), broadcast.clone());
                let atomic = self.program.atomic_variable().map(Var::Shared);
                let follows = assign.iter().any(|&(var, _)| Some(var) == atomic);
                let section = if follows { Section::Follow } else { Section::Keep };
                let command = Command { assign, broadcast, section, ..plain };
                vec![match constrain {
                    Some(e) => self.condition(command, *e),
                    None => command,
                }]
            }
            Op::Start(spawn) => vec![Command { child: Some(self.child(spawn)), ..plain }],
            // A call was refused above; in a flat program a return ends the thread.
            Op::Call { .. } | Op::Return(_) | Op::End => vec![Command { to: None, ..plain }],
            Op::AtomicBegin => vec![Command { section: Section::Enter, ..plain }],
            Op::AtomicEnd => vec![Command { section: Section::Leave, ..plain }],
            Op::Lock(id) => {
                let lock = &self.program.locks()[*id];
                let taken = self.exprs.var(Var::Shared(lock.taken));
                let free = self.exprs.not(taken);
                vec![self.hold(*id, free, plain, true)]
            }
            Op::Unlock(id) => {
                let owner = self.exprs.var(Var::Local(self.program.locks()[*id].owner));
                vec![self.hold(*id, owner, plain, false)]
            }
        }
    }

    fn hold(&mut self, id: ir::bp::LockId, requires: ExprId, plain: Command, value: bool) -> Command {
        let lock = &self.program.locks()[id];
        let value = self.exprs.constant(value);
        let assign = vec![(Var::Shared(lock.taken), value), (Var::Local(lock.owner), value)];
        Command { requires: vec![requires], assign, ..plain }
    }

    fn condition(&self, command: Command, e: ExprId) -> Command {
        if self.exprs.mentions_passive(e) {
            Command { asks: Some(e), ..command }
        } else {
            Command { requires: vec![e], ..command }
        }
    }

    /// Adds `enforce` of both ends, and turns new values of what is not assigned into old ones.
    fn complete(&mut self, location: &Location, command: &mut Command) {
        command.requires.extend(location.enforce);
        if let Some(after) = command.to.and_then(|to| self.program.at(to).enforce) {
            command.requires.push(self.exprs.map_reads(after, |read| Read { when: When::Next, ..read }));
        }
        let assigns = |read: Read| match (read.whose, read.var) {
            (Whose::Own, var) => command.assign.iter().any(|&(it, _)| it == var),
            (Whose::Passive, Var::Local(local)) => command.broadcast.iter().any(|&(it, _)| it == local),
            (Whose::Passive, Var::Shared(_)) => false,
        };
        let resolve = |read: Read| if assigns(read) { read } else { Read { when: When::Now, ..read } };
        let requires = command.requires.iter().map(|&e| self.exprs.map_reads(e, resolve)).collect();
        let asks = command.asks.map(|e| self.exprs.map_reads(e, resolve));
        (command.requires, command.asks) = (requires, asks);
    }

    fn child(&mut self, spawn: &Spawn) -> Child {
        match spawn {
            Spawn::Clone(at) => {
                let values = self.in_scope(*at).into_iter().map(|local| {
                    let plain = self.program.locals()[local].role == Role::Plain;
                    let copy = self.exprs.var(Var::Local(local));
                    (local, if plain { copy } else { self.exprs.constant(false) })
                });
                Child { at: *at, values: values.collect() }
            }
            Spawn::Call(procedure, args) => {
                let mut child = self.fresh(*procedure);
                let params = &self.program.procedures()[*procedure].params;
                for (local, value) in &mut child.values {
                    if let Some(index) = params.iter().position(|param| param == local) {
                        *value = args[index];
                    }
                }
                child
            }
        }
    }

    fn fresh(&mut self, procedure: ProcId) -> Child {
        let at = self.program.procedures()[procedure].entry;
        let values = self.in_scope(at).into_iter().map(|local| {
            let value = match self.program.locals()[local].init {
                Init::Fixed(value) => self.exprs.constant(value),
                Init::Any => self.exprs.choice(),
            };
            (local, value)
        });
        Child { at, values: values.collect() }
    }

    fn in_scope(&self, at: Loc) -> Vec<LocalId> {
        self.program.locals().ids().filter(|&local| self.program.in_scope(at, local)).collect()
    }
}

fn plain(from: Loc, to: Option<Loc>) -> Command {
    Command {
        from,
        to,
        requires: vec![],
        asks: None,
        assign: vec![],
        broadcast: vec![],
        section: Section::Keep,
        child: None,
    }
}
