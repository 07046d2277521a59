//! The text form of normalised C (`docs/formats/c-ir.md`): for tests, for bug reports, for people. Reading
//! what was written gives the same program back, source places aside.

pub mod lex;
pub mod operators;
mod parse;
mod parse_steps;
mod print;
mod print_steps;

pub use parse::parse;
pub use print::print;

#[cfg(test)]
mod tests;
