//! Cone of influence: variables on which no condition depends, directly or through assignments and broadcasts, are left out. An
//! assignment without `constrain` never blocks, so leaving out some of its targets leaves all other steps as they are.

use crate::frames;
use crate::lift::{Guided, ProgramLift};
use crate::rebuild::restrict;
use ir::bp::Program;
use ir::bp::cone::{Cone, Seeds};

/// The program with only the variables that some condition depends on.
pub fn restrict_to_cone(program: &Program) -> (Program, Box<ProgramLift>) {
    let unframed = frames::drop_frames(program);
    let cone = Cone::of(&unframed, Seeds::Conditions);
    let everywhere = vec![true; program.locations().len()];
    let (prepared, origin) = restrict(&unframed, &everywhere, |var| cone.has(var));
    let lift = Guided::new(program, &prepared, origin);
    (prepared, Box::new(lift))
}
