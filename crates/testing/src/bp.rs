//! Small random programs over every construct, for differential tests: the same seed gives the same program
//! on every machine. They are small enough for brute force and dense enough that a mistake in a rarely used
//! rule shows within a few hundred of them.

mod expressions;
mod profile;
mod shapes;
mod start;
mod statements;

pub use profile::{Profile, Shapes};

use base::{Diagnostics, Id, Random};
use ir::bp::builder::Builder;
use ir::bp::expr::{ExprId, Node, Var};
use ir::bp::program::{Init, Loc, LocalId, LocalScope, LockId, Op, ProcId, Program, SharedId, Spawn};

/// The program with this seed.
pub fn program(seed: u64, profile: &Profile) -> Program {
    // A broadcast to a thread-local variable from a procedure's local is tried first: whether it has a
    // meaning is for the validator to say.
    let made = attempt(seed, profile, true).or_else(|_| attempt(seed, profile, false));
    made.expect("only valid statements are made")
}

fn attempt(seed: u64, profile: &Profile, mixed: bool) -> Result<Program, Diagnostics> {
    let mut maker = ProgramMaker::new(seed, profile);
    maker.mixed = mixed;
    maker.declare();
    for index in 0..maker.procedures.len() {
        maker.body(index);
    }
    maker.start();
    maker.builder.finish()
}

struct Procedure {
    id: ProcId,
    locals: Vec<LocalId>,
    /// Further locals that only two statements of its own know.
    spare: Vec<LocalId>,
    params: usize,
    results: usize,
}

struct ProgramMaker {
    random: Random,
    may: Profile,
    shapes: Shapes,
    /// Whether a broadcast to a thread-local variable may read a procedure's local.
    mixed: bool,
    builder: Builder,
    shared: Vec<SharedId>,
    locks: Vec<LockId>,
    /// Locals that all procedures of a thread see.
    thread_locals: Vec<LocalId>,
    procedures: Vec<Procedure>,
    /// The procedure whose body is being written and its range of locations.
    current: usize,
    entry: usize,
    length: usize,
    /// The locals that passive copies are of.
    passive: Vec<LocalId>,
    /// Whether no thread may be started, here and in what is called.
    quiet: bool,
}

impl ProgramMaker {
    fn new(seed: u64, profile: &Profile) -> Self {
        let mut random = Random::new(seed);
        let mut toss = |percent: usize| if random.percent(percent) { 100 } else { 0 };
        // Each construct is in or out for the whole program, so that small programs are not a little of
        // everything.
        let mut may = Profile {
            procedures: toss(profile.procedures),
            recursion: toss(profile.recursion),
            spawns: toss(profile.spawns),
            sections: toss(profile.sections),
            locks: toss(profile.locks),
            broadcasts: toss(profile.broadcasts),
            passive_conditions: toss(profile.passive_conditions),
            enforce: toss(profile.enforce),
            templates: toss(profile.templates),
            ..*profile
        };
        let shapes = Shapes::toss(&mut random, profile.wild);
        // Some shapes are nothing without calls and broadcasts.
        if shapes.thread_locals && random.percent(70) {
            (may.broadcasts, may.procedures) = (100, 100);
        }
        if shapes.thread_locals && random.percent(40) {
            may.passive_conditions = 100;
        }
        if shapes.section_variable && random.percent(70) {
            may.procedures = 100;
        }
        if shapes.dead_ends && random.percent(60) {
            (may.spawns, may.sections) = (100, 100);
        }
        Self {
            random,
            may,
            shapes,
            mixed: true,
            builder: Builder::new(),
            shared: vec![],
            locks: vec![],
            thread_locals: vec![],
            procedures: vec![],
            current: 0,
            entry: 0,
            length: 0,
            passive: vec![],
            quiet: false,
        }
    }

    fn init_value(&mut self) -> Init {
        if self.random.percent(30) { Init::Any } else { Init::Fixed(self.random.percent(50)) }
    }

