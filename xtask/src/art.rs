//! The artificial programs of Cook, Kroening and Sharygina (TCS 388, 2007, section 5), made new from their
//! descriptions: `main` starts threads for ever, and each makes n assignments of any value to shared
//! variables. ART-PC-n has three of them, so that it is long; ART-V-n has n, each assigned once. The property
//! is mutual exclusion: by a lock, or by a flag that is set in an atomic section.

use anyhow::{Result, bail};
use std::fmt::Write;
use std::path::Path;

/// The sizes of the paper.
const SIZES: [usize; 4] = [10, 20, 100, 1000];
/// The shared variables of ART-PC.
const FEW: usize = 3;

/// The command `art`.
pub fn run(args: &[String]) -> Result<()> {
    let locks = args.iter().any(|arg| arg == "--locks");
    let [folder] = &args.iter().filter(|arg| *arg != "--locks").collect::<Vec<_>>()[..] else {
        bail!("`art` takes a folder, and perhaps `--locks`");
    };
    std::fs::create_dir_all(folder)?;
    let lock = if locks { "_lock" } else { "" };
    for size in SIZES {
        for (name, variables) in [("pc", FEW), ("v", size)] {
            for broken in [false, true] {
                let verdict = if broken { "bug" } else { "safe" };
                let file = Path::new(folder).join(format!("art_{name}_{size}{lock}_{verdict}.bp"));
                std::fs::write(file, program(size, variables, (locks, broken))?)?;
            }
        }
    }
    Ok(())
}

fn program(size: usize, variables: usize, (locks, broken): (bool, bool)) -> Result<String> {
    let names: Vec<String> = (0..variables).map(|index| format!("g{index}")).collect();
    let mut text = format!("decl {};\ndecl m, c;\n\nvoid thread() begin\n", names.join(", "));
    for index in 0..size {
        writeln!(text, "  {} := *;", names[index % variables])?;
    }
    let (enter, leave) = match (locks, broken) {
        (true, false) => ("lock m;", "unlock m;"),
        (false, false) => ("atomic_begin;\n  assume(!m);\n  m := 1;\n  atomic_end;", "m := 0;"),
        (_, true) => ("skip;", "skip;"),
    };
    writeln!(text, "  {enter}\n  assert(!c);\n  c := 1;\n  c := 0;\n  {leave}\nend\n\nvoid main() begin")?;
    let flag = if locks && !broken { vec![] } else { vec!["m".to_string()] };
    for name in names.iter().chain(&flag) {
        writeln!(text, "  {name} := 0;")?;
    }
    writeln!(text, "  c := 0;\n  again: start_thread thread();\n  goto again;\nend")?;
    Ok(text)
}
