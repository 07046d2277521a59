//! The Boolean program of abstracted commands: a procedure for each template, a block of statements for each
//! control location. A thread that is created gets its first values as arguments. A command that creates a
//! thread and does more is a short atomic section, since a Boolean program cannot do both at once.

mod expressions;

use super::predicates::{Class, Predicates};
use super::statement::{Assignment, Statement, Value, has};
use base::Id;
use c::ProcId as Template;
use expressions::{Names, all_but, assignment, barred, cubes, value};
use ir::bp::{
    Builder, Count, Init, Loc, LocalId, LocalScope, Op, ProcId, Program, SharedId, Spawn, Var, When,
};
use relation::{Command, ControlId, Creation, Outcome, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a program is made of.
pub struct Parts<'a> {
    /// The commands.
    pub relation: &'a Relation,
    /// The predicates.
    pub predicates: &'a Predicates,
    /// The templates that threads begin in.
    pub templates: &'a [Template],
    /// The values of the predicates at the start.
    pub first: &'a [Init],
    /// The statement of each command; none where its guard is impossible.
    pub statements: &'a [Option<Statement>],
}

/// A program, and which of its statements are which commands.
pub struct Built {
    /// The program.
    pub program: Program,
    /// The number of the command that is done when a statement is, in the order of locations.
    pub commands: Vec<Option<usize>>,
    /// Where the statements of each control location begin.
    pub blocks: FxHashMap<ControlId, Loc>,
    /// The predicates that shared variables track.
    pub shared: FxHashMap<SharedId, usize>,
    /// The predicates that variables of threads track.
    pub local: FxHashMap<LocalId, usize>,
}

/// The program; `starts` are where one thread each stands at the start.
pub fn program(parts: &Parts<'_>, starts: &[ControlId]) -> Built {
    let mut layout = Layout::new(parts, starts);
    for &template in parts.templates {
        layout.template(parts, template);
    }
    layout.starters(parts);
    let program = layout.builder.finish().expect("every location, variable and target was made here");
    let commands = program.locations().ids().map(|at| layout.commands.get(&at).copied()).collect();
    let shared = layout.names.shared.iter().map(|(&predicate, &it)| (it, predicate)).collect();
    let local = layout.names.local.iter().map(|(&(_, predicate), &it)| (it, predicate)).collect();
    Built { program, commands, blocks: layout.blocks, shared, local }
}

/// A procedure in the making.
struct Body {
    procedure: ProcId,
    /// Where threads of the template begin.
    entries: Vec<ControlId>,
    /// The predicates whose values they get as arguments, if they are created.
    passed: Vec<usize>,
    /// Which entry is meant, if there are several, as bits.
    which: Vec<LocalId>,
    /// Where the first values of a child are kept between computing and creating, by number of argument.
    kept: Vec<LocalId>,
    /// Whether threads are there from the start.
    starts: bool,
    created: bool,
}

struct Layout {
    builder: Builder,
    names: Names,
    bodies: FxHashMap<Template, Body>,
    /// The block of each control location.
    blocks: FxHashMap<ControlId, Loc>,
    /// Statements that go on to a control location.
    open: Vec<Open>,
    /// Statements after the update of their command: what had a meaning before it has none any more.
    updated: FxHashSet<Loc>,
    /// Which command a statement is.
    commands: FxHashMap<Loc, usize>,
}

/// The statements of a command: the one that creates a thread or else changes something, and the last.
struct CommandStatements {
    done: Loc,
    last: Loc,
}

struct Open {
    at: Loc,
    to: ControlId,
}

impl Layout {
    fn new(parts: &Parts<'_>, starts: &[ControlId]) -> Layout {
        let mut builder = Builder::new();
        let mut names = Names::default();
        for (predicate, about) in parts.predicates.list.iter().enumerate() {
            if about.is_shared {
                let first = if about.class == Class::Shared { parts.first[predicate] } else { Init::Any };
                names.shared.insert(predicate, builder.shared(format!("b{predicate}"), first));
            }
        }
        let mut layout = Layout {
            builder,
            names,
            bodies: FxHashMap::default(),
            blocks: FxHashMap::default(),
            open: vec![],
            updated: FxHashSet::default(),
            commands: FxHashMap::default(),
        };
        for &template in parts.templates {
            let body = layout.declare(parts, template, starts);
            layout.bodies.insert(template, body);
        }
        layout
    }

