//! The engine `modular`: proofs for any number of threads by over-approximating what few of them look like together, with one
//! thread in sight, then two, then three (Cook, Kroening and Sharygina, FMCAD 2006, which is the case of one; [`crate::closure`]
//! says what differs).
//!
//! Tuples of threads are listed, which is fast where there are few; where it takes too long, the same set is computed with decision
//! diagrams over classes of locations ([`crate::closure::symbolic`]).

mod diagrams;
mod listed;
pub mod recursion;
pub mod relation;

use crate::closure;
use crate::engine::{Cx, Engine};
use base::settings::Allowed;
use base::{Event, Setting, Stop};
use ir::{Model, Program, Reason, Task, Verdict, Why};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modular;

const WIDTH: Setting = Setting {
    name: "modular.width",
    default: "3",
    allowed: Allowed::Number { least: 1, most: closure::MOST_WIDTH as u64 },
    help: "the most threads that are looked at together",
    paper: "Cook, Kroening and Sharygina, FMCAD 2006, for one thread",
};

const CHAINS: Setting = Setting {
    name: "modular.chains",
    default: "on",
    allowed: Allowed::Switch,
    help: "do not store states in which a thread stands at a silent location",
    paper: "",
};

const CERTIFICATE: Setting = Setting {
    name: "modular.certificate_tuples",
    default: "2000000",
    allowed: Allowed::Number { least: 0, most: u32::MAX as u64 },
    help: "write no certificate with more tuples, or nodes of formulas, than this",
    paper: "",
};

const SETS: Setting = Setting {
    name: "modular.sets",
    default: "auto",
    allowed: Allowed::Word(&["auto", "explicit", "bdd"]),
    help: "list tuples of threads, or keep them in decision diagrams, or both by turns",
    paper: "",
};

const TURN: Setting = Setting {
    name: "modular.turn",
    default: "100000",
    allowed: Allowed::Number { least: 0, most: u64::MAX },
    help: "with `auto`, the ticks of the first turn; each further turn has four times as many",
    paper: "",
};

const CLASSES: Setting = Setting {
    name: "modular.classes",
    default: "on",
    allowed: Allowed::Switch,
    help: "merge locations in decision diagrams, and split them where that makes an alarm",
    paper: "",
};

const MEMORY: Setting = Setting {
    name: "modular.memory",
    default: "4096",
    allowed: Allowed::Number { least: 1, most: 1_000_000 },
    help: "MiB for decision diagrams",
    paper: "",
};

const RELATION: Setting = Setting {
    name: "modular.relation",
    default: "closure",
    allowed: Allowed::Word(&["closure", "threads"]),
    help: "what is closed: tuples of growing width, or single thread states under the relation of the paper",
    paper: "Cook, Kroening and Sharygina, TCS 388, 2007",
};

const SETTINGS: &[Setting] = &[
    WIDTH,
    CHAINS,
    CERTIFICATE,
    SETS,
    TURN,
    CLASSES,
    MEMORY,
    RELATION,
    relation::STATES,
    relation::REDUCTION,
    relation::LOCKS,
];

impl Engine for Modular {
    fn name(&self) -> &'static str {
        "modular"
    }

    fn about(&self) -> &'static str {
        "proofs for any number of threads: what one, two or three threads can look like together"
    }

    fn paper(&self) -> &'static str {
        "Cook, Kroening, Sharygina: Over-Approximating Boolean Programs with Unbounded Thread Creation, FMCAD 2006"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        match &task.model {
            Model::Program(program) if program.is_flat() => Ok(()),
            Model::Program(_) => recursion::by_threads(task).map(|_| ()),
            Model::Net(_) => Ok(()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        if let Err(reason) = self.accepts(task) {
            return Ok(Verdict::Unknown(Why::Because(reason)));
        }
        if let Model::Program(program) = &task.model
            && !program.is_flat()
        {
            return self.run_by_threads(task, cx);
        }
        if cx.settings.word(&RELATION) == "threads" {
            return relation::answer(task, cx);
        }
        let most = usize::try_from(cx.settings.number(&WIDTH)).expect("a small number");
        let Model::Program(program) = &task.model else { return listed::run(task, 1..=most, cx.budget, cx) };
        match cx.settings.word(&SETS) {
            "explicit" => listed::run(task, 1..=most, cx.budget, cx),
            "bdd" => diagrams::run(program, 1..=most, cx.budget, cx),
            _ => both(task, program, most, cx),
        }
    }
}

/// Lists tuples and, where that takes too long, draws diagrams; by turns, each time with more patience.
fn both(task: &Task, program: &Program, most: usize, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let mut ticks = cx.settings.number(&TURN);
    loop {
        let listed = listed::run(task, 1..=most, &cx.budget.part(ticks), cx);
        if let Some(verdict) = ended(listed, cx)? {
            return Ok(verdict);
        }
        let drawn = diagrams::run(program, 1..=most, &cx.budget.part(ticks), cx);
        match ended(drawn, cx)? {
            // Threads that run on are seen less of: the listed set may have no error where this one has.
            Some(Verdict::Unknown(_)) if closure::has_chains(&task.model) => {
                return listed::run(task, 1..=most, cx.budget, cx);
            }
            Some(verdict) => return Ok(verdict),
            None => ticks = ticks.saturating_mul(4).max(1),
        }
    }
}

/// What a turn has found, if it came to its end.
fn ended(turn: Result<Verdict, Stop>, cx: &Cx<'_>) -> Result<Option<Verdict>, Stop> {
    match turn {
        // If it is the whole budget that has ended, this says so.
        Err(Stop::Ticks) => cx.budget.spend(0).map(|()| None),
        other => other.map(Some),
    }
}

impl Modular {
    /// A program with calls: its activations are threads. What is proved of these cannot be written in the program's own terms.
    fn run_by_threads(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let task = match recursion::by_threads(task) {
            Ok(task) => task,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        let mut settings = cx.settings.clone();
        settings.set(&[SETTINGS], CERTIFICATE.name, "0").expect("the option is in the table");
        let mut cx = Cx { settings: &settings, events: &mut *cx.events, ..*cx };
        Ok(match self.run(&task, &mut cx)? {
            Verdict::Safe { scope, .. } => {
                cx.events.emit(Event::NoCertificate("the proof is about activations as threads"));
                Verdict::Safe { scope, certificate: None }
            }
            other => other,
        })
    }
}

fn count(cx: &mut Cx<'_>, counters: &[(&'static str, u64)]) {
    for &(name, value) in counters {
        cx.events.emit(Event::Counter { who: "modular", name, value });
    }
}
