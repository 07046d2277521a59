//! Thread transition systems, the format of BFC (Kaiser, Kroening and Wahl, CONCUR 2012) and of SatAbs: a
//! finite shared state, threads in local states, spawns and transfers. They are nets in which a rule takes at
//! most one token.

use super::prop::{Configuration, Flaw, Scanner, lines, read_prop, span, trimmed};
use crate::options::ReadOptions;
use crate::registry::{Beginning, Failure, Reader, Reading, Request};
use crate::source::Source;
use base::{Arena, Diagnostic, Diagnostics, FileId, Id, SourceMap, Span};
use ir::Net;
use ir::net::{Interval, NetStart, Place, PlaceId, Rule, RuleId, SharedStateId, Target, Transfer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most shared states, and the most local states: a header with more is a mistake, and would only eat the
/// memory.
const MOST_STATES: u32 = 1 << 22;

/// How a line begins that says where the system starts.
const START: &str = "#selvedge start";

/// The reader of thread transition systems.
pub const READER: Reader = Reader {
    about: "a thread transition system",
    extensions: &["tts", "ttd"],
    recognises,
    takes_bytes: false,
    options: &["--start", "--target"],
    read,
};

fn recognises(beginning: &Beginning<'_>) -> bool {
    let number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    beginning.words.len() > 1 && beginning.words.iter().all(number)
}

fn read(request: &mut Request<'_>) -> Result<Reading, Failure> {
    // Each line is looked at a few times.
    request.budget.spend(request.sources.file(request.file).text().lines().count() as u64)?;
    let mut options = request.options.clone();
    let prop = prop_file(request, &mut options)?;
    let (net, warnings) = read_tts(request.sources, request.file, &options, prop)?;
    Ok(Reading { source: Source::Net(Arc::new(net)), warnings, notes: vec![] })
}

/// The file with the targets: the one that `--target` names, or the one beside the transition system.
fn prop_file(request: &mut Request<'_>, options: &mut ReadOptions) -> Result<Option<FileId>, Diagnostic> {
    let path = match &options.target {
        // Targets are written with digits and a few signs, so anything else is meant as a file.
        Some(target) if target.ends_with(".prop") || request.files.is_file(Path::new(target)) => {
            PathBuf::from(target)
        }
        Some(_) => return Ok(None),
        None => match request.path.map(|path| path.with_extension("prop")) {
            Some(path) if request.files.is_file(&path) => path,
            _ => return Ok(None),
        },
    };
    options.target = None;
    request.files.load(request.sources, &path).map(Some)
}

/// Reads a transition system; `prop` is the file with its targets. The findings beside a net are warnings.
pub fn read_tts(
    map: &SourceMap,
    file: FileId,
    options: &ReadOptions,
    prop: Option<FileId>,
) -> Result<(Net, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut reader = Lines::new(file);
    for (start, line) in lines(map.file(file).text()) {
        let (start, line) = trimmed(start, line);
        if !line.is_empty() {
            reader.line(start, line);
        }
    }
    if reader.size.is_none() && !reader.found.has_errors() {
        reader.error(
            "E0502",
            None,
            "the file says nothing",
            "the first line gives the numbers of shared and local states",
        );
    }
    let written = reader.written_start(map.file(file).text());
    let open = options.start.is_none() && written.is_none();
    let start = reader.start(options.start.as_deref(), written);
    reader.other_targets(map, options.target.as_deref(), prop);
    if open && !reader.found.has_errors() {
        let message =
            "nothing says where the system starts: `0/0` is taken, any number of threads in local state 0";
        let help = "say it with `--start S`, or in the file with a line `#selvedge start S`";
        reader.found.push(Diagnostic::warning("W0507", None, message).help(help));
    }
    reader.finish(start)
}

/// How many states there are.
#[derive(Clone, Copy)]
struct Size {
    shared: u32,
    local: u32,
}

struct Lines {
    file: FileId,
    size: Option<Size>,
    rules: Arena<RuleId, Rule>,
    targets: Vec<Target>,
    /// Whether a target was given, be it one that nothing covers.
    has_target: bool,
    found: Diagnostics,
}

const TRANSITION: &str =
    "a transition is written `s l -> s' l'`, `s l +> s' l'` or `s l ~> s' l'`, a target `s|l1,l2`";

impl Lines {
    fn new(file: FileId) -> Self {
        Self {
            file,
            size: None,
            rules: Arena::new(),
            targets: vec![],
            has_target: false,
            found: Diagnostics::new(),
        }
    }

    fn error(&mut self, code: &'static str, span: Option<Span>, message: impl Into<String>, help: &str) {
        self.found.push(Diagnostic::error(code, span, message).help(help));
    }

    fn flaw(&mut self, code: &'static str, start: usize, flaw: Flaw, help: &str) {
        let place = span(self.file, start, flaw.at);
        self.error(code, Some(place), flaw.message, help);
    }

    fn line(&mut self, start: usize, line: &str) {
        let Some(size) = self.size else { return self.header(start, line) };
        if line.contains(['|', 'B']) {
            let place = span(self.file, start, 0..line.len());
            match Configuration::parse_target(line) {
                Ok(target) => self.target(&target, Some(place)),
                Err(flaw) => self.flaw("E0501", start, flaw, TRANSITION),
            }
        } else {
            match transition(line, size) {
                Ok(Some(rule)) => {
                    self.rules.push(Rule { span: Some(span(self.file, start, 0..line.len())), ..rule });
                }
                Ok(None) => {}
                Err(flaw) => self.flaw("E0503", start, flaw, TRANSITION),
            }
        }
    }

    fn header(&mut self, start: usize, line: &str) {
        let mut scan = Scanner::new(line);
        let count = |scan: &mut Scanner<'_>, what: &str| {
            let at = scan.position();
            match scan.number(&format!("the number of {what} states"))? {
                0 => Err(Flaw { at: at..at + 1, message: format!("there must be a {what} state") }),
                n if n > MOST_STATES => {
                    let message = format!("more than {MOST_STATES} {what} states are not supported");
                    Err(Flaw { at: at..at + n.to_string().len(), message })
                }
                n => Ok(n),
            }
        };
        let mut read = || {
            let shared = count(&mut scan, "shared")?;
            let local = count(&mut scan, "local")?;
            scan.end()?;
            Ok(Size { shared, local })
        };
        self.size = Some(read().unwrap_or_else(|flaw| {
            self.flaw("E0502", start, flaw, "the first line gives the numbers of shared and local states");
            // The rest of the file is read all the same, for its own errors.
            Size { shared: u32::MAX, local: u32::MAX }
        }));
    }

    /// Whether the states exist.
    fn knows(&self, it: &Configuration) -> bool {
        let local = |l: &u32| self.size.is_none_or(|size| *l < size.local);
        self.size.is_none_or(|size| it.shared < size.shared)
            && it.fixed.iter().chain(&it.unbounded).all(local)
    }

    fn target(&mut self, target: &Configuration, place: Option<Span>) {
        self.has_target = true;
        if !self.knows(target) {
            let message = "the target speaks of a state that does not exist: nothing covers it";
            let help = "states are numbered from 0, and the first line says how many there are";
            return self.found.push(Diagnostic::warning("W0504", place, message).help(help));
        }
        let places = counted(&target.fixed).into_iter().map(|(l, n)| (local(l), Interval::at_least(n)));
        self.targets.push(Target { shared: Some(shared(target.shared)), places: places.collect() });
    }

    /// What the file itself says about its start, in a line that other tools take for a comment.
    fn written_start(&mut self, text: &str) -> Option<Configuration> {
        let mut found = None;
        for (at, rest) in starts(text) {
            let (at, rest) = trimmed(at, rest);
            let place = span(self.file, at, 0..rest.len());
            let help = "write `#selvedge start 0|0,1/2` once, with states that there are";
            match Configuration::parse(rest) {
                Ok(_) if found.is_some() => {
                    self.error("E0505", Some(place), "the file says a second time where it starts", help);
                }
                Ok(start) if self.knows(&start) => found = Some(start),
                Ok(_) => {
                    self.error("E0505", Some(place), "the start speaks of a state that does not exist", help)
                }
                Err(flaw) => self.flaw("E0505", at, flaw, help),
            }
        }
        found
    }

    /// Where it starts: as the user says, else as the file says.
    fn start(&mut self, text: Option<&str>, written: Option<Configuration>) -> Configuration {
        let default = Configuration { shared: 0, fixed: vec![], unbounded: vec![0] };
        let Some(text) = text else { return written.unwrap_or(default) };
        let help = "write `--start 0|0,1/2`: shared state 0, a thread in 0, one in 1, any number in 2";
        match Configuration::parse(text) {
            Ok(start) if self.knows(&start) => return start,
            Ok(_) => self.error("E0505", None, "`--start` speaks of a state that does not exist", help),
            Err(flaw) => self.error("E0505", None, format!("`--start {text}`: {}", flaw.message), help),
        }
        default
    }

    /// The targets from outside the file.
    fn other_targets(&mut self, map: &SourceMap, text: Option<&str>, prop: Option<FileId>) {
        if let Some(text) = text {
            self.targets.clear();
            self.has_target = false;
            for (_, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
                match Configuration::parse_target(line.trim()) {
                    Ok(target) => self.target(&target, None),
                    Err(flaw) => {
                        let message = format!("`--target {}`: {}", line.trim(), flaw.message);
                        self.error("E0501", None, message, "a target is written `1|2,2`");
                    }
                }
            }
        } else if let Some(prop) = prop {
            match read_prop(map, prop) {
                Ok(targets) => targets.iter().for_each(|(target, place)| self.target(target, Some(*place))),
                Err(found) => found.into_iter().for_each(|it| self.found.push(it)),
            }
        }
        if !self.has_target && !self.found.has_errors() {
            let help =
                "give one with `--target 1|2,2`, in a `.prop` file of the same name or as a line of the file";
            self.error("E0506", None, "there is no target", help);
        }
    }

    fn finish(self, start: Configuration) -> Result<(Net, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (Some(size), false) = (self.size, self.found.has_errors()) else {
            return Err(self.found.into_sorted());
        };
        let mut tokens = vec![Interval::exactly(0); size.local as usize];
        for (l, n) in counted(&start.fixed) {
            tokens[l as usize] = Interval::exactly(n);
        }
        for &l in &start.unbounded {
            tokens[l as usize].most = None;
        }
        let names = (0..size.shared).map(|s| s.to_string()).collect();
        let places = (0..size.local).map(|l| Place { name: l.to_string() }).collect();
        let start = NetStart { shared: shared(start.shared), tokens };
        match Net::new(names, places, self.rules, start, self.targets) {
            Ok(net) => Ok((net, self.found.into_sorted())),
            Err(found) => Err(found.into_sorted()),
        }
    }
}

