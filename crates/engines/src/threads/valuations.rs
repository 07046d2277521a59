//! All valuations of the shared variables that a program may start with.

use super::micro::Semantics;
use crate::bits;
use base::{Budget, Id, Stop};
use ir::bp::Init;

/// Calls `visit` with each shared valuation that the program may start with.
pub fn valuations(
    semantics: &mut Semantics<'_>,
    budget: &Budget,
    visit: &mut impl FnMut(&mut Semantics<'_>, u32) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let program = semantics.program;
    let count = program.shared().len();
    let mut row = vec![0; bits::words(count + 1)];
    bits::set(&mut row, count, program.start().init.is_some());
    let mut free = vec![];
    for (id, shared) in program.shared().enumerate() {
        match shared.init {
            Init::Fixed(value) => bits::set(&mut row, id.index(), value),
            Init::Any => free.push(id.index()),
        }
    }
    loop {
        budget.spend(1)?;
        let shared = semantics.shared.insert(&row)?.0;
        visit(semantics, shared)?;
        // Count up through the free bits.
        let Some(at) = free.iter().position(|&bit| !bits::get(&row, bit)) else { return Ok(()) };
        free[..at].iter().for_each(|&bit| bits::set(&mut row, bit, false));
        bits::set(&mut row, free[at], true);
    }
}
