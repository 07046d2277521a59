//! A proof by predicates as a correctness witness 2.1: what holds of the global variables where statements
//! begin, and who has which mutex as ghost variables. Rows lose what cannot be said in C there, which makes
//! them weaker; our own certificate stays the evidence.

use super::condition::Condition;
use super::ghosts::{self, Ghost};
use super::metadata::Metadata;
use super::places::{Location, Spot, Texts};
use super::property;
use super::yaml::{quoted, write_location};
use ::c::{Loc, ObjectScope, Program};
use base::Budget;
use ir::c::Model;
use ir::certificate::{Body, Predicates};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use verify::Report;

/// An invariant with more rows than this helps nobody.
const ROWS: usize = 16;

/// How the predicate ends that says whether a mutex is locked, by anybody or by the thread itself.
const TAKEN: &str = ".taken";
const MINE: &str = ".mine";

/// A condition that holds at a place.
struct Invariant {
    location: Location,
    /// Whether it holds whenever the loop there is at its condition, or before the statement.
    of_loop: bool,
    value: String,
}

/// The witness of a proof that was confirmed.
pub fn proof(report: &Report, model: &Arc<Model>, metadata: &Metadata) -> Option<String> {
    let proof = report.outcome()?.proof().filter(|it| it.is_confirmed())?;
    let certificate = proof.certificate()?;
    let texts = Texts::new(&report.sources, &model.program);
    let ghosts = ghosts::of(&texts);
    let mut invariants = vec![];
    if let Body::Predicates(by) = &certificate.body {
        // The proof is about what the passes made of the program.
        let passed = verify::after_passes(model, &certificate.passes, &Budget::unlimited());
        if let Some(passed) = passed {
            let texts = Texts::new(&report.sources, &passed.program);
            invariants = Teller { texts, by, ghosts: &ghosts, source: &model.program }.invariants(&passed);
        }
    }
    if invariants.is_empty() {
        invariants.extend(anything(&texts, model));
    }
    let is_used = |it: &&Ghost| invariants.iter().any(|invariant| invariant.value.contains(&it.name));
    let ghosts: Vec<&Ghost> = ghosts.iter().filter(is_used).collect();
    let formula = property::lines(model);
    let mut out = String::new();
    if !ghosts.is_empty() {
        let content = ghosts::content(&ghosts);
        let entry = metadata.yaml("2.1", &formula, &content);
        let _ = write!(out, "- entry_type: ghost_instrumentation\n{entry}  content:\n{content}");
    }
    let content: String = invariants.iter().map(written).collect();
    let entry = metadata.yaml("2.1", &formula, &content);
    let _ = write!(out, "- entry_type: invariant_set\n{entry}  content:\n{content}");
    Some(out)
}

fn written(invariant: &Invariant) -> String {
    let kind = if invariant.of_loop { "loop_invariant" } else { "location_invariant" };
    let mut out = format!("  - invariant:\n      type: {kind}\n");
    write_location(&mut out, "      ", &invariant.location);
    let _ = writeln!(out, "      value: {}", quoted(&invariant.value));
    let _ = writeln!(out, "      format: c_expression");
    out
}

/// What holds of every program: an empty list is no witness.
fn anything(texts: &Texts<'_>, model: &Model) -> Option<Invariant> {
    let all = texts.in_function("main", model.file);
    let first = all.iter().find(|it| it.repeats).or(all.first())?;
    let location = texts.location(Spot { file: model.file, anchor: first.anchor });
    Some(Invariant { location, of_loop: first.repeats, value: "1".to_string() })
}

struct Teller<'a> {
    texts: Texts<'a>,
    by: &'a Predicates,
    ghosts: &'a [Ghost],
    /// The program as it was written.
    source: &'a Program,
}

