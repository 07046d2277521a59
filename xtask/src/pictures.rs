//! Pictures of report pages, for the documents and to be looked at: each program is checked, and its page is
//! shown by a browser as wide as told.

use anyhow::{Context, Result, bail};
use base::NoEvents;
use ir::Scope;
use ir::property::PropertySet;
use report::{FORMATS, Invocation, Paint};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::browser::{Browser, Screen};
use verify::{CProperty, Limits, Origin, Plan, Question, ReadOptions};

/// Where the pictures of the documents are.
const DOCUMENTS: &str = "docs/pictures";

/// A program whose page is shown.
struct Program {
    name: &'static str,
    file: &'static str,
    property: &'static str,
    engine: &'static str,
    /// The step that is shown, if it is not the last one.
    hash: &'static str,
    /// Whether the documents show it, and how high.
    document: Option<u32>,
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "memory",
        file: "crates/report/tests/browser/programs/stack.c",
        property: "",
        engine: "auto",
        hash: "#step=17",
        document: Some(900),
    },
    Program {
        name: "race",
        file: "crates/report/tests/browser/programs/race.c",
        property: "race",
        engine: "auto",
        hash: "",
        document: Some(760),
    },
    Program {
        name: "deadlock",
        file: "crates/report/tests/browser/programs/deadlock.c",
        property: "deadlock",
        engine: "auto",
        hash: "",
        document: None,
    },
    Program {
        name: "proof",
        file: "tests/sapa/01_increment_lock_safe.c",
        property: "",
        engine: "abstract",
        hash: "",
        document: Some(980),
    },
    Program {
        name: "boolean",
        file: "examples/race.bp",
        property: "",
        engine: "auto",
        hash: "#step=6",
        document: None,
    },
    Program {
        name: "net",
        file: "examples/handshake.tts",
        property: "",
        engine: "auto",
        hash: "",
        document: None,
    },
    Program {
        name: "unknown",
        file: "examples/race.bp",
        property: "",
        engine: "modular",
        hash: "",
        document: None,
    },
];

/// One picture of a page.
struct Shot {
    /// What follows the name of the program in that of the picture.
    suffix: &'static str,
    screen: Screen,
    /// Whether the whole page is shown, or what fits the window.
    whole: bool,
}

/// The command: the pictures of the documents, or all of them into a folder.
pub fn run(args: &[String]) -> Result<()> {
    let Some(browser) = Browser::find() else { bail!("there is no browser on the path") };
    let mut browser = Browser::start(&browser, "pictures");
    match args {
        [] => {
            for program in PROGRAMS {
                if let Some(height) = program.document {
                    let screen = Screen { width: 1500, height, dark: false };
                    let shot = Shot { suffix: "", screen, whole: false };
                    shoot(&mut browser, program, Path::new(DOCUMENTS), &[shot])?;
                }
            }
        }
        [folder] => {
            let light = |suffix, width, height, whole| {
                let screen = Screen { width, height, dark: false };
                Shot { suffix, screen, whole }
            };
            let dark = Screen { width: 1500, height: 1000, dark: true };
            let screens = [
                light("-wide", 2000, 1200, true),
                light("-middle", 1150, 1000, true),
                light("-narrow", 400, 850, true),
                light("-phone", 400, 850, false),
                Shot { suffix: "-dark", screen: dark, whole: true },
            ];
            for program in PROGRAMS {
                shoot(&mut browser, program, Path::new(folder), &screens)?;
            }
        }
        _ => bail!("one folder at most"),
    }
    Ok(())
}

/// Writes the pictures of a program.
fn shoot(browser: &mut Browser, program: &Program, folder: &Path, shots: &[Shot]) -> Result<()> {
    let page = page(program)?;
    fs::create_dir_all(folder)?;
    for Shot { suffix, screen, whole } in shots {
        browser.look(*screen);
        browser.open(&page, program.hash);
        let picture = folder.join(format!("{}{suffix}.png", program.name));
        fs::write(&picture, browser.picture(*whole)).with_context(|| picture.display().to_string())?;
        println!("{}", picture.display());
    }
    fs::remove_file(page)?;
    Ok(())
}

/// The page of a program, in a file of its own.
fn page(program: &Program) -> Result<PathBuf> {
    let mut reading = ReadOptions::default();
    if !program.property.is_empty() {
        let set = PropertySet::parse(program.property).map_err(|why| anyhow::anyhow!("{why}"))?;
        reading.c.property = CProperty::List(set);
    }
    let plan = Plan::named(&[program.engine.to_string()]).map_err(|why| anyhow::anyhow!("{why}"))?;
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    let question = Question { reading, scope: Scope::ANY, plan, limits, each: false };
    let report = verify::check(&Origin::File(program.file.into()), &question, &mut NoEvents);
    let mut command = vec!["selvedge", "check", program.file];
    if !program.property.is_empty() {
        command.extend(["--property", program.property]);
    }
    command.extend(["--report", "report.html"]);
    let command = command.into_iter().map(str::to_string).collect();
    let invocation = Invocation { command, ..Invocation::default() };
    let format = FORMATS.of_report(Path::new("report.html")).map_err(|why| anyhow::anyhow!("{why}"))?;
    let Some(text) = format.page(&report, &invocation) else { bail!("every report has a page") };
    let file = std::env::temp_dir().join(format!("selvedge-picture-{}.html", std::process::id()));
    fs::write(&file, text.render(Paint::Plain))?;
    Ok(file)
}
