//! The engine `modular`: proofs for any number of threads by over-approximating what few of them look like together, with one
//! thread in sight, then two, then three (Cook, Kroening and Sharygina, FMCAD 2006, which is the case of one; [`crate::closure`]
//! says what differs).

use crate::closure::{self, Closure, Mode};
use crate::command;
use crate::engine::{Cx, Engine};
use crate::facts::Key;
use base::settings::Allowed;
use base::{Event, Setting, Stop};
use ir::certificate::Body;
use ir::{Certificate, Model, Reason, Scope, Task, Verdict, Why};

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

const SETTINGS: &[Setting] = &[WIDTH, CHAINS, CERTIFICATE];

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
        let mut system = match closure::system(&task.model, cx.settings.is_on(&CHAINS)) {
            Ok(system) => system,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        let most = usize::try_from(cx.settings.number(&WIDTH)).expect("a small number");
        let chains = cx.settings.is_on(&CHAINS);
        for width in 1..=most {
            // Only closures that leave an error open are posted.
            if cx.facts.get(Key::Closure { width, chains }).is_some() {
                continue;
            }
            let mode = Mode { width, stop_at_error: true, most_tuples: usize::MAX };
            let closed = closure::close(&mut system, mode, cx.budget, cx.events)?;
            let closed = closed.expect("there is no limit to the tuples");
            report(width, &closed, system.rule_count(), cx);
            if !closed.is_safe() {
                cx.events.emit(Event::WidthReached(width as u32));
            }
            if closed.is_safe() {
                // The answer stands without its certificate: a budget that ends meanwhile only leaves it unchecked.
                let body = certify(task, width, cx).unwrap_or(None);
                let certificate = body.map(|body| Certificate { scope: Scope::ANY, body });
                return Ok(Verdict::Safe { scope: Scope::ANY, certificate });
            }
        }
        Ok(Verdict::Unknown(Why::Suspect(None)))
    }
}

/// The set closed without running on, which is what a checker can follow; it may be wider, because more threads get between.
fn certify(task: &Task, width: usize, cx: &mut Cx<'_>) -> Result<Option<Body>, Stop> {
    let most_tuples = usize::try_from(cx.settings.number(&CERTIFICATE)).unwrap_or(usize::MAX);
    let Ok(mut system) = closure::system(&task.model, false) else { return Ok(None) };
    let most = usize::try_from(cx.settings.number(&WIDTH)).expect("a small number");
    for width in width..=most {
        let mode = Mode { width, stop_at_error: true, most_tuples };
        let Some(closed) = closure::close(&mut system, mode, cx.budget, cx.events)? else { return Ok(None) };
        if closed.is_safe() {
            return Ok(Some(closure::certificate(&system, &closed.tuples, &[], cx.budget)?));
        }
    }
    Ok(None)
}

fn report(width: usize, closed: &Closure, rules: usize, cx: &mut Cx<'_>) {
    let [singles, pairs, larger] = closed.tuples.sizes();
    cx.events.emit(Event::Progress(format!("width {width}: {} tuples", singles + pairs + larger)));
    let counters = [
        ("width", width),
        ("thread states", singles),
        ("pairs", pairs),
        ("larger tuples", larger),
        ("rules", rules),
    ];
    for (name, value) in counters {
        cx.events.emit(Event::Counter { who: "modular", name, value: value as u64 });
    }
}
