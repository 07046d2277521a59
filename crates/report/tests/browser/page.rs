//! A report as a page in a browser.

use base::NoEvents;
use ir::Scope;
use report::{FORMATS, Invocation, Paint};
use std::path::{Path, PathBuf};
use testing::browser::Browser;
use verify::{CProperty, Limits, Origin, Plan, Question, ReadOptions, Report};

/// A page that is open in a browser.
pub struct Page {
    pub browser: Browser,
    folder: PathBuf,
}

impl Page {
    /// The report about a file of the repository.
    pub fn of_file(test: &str, file: &str, properties: &[&str]) -> Option<Page> {
        let path = repository().join(file);
        Page::of(test, &path, properties, "auto")
    }

    /// The same, by one engine.
    pub fn of_engine(test: &str, file: &str, engine: &str) -> Option<Page> {
        Page::of(test, &repository().join(file), &[], engine)
    }

    /// The report about a program of these tests.
    pub fn of_program(test: &str, file: &str, properties: &[&str]) -> Option<Page> {
        Page::of_file(test, &format!("crates/report/tests/browser/programs/{file}"), properties)
    }

    /// The report about a text.
    pub fn of_text(test: &str, name: &str, text: &str, properties: &[&str]) -> Option<Page> {
        let folder = folder(&format!("{test}-text"));
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file for the test");
        let page = Page::of(test, &path, properties, "auto");
        std::fs::remove_dir_all(folder).expect("the folder of the test");
        page
    }

    fn of(test: &str, path: &Path, properties: &[&str], engine: &str) -> Option<Page> {
        let program = browser()?;
        let report = checked(path, properties, engine);
        let format = FORMATS.of_report(Path::new("page.html")).expect("there are pages");
        let words = ["selvedge", "check", &path.to_string_lossy(), "--report", "page.html"];
        let invocation = Invocation { command: words.map(str::to_string).to_vec(), ..Invocation::default() };
        let text = format.page(&report, &invocation).expect("every report has a page");
        let folder = folder(test);
        let file = folder.join("page.html");
        std::fs::write(&file, text.render(Paint::Plain)).expect("a file for the test");
        let mut browser = Browser::start(&program, test);
        browser.open(&file, "");
        assert_eq!(browser.problems(), [""; 0]);
        assert_eq!(browser.text("document.body.dataset.ready"), "yes");
        Some(Page { browser, folder })
    }

    /// The word at the top.
    pub fn verdict(&mut self) -> String {
        self.browser.text("document.querySelector('h1').lastChild.textContent")
    }

    /// An expression that is a number.
    pub fn number(&mut self, expression: &str) -> usize {
        let value = self.browser.evaluate(&format!("Number({expression})"));
        value.as_u64().unwrap_or_else(|| panic!("{expression} is {value}")) as usize
    }

    /// Nothing went wrong, and nothing but the page was asked for.
    pub fn is_quiet(&mut self) {
        // What was sent until now is heard.
        self.browser.evaluate("0");
        assert_eq!(self.browser.problems(), [""; 0]);
        let requests = self.browser.requests();
        assert!(requests.len() == 1 && requests[0].starts_with("file:"), "{requests:?}");
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The browser; nothing where there is none and none must be.
fn browser() -> Option<PathBuf> {
    let found = Browser::find();
    if found.is_none() {
        let must = std::env::var_os("CI").is_some_and(|it| !it.is_empty());
        assert!(!must, "there is no browser, and CI must have one");
        println!("skipped: no browser");
    }
    found
}

fn checked(path: &Path, properties: &[&str], engine: &str) -> Report {
    let mut reading = ReadOptions::default();
    if !properties.is_empty() {
        let set = ir::property::PropertySet::parse(&properties.join(",")).expect("there are such properties");
        reading.c.property = CProperty::List(set);
    }
    let plan = Plan::named(&[engine.to_string()]).expect("there is such an engine");
    let limits = Limits { time: Some(std::time::Duration::from_secs(120)), ..Limits::default() };
    let question = Question { reading, scope: Scope::ANY, plan, limits, each: false };
    verify::check(&Origin::File(path.to_path_buf()), &question, &mut NoEvents)
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("selvedge-page-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}
