//! Terms over the variables of a relation: normal forms ([`atoms`]), circuits ([`circuits`]) and SMT-LIB text
//! ([`smt`]).

pub(crate) mod atoms;
pub(crate) mod circuits;
pub mod smt;
