//! Sets of states as formulas over choice variables (Cook, Kroening and Sharygina, SPIN 2005 and FMCAD 2006), for every engine that
//! works on them: how expressions become formulas, and canonical forms of sets.

pub mod evaluate;
pub mod points;
