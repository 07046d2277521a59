//! Accepted programs go the whole way under a small budget: passes, the engine `explicit`, back through the
//! lifts, and the checker. No panic on the way, and the checker agrees with what comes out.

use crate::{accepted, options};
use base::{Budget, NoEvents, Settings};
use engines::{Cx, Engine, Explicit, Facts};
use ir::bp::Program;
use ir::{Model, ReasonKind, Scope, Task};
use std::sync::Arc;
use verify::Outcome;

/// What engine and checker may spend.
const TICKS: u64 = 3_000;

/// One byte of settings, then what the target `program` takes. Of the settings, the two lowest bits are the
/// number of threads (0: any), then one bit each turns off inlining, cone, live variables, transition
/// merging, reduction, symmetry.
pub fn pipeline(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let Some((options, text)) = options(rest) else { return };
    let Some(program) = accepted(text, &options) else { return };
    let scope = if first & 3 == 0 { Scope::ANY } else { Scope::threads(u32::from(first & 3)) };
    let task = Task::new(Model::Program(Arc::new(program.clone())), scope);
    let outcome = answer(&task, &program, &settings(first));
    if let Some(Outcome::Unknown(reason)) = outcome {
        let bad = matches!(reason.kind, ReasonKind::Rejected | ReasonKind::Fault);
        assert!(!bad, "{}: {}", reason.kind.word(), reason.message);
    }
}

fn settings(bits: u8) -> Settings {
    let mut settings = Settings::default();
    let mut set = |name: &str, value: &str| {
        verify::set(&mut settings, name, value).expect("the option is in the tables");
    };
    // Small inputs grow exponentially when they are inlined.
    set("passes.inline-limit", "3000");
    const OFF: [&str; 6] = [
        "passes.inline",
        "passes.cone",
        "passes.live",
        "passes.transition_merging",
        "explicit.reduction",
        "explicit.symmetry",
    ];
    for (at, name) in OFF.iter().enumerate() {
        if bits >> (at + 2) & 1 == 1 {
            set(name, "off");
        }
    }
    settings
}

/// What may be told about the task; nothing where the engine does not take it or its budget ends.
fn answer(task: &Task, program: &Program, settings: &Settings) -> Option<Outcome> {
    let prepared = passes::prepare(program, settings, &Budget::unlimited(), &mut NoEvents).ok()?;
    let requested = Task { model: Model::Program(Arc::new(prepared.program)), ..task.clone() };
    Explicit.accepts(&requested).ok()?;
    let (budget, facts) = (Budget::with_ticks(TICKS), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings, seed: 0 };
    let verdict = Explicit.run(&requested, &mut cx).ok()?;
    Some(verify::judge(task, Some(&prepared.lift), verdict, &Budget::with_ticks(TICKS), |_| {}).outcome)
}
