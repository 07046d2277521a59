//! What was proved, how, and how to check it: for C with the predicates and invariants, as conditions of C.

use super::Invocation;
use super::places::{PageFiles, PagePlace};
use crate::noun::Noun;
use crate::{properties, verdict};
use base::Budget;
use ir::certificate::{Body, TokenClosure};
use ir::property::{DEADLOCK, LEAK, MEMORY, OVERFLOW, RACE};
use ir::{Certificate, Class, Model};
use serde::Serialize;
use std::sync::Arc;
use verify::predicates::{Invariant, invariants, wait_order};
use verify::{Checker, Outcome, Proof, Report, Source};

/// What running the passes again may cost, which only tells where invariants stand.
const PASSES_TICKS: u64 = 50_000_000;

/// A proof.
#[derive(Serialize)]
pub struct PageProof {
    scope: String,
    engines: Vec<ProvingEngine>,
    extent: Option<String>,
    kind: Option<&'static str>,
    /// Who confirmed it.
    checker: Option<&'static str>,
    /// Why nobody did.
    unchecked: Option<String>,
    bytes: Option<usize>,
    /// The commands that check it.
    commands: Vec<String>,
    passes: Vec<String>,
    pairs: Option<String>,
    predicates: Vec<ProvedPredicate>,
    invariants: Vec<PlacedInvariant>,
    /// What threads wait for, in an order that none goes against.
    order: Vec<String>,
}

#[derive(Serialize)]
struct ProvingEngine {
    name: &'static str,
    about: &'static str,
}

#[derive(Serialize)]
struct ProvedPredicate {
    text: String,
    class: &'static str,
    /// The places whose invariants speak of it.
    places: Vec<PagePlace>,
}

#[derive(Serialize)]
struct PlacedInvariant {
    place: PagePlace,
    thread: String,
    always: Vec<String>,
    cases: Vec<Vec<String>>,
}

/// The proof of a safe report.
pub fn proof(report: &Report, invocation: &Invocation, files: &mut PageFiles<'_>) -> Option<PageProof> {
    let answer = report.answer.as_ref()?;
    let Outcome::Safe { scope, proof } = &answer.outcome else { return None };
    let certificate = proof.certificate();
    let mut page = PageProof {
        scope: Noun::of(report).scope(*scope),
        engines: [answer.way, answer.engine.filter(|it| Some(*it) != answer.way)]
            .into_iter()
            .flatten()
            .map(engine)
            .collect(),
        extent: certificate.and_then(|it| verdict::extent(&it.body)),
        kind: certificate.map(|it| kind(&it.body)),
        checker: proof.checker().map(checker),
        unchecked: proof.why_unchecked().map(str::to_string),
        bytes: None,
        commands: vec![],
        passes: certificate.map(|it| it.passes.clone()).unwrap_or_default(),
        pairs: answer.separated.map(|it| {
            let pairs = verdict::counted(it.pairs, "pair");
            format!("{pairs} of accesses kept apart, {} of them by locks", it.by_locks)
        }),
        predicates: vec![],
        invariants: vec![],
        order: vec![],
    };
    if let (Some(certificate), Some(model)) = (certificate, report.source.as_ref().map(Source::model)) {
        page.bytes = Some(ir::certificate::text::write(certificate, &model).len());
        page.commands = commands(report, proof, invocation);
        if let Model::C(model) = model {
            page.about_c(certificate, &model, files);
        }
    }
    Some(page)
}

impl PageProof {
    fn about_c(&mut self, certificate: &Certificate, model: &Arc<ir::c::Model>, files: &mut PageFiles<'_>) {
        let budget = Budget::with_ticks(PASSES_TICKS);
        self.order = wait_order(certificate, model, &budget);
        let Body::Predicates(by) = &certificate.body else { return };
        let all = verify::predicates::predicates(by, Some(model));
        self.predicates = all
            .into_iter()
            .map(|it| ProvedPredicate { text: it.text, class: it.class, places: vec![] })
            .collect();
        for it in invariants(certificate, model, &budget) {
            let Some(place) = it.span.and_then(|span| files.place(span)) else { continue };
            let Invariant { thread, always, cases, .. } = it;
            for predicate in it.predicates {
                if let Some(predicate) = self.predicates.get_mut(predicate) {
                    predicate.places.push(place);
                }
            }
            if !always.is_empty() || !cases.is_empty() {
                self.invariants.push(PlacedInvariant { place, thread, always, cases });
            }
        }
    }
}

/// The sentence at the top of the page.
pub fn claim(report: &Report) -> String {
    if let Some(nothing) = properties::remark_on_nothing(report) {
        return format!("{}{}", nothing[..1].to_uppercase(), &nothing[1..]);
    }
    let only = |class: Class| report.properties.iter().all(|it| it.class == class);
    let what = [
        (Class::ASSERTION, "No assertion fails"),
        (Class::ERROR_CALL, "No error is reached"),
        (Class::ERROR_LABEL, "No error is reached"),
        (RACE, "There is no data race"),
        (DEADLOCK, "There is no deadlock"),
        (MEMORY, "No access to memory is invalid"),
        (OVERFLOW, "No signed overflow happens"),
        (LEAK, "No memory leaks"),
    ];
    let what = what.into_iter().find(|(class, _)| only(*class)).map_or("Nothing goes wrong", |it| it.1);
    let Some(Outcome::Safe { scope, .. }) = report.outcome() else { return what.to_string() };
    format!("{what}, with {}", Noun::of(report).scope(*scope))
}

fn engine(name: &'static str) -> ProvingEngine {
    let mut all = verify::engines().iter().chain(verify::c::engines());
    ProvingEngine { name, about: all.find(|it| it.name() == name).map_or("", |it| it.about()) }
}

fn checker(by: Checker) -> &'static str {
    match by {
        Checker::Kernel => {
            "the kernel, which goes through what the certificate lists by itself and knows no solver"
        }
        Checker::Formulas => {
            "the checker of formulas, whose questions are asked anew; each refutation is proved and the proof checked"
        }
    }
}

/// What a certificate is.
fn kind(body: &Body) -> &'static str {
    match body {
        Body::Reached(_) => "all reachable states",
        Body::Symbolic(_) => "all reachable states, as formulas",
        Body::ReachedMarkings(_) => "all reachable markings",
        Body::Closure(_) => "what few threads look like together",
        Body::ClassClosure(_) => "what few threads look like together, as formulas",
        Body::TokenClosure(TokenClosure { .. }) => "what few tokens look like together",
        Body::Summaries(_) => "what threads look like, activation by activation",
        Body::Game(_) => "an adequacy game that is won",
        Body::Predicates(_) => "an invariant over predicates",
        Body::Order(_) => "an order of what threads wait for, and an invariant",
        Body::States(_) => "all states, counted",
    }
}

/// The commands that check the proof on its own; the first writes the certificate, if none was written.
fn commands(report: &Report, proof: &Proof, invocation: &Invocation) -> Vec<String> {
    if proof.certificate().is_none() || invocation.command.is_empty() {
        return vec![];
    }
    let mut commands = vec![];
    let certificate = invocation.certificate.clone().unwrap_or_else(|| {
        let name = "certificate.txt".to_string();
        let words = invocation.command.iter().cloned().chain(["--certificate".to_string(), name.clone()]);
        commands.push(super::quoted(&words.collect::<Vec<_>>()));
        name
    });
    let confirm = ["selvedge", "confirm", &report.name, &certificate].map(str::to_string);
    let words: Vec<String> = confirm.into_iter().chain(invocation.confirm.iter().cloned()).collect();
    commands.push(super::quoted(&words));
    commands
}
