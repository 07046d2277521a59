//! An answer as results: a failing run as one with its flows, what holds and what is not known as one for
//! each rule that was requested about.

use super::flows;
use super::places::Places;
use super::rules;
use crate::trace::states::{self, StateNames};
use crate::verdict;
use ::c::{AccessKind, FailureKind, Place};
use base::Span;
use base::class::Rule;
use ir::{Model, Property, Trace};
use serde_json::{Value, json};
use verify::{Answer, Outcome, Report, Run, Source};

/// Makes results of answers about one file.
pub struct Results<'a> {
    /// What is known about the file.
    pub report: &'a Report,
    /// Its places.
    pub places: &'a Places<'a>,
    /// Whether what holds is a result, too.
    pub pass: bool,
}

/// A run into an error of a C program.
pub struct FailingRun<'a> {
    /// The program.
    pub model: &'a ir::c::Model,
    /// The run.
    pub trace: &'a ::c::Trace,
    /// The states that it goes through.
    pub states: &'a [::c::State],
}

/// A place with what is said of it.
struct Remark {
    span: Option<Span>,
    function: Option<String>,
    says: String,
}

impl Results<'_> {
    /// The results of an answer about some properties.
    pub fn of(&self, answer: &Answer, properties: &[Property]) -> Vec<Value> {
        let words = verdict::of(self.report, answer);
        match &answer.outcome {
            Outcome::Unsafe { property, trace, run, .. } => {
                vec![self.failing(&words, property, trace, run)]
            }
            Outcome::Safe { .. } if !self.pass => vec![],
            Outcome::Safe { .. } => self.settled("pass", &words, properties),
            Outcome::Unknown(_) => self.settled("open", &words, properties),
        }
    }

    fn settled(&self, kind: &str, words: &str, properties: &[Property]) -> Vec<Value> {
        let mut requested: Vec<&'static Rule> = vec![];
        for property in properties {
            let rule = property.class.rule();
            if !requested.contains(&rule) {
                requested.push(rule);
            }
        }
        let one = |rule: &Rule| {
            let mut result = self.result(rule, kind, words);
            result["level"] = json!("none");
            result["locations"] = json!([{ "physicalLocation": self.places.file() }]);
            result
        };
        requested.into_iter().map(one).collect()
    }

    fn result(&self, rule: &Rule, kind: &str, words: &str) -> Value {
        let (_, says) = words.split_once(": ").unwrap_or(("", words));
        let mut result = json!({ "ruleId": rule.id, "kind": kind, "message": { "text": says } });
        if let Some(index) = rules::index(rule) {
            result["ruleIndex"] = json!(index);
        }
        result
    }

    fn failing(&self, words: &str, property: &Property, trace: &Trace, run: &Run) -> Value {
        let model = self.report.source.as_ref().map(Source::model);
        let c = match (&model, trace, run) {
            (Some(Model::C(model)), Trace::C(trace), Run::C(states)) => {
                Some(FailingRun { model, trace, states })
            }
            _ => None,
        };
        let failure = c.as_ref().map(|it| &it.trace.failure);
        let writes = c.as_ref().is_some_and(FailingRun::writes);
        let (rule, entry) = rules::of_failure(property, failure, writes);
        let mut result = self.result(rule, "fail", words);
        result["level"] = json!("error");
        if let Some(entry) = entry {
            result["taxa"] = json!([rules::entry(entry)]);
        }
        let remarks = match &c {
            Some(c) => self.of_c(c),
            None => vec![Remark { span: property.span, function: None, says: String::new() }],
        };
        self.place(&mut result, rule, property, &remarks);
        let flows = match &c {
            Some(c) => flows::of_c(self.places, c),
            None => flows::of_story(self.places, self.report),
        };
        result["codeFlows"] = json!([flows]);
        result
    }

    /// Where it is: the first remark is the result's own place.
    fn place(&self, result: &mut Value, rule: &Rule, property: &Property, remarks: &[Remark]) {
        let first = remarks.first();
        let mut location = json!({ "physicalLocation": first
            .and_then(|it| it.span)
            .and_then(|span| self.places.physical(span))
            .unwrap_or_else(|| self.places.file()) });
        if let Some(function) = first.and_then(|it| it.function.as_ref()) {
            location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
        }
        result["locations"] = json!([location]);
        let others = remarks.iter().skip(1).filter_map(|it| Some((it, self.places.physical(it.span?)?)));
        let related: Vec<Value> = others.enumerate().map(|(at, (it, place))| {
            json!({ "id": at + 1, "message": { "text": it.says }, "physicalLocation": place })
        }).collect();
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        let mut places: Vec<String> = remarks.iter().map(|it| self.places.fingerprint(it.span)).collect();
        places.sort();
        let object = remarks.first().map_or("", |it| it.says.as_str());
        let object = if object.is_empty() { property.text.as_str() } else { object };
        let fingerprint = [&[rule.id.to_string(), object.to_string()][..], &places].concat().join("|");
        result["partialFingerprints"] = json!({ "selvedge/v1": fingerprint });
    }

    /// The places of a failure; what is said of the first names what it is about.
    fn of_c(&self, run: &FailingRun<'_>) -> Vec<Remark> {
        let Some(state) = run.states.last() else { return vec![] };
        let sources = &self.report.sources;
        let names = StateNames { sources, program: &run.model.program, state };
        let at = |thread, loc| names.span(thread, loc);
        let failure = &run.trace.failure;
        match &failure.kind {
            FailureKind::Race(race) => {
                let object = names.object(&race.accesses[0].access);
                let mut remarks: Vec<Remark> = race
                    .accesses
                    .iter()
                    .map(|it| Remark {
                        span: at(it.thread, it.at),
                        function: Some(run.function(it.at)),
                        says: format!("the other access ({})", it.access.mode.word()),
                    })
                    .collect();
                remarks[0].says = object;
                remarks
            }
            FailureKind::Deadlock(deadlock) => {
                let mut remarks: Vec<Remark> = deadlock
                    .waits
                    .iter()
                    .map(|it| Remark {
                        span: at(it.thread, it.at),
                        function: Some(run.function(it.at)),
                        says: format!(
                            "thread {} waits for {}",
                            it.thread,
                            states::kind_and_name(&names, it.on)
                        ),
                    })
                    .collect();
                if let Some(first) = remarks.first_mut() {
                    let wanted = deadlock.waits.iter().map(|it| states::kind_and_name(&names, it.on));
                    let mut wanted: Vec<String> = wanted.collect();
                    wanted.sort();
                    first.says = wanted.join(", ");
                }
                remarks
            }
            FailureKind::Leak(leak) => {
                let step = failure.step;
                let lost = Remark {
                    span: at(step.thread, step.at),
                    function: Some(run.function(step.at)),
                    says: leak.kind.word().to_string(),
                };
                let span = run.model.program.at(leak.allocated).span;
                vec![lost, Remark { span, function: None, says: "allocated here".to_string() }]
            }
            FailureKind::Property(_) | FailureKind::Undefined(_) => {
                let says = crate::trace::json_c::says(run.model, run.trace);
                let step = failure.step;
                let here =
                    Remark { span: at(step.thread, step.at), function: Some(run.function(step.at)), says };
                let allocation = run.allocation().map(|span| Remark {
                    span: Some(span),
                    function: None,
                    says: "allocated here".to_string(),
                });
                [here].into_iter().chain(allocation).collect()
            }
        }
    }
}

