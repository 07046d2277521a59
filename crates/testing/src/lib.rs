//! What several crates' tests need and no product crate should carry: generators of programs as source text.

pub mod c;
