//! What several crates' tests need and no product crate should carry: seeded random Boolean programs, nets
//! and C programs, proofs with something changed, the C test programs, and a browser for pages.

pub mod bp;
pub mod browser;
pub mod c;
pub mod expressions;
pub mod mutate;
pub mod net;
mod parallel;
pub mod programs;
mod viewed;

pub use parallel::in_parallel;
pub use viewed::Viewed;
