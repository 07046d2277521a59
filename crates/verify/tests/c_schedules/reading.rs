//! The plain texts, preprocessed together and read one by one: starting the preprocessor costs more than
//! reading a small program.

use super::judge::Folder;
use ir::Model;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use testing::c::{OWN_HEADERS, Twin};
use verify::{COptions, CProgram, CProperty, Origin, ReadOptions};

/// What begins the text of a program in the preprocessed one.
const BEGIN: &str = "selvedge_program_begins_here";

/// The programs as they are read; for each that is not, why.
pub fn read(programs: &[Twin]) -> Result<Vec<Result<Arc<CProgram>, String>>, String> {
    let folder = Folder::new()?;
    let mut text = Twin::prologue();
    for program in programs {
        text += &format!("\n{BEGIN}\n{}", program.body());
    }
    let all = preprocess(&folder.write("all.c", &text)?)?;
    let mut parts = all.split(BEGIN);
    let prologue = parts.next().unwrap_or_default();
    let read = |(at, part): (usize, &str)| {
        let path = folder.write(&format!("{at}.i"), &format!("{prologue}{part}"))?;
        read_one(&path)
    };
    Ok(parts.enumerate().map(read).collect())
}

fn preprocess(path: &Path) -> Result<String, String> {
    let run = Command::new("cc").args(["-E", "-P", "-isystem", OWN_HEADERS]).arg(path).output();
    let run = run.map_err(|why| format!("no C compiler: {why}"))?;
    if !run.status.success() {
        return Err(format!("not preprocessed: {}", String::from_utf8_lossy(&run.stderr)));
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

fn read_one(path: &Path) -> Result<Arc<CProgram>, String> {
    // A thread blocks at undefined behaviour, as it does in the scheduler.
    let c = COptions { property: CProperty::Assert, ..COptions::default() };
    let read = verify::read(&Origin::File(path.to_path_buf()), &ReadOptions { c, ..ReadOptions::default() });
    let read = read.map_err(|found| {
        let messages = found.diagnostics.iter().map(|it| it.message.clone()).collect::<Vec<_>>();
        format!("not read: {}", messages.join("; "))
    })?;
    match read.source.model() {
        Model::C(source) => Ok(source),
        _ => Err("not read: no C program".into()),
    }
}
