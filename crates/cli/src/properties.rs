//! `selvedge check --property-list`: what there is to check.

use crate::args::Check;
use crate::exit::{self, SAFE};
use crate::programs::Program;
use crate::terminal::Screen;
use crate::{output, work, worker};
use base::{Budget, Event, Events, Progress};
use ir::Model;
use ir::property::{CLASSES, properties};
use report::{FORMATS, PropertyList};
use verify::predicates::access_pairs;
use verify::{Question, RunContext};

/// Prints the properties of the files; the exit code.
pub fn list(
    arguments: &Check,
    programs: &[Program],
    general: &Question,
    screen: &mut Screen,
) -> Result<u8, String> {
    let mut worst = SAFE;
    for program in worker::own(programs) {
        let (origin, options) = (program.origin(), program.reading(&general.reading));
        let format = arguments.format.clone();
        let job = move |mut context: RunContext<Event>| {
            context.emit(Event::Progress(Progress::Reading { file: origin.name() }));
            let input = verify::read_within(&origin, &options, &Budget::new(u64::MAX, context.stop.clone()))?;
            let model = input.source.model();
            let properties = properties(&model, CLASSES);
            let budget = Budget::new(u64::MAX, context.stop.clone());
            let pairs = match &model {
                Model::C(model) => access_pairs(model, &input.sources, &budget).unwrap_or(None),
                _ => None,
            };
            let (file, pairs) = (&origin.name(), pairs.as_deref());
            let list = PropertyList { file, input: &input, properties: &properties, pairs };
            let document = FORMATS.properties(&format, &list);
            Ok((input, document))
        };
        let code = match work::made(&general.limits, screen, work::refused, job) {
            Ok((input, document)) => {
                output::tell_findings(&input.sources, &input.warnings);
                work::print(
                    &document.ok_or_else(|| format!("--format {} lists no properties", arguments.format))?,
                )?;
                SAFE
            }
            Err(code) => code?,
        };
        worst = exit::worse(worst, code);
    }
    Ok(worst)
}
