//! The engine `modular`: proofs for any number of threads by over-approximating what few of them look like together, with one
//! thread in sight, then two, then three (Cook, Kroening and Sharygina, FMCAD 2006, which is the case of one; [`crate::closure`]
//! says what differs).
//!
//! The tuples of threads are listed first, which is fast where there are few; where that is given up, the same set is computed with
//! decision diagrams over classes of locations ([`crate::closure::symbolic`]), from the width on that was not decided.

mod diagrams;
mod listed;

use crate::closure;
use crate::command;
use crate::engine::{Cx, Engine};
use base::settings::Allowed;
use base::{Event, Setting, Stop};
use ir::{Model, Reason, Task, Verdict, Why};
use listed::Attempt;

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
    help: "write no certificate with more tuples than this",
    paper: "",
};

const SETS: Setting = Setting {
    name: "modular.sets",
    default: "auto",
    allowed: Allowed::Word(&["auto", "explicit", "bdd"]),
    help: "list tuples of threads, or keep them in decision diagrams, or both in this order",
    paper: "",
};

const EXPLICIT_TICKS: Setting = Setting {
    name: "modular.explicit_ticks",
    default: "400000",
    allowed: Allowed::Number { least: 0, most: u64::MAX },
    help: "with `auto`, the ticks after which listing tuples is given up",
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

const SETTINGS: &[Setting] = &[WIDTH, CHAINS, CERTIFICATE, SETS, EXPLICIT_TICKS, CLASSES, MEMORY];

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
            Model::Program(program) => command::require_flat(program),
            Model::Net(_) => Ok(()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        if let Err(reason) = self.accepts(task) {
            return Ok(Verdict::Unknown(Why::Because(reason)));
        }
        let most = usize::try_from(cx.settings.number(&WIDTH)).expect("a small number");
        let Model::Program(program) = &task.model else { return listed::run(task, most, cx) };
        let first = match cx.settings.word(&SETS) {
            "explicit" => return listed::run(task, most, cx),
            "bdd" => 1,
            _ => match listed::attempt(task, most, cx)? {
                Attempt::Decided(verdict) => return Ok(verdict),
                Attempt::GaveUp(width) => width,
            },
        };
        diagrams::run(program, first..=most, cx)
    }
}

fn count(cx: &mut Cx<'_>, counters: &[(&'static str, u64)]) {
    for &(name, value) in counters {
        cx.events.emit(Event::Counter { who: "modular", name, value });
    }
}
