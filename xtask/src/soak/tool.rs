//! The command line on one program: `check` against brute force, and `confirm` on the evidence that `check`
//! has written.

use super::ask::{Failure, Kind, bound_text};
use super::oracle::{THREADS, Truth};
use anyhow::Result;
use ir::Bound;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a file is read, by the finder of evidence and by its checker: error labels are told by the arguments,
/// if there are any.
fn reading(text: &str) -> Vec<&'static str> {
    if text.contains("SLIC_ERROR:") { vec!["--error-label", "WRONG"] } else { vec![] }
}

/// The tool and a folder to write into.
pub struct Tool {
    path: PathBuf,
    folder: PathBuf,
}

/// How a process ended, and the last line of what it printed.
struct Ended {
    code: Option<i32>,
    json: Value,
    text: String,
}

impl Tool {
    /// A tool with a fresh folder of its own.
    pub fn new(path: &Path, worker: usize) -> Result<Tool> {
        let folder = std::env::temp_dir().join(format!("soak-{}-{worker}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Tool { path: path.to_path_buf(), folder })
    }

    /// What is wrong with the answer to one question, or with its evidence. Errors have a name that only the
    /// arguments tell.
    pub fn check(&self, text: &str, bound: Bound, truth: &Truth) -> Result<Option<Failure>> {
        let reading = reading(text);
        let text = &text.replace("SLIC_ERROR", "WRONG");
        let (file, trace, proof) =
            (self.folder.join("soak.bp"), self.folder.join("trace.json"), self.folder.join("proof.txt"));
        std::fs::write(&file, text)?;
        for old in [&trace, &proof] {
            let _ = std::fs::remove_file(old);
        }
        let threads = bound.limit().map_or("any".to_string(), |n| n.to_string());
        let ended = self.run(|command| {
            command.args(["check", "-q", "--format", "json", "--timeout", "2s", "--threads", &threads]);
            command.args(&reading).arg("--trace").arg(&trace).arg("--certificate").arg(&proof).arg(&file);
        })?;
        let failure = |kind, message: String| {
            Some(Failure { kind, who: format!("selvedge check, {}", bound_text(bound)), message })
        };
        if let Some((kind, message)) = wrong(&ended, bound, truth) {
            return Ok(failure(kind, message));
        }
        let vacuous = bound.limit().is_some_and(|n| n < truth.least);
        if vacuous && self.confirms_nothing(&threads, &reading)? {
            return Ok(failure(Kind::Vacuous, "`confirm` believes a proof about no run".to_string()));
        }
        let confirmed = ended.json["evidence"].as_str() == Some("confirmed");
        for evidence in [&trace, &proof] {
            if confirmed && evidence.exists() {
                let ended = self.run(|command| {
                    command.args(["confirm", "--threads", &threads]).args(&reading).arg(&file).arg(evidence);
                })?;
                if ended.code != Some(0) {
                    return Ok(failure(
                        Kind::Confirm,
                        format!("confirmed, but `confirm` says: {}", ended.text),
                    ));
                }
            }
        }
        if confirmed && !trace.exists() && !proof.exists() {
            return Ok(failure(Kind::Confirm, "confirmed, but no evidence was written".to_string()));
        }
        Ok(None)
    }

    /// Whether a proof for any number of threads is confirmed for fewer than there are from the start.
    fn confirms_nothing(&self, threads: &str, reading: &[&str]) -> Result<bool> {
        let (file, proof) = (self.folder.join("soak.bp"), self.folder.join("proof.txt"));
        self.run(|command| {
            command
                .args(["check", "-q", "--timeout", "2s", "--certificate"])
                .arg(&proof)
                .args(reading)
                .arg(&file);
        })?;
        if !proof.exists() {
            return Ok(false);
        }
        let ended = self.run(|command| {
            command.args(["confirm", "--threads", threads]).args(reading).arg(&file).arg(&proof);
        })?;
        std::fs::remove_file(&proof)?;
        Ok(ended.code == Some(0))
    }

    fn run(&self, arguments: impl FnOnce(&mut Command)) -> Result<Ended> {
        let mut command = Command::new(&self.path);
        arguments(&mut command);
        let output = command.stdin(Stdio::null()).output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
        let json = text.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        Ok(Ended { code: output.status.code(), json, text })
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // What is left behind in the folder for temporary files harms nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn wrong(ended: &Ended, bound: Bound, truth: &Truth) -> Option<(Kind, String)> {
    let fails = truth.fails(bound);
    let reason = &ended.json["reason"];
    let response = || reason["message"].as_str().unwrap_or_default().to_string();
    let best = ended.json["best"]["safe_up_to_threads"].as_u64().unwrap_or(0);
    let best = u32::try_from(best).unwrap_or(THREADS).min(THREADS);
    match (ended.code, reason["kind"].as_str()) {
        (Some(0), _) if fails => Some((Kind::WrongSafe, "safe, but brute force finds an error".into())),
        (Some(0), _) if bound.limit().is_some_and(|n| n < truth.least) => {
            Some((Kind::Vacuous, format!("safe, but {} threads are there from the start", truth.least)))
        }
        (Some(10), _) if !fails && truth.complete && bound != Bound::Any => {
            Some((Kind::WrongUnsafe, "unsafe, but brute force finds no error".into()))
        }
        (Some(5), Some("rejected")) => Some((Kind::Rejected, response())),
        (Some(5), Some("fault")) => Some((Kind::Fault, response())),
        // Without a bound on the question a run that a bound hinders does not count.
        (Some(5), _)
            if best > 0
                && truth.fails(Bound::AtMost(best))
                && (bound != Bound::Any || truth.fails(Bound::Any)) =>
        {
            Some((Kind::FalseBest, "safe up to this many threads, but brute force finds an error".into()))
        }
        (Some(0 | 5 | 10), _) => None,
        (code, _) => Some((Kind::Fault, format!("exit code {code:?}: {}{}", response(), ended.text))),
    }
}