    fn declare(&mut self) {
        for index in 0..1 + self.random.below(2) {
            let init = self.init_value();
            self.shared.push(self.builder.shared(format!("g{index}"), init));
        }
        if self.may.locks > 0 {
            self.locks.push(self.builder.lock("m"));
        }
        if self.random.percent(15) || self.shapes.thread_locals {
            let init = self.init_value();
            self.thread_locals.push(self.builder.local("t", LocalScope::Thread, init));
        }
        if self.shapes.thread_locals && self.random.percent(40) {
            let init = self.init_value();
            self.thread_locals.push(self.builder.local("u", LocalScope::Thread, init));
        }
        let further = if self.may.procedures > 0 { 1 + self.random.below(2) } else { 0 };
        for index in 0..=further {
            let name = if index == 0 { "main".to_string() } else { format!("f{index}") };
            self.declare_procedure(index, name);
        }
    }

    fn declare_procedure(&mut self, index: usize, name: String) {
        let params = if index == 0 || self.quiet { 0 } else { self.random.below(2) };
        let results = if index == 0 || self.quiet { 0 } else { self.random.below(2) };
        let id = self.builder.declare(name, results);
        let count = (1 + self.random.below(2)).max(params);
        let locals: Vec<LocalId> = (0..count)
            .map(|local| {
                let init = if local < params { Init::Any } else { self.init_value() };
                // Only a local that no other procedure has can be named from there.
                let name = if self.shapes.far { format!("x{local}_{index}") } else { format!("x{local}") };
                self.builder.local(name, LocalScope::Procedure(id), init)
            })
            .collect();
        self.builder.params(id, locals[..params].to_vec());
        let locals = locals.into_iter().chain(self.thread_locals.iter().copied()).collect();
        let spare = self.declare_spare(index, id);
        self.procedures.push(Procedure { id, locals, spare, params, results });
    }

    fn body(&mut self, index: usize) {
        self.current = index;
        let id = self.procedures[index].id;
        self.builder.begin(id);
        self.entry = self.builder.here().index();
        self.passive = self.procedures[index].locals.clone();
        let spare = self.spare(index);
        self.length = spare.len() + self.statements();
        let enforce = (self.may.enforce > 0 && self.random.percent(50)).then(|| self.expr(1));
        for count in 0..self.length {
            let op = match spare.get(count) {
                Some(op) => op.clone(),
                None => self.op(),
            };
            self.builder.push(id, op, None);
        }
        let end = self.builder.end(id, None);
        for loc in self.entry..=end.index() {
            self.builder.at(Loc::from_index(loc)).enforce = enforce;
        }
        if self.shapes.places {
            self.enforce_at_places();
        }
        if self.random.percent(10) || (self.shapes.errors && self.random.percent(70)) {
            self.error_labels();
        }
    }

    fn statements(&mut self) -> usize {
        if self.shapes.empty && self.random.percent(30) {
            return self.random.below(2);
        }
        2 + self.random.below(self.may.statements - 1)
    }

    fn declare_spare(&mut self, index: usize, id: ProcId) -> Vec<LocalId> {
        if !self.shapes.spare || self.random.percent(40) {
            return vec![];
        }
        let name = |local| format!("a{local}_{index}");
        let scope = LocalScope::Procedure(id);
        (0..self.may.spare).map(|local| self.builder.local(name(local), scope, Init::Any)).collect()
    }

    /// Writes the spare locals alike and reads all of them at once: how many there are does not matter to
    /// anyone.
    fn spare(&mut self, index: usize) -> Vec<Op> {
        let all: Vec<Var> = self.procedures[index].spare.iter().map(|&local| Var::Local(local)).collect();
        if all.is_empty() {
            return vec![];
        }
        let shared = Var::Shared(*self.random.pick(&self.shared));
        let value = self.builder.exprs().var(shared);
        let targets = all.iter().map(|&var| (var, value)).collect();
        let mut both = self.builder.exprs().constant(true);
        for &var in &all {
            let read = self.builder.exprs().var(var);
            both = self.builder.exprs().and(both, read);
        }
        vec![Op::Assign { targets, broadcast: vec![], constrain: None }, Op::assign(shared, both)]
    }