    fn declare(&mut self, parts: &Parts<'_>, template: Template, starts: &[ControlId]) -> Body {
        let relation = parts.relation;
        let own = |control: &ControlId| relation.controls[*control].template == template;
        let of_commands = relation.commands.iter().filter_map(|it| it.creates.as_ref()).map(|it| it.entry);
        let mut created: Vec<ControlId> = of_commands.filter(own).collect();
        created.sort();
        created.dedup();
        let started: Vec<ControlId> = starts.iter().copied().filter(own).collect();
        let is_created = !created.is_empty() || started.len() > 1;
        let mut entries: Vec<ControlId> = created.into_iter().chain(started.iter().copied()).collect();
        entries.sort();
        entries.dedup();
        let procedure = self.builder.declare(format!("template{}", template.index()), 0);
        let count = parts.predicates.list.len();
        let live = |predicate: usize| entries.iter().any(|&it| parts.predicates.is_live(it, predicate));
        let passed: Vec<usize> =
            if is_created { (0..count).filter(|&it| live(it)).collect() } else { vec![] };
        for predicate in (0..count).filter(|&it| has(parts.relation, parts.predicates, template, it)) {
            let at_start = !is_created && entries.iter().all(|&it| parts.predicates.is_live(it, predicate));
            let init = if at_start { parts.first[predicate] } else { Init::Fixed(false) };
            let local = self.local(procedure, format!("b{predicate}"), init);
            self.names.local.insert((template, predicate), local);
        }
        let bits = entries.len().next_power_of_two().trailing_zeros();
        let which: Vec<LocalId> =
            (0..bits).map(|it| self.local(procedure, format!("entry{it}"), Init::Fixed(false))).collect();
        let arguments =
            passed.iter().map(|&it| self.names.local[&(template, it)]).chain(which.iter().copied());
        self.builder.params(procedure, if is_created { arguments.collect() } else { vec![] });
        Body {
            procedure,
            entries,
            passed,
            which,
            kept: vec![],
            starts: !started.is_empty(),
            created: is_created,
        }
    }

    fn local(&mut self, procedure: ProcId, name: String, init: Init) -> LocalId {
        self.builder.local(name, LocalScope::Procedure(procedure), init)
    }

    /// The body of a template.
    fn template(&mut self, parts: &Parts<'_>, template: Template) {
        let procedure = self.bodies[&template].procedure;
        self.builder.begin(procedure);
        let entries = self.bodies[&template].entries.clone();
        if entries.len() > 1 {
            self.dispatch(template, &entries);
        }
        let controls = parts.relation.controls.enumerate().filter(|(_, it)| it.template == template);
        let mut controls: Vec<ControlId> = controls.map(|(id, _)| id).collect();
        controls.sort_by_key(|it| (entries.len() == 1 && *it != entries[0], *it));
        let mut places = vec![];
        for control in controls {
            self.blocks.insert(control, self.builder.here());
            let begin = self.builder.here();
            self.control(parts, template, control);
            places.push((begin, self.builder.here(), control));
        }
        self.builder.end(procedure, None);
        for Open { at, to } in std::mem::take(&mut self.open) {
            let target = self.blocks[&to];
            let location = self.builder.at(at);
            location.next = target;
        }
        self.mark_dead(parts, template, &places);
    }

    /// Leads a new thread to the entry that its arguments name.
    fn dispatch(&mut self, template: Template, entries: &[ControlId]) {
        let (procedure, which) = (self.bodies[&template].procedure, self.bodies[&template].which.clone());
        let choice = self.builder.push(procedure, Op::Skip, None);
        let mut targets = vec![];
        for (number, &entry) in entries.iter().enumerate() {
            let exprs = self.builder.exprs();
            let mut condition = exprs.constant(true);
            for (at, &bit) in which.iter().enumerate() {
                let read = exprs.var(Var::Local(bit));
                let wanted = if number >> at & 1 == 1 { read } else { exprs.not(read) };
                condition = exprs.and(condition, wanted);
            }
            let at = self.builder.push(procedure, Op::Assume(condition), None);
            self.open.push(Open { at, to: entry });
            targets.push(at);
        }
        self.builder.at(choice).op = Op::Goto(targets);
    }

