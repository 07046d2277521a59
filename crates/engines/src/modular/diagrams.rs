//! The closure as decision diagrams.

use super::settings::{CERTIFICATE, CLASSES, MEMORY};
use crate::certificate;
use crate::closure::Mode;
use crate::closure::diagrams::{self, Classes, Closed, Statistics};
use crate::command::Commands;
use crate::encoding::Encoding;
use crate::engine::Cx;
use crate::options;
use crate::statistics;
use base::{Budget, Event, Progress, Stop};
use ir::bp::Program;
use ir::{Scope, Verdict, Why};
use std::ops::RangeInclusive;

/// Closes the program for each of these widths, until one has no error.
pub fn run(
    program: &Program,
    widths: RangeInclusive<usize>,
    budget: &Budget,
    cx: &mut Cx<'_>,
) -> Result<Verdict, Stop> {
    let commands = match Commands::new(program) {
        Ok(commands) => commands,
        Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
    };
    let limits = options::limits(cx.settings, &MEMORY);
    let mut encoded = diagrams::encode(program, commands, *widths.end(), limits, budget)?;
    for width in widths {
        let classes = match cx.settings.is_on(&CLASSES) {
            true => Classes::coarse(&encoded),
            false => Classes::single(&encoded),
        };
        let (closed, statistics) =
            diagrams::close(&mut encoded, classes, Mode::until_error(width), budget, cx.events)?;
        report(width, &encoded, &closed, &statistics, cx);
        if closed.error.is_none() {
            let most = options::size(cx.settings, &CERTIFICATE);
            // The answer stands without its certificate: a budget that ends meanwhile only leaves it
            // unchecked.
            let limited = cx.budget.evidence();
            let proof = diagrams::certificate(&mut encoded, &closed, &[], most, &limited).unwrap_or(None);
            if proof.is_none() {
                cx.events.emit(Event::NoCertificate("its formulas are too large"));
            }
            return Ok(certificate::safe(Scope::ANY, proof));
        }
        cx.events.emit(Event::WidthReached(width as u32));
    }
    Ok(Verdict::Unknown(Why::Suspect(None)))
}

fn report(width: usize, encoded: &Encoding<'_>, closed: &Closed, statistics: &Statistics, cx: &mut Cx<'_>) {
    let tuples = closed.sets.len();
    cx.events.emit(Event::Progress(Progress::ClosedClasses { width, tuples }));
    let nodes = encoded.manager.node_count(closed.sets.iter().map(|it| it.1));
    let counters = [
        ("width", width as u64),
        ("classes of locations", closed.classes.len() as u64),
        ("classes split", statistics.splits),
        ("tuples of classes", closed.sets.len() as u64),
        ("images", statistics.images),
        ("nodes", nodes as u64),
        ("peak nodes", statistics.peak_nodes),
    ];
    statistics::emit("modular", &counters, cx.events);
}
