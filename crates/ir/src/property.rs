//! What must not go wrong in a model, one by one.

use crate::bp;
use crate::net::{Net, Target};
use crate::task::Model;
use crate::trace::Trace;
use base::Span;
pub use base::class::{CLASSES, Class, ClassRow};
use std::collections::BTreeMap;

/// A property of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its class.
    pub class: Class,
    /// Where it stands, if it stands somewhere.
    pub span: Option<Span>,
    /// Its name or its text; empty where the source says it.
    pub text: String,
    /// What it is in the model.
    pub site: Site,
}

/// What a property is in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Site {
    /// An assertion of a Boolean program.
    Assertion(bp::Loc),
    /// An error label of a Boolean program.
    Label(bp::Loc),
    /// A target of a net.
    Target(usize),
    /// An assertion or error call of C: all copies of it, since procedures may be inlined.
    C(Copies),
    /// No undefined behaviour, wherever it is.
    Undefined,
}

/// The copies of an assertion or error call of C.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copies {
    /// What the program calls them.
    pub ids: Vec<c::PropertyId>,
    /// The steps that decide whether the assertion holds; none for a call that is an error wherever it is reached.
    pub decisions: Vec<c::Loc>,
}

impl Property {
    /// Whether it is a condition: a run may come to it without failing.
    pub fn is_condition(&self) -> bool {
        match &self.site {
            Site::Assertion(_) => true,
            Site::C(copies) => !copies.decisions.is_empty(),
            Site::Label(_) | Site::Target(_) | Site::Undefined => false,
        }
    }

    /// Whether a run ends in it.
    pub fn is_violated_by(&self, trace: &Trace) -> bool {
        match (&self.site, trace) {
            (Site::Assertion(at), Trace::Program(trace)) => {
                trace.failure.kind == bp::FailureKind::Assertion && trace.failure.at == *at
            }
            (Site::Label(at), Trace::Program(trace)) => {
                trace.failure.kind == bp::FailureKind::Label && trace.failure.at == *at
            }
            (Site::C(copies), Trace::C(trace)) => {
                matches!(&trace.failure.kind, c::FailureKind::Property(id) if copies.ids.contains(id))
            }
            (Site::Undefined, Trace::C(trace)) => {
                matches!(&trace.failure.kind, c::FailureKind::Undefined(_))
            }
            _ => false,
        }
    }
}

/// All properties of a model, in the order of their places.
pub fn properties(model: &Model) -> Vec<Property> {
    let mut all = match model {
        Model::Program(program) => of_program(program),
        Model::Net(net) => of_net(net),
        Model::C(model) => of_c(model),
    };
    all.sort_by_key(|it| (it.span.is_none(), it.span));
    all
}

fn of_program(program: &bp::Program) -> Vec<Property> {
    let mut all = vec![];
    for (at, location) in program.locations().enumerate() {
        let mut push = |class, text: String, site| {
            all.push(Property { class, span: location.span, text, site });
        };
        if location.error {
            let label = location.labels.last().cloned().unwrap_or_default();
            push(Class::ErrorLabel, label, Site::Label(at));
        }
        if matches!(location.op, bp::Op::Assert(_)) {
            push(Class::Assertion, String::new(), Site::Assertion(at));
        }
    }
    all
}

fn of_net(net: &Net) -> Vec<Property> {
    let one = |(index, target): (usize, &Target)| Property {
        class: Class::Target,
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

fn of_c(model: &crate::c::Model) -> Vec<Property> {
    let program = &model.program;
    let decisions = decisions(program);
    let mut copies: BTreeMap<(Option<Span>, &str, Class), Copies> = BTreeMap::new();
    for (at, location) in program.locations().enumerate() {
        let (c::Op::Assert { property, .. } | c::Op::Error(property)) = location.op else { continue };
        let site = &program.properties()[property];
        let copy = copies.entry((site.span, &site.text, site.class)).or_default();
        copy.ids.push(property);
        copy.decisions.extend(decisions.get(&at).into_iter().flatten());
    }
    let one = |((span, text, class), copies): ((Option<Span>, &str, Class), Copies)| Property {
        class,
        span,
        text: text.to_string(),
        site: Site::C(copies),
    };
    let undefined = model.machine.memory.then(|| Property {
        class: model.undefined_class(),
        span: None,
        text: "no undefined behaviour".to_string(),
        site: Site::Undefined,
    });
    copies.into_iter().map(one).chain(undefined).collect()
}

/// For each assertion the steps that decide whether it holds: it itself, or the branches in front of the call that the macro ends in.
fn decisions(program: &c::Program) -> BTreeMap<c::Loc, Vec<c::Loc>> {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, location) in program.locations().enumerate() {
        if matches!(location.op, c::Op::Assert { .. }) {
            found.entry(at).or_default().push(at);
        }
        if !matches!(location.op, c::Op::Branch { .. }) {
            continue;
        }
        for after in program.successors(at) {
            if let c::Op::Error(property) = program.at(after).op
                && program.properties()[property].class == Class::Assertion
            {
                found.entry(after).or_default().push(at);
            }
        }
    }
    found
}
