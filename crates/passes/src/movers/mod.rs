//! Lipton's reduction on normalised C (CACM 1975): steps that commute with what other threads do are merged
//! with their neighbours into one atomic section, so that fewer interleavings are left. Taking a mutex
//! commutes to the right, giving it back to the left, an access to a scalar that everybody touches with the
//! same mutex held commutes both ways (`kinds`). A section is steps that commute to the right, then one of
//! any kind, then steps that commute to the left and cannot wait (`transactions`); it has no loops.
//!
//! Only `section begin` and `section end` steps are added, so every run of the merged program is one of the
//! original without these steps. `docs/passes.md` says why no error is lost.

mod accesses;
mod kinds;
mod transactions;

use base::settings::Allowed;
use base::{Budget, Id, Setting, Stop};
use c::{Loc, Machine, Op, Program, Step, Trace};
use ir::Lift;
use ir::certificate::Certificate;
use transactions::Transactions;

/// Whether it is done.
pub const MOVERS: Setting = Setting {
    name: "passes.movers",
    default: "auto",
    allowed: Allowed::Word(&["auto", "on", "off"]),
    help: "merge steps of C programs that commute with those of other threads; auto: for the ways for which it pays",
    paper: "Lipton, CACM 1975",
};

/// A program with merged steps, and the way back.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The program.
    pub program: Program,
    original: Program,
    /// By location: the one that it was made from; `None` for the steps that begin and end sections.
    origin: Vec<Option<Loc>>,
}

/// The program with merged steps; `None` if there are none to merge. Programs with calls are left alone.
pub fn merge(program: &Program, budget: &Budget) -> Result<Option<Merged>, Stop> {
    if !program.is_flat() {
        return Ok(None);
    }
    let kinds = kinds::kinds(program, budget)?;
    let transactions = Transactions::new(program, &kinds, budget)?;
    if !transactions.any() {
        return Ok(None);
    }
    Ok(Some(write(program, &transactions)))
}

impl Merged {
    /// The location of the original that a location was made from.
    pub fn origin(&self, loc: Loc) -> Option<Loc> {
        self.origin[loc.index()]
    }

    /// The same run of the original, whose last step fails as that of this one does.
    pub fn steps(&self, steps: &[Step]) -> Vec<Step> {
        let own = |step: &Step| Some(Step { at: self.origin(step.at)?, ..*step });
        steps.iter().filter_map(own).collect()
    }
}

impl Lift for Merged {
    type From = Trace;
    type To = Trace;

    fn trace(&self, trace: Trace) -> Result<Trace, String> {
        let machine = Machine::new(&self.original, trace.options);
        machine.record(&self.steps(&trace.bare())).map_err(|why| format!("step {}: {}", why.at, why.why))
    }

    /// Other threads may stand where sections are no places to stand: a proof is done again without them.
    fn certificate(&self, _: Certificate) -> Option<Certificate> {
        None
    }
}

/// Where jumps to a location of the original lead to.
#[derive(Clone, Copy)]
struct Entry {
    /// From outside of sections: to the step that begins one, or to the location.
    outside: Loc,
    /// From inside: to the step that ends the section, or to the location.
    inside: Loc,
}

fn write(program: &Program, transactions: &Transactions) -> Merged {
    let mut builder = program.edit();
    builder.clear();
    let mut origin = vec![];
    let nowhere = Entry { outside: Loc::from_index(0), inside: Loc::from_index(0) };
    let mut entries = vec![nowhere; program.locations().len()];
    let mut made = vec![];
    for procedure in program.procedures().ids() {
        builder.begin(procedure);
        for loc in program.locations_of(procedure) {
            let location = program.at(loc);
            let first = builder.here();
            if transactions.ends_before(loc) {
                builder.push(procedure, Op::SectionEnd, location.span);
                origin.push(None);
            }
            let outside = builder.here();
            if transactions.begins_at(loc) {
                builder.push(procedure, Op::SectionBegin, location.span);
                origin.push(None);
            }
            made.push(builder.push(procedure, location.op.clone(), location.span));
            origin.push(Some(loc));
            entries[loc.index()] = Entry { outside, inside: first };
        }
        builder.end(procedure);
    }
    for (loc, &at) in program.locations().ids().zip(&made) {
        let target = |to: Loc| match transactions.inside(loc) {
            true => entries[to.index()].inside,
            false => entries[to.index()].outside,
        };
        let (old, new) = (program.at(loc), builder.at(at));
        new.private = old.private;
        if old.op.goes_on() {
            new.next = target(old.next);
        }
        if let Op::Branch { target: to, .. } = &mut new.op {
            *to = target(*to);
        }
    }
    let program_made = builder.finish().expect("sections around steps leave a valid program valid");
    Merged { program: program_made, original: program.clone(), origin }
}
