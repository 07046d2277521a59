//! What a checker says about evidence, in words.

use crate::noun::Noun;
use crate::verdict::{assuming, counted};
use ir::Model;
use verify::{Assumption, Confirmation, Input, Rejected};

/// The line that ends standard output. It is one line, whatever a message holds.
pub fn line(confirmation: &Confirmation, input: &Input, granted: &[Assumption]) -> String {
    let noun = Noun::of_model(&input.source.model());
    let line = match confirmation {
        Confirmation::Trace { threads, steps } => {
            let (threads, steps) = (counted(*threads as usize, noun.word()), counted(*steps, "step"));
            format!("confirmed: the trace reaches an error with {threads} in {steps}")
        }
        Confirmation::Certificate(scope) => {
            let assuming = assuming(&input.sources, granted);
            format!("confirmed: the certificate proves safety for {}{assuming}", noun.scope(*scope))
        }
        Confirmation::Rejected(why) => format!("rejected: {}", in_lines(why, input)),
        Confirmation::Stopped(stop) => format!("unknown: {stop}"),
    };
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same about a run that follows a witness.
pub fn of_witness(confirmation: &Confirmation, input: &Input) -> String {
    let Confirmation::Trace { threads, steps } = confirmation else { return line(confirmation, input, &[]) };
    let (threads, steps) = (counted(*threads as usize, "thread"), counted(*steps, "step"));
    format!("confirmed: a run that follows the witness reaches the error with {threads} in {steps}")
}

/// What a checker says, with lines of the file in place of the numbers of locations that it knows: `at l7` is
/// `at line 12`.
fn in_lines(rejected: &Rejected, input: &Input) -> String {
    let model = input.source.model();
    let Model::Program(program) = model else {
        let place = rejected.at.map(|span| format!(" at {}", input.sources.describe(span)));
        return format!("{}{}", rejected.why, place.unwrap_or_default());
    };
    let mut parts = rejected.why.split("at l");
    let mut remark = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let location =
            part[..digits].parse().ok().and_then(|index: usize| program.locations().iter().nth(index));
        match location.and_then(|it| it.span) {
            Some(span) => {
                let line = input.sources.file(span.file).position(span.start).line;
                remark.push_str(&format!("at line {line}{}", &part[digits..]));
            }
            None => remark.push_str(&format!("at l{part}")),
        }
    }
    remark
}
