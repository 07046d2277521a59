//! A row: what came of one file of a batch, and whether that is what the manifest expects.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a row line says that it is.
const SCHEMA: &str = "selvedge-batch-row/1";

/// One thing to do in a batch.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// Its place in the list of all tasks, which is the same in all shards.
    pub index: usize,
    /// The file, as it was named.
    pub file: String,
    /// The options that the manifest gives for it.
    #[serde(default)]
    pub args: Vec<String>,
    /// What the manifest expects of it.
    #[serde(default)]
    pub expected: Option<Finding>,
}

/// What came of a file, in one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// No error.
    Safe,
    /// An error.
    Unsafe,
    /// No answer.
    Unknown,
    /// Bad input.
    Error,
    /// The process ended in another way than by an answer.
    Crash,
}

impl Finding {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Finding; 5] =
        [Finding::Safe, Finding::Unsafe, Finding::Unknown, Finding::Error, Finding::Crash];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Safe => "safe",
            Finding::Unsafe => "unsafe",
            Finding::Unknown => "unknown",
            Finding::Error => "error",
            Finding::Crash => "crash",
        }
    }

    /// What a manifest means by a word; nothing by none. Competitions write `true` and `false`.
    pub fn expected(word: &str) -> Result<Option<Finding>, String> {
        match word {
            "" => Ok(None),
            "safe" | "true" => Ok(Some(Finding::Safe)),
            "unsafe" | "false" => Ok(Some(Finding::Unsafe)),
            "unknown" => Ok(Some(Finding::Unknown)),
            "error" => Ok(Some(Finding::Error)),
            _ => Err(format!("`{word}` is not `safe`, `unsafe`, `unknown`, `error` or nothing")),
        }
    }

    /// Whether it is a verdict.
    pub fn is_decided(self) -> bool {
        matches!(self, Finding::Safe | Finding::Unsafe)
    }
}

/// What a manifest says to a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// As expected.
    Right,
    /// A verdict, and another was expected.
    Wrong,
    /// A verdict was expected, and there is none.
    Undecided,
    /// Nothing was expected.
    Open,
}

impl Judgement {
    /// The word; none where nothing was expected.
    pub fn word(self) -> &'static str {
        match self {
            Judgement::Right => "right",
            Judgement::Wrong => "wrong",
            Judgement::Undecided => "undecided",
            Judgement::Open => "",
        }
    }
}

/// What came of one file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BatchRow {
    /// What was to be done.
    #[serde(flatten)]
    pub task: Task,
    /// What came of it.
    #[serde(rename = "verdict")]
    pub finding: Finding,
    /// For `unknown`, the kind of the reason.
    pub reason: Option<String>,
    /// For a verdict, `confirmed` or `unchecked`.
    pub evidence: Option<String>,
    /// Who found it.
    pub engine: Option<String>,
    /// The rest of it in words.
    pub detail: String,
    /// The exit code of `check`.
    pub code: u8,
    /// How long its process was there.
    pub wall_seconds: f64,
    /// The processor time of the process and its children, where that is known.
    pub cpu_seconds: Option<f64>,
    /// The most memory that it held, where that is known.
    pub peak_memory_bytes: Option<u64>,
}

/// A row line: the row, and what `check` printed.
#[derive(Serialize)]
struct RowLine<'a> {
    schema: &'static str,
    #[serde(flatten)]
    row: &'a BatchRow,
    result: &'a Option<Map<String, Value>>,
}

impl BatchRow {
    /// What the manifest says to it.
    pub fn judgement(&self) -> Judgement {
        match (self.task.expected, self.finding) {
            (None, _) => Judgement::Open,
            (Some(expected), found) if expected == found => Judgement::Right,
            (Some(Finding::Unknown), found) if found.is_decided() => Judgement::Open,
            (Some(_), found) if found.is_decided() => Judgement::Wrong,
            (Some(_), _) => Judgement::Undecided,
        }
    }

    /// Whether it is a verdict whose evidence nobody has confirmed.
    pub fn is_unconfirmed(&self) -> bool {
        self.finding.is_decided() && self.evidence.as_deref() != Some("confirmed")
    }

    /// The file with the options that the manifest gives for it.
    pub fn name(&self) -> String {
        let mut name = self.task.file.clone();
        for word in &self.task.args {
            name.push(' ');
            name.push_str(word);
        }
        name
    }

    /// The line that is kept, with its end.
    pub fn line(&self, result: &Option<Map<String, Value>>) -> String {
        let line = RowLine { schema: SCHEMA, row: self, result };
        let mut line = serde_json::to_string(&line).expect("plain data can always be written");
        line.push('\n');
        line
    }

    /// Reads a line that was kept.
    pub fn read(line: &str) -> Result<BatchRow, String> {
        #[derive(Deserialize)]
        struct Schema {
            schema: String,
        }
        let Schema { schema } = serde_json::from_str(line).map_err(|why| why.to_string())?;
        if schema != SCHEMA {
            return Err(format!("it is of the kind `{schema}`"));
        }
        serde_json::from_str(line).map_err(|why| why.to_string())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row for tests.
    pub fn row(index: usize, finding: Finding, expected: Option<Finding>) -> BatchRow {
        BatchRow {
            task: Task { index, file: format!("d/{index}.c"), args: vec![], expected },
            finding,
            reason: (finding == Finding::Unknown).then(|| "time".to_string()),
            evidence: finding.is_decided().then(|| "confirmed".to_string()),
            engine: None,
            detail: "x < y & \"z\"\u{1b}".to_string(),
            code: 0,
            wall_seconds: 0.25 * (index + 1) as f64,
            cpu_seconds: Some(0.2),
            peak_memory_bytes: Some(1 << 20),
        }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let mut result = Map::new();
        result.insert("verdict".to_string(), Value::from("safe"));
        for (result, finding) in [(None, Finding::Crash), (Some(result), Finding::Safe)] {
            let row = row(3, finding, Some(Finding::Unsafe));
            let line = row.line(&result);
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(BatchRow::read(&line), Ok(row));
        }
        assert!(BatchRow::read("{\"schema\":\"other/1\"}").is_err_and(|why| why.contains("other/1")));
        assert!(BatchRow::read("{\"schema\":\"selvedge-batch-row/1\"").is_err());
    }

    #[test]
    fn only_a_verdict_is_wrong() {
        use Finding::{Crash, Error, Safe, Unknown, Unsafe};
        let judged = |found, expected| row(0, found, expected).judgement();
        assert_eq!(judged(Safe, Some(Safe)), Judgement::Right);
        assert_eq!(judged(Error, Some(Error)), Judgement::Right);
        assert_eq!(judged(Safe, Some(Unsafe)), Judgement::Wrong);
        assert_eq!(judged(Unsafe, Some(Error)), Judgement::Wrong);
        assert_eq!(judged(Unsafe, Some(Unknown)), Judgement::Open);
        assert_eq!(judged(Crash, Some(Safe)), Judgement::Undecided);
        assert_eq!(judged(Unknown, Some(Safe)), Judgement::Undecided);
        assert_eq!(judged(Error, Some(Safe)), Judgement::Undecided);
        assert_eq!(judged(Safe, None), Judgement::Open);
    }
}