/// The lines of the file that say where it starts: what follows the words, and where.
fn starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split('\n').filter_map(move |line| {
        let start = next;
        next += line.len() + 1;
        let rest = line.strip_prefix(START)?;
        rest.starts_with(char::is_whitespace).then_some((start + START.len(), rest))
    })
}

fn shared(s: u32) -> SharedStateId {
    SharedStateId::from_index(s as usize)
}

fn local(l: u32) -> PlaceId {
    PlaceId::from_index(l as usize)
}

fn counted(locals: &[u32]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for &l in locals {
        *counts.entry(l).or_insert(0) += 1;
    }
    counts
}

/// A transition; none if it is a plain self-loop, which does nothing.
fn transition(line: &str, size: Size) -> Result<Option<Rule>, Flaw> {
    let mut scan = Scanner::new(line);
    let (s, l) = pair(&mut scan, size)?;
    let arrow = ["->", "+>", "~>"].into_iter().find(|&arrow| scan.eats(&[arrow]));
    let Some(arrow) = arrow else { return Err(scan.flaw("expected `->`, `+>` or `~>`")) };
    let (s_after, l_after) = pair(&mut scan, size)?;
    let moves = if arrow == "->" { transfers(&mut scan, size)? } else { vec![] };
    scan.end()?;
    let rule = |take: &[u32], moves: Vec<Transfer>, make: &[u32]| Rule {
        from: shared(s),
        to: shared(s_after),
        tests: vec![],
        take: tokens(take),
        moves,
        make: tokens(make),
        span: None,
    };
    let stays = (s, l) == (s_after, l_after);
    match arrow {
        "+>" => Ok(Some(rule(&[l], vec![], &[l, l_after]))),
        _ if stays && line.matches("~>").count() > usize::from(arrow == "~>") => {
            let message =
                "a transition that leaves its thread where it is cannot transfer others".to_string();
            Err(Flaw { at: 0..line.len(), message })
        }
        _ if stays => Ok(None),
        "->" => Ok(Some(rule(&[l], moves, &[l_after]))),
        _ if l == l_after => Ok(Some(rule(&[], vec![], &[]))),
        _ => Ok(Some(rule(&[], vec![Transfer { from: local(l), to: vec![Some(local(l_after))] }], &[]))),
    }
}

