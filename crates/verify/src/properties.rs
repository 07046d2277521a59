//! The properties of a file: what was there to check, one by one. A verdict is about all of them together; here are the list, the file
//! with one of them alone, and the file in which it is the error to come to an assertion at all.

use base::{Id, Span};
use front::{CProgram, CProperty, Source};
use ir::bp::program::{Loc, Op};
use ir::c::{Op as Step, PropertyId, TRUTH};
use ir::net::Target;
use ir::{Net, Program, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What kind of property it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PropertyKind {
    /// A condition that must hold.
    Assertion,
    /// A call that must not be reached.
    Error,
    /// A labelled statement that must not be reached.
    Label,
    /// A target that must not be covered.
    Target,
    /// A C program has no undefined behaviour.
    Memory,
    /// No run of a C program comes to undefined behaviour that somebody has looked for.
    Undefined,
}

impl PropertyKind {
    /// The word for it in lists and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            PropertyKind::Assertion => "assertion",
            PropertyKind::Error => "error",
            PropertyKind::Label => "label",
            PropertyKind::Target => "target",
            PropertyKind::Memory => "memory",
            PropertyKind::Undefined => "undefined",
        }
    }
}

/// A property of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedProperty {
    /// Its kind.
    pub kind: PropertyKind,
    /// Where it stands, if it stands somewhere.
    pub span: Option<Span>,
    /// Its name or its text; empty where the source says it.
    pub text: String,
    site: Site,
}

/// What it is in the model.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Site {
    Assertion(Loc),
    Label(Loc),
    Target(usize),
    /// All copies of it: procedures of C are inlined.
    C(Copies),
    Memory,
}

/// The copies of an assertion or error call of C.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Copies {
    ids: Vec<PropertyId>,
    /// The steps that decide whether the assertion holds; none for a call that is an error wherever it is reached.
    decisions: Vec<ir::c::Loc>,
}

impl ListedProperty {
    /// Whether it is a condition: a run may come to it without failing.
    pub fn is_condition(&self) -> bool {
        match &self.site {
            Site::Assertion(_) => true,
            Site::C(copies) => !copies.decisions.is_empty(),
            Site::Label(_) | Site::Target(_) | Site::Memory => false,
        }
    }
}

/// All properties of a source, in the order of their places.
pub fn properties(source: &Source) -> Vec<ListedProperty> {
    let mut all = match source {
        Source::Program(program) => of_program(program),
        Source::Net(net) => of_net(net),
        Source::C(source) => of_c(source),
    };
    all.sort_by_key(|it| (it.span.is_none(), it.span));
    all
}

fn of_program(program: &Program) -> Vec<ListedProperty> {
    let mut all = vec![];
    for (at, location) in program.locations().enumerate() {
        let mut push = |kind, text: String, site| {
            all.push(ListedProperty { kind, span: location.span, text, site });
        };
        if location.error {
            let label = location.labels.last().cloned().unwrap_or_default();
            push(PropertyKind::Label, label, Site::Label(at));
        }
        if matches!(location.op, Op::Assert(_)) {
            push(PropertyKind::Assertion, String::new(), Site::Assertion(at));
        }
    }
    all
}

fn of_net(net: &Net) -> Vec<ListedProperty> {
    let one = |(index, target): (usize, &Target)| ListedProperty {
        kind: PropertyKind::Target,
        span: None,
        text: target_text(net, target),
        site: Site::Target(index),
    };
    net.targets().iter().enumerate().map(one).collect()
}

/// A target in words.
fn target_text(net: &Net, target: &Target) -> String {
    let shared = target.shared.filter(|_| net.shared().len() > 1);
    let shared = shared.map(|it| format!("shared state {}", net.shared()[it]));
    let places = target.places.iter().map(|(place, interval)| {
        let name = &net.places()[*place].name;
        match interval.most {
            None => format!("{name} >= {}", interval.least),
            Some(most) if most == interval.least => format!("{name} = {most}"),
            Some(most) => format!("{name} in [{}, {most}]", interval.least),
        }
    });
    shared.into_iter().chain(places).collect::<Vec<_>>().join(", ")
}

fn of_c(source: &CProgram) -> Vec<ListedProperty> {
    let program = &source.program;
    let decisions = decisions(program);
    let mut copies: BTreeMap<(Option<Span>, &str, PropertyKind), Copies> = BTreeMap::new();
    for (at, location) in program.locations().enumerate() {
        let (property, is_call) = match &location.op {
            Step::Assert { property, .. } => (*property, false),
            Step::Error(property) => (*property, true),
            _ => continue,
        };
        let site = &program.properties()[property];
        let (kind, text) = match site.text.strip_prefix("label ").filter(|_| is_call) {
            Some(label) => (PropertyKind::Label, label),
            None if is_call && !is_assertion(&site.text) => (PropertyKind::Error, &site.text[..]),
            None => (PropertyKind::Assertion, &site.text[..]),
        };
        let copy = copies.entry((site.span, text, kind)).or_default();
        copy.ids.push(property);
        copy.decisions.extend(decisions.get(&at).into_iter().flatten());
    }
    let one = |((span, text, kind), copies): ((Option<Span>, &str, PropertyKind), Copies)| ListedProperty {
        kind,
        span,
        text: text.to_string(),
        site: Site::C(copies),
    };
    let memory = source.machine.memory.then(|| ListedProperty {
        kind: match source.property {
            CProperty::Memory => PropertyKind::Memory,
            CProperty::Default | CProperty::Assert => PropertyKind::Undefined,
        },
        span: None,
        text: "no undefined behaviour".to_string(),
        site: Site::Memory,
    });
    copies.into_iter().map(one).chain(memory).collect()
}

