//! The output formats, one table: what each can show, and the functions that do it. Arguments, their help and
//! file names are looked up here; `docs/first-property.md` says how to add a row.

use crate::answer::{self, Layout};
use crate::document::Document;
use crate::page::{self, Invocation};
use crate::sarif::{self, Sarif, SarifOptions};
use crate::witness::{self, Made};
use crate::{json, properties, replay, trace};
use std::path::Path;
use verify::{Input, Outcome, Report};

/// An output format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, as in `--format NAME`.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// How names of its files end; the first is the one that is recommended.
    pub extensions: &'static [&'static str],
    /// What it can show.
    pub shows: &'static [Shows],
}

/// Something that a format can show, and the function that does it. A function gives nothing where there is
/// nothing of this kind to show.
#[derive(Clone, Copy, Debug)]
pub enum Shows {
    /// The answer about a file, for standard output.
    Answer(fn(&Report, &Layout) -> Document),
    /// What there is to check in a file, for standard output.
    Properties(fn(&PropertyList<'_>) -> Document),
    /// The run into an error, for a file.
    Trace(fn(&Report) -> Option<Document>),
    /// The whole report, whatever the verdict, for a file; where it has a trace, it shows that, too.
    Page(fn(&Report, &Invocation) -> Document),
    /// The certificate of a proof, for a file.
    Certificate(fn(&Report) -> Option<Document>),
    /// The run into an error as a program that can be run, for a file; or why it cannot be one.
    Replay(fn(&Report) -> Result<Option<Document>, String>),
    /// The evidence as a witness for the validators of others, for a file; or why it cannot be said as one.
    Witness(fn(&Report, &Made) -> Result<Option<Document>, String>),
    /// The answers about all files of a run together, for a file.
    Results(fn(SarifOptions) -> Sarif),
}

/// What there is to check in a file.
pub struct PropertyList<'a> {
    /// The file's name.
    pub file: &'a str,
    /// What was read.
    pub input: &'a Input,
    /// The properties.
    pub properties: &'a [ir::Property],
    /// The pairs of accesses that may race, where that is asked and known: they stand for the property.
    pub pairs: Option<&'a [verify::predicates::AccessPair]>,
}

/// All output formats.
pub const FORMATS: Formats = Formats(&[
    Format {
        name: "text",
        about: "For people",
        extensions: &["txt"],
        shows: &[
            Shows::Answer(answer::text),
            Shows::Properties(properties::list_text),
            Shows::Trace(trace::text_file),
        ],
    },
    Format {
        name: "json",
        about: "One JSON object a file, on one line",
        extensions: &["json"],
        shows: &[
            Shows::Answer(json::answer),
            Shows::Properties(properties::list_json),
            Shows::Trace(trace::json_file),
        ],
    },
    Format {
        name: "html",
        about: "A page for a browser",
        extensions: &["html", "htm"],
        shows: &[Shows::Page(page::write)],
    },
    Format {
        name: "certificate",
        about: "A proof for `selvedge confirm`",
        extensions: &[],
        shows: &[Shows::Certificate(trace::certificate)],
    },
    Format {
        name: "c",
        about: "A C program that fails every time",
        extensions: &["c"],
        shows: &[Shows::Replay(replay::program)],
    },
    Format {
        name: "sarif",
        about: "Results for code scanning, all files of a run in one",
        extensions: &["sarif"],
        shows: &[Shows::Results(sarif::start)],
    },
    Format {
        name: "graphml",
        about: "A violation witness 1.0 for other validators",
        extensions: &["graphml"],
        shows: &[Shows::Witness(witness::graphml_file)],
    },
    Format {
        name: "yaml",
        about: "A witness 2.x for other validators",
        extensions: &["yml", "yaml"],
        shows: &[Shows::Witness(witness::yaml_file)],
    },
]);

/// A table of formats.
#[derive(Clone, Copy, Debug)]
pub struct Formats(pub &'static [Format]);

impl Formats {
    /// The formats that can show answers.
    pub fn of_answers(self) -> impl Iterator<Item = &'static Format> {
        self.0.iter().filter(|it| it.shows.iter().any(|it| matches!(it, Shows::Answer(_))))
    }

    /// The answer in the format of this name, if that can show answers.
    pub fn answer(self, name: &str, report: &Report, layout: &Layout) -> Option<Document> {
        let write =
            |it: &Shows| if let Shows::Answer(write) = it { Some(write(report, layout)) } else { None };
        self.named(name)?.shows.iter().find_map(write)
    }

    /// The properties in the format of this name, if that can list them.
    pub fn properties(self, name: &str, list: &PropertyList<'_>) -> Option<Document> {
        let write = |it: &Shows| if let Shows::Properties(write) = it { Some(write(list)) } else { None };
        self.named(name)?.shows.iter().find_map(write)
    }

    /// The format of a trace file by its extension; a name without one gets the first format that can show
    /// traces.
    pub fn of_trace(self, path: &Path) -> Result<&'static Format, String> {
        self.of_file("--trace", path, |it| matches!(it, Shows::Trace(_) | Shows::Page(_)))
    }