    /// Conditions for some locations alone; some of them can never hold.
    fn enforce_at_places(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            let loc = self.target();
            let enforce = if self.random.percent(30) { self.never() } else { self.expr(1) };
            self.builder.at(loc).enforce = Some(enforce);
            if self.random.percent(30) {
                for loc in self.entry..=self.entry + self.length {
                    self.builder.at(Loc::from_index(loc)).enforce = Some(enforce);
                }
            }
        }
    }

    fn error_labels(&mut self) {
        let count = if self.shapes.errors { 1 + self.random.below(2) } else { 1 };
        for _ in 0..count {
            let loc = self.error_place();
            if !std::mem::replace(&mut self.builder.at(loc).error, true) {
                self.builder.at(loc).labels.push("SLIC_ERROR".to_string());
            }
        }
    }

    /// Anywhere, but rather where a child begins.
    fn error_place(&mut self) -> Loc {
        if self.shapes.errors {
            let mine = self.entry..self.entry + self.length;
            let ops = mine.map(|loc| &self.builder.draft().at(Loc::from_index(loc)).op);
            let begins =
                ops.filter_map(|op| if let Op::Start(Spawn::Clone(at)) = op { Some(*at) } else { None });
            let begins: Vec<Loc> = begins.collect();
            if !begins.is_empty() && self.random.percent(80) {
                return *self.random.pick(&begins);
            }
        }
        self.target()
    }

    /// An expression that is always 0, which may take a second look to see.
    fn never(&mut self) -> ExprId {
        let var = self.variable();
        let read = self.builder.exprs().var(var);
        let not = self.builder.exprs().not(read);
        match self.random.below(3) {
            0 => self.builder.exprs().constant(false),
            1 => self.builder.exprs().and(read, not),
            _ => self.builder.exprs().add(Node::Equal(read, not)),
        }
    }

    /// Any location of the current procedure.
    fn target(&mut self) -> Loc {
        Loc::from_index(self.entry + self.random.below(self.length + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::bp::machine::Machine;

    /// How many of 300 programs are safe with two threads, fail, and are too large to say.
    fn verdicts(profile: &Profile) -> [usize; 3] {
        let mut counts = [0; 3];
        for seed in 0..300 {
            let program = program(seed, profile);
            let machine = Machine::new(&program, Some(2));
            let at = match machine.reachable(3000) {
                None => 2,
                Some(states) => usize::from(states.iter().any(|state| machine.failure(state).is_some())),
            };
            counts[at] += 1;
        }
        counts
    }

    /// Both verdicts must be common, or a differential test would test nothing.
    #[test]
    fn programs_are_varied() {
        for profile in [Profile::ALL, Profile::WILD, Profile::TINY] {
            // A recursion may have no end of states.
            let profile = Profile { recursion: 0, ..profile };
            let [safe, failing, large] = verdicts(&profile);
            assert!(safe > 60 && failing > 60 && large < 60, "safe {safe}, failing {failing}, large {large}");
        }
    }

    /// More spare locals make more states and no other verdict.
    #[test]
    fn spare_locals_do_not_matter() {
        let mut with = 0;
        for seed in 0..200 {
            let fails = |spare| {
                let program = program(seed, &Profile { spare, recursion: 0, ..Profile::TINY });
                let machine = Machine::new(&program, Some(2));
                let states = machine.reachable(2000)?;
                Some((program.locals().len(), states.iter().any(|state| machine.failure(state).is_some())))
            };
            if let (Some(one), Some(three)) = (fails(1), fails(3)) {
                assert_eq!(one.1, three.1, "seed {seed}");
                with += usize::from(one.0 < three.0);
            }
        }
        assert!(with > 20, "spare locals in {with} programs");
    }
}
