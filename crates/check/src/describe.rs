//! Words for locations, so that a rejection can be understood.

use base::Id;
use ir::bp::{Loc, Program};

/// A location with its procedure and labels.
pub fn location(program: &Program, loc: Loc) -> String {
    let location = program.at(loc);
    let procedure = &program.procedures()[location.procedure].name;
    let labels: String = location.labels.iter().map(|label| format!(" {label}:")).collect();
    format!("at l{}{labels} in `{procedure}`", loc.index())
}

/// Values as 0s and 1s.
pub fn bits(values: &[bool]) -> String {
    values.iter().map(|&value| if value { '1' } else { '0' }).collect()
}
