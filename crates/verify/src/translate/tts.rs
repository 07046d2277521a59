//! Programs as thread transition systems. A thread is a token, and there is one for each live thread in every
//! state but for two things that the format cannot say: a thread that has ended stays in a local state of its
//! own, and the threads that wait for `init` are there already. Spawning takes two transitions through a
//! shared state in which nothing else can happen; it does not matter which of several threads in the same
//! local state makes the second one (the idea is SatAbs's).

use super::commands::refuse_spawning_init;
use super::promela::LONGEST;
use super::tts_explore::{Explorer, Local, Step};
use super::{stopped, unsupported};
use base::{Budget, Id, sanitise};
use ir::bp::expr::{ExprId, Var};
use ir::bp::program::{Count, Init, Op, Spawn};
use ir::{Program, Reason, ReasonKind};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most threads of one kind at the start.
const MOST_FIXED: u32 = 1000;

/// The most choices of one statement.
const MOST_CHOICES: usize = 14;

/// A shared and a local state, by their numbers in the text.
struct Pair {
    shared: usize,
    local: usize,
}

/// The program as text.
pub(super) fn program(program: &Program, budget: &Budget) -> Result<String, Reason> {
    if !program.monotone() {
        let message = "a condition links a thread with the others, which a transition system cannot say";
        return Err(Reason::new(ReasonKind::NonMonotone, message));
    }
    refuse_spawning_init(program)?;
    refuse_many_choices(program)?;
    let mut explorer = Explorer::new(program, budget);
    let (beginning, valuations) = begin(program, &mut explorer)?;
    let start: Vec<(usize, usize)> = valuations
        .iter()
        .flat_map(|&s| beginning.iter().flat_map(move |it| it.fresh.iter().map(move |&l| (s, l))))
        .collect();
    explorer.close(start)?;
    Writer::new(program, explorer, beginning, valuations).text(budget)
}

/// Each choice of a statement doubles its steps.
fn refuse_many_choices(program: &Program) -> Result<(), Reason> {
    let chosen =
        |exprs: &mut dyn Iterator<Item = ExprId>| exprs.filter(|&e| program.exprs().has_choice(e)).count();
    for location in program.locations().iter() {
        let choices = match &location.op {
            Op::Assign { targets, broadcast, .. } => {
                let values = targets.iter().map(|it| it.1).chain(broadcast.iter().map(|it| it.1));
                chosen(&mut { values })
            }
            Op::Start(Spawn::Call(procedure, args)) => {
                let entry = program.procedures()[*procedure].entry;
                let scope = program.locals().enumerate().filter(|(id, _)| program.in_scope(entry, *id));
                scope.filter(|(_, it)| it.init == Init::Any).count() + chosen(&mut args.iter().copied())
            }
            _ => 0,
        };
        if choices > MOST_CHOICES {
            return Err(unsupported(format!("a statement makes more than {MOST_CHOICES} choices at once")));
        }
    }
    Ok(())
}

/// Threads that are there at the start.
struct Beginning {
    /// The locals that they may have.
    fresh: Vec<usize>,
    fixed: u32,
    unbounded: bool,
}

fn begin(program: &Program, explorer: &mut Explorer<'_>) -> Result<(Vec<Beginning>, Vec<usize>), Reason> {
    let valuations = explorer.valuations()?;
    let entry = |procedure| program.procedures()[procedure].entry;
    let mut all = vec![];
    if let Some(init) = program.start().init {
        all.push(Beginning { fresh: explorer.fresh(entry(init), true)?, fixed: 1, unbounded: false });
    }
    for template in &program.start().templates {
        let (fixed, unbounded) = match template.count {
            Count::Exactly(n) => (n, false),
            Count::AtLeast(n) => (n, true),
        };
        if fixed > MOST_FIXED {
            return Err(unsupported(format!("more than {MOST_FIXED} threads of one kind at the start")));
        }
        all.push(Beginning { fresh: explorer.fresh(entry(template.procedure), false)?, fixed, unbounded });
    }
    Ok((all, valuations))
}

