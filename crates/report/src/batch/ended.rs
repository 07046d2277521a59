//! From the end of a process of a batch to its row: its exit code, and what it printed as JSON.

use crate::batch::{BatchRow, Finding, Task};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// How a process of a batch ended.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Its exit code, if it ended by itself.
    pub code: Option<u8>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Why the batch ended it, if it did, with the kind of the reason.
    pub killed: Option<(&'static str, String)>,
    /// Its standard output.
    pub out: Vec<u8>,
    /// The beginning of its standard error.
    pub err: Vec<u8>,
    /// How long it was there.
    pub wall_seconds: f64,
    /// Its processor time, where that is known.
    pub cpu_seconds: Option<f64>,
}

/// What `check --format json` printed; the trace is not kept, as it is large and can be had again.
#[derive(Deserialize, Default)]
struct Printed {
    #[serde(default, rename = "trace")]
    _trace: Option<IgnoredAny>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// An object of the contract, which a row is made from.
struct ResultObject<'a>(&'a Map<String, Value>);

impl ResultObject<'_> {
    fn text(&self, path: &str) -> Option<String> {
        self.value(path)?.as_str().map(str::to_string)
    }

    fn number(&self, path: &str) -> Option<u64> {
        self.value(path)?.as_u64()
    }

    fn value(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let mut found = self.0.get(names.next()?)?;
        for name in names {
            found = found.get(name)?;
        }
        Some(found)
    }

    fn threads(&self) -> String {
        match self.value("scope.threads") {
            Some(Value::Number(n)) => format!("up to {n} threads"),
            _ => "any number of threads".to_string(),
        }
    }

    fn detail(&self, finding: Finding) -> String {
        let by = self.text("way").or_else(|| self.text("engine"));
        match finding {
            Finding::Safe => match by {
                Some(by) => format!("{} ({by})", self.threads()),
                None => self.threads(),
            },
            Finding::Unsafe => {
                let place = self.text("property.location").map_or(String::new(), |it| format!(" at {it}"));
                let threads = match self.number("threads_needed") {
                    Some(1) => "1 thread".to_string(),
                    n => format!("{} threads", n.unwrap_or_default()),
                };
                let kind = self.text("property.kind").unwrap_or_default();
                format!("{kind}{place} with {threads} in {} steps", self.number("steps").unwrap_or_default())
            }
            Finding::Unknown => {
                let mut detail = self.text("reason.message").unwrap_or_default();
                if let Some(threads) = self.number("best.safe_up_to_threads") {
                    detail.push_str(&format!("; safe up to {threads} threads"));
                }
                detail
            }
            Finding::Error | Finding::Crash => self.first_error(),
        }
    }

    fn first_error(&self) -> String {
        let all = self.value("diagnostics").and_then(Value::as_array);
        let is_error = |it: &&Value| it["severity"] == "error";
        let Some(first) = all.into_iter().flatten().find(is_error) else { return String::new() };
        let text = |name: &str| first[name].as_str().unwrap_or_default();
        let place =
            if text("location").is_empty() { String::new() } else { format!("{}: ", text("location")) };
        format!("{place}{} {}", text("code"), text("message"))
    }
}

impl Ended {
    /// The row of a task that ended so, and what was printed.
    pub fn row(&self, task: Task) -> (BatchRow, Option<Map<String, Value>>) {
        let line = self.out.split(|it| *it == b'\n').rfind(|it| !it.is_empty()).unwrap_or_default();
        let printed = serde_json::from_slice::<Printed>(line).ok().map(|it| it.rest);
        let blank = BatchRow {
            task,
            finding: Finding::Crash,
            reason: None,
            evidence: None,
            engine: None,
            detail: String::new(),
            code: self.code.unwrap_or(6),
            wall_seconds: (self.wall_seconds * 1e6).round() / 1e6,
            cpu_seconds: self.cpu_seconds,
            peak_memory_bytes: None,
        };
        if let Some((kind, why)) = &self.killed {
            let (finding, code) = (Finding::Unknown, 5);
            return (
                BatchRow { finding, code, reason: Some(kind.to_string()), detail: why.clone(), ..blank },
                None,
            );
        }
        match (&printed, self.finding(printed.as_ref())) {
            (Some(object), Ok(finding)) => {
                let object = ResultObject(object);
                let row = BatchRow {
                    finding,
                    reason: object.text("reason.kind"),
                    evidence: object.text("evidence"),
                    engine: object.text("way").or_else(|| object.text("engine")),
                    detail: object.detail(finding),
                    peak_memory_bytes: object.number("peak_memory_bytes"),
                    ..blank
                };
                (row, printed)
            }
            (_, found) => {
                let reason = Some("worker".to_string());
                let detail = found.err().unwrap_or_default();
                (BatchRow { code: 6, reason, detail, ..blank }, printed)
            }
        }
    }

