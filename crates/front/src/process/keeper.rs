//! A directory for a program of the system, and the shell that takes everything away again.
//!
//! That shell, the keeper, makes the directory and waits for the end of its standard input, a pipe that this process alone writes to. The pipe
//! is closed when the directory is dropped, and by the system when this process ends in any other way, by `SIGKILL` too. The keeper then ends
//! whatever runs in its process group and removes the directory.

use super::memory;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the keeper does. Nobody else may read the files. It outlives the signals that a terminal or a service manager sends to everybody;
/// the programs of its group, which do not come from it, get `SIGTERM` first, so that none writes into a directory that is being removed.
const KEEPER: &str = r#"trap '' HUP INT QUIT TERM
umask 077
PATH="$PATH:/usr/bin:/bin"
mkdir -- "$0" 2>&1 || exit 1
exec >/dev/null
read -r _
kill -TERM 0
rm -rf -- "$0"
kill -KILL 0"#;

/// How long the keepers are waited for when this process ends; they go on by themselves.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// How often somebody looks whether a keeper has ended.
const TICK: Duration = Duration::from_millis(1);

/// A directory of our own that goes away with this value, or with this process. Programs are run in it.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    keeper: Arc<Keeper>,
}

impl Folder {
    /// A new one among the temporary files of the system.
    pub fn new() -> io::Result<Folder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        for _ in 0..1000 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("selvedge-{}-{number}", std::process::id()));
            if is_there(&path) {
                continue;
            }
            match Keeper::start(&path) {
                Ok(keeper) => return Ok(Folder { path, keeper }),
                // Somebody else was faster; what is there is not ours to remove.
                Err(_) if is_there(&path) => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes a file into it, which nobody else may read.
    pub fn write(&self, name: &str, contents: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let parent = path.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(parent)?;
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(contents)?;
        Ok(path)
    }

    /// Starts a program that ends with the directory at the latest, with all that it started.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut kept = self.keeper.lock();
        // Its files are to go with the directory, too.
        command.env("TMPDIR", &self.path);
        let group = kept.shell.as_ref().ok_or(io::ErrorKind::Interrupted)?.id();
        let child = command.process_group(group.cast_signed()).spawn()?;
        kept.program = Some(child.id());
        Ok(child)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.keeper.close();
        while !self.keeper.is_gone() {
            std::thread::sleep(TICK);
        }
        registry().keepers.retain(|keeper| !Arc::ptr_eq(keeper, &self.keeper));
    }
}

/// Takes away all directories and ends all programs in them. None is started any more: this is for the end of the process.
pub fn end_all() {
    let keepers = {
        let mut registry = registry();
        registry.is_closed = true;
        std::mem::take(&mut registry.keepers)
    };
    keepers.iter().for_each(|keeper| keeper.close());
    let start = Instant::now();
    while keepers.iter().any(|keeper| !keeper.is_gone()) && start.elapsed() < LAST_WAIT {
        std::thread::sleep(TICK);
    }
}

/// How many bytes of memory the programs hold that are running now.
pub fn held() -> u64 {
    let programs: Vec<u32> = registry().keepers.iter().filter_map(|keeper| keeper.lock().program).collect();
    programs.into_iter().map(memory::of_family).sum()
}

/// The keepers that are there.
#[derive(Default)]
struct Registry {
    keepers: Vec<Arc<Keeper>>,
    /// The process is about to end.
    is_closed: bool,
}

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: Mutex<Registry> = Mutex::new(Registry { keepers: vec![], is_closed: false });
    // A panic elsewhere leaves whole values behind.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The shell that keeps a directory.
#[derive(Debug)]
struct Keeper(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    /// Nothing, once it has ended.
    shell: Option<Child>,
    /// The program that runs in its group.
    program: Option<u32>,
}

impl Keeper {
    fn start(path: &Path) -> io::Result<Arc<Keeper>> {
        // Under the lock, so that whoever ends the process sees every keeper or prevents it.
        let mut registry = registry();
        if registry.is_closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", KEEPER]).arg(path).env("LC_ALL", "C").process_group(0);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let answer = shell.stdout.take();
        let keeper = Arc::new(Keeper(Mutex::new(Kept { shell: Some(shell), program: None })));
        registry.keepers.push(Arc::clone(&keeper));
        drop(registry);
        let mut problem = String::new();
        answer.map_or(Ok(0), |mut answer| answer.read_to_string(&mut problem))?;
        if path.is_dir() && problem.is_empty() { Ok(keeper) } else { Err(io::Error::other(problem.trim())) }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks it to put everything away.
    fn close(&self) {
        if let Some(shell) = &mut self.lock().shell {
            drop(shell.stdin.take());
        }
    }

    /// Whether it has put everything away.
    fn is_gone(&self) -> bool {
        let mut kept = self.lock();
        let waits = kept.shell.as_mut().is_some_and(|shell| matches!(shell.try_wait(), Ok(None)));
        if !waits {
            *kept = Kept { shell: None, program: None };
        }
        !waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn nobody_else_may_read_what_is_written() {
        let folder = Folder::new().expect("there is a place for temporary files");
        let file = folder.write("a/b.c", b"int secret;").expect("it is ours");
        for (path, expected) in [(&folder.path, 0o700), (&folder.path.join("a"), 0o700), (&file, 0o600)] {
            let mode = path.metadata().expect("it is there").permissions().mode();
            assert_eq!(mode & 0o077, expected & 0o077, "{}", path.display());
        }
        let path = folder.path.clone();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_runs_ends_with_the_directory() {
        let folder = Folder::new().expect("there is a place for temporary files");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "trap '' TERM; sleep 100"]).stdin(Stdio::null());
        let mut child = folder.spawn(&mut command).expect("there is a shell");
        assert!(matches!(child.try_wait(), Ok(None)));
        drop(folder);
        assert!(child.wait().is_ok_and(|status| !status.success()));
    }
}
