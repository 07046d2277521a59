//! Runs the passes in their order: code that is never reached is not inlined, and what inlining cuts off is dropped before variables are
//! counted; chains come last, since every other change may make or break one.

use crate::chains::mark_silent;
use crate::cone::restrict_to_cone;
use crate::inline::inline;
use crate::lift::{Lifts, ProgramLift};
use crate::live::mark_dead;
use crate::unreachable::drop_unreachable;
use base::settings::Allowed;
use base::{Event, Events, Setting, Settings};
use ir::Reason;
use ir::bp::Program;

/// The options of the passes.
pub const SETTINGS: &[Setting] = &[INLINE, INLINE_LIMIT, UNREACHABLE, CONE, LIVE, CHAINS];

const fn switch(name: &'static str, help: &'static str, paper: &'static str) -> Setting {
    Setting { name, default: "on", allowed: Allowed::Switch, help, paper }
}

const INLINE: Setting = switch("passes.inline", "inline procedures", "S1 §2.2, S3 §3.1");
const INLINE_LIMIT: Setting = Setting {
    name: "passes.inline-limit",
    default: "200000",
    allowed: Allowed::Number { least: 1, most: 100_000_000 },
    help: "give up when inlining makes more locations than this",
    paper: "",
};
const UNREACHABLE: Setting = switch("passes.unreachable", "drop code that cannot be reached", "");
const CONE: Setting = switch("passes.cone", "drop variables that no condition depends on", "S3 §7.3");
const LIVE: Setting = switch("passes.live", "set locals that are not read again to 0", "");
const CHAINS: Setting = switch("passes.chains", "run threads on where nobody can tell", "S3 §7.3");

type Pass = fn(&Program) -> (Program, Box<ProgramLift>);

/// The program prepared for the engines, and the way back; or why procedures cannot be inlined.
pub fn prepare(
    program: &Program,
    settings: &Settings,
    events: &mut dyn Events,
) -> Result<(Program, Lifts), Reason> {
    let mut work = Preparation { settings, program: program.clone(), lifts: Lifts::default() };
    work.run(&UNREACHABLE, drop_unreachable);
    if settings.is_on(&INLINE) && !work.program.is_flat() {
        let most = usize::try_from(settings.number(&INLINE_LIMIT)).unwrap_or(usize::MAX);
        let inlined = inline(&work.program, most)?;
        work.take(inlined);
        work.run(&UNREACHABLE, drop_unreachable);
    }
    work.run(&CONE, restrict_to_cone);
    work.run(&LIVE, mark_dead);
    work.run(&CHAINS, mark_silent);
    report(program, &work.program, events);
    Ok((work.program, work.lifts))
}

struct Preparation<'s> {
    settings: &'s Settings,
    program: Program,
    lifts: Lifts,
}

impl Preparation<'_> {
    fn run(&mut self, setting: &Setting, pass: Pass) {
        if self.settings.is_on(setting) {
            self.take(pass(&self.program));
        }
    }

    fn take(&mut self, (program, lift): (Program, Box<ProgramLift>)) {
        self.program = program;
        self.lifts.push(lift);
    }
}

fn report(original: &Program, prepared: &Program, events: &mut dyn Events) {
    let locations = prepared.locations().iter();
    let dead: usize = locations.clone().map(|location| location.dead.len()).sum();
    let silent = locations.filter(|location| location.silent).count();
    let shared = original.shared().len() - prepared.shared().len();
    let locals = original.locals().len() - prepared.locals().len();
    let counters = [
        ("locations of the program", original.locations().len()),
        ("locations prepared", prepared.locations().len()),
        ("shared variables removed", shared),
        ("local variables removed", locals),
        ("dead locals", dead),
        ("silent locations", silent),
    ];
    for (name, value) in counters {
        events.emit(Event::Counter { who: "passes", name, value: value as u64 });
    }
}