impl Teller<'_> {
    fn invariants(&self, passed: &Model) -> Vec<Invariant> {
        let words = verify::predicates::predicates(self.by, Some(passed));
        // That a thread has a mutex itself says that it is locked.
        let sayable = |it: &&verify::predicates::Predicate| it.class == "shared" || it.text.ends_with(MINE);
        let conditions: Vec<Option<Conditions>> =
            words.iter().map(|it| Some(it).filter(sayable).and_then(|it| self.condition(&it.text))).collect();
        let mut found = vec![];
        for (spot, entries) in self.entries(&passed.program) {
            let span = base::Span { file: spot.file, start: spot.anchor, end: spot.anchor };
            let Some(statement) = self.texts.statement(span).filter(|it| it.anchor == it.start) else {
                continue;
            };
            // At the condition of `for` more has happened than before the statement.
            let text = self.texts.sources.file(spot.file).text();
            if statement.repeats && !text[statement.start as usize..].starts_with("while") {
                continue;
            }
            if let Some(value) = self.at(&entries, &conditions) {
                let location = self.texts.location(spot);
                found.push(Invariant { location, of_loop: statement.repeats, value });
            }
        }
        found
    }

    /// Where control comes to statements from elsewhere, all copies of a statement together.
    fn entries(&self, program: &Program) -> BTreeMap<Spot, BTreeSet<Loc>> {
        let spot = |at: Loc| {
            let span = program.at(at).span.filter(|it| self.texts.statement(*it).is_some())?;
            Some(self.texts.spot(span))
        };
        let mut entries: BTreeMap<Spot, BTreeSet<Loc>> = BTreeMap::new();
        let mut enter = |at: Loc, from: Option<Loc>| {
            if let Some(here) = spot(at).filter(|here| from.is_none_or(|it| spot(it) != Some(*here))) {
                entries.entry(here).or_default().insert(at);
            }
        };
        for procedure in program.procedures().iter() {
            enter(procedure.entry, None);
        }
        for (from, _) in program.locations().enumerate() {
            program.successors(from).into_iter().for_each(|at| enter(at, Some(from)));
        }
        entries
    }

    /// What holds when a thread stands at one of these places.
    fn at(&self, entries: &BTreeSet<Loc>, conditions: &[Option<Conditions>]) -> Option<String> {
        let (relation, proof) = (&self.by.relation, &self.by.proof);
        let mut rows: BTreeSet<String> = BTreeSet::new();
        for &entry in entries {
            let mut controls =
                relation.controls.enumerate().filter(|(_, it)| it.loc == entry && it.phase == 0).peekable();
            // Where no control stands something was merged, and nothing is known in the middle of it.
            controls.peek()?;
            for (control, _) in controls {
                // Nobody ever stands where the proof has no table.
                let Some(single) = proof.singles.iter().find(|it| it.control == control) else { continue };
                for row in &single.table.rows {
                    let conjuncts = single.table.columns.iter().zip(row).filter_map(|(column, value)| {
                        let condition = conditions.get(column.predicate()?)?.as_ref()?;
                        if (*value)? { condition.holds.clone() } else { condition.fails.clone() }
                    });
                    let conjuncts: BTreeSet<String> = conjuncts.collect();
                    if conjuncts.is_empty() {
                        return None;
                    }
                    rows.insert(conjuncts.into_iter().collect::<Vec<_>>().join(" && "));
                }
            }
        }
        let brackets = rows.len() > 1;
        let rows: Vec<String> =
            rows.into_iter().map(|it| if brackets { format!("({it})") } else { it }).collect();
        (1..=ROWS).contains(&rows.len()).then(|| rows.join(" || "))
    }

    /// A predicate as it can be said anywhere in the program, and its opposite; nothing, if neither can.
    fn condition(&self, text: &str) -> Option<Conditions> {
        for (end, opposite) in [(TAKEN, true), (MINE, false)] {
            let ghost = self.ghosts.iter().find(|it| text.strip_suffix(end) == Some(&it.mutex));
            if let Some(ghost) = ghost {
                let fails = opposite.then(|| format!("{} == 0", ghost.name));
                return Some(Conditions { holds: Some(format!("{} != 0", ghost.name)), fails });
            }
        }
        let condition = Condition::read(text).ok()?;
        let names = condition.names();
        let global = names.iter().all(|it| self.is_global(it));
        global.then(|| Conditions { holds: Some(format!("({text})")), fails: Some(format!("!({text})")) })
    }

    /// Whether a name means the same global variable wherever it is used.
    fn is_global(&self, name: &str) -> bool {
        let stem = name.split(['.', '[']).next().unwrap_or_default();
        let objects = self.source.objects().iter().filter(|it| it.name == stem);
        let scopes: Vec<ObjectScope> = objects.map(|it| it.scope).collect();
        let shadowed = self.source.locals().iter().any(|it| it.name == stem);
        scopes == [ObjectScope::Static] && !shadowed && self.texts.is_declared_outside(stem)
    }
}

/// A predicate in C, where it holds and where it does not.
struct Conditions {
    holds: Option<String>,
    fails: Option<String>,
}
