//! From the files that the user names to the programs that are checked: several C files are one program, as
//! they are for a compiler; files of other kinds are each their own.

use crate::c::{NoProject, Project, ProjectArguments, find_project};
use crate::terminal::Screen;
use crate::work::{self, Code};
use base::Budget;
use std::path::{Path, PathBuf};
use std::time::Instant;
use verify::{Limits, Origin, ReadOptions, RunContext};

/// The files of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The first of them, after which it is called.
    pub first: PathBuf,
    /// The others.
    pub with: Vec<PathBuf>,
}

impl Program {
    /// Where its first file comes from.
    pub fn origin(&self) -> Origin {
        Origin::from_argument(&self.first)
    }

    /// How it is read.
    pub fn reading(&self, options: &ReadOptions) -> ReadOptions {
        let mut options = options.clone();
        options.c.with.splice(0..0, self.with.iter().cloned());
        options
    }
}

/// The programs of these files, in their order.
pub fn programs(files: &[PathBuf]) -> Vec<Program> {
    let mut programs: Vec<Program> = vec![];
    let mut linked: Option<usize> = None;
    for file in files {
        match linked.filter(|_| is_c(file)) {
            Some(at) => programs[at].with.push(file.clone()),
            None => {
                linked = linked.or(is_c(file).then_some(programs.len()));
                programs.push(Program { first: file.clone(), with: vec![] });
            }
        }
    }
    programs
}

fn is_c(file: &Path) -> bool {
    let extension = file.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase);
    matches!(extension.as_deref(), Some("c" | "i"))
}

/// What a compile line may name beside C files.
const COMPILED: &[&str] = &["o", "a", "so", "lo", "la", "s", "S"];

/// The error that a file is which holds no source.
pub fn refuse_compiled(files: &[PathBuf]) -> Result<(), String> {
    let extension = |file: &&PathBuf| file.extension().and_then(|it| it.to_str()).map(str::to_string);
    match files.iter().find(|file| extension(file).is_some_and(|it| COMPILED.contains(&it.as_str()))) {
        Some(file) => Err(format!("`{}` holds no C: name the C files that it is made from", file.display())),
        None => Ok(()),
    }
}

/// Programs, how their files are read, and what is left of the limits.
pub struct Sources {
    /// The programs.
    pub programs: Vec<Program>,
    /// How they are read.
    pub reading: ReadOptions,
    /// The limits that are left.
    pub limits: Limits,
}

/// The programs of files that are named, or the one that is found in a project; or the end of the command.
pub fn sources(
    files: &[PathBuf],
    project: &ProjectArguments,
    reading: ReadOptions,
    limits: Limits,
    screen: &mut Screen,
) -> Result<Sources, Code> {
    refuse_compiled(files).map_err(Err)?;
    let Some(request) = project.request(files, &reading) else {
        return Ok(Sources { programs: programs(files), reading, limits });
    };
    let begun = Instant::now();
    let job = move |context: RunContext<base::Event>| match find_project(
        &request,
        &Budget::new(u64::MAX, context.stop.clone()),
    ) {
        Ok(project) => Ok(Ok(project)),
        Err(NoProject::Wrong(why)) => Ok(Err(why)),
        Err(NoProject::NotRead(why)) => Err(why),
    };
    let found = work::made(&limits, screen, work::refused, job)?;
    let Project { files, reading, warnings } = found.map_err(Err)?;
    warnings.iter().for_each(|it| crate::output::tell_line(format!("warning: {it}")));
    let (first, with) = files.split_first().expect("a program has a file");
    let program = Program { first: first.clone(), with: with.to_vec() };
    Ok(Sources { programs: vec![program], reading, limits: limits.after(begun.elapsed()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_files_are_one_program() {
        let files = ["a.bp", "b.c", "c.tts", "d.I", "e.c"].map(PathBuf::from);
        let found = programs(&files);
        let names: Vec<String> = found.iter().map(|it| it.first.display().to_string()).collect();
        assert_eq!(names, ["a.bp", "b.c", "c.tts"]);
        assert_eq!(found[1].with, ["d.I", "e.c"].map(PathBuf::from));
        assert_eq!(programs(&["-", "-"].map(PathBuf::from)).len(), 2);
    }

    #[test]
    fn machine_code_is_refused() {
        assert!(refuse_compiled(&["a.c".into(), "lib.a".into()]).is_err_and(|why| why.contains("lib.a")));
        assert_eq!(refuse_compiled(&["a.c".into(), "b".into()]), Ok(()));
    }
}
