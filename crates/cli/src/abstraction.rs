//! `selvedge abstract`: the Boolean program of a C program by predicate abstraction, with its predicates as
//! comments.

use crate::args::Abstract;
use crate::check::same_file;
use crate::exit::SAFE;
use crate::terminal::Screen;
use crate::{output, work};
use base::budget::StopHandle;
use base::{Budget, Event, Events};
use ir::{Model, Reason, ReasonKind};
use report::Document;
use std::path::Path;
use verify::predicates::{NoBooleanProgram, boolean_program};
use verify::{Condition, Input, NotRead, Origin, ReadOptions, RunContext};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Abstract, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    if arguments.output.as_ref().is_some_and(|output| arguments.reads(output)) {
        return Err("the Boolean program would be written over a file that is read".to_string());
    }
    let limits = arguments.limits.limits(stop);
    let conditions = arguments.predicates.conditions(&limits)?;
    let origin = Origin::from_argument(&arguments.file);
    let request = AbstractRequest { origin, options: arguments.reading.options(), conditions };
    let job = move |mut context: RunContext<Event>| {
        let budget = Budget::new(u64::MAX, context.stop.clone());
        abstracted(&request, &budget, &mut context)
    };
    let Abstracted { result, input } = match work::made(&limits, screen, work::refused, job) {
        Ok(abstracted) => abstracted,
        Err(code) => return code,
    };
    output::tell_findings(&input.sources, &input.warnings);
    let code = match result {
        Ok(text) => write(arguments, &Document::Data(text)).map(|()| SAFE),
        Err(NoBooleanProgram::Condition(why)) => Err(why),
        Err(NoBooleanProgram::Reason(reason)) => work::refused(&reason.message),
    };
    // The process gives back what it holds at its end, at once.
    std::mem::forget(input);
    code
}

impl Abstract {
    /// Whether this is one of the files that are read.
    fn reads(&self, path: &Path) -> bool {
        same_file(&self.file, path) || self.predicates.file().is_some_and(|it| same_file(it, path))
    }
}

/// What is to be abstracted.
struct AbstractRequest {
    origin: Origin,
    options: ReadOptions,
    conditions: Vec<Condition>,
}

/// What came of it.
struct Abstracted {
    /// The text of the Boolean program.
    result: Result<String, NoBooleanProgram>,
    input: Input,
}

fn abstracted(
    request: &AbstractRequest,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Abstracted, NotRead> {
    let input = verify::read_within(&request.origin, &request.options, budget)?;
    let result = match input.source.model() {
        Model::C(model) => {
            boolean_program(&model, &request.conditions, budget, events).map(|made| made.text())
        }
        _ => {
            let why = "only C programs are abstracted";
            Err(NoBooleanProgram::Reason(Reason::new(ReasonKind::Unsupported, why)))
        }
    };
    match (&result, budget.handle().reason()) {
        (Err(NoBooleanProgram::Reason(_)), Some(stop)) => Err(NotRead::Stopped(stop)),
        _ => Ok(Abstracted { result, input }),
    }
}

fn write(arguments: &Abstract, document: &Document) -> Result<(), String> {
    match &arguments.output {
        Some(path) => output::write_file(path, document),
        None => work::print(document),
    }
}
