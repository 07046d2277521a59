//! The rules of the house that can be read off the sources: who may use whom, and what never appears.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which crates of the workspace each crate may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("c", &["base"]),
    ("relation", &["base", "c"]),
    ("ir", &["base", "c", "relation"]),
    ("front", &["base", "c", "ir"]),
    ("front-c", &["base", "c", "ir", "front"]),
    ("solve", &["base"]),
    ("passes", &["base", "c", "ir"]),
    ("engines", &["base", "c", "ir", "solve"]),
    ("predicates", &["base", "c", "relation", "ir", "solve"]),
    ("check", &["base", "c", "ir"]),
    ("check-formulas", &["base", "c", "relation", "ir", "check"]),
    (
        "verify",
        &[
            "base",
            "c",
            "relation",
            "ir",
            "front",
            "front-c",
            "solve",
            "passes",
            "engines",
            "predicates",
            "check",
            "check-formulas",
        ],
    ),
    ("report", &["base", "c", "ir", "verify"]),
    ("cli", &["base", "ir", "verify", "report"]),
];

/// The engines: none may use another.
const ENGINES: &[&str] = &["explicit", "counter", "simulate", "modular", "cover", "rounds"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut work = vec![folder.to_path_buf()];
    while let Some(folder) = work.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn all_sources() -> Vec<PathBuf> {
    MAY_USE.iter().flat_map(|(name, _)| sources(&root().join("crates").join(name).join("src"))).collect()
}

/// The part of a source that is not its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// The lines of a manifest that say what the crate itself uses: not its tests.
fn dependencies(manifest: &str) -> &str {
    let rest = manifest.split("\n[dependencies]").nth(1).unwrap_or_default();
    rest.split("\n[").next().unwrap_or_default()
}

#[test]
fn crates_use_only_what_the_map_allows() {
    let known: BTreeSet<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    for (name, allowed) in MAY_USE {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        for line in dependencies(&manifest).lines() {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert_ne!(used, "testing", "`{name}` must not use `testing` outside its tests");
            assert!(!known.contains(used) || allowed.contains(&used), "`{name}` must not use `{used}`");
        }
    }
}

#[test]
fn engines_do_not_use_each_other() {
    for engine in ENGINES {
        let module = root().join("crates/engines/src").join(engine);
        for path in
            sources(&module).into_iter().chain([module.with_extension("rs")]).filter(|path| path.exists())
        {
            for other in ENGINES.iter().filter(|other| *other != engine) {
                let text = read(&path);
                assert!(!text.contains(&format!("crate::{other}")), "{} uses `{other}`", path.display());
            }
        }
    }
}

#[test]
fn engines_know_no_clock_and_no_terminal() {
    for path in sources(&root().join("crates/engines/src")) {
        let text = read(&path);
        for word in ["std::time", "std::fs", "println!", "eprintln!", "std::io", "std::thread"] {
            assert!(!without_tests(&text).contains(word), "{} mentions `{word}`", path.display());
        }
    }
}

#[test]
fn nobody_unwraps_or_leaves_work_undone() {
    for path in all_sources() {
        let text = read(&path);
        for word in [".unwrap()", "todo!(", "unimplemented!(", "dbg!(", "#[ignore"] {
            assert!(!without_tests(&text).contains(word), "{} has `{word}`", path.display());
        }
    }
}

#[test]
fn only_main_exits() {
    for path in all_sources().into_iter().filter(|path| !path.ends_with("cli/src/main.rs")) {
        assert!(!read(&path).contains("process::exit"), "{} exits the process", path.display());
    }
}

#[test]
fn every_file_says_what_it_does() {
    for path in all_sources() {
        assert!(read(&path).starts_with("//!"), "{} does not say what it does", path.display());
    }
}

/// The lines of the kernel that everything is believed by, without its unit tests. It grew by the invariants
/// of nets (weights and traps), which have no other checker, by C: replay, and the checker by all states, and
/// by the validator of passes on C.
const KERNEL_LINES: usize = 4950;

#[test]
fn the_kernel_stays_small_and_knows_no_solver() {
    let kernel = root().join("crates/check");
    let lines: usize =
        sources(&kernel.join("src")).iter().map(|it| without_tests(&read(it)).lines().count()).sum();
    assert!(lines <= KERNEL_LINES, "the kernel has {lines} lines");
    let manifest = read(&kernel.join("Cargo.toml"));
    let dependencies: Vec<&str> = dependencies(&manifest).lines().collect();
    let allowed = ["", "base.workspace = true", "c.workspace = true", "ir.workspace = true"];
    assert!(dependencies.iter().all(|it| allowed.contains(it)), "the kernel uses {dependencies:?}");
    for path in sources(&kernel.join("src")) {
        for word in ["sat::", "Solver", "solve("] {
            assert!(!read(&path).contains(word), "{} mentions `{word}`", path.display());
        }
    }
}

#[test]
fn checkers_of_formulas_use_no_solver_but_their_own() {
    let manifest = read(&root().join("crates/check-formulas/Cargo.toml"));
    let dependencies: Vec<&str> = dependencies(&manifest).lines().collect();
    let allowed = ["base", "c", "relation", "check", "ir"].map(|name| format!("{name}.workspace = true"));
    let known = |it: &&str| it.is_empty() || allowed.iter().any(|line| line == it);
    assert!(dependencies.iter().all(known), "it uses {dependencies:?}");
}

#[test]
fn files_stay_readable() {
    for path in all_sources() {
        let lines = without_tests(&read(&path)).lines().count();
        assert!(lines <= 500, "{} has {lines} lines: split it", path.display());
    }
}

/// Where steps of C are defined, and where they are made: all others ask `Op::effects`.
const STEPS_OF_C: &[&str] = &["crates/c", "crates/front-c"];

/// The most files elsewhere that name steps of C.
const NAMING_STEPS: usize = 15;

/// The lowering to bits translates every step and may go as a whole: its files are counted apart.
const LOWERING: (&str, usize) = ("crates/passes/src/lower", 15);

/// Whether a source names variants of the steps of C, or of operations on synchronisation objects.
fn names_steps(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let uses = |words: &str| words.split(|c| !is_word(c)).any(|it| it == "Op" || it == "SyncOp");
    let lists = [":c::{", " c::{", ":op::{"].into_iter().flat_map(|start| text.split(start).skip(1));
    let imports = lists.map(|rest| rest.split('}').next().unwrap_or_default()).any(uses);
    let variants = |name: &str| {
        let named = text.match_indices(name).filter(|(at, _)| !text[..*at].ends_with(is_word));
        named.into_iter().any(|(at, _)| text[at + name.len()..].starts_with(|c: char| c.is_uppercase()))
    };
    variants("c::Op::") || imports && (variants("Op::") || variants("SyncOp::"))
}

#[test]
fn few_files_name_steps_of_c() {
    let root = root();
    let within = |path: &Path, folder: &str| path.starts_with(root.join(folder));
    let own = |path: &Path| STEPS_OF_C.iter().any(|folder| within(path, folder));
    let found: Vec<PathBuf> =
        all_code().into_iter().filter(|path| !own(path) && names_steps(&read(path))).collect();
    let (lowering, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| within(path, LOWERING.0));
    assert!(lowering.len() <= LOWERING.1, "{} files of the lowering name steps of C", lowering.len());
    assert!(
        others.len() <= NAMING_STEPS,
        "{} files name steps of C: ask `Op::effects` instead\n{others:#?}",
        others.len()
    );
}

/// The longest function, in lines.
const FUNCTION_LINES: usize = 75;

/// Crates in which no two public types have one name.
const NAMED_ONCE: &[&str] = &["base", "engines", "check", "check-formulas", "report", "cli"];

/// Names that mean the same in several modules of the engines: each has options, a search, what it counts,
/// and how threads start.
const SAME_MEANING: &[&str] = &[
    "Counters",
    "EnvironmentStep",
    "Exploration",
    "Group",
    "Member",
    "Nets",
    "Options",
    "Plan",
    "Pool",
    "Programs",
    "Search",
    "Start",
    "Statistics",
    "Work",
];

/// Words that the field has others for, and the words to use. No identifier has one as a part;
/// `docs/style.md` says what is exempt.
const WORDS: &[(&str, &str)] = &[
    ("person", "thread state"),
    ("scene", "global state"),
    ("deed", "concrete step"),
    ("player", "trace builder"),
    ("course", "schedule"),
    ("happening", "scheduled step"),
    ("figure", "abstract thread"),
    ("atlas", "view index"),
    ("chart", "view index"),
    ("sight", "certificate index"),
    ("crowd", "population, multiset"),
    ("desk", "run context"),
    ("told", "progress"),
    ("said", "engine result"),
    ("asked", "request"),
    ("purse", "tick counter"),
    ("patience", "limit"),
    ("room", "capacity"),
    ("silent", "invisible"),
    ("chains", "transition merging"),
    ("mover", "active thread"),
    ("onlooker", "passive thread"),
    ("point", "control location, valuation"),
];

/// Identifiers with a word of the list that are the field's, or another library's.
const EXEMPT: &[&str] = &[
    "Mover",
    "MOVERS",
    "movers",
    "left_mover",
    "right_mover",
    "implication_point",
    "partition_point",
    "points_to",
    "PointsTo",
];

/// What is no plain English where it stands for something else: comments and documents do without it.
const PHRASES: &[(&str, &str)] = &[
    ("crowd", "population, multiset"),
    ("onlooker", "passive thread"),
    ("looks on", "passive thread"),
    ("silent location", "invisible location"),
    ("silent transition", "invisible transition"),
    ("running on through", "transition merging"),
    ("blocked element", "element of the basis, minimal element"),
    ("control point", "control location"),
    ("atlas", "view index"),
    ("purse", "tick counter"),
    ("patience", "limit"),
    ("furniture", "types"),
    ("papers on the wall", "documents"),
];

/// The functions of a source with their signatures and numbers of lines.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![];
    for (at, line) in lines.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let words: Vec<&str> = line.split_whitespace().collect();
        let position = words.iter().position(|word| *word == "fn");
        let modifier = |word: &&str| word.starts_with("pub") || ["const", "unsafe", "async"].contains(word);
        if !position.is_some_and(|position| words[..position].iter().all(modifier)) {
            continue;
        }
        let end = format!("{indent}}}");
        let length = lines[at..].iter().take_while(|line| **line != end).count() + 1;
        let text = lines[at..].join("\n");
        let [body, semicolon] = ["{", ";\n"].map(|sign| text.find(sign).unwrap_or(text.len()));
        // A declaration has no body, and a body may stand on the line of its function.
        let is_short = semicolon < body || line.ends_with(['}', ';']);
        found.push((text[..body.min(semicolon)].to_string(), if is_short { 1 } else { length }));
    }
    found
}

