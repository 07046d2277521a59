//! Nets: first with the places merged that need not be told apart, then, where that is no proof, as they are.

use super::listed;
use super::settings::CLASSES;
use crate::closure::places::{self, MergedNet};
use crate::engine::Cx;
use crate::statistics;
use base::{Event, Events, Stop};
use ir::certificate::Body;
use ir::{Certificate, Model, Net, Task, Verdict};
use std::sync::Arc;

/// Closes the net for each width, until one has no error.
pub fn run(task: &Task, net: &Net, most: usize, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    if cx.settings.is_on(&CLASSES)
        && let Some(merged) = places::merge(net, cx.budget)?
        && let Some(verdict) = merged_proof(task, merged, most, cx)?
    {
        return Ok(verdict);
    }
    listed::run(task, 1..=most, cx.budget, cx)
}

/// The proof about the merged net, if there is one.
fn merged_proof(
    task: &Task,
    merged: MergedNet,
    most: usize,
    cx: &mut Cx<'_>,
) -> Result<Option<Verdict>, Stop> {
    let MergedNet { net, classes } = merged;
    let places = classes.iter().map(|class| class.len() as u64 - 1).sum();
    statistics::emit("modular", &[("places merged", places)], cx.events);
    let task = Task { model: Model::Net(Arc::new(net)), ..task.clone() };
    let mut events = WithoutWidths(&mut *cx.events);
    let mut quiet = Cx { events: &mut events, ..*cx };
    let Verdict::Safe { scope, mut certificate } = listed::run(&task, 1..=most, quiet.budget, &mut quiet)?
    else {
        return Ok(None);
    };
    if let Some(Certificate { body: Body::TokenClosure(closure), .. }) = &mut certificate {
        closure.classes = classes;
    }
    Ok(Some(Verdict::Safe { scope, certificate }))
}

/// A merged net without a proof of some width says nothing about the net itself.
struct WithoutWidths<'a>(&'a mut dyn Events);

impl Events for WithoutWidths<'_> {
    fn emit(&mut self, event: Event) {
        if !matches!(event, Event::WidthReached(_)) {
            self.0.emit(event);
        }
    }
}
