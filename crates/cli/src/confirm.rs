//! `selvedge confirm`: has evidence checked on its own, without any engine.

use crate::args::Confirm;
use crate::exit::{SAFE, UNKNOWN, UNSAFE};
use crate::programs::{self, Sources};
use crate::terminal::Screen;
use crate::{output, work};
use base::budget::StopHandle;
use base::{Budget, Diagnostic, Event, FileId, Settings, SourceMap, Stop};
use ir::certificate::text::{HEADER, read};
use ir::property::PropertySet;
use ir::{Bound, Model, Scope, Task};
use report::trace::{self, TraceFile};
use report::witness::{self, Followed, ViolationWitness};
use report::{Text, confirmation};
use verify::{
    Assumption, BadInput, CProperty, Confirmation, Input, NotRead, Origin, Presented, ReadOptions, Rejected,
    RunContext,
};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Confirm, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let (evidence, files) = arguments.files.split_last().expect("an argument is required");
    if files.is_empty() && !arguments.project.is_given() {
        return Err("EVIDENCE is missing: `selvedge confirm FILE... EVIDENCE`".to_string());
    }
    let evidence = Origin::from_argument(evidence);
    let mut settings = Settings::default();
    crate::check::set_all(&mut settings, &arguments.set)?;
    let options = arguments.reading.options_with(&settings);
    let found = programs::sources(files, &arguments.project, options, arguments.limits.limits(stop), screen);
    let Sources { programs, reading, limits } = match found {
        Ok(found) => found,
        Err(end) => return end,
    };
    let [program] = &programs[..] else {
        return Err("evidence is about one program: these files are several".to_string());
    };
    let (file, options) = (program.origin(), program.reading(&reading));
    if file == Origin::Stdin && evidence == Origin::Stdin {
        return Err("standard input can be read once only".to_string());
    }
    let request = ConfirmRequest { file, options, evidence, threads: arguments.threads };
    let job = move |context: RunContext<Event>| confirmed(&request, &context.stop);
    let unknown = |why: &str| {
        let words: Vec<&str> = why.split_whitespace().collect();
        print(format!("unknown: {}", words.join(" "))).map(|()| UNKNOWN)
    };
    let Confirmed { input, confirmation, by_witness } = match work::made(&limits, screen, unknown, job) {
        Ok(confirmed) => confirmed,
        Err(code) => return code,
    };
    // A user who reads a file as `check` does hears what `check` says.
    output::tell_findings(&input.sources, &input.warnings);
    let code = match &confirmation {
        Err(why) => unknown(why),
        Ok(Confirmation::Stopped(stop)) => unknown(&limits.reason(*stop).message),
        Ok(confirmation) if by_witness => {
            print(confirmation::of_witness(confirmation, &input)).map(|()| code_of(confirmation))
        }
        Ok(confirmation) => tell(confirmation, &input, stop),
    };
    // The process gives back what it holds at its end, at once.
    std::mem::forget(input);
    code
}

fn tell(confirmation: &Confirmation, input: &Input, stop: &StopHandle) -> Result<u8, String> {
    let mut granted = vec![];
    if let (Confirmation::Certificate(_), Model::C(model)) = (confirmation, input.source.model()) {
        granted = verify::undefined::taken_for_granted(&model, stop);
    }
    for assumption in &granted {
        if let Assumption::General(text) = assumption {
            output::tell_line(format!("assumption: {text}"));
        }
    }
    print(confirmation::line(confirmation, input, &granted))?;
    Ok(code_of(confirmation))
}

/// The exit code of what the checker says.
fn code_of(confirmation: &Confirmation) -> u8 {
    match confirmation {
        Confirmation::Trace { .. } | Confirmation::Certificate(_) => SAFE,
        Confirmation::Rejected(_) => UNSAFE,
        Confirmation::Stopped(_) => UNKNOWN,
    }
}

/// Prints a verdict.
fn print(line: String) -> Result<(), String> {
    work::print(&Text::line(line).into())
}

/// What is to be confirmed.
pub struct ConfirmRequest {
    /// The file that the evidence is about.
    pub file: Origin,
    options: ReadOptions,
    /// The evidence.
    pub evidence: Origin,
    /// How far it must reach.
    pub threads: Option<Bound>,
}

fn confirmed(request: &ConfirmRequest, stop: &StopHandle) -> Result<Confirmed, NotRead> {
    let mut sources = SourceMap::new();
    let loaded = verify::load(&mut sources, &request.evidence);
    let text = loaded.as_ref().ok().map(|&file| sources.file(file).text());
    let witness = text.filter(|it| witness::is_witness(it)).map(witness::read);
    let mut options = request.options.clone();
    if let (Some(Ok(witness)), CProperty::Default) = (&witness, options.c.property) {
        // What it violates is what is looked for, unless the user says something else.
        options.c.property = witness.property().map_or(CProperty::Default, sought);
    }
    let input = verify::read_within(&request.file, &options, &Budget::new(u64::MAX, stop.clone()))?;
    let bad = |sources, diagnostics| Err(NotRead::Bad(BadInput { sources, diagnostics }));
    let model = input.source.model();
    let by_witness = witness.is_some();
    let evidence = match (loaded, witness) {
        (Ok(_), Some(witness)) => followed(request, &input, witness, stop),
        (Ok(file), None) => presented(&sources, file, &input, request),
        (Err(diagnostic), _) => Err(diagnostic),
    };
    let evidence = match evidence {
        Ok(evidence) => evidence,
        Err(diagnostic) => return bad(sources, vec![diagnostic]),
    };
    let confirmation = match evidence {
        Evidence::Presented(presented, claimed) => {
            let scope = request.threads.map_or(claimed, |threads| Scope { threads });
            Ok(verify::confirm(&Task::new(model, scope), &presented, stop))
        }
        Evidence::OfC(text) => match &model {
            Model::C(model) => Ok(verify::confirm_text(model, &text, request.threads, stop)),
            _ => unreachable!("such a certificate is about a C program"),
        },
        Evidence::Wrong(why) => Ok(Confirmation::Rejected(why)),
        Evidence::Unknown(why) => Err(why),
        Evidence::Stopped(stop) => Ok(Confirmation::Stopped(stop)),
    };
    Ok(Confirmed { input, confirmation, by_witness })
}

