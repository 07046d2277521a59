//! Programs in the style of abstracted device drivers (Basler et al., FMSD 2010, section 7): one kernel
//! thread and any number of clients that loop over entry points. About 120 locations, 20 local and 12 shared
//! variables, few statements that relate the two, and much data that is any value. The same seed gives the
//! same program on every machine.

use crate::options::each;
use anyhow::{Context, Result};
use base::{Budget, Event, Id, Random, Settings};
use engines::{Counter, Cx, Engine, Facts};
use ir::bp::{
    Builder, Count, ExprId, Init, Loc, LocalId, LocalScope, LockId, Node, Op, ProcId, Program, Read,
    SharedId, Var, When, Whose,
};
use ir::{Model, Scope, Task};
use std::path::PathBuf;
use std::sync::Arc;

/// What the programs look like.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Locals of a client, owner bits aside.
    pub client_locals: usize,
    /// Locals of the kernel.
    pub kernel_locals: usize,
    /// Locks, each with what it guards.
    pub devices: usize,
    /// Variables of data that a lock guards.
    pub data: usize,
    /// Flags that only the kernel writes.
    pub flags: usize,
    /// Entry points of a client.
    pub entries: usize,
    /// Local statements before and after each critical section.
    pub local_statements: usize,
    /// Statements inside each critical section that relate a local and a shared variable, in percent of those
    /// that might.
    pub splices: usize,
    /// Programs with an entry point that forgets its lock, in percent.
    pub faulty: usize,
}

/// What is measured. The seeds are 1 to 40; they and these numbers were fixed before the first measurement.
pub const STANDARD: Parameters = Parameters {
    client_locals: 14,
    kernel_locals: 4,
    devices: 2,
    data: 3,
    flags: 2,
    entries: 4,
    local_statements: 9,
    splices: 60,
    faulty: 25,
};

/// Smaller ones for interfaces, which are tuples of shared states. The seeds are 1 to 60; they and these
/// numbers were fixed before the first measurement.
pub const SMALL: Parameters = Parameters {
    client_locals: 3,
    kernel_locals: 2,
    devices: 1,
    data: 1,
    flags: 1,
    entries: 2,
    local_statements: 1,
    splices: 60,
    faulty: 25,
};