    /// The format of a report file by its extension, likewise.
    pub fn of_report(self, path: &Path) -> Result<&'static Format, String> {
        self.of_file("--report", path, |it| matches!(it, Shows::Page(_)))
    }

    /// The format of a witness file by its extension; a name without one gets the first format that can show
    /// witnesses.
    pub fn of_witness(self, path: &Path) -> Result<&'static Format, String> {
        self.of_file("--witness", path, |it| matches!(it, Shows::Witness(_)))
    }

    fn of_file(
        self,
        option: &str,
        path: &Path,
        fits: impl Fn(&Shows) -> bool,
    ) -> Result<&'static Format, String> {
        let all: Vec<&Format> = self.0.iter().filter(|it| it.shows.iter().any(&fits)).collect();
        let found = match path.extension() {
            None => all.first(),
            Some(extension) => all.iter().find(|it| it.extensions.iter().any(|it| extension == *it)),
        };
        found.copied().ok_or_else(|| {
            let endings: Vec<String> = all.iter().map(|it| format!(".{}", it.extensions[0])).collect();
            let last = endings.last().cloned().unwrap_or_default();
            let others = endings[..endings.len().saturating_sub(1)].join(", ");
            let or = if others.is_empty() { "" } else { " or " };
            format!("{option} {}: the name must end in {others}{or}{last}", path.display())
        })
    }

    /// The results of a run in the first format that collects them.
    pub fn results(self, options: SarifOptions) -> Option<Sarif> {
        let start = self.0.iter().flat_map(|it| it.shows).find_map(|it| match it {
            Shows::Results(start) => Some(start),
            _ => None,
        })?;
        Some(start(options))
    }

    /// The certificate of a report in the first format that has one.
    pub fn certificate(self, report: &Report) -> Option<Document> {
        let mut all = self.0.iter().flat_map(|it| it.shows);
        all.find_map(|it| if let Shows::Certificate(write) = it { Some(write(report)) } else { None })?
    }

    /// The run of a report as a program, in the first format that has one.
    pub fn replay(self, report: &Report) -> Result<Option<Document>, String> {
        let mut all = self.0.iter().flat_map(|it| it.shows);
        let made = all.find_map(|it| if let Shows::Replay(write) = it { Some(write(report)) } else { None });
        made.unwrap_or(Ok(None))
    }

    fn named(self, name: &str) -> Option<&'static Format> {
        self.0.iter().find(|it| it.name == name)
    }
}

impl Format {
    /// The trace of a report, if it has one; a format that shows all shows it so.
    pub fn trace(&self, report: &Report, invocation: &Invocation) -> Option<Document> {
        let mut all = self.shows.iter();
        let trace = all.find_map(|it| if let Shows::Trace(write) = it { Some(write(report)) } else { None });
        trace.unwrap_or_else(|| {
            let is_unsafe = matches!(report.outcome(), Some(Outcome::Unsafe { .. }));
            self.page(report, invocation).filter(|_| is_unsafe)
        })
    }

    /// The whole report, if the format can show it.
    pub fn page(&self, report: &Report, invocation: &Invocation) -> Option<Document> {
        let mut all = self.shows.iter();
        all.find_map(|it| if let Shows::Page(write) = it { Some(write(report, invocation)) } else { None })
    }

    /// The witness of a report, if it has one, or why it cannot be said.
    pub fn witness(&self, report: &Report, made: &Made) -> Result<Option<Document>, String> {
        let mut all = self.shows.iter();
        let found =
            all.find_map(|it| if let Shows::Witness(write) = it { Some(write(report, made)) } else { None });
        found.unwrap_or(Ok(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions_are_of_one_format() {
        for (at, format) in FORMATS.0.iter().enumerate() {
            for other in &FORMATS.0[at + 1..] {
                assert_ne!(format.name, other.name);
                assert!(format.extensions.iter().all(|it| !other.extensions.contains(it)), "{}", other.name);
            }
        }
    }

    #[test]
    fn extensions_say_the_format_of_a_trace() {
        let name = |path: &str| FORMATS.of_trace(Path::new(path)).map(|it| it.name);
        assert_eq!(name("a.json"), Ok("json"));
        assert_eq!(name("a.htm"), Ok("html"));
        assert_eq!(name("a"), Ok("text"));
        let wrong = "--trace a.xml: the name must end in .txt, .json or .html".to_string();
        assert_eq!(name("a.xml"), Err(wrong));
        assert!(name("a.c").is_err(), "a program shows no trace");
        let report = |path: &str| FORMATS.of_report(Path::new(path)).map(|it| it.name);
        assert_eq!(report("a.html"), Ok("html"));
        assert_eq!(report("a.json"), Err("--report a.json: the name must end in .html".to_string()));
        let witness = |path: &str| FORMATS.of_witness(Path::new(path)).map(|it| it.name);
        assert_eq!((witness("a.yaml"), witness("a.graphml")), (Ok("yaml"), Ok("graphml")));
        assert!(witness("a.json").is_err_and(|why| why.ends_with("must end in .graphml or .yml")));
    }
}