/// Whether a parameter of the function is a tuple; types of functions and closures are none.
fn has_tuple_parameter(signature: &str) -> bool {
    let Some((_, parameters)) = signature.split_once('(') else { return false };
    let parameters = parameters.split("->").next().unwrap_or_default();
    let flat: String = parameters.split_whitespace().collect();
    [":(", ":&(", ":&mut("].iter().any(|start| {
        flat.match_indices(start).any(|(at, _)| {
            let rest = &flat[at + start.len()..];
            !rest.starts_with("dyn") && !rest.starts_with("impl") && !rest.starts_with(')')
        })
    })
}

/// The parts of an identifier in lower case: `ThreadState` and `thread_state` have the same.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in identifier.chars() {
        if c == '_' || (c.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase();
        parts.last_mut().expect("it begins with one").extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    parts
}

/// The word of the list that is part of an identifier of this line, if one is. Names of tests are sentences:
/// they may have any word.
fn foreign_name(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default();
    // What stands between quotes is text.
    let code: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let identifiers = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_name = |it: &&str| !EXEMPT.contains(it) && it.split('_').count() <= 4;
    let parts: Vec<String> = identifiers.filter(is_name).flat_map(parts).collect();
    let is_part = |word: &str| parts.iter().any(|it| it == word || it.strip_suffix('s') == Some(word));
    WORDS.iter().map(|(word, _)| *word).find(|word| is_part(word))
}

