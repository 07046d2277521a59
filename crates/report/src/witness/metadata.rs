//! What a witness says of itself: who made it, when, and about which file.

use super::property;
use super::yaml::quoted;
use base::sha256::{digest, sha256};
use base::{SourceMap, bytes};
use ir::c::Model;
use std::fmt::Write;

/// How a witness came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The command line.
    pub command_line: String,
    /// When, in seconds since 1970.
    pub seconds: u64,
}

/// What a witness says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// The file, as it was named.
    pub file: String,
    /// Its hash.
    pub hash: String,
    /// Whether pointers have 64 bits.
    pub wide: bool,
    /// How it came about.
    pub made: Made,
}

impl Metadata {
    /// What is said of witnesses about a program.
    pub fn new(sources: &SourceMap, model: &Model, made: &Made) -> Metadata {
        let file = sources.file(model.file);
        Metadata {
            file: file.name().to_string(),
            hash: sha256(&bytes::encode(file.text())),
            wide: model.program.pointer_bits() == 64,
            made: made.clone(),
        }
    }

    /// The field `metadata` of an entry in YAML. What the entry says decides its id.
    pub fn yaml(&self, version: &str, formula: &str, content: &str) -> String {
        let mut out = String::from("  metadata:\n");
        let time = time(self.made.seconds);
        let name = quoted(&self.file);
        let id = uuid(&format!("{}\n{time}\n{}\n{content}", self.hash, self.made.command_line));
        let data_model = if self.wide { "LP64" } else { "ILP32" };
        let lines = [
            format!("format_version: \"{version}\""),
            format!("uuid: \"{id}\""),
            format!("creation_time: \"{time}\""),
            "producer:".to_string(),
            "  name: \"selvedge\"".to_string(),
            format!("  version: \"{}\"", env!("CARGO_PKG_VERSION")),
            format!("  command_line: {}", quoted(&self.made.command_line)),
            "task:".to_string(),
            "  input_files:".to_string(),
            format!("    - {name}"),
            "  input_file_hashes:".to_string(),
            format!("    {name}: \"{}\"", self.hash),
            format!("  specification: {}", quoted(formula)),
            format!("  data_model: {data_model}"),
            "  language: C".to_string(),
        ];
        for line in lines {
            let _ = writeln!(out, "    {line}");
        }
        out
    }

    /// The data of a graph, by key.
    pub fn graph(&self, formula: &str) -> [(&'static str, String); 8] {
        [
            ("witness-type", "violation_witness".to_string()),
            ("sourcecodelang", "C".to_string()),
            ("producer", format!("selvedge {}", env!("CARGO_PKG_VERSION"))),
            ("specification", property::line(formula)),
            ("programfile", self.file.clone()),
            ("programhash", self.hash.clone()),
            ("architecture", if self.wide { "64bit" } else { "32bit" }.to_string()),
            ("creationtime", time(self.made.seconds)),
        ]
    }
}

/// An id of its own for what is told: of version 8, made from its hash.
fn uuid(text: &str) -> String {
    let mut id = digest(text.as_bytes());
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    let mut out = String::new();
    for (at, byte) in id.iter().take(16).enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            out.push('-');
        }
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// A time as ISO 8601 says it, in UTC.
fn time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut day) = (1970, days);
    let length = |year: u64| {
        if year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400) {
            366
        } else {
            365
        }
    };
    // 400 years have 146,097 days: what is left are at most 400 turns.
    year += 400 * (day / 146_097);
    day %= 146_097;
    while day >= length(year) {
        day -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(time(951_868_800), "2000-03-01T00:00:00Z");
        assert_eq!(time(1_795_089_600), "2026-11-19T12:00:00Z");
        assert_eq!(time(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn ids_have_a_version_and_a_variant() {
        let id = uuid("a");
        assert_eq!((id.len(), &id[14..15]), (36, "8"));
        assert!("89ab".contains(&id[19..20]) && uuid("b") != id);
    }
}
