//! Cone of influence: variables on which no condition depends, directly or through assignments and
//! broadcasts, are left out. An assignment without `constrain` never blocks, so leaving out some of its
//! targets leaves all other steps as they are.

use crate::frames;
use crate::origin::Passed;
use crate::rebuild::restrict;
use base::{Budget, Stop};
use ir::bp::Program;
use ir::bp::cone::{Cone, Seeds};

/// The program with only the variables that some condition depends on.
pub fn restrict_to_cone(program: &Program, budget: &Budget) -> Result<Passed, Stop> {
    // Dropping frames, the cone and the copy each look at every location.
    budget.spend(3 * program.locations().len() as u64)?;
    let unframed = frames::drop_frames(program);
    let cone = Cone::of(&unframed, Seeds::Conditions);
    let everywhere = vec![true; program.locations().len()];
    Ok(restrict(&unframed, &everywhere, |var| cone.has(var)))
}
