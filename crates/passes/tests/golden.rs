//! Golden files of the passes, `tests/golden/passes`: the head names the pass, and what it makes of the
//! program stands line by line in `// = ` comments, with the marks that have no syntax of their own.

use base::{Budget, SourceMap};
use front::{ReadOptions, read_program};
use ir::bp::{Program, print};
use passes::{cone, inline, live, merging, unreachable};
use std::path::PathBuf;

fn apply(pass: &str, program: &Program) -> Program {
    let budget = Budget::unlimited();
    let passed = match pass {
        "unreachable" => unreachable::drop_unreachable(program, &budget),
        "inline" => inline::inline(program, 1000, &budget).map(|it| it.expect("a small program")),
        "cone" => cone::restrict_to_cone(program, &budget),
        "live" => live::mark_dead(program, &budget),
        "merging" => merging::mark_invisible(program, &budget),
        _ => panic!("there is no pass {pass}"),
    };
    passed.expect("nothing stops it").program
}

/// The text without indentation and empty lines, then the marks.
fn shown(program: &Program) -> String {
    let text = print::program(program);
    let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_string()).collect();
    lines.retain(|line| !line.is_empty());
    for (loc, location) in program.locations().enumerate() {
        let statement = print::statement(program, loc);
        let dead: Vec<&str> = location.dead.iter().map(|&id| program.locals()[id].name.as_str()).collect();
        if !dead.is_empty() {
            lines.push(format!("dead at `{statement}`: {}", dead.join(", ")));
        }
        if location.invisible {
            lines.push(format!("invisible: `{statement}`"));
        }
    }
    lines.join("\n")
}

#[test]
fn each_pass_makes_what_its_golden_files_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/passes");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("it can be listed").path()).collect();
    paths.sort();
    let (mut passes, mut wrong) = (vec![], String::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let comment = |start: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(start).map(str::trim_end));
            lines.collect::<Vec<_>>().join("\n")
        };
        let mut map = SourceMap::new();
        let file = map.add("golden.bp", text.as_str());
        let (program, _) = read_program(&map, file, &ReadOptions::default()).expect("a good file");
        let pass = comment("// pass: ");
        let made = shown(&apply(&pass, &program));
        if made != comment("// = ") {
            wrong += &format!("{}:\n{made}\n\n", path.display());
        }
        passes.push(pass);
    }
    assert!(wrong.is_empty(), "the passes make something else:\n{wrong}");
    passes.dedup();
    assert_eq!(passes.len(), 5, "each pass has a golden file: {passes:?}");
}
