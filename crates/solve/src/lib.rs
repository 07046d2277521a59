//! Decision procedures behind small interfaces: decision diagrams ([`bdd`]), and-inverter graphs ([`aig`]),
//! bit-vectors on top of them ([`bv`]), SAT solvers ([`sat`]) the inclusion test between parametric state
//! sets ([`inclusion`]) and linear inequalities over the rationals ([`linear`]). This crate knows nothing of
//! programs.

pub mod aig;
pub mod bdd;
pub mod bv;
pub mod inclusion;
pub mod linear;
mod random;
pub mod sat;