/// The command `drivers`.
pub fn run(args: &[String]) -> Result<()> {
    let (mut seed, mut count, mut out) = (1u64, 40u64, PathBuf::from("target/drivers"));
    each(args, |name, value| {
        match name {
            "--seed" => seed = value.parse()?,
            "--count" => count = value.parse()?,
            "--out" => out = PathBuf::from(value),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    std::fs::create_dir_all(&out)?;
    for seed in seed..seed + count {
        let path = out.join(format!("driver-{seed}.bp"));
        std::fs::write(&path, ir::bp::print::program(&program(seed, &STANDARD)))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("{count} programs in {}", out.display());
    describe(seed, count)
}

/// Says how large the programs are and how many of their statements relate shared and local variables.
fn describe(seed: u64, count: u64) -> Result<()> {
    let mut sums = [0u64; 6];
    for seed in seed..seed + count {
        let program = program(seed, &STANDARD);
        let sizes = [program.locations().len(), program.locals().len(), program.shared().len()];
        let mut settings = Settings::default();
        for option in ["counter.certificate_states", "counter.certificate_pieces"] {
            settings.set(&[Counter.settings()], option, "0").map_err(anyhow::Error::msg)?;
        }
        let task = Task::new(Model::Program(Arc::new(program)), Scope::threads(1));
        let (budget, facts, mut events) = (Budget::unlimited(), Facts::default(), Vec::<Event>::new());
        let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
        Counter.run(&task, &mut cx).map_err(|stop| anyhow::anyhow!(stop.to_string()))?;
        let counter = |wanted: &str| {
            let found = events.iter().find_map(|event| match event {
                Event::Counter { name, value, .. } if *name == wanted => Some(*value),
                _ => None,
            });
            found.unwrap_or(0)
        };
        let counters = ["statements", "splice statements", "splice variables"].map(counter);
        for (sum, more) in sums.iter_mut().zip(sizes.map(|size| size as u64).into_iter().chain(counters)) {
            *sum += more;
        }
    }
    let mean = |index: usize| sums[index] as f64 / count as f64;
    println!(
        "on average {:.0} locations, {:.0} local and {:.0} shared variables; {:.1} % splice statements with {:.1} shared variables each",
        mean(0),
        mean(1),
        mean(2),
        100.0 * mean(4) / mean(3),
        mean(5) / mean(4)
    );
    Ok(())
}

/// The program with this seed.
pub fn program(seed: u64, parameters: &Parameters) -> Program {
    let mut maker = Maker::new(seed, *parameters);
    maker.kernel();
    maker.client();
    maker.builder.finish().expect("only valid statements are made")
}

/// A lock and what it guards: a flag that is 0 outside, and variables of data.
#[derive(Clone)]
struct Device {
    lock: LockId,
    busy: SharedId,
    data: Vec<SharedId>,
}

struct Maker {
    random: Random,
    parameters: Parameters,
    builder: Builder,
    devices: Vec<Device>,
    /// Flags that only the kernel writes.
    flags: Vec<SharedId>,
    kernel: ProcId,
    client: ProcId,
    locals: Vec<LocalId>,
}

impl Maker {
    fn new(seed: u64, parameters: Parameters) -> Self {
        let mut builder = Builder::new();
        let devices = (0..parameters.devices)
            .map(|index| Device {
                lock: builder.lock(format!("m{index}")),
                busy: builder.shared(format!("busy{index}"), Init::Fixed(false)),
                data: (0..parameters.data)
                    .map(|number| builder.shared(format!("d{index}{number}"), Init::Any))
                    .collect(),
            })
            .collect();
        let flags = (0..parameters.flags)
            .map(|index| builder.shared(format!("flag{index}"), Init::Fixed(false)))
            .collect();
        let (kernel, client) = (builder.declare("kernel", 0), builder.declare("client", 0));
        builder.template(kernel, Count::Exactly(1));
        builder.template(client, Count::AtLeast(0));
        Self {
            random: Random::new(seed),
            parameters,
            builder,
            devices,
            flags,
            kernel,
            client,
            locals: vec![],
        }
    }

    fn declare(&mut self, procedure: ProcId, count: usize) {
        let scope = LocalScope::Procedure(procedure);
        self.locals =
            (0..count).map(|index| self.builder.local(format!("b{index}"), scope, Init::Any)).collect();
    }

    /// Sets its flags, now and then together with a device.
    fn kernel(&mut self) {
        let id = self.kernel;
        self.declare(id, self.parameters.kernel_locals);
        self.builder.begin(id);
        let head = self.builder.here();
        for _ in 0..3 {
            self.local_statement(id);
        }
        let flag = Var::Shared(*self.random.pick(&self.flags));
        let value = self.builder.exprs().choice();
        self.builder.push(id, Op::assign(flag, value), None);
        self.critical(id, 0, true);
        self.local_statement(id);
        let other = Var::Shared(*self.flags.last().expect("there is a flag"));
        let local = self.local_literal();
        self.builder.push(id, Op::assign(other, local), None);
        self.builder.push(id, Op::Goto(vec![head]), None);
        self.builder.end(id, None);
    }

    /// Loops over entry points for ever.
    fn client(&mut self) {
        let id = self.client;
        self.declare(id, self.parameters.client_locals);
        self.builder.begin(id);
        let head = self.builder.push(id, Op::Goto(vec![]), None);
        let careless = self.random.percent(self.parameters.faulty).then_some(self.parameters.entries - 1);
        let mut entries = vec![];
        for entry in 0..self.parameters.entries {
            entries.push(self.builder.here());
            for _ in 0..self.parameters.local_statements {
                self.local_statement(id);
            }
            self.critical(id, entry % self.devices.len(), careless != Some(entry));
            for _ in 0..self.parameters.local_statements {
                self.local_statement(id);
            }
            self.builder.push(id, Op::Goto(vec![head]), None);
        }
        self.builder.at(head).op = Op::Goto(entries);
        self.builder.end(id, None);
    }

    /// A critical section: nobody else may be in it.
    fn critical(&mut self, id: ProcId, device: usize, locked: bool) {
        let Device { lock, busy, data } = self.devices[device].clone();
        if locked {
            self.builder.push(id, Op::Lock(lock), None);
        }
        let exprs = self.builder.exprs();
        let is_busy = exprs.var(Var::Shared(busy));
        let (free, yes, no) = (exprs.not(is_busy), exprs.constant(true), exprs.constant(false));
        self.builder.push(id, Op::Assert(free), None);
        self.builder.push(id, Op::assign(Var::Shared(busy), yes), None);
        for _ in 0..2 {
            let statement = self.shared_statement(&data);
            self.builder.push(id, statement, None);
        }
        self.builder.push(id, Op::assign(Var::Shared(busy), no), None);
        if locked {
            self.builder.push(id, Op::Unlock(lock), None);
        }
    }

    /// Moves data between shared variables, or between them and a local.
    fn shared_statement(&mut self, data: &[SharedId]) -> Op {
        let (to, from) = (Var::Shared(*self.random.pick(data)), Var::Shared(*self.random.pick(data)));
        if !self.random.percent(self.parameters.splices) {
            let read = self.builder.exprs().var(from);
            let value = if self.random.percent(50) { self.builder.exprs().choice() } else { read };
            return Op::assign(to, value);
        }
        if self.random.percent(50) {
            let local = self.local_literal();
            return Op::assign(to, local);
        }
        let local = Var::Local(*self.random.pick(&self.locals));
        let value = self.builder.exprs().var(from);
        Op::assign(local, value)
    }

    /// A statement on locals alone: mostly choices, some with a condition on old and new values.
    fn local_statement(&mut self, id: ProcId) {
        let targets = self.some_locals();
        let roll = self.random.below(100);
        let op = if roll < 45 {
            let values = targets.iter().map(|&local| (Var::Local(local), self.builder.exprs().choice()));
            Op::Assign { targets: values.collect(), broadcast: vec![], constrain: None }
        } else if roll < 60 {
            Op::assign(Var::Local(targets[0]), self.local_formula())
        } else if roll < 85 {
            let new = self.next_literal(targets[0]);
            let old = self.local_formula();
            let constrain = self.builder.exprs().or(new, old);
            let values = targets.iter().map(|&local| (Var::Local(local), self.builder.exprs().choice()));
            Op::Assign { targets: values.collect(), broadcast: vec![], constrain: Some(constrain) }
        } else {
            // Over the next statement or on to it: what follows is always there.
            let target = Loc::from_index(self.builder.here().index() + 2);
            let cond = self.local_literal();
            self.builder.push(id, Op::Branch { cond, target }, None);
            Op::assign(Var::Local(targets[0]), self.local_formula())
        };
        self.builder.push(id, op, None);
    }

    fn some_locals(&mut self) -> Vec<LocalId> {
        let mut chosen: Vec<LocalId> = vec![];
        for _ in 0..1 + self.random.below(3) {
            let local = *self.random.pick(&self.locals);
            if !chosen.contains(&local) {
                chosen.push(local);
            }
        }
        chosen
    }

    fn local_literal(&mut self) -> ExprId {
        let local = *self.random.pick(&self.locals);
        let read = self.builder.exprs().var(Var::Local(local));
        if self.random.percent(50) { self.builder.exprs().not(read) } else { read }
    }

    fn next_literal(&mut self, local: LocalId) -> ExprId {
        let read = Read { var: Var::Local(local), whose: Whose::Own, when: When::Next };
        self.builder.exprs().add(Node::Read(read))
    }

    fn local_formula(&mut self) -> ExprId {
        let (a, b) = (self.local_literal(), self.local_literal());
        let node = if self.random.percent(70) { Node::Or(a, b) } else { Node::Xor(a, b) };
        self.builder.exprs().add(node)
    }
}