/// The numbers of shared and local states that are no thread states, and the text so far.
struct Writer<'p> {
    program: &'p Program,
    explorer: Explorer<'p>,
    beginning: Vec<Beginning>,
    valuations: Vec<usize>,
    /// Whether the start is undetermined: then shared state 0 is where values are chosen.
    choosing: bool,
    /// Where a thread waits for its locals, by the index of its beginning.
    waiting: BTreeMap<usize, usize>,
    /// Shared states in the middle of a step, by the thread's state and shared state after it.
    between: BTreeMap<(usize, usize, usize), usize>,
    rules: String,
}

impl<'p> Writer<'p> {
    fn new(
        program: &'p Program,
        explorer: Explorer<'p>,
        beginning: Vec<Beginning>,
        valuations: Vec<usize>,
    ) -> Self {
        let undetermined = beginning.iter().enumerate().filter(|(_, it)| it.fresh.len() != 1).map(|it| it.0);
        let waiting: BTreeMap<usize, usize> = undetermined.zip(0..).collect();
        let choosing = valuations.len() != 1 || !waiting.is_empty();
        let (between, rules) = (BTreeMap::new(), String::new());
        Self { program, explorer, beginning, valuations, choosing, waiting, between, rules }
    }

    /// The number of a shared state in the file.
    fn shared(&self, s: usize) -> usize {
        s + usize::from(self.choosing)
    }

    /// The number of a local state in the file.
    fn local(&self, l: usize) -> usize {
        l + self.waiting.len()
    }

    fn ended(&self) -> usize {
        self.local(self.explorer.locals.all.len())
    }

    fn error_local(&self) -> usize {
        self.ended() + 1
    }

    fn between(&mut self, shared: usize, from: usize, to: usize) -> usize {
        let next = self.shared(self.explorer.shared.all.len()) + self.between.len();
        *self.between.entry((shared, from, to)).or_insert(next)
    }

    fn text(mut self, budget: &Budget) -> Result<String, Reason> {
        self.choices();
        for index in 0..self.explorer.steps.len() {
            budget.spend(1).map_err(stopped)?;
            self.step(index);
            if self.rules.len() > LONGEST {
                return Err(unsupported("the transition system is too long"));
            }
        }
        let finish: Vec<_> = self.between.iter().map(|(&step, &middle)| (middle, step)).collect();
        for (middle, (shared, from, to)) in finish {
            self.transition(Pair { shared: middle, local: from }, "->", Pair { shared, local: to }, "");
        }
        let error = self.shared(self.explorer.shared.all.len()) + self.between.len();
        for s in 0..self.explorer.members.len() {
            for l in self.explorer.members[s].clone() {
                if self.explorer.fails(s, l) {
                    let from = Pair { shared: self.shared(s), local: self.local(l) };
                    let target = Pair { shared: error, local: self.error_local() };
                    self.transition(from, "->", target, "");
                }
            }
        }
        let mut text = self.comments();
        let (locals, target) = (self.error_local() + 1, self.error_local());
        write!(text, "{} {locals}\n{}{error}|{target}\n", error + 1, self.rules)
            .expect("a string takes every text");
        Ok(text)
    }

    fn transition(&mut self, from: Pair, arrow: &str, to: Pair, transfers: &str) {
        writeln!(self.rules, "{} {} {arrow} {} {}{transfers}", from.shared, from.local, to.shared, to.local)
            .expect("a string takes every text");
    }

    /// In the first shared state each thread chooses its locals; leaving it chooses the shared variables.
    fn choices(&mut self) {
        if !self.choosing {
            return;
        }
        for (beginning, place) in self.waiting.clone() {
            for l in self.beginning[beginning].fresh.clone() {
                self.transition(
                    Pair { shared: 0, local: place },
                    "->",
                    Pair { shared: 0, local: self.local(l) },
                    "",
                );
            }
        }
        // Nobody is ever in the error state here: only the shared state changes.
        let nobody = self.error_local();
        for s in self.valuations.clone() {
            self.transition(
                Pair { shared: 0, local: nobody },
                "~>",
                Pair { shared: self.shared(s), local: nobody },
                "",
            );
        }
    }

