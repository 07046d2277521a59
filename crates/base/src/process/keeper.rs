//! A directory for a program of the system, and the shell that takes everything away again.
//!
//! That shell, the keeper, waits for the end of its standard input, a pipe that this process alone writes to.
//! The pipe is closed when the directory is dropped, and by the system when this process ends in any other
//! way, by `SIGKILL` too. The keeper then ends whatever runs in its process group and removes what is left of
//! the directory.

use super::family;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the keeper does; a line of input means that the directory is not ours. It outlives the signals that a
/// terminal or a service manager sends to everybody; the programs of its group, which do not come from it,
/// get `SIGTERM` first, so that none writes into a directory that is being removed.
const KEEPER: &str = r#"trap '' HUP INT QUIT TERM
read -r _ && exit
kill -TERM 0
PATH="$PATH:/usr/bin:/bin"
[ ! -e "$0" ] || rm -rf -- "$0"
kill -KILL 0"#;

/// How long a keeper is waited for; it goes on by itself.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// How often somebody looks whether a keeper has ended.
const TICK: Duration = Duration::from_micros(200);

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
        for _ in 0..1000 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("selvedge-{}-{number}", std::process::id()));
            if path.symlink_metadata().is_ok() {
                continue;
            }
            // The keeper comes first: there is no moment in which nobody would remove the directory.
            let keeper = Keeper::start(&path)?;
            match keeper.make(&path) {
                Ok(()) => return Ok(Folder { path, keeper }),
                Err(error) => {
                    // What is there is not ours to remove.
                    keeper.dismiss();
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes a file into it, which nobody else may read.
    pub fn write(&self, name: &str, contents: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let parts: Vec<&Path> = path.ancestors().skip(1).take_while(|it| **it != self.path).collect();
        // One by one: a directory that has been removed is not made again.
        for part in parts.into_iter().rev() {
            private().create(part).or_else(|error| if part.is_dir() { Ok(()) } else { Err(error) })?;
        }
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

    /// The program has ended by itself.
    pub(super) fn forget_program(&self) {
        self.keeper.lock().program = None;
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed, because a program still writes into it, the keeper removes when that has
        // ended.
        let _ = std::fs::remove_dir_all(&self.path);
        self.keeper.end();
    }
}

/// Takes away all directories and ends all programs in them. None is started any more: this is for the end of
/// the process.
pub fn end_all() {
    let keepers = {
        let mut registry = registry();
        registry.is_closed = true;
        std::mem::take(&mut registry.keepers)
    };
    keepers.iter().for_each(|keeper| keeper.close());
    let start = Instant::now();
    keepers.iter().for_each(|keeper| keeper.wait(start));
}

/// Whether the process is about to end, so that programs ended for no other reason.
pub fn is_ending() -> bool {
    registry().is_closed
}

/// How many bytes of memory the programs hold that are running now.
pub fn held() -> u64 {
    let programs: Vec<u32> = registry().keepers.iter().filter_map(|keeper| keeper.lock().program).collect();
    programs.into_iter().map(family::memory).sum()
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

/// Makes directories that nobody else may look into.
fn private() -> std::fs::DirBuilder {
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700);
    builder
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
        // Under the lock, so that the end of the process sees every keeper or prevents it.
        let mut registry = registry();
        if registry.is_closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", KEEPER]).arg(path).process_group(0);
        let shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let keeper = Arc::new(Keeper(Mutex::new(Kept { shell: Some(shell), program: None })));
        registry.keepers.push(Arc::clone(&keeper));
        Ok(keeper)
    }

    /// Makes the directory, unless the process is about to end.
    fn make(&self, path: &Path) -> io::Result<()> {
        let kept = self.lock();
        let waits = kept.shell.as_ref().is_some_and(|shell| shell.stdin.is_some());
        if waits { private().create(path) } else { Err(io::ErrorKind::Interrupted.into()) }
    }

    /// Tells it that there is nothing to keep.
    fn dismiss(self: &Arc<Keeper>) {
        if let Some(input) = self.lock().shell.as_mut().and_then(|shell| shell.stdin.as_mut()) {
            let _ = input.write_all(b"\n");
        }
        self.end();
    }

    /// Has it put everything away, and waits until that is done.
    fn end(self: &Arc<Keeper>) {
        self.close();
        self.wait(Instant::now());
        registry().keepers.retain(|keeper| !Arc::ptr_eq(keeper, self));
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

    /// Waits until it has put everything away, but not for ever.
    fn wait(&self, start: Instant) {
        while !self.is_gone() && start.elapsed() < LAST_WAIT {
            std::thread::sleep(TICK);
        }
    }

    /// Whether it has put everything away. Programs that were killed may be there a moment longer than the
    /// keeper.
    fn is_gone(&self) -> bool {
        let mut kept = self.lock();
        let Some(shell) = &mut kept.shell else { return true };
        let group = shell.id();
        let waits = matches!(shell.try_wait(), Ok(None));
        if waits || kept.program.is_some() && family::is_group_alive(group) {
            return false;
        }
        *kept = Kept { shell: None, program: None };
        true
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
