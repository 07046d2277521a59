//! What several crates' tests need and no product crate should carry: generators of programs as source text, and the C test programs.

pub mod c;
pub mod programs;