impl FailingRun<'_> {
    /// Whether the step that fails would write.
    fn writes(&self) -> bool {
        let effects = self.model.program.effects(self.trace.failure.step.at);
        effects.accesses.iter().any(|it| matches!(it.kind, AccessKind::Write | AccessKind::Update))
    }

    /// The name of the function that a step belongs to.
    pub fn function(&self, at: ::c::Loc) -> String {
        let program = &self.model.program;
        program.procedures()[program.at(at).procedure].name.clone()
    }

    /// Where the memory was allocated that the failing step accesses or frees.
    fn allocation(&self) -> Option<Span> {
        let program = &self.model.program;
        let step = self.trace.failure.step;
        let accesses = program.effects(step.at).accesses;
        let mut places = accesses.iter().filter_map(|it| it.region.start());
        let Some(Place::Pointer { pointer, .. }) = places.next() else { return None };
        let thread = self.states.last()?.threads.get(&step.thread)?;
        let value = ::c::Evaluator::new(program).value(thread, pointer).ok()?;
        let ::c::Value::Address { instance, .. } = value else { return None };
        let start = ::c::Value::Address { instance, offset: 0 };
        let mut steps = self.trace.steps.iter().rev();
        let made = steps.find(|it| {
            let makes = program.effects(it.step.at).accesses.iter().any(|it| it.kind == AccessKind::Begin);
            makes && it.registers.iter().any(|&(_, value)| value == start)
        })?;
        program.at(made.step.at).span
    }
}
