//! Automation of the workspace, in Rust: `cargo xtask COMMAND`.

mod abstraction_experiment;
mod agree;
mod art;
mod artificial;
mod c_agree;
mod c_corpus;
mod corpus;
mod counter_experiment;
mod drivers;
mod measure;
mod mutations;
mod nets;
mod options;
mod reductions;
mod rounds_experiment;
mod soak;
mod spin;
mod switches;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  abstraction-experiment DIR [--table 1|2] [--most WORKERS] [--limit SECONDS] [--engines NAME,NAME] [--only TEXT]
      Boolean programs by predicate abstraction with and without symmetry, and what unsound abstractions miss, on `*_safe.c` and `*_unsafe.c`
  agree [MANIFEST] [--engines NAME,NAME] [--threads N,N] [--timeout SECONDS] [--only TEXT]
      asks several engines about every entry of a corpus with the same few threads and compares what they say
  art DIR [--locks]
      writes ART-PC-n and ART-V-n of the paper on thread states; with locks as the paper has them, else with a section and a flag
  artificial reachable [VARIABLES] [THREADS] | multiplication [BITS]
      prints one of the artificial programs of the paper on symbolic simulation
  c-agree [--first SEED] [--count N] [--threads N] [--states N] [--timeout SECONDS] [--engine NAME]
      compares the ways of C with each other and with brute force on random concurrent programs
  c-corpus DIR [--tasks FILE] [--timeout SECONDS] [--only TEXT] [--args OPTIONS]
      runs the C programs of a folder (those of a table, or all) and tells what was refused, the verdicts and the ways
  corpus [MANIFEST] [--engine NAME] [--timeout SECONDS] [--only TEXT]
      runs every entry of a corpus manifest and compares verdicts
  generate-nets DIR | KIND SIZE [--broken]
      writes generated nets to a folder, or prints one: `messages`, `readers`, `hospital` or `flags`
  mutations [MANIFEST] [--seed N] [--most N] [--timeout SECONDS] [--only TEXT]
      changes the proofs of a corpus and counts which changes the checker refuses
  reductions [COUNT] [FIRST-SEED]
      shows on random programs that partial-order reduction, symmetry and transition merging change no verdict, and what they save
  soak [--first SEED] [--count N] [--seconds N] [--workers N] [--sample N] [--engine NAME] [--tool PATH|none] [--every N] [--shrink N]
      compares every engine in every mode, and the command line, with brute force on fresh random programs and nets
  spin [FOLDER]
      measures `explicit` beside Spin on the semaphore mutex and on a ring of threads that all run different code
  switches ENGINE [--threads N] [--timeout SECONDS] [--counters NAME,NAME] [--set NAME=VALUE] FILE...
      runs an engine with one technique switched off at a time and prints what each costs
  drivers [--seed N] [--count N] [--out DIR]
      writes generated driver-like programs
  counter-experiment [--seed N] [--count N] [--limit SECONDS] [--most THREADS] [--mode NAME] [--set NAME=VALUE] [--out FILE]
      plain exploration against counter abstraction on generated drivers
  rounds-experiment [--count N] [--limit SECONDS] [--out FILE]
      linear interfaces, the adequacy game, the closure and `cover` on small generated drivers with any number of clients
";

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    let rest: Vec<String> = args.collect();
    match command.as_deref() {
        Some("abstraction-experiment") => abstraction_experiment::run(&rest),
        Some("agree") => agree::run(&rest),
        Some("art") => art::run(&rest),
        Some("artificial") => artificial::run(&rest),
        Some("c-agree") => c_agree::run(&rest),
        Some("c-corpus") => c_corpus::run(&rest),
        Some("corpus") => corpus::run(&rest),
        Some("generate-nets") => nets::run(&rest),
        Some("mutations") => mutations::run(&rest),
        Some("reductions") => reductions::run(&rest),
        Some("soak") => soak::run(&rest),
        Some("spin") => spin::run(&rest),
        Some("switches") => switches::run(&rest),
        Some("drivers") => drivers::run(&rest),
        Some("rounds-experiment") => rounds_experiment::run(&rest),
        Some("counter-experiment") => counter_experiment::run(&rest),
        _ => bail!(USAGE),
    }
}
