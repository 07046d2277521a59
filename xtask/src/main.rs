//! Automation: run with `cargo xtask`.
fn main() {}
