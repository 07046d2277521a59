//! Automation of the workspace, in Rust: `cargo xtask COMMAND`.

mod abstraction_experiment;
mod agree;
mod art;
mod artificial;
mod bench;
mod c_agree;
mod c_corpus;
mod c_passes;
mod c_relation;
mod c_schedules;
mod c_suites;
mod corpus;
mod counter_experiment;
mod default_engines;
mod drivers;
mod measure;
mod mutations;
mod nets;
mod options;
mod pictures;
mod reductions;
mod rounds_experiment;
mod same_bytes;
mod sanitizers;
mod second_opinion;
mod soak;
mod spin;
mod stack;
mod switches;
mod trusted;
mod witnesses;

use anyhow::{Result, bail};
use std::fmt::Write;

/// A command.
struct Command {
    name: &'static str,
    options: &'static str,
    /// What it does, on one line.
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "abstraction-experiment",
        options: "[DIR] [--table 1|2] [--most WORKERS] [--limit SECONDS] [--engines NAME,NAME] [--only TEXT]",
        about: "Boolean programs by predicate abstraction with and without symmetry, and what unsound abstractions miss, on `*_safe.c` and `*_unsafe.c` of a folder (`tests/sapa`)",
        run: abstraction_experiment::run,
    },
    Command {
        name: "agree",
        options: "[MANIFEST] [--engines NAME,NAME] [--threads N,N] [--timeout SECONDS] [--only TEXT]",
        about: "asks several engines about every entry of a corpus with the same few threads and compares what they say",
        run: agree::run,
    },
    Command {
        name: "art",
        options: "DIR [--locks]",
        about: "writes ART-PC-n and ART-V-n of the paper on thread states; with locks as the paper has them, else with a section and a flag",
        run: art::run,
    },
    Command {
        name: "artificial",
        options: "reachable [VARIABLES] [THREADS] | multiplication [BITS] | parity [BITS]",
        about: "prints one of the artificial programs of the paper on symbolic simulation, or one whose threads keep the parity of their bits",
        run: artificial::run,
    },
    Command {
        name: "bench",
        options: "NAME COMMAND [OPTIONS]",
        about: "runs another of these commands and writes its table to `bench/NAME.md`, below the commit, the machine and the command",
        run: bench::run,
    },
    Command {
        name: "c-agree",
        options: "[--first SEED] [--count N] [--threads N] [--states N] [--timeout SECONDS] [--engine NAME]",
        about: "compares the analyses of C with each other and with brute force on random concurrent programs",
        run: c_agree::run,
    },
    Command {
        name: "c-corpus",
        options: "DIR [--tasks FILE] [--timeout SECONDS] [--only TEXT] [--args OPTIONS]",
        about: "runs the C programs of a folder (those of a table, or all) and prints what was refused, the verdicts and the analyses",
        run: c_corpus::run,
    },
    Command {
        name: "c-passes",
        options: "[FILE|DIR...] [--programs c|normalised] [--mutants N] [--tries N] [--first SEED] [--only PASS]",
        about: "runs the passes on C over files and validates what they give; with `--mutants`, tries mutants of it on random programs",
        run: c_passes::run,
    },
    Command {
        name: "c-relation",
        options: "[--first SEED] [--count N] [--threads N] [--states N] [--walks N] [--programs concurrent|locking|schedules] [--mutants true|false]",
        about: "enumerates the steps of random concurrent C programs and checks that a guarded command covers each; with `--mutants`, that wrong commands are seen",
        run: c_relation::run,
    },
    Command {
        name: "c-schedules",
        options: "[--first SEED] [--count N] [--threads 2,3,4] [--ways NAME,NAME] [--states N] [--time MS] [--proof MS] [--workers N] [--shrink N] [--out DIR]",
        about: "compares the analyses of C with what random concurrent programs do under all schedules when they are compiled",
        run: c_schedules::run,
    },
    Command {
        name: "c-suites",
        options: "DIR [--timeout SECONDS] [--only TEXT]",
        about: "runs C programs that check themselves and end with 0: none may be unsafe, and none safe with an error behind its main",
        run: c_suites::run,
    },
    Command {
        name: "corpus",
        options: "[MANIFEST] [--engine NAME] [--timeout SECONDS] [--only TEXT]",
        about: "runs every entry of a corpus manifest and compares verdicts",
        run: corpus::run,
    },
    Command {
        name: "default-engines",
        options: "[FILE...] [--corpora DIR] [--tool PATH]",
        about: "compares what the default takes with the best engine alone, in time on processors, on 60 programs or on those that are named",
        run: default_engines::run,
    },
    Command {
        name: "generate-nets",
        options: "DIR | KIND SIZE [--broken]",
        about: "writes generated nets to a folder, or prints one: `messages`, `readers`, `hospital` or `flags`",
        run: nets::run,
    },
    Command {
        name: "mutations",
        options: "[MANIFEST] [--seed N] [--most N] [--timeout SECONDS] [--only TEXT]",
        about: "changes the proofs of a corpus and counts which changes the checker refuses",
        run: mutations::run,
    },
    Command {
        name: "pictures",
        options: "[DIR]",
        about: "makes the pictures of report pages in `docs/pictures` with a headless browser; into a folder: all pages, wide, narrow and dark",
        run: pictures::run,
    },
    Command {
        name: "reductions",
        options: "[COUNT] [FIRST-SEED]",
        about: "shows on random programs that partial-order reduction, symmetry and transition merging change no verdict, and what they save",
        run: reductions::run,
    },
    Command {
        name: "same-bytes",
        options: "[FILE...] [--runs N] [--cores LIST/LIST] [--formats OPTIONS/OPTIONS] [--tool PATH]",
        about: "checks C programs many times on one core and on two, and shows where they do not print the same bytes apart from times and memory",
        run: same_bytes::run,
    },
    Command {
        name: "sanitizers",
        options: "[DIR] [--only TEXT] [--tool PATH]",
        about: "runs the unsafe programs of a folder (`tests/c/props`), or their replays, under the sanitizer that knows their property, and compares the lines",
        run: sanitizers::run,
    },
    Command {
        name: "second-opinion",
        options: "[DIR...] [--solver NAME|COMMAND] [--paths N] [--first SEED] [--timeout SECONDS]",
        about: "cross-checks the feasibility of random paths, and of those that predicate abstraction meets in the C programs of folders, with another solver",
        run: second_opinion::run,
    },
    Command {
        name: "soak",
        options: "[--first SEED] [--count N] [--seconds N] [--workers N] [--sample N] [--engine NAME] [--tool PATH|none] [--every N] [--shrink N]",
        about: "compares every engine in every mode, and the command line, with brute force on fresh random programs and nets",
        run: soak::run,
    },
    Command {
        name: "spin",
        options: "[FOLDER]",
        about: "measures `explicit` beside Spin on the semaphore mutex and on a ring of threads that all run different code",
        run: spin::run,
    },
    Command {
        name: "stack",
        options: "NODES aba|locked once|loop",
        about: "prints a lock-free stack with numbers of three bits, unsafe or safe",
        run: stack::run,
    },
    Command {
        name: "switches",
        options: "ENGINE [--threads N] [--timeout SECONDS] [--counters NAME,NAME] [--set NAME=VALUE] FILE...",
        about: "runs an engine with one technique switched off at a time and prints what each costs",
        run: switches::run,
    },
    Command {
        name: "trusted",
        options: "[--write yes]",
        about: "counts the lines that must be believed of a proof about C; writes the table of `docs/trust.md`",
        run: trusted::run,
    },
    Command {
        name: "drivers",
        options: "[--seed N] [--count N] [--out DIR]",
        about: "writes generated driver-like programs",
        run: drivers::run,
    },
    Command {
        name: "counter-experiment",
        options: "[--seed N] [--count N] [--limit SECONDS] [--most THREADS] [--mode NAME] [--set NAME=VALUE] [--out FILE]",
        about: "plain exploration against counter abstraction on generated drivers",
        run: counter_experiment::run,
    },
    Command {
        name: "rounds-experiment",
        options: "[--count N] [--limit SECONDS] [--out FILE]",
        about: "linear interfaces, the adequacy game, the closure and `cover` on small generated drivers with any number of clients",
        run: rounds_experiment::run,
    },
    Command {
        name: "witnesses",
        options: "[DIR...] [--timeout SECONDS] [--only TEXT] [--sarif-schema FILE]",
        about: "writes the runs of the unsafe programs of `tests/c` as witnesses and has them confirmed; compares SARIF with the published schema",
        run: witnesses::run,
    },
];

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let wants_help = |arg: &String| arg == "--help" || arg == "-h";
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) if rest.iter().any(wants_help) => {
            println!("usage: cargo xtask{}", command.help());
            Ok(())
        }
        Some(command) => (command.run)(&rest),
        None if wants_help(&name) || name == "help" => {
            print!("{}", usage());
            Ok(())
        }
        None => bail!(usage()),
    }
}

/// All commands.
fn usage() -> String {
    let mut text = "usage: cargo xtask COMMAND\n\n".to_string();
    for command in COMMANDS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, " {}", command.help());
    }
    text
}

impl Command {
    /// Its name, its options, and what it does.
    fn help(&self) -> String {
        format!(" {} {}\n      {}", self.name, self.options, self.about)
    }
}
