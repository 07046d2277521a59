//! What the compiled programs show: one file for all of them, one run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use testing::c::{Twin, judge_file};

/// Whether an assertion fails in a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    Safe,
    Fails,
    /// Not known, and why.
    Skipped(&'static str),
}

/// A folder of this process that is gone when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Result<Folder, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("selvedge-schedules-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|why| why.to_string())?;
        Ok(Folder(path))
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, text).map_err(|why| why.to_string())?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it: the system empties its folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The truth about each program with 2, 3 and 4 threads.
pub fn judge(programs: &[Twin], states: usize) -> Result<Vec<[Truth; 3]>, String> {
    let folder = Folder::new()?;
    let source = folder.write("judge.c", &judge_file(programs))?;
    let binary = source.with_extension("");
    compile(&source, &binary)?;
    let run = Command::new(&binary).arg(states.to_string()).output().map_err(|why| why.to_string())?;
    let text = String::from_utf8_lossy(&run.stdout);
    let truths: Vec<[Truth; 3]> = text.lines().filter_map(truths).collect();
    if truths.len() == programs.len() {
        return Ok(truths);
    }
    Err(format!("the judge ended after {} of {} programs: {:?}", truths.len(), programs.len(), run.status))
}

fn compile(source: &Path, binary: &Path) -> Result<(), String> {
    let flags =
        ["-O1", "-fwrapv", "-fno-strict-aliasing", "-fno-stack-protector", "-fno-builtin", "-w", "-o"];
    let run = Command::new("cc").args(flags).arg(binary).arg(source).output();
    let run = run.map_err(|why| format!("no C compiler: {why}"))?;
    if run.status.success() {
        return Ok(());
    }
    Err(format!("the judge's file is not compiled: {}", String::from_utf8_lossy(&run.stderr)))
}

/// A line of the judge: a name, and for each bound a verdict and the number of states.
fn truths(line: &str) -> Option<[Truth; 3]> {
    let mut words = line.split(' ').skip(1);
    let mut next = || {
        Some(match words.next()?.chars().next()? {
            's' => Truth::Safe,
            'f' => Truth::Fails,
            'm' => Truth::Skipped("too many states"),
            'u' => Truth::Skipped("too many threads"),
            't' => Truth::Skipped("no step for too long"),
            _ => Truth::Skipped("crash"),
        })
    };
    Some([next()?, next()?, next()?])
}
