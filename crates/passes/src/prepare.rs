//! Runs the passes in their order: code that is never reached is not inlined, and what inlining cuts off is
//! dropped before variables are counted; transition merging comes last, since every other change may make a
//! location visible or invisible.

use crate::c::{ABSORB, FOLD, PROMOTE, RETARGET, SUFFIX, UNROLL};
use crate::cone::restrict_to_cone;
use crate::inline::inline;
use crate::lift::Guided;
use crate::live::mark_dead;
use crate::merging::mark_invisible;
use crate::movers::MOVERS;
use crate::origin::{Origin, Passed};
use crate::unreachable::drop_unreachable;
use base::settings::Allowed;
use base::{Budget, Event, Events, Setting, Settings, Stop};
use ir::bp::Program;

/// The options of the passes.
pub const SETTINGS: &[Setting] = &[
    INLINE,
    INLINE_LIMIT,
    UNREACHABLE,
    CONE,
    LIVE,
    TRANSITION_MERGING,
    MOVERS,
    SUFFIX,
    RETARGET,
    FOLD,
    PROMOTE,
    ABSORB,
    UNROLL,
];

pub(crate) const fn switch(name: &'static str, help: &'static str, paper: &'static str) -> Setting {
    Setting { name, default: "on", allowed: Allowed::Switch, help, paper }
}

pub(crate) const INLINE: Setting = switch("passes.inline", "inline procedures", "S1 §2.2, S3 §3.1");
const INLINE_LIMIT: Setting = Setting {
    name: "passes.inline-limit",
    default: "200000",
    allowed: Allowed::Number { least: 1, most: 100_000_000 },
    help: "inline nothing when that makes more locations than this",
    paper: "",
};
const UNREACHABLE: Setting = switch("passes.unreachable", "drop code that cannot be reached", "");
const CONE: Setting = switch("passes.cone", "drop variables that no condition depends on", "S3 §7.3");
pub(crate) const LIVE: Setting = switch("passes.live", "set locals that are not read again to 0", "");
const TRANSITION_MERGING: Setting = switch(
    "passes.transition_merging",
    "mark invisible locations: their steps may be taken together with the one before",
    "S3 §7.3",
);

type Pass = fn(&Program, &Budget) -> Result<Passed, Stop>;

/// A program made ready for engines.
pub struct Prepared {
    /// The program.
    pub program: Program,
    /// The way back.
    pub lift: Guided,
}

/// The program prepared for the engines. What may call itself, or would make the program too large, is not
/// inlined; all other passes take programs with calls too.
pub fn prepare(
    program: &Program,
    settings: &Settings,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Prepared, Stop> {
    let whole = Passed { program: program.clone(), origin: Origin::identity(program) };
    let mut work = Preparation { settings, budget, passed: whole };
    work.run(&UNREACHABLE, drop_unreachable)?;
    if settings.is_on(&INLINE) && !work.passed.program.is_flat() {
        let most = usize::try_from(settings.number(&INLINE_LIMIT)).unwrap_or(usize::MAX);
        if let Some(inlined) = inline(&work.passed.program, most, budget)? {
            work.take(inlined);
            work.run(&UNREACHABLE, drop_unreachable)?;
        }
    }
    work.run(&CONE, restrict_to_cone)?;
    work.run(&LIVE, mark_dead)?;
    work.run(&TRANSITION_MERGING, mark_invisible)?;
    report(program, &work.passed.program, events);
    let lift = Guided::new(program, &work.passed);
    Ok(Prepared { program: work.passed.program, lift })
}

struct Preparation<'s> {
    settings: &'s Settings,
    budget: &'s Budget,
    passed: Passed,
}

impl Preparation<'_> {
    fn run(&mut self, setting: &Setting, pass: Pass) -> Result<(), Stop> {
        if self.settings.is_on(setting) {
            let passed = pass(&self.passed.program, self.budget)?;
            self.take(passed);
        }
        Ok(())
    }

    fn take(&mut self, passed: Passed) {
        let origin = self.passed.origin.then(&passed.origin);
        self.passed = Passed { origin, ..passed };
    }
}

fn report(original: &Program, prepared: &Program, events: &mut dyn Events) {
    let locations = prepared.locations().iter();
    let dead: usize = locations.clone().map(|location| location.dead.len()).sum();
    let invisible = locations.filter(|location| location.invisible).count();
    let shared = original.shared().len() - prepared.shared().len();
    let locals = original.locals().len() - prepared.locals().len();
    let counters = [
        ("locations of the program", original.locations().len()),
        ("locations prepared", prepared.locations().len()),
        ("shared variables removed", shared),
        ("local variables removed", locals),
        ("dead locals", dead),
        ("invisible locations", invisible),
    ];
    for (name, value) in counters {
        events.emit(Event::Counter { who: "passes", name, value: value as u64 });
    }
}