/// Whether it is a call of `assert` or its like, and not of a function that is an error in itself.
fn is_assertion(text: &str) -> bool {
    text.split('(').next().is_some_and(|called| called.contains("assert"))
}

/// For each assertion the steps that decide whether it holds: it itself, or the branches in front of the call that the macro ends in.
fn decisions(program: &ir::c::Program) -> BTreeMap<ir::c::Loc, Vec<ir::c::Loc>> {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, location) in program.locations().enumerate() {
        if matches!(location.op, Step::Assert { .. }) {
            found.entry(at).or_default().push(at);
        }
        if !matches!(location.op, Step::Branch { .. }) {
            continue;
        }
        for after in program.successors(at) {
            if let Step::Error(property) = program.at(after).op
                && is_assertion(&program.properties()[property].text)
            {
                found.entry(after).or_default().push(at);
            }
        }
    }
    found
}

/// The source with this property alone. Other assertions are passed as if nobody had written them; in C, where a failing assertion ends
/// the program, a run ends there.
pub fn alone(source: &Source, property: &ListedProperty) -> Option<Source> {
    match source {
        Source::Program(program) => with_errors(program, |at, op| match op {
            Op::Assert(_) if property.site != Site::Assertion(at) => Change::Pass,
            _ if property.site == Site::Label(at) => Change::KeepLabel,
            _ => Change::NoLabel,
        }),
        Source::Net(net) => {
            let Site::Target(index) = property.site else { return None };
            let target = net.targets().get(index)?.clone();
            let net = Net::clone(net).with_targets(vec![target]).ok()?;
            Some(Source::Net(Arc::new(net)))
        }
        Source::C(source) => {
            let kept = |id: &PropertyId| matches!(&property.site, Site::C(copies) if copies.ids.contains(id));
            let alone = with_steps(source, kept, &BTreeMap::new())?;
            let memory = alone.machine.memory && property.site == Site::Memory;
            let machine = ir::c::Options { memory, ..alone.machine };
            Some(Source::C(Arc::new(CProgram { machine, ..alone })))
        }
    }
}

/// The source in which it is the error to come to one of these assertions, whatever they say, and nothing else is one.
pub fn arrival(source: &Source, assertions: &[&ListedProperty]) -> Option<Source> {
    let sites = || assertions.iter().map(|it| &it.site);
    match source {
        Source::Program(program) => with_errors(program, |at, op| match op {
            Op::Assert(_) if sites().any(|site| *site == Site::Assertion(at)) => Change::Fail,
            Op::Assert(_) => Change::Pass,
            _ => Change::NoLabel,
        }),
        Source::Net(_) => None,
        Source::C(source) => {
            let of_site = |site: &Site| match site {
                Site::C(Copies { ids, decisions }) => decisions.iter().map(|&at| (at, ids[0])).collect(),
                _ => vec![],
            };
            let changed = with_steps(source, |_| false, &sites().flat_map(of_site).collect())?;
            let machine = ir::c::Options { memory: false, ..changed.machine };
            Some(Source::C(Arc::new(CProgram { machine, ..changed })))
        }
    }
}

/// Whether a run ends in this property.
pub fn violates(property: &ListedProperty, trace: &Trace) -> bool {
    match (&property.site, trace) {
        (Site::Assertion(at) | Site::Label(at), Trace::Program(trace)) => trace.failure.at == *at,
        (Site::C(copies), Trace::C(trace)) => {
            matches!(&trace.failure.kind, ir::c::FailureKind::Property(id) if copies.ids.contains(id))
        }
        _ => false,
    }
}

/// What becomes of a location.
enum Change {
    /// It stays, and arriving is an error if it was one.
    KeepLabel,
    /// It stays, and arriving is no error.
    NoLabel,
    /// It is passed, and arriving is no error.
    Pass,
    /// It fails.
    Fail,
}

fn with_errors(program: &Program, change: impl Fn(Loc, &Op) -> Change) -> Option<Source> {
    let mut builder = program.edit();
    let never = builder.exprs().constant(false);
    for at in (0..program.locations().len()).map(Loc::from_index) {
        let location = builder.at(at);
        let change = change(at, &location.op);
        location.error &= matches!(change, Change::KeepLabel);
        match change {
            Change::Pass => location.op = Op::Skip,
            Change::Fail => location.op = Op::Assert(never),
            Change::KeepLabel | Change::NoLabel => {}
        }
    }
    builder.finish().ok().map(|program| Source::Program(Arc::new(program)))
}

/// The program in which the properties that are not kept end a run where they would fail, and some steps are failures of a property.
fn with_steps(
    source: &CProgram,
    kept: impl Fn(&PropertyId) -> bool,
    failures: &BTreeMap<ir::c::Loc, PropertyId>,
) -> Option<CProgram> {
    let mut builder = source.program.edit();
    let never = builder.exprs().number(TRUTH, 0);
    for at in (0..source.program.locations().len()).map(ir::c::Loc::from_index) {
        let op = &mut builder.at(at).op;
        if let Some(&property) = failures.get(&at) {
            *op = Step::Assert { cond: never, property };
            continue;
        }
        let (property, cond) = match &*op {
            Step::Assert { property, cond } => (*property, *cond),
            Step::Error(property) => (*property, never),
            _ => continue,
        };
        if !kept(&property) {
            *op = Step::Assume(cond);
        }
    }
    let program = builder.finish().ok()?;
    // Undefined behaviour is looked for in the file as a whole.
    Some(CProgram { program, literal: None, ..source.clone() })
}