    /// The block of a control location: a choice between its commands.
    fn control(&mut self, parts: &Parts<'_>, template: Template, control: ControlId) {
        let procedure = self.bodies[&template].procedure;
        let numbers = numbers_at(parts.relation, control);
        let statements: Vec<(usize, &Statement)> =
            numbers.filter_map(|it| Some((it, parts.statements[it].as_ref()?))).collect();
        if statements.is_empty() {
            let never = self.builder.exprs().constant(false);
            let at = self.builder.push(procedure, Op::Assume(never), None);
            self.builder.at(at).next = at;
            return;
        }
        let choice = (statements.len() > 1).then(|| self.builder.push(procedure, Op::Skip, None));
        let mut targets = vec![];
        for (number, statement) in statements {
            targets.push(self.builder.here());
            let done = self.command(parts, template, &parts.relation.commands[number], statement);
            self.commands.insert(done, number);
        }
        if let Some(choice) = choice {
            self.builder.at(choice).op = Op::Goto(targets);
        }
    }

    /// The statements of a command; the one that a thread is created by, or else the one that changes
    /// something.
    fn command(
        &mut self,
        parts: &Parts<'_>,
        template: Template,
        command: &Command,
        statement: &Statement,
    ) -> Loc {
        let procedure = self.bodies[&template].procedure;
        let CommandStatements { done, last } = match &command.outcome {
            Outcome::Fail(_) | Outcome::Refuse(_) => {
                return self.fail(template, command.from, statement);
            }
            _ => match &command.creates {
                Some(creation) => self.create(parts, template, creation, statement),
                None => {
                    let op = assignment(self.builder.exprs(), &self.names, template, statement, &[]);
                    let at = self.builder.push(procedure, op, None);
                    CommandStatements { done: at, last: at }
                }
            },
        };
        match command.outcome {
            Outcome::Go(to) => self.open.push(Open { at: last, to }),
            _ => {
                let at = self.builder.push(procedure, Op::End, None);
                self.builder.at(at).next = at;
                self.updated.insert(at);
            }
        }
        done
    }

    /// The assertion of a failing command; a condition on passive threads is asked just before, in a section.
    fn fail(&mut self, template: Template, from: ControlId, statement: &Statement) -> Loc {
        let procedure = self.bodies[&template].procedure;
        let barred = barred(self.builder.exprs(), &self.names, template, &statement.barred, When::Now);
        if let Some(condition) = barred {
            self.builder.push(procedure, Op::AtomicBegin, None);
            self.builder.push(procedure, Op::Assume(condition), None);
        }
        let possible = cubes(self.builder.exprs(), &self.names, template, &statement.blocked);
        let at = self.builder.push(procedure, Op::Assert(possible), None);
        let last = match barred {
            Some(_) => self.builder.push(procedure, Op::AtomicEnd, None),
            None => at,
        };
        self.open.push(Open { at: last, to: from });
        at
    }

    /// The statements of a command that creates a thread.
    fn create(
        &mut self,
        parts: &Parts<'_>,
        template: Template,
        creation: &Creation,
        statement: &Statement,
    ) -> CommandStatements {
        let procedure = self.bodies[&template].procedure;
        let target = parts.relation.controls[creation.entry].template;
        let plain = statement.blocked.is_empty()
            && statement.barred.is_empty()
            && statement.barred_after.is_empty()
            && statement.targets.is_empty()
            && statement.broadcasts.is_empty();
        if plain {
            let start = self.start(template, target, creation.entry, &statement.child);
            let at = self.builder.push(procedure, start, None);
            return CommandStatements { done: at, last: at };
        }
        let reads = |it: &Assignment| !matches!(it.value, Value::Fixed(_));
        let read: Vec<Assignment> = statement.child.iter().filter(|it| reads(it)).cloned().collect();
        while self.bodies[&template].kept.len() < read.len() {
            let number = self.bodies[&template].kept.len();
            let local = self.local(procedure, format!("child{number}"), Init::Fixed(false));
            self.bodies.get_mut(&template).expect("it was declared").kept.push(local);
        }
        let kept: Vec<(LocalId, &Value)> =
            self.bodies[&template].kept.iter().copied().zip(read.iter().map(|it| &it.value)).collect();
        self.builder.push(procedure, Op::AtomicBegin, None);
        let op = assignment(self.builder.exprs(), &self.names, template, statement, &kept);
        self.builder.push(procedure, op, None);
        let names: FxHashMap<usize, LocalId> =
            read.iter().zip(&kept).map(|(it, kept)| (it.predicate, kept.0)).collect();
        let start = self.start_with(template, target, creation.entry, &statement.child, &names);
        let at = self.builder.push(procedure, start, None);
        let end = self.builder.push(procedure, Op::AtomicEnd, None);
        self.updated.extend([at, end]);
        CommandStatements { done: at, last: end }
    }