    /// What the process found; or why it found nothing that can be relied on.
    fn finding(&self, printed: Option<&Map<String, Value>>) -> Result<Finding, String> {
        let fault = |why: String| match self.first_words() {
            words if words.is_empty() => why,
            words => format!("{why}: {words}"),
        };
        if let Some(signal) = self.signal {
            return Err(fault(format!("killed by signal {signal}")));
        }
        let code = self.code.unwrap_or_default();
        let Some(printed) = printed else { return Err(fault(format!("exit code {code} without a result"))) };
        let verdict = printed.get("verdict").and_then(Value::as_str);
        let finding = match (code, verdict) {
            (0, Some("safe")) => Finding::Safe,
            (10, Some("unsafe")) => Finding::Unsafe,
            (5, Some("unknown")) => Finding::Unknown,
            (6, Some("unknown")) => Finding::Crash,
            (2, None) => Finding::Error,
            _ => return Err(fault(format!("exit code {code} with the verdict {verdict:?}"))),
        };
        match finding {
            Finding::Crash => {
                let message = ResultObject(printed).text("reason.message").unwrap_or_default();
                Err(format!("internal fault: {message}"))
            }
            finding => Ok(finding),
        }
    }

    /// The first words on standard error.
    fn first_words(&self) -> String {
        let text = String::from_utf8_lossy(&self.err);
        text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: u8, out: &str) -> BatchRow {
        let ended = Ended { code: Some(code), out: out.as_bytes().to_vec(), ..Ended::default() };
        ended.row(Task::default()).0
    }

    #[test]
    fn verdicts_and_reasons_are_read() {
        let safe = r#"{"verdict":"safe","scope":{"threads":"any"},"engine":"cover","evidence":"confirmed"}"#;
        let row = ended(0, safe);
        assert_eq!((row.finding, row.detail.as_str()), (Finding::Safe, "any number of threads (cover)"));
        assert!(!row.is_unconfirmed());
        let found = r#"{"verdict":"unsafe","property":{"kind":"race","location":"a.c:3:1"},"threads_needed":2,
            "steps":4,"evidence":"confirmed","trace":{"steps":[1,2]}}"#;
        let row = ended(10, &found.replace('\n', ""));
        assert_eq!(row.detail, "race at a.c:3:1 with 2 threads in 4 steps");
        let unknown = r#"{"verdict":"unknown","reason":{"kind":"time","message":"time limit 1 s reached"},
            "best":{"safe_up_to_threads":3}}"#;
        let row = ended(5, &unknown.replace('\n', ""));
        assert_eq!(row.reason.as_deref(), Some("time"));
        assert_eq!(row.detail, "time limit 1 s reached; safe up to 3 threads");
        let bad = r#"{"verdict":null,"diagnostics":[{"code":"E0201","severity":"error","location":"a.bp:1:2",
            "message":"no"}]}"#;
        assert_eq!(ended(2, &bad.replace('\n', "")).detail, "a.bp:1:2: E0201 no");
    }

    #[test]
    fn what_does_not_fit_together_is_no_verdict() {
        let safe = r#"{"verdict":"safe"}"#;
        for (code, out) in [(10, safe), (0, ""), (0, "{\"verdict\":\"sa"), (6, ""), (101, safe), (5, safe)] {
            let row = ended(code, out);
            assert_eq!((row.finding, row.code, row.reason.as_deref()), (Finding::Crash, 6, Some("worker")));
            assert!(!row.detail.is_empty());
        }
        let killed =
            Ended { signal: Some(6), err: b"\n  memory allocation failed\n".to_vec(), ..Ended::default() };
        let (row, result) = killed.row(Task::default());
        assert_eq!(row.detail, "killed by signal 6: memory allocation failed");
        assert!(row.finding == Finding::Crash && result.is_none());
    }

    #[test]
    fn the_trace_is_not_kept() {
        let out = br#"{"verdict":"unsafe","steps":2,"trace":{"x":[1]}}"#.to_vec();
        let ended = Ended { code: Some(10), out, ..Ended::default() };
        let (_, result) = ended.row(Task::default());
        let result = result.expect("it was printed");
        assert!(result.contains_key("steps") && !result.contains_key("trace"));
    }
}
