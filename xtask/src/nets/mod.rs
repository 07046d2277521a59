//! Generated nets like those that people verify: nets made from programs of message-passing processes,
//! readers and writers, workflows of a hospital, and mutual exclusion by flags. Each kind has a size, and a
//! broken variant that is unsafe.

mod flags;
mod hospital;
mod messages;
mod readers;
mod text;

use anyhow::{Context, Result, bail};
use std::path::Path;

/// A kind of net: its name, its generator and the sizes of the table of bench/nets.md.
struct Kind {
    name: &'static str,
    make: fn(usize, bool) -> text::NetText,
    sizes: &'static [usize],
}

const KINDS: [Kind; 4] = [
    Kind { name: "messages", make: messages::net, sizes: &[10, 40, 100, 200] },
    Kind { name: "readers", make: readers::net, sizes: &[4, 16, 64] },
    Kind { name: "hospital", make: hospital::net, sizes: &[5, 20, 60] },
    Kind { name: "flags", make: flags::net, sizes: &[3, 6, 12, 24] },
];

/// The command `generate-nets`.
pub fn run(args: &[String]) -> Result<()> {
    match args {
        [folder] if !KINDS.iter().any(|kind| kind.name == folder) => write_all(Path::new(folder)),
        [kind, size, rest @ ..] if rest.is_empty() || rest == ["--broken"] => {
            let found = KINDS.iter().find(|it| it.name == kind).context("there is no such kind of net")?;
            print!("{}", (found.make)(size.parse()?, !rest.is_empty()).write());
            Ok(())
        }
        _ => bail!("`generate-nets` takes a folder, or a kind and a size and perhaps `--broken`"),
    }
}

/// Writes the nets of the table.
fn write_all(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for kind in &KINDS {
        for &size in kind.sizes {
            for broken in [false, true] {
                let verdict = if broken { "unsafe" } else { "safe" };
                let file = folder.join(format!("{}_{size:03}_{verdict}.spec", kind.name));
                std::fs::write(file, (kind.make)(size, broken).write())?;
            }
        }
    }
    Ok(())
}