    fn start(&mut self, template: Template, target: Template, entry: ControlId, child: &[Assignment]) -> Op {
        self.start_with(template, target, entry, child, &FxHashMap::default())
    }

    /// Starts a thread with these first values; some were computed before.
    fn start_with(
        &mut self,
        template: Template,
        target: Template,
        entry: ControlId,
        child: &[Assignment],
        kept: &FxHashMap<usize, LocalId>,
    ) -> Op {
        let body = &self.bodies[&target];
        let exprs = self.builder.exprs();
        let mut arguments = vec![];
        for &predicate in &body.passed {
            arguments.push(match (kept.get(&predicate), child.iter().find(|it| it.predicate == predicate)) {
                (Some(&local), _) => exprs.var(Var::Local(local)),
                (None, Some(it)) => value(exprs, &self.names, template, &it.value),
                (None, None) => exprs.constant(false),
            });
        }
        let number = body.entries.iter().position(|&it| it == entry).unwrap_or(0);
        for at in 0..body.which.len() {
            arguments.push(exprs.constant(number >> at & 1 == 1));
        }
        Op::Start(Spawn::Call(body.procedure, arguments))
    }

    /// Booleans without a meaning are 0.
    fn mark_dead(&mut self, parts: &Parts<'_>, template: Template, places: &[(Loc, Loc, ControlId)]) {
        let count = parts.predicates.list.len();
        let body = &self.bodies[&template];
        let bits = (0..count).filter_map(|it| self.names.local.get(&(template, it)).copied());
        let all: Vec<LocalId> =
            bits.chain(body.kept.iter().copied()).chain(body.which.iter().copied()).collect();
        for &(from, to, control) in places {
            let live = (0..count).filter(|&it| parts.predicates.is_live(control, it));
            let live: Vec<LocalId> = live.map(|it| self.names.local[&(template, it)]).collect();
            let dead = all_but(&all, &live);
            for at in (from.index()..to.index()).map(Loc::from_index) {
                let location = self.builder.at(at);
                if !self.updated.contains(&at) {
                    location.dead.clone_from(&dead);
                } else if location.op == Op::End {
                    location.dead = all_but(&all, &[]);
                }
            }
        }
    }

    /// The threads that are there from the start.
    fn starters(&mut self, parts: &Parts<'_>) {
        for &template in parts.templates {
            let body = &self.bodies[&template];
            if !body.starts {
                continue;
            }
            if !body.created {
                let procedure = body.procedure;
                self.builder.template(procedure, Count::Exactly(1));
                continue;
            }
            // Procedures with parameters cannot be there from the start: another thread starts them and ends.
            let starter = self.builder.declare(format!("start{}", template.index()), 0);
            self.builder.begin(starter);
            let entry = parts.relation.start;
            let child: Vec<Assignment> = parts
                .first
                .iter()
                .enumerate()
                .filter(|&(predicate, _)| parts.predicates.is_live(entry, predicate))
                .map(|(predicate, init)| Assignment { predicate, value: of_init(*init) })
                .collect();
            let start = self.start(template, template, entry, &child);
            self.builder.push(starter, start, None);
            let at = self.builder.push(starter, Op::End, None);
            self.builder.at(at).next = at;
            self.builder.end(starter, None);
            self.builder.template(starter, Count::Exactly(1));
        }
    }
}

/// The numbers of the commands of a thread that stands here.
fn numbers_at(relation: &Relation, control: ControlId) -> std::ops::Range<usize> {
    let first = relation.commands.partition_point(|command| command.from < control);
    first..first + relation.commands_at(control).count()
}

fn of_init(init: Init) -> Value {
    match init {
        Init::Fixed(value) => Value::Fixed(value),
        Init::Any => Value::Choose(vec![], vec![]),
    }
}