fn tokens(locals: &[u32]) -> Vec<(PlaceId, u32)> {
    counted(locals).into_iter().map(|(l, n)| (local(l), n)).collect()
}

fn pair(scan: &mut Scanner<'_>, size: Size) -> Result<(u32, u32), Flaw> {
    let s = state(scan, "shared", size.shared)?;
    Ok((s, state(scan, "local", size.local)?))
}

fn state(scan: &mut Scanner<'_>, what: &str, count: u32) -> Result<u32, Flaw> {
    let at = scan.position();
    let number = scan.number(&format!("the number of a {what} state"))?;
    if number < count {
        return Ok(number);
    }
    let message = format!("there is no {what} state {number}: there are {count}, numbered from 0");
    Err(Flaw { at: at..at + number.to_string().len(), message })
}

/// `l1 ~> l2 …`: a passive thread in l1 goes to any one of the l2 listed for it.
fn transfers(scan: &mut Scanner<'_>, size: Size) -> Result<Vec<Transfer>, Flaw> {
    let mut all: BTreeMap<u32, Vec<Option<PlaceId>>> = BTreeMap::new();
    while !scan.at_end() {
        let from = state(scan, "local", size.local)?;
        if !scan.eats(&["~>"]) {
            return Err(scan.flaw("expected `~>`"));
        }
        let to = state(scan, "local", size.local)?;
        all.entry(from).or_default().push(Some(local(to)));
    }
    let transfer = |(from, mut to): (u32, Vec<Option<PlaceId>>)| {
        to.sort();
        to.dedup();
        Transfer { from: local(from), to }
    };
    let stays = |it: &Transfer| it.to == [Some(it.from)];
    Ok(all.into_iter().map(transfer).filter(|it| !stays(it)).collect())
}