/// The phrase of the list that is in the text, if one is.
fn foreign_phrase(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    // Whole words: "looks only" is another phrase than "looks on".
    let is_there = |phrase: &&str| {
        text.match_indices(*phrase).any(|(at, _)| {
            let next = text[at + phrase.len()..].chars().next();
            next.is_none_or(|c| !c.is_alphabetic() || c == 's')
        })
    };
    PHRASES.iter().map(|(phrase, _)| *phrase).find(is_there)
}

/// The documents of the repository, but for the change log, which says how things were called.
fn documents() -> Vec<PathBuf> {
    let mut found = ["README.md", "ARCHITECTURE.md"].map(|name| root().join(name)).to_vec();
    for folder in ["docs", "docs/engines", "docs/formats", "docs/decisions"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
        let paths = entries.flatten().map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    found
}

/// All Rust sources, tests and automation too, but for this file, which has to name what it refuses.
fn all_code() -> Vec<PathBuf> {
    let folders =
        ["crates", "xtask", "fuzz/src", "fuzz/examples"].map(|folder| sources(&root().join(folder)));
    let is_other = |path: &PathBuf| !path.ends_with("tests/tidy.rs") && !path.iter().any(|it| it == "target");
    folders.concat().into_iter().filter(is_other).collect()
}

#[test]
fn functions_stay_readable() {
    for path in all_sources() {
        for (signature, lines) in functions(without_tests(&read(&path))) {
            let name = signature.lines().next().unwrap_or_default();
            assert!(lines <= FUNCTION_LINES, "{}: {name} has {lines} lines", path.display());
        }
    }
}

#[test]
fn parameters_have_names() {
    for (name, _) in MAY_USE {
        let mut found = vec![];
        for path in sources(&root().join("crates").join(name).join("src")) {
            let text = read(&path);
            let all = functions(without_tests(&text)).into_iter();
            found.extend(all.filter(|it| has_tuple_parameter(&it.0)).map(|it| format!("{path:?}: {}", it.0)));
        }
        // A struct says what the parts are.
        assert!(found.is_empty(), "`{name}` has tuples as parameters:\n{}", found.join("\n"));
    }
}

/// The names of the types that a source makes public.
fn public_types(text: &str) -> Vec<&str> {
    let declared = |line: &'_ str| {
        let (public, rest) = line.split_once(' ')?;
        let (kind, rest) = rest.split_once(' ')?;
        let is_type = public.starts_with("pub") && ["struct", "enum", "trait", "type"].contains(&kind);
        is_type.then(|| rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()))
    };
    let named = |line| declared(line).map(|end| &line.splitn(3, ' ').nth(2).unwrap_or_default()[..end]);
    text.lines().filter_map(named).collect()
}

