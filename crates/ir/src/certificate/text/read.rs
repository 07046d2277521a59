//! Reads certificates. The text may be anything: whatever is not of the form is refused with the number of
//! its line.

use super::HEADER;
use super::fields::{bound, control, id, number, word};
use super::form::{FORMS, Form, Records, Words};
use crate::bp::SharedId;
use crate::certificate::{Certificate, View};
use crate::task::Scope;

/// The certificate that the text is the form of, or what is wrong with it.
pub fn read(text: &str) -> Result<Certificate, String> {
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, first)) if first.trim_end() == HEADER => {}
        Some((_, first)) if first.starts_with("selvedge-certificate/") => {
            return Err(format!("line 1: another version than `{HEADER}`"));
        }
        _ => return Err(format!("line 1: `{HEADER}` is missing")),
    }
    let mut reader: Option<Reader> = None;
    for (index, line) in lines {
        let record = line.split('#').next().unwrap_or_default();
        let mut words = record.split_whitespace();
        let Some(first) = words.next() else { continue };
        let done = match &mut reader {
            Some(reader) => reader.record(first, &mut words),
            None => Reader::start(first, &mut words).map(|it| reader = Some(it)),
        };
        done.and_then(|()| words.next().map_or(Ok(()), |rest| Err(format!("`{rest}` is too much"))))
            .map_err(|why| format!("line {}: {why}", index + 1))?;
    }
    reader.ok_or_else(|| missing("kind"))?.finish()
}

fn missing(what: &str) -> String {
    format!("`{what}` is missing")
}

/// The ranks of the records that all kinds have, and of a kind's number; its own records come between the
/// view and the end.
const KIND: u8 = 1;
const SCOPE: u8 = 2;
const NUMBER: u8 = 3;
const SHARED: u8 = 4;
const CONTROL: u8 = 5;
const END: u8 = u8::MAX;

/// A certificate of a known kind, record by record.
struct Reader {
    form: &'static Form,
    /// How far in the order we are.
    rank: u8,
    scope: Option<Scope>,
    number: Option<u32>,
    has_shared: bool,
    view: View,
    body: Box<dyn Records>,
}

impl Reader {
    /// Reads the record `kind`, which comes first.
    fn start(first: &str, words: &mut Words<'_>) -> Result<Reader, String> {
        if first != "kind" {
            return Err("`kind` comes first".to_string());
        }
        let kind = word(words)?;
        let form = FORMS.into_iter().find(|it| it.word == kind);
        let form = form.ok_or_else(|| format!("unknown kind `{kind}`"))?;
        let (view, body) = (View::default(), (form.start)());
        Ok(Reader { form, rank: KIND, scope: None, number: None, has_shared: false, view, body })
    }

    /// Reads any other record. Records of one letter may come again, the others are there once.
    fn record(&mut self, first: &str, words: &mut Words<'_>) -> Result<(), String> {
        let rank =
            self.rank_of(first).ok_or_else(|| format!("a certificate of this kind has no `{first}`"))?;
        if rank < self.rank || (rank == self.rank && first.len() > 1) {
            return Err(format!("`{first}` comes too late"));
        }
        self.rank = rank;
        match rank {
            SCOPE => {
                // Bounds of rounds and steps are read as `any`: the claim only grows, and the checker has the
                // last word on it.
                let [threads, _, _] = [bound(words)?, bound(words)?, bound(words)?];
                self.scope = Some(Scope { threads });
            }
            NUMBER => self.number = Some(number(word(words)?)?),
            SHARED => {
                self.has_shared = true;
                self.view.shared = words.map(id::<SharedId>).collect::<Result<_, _>>()?;
            }
            CONTROL => self.view.controls.push(control(words)?),
            END => {}
            _ => self.body.read(first, words)?,
        }
        Ok(())
    }

    /// When a record may come; `None` if this kind does not have it.
    fn rank_of(&self, record: &str) -> Option<u8> {
        match record {
            "kind" => Some(KIND),
            "scope" => Some(SCOPE),
            "end" => Some(END),
            "shared" if self.form.view => Some(SHARED),
            "p" if self.form.view => Some(CONTROL),
            _ if self.form.number == Some(record) => Some(NUMBER),
            _ => {
                let own = self.form.records.iter().find(|it| it.0 == record);
                own.map(|&(_, rank)| CONTROL + rank)
            }
        }
    }

    fn finish(self) -> Result<Certificate, String> {
        if self.rank < END {
            return Err(missing("end"));
        }
        let scope = self.scope.ok_or_else(|| missing("scope"))?;
        let number = match (self.number, self.form.number) {
            (Some(number), _) => number,
            (None, Some(record)) => return Err(missing(record)),
            (None, None) => 0,
        };
        if self.form.view && !self.has_shared {
            return Err(missing("shared"));
        }
        Ok(Certificate { scope, view: self.view, body: self.body.finish(number), passes: vec![] })
    }
}
