//! Automation of the workspace, in Rust: `cargo xtask COMMAND`.

mod corpus;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  corpus [MANIFEST] [--engine NAME] [--timeout SECONDS] [--only TEXT]
      runs every entry of a corpus manifest and compares verdicts
";

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    let rest: Vec<String> = args.collect();
    match command.as_deref() {
        Some("corpus") => corpus::run(&rest),
        _ => bail!(USAGE),
    }
}