/// The engine for C programs is about another language, whose types have these names, too.
#[test]
fn public_types_have_names_of_their_own() {
    for name in NAMED_ONCE {
        let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
        let folder = root().join("crates").join(name).join("src");
        let exempt = |path: &Path| {
            path.starts_with(folder.join("concrete")) || path.iter().any(|part| part == "tests")
        };
        for path in sources(&folder).into_iter().filter(|path| !exempt(path)) {
            let text = read(&path);
            let types = public_types(without_tests(&text));
            for found in types.into_iter().filter(|it| !SAME_MEANING.contains(it)) {
                let other = seen.insert(found.to_string(), path.clone());
                assert_eq!(other, None, "`{found}` is in {} again", path.display());
            }
        }
    }
}

#[test]
fn names_are_the_words_of_the_field() {
    for path in all_code() {
        for line in read(&path).lines() {
            assert_eq!(foreign_name(line), None, "{}: {line}", path.display());
        }
    }
}

#[test]
fn comments_and_documents_use_the_words_of_the_field() {
    for path in all_code().into_iter().chain(documents()).filter(|path| !path.ends_with("docs/style.md")) {
        for line in read(&path).lines() {
            assert_eq!(foreign_phrase(line), None, "{}: {line}", path.display());
        }
    }
}