    fn step(&mut self, index: usize) {
        let Step { from: (s, l), shared, local, child, broadcast } = self.explorer.steps[index].clone();
        let (s, l, shared) = (self.shared(s), self.local(l), self.shared(shared));
        let local = local.map_or(self.ended(), |it| self.local(it));
        let transfers = if broadcast { self.transfers(index) } else { String::new() };
        if let Some(child) = child {
            let middle = self.between(shared, l, local);
            self.transition(
                Pair { shared: s, local: l },
                "+>",
                Pair { shared: middle, local: self.local(child) },
                "",
            );
        } else if (s, l) == (shared, local) && !transfers.is_empty() {
            // The format has no transfers on a transition that leaves its thread where it is.
            let middle = self.between(shared, l, local);
            self.transition(
                Pair { shared: s, local: l },
                "->",
                Pair { shared: middle, local: l },
                &transfers,
            );
        } else if (s, l) != (shared, local) {
            self.transition(Pair { shared: s, local: l }, "->", Pair { shared, local }, &transfers);
        }
    }

    fn transfers(&mut self, step: usize) -> String {
        let mut text = String::new();
        let s = self.explorer.steps[step].from.0;
        for l in self.explorer.members[s].clone() {
            let after = self.explorer.received(step, l);
            if after != [l] {
                for to in after {
                    write!(text, " {} ~> {}", self.local(l), self.local(to))
                        .expect("a string takes every text");
                }
            }
        }
        text
    }

    /// Where it starts, in the words of `--start`.
    fn start(&self) -> String {
        let place = |(index, it): (usize, &Beginning)| match self.waiting.get(&index) {
            Some(&place) => place,
            None => self.local(it.fresh[0]),
        };
        let all: Vec<(usize, &Beginning)> =
            self.beginning.iter().enumerate().map(|(index, it)| (place((index, it)), it)).collect();
        let fixed: Vec<String> =
            all.iter().flat_map(|(place, it)| vec![place.to_string(); it.fixed as usize]).collect();
        let unbounded: Vec<String> =
            all.iter().filter(|(_, it)| it.unbounded).map(|(place, _)| place.to_string()).collect();
        let part = |sign: &str, list: &[String]| {
            if list.is_empty() { String::new() } else { format!("{sign}{}", list.join(",")) }
        };
        let first = if self.choosing { 0 } else { self.shared(self.valuations[0]) };
        format!("{first}{}{}", part("|", &fixed), part("/", &unbounded))
    }

    fn comments(&self) -> String {
        let mut text = super::tts_head(&self.start());
        let mut say = |line: String| text += &format!("# {}\n", sanitise(&line));
        if self.choosing {
            say("shared 0: values are chosen".to_string());
        }
        for (s, it) in self.explorer.shared.all.iter().enumerate() {
            let names = self.program.shared().iter().map(|it| it.name.as_str());
            let section = if it.section { " inside a section" } else { "" };
            let init = if it.initialising { " init runs" } else { "" };
            say(format!(
                "shared {}:{}{section}{init}",
                self.shared(s),
                valued(names.zip(it.values.iter().copied()))
            ));
        }
        for (l, it) in self.explorer.locals.all.iter().enumerate() {
            say(format!("local {}: {}", self.local(l), self.described(it)));
        }
        say(format!("local {}: ended", self.ended()));
        text
    }

    fn described(&self, local: &Local) -> String {
        let (thread, at) = (&local.thread, local.thread.loc());
        let scope = self.program.locals().ids().filter(|&it| self.program.in_scope(at, it));
        let values = scope.map(|it| (self.program.name(Var::Local(it)), thread.value(self.program, 0, it)));
        let procedure = &self.program.procedures()[self.program.at(at).procedure].name;
        let inside = if thread.inside { " inside a section" } else { "" };
        format!("{procedure} {}{}{inside}", at.index() + 1, valued(values))
    }
}

fn valued<'a>(all: impl Iterator<Item = (&'a str, bool)>) -> String {
    all.map(|(name, value)| format!(" {name}={}", u8::from(value))).collect()
}