/// What is looked for, as `--property` says it.
fn sought(set: PropertySet) -> CProperty {
    let assertions = PropertySet { assert: true, ..PropertySet::default() };
    if set == assertions { CProperty::Assert } else { CProperty::List(set) }
}

/// The run that follows a witness.
fn followed(
    request: &ConfirmRequest,
    input: &Input,
    witness: Result<ViolationWitness, String>,
    stop: &StopHandle,
) -> Result<Evidence, Diagnostic> {
    let wrong = |why: String| {
        let name = request.evidence.name();
        Diagnostic::error("E0913", None, format!("`{name}` is a witness that cannot be followed: {why}"))
    };
    let witness = witness.map_err(wrong)?;
    witness.property().map_err(wrong)?;
    let Model::C(model) = input.source.model() else {
        return Err(wrong("witnesses are about C programs".to_string()));
    };
    let scope = Scope { threads: request.threads.unwrap_or(Bound::Any) };
    Ok(match witness::follow(&witness, &input.sources, &model, scope.threads.limit(), stop) {
        Followed::Run(trace) => Evidence::Presented(Presented::Trace(ir::Trace::C(trace)), scope),
        Followed::Refused(why) => Evidence::Wrong(Rejected::new(why)),
        Followed::Unknown(why) => Evidence::Unknown(why),
        Followed::Stopped(stop) => Evidence::Stopped(stop),
    })
}

/// What the checker says about a file.
struct Confirmed {
    input: Input,
    /// What it is, or why nobody knows.
    confirmation: Result<Confirmation, String>,
    /// Whether the evidence is a witness.
    by_witness: bool,
}

/// Evidence.
enum Evidence {
    /// With the scope that it claims.
    Presented(Presented, Scope),
    /// The text of a certificate about a C program: what it speaks of is known once its passes were run.
    OfC(String),
    /// It is not about the file.
    Wrong(Rejected),
    /// Nobody knows whether it holds, and why.
    Unknown(String),
    /// Looking at it was stopped.
    Stopped(Stop),
}

/// Reads evidence: a trace is JSON, a certificate is not. A trace comes with the bound under which it was
/// found.
fn presented(
    sources: &SourceMap,
    file: FileId,
    input: &Input,
    request: &ConfirmRequest,
) -> Result<Evidence, Diagnostic> {
    let text = sources.file(file).text();
    let model = input.source.model();
    if text.trim_start().starts_with('{') {
        let read = match &model {
            Model::C(model) => {
                let from = TraceFile { evidence: sources, file, sources: &input.sources };
                trace::read_c(&from, model, request.threads)?
            }
            model => Ok(trace::read(sources, file, model)?),
        };
        return Ok(match read {
            Ok((trace, threads)) => Evidence::Presented(Presented::Trace(trace), Scope { threads }),
            Err(why) => Evidence::Wrong(why),
        });
    }
    let no_certificate = |why: &str| not_evidence(&request.evidence.name(), text, why);
    if matches!(model, Model::C(_)) {
        return match text.starts_with(HEADER) {
            true => Ok(Evidence::OfC(text.to_string())),
            false => Err(no_certificate("its first line is another")),
        };
    }
    let certificate = read(text).map_err(|why| no_certificate(&why))?;
    let claimed = certificate.scope;
    Ok(Evidence::Presented(Presented::Certificate(certificate), claimed))
}

/// Why a text that is no trace in JSON and no certificate cannot be checked.
fn not_evidence(name: &str, text: &str, why: &str) -> Diagnostic {
    let error = |message: String| Diagnostic::error("E0910", None, message);
    if text.starts_with(CERTIFICATE) {
        return error(format!("`{name}` is a damaged certificate: {why}"))
            .help("have it written again with `selvedge check --certificate FILE`");
    }
    let page = text.trim_start().starts_with("<!DOCTYPE html>");
    if page || text.starts_with("start: ") {
        let form = if page { "a page" } else { "text" };
        return error(format!(
            "`{name}` is a trace as {form}, for people: only a trace as JSON can be checked"
        ))
        .help("have it written with `selvedge check --trace FILE.json`");
    }
    error(format!("`{name}` is neither a trace nor a certificate"))
        .help("`selvedge check` writes both, with --trace FILE.json and --certificate FILE")
}

/// How every certificate begins.
const CERTIFICATE: &str = "selvedge-certificate";