/// Each rule refuses what it is there to refuse.
#[test]
fn steps_of_c_are_told_from_those_of_boolean_programs() {
    assert!(names_steps("use ::c::{Loc, Op};\nfn f() { match op { Op::Skip => {} } }"));
    assert!(names_steps("use crate::c::op::{LockMode, SyncOp};\nfn f() { SyncOp::Unlock }"));
    assert!(names_steps("matches!(op, ::c::Op::Halt)"));
    assert!(!names_steps("use ::c::{Effects, Loc};\nuse ir::bp::Op;\nfn f() { Op::Skip }"));
    assert!(!names_steps("use ::c::{Loc, Op};\nfn f(op: &Op) { op.effects(program) }"));
}

#[test]
fn the_rules_can_be_broken() {
    let long = format!("impl A {{\n    pub fn f(&self) {{\n{}    }}\n}}\n", "        g();\n".repeat(80));
    assert_eq!(functions(&long), [("    pub fn f(&self) ".to_string(), 82)]);
    assert_eq!(
        functions("fn f() -> u8 { 1 }\nfn g() {\n}\n").iter().map(|it| it.1).collect::<Vec<_>>(),
        [1, 2]
    );
    let declared = functions("    fn f(\n        a: [u8; 2],\n    );\n    fn g();\n");
    assert_eq!(declared.iter().map(|it| it.1).collect::<Vec<_>>(), [1, 1]);
    assert!(has_tuple_parameter("fn f(&self, (a, b): (u8, u8)) -> u8"));
    assert!(has_tuple_parameter("fn f(\n    pair: &(u8, u8),\n)"));
    let types = "pub struct A<'a> {\nstruct B;\npub(super) type C = u8;\n    pub type D = u8;\npub fn e() {}\npub enum F {";
    assert_eq!(public_types(types), ["A", "C", "F"]);
    assert!(!has_tuple_parameter(
        "fn f(g: impl Fn((u8, u8)) -> u8, p: &(dyn Any + Send), u: ()) -> (u8, u8)"
    ));
    assert_eq!(dependencies("x\n[dependencies]\nir = 1\n\n[dev-dependencies]\ntesting = 1\n"), "\nir = 1\n");
    assert_eq!(foreign_name("pub struct Desk {"), Some("desk"));
    assert_eq!(foreign_name("    let all_points = f(MOST_CROWDS);"), Some("crowd"));
    assert_eq!(foreign_name("use x::ControlPoint;"), Some("point"));
    assert_eq!(foreign_name("let it = f(\"the room\"); // asked for"), None);
    assert_eq!(foreign_name("fn what_is_wrong_is_said() { pointer(chain) }"), None);
    assert_eq!(foreign_name("pub struct Population {"), None);
    assert_eq!(foreign_phrase("/// Whether threads are above a Blocked element."), Some("blocked element"));
    assert_eq!(foreign_phrase("/// Whether a thread is blocked; it looks only at that."), None);
}

/// The page that shows where things are names every module of every crate.
#[test]
fn the_map_names_every_module() {
    let page = read(&root().join("ARCHITECTURE.md"));
    let table = page.split("crate by crate").nth(1).expect("the page has a table of modules");
    for (name, _) in MAY_USE {
        let rows = table.lines().filter(|line| line.starts_with(&format!("| `{name}` |")));
        let mut row: String = rows.take(1).collect();
        // The engines and what they share have tables of their own.
        if *name == "engines" {
            row = page.clone();
        }
        let folder = root().join("crates").join(name).join("src");
        for entry in std::fs::read_dir(folder).expect("a crate has sources").flatten() {
            let file = entry.file_name().to_string_lossy().to_string();
            let module = file.strip_suffix(".rs").unwrap_or(&file);
            let is_named = row.contains(&format!("`{module}`"));
            assert!(is_named || ["lib", "main", "tests"].contains(&module), "`{name}` has `{module}`");
        }
    }
}
