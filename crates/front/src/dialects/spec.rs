//! Petri nets with transfers, resets and tests in the `.spec` format of mist (Ganty, Raskin, Van Begin).
//! Differs from mist in that a rule is read as the affine map that it writes down: `x' = 2` and `x' = 0` are
//! resets, which mist refuses or ignores.

use super::{spec_rules, spec_text};
use crate::registry::{Failure, Reader, Reading, Request};
use crate::source::Source;
use base::{Arena, Diagnostic, Diagnostics, FileId, Id, SourceMap};
use ir::Net;
use ir::net::{Interval, NetStart, PlaceId, SharedStateId, Target};
use spec_text::{Constraint, SpecText};
use std::sync::Arc;

/// The reader of Petri nets.
pub const READER: Reader = Reader {
    about: "a Petri net",
    extensions: &["spec"],
    recognises: |beginning| beginning.first() == "vars",
    takes_bytes: false,
    options: &[],
    read,
};

fn read(request: &mut Request<'_>) -> Result<Reading, Failure> {
    // Each line is looked at a few times.
    request.budget.spend(request.sources.file(request.file).text().lines().count() as u64)?;
    let (net, warnings) = read_spec(request.sources, request.file)?;
    Ok(Reading { source: Source::Net(Arc::new(net)), warnings, notes: vec![] })
}

/// Reads a net. The findings beside it are warnings.
pub fn read_spec(map: &SourceMap, file: FileId) -> Result<(Net, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut found = Diagnostics::new();
    let spec = spec_text::read(map.file(file).text(), file, &mut found);
    if found.has_errors() && spec.strange {
        return Err(found.into_sorted());
    }
    let rules =
        spec.rules.iter().filter_map(|rule| spec_rules::rule(rule, &spec.places, &mut found)).collect();
    let start = start(&spec, &mut found);
    let groups = spec.targets.iter().flatten();
    let targets: Vec<Target> = groups.map(|group| target(group, &spec, &mut found)).collect();
    if targets.is_empty() && !found.has_errors() {
        let help = "say what must not be reached, such as `x >= 2`";
        found.push(Diagnostic::error("E0529", None, "the section `target` is empty").help(help));
    }
    if found.has_errors() {
        return Err(found.into_sorted());
    }
    let shared = Arena::from_iter(["0".to_string()]);
    match Net::new(shared, spec.places, rules, start, targets) {
        Ok(net) => Ok((net, found.into_sorted())),
        Err(found) => Err(found.into_sorted()),
    }
}

/// Where it starts. mist lets a place that `init` does not mention hold any number of tokens.
fn start(spec: &SpecText, found: &mut Diagnostics) -> NetStart {
    let mut tokens: Vec<Option<Interval>> = vec![None; spec.places.len()];
    for constraint in spec.init.iter().flatten() {
        if tokens[constraint.place.index()].replace(constraint.interval).is_some() {
            twice(constraint, spec, found);
        }
    }
    let unmentioned = |place: &PlaceId| tokens[place.index()].is_none();
    let names: Vec<&str> =
        spec.places.ids().filter(unmentioned).map(|place| spec.places[place].name.as_str()).collect();
    if !names.is_empty() && !found.has_errors() {
        let dots = if names.len() > 5 { ", …" } else { "" };
        let message = format!(
            "`init` does not mention {}{dots}: any number of tokens",
            names[..names.len().min(5)].join(", ")
        );
        let help = "write `x = 0` for a place that starts empty";
        found.push(Diagnostic::warning("W0528", None, message).help(help));
    }
    let tokens = tokens.into_iter().map(|it| it.unwrap_or(Interval::at_least(0))).collect();
    NetStart { shared: SharedStateId::from_index(0), tokens }
}

fn target(group: &[Constraint], spec: &SpecText, found: &mut Diagnostics) -> Target {
    let mut seen = std::collections::HashSet::new();
    for constraint in group {
        if !seen.insert(constraint.place) {
            twice(constraint, spec, found);
        }
    }
    Target { shared: None, places: group.iter().map(|it| (it.place, it.interval)).collect() }
}

fn twice(constraint: &Constraint, spec: &SpecText, found: &mut Diagnostics) {
    let message = format!("`{}` is mentioned twice in one conjunction", spec.places[constraint.place].name);
    found.push(
        Diagnostic::error("E0527", constraint.span, message).help("say it once, as an interval if need be"),
    );
}
