//! What is said where there was nothing to check, or where an assertion holds because no run reaches it.

use crate::check::Report;
use base::Diagnostic;
use front::error_labels;
use ir::Model;

/// The most assertions that are warned of one by one.
const MOST: usize = 20;

/// The findings about what there was to check.
pub fn findings(report: &Report) -> Vec<Diagnostic> {
    let mut found = vec![];
    let model = report.source.as_ref().map(front::Source::model);
    // The reader of C says it itself.
    if report.properties.is_empty() && !matches!(model, Some(Model::C(_)) | None) {
        let message = "there is nothing to check: no assertion, no error label, no target";
        let help = "an error label is named with --error-label; `SLIC_ERROR` always is one";
        found.push(Diagnostic::warning("W0801", None, message).help(help));
    }
    found.extend(unnamed_labels(report));
    let unreached = &report.vacuity.unreached;
    for &index in unreached.iter().take(MOST) {
        let message = "no run reaches this assertion: it holds whatever it says";
        found.push(Diagnostic::warning("W0803", report.properties[index].span, message));
    }
    if unreached.len() > MOST {
        let message = format!("{} more assertions are reached by no run", unreached.len() - MOST);
        found.push(Diagnostic::warning("W0803", None, message));
    }
    let unknown = report.vacuity.unknown.len();
    if unknown > 0 {
        let all = counted(report.properties.len(), "property", "properties");
        let message = format!(
            "it is not known whether a run reaches {}, of {all}",
            counted(unknown, "assertion", "assertions")
        );
        let place = (unknown == 1).then(|| report.properties[report.vacuity.unknown[0]].span).flatten();
        found.push(Diagnostic::warning("W0804", place, message));
    }
    found
}

/// A label that looks like one of an error, and that nobody has named. The reader of C says it itself.
fn unnamed_labels(report: &Report) -> Option<Diagnostic> {
    let Some(Model::Program(program)) = report.source.as_ref().map(front::Source::model) else { return None };
    let plain = program.locations().iter().filter(|it| !it.error);
    let looks = |label: &&String| error_labels::looks_like_error(label);
    let mut labels = plain.filter_map(|it| Some((it.labels.iter().find(looks)?, it.span)));
    let (label, span) = labels.next()?;
    Some(error_labels::unnamed(label, span))
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
